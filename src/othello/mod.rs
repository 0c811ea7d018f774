//! The strong Othello engine over the rules in [`crate::games`]: kernels per instruction set, stability, the learnt
//! evaluation, the policy that plays by it ([`midgame`]), and an exact endgame without it.
//!
//! The smaller Reversi boards ride on the same two words ([`board`]).

pub mod board;
pub mod counting;
pub mod endgame;
pub mod eval;
pub mod finishing;
pub mod kernel;
pub mod midgame;
pub mod stability;
