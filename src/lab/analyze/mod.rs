//! `nullwindow analyze`: analyzes games: for each move the score, the best moves and the loss; for
//! each player a summary.
//!
//! [`source`] reads the games, [`search`] searches the positions of one game, [`result`] has the
//! types of the results, [`text`] prints them, [`totals`] sums them up. With a record, a run is resumable: it has a line for each analyzed move.

pub mod result;
mod search;
mod source;
mod text;
mod totals;

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::depth;
use super::jobs::JobRunner;
use super::solve::SolveProgress;
use super::solve::parallel::BecomesHelper;
use crate::engine::setup::{Setup, check_output, positive};
use crate::logging::progress::print_line;
use crate::platform::{command_line, interrupt};
use crate::search::core::parallel::thread_budget::ThreadBudget;
use crate::search::stop::SearchControl;
use crate::search::table::Table;
use crate::storage::json_lines::JsonLines;
use result::{GameAnalysis, MoveAnalysis, unit};
use search::{GameAnalyzer, MoveLimit, SearchPlan};
use source::SourceGame;
use totals::Totals;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Files of games: transcripts (one per line), GGF, PGN or games.jsonl; - for stdin
    #[arg(required = true)]
    file: Vec<PathBuf>,

    /// Search every position to this depth in plies (default without a limit: 16 in Reversi, else 10)
    #[arg(long, value_name = "N", group = "limit", value_parser = depth())]
    depth: Option<u8>,

    /// Search every position for this time in milliseconds
    #[arg(long, value_name = "MS", group = "limit", value_parser = positive::<u32>)]
    movetime: Option<u32>,

    /// Search every position with this node limit
    #[arg(long, value_name = "N", group = "limit", value_parser = positive::<u64>)]
    nodes: Option<u64>,

    /// Solve positions with at most N empties or plies left, whatever the limit; in games won by a
    /// line, for win, draw or loss (default without a limit: 24 in Reversi; else 0)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=64))]
    exact: Option<u8>,

    /// Score the K best moves of every position
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = positive::<u8>)]
    multipv: u8,

    /// Number of threads (default: option Threads): games side by side; idle threads help with the
    /// last games
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,

    /// Print JSON lines: one per game, then the totals
    #[arg(long)]
    json: bool,

    /// Record analyzed moves in RECORD and skip those already recorded
    #[arg(long, value_name = "RECORD")]
    resume: Option<PathBuf>,
}

/// The depths and the empties without a limit.
const DEPTH_OF_DISC_GAMES: u8 = 16;
const EXACT_OF_DISC_GAMES: u8 = 24;
const DEPTH_OF_LINE_GAMES: u8 = 10;

impl Args {
    fn plan(&self, has_discs: bool) -> SearchPlan {
        let limit = match (self.depth, self.movetime, self.nodes) {
            (Some(depth), ..) => Some(MoveLimit::Depth(depth)),
            (_, Some(time), _) => Some(MoveLimit::Time(Duration::from_millis(time.into()))),
            (.., Some(nodes)) => Some(MoveLimit::Nodes(nodes)),
            _ => None,
        };
        let (depth, exact) = match has_discs {
            true => (DEPTH_OF_DISC_GAMES, EXACT_OF_DISC_GAMES),
            false => (DEPTH_OF_LINE_GAMES, 0),
        };
        SearchPlan {
            exact: self
                .exact
                .unwrap_or(if limit.is_none() { exact } else { 0 }),
            limit: limit.unwrap_or(MoveLimit::Depth(depth)),
            multi_pv: self.multipv.into(),
        }
    }
}

/// What determines the results of a record: its first line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Conditions {
    analyze: String,
    game: String,
    options: Vec<(String, String)>,
    depth: Option<u8>,
    movetime: Option<u32>,
    nodes: Option<u64>,
    exact: u8,
    multipv: u8,
}

/// A line of a record.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct RecordLine {
    file: String,
    number: usize,
    #[serde(flatten)]
    analysis: MoveAnalysis,
}

