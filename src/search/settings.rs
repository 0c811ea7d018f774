//! How a search works: algorithm, table, deepening, selectivity, weights.

use std::any::Any;
use std::sync::Arc;

use super::algorithm::Algorithm;
use super::parallel::spare::SpareThreads;

/// How a search works.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Whether it uses a transposition table.
    pub table: bool,
    /// Whether it deepens iteratively (`auto` does so wherever it pays).
    pub deepening: bool,
    /// The selectivity level of `auto` at every depth ([`LEVELS`](super::levels::LEVELS)); `None`: the game's
    /// default, and full width where the search reaches the end of the game.
    pub selectivity: Option<u8>,
    /// The threads of the production search; the textbook algorithms have one.
    pub threads: usize,
    /// Replaces `threads`: the threads of simultaneous searches, which share them.
    pub shared_threads: Option<Arc<SpareThreads>>,
    /// Replaces the weights of the game's evaluator; opaque to the search.
    pub weights: Option<AnyWeights>,
}

/// Weights of an evaluator, type-erased: only the evaluator downcasts them.
pub type AnyWeights = Arc<dyn Any + Send + Sync>;

impl Default for Settings {
    fn default() -> Self {
        Settings {
            algorithm: Algorithm::Auto,
            table: true,
            deepening: true,
            selectivity: None,
            threads: 1,
            shared_threads: None,
            weights: None,
        }
    }
}
