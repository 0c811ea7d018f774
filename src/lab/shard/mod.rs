//! `nullwindow shard`: runs one part of a job that is too large for one machine.
//!
//! A shard is a JSON file ([`shard_file`]). Its results are JSON lines ([`shard_lines`]), keyed by the canonical
//! position or game number, the options and the engine. Shards are independent; running a shard again computes only the
//! missing results. `scripts/cluster` creates shards, runs them on Dask and merges their results.

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

#[derive(clap::Args, Debug)]
#[command(after_help = example())]
pub struct ShardArgs {
    /// Shard to run, a JSON file
    #[arg(required_unless_present = "identity")]
    file: Option<PathBuf>,

    /// Append the results to FILE as JSON lines; recorded results are not computed again
    #[arg(long, value_name = "FILE", required_unless_present = "identity")]
    out: Option<PathBuf>,

    /// Exit at the end of standard input, so that the shard ends with its parent process
    #[arg(long)]
    until_eof: bool,

    /// Print the version and bench total of this engine; a shard must contain them
    #[arg(long, conflicts_with_all = ["file", "out", "until_eof"])]
    identity: bool,
}

/// An example for `--help`: a small shard for this engine.
fn example() -> String {
    let engine = EngineIdentity::own().and_then(|own| Ok(serde_json::to_string(&own)?)).unwrap_or_default();
    format!(
        "A shard has the engine (see --identity), its options and a job (see protocol.md, Shards):\n  \
         {}, \"game\": \"othello4\", \"options\": {{\"Hash\": \"16\"}},\n   \
         \"job\": {{\"solve\": {{\"problems\": [{{\"n\": 1, \"text\": \"startpos; d3:-8\"}}]}}}}}}",
        engine.trim_end_matches('}')
    )
}

/// Runs a shard. Exit status 0 if all of its results are in the file.
pub fn run(args: &ShardArgs, out: &mut dyn Write) -> Result<ExitCode> {
    let (Some(file), Some(results)) = (&args.file, &args.out) else {
        writeln!(out, "{}", serde_json::to_string(&EngineIdentity::own()?)?)?;
        return Ok(ExitCode::SUCCESS);
    };
    let shard = ShardFile::load(file)?;
    let setup = shard.setup().with_context(|| file.display().to_string())?;
    let mut lines = ShardLines::open(results, shard.identity())?;
    let interrupt = interrupt::channel().context("cannot install a signal handler")?;
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
        suspend(|| writeln!(std::io::stderr(), "interrupted: run the same command to resume"))?;
        return Ok(ExitCode::from(EXIT_INTERRUPTED));
    }
    Ok(ExitCode::SUCCESS)
}

/// Ends the process when standard input ends. The next run drops an incomplete last line of the file.
fn end_with_stdin() {
    let mut buffer = [0; 256];
    let mut input = std::io::stdin().lock();
    while input.read(&mut buffer).is_ok_and(|count| count > 0) {}
    std::process::exit(EXIT_INTERRUPTED.into());
}
