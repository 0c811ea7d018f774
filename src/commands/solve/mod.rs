//! `nullwindow solve`: solves one position, the start of a game, or the positions of a file, and
//! verifies the scores and claims in the file.
//!
//! Problems are positions and games in any format that [`record`](crate::games::record) reads. In
//! games won by a line, only win, draw or loss is computed unless `--distance` is given.
//!
//! The production engine searches every position to the end, on one or several threads
//! ([`parallel`]), exactly or at a selectivity level. A journal makes a run resumable: it has a
//! line for each finished position. With a CPU time limit positions may remain unsolved; [`report`]
//! prints the statistics of such a journal.

pub mod parallel;
pub mod problem_file;
pub mod report;
mod solution;
pub mod solved_row;
pub mod solver;

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::jobs::RunProgress;
use super::{report_interrupted, threads};
use crate::commands::claims::{Claim, check_bounds, parse_score};
use crate::commands::prove::proof_file;
use crate::engine::options::HASH;
use crate::game::{Game, counted};
use crate::games::any::AnyGame;
use crate::games::dispatch::is_selective;
use crate::games::record::RecordEntry;
use crate::games::tictactoe::TicTacToe;
use crate::logging::progress::print_line;
use crate::platform::{cpu_time, files, interrupt};
use crate::search::{Algorithm, Settings};
use crate::setup::{EVAL, GAME, Setup, check_record, parse_range, positive, seconds, uses};
use crate::storage::whole_file::check_replaceable;
use parallel::SolveEvent;
use problem_file::{ProblemEntry, Problems};
use solved_row::{Journal, RowFormat, SolveTotals, SolvedRow};
use solver::SolveQuestion;

/// The end of `--help`.
const FILE_FORMAT: &str = "\
The last position of each game is solved. In games won by a line, an expected result may follow a position or moves:
moves ; win|draw|loss [; plies].
Claims about the value for the side to move may follow a position: OBF; >= 2; <= 4; One null-window search decides
each claim: it holds, fails or is unknown (limit reached). Rows of the CSV files of solved Othello have claims:
OBF;,count,score,alpha,beta and OBF;,depth,strength,lower,upper,nodes.
Columns: n is the line of the file (0 without a file); score that of the side to move, in discs, or 1, 0 or -1 (win,
draw, loss), ? if unsolved; best a best move; line the principal variation.";

/// The engine options that have an effect on it.
pub const SOLVE_OPTIONS: &[&[&str]] = &[GAME, &["Algorithm", "Table", HASH, "Threads"], EVAL];

#[derive(clap::Args, Default, Debug)]
#[command(args = uses(SOLVE_OPTIONS))]
#[command(after_help = FILE_FORMAT)]
pub struct Args {
    /// Positions or games in any format; - for stdin
    #[arg(group = "what")]
    file: Option<PathBuf>,

    /// Solve this position: a position or moves from the start, as in f5d6c3
    #[arg(long, value_name = "TEXT", group = "what", allow_hyphen_values = true)]
    position: Option<String>,

    /// Solve the start of the game (the default for games of at most 36 plies)
    #[arg(long, group = "what")]
    start: bool,

    /// Number of threads (default: option Threads); idle threads help with the last positions
    #[arg(long, value_name = "N", value_parser = threads())]
    threads: Option<u16>,

    /// Total size of the transposition tables in MiB (default: option Hash)
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub hash: Option<u32>,

    #[command(flatten)]
    question: SolveQuestion,

    /// Solve only these lines of the file: a number or a range
    #[arg(long, value_name = "A-B", value_parser = parse_range, requires = "file")]
    #[arg(conflicts_with_all = ["position", "start"])]
    only: Option<(usize, usize)>,

    /// Solve only N claims or positions of the file, drawn at random
    #[arg(long, value_name = "N", requires = "file", value_parser = positive::<usize>)]
    #[arg(conflicts_with_all = ["position", "start"])]
    sample: Option<usize>,

    /// Random seed of --sample
    #[arg(long, value_name = "S", requires = "sample", default_value_t = 1)]
    #[arg(conflicts_with_all = ["position", "start"])]
    seed: u64,

    /// Decide only whether the value is at least S (discs; 1, 0 or -1 in games won by a line), on
    /// lines without own claims
    #[arg(long, value_name = "S", value_parser = parse_score)]
    at_least: Option<i8>,

    /// Decide only whether the value is at most S
    #[arg(long, value_name = "S", value_parser = parse_score)]
    at_most: Option<i8>,

    #[command(flatten)]
    format: RowFormat,

    /// Stop solving a position after this CPU time
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    limit_seconds: Option<Duration>,

    /// Record finished positions in FILE and skip those already recorded
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,

