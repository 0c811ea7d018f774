//! `nullwindow prove`: writes a proof of the value of a position, or of a bound of it, that a
//! program without the engine checks (`scripts/check-proof`).
//!
//! A proof is a directed acyclic graph of claims ([`proof_file`]). Null-window searches prove the
//! bounds of the root; then [`extraction`] walks down to the leaves with the same transposition
//! table.

pub mod claim_table;
pub mod extraction;
pub mod proof_file;

use std::fs;
use std::io::Write;
use std::iter;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use crossbeam_channel::Receiver;

use crate::commands::claims::{Claim, check_bounds, least_score, points, step};
use crate::commands::jobs::JobRunner;
use crate::commands::solve::{IMPLIED_START_PLIES, problem_file, warning_of_long_search};
use crate::commands::{check_replaced, report_resumable, threads};
use crate::engine::options::Options;
use crate::game::Game;
use crate::games::any::{AnyGame, AnyPosition};
use crate::games::dispatch;
use crate::games::tictactoe::TicTacToe;
use crate::logging::progress::{ProgressLine, print_line};
use crate::platform::{files, interrupt};
use crate::search::stop::SearchControl;
use crate::search::table::Table;
use crate::search::{Answer, Goal, Limits, Observer, Settings};
use crate::setup::{EVAL, GAME, Setup, uses};
use crate::storage::record_lock::RecordLock;
use crate::storage::whole_file::is_stream;
use claim_table::ClaimTable;
use extraction::Extraction;
use proof_file::{MAX_LEAF_EMPTIES, ProofSubject, default_leaf_empties};

/// The time between two records of an unfinished proof.
const SAVE_EVERY: Duration = Duration::from_secs(300);

/// The end of `--help`.
const CHECKER: &str = "\
Games: all except scorefour.
The program scripts/check-proof verifies FILE without the engine; src/storage/formats.md documents the format.
Exit status: 0 proven, 1 refuted or interrupted, 2 usage or file error.";

#[derive(clap::Args, Debug)]
#[command(args = uses(&[GAME, &["Hash", "Threads"], EVAL]))]
#[command(after_help = CHECKER)]
pub struct Args {
    /// File with one position or game, as for solve; - for stdin
    #[arg(group = "what")]
    file: Option<PathBuf>,

    /// Prove this position: a position or moves from the start, as in f5d6c3 (default: the start of a game of at most
    /// 36 plies)
    #[arg(long, value_name = "TEXT", group = "what", allow_hyphen_values = true)]
    position: Option<String>,

    /// Prove that the value for the side to move is at least S discs (1: win, 0: draw, -1: loss in other games)
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(i8).range(-64..=64))]
    at_least: Option<i8>,

    /// Prove that it is at most S; without a bound, the exact value is proven
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(i8).range(-64..=64))]
    at_most: Option<i8>,

    /// Write the proof to FILE; claims of an unfinished proof are in FILE.partial
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// The checker solves positions with at most N empties: the larger N, the fewer claims (default:
    /// 13, or 14 for Othello with 24 empties or more, but at most two thirds of the empties)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=MAX_LEAF_EMPTIES))]
    leaf_empties: Option<u8>,

    /// Number of threads (default: option Threads)
    #[arg(long, value_name = "N", value_parser = threads())]
    threads: Option<u16>,

    /// Continue the interrupted run that wrote FILE.partial
    #[arg(long)]
    resume: bool,
}

/// Writes a proof. Exit status 0 if it is complete.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let root = root(args, setup)?;
    let asked = subject(args, &root)?;
    check_replaced("--out", &args.out, &args.file)?;
    ensure!(
        !is_stream(&args.out),
        "--out {}: a proof needs a regular file, beside which it keeps FILE.partial",
        args.out.display()
    );
    let mut options = setup.options()?;
    if let Some(threads) = args.threads {
        options.settings.threads = threads.into();
    }
    let partial = files::with_suffix(&args.out, ".partial"); // of an unfinished proof
    let _lock = RecordLock::acquire(&args.out)?;
    let claims = ClaimTable::default();
    let mut resumed = None;
    if partial.exists() {
        let name = partial.display();
        ensure!(
            args.resume,
            "{name} has the claims of an interrupted run: continue it with --resume, or delete the file"
        );
        let (subject, records) =
            proof_file::read_partial(&partial, &asked).with_context(|| name.to_string())?;
        claims.load(&records);
        resumed = Some(subject);
    } else if args.resume {
        let name = partial.display();
        print_line(format!("nothing to resume: there is no {name}"));
    }
    let started = Instant::now();
    let interrupt = interrupt::channel().context("cannot install a signal handler")?;
    let table = Table::new(options.hash as usize);
    let found = match resumed {
        Some(subject) => Some((subject, 0)),
        None => {
            let warning = warning_of_long_search("the position", &root);
            search_root(asked, &options, &table, warning, &interrupt, out)?
        }
    };
    let Some((subject, solving)) = found else {
        return Ok(false);
    };
    let extraction = Extraction {
        subject,
        settings: &options.settings,
        table: &table,
        claims: &claims,
    };
    let save = || extraction.write(&partial, true);
    let bar = ProgressLine::bar(None, "claims");
    let mut saved = Instant::now();
    let (extracting, is_interrupted) = extraction.run(&interrupt, || {
        bar.set_position(claims.count() as u64);
        if saved.elapsed() >= SAVE_EVERY {
            save()?;
            saved = Instant::now();
        }
        Ok(())
    })?;
    drop(bar);
    if is_interrupted {
        save()?;
        report_resumable((!args.resume).then_some("--resume"));
        return Ok(false);
    }
    let bytes = extraction.write(&args.out, false)?;
    if partial.exists() {
        fs::remove_file(&partial).with_context(|| partial.display().to_string())?;
    }
    let proven: Vec<String> = subject
        .claims()
        .iter()
        .map(|claim| format!("value {claim}"))
        .collect();
    writeln!(
        out,
        "proven: {}\nclaims {}, leaf empties {}, bytes {bytes}\n\
         nodes {}: {solving} solving, {extracting} extracting; seconds {:.1}",
        proven.join(", "),
        claims.count(),
        subject.leaf_empties,
        solving + extracting,
        started.elapsed().as_secs_f64(),
    )?;
    Ok(true)
}

