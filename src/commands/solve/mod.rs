//! `nullwindow solve`: the exact value of the positions of a file, compared with the scores in the file, of one
//! position, or of a game's start.
//!
//! Problems are positions and games in any format that [`record`](crate::games::record) reads. In games won by a line
//! only win, draw or loss is computed, unless the distance is asked for.
//!
//! Every position is searched to the end by the production engine, on one thread or several ([`parallel`]), exactly or
//! at a selectivity level. A journal makes a long run resumable: it gets a line for each finished position, which is
//! not solved again. With a limit of CPU time positions may stay unsolved; from the journal of such a run
//! [`frontier`](super::frontier) computes how far the solver reaches.

pub(super) mod journal;
pub(super) mod parallel;
pub(super) mod problem_file;
pub(super) mod problem_solver;
mod progress;
pub(super) mod solved_row;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::engine::setup::{FAILED, Setup, check_output};
use crate::game::Game;
use crate::games::any::by_name;
use crate::games::reversi::Othello;
use crate::logging::progress::{TerminalWriter, suspend};
use crate::platform::{command_line, cpu_time, files, interrupt};
use crate::search::levels::{LEVELS, SELECTIVE};
use journal::Journal;
use parallel::{SolveEvent, SolveJob};
use problem_file::ProblemLine;
use problem_solver::{ScoredMoves, SolveQuestion};
use progress::SolveProgress;
use solved_row::{RowFormat, SolveTotals, SolvedRow};

/// Arguments of `solve`.
#[derive(clap::Args, Clone, Default, Debug)]
pub struct SolveArgs {
    /// A file of positions, `-` for standard input: a line each in any notation of the game (OBF with scores, FEN, a
    /// list of moves; in games won by a line also `; win|draw|loss [; plies]`), or games in GGF, PGN or games.jsonl,
    /// whose last positions are solved
    #[arg(group = "what")]
    file: Option<PathBuf>,

    /// Solve this position, in any notation of the game or as moves from its start (`f5d6c3`, `startpos moves f5 d6`)
    #[arg(long, value_name = "TEXT", group = "what", allow_hyphen_values = true)]
    position: Option<String>,

    /// Solve the start of the game. So does a run without FILE and --position, unless the game has more than 36 plies,
    /// which means years (othello, scorefour): these need the flag
    #[arg(long, group = "what")]
    start: bool,

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
    #[arg(long, conflicts_with = "wld")]
    all_moves: bool,

    /// Reversi: find every best move, not only one
    #[arg(long, conflicts_with_all = ["all_moves", "wld"])]
    best_moves: bool,

    /// Reversi: search to the end at this selectivity level (50, 73, 87, 95, 98 or 99) instead of exactly. The scores
    /// are not proven: about so many percent are right, measured on positions of 14 to 26 empties
    #[arg(long, value_name = "PERCENT", value_parser = parse_selectivity, conflicts_with = "wld")]
    selectivity: Option<u8>,

    /// Solve these lines only: a line number or a range
    #[arg(long, value_name = "A-B", value_parser = problem_file::parse_range, requires = "file")]
    #[arg(conflicts_with_all = ["position", "start"])]
    only: Option<(usize, usize)>,

    /// Print JSON lines, the total last
    #[arg(long)]
    json: bool,

    /// Reversi: print the positions in OBF with what was found, and the total as a comment
    #[arg(long, conflicts_with_all = ["json", "wld"])]
    obf: bool,

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
        let SolveArgs { wld, all_moves, best_moves, distance, selectivity, .. } = self;
        let distance = if *distance { " distance" } else { "" };
        let best = if *best_moves { " best" } else { "" };
        let level = selectivity.map_or(String::new(), |level| format!(" selectivity={level}"));
        format!("{} wld={wld} all={all_moves}{best}{distance}{level} {}", problem.game.name(), problem.text.trim())
    }

    /// The moves to score.
    fn moves(&self) -> ScoredMoves {
        match (self.all_moves, self.best_moves) {
            (true, _) => ScoredMoves::All,
            (false, true) => ScoredMoves::Best,
            (false, false) => ScoredMoves::One,
        }
    }

    /// The form of the output.
    fn format(&self) -> RowFormat {
        match (self.json, self.obf) {
            (true, _) => RowFormat::Json,
            (false, true) => RowFormat::Obf,
            (false, false) => RowFormat::Text,
        }
    }
}

/// The start of a game with more plies is solved only on request, and a position with more plies left is warned of.
const IMPLIED_START_PLIES: u8 = 36;

/// Late positions of self-play games with the scores of all moves (the file names the command that made it).
const BENCH_PROBLEMS: &str = include_str!("endgames.obf");

/// Solves the problems. Exit status 1 on a score that differs from the file's and on an unreadable line.
pub fn run(args: &SolveArgs, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let tasks = match (&args.file, &args.position) {
        (Some(file), _) => problem_file::load(file, setup, args.only)?,
        (None, Some(position)) => problem_file::of_board(setup.board(Some(position))?),
        (None, None) => {
            let start = setup.board(None)?;
            if start.plies_left() > IMPLIED_START_PLIES && !args.start {
                bail!(
                    "nothing to solve: give a FILE of positions (- for standard input) or --position TEXT; --start \
                     solves the start of {}, which takes years",
                    start.name()
                );
            }
            problem_file::of_board(start)
        }
    };
    solve(tasks, args, setup, out)
}

/// Solves the built-in problems: the endgame benchmark.
pub fn bench(setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let game = by_name(Othello::NAME).context("no such game")?;
    solve(problem_file::lines(BENCH_PROBLEMS, &game, None), &SolveArgs::default(), setup, out)
}

