//! A searcher that runs the last iteration, the one to the end of the game, by the exact
//! [solver](super::solver).
//!
//! Another searcher runs the earlier iterations. They are reported, and the last one is the result
//! if time runs out. With several lines (MultiPV), the solver scores the root moves one by one.

use crate::game::score::{Score, Window};
use crate::game::{Game, Move};
use crate::games::score_four::ScoreFour;
use crate::search::core::isa::Isa;
use crate::search::core::parallel::thread_budget::ThreadBudget;
use crate::search::schedule::{Iteration, Objective};
use crate::search::searcher::{BoundReport, Root, Searcher};
use crate::search::stats::SearchStats;
use crate::search::stop::{Budget, SearchControl, Stopped};
use crate::search::table::Draft;
use crate::search::{Certainty, RootMove};

use super::solver::limits::SolverLimits;
use super::solver::{SolverGoal, solve};

/// The least stones at which a search for the best move ends with solving the position.
const SOLVED_FOR_MOVE: i32 = 26;
/// The least stones at which positions are solved; with fewer, it takes hours.
const SOLVED: i32 = 18;
/// The depth of the other searcher before a proof.
const DEPTH_BEFORE_PROOF: u8 = 8;

/// The depth of the other searcher in a search for the best move: the solver is expected to take at
/// most about six times as long.
const fn depth_before(stones: i32) -> u8 {
    match stones {
        ..=29 => 12, // measured: see measurements.md#depth-before-the-solver
        30..=33 => 10,
        _ => 8,
    }
}

/// The median number of nodes for solving a position with `plies_left` plies left, in nodes of the
/// other searcher.
pub fn nodes_to_solve(plies_left: u8) -> f64 {
    3e6 * 2_f64.powi(i32::from(plies_left) - 38) // fitted: see measurements.md#nodes-to-solve
}

/// A searcher with the solver for its last iteration.
pub struct EndgameSearcher<'a, I> {
    inner: Box<dyn Searcher + 'a>,
    position: ScoreFour,
    isa: I,
    /// Total size of the tables in MiB.
    mebibytes: usize,
    control: &'a SearchControl,
    threads: &'a ThreadBudget,
    budget: Budget,
    /// Nodes of the solver.
    nodes: u64,
    /// The length of the longest PV of the solver.
    deepest: u8,
    /// Root moves already solved, for MultiPV.
    root_moves: Vec<RootMove>,
}

impl<'a, I: Isa> EndgameSearcher<'a, I> {
    /// Searches `position` by `inner` and, in the last iteration, by the solver with tables of
    /// `mebibytes` MiB.
    pub fn new(
        inner: Box<dyn Searcher + 'a>,
        position: ScoreFour,
        isa: I,
        mebibytes: usize,
        control: &'a SearchControl,
        threads: &'a ThreadBudget,
    ) -> Self {
        let (budget, nodes, deepest, root_moves) = Default::default();
        EndgameSearcher {
            inner,
            position,
            isa,
            mebibytes,
            control,
            threads,
            budget,
            nodes,
            deepest,
            root_moves,
        }
    }

    /// The score of a position for its side to move and a principal variation: to the end of the game,
    /// unless the limits stopped the search for it.
    fn solve(
        &mut self,
        position: &ScoreFour,
        goal: SolverGoal,
    ) -> Result<(Score, Vec<Move>), Stopped> {
        self.inner.release_helpers();
        let all = self.inner.stats().counters.nodes + self.nodes;
        let before = all.saturating_sub(self.control.helper_nodes());
        let limits = SolverLimits::new(self.control, self.budget, before);
        let solved = solve(
            self.isa,
            position,
            goal,
            self.mebibytes,
            self.threads,
            limits,
        );
        self.nodes += match &solved {
            Ok(solved) => solved.nodes,
            Err(_) => self.control.nodes().saturating_sub(all),
        };
        let solution = solved?;
        let plies = self.position.plies_left() - position.plies_left() + solution.line.len() as u8;
        self.deepest = self.deepest.max(plies);
        let score = match solution.plies {
            Some(plies) => {
                Score(-solution.value * Score::lost_at(position.stones() + i32::from(plies)).0)
            }
            None => Score(solution.value * ScoreFour::GRAIN),
        };
        Ok((score, solution.line))
    }

