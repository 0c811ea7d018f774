//! The record of a game, and the files a tournament leaves: `games.jsonl` (one object a game, the truth), the same games as
//! text (`games.pgn`) and, for Othello, in GGF (`games.ggf`), and a log for each abnormal game.
//!
//! All are appended to and flushed game by game. After an interruption `games.jsonl` alone is believed; the texts are
//! written anew from it.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::export;
use super::fault::Reason;
use crate::game::{Outcome, Player};
use crate::protocol::client::SaidScore;
use crate::score::Score;

/// The name of the file that holds the games.
pub const GAMES: &str = "games.jsonl";
/// The folder of the logs of abnormal games.
pub const ABNORMAL: &str = "abnormal";

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameResult {
    /// The first player won.
    P1Win,
    /// The second player won.
    P2Win,
    /// Nobody won.
    Draw,
}

impl GameResult {
    /// The result that makes this player win.
    pub fn win(player: Player) -> GameResult {
        if player == Player::First { GameResult::P1Win } else { GameResult::P2Win }
    }

    /// The result that a final score means, seen from the side to move.
    pub fn of(score: Score, to_move: Player) -> GameResult {
        match score.0 {
            0 => GameResult::Draw,
            1.. => GameResult::win(to_move),
            _ => GameResult::win(to_move.other()),
        }
    }

    /// Half points (0, 1 or 2) for this player.
    pub fn half_points(self, player: Player) -> u8 {
        match (self, player) {
            (GameResult::Draw, _) => 1,
            (GameResult::P1Win, Player::First) | (GameResult::P2Win, Player::Second) => 2,
            _ => 0,
        }
    }

    /// As chess writes it, the first player first.
    pub fn chess(self) -> &'static str {
        match self {
            GameResult::P1Win => "1-0",
            GameResult::P2Win => "0-1",
            GameResult::Draw => "1/2-1/2",
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

/// A side, as the record names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SideName {
    /// The first player.
    P1,
    /// The second player.
    P2,
}

impl From<Player> for SideName {
    fn from(player: Player) -> Self {
        if player == Player::First { SideName::P1 } else { SideName::P2 }
    }
}

impl From<SideName> for Player {
    fn from(side: SideName) -> Self {
        if side == SideName::P1 { Player::First } else { Player::Second }
    }
}

/// Where a move came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// An engine searched for it.
    #[default]
    Engine,
    /// It belongs to the opening.
    Opening,
    /// The only move was a pass, and the runner made it.
    Forced,
}

impl Origin {
    fn is_engine(&self) -> bool {
        *self == Origin::Engine
    }
}

/// One move of a game.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The move in the game's own spelling.
    #[serde(rename = "move")]
    pub word: String,
    /// Where it came from; left out for an engine's move.
    #[serde(default, skip_serializing_if = "Origin::is_engine")]
    pub origin: Origin,
    /// Milliseconds charged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<f64>,
    /// Milliseconds left on the clock afterwards, increment added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_ms: Option<u64>,
    /// Whether the move was late, but within the margin, or came without a clock only after `stop`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
    /// Depth reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Deepest ply seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seldepth: Option<u32>,
    /// The engine's score, from its own view: `{"cp":130}` or `{"mate":-3}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<SaidScore>,
    /// Nodes searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

/// A fault after which the engine was started again and the game went on (`--recover`).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Incident {
    /// Before which ply, from 1.
    pub ply: usize,
    /// Whose fault.
    pub by: SideName,
    /// Which.
    pub reason: Reason,
    /// What exactly happened.
    pub detail: String,
}

/// A finished game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number, from 1.
    pub game: u64,
    /// Its round, from 1.
    pub round: u64,
    /// Its pair, from 1: two games with swapped colours and the same opening.
    pub pair: u64,
    /// The name of the game that was played (`othello`).
    pub variant: String,
    /// The first player's name.
    pub p1: String,
    /// The second player's name.
    pub p2: String,
    /// How it ended.
    pub result: GameResult,
    /// Why it ended.
    pub reason: Reason,
    /// Whose fault it was, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault_by: Option<SideName>,
    /// What exactly happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// In Reversi, when played out or solved: the first player's discs minus the second's, as the game scores them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discs: Option<i32>,
    /// When it began (UTC).
    pub began: String,
    /// How long it took.
    pub seconds: f64,
    /// The limits of first and second player.
    pub limits: [String; 2],
    /// The position it began from, unless it was the usual start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The moves.
    pub moves: Vec<MoveRecord>,
    /// Faults that were recovered from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recovered: Vec<Incident>,
    /// The runner's own time per move in microseconds: median and greatest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead_us: Option<[u64; 2]>,
    /// The log of an abnormal game, seen from the tournament's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
}

