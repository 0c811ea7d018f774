//! What a search is for, and what ends it.

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
        /// The answer waits for `stop`, unless it is the mate that `go mate` asked for.
        infinite: bool,
    },
    /// Score the legal moves.
    Rank {
        /// Whether scores of a smaller depth are an answer when the engine exits.
        is_hint: bool,
    },
    /// Evaluate a position of the game history.
    Analyze {
        /// Its ply.
        ply: usize,
    },
}
