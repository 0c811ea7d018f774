//! The parser shared by all notations: a cursor that counts columns, rows of squares, sides, squares and passes.
//! It never panics; each error names the text found, its column and what was expected.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

use std::str::Chars;

use crate::game::{Move, NotationError, Player, quoted};

/// The spellings of a pass, each before its own prefixes. Flipello has another: one square twice.
const PASSES: [&str; 7] = ["pass", "null", "0000", "@@@@", "pa", "ps", "--"];

/// A pass at the beginning of a word (any case), and the rest of the word.
pub fn strip_pass(word: &str) -> Option<&str> {
    PASSES.iter().find_map(|pass| match word.split_at_checked(pass.len())? {
        (head, rest) if head.eq_ignore_ascii_case(pass) => Some(rest),
        _ => None,
    })
}

/// A square such as `e6` (any case) at the beginning of a word: column and row, both counted from 0 and below `size`,
/// and the rest of the word.
pub fn strip_square(word: &str, size: u8) -> Option<(u8, u8, &str)> {
    let mut chars = word.chars();
    let column = u8::try_from(chars.next()?.to_ascii_lowercase()).ok()?.checked_sub(b'a')?;
    let row = u8::try_from(chars.next()?).ok()?.checked_sub(b'1')?;
    (column < size && row < size).then_some((column, row, chars.as_str()))
}

/// The name of a square: column letter, row number.
pub fn square_name(column: u8, row: u8) -> String {
    format!("{}{}", char::from(b'a' + column), row + 1)
}

/// The error of a word that is no move.
pub fn unreadable_move(word: &str, expected: &'static str) -> NotationError {
    NotationError::UnreadableMove { word: word.into(), expected }
}

/// Parses a word that must be exactly one move, given a game's parser for the first of several concatenated moves.
pub fn whole_word(
    word: &str,
    expected: &'static str,
    glued: impl Fn(&str) -> Result<(Move, &str), NotationError>,
) -> Result<Move, NotationError> {
    match glued(word) {
        Ok((m, "")) => Ok(m),
        _ => Err(unreadable_move(word, expected)),
    }
}

/// A place in a text and its column (1-based, in characters).
#[derive(Clone, Debug)]
pub struct Cursor<'t> {
    rest: Chars<'t>,
    column: usize,
}

impl<'t> Cursor<'t> {
    /// The beginning of a text.
    pub fn new(text: &'t str) -> Self {
        Cursor { rest: text.chars(), column: 1 }
    }

    /// The character here.
    pub fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    /// The rest of the text.
    pub fn rest(&self) -> &'t str {
        self.rest.as_str()
    }

    /// Steps over one character and returns it.
    pub fn bump(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        self.column += 1;
        Some(c)
    }

    /// Steps over a character if it is the one here.
    pub fn eat(&mut self, wanted: char) -> bool {
        let here = self.peek() == Some(wanted);
        if here {
            self.bump();
        }
        here
    }

    /// Steps over the characters up to the first that is not wanted, and returns them.
    pub fn eat_while(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let text = self.rest();
        while self.peek().is_some_and(&wanted) {
            self.bump();
        }
        text.strip_suffix(self.rest()).unwrap_or_default()
    }

    /// Steps over white space.
    pub fn skip_blanks(&mut self) {
        self.eat_while(char::is_whitespace);
    }

    /// The word here, up to white space or the end.
    pub fn word(&mut self) -> &'t str {
        self.eat_while(|c| !c.is_whitespace())
    }

    /// The error that something else was expected here than `what`.
    pub fn error(&self, what: String, expected: impl Into<String>) -> NotationError {
        NotationError::UnreadablePosition { what, column: self.column, expected: expected.into() }
    }

    /// The error that the word or the end here is not what was expected.
    pub fn unexpected(&self, expected: impl Into<String>) -> NotationError {
        let what = match self.clone().word() {
            "" if self.rest().is_empty() => "the text ends".into(),
            "" => "a blank".into(),
            word => format!("unexpected \"{}\"", quoted(word)),
        };
        self.error(what, expected)
    }

    /// Consumes one character, which must be `wanted`.
    pub fn require(&mut self, wanted: char, expected: &str) -> Result<(), NotationError> {
        if self.eat(wanted) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    /// The end of the text, white space aside.
    pub fn end(&mut self) -> Result<(), NotationError> {
        self.skip_blanks();
        if self.rest().is_empty() { Ok(()) } else { Err(self.unexpected("the end")) }
    }

    /// A side to move behind white space: `x`, `*`, `b` or `black` for the first player, `o`, `w` or `white` for the
    /// second (any case). `;` ends the word, as in lists of problems.
    pub fn side(&mut self) -> Result<Player, NotationError> {
        self.skip_blanks();
        let start = self.clone();
        match self.eat_while(|c| !c.is_whitespace() && c != ';').to_ascii_lowercase().as_str() {
            "x" | "*" | "b" | "black" => Ok(Player::First),
            "o" | "w" | "white" => Ok(Player::Second),
            _ => Err(start.unexpected("the side to move: x or o")),
        }
    }
}

