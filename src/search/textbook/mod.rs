//! The textbook algorithms, one page each, and their [`Searcher`](super::searcher::Searcher)
//! ([`TextbookSearch`]).
//!
//! Reading order: `minimax`, `alpha_beta` (fail-hard), `fail_soft`, `nega_scout`, `mtd_f`. They are
//! written for clarity and serve as test oracles. The production search is
//! [`crate::search::core::nega_scout`].

pub mod alpha_beta;
mod context;
mod fail_soft;
mod memory;
mod minimax;
pub mod mtdf;
mod nega_scout;
mod searcher;

pub use context::TextbookContext;
pub use fail_soft::fail_soft;
pub use minimax::minimax;
pub use nega_scout::nega_scout;
pub use searcher::TextbookSearch;
