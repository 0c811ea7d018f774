//! Lexical parsers shared by the grammars (words, blanks, numbers), and syntax errors with the
//! expected token and the column. Only nom's `complete` parsers are used: lines are complete, and
//! `finish` would panic on an `Incomplete`.

#![deny(clippy::indexing_slicing)]

use nom::bytes::complete::take_while1;
use nom::character::complete::{space0, space1};
use nom::combinator::{eof, map_opt, recognize, verify};
use nom::error::{ErrorKind, ParseError};
use nom::multi::separated_list1;
use nom::sequence::preceded;
use nom::{Finish, IResult, Parser};

use std::str::FromStr;

use crate::engine::quoted;
use crate::games::notation::before;

/// A syntax error: the expected token and its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SyntaxError<'l> {
    /// The rest of the line from that place on.
    pub at: &'l str,
    /// The expected token.
    pub expected: &'static str,
}

impl<'l> ParseError<&'l str> for SyntaxError<'l> {
    fn from_error_kind(at: &'l str, _kind: ErrorKind) -> Self {
        SyntaxError {
            at,
            expected: "something else",
        }
    }

    fn append(_at: &'l str, _kind: ErrorKind, other: Self) -> Self {
        other
    }
}

impl SyntaxError<'_> {
    /// The error message; `line` is the whole line.
    pub fn describe(&self, line: &str) -> String {
        let word = self.at.split_whitespace().next();
        let found = word.map_or("end of line".into(), |word| format!("\"{}\"", quoted(word)));
        format!(
            "unexpected {found}, column {}, expected {}",
            column(line, self.at),
            self.expected
        )
    }
}

/// The 1-based column, in characters, at which `rest`, a part of `line`, begins.
pub fn column(line: &str, rest: &str) -> usize {
    before(line, rest).chars().count() + 1
}

/// The result of a parser.
pub type ParseResult<'l, T> = IResult<&'l str, T, SyntaxError<'l>>;

/// The parser with its error replaced by an expectation of `expected`; a failure after a `cut` is
/// kept.
pub fn expecting<'l, T>(
    expected: &'static str,
    mut parser: impl Parser<&'l str, Output = T, Error = SyntaxError<'l>>,
) -> impl FnMut(&'l str) -> ParseResult<'l, T> {
    move |at| {
        parser.parse_complete(at).map_err(|error| match error {
            nom::Err::Error(_) => nom::Err::Error(SyntaxError { at, expected }),
            other => other,
        })
    }
}

/// One or more blanks.
pub fn blanks(input: &str) -> ParseResult<'_, &str> {
    expecting("a blank", space1).parse_complete(input)
}

/// A word: everything up to the next blank.
pub fn word(input: &str) -> ParseResult<'_, &str> {
    expecting("a word", take_while1(|c| c != ' ' && c != '\t')).parse_complete(input)
}

/// Blanks and a word.
pub fn next_word(input: &str) -> ParseResult<'_, &str> {
    preceded(space1, word).parse_complete(input)
}

/// Blanks and a word that is the text of a `T`.
pub fn value<T: FromStr>(input: &str) -> ParseResult<'_, T> {
    map_opt(next_word, |word: &str| word.parse().ok()).parse_complete(input)
}

/// The parsed value; or, at the end of the line, the default and the error.
pub fn or_default<T>(
    default: T,
    parsed: ParseResult<'_, T>,
) -> (&str, (T, Option<SyntaxError<'_>>)) {
    match parsed.finish() {
        Ok((rest, value)) => (rest, (value, None)),
        Err(error) => ("", (default, Some(error))),
    }
}

/// Exactly this word, not just a prefix.
pub fn keyword<'l>(wanted: &'static str) -> impl FnMut(&'l str) -> ParseResult<'l, &'l str> {
    expecting(wanted, verify(word, move |found: &str| found == wanted))
}

/// One or more words with the blanks between them, up to the word `stop`.
pub fn words_before<'l>(
    stop: &'static str,
    expected: &'static str,
) -> impl FnMut(&'l str) -> ParseResult<'l, &'l str> {
    expecting(
        expected,
        recognize(separated_list1(
            space1,
            verify(word, move |found: &str| found != stop),
        )),
    )
}

/// An integer, clamped to the range of `i64`.
pub fn number(input: &str) -> ParseResult<'_, i64> {
    expecting("a whole number", map_opt(word, whole_number)).parse_complete(input)
}

fn whole_number(word: &str) -> Option<i64> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let clamped = if digits.len() < word.len() {
        i64::MIN
    } else {
        i64::MAX
    };
    whole.then(|| word.parse().unwrap_or(clamped))
}

/// The end of the line, after optional blanks.
pub fn end<'l>(expected: &'static str) -> impl FnMut(&'l str) -> ParseResult<'l, ()> {
    move |input| {
        preceded(space0, expecting(expected, eof))
            .map(|_| ())
            .parse_complete(input)
    }
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
    fn numbers_are_clamped_to_their_range() {
        for (text, value) in [
            ("0", 0),
            ("-7", -7),
            ("99999999999999999999", i64::MAX),
            ("-99999999999999999999", i64::MIN),
        ] {
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
        assert_eq!(
            error.describe(line),
            "unexpected \"x\", column 6, expected a whole number"
        );
        let end = SyntaxError {
            at: line.get(line.len()..).unwrap(),
            expected: "a word",
        };
        assert_eq!(
            end.describe(line),
            "unexpected end of line, column 7, expected a word"
        );
    }
}