    /// Solves each of `moves` that is not solved yet. Returns the best one.
    fn best_of(&mut self, moves: &[Move], goal: SolverGoal) -> Result<RootMove, Stopped> {
        for &m in moves {
            if !self.root_moves.iter().any(|root| root.m == m) {
                let (score, line) = self.solve(&self.position.play(m), goal)?;
                self.root_moves.push(RootMove::heuristic(
                    m,
                    -score,
                    [m].into_iter().chain(line).collect(),
                ));
            }
        }
        let roots = moves
            .iter()
            .filter_map(|m| self.root_moves.iter().find(|root| root.m == *m));
        let best = roots.reduce(|best, root| if root.score > best.score { root } else { best });
        best.cloned().ok_or(Stopped::Limit)
    }
}

impl<I: Isa> Searcher for EndgameSearcher<'_, I> {
    fn root(&self) -> Root {
        self.inner.root()
    }

    fn schedule(&self, depth: u8, objective: Objective) -> Vec<Iteration> {
        let (from, before) = match objective {
            Objective::LastIteration => (0, 0),
            Objective::Proof => (SOLVED, DEPTH_BEFORE_PROOF),
            Objective::BestMove => (SOLVED_FOR_MOVE, depth_before(self.position.stones())),
        };
        if depth < self.position.plies_left() || self.position.stones() < from {
            return self.inner.schedule(depth, objective);
        }
        let before = before.min(self.position.plies_left() / 2);
        let mut iterations = if before == 0 {
            Vec::new()
        } else {
            self.inner.schedule(before, objective)
        };
        iterations.push(Iteration::full(depth));
        iterations
    }

    fn evaluate(&mut self, moves: &[Move]) -> RootMove {
        let before = self.inner.stats().counters.nodes;
        let root = self.inner.evaluate(moves);
        let counted = self.inner.stats().counters.nodes - before;
        // The inner searcher counts the evaluated node, since it does not know the solver's nodes.
        let is_spent = |limit| before + self.nodes >= limit;
        if self.budget.nodes.is_some_and(is_spent) {
            self.nodes = self.nodes.saturating_sub(counted);
        }
        root
    }

    fn search(
        &mut self,
        iteration: Iteration,
        guess: Score,
        bounds: Window,
        moves: &[Move],
        bound: &mut BoundReport<'_>,
    ) -> Result<RootMove, Stopped> {
        if iteration.depth < self.position.plies_left() || iteration.selectivity != Draft::FULL {
            return self.inner.search(iteration, guess, bounds, moves, bound);
        }
        let goal = if bounds == Window::FULL {
            SolverGoal::Distance
        } else {
            SolverGoal::WinLossDraw
        };
        if moves.len() < self.position.moves().len() {
            return self.best_of(moves, goal);
        }
        let position = self.position;
        let (score, line) = self.solve(&position, goal)?;
        let m = *line.first().ok_or(Stopped::Limit)?;
        Ok(RootMove::heuristic(m, score, line))
    }

    fn leads_to_end(&self, root: &RootMove, claim: Certainty) -> bool {
        root.leads_to_end(&self.position, claim)
    }

    fn nodes_to_solve(&self, plies_left: u8) -> Option<f64> {
        (64 - i32::from(plies_left) >= SOLVED_FOR_MOVE).then(|| nodes_to_solve(plies_left))
    }

    fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
        self.inner.set_budget(budget);
    }

    fn stats(&self) -> SearchStats {
        let mut stats = self.inner.stats();
        stats.counters.nodes += self.nodes;
        stats.deepest = if self.nodes > 0 {
            self.position.plies_left()
        } else {
            stats.deepest.max(self.deepest)
        };
        stats
    }
}
