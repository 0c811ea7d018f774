//! The configuration of a tournament, saved as `tournament.json` in its folder: `--resume`
//! continues from it.

use std::collections::BTreeSet;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Error, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use self::engine_spec::{EngineSpec, is_on};
use self::key_values::{Keys, Words};
use self::openings::{Opening, OpeningList, OpeningSelection, OpeningSource, RoundOpenings};
use self::pairings::{Encounter, GameSchedule, PairingFormat};
use self::pgn::{MatchTags, PgnFile};
use self::usage_error::UsageError;
use crate::arena::client::GameHistory;
use crate::arena::elo::Sprt;
use crate::arena::rules::adjudicate::{DrawRule, MAX_EXACT_EMPTIES, ResignRule};
use crate::arena::rules::clock::{AnnulmentRule, milliseconds};
use crate::game::{counted, printable};
use crate::games::any::{NAMES, by_name};
use crate::platform::files;
use crate::protocol::Protocol;

pub mod engine_spec;
pub mod engines_file;
pub mod key_values;
pub mod openings;
pub mod pairings;
pub mod pgn;
pub mod presets;
pub mod usage_error;

/// The name of the file that holds the configuration.
pub const CONFIG: &str = "tournament.json";

/// The largest number of a CPU core.
const MAX_CORE: usize = 1023;
/// The maximum of `--concurrency`.
const MAX_CONCURRENCY: usize = 10_000;

/// The parameters of a tournament: the options of the command line, as they are recorded, and what
/// is derived from others.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, clap::Args)]
pub struct TournamentConfig {
    /// The game's name.
    #[arg(skip)]
    pub game: String,
    /// The engines.
    #[arg(skip)]
    pub engines: Vec<EngineSpec>,
    /// A third engine that judges the game, whose rules are then not those of this crate.
    #[arg(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub referee: Option<EngineSpec>,
    /// Number of rounds; in a round each pairing plays two games from the same opening, with colors
    /// swapped (see --games) [default: 1; with --sprt: until the test is decided]
    #[arg(long, value_name = "N")]
    pub rounds: Option<u64>,
    #[command(flatten)]
    #[serde(default)]
    pub encounter: Encounter,
    /// The number of games played in parallel.
    #[arg(skip = 1usize)]
    pub concurrency: usize,
    /// Tournament format
    #[arg(long, value_enum, default_value_t)]
    pub format: PairingFormat,
    /// Gauntlet: number of seed engines; the first N engines each play all other engines
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seeds: usize,
    #[command(flatten)]
    pub openings: Words<OpeningSelection>,
    #[command(flatten)]
    #[serde(default)]
    pub sprt: Words<Option<Sprt>>,
    /// Warn about options that an engine does not list, instead of exiting with an error
    #[arg(long)]
    #[serde(default)]
    pub lenient: bool,
    /// Restart an engine that crashes or stalls (once per game) and continue, instead of scoring a
    /// loss
    #[arg(long)]
    pub recover: bool,
    #[command(flatten)]
    #[serde(default)]
    pub resign: Words<Option<ResignRule>>,
    #[command(flatten)]
    #[serde(default)]
    pub draw: Words<Option<DrawRule>>,
    /// Adjudicate a draw after N full moves, opening moves included
    #[arg(long = "maxmoves", value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub max_moves: Option<u64>,
    /// Adjudicate Reversi games with at most N empties by their exact score, which the runner
    /// computes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=i64::from(MAX_EXACT_EMPTIES)))]
    pub exact: Option<u8>,
    /// Set the random seed [default: random; printed and recorded]
    #[arg(long, value_name = "N", default_value_t = random_seed(), hide_default_value = true)]
    pub seed: u64,
    #[command(flatten)]
    #[serde(default)]
    pub pgn: Words<Option<PgnFile>>,
    #[command(flatten)]
    #[serde(default)]
    pub tags: MatchTags,
    /// Wait at most this long for the reply to a command such as isready; also the default of the
    /// next three timeouts
    #[arg(long = "stall-timeout", value_name = "SECONDS", default_value = "10", value_parser = timeout_ms)]
    pub stall_ms: u64,
    /// Wait at most this long for an engine to start and to be ready with its options
    #[arg(long = "start-timeout", value_name = "SECONDS", value_parser = timeout_ms)]
    pub start_ms: Option<u64>,
    /// Wait at most this long for an engine to be ready for a new game
    #[arg(long = "new-game-timeout", value_name = "SECONDS", value_parser = timeout_ms)]
    pub new_game_ms: Option<u64>,
    /// Wait at most this long for the move of an engine that was stopped, because its time is up or
    /// it is silent
    #[arg(long = "move-timeout", value_name = "SECONDS", value_parser = timeout_ms)]
    pub late_move_ms: Option<u64>,
    /// Stop a search without a clock that sends no info line for this long, or that lasts 60 times
    /// as long; without a stop command (GTP, NBoard), wait 10 times as long, then the game is lost
    #[arg(long = "think-timeout", value_name = "SECONDS", default_value = "60", value_parser = timeout_ms)]
    pub think_ms: u64,
    /// Pin each game to its own CPU cores, or to its own of a list such as 0-3,6 (to the whole list
    /// if it is too short) [default: on if games run in parallel and there are enough cores]
    #[arg(long, visible_alias = "use-affinity", value_name = "on|off|CORES")]
    pub affinity: Option<Affinity>,
    /// Which forfeits on time are annulled; `None`, as in matches that earlier versions began: none.
    #[arg(skip = Some(AnnulmentRule::default()))]
    pub annulment: Option<AnnulmentRule>,
    /// The warnings about unknown engine options.
    #[arg(skip)]
    #[serde(default)]
    pub option_warnings: Vec<String>,
    /// The notes on the command line; each begins with `note: `.
    #[arg(skip)]
    #[serde(default)]
    pub notes: Vec<String>,
    /// The working directory at the start; relative paths of engines refer to it.
    #[arg(skip)]
    pub directory: PathBuf,
}

