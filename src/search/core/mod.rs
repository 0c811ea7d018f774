//! The production search: the loop and what it is mutually dependent with.
//!
//! [`nega_scout`] is the loop; it recurses through [`isa`], which has a copy of it for each
//! instruction set. [`policy`] holds the hooks that a game implements, [`context`] what a thread of
//! the search knows, [`parallel`] the split points at which threads share the moves of a node.

pub mod context;
pub mod isa;
pub mod nega_scout;
pub mod parallel;
pub mod policy;
