//! The production search: the loop and the modules that depend on it and on each other.
//!
//! [`nega_scout`] is the loop; it recurses through [`isa`], which has a copy of it for each
//! instruction set. [`policy`] holds the hooks that a game implements, [`context`] the state of a
//! search thread, [`parallel`] the split points at which threads share the moves of a node.

pub mod context;
pub mod isa;
pub mod nega_scout;
pub mod parallel;
pub mod policy;
