//! `nullwindow reproduce`: recomputes the published results that this project is based on.
//!
//! | document | subject | modules |
//! |---|---|---|
//! | 000 | NegaScout on the diamond board, M. Hiroi | [`nega_scout`], [`few_leaves`], [`solve66`] |
//! | 001 | NegaScout / principal variation search | [`pvs`] |
//! | 002 | MTD(f) on tic-tac-toe | [`mtdf`] |
//! | 003 | the statistical cut in Score Four, J. Kameda and T. Kasai | [`statcut`] |
//! | 004 | minimax and alpha-beta, a drawn tree | [`minimax`] |
//!
//! Each row has the published and the recomputed figure. Exit status 1 if a required figure
//! differs.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Result, bail, ensure};

pub mod few_leaves;
pub mod minimax;
pub mod mtdf;
pub mod nega_scout;
pub mod pvs;
pub mod report;
pub mod solve66;
pub mod statcut;

use crate::commands::check_replaced;
use crate::commands::explain::drawn_tree::DrawnTree;
use crate::game::score::Score;
use crate::game::{Move, printable};
use crate::search::core::policy::Zero;
use crate::search::stats::Counters;
use crate::search::stop::{SearchControl, Stopped};
use crate::search::table::Table;
use crate::search::textbook::TextbookContext;
use crate::setup::uses;
use report::FigureReport;
use statcut::Experiment;

#[derive(clap::Args, Debug)]
#[command(args = uses(&[]))]
pub struct Args {
    /// Part to compute: document 000 (NegaScout on the diamond board), 001 (principal variation
    /// search), 002 (MTD(f) on tic-tac-toe), 004 (minimax and alpha-beta) (default: these four), 003
    /// or statcut (the statistical cut in Score Four), solve66 (6x6 Othello; these two take minutes)
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// Print the rows as JSON: name, published, ours, ok (null if they need not agree); statcut: a
    /// line per seed and setting
    #[arg(long)]
    json: bool,

    /// statcut: first of three seeds [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=u64::from(u32::MAX)))]
    seed: Option<u64>,

    /// statcut: positions per seed; below 50, only the first seed is used [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=10_000))]
    positions: Option<u32>,

    /// statcut: search depth in plies [default: 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=12))]
    depth: Option<u8>,

    /// statcut: write a plot of the cut curves as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// The tree of a text that is part of the program.
fn tree(text: &str) -> DrawnTree {
    let Ok(root) = DrawnTree::parse(text) else {
        unreachable!("a valid tree")
    };
    root
}

/// The result of a textbook search.
struct Found {
    value: i32,
    counters: Counters,
    line: Vec<Move>,
}

/// Runs a textbook search without evaluation; nothing stops it.
fn run_to_end(
    table: Option<&Table>,
    search: impl FnOnce(&mut TextbookContext<'_, Zero>) -> Result<Score, Stopped>,
) -> Found {
    let control = SearchControl::default();
    let mut cx = TextbookContext::new(&Zero, table, &control);
    let Ok(Score(value)) = search(&mut cx) else {
        unreachable!("this search is not stopped")
    };
    Found {
        value,
        counters: cx.counters,
        line: cx.pv.root().to_vec(),
    }
}

/// Reports the rows of one document.
type Part = fn(&mut FigureReport<'_>) -> io::Result<()>;

/// The parts by name, and whether they run by default.
const PARTS: [(&str, Part, bool); 5] = [
    ("000", nega_scout::report, true),
    ("001", pvs::report, true),
    ("002", mtdf::report, true),
    ("004", minimax::report, true),
    ("solve66", solve66::report, false),
];

/// The names of document 003, which has a different output.
const STATCUT: [&str; 2] = ["statcut", "003"];
/// Sets of at least this many positions are searched for three seeds.
const WHOLE_SET: u32 = 50;

pub fn run(args: &Args, out: &mut dyn Write) -> Result<bool> {
    let name = args.name.as_deref();
    if name.is_some_and(|name| STATCUT.contains(&name)) {
        if let Some(file) = &args.svg {
            check_replaced("--svg", file, [])?;
        }
        let positions = args.positions.unwrap_or(100);
        let experiment = Experiment {
            seed: args.seed.unwrap_or(1),
            positions: positions as usize,
            depth: args.depth.unwrap_or(8),
            seeds: if positions < WHOLE_SET { 1 } else { 3 },
        };
        statcut::report(&experiment, args.json, args.svg.as_deref(), out)?;
        return Ok(true);
    }
    for (option, is_given) in [
        ("--seed", args.seed.is_some()),
        ("--positions", args.positions.is_some()),
        ("--depth", args.depth.is_some()),
        ("--svg", args.svg.is_some()),
    ] {
        ensure!(!is_given, "{option} applies to {} only", STATCUT[0]);
    }
    let mut parts = PARTS
        .iter()
        .filter(|(part, _, always)| name.map_or(*always, |name| *part == name))
        .peekable();
    if parts.peek().is_none() {
        bail!(
            "no part \"{}\", expected one of {}, {}",
            printable(name.unwrap_or_default()),
            PARTS.map(|(part, ..)| part).join(", "),
            STATCUT.join(", ")
        );
    }
    let mut report = FigureReport::new(out, args.json);
    parts.try_for_each(|(_, part, _)| part(&mut report))?;
    report.finish()?;
    Ok(report.all_ok())
}