    /// Write a proof of each result to FOLDER: N.proof for line N, 0.proof without a file (Reversi and tic-tac-toe; see
    /// prove)
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["distance", "selectivity"])]
    proof: Option<PathBuf>,

    /// Solve nothing: report the share of solved positions and their times by number of stones, from
    /// the record of --limit-seconds SECONDS --resume RECORD
    #[arg(long, value_name = "RECORD", conflicts_with_all = SOLVING)]
    report: Option<PathBuf>,

    /// Write a plot of the reported times as SVG
    #[arg(long, value_name = "FILE", requires = "report", conflicts_with_all = SOLVING)]
    svg: Option<PathBuf>,
}

/// The arguments of [`Args`] that `--report` does not use. `--svg` names them too: clap does not
/// require an argument that conflicts with another one of the command line.
const SOLVING: [&str; 19] = [
    "what",
    "threads",
    "hash",
    "wld",
    "distance",
    "all_moves",
    "best_moves",
    "selectivity",
    "only",
    "sample",
    "seed",
    "at_least",
    "at_most",
    "obf",
    "limit_seconds",
    "resume",
    "proof",
    "game",
    "options",
];

impl Args {
    /// Whether the proof of a recorded result exists, or none is wanted.
    fn has_proof(&self, problem: &ProblemEntry, row: &SolvedRow) -> bool {
        let Some(folder) = &self.proof else {
            return true;
        };
        let file = parallel::proof_file(folder, problem);
        let subject = parallel::proof_subject(problem, row);
        subject.is_none_or(|subject| proof_file::proves(&file, &subject))
    }

    /// Rejects options that do not apply to a game, or to claims.
    fn check(&self, game: &AnyGame, has_claims: bool, settings: &Settings) -> Result<()> {
        let bounds = [self.at_least, self.at_most];
        check_bounds(game, bounds.into_iter().flatten())?;
        let question = self.question;
        let is_selective = || is_selective(game.position(), settings.weights.as_ref());
        let selective = (
            question.selectivity.is_some() && is_selective(),
            "othello and othello6",
        );
        let reversi = (game.discs().is_some(), "Reversi");
        let by_line = (game.discs().is_none(), "games won by a line");
        let provable = (
            reversi.0 || game.name() == TicTacToe::NAME,
            "Reversi and tic-tac-toe",
        );
        let any = (true, "");
        for (option, is_given, (applies, games)) in [
            ("wld", question.wld, any),
            ("distance", question.distance, by_line),
            ("all-moves", question.all_moves, any),
            ("best-moves", question.best_moves, reversi),
            ("obf", self.format.obf, reversi),
            ("selectivity", question.selectivity.is_some(), selective),
            ("proof", self.proof.is_some(), provable),
        ] {
            ensure!(!is_given || applies, "--{option} applies to {games} only");
            ensure!(
                !is_given || !has_claims,
                "--{option} has no effect on claims"
            );
        }
        let algorithm = settings.algorithm;
        ensure!(
            question.selectivity.is_none() || algorithm == Algorithm::Auto,
            "--selectivity has no effect with option Algorithm={}",
            algorithm.name()
        );
        Ok(())
    }

    /// The journal key of a problem: its line and what determines its result. The score of an exact
    /// solution depends on no option of the engine.
    fn journal_key(&self, problem: &ProblemEntry, options: &[(String, String)]) -> String {
        let SolveQuestion {
            wld,
            all_moves,
            best_moves,
            distance,
            selectivity,
        } = self.question;
        let distance = if distance { " distance" } else { "" };
        let best = if best_moves { " best" } else { "" };
        let level = selectivity.map_or(String::new(), |level| {
            let options = options
                .iter()
                .map(|(name, value)| format!(" {name}={value}"));
            format!(" selectivity={level}{}", options.collect::<String>())
        });
        let claim = problem
            .claim
            .map_or(String::new(), |claim| format!(" claim {claim}"));
        format!(
            "{} wld={wld} all={all_moves}{best}{distance}{level}{claim} {}",
            problem.entry.game.name(),
            problem.text.trim()
        )
    }
}

/// The start of a game with more plies requires `--start`; a search of a position with more plies
/// left that does not end at once causes a warning.
pub(super) const IMPLIED_START_PLIES: u8 = 36;

/// Late positions of self-play games with the scores of all moves; the file contains the command
/// that generated it.
const BENCH_PROBLEMS: &str = include_str!("endgames.obf");

