//! Evaluations of Reversi: the learned one of 8x8 Othello, and a hand-made one ([`mobility`]) for
//! every board.
//!
//! The learned evaluation ([`othello`]) sees a board as the contents of patterns ([`patterns`],
//! [`indices`]), whose weights ([`weights`]), with those of a few features of the whole board
//! ([`board_features`]), are summed by a small network ([`network`]). [`odd_even`] corrects the
//! odd-even effect. [`terms`] breaks values down for display. [`evaluator`] is the interface to the
//! policy.
//!
//! Results by generation: measurements.md in this folder.

pub mod board_features;
pub mod evaluator;
pub mod indices;
pub mod mobility;
pub mod network;
pub mod odd_even;
pub mod othello;
pub mod patterns;
pub mod scale;
pub mod terms;
pub mod weights;

pub use evaluator::ReversiEvaluator;
pub use othello::OthelloEvaluator;
pub use scale::ply;
