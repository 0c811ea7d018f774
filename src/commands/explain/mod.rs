//! `nullwindow explain`: draws the tree of a search with windows, values, bounds, cut-offs and re-searches.
//!
//! `search` runs the search and [`record`] records it, [`text`] draws the record on a terminal.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, bail};

use crate::engine::setup::Setup;
use crate::game::{Game, Move};
use crate::games::any::AnyGame;
use crate::games::dispatch::{AnyEvaluator, visit};
use crate::games::drawn_tree::DrawnTree;
use crate::search::Algorithm;
use crate::search::generic_policy::GenericPolicy;
use crate::search::isa::Portable;
use crate::search::policy::Zero;
use crate::search::stats::Counters;
use crate::search::table::Table;
use crate::search::textbook::Textbook;

pub mod record;
mod search;
pub mod text;

use search::{Recorded, Recording};
use text::{Drawing, Full, full_tree};

/// Arguments of `explain`.
#[derive(clap::Args, Debug)]
pub struct ExplainArgs {
    /// The algorithm: minimax, alphabeta, failsoft, negascout, mtdf or auto
    #[arg(long, value_name = "A", default_value = "alphabeta", value_parser = algorithm)]
    algorithm: Algorithm,

    /// The position to search, in any notation of the game or as moves from its start (default: its start)
    #[arg(long, value_name = "TEXT", conflicts_with = "tree")]
    position: Option<String>,

    /// Search a drawn tree instead of a game: a file with numbers in nested brackets, as in ((15 22 -5) (18 -12))
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "depth"])]
    tree: Option<PathBuf>,

    /// Plies to search; a drawn tree is searched to its leaves
    #[arg(long, value_name = "N", required_unless_present = "tree")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=64))]
    depth: Option<u8>,

    /// Use a transposition table (auto always does)
    #[arg(long)]
    table: bool,

    /// Give up when the search has visited so many nodes: each is a line
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    limit: u64,

    /// Draw the tree as text (the only form so far)
    #[arg(long)]
    text: bool,
}

fn algorithm(name: &str) -> Result<Algorithm> {
    let names = || Algorithm::ALL.map(Algorithm::name).join(", ");
    Algorithm::by_name(name).ok_or_else(|| anyhow!("no such algorithm, expected one of {}", names()))
}

/// Draws the search that the arguments describe.
pub fn run(args: &ExplainArgs, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let explain = Explain { algorithm: args.algorithm, table: args.table, limit: args.limit };
    let Some(file) = &args.tree else {
        let board = setup.board(args.position.as_deref())?;
        explain.board(&*board, args.depth.context("--depth is missing")?, out)?;
        return Ok(ExitCode::SUCCESS);
    };
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let root = DrawnTree::parse(&text).with_context(|| file.display().to_string())?;
    explain.tree(root, out)?;
    Ok(ExitCode::SUCCESS)
}

/// How to search.
struct Explain {
    algorithm: Algorithm,
    table: bool,
    limit: u64,
}

/// Bytes of the table; searches that are drawn are small.
const TABLE_BYTES: usize = 4 << 20;
/// Minimax's nodes are counted up to this many.
const COUNT_LIMIT: u64 = 1_000_000;

