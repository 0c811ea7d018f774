//! A searcher whose last stage, the one that reaches the end of the game, is the endgame solver.
//!
//! Up to there another searcher goes its way; what it finds is shown to the user and stands by if the clock runs out. Asked
//! for several moves, the solver gives each its exact score, one after the other.

use crate::game::{Game, Move};
use crate::games::discs::DiscGame;
use crate::score::{Bound, Score, Window};
use crate::search::RootMove;
use crate::search::context::{Budget, Stopped, Watch};
use crate::search::deepening::{Pace, Reading, Root, Searcher, Stage};
use crate::search::table::Draft;

use super::endgame::{Endgame, Goal, Solution};

/// Positions with more empty squares than this are left to the other searcher to the end.
const SOLVABLE: u8 = 32;
/// Against a clock the stages in between go up to so many plies before the end: solving takes about as long as they do.
const HEAD_START: u8 = 8;
/// Without a clock they go so deep and no deeper: enough for something to look at.
const FOR_SHOW: u8 = 12;

/// A searcher with the endgame solver behind it.
pub struct Finishing<'a, G, S> {
    inner: S,
    position: G,
    endgame: Endgame<'a>,
    watch: &'a Watch,
    budget: Budget,
    /// Nodes of the solver.
    nodes: u64,
    /// Root moves solved so far, for those who want several.
    solved: Vec<RootMove>,
}

/// Whether the solver is the one to finish a position.
pub fn solvable<G: Game>(position: &G) -> bool {
    position.plies_left() <= SOLVABLE
}

impl<'a, G: DiscGame, S: Searcher> Finishing<'a, G, S> {
    /// The searcher `inner` of `position`, finished by `endgame`.
    pub fn new(inner: S, position: G, endgame: Endgame<'a>, watch: &'a Watch) -> Self {
        Finishing { inner, position, endgame, watch, budget: Budget::default(), nodes: 0, solved: Vec::new() }
    }

    fn solve(&mut self, position: &G, goal: Goal) -> Result<Solution, Stopped> {
        let before = self.inner.reading().counters.nodes + self.nodes;
        let (player, opponent) = position.player_and_opponent();
        let solution = self.endgame.solve(player, opponent, goal, self.watch, self.budget, before)?;
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
                    let pv = [m].into_iter().chain(solution.line).collect();
                    let root = RootMove { m, score: -score::<G>(solution.score, goal), pv };
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

/// The solver's discs, or sign, as a score.
fn score<G: Game>(solved: i32, goal: Goal) -> Score {
    match goal {
        Goal::Exact => Score(100 * solved),
        Goal::WinLossDraw => Score(G::GRAIN * solved),
    }
}

impl<G: DiscGame, S: Searcher> Searcher for Finishing<'_, G, S> {
    fn root(&self) -> Root {
        self.inner.root()
    }

    fn schedule(&self, depth: u8, pace: Pace) -> Vec<Stage> {
        let plies_left = self.position.plies_left();
        if depth < plies_left {
            return self.inner.schedule(depth, pace);
        }
        let before = match pace {
            Pace::AtOnce => return vec![Stage::full(depth)],
            Pace::ByTwos => FOR_SHOW.min(plies_left / 2),
            Pace::EveryDepth => plies_left.saturating_sub(HEAD_START),
        };
        let mut stages = self.inner.schedule(before, pace);
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
        let goal = if bounds == Window::FULL { Goal::Exact } else { Goal::WinLossDraw };
        if moves.len() < self.position.moves().len() {
            return self.best_of(moves, goal);
        }
        let position = self.position;
        let solution = self.solve(&position, goal)?;
        let score = score::<G>(solution.score, goal);
        let m = solution.best().ok_or(Stopped)?;
        Ok(RootMove { m, score, pv: solution.line })
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
