//! The parser of all notations: a cursor that tracks the column, rows of squares, sides, squares
//! and passes. It never panics. Errors contain the text found, its column and what was expected.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::str::Chars;

use crate::game::{Game, Move, NotationError, Player, quoted};

/// The spellings of a pass, longer ones before their prefixes. Flipello also writes one square
/// twice.
const PASSES: [&str; 7] = ["pass", "null", "0000", "@@@@", "pa", "ps", "--"];

/// A pass at the beginning of a word (any case), and the rest of the word.
pub fn strip_pass(word: &str) -> Option<&str> {
    PASSES
        .iter()
        .find_map(|pass| match word.split_at_checked(pass.len())? {
            (head, rest) if head.eq_ignore_ascii_case(pass) => Some(rest),
            _ => None,
        })
}

/// Strips a square such as `a1`, in any case, from the start of a word. Returns
/// `width * row + column`, both less than `size`, and the rest.
pub fn strip_square(word: &str, size: u8, width: u8) -> Option<(u8, &str)> {
    let mut chars = word.chars();
    let column = u8::try_from(chars.next()?.to_ascii_lowercase())
        .ok()?
        .checked_sub(b'a')?;
    let row = u8::try_from(chars.next()?).ok()?.checked_sub(b'1')?;
    (column < size && row < size).then(|| (width * row + column, chars.as_str()))
}

/// The name of square `width * row + column`: `a1`, a letter for the column and a number for the
/// row.
pub fn square_name(square: u8, width: u8) -> String {
    format!(
        "{}{}",
        char::from(b'a' + square % width),
        square / width + 1
    )
}

/// The name of a move onto a square ([`square_name`]), or `pass`.
pub fn move_name(m: Move, width: u8, pass: &str) -> String {
    if m.is_pass() {
        pass.into()
    } else {
        square_name(m.square(), width)
    }
}

/// The error for a word that is not a move.
pub fn unreadable_move(word: &str, expected: &'static str) -> NotationError {
    NotationError::UnreadableMove {
        word: word.into(),
        expected,
    }
}

/// A position in a text, with its column (1-based, in characters).
#[derive(Clone, Debug)]
pub struct Cursor<'t> {
    rest: Chars<'t>,
    column: usize,
}

impl<'t> Cursor<'t> {
    /// The beginning of a text.
    pub fn new(text: &'t str) -> Self {
        Cursor {
            rest: text.chars(),
            column: 1,
        }
    }

    /// The start of a position, without leading blanks. The text ends before scores (`;`) or a
    /// comment.
    pub fn of_position(text: &'t str) -> Self {
        let mut cursor = Cursor::new(before_comment(text).split(';').next().unwrap_or(text));
        cursor.skip_blanks();
        cursor
    }

