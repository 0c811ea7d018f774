//! The configuration of a tournament, saved as `tournament.json` in its folder: `--resume`
//! continues from it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::engine_spec::EngineSpec;
use super::openings::{OpeningList, OpeningSelection, RoundOpenings};
use super::pairings::{GameSchedule, PairingFormat};
use super::play::adjudicate::{DrawRule, ResignRule};
use super::play::watchdog::Timeouts;
use super::results::elo::Sprt;
use crate::game::printable;
use crate::platform::files;

/// The name of the file that holds the configuration.
pub const CONFIG: &str = "tournament.json";

/// The maximum of `--concurrency`.
const MAX_CONCURRENCY: usize = 10_000;

/// The parameters of a tournament.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TournamentConfig {
    /// The game's name.
    pub game: String,
    /// The engines.
    pub engines: Vec<EngineSpec>,
    /// The tournament format.
    pub format: PairingFormat,
    /// The number of seed engines of a gauntlet.
    pub seeds: usize,
    /// The number of rounds; `None`: until the SPRT is decided.
    pub rounds: Option<u64>,
    /// The number of games played in parallel.
    pub concurrency: usize,
    /// The openings.
    pub openings: OpeningSelection,
    /// The seed of all random decisions.
    pub seed: u64,
    /// The SPRT that ends the tournament when it is decided.
    pub sprt: Option<Sprt>,
    /// Whether engines that crash or stall are restarted.
    pub recover: bool,
    /// Resign adjudication.
    pub resign: Option<ResignRule>,
    /// Draw adjudication.
    pub draw: Option<DrawRule>,
    /// In Reversi: the number of empties from which games are solved instead of played.
    #[serde(default)]
    pub exact: Option<u8>,
    /// The reply timeout in milliseconds.
    pub stall_ms: u64,
    /// The silence timeout of a search without a clock, in milliseconds.
    pub think_ms: u64,
    /// Whether an unknown engine option is a warning instead of an error.
    #[serde(default)]
    pub lenient: bool,
    /// The warnings about unknown engine options.
    #[serde(default)]
    pub option_warnings: Vec<String>,
    /// Whether each game is pinned to its own cores; `None`: if games run in parallel and there are
    /// enough cores.
    pub affinity: Option<bool>,
    /// The working directory at the start; relative paths of engines refer to it.
    pub directory: PathBuf,
}

impl TournamentConfig {
    /// The schedule of all games.
    pub fn schedule(&self) -> GameSchedule {
        GameSchedule::new(self.format, self.engines.len(), self.seeds, self.rounds)
    }

    /// The length of the tournament in words.
    pub fn length(&self) -> String {
        self.schedule()
            .games()
            .map_or("games until the SPRT is decided".into(), |games| {
                format!("{games} games")
            })
    }

    /// The engines' names.
    pub fn names(&self) -> Vec<String> {
        self.engines
            .iter()
            .map(|engine| engine.name.clone())
            .collect()
    }

    /// How long the runner waits for engines.
    pub fn timeouts(&self) -> Timeouts {
        Timeouts {
            reply: Duration::from_millis(self.stall_ms),
            silence: Duration::from_millis(self.think_ms),
        }
    }

    /// The largest number of search threads of an engine.
    pub fn threads(&self) -> usize {
        self.engines
            .iter()
            .map(EngineSpec::threads)
            .max()
            .unwrap_or(1)
    }

    /// Whether an engine ponders.
    pub fn ponders(&self) -> bool {
        self.engines.iter().any(|engine| engine.ponder)
    }

    /// A note for each engine whose protocol cannot express its limits.
    pub fn engine_notes(&self) -> impl Iterator<Item = String> {
        self.engines.iter().filter_map(EngineSpec::note)
    }

    /// Checks that the parameters are consistent.
    ///
    /// # Errors
    /// The first inconsistency found.
    pub fn check(&self) -> Result<()> {
        ensure!(
            self.sprt.is_none() || self.engines.len() == 2,
            "--sprt needs exactly two engines"
        );
        ensure!(
            self.rounds.is_some() || self.sprt.is_some(),
            "--rounds is required without --sprt"
        );
        for name in self.names() {
            let printable = printable(&name);
            ensure!(
                name == printable,
                "engine name \"{printable}\" contains control characters"
            );
        }
        ensure!(
            (1..=MAX_CONCURRENCY).contains(&self.concurrency),
            "--concurrency {}: expected 1 to {MAX_CONCURRENCY}",
            self.concurrency
        );
        let schedule = self.schedule();
        ensure!(
            self.rounds.is_none() || schedule.games().is_some(),
            "--rounds: more games than can be numbered (18446744073709551615)"
        );
        ensure!(
            schedule.games() != Some(0) && !schedule.pairings.is_empty(),
            "a tournament needs at least two engines and one round"
        );
        Ok(())
    }
}

/// A file and the hash of its content.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileHash {
    /// The file.
    pub path: PathBuf,
    /// Its SHA-256 in hexadecimal.
    pub sha256: String,
}

/// The content of `tournament.json`: configuration, openings (their file may change) and hashes of
/// the engines' files.
#[derive(Serialize, Deserialize)]
pub struct SavedConfig {
    /// The parameters.
    pub config: TournamentConfig,
    /// The openings.
    #[serde(flatten)]
    pub openings: OpeningList,
    /// The programs of the engines, and the files that their arguments and options name.
    #[serde(default)]
    pub files: Vec<FileHash>,
}

impl SavedConfig {
    /// Reads the configuration and openings in a folder.
    ///
    /// # Errors
    /// If there are none, or they cannot be read.
    pub fn load(folder: &Path) -> Result<SavedConfig> {
        let path = folder.join(CONFIG);
        let text = files::read_text(&path)
            .with_context(|| format!("no tournament in {}", folder.display()))?;
        serde_json::from_str(&text).with_context(|| format!("file {}", path.display()))
    }

    /// The openings of the rounds.
    ///
    /// # Errors
    /// If there are none.
    pub fn round_openings(&self) -> Result<RoundOpenings> {
        self.openings
            .rounds(&self.config.openings, &self.config.game, self.config.seed)
    }
}
