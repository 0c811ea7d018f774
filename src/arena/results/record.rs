//! The record of a game: the JSON object that `games.jsonl` holds for each game.

use serde::{Deserialize, Serialize};

use crate::arena::client::ReportedScore;
use crate::arena::play::clock::LateMove;
use crate::arena::play::fault::Termination;
use crate::arena::play::search_check::ReportFault;
use crate::game::score::Score;
use crate::game::{Outcome, Player};
use crate::games::any::{AnyGame, by_name};

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameResult {
    /// The first player won.
    P1Win,
    /// The second player won.
    P2Win,
    /// A draw.
    Draw,
}

impl GameResult {
    /// A win of this player.
    pub fn win(player: Player) -> GameResult {
        if player == Player::First { GameResult::P1Win } else { GameResult::P2Win }
    }

    /// The result for a final score from the point of view of the side to move.
    pub fn of_score(score: Score, to_move: Player) -> GameResult {
        match score.0 {
            0 => GameResult::Draw,
            1.. => GameResult::win(to_move),
            _ => GameResult::win(to_move.other()),
        }
    }

    /// The half points (0, 1 or 2) of this player.
    pub fn half_points(self, player: Player) -> u8 {
        match (self, player) {
            (GameResult::Draw, _) => 1,
            (GameResult::P1Win, Player::First) | (GameResult::P2Win, Player::Second) => 2,
            _ => 0,
        }
    }
}

impl From<Outcome> for GameResult {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::FirstWins => GameResult::P1Win,
            Outcome::SecondWins => GameResult::P2Win,
            Outcome::Draw => GameResult::Draw,
        }
    }
}

/// The origin of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MoveOrigin {
    /// Searched by an engine.
    #[default]
    Engine,
    /// Part of the opening.
    Opening,
    /// A forced pass, made by the runner.
    Forced,
}

impl MoveOrigin {
    fn is_engine(&self) -> bool {
        *self == MoveOrigin::Engine
    }
}

/// One move of a game.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The move in the game's own notation.
    #[serde(rename = "move")]
    pub word: String,
    /// Its origin; omitted for an engine's move.
    #[serde(default, skip_serializing_if = "MoveOrigin::is_engine")]
    pub origin: MoveOrigin,
    /// Milliseconds charged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<f64>,
    /// Milliseconds left on the clock after the move, including the increment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_ms: Option<u64>,
    /// Whether the move was late within the margin or, without a clock, needed a `stop`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
    /// How late it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lateness: Option<LateMove>,
    /// Whether it was a ponder hit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ponderhit: bool,
    /// Depth reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Selective depth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seldepth: Option<u32>,
    /// The score from the engine's point of view: `{"cp":130}` or `{"mate":-3}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<ReportedScore>,
    /// Nodes searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

/// A warning in the record of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RecordedWarning {
    /// The ply (from 1) of the search.
    pub ply: usize,
    /// The side that searched.
    pub by: SideLabel,
    /// The kind of fault.
    pub fault: ReportFault,
    /// Details for the user.
    pub detail: String,
}

/// A fault after which the engine was restarted and the game continued (`--recover`).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RecoveredFault {
    /// The ply of the fault, from 1.
    pub ply: usize,
    /// The side at fault.
    pub by: SideLabel,
    /// The kind of fault.
    pub reason: Termination,
    /// Details for the user.
    pub detail: String,
}

/// A finished game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number, from 1.
    pub game: u64,
    /// Its round, from 1.
    pub round: u64,
    /// Its pair, from 1: two games from the same opening with colors swapped.
    pub pair: u64,
    /// The name of the game (`othello`).
    pub variant: String,
    /// The first player's name.
    pub p1: String,
    /// The second player's name.
    pub p2: String,
    /// The result.
    pub result: GameResult,
    /// How it ended.
    pub reason: Termination,
    /// The side at fault, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault_by: Option<SideLabel>,
    /// Details for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// In Reversi, if played out or solved: the final score in discs from the first player's point of view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discs: Option<i32>,
    /// Start time (UTC).
    pub began: String,
    /// Duration.
    pub seconds: f64,
    /// The limits of the first and second player.
    pub limits: [String; 2],
    /// The start position, unless it is the standard one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The moves.
    pub moves: Vec<MoveRecord>,
    /// The warnings about search reports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<RecordedWarning>,
    /// The number of this attempt, if an earlier one was interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// The lateness of the move that lost on time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lateness: Option<LateMove>,
    /// Recovered faults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recovered: Vec<RecoveredFault>,
    /// The runner's overhead per move in microseconds: median and maximum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead_us: Option<[u64; 2]>,
    /// The log file of a game with a fault, relative to the tournament's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
}

