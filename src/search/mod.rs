//! Game-tree search. Independent of any particular game; prints nothing.
//!
//! Reading order:
//! 1. [`textbook`]: minimax, alpha-beta, NegaScout and MTD(f), one page each; the test oracles of
//!    the production search
//! 2. [`mtdf`]: the driver of null-window searches
//! 3. [`nega_scout`](core::nega_scout): the production search
//! 4. [`policy`](core::policy): the hooks that a game implements
//! 5. [`deepening`]: iterative deepening, from limits to a result

mod answer;
pub mod core;
pub mod deepening;
pub mod fitted;
pub mod generic_policy;
mod iteration_log;
pub mod levels;
mod limits;
pub mod mtdf;
pub mod prob_cut;
pub mod production;
mod progress;
pub mod schedule;
pub mod searcher;
mod settings;
pub mod state;
pub mod stats;
pub mod stop;
pub mod table;
pub mod textbook;
pub mod time;
pub mod trace;

pub use answer::{Answer, Certainty, RootMove};
pub use limits::{Clock, Goal, Limits, Stops};
pub use progress::{Observer, Progress};
pub use settings::{Algorithm, AnyWeights, Settings};
