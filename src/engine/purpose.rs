//! The purpose of a search, and what ends it.

/// What ends a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndsBy {
    /// Its limits, or a `stop` already received.
    Itself,
    /// `stop` only.
    Stop,
    /// `stop`, or possibly `ponderhit`.
    PonderHitOrStop,
}

/// The purpose of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Find the best move.
    Play {
        /// Whether `bestmove` waits for `stop`, unless `go mate` has found its mate.
        infinite: bool,
    },
    /// Score the legal moves.
    Rank {
        /// Whether scores of a smaller depth are a valid result when the engine exits.
        is_hint: bool,
    },
    /// Evaluate a position of the game history.
    Analyze {
        /// Its ply.
        ply: usize,
    },
}
