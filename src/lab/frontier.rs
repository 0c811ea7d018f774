//! `nullwindow frontier`: reads the record of a `solve` run with a time limit and reports, by
//! number of stones (in Reversi: of empties), the share of solved positions and their CPU time. It
//! can plot them and extrapolates the time to the start position.
//!
//! An unsolved position counts as slower than all solved ones, so a median exists if most positions
//! are solved. Results for Score Four: solve/measurements.md#frontier.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use serde::Serialize;

use super::solve::solved_row::{Journal, SolvedRow};
use crate::html::plot::{Axis, Curve, svg};
use crate::lab::{mean, median};
use crate::search::prob_cut::Relation;
use crate::setup::{check_output, uses};
use crate::storage::whole_file::replace_file;

#[derive(clap::Args, Debug)]
#[command(args = uses(&[]))]
pub struct Args {
    /// Record of: nullwindow solve --limit-seconds SECONDS --resume RECORD FILE
    record: PathBuf,

    /// Write a plot of the times as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Print JSON lines: one per number of stones, then the extrapolations
    #[arg(long)]
    json: bool,
}

/// The minimum median of a fitted point, in seconds; smaller ones are dominated by the setup of a
/// search.
const MIN_MEDIAN: f64 = 0.05;
/// The minimum number of points of a fit.
const MIN_POINTS: usize = 4;
/// The number of stones of the start position.
const START: f64 = 0.0;
/// Seconds per year.
const YEAR: f64 = 365.25 * 86_400.0;

/// The statistics of the positions with one number of stones.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct FrontierPoint {
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

