//! `nullwindow frontier`: how far the solver reaches, from the record of a run of `solve` with a limit: by the number of stones on
//! the board (of empty squares in games of discs) how many positions fell within the limit and in which time; the curve of
//! that; and what it says about the start of the game.
//!
//! A position that was given up counts as slower than all that were solved, so a median stands as long as most were.
//!
//! Score Four, 20 quiet positions for each number of stones (`nullwindow problems --game scorefour --stones N --count 20 --seed 9 --quiet
//! --unsolved`), ten minutes of processor and a table of 4 GiB each (`solve --game scorefour --hash 4096 --limit-seconds 600 --resume RECORD FILE`), one
//! thread of a Zen 3 core on a busy machine:
//!
//! | stones | solved | median s | most s | median nodes |
//! |---|---|---|---|---|
//! | 20 | 18 of 18 (the last two were not finished when the run ended) | 34.9 | 489 | 234 M |
//! | 22 | 20 of 20 | 18.1 | 368 | 114 M |
//! | 24 | 20 of 20 | 3.9 | 62 | 24.7 M |
//! | 26 | 20 of 20 | 1.3 | 23 | 8.8 M |
//! | 28 | 20 of 20 | 0.09 | 8.1 | 0.74 M |
//! | 30 | 20 of 20 | 0.09 | 5.6 | 0.75 M |
//! | 32 | 20 of 20 | 0.005 | 16.5 | 0.04 M |
//!
//! A stone less takes nearly twice the time; the line from 20 to 30 stones comes to a core-year for the empty board, with an error of
//! 2.2 powers of ten to either side, the half from 20 to 26 to an eighth of one (2.6 powers): it says little about that proof yet.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use super::record;
use super::row::Row;
use crate::train::plot::{Axis, Curve, svg};

/// Arguments of `frontier`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The record of a run: solve --limit-seconds SECONDS --resume RECORD FILE
    record: PathBuf,

    /// Draw the curve into this file, as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Print JSON lines: one for each number of stones, then what they say about the start
    #[arg(long)]
    json: bool,
}

/// Medians below this are left out of the fit: there the time is that of getting ready.
const SHORTEST: f64 = 0.05;
/// Fewer points than this are no curve.
const FEWEST: usize = 4;
/// Seconds of a year.
const YEAR: f64 = 365.25 * 86_400.0;

/// What a run came to at one number of stones.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct Count {
    /// Stones on the board, in games without discs.
    #[serde(skip_serializing_if = "Option::is_none")]
    stones: Option<u8>,
    /// Empty squares, in games of discs.
    #[serde(skip_serializing_if = "Option::is_none")]
    empties: Option<u8>,
    positions: usize,
    solved: usize,
    /// The longest time that an unsolved position was given, in seconds of processor.
    limit: Option<f64>,
    /// Seconds of processor; `null` where half of the positions or more were given up.
    median_cpu: Option<f64>,
    /// The longest of those solved.
    most_cpu: Option<f64>,
    median_nodes: Option<u64>,
    wins: usize,
    draws: usize,
    losses: usize,
}

impl Count {
    fn of(rows: &[Row]) -> Count {
        let solved: Vec<&Row> = rows.iter().filter(|row| row.score.is_some()).collect();
        let values = |sign| solved.iter().filter(|row| row.score.map(i32::signum) == Some(sign)).count();
        let median = |mut of: Vec<f64>| {
            of.sort_by(f64::total_cmp);
            // Those given up are slower than all of these.
            let [low, high] = [(rows.len() - 1) / 2, rows.len() / 2];
            of.get(high).map(|high| (of[low] + high) / 2.0)
        };
        Count {
            stones: rows[0].stones,
            empties: rows[0].empties,
            positions: rows.len(),
            solved: solved.len(),
            limit: rows.iter().filter_map(|row| row.limit).max_by(f64::total_cmp),
            median_cpu: median(solved.iter().map(|row| row.cpu).collect()),
            most_cpu: solved.iter().map(|row| row.cpu).max_by(f64::total_cmp),
            median_nodes: median(solved.iter().map(|row| row.nodes as f64).collect()).map(|nodes| nodes as u64),
            wins: values(1),
            draws: values(0),
            losses: values(-1),
        }
    }

    fn left(&self) -> f64 {
        f64::from(self.stones.or(self.empties).unwrap_or_default())
    }
}

