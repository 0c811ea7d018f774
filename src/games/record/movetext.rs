//! The scanner of games in PGN and of lists of moves as users and programs write them: tags, then
//! moves with numbers, comments, variations and annotations, then the result.
//!
//! Moves may be glued or separated by blanks, `,`, `;`, `-`, `.`, `/` and `|`; `--` is a pass. Numbers
//! end with `.`, `:` or `)`. Skipped are comments to the end of the line in PGN (`;`, lines that begin
//! with `%`), variations (`(...)`) and annotations (`$1`, `!?`).

use std::borrow::Cow;
use std::iter;

use super::entry::{EntryError, TranscriptError, impossible};
use super::format::{begins_game, is_pgn, tag_value};
use crate::game::{IllegalMove, Move, quoted};
use crate::games::any::AnyGame;
use crate::games::notation::{before, is_result, strip_square};

/// The length in bytes of the game at the beginning of a text for which [`is_pgn`] holds: up to
/// its result, the next game, or the end. `None` if the game may continue after the text,
/// which is not the end of its file.
pub fn length(text: &str, is_end: bool) -> Option<usize> {
    let mut rest = text;
    let (mut in_tags, mut has_event) = (true, false);
    while let Some(token) = next_token(&mut rest, true) {
        match token {
            Token::Tag { name, whole, .. } => {
                if !in_tags || name == "Event" && has_event {
                    return Some(before(text, whole).len());
                }
                has_event |= name == "Event";
            }
            Token::Word(word) if is_result(word) => {
                let behind = text.get(before(text, word).len() + word.len()..)?;
                let is_blank = |c| matches!(c, ' ' | '\t' | '\r');
                return Some(before(text, skip_comments(behind, is_end, is_blank)?).len());
            }
            Token::Word(_) => in_tags = false,
            Token::Comment(_) => {}
            Token::Unclosed(part) => {
                let is_event = part.starts_with("[Event");
                if is_event && has_event {
                    return Some(before(text, part).len());
                }
                has_event |= is_event;
                if begins_game(rest) {
                    return Some(before(text, rest).len());
                }
            }
            Token::NextGame(part) => return Some(before(text, part).len()),
        }
    }
    is_end.then_some(text.len())
}

/// The text after the comment, if any, at the beginning of a text between games in PGN. `None` if the
/// comment may continue after the text, which is not the end of its file.
pub fn skip_comment(text: &str, is_end: bool) -> Option<&str> {
    let (length, is_open) = match text.chars().next() {
        Some('{') => {
            let is_open = !text.contains('}') && !holds_game(text);
            (braces_length(text), is_open)
        }
        Some(';') => (Some(line_length(text)), !text.contains('\n')),
        first => (None, first.is_none()),
    };
    let is_known = is_end || !is_open;
    text.get(length.unwrap_or_default()..).filter(|_| is_known)
}

/// The text after several comments, which blanks may precede, as for [`skip_comment`].
pub fn skip_comments(text: &str, is_end: bool, is_blank: fn(char) -> bool) -> Option<&str> {
    let mut rest = text;
    loop {
        let comment = rest.trim_start_matches(is_blank);
        let behind = skip_comment(comment, is_end)?;
        if behind.len() == comment.len() {
            return Some(rest);
        }
        rest = behind;
    }
}

/// The length of the comment in braces at the beginning of a text; `None` if it is not closed before
/// the next comment or game.
fn braces_length(text: &str) -> Option<usize> {
    let end = text.find('}')?;
    let comment = text.get(1..end).unwrap_or_default();
    (!comment.contains('{') && !holds_game(comment)).then_some(end + 1)
}

