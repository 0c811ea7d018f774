//! The command line: flags, subcommands and exit status.
//!
//! Each subcommand has a struct of clap arguments and `run(&args, &setup, out) -> anyhow::Result<ExitCode>`, which
//! writes to `out`, never to standard output directly. Exit status: 0 success, 1 a check failed ([`setup::FAILED`]), 2
//! a usage or file error (from clap, or an `Err`).

pub mod bench;
pub mod calibrate;
pub mod compare;
pub mod explain;
pub mod frontier;
mod generated;
mod move_ordering;
pub mod openings;
pub mod problems;
mod recorded_jobs;
pub mod regret;
mod replayed;
pub mod reproduce;
pub mod shard;
pub mod solve;
pub mod strength;
mod usage;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Subcommand;

use crate::engine::setup::{self, Setup};
use crate::games::any;
use crate::games::perft::{divide_any, known, perft_any};
use crate::logging::progress::{self, ProgressLine, TerminalWriter};
use crate::logging::{self, PROTOCOL, SEARCH, TABLE, TIME};
use crate::platform::files;
use crate::platform::streams::{stdout_hung_up, stdout_shows_colour, stdout_unread};
use crate::protocol::Protocol;
use crate::protocol::driver::{self, OutputReader};
use crate::tournament::{self, arguments::TournamentArgs};
use crate::train::{self, selfplay};

/// A game-tree search engine built on null-window search. Without a command it speaks UGI on standard input and output:
/// type help, or: go depth 12
#[derive(clap::Parser, Debug)]
#[command(name = "nullwindow", version, max_term_width = 110, after_help = help_of_log())]
struct Cli {
    #[command(flatten)]
    setup: Setup,

    /// The protocol to speak (default: the first line chooses)
    #[arg(long, value_enum)]
    protocol: Option<Protocol>,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Count the leaf nodes of the game tree at a given depth
    Perft(PerftArgs),
    /// Search a fixed set of positions of all games and count the nodes
    Bench(bench::BenchArgs),
    /// Search positions by every algorithm, with and without table and deepening
    Compare(compare::CompareArgs),
    /// Show a search as a tree, as text or as a page: windows, values, cuts, re-searches; compare two
    Explain(explain::ExplainArgs),
    /// Reproduce the figures of the papers that this project is based on
    Reproduce(reproduce::ReproduceArgs),
    /// Make balanced openings for matches
    Openings(openings::OpeningsArgs),
    /// Play engines against each other
    Tournament(Box<TournamentArgs>),
    /// Make solved endgame problems from self-play
    Problems(problems::ProblemsArgs),
    /// Play games to learn from: fixed depth, solved endgames, one record per position
    Selfplay(selfplay::SelfplayArgs),
    /// Fit evaluations and ProbCut models to self-play
    Train(train::TrainArgs),
    /// Compute the exact value of positions and check the scores of a file
    Solve(solve::SolveArgs),
    /// Do a part of a large job and append its results to a file: for clusters
    Shard(shard::ShardArgs),
    /// Summarise how far the solver reaches, from the record of a run with a limit
    Frontier(frontier::FrontierArgs),
    /// Measure what option Strength is worth: discs lost per game, agreement with people
    Strength(strength::StrengthArgs),
    /// Measure what moves lose under small node budgets, against plain iterative deepening
    Regret(regret::RegretArgs),
    /// Measure how far scores are from exact ones, for option Show Accuracy
    Calibrate(calibrate::CalibrateScoresArgs),
    /// Write a shell's completion script to standard output
    Completions(generated::CompletionsArgs),
    /// Write the manual page to standard output
    Man(generated::ManArgs),
}

/// Arguments of `perft`.
#[derive(clap::Args, Debug)]
struct PerftArgs {
    /// The depth in plies; a pass is a ply
    #[arg(required_unless_present = "check", value_parser = clap::value_parser!(u32).range(0..=128))]
    depth: Option<u32>,

    /// The position to count from, in any notation of the game or as moves from its start (default: its start)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    position: Option<String>,

    /// Count for each root move
    #[arg(long)]
    divide: bool,

    /// Check the known counts in files that are named after their games, as those in tests/data/perft
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["depth", "position", "divide", "game"])]
    check: Vec<PathBuf>,

    /// With --check, leave out counts above this number
    #[arg(long, value_name = "N", requires = "check", conflicts_with_all = ["depth", "position", "divide"])]
    limit: Option<u64>,
}

fn help_of_log() -> String {
    format!(
        "Log: RUST_LOG=debug writes it to standard error, RUST_LOG={TIME}=debug only the time plans.\n\
         The targets are {PROTOCOL}, {SEARCH}, {TIME} and {TABLE}.\n\
         --option \"Debug Log File=FILE\" appends it to a file, with every line in and out."
    )
}

/// Parses a command line, with the name of the program first, without running it.
///
/// # Errors
/// The text that the program would print; help is one too.
pub fn check_usage(words: &[String]) -> Result<(), String> {
    usage::parsed(words).map(drop).map_err(|error| error.to_string())
}

