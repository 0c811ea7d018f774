//! `nullwindow bench`: prints the node total of the fixed positions
//! ([`crate::engine::bench_positions`]). Subcommands measure the endgame solver, the board (perft)
//! and MultiPV.

use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use clap::Subcommand;

use crate::engine::bench_positions::{self as bench, EXPECTED_NODES, make_positions};
use crate::game::Game;
use crate::games::reversi::Othello;
use crate::games::reversi::bulk_perft::perft_in_bulk;
use crate::search::core::isa::IsaChoice;
use crate::search::stop::SearchControl;
use crate::setup::{EVAL, SEARCH, Setup, uses};

mod multipv;

#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,

    #[command(flatten)]
    search: SearchBenchArgs,
}

/// Arguments of `bench search` and its alias `bench`.
#[derive(clap::Args, Clone, Copy, Debug)]
#[command(args = uses(&[SEARCH, EVAL]))]
struct SearchBenchArgs {
    /// Compare the node total with the expected one; exit status 1 if they differ
    #[arg(long, conflicts_with = "positions")]
    check: bool,

    /// Generate and print the bench positions without searching them
    #[arg(long)]
    positions: bool,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Search fixed positions of all games to fixed depths (the default)
    Search(SearchBenchArgs),
    /// Solve the built-in Othello problems with 22 empties and verify their scores
    #[command(args = uses(&[&["Algorithm", "Table", "Hash", "Threads"], EVAL]))]
    Endgame,
    /// Run Othello perft to depths 11 and 12 with bulk counting
    #[command(args = uses(&[]))]
    Board,
    /// Compare the nodes of a MultiPV search of all moves with a single-PV search (minutes)
    #[command(args = uses(&[SEARCH, EVAL]))]
    Multipv {
        /// Search only classes with this prefix, such as `othello-endgame`
        #[arg(long, default_value = "", hide_default_value = true)]
        class: String,
    },
}

/// The depths of perft, first and last.
const BOARD_PLIES: std::ops::RangeInclusive<u32> = 11..=12;

/// Counts leaf nodes with the board's kernels.
fn board(out: &mut dyn Write) -> Result<bool> {
    for plies in BOARD_PLIES {
        let started = Instant::now();
        let lines = perft_in_bulk(&Othello::start(), plies, IsaChoice::Auto);
        let seconds = started.elapsed().as_secs_f64().max(1e-9);
        let rate = lines as f64 / seconds / 1e6;
        writeln!(
            out,
            "othello perft({plies}) {lines}, bulk counting: {seconds:.3} s, {rate:.1} M leaves/s"
        )?;
        out.flush()?;
    }
    Ok(true)
}

pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    match &args.what {
        None => search(args.search, setup, out),
        Some(What::Search(args)) => search(*args, setup, out),
        Some(What::Endgame) => crate::commands::solve::bench(setup, out),
        Some(What::Board) => board(out),
        Some(What::Multipv { class }) => multipv::run(class, &setup.options()?, out),
    }
}

/// Searches the fixed positions. The last line is `nodes N nps M`.
fn search(args: SearchBenchArgs, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    if args.positions {
        write!(out, "{}", make_positions())?;
        return Ok(true);
    }
    let mut written = Ok(());
    let total = bench::run(
        &setup.options()?,
        &Arc::<SearchControl>::default(),
        &mut |line| {
            if written.is_ok() {
                written = writeln!(out, "{line}").and_then(|()| out.flush());
            }
        },
    );
    written?;
    let total = total.unwrap_or_default(); // nothing stops it
    writeln!(out, "{total}")?;
    if !args.check {
        return Ok(true);
    }
    let is_same = total.nodes == EXPECTED_NODES;
    if is_same {
        writeln!(out, "the node total is as expected")?;
    } else {
        writeln!(out, "expected nodes {EXPECTED_NODES}")?;
    }
    Ok(is_same)
}
