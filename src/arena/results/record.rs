//! The record of a game: the JSON object that `games.jsonl` holds for each game.

use serde::{Deserialize, Serialize};

use crate::arena::client::{GameHistory, SearchInfo};
use crate::arena::rules::clock::TimeControl;
use crate::arena::rules::fault::{Fault, Termination};
use crate::arena::rules::warning::ReportWarning;
use crate::game::{Outcome, Player};
use crate::games::any::{AnyGame, by_name};
use crate::games::record::{JsonGame, LateMove, MoveOrigin, MoveRecord};

impl MoveRecord {
    /// A move with what the engine reported about its search.
    pub fn searched(word: String, info: &SearchInfo) -> MoveRecord {
        let SearchInfo {
            depth,
            seldepth,
            score,
            nodes,
            ..
        } = *info;
        let origin = match info.book {
            true => MoveOrigin::Book,
            false => MoveOrigin::Engine,
        };
        MoveRecord {
            word,
            origin,
            depth,
            seldepth,
            score,
            nodes,
            ..MoveRecord::default()
        }
    }
}

/// A warning or a fault with its place in the game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AtPly<T> {
    /// The ply of the search, from 1.
    pub ply: usize,
    /// The side that searched.
    pub by: Player,
    /// What happened.
    #[serde(flatten)]
    pub what: T,
}

/// A finished game.
pub type GameRecord = JsonGame<MatchFields>;

/// What only the match runner records about a game.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct MatchFields {
    /// Its number, from 1.
    pub game: u64,
    /// Its round, from 1.
    pub round: u64,
    /// Its pair, from 1: two games from the same opening with colors swapped.
    pub pair: u64,
    /// Who judged the game, unless the rules of this crate: `players`, or the name of a third engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub referee: Option<String>,
    /// The result; `None` if the game was not judged.
    pub result: Option<Outcome>,
    /// How it ended.
    pub reason: Termination,
    /// The side at fault, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault_by: Option<Player>,
    /// Details for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Duration.
    pub seconds: f64,
    /// The limits of the first and second player.
    pub limits: [String; 2],
    /// The warnings about search reports, and about annulled attempts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<AtPly<ReportWarning>>,
    /// The number of this attempt, if an earlier one was interrupted or annulled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// The lateness of the move that lost on time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lateness: Option<LateMove>,
    /// The faults after which the engine was restarted and the game continued (`--recover`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recovered: Vec<AtPly<Fault>>,
    /// The `Book Seed` that the runner has set for engines with a book.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub book_seed: Option<u64>,
    /// The runner's overhead per move in microseconds: median and maximum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overhead_us: Option<[u64; 2]>,
    /// The log file of a game with a fault, relative to the tournament's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
}

/// A result as UGI's `query result` names it.
pub fn result_name(result: Option<Outcome>) -> &'static str {
    result.map_or("none", Outcome::name)
}

/// The side that made each move, if `next` is to move first. Sides alternate unless recorded, since
/// passes are.
pub fn sides<'m>(
    mut next: Player,
    moves: impl IntoIterator<Item = &'m MoveRecord>,
) -> impl Iterator<Item = Player> {
    moves.into_iter().map(move |played| {
        let side = played.by.unwrap_or(next);
        next = side.other();
        side
    })
}

impl GameRecord {
    /// Whether a fault ended the game or was recovered from; such a game gets a log file.
    pub fn is_abnormal(&self) -> bool {
        self.own.reason.is_abnormal() || !self.own.recovered.is_empty()
    }

    /// The game at its start position; `None` if it is unknown or the position is invalid.
    pub fn start_game(&self) -> Option<GameHistory> {
        if self.own.referee.is_some() {
            return Some(GameHistory::text(&self.variant, self.start.clone()));
        }
        Some(self.known_start()?.into())
    }

    /// The same by the rules of this crate, even if a referee judged the game.
    pub fn known_start(&self) -> Option<AnyGame> {
        let mut game = by_name(&self.variant)?;
        let start = self.start.as_deref().unwrap_or("startpos");
        game.set_position(start).ok()?;
        Some(game)
    }

    /// The name of the engine that played a side.
    pub fn name(&self, player: Player) -> &str {
        player.ordered(&self.p1, &self.p2).0
    }

    /// The sides' time controls; `None` if the limits are unknown.
    pub fn controls(&self) -> [Option<TimeControl>; 2] {
        let is_time = |part: &&str| {
            !part.starts_with("depth ") && !part.starts_with("nodes ") && *part != "own limits"
        };
        self.own
            .limits
            .each_ref()
            .map(|limits| match limits.split(", ").find(is_time) {
                Some(part) => part.parse().ok(),
                None => Some(TimeControl::Unlimited),
            })
    }

    /// The moves, with the sides that made them.
    pub fn plies(&self) -> impl Iterator<Item = (&MoveRecord, Player)> {
        let start = self.start_game();
        let first = start.map_or(Player::First, |game| game.to_move());
        self.moves.iter().zip(sides(first, &self.moves))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::games::record::ReportedScore;

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
            own: MatchFields {
                game,
                round: 1,
                pair: game.div_ceil(2),
                referee: None,
                result: Some(Outcome::SecondWins),
                reason: Termination::TimeForfeit,
                fault_by: Some(Player::First),
                detail: Some("3 ms too late".into()),
                seconds: 0.5,
                limits: ["1+0.01".into(), "depth 8".into()],
                warnings: Vec::new(),
                attempt: None,
                lateness: None,
                recovered: Vec::new(),
                book_seed: None,
                overhead_us: Some([90, 400]),
                log: None,
            },
            variant: "othello".into(),
            p1: "A".into(),
            p2: "B \"two\"".into(),
            discs: None,
            began: "2026-11-21T13:51:07Z".into(),
            start: None,
            moves: vec![
                MoveRecord {
                    word: "f5".into(),
                    origin: MoveOrigin::Opening,
                    ..MoveRecord::default()
                },
                engine("d6", -120),
                engine("c3", 130),
            ],
        }
    }

    #[test]
    fn the_documented_fields_have_their_names() {
        let value: serde_json::Value = serde_json::to_value(sample_record(7)).unwrap();
        assert_eq!(value["game"], 7);
        assert_eq!(
            (value["p1"].as_str(), value["p2"].as_str()),
            (Some("A"), Some("B \"two\""))
        );
        assert_eq!(
            (value["result"].as_str(), value["reason"].as_str()),
            (Some("p2win"), Some("time-forfeit"))
        );
        assert_eq!(
            (
                value["fault_by"].as_str(),
                value["moves"][1]["score"]["cp"].as_i64()
            ),
            (Some("p1"), Some(-120))
        );
        assert_eq!(value["moves"][0]["origin"], "opening");
        assert_eq!(
            serde_json::from_value::<GameRecord>(value).unwrap(),
            sample_record(7)
        );
    }
}
