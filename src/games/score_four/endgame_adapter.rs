//! Adapts the solver to [`crate::search::endgame_searcher`], for the last iteration of a search.

use crate::game::Game;
use crate::game::score::Score;
use crate::games::score_four::ScoreFour;
use crate::search::endgame_searcher::{EndgameSolution, EndgameSolver};
use crate::search::isa::Isa;
use crate::search::parallel::thread_budget::ThreadBudget;
use crate::search::schedule::Objective;
use crate::search::stop::{Budget, SearchControl, Stopped};

use super::solver::limits::SolverLimits;
use super::solver::{Goal, solve};

/// The least stones at which a search for the best move ends with solving the position.
const SOLVED_FOR_MOVE: i32 = 26;
/// The least stones at which positions are solved; with fewer, it takes hours.
const SOLVED: i32 = 18;
/// The depth of the other searcher before a proof.
const DEPTH_BEFORE_PROOF: u8 = 8;

/// The depth of the other searcher in a search for the best move: the solver is expected to take at most about six
/// times as long.
const fn depth_before(stones: i32) -> u8 {
    match stones {
        ..=29 => 12, // measured: see measurements.md#depth-before-the-solver
        30..=33 => 10,
        _ => 8,
    }
}

/// The solver as an [`EndgameSolver`].
pub struct EndgameAdapter<'a, I> {
    /// The token of the ISA.
    pub isa: I,
    /// Total size of the tables in MiB.
    pub mebibytes: usize,
    /// The threads of the search.
    pub threads: &'a ThreadBudget,
}

/// The mean number of nodes for solving a position with `plies_left` plies left.
pub fn nodes_to_solve(plies_left: u8) -> f64 {
    6e6 * 1.75_f64.powi(i32::from(plies_left) - 38) // fitted: see src/search/measurements.md#time
}

impl<I: Isa> EndgameSolver<ScoreFour> for EndgameAdapter<'_, I> {
    fn depth_before_solver(&self, position: &ScoreFour, objective: Objective) -> Option<u8> {
        let (from, before) = match objective {
            Objective::LastIteration => (0, 0),
            Objective::Proof => (SOLVED, DEPTH_BEFORE_PROOF),
            Objective::BestMove => (SOLVED_FOR_MOVE, depth_before(position.stones())),
        };
        (position.stones() >= from).then(|| before.min(position.plies_left() / 2))
    }

    fn nodes_to_solve(&self, plies_left: u8) -> Option<f64> {
        (64 - i32::from(plies_left) >= SOLVED_FOR_MOVE).then(|| nodes_to_solve(plies_left))
    }

    fn solve(
        &mut self,
        position: &ScoreFour,
        win_loss_draw: bool,
        control: &SearchControl,
        budget: Budget,
        before: u64,
    ) -> Result<EndgameSolution, Stopped> {
        let goal = if win_loss_draw { Goal::WinLossDraw } else { Goal::Distance };
        let limits = SolverLimits::new(control, budget, before);
        let solution = solve(self.isa, position, goal, self.mebibytes, self.threads, limits)?;
        let score = match solution.plies {
            Some(plies) => Score(-solution.value * Score::lost_at(position.stones() + i32::from(plies)).0),
            None => Score(solution.value * ScoreFour::GRAIN),
        };
        Ok(EndgameSolution { score, line: solution.line, nodes: solution.nodes })
    }
}