impl Explain {
    /// Draws a search of the position on a board.
    fn board(&self, board: &dyn AnyGame, depth: u8, out: &mut dyn Write) -> Result<()> {
        let position = board.position();
        let search = |recording: Recording<'_>| match Textbook::try_from(self.algorithm) {
            Ok(textbook) => recording.textbook(textbook, position, &AnyEvaluator::default()),
            Err(_) => visit(position, recording),
        };
        self.draw(position, depth, search, &|m| board.write_move(m), out)
    }

    /// Draws a search of a drawn tree to its leaves; its moves are numbers.
    fn tree(&self, root: DrawnTree, out: &mut dyn Write) -> Result<()> {
        let depth = root.plies_left();
        let search = |recording: Recording<'_>| match Textbook::try_from(self.algorithm) {
            Ok(textbook) => recording.textbook(textbook, root, &Zero),
            Err(_) => recording.production(root, &GenericPolicy::new(Zero, Portable::token())),
        };
        self.draw(root, depth, search, &|m| (m.square() + 1).to_string(), out)
    }

    /// Runs the search and draws its record.
    fn draw<G: Game>(
        &self,
        position: G,
        depth: u8,
        search: impl FnOnce(Recording<'_>) -> Recorded,
        write_move: &dyn Fn(Move) -> String,
        out: &mut dyn Write,
    ) -> Result<()> {
        if let Some(score) = position.final_score() {
            writeln!(out, "the game is over: {score} for the side to move")?;
            return Ok(());
        }
        let table = (self.table || self.algorithm == Algorithm::Auto).then(|| Table::with_bytes(TABLE_BYTES));
        let recording = Recording { depth, table: table.as_ref(), limit: self.limit };
        let Ok((record, counters)) = search(recording) else {
            bail!("more than {} nodes: choose a smaller depth, or a larger --limit", self.limit);
        };
        let name = self.algorithm.name();
        writeln!(out, "{name}, depth {depth}: windows and values are the root player's (max)\n")?;
        Drawing { position, record: &record, write_move, count_limit: COUNT_LIMIT }.write(out)?;
        self.sum(&counters, full_tree(&position, depth, COUNT_LIMIT), out)?;
        Ok(())
    }

    /// The last lines: the node counts of the search and of minimax.
    fn sum(&self, counters: &Counters, full: Option<Full>, out: &mut dyn Write) -> io::Result<()> {
        let Counters { nodes, leaves, null_windows, re_searches, table_hits } = *counters;
        writeln!(out, "\n{}: {leaves} leaves, {nodes} nodes", self.algorithm.name())?;
        if null_windows > 0 {
            writeln!(out, "null windows: {null_windows}, re-searched: {re_searches}")?;
        }
        if table_hits > 0 {
            writeln!(out, "table hits: {table_hits}")?;
        }
        match full {
            _ if self.algorithm == Algorithm::Minimax => Ok(()),
            Some(full) => writeln!(out, "minimax: {} leaves, {} nodes", full.leaves, full.nodes),
            None => writeln!(out, "minimax: more than {COUNT_LIMIT} nodes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::reproduce::minimax::TREE;
    use expect_test::{Expect, expect};

    fn drawn(algorithm: Algorithm, table: bool, expected: Expect) {
        let root = DrawnTree::parse(TREE).unwrap();
        let mut out = Vec::new();
        Explain { algorithm, table, limit: 1_000 }.tree(root, &mut out).unwrap();
        expected.assert_eq(&String::from_utf8(out).unwrap());
    }

    #[test]
    fn alpha_beta_on_the_drawn_tree() {
        drawn(
            Algorithm::AlphaBeta,
            false,
            expect![[r#"
            alphabeta, depth 3: windows and values are the root player's (max)

            max (-inf, +inf) = 18
            ├─ 1  min (-inf, +inf) = 18
            │  ├─ 1  max (-inf, +inf) = 22
            │  │  ├─ 1  = 15  finished
            │  │  ├─ 2  = 22  finished
            │  │  └─ 3  = -5  finished
            │  ├─ 2  max (-inf, 22) >= 22  cut
            │  │  ├─ 1  = 14  finished
            │  │  ├─ 2  = 25  finished
            │  │  ├─ 3  not searched, 1 leaf saved
            │  │  └─ 4  not searched, 1 leaf saved
            │  └─ 3  max (-inf, 22) = 18
            │     ├─ 1  = 18  finished
            │     └─ 2  = -12  finished
            └─ 2  min (18, +inf) <= 18  cut
               ├─ 1  max (18, +inf) <= 18
               │  ├─ 1  = 8  finished
               │  └─ 2  = 16  finished
               └─ 2  not searched, 3 leaves saved, 4 nodes

            alphabeta: 9 leaves, 16 nodes
            minimax: 14 leaves, 22 nodes
        "#]],
        );
    }

    #[test]
    fn nega_scout_searches_again() {
        drawn(
            Algorithm::NegaScout,
            false,
            expect![[r#"
            negascout, depth 3: windows and values are the root player's (max)

            max (-inf, +inf) = 18
            ├─ 1  min (-inf, +inf) = 18
            │  ├─ 1  max (-inf, +inf) = 22
            │  │  ├─ 1  = 15  finished
            │  │  ├─ 2  = 22  finished
            │  │  ├─ 2  = 22  finished  re-searched
            │  │  └─ 3  = -5  finished
            │  ├─ 2  max (21, 22) >= 25  cut
            │  │  ├─ 1  = 14  finished
            │  │  ├─ 2  = 25  finished
            │  │  ├─ 3  not searched, 1 leaf saved
            │  │  └─ 4  not searched, 1 leaf saved
            │  ├─ 3  max (21, 22) <= 18
            │  │  ├─ 1  = 18  finished
            │  │  └─ 2  = -12  finished
            │  └─ 3  max (-inf, 19) = 18  re-searched
            │     ├─ 1  = 18  finished
            │     └─ 2  = -12  finished
            └─ 2  min (18, 19) <= 16  cut
               ├─ 1  max (18, 19) <= 16
               │  ├─ 1  = 8  finished
               │  └─ 2  = 16  finished
               └─ 2  not searched, 3 leaves saved, 4 nodes

            negascout: 12 leaves, 20 nodes
            null windows: 6, re-searched: 2
            minimax: 14 leaves, 22 nodes
        "#]],
        );
    }

    #[test]
    fn mtdf_closes_in_with_null_windows() {
        drawn(
            Algorithm::Mtdf,
            true,
            expect![[r#"
            mtdf, depth 3: windows and values are the root player's (max)

            max (-1, 0) >= 14  cut
            ├─ 1  min (-1, 0) >= 14
            │  ├─ 1  max (-1, 0) >= 15  cut
            │  │  ├─ 1  = 15  finished
            │  │  ├─ 2  not searched, 1 leaf saved
            │  │  └─ 3  not searched, 1 leaf saved
            │  ├─ 2  max (-1, 0) >= 14  cut
            │  │  ├─ 1  = 14  finished
            │  │  ├─ 2  not searched, 1 leaf saved
            │  │  ├─ 3  not searched, 1 leaf saved
            │  │  └─ 4  not searched, 1 leaf saved
            │  └─ 3  max (-1, 0) >= 18  cut
            │     ├─ 1  = 18  finished
            │     └─ 2  not searched, 1 leaf saved
            └─ 2  not searched, 5 leaves saved, 8 nodes

            max (14, 15) >= 15  cut
            ├─ 1  min (14, 15) >= 15
            │  ├─ 1  max (14, 15) >= 15  table
            │  ├─ 2  max (14, 15) >= 25  cut
            │  │  ├─ 1  = 14  finished
            │  │  ├─ 2  = 25  finished
            │  │  ├─ 3  not searched, 1 leaf saved
            │  │  └─ 4  not searched, 1 leaf saved
            │  └─ 3  max (14, 15) >= 18  table
            └─ 2  not searched, 5 leaves saved, 8 nodes

            max (15, 16) >= 18  cut
            ├─ 1  min (15, 16) >= 18
            │  ├─ 1  max (15, 16) >= 22  cut
            │  │  ├─ 1  = 15  finished
            │  │  ├─ 2  = 22  finished
            │  │  └─ 3  not searched, 1 leaf saved
            │  ├─ 2  max (15, 16) >= 25  table
            │  └─ 3  max (15, 16) >= 18  table
            └─ 2  not searched, 5 leaves saved, 8 nodes

            max (18, 19) <= 18
            ├─ 1  min (18, 19) <= 18  cut
            │  ├─ 1  max (18, 19) >= 22  table
            │  ├─ 2  max (18, 19) >= 25  table
            │  └─ 3  max (18, 19) <= 18
            │     ├─ 1  = 18  finished
            │     └─ 2  = -12  finished
            └─ 2  min (18, 19) <= 16  cut
               ├─ 1  max (18, 19) <= 16
               │  ├─ 1  = 8  finished
               │  └─ 2  = 16  finished
               └─ 2  not searched, 3 leaves saved, 4 nodes

            mtdf: 11 leaves, 33 nodes
            null windows: 4, re-searched: 0
            table hits: 6
            minimax: 14 leaves, 22 nodes
        "#]],
        );
    }

    #[test]
    fn a_game_is_drawn_with_its_moves_and_too_large_a_tree_is_refused() {
        let board = crate::games::any::by_name("othello6").unwrap(); // no learnt weights, which may change
        let text = |algorithm, depth, limit| {
            let mut out = Vec::new();
            let explain = Explain { algorithm, table: false, limit };
            explain.board(&*board, depth, &mut out).map(|()| String::from_utf8(out).unwrap())
        };
        let error = text(Algorithm::Minimax, 6, 1_000).unwrap_err().to_string();
        assert_eq!(error, "more than 1000 nodes: choose a smaller depth, or a larger --limit");
        expect![[r#"
            failsoft, depth 2: windows and values are the root player's (max)

            max (-inf, +inf) = -40
            ├─ c2  min (-inf, +inf) = -40
            │  ├─ b2  = -40  static
            │  ├─ d2  = 180  static
            │  └─ b4  = 370  static
            ├─ b3  min (-40, +inf) <= -40  cut
            │  ├─ b2  = -40  static
            │  ├─ d2  not searched, 1 leaf saved
            │  └─ b4  not searched, 1 leaf saved
            ├─ e4  min (-40, +inf) <= -40  cut
            │  ├─ e3  = 180  static
            │  ├─ c5  = 370  static
            │  └─ e5  = -40  static
            └─ d5  min (-40, +inf) <= -40  cut
               ├─ e3  = 370  static
               ├─ c5  = 180  static
               └─ e5  = -40  static

            failsoft: 10 leaves, 15 nodes
            minimax: 12 leaves, 17 nodes
        "#]]
        .assert_eq(&text(Algorithm::FailSoft, 2, 1_000).unwrap());
        assert!(text(Algorithm::Auto, 4, 1_000).unwrap().contains("auto, depth 4"));
    }
}
