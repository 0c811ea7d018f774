//! Divides a text into entries: games in GGF, SGF and PGN, which may span lines, and lines of every
//! other format. The content decides the format.

use super::entry::newlines;
use super::{movetext, sgf};
use crate::games::notation::before_comment;
use crate::games::reversi::ggf;

/// The format of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryFormat {
    /// `(;GM[Othello]...;)`
    Ggf,
    /// `(;FF[4]GM[2]...)`
    Sgf,
    /// `[Event "..."]`
    Pgn,
    /// A line.
    Line,
}

impl EntryFormat {
    /// The format of a text without leading blanks.
    pub fn of(text: &str) -> EntryFormat {
        if sgf::is_game(text) {
            EntryFormat::Sgf
        } else if ggf::is_game(text) {
            EntryFormat::Ggf
        } else if movetext::is_game(text) {
            EntryFormat::Pgn
        } else {
            EntryFormat::Line
        }
    }

    /// The length of the entry of this format at the beginning of a text; `None` if it may go on
    /// behind the text, which is not the end of its file.
    fn length(self, text: &str, is_end: bool) -> Option<usize> {
        let length = match self {
            EntryFormat::Ggf => ggf::length(text),
            EntryFormat::Sgf => sgf::length(text),
            EntryFormat::Pgn => movetext::length(text, is_end),
            EntryFormat::Line => text.find('\n'),
        };
        length.or(is_end.then_some(text.len()))
    }
}

/// The text of an entry and its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntryText<'t> {
    /// Its number in the text, from 1.
    pub number: usize,
    /// The number of its first line, from 1.
    pub line: usize,
    /// The text, several lines of a game in GGF, SGF or PGN.
    pub text: &'t str,
}

/// The place in a text that is divided into entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Splitter {
    /// The number of the current line, from 1.
    pub line: usize,
    /// The number of entries found.
    pub found: usize,
}

impl Splitter {
    pub fn new() -> Splitter {
        Splitter { line: 1, found: 0 }
    }

    /// Takes the next entry off the beginning of a text. `None` if there is none, or if it may go
    /// on behind the text, which is not the end of its file (`is_end`). Skips empty lines and
    /// comments.
    pub fn next<'t>(&mut self, rest: &mut &'t str, is_end: bool) -> Option<EntryText<'t>> {
        loop {
            let start = rest.trim_start();
            self.line += newlines(rest.strip_suffix(start)?);
            *rest = start;
            if start.is_empty() {
                return None;
            }
            let format = EntryFormat::of(start);
            let (text, behind) = start.split_at_checked(format.length(start, is_end)?)?;
            let line = self.line;
            self.line += newlines(text);
            *rest = behind;
            if format != EntryFormat::Line || !before_comment(text).trim().is_empty() {
                self.found += 1;
                return Some(EntryText {
                    number: self.found,
                    line,
                    text: text.trim_end(),
                });
            }
        }
    }
}

/// Divides a text into entries. Skips empty lines and comments (lines that begin with `#` or `%`).
///
/// ```
/// use nullwindow::games::{any::by_name, record};
///
/// let game = by_name("othello").unwrap();
/// let text = "# openings\nf5d6c3 37-27\n[Event \"x\"]\n\n1. f5 {book}\nf6 1-0\n(;GM[Othello]BO[8 ...]B[F5];)\n";
/// let entries: Vec<_> = record::entries(text).collect();
/// assert_eq!(entries.iter().map(|entry| entry.line).collect::<Vec<_>>(), [2, 3, 7]);
/// assert_eq!(record::parse(&game, entries[1].text).unwrap().game.history().len(), 2);
/// ```
pub fn entries(text: &str) -> impl Iterator<Item = EntryText<'_>> {
    let mut rest = text.trim_start_matches('\u{feff}');
    let mut splitter = Splitter::new();
    std::iter::from_fn(move || splitter.next(&mut rest, true))
}
