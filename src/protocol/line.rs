//! Reads lines from arbitrary bytes. Lines end in `\n` or `\r\n`, the last one also at the end of
//! input. A line that is not UTF-8 or longer than [`MAX_LINE`] is an error; reading continues after
//! it. Escape sequences of keys are removed: a terminal without line editing sends them with the
//! line.

#![deny(clippy::indexing_slicing)]

use std::io::{self, BufRead, Read};

use thiserror::Error;

/// The maximum length of a line in bytes; a longer one is skipped.
pub const MAX_LINE: usize = 1 << 20;

/// Why a line could not be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum LineError {
    /// It is not UTF-8.
    #[error("invalid UTF-8, column {column}")]
    NotText {
        /// The 1-based column of the bad byte, in characters.
        column: usize,
    },
    /// It is longer than [`MAX_LINE`].
    #[error("line ignored: longer than {MAX_LINE} bytes")]
    TooLong,
}

/// Reads the next line without its line end; `None` at the end of input.
pub fn read_line(input: &mut impl BufRead) -> io::Result<Option<Result<String, LineError>>> {
    let mut line = Vec::new();
    if input
        .by_ref()
        .take(MAX_LINE as u64 + 1)
        .read_until(b'\n', &mut line)?
        == 0
    {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > MAX_LINE {
        input.skip_until(b'\n')?;
        return Ok(Some(Err(LineError::TooLong)));
    }
    Ok(Some(text(line)))
}

fn text(mut line: Vec<u8>) -> Result<String, LineError> {
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    let text = String::from_utf8(line).map_err(|error| {
        let good = error.as_bytes().utf8_chunks().next();
        LineError::NotText {
            column: good.map_or(0, |good| good.valid().chars().count()) + 1,
        }
    })?;
    Ok(if text.contains(ESCAPE) {
        without_escape_sequences(&text)
    } else {
        text
    })
}

const ESCAPE: char = '\u{1b}';

/// The text without the sequences of ECMA-48 that keys send: `ESC [ parameters final`,
/// `ESC O final`, `ESC key`.
fn without_escape_sequences(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != ESCAPE {
            kept.push(c);
            continue;
        }
        match rest.next() {
            // The final byte is the first one that is neither a parameter nor an intermediate.
            Some('[') => drop(rest.find(|c| !(' '..='?').contains(c))),
            Some('O') => drop(rest.next()),
            _ => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(mut bytes: &[u8]) -> Vec<Result<String, LineError>> {
        std::iter::from_fn(|| read_line(&mut bytes).unwrap()).collect()
    }

    #[test]
    fn all_kinds_of_lines_are_read() {
        assert_eq!(lines(b""), []);
        assert_eq!(
            lines(b"ugi\r\n\nquit"),
            [Ok("ugi".into()), Ok(String::new()), Ok("quit".into())]
        );
        assert_eq!(lines(b"a\0b\n"), [Ok("a\0b".into())]);
        assert_eq!(lines("é\u{fffd}x".as_bytes()), [Ok("é\u{fffd}x".into())]);
        assert_eq!(
            lines(b"\xc3\xa9x\xff\nugi\n"),
            [Err(LineError::NotText { column: 3 }), Ok("ugi".into())]
        );
    }

    #[test]
    fn escape_sequences_of_keys_are_dropped() {
        for (typed, line) in [
            ("\x1b[A", ""),
            ("\x1b[A\x1b[B\x1b[C\x1b[D", ""),
            ("quit\x1b[D\x1b[3~", "quit"),
            ("\x1b[1;5Cgo depth 3", "go depth 3"),
            ("\x1bOAd\x1bOP", "d"),
            ("g\x1bbo", "go"),
            ("d\x1b", "d"),
            ("d\x1b[", "d"),
            ("d\x1b[12", "d"),
            ("d\x1bO", "d"),
            ("é\x1b[Aé", "éé"),
        ] {
            assert_eq!(lines(typed.as_bytes()), [Ok(line.into())], "{typed:?}");
        }
    }

    #[test]
    fn a_line_may_be_a_mebibyte_long_and_no_longer() {
        let long = "x".repeat(MAX_LINE);
        assert_eq!(
            lines(format!("{long}\nugi").as_bytes()),
            [Ok(long.clone()), Ok("ugi".into())]
        );
        assert_eq!(
            lines(format!("{long}x\nugi").as_bytes()),
            [Err(LineError::TooLong), Ok("ugi".into())]
        );
        assert_eq!(
            lines(format!("{long}x").as_bytes()),
            [Err(LineError::TooLong)]
        );
    }
}
