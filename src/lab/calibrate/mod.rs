//! `nullwindow calibrate`: measures the error of 8x8 Othello scores and prints the table of option `Show Accuracy`
//! (`src/engine/accuracy/table.txt`).
//!
//! A job is a self-play game from a random opening; positions at given numbers of empties are searched to several
//! depths ([`sampling`]). The run is resumable. [`summary`] computes the table.

mod sampling;
mod summary;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use super::jobs::{JobRecord, run_jobs};
use super::interrupted;
use crate::engine::accuracy::fits_id;
use crate::engine::setup::{Setup, check_output};
use crate::game::Game;
use crate::games::reversi::Othello;
use crate::games::reversi::eval::OthelloEvaluator;
use crate::logging::progress::suspend;
use crate::search::Algorithm;
use sampling::{GameSampler, SampledGame};

#[derive(clap::Args, Debug)]
#[command(after_help = "Example: nullwindow calibrate --out accuracy.jsonl --threads 2 >table.txt\n\
    Run the same command again to resume. To use the table, replace src/engine/accuracy/table.txt and rebuild.")]
pub struct CalibrateScoresArgs {
    /// Record of the games to create or resume
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Number of games
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,

    /// Random seed of the openings
    #[arg(long, value_name = "S", default_value_t = 2_026)]
    seed: u64,

    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
}

/// The conditions that all games of a record share.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct CalibrationConditions {
    version: String,
    /// The checksum of the weights, hexadecimal.
    weights: String,
    /// The checksum of the other fitted parameters ([`fits_id`]), hexadecimal.
    fits: String,
    seed: u64,
}

/// Plays the missing games and prints the table. If interrupted, prints no table and returns exit status 1.
pub fn run(args: &CalibrateScoresArgs, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    check_output("--out", &args.out, [])?;
    let options = setup.options()?;
    let name = setup.board(None)?.name();
    ensure!(name == Othello::NAME, "calibrate supports {} only, not {name}", Othello::NAME);
    let settings = &options.settings;
    let is_default = settings.algorithm == Algorithm::Auto && settings.selectivity.is_none();
    ensure!(
        is_default && options.strength().is_none(),
        "calibrate requires the default search options at full strength"
    );
    let weights = OthelloEvaluator::chosen(settings.weights.as_ref()).id();
    let version = env!("CARGO_PKG_VERSION");
    let conditions = CalibrationConditions {
        version: version.into(),
        weights: format!("{weights:016x}"),
        fits: format!("{:016x}", fits_id()),
        seed: args.seed,
    };
    let mut record = JobRecord::<SampledGame>::open(&args.out, &conditions)?;
    let missing = record.missing(0..args.games);
    let worker = || {
        let mut sampler = GameSampler::new(&options, args.seed);
        move |game: u32| sampler.sample(game)
    };
    if !run_jobs(missing, args.threads, &mut record, worker)? {
        return suspend(|| interrupted(&mut std::io::stderr()));
    }
    record.lines.retain(|line| line.game < args.games);
    let made_by = format!("nullwindow {version}: calibrate --games {} --seed {}", args.games, args.seed);
    write!(out, "{}", summary::table(&record.lines, weights, made_by))?;
    Ok(ExitCode::SUCCESS)
}
