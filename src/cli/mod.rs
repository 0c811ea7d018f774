//! The command line: flags, subcommands and exit status.
//!
//! Exit status: 0 success, 1 a check failed ([`setup::FAILED`]), 2 a usage or file error (from clap,
//! or an `Err` of a command).

pub mod usage;

use std::env;
use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal, LineWriter, Write};
use std::panic;
use std::process::{self, ExitCode};

use anyhow::{Result, ensure};
use clap::Subcommand;

use crate::arena::arguments::TournamentArgs;
use crate::arena::command;
use crate::commands::{
    analyze, bench, book, compare, convert, explain, openings, perft, play, problems, prove,
    reproduce, solve,
};
use crate::engine::options::{HASH, Options, affordable_hash};
use crate::game::printable_lines;
use crate::lab;
use crate::logging::progress::{ProgressLine, TerminalWriter, UntilClosed, print_line};
use crate::logging::{PROTOCOL, SEARCH, TABLE, TIME, logger};
use crate::platform::files::{STANDARD_OUTPUT, in_stream};
use crate::platform::{interrupt, process_guard};
use crate::protocol::Protocol;
use crate::protocol::driver;
use crate::setup::{self, Setup, exit_code, sets_all_engines, uses};

#[derive(clap::Parser, Debug)]
#[command(name = "nullwindow", version, max_term_width = 110)]
#[command(about = env!("CARGO_PKG_DESCRIPTION"), after_help = after_help())]
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
    /// Play matches between engines
    #[command(args = sets_all_engines())]
    Tournament(Box<TournamentArgs>),
    /// Analyze games: the score, the best moves and the loss of every move, and a summary
    Analyze(analyze::Args),
    /// Solve positions exactly and verify the scores in a file
    Solve(solve::Args),
    /// Prove the value of a position or a bound of it, and write the proof to a file
    Prove(prove::Args),
    /// Convert games and positions to another format
    Convert(convert::Args),
    /// Generate balanced openings for matches
    Openings(openings::Args),
    /// Generate solved endgame problems from self-play
    Problems(problems::Args),
    /// Draw the tree of a search as text or HTML, or compare two searches
    Explain(explain::Args),
    /// Compare the node counts of all search algorithms on positions
    Compare(compare::Args),
    /// Reproduce the published results that this project is based on
    Reproduce(reproduce::Args),
    /// Play a game against the engine at a terminal
    Play(play::Args),
    /// Count the leaf nodes of the game tree to a given depth
    Perft(perft::Args),
    /// Search a fixed set of positions and print the node total
    Bench(bench::Args),
    /// Make and inspect opening books
    #[command(subcommand, args = uses(&[]))]
    Book(book::Command),
    /// Train, calibrate and measure the engine, and run parts of cluster jobs
    #[command(subcommand, args = uses(&[]))]
    Lab(lab::Command),
    /// Print the completion script of a shell
    Completions(usage::CompletionsArgs),
    /// Print a manual page in roff format
    Man(usage::ManArgs),
}

fn after_help() -> String {
    format!(
        "Without a command, nullwindow reads UGI, UCI, GTP or NBoard commands from standard input: \
         enter help, or go depth 12.\n\
         Log: set RUST_LOG=debug to log to standard error, or RUST_LOG={TIME}=debug for one target.\n\
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
    logger::start();
    // Status 2 on an error, 0 after help.
    let (mut cli, name) = usage::parse(&words).unwrap_or_else(|error| exit_with(&error));
    limit_hash(&mut cli, &name);
    let run = || {
        cli.setup.check()?;
        let options = cli.setup.of_known_game().options()?;
        if let Some(weights) = options.weights_game()
            && !matches!(cli.command, None | Some(Command::Tournament(_)))
        {
            let game = options.game;
            ensure!(
                weights == game,
                "EvalFile has weights for {weights}, not {game}"
            );
        }
        if let Some(file) = options.log_file {
            logger::set_file(Some(file));
        }
        cli.setup
            .options
            .iter()
            .for_each(|(name, value)| log::debug!(target: PROTOCOL, "option {name}={value}"));
        let Some(command) = &cli.command else {
            return run_protocol(&cli);
        };
        // Whole lines, and few of them at once: each write draws the progress line again.
        let stdout = LineWriter::with_capacity(64 << 10, TerminalWriter::new(StandardOutput));
        let mut out = BufWriter::new(stdout);
        let code = run(command, &name, &cli.setup, &mut out)?;
        UntilClosed::new(out).flush()?;
        Ok(code)
    };
    run().unwrap_or_else(|error| {
        if is_closed_pipe(&error) {
            return ExitCode::SUCCESS; // the reader has closed the pipe
        }
        print_line(format!("error: {error:#}"));
        ExitCode::from(setup::UNUSABLE)
    })
}

/// Standard output; its errors have its name.
struct StandardOutput;

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::stdout().write(bytes).map_err(in_standard_output)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush().map_err(in_standard_output)
    }
}

