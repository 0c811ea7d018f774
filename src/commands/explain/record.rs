//! The recorder of a search: a [`Trace`] that keeps the tree of visited nodes.

use crate::game::Move;
use crate::game::score::{Bound, Score, Window};
use crate::search::trace::{Trace, Why};

/// One entry into a search function.
#[derive(Clone, Debug)]
pub struct Visit {
    /// The move that led here; [`Move::NONE`] at a root.
    pub m: Move,
    /// Whether the same child was searched before with a narrower window.
    pub re_search: bool,
    /// Its window, for its side to move.
    pub window: Window,
    /// Plies left.
    pub depth: u8,
    /// The score it returned, for its side to move.
    pub score: Score,
    /// Why it returned.
    pub why: Why,
    /// Its moves in the order of the search.
    pub branches: Vec<VisitedMove>,
}

/// A move of a node.
#[derive(Clone, Copy, Debug)]
pub enum VisitedMove {
    /// Searched: the index of the visit.
    Searched(usize),
    /// Cut off.
    Skipped(Move),
}

impl Visit {
    /// Whether the score is the value or a bound of it.
    pub fn bound(&self) -> Bound {
        match self.why {
            Why::Finished | Why::Static => Bound::Exact,
            _ => self.window.classify(self.score),
        }
    }

    /// Whether it ended in an evaluation or the score of a finished game.
    pub fn is_leaf(&self) -> bool {
        matches!(self.why, Why::Finished | Why::Static)
    }
}

/// Records every visit. Successive searches from the root (the null windows of MTD(f), the iterations of deepening)
/// have a root each.
#[derive(Clone, Default, Debug)]
pub struct TreeRecorder {
    /// All visits; a visit's branches come after it.
    pub visits: Vec<Visit>,
    /// The roots among them.
    pub roots: Vec<usize>,
    path: Vec<usize>,
    next: Option<(Move, bool)>,
}

impl TreeRecorder {
    /// The number of leaf evaluations.
    pub fn leaves(&self) -> usize {
        self.visits.iter().filter(|visit| visit.is_leaf()).count()
    }
}

impl Trace for TreeRecorder {
    fn next(&mut self, m: Move, re_search: bool) {
        self.next = Some((m, re_search));
    }

    fn enter(&mut self, window: Window, depth: u8) {
        let here = self.visits.len();
        let (m, re_search) = self.next.take().unwrap_or((Move::NONE, false));
        match self.path.last() {
            Some(&parent) => self.visits[parent].branches.push(VisitedMove::Searched(here)),
            None => self.roots.push(here),
        }
        let (score, why) = (Score::ZERO, Why::Searched); // overwritten when it returns
        self.visits.push(Visit { m, re_search, window, depth, score, why, branches: Vec::new() });
        self.path.push(here);
    }

    fn skip(&mut self, m: Move) {
        if let Some(&here) = self.path.last() {
            self.visits[here].branches.push(VisitedMove::Skipped(m));
        }
    }

    fn leave(&mut self, score: Score, why: Why) {
        if let Some(here) = self.path.pop() {
            (self.visits[here].score, self.visits[here].why) = (score, why);
        }
    }
}
