//! The report of an estimate, as text or JSON.

use std::io::{self, Write};

use serde::{Serialize, Serializer};

use super::leaf_search::{LeafProof, LeafResult};
use super::record::{ClaimLine, EstimateLine, EstimateRows, SearchedLeaf};
use super::statistics::{ClaimSample, Estimates, Interval, LeafSample, Quantity, estimate, weigh};
use crate::commands::write_json;

/// The lower ends of the strata of the margin in discs, except the first.
const STRATA: [f64; 4] = [0.0, 16.0, 32.0, 48.0];

/// The stratum of a margin.
pub fn stratum(margin: f64) -> usize {
    STRATA.iter().filter(|&&least| margin >= least).count()
}

/// The name of a stratum.
fn stratum_name(stratum: usize) -> String {
    match (
        stratum.checked_sub(1).map(|below| STRATA[below]),
        STRATA.get(stratum),
    ) {
        (None, _) => format!("below {:+}", STRATA[0]),
        (Some(least), Some(most)) => format!("{least:+} to {most:+}"),
        (Some(least), None) => format!("{least:+} and more"),
    }
}

/// The leaves of a stratum.
#[derive(Debug, Serialize)]
struct StratumRow {
    /// The heuristic score for the claimant minus the bound, in discs.
    margin: String,
    /// The share of all distinct leaves.
    share: f64,
    /// Leaves searched, each once.
    searched: usize,
    /// Those that reached the limit of their last search.
    censored: usize,
    /// Those at which the claim fails.
    failed: usize,
    /// Mean nodes of a distinct leaf, at least.
    nodes: f64,
    /// The share of the nodes of all leaves.
    node_share: f64,
}

/// The totals of the sampled trees and leaves.
#[derive(Debug, Default, Serialize)]
struct Sampled {
    /// Claims in the file.
    population: usize,
    claims: usize,
    /// Claims with a searched leaf.
    claims_searched: usize,
    leaves: usize,
    /// Of the leaves, by their last search.
    holds: usize,
    elsewhere: usize,
    refuted: usize,
    unknown: usize,
    /// Searched leaves whose trees were counted.
    shared: usize,
    /// Nodes and CPU seconds of the last searches.
    nodes: u64,
    cpu: f64,
    /// Searches that chose moves; their nodes and CPU seconds.
    choices: u64,
    choice_nodes: u64,
    choice_cpu: f64,
}

/// A leaf at which a claim fails.
#[derive(Debug, Serialize)]
struct FailedLeaf {
    #[serde(flatten)]
    key: ClaimLine,
    position: String,
    result: LeafResult,
    #[serde(skip_serializing_if = "Option::is_none")]
    backed_up: Option<u8>,
}

/// The counts of the last searches of the leaves.
#[derive(Default)]
struct Counts {
    sampled: Sampled,
    /// Of each stratum: searched, censored, failed leaves.
    strata: [[usize; 3]; STRATA.len() + 1],
    failed: Vec<FailedLeaf>,
}

impl Counts {
    fn add(&mut self, stratum: usize, search: &SearchedLeaf) {
        let (proof, sampled) = (&search.proof, &mut self.sampled);
        sampled.leaves += 1;
        sampled.nodes += proof.nodes;
        sampled.cpu += proof.cpu;
        *match proof.result {
            LeafResult::Holds => &mut sampled.holds,
            LeafResult::Elsewhere => &mut sampled.elsewhere,
            LeafResult::Refuted => &mut sampled.refuted,
            LeafResult::Unknown => &mut sampled.unknown,
        } += 1;
        // A leaf below no move of the claimant has no other moves to search.
        let has_failed = proof.backed_up.is_some() || proof.result == LeafResult::Refuted;
        let [searched, censored, failed] = &mut self.strata[stratum];
        *searched += 1;
        *censored += usize::from(proof.is_censored());
        *failed += usize::from(has_failed);
        if has_failed {
            self.failed.push(FailedLeaf {
                key: search.key,
                position: search.position.clone(),
                result: proof.result,
                backed_up: proof.backed_up,
            });
        }
    }
}

/// The rows of the strata with searched leaves.
fn strata(claims: &[ClaimSample], counts: &[[usize; 3]]) -> Vec<StratumRow> {
    let weighed = weigh(&claims.iter().collect::<Vec<_>>());
    let sum = |stratum: Option<usize>, of: &dyn Fn(&LeafProof) -> f64| -> f64 {
        let wanted = weighed
            .iter()
            .filter(|open| stratum.is_none_or(|stratum| open.leaf.stratum == stratum));
        wanted.map(|leaf| leaf.weight * of(&leaf.search)).sum()
    };
    let rows = counts.iter().enumerate();
    let rows = rows.filter(|(_, [searched, ..])| *searched > 0);
    let row = |(stratum, &[searched, censored, failed]): (usize, &[usize; 3])| {
        let weight = sum(Some(stratum), &|_| 1.0);
        let nodes = sum(Some(stratum), &|search| search.nodes as f64);
        StratumRow {
            margin: stratum_name(stratum),
            share: weight / sum(None, &|_| 1.0),
            searched,
            censored,
            failed,
            nodes: nodes / weight,
            node_share: nodes / sum(None, &|search| search.nodes as f64),
        }
    };
    rows.map(row).collect()
}