/// A straight line through the logarithms (base 10) of median times, and what it says far outside.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
struct Fit {
    /// From and to how many stones, or empties.
    range: [f64; 2],
    /// By how much a stone less, or an empty more, multiplies the time.
    factor: f64,
    /// How many stones, or empties, the start has.
    start: f64,
    /// The logarithm of the seconds there.
    seconds: f64,
    /// How far to either side of that a new median would lie in 95 of 100 cases, if the line went on as it is.
    error: f64,
}

impl Fit {
    /// The line of least squares through (stones, seconds); `None` for too few points.
    fn through(points: &[(f64, f64)], start: f64) -> Option<Fit> {
        let n = points.len() as f64;
        if points.len() < FEWEST {
            return None;
        }
        let points: Vec<(f64, f64)> = points.iter().map(|&(x, seconds)| (x, seconds.log10())).collect();
        let mean = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
        let (x, y) = (mean(&|point| point.0), mean(&|point| point.1));
        let spread = mean(&|point| (point.0 - x).powi(2)) * n;
        let slope = mean(&|point| (point.0 - x) * (point.1 - y)) * n / spread;
        let missed = mean(&|point| (point.1 - y - slope * (point.0 - x)).powi(2)) * n;
        let deviation = (missed / (n - 2.0)).sqrt();
        let error = deviation * (1.0 + 1.0 / n + (start - x).powi(2) / spread).sqrt() * student(points.len() - 2);
        let ends = points.iter().fold([f64::MAX, f64::MIN], |[low, high], point| [low.min(point.0), high.max(point.0)]);
        Some(Fit { range: ends, factor: 10f64.powf(slope.abs()), start, seconds: y + slope * (start - x), error })
    }
}

/// What 95 of 100 values of Student's distribution lie within, by the degrees of freedom.
fn student(freedom: usize) -> f64 {
    const FEW: [f64; 10] = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23];
    FEW.get(freedom.wrapping_sub(1)).copied().unwrap_or(1.96 + 2.5 / freedom.max(1) as f64)
}