    /// The character here.
    pub fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    /// The rest of the text.
    pub fn rest(&self) -> &'t str {
        self.rest.as_str()
    }

    /// Consumes one character and returns it.
    pub fn bump(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        self.column += 1;
        Some(c)
    }

    /// Consumes the character if it is next.
    pub fn eat(&mut self, wanted: char) -> bool {
        let here = self.peek() == Some(wanted);
        if here {
            self.bump();
        }
        here
    }

    /// Consumes and returns the characters up to the first unwanted one.
    pub fn eat_while(&mut self, mut wanted: impl FnMut(char) -> bool) -> &'t str {
        let text = self.rest();
        while self.peek().is_some_and(&mut wanted) {
            self.bump();
        }
        before(text, self.rest())
    }

    /// Skips white space.
    pub fn skip_blanks(&mut self) {
        self.eat_while(char::is_whitespace);
    }

    /// Consumes a word, up to white space or the end.
    pub fn word(&mut self) -> &'t str {
        self.eat_while(|c| !c.is_whitespace())
    }

    /// The error that `what` was found here.
    pub fn error(&self, what: String, expected: impl Into<String>) -> NotationError {
        NotationError::UnreadablePosition {
            what,
            column: self.column,
            expected: expected.into(),
        }
    }

    /// The error that the next word, or the end of the text, is unexpected.
    pub fn unexpected(&self, expected: impl Into<String>) -> NotationError {
        let what = match self.clone().word() {
            "" if self.rest().is_empty() => "unexpected end of the text".into(),
            "" => "unexpected blank".into(),
            word => format!("unexpected \"{}\"", quoted(word)),
        };
        self.error(what, expected)
    }

    /// Consumes a required separator and the blanks around it.
    pub fn separator(&mut self, wanted: char, expected: &str) -> Result<(), NotationError> {
        let mut here = self.clone();
        here.skip_blanks();
        if !here.eat(wanted) {
            return Err(self.unexpected(expected));
        }
        here.skip_blanks();
        *self = here;
        Ok(())
    }

    /// The beginning of `part`, a part of `text`, with its column in the text.
    pub fn of_part(text: &str, part: &'t str) -> Self {
        Cursor {
            rest: part.chars(),
            column: 1 + before(text, part).chars().count(),
        }
    }

    /// The same position in the text truncated before the first `end`, if there is one.
    pub fn up_to(&self, end: char) -> Cursor<'t> {
        let text = self.rest();
        Cursor {
            rest: text.split(end).next().unwrap_or(text).chars(),
            column: self.column,
        }
    }

    /// Consumes the required character `wanted`.
    pub fn require(&mut self, wanted: char, expected: &str) -> Result<(), NotationError> {
        if self.eat(wanted) {
            Ok(())
        } else {
            Err(self.unexpected(expected))
        }
    }

    /// Consumes the name of a property of GGF or SGF and the bracket of its value: `PB[`.
    pub fn property(&mut self, expected: &str) -> Result<&'t str, NotationError> {
        let here = self.clone();
        let name = self.eat_while(|c| c.is_ascii_alphabetic());
        if name.is_empty() {
            return Err(here.unexpected(expected));
        }
        self.separator('[', "[ after the name of a tag")?;
        Ok(name)
    }

    /// Consumes the value of a property and its closing bracket. SGF escapes brackets in values by
    /// `\`, GGF has none.
    pub fn value(&mut self, is_sgf: bool) -> Result<&'t str, NotationError> {
        let mut is_escaped = false;
        let value = self.eat_while(|c| {
            let is_end = c == ']' && !is_escaped || c == '[' && !is_sgf;
            is_escaped = c == '\\' && is_sgf && !is_escaped;
            !is_end
        });
        self.require(']', "] at the end of a tag")?;
        Ok(value)
    }

    /// Requires the end of the text, after white space.
    pub fn end(&mut self) -> Result<(), NotationError> {
        self.skip_blanks();
        if self.rest().is_empty() {
            Ok(())
        } else {
            Err(self.unexpected("the end"))
        }
    }

    /// Consumes the side to move, after white space or directly after the board: `x`, `*`, `b` or
    /// `black` for the first player, `o`, `0`, `w` or `white` for the second (any case).
    pub fn side(&mut self) -> Result<Player, NotationError> {
        let mut behind = self.clone();
        if behind.eat('/') && behind.peek().is_some_and(char::is_whitespace) {
            *self = behind; // some programs end the last row with a slash, too
        }
        let is_glued = self.peek().is_some_and(|c| !c.is_whitespace());
        self.skip_blanks();
        let start = self.clone();
        if self.rest().is_empty() {
            let what = "nothing states which side is to move".into();
            return Err(start.error(what, "x or o after the board"));
        }
        match self.word().to_ascii_lowercase().as_str() {
            "x" | "*" | "b" | "black" => Ok(Player::First),
            "o" | "0" | "w" | "white" => Ok(Player::Second),
            _ if is_glued => Err(start.unexpected("a blank and the side to move: x or o")),
            _ => Err(start.unexpected("the side to move: x or o")),
        }
    }

    /// Consumes the hands of a UCI client's FEN, `[PPpp]`, if they are next.
    pub fn hands(&mut self) -> Result<(), NotationError> {
        if self.eat('[') {
            self.eat_while(|c| matches!(c, 'P' | 'p' | '-'));
            self.require(']', "P, p or ]")?;
        }
        Ok(())
    }

    /// Requires the end of a position. Skips the other fields of a FEN (castling, en passant, move
    /// numbers).
    pub fn counters_and_end(&mut self) -> Result<(), NotationError> {
        self.eat_while(|c| c.is_whitespace() || c.is_ascii_digit() || c == '-');
        self.end()
    }
}

/// The text before a part of it.
pub fn before<'t>(text: &'t str, part: &str) -> &'t str {
    let length = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    text.get(..length).unwrap_or(text)
}

/// The byte-order mark that some editors, shells and programs put before a text.
pub const BOM: char = '\u{feff}';

/// The part of a text before its comment, which `%` or `#` begins at the start or after a blank.
pub fn before_comment(text: &str) -> &str {
    let is_blank = |text: &str| text.is_empty() || text.ends_with(char::is_whitespace);
    let mut signs = text.match_indices(['%', '#']).map(|(at, _)| text.get(..at));
    signs
        .find_map(|text| text.filter(|text| is_blank(text)))
        .unwrap_or(text)
}

/// Whether a word is the result of a game, as it follows a list of moves: `1-0`, `1/2-1/2`, `*`
/// (unknown), discs such as `37-27`, or a disc difference such as `+10`.
pub fn is_result(word: &str) -> bool {
    matches!(word, "*" | "1/2-1/2" | "½-½") || disc_difference(word).is_some()
}