/// The subject of a proof: the position, the leaves and the bounds of the arguments.
fn subject(args: &Args, root: &AnyGame) -> Result<ProofSubject> {
    let bounds = [args.at_least, args.at_most];
    check_bounds(root, bounds.into_iter().flatten())?;
    if let [Some(lower), Some(upper)] = bounds {
        ensure!(
            lower <= upper,
            "--at-least {lower} contradicts --at-most {upper}"
        );
    }
    let root = root.position();
    let step = step(&root);
    Ok(ProofSubject {
        root,
        leaf_empties: args
            .leaf_empties
            .unwrap_or_else(|| default_leaf_empties(&root)),
        lower: args
            .at_least
            .map(|bound| Claim::AtLeast(bound).rounded(step).bound()),
        upper: args
            .at_most
            .map(|bound| Claim::AtMost(bound).rounded(step).bound()),
    })
}

/// The position to prove.
fn root(args: &Args, setup: &Setup) -> Result<AnyGame> {
    let game = setup.board(None)?;
    ensure!(
        game.discs().is_some() || game.name() == TicTacToe::NAME,
        "prove supports Reversi and {}, not {}",
        TicTacToe::NAME,
        game.name()
    );
    let Some(file) = &args.file else {
        let board = setup.board(args.position.as_deref())?;
        ensure!(
            args.position.is_some() || board.plies_left() <= IMPLIED_START_PLIES,
            "nothing to prove: give a FILE with one position (- for stdin) or --position TEXT"
        );
        return Ok(board);
    };
    let problems = problem_file::load(file, setup, None)?;
    let count = problems.len();
    let Ok([problem]) = <[_; 1]>::try_from(problems) else {
        bail!(
            "{}: {count} positions found, expected one",
            files::display_name(file)
        );
    };
    let problem = problem?;
    ensure!(
        problem.claim.is_none(),
        "{}, line {}: give the claim by --at-least or --at-most",
        files::display_name(file),
        problem.number
    );
    Ok(problem.entry.game)
}

/// Searches the root for the requested bounds, or for its value. Prints the warning if that takes
/// long. Returns what is to be proven and the number of nodes; `None`, with a message, if a bound
/// does not hold or an interrupt stops the search.
fn search_root(
    asked: ProofSubject,
    options: &Options,
    table: &Table,
    mut warning: Option<String>,
    interrupt: &Receiver<()>,
    out: &mut dyn Write,
) -> Result<Option<(ProofSubject, u64)>> {
    let root = asked.root;
    let mut nodes = 0;
    let mut value = |limits: Limits, nodes: &mut u64| -> Result<Option<i32>> {
        let answer = search(root, options, table, limits, &mut warning, interrupt)?;
        *nodes += answer.counters.nodes;
        let score = root.final_score().or(answer.score());
        let score = score.filter(|_| !answer.stopped);
        if score.is_none() {
            print_line("interrupted before the first claim: nothing was saved");
        }
        Ok(score.map(|score| points(&root, score)))
    };
    for claim in asked.claims() {
        let least = least_score(&root, claim.threshold(step(&root)));
        let Some(found) = value(Limits::to_reach(least, root.grain()), &mut nodes)? else {
            return Ok(None);
        };
        if !claim.holds(found) {
            writeln!(out, "refuted: value {claim}; nodes {nodes}")?;
            return Ok(None);
        }
    }
    if !asked.claims().is_empty() {
        return Ok(Some((asked, nodes)));
    }
    let Some(value) = value(Limits::to_find(Goal::Exact), &mut nodes)? else {
        return Ok(None);
    };
    let value = Some(i8::try_from(value).context("a value beyond 64 discs")?);
    let subject = ProofSubject {
        lower: value,
        upper: value,
        ..asked
    };
    Ok(Some((subject, nodes)))
}

/// One search, which an interrupt stops. Takes and prints the warning if the search takes long.
fn search(
    root: AnyPosition,
    options: &Options,
    table: &Table,
    limits: Limits,
    warning: &mut Option<String>,
    interrupt: &Receiver<()>,
) -> Result<Answer> {
    let control = Arc::new(SearchControl::default());
    let settings = Settings {
        deepening: false,
        ..options.settings.clone()
    };
    let runner = JobRunner {
        threads: 1,
        in_order: true,
        interrupt,
    };
    let mut answer = Answer::default();
    runner.run(
        iter::once(limits),
        |_| {
            |limits| {
                let mut observer = Observer {
                    control: control.clone(),
                    ..Observer::default()
                };
                dispatch::think(root, &settings, table, &limits, &mut observer)
            }
        },
        || control.stop(),
        |found| {
            match found {
                Some(found) => answer = found,
                None => warning.take().into_iter().for_each(print_line),
            }
            Ok(())
        },
    )?;
    Ok(answer)
}
