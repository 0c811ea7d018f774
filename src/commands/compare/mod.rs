//! `nullwindow compare`: searches one position by every algorithm, with and without transposition
//! table and iterative deepening, and prints values and node counts; or searches many positions and
//! prints a summary ([`positions`]).

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, ensure};
use serde::Serialize;

use crate::commands::{depth, report_check, search_name, write_json};
use crate::engine::options::Options;
use crate::game::score::{Bound, Score};
use crate::games::any::AnyGame;
use crate::games::dispatch;
use crate::platform::cpu_time::{NOTE, thread_time};
use crate::search::stats::Counters;
use crate::search::table::Table;
use crate::search::trace::Trace;
use crate::search::{Algorithm, Certainty, Limits, Observer, Progress, Settings};
use crate::setup::{EVAL, GAME, Setup, positive, uses};

pub mod move_ordering;
pub mod positions;
mod tree_shape;

use tree_shape::TreeShape;

/// The definition of the counts.
const LEGEND: &str = "node: an entry into a search function, or in a kernel a position with at least one empty square
leaf: a call of the evaluation, or a finished game
not counted: searches that only reconstruct the principal variation, except those of auto
ratio: nodes divided by the nodes of plain alphabeta";

#[derive(clap::Args, Debug)]
#[command(args = uses(&[GAME, &["Hash", "Threads", "Selectivity"], EVAL]))]
pub struct Args {
    /// Search this position: a position or moves from the start (default: the start)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    position: Option<String>,

    /// Search all positions in FILE, positions or games in any format, and print a summary
    #[arg(long, value_name = "FILE", conflicts_with = "position")]
    positions: Option<PathBuf>,

    /// Search depth in plies
    #[arg(long, value_name = "N", value_parser = depth())]
    depth: u8,