/// A seed of 32 bits.
fn random_seed() -> u64 {
    RandomState::new().hash_one(()) >> 32
}

fn timeout_ms(seconds: &str) -> Result<u64> {
    milliseconds(seconds)
        .filter(|ms| (1..=1_000_000_000).contains(ms))
        .context("expected 0.001 to 1000000 seconds")
}

impl Keys for Sprt {
    const OPTION: &'static str = "--sprt";
    const HELP: &'static str = "\
        Run a sequential probability ratio test and stop when it is decided: elo0=0 elo1=5 alpha=0.05 beta=0.05 \
        model=normalized|logistic";

    fn check(&self) -> Result<()> {
        ensure!(
            self.elo0.is_finite() && self.elo1.is_finite() && self.elo0 < self.elo1,
            "elo0 must be less than elo1"
        );
        ensure!(
            [self.alpha, self.beta]
                .iter()
                .all(|error| (1e-9..0.5).contains(error)),
            "alpha and beta must be between 0 and 0.5"
        );
        Ok(())
    }
}

impl Keys for ResignRule {
    const OPTION: &'static str = "--resign";
    const HELP: &'static str = "\
        Adjudicate a loss when a side's own score is -N or lower for movecount moves: score=N (hundredths of a point) \
        movecount=3 twosided=false";
}

impl Keys for DrawRule {
    const OPTION: &'static str = "--draw";
    const HELP: &'static str = "\
        Adjudicate a draw when both scores are within N of zero for movecount moves: score=N (hundredths of a point) \
        movecount=8 movenumber=0";
}

impl Keys for PgnFile {
    const OPTION: &'static str = "--pgnout";
    const HELP: &'static str = "\
        Also write each game to a PGN file as it ends: file=PATH, append=true|false [default: true], min=true (tags \
        and moves only), comments on moves with nodes=true, seldepth=true, nps=true, timeleft=true";
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

    /// Whether queries judge the game, and not the rules of this crate.
    pub fn is_judged(&self) -> bool {
        self.referee.is_some() || by_name(&self.game).is_none()
    }

    /// Who judges the games, in their record; `None`: the rules of this crate.
    pub fn referee_name(&self) -> Option<String> {
        let third = self.referee.as_ref().map(|third| &*third.name);
        self.is_judged().then(|| third.unwrap_or("players").into())
    }

    /// The game after an opening; at its start if queries judge it.
    ///
    /// # Errors
    /// If the opening is invalid in the game.
    pub fn game_after(&self, opening: &Opening) -> Result<GameHistory> {
        if self.is_judged() {
            return Ok(GameHistory::text(&self.game, opening.position.clone()));
        }
        Ok(opening.game(&self.game)?.into())
    }

    /// All engines, with the referee.
    pub fn programs(&self) -> impl Iterator<Item = &EngineSpec> {
        self.engines.iter().chain(&self.referee)
    }

