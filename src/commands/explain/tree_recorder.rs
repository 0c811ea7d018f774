//! Records the tree of visited nodes: a [`Trace`].
//!
//! Visits are stored in preorder: the first child follows its parent, the next sibling follows the
//! last descendant. A visit takes 48 bytes.

use serde::Serialize;

use crate::commands::is_default;
use crate::game::score::{Bound, Score, Window};
use crate::game::{Move, counted};
use crate::search::levels::percent;
use crate::search::schedule::Iteration;
use crate::search::stats::Counters;
use crate::search::trace::{ReturnReason, Trace};

use super::wording::{reason_words, write_reason};

/// The kind of a visit.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum VisitKind {
    /// The root, or the first search of a move.
    #[default]
    First,
    /// A re-search after a null-window search failed high.
    ReSearch,
    /// A shallow search of the parent's position that predicts its value (ProbCut).
    Verification,
}

/// One entry into a search function.
#[derive(PartialEq, Eq, Debug, Serialize)]
pub struct Visit {
    /// The move that led here; [`Move::NONE`] at a root and in a verification search.
    #[serde(skip)]
    pub m: Move,
    /// Whether the root player is to move.
    #[serde(skip)]
    pub max: bool,
    #[serde(skip_serializing_if = "is_default")]
    pub kind: VisitKind,
    /// The remaining depth in plies.
    pub depth: u8,
    /// The window, from the point of view of the side to move.
    #[serde(flatten)]
    pub window: Window,
    /// The returned score, from the point of view of the side to move.
    pub score: Score,
    /// The reason why it returned.
    #[serde(serialize_with = "write_reason")]
    pub why: ReturnReason,
    /// The parent's index; `None` for a root.
    pub parent: Option<u32>,
    /// One past the index of the last descendant.
    pub end: u32,
    /// The nodes of the subtree, including itself and the nodes inside kernels.
    pub nodes: u64,
    /// The moves that were cut off: the index of the first in [`TreeRecorder::skipped`], and their
    /// number.
    #[serde(skip)]
    skipped: (u32, u8),
}

impl Visit {
    /// Whether the score is exact or a bound.
    fn bound(&self) -> Bound {
        if self.is_leaf() {
            Bound::Exact
        } else {
            self.window.classify(self.score)
        }
    }

    /// The window from the root player's point of view.
    pub fn root_window(&self) -> Window {
        if self.max {
            self.window
        } else {
            self.window.flipped()
        }
    }

    /// The score from the root player's point of view.
    pub fn root_score(&self) -> Score {
        if self.max { self.score } else { -self.score }
    }

    /// The result from the root player's point of view: `= 18`, `>= 22`.
    pub fn result_text(&self) -> String {
        let bound = match (self.bound(), self.max) {
            (Bound::Exact, _) => "=",
            (Bound::Lower, true) | (Bound::Upper, false) => ">=",
            (Bound::Upper, true) | (Bound::Lower, false) => "<=",
        };
        format!("{bound} {}", self.root_score())
    }

    /// The reason after a result.
    pub fn reason_text(&self) -> String {
        let words = reason_words(self.why);
        match self.why {
            ReturnReason::SolvedLeaf => {
                format!("{words}, {}", counted(self.nodes, "node", "nodes"))
            }
            _ => words.into(),
        }
    }

    /// Whether it returned an evaluation or the score of a finished game.
    pub fn is_leaf(&self) -> bool {
        matches!(self.why, ReturnReason::Finished | ReturnReason::Static)
    }
}

/// One iteration of iterative deepening.
#[derive(Debug, Serialize)]
pub struct RecordedIteration {
    pub depth: u8,
    /// The selectivity in percent.
    pub selectivity: u8,
    /// The first guess; `None` for the endgame solver.
    pub guess: Option<Score>,
    /// The index of its first visit.
    pub first: u32,
    /// The node counts, without those for the PV lookup.
    #[serde(flatten)]
    pub counters: Counters,
    /// The value from the root player's point of view.
    pub value: Score,
    #[serde(skip)]
    pub pv: Vec<Move>,
}

/// Records every visit of the iterations, except the searches of the PV lookup.
#[derive(Default, Debug)]
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
    /// Whether the PV lookup is running.
    muted: bool,
}

impl TreeRecorder {
    /// The moves of a visit that were cut off.
    pub fn skipped(&self, visit: &Visit) -> &[Move] {
        let (first, count) = visit.skipped;
        &self.skipped[first as usize..first as usize + usize::from(count)]
    }

    /// The indices of a visit's children, in search order.
    pub fn children(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        self.siblings(index + 1, self.visits[index].end as usize)
    }

    /// The indices of the roots of an iteration: the null-window searches of MTD(f), or a single
    /// search.
    pub fn roots(&self, iteration: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self
            .iterations
            .get(iteration + 1)
            .map_or(self.visits.len(), |next| next.first as usize);
        self.siblings(self.iterations[iteration].first as usize, end)
    }

    fn siblings(&self, first: usize, end: usize) -> impl Iterator<Item = usize> + '_ {
        let inside = move |index: usize| (index < end).then_some(index);
        std::iter::successors(inside(first), move |&index| {
            inside(self.visits[index].end as usize)
        })
    }

    /// The total counts of all iterations.
    pub fn counters(&self) -> Counters {
        let mut all = Counters::default();
        self.iterations
            .iter()
            .for_each(|iteration| all += iteration.counters);
        all
    }

    /// The moves from the root to a visit.
    pub fn path(&self, index: usize) -> Vec<Move> {
        let up = std::iter::successors(Some(&self.visits[index]), |visit| {
            visit.parent.map(|parent| &self.visits[parent as usize])
        });
        let mut moves: Vec<Move> = up
            .map(|visit| visit.m)
            .filter(|&m| m != Move::NONE)
            .collect();
        moves.reverse();
        moves
    }
}

impl Trace for TreeRecorder {
    fn iteration(&mut self, iteration: Iteration, guess: Score, counters: &Counters) {
        (self.muted, self.next, self.before) = (false, None, *counters);
        self.iterations.push(RecordedIteration {
            depth: iteration.depth,
            selectivity: percent(iteration.selectivity),
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
        let max = parent.is_none_or(|parent| {
            self.visits[parent as usize].max == (kind == VisitKind::Verification)
        });
        // Completed on return; until then `nodes` is the node count at entry.
        self.visits.push(Visit {
            m,
            max,
            kind,
            depth,
            window,
            score: Score::ZERO,
            why: ReturnReason::Searched,
            parent,
            end: 0,
            nodes: nodes - 1,
            skipped: (0, 0),
        });
        self.path.push(here);
    }

    fn skip(&mut self, m: Move) {
        let Some(&here) = self.path.last().filter(|_| !self.muted) else {
            return;
        };
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
