//! A searcher that runs the last iteration, the one to the end of the game, by an exact endgame solver.
//!
//! Another searcher runs the earlier iterations. They are reported, and the last one is the result if time runs out.
//! With several lines (MultiPV), the solver scores the root moves one by one.

use crate::game::score::{Score, Window};
use crate::game::{Game, Move};

use super::answer::{Certainty, RootMove};
use super::schedule::{Iteration, Objective};
use super::searcher::{BoundReport, Root, Searcher};
use super::stats::SearchStats;
use super::stop::{Budget, SearchControl, Stopped};
use super::table::Draft;

/// An exact endgame solver.
pub trait EndgameSolver<G: Game> {
    /// The depth that the other searcher reaches before the solver starts, 0 for none. `None`: do not use the solver.
    fn depth_before_solver(&self, position: &G, objective: Objective) -> Option<u8>;

    /// The mean cost of solving a position with `plies_left` plies left, in nodes of the other searcher.
    fn nodes_to_solve(&self, plies_left: u8) -> Option<f64>;

    /// Solves a position, exactly or for win/loss/draw. `before` nodes of this thread already count against the budget.
    fn solve(
        &mut self,
        position: &G,
        win_loss_draw: bool,
        control: &SearchControl,
        budget: Budget,
        before: u64,
    ) -> Result<EndgameSolution, Stopped>;
}

/// A solved position.
pub struct EndgameSolution {
    /// The score for the side to move; in a win/loss/draw search, 0 or plus or minus one grain.
    pub score: Score,
    /// A principal variation of at least one move, to the end of the game unless the limits stopped the search for it.
    /// Empty if the game is over.
    pub line: Vec<Move>,
    /// Nodes visited, including helpers.
    pub nodes: u64,
}

/// A searcher with an endgame solver for its last iteration.
pub struct EndgameSearcher<'a, G, F> {
    inner: Box<dyn Searcher + 'a>,
    position: G,
    solver: F,
    control: &'a SearchControl,
    budget: Budget,
    /// Nodes of the solver.
    nodes: u64,
    /// Root moves already solved, for MultiPV.
    root_moves: Vec<RootMove>,
}

impl<'a, G: Game, F: EndgameSolver<G>> EndgameSearcher<'a, G, F> {
    /// Searches `position` by `inner` and, in the last iteration, by `solver`.
    pub fn new(inner: Box<dyn Searcher + 'a>, position: G, solver: F, control: &'a SearchControl) -> Self {
        EndgameSearcher {
            inner,
            position,
            solver,
            control,
            budget: Budget::default(),
            nodes: 0,
            root_moves: Vec::new(),
        }
    }

    fn solve(&mut self, position: &G, win_loss_draw: bool) -> Result<EndgameSolution, Stopped> {
        self.inner.release_helpers();
        let all = self.inner.stats().counters.nodes + self.nodes;
        let before = all.saturating_sub(self.control.helper_nodes());
        let solved = self.solver.solve(position, win_loss_draw, self.control, self.budget, before);
        self.nodes += match &solved {
            Ok(solved) => solved.nodes,
            Err(_) => self.control.nodes().saturating_sub(all),
        };
        solved
    }

    /// Solves each of `moves` that is not solved yet. Returns the best one.
    fn best_of(&mut self, moves: &[Move], win_loss_draw: bool) -> Result<RootMove, Stopped> {
        let mut best: Option<RootMove> = None;
        for &m in moves {
            let known = self.root_moves.iter().find(|root| root.m == m).cloned();
            let root = match known {
                Some(root) => root,
                None => {
                    let EndgameSolution { score, line, .. } = self.solve(&self.position.play(m), win_loss_draw)?;
                    let root = RootMove::heuristic(m, -score, [m].into_iter().chain(line).collect());
                    self.root_moves.push(root.clone());
                    root
                }
            };
            if best.as_ref().is_none_or(|best| root.score > best.score) {
                best = Some(root);
            }
        }
        best.ok_or(Stopped::Limit)
    }
}

impl<G: Game, F: EndgameSolver<G>> Searcher for EndgameSearcher<'_, G, F> {
    fn root(&self) -> Root {
        self.inner.root()
    }

    fn schedule(&self, depth: u8, objective: Objective) -> Vec<Iteration> {
        let to_the_end = depth >= self.position.plies_left();
        let before = self.solver.depth_before_solver(&self.position, objective).filter(|_| to_the_end);
        let Some(before) = before else { return self.inner.schedule(depth, objective) };
        let mut iterations = if before == 0 { Vec::new() } else { self.inner.schedule(before, objective) };
        iterations.push(Iteration::full(depth));
        iterations
    }

    fn evaluate(&mut self) -> Score {
        self.inner.evaluate()
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
        let win_loss_draw = bounds != Window::FULL;
        if moves.len() < self.position.moves().len() {
            return self.best_of(moves, win_loss_draw);
        }
        let position = self.position;
        let EndgameSolution { score, line, .. } = self.solve(&position, win_loss_draw)?;
        let m = *line.first().ok_or(Stopped::Limit)?;
        Ok(RootMove::heuristic(m, score, line))
    }

    fn leads_to_end(&self, root: &RootMove, claim: Certainty) -> bool {
        root.leads_to_end(&self.position, claim)
    }

    fn nodes_to_solve(&self, plies_left: u8) -> Option<f64> {
        self.solver.nodes_to_solve(plies_left)
    }

    fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
        self.inner.set_budget(budget);
    }

    fn stats(&self) -> SearchStats {
        let mut stats = self.inner.stats();
        stats.counters.nodes += self.nodes;
        if self.nodes > 0 {
            stats.deepest = self.position.plies_left();
        }
        stats
    }
}
