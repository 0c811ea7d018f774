//! `nullwindow compare`: every algorithm, with and without table and deepening, on one position: values side by side, and
//! what each had to look at.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, bail};
use serde::Serialize;

use crate::engine::setup::Setup;
use crate::games::any::AnyGame;
use crate::games::registry::think;
use crate::search::context::Watch;
use crate::search::isa::IsaChoice;
use crate::search::table::Table;
use crate::search::{Algorithm, Certainty, Limits, Observer, Settings};

/// What the counts mean.
const LEGEND: &str =
    "A node is one entry into a search function: root, leaf, pass, finished position, and each re-search again;
in kernels every position with an empty square that is played or scored. A leaf is a call of the evaluation
or the score of a finished game. Ratio: nodes over those of plain alphabeta.";

/// Arguments of `compare`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The position to search, in any spelling that the game knows (default: its start)
    #[arg(long, value_name = "TEXT")]
    position: Option<String>,

    /// Plies to search
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    depth: u8,

    /// Give a row up when it has visited so many nodes
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    limit: u64,

    /// The rows as JSON
    #[arg(long)]
    json: bool,
}

/// One algorithm with its settings and what it did.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Row {
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// Whether it had a transposition table.
    pub table: bool,
    /// Whether it deepened iteratively.
    pub deepening: bool,
    /// The value for the side to move; `null` if the row was given up.
    pub value: Option<i32>,
    /// The best move.
    pub best_move: Option<String>,
    /// Whether the value is that of the game, not of an evaluation.
    pub exact: bool,
    /// Nodes visited.
    pub nodes: u64,
    /// Leaf evaluations.
    pub leaves: u64,
    /// Null-window searches begun at the root or below a wider window.
    pub null_windows: u64,
    /// Those that had to be searched again.
    pub re_searches: u64,
    /// Nodes that a table entry ended.
    pub table_hits: u64,
    /// Wall time in seconds.
    pub seconds: f64,
    /// Processor time in seconds, where the system tells it.
    pub cpu: Option<f64>,
    /// Nodes over those of plain alpha-beta, if both finished.
    pub ratio: Option<f64>,
}

/// A comparison as JSON.
#[derive(Serialize)]
struct Comparison<'a> {
    game: &'static str,
    position: String,
    depth: u8,
    rows: &'a [Row],
}

/// The settings that are compared, plain alpha-beta first of those that others are measured by.
fn settings() -> Vec<Settings> {
    let plain = |algorithm| Settings { algorithm, table: false, deepening: false, ..Settings::default() };
    let mut all = vec![plain(Algorithm::AlphaBeta), plain(Algorithm::Minimax)];
    for algorithm in [Algorithm::AlphaBeta, Algorithm::FailSoft, Algorithm::NegaScout, Algorithm::Mtdf] {
        if algorithm != Algorithm::AlphaBeta {
            all.push(plain(algorithm));
        }
        all.push(Settings { table: true, ..plain(algorithm) });
        all.push(Settings { table: true, deepening: true, ..plain(algorithm) });
    }
    all.push(Settings::default());
    all
}

/// Searches a position by every algorithm and tells each row as it is found.
pub fn compare(
    board: &dyn AnyGame,
    depth: u8,
    limit: u64,
    hash: usize,
    kernel: IsaChoice,
    row: &mut dyn FnMut(&Row) -> Result<()>,
) -> Result<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    let mut table = Table::new(hash);
    for settings in settings() {
        table.clear();
        let mut found = search(board, depth, limit, &settings, kernel, &table);
        let plain = rows.first().unwrap_or(&found);
        let finished = plain.value.is_some() && found.value.is_some();
        found.ratio = finished.then(|| found.nodes as f64 / plain.nodes as f64);
        row(&found)?;
        rows.push(found);
    }
    Ok(rows)
}

fn search(board: &dyn AnyGame, depth: u8, limit: u64, settings: &Settings, kernel: IsaChoice, table: &Table) -> Row {
    let limits = Limits { nodes: Some(limit), ..Limits::to_depth(depth) };
    let mut observer = Observer { watch: Arc::new(Watch::default()), report: &mut |_| {} };
    let (started, cpu) = (Instant::now(), cpu_seconds());
    let answer = think(board.position(), settings, kernel, table, &limits, &mut observer);
    let spent = cpu_seconds().zip(cpu).map(|(now, then)| now - then);
    let counters = answer.counters;
    let best = (!answer.stopped).then(|| answer.best.first()).flatten();
    Row {
        algorithm: settings.algorithm.name(),
        table: settings.table && settings.algorithm != Algorithm::Minimax,
        deepening: settings.deepening || settings.algorithm == Algorithm::Auto,
        value: best.map(|best| best.score.0),
        best_move: best.map(|best| board.write_move(best.m)),
        exact: best.is_some() && answer.certainty == Certainty::Exact,
        nodes: counters.nodes,
        leaves: counters.leaves,
        null_windows: counters.null_windows,
        re_searches: counters.re_searches,
        table_hits: counters.table_hits,
        seconds: started.elapsed().as_secs_f64(),
        cpu: spent,
        ratio: None,
    }
}

