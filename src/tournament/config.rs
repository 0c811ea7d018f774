//! The configuration of a tournament: everything that determines which games are played. It is saved in the
//! tournament's folder, so that an interrupted tournament can be resumed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::adjudicate::{DrawRule, ResignRule};
use super::elo::Sprt;
use super::engine_spec::EngineSpec;
use super::match_rules::MatchRules;
use super::opening_list::{OpeningList, OpeningSelection, RoundOpenings};
use super::pairings::{GameSchedule, PairingFormat};
use super::timeouts::Timeouts;
use crate::game::printable;
use crate::platform::files;

/// The name of the file that holds the configuration.
pub const CONFIG: &str = "tournament.json";

/// The largest number of games at the same time.
const MAX_CONCURRENCY: usize = 10_000;

/// The parameters of a tournament.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TournamentConfig {
    /// The game's name.
    pub game: String,
    /// The engines.
    pub engines: Vec<EngineSpec>,
    /// Which pairings a round has.
    pub format: PairingFormat,
    /// The number of seeds of a gauntlet.
    pub seeds: usize,
    /// Rounds: pairs of games per pairing; `None`: until the sequential test is decided.
    pub rounds: Option<u64>,
    /// Games at the same time.
    pub concurrency: usize,
    /// The openings.
    pub openings: OpeningSelection,
    /// The seed of all random decisions.
    pub seed: u64,
    /// A sequential test that may end the tournament early.
    pub sprt: Option<Sprt>,
    /// Whether engines that die or stall are restarted.
    pub recover: bool,
    /// Resign adjudication.
    pub resign: Option<ResignRule>,
    /// Draw adjudication.
    pub draw: Option<DrawRule>,
    /// In Reversi: the number of empties from which games are solved instead of played.
    #[serde(default)]
    pub exact: Option<u8>,
    /// The answer timeout in milliseconds.
    pub stall_ms: u64,
    /// The silence timeout of a search without a clock, in milliseconds.
    pub think_ms: u64,
    /// Whether options that an engine does not list are a warning instead of an error.
    #[serde(default)]
    pub lenient: bool,
    /// These warnings.
    #[serde(default)]
    pub option_warnings: Vec<String>,
    /// Whether each game gets its own cores; `None`: with concurrency, if there are enough cores.
    pub affinity: Option<bool>,
    /// The working directory of the start, which relative commands refer to.
    pub directory: PathBuf,
}

impl TournamentConfig {
    /// Reads the configuration in a folder.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn load(folder: &Path) -> Result<TournamentConfig> {
        SavedConfig::load(folder).map(|saved| saved.config)
    }

    /// The schedule of all games.
    pub fn schedule(&self) -> GameSchedule {
        GameSchedule::new(self.format, self.engines.len(), self.seeds, self.rounds)
    }

    /// The number of all games in words, after `of`: `200 games`.
    pub fn extent(&self) -> String {
        match self.schedule().games() {
            Some(games) => format!("{games} games"),
            None => "as many games as the sequential test needs".into(),
        }
    }

    /// The engines' names.
    pub fn names(&self) -> Vec<String> {
        self.engines.iter().map(|engine| engine.name.clone()).collect()
    }

    /// The rules of all games.
    pub fn rules(&self) -> MatchRules {
        MatchRules {
            game: self.game.clone(),
            recover: self.recover,
            resign: self.resign,
            draw: self.draw,
            exact: self.exact,
            timeouts: self.timeouts(),
        }
    }

    /// How long the runner waits for engines.
    pub fn timeouts(&self) -> Timeouts {
        Timeouts { answer: Duration::from_millis(self.stall_ms), silence: Duration::from_millis(self.think_ms) }
    }

    /// The lines to read with the results about limits that the engines' protocols cannot express.
    pub fn engine_notes(&self) -> impl Iterator<Item = String> {
        self.engines.iter().filter_map(EngineSpec::note)
    }

    /// Checks that the parameters are consistent.
    ///
    /// # Errors
    /// The first inconsistency.
    pub fn check(&self) -> Result<()> {
        ensure!(self.sprt.is_none() || self.engines.len() == 2, "--sprt needs exactly two engines");
        ensure!(self.rounds.is_some() || self.sprt.is_some(), "without --sprt, --rounds must be given");
        for name in self.names() {
            let printable = printable(&name);
            ensure!(name == printable, "engine \"{printable}\": a name cannot contain control characters");
        }
        ensure!((1..=MAX_CONCURRENCY).contains(&self.concurrency), "--concurrency must be 1 to {MAX_CONCURRENCY}");
        let schedule = self.schedule();
        ensure!(!schedule.is_too_long(), "--rounds: more games than can be numbered (18446744073709551615)");
        ensure!(
            schedule.games() != Some(0) && !schedule.pairings().is_empty(),
            "a tournament needs two engines and one round at least"
        );
        Ok(())
    }
}

/// A file and its content.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileHash {
    /// The file.
    pub path: PathBuf,
    /// Its SHA-256 in hexadecimal.
    pub sha256: String,
}

/// The plan of a tournament, as saved: with the openings themselves, since their file may change.
#[derive(Serialize, Deserialize)]
pub struct SavedConfig {
    /// The parameters.
    pub config: TournamentConfig,
    /// The openings.
    #[serde(flatten)]
    pub openings: OpeningList,
    /// The files that the engines are started from.
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
        let text = files::read_text(&path).with_context(|| format!("no tournament in {}", folder.display()))?;
        serde_json::from_str(&text).with_context(|| format!("file {}", path.display()))
    }

    /// The openings of the rounds.
    ///
    /// # Errors
    /// If there are none.
    pub fn round_openings(&self) -> Result<RoundOpenings> {
        self.openings.rounds(&self.config.openings, &self.config.game, self.config.seed)
    }
}
