//! The notation of the Reversi boards: one position, several formats.
//!
//! The native format has the rows from row 1 down and the side to move, `8/8/8/3ox3/3xo3/8/8/8 x`:
//! `x` Black, `o` White, digits for runs of empties, `*` for squares that the board does not have.
//! Also accepted: `b`, `B`, `X`, `*` as Black, `w`, `W`, `O`, `0` as White, `-` and `_` as empty,
//! the 64 characters of [`obf`](super::obf) with or without separators, the side directly after the
//! squares, a game in [`ggf`] (its last position), the FEN of [`flipello`]. Moves may be in any
//! case, concatenated, with every spelling of a pass, or as flipello's `P@e3`, whose ranks count
//! from the bottom: Othello's e6.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::fmt::Write;

use super::discs::{Discs, Grid};
use super::{Reversi, Shape, flipello, ggf};
use crate::game::{Move, Notation, NotationError};
use crate::games::notation::{
    Cursor, Placed, diagram_row, move_name, plain_piece, read_rows, strip_pass, strip_square,
    unreadable_move, write_rows,
};

impl Discs {
    /// Parses a position on this board in any of the formats, also as in GGF's `BO[...]`. Ignores
    /// scores and comments (after `;`, `%` or `#`).
    pub fn read(grid: Grid, text: &str) -> Result<Self, NotationError> {
        let mut cursor = Cursor::of_position(text);
        if cursor.rest().contains('/') && cursor.rest().contains(['P', 'p']) {
            return flipello::read_fen(grid, &mut cursor);
        }
        let mut read = || {
            let mut discs = Self::read_squares(grid, &mut cursor)?;
            discs.to_move = cursor.side()?;
            cursor.counters_and_end()?;
            Ok(discs)
        };
        read().or_else(|error| ggf::read_board_value(grid, text).ok_or(error))
    }

    /// Reads the squares of a board in the native format, OBF or GGF. `*` is Black, or a square
    /// that the board does not have: always where there is no square, and in a text with runs of
    /// empties.
    pub(super) fn read_squares(grid: Grid, cursor: &mut Cursor<'_>) -> Result<Self, NotationError> {
        let mut discs = Self::empty(grid);
        let rows = cursor.rest().rsplit_once('/').map_or("", |(rows, _)| rows);
        let has_runs = rows.contains(|c: char| matches!(c, '1'..='9'));
        read_rows(cursor, grid.size, "x, o, a digit or /", |row, column, c| {
            let is_hole = discs.piece(row, column) == '*';
            match plain_piece(c) {
                Some('*') if !is_hole && !has_runs => discs.place(row, column, 'x'),
                Some('*' | '?') => discs.place(row, column, '*'),
                Some(piece) => discs.place(row, column, piece),
                None => Placed::UnknownPiece,
            }
        })?;
        Ok(discs)
    }

    /// The position in the native format.
    pub fn write(&self) -> String {
        let rows = write_rows(self.grid.size, |row, column| self.piece(row, column));
        format!("{rows} {}", self.to_move.letter())
    }

    /// A diagram of the board for display: the squares of `marked` (the legal moves) are `+`,
    /// squares that do not exist `?`.
    pub fn diagram(&self, marked: u64) -> String {
        let size = self.grid.size;
        let mut text: String = (0..size)
            .map(|column| format!(" {}", char::from(b'a' + column)))
            .collect();
        text.insert(0, ' ');
        for row in 0..size {
            let square = |column| match self.piece(row, column) {
                '*' => '?',
                '.' if marked >> (8 * row + column) & 1 != 0 => '+',
                piece => piece,
            };
            let _ = write!(text, "\n{}", diagram_row(row, (0..size).map(square)));
        }
        let (side, x, o) = (
            self.to_move.letter(),
            self.black.count_ones(),
            self.white.count_ones(),
        );
        let _ = writeln!(text, "\n{side} to move, x {x}, o {o}");
        text
    }
}

impl<S: Shape> Notation for Reversi<S> {
    const MOVE_SYNTAX: &'static str = match S::SIZE {
        8 => "a1 to h8 or pass",
        6 => "a1 to f6 or pass",
        4 => "a1 to d4 or pass",
        _ => "a square or pass",
    };

    fn parse_glued(word: &str) -> Result<(Move, &str), NotationError> {
        let size = Self::GRID.size;
        if let Some(rest) = strip_pass(word) {
            return Ok((Move::PASS, rest));
        }
        if let Some(read) = flipello::strip_drop(word, size) {
            return Ok(read);
        }
        let Some((square, rest)) = strip_square(word, size, 8) else {
            return Err(unreadable_move(word, Self::MOVE_SYNTAX));
        };
        // No square is played twice: one written twice is flipello's pass.
        match strip_square(rest, size, 8) {
            Some((twice, rest)) if twice == square => Ok((Move::PASS, rest)),
            _ => Ok((Move::to(square), rest)),
        }
    }

    fn write_move(m: Move) -> String {
        move_name(m, 8, "pass")
    }

    fn parse_position(text: &str) -> Result<Self, NotationError> {
        if ggf::is_game(text) {
            ggf::read_position(text)
        } else {
            Ok(Self::of(&Discs::read(Self::GRID, text)?))
        }
    }

    fn write_position(&self) -> String {
        self.discs().write()
    }

    fn diagram(&self) -> String {
        self.discs().diagram(self.legal())
    }
}
