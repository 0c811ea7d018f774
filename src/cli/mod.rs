//! The command line: flags, subcommands and exit status.
//!
//! Each subcommand has a struct of clap arguments and
//! `run(&args, &setup, out) -> anyhow::Result<bool>`, which writes to `out`, never to standard
//! output directly, and returns whether its checks passed (`tournament` and `shard` return the exit
//! status). Exit status: 0 success, 1 a check failed ([`setup::FAILED`]), 2 a usage or file error
//! (from clap, or an `Err`).

pub mod usage;

use std::env;
use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal, LineWriter, Write};
use std::panic;
use std::path::PathBuf;
use std::process::{self, ExitCode};

use anyhow::{Context, Result, ensure};
use clap::Subcommand;

use crate::arena::arguments::TournamentArgs;
use crate::arena::command;
use crate::engine::options::{HASH, Options, affordable_hash};
use crate::game::printable_lines;
use crate::games::any;
use crate::games::perft::{divide_any, known, perft_any};
use crate::lab::train::{self, selfplay};
use crate::lab::{
    ablation, analyze, bench, calibrate, compare, convert, estimate, explain, frontier, openings,
    problems, prove, regret, reproduce, shard, solve, strength,
};
use crate::logging::progress::{ProgressLine, TerminalWriter, print_line};
use crate::logging::{self, PROTOCOL, SEARCH, TABLE, TIME};
use crate::platform::{files, interrupt, process_guard};
use crate::protocol::Protocol;
use crate::protocol::driver;
use crate::setup::{self, GAME, Setup, uses};

/// Search game trees by null-window search: Othello, Score Four, tic-tac-toe and variants. Without
/// a command, read UGI, UCI, GTP or NBoard commands from standard input: enter help, or go depth 12
#[derive(clap::Parser, Debug)]
#[command(name = "nullwindow", version, max_term_width = 110, after_help = help_of_log())]
pub struct Cli {
    #[command(flatten)]
    setup: Setup,

    /// Use this protocol (default: detect it from the first line)
    #[arg(long, value_enum)]
    protocol: Option<Protocol>,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Count the leaf nodes of the game tree to a given depth
    Perft(PerftArgs),
    /// Search a fixed set of positions and print the node total
    Bench(bench::Args),
    /// Compare the node counts of all search algorithms on positions
    Compare(compare::Args),
    /// Measure what each search technique contributes: nodes, time and Elo without it
    Ablation(ablation::Args),
    /// Draw the tree of a search as text or HTML, or compare two searches
    Explain(explain::Args),
    /// Reproduce the published results that this project is based on
    Reproduce(reproduce::Args),
    /// Generate balanced openings for matches
    Openings(openings::Args),
    /// Play matches between engines
    Tournament(Box<TournamentArgs>),
    /// Generate solved endgame problems from self-play
    Problems(problems::Args),
    /// Generate training data by self-play at a fixed depth
    Selfplay(selfplay::Args),
    /// Fit evaluations and ProbCut models
    Train(train::Args),
    /// Solve positions exactly and verify the scores in a file
    Solve(solve::Args),
    /// Analyze games: the score, the best moves and the loss of every move, and a summary
    Analyze(analyze::Args),
    /// Prove the value of a position or a bound of it, and write the proof for an independent checker
    Prove(prove::Args),
    /// Convert games and positions to another format
    Convert(convert::Args),
    /// Estimate the cost of proving claims about positions, such as those of solved Othello
    Estimate(estimate::Args),
    /// Run one part of a cluster job and append its results to a file
    Shard(shard::Args),
    /// Report the share of solved positions and their times from a solve record
    Frontier(frontier::Args),
    /// Measure option Strength: discs lost per game, agreement with human moves
    Strength(strength::Args),
    /// Measure the loss per move under node budgets
    Regret(regret::Args),
    /// Measure the error of search scores for option Show Accuracy
    Calibrate(calibrate::Args),
    /// Print the completion script of a shell
    Completions(usage::CompletionsArgs),
    /// Print a manual page in roff format
    Man(usage::ManArgs),
}

