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

    /// The first character of a position that is not blank. The text ends where scores (`;`) or a comment begins.
    pub fn of_position(text: &'t str) -> Self {
        let mut cursor = Cursor::new(split_comment(text).0.split(';').next().unwrap_or(text));
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

    /// Steps over a separator with blanks around it, which must be here.
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

    /// The place at which `rest`, the end of this text, begins.
    pub fn at(&self, rest: &str) -> Cursor<'t> {
        let mut here = self.clone();
        while here.rest().len() > rest.len() {
            here.bump();
        }
        here
    }

    /// The same place in the text that ends after `length` bytes.
    pub fn of_length(&self, length: usize) -> Cursor<'t> {
        Cursor { rest: self.rest().get(..length).unwrap_or_default().chars(), column: self.column }
    }

    /// The same place in the text that ends before the first `end`; the rest, if there is none.
    pub fn up_to(&self, end: char) -> Cursor<'t> {
        let text = self.rest();
        Cursor { rest: text.split(end).next().unwrap_or(text).chars(), column: self.column }
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

    /// A side to move, behind white space or directly behind a board: `x`, `*`, `b` or `black` for the first player,
    /// `o`, `0`, `w` or `white` for the second (any case).
    pub fn side(&mut self) -> Result<Player, NotationError> {
        let mut behind = self.clone();
        if behind.eat('/') && behind.peek().is_some_and(char::is_whitespace) {
            *self = behind; // some write one behind the last row too
        }
        let is_glued = self.peek().is_some_and(|c| !c.is_whitespace());
        self.skip_blanks();
        let start = self.clone();
        match self.word().to_ascii_lowercase().as_str() {
            "x" | "*" | "b" | "black" => Ok(Player::First),
            "o" | "0" | "w" | "white" => Ok(Player::Second),
            _ if is_glued => Err(start.unexpected("a blank and the side to move: x or o")),
            _ => Err(start.unexpected("the side to move: x or o")),
        }
    }

    /// The end of a position: the counters of a FEN may stand before it (castling, en passant, move numbers), which
    /// mean nothing here.
    pub fn counters_and_end(&mut self) -> Result<(), NotationError> {
        self.eat_while(|c| c.is_whitespace() || c.is_ascii_digit() || c == '-');
        self.end()
    }
}

/// The part of a text before its comment, which `%` or `#` begins, and the comment without that character.
pub fn split_comment(text: &str) -> (&str, Option<&str>) {
    match text.split_once(['%', '#']) {
        Some((before, comment)) => (before, Some(comment.trim())),
        None => (text, None),
    }
}

/// Whether a word is the result of a game, as it stands behind a list of moves: `1-0`, `1/2-1/2`, `*` (not known),
/// discs such as `37-27`, or a difference of discs such as `+10`.
pub fn is_result(word: &str) -> bool {
    let number = |digits: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<u8>().ok().filter(|&number| is_number && number <= 64)
    };
    match word {
        "*" | "1/2-1/2" | "½-½" => true,
        _ => match (word.strip_prefix(['+', '-']), word.split_once('-')) {
            (Some(difference), _) => number(difference).is_some(),
            (None, Some((first, second))) => {
                number(first).zip(number(second)).is_some_and(|(first, second)| first + second <= 64)
            }
            (None, None) => false,
        },
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

/// Reads `size` rows of `size` squares: a letter is a piece (errors list `pieces`), a digit from 1 a run of empties.
/// Each square is passed to `place` as (row, column, piece), an empty one of a run as `.`.
///
/// Rows are separated by `/` if the text has one, blanks around it or not; a `|` ends the rows of a layer. Without `/`
/// the squares follow each other, and blanks may stand anywhere between them.
pub fn read_rows(
    cursor: &mut Cursor<'_>,
    size: u8,
    pieces: &str,
    mut place: impl FnMut(u8, u8, char) -> Placed,
) -> Result<(), NotationError> {
    let has_slashes = cursor.rest().contains('/');
    let (pieces, hole) = if has_slashes { (pieces, '*') } else { ("X, O or -", '?') };
    for row in 0..size {
        if row > 0 && has_slashes {
            cursor.separator('/', "/ and the next row")?;
        }
        let mut column = 0;
        while column < size {
            if !has_slashes {
                cursor.skip_blanks();
            }
            let Some(c) = cursor.peek().filter(|&c| !matches!(c, '/' | '|') && !c.is_whitespace()) else {
                return Err(match has_slashes {
                    true => cursor.error(format!("row {} has only {column} of {size} squares", row + 1), pieces),
                    false => cursor.error(
                        format!("the board has only {} of {} squares", row * size + column, size * size),
                        "X, O, -, or rows separated by /",
                    ),
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

/// A square as the formats of boards write it: `x`, `o`, `.` for an empty square, `?` for one that the board does not
/// have, `*` for either of x and `?`.
pub fn plain_piece(c: char) -> Option<char> {
    Some(match c {
        'x' | 'X' | 'b' | 'B' => 'x',
        'o' | 'O' | 'w' | 'W' | '0' => 'o',
        '.' | '-' | '_' => '.',
        '?' | '*' => c,
        _ => return None,
    })
}

/// The error of a piece that could not be placed: `pieces` says which there are, `hole` how a missing square is
/// written.
fn misplaced(cursor: &Cursor<'_>, c: char, placed: Placed, pieces: &str, hole: char) -> Result<(), NotationError> {
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