/// Processor time of this thread, where Linux tells it (in steps of a few milliseconds).
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds as f64 / 1e9)
}

/// Whether all finished rows agree: the named algorithms always, `auto` where both it and they are exact.
pub fn agree(rows: &[Row]) -> bool {
    let named = |row: &&Row| row.algorithm != Algorithm::Auto.name() && row.value.is_some();
    let Some(first) = rows.iter().find(named) else { return true };
    rows.iter().filter(|row| named(row) || (row.exact && first.exact)).all(|row| row.value == first.value)
}

fn write_row(out: &mut dyn Write, row: &Row) -> Result<()> {
    let mut name = String::from(row.algorithm);
    name.push_str(if row.table { " +table" } else { "" });
    name.push_str(if row.deepening { " +deepening" } else { "" });
    let value = row.value.map_or("gave up".into(), |value| value.to_string());
    let ratio = row.ratio.map_or("-".into(), |ratio| format!("{ratio:.3}"));
    writeln!(
        out,
        "{name:<28}{value:>8}{:>6}{:>13}{:>13}{:>10}{:>9}{:>11}{ratio:>9}{:>9.3}",
        row.best_move.as_deref().unwrap_or("-"),
        row.nodes,
        row.leaves,
        row.null_windows,
        row.re_searches,
        row.table_hits,
        row.seconds,
    )?;
    out.flush()?; // a row may take seconds: show it at once
    Ok(())
}

/// Compares on the position that the arguments name. Exit status 1 if two values differ that must not.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let options = setup.options()?;
    let board = setup.board(args.position.as_deref())?;
    if board.final_score().is_some() {
        bail!("the game is over in this position");
    }
    if !args.json {
        writeln!(out, "{} {}, depth {}", board.name(), board.write_position(), args.depth)?;
        let heads = ["value", "move", "nodes", "leaves", "null win.", "again", "hits", "ratio", "seconds"];
        let [value, m, nodes, leaves, null_windows, again, hits, ratio, seconds] = heads;
        let counts = format!("{nodes:>13}{leaves:>13}{null_windows:>10}{again:>9}{hits:>11}");
        writeln!(out, "{:<28}{value:>8}{m:>6}{counts}{ratio:>9}{seconds:>9}", "")?;
    }
    let mut show = |row: &Row| if args.json { Ok(()) } else { write_row(out, row) };
    let rows = compare(&*board, args.depth, args.limit, options.hash as usize, options.kernel, &mut show)?;
    if args.json {
        let comparison =
            Comparison { game: board.name(), position: board.write_position(), depth: args.depth, rows: &rows };
        serde_json::to_writer_pretty(&mut *out, &comparison)?;
        writeln!(out)?;
    } else {
        writeln!(out, "{LEGEND}")?;
    }
    if agree(&rows) {
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(std::io::stderr(), "error: values differ that must be equal")?;
    Ok(ExitCode::FAILURE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::by_name;

    fn rows(game: &str, depth: u8, limit: u64) -> Vec<Row> {
        compare(&*by_name(game).unwrap(), depth, limit, 1, IsaChoice::Auto, &mut |_| Ok(())).unwrap()
    }

    #[test]
    fn all_rows_agree_and_the_counts_make_sense() {
        for (game, depth) in [("othello", 4), ("tictactoe", 9), ("scorefour", 3), ("othello4", 6)] {
            let rows = rows(game, depth, u64::MAX - 2_000);
            assert!(agree(&rows), "{game}: {rows:#?}");
            let [plain, minimax] = [&rows[0], &rows[1]];
            assert_eq!((plain.algorithm, minimax.algorithm, plain.ratio), ("alphabeta", "minimax", Some(1.0)));
            assert!(minimax.ratio.unwrap() > 1.0 && rows.iter().all(|row| row.leaves < row.nodes));
            assert!(rows.iter().filter(|row| row.algorithm == "mtdf").all(|row| row.null_windows >= 2));
        }
    }

    #[test]
    fn a_row_that_takes_too_long_is_given_up() {
        let rows = rows("othello", 5, 1_000);
        assert_eq!((rows[1].algorithm, rows[1].value, rows[1].ratio), ("minimax", None, None));
        assert!(rows[1].nodes <= 2_000 && agree(&rows));
        let mut wrong = rows;
        wrong.push(Row { value: Some(12_345), ..wrong[0].clone() });
        assert!(wrong[0].value.is_none() || !agree(&wrong), "a wrong value is seen");
    }
}
