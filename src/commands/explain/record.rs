//! The recorder of a search: a [`Trace`] that keeps the tree of visited nodes in the order of the search.
//!
//! Visits stand in preorder: the first child of a visit comes right after it, its next sibling after its last
//! descendant. One record of 48 bytes per visit, so that millions of them fit into memory.

use crate::game::Move;
use crate::game::score::{Bound, Score, Window};
use crate::search::schedule::Iteration;
use crate::search::stats::Counters;
use crate::search::trace::{ReturnReason, Trace};

/// How a node came to be searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VisitKind {
    /// As the root, or after a move.
    First,
    /// Again, because a narrower window had failed high.
    ReSearch,
    /// The parent's position again, less deep, to predict its value (ProbCut).
    Verification,
}

/// One entry into a search function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Visit {
    /// The move that led here; [`Move::NONE`] at a root and in a verification search.
    pub m: Move,
    /// How it came to be searched.
    pub kind: VisitKind,
    /// Plies left.
    pub depth: u8,
    /// Why it returned.
    pub why: ReturnReason,
    /// Its window, for its side to move.
    pub window: Window,
    /// The score it returned, for its side to move.
    pub score: Score,
    /// The parent's index; `None` for a root.
    pub parent: Option<u32>,
    /// The index behind its last descendant.
    pub end: u32,
    /// The nodes of its subtree, itself and those inside of kernels included.
    pub nodes: u64,
    /// The moves that were cut off: the first one's index in [`TreeRecorder::skipped`], and their number.
    pub(super) skipped: (u32, u8),
}

impl Default for Visit {
    fn default() -> Self {
        Visit {
            m: Move::NONE,
            kind: VisitKind::First,
            depth: 0,
            why: ReturnReason::Searched,
            window: Window::FULL,
            score: Score::ZERO,
            parent: None,
            end: 0,
            nodes: 0,
            skipped: (0, 0),
        }
    }
}

impl Visit {
    /// Whether the score is the value or a bound of it.
    pub fn bound(&self) -> Bound {
        match self.why {
            ReturnReason::Finished | ReturnReason::Static => Bound::Exact,
            _ => self.window.classify(self.score),
        }
    }

    /// Whether it ended in an evaluation or the score of a finished game.
    pub fn is_leaf(&self) -> bool {
        matches!(self.why, ReturnReason::Finished | ReturnReason::Static)
    }
}

/// One iteration of iterative deepening.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedIteration {
    /// Its depth and selectivity.
    pub iteration: Iteration,
    /// The first guess of its value; `None` for a solver that needs none.
    pub guess: Option<Score>,
    /// The index of its first visit.
    pub first: u32,
    /// What it counted, without reading the principal variation back.
    pub counters: Counters,
    /// Its value for the side to move at the root.
    pub value: Score,
    /// Its principal variation.
    pub pv: Vec<Move>,
}

/// Records every visit of the iterations, but not of the searches that read the principal variation back.
#[derive(Clone, Default, Debug)]
pub struct TreeRecorder {
    /// The visits in preorder.
    pub visits: Vec<Visit>,
    /// The iterations.
    pub iterations: Vec<RecordedIteration>,
    skipped: Vec<Move>,
    /// The open visits.
    path: Vec<u32>,
    next: Option<(Move, bool)>,
    /// The counters at the beginning of the iteration.
    before: Counters,
    /// Whether the search reads the principal variation back.
    muted: bool,
}

impl TreeRecorder {
    /// Appends a visit with its cut moves.
    pub fn push(&mut self, visit: Visit, skipped: &[Move]) {
        let first = self.skipped.len() as u32;
        self.visits.push(Visit { skipped: (first, skipped.len() as u8), ..visit });
        self.skipped.extend(skipped);
    }

    /// The moves of a visit that were cut off.
    pub fn skipped(&self, visit: &Visit) -> &[Move] {
        let (first, count) = visit.skipped;
        &self.skipped[first as usize..first as usize + usize::from(count)]
    }

    /// The indices of a visit's children, in the order of the search.
    pub fn children(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        self.siblings(index + 1, self.visits[index].end as usize)
    }

    /// The indices of the roots of an iteration: the null windows of MTD(f), or its one search.
    pub fn roots(&self, iteration: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.iterations.get(iteration + 1).map_or(self.visits.len(), |next| next.first as usize);
        self.siblings(self.iterations[iteration].first as usize, end)
    }

    fn siblings(&self, first: usize, end: usize) -> impl Iterator<Item = usize> + '_ {
        let inside = move |index: usize| (index < end).then_some(index);
        std::iter::successors(inside(first), move |&index| inside(self.visits[index].end as usize))
    }

    /// The moves from the root to a visit.
    pub fn path(&self, index: usize) -> Vec<Move> {
        let up = std::iter::successors(Some(&self.visits[index]), |visit| {
            visit.parent.map(|parent| &self.visits[parent as usize])
        });
        let mut moves: Vec<Move> = up.map(|visit| visit.m).filter(|&m| m != Move::NONE).collect();
        moves.reverse();
        moves
    }
}

impl Trace for TreeRecorder {
    fn iteration(&mut self, iteration: Iteration, guess: Score, counters: &Counters) {
        (self.muted, self.next, self.before) = (false, None, *counters);
        self.iterations.push(RecordedIteration {
            iteration,
            guess: Some(guess),
            first: self.visits.len() as u32,
            counters: Counters::default(),
            value: guess,
            pv: Vec::new(),
        });
    }

    fn variation(&mut self, counters: &Counters) {
        self.muted = true;
        if let Some(last) = self.iterations.last_mut() {
            last.counters = *counters - self.before;
        }
    }

    fn next(&mut self, m: Move, re_search: bool) {
        self.next = Some((m, re_search));
    }

    fn enter(&mut self, window: Window, depth: u8, nodes: u64) {
        if self.muted {
            return;
        }
        let here = self.visits.len() as u32;
        let parent = self.path.last().copied();
        let (m, kind) = match self.next.take() {
            Some((m, true)) => (m, VisitKind::ReSearch),
            Some((m, false)) => (m, VisitKind::First),
            None if parent.is_some() => (Move::NONE, VisitKind::Verification),
            None => (Move::NONE, VisitKind::First),
        };
        // The rest is known when it returns; until then `nodes` is the count before it.
        self.visits.push(Visit { m, kind, depth, window, parent, nodes: nodes - 1, ..Visit::default() });
        self.path.push(here);
    }

    fn skip(&mut self, m: Move) {
        let Some(&here) = self.path.last().filter(|_| !self.muted) else { return };
        let skipped = &mut self.visits[here as usize].skipped;
        if skipped.1 == 0 {
            skipped.0 = self.skipped.len() as u32;
        }
        skipped.1 += 1;
        self.skipped.push(m);
    }

    fn leave(&mut self, score: Score, why: ReturnReason, nodes: u64) {
        if self.muted {
            return;
        }
        let Some(here) = self.path.pop() else { return };
        let end = self.visits.len() as u32;
        let visit = &mut self.visits[here as usize];
        (visit.score, visit.why, visit.end, visit.nodes) = (score, why, end, nodes - visit.nodes);
    }
}
