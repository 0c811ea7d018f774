//! The result of a search.

use std::time::Duration;

use crate::game::score::Score;
use crate::game::{Game, Move};

use super::stats::Counters;

/// Whether a result is proven.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Certainty {
    /// The score comes from a depth-limited search.
    #[default]
    Heuristic,
    /// The score is the game-theoretic value, and the principal variation ends the game with it.
    Exact,
    /// Only win, loss or draw is proven, and the principal variation ends the game with that
    /// result.
    WinLossDraw,
}

/// A searched root move.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The move.
    pub m: Move,
    /// Its score for the side to move at the root.
    pub score: Score,
    /// Its principal variation, starting with the move itself.
    pub pv: Vec<Move>,
    /// Whether the score is proven and the PV confirms it ([`RootMove::leads_to_end`]).
    pub certainty: Certainty,
}

impl RootMove {
    /// A root move with an unproven score.
    #[doc(hidden)]
    pub fn heuristic(m: Move, score: Score, pv: Vec<Move>) -> RootMove {
        RootMove {
            m,
            score,
            pv,
            certainty: Certainty::Heuristic,
        }
    }

    /// The line of a finished game.
    pub(crate) fn game_over(score: Score) -> RootMove {
        RootMove {
            certainty: Certainty::Exact,
            ..RootMove::heuristic(Move::NONE, score, Vec::new())
        }
    }

    /// Whether the PV leads from `position` to the end of the game and confirms the claim: the
    /// score, or only its sign.
    pub fn leads_to_end<G: Game>(&self, position: &G, claim: Certainty) -> bool {
        let mut position = *position;
        for m in &self.pv {
            if position.final_score().is_some() || !position.moves().contains(m) {
                return false;
            }
            position = position.play(*m);
        }
        position.final_score().is_some_and(|score| {
            let score = if self.pv.len().is_multiple_of(2) {
                score
            } else {
                -score
            };
            match claim {
                Certainty::Heuristic => false,
                Certainty::Exact => score == self.score,
                Certainty::WinLossDraw => score.cmp(&Score::ZERO) == self.score.cmp(&Score::ZERO),
            }
        })
    }
}

/// The result of a search.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// The lines of the last finished iteration, best first; at least one unless the game is over.
    pub best: Vec<RootMove>,
    /// The moves of [`Limits::extra_moves`](super::limits::Limits::extra_moves), scored by the same
    /// iteration.
    pub extra: Vec<RootMove>,
    /// Depth of the last finished iteration.
    pub depth: u8,
    /// Selectivity of that iteration in percent; 100 is full width.
    pub selectivity: u8,
    /// Whether the score is proven.
    pub certainty: Certainty,
    /// Search statistics.
    pub counters: Counters,
    /// Time since the command arrived.
    pub elapsed: Duration,
    /// Whether the search ended before its last iteration without having reached its goal: by
    /// request, by a time or node limit or, if the goal is the best move and there is no depth
    /// limit, because deeper iterations were pointless (a forced move, a decided game).
    pub stopped: bool,
}

impl Answer {
    /// The best move; `None` if the game is over.
    pub fn best_move(&self) -> Option<Move> {
        self.best.first().map(|root| root.m)
    }

    /// The score of the best move.
    pub fn score(&self) -> Option<Score> {
        self.best.first().map(|root| root.score)
    }
}