/// Solves the problems. Exit status 1 if a score differs from the file, a claim does not hold or is
/// unknown, or a line is invalid.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    if let Some(record) = &args.report {
        report::run(record, args.svg.as_deref(), args.format.json, out)?;
        return Ok(true);
    }
    let problems = match &args.file {
        Some(file) => problem_file::load(file, setup, args.only)?,
        None => {
            let board = setup.board(args.position.as_deref())?;
            ensure!(
                args.position.is_some() || args.start || board.plies_left() <= IMPLIED_START_PLIES,
                "nothing to solve: give a FILE of positions (- for stdin) or --position TEXT; use --start to \
                 solve the start of {}, which may take years",
                board.name()
            );
            vec![Ok(ProblemEntry::of(board))]
        }
    };
    let claims = Claim::of_bounds(args.at_least, args.at_most);
    let problems = problem_file::with_claims(problems, &claims);
    let problems = match args.sample {
        Some(count) => problem_file::draw(problems, count, args.seed),
        None => problems,
    };
    solve(problems, args, setup, out)
}

/// Runs the endgame benchmark: solves the built-in problems.
pub fn bench(setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let othello = AnyGame::default();
    solve(
        problem_file::problems_of(BENCH_PROBLEMS, "endgames.obf", &othello)?,
        &Args::default(),
        setup,
        out,
    )
}

fn solve(problems: Problems, args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let mut options = setup.options()?;
    let start = setup.board(None)?;
    let valid = || problems.iter().flatten();
    let positions: HashSet<_> = valid().map(|entry| (entry.number, &entry.text)).collect();
    let (positions, results) = (positions.len(), valid().count());
    let claims = valid().filter(|problem| problem.claim.is_some()).count();
    args.check(&start, claims > 0, &options.settings)?;
    if let Some(file) = args.file.as_deref().filter(|_| problems.is_empty()) {
        let name = files::display_name(file);
        let lines = args.only.map_or_else(String::new, |(first, last)| {
            format!(" in lines {first}-{last} (--only)")
        });
        bail!("{name}: no position found{lines}");
    }
    let started = Instant::now();
    if let Some(file) = &args.resume {
        check_record("--resume", file, &args.file)?;
    }
    if let Some(folder) = &args.proof {
        prepare_proofs(folder, &problems)?;
    }
    let journal = args.resume.as_deref().map(Journal::open).transpose()?;
    let interrupt = interrupt::channel().context("cannot install a signal handler")?;
    if let Some(note) = cpu_time::NOTE {
        print_line(format!("note: {note}"));
    }
    if let Some(threads) = args.threads {
        options.settings.threads = threads.into();
    }
    if let Some(hash) = args.hash {
        options.set(HASH, Some(&hash.to_string()))?;
    }
    let mut question = args.question;
    question.wld |= start.discs().is_none() && !question.distance;
    let number = problems.len();
    if args.file.is_some() || args.position.is_some() {
        note_unchecked(&problems, question);
    }
    let announcement = format!(
        "solving {} of {} for {}: {}, {} MiB hash",
        counted(positions, "position", "positions"),
        options.game,
        goals(question, results, claims),
        counted(options.settings.threads, "thread", "threads"),
        options.hash,
    );
    let mut totals = SolveTotals::default();
    (totals.format, totals.selectivity) = (args.format, question.selectivity);
    let mut run = SolveRun {
        args,
        options: setup.determining_options(&[HASH, "Threads"]),
        journal,
        totals,
        progress: RunProgress::begin(
            announcement,
            results,
            match claims {
                0 => "positions",
                _ if claims == results => "claims",
                _ => "results",
            },
        ),
        warnings: BTreeMap::new(),
        out,
    };
    let remaining = run.take_recorded(problems)?;
    if args.limit_seconds.is_none() {
        run.warnings = warnings_of_long_searches(&remaining);
    }
    let interrupted = parallel::solve(
        remaining,
        &options,
        question,
        args.limit_seconds,
        args.proof.as_deref(),
        &interrupt,
        |event| run.take(event),
    )?;
    drop(run.progress);
    let mut totals = run.totals;
    totals.write(started.elapsed(), interrupted, run.out)?;
    if interrupted {
        let advice = match args.file {
            Some(_) if number > 1 => "; use --resume FILE to make runs resumable",
            _ => "",
        };
        report_interrupted(args.resume.is_some(), advice);
        return Ok(false);
    }
    ensure!(
        totals.errors < number,
        "no valid position of {}: check --game",
        options.game
    );
    Ok(totals.ok)
}

/// Creates the folder of proofs, one for each line.
fn prepare_proofs(folder: &Path, problems: &Problems) -> Result<()> {
    let numbers = problems.iter().flatten().map(|problem| problem.number);
    let shared = numbers.clone().zip(numbers.skip(1));
    if let Some((line, _)) = shared.into_iter().find(|(line, next)| line == next) {
        bail!("--proof: line {line} has several positions; write each in a line of its own");
    }
    files::create_folder(folder)
        .and_then(|()| check_replaceable(&folder.join("0.proof")))
        .with_context(|| format!("--proof {}", folder.display()))
}

