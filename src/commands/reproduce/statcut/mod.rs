//! Document 003, "Efficiency of the alpha-beta method by statistics" (J. Kameda and T. Kasai): the
//! statistical cut in Score Four, measured as in the document under several interpretations, and
//! compared with ProbCut.
//!
//! Figure 1 is fail-hard alpha-beta with moves ordered by evaluation. Figure 2 adds the cut: a node
//! is not searched if its predicted value `t + T_{m,k}` misses the window by more than a cut value
//! `C`. The document does not define which nodes enter `T_{m,k}` and `sigma_{m,k}`;
//! [`statistics::INTERPRETATIONS`] lists them. Speed-up is the ratio of the nodes of
//! figures 1 and 2, leaves included. A hit is the same move, or a move of the same value.
//!
//! [`curve`] compares the cut over `C` with a regression, ProbCut and multi-ProbCut, also in the
//! production loop with its table.
//!
//! Results: measurements.md in the parent folder.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use crate::commands::{mean, write_json_line};
use crate::storage::whole_file::replace_file;

pub mod curve;
pub mod cuts;
pub mod games;
pub mod line_counts;
pub mod statistics;
pub mod tree;

use cuts::Cuts;
use games::{OPENING, openings};
use statistics::{BaselineSearches, CutOutcome, EXACT, INTERPRETATIONS, Statistics};
use tree::TreePosition;

/// The parameters of the experiment.
#[derive(Debug)]
pub struct Experiment {
    /// The first seed.
    pub seed: u64,
    /// Positions of a seed.
    pub positions: usize,
    /// Plies searched.
    pub depth: u8,
    /// The number of consecutive seeds.
    pub seeds: u64,
}

/// A figure of the experiment.
#[derive(Debug, Serialize)]
pub struct ExperimentRow {
    /// The interpretation of the statistics; `games`: like `exact`, over all positions of plies 4
    /// to 23 of the games.
    #[serde(rename = "reading")]
    pub interpretation: &'static str,
    /// The cut value in sigmas.
    pub c: f64,
    /// The speed-up and hit rates of figure 2.
    #[serde(flatten)]
    pub outcome: CutOutcome,
    /// The seed of the positions.
    pub seed: u64,
    /// Whether the statistics are those of the `same` positions or of `other` ones.
    pub statistics: &'static str,
}

/// The cut values of the document.
const DOCUMENT: [f64; 2] = [2.0, 1.0];
/// Just above the second, to show how steep the curve is there.
const NEAR: f64 = 1.05;
/// The distance to seeds of other games.
pub const OTHER: u64 = 1_000;
/// The last ply of the interpretation `games`.
const LAST_PLY: usize = 23;

/// Measures the document's cut for every interpretation and calls `each` with each row.
pub fn measure(
    experiment: &Experiment,
    each: &mut dyn FnMut(ExperimentRow) -> io::Result<()>,
) -> io::Result<()> {
    let Experiment {
        seed: first,
        positions,
        depth,
        seeds,
    } = *experiment;
    for seed in first..first + seeds {
        let mut row =
            |baseline: &BaselineSearches, interpretation, c, from: &Statistics, statistics| {
                let outcome = baseline.search(|m| Cuts::of_statistics(from, m, c));
                each(ExperimentRow {
                    interpretation,
                    c,
                    outcome,
                    seed,
                    statistics,
                })
            };
        let roots = openings(seed, positions);
        let games = games::games(&roots);
        let means = games::means(&games);
        let baseline = BaselineSearches::new(roots, depth, means, seed, true);
        let elsewhere = BaselineSearches::new(
            openings(seed + OTHER, positions),
            depth,
            means,
            seed + OTHER,
            true,
        );
        for (index, (interpretation, _)) in INTERPRETATIONS.into_iter().enumerate() {
            for c in DOCUMENT {
                for (from, statistics) in [(&baseline, "same"), (&elsewhere, "other")] {
                    let from = &from.interpretations[index];
                    row(&baseline, interpretation, c, from, statistics)?;
                }
            }
        }
        row(
            &baseline,
            INTERPRETATIONS[EXACT].0,
            NEAR,
            &baseline.interpretations[EXACT],
            "same",
        )?;
        let plies = OPENING..=LAST_PLY;
        let searched =
            |position: &TreePosition| plies.contains(&position.ply()) && position.playable() != 0;
        let roots = games.into_iter().flatten().filter(searched).collect();
        let baseline = BaselineSearches::new(roots, depth, means, seed, false);
        for c in DOCUMENT {
            row(
                &baseline,
                "games",
                c,
                &baseline.interpretations[EXACT],
                "same",
            )?;
        }
    }
    Ok(())
}

