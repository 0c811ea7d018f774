//! OBF, the format of problem collections: the squares of a board in a row, the side to move, then scores.
//!
//! `-XO…` with one character a square from a1 (`X` or `*` Black, `O` White, `-` or `.` empty, `?` no square), a blank, the side,
//! then `; MOVE:SCORE` for each move known, or `; score:SCORE`. Scores are discs for the side to move.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::discs::{Discs, Grid};
use super::notation::{Cursor, Placed};
use crate::game::{NotationError, quoted};

/// Reads the board and the side; what follows a `;` is not looked at.
pub fn read_position(grid: Grid, cursor: &mut Cursor<'_>) -> Result<Discs, NotationError> {
    let discs = read_board(grid, cursor)?;
    cursor.skip_blanks();
    if !cursor.eat(';') {
        cursor.end()?;
    }
    Ok(discs)
}

fn read_board(grid: Grid, cursor: &mut Cursor<'_>) -> Result<Discs, NotationError> {
    let mut discs = Discs::empty(grid);
    for row in 0..grid.size {
        for column in 0..grid.size {
            let count = row * grid.size + column;
            let Some(c) = cursor.peek().filter(|c| !c.is_whitespace()) else {
                let what = format!("the board has only {count} of {} squares", grid.size * grid.size);
                return Err(cursor.error(what, "X, O, -, or rows separated by /"));
            };
            let placed = match c {
                'X' | 'x' | '*' | 'B' | 'b' => discs.place(row, column, 'x'),
                'O' | 'o' | 'W' | 'w' => discs.place(row, column, 'o'),
                '-' | '.' => discs.place(row, column, '.'),
                '?' => discs.place(row, column, '*'),
                _ => Placed::UnknownPiece,
            };
            let found = quoted(c.encode_utf8(&mut [0; 4]));
            match placed {
                Placed::Done => cursor.bump(),
                Placed::UnknownPiece => {
                    return Err(cursor.error(format!("unknown piece \"{found}\""), "X, O or -"));
                }
                Placed::NoSquare => {
                    return Err(cursor.error(format!("\"{found}\" where the board has no square"), "?"));
                }
                Placed::Square => {
                    return Err(cursor.error(format!("\"{found}\" on a square of the board"), "X, O or -"));
                }
            };
        }
    }
    if cursor.peek().is_some_and(|c| !c.is_whitespace()) {
        return Err(cursor.unexpected("a blank and the side to move: X or O"));
    }
    discs.to_move = cursor.side()?;
    Ok(discs)
}
