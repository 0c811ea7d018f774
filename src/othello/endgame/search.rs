//! What a running endgame search carries.

use crate::search::context::{Budget, Stopped, Watch};
use crate::search::table::{Draft, Table};

use super::cache::Cache;
use super::middle::Private;

/// How many nodes may pass between two looks at the stop flag, the limits and the clock.
const CHECK_EVERY: u64 = 1_000;

/// Counters, limits and tables of one search.
pub struct Search<'a> {
    /// Nodes so far, those of the look ahead included; and the private table of the middle search.
    pub private: Private<'a>,
    /// The transposition table of the deep search.
    pub table: &'a Table,
    /// How many moves a deep node searches, the most promising first; all for an exact result.
    pub width: usize,
    watch: &'a Watch,
    budget: Budget,
    before: u64,
    next_check: u64,
}

impl<'a> Search<'a> {
    /// A search that has to stop when the watch or the budget says so. `before` nodes
    /// were counted by others and count towards the budget.
    pub fn new(table: &'a Table, cache: &'a mut Cache, watch: &'a Watch, budget: Budget, before: u64) -> Self {
        let limit = budget.nodes.map_or(u64::MAX, |limit| limit.saturating_sub(before));
        Search { private: Private { nodes: 0, limit, cache }, table, width: ALL, watch, budget, before, next_check: 0 }
    }

    /// The draft that goes with the width.
    #[inline(always)]
    pub fn draft(&self, empties: u32) -> Draft {
        let selectivity = if self.width == ALL { Draft::FULL } else { NARROW_LEVEL };
        Draft { depth: empties as u8, selectivity }
    }

    /// Looks at the reasons to stop every thousand nodes or so.
    #[inline(always)]
    pub fn check(&mut self) -> Result<(), Stopped> {
        if self.private.nodes >= self.next_check { self.check_now() } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    fn check_now(&mut self) -> Result<(), Stopped> {
        self.watch.count(self.before + self.private.nodes);
        if self.watch.stopped() || self.private.exhausted() || self.budget.is_late(self.watch) {
            return Err(Stopped);
        }
        self.next_check = (self.private.nodes + CHECK_EVERY).min(self.private.limit.saturating_add(1));
        Ok(())
    }
}

/// Every move.
pub const ALL: usize = usize::MAX;
/// The selectivity level of entries from the narrow search that makes the first guess.
const NARROW_LEVEL: u8 = 1;