/// The document's speed-up and hit rate by cut value.
const PUBLISHED: [(f64, &str); 2] = [(2.0, "3.0x, 99 %"), (1.0, "40x, 81 %")];

/// Prints the results as text or the rows as JSON lines, and writes the curves as SVG to `svg`.
pub fn report(
    experiment: &Experiment,
    json: bool,
    svg: Option<&Path>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let Experiment {
        seed,
        positions,
        depth,
        seeds,
    } = *experiment;
    if !json {
        writeln!(
            out,
            "\n003  The statistical cut: {positions} positions after {OPENING} random plies, {depth} plies, \
             seeds {seed} to {}\n\
             reading    c statistics    speed-up     (min-max)  equal value %      (min-max)  same move %  published",
            seed + seeds - 1
        )?;
    }
    let mut rows: Vec<ExperimentRow> = Vec::new();
    measure(experiment, &mut |row| {
        if json {
            write_json_line(&row, out)?;
            out.flush()?;
        }
        rows.push(row);
        Ok(())
    })?;
    if !json {
        write_summary(&rows, out)?;
    }
    if json && svg.is_none() {
        return Ok(());
    }
    let points = curve::measure(seed, positions, depth);
    if !json {
        curve::write_table(&points, out)?;
    }
    if let Some(file) = svg {
        replace_file(file, [curve::draw(&points)])?;
    }
    Ok(())
}

/// The mean, minimum and maximum of a number over the rows of all seeds that are like `row`.
fn over_seeds(
    rows: &[ExperimentRow],
    row: &ExperimentRow,
    value: fn(&CutOutcome) -> f64,
) -> [f64; 3] {
    let kind = |row: &ExperimentRow| (row.interpretation, row.c, row.statistics);
    let values = || {
        rows.iter()
            .filter(|other| kind(other) == kind(row))
            .map(|row| value(&row.outcome))
    };
    [
        mean(values()),
        values().fold(f64::MAX, f64::min),
        values().fold(f64::MIN, f64::max),
    ]
}

/// Prints a line per interpretation, cut value and source of the statistics: mean and range over the
/// seeds. Then the effect of a slightly larger sigma at the document's second cut value.
fn write_summary(rows: &[ExperimentRow], out: &mut dyn Write) -> io::Result<()> {
    let of_first_seed = || rows.iter().filter(|row| row.seed == rows[0].seed);
    let ratio = |row| over_seeds(rows, row, |outcome| outcome.ratio);
    let hits = |row| over_seeds(rows, row, |outcome| outcome.hit_value);
    for row in of_first_seed() {
        let ([ratio, least, most], [hits, least_hits, most_hits]) = (ratio(row), hits(row));
        let [moves, ..] = over_seeds(rows, row, |outcome| outcome.hit_move);
        let published = PUBLISHED
            .iter()
            .find(|(c, _)| *c == row.c)
            .map_or("", |(_, text)| text);
        writeln!(
            out,
            "{:8}{:>4} {:10}  {ratio:10.2}  {:>12}  {hits:13.1}  {:>13}  {moves:11.1}  {published}",
            row.interpretation,
            row.c,
            row.statistics,
            format!("({least:.2}-{most:.2})"),
            format!("({least_hits:.1}-{most_hits:.1})"),
        )?;
    }
    out.flush()?;
    let exact = |c| {
        of_first_seed()
            .find(|row| (row.interpretation, row.c, row.statistics) == ("exact", c, "same"))
    };
    let (Some(at), Some(near)) = (exact(DOCUMENT[1]), exact(NEAR)) else {
        return Ok(());
    };
    writeln!(
        out,
        "The curve is steep at one sigma: with sigmas 5 % wider ({NEAR}), `exact` has a speed-up of {:.1} at \
         {:.1} % instead of {:.1} at {:.1} %. Sets of 100 positions differ by as much, so compare the published \
         figures with the curve, not with its point at one sigma.",
        ratio(near)[0],
        hits(near)[0],
        ratio(at)[0],
        hits(at)[0]
    )
}
