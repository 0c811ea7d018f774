//! Records of `games.jsonl`, the match runner's file, and of `convert --to jsonl`; and JSON of other
//! programs with the same `moves`.
//!
//! `moves` is a list of moves, of objects with one move (`{"m":"f5","t":12}`), or a text. Values of
//! another type, and unknown fields with moves or a position, are errors.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::{Deserializer, Value};

use super::entry::{EntryError, RecordEntry, check_discs, check_variant, impossible};
use super::info::{Ending, Eval, MoveInfo, StatedResult, Statement, iso_date, known};
use super::movetext::{carries_game, narrow, play_list};
use crate::game::{Move, Outcome, quoted};
use crate::games::any::AnyGame;

/// Fields of the files of this program that may have moves or positions besides those of the game.
const OWN_FIELDS: [&str; 12] = [
    "start", "position", "moves", "p1", "p2", "event", "site", "detail", "log", "pv", "best", "key",
];

/// Whether a text begins with a JSON object, or with an array of objects or the rest of one.
pub fn is_json(text: &str) -> bool {
    match text.split_at_checked(1) {
        Some(("{", rest)) => rest.trim_start().starts_with(['"', '}']),
        Some(("[", rest)) => rest.trim().is_empty() || rest.trim_start().starts_with('{'),
        _ => false,
    }
}

/// The length of the object at the beginning of a text, with what follows it in its line and is no
/// part of an array or another object; of an invalid object up to a line that begins with another
/// one. `None` if the text ends before.
pub fn length(text: &str, is_in_array: bool) -> Option<usize> {
    let mut objects = Deserializer::from_str(text).into_iter::<IgnoredAny>();
    match objects.next()? {
        Ok(_) => {
            let end = objects.byte_offset();
            let behind = text.get(end..)?;
            let rest = behind.trim_start_matches([' ', '\t', '\r']);
            let follows = |c| c == '\n' || c == '{' || is_in_array && matches!(c, ',' | ']');
            match rest.starts_with(follows) {
                true => Some(end),
                false => Some(end + behind.find('\n')?),
            }
        }
        Err(error) if error.is_eof() => None,
        Err(_) => text.find("\n{").map(|end| end + 1),
    }
}