/// Plays the moves of a text, as [`play_list`] does. On an error, the moves before the bad one stay
/// played.
///
/// ```
/// use nullwindow::games::{any::by_name, record::play_all};
///
/// let mut game = by_name("othello").unwrap();
/// assert_eq!(play_all(&mut game, "1. F5 d6 2. C3d3 P@c5"), Ok(None));
/// let error = play_all(&mut game, "f4 a1").unwrap_err();
/// assert_eq!(error.to_string(), "illegal move \"a1\" at ply 2");
/// assert_eq!(game.history().len(), 6);
/// ```
pub fn play_all<'t>(game: &mut AnyGame, text: &'t str) -> Result<Option<&'t str>, EntryError> {
    play_list(game, text, text, &mut 0)
}

/// Plays a list of moves, a part of `text`, with any separators, move numbers, comments, variations
/// and annotations, and adds their number to `played`. Returns the result, which may follow.
///
/// # Errors
/// An unreadable or illegal move, an unclosed comment, a word after the result, or a disc difference
/// of one digit after an unfinished game: it could be a damaged move.
pub fn play_list<'t>(
    game: &mut AnyGame,
    list: &'t str,
    text: &str,
    played: &mut usize,
) -> Result<Option<&'t str>, EntryError> {
    let mut result = None;
    for token in tokens(list, false) {
        match token {
            Token::Comment(_) => {}
            Token::Word(word) if result.is_none() && is_result(word) => result = Some(word),
            Token::Word("moves") if result.is_none() => {}
            Token::Word(word) => {
                let word = result.unwrap_or(word);
                play_word(game, text, word, played)?;
            }
            Token::Tag { whole: part, .. } | Token::Unclosed(part) | Token::NextGame(part) => {
                return Err(unclosed(part).at(text, part));
            }
        }
    }
    match result {
        Some(word) if word.len() == 2 && game.outcome().is_none() => {
            play_word(game, text, word, played)?;
        }
        _ => {}
    }
    Ok(result)
}

/// Plays a move, after a pass if the side to move must pass. An illegal move is an error and
/// changes nothing.
pub fn play(game: &mut AnyGame, m: Move) -> Result<(), IllegalMove> {
    let is_inserted =
        !m.is_pass() && game.moves().contains(&Move::PASS) && game.play(Move::PASS).is_ok();
    let done = game.play(m);
    if done.is_err() && is_inserted {
        game.undo();
    }
    done
}

/// Plays the glued moves of a word of a text and adds their number to `played`. On an error, the moves
/// before the bad one stay played. Words that are a pass are also `Z0`, `パス` and, in
/// Fairy-Stockfish's flipello, `Pd1`, `P` and the square of an own disc.
///
/// # Errors
/// If a move is illegal or unreadable.
pub fn play_word(
    game: &mut AnyGame,
    text: &str,
    word: &str,
    played: &mut usize,
) -> Result<(), EntryError> {
    let is_san_pass = || {
        let square = word.strip_prefix('P')?;
        let (m, behind) = game.parse_glued(square).ok()?;
        Some(game.discs().is_some() && behind.is_empty() && !m.is_pass())
    };
    let is_pass = word.eq_ignore_ascii_case("z0") || word == "パス" || is_san_pass() == Some(true);
    let mut rest = word;
    while !rest.is_empty() {
        let ply = *played + 1;
        let (m, behind) = match game.parse_glued(rest) {
            _ if is_pass => (Move::PASS, ""),
            Ok(read) => read,
            Err(error) => {
                let error = TranscriptError::Unreadable { ply, error };
                return Err(EntryError::from(error).at(text, rest));
            }
        };
        play(game, m).map_err(|_| {
            let word = rest.strip_suffix(behind).unwrap_or(rest).into();
            EntryError::from(IllegalMove { word, ply }).at(text, rest)
        })?;
        *played = ply;
        rest = behind;
    }
    Ok(())
}

/// Whether a text has a position, or a list of at least two moves and nothing else.
#[cfg(feature = "cli")]
pub fn carries_game(game: &AnyGame, text: &str) -> bool {
    let text = narrow(text);
    count_moves(game, &text).is_some_and(|count| count > 1) || game.parse_position(&text).is_ok()
}

