//! Games as JSON objects: of `games.jsonl`, the match runner's file, of `convert --to jsonl`, and of
//! other programs. [`JsonGame`] is their schema.
//!
//! Of other programs, `moves` may be a list of moves, of objects with one move (`{"m":"f5","t":12}`),
//! or a text. Values of another type, and unknown fields with moves or a position, are errors; a
//! move's score that is a number has no known unit, so it is dropped, except in `analyze --json`.

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::{Deserializer, Map, Value, json};

use super::entry::{EntryError, RecordEntry, check_variant, impossible};
use super::format::begins_game;
use super::info::{
    Ending, GameInfo, MoveInfo, ReportedScore, StatedResult, Statement, iso_date, known,
    played_points,
};
use super::movetext::{carries_game, narrow, play_all, play_list};
use crate::game::{Outcome, Player, quoted};
use crate::games::any::AnyGame;

/// Fields of the files of this program that may have moves or positions besides those of the game.
const OWN_FIELDS: [&str; 13] = [
    "start", "position", "moves", "p1", "p2", "event", "site", "detail", "log", "pv", "best",
    "key", "lines",
];

/// The length of the object at the beginning of a text, with what follows it in its line and is no
/// part of an array or another object; of an invalid object up to a line where another
/// game begins. `None` if the text ends before.
pub fn length(text: &str, is_in_array: bool) -> Option<usize> {
    let mut objects = Deserializer::from_str(text).into_iter::<IgnoredAny>();
    match objects.next()? {
        Ok(_) => {
            let end = objects.byte_offset();
            let behind = text.get(end..)?;
            let rest = behind.trim_start_matches([' ', '\t', '\r']);
            let follows = |c| c == '\n' || c == '{' || is_in_array && matches!(c, ',' | ']');
            if rest.starts_with(follows) {
                Some(end)
            } else {
                Some(end + behind.find('\n')?)
            }
        }
        Err(error) if error.is_eof() => None,
        Err(_) => {
            let mut lines = text.match_indices('\n').map(|(at, _)| at + 1);
            let is_game = |line: &str| line.starts_with('{') || begins_game(line);
            lines.find(|&at| text.get(at..).is_some_and(is_game))
        }
    }
}

/// Reads an object: `variant`, `start` if it is not the standard one, `moves`, `result`; or any
/// object with a `position`.
pub fn parse(mut board: AnyGame, text: &str) -> Result<RecordEntry, EntryError> {
    // The rest of an array of objects.
    if text == "[" {
        return Err(impossible("the array of games is not closed, expected ]"));
    }
    let mut fields: Map<String, Value> = serde_json::from_str(text).map_err(|error| {
        let text = error.to_string();
        let reason = text.split(" at line ").next().unwrap_or(&text);
        let reason = impossible(format!("invalid JSON: {reason}, column {}", error.column()));
        EntryError {
            lines_before: error.line().saturating_sub(1),
            ..reason
        }
    })?;
    read_analysis(&mut fields);
    fields.retain(|name, value| name == "moves" || !value.is_null());
    for (name, value) in &fields {
        if !OWN_FIELDS.contains(&name.as_str()) && holds_game(&board, value) {
            let error = format!("the field \"{}\" has moves or a position", quoted(name));
            return Err(impossible(error + ", expected in \"moves\" or \"start\""));
        }
    }
    let record: JsonGame<Foreign, Value> = read_fields(&fields)?;
    check_variant(&board, &record.variant)?;
    let start = match (record.start.as_ref(), record.own.position.as_ref()) {
        (Some(_), Some(_)) => return Err(impossible("both \"start\" and \"position\" are given")),
        (None, None) if !fields.contains_key("moves") => {
            return Err(impossible(
                "expected \"position\" or \"moves\" in the JSON object",
            ));
        }
        (start, position) => start.or(position),
    };
    if let Some(start) = start {
        board.set_position(start)?;
    }
    let mut entry = RecordEntry::of(board);
    match &record.moves {
        Value::String(moves) => {
            let moves = narrow(moves);
            let result = play_all(&mut entry.game, &moves)?;
            entry.statement = result.and_then(Statement::ambiguous);
        }
        Value::Array(moves) => {
            let mut played = 0;
            for (item, number) in moves.iter().zip(1..) {
                play_item(&mut entry, item, number, &mut played)?;
            }
        }
        Value::Null if !fields.contains_key("moves") => {}
        other => return Err(wrong("moves", other, "a list of moves")),
    }
    let Foreign {
        event,
        site,
        round,
        result,
        reason,
        komi,
        ..
    } = &record.own;
    let field = |text: &Option<String>| text.as_deref().and_then(known);
    entry.info = GameInfo {
        event: field(event),
        site: field(site),
        round: round.as_ref().and_then(|round| match round {
            Value::String(round) => known(round),
            round => Some(round.to_string()),
        }),
        moves: entry.info.moves,
        ..record.info()
    };
    if let Some(komi) = komi {
        entry.state_komi(&komi.to_string())?;
    }
    let ending = reason
        .as_deref()
        .and_then(Ending::parse)
        .unwrap_or_default();
    if let Some(result) = result {
        entry.statement = stated(result, &entry.game, ending)?.or(entry.statement);
    }
    if let Some(discs) = record.discs {
        entry.state_discs(
            ("discs", "the stated score is"),
            &discs.to_string(),
            Some(discs),
            ending,
        )?;
    }
    Ok(entry)
}

