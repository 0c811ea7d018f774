//! The canonical symmetry image of a position: its key in records and in lists without duplicates.

use crate::game::Game;

use super::any::{AnyGame, AnyPosition, RegisteredGame, TypedGame, Visitor};

impl AnyPosition {
    /// The canonical symmetry image, equal for all symmetric positions.
    pub fn canonical(self) -> AnyPosition {
        struct Canonical;
        impl Visitor for Canonical {
            type Output = AnyPosition;
            fn visit<G: RegisteredGame>(self, position: &G) -> AnyPosition {
                let images = (0..G::SYMMETRIES).map(|symmetry| position.image(symmetry));
                images.min_by_key(Game::packed).unwrap_or(*position).into()
            }
        }
        self.visit(Canonical)
    }

    /// A game that starts at this position.
    pub fn boxed(self) -> Box<dyn AnyGame> {
        struct Boxed;
        impl Visitor for Boxed {
            type Output = Box<dyn AnyGame>;
            fn visit<G: RegisteredGame>(self, position: &G) -> Box<dyn AnyGame> {
                Box::new(TypedGame::from_position(*position))
            }
        }
        self.visit(Boxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::{NAMES, by_name};

    #[test]
    fn symmetric_positions_have_one_canonical_image() {
        // Othello's four first moves lead to one position; nothing but the symmetry group is at work.
        let mut board = by_name("othello").unwrap();
        let images = board.moves().into_iter().map(|m| {
            board.play(m).unwrap();
            let image = board.position().canonical();
            assert!(board.undo());
            image
        });
        let images: Vec<AnyPosition> = images.collect();
        assert_eq!(images.len(), 4);
        assert!(images.iter().all(|image| *image == images[0]));
    }

    #[test]
    fn a_canonical_image_is_its_own_and_a_board_keeps_it() {
        for name in NAMES {
            let mut board = by_name(name).unwrap();
            for ply in 0..6 {
                let image = board.position().canonical();
                assert_eq!(image.canonical(), image);
                assert_eq!(image.boxed().position(), image);
                let moves = board.moves();
                let Some(&m) = moves.get(ply % moves.len().max(1)) else { break };
                board.play(m).unwrap();
            }
        }
    }
}