/// The number of moves, legal or not, in a text that has nothing else but separators and numbers.
pub fn count_moves(game: &AnyGame, text: &str) -> Option<usize> {
    let mut count = 0;
    for token in tokens(text, false) {
        let Token::Word(mut word) = token else {
            return None;
        };
        while !word.is_empty() {
            (_, word) = game.parse_glued(word).ok()?;
            count += 1;
        }
    }
    Some(count)
}

/// The text with full-width letters, digits and signs replaced by those of ASCII.
pub fn narrow(text: &str) -> Cow<'_, str> {
    let is_wide = |c: char| ('\u{ff01}'..='\u{ff5e}').contains(&c);
    if !text.contains(is_wide) {
        return text.into();
    }
    let ascii = |c: char| char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c);
    text.chars()
        .map(|c| if is_wide(c) { ascii(c) } else { c })
        .collect()
}

/// The error of a part that is no tag, or of an unclosed comment or variation.
pub fn unclosed(part: &str) -> EntryError {
    let text = quoted(part);
    impossible(match part.strip_prefix('{') {
        _ if part.starts_with('[') => {
            format!("cannot read \"{text}\" as a tag, expected [Name \"value\"]")
        }
        Some(comment) if comment.contains('{') => {
            format!("the comment \"{text}\" is not closed before its second {{")
        }
        _ => format!("\"{text}\" is not closed"),
    })
}

/// A part of a game.
pub enum Token<'t> {
    /// `[name "value"]`, and its whole text.
    Tag {
        name: &'t str,
        value: String,
        whole: &'t str,
    },
    /// A move, several of them glued, or the result.
    Word(&'t str),
    /// The text of a comment in braces.
    Comment(&'t str),
    /// An unclosed comment, variation or tag.
    Unclosed(&'t str),
    /// The next game, in another format.
    NextGame(&'t str),
}

/// The tokens of a text: [`next_token`].
pub fn tokens(text: &str, game: bool) -> impl Iterator<Item = Token<'_>> {
    let mut rest = text;
    iter::from_fn(move || next_token(&mut rest, game))
}

/// The next token; move numbers, separators, variations and annotations are skipped. Advances `rest`
/// past it. Tags and comments to the end of the line exist only in a `game` in PGN.
///
/// A comment, variation or tag that is not closed before the next game ends there, so that this game
/// can be read.
fn next_token<'t>(rest: &mut &'t str, game: bool) -> Option<Token<'t>> {
    loop {
        let is_separator = |c: char| c.is_whitespace() || matches!(c, ',' | '|' | '/');
        let text = rest.trim_start_matches(is_separator);
        let is_line_start = before(rest, text).contains('\n');
        if game && is_line_start && !is_pgn(text) && begins_game(text) {
            return Some(Token::NextGame(text));
        }
        // A damaged move such as `;6`, `;@e6` or `;e6` is not a comment.
        let is_comment = text.strip_prefix(';').is_some_and(|comment| {
            let is_move = |c: char| c.is_ascii_digit() || c == '@';
            !comment.starts_with(is_move) && strip_square(comment, 8, 8).is_none()
        });
        let found = match text.chars().next()? {
            '{' => braces_length(text),
            '(' => variation_length(text)
                .filter(|&end| !holds_game(text.get(..end).unwrap_or_default())),
            '[' if game => match tag(text) {
                Some((name, value, behind)) => {
                    let whole = before(text, behind);
                    *rest = behind;
                    return Some(Token::Tag { name, value, whole });
                }
                None => None,
            },
            ';' if game && is_comment => Some(line_length(text)),
            '%' if game && is_line_start => Some(line_length(text)),
            ';' if !game => Some(1),
            _ => {
                let (word, behind) = word(text, game);
                *rest = behind;
                match word.trim_end_matches(['!', '?']) {
                    "" => continue, // a number, separator or annotation
                    word => return Some(Token::Word(word)),
                }
            }
        };
        let end = found.unwrap_or_else(|| unclosed_length(text));
        let (part, behind) = text.split_at_checked(end)?;
        *rest = behind;
        match part.strip_prefix('{') {
            _ if found.is_none() => return Some(Token::Unclosed(part)),
            Some(comment) => return Some(Token::Comment(comment.trim_end_matches('}'))),
            None => {}
        }
    }
}

