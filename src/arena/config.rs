//! The configuration of a tournament, saved as `tournament.json` in its folder: `--resume`
//! continues from it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Error, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use super::engine_spec::{EngineSpec, is_on};
use super::openings::{OpeningList, OpeningSelection, RoundOpenings};
use super::pairings::{Encounter, GameSchedule, PairingFormat};
use super::play::adjudicate::{DrawRule, ResignRule};
use super::play::clock::AnnulmentRule;
use super::play::watchdog::Timeouts;
use super::results::elo::Sprt;
use super::results::export::MatchTags;
use super::results::pgn_file::PgnFile;
use crate::game::printable;
use crate::platform::files;

/// The name of the file that holds the configuration.
pub const CONFIG: &str = "tournament.json";

/// The largest number of a CPU core.
const MAX_CORE: usize = 1023;
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
    /// The games of a pairing in a round.
    #[serde(default)]
    pub encounter: Encounter,
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
    /// The number of full moves after which a game is drawn, opening moves included.
    #[serde(default)]
    pub max_moves: Option<u64>,
    /// In Reversi: the number of empties from which games are solved instead of played.
    #[serde(default)]
    pub exact: Option<u8>,
    /// The reply timeout in milliseconds; also the default of the next three.
    pub stall_ms: u64,
    /// The start timeout in milliseconds.
    #[serde(default)]
    pub start_ms: Option<u64>,
    /// The timeout of a new game in milliseconds.
    #[serde(default)]
    pub new_game_ms: Option<u64>,
    /// The timeout of a late move in milliseconds.
    #[serde(default)]
    pub late_move_ms: Option<u64>,
    /// The silence timeout of a search without a clock, in milliseconds.
    pub think_ms: u64,
    /// Which forfeits on time are annulled; `None`, as in matches that earlier versions began: none.
    #[serde(default)]
    pub annulment: Option<AnnulmentRule>,
    /// Whether an unknown engine option is a warning instead of an error.
    #[serde(default)]
    pub lenient: bool,
    /// The warnings about unknown engine options.
    #[serde(default)]
    pub option_warnings: Vec<String>,
    /// The CPU cores of the engines; `None`: each game has its own if games run in parallel and
    /// there are enough cores.
    pub affinity: Option<Affinity>,
    /// The names of event and site in PGN and GGF.
    #[serde(default)]
    pub tags: MatchTags,
    /// The file to which games are also written in PGN.
    #[serde(default)]
    pub pgn: Option<PgnFile>,
    /// The notes on the command line; each begins with `note: `.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The working directory at the start; relative paths of engines refer to it.
    pub directory: PathBuf,
}

impl TournamentConfig {
    /// The schedule of all games.
    pub fn schedule(&self) -> GameSchedule {
        GameSchedule::new(
            self.format,
            self.engines.len(),
            self.seeds,
            self.rounds,
            self.encounter,
        )
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
        let ms = Duration::from_millis;
        Timeouts {
            start: ms(self.start_ms.unwrap_or(self.stall_ms)),
            reply: ms(self.stall_ms),
            new_game: ms(self.new_game_ms.unwrap_or(self.stall_ms)),
            late_move: ms(self.late_move_ms.unwrap_or(self.stall_ms)),
            silence: ms(self.think_ms),
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

    /// The settings of each engine that it does not share with all others: options, and whatever
    /// else changes its play.
    pub fn differing_settings(&self) -> Vec<Vec<(String, String)>> {
        let all: Vec<_> = self.engines.iter().map(EngineSpec::settings).collect();
        let is_shared = |setting| all.iter().all(|own| own.contains(setting));
        all.iter()
            .map(|own| {
                let differing = own.iter().filter(|setting| !is_shared(setting));
                differing.cloned().collect()
            })
            .collect()
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

/// The CPU cores to which the engines are pinned.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Affinity {
    /// Whether each game is pinned to its own cores.
    Switch(bool),
    /// Games are pinned to these cores, each to its own if there are enough.
    Cores(Vec<usize>),
}

impl FromStr for Affinity {
    type Err = Error;

    /// Parses `on`, `off`, or a list of cores such as `0-3,6`.
    fn from_str(text: &str) -> Result<Affinity> {
        if let Ok(switch) = is_on(text) {
            return Ok(Affinity::Switch(switch));
        }
        let mut cores = BTreeSet::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let core = |word: &str| {
                let core = word.trim().parse::<usize>().ok();
                core.filter(|&core| core <= MAX_CORE)
            };
            match (core(first), core(last)) {
                (Some(first), Some(last)) if first <= last => cores.extend(first..=last),
                _ => bail!("expected on, off or a list of CPU cores such as 0-3,6"),
            }
        }
        Ok(Affinity::Cores(cores.into_iter().collect()))
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