#[derive(clap::Args, Debug)]
#[command(args = uses(&[GAME]))]
struct PerftArgs {
    /// Depth in plies; a pass counts as a ply
    #[arg(required_unless_present = "check", value_parser = clap::value_parser!(u32).range(0..=128))]
    depth: Option<u32>,

    /// Count from this position: a position or moves from the start (default: the start)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    position: Option<String>,

    /// Print the count of each root move
    #[arg(long)]
    divide: bool,

    /// Verify the counts in files named after their games, as in tests/data/perft
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["depth", "position", "divide", "game"])]
    check: Vec<PathBuf>,

    /// Skip counts above this number (with --check)
    #[arg(long, value_name = "N", requires = "check", conflicts_with_all = ["depth", "position", "divide"])]
    limit: Option<u64>,
}

fn help_of_log() -> String {
    format!(
        "Log: set RUST_LOG=debug to log to standard error, or RUST_LOG={TIME}=debug for one target.\n\
         Targets: {PROTOCOL}, {SEARCH}, {TIME}, {TABLE}.\n\
         Set --option \"Debug Log File=FILE\" to append the log and all protocol lines to a file."
    )
}

/// Installs the logger and the panic hook, parses and runs the command line.
pub fn main() -> ExitCode {
    // Abort on a panic of any thread; otherwise a match runner would wait for an answer forever.
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        report(panic);
        log::error!(target: PROTOCOL, "{panic}");
        process::abort();
    }));
    let words: Vec<OsString> = env::args_os().collect();
    if process_guard::run_or_enable(&words) {
        return ExitCode::SUCCESS;
    }
    interrupt::survive_file_size_limit();
    logging::start();
    // Status 2 on an error, 0 after help.
    let (mut cli, name) = usage::parse(&words).unwrap_or_else(|error| exit_with(&error));
    limit_hash(&mut cli.setup);
    let run = || {
        if let Some(file) = cli.setup.options()?.log_file {
            logging::set_file(Some(file));
        }
        cli.setup
            .options
            .iter()
            .for_each(|(name, value)| log::debug!(target: PROTOCOL, "option {name}={value}"));
        let Some(command) = &cli.command else {
            return run_protocol(&cli);
        };
        // Whole lines, and few of them at once: each write draws the progress line again.
        let stdout = LineWriter::with_capacity(64 << 10, TerminalWriter::new(io::stdout().lock()));
        let mut out = BufWriter::new(stdout);
        let code = run(command, &name, &cli.setup, &mut out)?;
        out.flush()?;
        Ok(code)
    };
    run().unwrap_or_else(|error| {
        if is_closed_pipe(&error) {
            return ExitCode::SUCCESS; // the reader has closed the pipe
        }
        let _ = print_line(format!("error: {error:#}"));
        ExitCode::from(setup::UNUSABLE)
    })
}

/// Chooses a smaller table than the default one if memory is short, and reports it.
fn limit_hash(setup: &mut Setup) {
    let is_hash = |(name, _): &(String, String)| name.eq_ignore_ascii_case(HASH);
    let default = Options::default().hash;
    let affordable = affordable_hash(default);
    if affordable < default && !setup.options.iter().any(is_hash) {
        let _ = print_line(format!(
            "error: too little memory for {HASH} {default}: continuing with {HASH} {affordable}"
        ));
        setup.options.push((HASH.into(), affordable.to_string()));
    }
}

/// Prints an error of the command line, or its help, and exits.
fn exit_with(error: &clap::Error) -> ! {
    let text = error.render().to_string();
    if printable_lines(&text) == text {
        error.exit(); // in color
    }
    let _ = print_line(text.trim_end());
    process::exit(error.exit_code())
}

