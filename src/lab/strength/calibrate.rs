//! `strength calibrate`: plays the matches on several threads. The number of threads affects only the order of the
//! lines of the record.

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};

use super::level_games::{LevelPlayer, opening, play};
use super::played_pair::{Conditions, PairKey, PlayedPair};
use super::summary::{MatchSummary, table};
use super::{LEVELS, level};
use crate::engine::options::Options;
use crate::engine::setup::{FAILED, check_output};
use crate::game::Player;
use crate::games::any::AnyGame;
use crate::lab::jobs::{JobRecord, run_jobs};

#[derive(clap::Args, Debug)]
pub struct CalibrateArgs {
    /// Record of the games to create or resume
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Levels of option Strength, 1 to 30
    #[arg(long, value_name = "LEVELS", value_delimiter = ',', default_value = LEVELS, value_parser = level)]
    levels: Vec<u32>,

    /// Games per level, in pairs with colors swapped
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(2..))]
    games: u32,

    /// Nodes per move
    #[arg(long, value_name = "N", default_value_t = 4_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,

    /// Number of random opening plies
    #[arg(long, value_name = "N", default_value_t = 6)]
    plies: usize,

    /// Random seed of the openings
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Play each level against the next stronger one instead of full strength
    #[arg(long)]
    ladder: bool,

    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
}

/// Plays the missing games and prints the table. Exit status 1 if a loss is outside the tolerance or the run was
/// interrupted.
pub(super) fn run(args: &CalibrateArgs, options: &Options, start: &AnyGame, out: &mut dyn Write) -> Result<ExitCode> {
    let most = usize::from(start.plies_left()) - 1;
    ensure!(args.plies <= most, "--plies {}: expected 0 to {most}", args.plies);
    check_output("--out", &args.out, [])?;
    let conditions = Conditions {
        version: env!("CARGO_PKG_VERSION").into(),
        game: start.name().into(),
        nodes: args.nodes,
        plies: args.plies,
        seed: args.seed,
    };
    let mut record = JobRecord::<PlayedPair>::open(&args.out, &conditions)?;
    let wanted = WantedPairs::new(args);
    let done: HashSet<PairKey> = record.done().filter(|&key| wanted.contains(key)).collect();
    let left = wanted.count() - done.len() as u64;
    let missing = wanted.keys().filter(|key| !done.contains(key));
    let worker = || |key: PairKey| play_pair(key, args, options, start);
    let done = run_jobs(missing, left, args.threads, &mut record, worker)?;
    if !done {
        writeln!(out, "interrupted: run the same command to resume")?;
        return Ok(ExitCode::from(FAILED));
    }
    record.lines.retain(|pair| wanted.contains(pair.key));
    let (text, wrong) = table(&MatchSummary::of(&record.lines));
    write!(out, "{text}")?;
    wrong.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// The pairs of a complete run, the matches interleaved.
struct WantedPairs {
    /// The levels of each match.
    matches: Vec<(u32, u32)>,
    /// The pairs of each match.
    pairs: u32,
}

impl WantedPairs {
    fn new(args: &CalibrateArgs) -> WantedPairs {
        let mut levels = args.levels.clone();
        levels.sort_unstable();
        levels.dedup();
        let against = |index: usize| if args.ladder && index > 0 { levels[index - 1] } else { 0 };
        let matches = levels.iter().enumerate().map(|(index, &level)| (level, against(index))).collect();
        WantedPairs { matches, pairs: args.games.div_ceil(2) }
    }

    fn count(&self) -> u64 {
        self.matches.len() as u64 * u64::from(self.pairs)
    }

    fn contains(&self, key: PairKey) -> bool {
        key.pair < self.pairs && self.matches.contains(&(key.level, key.against))
    }

    fn keys(&self) -> impl Iterator<Item = PairKey> + Send {
        let of_pair = |pair| self.matches.iter().map(move |&(level, against)| PairKey { level, against, pair });
        (0..self.pairs).flat_map(of_pair)
    }
}

fn play_pair(key: PairKey, args: &CalibrateArgs, options: &Options, start: &AnyGame) -> Result<PlayedPair> {
    let opening = opening(start, args.plies, args.seed, key.pair, options)?;
    let mut level = LevelPlayer::new(options, key.level, args.nodes);
    let mut other = LevelPlayer::new(options, key.against, args.nodes);
    let first = play(&opening, Player::First, &mut level, &mut other)?;
    let second = play(&opening, Player::Second, &mut level, &mut other)?;
    Ok(PlayedPair { key, games: [first, second] })
}
