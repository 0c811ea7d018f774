//! Iterative deepening: from limits to an answer.
//!
//! Each iteration's first guess for MTD(f) is an earlier iteration's result, and its moves are ordered by what that left
//! behind: the root's list, and the table everywhere else. The way is a schedule of (depth, selectivity) stages, and every
//! finished stage says both. Where an evaluation swings between odd and even depths ([`Evaluate::SWINGS`]
//! (super::policy::Evaluate::SWINGS)), the guess comes from two plies back.

use std::time::Instant;

use crate::game::{Game, Move, MoveList};
use crate::score::{Bound, Score};

use super::context::{Budget, Counters, Stopped};
use super::table::Draft;
use super::time::Deadlines;
use super::{Answer, Certainty, Limits, Observer, Progress, RootMove};

/// One stop on the way of deepening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stage {
    /// Plies to search.
    pub depth: u8,
    /// The selectivity level of the search.
    pub selectivity: u8,
}

impl Stage {
    /// A full-width stage.
    pub const fn full(depth: u8) -> Stage {
        Stage { depth, selectivity: Draft::FULL }
    }
}

/// Something that can search one stage of one position: an algorithm with its table and counters. Object-safe, so that
/// the driver is compiled once and not for each game and policy.
pub trait Searcher {
    /// What the driver has to know of the root.
    fn root(&self) -> Root;

    /// The stages on the way to `depth` (never more than the root has plies left); `deepening` false: the last alone.
    fn schedule(&self, depth: u8, deepening: bool) -> Vec<Stage>;

    /// Whether the value swings between odd and even depths.
    fn swings(&self) -> bool;

    /// Selectivity of a level in percent, 100 being full width.
    fn percent(&self, level: u8) -> u8;

    /// The static value of the root.
    fn evaluate(&mut self) -> Score;

    /// The best of `moves` with its exact score at this stage. `bound` is told of the value's bounds on the way.
    fn search(
        &mut self,
        stage: Stage,
        guess: Score,
        moves: &[Move],
        bound: &mut dyn FnMut(&Reading, Score, Bound),
    ) -> Result<RootMove, Stopped>;

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
    /// See [`Game::final_score`].
    pub final_score: Option<Score>,
}

impl Root {
    /// The facts of a position.
    pub fn of<G: Game>(position: &G) -> Root {
        Root { moves: position.moves(), plies_left: position.plies_left(), final_score: position.final_score() }
    }
}

/// The instruments of a search.
#[derive(Clone, Copy, Default, Debug)]
pub struct Reading {
    /// What was counted.
    pub counters: Counters,
    /// The largest distance from the root.
    pub deepest: u8,
    /// Share of the table filled by this search, in permille.
    pub hashfull: u32,
}

/// From this many nodes on, bounds are told while MTD(f) closes in; before, they would only flood the reader.
const BOUNDS_TOLD_FROM: u64 = 200_000;

/// Searches the searcher's position within the limits and tells the observer how it goes.
pub fn think(searcher: &mut dyn Searcher, limits: &Limits, deepening: bool, observer: &mut Observer<'_>) -> Answer {
    let Root { moves: legal, plies_left, final_score } = searcher.root();
    let mut moves: Vec<Move> = legal.iter().copied().filter(|m| limits.moves.contains(m)).collect();
    if moves.is_empty() {
        moves = legal.to_vec();
    }
    let deadlines = Deadlines::new(limits, u32::from(plies_left).div_ceil(2));
    let depth = limits.depth.unwrap_or(u8::MAX).min(plies_left);
    let mut thinking = Thinking { limits, deadlines, stopped: false, best: Vec::new(), stage: Stage::full(0) };

    if let Some(score) = final_score {
        thinking.tell(searcher, observer, 0, score, Bound::Exact, &[]);
        return thinking.answer(searcher, Certainty::Exact);
    }
    searcher.set_budget(Budget { nodes: limits.nodes, deadline: deadlines.hard });
    let mut values = vec![[Score::ZERO; 2]; limits.multi_pv.clamp(1, moves.len())];
    let stages = if depth == 0 { Vec::new() } else { searcher.schedule(depth, deepening) };
    for (number, &stage) in stages.iter().enumerate() {
        if thinking.iteration(searcher, stage, &moves, &mut values, observer).is_err() {
            thinking.stopped = true;
            break;
        }
        if number + 1 < stages.len() && thinking.enough(&moves) {
            thinking.stopped = limits.depth.is_none();
            break;
        }
    }
    if thinking.best.is_empty() {
        // Nothing finished (or nothing was asked): the static value, and any legal move.
        let score = searcher.evaluate();
        thinking.best = vec![RootMove { m: moves[0], score, pv: vec![moves[0]] }];
        thinking.tell(searcher, observer, 0, score, Bound::Exact, &[moves[0]]);
    }
    let full_width = thinking.stage.selectivity == Draft::FULL && thinking.stage.depth > 0;
    let decided = thinking.best[0].score.is_decided();
    let proven = full_width && (thinking.stage.depth >= plies_left || decided);
    thinking.answer(searcher, if proven { Certainty::Exact } else { Certainty::Heuristic })
}

