//! `nullwindow calibrate`: measures how far scores of 8x8 Othello are from the truth, and writes the table of option
//! `Show Accuracy` (`src/engine/accuracy/table.txt`).
//!
//! A job is a game of the engine against itself from a random opening ([`sampling`]); at given numbers of empties it is
//! searched to several depths. The record resumes; [`summary`] makes the table of it.

mod sampling;
mod summary;

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use super::recorded_jobs::{JobRecord, run_jobs};
use crate::engine::accuracy::fits_id;
use crate::engine::setup::{FAILED, Setup, check_output};
use crate::game::Game;
use crate::games::reversi::Othello;
use crate::games::reversi::eval::OthelloEvaluator;
use crate::logging::progress::suspend;
use crate::search::Algorithm;
use sampling::{GameSampler, SampledGame};

/// Arguments of `calibrate`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: nullwindow calibrate --out accuracy.jsonl --threads 2 >table.txt\n\
    An interrupted run resumes with the same command. The table takes effect as src/engine/accuracy/table.txt.")]
pub struct CalibrateScoresArgs {
    /// The record of the games to create or resume
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Games: each is searched once at each stage; the deepest searches are done in every eighth game
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,

    /// The random seed of the openings
    #[arg(long, value_name = "S", default_value_t = 2_026)]
    seed: u64,

    /// Threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
}

/// What all games of a record share.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct CalibrationConditions {
    version: String,
    /// The checksum of the weights, hexadecimal.
    weights: String,
    /// What else the searches go by ([`fits_id`]), hexadecimal.
    fits: String,
    seed: u64,
}

/// Plays what the record lacks, and writes the table. Exit status 1: interrupted, nothing is written.
pub fn run(args: &CalibrateScoresArgs, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    check_output("--out", &args.out, [])?;
    let options = setup.options()?;
    let name = setup.board(None)?.name();
    ensure!(name == Othello::NAME, "calibrate is for {} alone, not for {name}", Othello::NAME);
    let settings = &options.settings;
    let is_default = settings.algorithm == Algorithm::Auto && settings.selectivity.is_none();
    ensure!(is_default && options.strength().is_none(), "calibrate measures the default search at full strength");
    let weights = OthelloEvaluator::chosen(settings.weights.as_ref()).id();
    let version = env!("CARGO_PKG_VERSION");
    let conditions = CalibrationConditions {
        version: version.into(),
        weights: format!("{weights:016x}"),
        fits: format!("{:016x}", fits_id()),
        seed: args.seed,
    };
    let mut record = JobRecord::<SampledGame>::open(&args.out, &conditions)?;
    let done: HashSet<u32> = record.done().filter(|&game| game < args.games).collect();
    let left = u64::from(args.games) - done.len() as u64;
    let missing = (0..args.games).filter(|game| !done.contains(game));
    let worker = || {
        let mut sampler = GameSampler::new(&options, args.seed);
        move |&game: &u32| sampler.sample(game)
    };
    if !run_jobs(missing, left, args.threads, &mut record, worker)? {
        suspend(|| writeln!(std::io::stderr(), "interrupted: the same command resumes"))?;
        return Ok(ExitCode::from(FAILED));
    }
    record.lines.retain(|line| line.game < args.games);
    let made_by = format!("nullwindow {version}: calibrate --games {} --seed {}", args.games, args.seed);
    write!(out, "{}", summary::table(&record.lines, weights, made_by))?;
    Ok(ExitCode::SUCCESS)
}