    /// The length of the tournament in words.
    pub fn length(&self) -> String {
        self.schedule()
            .games()
            .map_or("games until the SPRT is decided".into(), |games| {
                counted(games, "game", "games")
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
        let count = self.engines.len();
        ensure!(
            count >= 2,
            UsageError(
                "--engine: a tournament needs at least two engines, each with cmd=COMMAND ... (see tournament --help)"
                    .into()
            )
        );
        ensure!(
            self.sprt.is_none() || count == 2,
            UsageError("--sprt needs exactly two engines".into())
        );
        for name in self.names() {
            let printable = printable(&name);
            ensure!(
                name == printable,
                "engine name \"{printable}\" contains control characters"
            );
        }
        let out_of = |option: &str, found: &dyn fmt::Display, expected: String| {
            UsageError(format!("{option} {found}: expected {expected}"))
        };
        ensure!(
            (1..=MAX_CONCURRENCY).contains(&self.concurrency),
            out_of(
                "--concurrency",
                &self.concurrency,
                format!("1 to {MAX_CONCURRENCY}")
            )
        );
        ensure!(
            self.rounds != Some(0),
            out_of("--rounds", &0, "1 or more".into())
        );
        ensure!(
            self.rounds.is_some() || self.sprt.is_some(),
            "neither a number of rounds nor an SPRT ends the tournament"
        );
        ensure!(
            self.format != PairingFormat::HeadToHead || count.is_multiple_of(2),
            UsageError("--format head-to-head needs an even number of engines".into())
        );
        ensure!(
            (1..count).contains(&self.seeds),
            out_of(
                "--seeds",
                &self.seeds,
                format!("1 to {}, less than the number of engines", count - 1)
            )
        );
        ensure!(
            self.seeds == 1 || self.format == PairingFormat::Gauntlet,
            UsageError("--seeds requires --format gauntlet".into())
        );
        if self.is_judged() {
            self.check_judged()?;
        }
        let has_discs = by_name(&self.game).is_some_and(|game| game.discs().is_some());
        ensure!(
            self.exact.is_none() || has_discs,
            UsageError(format!(
                "--exact applies to Reversi games, not to {}",
                self.game
            ))
        );
        ensure!(
            self.rounds.is_none() || self.schedule().games().is_some(),
            UsageError("--rounds: more games than can be numbered (18446744073709551615)".into())
        );
        Ok(())
    }

    /// Checks a match that queries judge.
    fn check_judged(&self) -> Result<()> {
        for EngineSpec { name, protocol, .. } in self.programs() {
            ensure!(
                *protocol == Protocol::Ugi,
                "engine \"{name}\": {} is judged by UGI queries, which proto={} lacks (games that this program \
                 judges: {})",
                self.game,
                protocol.name(),
                NAMES.join(", ")
            );
        }
        let is_player = |referee: &EngineSpec| self.names().contains(&referee.name);
        ensure!(
            !self.referee.as_ref().is_some_and(is_player),
            "the referee is named like an engine: give each its own name="
        );
        ensure!(
            self.exact.is_none(),
            UsageError("--exact needs the rules of this program; queries judge this game".into())
        );
        ensure!(
            self.openings.source != OpeningSource::Random,
            UsageError(
                "--openings random needs the rules of this program; queries judge this game: use file=PATH or startpos"
                    .into()
            )
        );
        Ok(())
    }
}

/// How long the runner waits for engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timeouts {
    /// For the handshake, and until it is ready with its options.
    pub start: Duration,
    /// For the reply to a command or a probe.
    pub reply: Duration,
    /// Until it is ready for a new game.
    pub new_game: Duration,
    /// For the move after `stop`.
    pub late_move: Duration,
    /// For search information in a search without a clock.
    pub silence: Duration,
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

#[cfg(test)]
mod tests {
    use clap::{Args, Command, FromArgMatches};
    use serde_json::json;

    use super::*;

    fn parsed(words: &str) -> TournamentConfig {
        let command = TournamentConfig::augment_args(Command::new("t").no_binary_name(true));
        let matches = command.try_get_matches_from(words.split_whitespace());
        TournamentConfig::from_arg_matches(&matches.unwrap()).unwrap()
    }

    #[test]
    fn options_are_recorded_and_read_back() {
        let config = parsed(
            "--rounds 3 --noswap --format gauntlet --openings random plies=4 --sprt elo1=7 --draw score=5 \
             --maxmoves 9 --seed 8 --pgnout file=x nodes=true --event E --stall-timeout 0.5 --affinity 0-1",
        );
        assert!(!config.encounter.swap);
        assert_eq!((config.openings.plies, config.stall_ms), (Some(4), 500));
        assert_eq!(config.sprt.map(|sprt| sprt.elo1), Some(7.0));
        assert!(config.resign.is_none() && config.annulment.is_some());
        let text = serde_json::to_string(&config).unwrap();
        assert_eq!(
            serde_json::from_str::<TournamentConfig>(&text).unwrap(),
            config
        );
    }

    #[test]
    fn records_of_earlier_versions_are_read() {
        let config = json!({
            "game": "othello", "engines": [], "format": "round-robin", "seeds": 1, "rounds": 2, "concurrency": 1,
            "openings": {"source": "builtin", "shuffled": true, "plies": null, "from": 1}, "seed": 7,
            "sprt": {"elo0": 0.0, "elo1": 5.0, "alpha": 0.05, "beta": 0.05, "model": "normalised"},
            "recover": false, "resign": {"moves": 3, "score": 400, "two_sided": false}, "draw": null,
            "stall_ms": 10_000, "think_ms": 60_000, "affinity": null, "directory": "/",
        });
        let config: TournamentConfig = serde_json::from_value(config).unwrap();
        assert_eq!(config.resign.map(|rule| rule.score), Some(400));
        assert!(config.draw.is_none() && config.pgn.is_none() && config.annulment.is_none());
        assert!(config.sprt.is_some() && !config.lenient);
    }
}
