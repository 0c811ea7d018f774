//! `nullwindow regret`: the loss by budget (anytime quality). In positions with exact scores of all moves
//! ([`solved_set`]) it searches with node budgets and compares the loss of the chosen move with that of plain iterative
//! deepening under the same budget ([`budget_search`]); [`summary`] makes the table.
//!
//! Both files resume and are independent of the number of threads but for the order of their lines.

mod budget_search;
mod solved_set;
mod summary;

use std::collections::BTreeSet;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};

use super::recorded_jobs::{JobRecord, run_jobs};
use crate::engine::setup::{FAILED, Setup};
use crate::games::any::AnyGame;
use budget_search::{BudgetConditions, BudgetResult, BudgetSearcher, FurtherLimit, SearchKey};
use solved_set::{SolvedPosition, SolvedSet};
use summary::LossTable;

/// The numbers of empties that are measured by default, as far as the board has them.
const EMPTIES: RangeInclusive<u8> = 6..=20;

/// Arguments of `regret`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: nullwindow regret --solved solved.jsonl --out regret.jsonl --threads 2\n\
    Plain deepening: algorithm auto at full width, depths 1, 2, 3 ..., the move of the last finished iteration.\n\
    Losses are in discs, by exact scores. Each search has one thread and a new table of 64 bytes per node, at most\n\
    option Hash. An interrupted run resumes with the same command.\n\
    Exit status 1: a row marked worse, by more than 0.1 discs and three standard errors; or interrupted.")]
pub struct RegretArgs {
    /// The solved positions: made where they are missing, then reused
    #[arg(long, value_name = "FILE")]
    solved: PathBuf,

    /// The record of the searches to create or resume; without it, positions are solved and nothing is measured
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Positions for each number of empties; fewer if no others are found
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,

    /// The numbers of empties (default: 6-20, as far as the board has them)
    #[arg(long, value_name = "A-B", value_parser = empties)]
    empties: Option<RangeInclusive<u8>>,

    /// The node budgets
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "300,1000,3000,10000,30000,100000",
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    nodes: Vec<u64>,

    /// Further limits of the engine's searches, out of reach of the node budget: the move should not depend on them
    #[arg(long, value_enum, value_name = "LIMITS", value_delimiter = ',')]
    with: Vec<FurtherLimit>,

    /// The random seed of the positions
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Positions searched side by side
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,

    /// One JSON object for each row of the table
    #[arg(long, requires = "out")]
    json: bool,
}

/// Solves and searches what the files lack, and writes the table.
pub fn run(args: &RegretArgs, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let options = setup.options()?;
    let start = setup.board(None)?;
    ensure!(start.discs().is_some(), "{}: regret is for boards of discs", start.name());
    ensure!(options.settings.threads == 1, "each search has one thread: use --threads for several positions at a time");
    ensure!(options.strength().is_none(), "regret measures full strength");
    let empties = empties_of(args, &start)?;
    let interrupted = |out: &mut dyn Write| {
        writeln!(out, "interrupted: the same command resumes")?;
        Ok(ExitCode::from(FAILED))
    };

    let mut solved = SolvedSet::open(&args.solved, &start, args.seed)?;
    if !solved.complete(&empties, args.positions, args.threads)? {
        return interrupted(out);
    }
    let positions = solved.positions(&empties, args.positions);
    ensure!(!positions.is_empty(), "no position with a choice of moves found");
    let Some(path) = &args.out else {
        writeln!(out, "{} solved positions", positions.len())?;
        return Ok(ExitCode::SUCCESS);
    };

    let budgets: BTreeSet<u64> = args.nodes.iter().copied().collect();
    let with: BTreeSet<FurtherLimit> = args.with.iter().copied().collect();
    let conditions = BudgetConditions {
        version: env!("CARGO_PKG_VERSION").into(),
        game: start.name().into(),
        options: setup
            .options
            .iter()
            .filter(|(name, _)| !name.eq_ignore_ascii_case("Debug Log File"))
            .cloned()
            .collect(),
        with: with.iter().copied().collect(),
    };
    let mut record = JobRecord::<BudgetResult>::open(path, &conditions)?;
    let searched: BTreeSet<&SearchKey> = record.lines.iter().map(|line| &line.key).collect();
    let wanted: Vec<(&SolvedPosition, SearchKey)> = positions
        .iter()
        .flat_map(|solved| budgets.iter().map(|&nodes| (*solved, SearchKey::new(solved, nodes))))
        .collect();
    let missing: Vec<_> = wanted.iter().filter(|(_, key)| !searched.contains(key)).cloned().collect();
    let worker = || {
        let searcher = BudgetSearcher { options: &options, start: &start, with: &conditions.with };
        move |(solved, key): &(&SolvedPosition, SearchKey)| searcher.measure(solved, key.nodes)
    };
    let count = missing.len() as u64;
    if !run_jobs(missing.into_iter(), count, args.threads, &mut record, worker)? {
        return interrupted(out);
    }
    let table = LossTable::of(&wanted, &record.lines).with_context(|| path.display().to_string())?;
    table.write(args.json, out)?;
    Ok(if table.is_worse() { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

/// A range of numbers of empties on the command line, `6-20` or `10`.
fn empties(text: &str) -> Result<RangeInclusive<u8>> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.trim().parse::<u8>().context("expected A-B, for instance 6-20");
    let (least, most) = (number(least)?, number(most)?);
    ensure!(least >= 1 && least <= most, "expected A-B with A at least 1 and at most B");
    Ok(least..=most)
}

/// The numbers of empties to measure on this board.
fn empties_of(args: &RegretArgs, start: &AnyGame) -> Result<RangeInclusive<u8>> {
    let cells = start.plies_left();
    let Some(asked) = &args.empties else { return Ok(*EMPTIES.start()..=(*EMPTIES.end()).min(cells - 1)) };
    ensure!(*asked.end() < cells, "--empties: {} starts with {cells} empties", start.name());
    Ok(asked.clone())
}
