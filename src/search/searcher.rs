//! The interface between the deepening driver and an algorithm: [`Searcher`].

use crate::game::score::{Bound, Score, Window};
use crate::game::{Game, Move, MoveList};

use super::answer::RootMove;
use super::schedule::{Pace, Stage};
use super::stats::Reading;
use super::stop::{Budget, Stopped};

/// Told of a bound of the running stage's value, and of the best move so far.
pub type BoundReport<'b> = dyn FnMut(&Reading, Score, Bound, Move) + 'b;

/// Something that can search one stage of one position: an algorithm with its table and counters. Object-safe, so that
/// the driver is compiled once and not for each game and policy.
pub trait Searcher {
    /// What the driver has to know of the root.
    fn root(&self) -> Root;

    /// The stages on the way to `depth`, which is never more than the root has plies left.
    fn schedule(&self, depth: u8, pace: Pace) -> Vec<Stage>;

    /// The static value of the root.
    fn evaluate(&mut self) -> Score;

    /// The best of `moves` with its score at this stage, exact if it lies inside `bounds`, else a bound of it. `bound` is
    /// told of the value's bounds on the way.
    fn search(
        &mut self,
        stage: Stage,
        guess: Score,
        bounds: Window,
        moves: &[Move],
        bound: &mut BoundReport<'_>,
    ) -> Result<RootMove, Stopped>;

    /// The mean number of nodes that solving takes from `plies_left` plies before the end; `None`: such positions are not
    /// solved.
    fn nodes_to_solve(&self, _plies_left: u8) -> Option<f64> {
        None
    }

    /// Sets when the search ends by itself.
    fn set_budget(&mut self, budget: Budget);

    /// What stands on the instruments.
    fn reading(&self) -> Reading;
}

/// What a driver has to know of the position at the root.
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
    /// The facts of a position.
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

/// From this many nodes on, searchers tell bounds while MTD(f) closes in; before, they would only flood the reader.
pub(in crate::search) const BOUNDS_TOLD_FROM: u64 = 200_000;