/// The difference that a result in discs states: `37-27`, `+10`, `-10`.
pub fn disc_difference(word: &str) -> Option<i32> {
    let discs = |text: &str| {
        let number = text.parse().ok().filter(|discs| (0..=64).contains(discs));
        number.filter(|_| text.starts_with(|c: char| c.is_ascii_digit()))
    };
    match word.split_once('-') {
        Some(("", behind)) => Some(-discs(behind)?),
        Some((first, second)) => {
            let (first, second) = (discs(first)?, discs(second)?);
            (first + second <= 64).then_some(first - second)
        }
        None => discs(word.strip_prefix('+')?),
    }
}

/// The result of placing a piece on a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placed {
    /// Placed.
    Done,
    /// There is no such piece.
    UnknownPiece,
    /// The board has no square there.
    NoSquare,
    /// The text marks a square of the board as missing.
    Square,
}

/// Parses `size` rows of `size` squares: a letter is a piece (`pieces` lists them in errors), a
/// digit from 1 a run of empties. Calls `place` for each square with (row, column, piece); the
/// empties of a run are `.`.
///
/// If the text contains a `/`, rows are separated by `/`, with optional blanks; a `|` ends the rows
/// of a layer. Without `/`, the squares follow each other, with optional blanks between them.
pub fn read_rows(
    cursor: &mut Cursor<'_>,
    size: u8,
    pieces: &str,
    mut place: impl FnMut(u8, u8, char) -> Placed,
) -> Result<(), NotationError> {
    let has_slashes = cursor.rest().contains('/');
    let (pieces, hole) = if has_slashes {
        (pieces, '*')
    } else {
        ("X, O or -", '?')
    };
    for row in 0..size {
        if row > 0 && has_slashes {
            cursor.separator('/', "/ and the next row")?;
        }
        let mut column = 0;
        while column < size {
            if !has_slashes {
                cursor.skip_blanks();
            }
            let Some(c) = cursor
                .peek()
                .filter(|&c| !matches!(c, '/' | '|') && !c.is_whitespace())
            else {
                return Err(if has_slashes {
                    let row = row + 1;
                    let what = format!("row {row} has only {column} of {size} squares");
                    cursor.error(what, pieces)
                } else {
                    let (found, all) = (row * size + column, size * size);
                    let what = format!("the board has only {found} of {all} squares");
                    cursor.error(what, "X, O, -, or rows separated by /")
                });
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
                misplaced(cursor, c, place(row, column, piece), pieces, hole)?;
            }
            column += run;
            cursor.bump();
        }
    }
    Ok(())
}

/// Normalizes a square of any board format: `x`, `o`, `.` for an empty square, `?` for a missing
/// square, `*` for either `x` or `?`.
pub fn plain_piece(c: char) -> Option<char> {
    Some(match c {
        'x' | 'X' | 'b' | 'B' => 'x',
        'o' | 'O' | 'w' | 'W' | '0' => 'o',
        '.' | '-' | '_' => '.',
        '?' | '*' => c,
        _ => return None,
    })
}

/// The error for a piece that could not be placed. `pieces` lists the valid pieces; `hole` is the
/// missing square.
fn misplaced(
    cursor: &Cursor<'_>,
    c: char,
    placed: Placed,
    pieces: &str,
    hole: char,
) -> Result<(), NotationError> {
    let c = quoted(c.encode_utf8(&mut [0; 4]));
    match placed {
        Placed::Done => Ok(()),
        Placed::UnknownPiece => Err(cursor.error(format!("unknown piece \"{c}\""), pieces)),
        Placed::NoSquare => Err(cursor.error(format!("\"{c}\" on a missing square"), hole)),
        Placed::Square => Err(cursor.error(
            format!("\"{c}\" marks a square of the board as missing"),
            pieces,
        )),
    }
}

/// Writes `size` rows of `size` squares as [`read_rows`] reads them; an empty square is `.`.
pub fn write_rows(size: u8, piece: impl Fn(u8, u8) -> char) -> String {
    let mut text = String::new();
    for row in 0..size {
        if row > 0 {
            text.push('/');
        }
        let squares: Vec<char> = (0..size).map(|column| piece(row, column)).collect();
        for run in squares.chunk_by(|&one, &next| one == '.' && next == '.') {
            match run {
                ['.', ..] => text += &run.len().to_string(),
                _ => text.extend(run),
            }
        }
    }
    text
}

/// `x` or `o` for a piece of the first or second player on this square of [`Game::packed`]'s sets,
/// else `.`.
pub fn piece(position: &impl Game, square: u8) -> char {
    let [own, other] = position.packed().map(|set| set >> square & 1 != 0);
    match position.to_move().ordered(own, other) {
        (true, _) => 'x',
        (_, true) => 'o',
        _ => '.',
    }
}

/// A row of a diagram, from 0: its number and its squares.
pub fn diagram_row(row: u8, pieces: impl IntoIterator<Item = char>) -> String {
    pieces
        .into_iter()
        .fold((row + 1).to_string(), |text, piece| {
            text + " " + piece.encode_utf8(&mut [0; 4])
        })
}