    /// Stop each search after N nodes
    #[arg(long, value_name = "N", default_value_t = 100_000_000, value_parser = positive::<u64>)]
    limit: u64,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The result of one algorithm with its settings.
#[derive(Clone, Debug, Serialize)]
struct CompareRow {
    /// The algorithm's name.
    algorithm: &'static str,
    /// Whether it used a transposition table.
    table: bool,
    /// Whether it deepened iteratively.
    deepening: bool,
    /// The value for the side to move; `null` if the search reached the node limit.
    value: Option<i32>,
    /// The best move.
    best_move: Option<String>,
    /// Whether the value is exact.
    exact: bool,
    #[serde(flatten)]
    counters: Counters,
    /// Wall time in seconds.
    seconds: f64,
    /// CPU time in seconds, if the system reports it.
    cpu: Option<f64>,
    /// Nodes relative to plain alpha-beta, if both finished.
    ratio: Option<f64>,
    /// The values of the iterations.
    #[serde(skip)]
    values: Vec<i32>,
    /// The shape of the tree, if recorded.
    #[serde(skip)]
    shape: TreeShape,
}

/// A comparison as JSON.
#[derive(Serialize)]
struct Comparison {
    game: &'static str,
    position: String,
    depth: u8,
    rows: Vec<CompareRow>,
}

/// The settings to compare, based on `chosen`. The first, plain alpha-beta, is the baseline.
fn settings(chosen: &Settings) -> Vec<Settings> {
    let with = |algorithm, table, deepening| Settings {
        algorithm,
        table,
        deepening,
        ..chosen.clone()
    };
    let textbook = [
        Algorithm::AlphaBeta,
        Algorithm::FailSoft,
        Algorithm::NegaScout,
        Algorithm::Mtdf,
    ];
    let parts = [(false, false), (true, false), (true, true)];
    let mut all: Vec<Settings> = textbook
        .iter()
        .flat_map(|&algorithm| parts.map(|(table, deepening)| with(algorithm, table, deepening)))
        .collect();
    all.insert(1, with(Algorithm::Minimax, false, false));
    all.push(with(Algorithm::Auto, true, true));
    all
}

/// Searches a position by every algorithm. Algorithm, table and deepening of the options are
/// overridden.
fn compare(board: &AnyGame, args: &Args, options: &Options) -> impl Iterator<Item = CompareRow> {
    let mut table = Table::new(options.hash as usize);
    // The nodes of the first search; if it is not finished, no row has a ratio.
    let mut baseline = None;
    settings(&options.settings)
        .into_iter()
        .map(move |settings| {
            table.clear();
            let mut row = search(board, args, &settings, &table);
            let nodes = row.value.map(|_| row.counters.nodes as f64);
            let baseline = *baseline.get_or_insert(nodes);
            row.ratio = nodes
                .zip(baseline)
                .map(|(nodes, plain)| nodes / plain.max(1.0));
            row
        })
}

fn search(board: &AnyGame, args: &Args, settings: &Settings, table: &Table) -> CompareRow {
    let mut limits = Limits::to_depth(args.depth);
    limits.stops.nodes = Some(args.limit);
    let value = |score: Score| score.seen_from(board.stones()).0;
    let mut values = Vec::new();
    let mut report = |progress: &Progress| {
        if progress.bound == Bound::Exact {
            values.push(value(progress.score));
        }
    };
    let mut shape = TreeShape::default();
    // The textbook algorithms rebuild the variation by further searches, which are not counted.
    let is_textbook = settings.algorithm != Algorithm::Auto;
    let trace = (args.positions.is_some() || is_textbook).then_some(&mut shape as &mut dyn Trace);
    let mut observer = Observer {
        report: Some(&mut report),
        trace,
        ..Observer::default()
    };
    let (started, before) = (Instant::now(), thread_time());
    let answer = dispatch::think(board.position(), settings, table, &limits, &mut observer);
    let cpu = NOTE
        .is_none()
        .then(|| (thread_time() - before).as_secs_f64());
    let best = (!answer.stopped).then(|| answer.best.first()).flatten();
    CompareRow {
        algorithm: settings.algorithm.name(),
        table: settings.table && settings.algorithm.uses_table(),
        deepening: settings.deepening || settings.algorithm == Algorithm::Auto,
        value: best.map(|best| value(best.score)),
        best_move: best.map(|best| board.write_move(best.m)),
        exact: best.is_some() && answer.certainty == Certainty::Exact,
        counters: if is_textbook && !answer.stopped {
            shape.counters
        } else {
            answer.counters
        },
        seconds: started.elapsed().as_secs_f64(),
        cpu,
        ratio: None,
        values,
        shape,
    }
}

impl CompareRow {
    /// The algorithm and its optional parts, such as `mtdf +table`.
    fn name(&self) -> String {
        search_name(self.algorithm, self.table, self.deepening)
    }
}

/// Whether the values of all finished rows are equal. `auto` counts only if all values are exact.
fn all_agree(rows: &[CompareRow]) -> bool {
    let named = |row: &&CompareRow| row.algorithm != Algorithm::Auto.name() && row.value.is_some();
    let Some(first) = rows.iter().find(named) else {
        return true;
    };
    rows.iter()
        .filter(|row| named(row) || (row.exact && first.exact))
        .all(|row| row.value == first.value)
}

const HEADING: &str = "                               value  move        nodes       leaves  null-win re-search    \
                       tt hits    ratio  seconds";

fn write_row(out: &mut dyn Write, row: &CompareRow) -> Result<()> {
    let name = row.name();
    let value = row.value.map_or("limit".into(), |value| value.to_string());
    let m = row.best_move.as_deref().unwrap_or("-");
    let Counters {
        nodes,
        leaves,
        null_windows,
        re_searches,
        table_hits,
    } = row.counters;
    let ratio = row.ratio.map_or("-".into(), |ratio| format!("{ratio:.3}"));
    write!(
        out,
        "{name:<28}{value:>8}{m:>6}{nodes:>13}{leaves:>13}{null_windows:>10}{re_searches:>10}"
    )?;
    writeln!(out, "{table_hits:>11}{ratio:>9}{:>9.3}", row.seconds)?;
    Ok(out.flush()?) // the next row can take seconds
}

/// Runs the comparison. Exit status 1 if values differ.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let (options, depth) = (setup.options()?, args.depth);
    let agree = if let Some(file) = &args.positions {
        positions::run(file, args, setup, &options, out)?
    } else {
        let board = setup.board(args.position.as_deref())?;
        ensure!(
            board.final_score().is_none(),
            "the game is over in this position: choose another --position"
        );
        let (game, position) = (board.name(), board.write_position());
        if !args.json {
            writeln!(out, "{game} {position}, depth {depth}\n{HEADING}")?;
        }
        let mut rows = Vec::new();
        for row in compare(&board, args, &options) {
            if !args.json {
                write_row(out, &row)?;
            }
            rows.push(row);
        }
        let agree = all_agree(&rows);
        if args.json {
            let comparison = Comparison {
                game,
                position,
                depth,
                rows,
            };
            write_json(&comparison, out)?;
        } else {
            writeln!(out, "{LEGEND}")?;
        }
        agree
    };
    report_check(agree, "the algorithms return different values")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::by_name;