fn solve(tasks: Vec<ProblemLine>, args: &SolveArgs, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let options = setup.options()?;
    let is_won_by_line = setup.board(None)?.discs().is_none();
    ensure!(is_won_by_line || !args.distance, "--distance: {} is scored by discs", options.game);
    ensure!(!is_won_by_line || !args.best_moves, "--best-moves is for Reversi");
    ensure!(!is_won_by_line || !args.obf, "--obf is for Reversi");
    ensure!(!is_won_by_line || args.selectivity.is_none(), "--selectivity is for Reversi");
    if let Some(name) = args.file.as_deref().map(files::display_name).filter(|_| tasks.is_empty()) {
        let lines =
            args.only.map_or_else(String::new, |(first, last)| format!(" in the lines of --only {first}-{last}"));
        bail!("{name}: no position{lines}");
    }
    let wld = args.wld || is_won_by_line && !args.distance;
    let started = Instant::now();
    if let Some(file) = &args.resume {
        check_output("--resume", file, &args.file)?;
    }
    let mut journal = args.resume.as_deref().map(Journal::open).transpose()?;
    let interrupt = interrupt::channel().context("cannot catch signals")?;
    if let Some(note) = cpu_time::NOTE {
        suspend(|| writeln!(std::io::stderr(), "note: {note}"))?;
    }
    let threads = args.threads.map_or(options.settings.threads, |threads| threads as usize);
    let hash = args.hash.unwrap_or(options.hash) as usize;
    let number = tasks.len();
    let announcement = format!(
        "solving {number} position{} of {} for {}: {threads} thread{}, {hash} MiB hash",
        if number == 1 { "" } else { "s" },
        options.game,
        match args.selectivity {
            Some(level) => format!("the score at selectivity level {level} %"),
            None if wld => "win, draw or loss".into(),
            None => "the exact score".into(),
        },
        if threads == 1 { "" } else { "s" },
    );
    let mut progress = SolveProgress::begin(announcement, number)?;
    let format = args.format();
    let mut totals = SolveTotals::new(args.selectivity);
    let mut remaining = Vec::new();
    for task in tasks {
        let find = |journal: &Journal| journal.find(task.number, &args.journal_key(&task), args.limit_seconds);
        match journal.as_ref().and_then(find) {
            Some(row) => {
                totals.add(&task, &row, format, out)?;
                progress.inc();
            }
            None => remaining.push(task),
        }
    }
    let options_game = options.game;
    if args.limit_seconds.is_none() {
        warn_of_long_searches(&remaining)?;
    }
    let question = SolveQuestion { wld, moves: args.moves(), selectivity: args.selectivity, limit: args.limit_seconds };
    let job = SolveJob { threads, hash, options, question, interrupt };
    let interrupted = parallel::solve(remaining, job, |event| -> Result<()> {
        match event {
            SolveEvent::Done(task, solution) => {
                let row = SolvedRow::new(&task, &solution, question);
                totals.add(&task, &row, format, out)?;
                progress.inc();
                journal.as_mut().map_or(Ok(()), |journal| journal.add(&args.journal_key(&task), &row))
            }
            SolveEvent::Unreadable(number, error) => {
                totals.errors += 1;
                let place = args.file.as_deref().map_or_else(String::new, |file| files::display_name(file) + ", ");
                suspend(|| writeln!(std::io::stderr(), "{place}line {number}: {error}")).map_err(Into::into)
            }
            SolveEvent::Interrupted(solution) => {
                totals.add_interrupted(&solution);
                Ok(())
            }
            SolveEvent::Running(state) => progress.show(totals.positions, &state).map_err(Into::into),
        }
    })?;
    drop(progress);
    totals.write(started.elapsed(), format, out)?;
    if interrupted {
        let mut err = TerminalWriter::by_lines(std::io::stderr());
        match &args.resume {
            Some(_) => writeln!(err, "interrupted; to resume: {}", own_command())?,
            None if number > 1 => writeln!(err, "interrupted; with --resume FILE a run can be resumed")?,
            None => writeln!(err, "interrupted")?,
        }
        return Ok(ExitCode::from(FAILED));
    }
    ensure!(totals.errors < number, "no position can be read as one of {}", options_game);
    Ok(if totals.wrong + totals.errors > 0 { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

/// Warns once if a position has so many plies left that its search may take years.
fn warn_of_long_searches(tasks: &[ProblemLine]) -> Result<()> {
    let plies_left = |task: &ProblemLine| task.parse().map_or(0, |problem| problem.game.plies_left());
    let Some((number, plies)) =
        tasks.iter().map(|task| (task.number, plies_left(task))).find(|(_, plies)| *plies > IMPLIED_START_PLIES)
    else {
        return Ok(());
    };
    let position = if number == 0 { "the position".to_owned() } else { format!("line {number}") };
    let left = if tasks[0].game.discs().is_some() { "empties" } else { "plies left" };
    let text = format!(
        "warning: {position} has {plies} {left}: from {} on a search to the end may take years (--limit-seconds \
         SECONDS gives up in time)\n",
        IMPLIED_START_PLIES + 1
    );
    suspend(|| std::io::stderr().write_all(text.as_bytes()))?;
    Ok(())
}

/// Parses the percentage of a selectivity level below full width.
fn parse_selectivity(text: &str) -> Result<u8, String> {
    let levels = LEVELS[..SELECTIVE].iter().map(|level| level.percent);
    let found = levels.clone().find(|percent| text.parse() == Ok(*percent));
    found.ok_or_else(|| format!("expected one of {:?}", levels.collect::<Vec<_>>()))
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