/// The recorded moves by file, number of the game, and ply.
type Recorded = HashMap<(String, usize, usize), MoveAnalysis>;

/// Analyzes the games. Exit status 1 if a game is invalid.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let mut options = setup.options()?;
    let start = setup.board(None)?;
    ensure!(
        options.strength().is_none(),
        "option Strength has no effect here: analyze searches at full strength"
    );
    if let Some(threads) = args.threads {
        options.settings.threads = threads.into();
    }
    if let Some(file) = &args.resume {
        check_output("--resume", file, &args.file)?;
    }
    let plan = args.plan(start.discs().is_some());
    let (mut games, mut totals) = (Vec::new(), Totals::default());
    for game in source::load(&args.file, &start)? {
        match game {
            Ok(game) => games.push(game),
            Err(error) => {
                totals.errors += 1;
                print_line(error)?;
            }
        }
    }
    ensure!(
        !games.is_empty(),
        "no valid game of {}: check --game",
        start.name()
    );
    let conditions = Conditions {
        analyze: env!("CARGO_PKG_VERSION").into(),
        game: start.name().into(),
        options: setup.options.clone(),
        depth: args.depth,
        movetime: args.movetime,
        nodes: args.nodes,
        exact: plan.exact,
        multipv: args.multipv,
    };
    let (record, recorded) = match &args.resume {
        Some(path) => open_record(path, &conditions, &games)
            .map(|(record, recorded)| (Some(Mutex::new(record)), recorded))?,
        None => Default::default(),
    };
    let interrupt = interrupt::channel().context("cannot install a signal handler")?;
    let threads = options.settings.threads;
    let searching = threads.min(games.len());
    let number = games.len();
    let plies: usize = games.iter().map(|game| game.game.history().len()).sum();
    let announcement = format!(
        "analyzing {number} game{} of {} with {plies} moves: {}, {threads} thread{}, {} MiB hash",
        if number == 1 { "" } else { "s" },
        start.name(),
        plan.text(),
        if threads == 1 { "" } else { "s" },
        options.hash,
    );
    let mut progress = SolveProgress::begin(announcement, plies, "moves")?;
    let before = recorded.len();
    progress.bar.begin_at(before as u64);
    let budget = Arc::new(ThreadBudget::new(threads, searching));
    options.settings.shared_threads = Some(budget.clone());
    let state = RunState {
        record,
        recorded,
        searches: Mutex::new(RunningSearches {
            controls: vec![Arc::default(); searching],
            stopped: false,
        }),
        done: AtomicUsize::new(before),
    };
    let worker = |thread: usize| {
        let mut analyzer = GameAnalyzer {
            table: Table::new((options.hash as usize / searching).max(1)),
            options: options.clone(),
            plan,
        };
        let (state, helper) = (&state, BecomesHelper(budget.clone()));
        move |game: SourceGame| {
            let _dropped_with_the_worker = &helper;
            state.analyze(&mut analyzer, thread, game)
        }
    };
    let runner = JobRunner {
        threads: searching,
        in_order: true,
        interrupt: &interrupt,
    };
    let how = text::Notation {
        has_discs: start.discs().is_some(),
        unit: unit(&start).into(),
    };
    let interrupted = runner.run(
        games.into_iter(),
        worker,
        || state.stop(),
        |result| {
            let done = state.done.load(Ordering::Relaxed);
            progress.bar.set_position(done as u64);
            progress.show(time_left(
                progress.bar.elapsed(),
                done - before,
                plies - done,
            ))?;
            if let Some(Some(analysis)) = result.transpose()? {
                match args.json {
                    true => writeln!(out, "{}", serde_json::to_string(&analysis)?)?,
                    false => text::write_game(&analysis, how, out)?,
                }
                out.flush()?;
                totals.add(&analysis, |player| how.side(player));
            }
            Ok(())
        },
    )?;
    drop(progress);
    totals.finish();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string(&totals)?)?,
        false => text::write_totals(&totals, how, out)?,
    }
    if interrupted {
        let advice = match &args.resume {
            Some(_) => format!(
                "; resume with: {}",
                command_line::join(&std::env::args().collect::<Vec<_>>())
            ),
            None => "; use --resume RECORD to make runs resumable".into(),
        };
        print_line(format!("interrupted{advice}"))?;
        return Ok(false);
    }
    Ok(totals.errors == 0)
}

