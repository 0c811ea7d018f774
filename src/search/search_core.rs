//! The state common to textbook and production searches: counters, table, trace and stop check.
//!
//! Every search function starts with [`SearchCore::enter`], which counts the node and returns `Err(Stopped)` if the
//! search has to stop. The error propagates to the root by `?`, so no value of an unfinished node is stored.

use crate::game::Move;
use crate::game::score::{Score, Window};

use super::parallel::split_point::SplitRef;
use super::schedule::Iteration;
use super::stats::{Counters, SearchStats};
use super::stop::{Budget, SearchControl, StopCheck, Stopped};
use super::table::Table;
use super::trace::{ReturnReason, Trace, Tracer};

/// The state of a running search, textbook or production.
pub struct SearchCore<'a> {
    /// The transposition table, if one is used.
    pub table: Option<&'a Table>,
    /// The counters.
    pub counters: Counters,
    /// The largest distance from the root reached, in plies.
    pub deepest: u8,
    /// The null-window step: the least difference of two scores in this search.
    pub step: i32,
    /// Records the search tree, if enabled.
    pub trace: Tracer<'a>,
    /// Entries stored for new positions since [`Table::count_stored`].
    stored: u64,
    stop: StopCheck<'a>,
}

impl<'a> SearchCore<'a> {
    /// A search without trace and limits; only the stop flag ends it.
    pub fn new(table: Option<&'a Table>, control: &'a SearchControl) -> Self {
        SearchCore {
            table,
            counters: Counters::default(),
            deepest: 0,
            step: 1,
            trace: Tracer::default(),
            stored: 0,
            stop: StopCheck::new(control, Budget::default()),
        }
    }

    /// Records the search tree in `trace`.
    pub fn record(&mut self, trace: &'a mut dyn Trace) {
        self.trace = Tracer::on(trace);
    }

    /// Records that an iteration begins ([`Trace::iteration`]).
    pub fn trace_iteration(&mut self, iteration: Iteration, guess: Score) {
        self.trace.iteration(iteration, guess, &self.counters);
    }

    /// Records that an iteration is finished ([`Trace::variation`]).
    pub fn trace_variation(&mut self) {
        self.trace.variation(&self.counters);
    }

    /// Records that a node is entered ([`Trace::enter`]).
    #[inline(always)]
    pub fn trace_enter(&mut self, window: Window, depth: u8) {
        self.trace.enter(window, depth, self.counters.nodes);
    }

    /// Records that the current node returns ([`Trace::leave`]).
    #[inline(always)]
    pub fn trace_leave(&mut self, score: Score, reason: ReturnReason) {
        self.trace.leave(score, reason, self.counters.nodes);
    }

    /// Sets the limits of the search and its helpers.
    pub fn set_budget(&mut self, budget: Budget) {
        self.stop.set_budget(budget);
        self.stop.limit_helpers();
    }

    /// Begins the reconstruction of the PV of a proven result ([`StopCheck::begin_line`]).
    pub fn begin_line(&mut self) {
        self.stop.begin_line();
    }

    /// Ends the reconstruction.
    pub fn end_line(&mut self) {
        self.stop.end_line(self.counters.nodes);
    }

    /// Counts a node at distance `ply` from the root. Returns an error if the search has to stop.
    #[inline(always)]
    pub fn enter(&mut self, ply: u8) -> Result<(), Stopped> {
        self.deepest = self.deepest.max(ply);
        self.enter_many(1)
    }

    /// Counts `nodes` nodes visited inside a kernel. Returns an error if the search has to stop.
    #[inline(always)]
    pub fn enter_many(&mut self, nodes: u64) -> Result<(), Stopped> {
        self.counters.nodes += nodes;
        if self.stop.is_due(self.counters.nodes) { self.test() } else { Ok(()) }
    }

    /// Counts a stored table entry; `is_new`: the table did not hold the position.
    #[inline(always)]
    pub fn count_stored(&mut self, is_new: bool) {
        self.stored += u64::from(is_new);
    }

    /// Nodes that a kernel may visit ([`StopCheck::nodes_left`]).
    #[inline(always)]
    pub fn nodes_left(&self) -> u64 {
        self.stop.nodes_left(self.counters.nodes)
    }

    /// [`SearchCore::nodes_left`] for a kernel that has visited `nodes` nodes, not yet counted: a greater limit, or
    /// `None` if the search has to stop.
    pub fn next_limit(&mut self, nodes: u64) -> Option<u64> {
        let all = self.counters.nodes + nodes;
        self.stop.check(all).is_ok().then(|| self.stop.nodes_left(all).saturating_add(nodes))
    }

    /// Publishes the root move that this thread starts.
    pub(super) fn begin_root_move(&self, depth: u8, m: Move, index: usize) {
        self.stop.control().begin_root_move(depth, m, index);
    }

    /// Tests whether the search has to stop, and lets the table grow.
    #[cold]
    #[inline(never)]
    pub(super) fn test(&mut self) -> Result<(), Stopped> {
        if let Some(table) = self.table {
            table.count_stored(std::mem::take(&mut self.stored));
        }
        self.stop.test(self.counters.nodes)
    }

    /// The split point that this thread works on.
    pub(super) fn split_point(&self) -> Option<SplitRef> {
        self.stop.split_point()
    }

    /// Sets the split point that this thread works on. Returns the previous one.
    pub(super) fn set_split_point(&mut self, split: Option<SplitRef>) -> Option<SplitRef> {
        self.stop.set_split_point(split)
    }

    /// Counts the nodes as a helper's.
    pub(super) fn count_as_helper(&mut self) {
        self.stop.count_as_helper();
    }

    /// Publishes and returns what a helper has counted since the last call.
    pub(super) fn publish_counters(&mut self) -> (Counters, u8) {
        self.stop.end_of_split(self.counters.nodes);
        (std::mem::take(&mut self.counters), std::mem::take(&mut self.deepest))
    }

    /// The current statistics.
    pub fn stats(&self) -> SearchStats {
        let hashfull = self.table.map_or(0, Table::hashfull);
        let counters = Counters { nodes: self.stop.visited(self.counters.nodes), ..self.counters };
        SearchStats { counters, deepest: self.deepest, hashfull }
    }

    /// Counts a leaf. Returns its score.
    #[inline(always)]
    pub fn leaf(&mut self, score: Score) -> Score {
        self.counters.leaves += 1;
        score
    }
}