/// Whether an object is the last line of `analyze --json`, which has no game.
pub fn is_totals(text: &str) -> bool {
    text.contains("\"contradictions\"")
        && serde_json::from_str(text).is_ok_and(|fields: Map<String, Value>| {
            let has = |name| fields.contains_key(name);
            ["games", "contradictions", "players"].into_iter().all(has)
                && !["moves", "start", "position"].into_iter().any(has)
        })
}

/// Replaces the fields of a game of `analyze --json` by those of `games.jsonl`.
fn read_analysis(fields: &mut Map<String, Value>) {
    let is_name = |name: &Value| name.is_null() || name.is_string();
    let players = match (fields.get("players"), fields.get("summary")) {
        (Some(Value::Array(names)), Some(Value::Array(_))) if names.iter().all(is_name) => {
            names.clone()
        }
        _ => return,
    };
    fields.extend(["p1", "p2"].map(String::from).into_iter().zip(players));
    fields.remove("file"); // a name, which may look like moves
    if let Some(date) = fields.remove("date") {
        fields.insert("began".into(), date);
    }
    if let Some(Value::Object(stated)) = fields.remove("stated") {
        fields.extend(stated);
    }
    let moves = fields.get_mut("moves").and_then(Value::as_array_mut);
    for played in moves.into_iter().flatten() {
        if let Some(score) = played.get_mut("score").filter(|score| score.is_number()) {
            *score = json!({ "cp": score.take() });
        }
    }
}

/// What a result states: a text, or the points of the moves, as in `analyze --json`.
fn stated(result: &Value, game: &AnyGame, ending: Ending) -> Result<Option<Statement>, EntryError> {
    if played_points(game).map(Value::from).as_ref() == Some(result) {
        return Ok(None);
    }
    let Value::String(text) = result else {
        return Err(wrong("result", result, "a string"));
    };
    Ok(match Outcome::deserialize(Value::from(text.as_str())) {
        Ok(outcome) => {
            let result = StatedResult {
                ending,
                ..StatedResult::of(outcome)
            };
            Some(Statement::for_first(text, Some(result)))
        }
        Err(_) => Statement::ambiguous(text),
    })
}

/// Reads the fields of an object. An error names the field that cannot be read.
fn read_fields<T: DeserializeOwned>(fields: &Map<String, Value>) -> Result<T, EntryError> {
    T::deserialize(fields).map_err(|error| {
        let alone = |(name, value): (&String, &Value)| {
            let field = Map::from_iter([(name.clone(), value.clone())]);
            let text = T::deserialize(&field).err()?.to_string();
            let expected = match text.rsplit("expected ").next()? {
                "i32" | "i64" => "an integer",
                "u32" | "u64" => "an integer of at least 0",
                "f64" => "a number",
                expected => expected,
            };
            Some(wrong(name, value, expected))
        };
        let error = || impossible(error.to_string());
        fields.iter().find_map(alone).unwrap_or_else(error)
    })
}

/// The error for a field of another type.
fn wrong(name: &str, value: &Value, expected: &str) -> EntryError {
    let value = match value {
        Value::String(text) => format!("\"{}\"", quoted(text)),
        value => quoted(&value.to_string()),
    };
    impossible(format!("\"{name}\" is {value}, expected {expected}"))
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
            .any(|(name, value)| name == "moves" && !value.is_number() || holds_game(game, value)),
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

/// Plays an item of a list of moves, or several moves in a text, and adds their number to `played`.
fn play_item(
    entry: &mut RecordEntry,
    item: &Value,
    number: usize,
    played: &mut usize,
) -> Result<(), EntryError> {
    let in_item = |error| impossible(format!("item {number} of \"moves\": {error}"));
    let word = item.as_str().or_else(|| item_move(&entry.game, item));
    let word = narrow(word.unwrap_or_default());
    let before = entry.game.history().len();
    let result = play_list(&mut entry.game, &word, &word, played).map_err(in_item)?;
    if result.is_some() || entry.game.history().len() == before {
        let text = item.to_string();
        let expected = "expected a move such as \"f5\", or an object with one move";
        let error = format!("cannot read {}, {expected}", quoted(&text));
        return Err(in_item(impossible(error)));
    }
    let is_read = |(name, value): &(&String, &Value)| match name.as_str() {
        "origin" | "ms" | "depth" => !value.is_null(),
        "score" => !value.is_null() && !value.is_number(),
        _ => false,
    };
    let fields = item.as_object().into_iter().flatten().filter(is_read);
    let stated = fields.map(|(name, value)| (name.clone(), value.clone()));
    let stated: MoveRecord = read_fields(&stated.collect()).map_err(in_item)?;
    entry.annotate(MoveInfo::from(&stated));
    Ok(())
}

/// A game. `Own` has the fields of one program: the match runner's, or those of other files.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct JsonGame<Own, Moves = Vec<MoveRecord>> {
    /// Further fields.
    #[serde(flatten)]
    pub own: Own,
    /// The name of the game (`othello`).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub variant: String,
    /// The first player's name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub p1: String,
    /// The second player's name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub p2: String,
    /// In Reversi, if played out or solved: the final score in discs from the first player's point
    /// of view.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discs: Option<i32>,
    /// Start time (UTC).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub began: String,
    /// The start position, unless it is the standard one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The moves.
    #[serde(default)]
    pub moves: Moves,
}

