//! Entries of one line: positions with scores, and lists of moves.
//!
//! `[position] [fen] POSITION [moves MOVES] [; SCORES] [% COMMENT]` or
//! `[startpos] [moves] MOVES [RESULT] [; ...]`
//!
//! A line that does not parse as a position is a list of moves if its first word begins with a move
//! or a square; otherwise the error of the position is reported.

use super::entry::{EntryError, RecordEntry, impossible};
use super::info::{GameInfo, StatedResult, iso_date, known};
use super::movetext;
use crate::game::score::Score;
use crate::game::{NotationError, quoted};
use crate::games::any::AnyGame;
use crate::games::notation::{Cursor, before, before_comment, is_result, strip_pass};
use crate::games::reversi::obf;
use crate::games::transcript::{play_word, without_number};

/// Reads a line: a position or a list of moves, scores, a comment; or a line of a list of games.
pub fn parse(mut board: AnyGame, text: &str) -> Result<RecordEntry, EntryError> {
    let before = before_comment(text);
    if let Some((moves, info)) = split_list(&board, before) {
        play_list(&mut board, moves, text)?;
        let mut entry = RecordEntry::of(board);
        entry.info = info;
        return Ok(entry.finish());
    }
    let (head, scores) = before.split_once(';').unwrap_or((before, ""));
    let words = strip_word(strip_word(head.trim_start(), "position").0, "fen").0;
    let (place, moves) = split_at_moves(words);
    let (place, is_start) = strip_word(place, "startpos");
    let (mut glued, mut result) = ("", None);
    if place.trim().is_empty() {
        let has_moves = moves.is_some_and(|moves| !moves.trim().is_empty());
        let is_start =
            is_start || has_moves || board.discs().is_none() && !scores.trim().is_empty();
        if !is_start {
            board.set_position(place)?; // which rejects it
        }
    } else if is_start {
        result = play_list(&mut board, place, text)?;
    } else {
        let (position, behind) = split_scores(place);
        match board.set_position(position) {
            Ok(()) => glued = behind,
            Err(_) if begins_with_move(&board, place) => {
                board.set_start();
                result = play_list(&mut board, place, text)?;
            }
            Err(error) => return Err(in_text(error, text, position).into()),
        }
    }
    if let Some(moves) = moves {
        result = play_list(&mut board, moves, text)?.or(result);
    }
    let mut entry = RecordEntry::of(board);
    entry.info.result = result;
    read_scores(&mut entry, text, glued)?;
    read_scores(&mut entry, text, scores)?;
    entry.value = entry
        .value
        .or_else(|| entry.moves.iter().map(|&(_, score)| score).max());
    Ok(entry.finish())
}

/// The shortest list of moves, in characters, that is a field of a list of games.
const LIST_FIELD: usize = 8;

/// Splits a line of a list of games, whose fields are separated by tabs or commas: one field is a
/// list of glued moves; the others, in any order, are the date, the result, the two players (first
/// player first) and numbers.
fn split_list<'t>(game: &AnyGame, text: &'t str) -> Option<(&'t str, GameInfo)> {
    let is_moves = |field: &str| {
        let mut rest = field;
        while let Ok((_, behind)) = game.parse_glued(rest) {
            rest = behind;
        }
        rest.is_empty() && !field.is_empty()
    };
    let separator = ['\t', ','].into_iter().find(|&c| text.contains(c))?;
    let (moves, others): (Vec<&str>, Vec<&str>) = text
        .split(separator)
        .map(|field| field.trim().trim_matches('"'))
        .filter(|field| !field.is_empty())
        .partition(|field| is_moves(field));
    let [moves] = *moves else { return None };
    if moves.len() < LIST_FIELD || others.is_empty() {
        return None;
    }
    let mut info = GameInfo::default();
    for field in others {
        let is_number = field.bytes().all(|byte| byte.is_ascii_digit());
        if let Some(result) = StatedResult::parse(field) {
            info.result = Some(result);
        } else if info.date.is_none() && field.len() >= 8 && iso_date(field).is_some() {
            info.date = iso_date(field);
        } else if !is_number && let Some(player) = info.players.iter_mut().find(|p| p.is_none()) {
            *player = known(field);
        }
    }
    Some((moves, info))
}

/// The error of an unclosed comment, variation or tag.
pub fn unclosed(part: &str) -> EntryError {
    impossible(format!("\"{}\" is not closed", quoted(part)))
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

/// Plays a list of moves, a part of `text`. Returns the result of the game, which may follow.
fn play_list(
    game: &mut AnyGame,
    list: &str,
    text: &str,
) -> Result<Option<StatedResult>, EntryError> {
    let mut words = movetext::words(list).map_err(unclosed)?;
    let result = words.pop_if(|word| is_result(word));
    let mut played = 0;
    for word in words.into_iter().filter(|&word| word != "moves") {
        play_word(game, word, &mut played)
            .map_err(|error| EntryError::from(error).at(text, word))?;
    }
    Ok(result.and_then(StatedResult::parse))
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