/// Reads an object: `variant`, `start` if it is not the standard one, `moves`, `result`; or any
/// object with a `position`.
pub fn parse(mut board: AnyGame, text: &str) -> Result<RecordEntry, EntryError> {
    let record: Value = serde_json::from_str(text).map_err(|error| {
        let text = error.to_string();
        let reason = text.split(" at line ").next().unwrap_or(&text);
        let reason = impossible(format!("invalid JSON: {reason}, column {}", error.column()));
        EntryError {
            lines_before: error.line().saturating_sub(1),
            ..reason
        }
    })?;
    let text = |name| match record.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(other) => Err(wrong(name, other, "a text")),
    };
    check_variant(&board, text("variant")?.unwrap_or_default())?;
    let start = match (text("start")?, text("position")?) {
        (Some(_), Some(_)) => return Err(impossible("both \"start\" and \"position\" are given")),
        (start, position) => start.or(position),
    };
    let moves = record.get("moves");
    if start.is_none() && moves.is_none() {
        return Err(impossible(
            "expected \"position\" or \"moves\" in the JSON object",
        ));
    }
    for (name, value) in record.as_object().into_iter().flatten() {
        if !OWN_FIELDS.contains(&name.as_str()) && holds_game(&board, value) {
            let error = format!("the field \"{}\" has moves or a position", quoted(name));
            return Err(impossible(error + ", expected in \"moves\" or \"start\""));
        }
    }
    if let Some(start) = start {
        board.set_position(start)?;
    }
    let mut entry = RecordEntry::of(board);
    match moves {
        None => {}
        Some(Value::String(moves)) => {
            let moves = narrow(moves);
            let result = play_list(&mut entry.game, &moves, &moves)?;
            entry.statement = result.and_then(Statement::ambiguous);
        }
        Some(Value::Array(moves)) => {
            for (item, number) in moves.iter().zip(1..) {
                play_item(&mut entry, item, number)?;
            }
        }
        Some(other) => return Err(wrong("moves", other, "a list of moves")),
    }
    let field = |name| Ok::<_, EntryError>(text(name)?.and_then(known));
    let info = &mut entry.info;
    info.players = [field("p1")?, field("p2")?];
    (info.event, info.site) = (field("event")?, field("site")?);
    info.round = match record.get("round") {
        Some(Value::Number(round)) => Some(round.to_string()),
        _ => field("round")?,
    };
    info.date = text("began")?.and_then(iso_date);
    info.komi = record.get("komi").and_then(Value::as_f64);
    let discs = match record.get("discs") {
        None | Some(Value::Null) => None,
        Some(value) => {
            let discs = value.as_i64().and_then(|discs| i32::try_from(discs).ok());
            Some(check_discs(
                &entry.game,
                "discs",
                &value.to_string(),
                discs,
            )?)
        }
    };
    let of_discs = discs.map(|discs| StatedResult::with_komi(discs, info.komi.unwrap_or_default()));
    let result = text("result")?;
    let outcome = match result {
        Some("p1win") => Some(Outcome::FirstWins),
        Some("p2win") => Some(Outcome::SecondWins),
        Some("draw") => Some(Outcome::Draw),
        Some(other) => {
            entry.statement = Statement::ambiguous(other);
            None
        }
        None => of_discs.map(|result| result.outcome),
    };
    if let Some(outcome) = outcome {
        let of_name = StatedResult::of(outcome);
        if let Some(of_discs) = of_discs.filter(|of_discs| of_discs.outcome != outcome) {
            entry.contradiction = Some(format!(
                "the stated result is {of_name}, but the stated score {of_discs}"
            ));
        }
        let stated = StatedResult {
            discs,
            ending: text("reason")?.and_then(Ending::parse).unwrap_or_default(),
            ..of_name
        };
        entry.statement = Some(Statement::for_first(
            result.unwrap_or("discs"),
            Some(stated),
        ));
    }
    Ok(entry)
}

/// The error for a field of another type.
fn wrong(name: &str, value: &Value, expected: &str) -> EntryError {
    let value = value.to_string();
    impossible(format!(
        "\"{name}\" is {}, expected {expected}",
        quoted(&value)
    ))
}

/// Whether a value has moves or a position.
fn holds_game(game: &AnyGame, value: &Value) -> bool {
    match value {
        Value::String(text) => carries_game(game, text),
        Value::Array(items) => {
            !items.is_empty() && items.iter().all(|item| item_move(game, item).is_some())
                || items.iter().any(|item| holds_game(game, item))
        }
        Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| name == "moves" || holds_game(game, value)),
        _ => false,
    }
}

/// The move of an item of a list: a text, or the only move among the fields of an object.
fn item_move<'v>(game: &AnyGame, item: &'v Value) -> Option<&'v str> {
    let is_move = |word: &&str| game.parse_move(&narrow(word)).is_ok();
    match item {
        Value::String(word) => Some(word.as_str()).filter(is_move),
        Value::Object(fields) => match fields.get("move") {
            Some(word) => word.as_str(),
            None => {
                let mut words = fields.values().filter_map(Value::as_str).filter(is_move);
                words.next().filter(|_| words.next().is_none())
            }
        },
        _ => None,
    }
}

/// Plays an item of a list of moves, or several moves in a text.
fn play_item(entry: &mut RecordEntry, item: &Value, number: usize) -> Result<(), EntryError> {
    let word = item.as_str().or_else(|| item_move(&entry.game, item));
    let before = entry.game.history().len();
    let in_item = |error: String| impossible(format!("item {number} of \"moves\": {error}"));
    if let Some(word) = word {
        let word = narrow(word);
        let result = play_list(&mut entry.game, &word, &word)
            .map_err(|error| in_item(error.reason.to_string()))?;
        if result.is_none() && entry.game.history().len() > before {
            entry.annotate(read_move(item));
            return Ok(());
        }
    }
    let text = item.to_string();
    let expected = "expected a move such as \"f5\", or an object with one move";
    Err(in_item(format!(
        "cannot read {}, {expected}",
        quoted(&text)
    )))
}

