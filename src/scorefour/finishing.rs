//! A searcher whose last stage, the one that reaches the end of the game, is the solver.
//!
//! Up to there another searcher goes its way; what it finds is shown to the user and stands by if the clock runs out. Asked
//! for several moves, the solver gives each its exact score, one after the other.

use crate::game::{Game, Move};
use crate::games::score_four::ScoreFour;
use crate::score::{Bound, Score, Window};
use crate::search::RootMove;
use crate::search::context::{Budget, Stopped, Watch};
use crate::search::deepening::{Pace, Reading, Root, Searcher, Stage};
use crate::search::isa::Isa;
use crate::search::table::Draft;

use super::solver::{Goal, Solution, solve};

/// Against a clock positions are solved from so many stones on: with fewer the time is better spent on depth.
const SOLVED_IN_TIME: i32 = 26;
/// Without a clock from so many on: with fewer it takes hours.
const SOLVED: i32 = 18;
/// Before solving, the other searcher goes so deep.
const BEFORE: u8 = 8;

/// A searcher with the solver behind it.
pub struct Finishing<'a, I> {
    inner: Box<dyn Searcher + 'a>,
    isa: I,
    position: ScoreFour,
    /// MiB of the solver's tables.
    mebibytes: usize,
    watch: &'a Watch,
    budget: Budget,
    /// Nodes of the solver.
    nodes: u64,
    /// Root moves solved so far, for those who want several.
    solved: Vec<RootMove>,
}

impl<'a, I: Isa> Finishing<'a, I> {
    /// The searcher `inner` of `position`, finished by a solver with so many MiB.
    pub fn new(inner: Box<dyn Searcher + 'a>, isa: I, position: ScoreFour, mebibytes: usize, watch: &'a Watch) -> Self {
        Finishing { inner, isa, position, mebibytes, watch, budget: Budget::default(), nodes: 0, solved: Vec::new() }
    }

    fn solve(&mut self, position: &ScoreFour, goal: Goal) -> Result<Solution, Stopped> {
        let before = self.inner.reading().counters.nodes + self.nodes;
        let solution = solve(self.isa, position, goal, self.mebibytes, self.watch, self.budget, before)?;
        self.nodes += solution.nodes;
        Ok(solution)
    }

    /// The best of some moves: each solved by itself, and remembered.
    fn best_of(&mut self, moves: &[Move], goal: Goal) -> Result<RootMove, Stopped> {
        let mut best: Option<RootMove> = None;
        for &m in moves {
            let known = self.solved.iter().find(|root| root.m == m).cloned();
            let root = match known {
                Some(root) => root,
                None => {
                    let child = self.position.play(m);
                    let solution = self.solve(&child, goal)?;
                    let score = -score(&child, &solution);
                    let root = RootMove { m, score, pv: [m].into_iter().chain(solution.line).collect() };
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

/// The score of a solved position: decided at the ply found, or only by its sign.
fn score(position: &ScoreFour, solution: &Solution) -> Score {
    match solution.plies {
        Some(plies) => Score(-solution.value * Score::lost_at(position.stones() + i32::from(plies)).0),
        None => Score(solution.value * ScoreFour::GRAIN),
    }
}

impl<I: Isa> Searcher for Finishing<'_, I> {
    fn root(&self) -> Root {
        self.inner.root()
    }

    fn schedule(&self, depth: u8, pace: Pace) -> Vec<Stage> {
        if depth < self.position.plies_left() {
            return self.inner.schedule(depth, pace);
        }
        let solved_from = match pace {
            Pace::AtOnce => 0,
            Pace::ByTwos => SOLVED,
            Pace::EveryDepth => SOLVED_IN_TIME,
        };
        if self.position.stones() < solved_from {
            return self.inner.schedule(depth, pace);
        }
        let mut stages =
            if pace == Pace::AtOnce { Vec::new() } else { self.inner.schedule(BEFORE.min(depth / 2), pace) };
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
        bound: &mut dyn FnMut(&Reading, Score, Bound),
    ) -> Result<RootMove, Stopped> {
        if stage.depth < self.position.plies_left() || stage.selectivity != Draft::FULL {
            return self.inner.search(stage, guess, bounds, moves, bound);
        }
        let goal = if bounds == Window::FULL { Goal::Distance } else { Goal::WinLossDraw };
        if moves.len() < self.position.moves().len() {
            return self.best_of(moves, goal);
        }
        let position = self.position;
        let solution = self.solve(&position, goal)?;
        let m = *solution.line.first().ok_or(Stopped)?;
        Ok(RootMove { m, score: score(&position, &solution), pv: solution.line })
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
