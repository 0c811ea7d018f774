//! Divides a text into entries: games in GGF, SGF, PGN and JSON, which may span lines, rows of a list
//! of games, and lines of every other format. The content decides the format.

use super::entry::newlines;
use super::format::{EntryFormat, is_json_entry, is_pgn};
use super::parse::game_length;
use super::table::{self, Table};
use super::{json, movetext};
use crate::games::any::AnyGame;
use crate::games::notation::{BOM, before, before_comment};

/// The text of an entry and its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntryText<'t> {
    /// Its number in the text, from 1.
    pub number: usize,
    /// The number of its first line, from 1.
    pub line: usize,
    /// The text, several lines of a game in GGF, SGF, PGN or JSON.
    pub text: &'t str,
    /// Its format.
    pub format: EntryFormat,
}

/// The place in a text that is divided into entries.
#[derive(Clone, Default, Debug)]
pub struct Splitter {
    /// The number of lines before the rest of the text.
    pub lines_before: usize,
    /// The number of entries found.
    pub found: usize,
    /// The list of games to which the lines belong.
    pub table: Option<Table>,
    /// Whether the text is within an array of JSON, and after one of its items.
    array: Option<bool>,
    /// Whether the last entry was a game in PGN, which comments may follow, or comments before one.
    is_behind_pgn: bool,
    /// The first line, from 0, that may begin comments before a game in PGN.
    first_unknown: usize,
}

impl Splitter {
    /// Takes the next entry off the beginning of a text, of the same game as `game`. `None` if there
    /// is none, or if it may continue after the text, which is not the end of its file (`is_end`).
    /// Skips empty lines and rows, comments, the heading of a list of games, and the totals of an analysis.
    pub fn next<'t>(
        &mut self,
        rest: &mut &'t str,
        is_end: bool,
        game: &AnyGame,
    ) -> Option<EntryText<'t>> {
        loop {
            // There may be a byte-order mark between files that were joined.
            let mut start = rest.trim_start_matches(|c: char| c.is_whitespace() || c == BOM);
            let blanks = before(rest, start);
            self.lines_before += newlines(blanks);
            // A tab before a row is an empty field.
            let indent = blanks.rsplit(['\n', BOM]).next().unwrap_or_default();
            let row = rest.get(blanks.len() - indent.len()..)?;
            *rest = row;
            if let Some(is_behind_item) = self.array {
                if start.is_empty() && is_end {
                    self.array = None;
                    return self.entry("[", EntryFormat::of("["), self.lines_before);
                }
                if let Some(behind) = start.strip_prefix(']') {
                    (self.array, *rest) = (None, behind);
                    continue;
                }
                if let Some(behind) = start.strip_prefix(',').filter(|_| is_behind_item) {
                    *rest = behind;
                    self.array = Some(false);
                    continue;
                }
            }
            if start.is_empty() {
                return None;
            }
            if self.found == 0
                && let Some(after) = after_separator(row)
            {
                *rest = after;
                continue;
            }
            let format = EntryFormat::of(start);
            // Not in an array, whose line may be long.
            let is_entry = || match format {
                EntryFormat::Line => false,
                EntryFormat::Json => is_json_entry(start),
                _ => true,
            };
            let is_unknown = self.lines_before >= self.first_unknown;
            if self.array.is_none()
                && start.starts_with(['{', ';'])
                && (self.is_behind_pgn || is_unknown)
                && !is_entry()
            {
                let behind = self.behind_comment(start, is_end)?;
                if behind.len() < start.len() {
                    self.lines_before += newlines(before(start, behind));
                    *rest = behind;
                    continue;
                }
            }
            if format == EntryFormat::Json && self.array.is_none() && start.starts_with('[') {
                if start.trim_end().len() == 1 && !is_end {
                    return None;
                }
                (self.array, *rest) = (Some(false), start.get(1..).unwrap_or_default());
                continue;
            }
            let is_other = |table: &Table| !table.covers(row);
            if format == EntryFormat::Line && self.table.as_ref().is_none_or(is_other) {
                let table = Table::find(game, row, self.found == 0);
                let has_sample = || row.match_indices('\n').nth(table::SAMPLE).is_some();
                if table.is_some() && !is_end && !has_sample() {
                    return None;
                }
                self.table = table.or(self.table.take());
            }
            let is_row = |table: &&mut Table| format == EntryFormat::Line && table.has_row(row);
            let table = self.table.as_mut().filter(is_row);
            if table.is_some() {
                start = row;
            }
            let length = match (format, &table) {
                (_, Some(table)) => table.length(start, is_end),
                (EntryFormat::Line, None) => start.find('\n'),
                (EntryFormat::Json, None) => json::length(start, self.array.is_some()),
                (format, None) => game_length(format, start, is_end),
            };
            let length = length.or(is_end.then_some(start.len()))?;
            let (text, behind) = start.split_at_checked(length)?;
            let lines_before = self.lines_before;
            self.lines_before += newlines(text);
            *rest = behind;
            let end = |c: char| c.is_whitespace() && (table.is_none() || c != '\t');
            let entry = text.trim_end_matches(end);
            let has_entry = match (format, table) {
                (_, Some(table)) => !table.skips(game, text) && table.has_entry(text),
                (EntryFormat::Line, None) => !before_comment(text).trim().is_empty(),
                (EntryFormat::Json, None) => !json::is_totals(entry),
                _ => true,
            };
            self.array = self.array.map(|_| true);
            if has_entry {
                return self.entry(entry, format, lines_before);
            }
        }
    }

    /// What follows a comment behind or before a game in PGN; the text itself if it begins another entry.
    /// `None` if the comment may continue after the text.
    fn behind_comment<'t>(&mut self, start: &'t str, is_end: bool) -> Option<&'t str> {
        if !self.is_behind_pgn {
            let behind = movetext::skip_comments(start, is_end, char::is_whitespace)?;
            let behind = behind.trim_start();
            self.is_behind_pgn = is_pgn(behind);
            let lines = newlines(before(start, behind));
            self.first_unknown = self.lines_before + lines.max(1);
        }
        match self.is_behind_pgn {
            true => movetext::skip_comment(start, is_end),
            false => Some(start),
        }
    }

    fn entry<'t>(
        &mut self,
        text: &'t str,
        format: EntryFormat,
        lines_before: usize,
    ) -> Option<EntryText<'t>> {
        self.found += 1;
        self.is_behind_pgn = format == EntryFormat::Pgn;
        if format == EntryFormat::Json {
            // Its line, which is searched for `"moves"`, may have many objects.
            self.first_unknown = self.first_unknown.max(self.lines_before + 1);
        }
        Some(EntryText {
            number: self.found,
            line: lines_before + 1,
            text,
            format,
        })
    }
}

/// What follows Excel's line with the separator of the fields, if the text begins with one.
fn after_separator(text: &str) -> Option<&str> {
    let (line, _) = text.split_once('\n')?;
    let is_filler = |c: char| c.is_whitespace() || ",;\"".contains(c);
    let is_separator = line.trim_matches(is_filler).eq_ignore_ascii_case("sep=");
    text.get(line.len()..).filter(|_| is_separator)
}
