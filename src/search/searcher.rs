//! The interface between the deepening driver and an algorithm: [`Searcher`].

use crate::game::score::{Bound, Score, Window};
use crate::game::{Game, Move, MoveList};

use super::answer::{Certainty, RootMove};
use super::schedule::{Iteration, Objective};
use super::stats::SearchStats;
use super::stop::{Budget, Stopped};

/// A bound of the running iteration's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RootBound {
    /// The bound.
    pub score: Score,
    /// Its kind.
    pub bound: Bound,
    /// The last move of this iteration that was proven better than the ones before it in order; before that, the first.
    pub m: Move,
    /// The nodes of this thread so far.
    pub nodes: u64,
}

/// Called with each bound and the statistics so far, which take some time to gather.
pub type BoundReport<'b> = dyn FnMut(RootBound, &dyn Fn() -> SearchStats) + 'b;

/// Searches one position, iteration by iteration: an algorithm with its table and counters. Object-safe, so that the
/// driver is compiled once and not for each game and policy.
pub trait Searcher {
    /// Facts about the root position.
    fn root(&self) -> Root;

    /// The iterations up to `depth`, which is at most the number of plies left at the root.
    fn schedule(&self, depth: u8, objective: Objective) -> Vec<Iteration>;

    /// The static evaluation of the root.
    fn evaluate(&mut self) -> Score;

    /// The best of `moves` with its score in this iteration: exact inside `bounds`, else a bound. `bound` is called
    /// with each bound found on the way. The best move of the iteration before is searched first.
    fn search(
        &mut self,
        iteration: Iteration,
        guess: Score,
        bounds: Window,
        moves: &[Move],
        bound: &mut BoundReport<'_>,
    ) -> Result<RootMove, Stopped>;

    /// Whether the variation of a root move ends the game as claimed ([`RootMove::leads_to_end`]).
    fn leads_to_end(&self, root: &RootMove, claim: Certainty) -> bool;

    /// The mean number of nodes for solving a position with `plies_left` plies left; `None`: such positions are not
    /// solved.
    fn nodes_to_solve(&self, _plies_left: u8) -> Option<f64> {
        None
    }

    /// Sets the limits of the search.
    fn set_budget(&mut self, budget: Budget);

    /// Gives the helpers of the search back: another search takes over.
    fn release_helpers(&mut self) {}

    /// The statistics so far.
    fn stats(&self) -> SearchStats;
}

/// Facts about the root position that the driver needs.
#[derive(Clone, Debug)]
pub struct Root {
    /// All legal moves.
    pub moves: MoveList,
    /// See [`Game::plies_left`].
    pub plies_left: u8,
    /// See [`Game::stones`].
    pub stones: i32,
    /// See [`Game::final_score`].
    pub final_score: Option<Score>,
    /// See [`Game::grain`].
    pub grain: i32,
}

impl Root {
    /// The facts about a position.
    pub fn of<G: Game>(position: &G) -> Root {
        Root {
            moves: position.moves(),
            plies_left: position.plies_left(),
            stones: position.stones(),
            final_score: position.final_score(),
            grain: position.grain(),
        }
    }
}

/// The user is told the bounds of MTD(f) from this many nodes on; earlier ones would only flood him.
pub(in crate::search) const BOUNDS_TOLD_FROM: u64 = 200_000;
