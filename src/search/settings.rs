//! How a search works: algorithm, table, deepening, selectivity, weights.

use std::any::Any;
use std::sync::Arc;

use super::algorithm::Algorithm;

/// How a search shall go about it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which algorithm.
    pub algorithm: Algorithm,
    /// Whether it has a transposition table.
    pub table: bool,
    /// Whether it deepens iteratively (`auto` does where it pays).
    pub deepening: bool,
    /// The level of selectivity that `auto` shall come to at every depth ([`LEVELS`](super::prob_cut::LEVELS)); `None`: what is best for
    /// the game, and full width where the search reaches the end of it.
    pub selectivity: Option<u8>,
    /// What the game's evaluator shall think with in place of its own weights; the search only hands it on.
    pub weights: Option<Weights>,
}

/// Somebody's weights: only the evaluator that they are for knows their type.
pub type Weights = Arc<dyn Any + Send + Sync>;

impl Default for Settings {
    fn default() -> Self {
        Settings { algorithm: Algorithm::Auto, table: true, deepening: true, selectivity: None, weights: None }
    }
}