impl GameRecord {
    /// Whether it leaves a log: a fault ended it, or was recovered from.
    pub fn is_abnormal(&self) -> bool {
        self.reason.is_abnormal() || !self.recovered.is_empty()
    }

    /// The name of a side.
    pub fn name(&self, player: Player) -> &str {
        if player == Player::First { &self.p1 } else { &self.p2 }
    }
}

/// The files of a running tournament.
pub struct Recorder {
    folder: PathBuf,
    games: File,
    pgn: File,
    ggf: Option<File>,
}

impl Recorder {
    /// Opens the files of a folder; with games already in it they are returned, and the texts are written anew.
    ///
    /// # Errors
    /// If a file cannot be read or written, or the record is damaged before its last line.
    pub fn open(folder: &Path, variant: &str) -> Result<(Recorder, Vec<GameRecord>)> {
        fs::create_dir_all(folder).with_context(|| format!("folder {}", folder.display()))?;
        let games = load(folder)?;
        // A last line that was cut off by a crash is dropped: its game will be played again.
        rewrite(&folder.join(GAMES), games.iter().map(json_line))?;
        rewrite(&folder.join("games.pgn"), games.iter().map(export::pgn))?;
        let in_ggf = export::has_ggf(variant);
        if in_ggf {
            rewrite(&folder.join("games.ggf"), games.iter().filter_map(export::ggf))?;
        }
        let append = |name: &str| {
            let path = folder.join(name);
            OpenOptions::new().append(true).open(&path).with_context(|| format!("file {}", path.display()))
        };
        let ggf = if in_ggf { Some(append("games.ggf")?) } else { None };
        Ok((Recorder { folder: folder.into(), games: append(GAMES)?, pgn: append("games.pgn")?, ggf }, games))
    }

    /// Where everything lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a game, and the log of an abnormal one before it.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&mut self, record: &mut GameRecord, log: Option<&str>) -> Result<()> {
        if let Some(log) = log {
            let name = format!("{ABNORMAL}/game-{:06}.log", record.game);
            fs::create_dir_all(self.folder.join(ABNORMAL))?;
            let path = self.folder.join(&name);
            fs::write(&path, log).with_context(|| format!("file {}", path.display()))?;
            record.log = Some(name);
        }
        // One write each: a reader never sees half a game. The truth comes first.
        self.games.write_all(json_line(record).as_bytes())?;
        self.pgn.write_all(export::pgn(record).as_bytes())?;
        if let (Some(file), Some(text)) = (&mut self.ggf, export::ggf(record)) {
            file.write_all(text.as_bytes())?;
        }
        Ok(())
    }
}

fn json_line(record: &GameRecord) -> String {
    serde_json::to_string(record).map(|text| text + "\n").unwrap_or_default()
}

/// The games of a folder, in the order in which they ended; none if there is no record. A last line that was cut off is
/// left out.
///
/// # Errors
/// If the file cannot be read, or a line before the last is no game.
pub fn load(folder: &Path) -> Result<Vec<GameRecord>> {
    let path = folder.join(GAMES);
    let file = match File::open(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        file => file.with_context(|| format!("file {}", path.display()))?,
    };
    let mut games: Vec<GameRecord> = Vec::new();
    let (mut numbers, mut damaged) = (HashSet::new(), None);
    for (number, line) in BufReader::new(file).split(b'\n').enumerate() {
        let line = line.with_context(|| format!("file {}", path.display()))?;
        if let Some(error) = damaged.take() {
            return Err(error);
        }
        match serde_json::from_slice::<GameRecord>(&line) {
            Ok(game) => {
                ensure!(
                    numbers.insert(game.game),
                    "{}, line {}: game {} stands there twice",
                    path.display(),
                    number + 1,
                    game.game
                );
                games.push(game);
            }
            Err(error) => {
                damaged = Some(anyhow::Error::new(error).context(format!("{}, line {}", path.display(), number + 1)));
            }
        }
    }
    Ok(games)
}

