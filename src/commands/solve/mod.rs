//! `nullwindow solve`: the exact value of positions, from a file of problems or of a game's start, checked against the
//! scores that the file gives.
//!
//! Games of discs are read as problems in OBF, other games as `moves [; value [; plies or - ...]]`. Where a game is won by a
//! line, only who wins is found out, unless the distance is asked for.
//!
//! Every position is searched to the end by the production engine; nothing else is known of it. A record file makes a long
//! run resumable: it gets a line for each finished position, and those are not solved again. With a limit of processor time a
//! position may stay unsolved; [`frontier`] tells from such a record how far the solver reaches.

pub mod frontier;
mod input;
mod record;
mod row;
mod work;

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
use crate::platform::interrupt;
use input::Task;
use record::Record;
use row::{Row, Total};
use work::{Event, Job};

/// Arguments of `solve`.
#[derive(clap::Args, Clone, Default, Debug)]
pub struct Args {
    /// A file of problems, `-` for standard input; without it the start of the game is solved. OBF for games of discs, else
    /// lines of `moves [; win|draw|loss [; plies or -]]`
    file: Option<PathBuf>,

    /// How many positions are solved at once, each on a thread and with its share of the table
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,

    /// Size of the table in MiB (default: the option Hash)
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: Option<u32>,

    /// Find only who wins: the score is 1, 0 or -1
    #[arg(long)]
    wld: bool,

    /// Find the plies to the end under best play too, in games that a line wins
    #[arg(long, conflicts_with = "wld")]
    distance: bool,

    /// Find the score of every legal move, and check every one that the file gives
    #[arg(long)]
    all_moves: bool,

    /// Solve these lines only: a number, or two with a dash between
    #[arg(long, value_name = "A-B", value_parser = input::parse_range)]
    only: Option<(usize, usize)>,

    /// Print JSON lines, the total last
    #[arg(long)]
    json: bool,

    /// Give a position up after so many seconds of processor time
    #[arg(long, value_name = "SECONDS", value_parser = parse_limit)]
    limit_seconds: Option<Duration>,

    /// Record finished positions in this file, and do not solve again what it holds
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
}

/// The project's own problems: late positions of its self-play games, solved move by move (the file says by which command).
const OWN: &str = include_str!("endgames.obf");

/// Solves what the arguments name. Fails (status 1) on a score that is not the file's, and on a line that is none.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let tasks = input::tasks(args.file.as_deref(), setup, args.only)?;
    solve(tasks, args, setup, out)
}

/// Solves the project's own problems: the endgame's bench. Anyone can compare nodes and speed.
pub fn bench(setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let game = by_name(Othello::NAME).context("a game of the list")?;
    let args = Args { threads: 1, ..Args::default() };
    solve(input::lines(OWN, &*game, None), &args, setup, out)
}

fn solve(tasks: Vec<Task>, args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    ensure!(!(args.wld && args.all_moves), "--wld and --all-moves ask for different things: choose one");
    let options = setup.options()?;
    // Where a line wins, who wins is the score.
    let lines = setup.board(None)?.discs().is_none();
    ensure!(
        lines || !args.distance,
        "--distance asks for the plies to the end, and {} is scored by discs",
        options.game
    );
    let wld = args.wld || lines && !args.distance;
    let started = Instant::now();
    let mut record = args.resume.as_deref().map(Record::open).transpose()?;
    let interrupt = interrupt::channel().context("cannot catch signals")?;
    let bar = progress_bar(tasks.len());
    let mut total = Total::default();
    let mut left = Vec::new();
    for task in tasks {
        let known = record.as_ref().and_then(|record| record.find(task.number, &task.key(args), args.limit_seconds));
        match known {
            Some(row) => total.show(&row, args.json, &bar, out)?,
            None => left.push(task),
        }
    }
    let job = Job {
        options,
        threads: args.threads as usize,
        hash: args.hash.unwrap_or(setup.options()?.hash) as usize,
        wld,
        all_moves: args.all_moves,
        limit: args.limit_seconds,
        interrupt,
    };
    let interrupted = work::solve(left, job, |event| -> Result<()> {
        match event {
            Event::Done(task, solution) => {
                let row = Row::new(&task, &solution, wld, args.limit_seconds);
                total.show(&row, args.json, &bar, out)?;
                record.as_mut().map_or(Ok(()), |record| record.add(&task.key(args), &row))
            }
            Event::Unreadable(number, error) => {
                total.errors += 1;
                bar.suspend(|| writeln!(std::io::stderr(), "line {number}: {error}")).map_err(Into::into)
            }
        }
    })?;
    bar.finish_and_clear();
    total.finish(started.elapsed(), args.json, out)?;
    if interrupted {
        let mut err = std::io::stderr();
        match &args.resume {
            Some(_) => writeln!(err, "stopped; to go on: {}", command_line())?,
            None => writeln!(err, "stopped; with --resume FILE a run can be gone on with")?,
        }
        return Ok(ExitCode::from(FAILED));
    }
    Ok(if total.wrong + total.errors > 0 { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

/// A time that a position may take.
fn parse_limit(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0);
    let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    limit.ok_or_else(|| "expected a number of seconds above 0".into())
}

/// The words of this command, quoted for a shell.
fn command_line() -> String {
    let words: Vec<String> = std::env::args().collect();
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

/// A bar on standard error; without a terminal it draws nothing.
fn progress_bar(positions: usize) -> ProgressBar {
    let bar = ProgressBar::new(positions as u64);
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {elapsed_precise} (rest {eta})");
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar
}
