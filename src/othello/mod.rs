//! The strong Reversi engine over the rules in [`crate::games`]: kernels per instruction set, stability, evaluations, the policy
//! that plays every board by them ([`midgame`]), and the endgame kernel behind it.

pub mod board;
pub mod counting;
pub mod endgame;
pub mod eval;
pub mod kernel;
pub mod midgame;
pub mod stability;
