//! The reader of positions and games in every format, used by all commands, protocols and files.
//!
//! [`entries`] divides a text into entries: games in GGF and PGN, which may span lines, and lines
//! of every other format. [`parse`] reads one entry. The content decides the format, in this order:
//! GGF (`(;`), PGN (`[Tag "value"]`), a record of `games.jsonl` (`{`, feature `cli`), else a line
//!
//! `[position] [fen] POSITION [moves MOVES] [; SCORES] [% COMMENT]` or
//! `[startpos] [moves] MOVES [RESULT] [; ...]`
//!
//! A line that does not parse as a position is a list of moves if its first word begins with a move
//! or a square; otherwise the error of the position is reported. GGF and the scores of OBF are for
//! disc games only.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod entry;
#[cfg(feature = "cli")]
mod json;
pub mod pgn;

pub use entry::{EntryError, EntryErrorAt, RecordEntry};

use entry::{check_variant, impossible, newlines};
use pgn::Token;

use super::any::AnyGame;
use super::notation::{Cursor, before, before_comment, is_result, strip_pass};
use super::reversi::{ggf, obf};
use super::transcript::{self, play_word, without_number};
use crate::game::score::Score;
use crate::game::{NotationError, quoted};

/// The text of an entry and the number of its first line, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntryText<'t> {
    /// The line.
    pub line: usize,
    /// The text, several lines of a game in GGF or PGN.
    pub text: &'t str,
}

impl EntryText<'_> {
    /// Reads the entry; `place` names the file in errors.
    pub fn parse(&self, game: &AnyGame, place: &str) -> Result<RecordEntry, EntryErrorAt> {
        parse(game, self.text).map_err(|error| {
            let line = self.line + error.lines_before;
            EntryErrorAt {
                place: place.into(),
                line,
                error,
            }
        })
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
    let mut line = 1;
    std::iter::from_fn(move || {
        loop {
            let start = rest.trim_start();
            line += newlines(rest.strip_suffix(start)?);
            if start.is_empty() {
                return None;
            }
            let length = match start {
                _ if ggf::is_game(start) => Some(ggf::length(start)),
                _ => pgn::is_game(start).then(|| pgn::length(start)),
            };
            let line_length = start.find('\n').unwrap_or(start.len());
            let (text, behind) = start.split_at_checked(length.unwrap_or(line_length))?;
            let entry = EntryText {
                line,
                text: text.trim_end(),
            };
            line += newlines(text);
            rest = behind;
            if length.is_some() || !before_comment(text).trim().is_empty() {
                return Some(entry);
            }
        }
    })
}

/// Parses an entry of the same game as `game`.
pub fn parse(game: &AnyGame, text: &str) -> Result<RecordEntry, EntryError> {
    let mut board = game.clone();
    board.set_start();
    let text = text.trim_start_matches('\u{feff}');
    let start = text.trim_start();
    #[cfg(feature = "cli")]
    if let Some(record) = json::object(start) {
        return json::parse(board, &record);
    }
    if ggf::is_game(start) {
        parse_ggf(board, text)
    } else if pgn::is_game(start) {
        parse_pgn(board, text)
    } else {
        parse_line(board, text)
    }
}

/// Sets the position of an entry, with its history.
///
/// # Errors
/// The entry cannot be parsed; `game` is unchanged.
pub fn set_position(game: &mut AnyGame, text: &str) -> Result<(), EntryError> {
    *game = parse(game, text)?.game;
    Ok(())
}

/// Reads a game in GGF.
fn parse_ggf(mut board: AnyGame, text: &str) -> Result<RecordEntry, EntryError> {
    let Some(discs) = board.discs() else {
        return Err(impossible(format!(
            "GGF is not supported for {}",
            board.name()
        )));
    };
    let record = ggf::read(discs.grid, &mut Cursor::new(text))?;
    transcript::replay(&mut board, &record)?;
    Ok(RecordEntry::of(board))
}

