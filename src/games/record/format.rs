//! The formats of entries, and how a game begins in each of them.

use crate::games::notation::{BOM, Cursor, before};
use crate::games::reversi::ggf;

/// The most characters that are searched for the name of a game.
const LONGEST_HEADER: usize = 1_000;

/// The format of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryFormat {
    /// `(;GM[Othello]...;)`
    Ggf,
    /// `(;FF[4]GM[2]...)`
    Sgf,
    /// `[Event "..."]`
    Pgn,
    /// `{"moves":...}`
    #[cfg(feature = "cli")]
    Json,
    /// A line.
    Line,
}

impl EntryFormat {
    /// The format of a text without leading blanks.
    pub fn of(text: &str) -> EntryFormat {
        match () {
            () if is_sgf(text) == Some(true) => EntryFormat::Sgf,
            () if ggf::is_game(text) => EntryFormat::Ggf,
            () if is_pgn(text) => EntryFormat::Pgn,
            #[cfg(feature = "cli")]
            () if is_json(text) => EntryFormat::Json,
            () => EntryFormat::Line,
        }
    }
}

/// Whether a line begins a game that ends the one before it, unless that is within a text: not a
/// variation of SGF, nor a comment of PGN such as `{"eval": 3}`.
pub fn begins_game(line: &str) -> bool {
    let text = line.trim_start_matches(BOM);
    has_field(text, "\"moves\"") || is_pgn(text) || has_header(text)
}

/// Whether a text begins with a tag, `[Name "value"]`.
pub fn is_pgn(text: &str) -> bool {
    tag_value(text).is_some()
}

/// The name of the tag at the beginning of a text, and the text after the quote that begins its value.
pub fn tag_value(text: &str) -> Option<(&str, &str)> {
    let behind = text.strip_prefix('[')?.trim_start();
    let value = behind.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let name = Some(before(behind, value)).filter(|name| !name.is_empty())?;
    Some((name, value.trim_start().strip_prefix('"')?))
}

/// Whether a text begins with a JSON object, or with an array of objects or the rest of one.
#[cfg(feature = "cli")]
fn is_json(text: &str) -> bool {
    match text.split_at_checked(1) {
        Some(("{", rest)) => rest.trim_start().starts_with(['"', '}']),
        Some(("[", rest)) => rest.trim().is_empty() || rest.trim_start().starts_with('{'),
        _ => false,
    }
}

/// Whether a text begins with a JSON object of a game or a position.
#[cfg(feature = "cli")]
pub fn is_json_entry(text: &str) -> bool {
    has_field(text, "\"moves\"") || has_field(text, "\"position\"")
}

/// Whether a text begins with a JSON object that has this field, a text or an array, or with an array
/// of such objects.
fn has_field(text: &str, name: &str) -> bool {
    let object = text.strip_prefix('[').map_or(text, str::trim_start);
    let fields = object.strip_prefix('{').unwrap_or_default();
    // An object over several lines, or one of one line.
    let own = match fields.lines().next().unwrap_or_default().trim() {
        "" => beginning(fields),
        line => line,
    };
    let value = own.split_once(name).map(|(_, value)| value);
    let value = value.and_then(|value| value.trim_start().strip_prefix(':'));
    own.trim_start().starts_with('"')
        && value.is_some_and(|value| value.trim_start().starts_with(['[', '"']))
}

/// The first characters of a text.
fn beginning(text: &str) -> &str {
    let end = text.char_indices().nth(LONGEST_HEADER);
    end.and_then(|(at, _)| text.get(..at)).unwrap_or(text)
}

/// Whether a text begins with the first node of a game in SGF or GGF, optionally preceded by a count.
/// A variation of SGF begins with another node.
fn has_header(text: &str) -> bool {
    let count = |c: char| c.is_ascii_digit() || c == ' ';
    let text = text.trim_start_matches(count);
    if !text.starts_with('(') {
        return false;
    }
    // Each part of a text is searched for one game only.
    let text = beginning(text);
    let mut nodes = text.match_indices("(;").map(|(at, _)| at);
    let next = nodes.find(|&at| at > 0).unwrap_or(text.len());
    text.get(..next).and_then(is_sgf).is_some()
}

/// Whether the first node of a text makes it a game in SGF, with `FF` or a number `GM`, or one in GGF;
/// `None` if neither.
fn is_sgf(text: &str) -> Option<bool> {
    let node = text.strip_prefix('(')?.trim_start().strip_prefix(';')?;
    let mut cursor = Cursor::new(node);
    while let Some((name, values)) = property(&mut cursor) {
        let value = values.first().copied().unwrap_or_default();
        match name {
            "FF" => return Some(true),
            "GM" => return Some(value.trim().bytes().all(|byte| byte.is_ascii_digit())),
            "BO" => return Some(false),
            _ => {}
        }
    }
    None
}

/// Takes a property off the beginning of a text: its name and its values, still escaped.
pub fn property<'t>(cursor: &mut Cursor<'t>) -> Option<(&'t str, Vec<&'t str>)> {
    cursor.skip_blanks();
    let name = cursor.property("").ok()?;
    let mut values = vec![cursor.value(true).ok()?];
    loop {
        cursor.skip_blanks();
        if !cursor.eat('[') {
            return Some((name, values));
        }
        values.push(cursor.value(true).ok()?);
    }
}
