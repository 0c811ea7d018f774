//! `nullwindow solve`: solves one position, the start of a game, or the positions of a file, and verifies the scores in
//! the file.
//!
//! Problems are positions and games in any format that [`record`](crate::games::record) reads. In games won by a line,
//! only win, draw or loss is computed unless `--distance` is given.
//!
//! The production engine searches every position to the end, on one or several threads ([`parallel`]), exactly or at a
//! selectivity level. A journal makes a run resumable: it has a line for each finished position. With a CPU time limit
//! positions may remain unsolved; [`frontier`](super::frontier) reports the statistics of such a journal.

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

/// The end of `--help`.
const FILE_FORMAT: &str = "\
Each line of FILE is a position in OBF or FEN, or a move list. In games won by a line, an expected result may follow:
moves ; win|draw|loss [; plies]. In games in GGF, PGN or games.jsonl, the last position is solved.";

#[derive(clap::Args, Clone, Default, Debug)]
#[command(after_help = FILE_FORMAT)]
pub struct SolveArgs {
    /// File of positions, one per line (OBF, FEN or a move list), or of games in GGF, PGN or games.jsonl; - for stdin
    #[arg(group = "what")]
    file: Option<PathBuf>,

    /// Solve this position: a position or moves from the start, as in f5d6c3
    #[arg(long, value_name = "TEXT", group = "what", allow_hyphen_values = true)]
    position: Option<String>,

    /// Solve the start of the game (the default for games of at most 36 plies)
    #[arg(long, group = "what")]
    start: bool,

    /// Number of threads (default: option Threads); idle threads help with the last positions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: Option<u32>,

    /// Total size of the transposition tables in MiB (default: option Hash)
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: Option<u32>,

    /// Solve for win, draw or loss only: the score is 1, 0 or -1
    #[arg(long)]
    wld: bool,

    /// Also compute the plies to the end under best play (games won by a line)
    #[arg(long, conflicts_with = "wld")]
    distance: bool,

    /// Compute the score of every legal move and verify those in the file
    #[arg(long, conflicts_with = "wld")]
    all_moves: bool,

    /// Find all best moves (Reversi)
    #[arg(long, conflicts_with_all = ["all_moves", "wld"])]
    best_moves: bool,

    /// Search at this selectivity level (50, 73, 87, 95, 98 or 99): about PERCENT of the scores are exact (Reversi)
    #[arg(long, value_name = "PERCENT", value_parser = parse_selectivity, conflicts_with = "wld")]
    selectivity: Option<u8>,

    /// Solve only these lines of the file: a number or a range
    #[arg(long, value_name = "A-B", value_parser = problem_file::parse_range, requires = "file")]
    #[arg(conflicts_with_all = ["position", "start"])]
    only: Option<(usize, usize)>,

    /// Print JSON lines; the last line has the totals
    #[arg(long)]
    json: bool,

    /// Print the positions with their scores in OBF (Reversi)
    #[arg(long, conflicts_with_all = ["json", "wld"])]
    obf: bool,

    /// Stop solving a position after this CPU time
    #[arg(long, value_name = "SECONDS", value_parser = parse_limit)]
    limit_seconds: Option<Duration>,

    /// Record finished positions in FILE and skip those already recorded
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
}

impl SolveArgs {
    /// The journal key of a problem: its line and the options that determine its result.
    fn journal_key(&self, problem: &ProblemLine) -> String {
        let SolveArgs { wld, all_moves, best_moves, distance, selectivity, .. } = self;
        let distance = if *distance { " distance" } else { "" };
        let best = if *best_moves { " best" } else { "" };
        let level = selectivity.map_or(String::new(), |level| format!(" selectivity={level}"));
        format!("{} wld={wld} all={all_moves}{best}{distance}{level} {}", problem.game.name(), problem.text.trim())
    }

    fn moves(&self) -> ScoredMoves {
        match (self.all_moves, self.best_moves) {
            (true, _) => ScoredMoves::All,
            (false, true) => ScoredMoves::Best,
            (false, false) => ScoredMoves::One,
        }
    }

    fn format(&self) -> RowFormat {
        match (self.json, self.obf) {
            (true, _) => RowFormat::Json,
            (false, true) => RowFormat::Obf,
            (false, false) => RowFormat::Text,
        }
    }
}

/// The start of a game with more plies requires `--start`; a position with more plies left causes a warning.
const IMPLIED_START_PLIES: u8 = 36;

/// Late positions of self-play games with the scores of all moves; the file contains the command that generated it.
const BENCH_PROBLEMS: &str = include_str!("endgames.obf");

/// Solves the problems. Exit status 1 if a score differs from the file or a line is invalid.
pub fn run(args: &SolveArgs, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let tasks = match (&args.file, &args.position) {
        (Some(file), _) => problem_file::load(file, setup, args.only)?,
        (None, Some(position)) => problem_file::of_board(setup.board(Some(position))?),
        (None, None) => {
            let start = setup.board(None)?;
            if start.plies_left() > IMPLIED_START_PLIES && !args.start {
                bail!(
                    "nothing to solve: give a FILE of positions (- for stdin) or --position TEXT; use --start to \
                     solve the start of {}, which may take years",
                    start.name()
                );
            }
            problem_file::of_board(start)
        }
    };
    solve(tasks, args, setup, out)
}

/// Runs the endgame benchmark: solves the built-in problems.
pub fn bench(setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let game = by_name(Othello::NAME).context("no Othello")?;
    solve(problem_file::lines(BENCH_PROBLEMS, &game, None), &SolveArgs::default(), setup, out)
}

fn solve(tasks: Vec<ProblemLine>, args: &SolveArgs, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let options = setup.options()?;
    let is_won_by_line = setup.board(None)?.discs().is_none();
    ensure!(
        is_won_by_line || !args.distance,
        "--distance does not apply to {}, which is scored by discs",
        options.game
    );
    ensure!(!is_won_by_line || !args.best_moves, "--best-moves applies to Reversi only");
    ensure!(!is_won_by_line || !args.obf, "--obf applies to Reversi only");
    ensure!(!is_won_by_line || args.selectivity.is_none(), "--selectivity applies to Reversi only");
    if let Some(name) = args.file.as_deref().map(files::display_name).filter(|_| tasks.is_empty()) {
        let lines = args.only.map_or_else(String::new, |(first, last)| format!(" in lines {first}-{last} (--only)"));
        bail!("{name}: no position found{lines}");
    }
    let wld = args.wld || is_won_by_line && !args.distance;
    let started = Instant::now();
    if let Some(file) = &args.resume {
        check_output("--resume", file, &args.file)?;
    }
    let mut journal = args.resume.as_deref().map(Journal::open).transpose()?;
    let interrupt = interrupt::channel().context("cannot install a signal handler")?;
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
            Some(_) => writeln!(err, "interrupted; resume with: {}", own_command())?,
            None if number > 1 => writeln!(err, "interrupted; use --resume FILE to make runs resumable")?,
            None => writeln!(err, "interrupted")?,
        }
        return Ok(ExitCode::from(FAILED));
    }
    ensure!(totals.errors < number, "no valid position of {}: check --game", options_game);
    Ok(if totals.wrong + totals.errors > 0 { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

/// Warns if a position has more than [`IMPLIED_START_PLIES`] plies left.
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
        "warning: {position} has {plies} {left}: solving {} or more may take years; use --limit-seconds SECONDS \
         to limit the time\n",
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
    limit.ok_or_else(|| "expected a positive number of seconds".into())
}

/// The command line in shell syntax.
fn own_command() -> String {
    let words: Vec<String> = std::env::args().collect();
    command_line::join(&words)
}
