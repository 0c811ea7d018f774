//! Document 003, "Efficiency of the alpha-beta method by statistics" (J. Kameda and T. Kasai): the statistical cut in
//! Score Four, measured as in the document under several interpretations, and compared with ProbCut.
//!
//! Figure 1 is fail-hard alpha-beta with moves ordered by evaluation. Figure 2 adds the cut: a node is not searched if
//! its predicted value `t + T_{m,k}` misses the window by more than a cut value `C`. The document does not define
//! which nodes enter `T_{m,k}` and `sigma_{m,k}`; [`statistics::Reading`] lists the interpretations. Speed-up is the
//! ratio of the nodes of figures 1 and 2, leaves included. A hit is the same move, or a move of the same value.
//!
//! [`curve`] compares the cut over `C` with a regression, ProbCut and multi-ProbCut, also in the production loop with
//! its table.
//!
//! Results: measurements.md in the parent folder.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use crate::storage::whole_file::replace_file;

pub mod curve;
pub mod cuts;
pub mod games;
pub mod statistics;
pub mod tree;

use cuts::Cuts;
use games::OPENING;
use statistics::{Gathered, Reading, Statistics, gather};
use tree::{Figure, Hook, INFINITE, Means, Plain, RootValue, TreePosition};

/// The parameters of the experiment.
#[derive(Clone, Copy, Debug)]
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
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExperimentRow {
    /// The interpretation of the statistics; `games`: like `exact`, over all positions of plies 4 to 23 of the games.
    pub reading: &'static str,
    /// The cut value in sigmas.
    pub c: f64,
    /// Nodes of figure 1 divided by nodes of figure 2.
    pub ratio: f64,
    /// How often the move has the value of figure 1's, in percent.
    pub hit_value: f64,
    /// How often it is figure 1's, in percent.
    pub hit_move: f64,
    /// The seed of the positions.
    pub seed: u64,
    /// Whether the statistics are those of the `same` positions or of `other` ones.
    pub statistics: &'static str,
}

/// The result of a search with cuts on a set of positions.
#[derive(Clone, Copy, Default, Debug)]
pub struct CutOutcome {
    /// Nodes of figure 1 divided by nodes of this search.
    pub ratio: f64,
    /// See [`ExperimentRow::hit_value`].
    pub hit_value: f64,
    /// See [`ExperimentRow::hit_move`].
    pub hit_move: f64,
}

/// Positions with figure 1's answers.
pub struct Judged<'r> {
    /// The positions.
    pub roots: &'r [TreePosition],
    /// Plies searched.
    pub depth: u8,
    /// Figure 1's answers.
    pub answers: &'r [RootValue],
    /// Its nodes.
    pub nodes: u64,
    /// `M_m`.
    pub means: &'r Means,
}

impl Judged<'_> {
    /// The result of a search from its moves and node count.
    pub fn outcome(&self, cells: &[u32], nodes: u64) -> CutOutcome {
        let (mut same, mut equal) = (0, 0);
        for ((root, answer), &cell) in self.roots.iter().zip(self.answers).zip(cells) {
            if cell == answer.cell {
                same += 1;
                continue;
            }
            let child = root.play(cell);
            let value = Figure::new(Plain, self.means).value(&child, 1, self.depth - 1, -INFINITE, INFINITE);
            equal += usize::from(-value == answer.value);
        }
        let percent = |hits: usize| 100.0 * hits as f64 / self.roots.len().max(1) as f64;
        let ratio = self.nodes as f64 / nodes.max(1) as f64;
        CutOutcome { ratio, hit_value: percent(same + equal), hit_move: percent(same) }
    }

    /// Searches all positions with a hook that may depend on the number of stones of the root.
    pub fn search<H: Hook>(&self, hook: impl Fn(usize) -> H) -> CutOutcome {
        let mut nodes = 0;
        let choose = |root: &TreePosition| {
            let mut figure = Figure::new(hook(root.ply()), self.means);
            let answer = figure.choose(root, self.depth);
            nodes += figure.nodes;
            answer.cell
        };
        let cells: Vec<u32> = self.roots.iter().map(choose).collect();
        self.outcome(&cells, nodes)
    }

    fn cut(&self, statistics: &Statistics, c: f64) -> CutOutcome {
        self.search(|m| Cuts::of_statistics(statistics, m, c))
    }
}

/// The cut values of the document.
const DOCUMENT: [f64; 2] = [2.0, 1.0];
/// Just above the second, to show how steep the curve is there.
const NEAR: f64 = 1.05;
/// The distance to seeds of other games.
pub const OTHER: u64 = 1_000;
/// The last ply of the reading `games`.
const LAST_PLY: usize = 23;

/// The positions of a seed with their games and `M_m`.
pub struct Set {
    /// The positions after four random plies.
    pub roots: Vec<TreePosition>,
    games: Vec<Vec<TreePosition>>,
    means: Means,
}

impl Set {
    /// The set of a seed.
    pub fn new(seed: u64, positions: usize) -> Set {
        let roots = games::openings(seed, positions);
        let games = games::games(&roots);
        let means = games::means(&games);
        Set { roots, games, means }
    }