/// The most characters of a result or an annotation.
const LONGEST_RESULT: usize = 64;

/// The word at the beginning of a text and the text after it: a result, a pass, or the characters up
/// to a separator. The word is empty for a move number, a separator or an annotation.
fn word(text: &str, game: bool) -> (&str, &str) {
    // Score Four's `a1-2` is one word.
    let is_part = |at: usize| {
        let rest = text.get(at + 1..);
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let split = |separators: &[char], most: usize| {
        let is_end = |&(at, c): &(usize, char)| {
            c.is_whitespace() || separators.contains(&c) && !(c == '-' && is_part(at))
        };
        let mut ends = text.char_indices().enumerate().skip(1);
        let end = ends.find(|(count, end)| *count == most || is_end(end));
        text.split_at_checked(end.map_or(text.len(), |(_, (end, _))| end))
            .unwrap_or((text, ""))
    };
    // A result or an annotation is short: the rest of a long text is not read for each word.
    let (whole, behind) = split(&[',', ';', '{', '(', '['], LONGEST_RESULT);
    // In PGN, a signed number can only be a damaged move.
    if is_result(whole) && !(game && whole.starts_with(['+', '-'])) {
        return (whole, behind);
    }
    if let Some(number) = whole.strip_prefix('$')
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        return ("", behind);
    }
    if text.starts_with("--") {
        return text.split_at_checked(2).unwrap_or((text, ""));
    }
    let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = behind.len() < text.len();
    let signs = if is_number {
        ['.', ':', ')']
    } else {
        ['.', '-', '+']
    };
    if behind.starts_with(signs) {
        return ("", behind.get(1..).unwrap_or_default());
    }
    split(
        &[',', ';', '{', '(', '[', '|', '/', '.', '-', '+', '*'],
        usize::MAX,
    )
}

/// The beginning of the next game in a text that begins within another one: a tag at the beginning of
/// a line after a blank one, the tag `Event` within a line, where the game before was cut, or a line
/// that `begins` a game in another format.
fn next_game(text: &str, begins: fn(&str) -> bool) -> Option<usize> {
    let event = text.match_indices("[Event").map(|(at, _)| at).find(|&at| {
        let is_cut = text.get(..at).is_some_and(|before| !before.ends_with('\n'));
        at > 0 && is_cut && text.get(at..).is_some_and(is_pgn)
    });
    let mut is_blank = false;
    let lines = text
        .get(..event.unwrap_or(text.len()))?
        .split_inclusive('\n');
    let mut starts = lines.map(|line| {
        let at = before(text, line).len();
        let is_found = match is_pgn(line) {
            true => is_blank,
            false => at > 0 && text.get(at..).is_some_and(begins),
        };
        is_blank = line.trim().is_empty();
        (at, is_found)
    });
    let start = starts.find(|&(_, is_found)| is_found);
    start.map(|(at, _)| at).or(event)
}

/// Whether the tags of a game are in a text, which is then not closed.
fn holds_game(text: &str) -> bool {
    next_game(text, |_| false).is_some()
}

/// The length of an unclosed tag: to the next tag in its line or to the end of the line; of an
/// unclosed comment or variation: to the next game or to the end.
fn unclosed_length(text: &str) -> usize {
    if !text.starts_with('[') {
        return next_game(text, begins_game).unwrap_or(text.len());
    }
    let line = line_length(text);
    let mut tags = text.get(..line).unwrap_or(text).match_indices('[').skip(1);
    let tag = tags.find(|&(at, _)| text.get(at..).is_some_and(|text| tag(text).is_some()));
    tag.map_or(line, |(at, _)| at)
}