impl FrontierPoint {
    fn of(rows: &[SolvedRow]) -> FrontierPoint {
        let solved: Vec<&SolvedRow> = rows.iter().filter(|row| row.score.is_some()).collect();
        let scores = |sign| {
            solved
                .iter()
                .filter(|row| row.score.map(i32::signum) == Some(sign))
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
        FrontierPoint {
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

/// A least-squares line through the logarithms (base 10) of the median times, and its
/// extrapolation.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
struct LogLinearFit {
    /// The smallest and largest number of stones.
    range: [f64; 2],
    /// The time ratio of one stone less.
    factor: f64,
    /// The number of stones of the start position.
    start: f64,
    /// The logarithm of the extrapolated seconds at the start position.
    seconds: f64,
    /// Half the width of its 95 % prediction interval.
    error: f64,
}

impl LogLinearFit {
    /// The least-squares line through points (stones, seconds); `None` for too few points.
    fn through(points: &[(f64, f64)]) -> Option<LogLinearFit> {
        let freedom = points
            .len()
            .checked_sub(2)
            .filter(|_| points.len() >= MIN_POINTS)?;
        let points: Vec<(f64, f64)> = points
            .iter()
            .map(|&(x, seconds)| (x, seconds.log10()))
            .collect();
        let Relation {
            slope,
            offset,
            sigma,
        } = Relation::fit(&points)?;
        let n = points.len() as f64;
        let x = mean(points.iter().map(|point| point.0));
        let spread: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
        let error =
            sigma * (1.0 + 1.0 / n + (START - x).powi(2) / spread).sqrt() * student_95(freedom);
        let range = points
            .iter()
            .fold([f64::MAX, f64::MIN], |[low, high], &(x, _)| {
                [low.min(x), high.max(x)]
            });
        let seconds = slope * START + offset;
        Some(LogLinearFit {
            range,
            factor: 10f64.powf(slope.abs()),
            start: START,
            seconds,
            error,
        })
    }
}

/// The two-sided 95 % quantile of Student's distribution by degrees of freedom.
fn student_95(freedom: usize) -> f64 {
    const TABLE: [f64; 10] = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23];
    TABLE
        .get(freedom.wrapping_sub(1))
        .copied()
        .unwrap_or(1.96 + 2.5 / freedom.max(1) as f64)
}

/// Reads the record and prints the statistics.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<bool> {
    if let Some(file) = &args.svg {
        check_output("--svg", file, [&args.record])?;
    }
    let record = args.record.display();
    let rows = Journal::read(&args.record)?;
    ensure!(!rows.is_empty(), "{record}: the record has no positions");
    let discs = rows[0].empties.is_some();
    ensure!(
        rows.iter().all(|row| row.empties.is_some() == discs),
        "{record}: the record mixes positions of Reversi and of other games"
    );
    let mut by_count: BTreeMap<Option<u8>, Vec<SolvedRow>> = BTreeMap::new();
    rows.into_iter().for_each(|row| {
        by_count
            .entry(row.stones.or(row.empties))
            .or_default()
            .push(row)
    });
    let frontier: Vec<FrontierPoint> = by_count
        .values()
        .map(|rows| FrontierPoint::of(rows))
        .collect();
    let median = |point: &FrontierPoint| Some((point.stones_or_empties(), point.median_cpu?));
    let medians: Vec<(f64, f64)> = frontier.iter().filter_map(median).collect();
    let long: Vec<(f64, f64)> = medians
        .iter()
        .copied()
        .filter(|(_, seconds)| *seconds >= MIN_MEDIAN)
        .collect();
    // No extrapolation in Reversi, whose boards have different start positions.
    let counts = [
        long.len(),
        long.len().div_ceil(2).max(MIN_POINTS).min(long.len()),
    ];
    let fits: Vec<LogLinearFit> = counts
        .iter()
        .filter_map(|&count| LogLinearFit::through(&long[..count]).filter(|_| !discs))
        .collect();
    if args.json {
        let points = frontier.iter().map(serde_json::to_string);
        for line in points.chain(fits.iter().map(serde_json::to_string)) {
            writeln!(out, "{}", line?)?;
        }
    } else {
        write_table(&frontier, discs, out)?;
        write_fits(&fits, out)?;
    }
    if let Some(file) = &args.svg {
        ensure!(
            !medians.is_empty(),
            "--svg: nothing to plot, no median exists"
        );
        replace_file(file, [plot(&frontier, &medians, fits.first(), discs)])?;
    }
    Ok(true)
}

fn write_table(frontier: &[FrontierPoint], discs: bool, out: &mut dyn Write) -> Result<()> {
    let count = if discs { "empties" } else { "stones" };
    writeln!(
        out,
        "{count:>7}     solved   median s      max s    median nodes   win draw loss"
    )?;
    for point in frontier {
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

fn write_fits(fits: &[LogLinearFit], out: &mut dyn Write) -> Result<()> {
    for (number, fit) in fits.iter().enumerate() {
        let LogLinearFit {
            range: [low, high],
            factor,
            seconds,
            error,
            ..
        } = *fit;
        let years = seconds - YEAR.log10();
        let range = if number == 0 {
            "\nLog-linear fit"
        } else {
            "Fit to the lower half"
        };
        writeln!(
            out,
            "{range}, {low} to {high} stones: each stone less multiplies the time by {factor:.2}; empty board: \
             10^{years:.1} core-years, 95 % prediction interval 10^{:.1} to 10^{:.1}.",
            years - error,
            years + error
        )?;
    }
    if !fits.is_empty() {
        writeln!(
            out,
            "The interval assumes a linear model far outside its data. The true time may be shorter: openings \
             transpose, symmetry removes up to seven of eight positions, and a larger table helps a long proof. It \
             may be longer: the start is more balanced than positions after random moves."
        )?;
    }
    Ok(())
}

/// The plot of the medians, the maxima where all positions were solved, and the fit.
fn plot(
    frontier: &[FrontierPoint],
    medians: &[(f64, f64)],
    fit: Option<&LogLinearFit>,
    discs: bool,
) -> String {
    let all_solved = frontier
        .iter()
        .filter(|point| point.solved == point.positions);
    let maxima = all_solved
        .filter_map(|point| Some((point.stones_or_empties(), point.most_cpu?)))
        .collect();
    let line = fit.map(|fit| {
        fit.range.map(|x| {
            (
                x,
                10f64.powf(fit.seconds - fit.factor.log10() * (x - START)),
            )
        })
    });
    let curve = |name: &str, points: Vec<(f64, f64)>, dashed| {
        // The axis is logarithmic.
        Curve {
            name: name.into(),
            points: points.iter().map(|&(x, y)| (x, y.max(1e-6))).collect(),
            dashed,
        }
    };
    let mut curves = vec![
        curve("median", medians.to_vec(), false),
        curve("maximum, all solved", maxima, false),
        curve("log-linear fit", line.into_iter().flatten().collect(), true),
    ];
    curves.retain(|curve| !curve.points.is_empty());
    let x = Axis {
        name: if discs { "empties" } else { "stones" },
        logarithmic: false,
    };
    svg(
        "Time to solve a position",
        x,
        Axis {
            name: "CPU seconds",
            logarithmic: true,
        },
        &curves,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_recovers_a_line_and_its_prediction_interval() {
        // A factor of 10 per two stones less, 1 s at 20 stones: 10^10 s at 0.
        let exact: Vec<(f64, f64)> = (10..15)
            .map(|x| (2.0 * f64::from(x), 10f64.powi(10 - x)))
            .collect();
        let fit = LogLinearFit::through(&exact).unwrap();
        assert!(
            (fit.seconds - 10.0).abs() < 1e-9 && fit.error < 1e-6,
            "{fit:?}"
        );
        assert!(
            (fit.factor - 10f64.sqrt()).abs() < 1e-9 && fit.range == [20.0, 28.0],
            "{fit:?}"
        );
        // Residuals 0.1, -0.2, 0.1, 0, 0 do not change the slope; the rest is computed by hand.
        let noisy: Vec<(f64, f64)> = exact
            .iter()
            .zip([0.1, -0.2, 0.1, 0.0, 0.0])
            .map(|(&(x, y), more)| (x, y * 10f64.powf(more)))
            .collect();
        let fit = LogLinearFit::through(&noisy).unwrap();
        let by_hand = {
            // The slope of the residuals over x = -4 -2 0 2 4 around 24.
            let slope = (-4.0 * 0.1 + 2.0 * 0.2) / 40.0;
            let residuals: f64 = 0.01 + 0.04 + 0.01;
            (
                slope,
                (residuals / 3.0).sqrt() * (1.0f64 + 0.2 + 24.0 * 24.0 / 40.0).sqrt() * 3.18,
            )
        };
        assert!(
            (fit.seconds - 10.0 + 24.0 * by_hand.0).abs() < 1e-9,
            "{fit:?}"
        );
        assert!((fit.error - by_hand.1).abs() < 1e-9, "{fit:?} {by_hand:?}");
        assert_eq!(LogLinearFit::through(&exact[..3]), None);
    }
}
