//! Search statistics: what a search counts.

/// What a search counts. A node is one entry into a search function: root, leaf, pass, finished position, and each
/// re-search again. A leaf evaluation is every call of an evaluation and every finished game whose score is taken.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counters {
    /// Entries into search functions.
    pub nodes: u64,
    /// Evaluations called and finished games scored.
    pub leaves: u64,
    /// Null-window searches started at the root, or from a node with a wider window.
    pub null_windows: u64,
    /// Null-window answers that had to be searched again with a wider window.
    pub re_searches: u64,
    /// Nodes that a table entry finished.
    pub table_hits: u64,
}

/// The instruments of a search.
#[derive(Clone, Copy, Default, Debug)]
pub struct Reading {
    /// What was counted.
    pub counters: Counters,
    /// The largest distance from the root.
    pub deepest: u8,
    /// Share of the table filled by this search, in permille.
    pub hashfull: u32,
}
