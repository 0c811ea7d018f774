//! The settings of a search: algorithm, table, deepening, selectivity, threads, weights.

use std::any::Any;
use std::sync::Arc;

use super::algorithm::Algorithm;
use super::parallel::thread_budget::ThreadBudget;

/// The settings of a search.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Option `Algorithm`.
    pub algorithm: Algorithm,
    /// Whether it uses a transposition table.
    pub table: bool,
    /// Iterative deepening; `auto` always uses it where it pays.
    pub deepening: bool,
    /// The selectivity level of `auto` at every depth ([`LEVELS`](super::levels::LEVELS)); `None`: the game's
    /// default, and full width where the search reaches the end of the game.
    pub selectivity: Option<u8>,
    /// Threads of the production search; the textbook algorithms use one.
    pub threads: usize,
    /// Overrides `threads`: the thread budget that simultaneous searches share.
    pub shared_threads: Option<Arc<ThreadBudget>>,
    /// Overrides the weights of the game's evaluator; opaque to the search.
    pub weights: Option<AnyWeights>,
}

/// Type-erased weights of an evaluator, which alone downcasts them.
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
