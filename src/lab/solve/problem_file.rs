//! The problem file: positions and games in any format ([`record`]). An invalid entry does not
//! affect the others.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::engine::setup::Setup;
use crate::games::any::AnyGame;
use crate::games::record::{self, EntryErrorAt, EntryText, RecordEntry};
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
    let name = files::display_name(file);
    let text = files::read_stream_text(file).with_context(|| name.clone())?;
    if let Some((first, last)) = only {
        let count = text.lines().count();
        let range = if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        };
        ensure!(last <= count, "--only {range}: {name} has {count} lines");
    }
    Ok(lines(&text, &name, &setup.board(None)?, only))
}

/// The problems of a text; `name` is that of its file.
pub fn lines(
    text: &str,
    name: &str,
    game: &AnyGame,
    only: Option<(usize, usize)>,
) -> Vec<Result<ProblemEntry, EntryErrorAt>> {
    let (first, last) = only.unwrap_or((1, usize::MAX));
    let wanted = record::entries(text).filter(|entry| (first..=last).contains(&entry.line));
    let problem = |entry: EntryText<'_>| {
        let (number, text) = (entry.line, entry.text.into());
        Ok(ProblemEntry {
            number,
            text,
            entry: entry.parse(game, name)?,
            reaches: None,
        })
    };
    wanted.map(problem).collect()
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
