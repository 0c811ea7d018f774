//! The state common to textbook and production searches: counters, table, trace and stop check.
//!
//! Every search function starts with [`SearchState::enter`], which counts the node and returns
//! `Err(Stopped)` if the search has to stop. The error propagates to the root by `?`, so no value
//! of an unfinished node is stored.

use crate::game::Move;
use crate::game::score::{Score, Window};

use super::schedule::Iteration;
use super::stats::{Counters, SearchStats};
use super::stop::{Budget, SearchControl, StopCheck, Stopped};
use super::table::Table;
use super::trace::{ReturnReason, Trace};

/// The state of a running search, textbook or production.
pub struct SearchState<'a> {
    /// The transposition table, if one is used.
    pub table: Option<&'a Table>,
    /// The counters.
    pub counters: Counters,
    /// The largest distance from the root reached, in plies.
    pub deepest: u8,
    /// The null-window step: the least difference of two scores in this search.
    pub step: i32,
    /// Stop conditions.
    pub stop: StopCheck<'a>,
    /// Records the search tree, if enabled.
    trace: Option<&'a mut dyn Trace>,
    /// Entries stored for new positions since [`Table::count_stored`].
    stored: u64,
}

impl<'a> SearchState<'a> {
    /// A search without trace and limits; only the stop flag ends it.
    pub fn new(table: Option<&'a Table>, control: &'a SearchControl) -> Self {
        SearchState {
            table,
            counters: Counters::default(),
            deepest: 0,
            step: 1,
            stop: StopCheck::new(control, Budget::default()),
            trace: None,
            stored: 0,
        }
    }

    /// Records the search tree in `trace`, if there is one.
    pub fn record<'t: 'a>(&mut self, trace: Option<&'a mut (dyn Trace + 't)>) {
        self.trace = trace.map(|trace| trace as &mut dyn Trace); // shortens its lifetime
    }

    /// See [`Trace::iteration`].
    pub fn trace_iteration(&mut self, iteration: Iteration, guess: Score) {
        if let Some(trace) = &mut self.trace {
            trace.iteration(iteration, guess, &self.counters);
        }
    }

    /// See [`Trace::variation`].
    pub fn trace_variation(&mut self) {
        if let Some(trace) = &mut self.trace {
            trace.variation(&self.counters);
        }
    }

    /// See [`Trace::next`].
    #[inline(always)]
    pub fn trace_next(&mut self, m: Move, re_search: bool) {
        if let Some(trace) = &mut self.trace {
            trace.next(m, re_search);
        }
    }

    /// See [`Trace::enter`].
    #[inline(always)]
    pub fn trace_enter(&mut self, window: Window, depth: u8) {
        if let Some(trace) = &mut self.trace {
            trace.enter(window, depth, self.counters.nodes);
        }
    }

    /// See [`Trace::skip`].
    #[inline(always)]
    pub fn trace_skip(&mut self, moves: impl IntoIterator<Item = Move>) {
        if let Some(trace) = &mut self.trace {
            moves.into_iter().for_each(|m| trace.skip(m));
        }
    }

    /// See [`Trace::leave`].
    #[inline(always)]
    pub fn trace_leave(&mut self, score: Score, reason: ReturnReason) {
        if let Some(trace) = &mut self.trace {
            trace.leave(score, reason, self.counters.nodes);
        }
    }

    /// Ends the reconstruction of a PV. Its last position was reached, perhaps inside a kernel.
    pub fn end_line(&mut self, pv: &[Move]) {
        self.deepest = self.deepest.max(pv.len() as u8);
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
        if self.stop.is_due(self.counters.nodes) {
            self.test()
        } else {
            Ok(())
        }
    }

    /// Counts a node that is evaluated without a search, unless the node limit is reached.
    pub fn enter_static(&mut self) {
        self.counters.nodes += u64::from(self.stop.allows_node(self.counters.nodes));
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

    /// [`SearchState::nodes_left`] for a kernel that has visited `nodes` nodes, not yet counted: a
    /// greater limit, or `None` if the search has to stop.
    pub fn next_limit(&mut self, nodes: u64) -> Option<u64> {
        let all = self.counters.nodes + nodes;
        self.stop
            .check(all)
            .is_ok()
            .then(|| self.stop.nodes_left(all).saturating_add(nodes))
    }

    /// Tests whether the search has to stop, and lets the table grow if it goes on: a search that is
    /// limited to the nodes of one that ended by itself leaves the same table.
    #[cold]
    #[inline(never)]
    pub(super) fn test(&mut self) -> Result<(), Stopped> {
        self.stop.test(self.counters.nodes)?;
        if let Some(table) = self.table {
            table.count_stored(std::mem::take(&mut self.stored));
        }
        Ok(())
    }

    /// Publishes and returns what a helper has counted since the last call.
    pub(super) fn publish_counters(&mut self) -> (Counters, u8) {
        self.stop.end_of_split(self.counters.nodes);
        (
            std::mem::take(&mut self.counters),
            std::mem::take(&mut self.deepest),
        )
    }

    /// The current statistics.
    pub fn stats(&self) -> SearchStats {
        SearchStats {
            counters: Counters {
                nodes: self.stop.visited(self.counters.nodes),
                ..self.counters
            },
            deepest: self.deepest,
            hashfull: self.table.map_or(0, Table::hashfull),
        }
    }

    /// Counts a leaf. Returns its score.
    #[inline(always)]
    pub fn leaf(&mut self, score: Score) -> Score {
        self.counters.leaves += 1;
        score
    }
}
