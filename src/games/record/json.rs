//! Records of `games.jsonl`, the match runner's file.

use serde_json::Value;

use super::entry::{EntryError, RecordEntry, check_variant, impossible};
use crate::games::any::AnyGame;
use crate::games::transcript::play_word;

/// Parses a JSON object; `None` for other texts, such as a PGN comment `{...}`.
pub fn object(text: &str) -> Option<Value> {
    if !text.starts_with('{') {
        return None;
    }
    serde_json::from_str(text).ok().filter(Value::is_object)
}

/// Reads a record of `games.jsonl`: `variant`, `start` if it is not the standard one, `moves`,
/// `result`; or any object with a `position`.
pub fn parse(mut board: AnyGame, record: &Value) -> Result<RecordEntry, EntryError> {
    check_variant(
        &board,
        record
            .get("variant")
            .and_then(Value::as_str)
            .unwrap_or_default(),
    )?;
    let start = record
        .get("start")
        .or(record.get("position"))
        .and_then(Value::as_str);
    let moves = record.get("moves").and_then(Value::as_array);
    if start.is_none() && moves.is_none() {
        return Err(impossible(
            "expected \"position\" or \"moves\" in the JSON object",
        ));
    }
    if let Some(start) = start {
        board.set_position(start)?;
    }
    let mut played = 0;
    for item in moves.into_iter().flatten() {
        let word = item
            .get("move")
            .unwrap_or(item)
            .as_str()
            .unwrap_or_default();
        play_word(&mut board, word, &mut played)?;
    }
    Ok(RecordEntry::of(board))
}
