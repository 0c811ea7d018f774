//! `nullwindow solve --report`: reads the record of a run with a time limit and reports, by number
//! of stones (in Reversi: of empties), the share of solved positions and their CPU time, also as a
//! plot.
//!
//! An unsolved position counts as slower than all solved ones, so a median exists if most positions
//! are solved. Results for Score Four: measurements.md#report.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail, ensure};
use serde::Serialize;

use super::solved_row::{Journal, ScoreBound, SolvedRow};
use crate::commands::{check_replaced, median, write_json_line};
use crate::html::plot::{Axis, Curve, svg};
use crate::storage::whole_file::replace_file;

/// The statistics of the positions with one number of stones.
#[derive(Debug, Serialize)]
struct ReportRow {
    /// Stones on the board, in other games than Reversi.
    #[serde(skip_serializing_if = "Option::is_none")]
    stones: Option<u8>,
    /// Empties, in Reversi.
    #[serde(skip_serializing_if = "Option::is_none")]
    empties: Option<u8>,
    positions: usize,
    solved: usize,
    /// The largest limit of an unsolved position, in seconds of CPU time.
    limit: Option<f64>,
    /// CPU time in seconds; `null` if at least half of the positions are unsolved.
    median_cpu: Option<f64>,
    /// The maximum of the solved positions.
    most_cpu: Option<f64>,
    median_nodes: Option<u64>,
    wins: usize,
    draws: usize,
    losses: usize,
}

impl ReportRow {
    fn of(rows: &[SolvedRow]) -> ReportRow {
        let solved: Vec<&SolvedRow> = rows.iter().filter(|row| row.score.is_some()).collect();
        // A bound decides a win or a loss, or nothing.
        let sign = |row: &&&SolvedRow| {
            let sign = row.score?.signum();
            let known = match row.bound {
                None => [-1, 0, 1].contains(&sign),
                Some(ScoreBound::Lower) => sign > 0,
                Some(ScoreBound::Upper) => sign < 0,
            };
            known.then_some(sign)
        };
        let scores = |wanted| {
            solved
                .iter()
                .filter(|row| sign(row) == Some(wanted))
                .count()
        };
        let sorted = |of: fn(&SolvedRow) -> f64| {
            let mut values: Vec<f64> = solved.iter().map(|row| of(row)).collect();
            values.sort_by(f64::total_cmp);
            values
        };
        // Unsolved positions count as slower than all solved ones.
        let median = |values: &[f64]| median(values, rows.len());
        let cpu = sorted(|row| row.cpu);
        ReportRow {
            stones: rows[0].stones,
            empties: rows[0].empties,
            positions: rows.len(),
            solved: solved.len(),
            limit: rows
                .iter()
                .filter_map(|row| row.limit)
                .max_by(f64::total_cmp),
            median_cpu: median(&cpu),
            most_cpu: cpu.last().copied(),
            median_nodes: median(&sorted(|row| row.nodes as f64)).map(|nodes| nodes as u64),
            wins: scores(1),
            draws: scores(0),
            losses: scores(-1),
        }
    }

    /// The number of stones, or of empties.
    fn stones_or_empties(&self) -> f64 {
        f64::from(self.stones.or(self.empties).unwrap_or_default())
    }
}

/// Reads a record and prints the statistics as a table or as JSON lines.
pub fn run(record: &Path, svg_file: Option<&Path>, json: bool, out: &mut dyn Write) -> Result<()> {
    if let Some(file) = svg_file {
        check_replaced("--svg", file, &Some(record.to_path_buf()))?;
    }
    let mut rows = Journal::read(record)?;
    rows.sort_by_key(|row| row.n);
    let record = record.display();
    ensure!(!rows.is_empty(), "{record}: the record has no positions");
    let discs = rows[0].empties.is_some();
    ensure!(
        rows.iter().all(|row| row.empties.is_some() == discs),
        "{record}: the record mixes positions of Reversi and of other games"
    );
    let mut numbers = BTreeSet::new();
    if let Some(row) = rows
        .iter()
        .find(|row| row.claim.is_none() && !numbers.insert(row.n))
    {
        bail!(
            "{record}: the record has results of several questions or files: position {} has two",
            row.n
        );
    }
    let count = |row: &SolvedRow| row.stones.or(row.empties);
    rows.sort_by_key(count);
    let by_count = rows.chunk_by(|one, next| count(one) == count(next));
    let report: Vec<ReportRow> = by_count.map(ReportRow::of).collect();
    if json {
        for row in &report {
            write_json_line(row, out)?;
        }
    } else {
        write_table(&report, discs, out)?;
    }
    if let Some(file) = svg_file {
        replace_file(file, [plot(&report, discs)?])?;
    }
    Ok(())
}

fn write_table(report: &[ReportRow], discs: bool, out: &mut dyn Write) -> Result<()> {
    let count = if discs { "empties" } else { "stones" };
    writeln!(
        out,
        "{count:>7}     solved   median s      max s    median nodes   win draw loss"
    )?;
    for point in report {
        let above_limit = || point.limit.map_or("-".into(), |limit| format!("> {limit}"));
        let seconds =
            |value: Option<f64>| value.map_or_else(above_limit, |seconds| format!("{seconds:.3}"));
        let max = if point.solved < point.positions {
            None
        } else {
            point.most_cpu
        };
        writeln!(
            out,
            "{:7} {:>4} of {:<4} {:>9} {:>10} {:>15}  {:4} {:4} {:4}",
            point.stones_or_empties(),
            point.solved,
            point.positions,
            seconds(point.median_cpu),
            seconds(max),
            point
                .median_nodes
                .map_or("-".into(), |nodes| nodes.to_string()),
            point.wins,
            point.draws,
            point.losses,
        )?;
    }
    writeln!(
        out,
        "CPU seconds of one thread. Medians are over all positions; unsolved ones count as the slowest."
    )?;
    Ok(())
}

/// The plot of the medians, and of the maxima where all positions were solved.
fn plot(report: &[ReportRow], discs: bool) -> Result<String> {
    let curve = |name: &str, seconds: fn(&ReportRow) -> Option<f64>| {
        // The axis is logarithmic.
        let point = |row: &ReportRow| Some((row.stones_or_empties(), seconds(row)?.max(1e-6)));
        Curve {
            name: name.into(),
            points: report.iter().filter_map(point).collect(),
            dashed: false,
        }
    };
    let mut curves = vec![
        curve("median", |row| row.median_cpu),
        curve("maximum, all solved", |row| {
            row.most_cpu.filter(|_| row.solved == row.positions)
        }),
    ];
    ensure!(
        !curves[0].points.is_empty(),
        "--svg: nothing to plot, no median exists"
    );
    curves.retain(|curve| !curve.points.is_empty());
    let axis = |name, logarithmic| Axis { name, logarithmic };
    let x = axis(if discs { "empties" } else { "stones" }, false);
    let y = axis("CPU seconds", true);
    Ok(svg("Time to solve a position", x, y, &curves))
}