/// A search on its way.
struct Thinking<'l> {
    limits: &'l Limits,
    deadlines: Deadlines,
    stopped: bool,
    /// The finished lines of the last finished stage.
    best: Vec<RootMove>,
    stage: Stage,
}

impl Thinking<'_> {
    /// Searches one stage: as many best moves as were asked for, each among those that are left.
    fn iteration(
        &mut self,
        searcher: &mut dyn Searcher,
        stage: Stage,
        moves: &[Move],
        values: &mut [[Score; 2]],
        observer: &mut Observer<'_>,
    ) -> Result<(), Stopped> {
        let mut left = moves.to_vec();
        let mut found: Vec<RootMove> = Vec::new();
        let back = usize::from(searcher.swings() && self.stage.depth + 1 == stage.depth && self.stage.depth > 1);
        for (line, values) in values.iter_mut().enumerate() {
            let guess = values[back];
            let root = searcher.search(stage, guess, &left, &mut |reading, score, bound| {
                if reading.counters.nodes >= BOUNDS_TOLD_FROM {
                    let progress = self.progress(reading, stage, 100, line, score, bound, &[]);
                    (observer.report)(&progress);
                }
            })?;
            *values = [root.score, values[0]];
            left.retain(|&m| m != root.m);
            found.push(root);
        }
        found.sort_by_key(|root| std::cmp::Reverse(root.score)); // stable: of equals, the first found stays first
        self.best = found;
        self.stage = stage;
        for line in 0..self.best.len() {
            let RootMove { score, pv, .. } = self.best[line].clone();
            self.tell(searcher, observer, line, score, Bound::Exact, &pv);
        }
        Ok(())
    }

    /// Whether no further stage is worth its time.
    fn enough(&self, moves: &[Move]) -> bool {
        let late = self.deadlines.soft.is_some_and(|soft| Instant::now() >= soft);
        let free = self.limits.depth.is_none();
        let forced = moves.len() == 1 && self.limits.clock.is_some();
        let decided = self.stage.selectivity == Draft::FULL && self.best.iter().all(|root| root.score.is_decided());
        late || (free && (forced || decided))
    }

    fn tell(
        &self,
        searcher: &dyn Searcher,
        observer: &mut Observer<'_>,
        line: usize,
        score: Score,
        bound: Bound,
        pv: &[Move],
    ) {
        let percent = searcher.percent(self.stage.selectivity);
        (observer.report)(&self.progress(&searcher.reading(), self.stage, percent, line, score, bound, pv));
    }

    #[allow(clippy::too_many_arguments)] // the fields of the record, once each
    fn progress(
        &self,
        reading: &Reading,
        stage: Stage,
        percent: u8,
        line: usize,
        score: Score,
        bound: Bound,
        pv: &[Move],
    ) -> Progress {
        Progress {
            depth: stage.depth,
            seldepth: reading.deepest,
            selectivity: percent,
            multi_pv: line + 1,
            score,
            bound,
            counters: reading.counters,
            elapsed: self.limits.started.elapsed(),
            hashfull: reading.hashfull,
            pv: pv.to_vec(),
        }
    }

    fn answer(self, searcher: &dyn Searcher, certainty: Certainty) -> Answer {
        Answer {
            depth: self.stage.depth,
            certainty,
            counters: searcher.reading().counters,
            elapsed: self.limits.started.elapsed(),
            stopped: self.stopped,
            best: self.best,
        }
    }
}

/// Every depth from 1 to `depth`, or the last alone: full width.
pub fn every_depth(depth: u8, deepening: bool) -> Vec<Stage> {
    let first = if deepening { 1 } else { depth };
    (first..=depth).map(Stage::full).collect()
}
