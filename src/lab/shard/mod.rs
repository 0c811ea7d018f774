//! `nullwindow shard`: runs one part of a job that is too large for one machine.
//!
//! A shard is a JSON file ([`Shard`]). Its results are JSON lines ([`ShardLines`]), keyed by the canonical position or
//! game number, the options and the engine. Shards are independent; running a shard again computes only the missing
//! results. `scripts/cluster` creates shards, runs them on Dask and merges their results.

mod games;
mod lines;
mod positions;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

use anyhow::{Context, Result, ensure};
use crossbeam_channel::Receiver;
use serde::Deserialize;

use crate::engine::setup::Setup;
use crate::logging::progress::suspend;
use crate::platform::files;
use crate::platform::interrupt::{self, EXIT_INTERRUPTED};
use lines::{EngineIdentity, ShardLines};

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

/// A shard file.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Shard {
    engine: String,
    bench: u64,
    /// The game (default: othello).
    game: Option<String>,
    /// The engine options.
    #[serde(default)]
    options: BTreeMap<String, String>,
    /// The random seed of games.
    #[serde(default = "first_seed")]
    seed: u64,
    job: Job,
}

fn first_seed() -> u64 {
    1
}

#[derive(Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
enum Job {
    Entries(positions::Entries),
    Solve(positions::Solve),
    Expand(positions::Expand),
    Selfplay(games::Selfplay),
    Tournament(games::Tournament),
}

/// What every job needs.
struct Run {
    setup: Setup,
    /// The options as the suffix of a key.
    suffix: String,
    seed: u64,
    /// Interrupts the run when disconnected.
    interrupt: Receiver<()>,
    lines: ShardLines,
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
    let own = EngineIdentity::own()?;
    let (Some(file), Some(results)) = (&args.file, &args.out) else {
        writeln!(out, "{}", serde_json::to_string(&own)?)?;
        return Ok(ExitCode::SUCCESS);
    };
    let name = || file.display().to_string();
    let text = files::read_text(file).with_context(name)?;
    let Shard { engine, bench, game, options, seed, job } =
        serde_json::from_str(&text).with_context(|| format!("{}: not a shard", name()))?;
    ensure!(
        (&engine, bench) == (&own.engine, own.bench),
        "{}: the shard requires version {engine} with bench total {bench}; this engine is version {} with bench total {}",
        name(),
        own.engine,
        own.bench
    );
    let suffix = options.iter().map(|(name, value)| format!(" {name}={value}")).collect();
    let setup = Setup { game, options: options.into_iter().collect() };
    setup.options().with_context(name)?;
    let lines = ShardLines::open(results, own)?;
    let interrupt = interrupt::channel().context("cannot install a signal handler")?;
    if args.until_eof {
        thread::Builder::new().name("standard input".into()).spawn(end_with_stdin).context("cannot start a thread")?;
    }
    let mut run = Run { setup, suffix, seed, interrupt, lines };
    let interrupted = match &job {
        Job::Entries(job) => job.run(&mut run),
        Job::Solve(job) => job.run(&mut run),
        Job::Expand(job) => job.run(&mut run),
        Job::Selfplay(job) => job.run(&mut run),
        Job::Tournament(job) => job.run(&mut run),
    };
    if interrupted.with_context(name)? {
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
