//! The settings of a search: [`Algorithm`], table, deepening, selectivity, threads, weights.

use std::any::Any;
use std::sync::Arc;

use super::core::isa::IsaChoice;
use super::core::parallel::thread_budget::ThreadBudget;

/// The algorithms: `auto` is the production search; the others search full width to exactly the
/// requested depth.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Hash)]
pub enum Algorithm {
    /// The production search with all its techniques.
    #[default]
    Auto,
    /// Full minimax, no pruning.
    Minimax,
    /// Fail-hard alpha-beta.
    AlphaBeta,
    /// Fail-soft alpha-beta.
    FailSoft,
    /// NegaScout (principal variation search).
    NegaScout,
    /// MTD(f).
    Mtdf,
}

impl Algorithm {
    /// All algorithms, in the order of the option's listing.
    pub const ALL: [Algorithm; 6] = [
        Algorithm::Auto,
        Algorithm::Minimax,
        Algorithm::AlphaBeta,
        Algorithm::FailSoft,
        Algorithm::NegaScout,
        Algorithm::Mtdf,
    ];

    /// The value of option `Algorithm`.
    pub const fn name(self) -> &'static str {
        match self {
            Algorithm::Auto => "auto",
            Algorithm::Minimax => "minimax",
            Algorithm::AlphaBeta => "alphabeta",
            Algorithm::FailSoft => "failsoft",
            Algorithm::NegaScout => "negascout",
            Algorithm::Mtdf => "mtdf",
        }
    }

    /// The algorithm with this name, ignoring case.
    pub fn by_name(name: &str) -> Option<Algorithm> {
        Self::ALL
            .into_iter()
            .find(|algorithm| algorithm.name().eq_ignore_ascii_case(name))
    }

    /// Whether it can use a transposition table.
    pub(crate) fn uses_table(self) -> bool {
        self != Algorithm::Minimax
    }
}

/// The settings of a search.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Option `Algorithm`.
    pub algorithm: Algorithm,
    /// Whether it uses a transposition table.
    pub table: bool,
    /// Iterative deepening; `auto` always uses it where it pays.
    pub deepening: bool,
    /// The selectivity level of `auto` at every depth ([`LEVELS`](super::levels::LEVELS)); `None`:
    /// the game's default, and full width where the search reaches the end of the game.
    pub selectivity: Option<u8>,
    /// Threads of the production search; the textbook algorithms use one.
    pub threads: usize,
    /// Overrides `threads`: the thread budget that simultaneous searches share.
    pub shared_threads: Option<Arc<ThreadBudget>>,
    /// The instruction set.
    pub isa: IsaChoice,
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
            isa: IsaChoice::default(),
            weights: None,
        }
    }
}
