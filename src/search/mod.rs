//! Game-tree search. Independent of any particular game; prints nothing.
//!
//! Reading order:
//! 1. [`textbook`]: minimax, alpha-beta, NegaScout and MTD(f), one page each; the test oracles of the production search
//! 2. [`mtdf`]: the driver of null-window searches
//! 3. [`nega_scout`]: the production search
//! 4. [`policy`]: the hooks that a game implements
//! 5. [`deepening`]: iterative deepening, from limits to a result
//! 6. [`endgame_searcher`]: an exact endgame solver for the last iteration

mod algorithm;
mod answer;
pub mod best_move;
pub mod context;
pub mod deepening;
pub mod endgame_searcher;
pub mod generic_policy;
pub mod isa;
mod iteration_log;
pub mod levels;
mod limits;
pub mod mtdf;
pub mod nega_scout;
mod node_tasks;
pub mod parallel;
pub mod policy;
pub mod prob_cut;
pub mod production;
mod progress;
pub mod pv_table;
pub mod schedule;
pub mod search_core;
pub mod searcher;
mod settings;
pub mod stats;
pub mod stop;
pub mod table;
pub mod textbook;
pub mod time;
pub mod trace;

pub use algorithm::Algorithm;
pub use answer::{Answer, Certainty, RootMove};
pub use limits::{Clock, Limits};
pub use progress::{Observer, Progress};
pub use settings::{AnyWeights, Settings};
