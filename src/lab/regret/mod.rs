//! `nullwindow lab regret`: measures the loss per move by node budget (anytime quality). It searches
//! positions with exact scores of all moves ([`solved_set`]) and compares the loss of the chosen
//! move with that of plain iterative deepening under the same budget ([`budget_search`]).
//!
//! Both files are resumable. The number of threads affects only the order of their lines.

mod budget_search;
mod solved_set;

use std::collections::BTreeSet;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use super::job_record::JobRecord;
use crate::commands::{report_resumable, threads};
use crate::games::any::AnyGame;
use crate::setup::{EVAL, GAME, SEARCH, Setup, check_record, parse_range, positive, uses};
use budget_search::{BudgetConditions, BudgetResult, FurtherLimit, SearchKey};
use solved_set::SolvedSet;

/// The default numbers of empties, limited by the board.
const EMPTIES: RangeInclusive<u8> = 6..=20;

#[derive(clap::Args, Debug)]
#[command(args = uses(&[GAME, SEARCH, &["Hash"], EVAL]))]
#[command(after_help = "Games: all with discs.\n\
    Example: nullwindow lab regret --solved solved.jsonl --out regret.jsonl --threads 2\n\
    Baseline (plain): full-width iterative deepening, depths 1, 2, 3 ..., the move of the last finished iteration.\n\
    Losses are in discs by exact scores. Each search uses one thread and a new table of 64 bytes per node, limited by\n\
    option Hash. Run the same command again to resume.\n\
    Exit status 1: interrupted, or a row is worse than the baseline by more than 0.1 discs and three standard errors.")]
pub struct Args {
    /// Solved positions; missing ones are generated and appended
    #[arg(long, value_name = "FILE")]
    solved: PathBuf,

    /// Record of the searches to create or resume (default: only generate positions)
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Positions per number of empties
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = positive::<u32>)]
    positions: u32,

    /// Range of empties (default: 6-20, limited by the board)
    #[arg(long, value_name = "A-B", value_parser = parse_range)]
    empties: Option<(usize, usize)>,

    /// Node budgets
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "300,1000,3000,10000,30000,100000",
        value_parser = positive::<u64>
    )]
    nodes: Vec<u64>,

    /// Add limits that the node budget never reaches; they should not change the move
    #[arg(long, value_enum, value_name = "LIMITS", value_delimiter = ',')]
    with: Vec<FurtherLimit>,

    /// Random seed of the positions
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Number of positions searched in parallel
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads())]
    threads: u16,

    /// Print the table as JSON lines
    #[arg(long, requires = "out")]
    json: bool,
}

/// Adds missing solutions and searches to the files and prints the table.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let options = setup.options()?;
    let start = setup.board_with_discs("regret")?;
    ensure!(
        options.settings.threads == 1,
        "option Threads has no effect here: use --threads to search positions in parallel"
    );
    let with: BTreeSet<FurtherLimit> = args.with.iter().copied().collect();
    let goals = [FurtherLimit::Exact, FurtherLimit::Mate];
    ensure!(
        !goals.iter().all(|goal| with.contains(goal)),
        "--with exact contradicts --with mate: a search has one goal"
    );
    check_record("--solved", &args.solved, [])?;
    if let Some(record) = &args.out {
        check_record("--out", record, [&args.solved])?;
    }
    let empties = empties_of(args, &start)?;
    let mut solved = SolvedSet::open(&args.solved, &start, args.seed)?;
    let conditions = BudgetConditions {
        version: env!("CARGO_PKG_VERSION").into(),
        game: start.name().into(),
        options: setup.determining_options(&[]),
        with: with.into_iter().collect(),
    };
    let open = |path: &PathBuf| {
        JobRecord::open(path, &conditions, |result: &BudgetResult| {
            result.key.clone()
        })
    };
    let mut record = args.out.as_ref().map(open).transpose()?;
    let Some(positions) = solved.complete(&empties, args.positions, args.threads)? else {
        report_resumable(None);
        return Ok(false);
    };
    ensure!(
        !positions.is_empty(),
        "no position with two or more legal moves found"
    );
    let (Some(path), Some(record)) = (&args.out, &mut record) else {
        writeln!(out, "{} solved positions", positions.len())?;
        return Ok(true);
    };

    let budgets: BTreeSet<u64> = args.nodes.iter().copied().collect();
    let keys = positions
        .iter()
        .flat_map(|solved| budgets.iter().map(|&nodes| SearchKey::of(solved, nodes)));
    let missing = record.missing(keys);
    if !record.run(missing, args.threads, || {
        |key| budget_search::measure(key, &options, &start, &conditions.with)
    })? {
        report_resumable(None);
        return Ok(false);
    }
    let rows = budget_search::rows(&positions, &budgets, &record.results)
        .with_context(|| path.display().to_string())?;
    budget_search::write(&rows, args.json, out)?;
    let is_worse = rows.iter().any(|row| row.worse == Some(true));
    Ok(!is_worse)
}

/// The empties of `--empties`, or the default ones.
fn empties_of(args: &Args, start: &AnyGame) -> Result<RangeInclusive<u8>> {
    let cells = start.plies_left();
    let Some((least, most)) = args.empties else {
        return Ok(*EMPTIES.start()..=(*EMPTIES.end()).min(cells - 1));
    };
    ensure!(
        most < cells.into(),
        "--empties: expected fewer than {cells} for {}",
        start.name()
    );
    Ok(least as u8..=most as u8)
}
