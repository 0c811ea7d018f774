//! Iterative deepening: from limits to an answer.
//!
//! Each iteration's first guess for MTD(f) is an earlier iteration's result, and its moves are ordered by what that left
//! behind: the root's list, and the table everywhere else. The way is a schedule of (depth, selectivity) stages, and every
//! finished stage says both.
//!
//! Values swing between odd and even depths, so the guess two plies back is better than the last one everywhere, and a
//! search to a given depth goes by twos (measurements.md#first-guess); so does one with a clock, which need not use exactly
//! its share of the time. Any other finishes every depth for itself: which will be the last is not known.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::game::Move;
use crate::game::score::{Bound, Score, Window};

use super::answer::{Answer, Certainty, RootMove};
use super::limits::Limits;
use super::prob_cut::percent;
use super::progress::{Observer, Progress};
use super::stats::Reading;
use super::stop::{Budget, Stopped, Watch, thread_time};
use super::table::Draft;
use super::time::{Forecast, TimePlan};

pub use super::schedule::{Pace, Stage};
pub use super::searcher::{Root, Searcher};

/// Searches the searcher's position within the limits and tells the observer how it goes.
pub fn think(searcher: &mut dyn Searcher, limits: &Limits, deepening: bool, observer: &mut Observer<'_>) -> Answer {
    let Root { moves: legal, plies_left, stones, final_score, grain } = searcher.root();
    let mut moves: Vec<Move> = legal.iter().copied().filter(|m| limits.moves.contains(m)).collect();
    if moves.is_empty() {
        moves = legal.to_vec();
    }
    let plan = {
        let nodes_to_solve = |plies_left| searcher.nodes_to_solve(plies_left);
        TimePlan::new(limits, &Forecast { plies_left, nodes_to_solve: &nodes_to_solve })
    };
    let depth = limits.depth.unwrap_or(u8::MAX).min(plies_left);
    let decisive = limits.win_loss_draw.then_some((plies_left, Window { alpha: Score(-grain), beta: Score(grain) }));
    let lines = limits.multi_pv.clamp(1, moves.len().max(1));
    let mut thinking = Thinking {
        limits,
        plan,
        watch: observer.watch.clone(),
        decisive,
        stones,
        plies_left,
        changes: 0.0,
        stopped: false,
        lines,
        best: Vec::new(),
        stage: Stage::full(0),
        last: Duration::ZERO,
    };

    if let Some(score) = final_score {
        thinking.tell(searcher, observer, 0, score, Bound::Exact, &[]);
        return thinking.answer(searcher, Certainty::Exact);
    }
    let thread_time = limits.processor.map(|time| thread_time() + time);
    searcher.set_budget(Budget { nodes: limits.nodes, deadline: plan.deadline, target: plan.target, thread_time });
    let mut values = vec![[Score::ZERO; 2]; lines];
    let pace = match deepening {
        false => Pace::AtOnce,
        true if limits.depth.is_some() || limits.proven => Pace::ByTwos,
        true if limits.clock.is_some() => Pace::Clock,
        true => Pace::EveryDepth,
    };
    let stages = searcher.schedule(depth, pace);
    for (number, &stage) in stages.iter().enumerate() {
        let begun = Instant::now();
        let stopped = thinking.iteration(searcher, stage, &moves, &mut values, observer).is_err();
        thinking.last = begun.elapsed();
        if stopped {
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
    let score = thinking.best[0].score;
    let proven = full_width && (thinking.stage.depth >= plies_left || thinking.sees_end(score));
    let certainty = match (proven, limits.win_loss_draw) {
        (true, false) => Certainty::Exact,
        (true, true) => Certainty::WinLossDraw,
        // Found beyond the depth, by forced replies that cost none: perhaps it ends sooner.
        (false, _) if full_width && score.is_decided() => Certainty::WinLossDraw,
        (false, _) => Certainty::Heuristic,
    };
    thinking.answer(searcher, certainty)
}

/// A search on its way.
struct Thinking<'l> {
    limits: &'l Limits,
    plan: TimePlan,
    watch: Arc<Watch>,
    /// In a win/loss/draw search the depth from which on it is one, and the window that tells who wins.
    decisive: Option<(u8, Window)>,
    /// Stones at the root, and the plies that it has left.
    stones: i32,
    plies_left: u8,
    stopped: bool,
    /// How often the best move changed in recent iterations: halved with each.
    changes: f64,
    /// How many lines are searched.
    lines: usize,
    /// The finished lines of the last finished stage.
    best: Vec<RootMove>,
    stage: Stage,
    /// How long the last stage took.
    last: Duration,
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
        // `values` holds the last result and the one before: the better guess is the one two plies back.
        let back = usize::from(self.stage.depth + 1 == stage.depth && self.stage.depth > 1);
        let decisive = self.decisive.filter(|&(depth, _)| stage.depth >= depth);
        let window = decisive.map_or(Window::FULL, |(_, window)| window);
        // Where every move is wanted, each is searched by itself from its own first guess: in Othello some percent fewer
        // nodes than the best of those left, again and again.
        let every = values.len() == moves.len();
        for (line, values) in values.iter_mut().enumerate() {
            let guess = values[back];
            let among = if every { &moves[line..=line] } else { &left[..] };
            let root = searcher.search(stage, guess, window, among, &mut |reading, score, bound, m| {
                let progress = self.progress(reading, stage, line, score, bound, &[m]);
                (observer.report)(&progress);
            })?;
            let root = RootMove { score: root.score.clamp(window.alpha, window.beta), ..root };
            *values = [root.score, values[0]];
            left.retain(|&m| m != root.m);
            found.push(root);
        }
        found.sort_by_key(|root| std::cmp::Reverse(root.score)); // stable: of equals, the first found stays first
        let changed = self.best.first().is_some_and(|best| best.m != found[0].m);
        self.changes = self.changes / 2.0 + f64::from(u8::from(changed));
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
        let limits = self.limits;
        let runs = self.watch.held().is_some(); // the clock
        let timed = self.plan.deadline.is_some() && runs;
        let late = timed && !self.plan.allows_another(limits, limits.started.elapsed(), self.last, self.changes);
        let forced = moves.len() == 1 && limits.clock.is_some() && runs;
        let is_settled = |score: Score| if timed { score.is_decided() } else { self.sees_end(score) };
        let decided = self.stage.selectivity == Draft::FULL && self.best.iter().all(|root| is_settled(root.score));
        late || (limits.depth.is_none() && (forced || decided || self.mate_found()))
    }

    /// Whether `go mate N` has found its win: proven, and at most N moves away.
    fn mate_found(&self) -> bool {
        let (Some(moves), Some(best)) = (self.limits.mate, self.best.first()) else { return false };
        let won = self.stage.selectivity == Draft::FULL && best.score > Score::ZERO;
        let plies = match best.score.is_decided() {
            true => Score::DECIDED.0 - best.score.seen_from(self.stones).0,
            false if self.stage.depth >= self.plies_left => i32::from(self.plies_left),
            false => return false,
        };
        won && plies < 2 * i32::from(moves)
    }

    /// Whether a score is that of a game decided within the depth of the stage, so that it is decided no sooner either.
    fn sees_end(&self, score: Score) -> bool {
        score.is_decided() && Score::DECIDED.0 - score.seen_from(self.stones).0.abs() <= i32::from(self.stage.depth)
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
        (observer.report)(&self.progress(&searcher.reading(), self.stage, line, score, bound, pv));
    }

    #[allow(clippy::too_many_arguments)] // the fields of the record, once each
    fn progress(
        &self,
        reading: &Reading,
        stage: Stage,
        line: usize,
        score: Score,
        bound: Bound,
        pv: &[Move],
    ) -> Progress {
        Progress {
            depth: stage.depth,
            seldepth: reading.deepest,
            selectivity: percent(stage.selectivity),
            multi_pv: line + 1,
            lines: self.lines,
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
            selectivity: percent(self.stage.selectivity),
            certainty,
            counters: searcher.reading().counters,
            elapsed: self.limits.started.elapsed(),
            mate_found: self.mate_found(),
            stopped: self.stopped,
            best: self.best,
        }
    }
}
