//! Files of fitted numbers: ProbCut models, selectivity levels, odd-even corrections, accuracy
//! tables, and the weights of Score Four. The text has a title that begins with the kind of the
//! numbers, headings, then rows of words:
//!
//! ```text
//! title: selectivity levels of othello
//! made by: nullwindow lab train levels --game othello --fit --positions 1500 --depths 8,9,10,11,12 --seed 1
//! weights: 3980c1ad4b59eeac
//! columns: from this phase on, percent, sigmas
//! 0 50 0.790
//! 0 73 1.293
//! ```
//!
//! Empty lines and lines that begin with `#` are skipped. `weights` is the checksum of the weights
//! that the numbers were fitted to.

use std::fmt::Display;

use thiserror::Error;

use crate::game::quoted;

/// The heading of the command that made the file.
pub const MADE_BY: &str = "made by";
/// The heading of the checksum of the weights.
pub const WEIGHTS: &str = "weights";

/// An error in a file.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}: {reason}")]
pub struct FittedError {
    /// The number of the line, from 1.
    pub line: usize,
    reason: String,
}

/// The lines of a file.
#[derive(Clone, Debug)]
pub struct Fitted<'t> {
    /// Name and value, the title first.
    headings: Vec<(&'t str, &'t str)>,
    /// The number and the text of each line.
    rows: Vec<(usize, &'t str)>,
}

impl<'t> Fitted<'t> {
    /// The lines of a file of this kind.
    pub fn read(text: &'t str, kind: &str) -> Result<Fitted<'t>, FittedError> {
        let mut fitted = Fitted {
            headings: Vec::new(),
            rows: Vec::new(),
        };
        let lines = (1..).zip(text.lines().map(str::trim));
        for (number, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            match line.split_once(": ") {
                Some(heading) if fitted.rows.is_empty() => fitted.headings.push(heading),
                _ => fitted.rows.push((number, line)),
            }
        }
        match fitted.headings.first() {
            Some((name, title)) if *name == "title" && title.starts_with(kind) => Ok(fitted),
            _ => Err(error(1, format!("expected `title: {kind}`"))),
        }
    }

    /// The value of a heading.
    pub fn heading(&self, wanted: &str) -> Result<&'t str, FittedError> {
        let found = self.headings.iter().find(|(name, _)| *name == wanted);
        found
            .map(|(_, value)| *value)
            .ok_or_else(|| error(1, format!("no heading `{wanted}`")))
    }

    /// A checksum in a heading.
    pub fn checksum(&self, wanted: &str) -> Result<u64, FittedError> {
        let found = u64::from_str_radix(self.heading(wanted)?, 16);
        found.map_err(|_| error(1, format!("`{wanted}` is not a checksum")))
    }

    /// Reads the words of each row; `read` returns `None` for an invalid row.
    pub fn rows<T>(
        &self,
        columns: &str,
        mut read: impl FnMut(&[&'t str]) -> Option<T>,
    ) -> Result<Vec<T>, FittedError> {
        let read = |&(line, text): &(usize, &'t str)| {
            let error = || FittedError {
                line,
                reason: format!("invalid row \"{}\", expected {columns}", quoted(text)),
            };
            read(&text.split_whitespace().collect::<Vec<_>>()).ok_or_else(error)
        };
        self.rows.iter().map(read).collect()
    }

    /// The text of the rows.
    pub fn row_text(&self) -> impl Iterator<Item = &'t str> {
        self.rows.iter().map(|(_, text)| *text)
    }

    /// An error at the end of the file.
    pub fn end_error(&self, reason: impl Into<String>) -> FittedError {
        error(self.rows.last().map_or(1, |(line, _)| *line), reason.into())
    }
}

fn error(line: usize, reason: String) -> FittedError {
    FittedError { line, reason }
}

/// A finite number.
pub fn finite(word: &str) -> Option<f64> {
    word.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The text of a file. `checksums` are headings such as [`WEIGHTS`], left out without a value.
pub fn write(
    title: &str,
    made_by: &str,
    checksums: &[(&str, Option<u64>)],
    columns: &str,
    rows: impl IntoIterator<Item: Display>,
) -> String {
    let checksum =
        |(name, value): &(&str, Option<u64>)| Some(format!("{name}: {:016x}\n", (*value)?));
    let checksums = checksums.iter().filter_map(checksum).collect::<String>();
    let rows = rows
        .into_iter()
        .map(|row| format!("{row}\n"))
        .collect::<String>();
    format!("title: {title}\n{MADE_BY}: {made_by}\n{checksums}columns: {columns}\n{rows}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_as_it_is_written() {
        let checksums = [(WEIGHTS, Some(0xab)), ("fits", None)];
        let text = write(
            "numbers of a game",
            "nullwindow 1: x",
            &checksums,
            "a, b",
            ["1 2", "x 3"],
        );
        let text = format!("# a comment\n\n{text}\n# the end\n");
        let fitted = Fitted::read(&text, "numbers").unwrap();
        assert_eq!(
            (fitted.checksum(WEIGHTS), fitted.heading(MADE_BY)),
            (Ok(0xab), Ok("nullwindow 1: x"))
        );
        assert_eq!(
            fitted.rows("A B", |words| Some(words.concat())),
            Ok(vec!["12".into(), "x3".into()])
        );
        assert_eq!(fitted.row_text().collect::<Vec<_>>(), ["1 2", "x 3"]);
    }

    #[test]
    fn errors_name_the_line() {
        let text = "title: numbers\nweights: x\n\n1 2\nmore: 3\n";
        let fitted = Fitted::read(text, "numbers").unwrap();
        let error = fitted
            .rows("A B", |words| (words[0] == "1").then_some(()))
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 5: invalid row \"more: 3\", expected A B"
        );
        assert_eq!(
            fitted.checksum(WEIGHTS).unwrap_err().to_string(),
            "line 1: `weights` is not a checksum"
        );
        assert_eq!(
            fitted.heading(MADE_BY).unwrap_err().to_string(),
            "line 1: no heading `made by`"
        );
        assert_eq!(
            Fitted::read(text, "levels").unwrap_err().to_string(),
            "line 1: expected `title: levels`"
        );
        assert_eq!(
            fitted.end_error("too short").to_string(),
            "line 5: too short"
        );
    }
}