/// Reads a game in PGN.
fn parse_pgn(mut board: AnyGame, text: &str) -> Result<RecordEntry, EntryError> {
    let mut rest = text;
    let mut played = 0;
    while let Some(token) = pgn::next_token(&mut rest, true) {
        match token {
            Token::Tag {
                name: "FEN",
                value,
                whole,
            } => {
                board = parse_line(board, &value)
                    .map_err(|error| error.at(text, whole))?
                    .game;
            }
            Token::Tag {
                name: "Variant",
                value,
                whole,
            } => {
                check_variant(&board, &value).map_err(|error| error.at(text, whole))?;
            }
            Token::Tag { .. } => {}
            Token::Word(word) if is_result(word) => break,
            Token::Word(word) => play_word(&mut board, word, &mut played)
                .map_err(|error| EntryError::from(error).at(text, word))?,
            Token::Unclosed(part) => return Err(unclosed(part).at(text, part)),
        }
    }
    Ok(RecordEntry::of(board))
}

fn unclosed(part: &str) -> EntryError {
    impossible(format!("\"{}\" is not closed", quoted(part)))
}

/// Reads a line: a position or a list of moves, scores, a comment.
fn parse_line(mut board: AnyGame, text: &str) -> Result<RecordEntry, EntryError> {
    let before = before_comment(text);
    let (head, scores) = before.split_once(';').unwrap_or((before, ""));
    let words = strip_word(strip_word(head.trim_start(), "position").0, "fen").0;
    let (place, moves) = split_at_moves(words);
    let (place, is_start) = strip_word(place, "startpos");
    let mut glued = "";
    if place.trim().is_empty() {
        let has_moves = moves.is_some_and(|moves| !moves.trim().is_empty());
        let is_start =
            is_start || has_moves || board.discs().is_none() && !scores.trim().is_empty();
        if !is_start {
            board.set_position(place)?; // which rejects it
        }
    } else if is_start {
        play_list(&mut board, place, text)?;
    } else {
        let (position, behind) = split_scores(place);
        match board.set_position(position) {
            Ok(()) => glued = behind,
            Err(_) if begins_with_move(&board, place) => {
                board.set_start();
                play_list(&mut board, place, text)?;
            }
            Err(error) => return Err(in_text(error, text, position).into()),
        }
    }
    if let Some(moves) = moves {
        play_list(&mut board, moves, text)?;
    }
    let mut entry = RecordEntry::of(board);
    read_scores(&mut entry, text, glued)?;
    read_scores(&mut entry, text, scores)?;
    entry.value = entry
        .value
        .or_else(|| entry.moves.iter().map(|&(_, score)| score).max());
    Ok(entry)
}

/// Strips a word from the start of a text. Returns whether it was there.
fn strip_word<'t>(text: &'t str, word: &str) -> (&'t str, bool) {
    match text.split_at_checked(word.len()) {
        Some((head, rest))
            if head.eq_ignore_ascii_case(word) && !rest.starts_with(char::is_alphanumeric) =>
        {
            (rest.trim_start(), true)
        }
        _ => (text, false),
    }
}

/// The text before the first word `moves`, and the text after it.
fn split_at_moves(text: &str) -> (&str, Option<&str>) {
    let is_word = |at: usize| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let behind = text
            .get(at + "moves".len()..)
            .and_then(|text| text.chars().next());
        before.is_none_or(char::is_whitespace) && behind.is_none_or(char::is_whitespace)
    };
    match text.match_indices("moves").find(|&(at, _)| is_word(at)) {
        Some((at, word)) => (
            text.get(..at).unwrap_or_default(),
            text.get(at + word.len()..),
        ),
        None => (text, None),
    }
}