/// The estimated time for the moves that are left.
fn time_left(elapsed: Duration, done: usize, left: usize) -> String {
    match done {
        0 => "time left unknown".into(),
        _ => format!(
            "about {:.0} s left",
            elapsed.as_secs_f64() * left as f64 / done as f64
        ),
    }
}

/// Opens or creates the record and reads the moves of these games.
///
/// # Errors
/// As [`JsonLines::open_with`]; also if a recorded move is not that of the game.
fn open_record(
    path: &Path,
    conditions: &Conditions,
    games: &[SourceGame],
) -> Result<(JsonLines<RecordLine>, Recorded)> {
    let mut recorded = Recorded::new();
    let record = JsonLines::open_with(path, conditions, |line: RecordLine| {
        let RecordLine {
            file,
            number,
            analysis,
        } = line;
        let ply = analysis.ply;
        match recorded.insert((file, number, ply), analysis) {
            Some(_) => Err(format!("duplicate result of game {number}, ply {ply}")),
            None => Ok(()),
        }
    })?;
    let mut of_games = Recorded::new();
    for SourceGame { file, number, game } in games {
        for (index, (position, m)) in game.plies().enumerate() {
            let key = (file.clone(), *number, index + 1);
            if let Some(analysis) = recorded.remove(&key) {
                ensure!(
                    analysis.played == position.write_move(m),
                    "{}: {file}, game {number}, ply {}: the recorded move is {}, the game has {}",
                    path.display(),
                    index + 1,
                    analysis.played,
                    position.write_move(m)
                );
                of_games.insert(key, analysis);
            }
        }
    }
    Ok((record, of_games))
}

/// The running searches.
struct RunningSearches {
    /// The control of each thread's search.
    controls: Vec<Arc<SearchControl>>,
    /// Whether the run is over.
    stopped: bool,
}

/// What the threads of a run share.
struct RunState {
    record: Option<Mutex<JsonLines<RecordLine>>>,
    recorded: Recorded,
    searches: Mutex<RunningSearches>,
    /// Number of analyzed moves, with the recorded ones.
    done: AtomicUsize,
}

impl RunState {
    /// Analyzes a game and records its moves one by one; `None` if the run is over.
    fn analyze(
        &self,
        analyzer: &mut GameAnalyzer,
        thread: usize,
        source: SourceGame,
    ) -> Result<Option<GameAnalysis>> {
        let SourceGame { file, number, game } = &source;
        let (file, number) = (file.clone(), *number);
        let found = analyzer.analyze(
            game,
            |ply| self.recorded.get(&(file.clone(), number, ply)).cloned(),
            || self.next_control(thread),
            |analysis| {
                self.done.fetch_add(1, Ordering::Relaxed);
                let Some(record) = &self.record else {
                    return Ok(());
                };
                lock(record).append(&RecordLine {
                    file: file.clone(),
                    number,
                    analysis: analysis.clone(),
                })
            },
        )?;
        Ok(found.map(|moves| source.analysis(moves)))
    }

    /// A control for the next search of a thread; `None` when the run is over.
    fn next_control(&self, thread: usize) -> Option<Arc<SearchControl>> {
        let mut searches = lock(&self.searches);
        if searches.stopped {
            return None;
        }
        searches.controls[thread] = Arc::default();
        Some(searches.controls[thread].clone())
    }

    /// Ends the run: stops the running searches.
    fn stop(&self) {
        let mut searches = lock(&self.searches);
        searches.stopped = true;
        searches.controls.iter().for_each(|control| control.stop());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
