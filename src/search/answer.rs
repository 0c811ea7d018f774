//! The result of a search.

use std::time::Duration;

use crate::game::Move;
use crate::game::score::Score;

use super::stats::Counters;

/// Whether the answer is proven.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Certainty {
    /// The score is an evaluation some plies ahead.
    #[default]
    Heuristic,
    /// The score is the value of the game under best play.
    Exact,
    /// Only who wins is proven (a win/loss/draw search).
    WinLossDraw,
}

/// A root move with what is known of it.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The move.
    pub m: Move,
    /// Its score for the side to move at the root.
    pub score: Score,
    /// Its line, itself first.
    pub pv: Vec<Move>,
}

/// The answer of a search.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The finished root moves, best first; at least one, unless the game was over.
    pub best: Vec<RootMove>,
    /// The last finished depth.
    pub depth: u8,
    /// The selectivity it was searched at, in percent; 100 is full width.
    pub selectivity: u8,
    /// Whether the score is proven.
    pub certainty: Certainty,
    /// What was counted.
    pub counters: Counters,
    /// Since the command arrived.
    pub elapsed: Duration,
    /// Whether the win that [`Limits::mate`](super::limits::Limits::mate) asks for was proven.
    pub mate_found: bool,
    /// Whether the search was stopped before its goal (by its user, the clock or the node limit).
    pub stopped: bool,
}

impl Answer {
    /// The best move, unless the game was over.
    pub fn best_move(&self) -> Option<Move> {
        self.best.first().map(|root| root.m)
    }

    /// The score of the best move.
    pub fn score(&self) -> Option<Score> {
        self.best.first().map(|root| root.score)
    }
}