/// Parses and runs the command line.
pub fn main() -> ExitCode {
    let (cli, name) = usage::parse(); // ends the process with status 2 on an error, 0 after help
    let name = name.as_str();
    let done = || match &cli.command {
        None => run_protocol(&cli),
        Some(command) => {
            let mut out = TerminalWriter::buffered(io::stdout().lock());
            run(command, name, &cli.setup, &mut out).and_then(|code| out.flush().map(|()| code).map_err(Into::into))
        }
    };
    begin_log(&cli.setup).and_then(|()| done()).unwrap_or_else(|error| {
        if is_closed_pipe(&error) {
            return ExitCode::SUCCESS; // the reader has closed the pipe
        }
        let _ = progress::suspend(|| writeln!(io::stderr(), "error: {error:#}"));
        ExitCode::from(setup::UNUSABLE)
    })
}

/// Opens the log file that the command line names, and logs its options.
fn begin_log(setup: &Setup) -> Result<()> {
    if let Some(file) = setup.options()?.log_file {
        logging::set_file(Some(file));
    }
    setup.options.iter().for_each(|(name, value)| log::debug!(target: PROTOCOL, "option {name}={value}"));
    Ok(())
}

fn run(command: &Command, name: &str, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let _progress = ProgressLine::spinner(name);
    match command {
        Command::Perft(args) => perft(args, setup, out),
        Command::Bench(args) => bench::run(args, setup, out),
        Command::Compare(args) => compare::run(args, setup, out),
        Command::Explain(args) => explain::run(args, setup, out),
        Command::Reproduce(args) => reproduce::run(args, out),
        Command::Openings(args) => openings::run(args, setup, out),
        Command::Tournament(args) => tournament::command::run(args, setup, &replayed::draw_replayed, out),
        Command::Problems(args) => problems::run(args, setup, out),
        Command::Selfplay(args) => selfplay::run(args, setup, out),
        Command::Train(args) => train::run(args, setup, out),
        Command::Solve(args) => solve::run(args, setup, out),
        Command::Shard(args) => shard::run(args, out),
        Command::Frontier(args) => frontier::run(args, out),
        Command::Strength(args) => strength::run(args, setup, out),
        Command::Regret(args) => regret::run(args, setup, out),
        Command::Calibrate(args) => calibrate::run(args, setup, out),
        Command::Completions(args) => generated::completions(args, out),
        Command::Man(args) => generated::man(args, out),
    }
}

/// Runs a protocol on standard input and output.
fn run_protocol(cli: &Cli) -> Result<ExitCode> {
    let options = cli.setup.options()?;
    if io::stdin().is_terminal() {
        let _ = writeln!(io::stderr(), "nullwindow {}: type help, or: go depth 12", env!("CARGO_PKG_VERSION"));
    }
    if let Some(protocol) = cli.protocol.filter(|protocol| protocol.needs_discs()) {
        let board = cli.setup.board(None)?;
        ensure!(
            board.discs().is_some(),
            "{} does not support {}: it is for boards of discs",
            protocol.name(),
            board.name()
        );
    }
    let colour = stdout_shows_colour();
    let reader = OutputReader { is_hung_up: stdout_hung_up, unread: stdout_unread };
    driver::run(options, cli.protocol, io::stdin(), io::stdout(), reader, colour).context("standard output")?;
    Ok(ExitCode::SUCCESS)
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe))
}

fn perft(args: &PerftArgs, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let Some(depth) = args.depth else { return check_perft(&args.check, args.limit, out) };
    let game = setup.board(args.position.as_deref())?;
    if args.divide {
        for (m, count) in divide_any(&game, depth) {
            writeln!(out, "{} {}", game.write_move(m), count.leaves)?;
        }
    }
    writeln!(out, "perft {depth} total {}", perft_any(&game, depth))?;
    Ok(ExitCode::SUCCESS)
}

/// Counts again what files of known counts list, up to `limit` leaves each; writes the wrong ones and totals.
fn check_perft(files: &[PathBuf], limit: Option<u64>, out: &mut dyn Write) -> Result<ExitCode> {
    let (mut right, mut wrong, mut left_out) = (0, 0, 0);
    for file in files {
        let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let game = any::by_name(name).with_context(|| format!("{}: no game has this name", file.display()))?;
        let text = files::read_text(file).with_context(|| file.display().to_string())?;
        for count in known::parse(&game, &text).with_context(|| file.display().to_string())? {
            if limit.is_some_and(|limit| count.leaves > limit) {
                left_out += 1;
            } else if count.holds() {
                right += 1;
            } else {
                wrong += 1;
                writeln!(out, "wrong: {count}")?;
            }
        }
    }
    writeln!(out, "perft: {right} right, {wrong} wrong, {left_out} above the limit")?;
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::from(setup::FAILED) })
}
