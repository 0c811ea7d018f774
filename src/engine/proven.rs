//! The last proven result and its principal variation: while the game follows it, a timed search is
//! answered without searching.

use crate::game::Move;
use crate::game::score::Score;
use crate::games::any::AnyGame;
use crate::search::{Certainty, RootMove};

/// A proven score of a position, and the principal variation that attains it.
pub struct ProvenLine {
    root: AnyGame,
    score: Score,
    line: Vec<Move>,
}

impl ProvenLine {
    /// The line of a proven best move.
    pub fn new(root: &AnyGame, best: &RootMove) -> ProvenLine {
        ProvenLine {
            root: root.clone(),
            score: best.score,
            line: best.pv.clone(),
        }
    }

    /// The best move of a position on the line, with its score for the side to move there; `None`
    /// for any other position.
    pub fn best_at(&self, position: &AnyGame) -> Option<RootMove> {
        let wanted = position.write_position();
        let (mut game, mut score) = (self.root.clone(), self.score);
        for (ply, &m) in self.line.iter().enumerate() {
            if game.name() == position.name() && game.write_position() == wanted {
                let certainty = Certainty::Exact;
                return Some(RootMove {
                    m,
                    score,
                    pv: self.line.get(ply..)?.to_vec(),
                    certainty,
                });
            }
            game.play(m).ok()?;
            score = -score;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::by_name;

    #[test]
    fn a_proven_line_has_a_best_move_for_its_own_positions_only() {
        let mut game = by_name("tictactoe").unwrap();
        game.set_position("xx1/o2/3 o").unwrap();
        let line: Vec<Move> = ["a1", "c3"]
            .iter()
            .map(|word| game.parse_move(word).unwrap())
            .collect();
        let (m, score, certainty) = (line[0], Score::lost_at(5), Certainty::Exact);
        let best = RootMove {
            m,
            score,
            pv: line.clone(),
            certainty,
        };
        let proven = ProvenLine::new(&game, &best);
        let found = proven.best_at(&game).unwrap();
        assert_eq!(
            (found.m, found.score, found.pv.len()),
            (line[0], Score::lost_at(5), 2)
        );
        let mut other = game.clone();
        game.play(line[0]).unwrap();
        let found = proven.best_at(&game).unwrap();
        assert_eq!(
            (found.m, found.score, found.pv),
            (line[1], -Score::lost_at(5), vec![line[1]])
        );
        other.play(line[1]).unwrap();
        assert!(proven.best_at(&other).is_none());
        game.play(line[1]).unwrap();
        assert!(proven.best_at(&game).is_none(), "not on the line");
    }
}
