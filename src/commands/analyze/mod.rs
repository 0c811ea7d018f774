//! `nullwindow analyze`: analyzes games: for each move the score, the best moves and the loss; for
//! each player a summary.
//!
//! [`source`] reads the games, [`parallel`] analyzes them side by side, [`search`] searches the
//! positions of one game within the limits of a [`plan`]. [`result`] has the types of the results,
//! which [`totals`] sums up; [`text`] prints them, [`page`] shows them as HTML. A [`record`] makes a
//! run resumable.

mod page;
pub mod parallel;
pub mod plan;
mod record;
pub mod result;
mod search;
pub mod source;
mod text;
mod totals;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};

use super::jobs::RunProgress;
use super::{
    ResultArgs, check_replaced, report_interrupted, report_results, threads, write_json_line,
};
use crate::game::counted;
use crate::logging::progress::print_line;
use crate::platform::interrupt;
use crate::search::table::Table;
use crate::setup::{EVAL, GAME, SEARCH, Setup, check_record, uses};
use crate::storage::whole_file::replace_file;
use page::PageWriter;
use plan::LimitArgs;
use record::{AnalysisConditions, AnalysisRecord};
use result::GameAnalysis;
use search::GameAnalyzer;
use source::AnalysisJob;
use text::ScoreStyle;
use totals::AnalysisTotals;

/// The end of `--help`.
const OUTPUT: &str = "\
The score of a move and that of the best move come from one search, so both have the same depth. The loss is their
difference: in discs (Reversi); in games won by a line in units of the evaluation, a win or loss counts 10000.
Positions are searched from the last to the first. The results of later positions help and may be deeper than --depth.
Columns: depth N@P% is selectivity P (100 if absent); error is the measured mean error of such scores in discs. Marks:
?! for a loss of 2 discs, ? for 4, ?? for 10; in games won by a line ? for half a point of the result, ?? for a point.
Losses in parentheses are of moves that the record marks as its opening, and are not counted.
Exit status 1: interrupted, a game is invalid, or a stated result contradicts the moves.";

/// The engine options that have an effect on it.
pub const ANALYZE_OPTIONS: &[&[&str]] = &[GAME, SEARCH, &["Hash"], EVAL];

#[derive(clap::Args, Debug)]
#[command(args = uses(ANALYZE_OPTIONS))]
#[command(after_help = OUTPUT)]
pub struct Args {
    /// Games in any format; - for stdin
    #[arg(required_unless_present = "position")]
    file: Vec<PathBuf>,

    /// Score all legal moves of this position instead: a position or moves from the start
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["file", "html", "resume", "multipv", "result_order"])]
    position: Option<String>,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    results: ResultArgs,

    /// Number of threads (default: option Threads): games side by side; idle threads help with the
    /// last games
    #[arg(long, value_name = "N", value_parser = threads())]
    threads: Option<u16>,

    /// Print JSON lines: one per game, then the totals
    #[arg(long)]
    json: bool,

    /// Write the analyzed games as an interactive HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Record the analyzed moves in RECORD and skip games that it has
    #[arg(long, value_name = "RECORD")]
    resume: Option<PathBuf>,
}

