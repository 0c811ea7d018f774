//! The problem file: positions and games in any format ([`record`]). Each is parsed when it is solved, so that an
//! invalid one does not affect the others.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::engine::setup::Setup;
use crate::game::score::Window;
use crate::games::any::AnyGame;
use crate::games::record::{self, EntryError, EntryText, RecordEntry};
use crate::platform::files;

/// An unparsed problem.
pub struct ProblemLine {
    /// The number of its first line in the file, from 1; 0 for `--position`.
    pub number: usize,
    /// Its text; several lines for a game in GGF or PGN.
    pub text: String,
    /// A board of the game.
    pub game: AnyGame,
    /// Search only this null window.
    pub window: Option<Window>,
}

impl ProblemLine {
    /// Parses the position and its stated scores.
    pub fn parse(&self) -> Result<RecordEntry, EntryError> {
        if self.number == 0 {
            return Ok(RecordEntry::of(self.game.clone()));
        }
        record::parse(&self.game, &self.text)
    }
}

/// The problems of a file (`-` for standard input); `only` is a range of line numbers.
///
/// # Errors
/// If the file cannot be read.
pub fn load(file: &Path, setup: &Setup, only: Option<(usize, usize)>) -> Result<Vec<ProblemLine>> {
    let text = files::read_stream_text(file).with_context(|| files::display_name(file))?;
    if let Some((first, last)) = only {
        let count = text.lines().count();
        let range = if first == last { first.to_string() } else { format!("{first}-{last}") };
        ensure!(last <= count, "--only {range}: {} has {count} lines", files::display_name(file));
    }
    Ok(lines(&text, &setup.board(None)?, only))
}

/// The position of a board as the only problem.
pub fn of_board(game: AnyGame) -> Vec<ProblemLine> {
    vec![ProblemLine { number: 0, text: game.write_position(), game, window: None }]
}

/// The problems of a text; `only` is a range of line numbers.
pub fn lines(text: &str, game: &AnyGame, only: Option<(usize, usize)>) -> Vec<ProblemLine> {
    let (first, last) = only.unwrap_or((1, usize::MAX));
    let wanted = record::entries(text).filter(|entry| (first..=last).contains(&entry.line));
    let problem = |entry: EntryText<'_>| {
        let (number, text) = (entry.line, entry.text.into());
        ProblemLine { number, text, game: game.clone(), window: None }
    };
    wanted.map(problem).collect()
}

/// Parses a line number or a range `A-B`, from 1.
pub fn parse_range(text: &str) -> Result<(usize, usize), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.trim().parse(), last.trim().parse()) {
        (Ok(first), Ok(last)) if (1..=last).contains(&first) => Ok((first, last)),
        _ => Err("expected a number or a range A-B".into()),
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
