//! What every running search carries, textbook or production: counters, table, trace and stop check.
//!
//! A search function starts with [`SearchCore::enter`], which counts the node and returns `Err(Stopped)` when a limit is
//! reached; `?` carries the stop to the root, and no half-searched value is stored on the way.

use crate::game::score::Score;

use super::stats::{Counters, Reading};
use super::stop::{Budget, StopCheck, Stopped, Watch};
use super::table::Table;
use super::trace::{Trace, Tracer};

/// What every running search carries, textbook or production: counters, table, trace, and the reasons to stop.
pub struct SearchCore<'a> {
    /// The transposition table, if one is used.
    pub table: Option<&'a Table>,
    /// What has been counted so far.
    pub counters: Counters,
    /// The largest distance from the root reached, in plies.
    pub deepest: u8,
    /// The null-window step: two different scores of this search differ by at least so much.
    pub step: i32,
    /// What records the tree, if anything does.
    pub trace: Tracer<'a>,
    stop: StopCheck<'a>,
}

impl<'a> SearchCore<'a> {
    /// A search that records nothing and ends only by the watch's stop flag.
    pub fn new(table: Option<&'a Table>, watch: &'a Watch) -> Self {
        SearchCore {
            table,
            counters: Counters::default(),
            deepest: 0,
            step: 1,
            trace: Tracer::default(),
            stop: StopCheck::new(watch, Budget::default()),
        }
    }

    /// Records the tree that it searches.
    pub fn record(&mut self, trace: &'a mut dyn Trace) {
        self.trace = Tracer::on(trace);
    }

    /// Sets when the search ends by itself.
    pub fn set_budget(&mut self, budget: Budget) {
        self.stop.set_budget(budget);
    }

    /// Counts a node `ply` plies from the root; fails when the search has to stop.
    #[inline(always)]
    pub fn enter(&mut self, ply: u8) -> Result<(), Stopped> {
        self.deepest = self.deepest.max(ply);
        self.enter_many(1)
    }

    /// Counts `nodes` positions that a kernel visited by itself; fails when the search has to stop.
    #[inline(always)]
    pub fn enter_many(&mut self, nodes: u64) -> Result<(), Stopped> {
        self.counters.nodes += nodes;
        self.stop.check(self.counters.nodes)
    }

    /// How many more nodes the budget allows; all there are if it does not limit them.
    #[inline(always)]
    pub fn nodes_left(&self) -> u64 {
        self.stop.nodes_left(self.counters.nodes)
    }

    /// What stands on the instruments.
    pub fn reading(&self) -> Reading {
        let hashfull = self.table.map_or(0, Table::hashfull);
        Reading { counters: self.counters, deepest: self.deepest, hashfull }
    }

    /// Counts a leaf evaluation and hands the score through.
    #[inline(always)]
    pub fn leaf(&mut self, score: Score) -> Score {
        self.counters.leaves += 1;
        score
    }
}