/// Describes what is solved: this number of results, some of which decide claims.
fn goals(question: SolveQuestion, results: usize, claims: usize) -> String {
    let score = match question.selectivity {
        Some(level) => format!("the score at selectivity level {level} %"),
        None if question.wld => "win, draw or loss".into(),
        None => "the exact score".into(),
    };
    let number = counted(claims, "claim", "claims");
    match claims {
        0 => score,
        _ if claims == results => number,
        _ => format!("{score} and {number}"),
    }
}

/// A run in progress: what becomes of results.
struct SolveRun<'a> {
    args: &'a Args,
    /// The options of the engine that determine scores of selective searches.
    options: Vec<(String, String)>,
    journal: Option<Journal>,
    totals: SolveTotals,
    progress: RunProgress,
    /// The warnings of long searches by number; none is left after the first.
    warnings: BTreeMap<usize, String>,
    out: &'a mut dyn Write,
}

impl SolveRun<'_> {
    /// Prints the rows of solved problems and the errors. Returns the problems to solve.
    fn take_recorded(&mut self, problems: Problems) -> Result<Vec<ProblemEntry>> {
        let mut remaining = Vec::new();
        for problem in problems {
            let problem = match problem {
                Ok(problem) => problem,
                Err(error) => {
                    self.totals.errors += 1;
                    print_line(error);
                    continue;
                }
            };
            let args = self.args;
            let key = || (problem.number, args.journal_key(&problem, &self.options));
            let journal = self.journal.as_ref();
            let row = journal.and_then(|journal| journal.find(key(), args.limit_seconds));
            match row.filter(|row| args.has_proof(&problem, row)) {
                Some(row) => {
                    self.totals.add(&problem, row, self.out)?;
                    self.progress.bar.inc();
                }
                None => remaining.push(problem),
            }
        }
        Ok(remaining)
    }

    fn take(&mut self, event: SolveEvent) -> Result<()> {
        match event {
            SolveEvent::Done(problem, row) => {
                self.totals.add(&problem, &row, self.out)?;
                if !row.interrupted {
                    self.progress.bar.inc();
                    if let Some(journal) = &mut self.journal {
                        let key = self.args.journal_key(&problem, &self.options);
                        journal.add(key, *row)?;
                    }
                }
            }
            SolveEvent::Running { text, first } => {
                if let Some(warning) = first.and_then(|number| self.warnings.get(&number)) {
                    print_line(warning);
                    self.warnings.clear(); // one is enough
                }
                self.progress.show(&text);
            }
        }
        Ok(())
    }
}

/// Prints which options check statements of the input that this run does not check.
fn note_unchecked(problems: &Problems, question: SolveQuestion) {
    let stated = |has: fn(&RecordEntry) -> bool| {
        problems.iter().flatten().any(|problem| has(&problem.entry))
    };
    let unchecked = [
        (
            "plies",
            "--distance",
            !question.distance && stated(|entry| entry.plies.is_some()),
        ),
        (
            "scores of moves",
            "--all-moves",
            !question.all_moves && stated(|entry| !entry.moves.is_empty()),
        ),
    ];
    for (what, option, is_unchecked) in unchecked {
        if is_unchecked {
            print_line(format!(
                "note: stated {what} are checked with {option} only"
            ));
        }
    }
}

/// The warnings of positions with long searches, by number.
fn warnings_of_long_searches(problems: &[ProblemEntry]) -> BTreeMap<usize, String> {
    let warning = |problem: &ProblemEntry| {
        let position = match problem.number {
            0 => "the position".to_owned(),
            number => format!("line {number}"),
        };
        let warning = warning_of_long_search(&position, &problem.entry.game)?;
        let text = format!("{warning}; use --limit-seconds SECONDS to limit the time");
        Some((problem.number, text))
    };
    problems.iter().filter_map(warning).collect()
}

/// The warning of a position with more than [`IMPLIED_START_PLIES`] plies left, unless its game is
/// over.
pub(super) fn warning_of_long_search(position: &str, game: &AnyGame) -> Option<String> {
    let plies = game.plies_left();
    if plies <= IMPLIED_START_PLIES || game.final_score().is_some() {
        return None;
    }
    let left = match game.discs() {
        Some(_) => "empties",
        None => "plies left",
    };
    let long = IMPLIED_START_PLIES + 1;
    Some(format!(
        "warning: {position} has {plies} {left}: solving {long} or more may take years"
    ))
}
