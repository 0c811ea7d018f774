//! The notation of the UCI variant `flipello`: Othello in Fairy-Stockfish and its clients.
//!
//! In a FEN such as `8/8/8/3pP3/3Pp3/8/8/8[PPpp] w 0 1` the first player, Othello's Black, is White
//! (`P`, `w`). Rows are in Othello's order, but ranks are numbered from the bottom as in chess:
//! flipello's e3 is Othello's e6. A move is a drop, `P@e3`; a pass is the square of one of the
//! passing side's discs twice, `e3e3`. The hands in brackets and the counters after the side are
//! ignored when read; written hands have one disc of each side per empty.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use super::discs::{Discs, Grid};
use crate::game::{Move, NotationError, Player};
use crate::games::notation::{Cursor, Placed, read_rows, square_name, strip_square, write_rows};

/// Reads a FEN from its first row to its end.
pub fn read_fen(grid: Grid, cursor: &mut Cursor<'_>) -> Result<Discs, NotationError> {
    let mut discs = Discs::empty(grid);
    read_rows(
        cursor,
        grid.size,
        "P, p, a digit or /",
        |row, column, c| match c {
            'P' => discs.place(row, column, 'x'),
            'p' => discs.place(row, column, 'o'),
            '.' | '*' => discs.place(row, column, c),
            _ => Placed::UnknownPiece,
        },
    )?;
    cursor.hands()?;
    if cursor.peek().is_some_and(|c| !c.is_whitespace()) {
        return Err(cursor.unexpected("[ or a blank and the side to move: w or b"));
    }
    cursor.skip_blanks();
    let side = cursor.clone();
    discs.to_move = match cursor.word() {
        "w" => Player::First,
        "b" => Player::Second,
        _ => return Err(side.unexpected("the side to move: w or b")),
    };
    cursor.counters_and_end()?;
    Ok(discs)
}

/// The FEN of a position before which there were this many passes. Its move number counts the discs
/// placed and the passes, and one more pass if otherwise the other side were to move.
pub fn write_fen(discs: &Discs, passes: usize) -> String {
    let board = write_rows(discs.grid.size, |row, column| {
        match discs.piece(row, column) {
            'x' => 'P',
            'o' => 'p',
            c => c,
        }
    });
    let placed = (discs.black | discs.white).count_ones() as usize;
    let plies = placed.saturating_sub(4) + passes;
    let empties = discs.grid.squares.count_ones() as usize - placed;
    let (side, _) = discs.to_move.ordered('w', 'b');
    format!(
        "{board}[{}{}] {side} - - 0 {}",
        "P".repeat(empties),
        "p".repeat(empties),
        (plies + usize::from(plies % 2 != discs.to_move as usize)) / 2 + 1
    )
}

/// The square in the same column of the row with this number counted from the other side of the
/// board.
fn from_bottom(square: u8, size: u8) -> u8 {
    8 * (size - 1).saturating_sub(square / 8) + square % 8
}

/// A drop such as `P@e3` (any case) at the beginning of a word, and the rest of the word.
pub fn strip_drop(word: &str, size: u8) -> Option<(Move, &str)> {
    let square = word.strip_prefix(['P', 'p'])?.strip_prefix('@')?;
    let (square, rest) = strip_square(square, size, 8)?;
    Some((Move::to(from_bottom(square, size)), rest))
}

/// A legal move in flipello's notation; a pass is written by the passing side's disc on the lowest
/// square, ranks counted from the bottom.
pub fn write_move(discs: &Discs, m: Move) -> String {
    let name = |square| square_name(from_bottom(square, discs.grid.size), 8);
    if !m.is_pass() {
        return format!("P@{}", name(m.square()));
    }
    let (own, _) = discs.player_and_opponent();
    // Rank 1 is the last row here: the lowest square is in the last row with an own disc.
    let square = (0..8).rev().find_map(|row| {
        let columns = (own >> (8 * row)) as u8;
        (columns != 0).then(|| 8 * row + columns.trailing_zeros() as u8)
    });
    square.map_or_else(|| "0000".into(), |square| name(square).repeat(2))
}
