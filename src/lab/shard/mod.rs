//! `nullwindow lab shard`: runs one part of a job that is too large for one machine.
//!
//! A shard is a JSON file ([`ShardFile`]). Its results are JSON lines ([`ShardLines`]), keyed by
//! the text of the problem, the position or the game number, the options and the engine. Shards are
//! independent; running a shard again computes only the missing results. `scripts/cluster` creates
//! shards, runs them on Dask and merges their results.

mod analyses;
mod games;
mod positions;

use std::collections::{BTreeMap, HashSet};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

use anyhow::{Context, Result, ensure};
use crossbeam_channel::{Receiver, TryRecvError};
use serde::{Deserialize, Serialize};

use crate::commands::analyze::ANALYZE_OPTIONS;
use crate::commands::solve::SOLVE_OPTIONS;
use crate::commands::{report_resumable, write_json_line};
use crate::engine::bench_positions::EXPECTED_NODES;
use crate::lab::train::selfplay::SELFPLAY_OPTIONS;
use crate::platform::files;
use crate::platform::interrupt::{self, EXIT_INTERRUPTED};
use crate::setup::{Setup, check_record, has_option, uses};
use crate::storage::json_lines::JsonLines;

#[derive(clap::Args, Debug)]
#[command(args = uses(&[]))]
#[command(after_help = example())]
pub struct Args {
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

/// The identity of an engine: two engines with the same identity return the same results.
#[derive(PartialEq, Eq, Serialize, Deserialize, Debug)]
struct EngineIdentity {
    /// The version.
    engine: String,
    /// The node total of `bench`.
    bench: u64,
}

impl EngineIdentity {
    /// This engine.
    fn own() -> EngineIdentity {
        EngineIdentity {
            engine: env!("CARGO_PKG_VERSION").into(),
            bench: EXPECTED_NODES,
        }
    }
}

/// A shard file.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct ShardFile {
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
    job: NamedJob,
}

fn first_seed() -> u64 {
    1
}

/// The job of a shard by its name in the file.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
enum NamedJob {
    Entries(positions::EntriesShard),
    Solve(positions::SolveShard),
    Expand(positions::ExpandShard),
    Analyze(analyses::AnalyzeShard),
    Selfplay(games::SelfplayShard),
    Tournament(games::TournamentShard),
}

impl NamedJob {
    /// Its name, the engine options that have an effect on it (those of its command), and the job.
    fn parts(&self) -> (&'static str, Vec<&'static str>, &dyn ShardJob) {
        let (name, options, job): (_, &[&[&str]], &dyn ShardJob) = match self {
            NamedJob::Entries(job) => ("entries", SOLVE_OPTIONS, job),
            NamedJob::Solve(job) => ("solve", SOLVE_OPTIONS, job),
            NamedJob::Expand(job) => ("expand", SOLVE_OPTIONS, job),
            NamedJob::Analyze(job) => ("analyze", ANALYZE_OPTIONS, job),
            NamedJob::Selfplay(job) => ("selfplay", SELFPLAY_OPTIONS, job),
            NamedJob::Tournament(job) => ("tournament", ANALYZE_OPTIONS, job),
        };
        (name, options.concat(), job)
    }
}

trait ShardJob {
    /// Computes the results that the file lacks. Returns whether it was interrupted.
    fn run(&self, run: &mut ShardRun) -> Result<bool>;
}

/// What every job needs.
struct ShardRun {
    setup: Setup,
    /// The options as the suffix of a key.
    suffix: String,
    seed: u64,
    /// Interrupts the run when disconnected.
    interrupt: Receiver<()>,
    lines: ShardLines,
}

impl ShardRun {
    fn is_interrupted(&self) -> bool {
        self.interrupt.try_recv() == Err(TryRecvError::Disconnected)
    }
}

/// An example for `--help`: a small shard for this engine.
fn example() -> String {
    let engine = serde_json::to_string(&EngineIdentity::own()).unwrap_or_default();
    format!(
        "A shard has the engine (see --identity), its options and a job (see src/storage/formats.md, Shards):\n  \
         {}, \"game\": \"othello4\", \"options\": {{\"Hash\": \"16\"}},\n   \
         \"job\": {{\"solve\": {{\"problems\": [{{\"n\": 1, \"text\": \"startpos; d3:-8\"}}]}}}}}}",
        engine.trim_end_matches('}')
    )
}

