//! Evaluations of Reversi: the learnt one of 8x8 Othello, and a hand-made one ([`mobility`]) for every board.
//!
//! The learnt evaluation ([`othello`]) sees a board as the contents of patterns ([`patterns`], [`indices`]), whose
//! weights ([`weights`]) are summed up linearly ([`linear`]) or, with a few features of the whole board
//! ([`board_features`]), by a small network ([`network`]); the weight file says by which. [`centre`] removes the
//! odd-even effect. [`terms`] breaks values down for display. [`evaluator`] is what the policy needs of any of them.
//!
//! Results by generation: measurements.md in this folder.

pub mod board_features;
pub mod centre;
pub mod evaluator;
pub mod indices;
pub mod linear;
pub mod mobility;
pub mod network;
pub mod othello;
pub mod patterns;
#[cfg(test)]
mod random_weights;
pub mod scale;
mod tables;
pub mod terms;
pub mod weights;

pub use evaluator::{OrderingPenalties, ReversiEvaluator};
pub use othello::OthelloEvaluator;
pub use scale::ply;
