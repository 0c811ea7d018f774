//! Entries of one line: positions with scores, and lists of moves.
//!
//! `[position] [fen] POSITION [[moves] MOVES] [; SCORES] [% COMMENT]` or
//! `[startpos] [moves] MOVES [RESULT] [; ...]`
//!
//! A line that does not parse as a position is a list of moves if its first word begins with a move
//! or a square; otherwise the error of the position is reported.

use super::entry::{EntryError, RecordEntry, impossible};
use super::info::{StatedResult, Statement};
use super::movetext::{Token, count_moves, narrow, play_list, play_word, tokens};
use crate::game::score::Score;
use crate::game::{NotationError, quoted};
use crate::games::any::AnyGame;
use crate::games::notation::{Cursor, before, before_comment, is_result, plain_piece, strip_pass};
use crate::games::reversi::obf;

/// Reads a line: a position or a list of moves, scores, a comment.
pub fn parse(mut board: AnyGame, text: &str) -> Result<RecordEntry, EntryError> {
    let text = &*narrow(text);
    let line = before_comment(text);
    let (head, mut scores) = line.split_once(';').unwrap_or((line, ""));
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
        result = play_fields(&mut board, text, place, &mut scores)?;
    } else if let Some((list, score)) = split_signs(&board, place) {
        play_list(&mut board, list, text, &mut 0)?;
        let word = score.split_whitespace().next().unwrap_or_default();
        let stated = StatedResult::parse(word);
        let mut entry = RecordEntry::of(board);
        entry.statement = (!word.is_empty()).then(|| Statement::for_first(word, stated));
        return Ok(entry);
    } else {
        let (position, behind) = split_tail(&board, place);
        match board.set_position(position) {
            Ok(()) if begins_with_move(&board, behind) => {
                result = play_list(&mut board, behind, text, &mut 0)?;
            }
            Ok(()) => glued = behind,
            Err(_) if begins_with_move(&board, place) => {
                board.set_start();
                result = play_fields(&mut board, text, place, &mut scores)?;
            }
            Err(error) => return Err(no_position(error, text, position)),
        }
    }
    if let Some(moves) = moves {
        result = play_fields(&mut board, text, moves, &mut scores)?.or(result);
    }
    // After a position, and with a sign alone, a number is a score.
    let is_stated = |field: &&str| is_result(field) && !field.starts_with(['+', '-']);
    let first = scores.split(';').next().map(str::trim);
    let has_moves = !board.history().is_empty();
    let result = result.or(first.filter(is_stated).filter(|_| has_moves));
    let mut entry = RecordEntry::of(board);
    entry.statement = result.and_then(Statement::ambiguous);
    read_scores(&mut entry, text, glued)?;
    read_scores(&mut entry, text, scores)?;
    entry.value = entry
        .value
        .or_else(|| entry.moves.iter().map(|&(_, score)| score).max());
    Ok(entry)
}

/// Splits Logistello's `+d3-c3+c4:-04 10` into its moves, Black's with `+` and White's with `-`, and
/// the score for Black with what follows it.
fn split_signs<'t>(game: &AnyGame, text: &'t str) -> Option<(&'t str, &'t str)> {
    let (list, score) = text.split_once(':').unwrap_or((text, ""));
    let first = list.trim_start().strip_prefix(['+', '-'])?;
    let (_, behind) = game.parse_glued(first).ok().filter(|(m, _)| !m.is_pass())?;
    (behind.is_empty() || behind.starts_with(['+', '-'])).then_some((list, score))
}

/// Plays the moves `place` and those of the fields after it; leaves the other fields in `scores`.
/// Returns the result, which may follow.
fn play_fields<'t>(
    board: &mut AnyGame,
    text: &'t str,
    place: &'t str,
    scores: &mut &'t str,
) -> Result<Option<&'t str>, EntryError> {
    let (list, rest) = split_list(board, text, place, scores);
    *scores = rest;
    let result = play_list(board, list, text, &mut 0)?;
    reject_damaged_move(board, list, rest, text)?;
    Ok(result)
}

/// The moves `place` with those of the fields after it, which `;` separates, and the fields from the
/// first one that has none. A comment of moves, or one that begins as the rest of a move, is a damaged
/// move.
fn split_list<'t>(
    game: &AnyGame,
    text: &'t str,
    place: &'t str,
    scores: &'t str,
) -> (&'t str, &'t str) {
    let start = before(text, place).len();
    let line = before_comment(text);
    let comment = text.get(line.len() + 1..).unwrap_or_default();
    if comment.starts_with(|c: char| c.is_ascii_digit() || c == '@')
        || count_moves(game, comment).is_some_and(|count| count > 0)
    {
        return (text.get(start..).unwrap_or(place), "");
    }
    let mut end = start + place.len();
    for field in scores.split(';') {
        if !begins_with_move(game, field)
            || field.contains(':') && count_moves(game, field).is_none()
        {
            break;
        }
        end = before(text, field).len() + field.len();
    }
    let rest = line.get(end..).unwrap_or_default();
    (
        text.get(start..end).unwrap_or(place),
        rest.trim_start_matches(';'),
    )
}

