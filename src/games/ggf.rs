//! GGF: whole games as the servers and NBoard write them.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::discs::{Discs, Grid};
use super::notation::Cursor;
use crate::game::NotationError;

/// Whether a text begins as a game in GGF: `(;`, a count before it or not.
pub fn is_game(text: &str) -> bool {
    text.trim_start_matches(|c: char| c.is_ascii_digit() || c.is_whitespace()).starts_with("(;")
}

/// The last position of the first game in the text.
pub fn read_position(_grid: Grid, text: &str) -> Result<Discs, NotationError> {
    Err(Cursor::new(text).unexpected("a board"))
}