/// What is stated about a move.
fn read_move(item: &Value) -> MoveInfo {
    let score = |name| item.get("score").and_then(|score| score.get(name));
    let ms = item.get("ms").and_then(Value::as_f64);
    let mate = score("mate").and_then(Value::as_i64);
    let cp = score("cp").and_then(Value::as_f64);
    let depth = item.get("depth").and_then(Value::as_u64);
    MoveInfo {
        seconds: ms.filter(|ms| *ms >= 0.0).map(|ms| ms / 1000.0),
        eval: mate
            .map(Eval::Mate)
            .or(cp.map(|cp| Eval::Score(cp / 100.0))),
        depth: depth.and_then(|depth| u32::try_from(depth).ok()),
        is_book: item.get("origin").and_then(Value::as_str) == Some("opening"),
    }
}

/// The origin of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MoveOrigin {
    /// Searched by an engine.
    #[default]
    Engine,
    /// From the book of an engine.
    Book,
    /// Part of the opening.
    Opening,
    /// A forced pass, made by the runner.
    Forced,
}

impl MoveOrigin {
    /// Whether an engine searched it.
    pub fn is_engine(&self) -> bool {
        *self == MoveOrigin::Engine
    }

    /// Whether an engine chose it.
    pub fn is_of_engine(&self) -> bool {
        matches!(self, MoveOrigin::Engine | MoveOrigin::Book)
    }
}

/// A score as an engine reported it, from the point of view of the searching side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReportedScore {
    /// Hundredths of a point (of a disc in Reversi).
    Cp(i64),
    /// Moves to the end of a decided game, negative if lost.
    Mate(i64),
}

impl From<ReportedScore> for Eval {
    fn from(score: ReportedScore) -> Eval {
        match score {
            ReportedScore::Cp(cp) => Eval::Score(cp as f64 / 100.0),
            ReportedScore::Mate(moves) => Eval::Mate(moves),
        }
    }
}

impl From<Eval> for ReportedScore {
    fn from(eval: Eval) -> ReportedScore {
        match eval {
            Eval::Score(score) => ReportedScore::Cp((score * 100.0).round() as i64),
            Eval::Mate(moves) => ReportedScore::Mate(moves),
        }
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
    komi: Option<f64>,
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
    #[serde(skip_serializing_if = "MoveOrigin::is_engine")]
    origin: MoveOrigin,
    #[serde(skip_serializing_if = "Option::is_none")]
    ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<ReportedScore>,
}

/// The game as a line of JSON in the shape of `games.jsonl`, without its line feed; `number` is its
/// number in the file. Scores are hundredths (`cp`), rounded; times are milliseconds, rounded to
/// microseconds.
pub fn json_line(entry: &RecordEntry, number: usize) -> String {
    let (game, info, result) = (&entry.game, &entry.info, entry.result());
    let write_move = |(index, &m): (usize, &Move)| {
        let info = info.moves.get(index).copied().unwrap_or_default();
        JsonMove {
            word: game.write_move(m),
            origin: match info.is_book {
                true => MoveOrigin::Opening,
                false => MoveOrigin::Engine,
            },
            ms: info.seconds.map(|seconds| (seconds * 1e6).round() / 1e3),
            depth: info.depth,
            score: info.eval.map(ReportedScore::from),
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
        result: result.map(|result| result.outcome),
        reason: result.map(|result| result.ending.name()),
        discs: result.and_then(|result| result.discs),
        komi: info.komi,
        began: info.date.as_deref(),
        start: (!game.is_from_start()).then(|| game.start().write_position()),
        moves: game.history().iter().enumerate().map(write_move).collect(),
    };
    serde_json::to_string(&line).unwrap_or_default()
}