/// Rejects a number that could be a damaged move of an unfinished game as the field after its moves:
/// a digit, and if semicolons separate the moves, any two characters, `36` or `+6`.
fn reject_damaged_move(
    game: &mut AnyGame,
    list: &str,
    scores: &str,
    text: &str,
) -> Result<(), EntryError> {
    let mut words = scores.split(';').map(str::trim);
    let word = words.find(|word| !word.is_empty()).unwrap_or_default();
    let most = if list.contains(';') { 2 } else { 1 };
    if word.len() > most || word.parse::<i8>().is_err() || game.outcome().is_some() {
        return Ok(());
    }
    let mut played = game.history().len();
    play_word(game, text, word, &mut played)
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
pub fn split_at_moves(text: &str) -> (&str, Option<&str>) {
    match text.split_whitespace().find(|word| *word == "moves") {
        Some(word) => {
            let place = before(text, word);
            (place, text.get(place.len() + word.len()..))
        }
        None => (text, None),
    }
}

/// Splits a position from what follows it without a `;`: scores (`... X +18`, `... X G8:+18`), or
/// moves.
fn split_tail<'t>(game: &AnyGame, text: &'t str) -> (&'t str, &'t str) {
    let mut position = text.trim_end();
    let is_move = |word: &str| match count_moves(game, word) {
        Some(0) => word.ends_with(['.', ')']),
        Some(_) => word.contains(|c: char| c.is_ascii_alphabetic()) && !word.contains('/'),
        None => false,
    };
    let is_behind =
        |word: &str| word.contains(':') || word != "*" && is_result(word) || is_move(word);
    while let Some((before, last)) = position.rsplit_once(char::is_whitespace)
        && is_behind(last)
    {
        position = before.trim_end();
    }
    (position, text.strip_prefix(position).unwrap_or_default())
}

/// Whether a text that is not a position is a list of moves: its first word begins with a move or
/// with any square, on the board or not.
fn begins_with_move(game: &AnyGame, text: &str) -> bool {
    let mut words = tokens(text, false);
    let Some(Token::Word(word)) = words.find(|token| !matches!(token, Token::Comment(_))) else {
        return false;
    };
    let is_square = |word: &str| {
        matches!(word.as_bytes(), [column, row, ..]
            if column.is_ascii_alphabetic() && row.is_ascii_digit())
    };
    if word.contains(':') {
        return false; // a score
    }
    // A board may begin with `--`, and a damaged one has slashes, too.
    let chunk = text.split_whitespace().next().unwrap_or_default();
    let is_pass = strip_pass(word) == Some("") && (word != "--" || chunk == word);
    let is_move = is_pass || game.parse_glued(word).is_ok_and(|(m, _)| !m.is_pass());
    is_move || is_square(word) && chunk.split('/').skip(1).all(is_square)
}

/// The error of a text that is not a position: for the whole text, of which `position` is a part.
fn no_position(mut error: NotationError, text: &str, position: &str) -> EntryError {
    let first = position.trim_start().chars().next();
    let is_piece = |c: char| plain_piece(c).is_some() || matches!(c, '0'..='9' | 'p' | 'P');
    if first.is_some_and(|c| !is_piece(c)) {
        let error = format!(
            "cannot read \"{}\" as a position or a game",
            quoted(position.trim())
        );
        return impossible(error).at(text, position.trim_start());
    }
    if let NotationError::UnreadablePosition { column, .. } = &mut error {
        *column += before(text, position).chars().count();
    }
    error.into()
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
    let mut fields = scores.split(';').map(str::trim);
    let mut next = || fields.next().unwrap_or_default();
    let unexpected = |field: &str, expected: &str| {
        let here = Cursor::of_part(text, field);
        here.error(format!("unexpected \"{}\"", quoted(field)), expected)
    };
    let field = next();
    entry.value = match field.to_ascii_lowercase().as_str() {
        "win" => Some(Score(1)),
        "draw" => Some(Score(0)),
        "loss" => Some(Score(-1)),
        "" => entry.value,
        word if is_result(word) => None, // of the game, not of the position
        _ => return Err(unexpected(field, "win, draw or loss").into()),
    };
    let field = next();
    if !matches!(field, "" | "-") {
        let plies = field.parse().ok();
        let plies = plies.filter(|&plies: &u8| plies <= entry.game.plies_left());
        entry.plies =
            Some(plies.ok_or_else(|| unexpected(field, "the number of plies to the end, or -"))?);
    }
    Ok(())
}
