//! Statistics of a search tree: its counts, the branching factor and the share of first-move cutoffs.
//! A [`Trace`] that counts.

use std::ops::AddAssign;

use crate::game::Move;
use crate::game::score::{Score, Window};
use crate::search::schedule::Iteration;
use crate::search::stats::Counters;
use crate::search::trace::{ReturnReason, Trace};

/// Statistics of a search tree.
#[derive(Clone, Default, Debug)]
pub struct TreeShape {
    /// The number of nodes whose moves were searched, and of their moves, including those cut off.
    pub inner: u64,
    /// See `inner`.
    pub moves: u64,
    /// The number of cut nodes, and of those cut by the first move.
    pub cut: u64,
    /// See `cut`.
    pub cut_by_first: u64,
    /// The counts of the iterations, without the searches that rebuild their variations.
    pub counters: Counters,
    /// The counts before the present iteration.
    before: Counters,
    /// Whether a variation is being rebuilt.
    muted: bool,
    /// For each node on the current path: moves searched and moves cut off.
    path: Vec<(u64, u64)>,
}

impl TreeShape {
    /// The mean number of moves at a node.
    pub fn branching(&self) -> f64 {
        self.moves as f64 / self.inner.max(1) as f64
    }

    /// The share of cut nodes that the first move cuts.
    pub fn first_move_share(&self) -> f64 {
        self.cut_by_first as f64 / self.cut.max(1) as f64
    }
}

impl AddAssign for TreeShape {
    fn add_assign(&mut self, other: TreeShape) {
        self.inner += other.inner;
        self.moves += other.moves;
        self.cut += other.cut;
        self.cut_by_first += other.cut_by_first;
        self.counters += other.counters;
    }
}

impl Trace for TreeShape {
    fn iteration(&mut self, _iteration: Iteration, _guess: Score, counters: &Counters) {
        (self.muted, self.before) = (false, *counters);
    }

    fn variation(&mut self, counters: &Counters) {
        self.muted = true;
        self.counters += *counters - self.before;
    }

    fn next(&mut self, _m: Move, re_search: bool) {
        if let Some((searched, _)) = self.path.last_mut() {
            *searched += u64::from(!re_search);
        }
    }

    fn enter(&mut self, _window: Window, _depth: u8, _nodes: u64) {
        self.path.push((0, 0));
    }

    fn skip(&mut self, _m: Move) {
        if let Some((_, cut_off)) = self.path.last_mut() {
            *cut_off += 1;
        }
    }

    fn leave(&mut self, _score: Score, why: ReturnReason, _nodes: u64) {
        let Some((searched, cut_off)) = self.path.pop().filter(|_| !self.muted) else {
            return;
        };
        if matches!(why, ReturnReason::Searched | ReturnReason::Cut) {
            self.inner += 1;
            self.moves += searched + cut_off;
        }
        if why == ReturnReason::Cut {
            self.cut += 1;
            self.cut_by_first += u64::from(searched == 1);
        }
    }
}