/// Splits a position from scores that follow it without a `;`: `... X +18` or `... X G8:+18`.
fn split_scores(text: &str) -> (&str, &str) {
    let mut position = text.trim_end();
    let is_score =
        |word: &str| word.contains(':') || word.starts_with(['+', '-']) && is_result(word);
    while let Some((before, last)) = position.rsplit_once(char::is_whitespace)
        && is_score(last)
    {
        position = before.trim_end();
    }
    (position, text.strip_prefix(position).unwrap_or_default())
}

/// Whether a text that is not a position is a list of moves: its first word begins with a move or
/// with any square, on the board or not.
fn begins_with_move(game: &AnyGame, text: &str) -> bool {
    let first = text
        .split_whitespace()
        .map(without_number)
        .find(|word| !word.is_empty())
        .unwrap_or_default();
    let is_square = || {
        matches!(first.as_bytes(), [column, row, ..]
            if column.is_ascii_alphabetic() && row.is_ascii_digit())
    };
    let is_move =
        game.parse_glued(first).is_ok_and(|(m, _)| !m.is_pass()) || strip_pass(first) == Some("");
    is_move || is_square() && !first.contains('/')
}

/// Plays a list of moves, a part of `text`, which may end with the result of the game.
fn play_list(game: &mut AnyGame, list: &str, text: &str) -> Result<(), EntryError> {
    let mut words = pgn::words(list).map_err(unclosed)?;
    words.pop_if(|word| is_result(word));
    let mut played = 0;
    for word in words.into_iter().filter(|&word| word != "moves") {
        play_word(game, word, &mut played)
            .map_err(|error| EntryError::from(error).at(text, word))?;
    }
    Ok(())
}

/// Converts the column of an error from the position to the whole text.
fn in_text(mut error: NotationError, text: &str, position: &str) -> NotationError {
    if let NotationError::UnreadablePosition { column, .. } = &mut error {
        *column += before(text, position).chars().count();
    }
    error
}

/// Parses the scores, a part of `text`.
fn read_scores(entry: &mut RecordEntry, text: &str, scores: &str) -> Result<(), EntryError> {
    if scores.trim().is_empty() {
        return Ok(());
    }
    let Some(discs) = entry.game.discs() else {
        return read_outcome(entry, text, scores);
    };
    let mut cursor = Cursor::of_part(text, scores);
    for (m, score) in obf::read_scores(discs.grid, &mut cursor)? {
        match m {
            None => entry.value = Some(score),
            Some(m) if entry.game.moves().contains(&m) => entry.moves.push((m, score)),
            Some(m) => {
                return Err(impossible(format!(
                    "the scored move {} is illegal",
                    entry.game.write_move(m)
                )));
            }
        }
    }
    Ok(())
}

/// Parses the annotations of games won by a line: `win`, `draw` or `loss` for the side to move,
/// then the number of plies to the end or `-`. Ignores further fields.
fn read_outcome(entry: &mut RecordEntry, text: &str, scores: &str) -> Result<(), EntryError> {
    let mut fields = scores.split(';');
    let unexpected = |field: &str, expected: &str| {
        let here = Cursor::of_part(text, field.trim_start());
        here.error(format!("unexpected \"{}\"", quoted(field.trim())), expected)
    };
    if let Some(field) = fields.next().filter(|field| !field.trim().is_empty()) {
        entry.value = match field.trim().to_ascii_lowercase().as_str() {
            "win" => Some(Score(1)),
            "draw" => Some(Score(0)),
            "loss" => Some(Score(-1)),
            word if is_result(word) => None, // of the game, not of the position
            _ => return Err(unexpected(field, "win, draw or loss").into()),
        };
    }
    if let Some(field) = fields
        .next()
        .filter(|field| !matches!(field.trim(), "" | "-"))
    {
        let plies = field
            .trim()
            .parse()
            .ok()
            .filter(|&plies: &u8| plies <= entry.game.plies_left());
        entry.plies =
            Some(plies.ok_or_else(|| unexpected(field, "the number of plies to the end, or -"))?);
    }
    Ok(())
}