impl GameRecord {
    /// Whether a fault ended the game or was recovered from; such a game gets a log file.
    pub fn is_abnormal(&self) -> bool {
        self.reason.is_abnormal() || !self.recovered.is_empty()
    }

    /// The game at its start position; `None` if it is unknown or the position is invalid.
    pub fn start_game(&self) -> Option<AnyGame> {
        let mut game = by_name(&self.variant)?;
        game.set_position(self.start.as_deref().unwrap_or("startpos")).ok()?;
        Some(game)
    }

    /// The name of the engine that played a side.
    pub fn name(&self, player: Player) -> &str {
        if player == Player::First { &self.p1 } else { &self.p2 }
    }
}

/// A side in the record: `p1` or `p2`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SideLabel {
    /// The first player.
    P1,
    /// The second player.
    P2,
}

impl From<Player> for SideLabel {
    fn from(player: Player) -> Self {
        if player == Player::First { SideLabel::P1 } else { SideLabel::P2 }
    }
}

impl SideLabel {
    /// The name in the record.
    pub fn name(self) -> &'static str {
        if self == SideLabel::P1 { "p1" } else { "p2" }
    }
}

impl From<SideLabel> for Player {
    fn from(side: SideLabel) -> Self {
        if side == SideLabel::P1 { Player::First } else { Player::Second }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A record for tests.
    pub fn sample_record(game: u64) -> GameRecord {
        let engine = |word: &str, cp| MoveRecord {
            word: word.into(),
            ms: Some(12.5),
            clock_ms: Some(990),
            depth: Some(8),
            score: Some(ReportedScore::Cp(cp)),
            nodes: Some(4242),
            ..MoveRecord::default()
        };
        GameRecord {
            game,
            round: 1,
            pair: game.div_ceil(2),
            variant: "othello".into(),
            p1: "A".into(),
            p2: "B \"two\"".into(),
            result: GameResult::P2Win,
            reason: Termination::TimeForfeit,
            fault_by: Some(SideLabel::P1),
            detail: Some("3 ms too late".into()),
            discs: None,
            began: "2026-11-21T13:51:07Z".into(),
            seconds: 0.5,
            limits: ["1+0.01".into(), "depth 8".into()],
            start: None,
            moves: vec![
                MoveRecord { word: "f5".into(), origin: MoveOrigin::Opening, ..MoveRecord::default() },
                engine("d6", -120),
                engine("c3", 130),
            ],
            warnings: Vec::new(),
            attempt: None,
            lateness: None,
            recovered: Vec::new(),
            overhead_us: Some([90, 400]),
            log: None,
        }
    }

    #[test]
    fn the_documented_fields_have_their_names() {
        let value: serde_json::Value = serde_json::to_value(sample_record(7)).unwrap();
        assert_eq!(value["game"], 7);
        assert_eq!((value["p1"].as_str(), value["p2"].as_str()), (Some("A"), Some("B \"two\"")));
        assert_eq!((value["result"].as_str(), value["reason"].as_str()), (Some("p2win"), Some("time-forfeit")));
        assert_eq!((value["fault_by"].as_str(), value["moves"][1]["score"]["cp"].as_i64()), (Some("p1"), Some(-120)));
        assert_eq!(value["moves"][0]["origin"], "opening");
        assert_eq!(serde_json::from_value::<GameRecord>(value).unwrap(), sample_record(7));
    }
}