    fn rows(game: &str, depth: u8, limit: u64) -> Vec<CompareRow> {
        rows_with(
            &Options {
                hash: 1,
                ..Options::default()
            },
            game,
            depth,
            limit,
        )
    }

    fn rows_with(options: &Options, game: &str, depth: u8, limit: u64) -> Vec<CompareRow> {
        let args = Args {
            position: None,
            positions: None,
            depth,
            limit,
            json: false,
        };
        compare(&by_name(game).unwrap(), &args, options).collect()
    }

    #[test]
    fn all_rows_agree_and_counts_are_consistent() {
        for (game, depth) in [
            ("othello", 4),
            ("tictactoe", 9),
            ("scorefour", 3),
            ("othello4", 6),
        ] {
            let rows = rows(game, depth, u64::MAX - 2_000);
            assert!(all_agree(&rows), "{game}: {rows:#?}");
            let [plain, minimax] = [&rows[0], &rows[1]];
            assert_eq!(
                (plain.algorithm, minimax.algorithm, plain.ratio),
                ("alphabeta", "minimax", Some(1.0))
            );
            assert!(
                minimax.ratio.unwrap() > 1.0
                    && rows
                        .iter()
                        .all(|row| row.counters.leaves < row.counters.nodes)
            );
            assert!(
                rows.iter()
                    .filter(|row| row.algorithm == "mtdf")
                    .all(|row| row.counters.null_windows >= 2)
            );
        }
    }

    #[test]
    fn the_selectivity_of_the_options_is_that_of_auto() {
        let nodes = |level: &str| {
            let mut options = Options {
                hash: 1,
                ..Options::default()
            };
            options.set("Selectivity", Some(level)).unwrap();
            rows_with(&options, "othello", 8, 20_000)
                .last()
                .map(|row| (row.algorithm, row.counters.nodes))
                .unwrap()
        };
        let (full_width, bold) = (nodes("100"), nodes("50"));
        assert!(
            full_width.0 == "auto" && bold.1 != full_width.1,
            "{bold:?} {full_width:?}"
        );
    }

    #[test]
    fn a_row_above_the_node_limit_is_given_up() {
        let rows = rows("othello", 5, 1_000);
        assert_eq!(
            (rows[1].algorithm, rows[1].value, rows[1].ratio),
            ("minimax", None, None)
        );
        assert!(rows[1].counters.nodes <= 2_000 && all_agree(&rows));
        let mut wrong = rows;
        wrong.push(CompareRow {
            value: Some(12_345),
            ..wrong[0].clone()
        });
        assert!(
            wrong[0].value.is_none() || !all_agree(&wrong),
            "a wrong value is detected"
        );
    }
}