    fn judged<'r>(&'r self, roots: &'r [TreePosition], depth: u8, gathered: &'r Gathered) -> Judged<'r> {
        Judged { roots, depth, answers: &gathered.answers, nodes: gathered.nodes, means: &self.means }
    }
}

/// Measures the document's cut for every reading and calls `each` with each row.
pub fn measure(experiment: &Experiment, each: &mut dyn FnMut(ExperimentRow) -> io::Result<()>) -> io::Result<()> {
    let Experiment { seed: first, positions, depth, seeds } = *experiment;
    for seed in first..first + seeds {
        let row = |reading, c, outcome: CutOutcome, statistics| {
            let CutOutcome { ratio, hit_value, hit_move } = outcome;
            ExperimentRow { reading, c, ratio, hit_value, hit_move, seed, statistics }
        };
        let set = Set::new(seed, positions);
        let gathered = gather(&set.roots, depth, &set.means, seed, true);
        let judged = set.judged(&set.roots, depth, &gathered);
        let other = Set::new(seed + OTHER, positions);
        let elsewhere = gather(&other.roots, depth, &set.means, seed + OTHER, true);
        for (index, reading) in Reading::ALL.into_iter().enumerate() {
            for c in DOCUMENT {
                for (from, name) in [(&gathered, "same"), (&elsewhere, "other")] {
                    each(row(reading.name(), c, judged.cut(&from.readings[index], c), name))?;
                }
            }
        }
        each(row(Reading::Exact.name(), NEAR, judged.cut(&gathered.readings[EXACT], NEAR), "same"))?;
        let plies = OPENING..=LAST_PLY;
        let searched = |position: &&TreePosition| plies.contains(&position.ply()) && position.playable() != 0;
        let roots: Vec<TreePosition> = set.games.iter().flatten().filter(searched).copied().collect();
        let gathered = gather(&roots, depth, &set.means, seed, false);
        let judged = set.judged(&roots, depth, &gathered);
        for c in DOCUMENT {
            each(row("games", c, judged.cut(&gathered.readings[EXACT], c), "same"))?;
        }
    }
    Ok(())
}

/// The index of [`Reading::Exact`] in [`Reading::ALL`].
const EXACT: usize = 3;

/// The document's speed-up and hit rate by cut value.
const PUBLISHED: [(f64, &str); 2] = [(2.0, "3.0x, 99 %"), (1.0, "40x, 81 %")];

/// Prints the results as text or the rows as JSON lines, and writes the curves as SVG to `svg`.
pub fn report(experiment: &Experiment, json: bool, svg: Option<&Path>, out: &mut dyn Write) -> anyhow::Result<()> {
    let Experiment { seed, positions, depth, seeds } = *experiment;
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
            writeln!(out, "{}", serde_json::to_string(&row)?)?;
            out.flush()?;
        }
        rows.push(row);
        Ok(())
    })?;
    if !json {
        write_summary(&rows, out)?;
        write_steepness(&rows, out)?;
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

/// Prints a line per reading, cut value and source of the statistics: mean and range over the seeds.
fn write_summary(rows: &[ExperimentRow], out: &mut dyn Write) -> io::Result<()> {
    let mut done: Vec<(&str, f64, &str)> = Vec::new();
    for row in rows {
        let kind = (row.reading, row.c, row.statistics);
        if done.contains(&kind) {
            continue;
        }
        done.push(kind);
        let alike: Vec<&ExperimentRow> =
            rows.iter().filter(|row| (row.reading, row.c, row.statistics) == kind).collect();
        let of = |value: fn(&ExperimentRow) -> f64| {
            let values = || alike.iter().map(|row| value(row));
            let mean = values().sum::<f64>() / alike.len() as f64;
            (mean, values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max))
        };
        let (ratio, hits, moves) = (of(|row| row.ratio), of(|row| row.hit_value), of(|row| row.hit_move));
        let published = PUBLISHED.iter().find(|(c, _)| *c == row.c).map_or("", |(_, text)| text);
        writeln!(
            out,
            "{:8}{:>4} {:10}  {:10.2}  {:>12}  {:13.1}  {:>13}  {:11.1}  {published}",
            row.reading,
            row.c,
            row.statistics,
            ratio.0,
            format!("({:.2}-{:.2})", ratio.1, ratio.2),
            hits.0,
            format!("({:.1}-{:.1})", hits.1, hits.2),
            moves.0,
        )?;
    }
    out.flush()
}

/// The effect of a slightly larger sigma at the document's second cut value.
fn write_steepness(rows: &[ExperimentRow], out: &mut dyn Write) -> io::Result<()> {
    let [at, near] = [DOCUMENT[1], NEAR].map(|c| {
        let alike = || rows.iter().filter(move |row| row.reading == "exact" && row.statistics == "same" && row.c == c);
        let mean = |value: fn(&ExperimentRow) -> f64| alike().map(value).sum::<f64>() / alike().count().max(1) as f64;
        (mean(|row| row.ratio), mean(|row| row.hit_value))
    });
    writeln!(
        out,
        "The curve is steep at one sigma: with sigmas 5 % wider ({NEAR}), reading `exact` has a speed-up of {:.1} at \
         {:.1} % instead of {:.1} at {:.1} %. Sets of 100 positions differ by as much, so compare the published \
         figures with the curve, not with its point at one sigma.",
        near.0, near.1, at.0, at.1
    )
}
