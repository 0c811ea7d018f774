//! Records of `games.jsonl`, the match runner's file, and of `convert --to jsonl`.

use serde::Serialize;
use serde_json::{Value, json};

use super::entry::{EntryError, RecordEntry, check_variant, impossible};
use super::info::{Ending, Eval, MoveInfo, StatedResult, iso_date, known};
use crate::game::{Move, Outcome};
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

/// A game as it is written; the fields are those that [`parse`] reads.
#[derive(Serialize)]
struct JsonGame<'a> {
    game: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    round: Option<Value>,
    variant: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    p1: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p2: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    discs: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    began: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    moves: Vec<JsonMove>,
}

/// A move as it is written.
#[derive(Serialize)]
struct JsonMove {
    #[serde(rename = "move")]
    word: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<Value>,
}

/// The game as a line of JSON in the shape of `games.jsonl`, without its line feed; `number` is its
/// number in the file. Scores are hundredths (`cp`), rounded; times are milliseconds, rounded to
/// microseconds.
pub fn json_line(entry: &RecordEntry, number: usize) -> String {
    let (game, info) = (&entry.game, &entry.info);
    let write_move = |(index, &m): (usize, &Move)| {
        let info = info.moves.get(index).copied().unwrap_or_default();
        JsonMove {
            word: game.write_move(m),
            origin: info.is_book.then_some("opening"),
            ms: info.seconds.map(|seconds| (seconds * 1e6).round() / 1e3),
            depth: info.depth,
            score: info.eval.map(|eval| match eval {
                Eval::Score(score) => json!({"cp": (score * 100.0).round() as i64}),
                Eval::Mate(moves) => json!({"mate": moves}),
            }),
        }
    };
    let [p1, p2] = info.players.each_ref().map(Option::as_deref);
    let round = |round: &String| match round.parse::<u64>() {
        Ok(number) if number.to_string() == *round => number.into(),
        _ => Value::from(round.as_str()),
    };
    let line = JsonGame {
        game: number,
        event: info.event.as_deref(),
        site: info.site.as_deref(),
        round: info.round.as_ref().map(round),
        variant: game.name(),
        p1,
        p2,
        result: info.result.map(|result| result.outcome),
        reason: info.result.map(|result| result.ending.name()),
        discs: info.result.and_then(|result| result.discs),
        began: info.date.as_deref(),
        start: (!game.is_from_start()).then(|| game.start().write_position()),
        moves: game.history().iter().enumerate().map(write_move).collect(),
    };
    serde_json::to_string(&line).unwrap_or_default()
}