/// Analyzes the games. Exit status 1 if a game is invalid or its stated
/// result contradicts the moves.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let mut options = setup.options()?;
    let start = setup.board(None)?;
    if let Some(threads) = args.threads {
        options.settings.threads = threads.into();
    }
    if let Some(file) = &args.resume {
        check_record("--resume", file, &args.file)?;
    }
    if let Some(file) = &args.html {
        check_replaced("--html", file, args.file.iter().chain(&args.resume))?;
    }
    let plan = args.limits.plan(&start)?;
    let style = ScoreStyle::of(&start);
    if let Some(text) = &args.position {
        let mut analyzer = GameAnalyzer {
            table: Table::new(options.hash as usize),
            options,
            plan,
        };
        let analysis = analyzer.score_moves(&setup.board(Some(text))?)?;
        if args.json {
            write_json_line(&analysis, out)?
        } else {
            text::write_position(&analysis, style, out)?
        }
        return Ok(true);
    }
    let (games, errors) = source::load(&args.file, &start, args.results.result_order)?;
    let totals = AnalysisTotals {
        errors,
        ..AnalysisTotals::default()
    };
    let results = games.iter().map(|game| game.entry.has_unknown_result);
    let unknown = results.filter(|is_unknown| *is_unknown).count();
    let conditions = AnalysisConditions {
        analyze: env!("CARGO_PKG_VERSION").into(),
        game: start.name().into(),
        options: setup.determining_options(&["Threads"]),
        limits: args.limits,
    };
    let (record, jobs) = match &args.resume {
        Some(path) => {
            let (record, jobs) = AnalysisRecord::open(path, &conditions, games)?;
            (Some(record), jobs)
        }
        None => {
            let new_job = |source| AnalysisJob {
                source,
                known: None,
            };
            (None, games.into_iter().map(new_job).collect())
        }
    };
    let interrupt = interrupt::channel().context("cannot install a signal handler")?;
    let moves = |job: &AnalysisJob| job.source.entry.game.history().len();
    let plies: usize = jobs.iter().map(moves).sum();
    let before: usize = jobs.iter().flat_map(|job| &job.known).map(Vec::len).sum();
    let announcement = format!(
        "analyzing {} of {} with {}: {}, {}, {} MiB hash",
        counted(jobs.len(), "game", "games"),
        start.name(),
        counted(plies, "move", "moves"),
        plan.text(),
        counted(options.settings.threads, "thread", "threads"),
        options.hash,
    );
    let mut progress = RunProgress::begin(announcement, plies, "moves");
    progress.bar.begin_at(before as u64);
    let mut output = Output {
        args,
        style,
        totals,
        page: PageWriter::new(start),
        out,
    };
    let interrupted = parallel::analyze(
        jobs,
        &options,
        &plan,
        record.as_ref(),
        &interrupt,
        |analysis, done| {
            if let Some(analysis) = analysis {
                output.add(&analysis)?;
            }
            progress.bar.set_position((before + done) as u64);
            if progress.bar.is_hidden() {
                let left = plies - before - done;
                progress.show(&time_left(progress.bar.elapsed(), done, left));
            }
            Ok(())
        },
    )?;
    drop(progress);
    let is_clean = output.finish(unknown, &plan.text())?;
    if interrupted {
        let advice = "; use --resume RECORD to make runs resumable";
        report_interrupted(args.resume.is_some(), advice);
    }
    Ok(is_clean && !interrupted)
}

/// What is printed and written of the analyzed games.
struct Output<'a> {
    args: &'a Args,
    style: ScoreStyle,
    totals: AnalysisTotals,
    page: PageWriter,
    out: &'a mut dyn Write,
}

impl Output<'_> {
    fn add(&mut self, analysis: &GameAnalysis) -> Result<()> {
        if self.args.json {
            write_json_line(analysis, self.out)?
        } else {
            text::write_game(analysis, self.style, self.out)?
        }
        self.out.flush()?;
        if let Some(contradiction) = &analysis.contradiction {
            let GameAnalysis { file, number, .. } = analysis;
            print_line(format!("{file}, game {number}: {contradiction}"));
        }
        self.totals.add(analysis, self.style.sides);
        if self.args.html.is_some() {
            self.page.add(analysis)?;
        }
        Ok(())
    }

    /// Writes the totals and the page. Whether no game was invalid and no result contradicted.
    fn finish(mut self, unknown: usize, limits: &str) -> Result<bool> {
        let totals = &mut self.totals;
        totals.finish();
        report_results(unknown, totals.contradictions);
        if self.args.json {
            write_json_line(totals, self.out)?
        } else {
            text::write_totals(totals, self.style, self.out)?
        }
        if let Some(file) = &self.args.html
            && totals.games > 0
        {
            replace_file(file, [self.page.text(totals, limits)?])?;
        }
        Ok(totals.errors + totals.contradictions == 0)
    }
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
