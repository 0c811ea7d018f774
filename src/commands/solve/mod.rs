//! `nullwindow solve`: the exact value of the positions of a file, or of a game's start, compared with the scores in
//! the file.
//!
//! Problems of Reversi games are in OBF, those of other games `moves [; value [; plies or - ...]]`. In games won by a
//! line only win, draw or loss is computed, unless the distance is asked for.
//!
//! Every position is searched to the end by the production engine, on one thread or several ([`parallel`]). A journal
//! makes a long run resumable: it gets a line for each finished position, which is not solved again. With a limit of
//! CPU time positions may stay unsolved; from the journal of such a run [`frontier`](super::frontier) computes how far
//! the solver reaches.

pub(super) mod journal;
mod parallel;
mod problem_file;
pub(super) mod solved_row;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};

use crate::engine::setup::{FAILED, Setup};
use crate::game::Game;
use crate::games::any::by_name;
use crate::games::reversi::Othello;
use crate::platform::{command_line, cpu_time, interrupt};
use journal::Journal;
use parallel::{SolveEvent, SolveJob};
use problem_file::ProblemLine;
use solved_row::{SolveTotals, SolvedRow};

/// Arguments of `solve`.
#[derive(clap::Args, Clone, Default, Debug)]
pub struct SolveArgs {
    /// A file of problems, `-` for standard input; without it the start of the game is solved. OBF for Reversi games,
    /// else lines of `moves [; win|draw|loss [; plies or -]]`
    file: Option<PathBuf>,

    /// Number of threads (default: the option Threads): each solves a position of its own, and those that find none
    /// left help with the others
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: Option<u32>,

    /// Size in MiB of the tables of all positions solved at the same time (default: the option Hash)
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: Option<u32>,

    /// Win, loss or draw only: the score is 1, 0 or -1
    #[arg(long)]
    wld: bool,

    /// In games won by a line: also the plies to the end under best play
    #[arg(long, conflicts_with = "wld")]
    distance: bool,

    /// Compute the score of every legal move and compare with those in the file
    #[arg(long)]
    all_moves: bool,

    /// Solve these lines only: a line number or a range
    #[arg(long, value_name = "A-B", value_parser = problem_file::parse_range)]
    only: Option<(usize, usize)>,

    /// Print JSON lines, the total last
    #[arg(long)]
    json: bool,

    /// Give up a position after this many seconds of CPU time
    #[arg(long, value_name = "SECONDS", value_parser = parse_limit)]
    limit_seconds: Option<Duration>,

    /// Record finished positions in this file, and skip those already in it
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
}

impl SolveArgs {
    /// The key of a problem in the journal: the line and the options that determine its result.
    fn journal_key(&self, problem: &ProblemLine) -> String {
        let SolveArgs { wld, all_moves, distance, .. } = self;
        let distance = if *distance { " distance" } else { "" };
        format!("{} wld={wld} all={all_moves}{distance} {}", problem.game.name(), problem.text.trim())
    }
}

/// Late positions of self-play games with the scores of all moves (the file names the command that made it).
const BENCH_PROBLEMS: &str = include_str!("endgames.obf");

/// Solves the problems. Exit status 1 on a score that differs from the file's and on an unreadable line.
pub fn run(args: &SolveArgs, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let tasks = problem_file::load(args.file.as_deref(), setup, args.only)?;
    solve(tasks, args, setup, out)
}

/// Solves the built-in problems: the endgame benchmark.
pub fn bench(setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let game = by_name(Othello::NAME).context("no such game")?;
    solve(problem_file::lines(BENCH_PROBLEMS, &*game, None), &SolveArgs::default(), setup, out)
}

fn solve(tasks: Vec<ProblemLine>, args: &SolveArgs, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    ensure!(!(args.wld && args.all_moves), "--wld and --all-moves exclude each other");
    let options = setup.options()?;
    let is_won_by_line = setup.board(None)?.discs().is_none();
    ensure!(is_won_by_line || !args.distance, "--distance: {} is scored by discs", options.game);
    let wld = args.wld || is_won_by_line && !args.distance;
    let started = Instant::now();
    let mut journal = args.resume.as_deref().map(Journal::open).transpose()?;
    let interrupt = interrupt::channel().context("cannot catch signals")?;
    if let Some(note) = cpu_time::NOTE {
        writeln!(std::io::stderr(), "note: {note}")?;
    }
    let bar = progress_bar(tasks.len());
    let mut totals = SolveTotals::default();
    let mut remaining = Vec::new();
    for task in tasks {
        let find = |journal: &Journal| journal.find(task.number, &args.journal_key(&task), args.limit_seconds);
        match journal.as_ref().and_then(find) {
            Some(row) => totals.add(&row, args.json, &bar, out)?,
            None => remaining.push(task),
        }
    }
    let job = SolveJob {
        threads: args.threads.map_or(options.settings.threads, |threads| threads as usize),
        hash: args.hash.unwrap_or(options.hash) as usize,
        options,
        wld,
        all_moves: args.all_moves,
        limit: args.limit_seconds,
        interrupt,
    };
    let interrupted = parallel::solve(remaining, job, |event| -> Result<()> {
        match event {
            SolveEvent::Done(task, solution) => {
                let row = SolvedRow::new(&task, &solution, wld, args.limit_seconds);
                totals.add(&row, args.json, &bar, out)?;
                journal.as_mut().map_or(Ok(()), |journal| journal.add(&args.journal_key(&task), &row))
            }
            SolveEvent::Unreadable(number, error) => {
                totals.errors += 1;
                bar.suspend(|| writeln!(std::io::stderr(), "line {number}: {error}")).map_err(Into::into)
            }
        }
    })?;
    bar.finish_and_clear();
    totals.write(started.elapsed(), args.json, out)?;
    if interrupted {
        let mut err = std::io::stderr();
        match &args.resume {
            Some(_) => writeln!(err, "interrupted; to resume: {}", own_command())?,
            None => writeln!(err, "interrupted; with --resume FILE a run can be resumed")?,
        }
        return Ok(ExitCode::from(FAILED));
    }
    Ok(if totals.wrong + totals.errors > 0 { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

/// Parses a time limit in seconds.
fn parse_limit(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0);
    let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    limit.ok_or_else(|| "expected a number of seconds above 0".into())
}

/// This command in shell syntax.
fn own_command() -> String {
    let words: Vec<String> = std::env::args().collect();
    command_line::join(&words)
}

/// A progress bar on standard error, hidden without a terminal.
fn progress_bar(positions: usize) -> ProgressBar {
    let bar = ProgressBar::new(positions as u64);
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {elapsed_precise} (rest {eta})");
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar
}