fn in_standard_output(error: io::Error) -> io::Error {
    in_stream(STANDARD_OUTPUT, &error)
}

/// Chooses a smaller table than the default one if memory is short, and reports it if the command
/// has a table of this size.
fn limit_hash(cli: &mut Cli, name: &str) {
    let is_hash = |(name, _): &(String, String)| name.eq_ignore_ascii_case(HASH);
    let default = Options::default().hash;
    let affordable = affordable_hash(default);
    if affordable >= default || cli.setup.options.iter().any(is_hash) {
        return;
    }
    cli.setup.hash = Some(affordable);
    let has_table = match &cli.command {
        Some(Command::Tournament(_)) => false, // the engines limit and report theirs
        Some(Command::Solve(args)) if args.hash.is_some() => false,
        _ => usage::used_options(name).is_none_or(|used| used.iter().any(|name| name == HASH)),
    };
    if has_table {
        print_line(format!(
            "error: too little memory for {HASH} {default}: continuing with {HASH} {affordable}"
        ));
    }
}

/// Prints an error of the command line, or its help, and exits.
fn exit_with(error: &clap::Error) -> ! {
    let text = error.render().to_string();
    if printable_lines(&text) == text {
        // In color.
        let printed = error.print().and_then(|()| io::stdout().flush());
        if let Err(failed) = printed
            && failed.kind() != io::ErrorKind::BrokenPipe
        {
            print_line(format!("error: {}", in_standard_output(failed)));
            process::exit(setup::UNUSABLE.into());
        }
    } else {
        print_line(text.trim_end());
    }
    process::exit(error.exit_code())
}

fn run(command: &Command, name: &str, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    // A game waits for its user most of the time.
    let has_spinner = !matches!(command, Command::Play(_));
    let _progress = has_spinner.then(|| ProgressLine::spinner(name));
    let is_ok = match command {
        Command::Tournament(args) => {
            return command::run(args, setup, &explain::draw_replayed, out);
        }
        Command::Analyze(args) => analyze::run(args, setup, out),
        Command::Solve(args) => solve::run(args, setup, out),
        Command::Prove(args) => prove::run(args, setup, out),
        Command::Convert(args) => convert::run(args, setup, out),
        Command::Openings(args) => openings::run(args, setup, out),
        Command::Problems(args) => problems::run(args, setup, out),
        Command::Explain(args) => explain::run(args, setup, out),
        Command::Compare(args) => compare::run(args, setup, out),
        Command::Reproduce(args) => reproduce::run(args, out),
        Command::Play(args) => play::run(args, setup, out),
        Command::Perft(args) => perft::run(args, setup, out),
        Command::Bench(args) => bench::run(args, setup, out),
        Command::Book(command) => book::run(command, setup, out),
        Command::Lab(command) => return lab::run(command, setup, out),
        Command::Completions(args) => usage::completions(args, out),
        Command::Man(args) => usage::man(args, out),
    }?;
    Ok(exit_code(is_ok))
}

/// Runs a protocol on stdin and stdout.
fn run_protocol(cli: &Cli) -> Result<ExitCode> {
    let options = cli.setup.options()?;
    if io::stdin().is_terminal() {
        print_line(concat!(
            "nullwindow ",
            env!("CARGO_PKG_VERSION"),
            ": enter help, or go depth 12"
        ));
    }
    if let Some(protocol) = cli.protocol.filter(|protocol| protocol.rules().discs_only) {
        cli.setup.board_with_discs(protocol.name())?;
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
