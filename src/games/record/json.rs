//! Records of `games.jsonl`, the match runner's file, and of `convert --to jsonl`.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

use serde_json::Value;

use super::entry::{EntryError, RecordEntry, check_variant, impossible};
use super::info::{Ending, Eval, MoveInfo, StatedResult, iso_date, known};
use crate::game::Outcome;
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
    let text = |name| record.get(name).and_then(Value::as_str);
    check_variant(&board, text("variant").unwrap_or_default())?;
    let start = text("start").or(text("position"));
    let moves = record.get("moves").and_then(Value::as_array);
    if start.is_none() && moves.is_none() {
        return Err(impossible(
            "expected \"position\" or \"moves\" in the JSON object",
        ));
    }
    if let Some(start) = start {
        board.set_position(start)?;
    }
    let mut entry = RecordEntry::of(board);
    let mut played = 0;
    for item in moves.into_iter().flatten() {
        let word = item.get("move").unwrap_or(item);
        let word = word.as_str().unwrap_or_default();
        play_word(&mut entry.game, word, &mut played)?;
        entry.annotate(read_move(item));
    }
    let field = |name| text(name).and_then(known);
    let info = &mut entry.info;
    info.players = [field("p1"), field("p2")];
    (info.event, info.site) = (field("event"), field("site"));
    info.round = match record.get("round") {
        Some(Value::Number(round)) => Some(round.to_string()),
        _ => field("round"),
    };
    info.date = text("began").and_then(iso_date);
    let discs = record.get("discs").and_then(Value::as_i64);
    let discs = discs.and_then(|discs| i32::try_from(discs).ok());
    info.result = match text("result") {
        Some("p1win") => Some(StatedResult::of(Outcome::FirstWins)),
        Some("p2win") => Some(StatedResult::of(Outcome::SecondWins)),
        Some("draw") => Some(StatedResult::of(Outcome::Draw)),
        _ => discs.map(StatedResult::of_discs),
    };
    if let Some(result) = &mut info.result {
        result.ending = text("reason").and_then(Ending::parse).unwrap_or_default();
        result.discs = discs;
        if let Some(of_discs) = discs.map(StatedResult::of_discs)
            && of_discs.outcome != result.outcome
        {
            let of_name = StatedResult::of(result.outcome);
            entry.contradiction = Some(format!(
                "the stated result is {of_name}, but the stated score {of_discs}"
            ));
        }
    }
    Ok(entry.finish())
}

/// What is stated about a move.
fn read_move(item: &Value) -> MoveInfo {
    let score = |name| item.get("score").and_then(|score| score.get(name));
    let mate = score("mate").and_then(Value::as_i64);
    let mate = mate.and_then(|moves| i32::try_from(moves).ok());
    let cp = score("cp").and_then(Value::as_f64);
    let depth = item.get("depth").and_then(Value::as_u64);
    MoveInfo {
        seconds: item.get("ms").and_then(Value::as_f64).map(|ms| ms / 1000.0),
        eval: mate
            .map(Eval::Mate)
            .or(cp.map(|cp| Eval::Score(cp / 100.0))),
        depth: depth.and_then(|depth| u32::try_from(depth).ok()),
        is_book: item.get("origin").and_then(Value::as_str) == Some("opening"),
    }
}
