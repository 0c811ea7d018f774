//! A searcher that leaves the last iteration, the one to the end of the game, to an exact endgame solver.
//!
//! The iterations before come from another searcher; their results are reported, and are the answer if the clock runs
//! out. If several lines are asked for, the solver scores the root moves one by one.

use crate::game::score::{Score, Window};
use crate::game::{Game, Move};

use super::answer::RootMove;
use super::schedule::{Pace, Stage};
use super::searcher::{BoundReport, Root, Searcher};
use super::stats::Reading;
use super::stop::{Budget, Stopped, Watch};
use super::table::Draft;

/// An exact endgame solver.
pub trait Finish<G: Game> {
    /// The depth of the other searcher before the solver begins, 0 for none; `None`: the solver is not used.
    fn begins_after(&self, position: &G, pace: Pace) -> Option<u8>;

    /// The mean number of nodes for solving a position with `plies_left` plies left, in nodes of the other searcher.
    fn nodes_to_solve(&self, plies_left: u8) -> Option<f64>;

    /// Solves a position, exactly or for win/loss/draw. `before`: nodes visited so far, which count against the budget.
    fn finish(
        &mut self,
        position: &G,
        win_loss_draw: bool,
        watch: &Watch,
        budget: Budget,
        before: u64,
    ) -> Result<Finished, Stopped>;
}

/// A solved position.
pub struct Finished {
    /// The score for the side to move; in a win/loss/draw search 0 or one grain to either side.
    pub score: Score,
    /// A principal variation, at least its first move; empty if the game is over.
    pub line: Vec<Move>,
    /// Nodes visited.
    pub nodes: u64,
}

/// A searcher with an endgame solver for its last iteration.
pub struct Finishing<'a, G, F> {
    inner: Box<dyn Searcher + 'a>,
    position: G,
    solver: F,
    watch: &'a Watch,
    budget: Budget,
    /// Nodes of the solver.
    nodes: u64,
    /// Root moves solved so far, for several lines.
    solved: Vec<RootMove>,
}

impl<'a, G: Game, F: Finish<G>> Finishing<'a, G, F> {
    /// The searcher `inner` of `position`, with `solver` for the last iteration.
    pub fn new(inner: Box<dyn Searcher + 'a>, position: G, solver: F, watch: &'a Watch) -> Self {
        Finishing { inner, position, solver, watch, budget: Budget::default(), nodes: 0, solved: Vec::new() }
    }

    fn solve(&mut self, position: &G, win_loss_draw: bool) -> Result<Finished, Stopped> {
        let before = self.inner.reading().counters.nodes + self.nodes;
        let finished = self.solver.finish(position, win_loss_draw, self.watch, self.budget, before)?;
        self.nodes += finished.nodes;
        Ok(finished)
    }

    /// The best of `moves`, each solved alone and remembered.
    fn best_of(&mut self, moves: &[Move], win_loss_draw: bool) -> Result<RootMove, Stopped> {
        let mut best: Option<RootMove> = None;
        for &m in moves {
            let known = self.solved.iter().find(|root| root.m == m).cloned();
            let root = match known {
                Some(root) => root,
                None => {
                    let Finished { score, line, .. } = self.solve(&self.position.play(m), win_loss_draw)?;
                    let root = RootMove { m, score: -score, pv: [m].into_iter().chain(line).collect() };
                    self.solved.push(root.clone());
                    root
                }
            };
            if best.as_ref().is_none_or(|best| root.score > best.score) {
                best = Some(root);
            }
        }
        best.ok_or(Stopped)
    }
}

impl<G: Game, F: Finish<G>> Searcher for Finishing<'_, G, F> {
    fn root(&self) -> Root {
        self.inner.root()
    }

    fn schedule(&self, depth: u8, pace: Pace) -> Vec<Stage> {
        let to_the_end = depth >= self.position.plies_left();
        let before = self.solver.begins_after(&self.position, pace).filter(|_| to_the_end);
        let Some(before) = before else { return self.inner.schedule(depth, pace) };
        let mut stages = if before == 0 { Vec::new() } else { self.inner.schedule(before, pace) };
        stages.push(Stage::full(depth));
        stages
    }

    fn evaluate(&mut self) -> Score {
        self.inner.evaluate()
    }

    fn search(
        &mut self,
        stage: Stage,
        guess: Score,
        bounds: Window,
        moves: &[Move],
        bound: &mut BoundReport<'_>,
    ) -> Result<RootMove, Stopped> {
        if stage.depth < self.position.plies_left() || stage.selectivity != Draft::FULL {
            return self.inner.search(stage, guess, bounds, moves, bound);
        }
        let win_loss_draw = bounds != Window::FULL;
        if moves.len() < self.position.moves().len() {
            return self.best_of(moves, win_loss_draw);
        }
        let position = self.position;
        let Finished { score, line, .. } = self.solve(&position, win_loss_draw)?;
        let m = *line.first().ok_or(Stopped)?;
        Ok(RootMove { m, score, pv: line })
    }

    fn nodes_to_solve(&self, plies_left: u8) -> Option<f64> {
        self.solver.nodes_to_solve(plies_left)
    }

    fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
        self.inner.set_budget(budget);
    }

    fn reading(&self) -> Reading {
        let mut reading = self.inner.reading();
        reading.counters.nodes += self.nodes;
        if self.nodes > 0 {
            reading.deepest = self.position.plies_left();
        }
        reading
    }
}
