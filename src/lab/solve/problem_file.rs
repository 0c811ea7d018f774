//! The problem file: positions and games in any format
//! ([`record`](crate::games::record)). An invalid entry does not affect the others.

use std::io::{self, BufRead};
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::engine::setup::Setup;
use crate::games::any::AnyGame;
use crate::games::record::{EntryErrorAt, RecordEntry, RecordReader};
use crate::platform::files;

/// A position to solve.
pub struct ProblemEntry {
    /// The number of its first line in the file, from 1; 0 for `--position`.
    pub number: usize,
    /// Its text; several lines for a game in GGF or PGN.
    pub text: String,
    /// The position and its stated scores.
    pub entry: RecordEntry,
    /// Search only the null window below this score, in discs.
    pub reaches: Option<i32>,
}

impl ProblemEntry {
    /// The position of a board.
    pub fn of(game: AnyGame) -> ProblemEntry {
        ProblemEntry {
            number: 0,
            text: game.write_position(),
            entry: RecordEntry::of(game),
            reaches: None,
        }
    }
}

/// The problems of a file (`-` for standard input); `only` is a range of line numbers.
///
/// # Errors
/// If the file cannot be read.
pub fn load(
    file: &Path,
    setup: &Setup,
    only: Option<(usize, usize)>,
) -> Result<Vec<Result<ProblemEntry, EntryErrorAt>>> {
    let name = || files::display_name(file);
    let mut reader = RecordReader::open(file, &setup.board(None)?).with_context(name)?;
    let problems = problems(&mut reader, only).with_context(name)?;
    if let Some((first, last)) = only {
        let count = reader.lines();
        let range = if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        };
        ensure!(
            last <= count,
            "--only {range}: {} has {count} lines",
            name()
        );
    }
    Ok(problems)
}

/// The problems of a text; `name` is that of its file.
pub fn problems_of(
    text: &str,
    name: &str,
    game: &AnyGame,
) -> Result<Vec<Result<ProblemEntry, EntryErrorAt>>> {
    Ok(problems(
        &mut RecordReader::new(text.as_bytes(), name, game),
        None,
    )?)
}

/// The problems of a file; `only` is a range of line numbers.
fn problems(
    reader: &mut RecordReader<impl BufRead>,
    only: Option<(usize, usize)>,
) -> io::Result<Vec<Result<ProblemEntry, EntryErrorAt>>> {
    let (first, last) = only.unwrap_or((1, usize::MAX));
    let mut problems = Vec::new();
    for record in reader {
        let record = record?;
        let number = record.number();
        if (first..=last).contains(&number) {
            problems.push(record.entry.map(|entry| ProblemEntry {
                number,
                text: record.text,
                entry,
                reaches: None,
            }));
        }
    }
    Ok(problems)
}

/// Parses a line number or a range `A-B`, from 1.
pub fn parse_range(text: &str) -> Result<(usize, usize), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.trim().parse(), last.trim().parse()) {
        (Ok(first), Ok(last)) if (1..=last).contains(&first) => Ok((first, last)),
        _ => Err("expected a number or a range A-B with 1 <= A <= B".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_line_numbers_from_one() {
        assert_eq!(parse_range("3-7"), Ok((3, 7)));
        assert_eq!(parse_range("4"), Ok((4, 4)));
        for bad in ["", "0", "7-3", "a-b", "-3", "3-"] {
            assert!(parse_range(bad).is_err(), "{bad}");
        }
    }
}
