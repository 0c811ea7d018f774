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
    /// The last move that failed high in this iteration; the first move if none has.
    pub m: Move,
    /// The node count of this thread.
    pub nodes: u64,
}

/// Called with each bound and a function that gathers the statistics, which takes some time.
pub type BoundReport<'b> = dyn FnMut(RootBound, &dyn Fn() -> SearchStats) + 'b;

/// An algorithm that searches one position, iteration by iteration. Object-safe, so that the driver
/// is compiled once, not for each game and policy.
pub trait Searcher {
    /// Facts about the root position.
    fn root(&self) -> Root;

    /// The iterations up to `depth`, which is at most [`Root::plies_left`].
    fn schedule(&self, depth: u8, objective: Objective) -> Vec<Iteration>;

    /// The answer without a search among these `moves` ([`static_answer`]): counts one node, if the
    /// node limit allows it.
    fn evaluate(&mut self, moves: &[Move]) -> RootMove;

    /// Searches for the best of `moves`. Its score is exact inside `bounds`, else a bound. Calls
    /// `bound` with every bound found. The best move of the previous iteration is searched first.
    fn search(
        &mut self,
        iteration: Iteration,
        guess: Score,
        bounds: Window,
        moves: &[Move],
        bound: &mut BoundReport<'_>,
    ) -> Result<RootMove, Stopped>;

    /// Whether the PV of a root move ends the game as claimed ([`RootMove::leads_to_end`]).
    fn leads_to_end(&self, root: &RootMove, claim: Certainty) -> bool;

    /// The mean number of nodes for solving a position with `plies_left` plies left; `None`: such
    /// positions are not solved.
    fn nodes_to_solve(&self, _plies_left: u8) -> Option<f64> {
        None
    }

    /// Sets the limits of the search.
    fn set_budget(&mut self, budget: Budget);

    /// Releases the helper threads, for another search that takes over.
    fn release_helpers(&mut self) {}

    /// The current statistics.
    fn stats(&self) -> SearchStats;
}

/// An answer without a search: the static value of the position and the first of `moves`. If these
/// are not all legal moves, or if the value is that of a decided game, it need not hold for that
/// move; then it is the best of `moves` by the static values after each, and its value.
pub fn static_answer<G: Game>(
    position: &G,
    moves: &[Move],
    mut evaluate: impl FnMut(&G) -> Score,
) -> RootMove {
    let value = evaluate(position);
    if moves.len() == position.moves().len() && !value.is_decided() {
        return RootMove::heuristic(moves[0], value, vec![moves[0]]);
    }
    let values = moves.iter().map(|&m| {
        let child = position.play(m);
        (m, -child.final_score().unwrap_or_else(|| evaluate(&child)))
    });
    let best = values.reduce(|best, other| if other.1 > best.1 { other } else { best });
    let (m, value) = best.unwrap_or((Move::NONE, value));
    RootMove::heuristic(m, value, vec![m])
}

/// A search that finds the moves of a proof. It answers one question after another with the same
/// table, and keeps the caches of the policy between them.
pub trait ProofSearch {
    /// Returns a move after which the value is at least `score`, a multiple of
    /// [`Game::GRAIN`], in the unfinished position after `line`; `None` if there is none.
    fn proven_move(&mut self, line: &[Move], score: Score) -> Result<Option<Move>, Stopped>;

    /// The number of nodes visited.
    fn nodes(&self) -> u64;
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

/// The node count from which the bounds of MTD(f) are reported; earlier ones would flood the
/// output.
pub(super) const BOUND_REPORT_NODES: u64 = 200_000;
