//! The allowed cost of a move, and the choice of the move to play.

use super::level::Strength;
use crate::search::{Answer, RootMove};

/// Own moves in a game of Othello, to which the budget applies; on smaller boards it is
/// proportional.
pub const MOVES_OF_A_GAME: f64 = 30.0;

/// The allowed cost of a move, in hundredths of a disc.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Allowance {
    /// The rest of the game's budget; zero or less if it is spent.
    pub left: i32,
    /// The limit of a move.
    pub limit: i32,
    /// Own moves left in the game, this one included.
    pub moves: u8,
    /// The seed of the draw.
    pub seed: u64,
}

impl Allowance {
    /// The allowance of a move with `plies_left` plies to the end, in a game in which `known` own
    /// moves have cost `spent`. Other moves count as having cost their share.
    pub fn new(strength: Strength, plies_left: u8, known: u32, spent: i32, seed: u64) -> Allowance {
        let moves = plies_left.div_ceil(2).max(1);
        let share = f64::from(u32::from(moves) + known) / MOVES_OF_A_GAME;
        let left = (strength.budget() * share) as i32 - spent;
        Allowance {
            left,
            limit: strength.move_limit(),
            moves,
            seed,
        }
    }

    /// The maximum cost of this move.
    pub fn most(&self) -> i32 {
        self.left.min(self.limit)
    }

    /// The root move to play: the drawn one if its cost is allowed, else the best.
    pub fn played<'a>(&self, answer: &'a Answer) -> Option<&'a RootMove> {
        let best = answer.best.first()?;
        let drawn = answer
            .extra
            .iter()
            .find(|root| best.score.0 - root.score.0 <= self.most());
        Some(drawn.unwrap_or(best))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowance(discs: f64, plies_left: u8, known: u32, spent: i32) -> Allowance {
        Allowance::new(
            Strength::by_discs(discs).unwrap(),
            plies_left,
            known,
            spent,
            0,
        )
    }

    #[test]
    fn a_whole_game_has_the_whole_budget() {
        let budget = Strength::by_discs(10.0).unwrap().budget() as i32;
        assert_eq!(allowance(10.0, 60, 0, 0).left, budget);
        assert_eq!(
            allowance(10.0, 30, 0, 0).left,
            budget / 2,
            "nothing is known of the first half"
        );
        assert_eq!(allowance(10.0, 30, 15, 0).left, budget, "it cost nothing");
        assert_eq!(allowance(10.0, 30, 15, budget).left, 0, "it cost all");
        assert_eq!(
            (
                allowance(10.0, 1, 0, 0).moves,
                allowance(10.0, 60, 0, 0).moves
            ),
            (1, 30)
        );
    }

    #[test]
    fn a_move_costs_at_most_what_is_left_and_the_limit() {
        assert_eq!(allowance(10.0, 60, 0, 0).most(), 450);
        let spent = allowance(10.0, 60, 0, 0).left - 7;
        assert_eq!(allowance(10.0, 60, 0, spent).most(), 7);
        assert!(allowance(10.0, 60, 0, spent + 8).most() < 0);
    }
}