/// Reads the record and tells.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<ExitCode> {
    let rows = rows(args)?;
    let mut by_count: BTreeMap<u8, Vec<Row>> = BTreeMap::new();
    for row in rows {
        by_count.entry(row.stones.or(row.empties).unwrap_or_default()).or_default().push(row);
    }
    let discs = by_count.values().flatten().any(|row| row.empties.is_some());
    ensure!(
        !discs || by_count.values().flatten().all(|row| row.empties.is_some()),
        "{}: positions of games with discs and of games without",
        args.record.display()
    );
    let counts: Vec<Count> = by_count.values().map(|rows| Count::of(rows)).collect();
    let medians: Vec<(f64, f64)> = counts.iter().filter_map(|count| Some((count.left(), count.median_cpu?))).collect();
    let long: Vec<(f64, f64)> = medians.iter().copied().filter(|(_, seconds)| *seconds >= SHORTEST).collect();
    // The start of a game of discs is another question for each board.
    let fits: Vec<Fit> = if discs {
        Vec::new()
    } else {
        [&long[..], &long[..long.len().div_ceil(2).max(FEWEST).min(long.len())]]
            .into_iter()
            .filter_map(|points| Fit::through(points, 0.0))
            .collect()
    };
    if args.json {
        for count in &counts {
            writeln!(out, "{}", serde_json::to_string(count)?)?;
        }
        for fit in &fits {
            writeln!(out, "{}", serde_json::to_string(fit)?)?;
        }
    } else {
        write_table(&counts, discs, out)?;
        write_fits(&fits, out)?;
    }
    if let Some(file) = &args.svg {
        ensure!(!medians.is_empty(), "--svg: at no number of stones most positions were solved");
        std::fs::write(file, draw(&counts, &medians, fits.first(), discs))
            .with_context(|| file.display().to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The last row of each task: a position may have been tried again with more time.
fn rows(args: &Args) -> Result<Vec<Row>> {
    let mut last: HashMap<(usize, String), Row> = HashMap::new();
    for (task, row) in record::read(&args.record)? {
        last.insert((row.n, task), row);
    }
    ensure!(!last.is_empty(), "{}: no record of solved positions", args.record.display());
    Ok(last.into_values().collect())
}

fn write_table(counts: &[Count], discs: bool, out: &mut dyn Write) -> Result<()> {
    let left = if discs { "empties" } else { "stones" };
    writeln!(out, "{left:>7}     solved   median s     most s    median nodes   win draw loss")?;
    for count in counts {
        let given_up = || count.limit.map_or("-".into(), |limit| format!("> {limit}"));
        let seconds = |value: Option<f64>| value.map_or_else(given_up, |seconds| format!("{seconds:.3}"));
        let most = if count.solved < count.positions { None } else { count.most_cpu };
        writeln!(
            out,
            "{:7} {:>4} of {:<4} {:>9} {:>10} {:>15}  {:4} {:4} {:4}",
            count.left(),
            count.solved,
            count.positions,
            seconds(count.median_cpu),
            seconds(most),
            count.median_nodes.map_or("-".into(), |nodes| nodes.to_string()),
            count.wins,
            count.draws,
            count.losses,
        )?;
    }
    writeln!(
        out,
        "Seconds are of processor, on one thread; medians are over all positions, those given up as the slowest."
    )?;
    Ok(())
}

fn write_fits(fits: &[Fit], out: &mut dyn Write) -> Result<()> {
    for (number, fit) in fits.iter().enumerate() {
        let Fit { range: [low, high], factor, seconds, error, .. } = *fit;
        let years = seconds - YEAR.log10();
        let begin = if number == 0 { "\nA straight line through" } else { "The earlier half alone," };
        writeln!(
            out,
            "{begin} log time from {low} to {high} stones: a stone less takes {factor:.2} times as long; at 0 stones 10^{years:.1} \
             core-years, 95 % of the line's own error: 10^{:.1} to 10^{:.1}.",
            years - error,
            years + error
        )?;
    }
    if !fits.is_empty() {
        writeln!(
            out,
            "The error is that of points about a line; that the line goes on so far outside is an assumption. For less: openings \
             of a solved game meet again and fold under eight symmetries, the table of a long proof can keep more, and a proof \
             needs one good move where it wins. For more: the start is more level than positions of games with random moves."
        )?;
    }
    Ok(())
}

/// The medians, the slowest of the counts that were solved whole, and the line.
fn draw(counts: &[Count], medians: &[(f64, f64)], fit: Option<&Fit>, discs: bool) -> String {
    let whole = counts.iter().filter(|count| count.solved == count.positions);
    let most: Vec<(f64, f64)> = whole.filter_map(|count| Some((count.left(), count.most_cpu?))).collect();
    let mut curves = vec![Curve { name: "median".into(), points: medians.to_vec(), dashed: false }];
    if !most.is_empty() {
        curves.push(Curve { name: "most, all solved".into(), points: most, dashed: false });
    }
    if let Some(fit) = fit {
        let at = |x: f64| (x, 10f64.powf(fit.seconds - fit.factor.log10() * (x - fit.start)));
        curves.push(Curve { name: "line of the fit".into(), points: fit.range.map(at).to_vec(), dashed: true });
    }
    for curve in &mut curves {
        for point in &mut curve.points {
            point.1 = point.1.max(1e-6); // the axis is logarithmic
        }
    }
    let x = Axis { name: if discs { "empty squares" } else { "stones" }, logarithmic: false };
    let y = Axis { name: "seconds of processor", logarithmic: true };
    svg("Time to solve a position", x, y, &curves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_and_its_error_is_that_of_its_points() {
        // Ten times as long for every two stones less, 1 s at 20: 10^10 s at none.
        let exact: Vec<(f64, f64)> = (10..15).map(|x| (2.0 * f64::from(x), 10f64.powi(10 - x))).collect();
        let fit = Fit::through(&exact, 0.0).unwrap();
        assert!((fit.seconds - 10.0).abs() < 1e-9 && fit.error < 1e-6, "{fit:?}");
        assert!((fit.factor - 10f64.sqrt()).abs() < 1e-9 && fit.range == [20.0, 28.0], "{fit:?}");
        // Worked by hand: residuals of +-0.1 about the same line (1 -2 1 0 0 and so on) leave its slope alone.
        let bent: Vec<(f64, f64)> =
            exact.iter().zip([0.1, -0.2, 0.1, 0.0, 0.0]).map(|(&(x, y), more)| (x, y * 10f64.powf(more))).collect();
        let fit = Fit::through(&bent, 0.0).unwrap();
        let by_hand = {
            // Slope and height of the residuals over x = -4 -2 0 2 4 about 24.
            let slope = (-4.0 * 0.1 + 2.0 * 0.2) / 40.0;
            let missed: f64 = 0.01 + 0.04 + 0.01;
            (slope, (missed / 3.0).sqrt() * (1.0f64 + 0.2 + 24.0 * 24.0 / 40.0).sqrt() * 3.18)
        };
        assert!((fit.seconds - 10.0 + 24.0 * by_hand.0).abs() < 1e-9, "{fit:?}");
        assert!((fit.error - by_hand.1).abs() < 1e-9, "{fit:?} {by_hand:?}");
        assert_eq!(Fit::through(&exact[..3], 0.0), None);
    }
}
