//! Othello under its own name: the 8x8 board of [`super::reversi`].

pub use super::reversi::{Othello, bitboard as board};