/// The report.
#[derive(Debug, Serialize)]
pub struct Report {
    sampled: Sampled,
    #[serde(serialize_with = "by_key")]
    estimates: Estimates<Interval>,
    strata: Vec<StratumRow>,
    failed: Vec<FailedLeaf>,
}

/// Serializes the estimates by their names.
fn by_key<S: Serializer>(estimates: &Estimates<Interval>, json: S) -> Result<S::Ok, S::Error> {
    json.collect_map(
        estimates
            .iter()
            .map(|(quantity, interval)| (quantity.key, interval)),
    )
}

impl Report {
    /// The report of the sampled claims among `population` claims; `None` if no leaf has been
    /// searched.
    pub fn of(
        keys: &[ClaimLine],
        population: usize,
        seed: u64,
        lines: &[EstimateLine],
    ) -> Option<Report> {
        let EstimateRows {
            trees,
            searches,
            shared,
        } = EstimateRows::of(lines);
        let mut counts = Counts::default();
        let mut claims = Vec::new();
        for key in keys {
            let Some(tree) = trees.get(key) else { continue };
            let leaves = (0..).zip(&tree.leaves);
            let leaves = leaves.filter_map(|(number, leaf)| {
                let searches = searches.get(&(*key, number))?;
                let (_, last) = searches.last_key_value()?;
                let stratum = stratum(leaf.margin);
                counts.add(stratum, last);
                let trees = shared.get(&(*key, number)).copied();
                counts.sampled.shared += usize::from(trees.is_some());
                Some(LeafSample {
                    times: leaf.times.into(),
                    stratum,
                    searches: searches
                        .iter()
                        .map(|(limit, leaf)| (*limit, leaf.proof))
                        .collect(),
                    trees,
                })
            });
            claims.push(ClaimSample {
                sequences: tree.sequences,
                distinct: tree.distinct,
                leaves: leaves.collect(),
            });
            let sampled = &mut counts.sampled;
            sampled.claims += 1;
            sampled.choices += tree.choices;
            sampled.choice_nodes += tree.nodes;
            sampled.choice_cpu += tree.cpu;
        }
        let has_leaves = |claim: &&ClaimSample| !claim.leaves.is_empty();
        let sampled = Sampled {
            population,
            claims_searched: claims.iter().filter(has_leaves).count(),
            ..counts.sampled
        };
        (sampled.leaves > 0).then(|| Report {
            sampled,
            estimates: estimate(&claims, population, seed),
            strata: strata(&claims, &counts.strata),
            failed: counts.failed,
        })
    }

    /// Whether a claim of the file was refuted.
    pub fn is_refuted(&self) -> bool {
        self.sampled.refuted > 0
    }

    /// Writes the report as text or JSON.
    pub fn write(&self, json: bool, out: &mut dyn Write) -> io::Result<()> {
        if json {
            return write_json(self, out);
        }
        let Report {
            sampled, estimates, ..
        } = self;
        writeln!(
            out,
            "{} of {} claims sampled, {} leaves of {} claims searched: {} hold, {} hold after another move, \
             {} unknown, {} refuted",
            sampled.claims,
            sampled.population,
            sampled.leaves,
            sampled.claims_searched,
            sampled.holds,
            sampled.elsewhere,
            sampled.unknown,
            sampled.refuted
        )?;
        writeln!(
            out,
            "last searches: {} nodes in {:.1} CPU s; choice of moves: {} searches, {} nodes in {:.1} CPU s",
            sampled.nodes, sampled.cpu, sampled.choices, sampled.choice_nodes, sampled.choice_cpu
        )?;
        writeln!(out)?;
        let number = |value: Option<f64>, digits: usize| match value {
            None => "infinite".into(),
            Some(value) if value >= 1e7 => format!("{value:.3e}"),
            Some(value) => format!("{value:.digits$}"),
        };
        let is_counted = |(quantity, _): &&(Quantity, Interval)| {
            sampled.shared > 0 || !quantity.key.ends_with("_once")
        };
        for (Quantity { name, digits, .. }, interval) in estimates.iter().filter(is_counted) {
            writeln!(
                out,
                "{name:32} {:>12}  95 % interval {} to {}",
                number(interval.value, *digits),
                number(interval.low, *digits),
                number(interval.high, *digits)
            )?;
        }
        self.write_leaves(out)
    }

    /// The strata, and the leaves at which a claim fails.
    fn write_leaves(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out)?;
        writeln!(
            out,
            "margin           share  searched  censored  failed    nodes per leaf  share of nodes"
        )?;
        for row in &self.strata {
            writeln!(
                out,
                "{:14} {:6.1} % {:9} {:9} {:7} {:17.0} {:13.1} %",
                row.margin,
                100.0 * row.share,
                row.searched,
                row.censored,
                row.failed,
                row.nodes,
                100.0 * row.node_share
            )?;
        }
        for leaf in &self.failed {
            let FailedLeaf {
                key,
                position,
                result,
                backed_up,
            } = leaf;
            let what = match result {
                LeafResult::Elsewhere => "holds after another move",
                LeafResult::Refuted => "claim refuted",
                _ => "other moves unknown",
            };
            let at = backed_up.map_or(String::new(), |empties| format!(" at {empties} empties"));
            writeln!(
                out,
                "line {} {}: fails at {position}: {what}{at}",
                key.n, key.claim
            )?;
        }
        Ok(())
    }
}
