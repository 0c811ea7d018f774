//! The tokens of games in PGN and of lists of moves: tags, then moves with numbers, comments,
//! variations and annotations, then the result.
//!
//! Skipped are comments to the end of the line (`;`, lines that begin with `%`), variations
//! (`(...)`) and annotations (`$1`, `!?`).

use crate::games::notation::{before, is_result};

/// Whether a text begins with a tag, `[Name "value"]`.
pub fn is_game(text: &str) -> bool {
    let Some(name) = text.strip_prefix('[') else {
        return false;
    };
    let value = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    value.len() < name.len() && value.trim_start().starts_with('"')
}

/// The length in bytes of the game at the beginning of a text for which [`is_game`] holds: up to
/// its result, the tags of the next game, or the end. `None` if the game may go on behind the text,
/// which is not the end of its file.
///
/// A comment or variation that is not closed before a blank line and a tag ends the game, so that
/// the games after it can be read.
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
                return Some(before(text, word).len() + word.len());
            }
            Token::Word(_) => in_tags = false,
            Token::Comment(_) => {}
            Token::Unclosed(_) if is_game(rest) => return Some(text.len() - rest.len()),
            Token::Unclosed(_) => {}
        }
    }
    is_end.then_some(text.len())
}

/// The words of a list of moves, including move numbers, without comments, variations and
/// annotations.
///
/// # Errors
/// An unclosed comment or variation.
pub(super) fn words(text: &str) -> Result<Vec<&str>, &str> {
    let mut rest = text;
    let mut words = Vec::new();
    while let Some(token) = next_token(&mut rest, false) {
        match token {
            Token::Word(word) => words.push(word),
            Token::Comment(_) => {}
            Token::Tag { whole: part, .. } | Token::Unclosed(part) => return Err(part),
        }
    }
    Ok(words)
}

/// A part of a game.
pub(super) enum Token<'t> {
    /// `[name "value"]`, and its whole text.
    Tag {
        name: &'t str,
        value: String,
        whole: &'t str,
    },
    /// A move, several of them glued, a move number or the result.
    Word(&'t str),
    /// The text of a comment in braces.
    Comment(&'t str),
    /// An unclosed comment, variation or tag.
    Unclosed(&'t str),
}

/// The next token. Advances `rest` past it. Tags and comments to the end of the line exist only in
/// a `game`.
pub(super) fn next_token<'t>(rest: &mut &'t str, game: bool) -> Option<Token<'t>> {
    loop {
        let text = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let is_line_start = rest
            .strip_suffix(text)
            .is_some_and(|blanks| blanks.contains('\n'));
        let skipped = match text.chars().next()? {
            '{' => match behind(text, "}").filter(|behind| !holds_game(before(text, behind))) {
                Some(behind) => {
                    *rest = behind;
                    let comment = before(text, behind);
                    return Some(Token::Comment(comment.trim_matches(['{', '}'])));
                }
                None => None,
            },
            '(' => behind_variation(text).filter(|behind| !holds_game(before(text, behind))),
            ';' if game => Some(line_end(text)),
            '%' if game && is_line_start => Some(line_end(text)),
            '[' if game => {
                return Some(match tag(text) {
                    Some((name, value, behind)) => {
                        let whole = text.strip_suffix(behind).unwrap_or(text);
                        *rest = behind;
                        Token::Tag { name, value, whole }
                    }
                    None => {
                        *rest = line_end(text);
                        Token::Unclosed(text.strip_suffix(*rest).unwrap_or(text))
                    }
                });
            }
            _ => {
                let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '{' | '(' | ';');
                let end = text.find(ends).filter(|&end| end > 0).unwrap_or(text.len());
                let (word, behind) = text.split_at_checked(end)?;
                *rest = behind;
                let word = if word.starts_with('$') {
                    ""
                } else {
                    word.trim_end_matches(['!', '?'])
                };
                if word.is_empty() {
                    continue; // an annotation
                }
                return Some(Token::Word(word));
            }
        };
        match skipped {
            Some(behind) => *rest = behind,
            None => {
                *rest = next_game(text);
                return Some(Token::Unclosed(text.strip_suffix(*rest).unwrap_or(text)));
            }
        }
    }
}

/// The next game in a text, which begins with a tag after a blank line; empty if there is none.
fn next_game(text: &str) -> &str {
    let mut is_blank = false;
    let mut lines = text.split_inclusive('\n');
    let found = lines.find(|line| {
        let is_found = is_blank && is_game(line);
        is_blank = line.trim().is_empty();
        is_found
    });
    found
        .and_then(|line| text.get(before(text, line).len()..))
        .unwrap_or_default()
}

fn holds_game(text: &str) -> bool {
    !next_game(text).is_empty()
}

fn behind<'t>(text: &'t str, end: &str) -> Option<&'t str> {
    text.split_once(end).map(|(_, behind)| behind)
}

fn line_end(text: &str) -> &str {
    text.find('\n')
        .and_then(|end| text.get(end..))
        .unwrap_or_default()
}

/// The text after a variation, which may contain nested variations and comments with parentheses.
fn behind_variation(text: &str) -> Option<&str> {
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
            return text.get(at + 1..);
        }
    }
    None
}

/// The name and value of a tag, and the text after it.
fn tag(text: &str) -> Option<(&str, String, &str)> {
    let text = text.strip_prefix('[')?.trim_start();
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (name, behind) = text.split_at_checked(end)?;
    let mut chars = behind.trim_start().strip_prefix('"')?.chars();
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
