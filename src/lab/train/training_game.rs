//! The games with a trainable evaluation.

use std::ops::RangeInclusive;

use crate::game::rng::Rng;
use crate::game::score::Score;
use crate::game::{Game, Move, Player};
use crate::games::reversi::Othello;
use crate::games::score_four::ScoreFour;
use crate::games::score_four::bitboard::Bitboards;
use crate::games::score_four::eval::{Tactics, tactics};
use crate::search::production::{Driver, Mtdf, NegaScout};

/// A game with a trainable evaluation.
pub trait TrainingGame: Game {
    /// Its number in the headers of files of games.
    const NUMBER: u8;
    /// Random plies of a short opening, for variety, and of a long one, for unbalanced positions
    /// that a search must evaluate.
    const OPENINGS: [RangeInclusive<u64>; 2];
    /// Percentage of games that are one position before the first ply of a short opening.
    const FIRST_PLIES_PERCENT: u64;
    /// Positions with at most this many plies left are solved.
    const SOLVED: u8;
    /// Bytes of the search's table.
    const TABLE_BYTES: usize;
    /// The algorithm of the searches.
    type Driver: Driver;

    /// The position with these stones.
    fn from_stones(own: u64, other: u64, side: Player) -> Self;

    /// The position after a random move; `None` if there is none that leaves the game open.
    fn random_child(&self, rng: &mut Rng) -> Option<Self>;

    /// The result of a game with this score.
    fn result(score: Score) -> i8;
}

impl TrainingGame for Othello {
    const NUMBER: u8 = 0;
    const OPENINGS: [RangeInclusive<u64>; 2] = [6..=21, 22..=45];
    const FIRST_PLIES_PERCENT: u64 = 10;
    const SOLVED: u8 = 12;
    const TABLE_BYTES: usize = 128 << 10;
    /// Costs less than MTD(f) here: measurements.md#selfplay.
    type Driver = NegaScout;

    fn from_stones(own: u64, other: u64, side: Player) -> Othello {
        Othello::new(own, other, side)
    }

    fn random_child(&self, rng: &mut Rng) -> Option<Othello> {
        Some(self.play(*rng.choose(&self.moves())?))
    }

    fn result(score: Score) -> i8 {
        (score.0 / 100) as i8
    }
}

impl TrainingGame for ScoreFour {
    const NUMBER: u8 = 1;
    const OPENINGS: [RangeInclusive<u64>; 2] = [2..=13, 14..=36];
    /// Its evaluation counts lines and has nothing to learn from two plies.
    const FIRST_PLIES_PERCENT: u64 = 0;
    const SOLVED: u8 = 0;
    const TABLE_BYTES: usize = 256 << 10;
    type Driver = Mtdf;

    fn from_stones(own: u64, other: u64, _side: Player) -> ScoreFour {
        ScoreFour::of_stones(own, other)
    }

    /// A move that loses at once is not played.
    fn random_child(&self, rng: &mut Rng) -> Option<ScoreFour> {
        let board = Bitboards::of(self);
        let safe = board.non_losing(board.playable());
        let moves: Vec<Move> = self
            .moves()
            .into_iter()
            .filter(|m| safe >> self.landing(m.square()) & 1 != 0)
            .collect();
        let child = self.play(*rng.choose(&moves)?);
        let is_decided = child.final_score().is_some()
            || matches!(
                tactics(&Bitboards::of(&child), child.stones()),
                Tactics::Decided(_)
            );
        (!is_decided).then_some(child)
    }

    fn result(score: Score) -> i8 {
        score.0.signum() as i8
    }
}