/// Runs a shard. Exit status 0 if all of its results are in the file.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<ExitCode> {
    let own = EngineIdentity::own();
    let (Some(file), Some(results)) = (&args.file, &args.out) else {
        write_json_line(&own, out)?;
        return Ok(ExitCode::SUCCESS);
    };
    let name = || file.display().to_string();
    let text = files::read_text(file).with_context(name)?;
    let ShardFile {
        engine,
        bench,
        game,
        options,
        seed,
        job,
    } = serde_json::from_str(&text).with_context(|| format!("{}: not a shard", name()))?;
    ensure!(
        (&engine, bench) == (&own.engine, own.bench),
        "{}: the shard requires version {engine} with bench total {bench}; this engine is version {} with bench total \
         {}",
        name(),
        own.engine,
        own.bench
    );
    let (job_name, used, job) = job.parts();
    for option in options.keys() {
        ensure!(
            has_option(&used, option),
            "{}: option {option} has no effect on the job {job_name}, expected one of {}",
            name(),
            used.join(", ")
        );
    }
    let setup = Setup {
        game,
        options: options.into_iter().collect(),
        ..Setup::default()
    };
    setup.check().with_context(name)?;
    setup.options().with_context(name)?;
    let suffix = setup
        .determining_options(&[])
        .iter()
        .map(|(name, value)| format!(" {name}={value}"))
        .collect();
    check_record("--out", results, [file])?;
    let lines = ShardLines::open(results, own)?;
    let interrupt = interrupt::channel().context("cannot install a signal handler")?;
    if args.until_eof {
        thread::Builder::new()
            .name("standard input".into())
            .spawn(end_with_stdin)
            .context("cannot start a thread")?;
    }
    let mut run = ShardRun {
        setup,
        suffix,
        seed,
        interrupt,
        lines,
    };
    if job.run(&mut run).with_context(name)? {
        report_resumable(None);
        return Ok(ExitCode::from(EXIT_INTERRUPTED));
    }
    Ok(ExitCode::SUCCESS)
}

/// Ends the process when standard input ends. The next run drops an incomplete last line of the
/// file.
fn end_with_stdin() {
    let mut buffer = [0; 256];
    let mut input = std::io::stdin().lock();
    while input.read(&mut buffer).is_ok_and(|count| count > 0) {}
    std::process::exit(EXIT_INTERRUPTED.into());
}

/// Identifies a result: its key, and the number of the problem if it has one.
type LineKey = (String, Option<u64>);

/// An open file of results.
struct ShardLines {
    lines: JsonLines<KnownLine>,
    identity: EngineIdentity,
    /// The lines of this engine.
    known: HashSet<LineKey>,
}

/// A line to write.
#[derive(Serialize)]
struct ShardLine<'a, R> {
    key: &'a str,
    #[serde(flatten)]
    identity: &'a EngineIdentity,
    #[serde(flatten)]
    result: &'a R,
}

/// The parsed part of a line.
#[derive(Deserialize)]
struct KnownLine {
    key: String,
    #[serde(flatten)]
    identity: EngineIdentity,
    n: Option<u64>,
}

impl ShardLines {
    /// Opens or creates a file.
    ///
    /// # Errors
    /// As [`JsonLines::open`].
    fn open(path: &Path, identity: EngineIdentity) -> Result<ShardLines> {
        let mut known = HashSet::new();
        // A file merged from several shards may contain duplicates.
        let lines = JsonLines::open(path, |line: KnownLine| {
            if line.identity == identity {
                known.insert((line.key, line.n));
            }
            Ok(())
        })?;
        Ok(ShardLines {
            lines,
            identity,
            known,
        })
    }

    /// Whether the file has a line with this key and number.
    fn has(&self, key: &str, n: Option<u64>) -> bool {
        self.known.contains(&(key.to_owned(), n))
    }

    /// Appends a line unless the file has one with this key and number.
    fn add(&mut self, key: &str, result: &impl Serialize) -> Result<()> {
        let n = serde_json::to_value(result)?["n"].as_u64();
        if self.known.insert((key.to_owned(), n)) {
            self.lines.append(&ShardLine {
                key,
                identity: &self.identity,
                result,
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn identity(bench: u64) -> EngineIdentity {
        EngineIdentity {
            engine: "1.0".into(),
            bench,
        }
    }

    #[test]
    fn half_a_line_is_dropped_and_results_of_another_engine_do_not_count() {
        let path =
            std::env::temp_dir().join(format!("nullwindow-shard-lines-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let mut lines = ShardLines::open(&path, identity(7)).unwrap();
        lines.add("a", &json!({"n": 1, "score": 2})).unwrap();
        lines.add("a", &json!({"n": 2, "score": 2})).unwrap();
        lines.add("a", &json!({"n": 2, "score": 9})).unwrap();
        drop(lines);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 2);
        for half in [
            "{\"key\":\"a\",",
            "{\"key\":\"b\",\"engine\":\"1.0\",\"bench\":7}",
        ] {
            std::fs::write(&path, format!("{text}{half}")).unwrap();
            let lines = ShardLines::open(&path, identity(7)).unwrap();
            let is_whole = half.ends_with('}');
            assert_eq!(
                (lines.has("a", Some(2)), lines.has("b", None)),
                (true, is_whole)
            );
            let end = if is_whole {
                format!("{half}\n")
            } else {
                String::new()
            };
            assert_eq!(
                std::fs::read_to_string(&path).unwrap(),
                format!("{text}{end}")
            );
        }
        assert!(
            !ShardLines::open(&path, identity(8))
                .unwrap()
                .has("a", Some(1))
        );
        std::fs::write(&path, text.repeat(2)).unwrap();
        assert!(
            ShardLines::open(&path, identity(7))
                .unwrap()
                .has("a", Some(1))
        );
        std::fs::write(&path, format!("something else\n{text}")).unwrap();
        let error = ShardLines::open(&path, identity(7))
            .err()
            .unwrap()
            .to_string();
        assert!(
            error.contains("line 1: invalid line of this record"),
            "{error}"
        );
        std::fs::remove_file(&path).unwrap();
    }
}