/// The length of a text up to the end of its line.
fn line_length(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// The length of a variation, which may contain nested variations and comments with parentheses.
fn variation_length(text: &str) -> Option<usize> {
    let (mut depth, mut in_comment) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            '}' => in_comment = false,
            _ if in_comment => {}
            '{' => in_comment = true,
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// The name and value of a tag, and the text after it.
fn tag(text: &str) -> Option<(&str, String, &str)> {
    let (name, behind) = tag_value(text)?;
    let mut chars = behind.chars();
    let mut value = String::new();
    loop {
        match chars.next()? {
            '"' => break,
            '\\' => value.push(chars.next()?),
            '\n' => return None,
            c => value.push(c),
        }
    }
    Some((name, value, chars.as_str().trim_start().strip_prefix(']')?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::by_name;

    /// The moves of a list as the game writes them, or the error and what had been played.
    fn read(name: &str, position: &str, text: &str) -> Result<String, String> {
        let mut game = by_name(name).unwrap();
        game.set_position(position).unwrap();
        let done = play_all(&mut game, text);
        let history = game.write_moves(game.history());
        match done {
            Ok(_) => Ok(history.join(" ")),
            Err(error) => Err(format!("{error}; played {}", history.join(" "))),
        }
    }

    #[test]
    fn passes_are_read_in_every_spelling_or_omitted() {
        // Black has no move; White must have one.
        let position = "8/8/8/8/8/8/ox6/8 x";
        for text in [
            "pass c7", "PASSc7", "pa c7", "PS c7", "-- c7", "@@@@ c7", "0000 c7", "null c7",
            "b7b7 c7", "a7a7c7", "c7",
        ] {
            let read = read("othello", "2o5/8/8/8/8/8/ox6/7x x", text);
            assert_eq!(read, Ok("pass c7".into()), "{text}");
        }
        assert_eq!(read("othello", position, "pass"), Ok("pass".into()));
    }

    #[test]
    fn the_first_bad_move_is_named_and_the_rest_is_not_played() {
        assert_eq!(
            read("othello", "startpos", "f5 d6 f5 c4"),
            Err("illegal move \"f5\" at ply 3; played f5 d6".into())
        );
        assert_eq!(
            read("othello", "startpos", "f5d6a1c4"),
            Err("illegal move \"a1\" at ply 3; played f5 d6".into())
        );
        assert_eq!(
            read("othello", "startpos", "f5 xyz"),
            Err(
                "cannot read \"xyz\" as a move, expected a1 to h8 or pass (ply 2); played f5"
                    .into()
            )
        );
        assert_eq!(
            read("othello", "startpos", "f5 d6 7"),
            Err(
                "cannot read \"7\" as a move, expected a1 to h8 or pass (ply 3); played f5 d6"
                    .into()
            )
        );
        // The pass that was tried before an illegal move is taken back.
        assert_eq!(
            read("othello", "2o5/8/8/8/8/8/ox6/7x x", "h1"),
            Err("illegal move \"h1\" at ply 1; played ".into())
        );
    }

    #[test]
    fn moves_without_separators_are_read_in_other_games() {
        assert_eq!(
            read("scorefour", "startpos", "a1a1D4 1. b2"),
            Ok("a1 a1 d4 b2".into())
        );
        assert_eq!(
            read("tictactoe", "startpos", "P@a1b2 C3"),
            Ok("a1 b2 c3".into())
        );
        assert_eq!(
            read("tictactoe", "startpos", "a1a1"),
            Err("illegal move \"a1\" at ply 2; played a1".into())
        );
        assert_eq!(
            read("othello6", "startpos", "P@d2 pass"),
            Err("illegal move \"pass\" at ply 2; played d5".into())
        );
        assert_eq!(
            read("diamond", "startpos", "a1"),
            Err("illegal move \"a1\" at ply 1; played ".into())
        );
    }
}
