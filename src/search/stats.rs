//! Search statistics.

use std::ops::{AddAssign, Sub};

/// Counters of a search. A node is one entry into a search function: root, leaf, pass, finished
/// position; a re-search counts again. A leaf is one call of the evaluator or one score of a
/// finished game.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct Counters {
    /// Nodes visited: entries into search functions.
    pub nodes: u64,
    /// Leaves: positions evaluated and finished games scored.
    pub leaves: u64,
    /// Null-window searches started at the root or from a PV node.
    pub null_windows: u64,
    /// Null-window searches repeated with a wider window.
    pub re_searches: u64,
    /// Cutoffs by the transposition table.
    pub table_hits: u64,
}

impl AddAssign for Counters {
    fn add_assign(&mut self, other: Counters) {
        self.nodes += other.nodes;
        self.leaves += other.leaves;
        self.null_windows += other.null_windows;
        self.re_searches += other.re_searches;
        self.table_hits += other.table_hits;
    }
}

impl Sub for Counters {
    type Output = Counters;

    fn sub(self, before: Counters) -> Counters {
        Counters {
            nodes: self.nodes - before.nodes,
            leaves: self.leaves - before.leaves,
            null_windows: self.null_windows - before.null_windows,
            re_searches: self.re_searches - before.re_searches,
            table_hits: self.table_hits - before.table_hits,
        }
    }
}

/// The statistics of a search.
#[derive(Clone, Copy, Default, Debug)]
pub struct SearchStats {
    /// The counters.
    pub counters: Counters,
    /// The largest distance from the root, in moves.
    pub deepest: u8,
    /// Permille of the table that entries of this search fill.
    pub hashfull: u32,
}