fn run(command: &Command, name: &str, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let _progress = ProgressLine::spinner(name);
    let is_ok = match command {
        Command::Perft(args) => perft(args, setup, out),
        Command::Bench(args) => bench::run(args, setup, out),
        Command::Compare(args) => compare::run(args, setup, out),
        Command::Ablation(args) => ablation::run(args, setup, out),
        Command::Explain(args) => explain::run(args, setup, out),
        Command::Reproduce(args) => reproduce::run(args, out),
        Command::Openings(args) => openings::run(args, setup, out),
        Command::Tournament(args) => {
            return command::run(args, setup, &explain::draw_replayed, out);
        }
        Command::Problems(args) => problems::run(args, setup, out),
        Command::Prove(args) => prove::run(args, setup, out),
        Command::Selfplay(args) => selfplay::run(args, setup, out),
        Command::Train(args) => train::run(args, setup, out),
        Command::Solve(args) => solve::run(args, setup, out),
        Command::Analyze(args) => analyze::run(args, setup, out),
        Command::Convert(args) => convert::run(args, setup, out),
        Command::Estimate(args) => estimate::run(args, setup, out),
        Command::Shard(args) => return shard::run(args, out),
        Command::Frontier(args) => frontier::run(args, out),
        Command::Strength(args) => strength::run(args, setup, out),
        Command::Regret(args) => regret::run(args, setup, out),
        Command::Calibrate(args) => calibrate::run(args, setup, out),
        Command::Completions(args) => usage::completions(args, out),
        Command::Man(args) => usage::man(args, out),
    }?;
    Ok(if is_ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(setup::FAILED)
    })
}

/// Runs a protocol on stdin and stdout.
fn run_protocol(cli: &Cli) -> Result<ExitCode> {
    let options = cli.setup.options()?;
    if io::stdin().is_terminal() {
        let _ = print_line(concat!(
            "nullwindow ",
            env!("CARGO_PKG_VERSION"),
            ": enter help, or go depth 12"
        ));
    }
    if let Some(protocol) = cli.protocol.filter(|protocol| protocol.rules().discs_only) {
        let board = cli.setup.board(None)?;
        ensure!(
            board.discs().is_some(),
            "{} does not support {}: choose a game played with discs",
            protocol.name(),
            board.name()
        );
    }
    driver::run(options, cli.protocol)?;
    Ok(ExitCode::SUCCESS)
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

fn perft(args: &PerftArgs, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let Some(depth) = args.depth else {
        return check_perft(&args.check, args.limit, out);
    };
    let game = setup.board(args.position.as_deref())?;
    if args.divide {
        for (m, count) in divide_any(&game, depth) {
            writeln!(out, "{} {}", game.write_move(m), count.leaves)?;
        }
    }
    writeln!(out, "perft {depth} total {}", perft_any(&game, depth))?;
    Ok(true)
}

/// Verifies the counts in files, skipping those above `limit`; prints the wrong ones and the
/// totals.
fn check_perft(files: &[PathBuf], limit: Option<u64>, out: &mut dyn Write) -> Result<bool> {
    let (mut right, mut wrong, mut skipped) = (0, 0, 0);
    for file in files {
        let counts = || {
            let name = file
                .file_stem()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            let game = any::by_name(name).context("the file name is not the name of a game")?;
            Ok::<_, anyhow::Error>(known::parse(&game, &files::read_text(file)?)?)
        };
        for count in counts().with_context(|| file.display().to_string())? {
            if limit.is_some_and(|limit| count.leaves > limit) {
                skipped += 1;
            } else if count.holds() {
                right += 1;
            } else {
                wrong += 1;
                writeln!(out, "wrong: {count}")?;
            }
        }
    }
    writeln!(
        out,
        "perft: {right} correct, {wrong} wrong, {skipped} skipped (above the limit)"
    )?;
    Ok(wrong == 0)
}