/// The result of placing a piece on a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placed {
    /// Placed.
    Done,
    /// No such piece.
    UnknownPiece,
    /// The board has no square there.
    NoSquare,
    /// The text marks a square of the board as missing.
    Square,
}

/// Reads `size` rows of `size` squares, separated by `/`: a letter is a piece (errors list `pieces`), a digit a run of
/// empty squares. Each square is passed to `place` as (row, column, piece), an empty one as `.`. A `|` ends the rows of
/// a layer.
pub fn read_rows(
    cursor: &mut Cursor<'_>,
    size: u8,
    pieces: &str,
    mut place: impl FnMut(u8, u8, char) -> Placed,
) -> Result<(), NotationError> {
    for row in 0..size {
        if row > 0 {
            cursor.require('/', "/ and the next row")?;
        }
        let mut column = 0;
        while column < size {
            let Some(c) = cursor.peek().filter(|&c| !matches!(c, '/' | '|') && !c.is_whitespace()) else {
                let what = format!("row {} has only {column} of {size} squares", row + 1);
                return Err(cursor.error(what, pieces));
            };
            let (run, piece) = match c.to_digit(10) {
                Some(digit @ 1..) => (digit as u8, '.'),
                _ => (1, c),
            };
            if run > size - column {
                let what = format!("row {} has more than {size} squares at \"{c}\"", row + 1);
                return Err(cursor.error(what, format!("at most {}", size - column)));
            }
            for column in column..column + run {
                misplaced(cursor, c, place(row, column, piece), pieces, '*')?;
            }
            column += run;
            cursor.bump();
        }
    }
    Ok(())
}

/// The error of a piece that could not be placed: `pieces` says which there are, `hole` how a missing square is
/// written.
pub fn misplaced(cursor: &Cursor<'_>, c: char, placed: Placed, pieces: &str, hole: char) -> Result<(), NotationError> {
    let c = quoted(c.encode_utf8(&mut [0; 4]));
    match placed {
        Placed::Done => Ok(()),
        Placed::UnknownPiece => Err(cursor.error(format!("unknown piece \"{c}\""), pieces)),
        Placed::NoSquare => Err(cursor.error(format!("\"{c}\" where the board has no square"), hole)),
        Placed::Square => Err(cursor.error(format!("\"{c}\" on a square of the board"), pieces)),
    }
}

/// Writes `size` rows of `size` squares as [`read_rows`] reads them; an empty square is `.`.
pub fn write_rows(size: u8, piece: impl Fn(u8, u8) -> char) -> String {
    let mut text = String::new();
    for row in 0..size {
        if row > 0 {
            text.push('/');
        }
        let mut empties = 0;
        for column in 0..size {
            match piece(row, column) {
                '.' => empties += 1,
                c => {
                    push_run(&mut text, &mut empties);
                    text.push(c);
                }
            }
        }
        push_run(&mut text, &mut empties);
    }
    text
}

fn push_run(text: &mut String, empties: &mut u8) {
    if *empties > 0 {
        text.push(char::from(b'0' + *empties));
        *empties = 0;
    }
}