/// Writes a file as a whole: into another first, which then takes its place.
pub fn rewrite(path: &Path, parts: impl Iterator<Item = String>) -> Result<()> {
    let new = path.with_extension("new");
    let write = || -> std::io::Result<()> {
        let mut file = BufWriter::new(File::create(&new)?);
        for part in parts {
            file.write_all(part.as_bytes())?;
        }
        file.into_inner().map_err(|error| error.into_error())?.sync_all()?;
        fs::rename(&new, path)
    };
    write().with_context(|| format!("file {}", path.display()))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A game to test with.
    pub fn sample(game: u64) -> GameRecord {
        let engine = |word: &str, cp| MoveRecord {
            word: word.into(),
            ms: Some(12.5),
            clock_ms: Some(990),
            depth: Some(8),
            score: Some(SaidScore::Cp(cp)),
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
            reason: Reason::TimeForfeit,
            fault_by: Some(SideName::P1),
            detail: Some("3 ms too late".into()),
            discs: None,
            began: "2026-11-21T13:51:07Z".into(),
            seconds: 0.5,
            limits: ["1+0.01".into(), "depth 8".into()],
            start: None,
            moves: vec![
                MoveRecord { word: "f5".into(), origin: Origin::Opening, ..MoveRecord::default() },
                engine("d6", -120),
                engine("c3", 130),
            ],
            recovered: Vec::new(),
            overhead_us: Some([90, 400]),
            log: None,
        }
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("nullwindow-record-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn games_are_written_read_and_continued() {
        let folder = folder("continued");
        let (mut recorder, games) = Recorder::open(&folder, "othello").unwrap();
        assert!(games.is_empty());
        recorder.write(&mut sample(2), Some("what was said\n")).unwrap();
        recorder.write(&mut sample(1), None).unwrap();
        drop(recorder);
        assert_eq!(fs::read_to_string(folder.join("abnormal/game-000002.log")).unwrap(), "what was said\n");
        // A crash in the middle of a line: that game is not there, the others are, and the texts agree with them.
        let text = fs::read_to_string(folder.join(GAMES)).unwrap();
        fs::write(folder.join(GAMES), format!("{text}{}", &json_line(&sample(3))[..70])).unwrap();
        fs::write(folder.join("games.pgn"), "half").unwrap();
        let (mut recorder, games) = Recorder::open(&folder, "othello").unwrap();
        assert_eq!(games.iter().map(|game| game.game).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(games[0].log.as_deref(), Some("abnormal/game-000002.log"));
        recorder.write(&mut sample(3), None).unwrap();
        assert_eq!(load(&folder).unwrap().len(), 3);
        let pgn = fs::read_to_string(folder.join("games.pgn")).unwrap();
        assert_eq!(pgn.matches("[Result \"0-1\"]").count(), 3);
        assert_eq!(fs::read_to_string(folder.join("games.ggf")).unwrap().lines().count(), 3);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn damage_before_the_end_is_an_error() {
        let folder = folder("damaged");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(GAMES), format!("{{\"game\":\n{}", json_line(&sample(2)))).unwrap();
        let error = format!("{:#}", load(&folder).unwrap_err());
        assert!(error.contains("line 1"), "{error}");
        fs::write(folder.join(GAMES), json_line(&sample(2)).repeat(2)).unwrap();
        assert!(format!("{:#}", load(&folder).unwrap_err()).contains("twice"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_promised_fields_have_their_names() {
        let value: serde_json::Value = serde_json::from_str(&json_line(&sample(7))).unwrap();
        assert_eq!(value["game"], 7);
        assert_eq!((value["p1"].as_str(), value["p2"].as_str()), (Some("A"), Some("B \"two\"")));
        assert_eq!((value["result"].as_str(), value["reason"].as_str()), (Some("p2win"), Some("time-forfeit")));
        assert_eq!((value["fault_by"].as_str(), value["moves"][1]["score"]["cp"].as_i64()), (Some("p1"), Some(-120)));
        assert_eq!(value["moves"][0]["origin"], "opening");
        assert_eq!(serde_json::from_value::<GameRecord>(value).unwrap(), sample(7));
    }
}