impl<Own, Moves> JsonGame<Own, Moves> {
    /// What it states in the fields of all programs besides the moves and the result.
    pub fn info(&self) -> GameInfo {
        GameInfo {
            players: [known(&self.p1), known(&self.p2)],
            date: iso_date(&self.began),
            ..GameInfo::default()
        }
    }
}

/// The fields of games that the match runner did not write.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Foreign {
    /// The number of the game in its file; other programs write what they like.
    game: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    round: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    komi: Option<f64>,
    #[serde(skip_serializing)]
    position: Option<String>,
}

/// A move of a game.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MoveRecord {
    /// The move in the game's own notation.
    #[serde(rename = "move")]
    pub word: String,
    /// The side that made it, if queries judge the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Player>,
    /// Its origin; omitted for an engine's move.
    #[serde(skip_serializing_if = "MoveOrigin::is_engine")]
    pub origin: MoveOrigin,
    /// Milliseconds charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<f64>,
    /// Milliseconds left on the clock after the move, including the increment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_ms: Option<u64>,
    /// Whether the move was late within the margin.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
    /// Whether the runner stopped the search, which had no clock (`--think-timeout`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// How late it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lateness: Option<LateMove>,
    /// Whether it was a ponder hit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ponderhit: bool,
    /// Depth reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Selective depth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seldepth: Option<u32>,
    /// The score from the engine's point of view: `{"cp":130}` or `{"mate":-3}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<ReportedScore>,
    /// Nodes searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

impl From<&MoveRecord> for MoveInfo {
    fn from(played: &MoveRecord) -> MoveInfo {
        MoveInfo {
            seconds: played.ms.map(|ms| ms / 1000.0),
            score: played.score,
            depth: played.depth,
            is_book: played.origin == MoveOrigin::Opening,
        }
    }
}

/// A move that exceeded its time.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct LateMove {
    /// Milliseconds beyond the time, not reduced by the margin.
    pub late_ms: f64,
    /// Milliseconds that the engine's threads waited for a CPU during the search, summed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine_waited_ms: Option<f64>,
    /// Milliseconds lost by the runner: sending the command, and CPU waits of the thread that
    /// receives the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runner_waited_ms: Option<f64>,
    /// The longest gap of the runner's heartbeat during the search in milliseconds, if it is a
    /// second or more: the runner was suspended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runner_gap_ms: Option<f64>,
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

/// The game as a line of JSON in the shape of `games.jsonl`, without its line feed; `number` is its
/// number in the file. Scores are hundredths (`cp`), rounded; times are milliseconds, rounded to
/// microseconds.
pub fn json_line(entry: &RecordEntry, number: usize) -> String {
    let (game, info, result) = (&entry.game, &entry.info, entry.result());
    let mut moves = Vec::new();
    for (index, &m) in game.history().iter().enumerate() {
        let info = info.moves.get(index).copied().unwrap_or_default();
        moves.push(MoveRecord {
            word: game.write_move(m),
            origin: if info.is_book {
                MoveOrigin::Opening
            } else {
                MoveOrigin::Engine
            },
            ms: info.seconds.map(|seconds| (seconds * 1e6).round() / 1e3),
            depth: info.depth,
            score: info.score,
            ..MoveRecord::default()
        });
    }
    let [p1, p2] = info.players.clone().map(Option::unwrap_or_default);
    let round = |round: &String| match round.parse::<u64>() {
        Ok(number) if number.to_string() == *round => number.into(),
        _ => Value::from(round.as_str()),
    };
    let line = JsonGame {
        own: Foreign {
            game: number.into(),
            event: info.event.clone(),
            site: info.site.clone(),
            round: info.round.as_ref().map(round),
            result: result.map(|result| result.outcome.name().into()),
            reason: result.map(|result| result.ending.name().into()),
            komi: info.komi,
            position: None,
        },
        variant: game.name().into(),
        p1,
        p2,
        discs: result.and_then(|result| result.discs),
        began: info.date.clone().unwrap_or_default(),
        start: (!game.is_from_start()).then(|| game.start().write_position()),
        moves,
    };
    serde_json::to_string(&line).unwrap_or_default()
}
