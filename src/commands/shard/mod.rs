//! `nullwindow shard`: one part of a job that is too large for one machine.
//!
//! A shard is a JSON file ([`shard_file`]); its results are JSON lines ([`shard_lines`]), each keyed by a canonical
//! position or a game number, the options and the engine. Any engine that can start a program on a machine and bring a
//! file back can distribute shards: they know nothing of each other, and a shard that is run again does only what its
//! file lacks.
//! `scripts/cluster` makes shards, runs them on Dask and combines their lines.

mod expand;
mod games;
mod shard_file;
mod shard_lines;
mod solve;

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

use anyhow::{Context, Result};

use crate::logging::progress::suspend;
use crate::platform::interrupt::{self, EXIT_INTERRUPTED};
use shard_file::{EngineIdentity, ShardFile, ShardJob};
use shard_lines::ShardLines;

/// Arguments of `shard`.
#[derive(clap::Args, Debug)]
#[command(after_help = example())]
pub struct ShardArgs {
    /// The shard, a JSON file
    #[arg(required_unless_present = "identity")]
    file: Option<PathBuf>,

    /// The file of its results: JSON lines are appended, those in it are kept and not computed again; half a line at
    /// its end is dropped
    #[arg(long, value_name = "FILE", required_unless_present = "identity")]
    out: Option<PathBuf>,

    /// End when standard input ends, so that the shard does not outlive the program that started it
    #[arg(long)]
    until_eof: bool,

    /// Print the version and the bench total of this engine: a shard names them, and other engines refuse it
    #[arg(long, conflicts_with_all = ["file", "out", "until_eof"])]
    identity: bool,
}

/// A shard for this engine that takes no time.
fn example() -> String {
    let engine = EngineIdentity::own().and_then(|own| Ok(serde_json::to_string(&own)?)).unwrap_or_default();
    format!(
        "A shard names the engine (see --identity), its options and a job (see protocol.md, Shards):\n  \
         {}, \"game\": \"othello4\", \"options\": {{\"Hash\": \"16\"}},\n   \
         \"job\": {{\"solve\": {{\"problems\": [{{\"n\": 1, \"text\": \"startpos; d3:-8\"}}]}}}}}}",
        engine.trim_end_matches('}')
    )
}

/// Runs a shard. Exit status 0 if all its lines are in the file, whatever they say.
pub fn run(args: &ShardArgs, out: &mut dyn Write) -> Result<ExitCode> {
    let (Some(file), Some(results)) = (&args.file, &args.out) else {
        writeln!(out, "{}", serde_json::to_string(&EngineIdentity::own()?)?)?;
        return Ok(ExitCode::SUCCESS);
    };
    let shard = ShardFile::load(file)?;
    let setup = shard.setup().with_context(|| file.display().to_string())?;
    let mut lines = ShardLines::open(results, shard.identity())?;
    let interrupt = interrupt::channel().context("cannot catch signals")?;
    if args.until_eof {
        thread::Builder::new().name("standard input".into()).spawn(end_with_stdin).context("cannot start a thread")?;
    }
    let interrupted = match &shard.job {
        ShardJob::Entries(job) => solve::entries(job, &mut lines),
        ShardJob::Solve(job) => solve::run(job, &setup, &interrupt, &mut lines),
        ShardJob::Expand(job) => expand::run(job, &setup, &interrupt, &mut lines),
        ShardJob::Selfplay(job) => games::selfplay(job, shard.seed, &setup, &interrupt, &mut lines),
        ShardJob::Tournament(job) => games::tournament(job, shard.seed, &setup, &interrupt, &mut lines),
    };
    if interrupted.with_context(|| file.display().to_string())? {
        suspend(|| writeln!(std::io::stderr(), "interrupted: the same command resumes"))?;
        return Ok(ExitCode::from(EXIT_INTERRUPTED));
    }
    Ok(ExitCode::SUCCESS)
}

/// Ends the process when standard input ends. Whole lines are in the file; half a line is dropped by the next run.
fn end_with_stdin() {
    let mut buffer = [0; 256];
    let mut input = std::io::stdin().lock();
    while input.read(&mut buffer).is_ok_and(|count| count > 0) {}
    std::process::exit(EXIT_INTERRUPTED.into());
}
