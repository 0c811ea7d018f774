//! The leaves of every grammar: words, blanks, numbers, and errors that say what was expected where.
//!
//! All leaves are complete ones: a line is whole when it is read, and `finish` would panic on an `Incomplete`.

#![deny(clippy::indexing_slicing)]

use nom::bytes::complete::take_while1;
use nom::character::complete::{space0, space1};
use nom::combinator::{all_consuming, eof, map_opt, recognize, verify};
use nom::error::{ErrorKind, ParseError};
use nom::multi::separated_list1;
use nom::sequence::preceded;
use nom::{Finish, IResult, Parser};

use crate::engine::quoted;

/// What a grammar expected, and what stood there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Syntax<'l> {
    /// The rest of the line from the place on.
    pub at: &'l str,
    /// What could have stood there.
    pub expected: &'static str,
}

impl<'l> ParseError<&'l str> for Syntax<'l> {
    fn from_error_kind(at: &'l str, kind: ErrorKind) -> Self {
        let expected = if kind == ErrorKind::Eof { "the end of the line" } else { "something else" };
        Syntax { at, expected }
    }

    fn append(_at: &'l str, _kind: ErrorKind, other: Self) -> Self {
        other
    }

    /// Of two alternatives that failed, the one that got further knows better.
    fn or(self, other: Self) -> Self {
        if other.at.len() <= self.at.len() { other } else { self }
    }
}

impl Syntax<'_> {
    /// The error in words; `line` is the whole line.
    pub fn describe(&self, line: &str) -> String {
        let column = column(line, self.at);
        match self.at.split_whitespace().next() {
            Some(word) => format!("unexpected \"{}\", column {column}, expected {}", quoted(word), self.expected),
            None => format!("the line ends, column {column}, expected {}", self.expected),
        }
    }
}

/// The 1-based column, in characters, at which `rest`, a piece of `line`, begins.
pub fn column(line: &str, rest: &str) -> usize {
    let bytes = (rest.as_ptr() as usize).saturating_sub(line.as_ptr() as usize);
    line.get(..bytes).unwrap_or(line).chars().count() + 1
}

/// What a parser returns.
pub type Read<'l, T> = IResult<&'l str, T, Syntax<'l>>;

/// The parser, its error reported as an expectation of `expected`; behind a `cut` the error that was found stays.
pub fn expecting<'l, T>(
    expected: &'static str,
    mut parser: impl Parser<&'l str, Output = T, Error = Syntax<'l>>,
) -> impl FnMut(&'l str) -> Read<'l, T> {
    move |at| {
        parser.parse_complete(at).map_err(|error| match error {
            nom::Err::Error(_) => nom::Err::Error(Syntax { at, expected }),
            other => other,
        })
    }
}

/// Blanks between words.
pub fn blanks(input: &str) -> Read<'_, &str> {
    expecting("a blank", space1).parse_complete(input)
}

/// A word: anything up to a blank.
pub fn word(input: &str) -> Read<'_, &str> {
    expecting("a word", take_while1(|c| c != ' ' && c != '\t')).parse_complete(input)
}

/// A word behind blanks.
pub fn next_word(input: &str) -> Read<'_, &str> {
    preceded(space1, word).parse_complete(input)
}

/// Exactly this word, not merely its beginning.
pub fn keyword<'l>(wanted: &'static str) -> impl FnMut(&'l str) -> Read<'l, &'l str> {
    expecting(wanted, verify(word, move |found: &str| found == wanted))
}

/// One or more words with the blanks between them, as far as none of them is `stop`.
pub fn words_before<'l>(stop: &'static str, expected: &'static str) -> impl FnMut(&'l str) -> Read<'l, &'l str> {
    expecting(expected, recognize(separated_list1(space1, verify(word, move |found: &str| found != stop))))
}

/// A whole number, perhaps negative; one beyond the range is cut to it.
pub fn number(input: &str) -> Read<'_, i64> {
    expecting("a whole number", map_opt(word, whole_number)).parse_complete(input)
}

fn whole_number(word: &str) -> Option<i64> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let cut = if digits.len() < word.len() { i64::MIN } else { i64::MAX };
    whole.then(|| word.parse().unwrap_or(cut))
}

/// The end of the line, blanks aside.
pub fn end<'l>(expected: &'static str) -> impl FnMut(&'l str) -> Read<'l, ()> {
    move |input| preceded(space0, expecting(expected, eof)).map(|_| ()).parse_complete(input)
}

/// Reads the rest of a line with a parser that must take all of it.
pub fn whole<'l, T>(
    parser: impl Parser<&'l str, Output = T, Error = Syntax<'l>>,
    rest: &'l str,
) -> Result<T, Syntax<'l>> {
    all_consuming(parser).parse_complete(rest).finish().map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_whole_words() {
        assert!(keyword("go")("goo").is_err());
        assert_eq!(keyword("go")("go on"), Ok((" on", "go")));
    }

    #[test]
    fn numbers_are_cut_to_their_range() {
        for (text, value) in
            [("0", 0), ("-7", -7), ("99999999999999999999", i64::MAX), ("-99999999999999999999", i64::MIN)]
        {
            assert_eq!(number(text), Ok(("", value)));
        }
        for text in ["", "-", "1.5", "+1", "x", "1x"] {
            assert!(number(text).is_err(), "{text}");
        }
    }

    #[test]
    fn errors_name_the_column_in_characters() {
        let line = "é go x";
        let at = line.get(6..).unwrap();
        let error = number(at).finish().unwrap_err();
        assert_eq!(error.describe(line), "unexpected \"x\", column 6, expected a whole number");
        let end = Syntax { at: line.get(line.len()..).unwrap(), expected: "a word" };
        assert_eq!(end.describe(line), "the line ends, column 7, expected a word");
    }
}
