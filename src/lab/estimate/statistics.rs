//! The estimates from a sample of claims, each with a sample of the leaves of its proof tree, and
//! their confidence intervals.
//!
//! - A leaf counts for the number of distinct leaves of its claim, divided by the claim's number of
//!   searched leaves.
//! - Leaves that reached the node limit may be searched again with a larger one. If only some are,
//!   these represent all of them, separately in each stratum of the evaluation.
//! - A leaf that several trees share counts for its inverse number of trees in the totals of a proof
//!   of all claims.
//! - Leaves that reached the last limit are censored: their nodes are a lower bound. The costs
//!   above the limit are extrapolated by a Pareto distribution, whose index is the maximum
//!   likelihood estimate for censored samples (B. Hill, 1975) from the most expensive fifth.
//! - Intervals are percentiles of a bootstrap that draws whole claims, since the leaves of a claim
//!   are not independent.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::leaf_search::LeafProof;
use crate::game::rng::Rng;

/// The share of leaves from which the index of the Pareto distribution is estimated.
const TAIL_SHARE: f64 = 0.2;
/// The number of bootstrap samples.
const REPLICATES: usize = 2_000;
/// The ends of the 95 % interval among the sorted bootstrap samples.
const INTERVAL: [f64; 2] = [0.025, 0.975];
const SECONDS_PER_YEAR: f64 = 365.25 * 86_400.0;

/// A sampled leaf.
#[derive(Debug)]
pub struct LeafSample {
    /// The number of times that the leaf was drawn.
    pub times: f64,
    /// The stratum of its evaluation.
    pub stratum: usize,
    /// Its searches by node limit.
    pub searches: BTreeMap<u64, LeafProof>,
    /// The number of trees that share it, if they were counted.
    pub trees: Option<u32>,
}

/// A sampled claim.
#[derive(Debug)]
pub struct ClaimSample {
    /// The estimated number of leaves of the proof tree.
    pub sequences: f64,
    /// The estimated number of distinct leaves.
    pub distinct: f64,
    /// The leaves that were searched.
    pub leaves: Vec<LeafSample>,
}

/// A value with its 95 % interval; `None` is infinite.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Interval {
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// What is estimated.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    /// Its name in JSON.
    pub key: &'static str,
    /// Its name in the text, and the decimal places.
    pub name: &'static str,
    pub digits: usize,
}

/// The estimates of all quantities.
pub type Estimates<V> = [(Quantity, V); 13];

/// A leaf with the number of distinct leaves that it represents, and the search that has their cost.
#[derive(Debug)]
pub struct WeightedLeaf<'s> {
    pub leaf: &'s LeafSample,
    pub weight: f64,
    pub search: LeafProof,
}

/// The leaves with their weights. A leaf that other leaves of its stratum represent is left out.
pub fn weigh<'s>(claims: &[&'s ClaimSample]) -> Vec<WeightedLeaf<'s>> {
    let mut leaves = Vec::new();
    let mut limits = BTreeSet::new();
    for claim in claims {
        let drawn: f64 = claim.leaves.iter().map(|leaf| leaf.times).sum();
        for leaf in &claim.leaves {
            let Some((_, &search)) = leaf.searches.first_key_value() else {
                continue;
            };
            leaves.push(WeightedLeaf {
                leaf,
                weight: claim.distinct * leaf.times / drawn,
                search,
            });
            limits.extend(leaf.searches.keys());
        }
    }
    for limit in limits {
        // The weights of the open leaves of each stratum: of all, and of those searched again.
        let mut sums: BTreeMap<usize, [f64; 2]> = BTreeMap::new();
        let is_open = |open: &WeightedLeaf| {
            open.weight > 0.0
                && open.search.is_censored()
                && open.leaf.searches.keys().next() < Some(&limit)
        };
        for open in leaves.iter().filter(|open| is_open(open)) {
            let [all, again] = sums.entry(open.leaf.stratum).or_default();
            *all += open.weight;
            *again += open.leaf.searches.get(&limit).map_or(0.0, |_| open.weight);
        }
        for open in leaves.iter_mut().filter(|open| is_open(open)) {
            let [all, again] = sums[&open.leaf.stratum];
            match open.leaf.searches.get(&limit) {
                Some(&search) => {
                    open.weight *= all / again;
                    open.search = search;
                }
                None if again > 0.0 => open.weight = 0.0,
                None => {}
            }
        }
    }
    leaves.retain(|leaf| leaf.weight > 0.0);
    leaves
}

/// The index of the Pareto distribution of the most expensive leaves; `None` if none of them was
/// solved.
fn tail_index(leaves: &[WeightedLeaf]) -> Option<f64> {
    let mut sorted: Vec<&WeightedLeaf> = leaves.iter().collect();
    sorted.sort_by_key(|leaf| Reverse(leaf.search.nodes));
    let total: f64 = sorted.iter().map(|leaf| leaf.weight).sum();
    let mut above = 0.0;
    let count = sorted
        .iter()
        .take_while(|leaf| {
            above += leaf.weight;
            above <= TAIL_SHARE * total
        })
        .count();
    let threshold = sorted.get(count)?.search.nodes.max(1) as f64;
    let (mut solved, mut logs) = (0.0, 0.0);
    for leaf in &sorted[..count] {
        solved += leaf.weight * f64::from(u8::from(!leaf.search.is_censored()));
        logs += leaf.weight * (leaf.search.nodes as f64 / threshold).ln();
    }
    (solved > 0.0 && logs > 0.0).then(|| solved / logs)
}

/// The estimates from these claims, drawn from `population` claims. Those with `censored` leaves at
/// their limit are lower bounds. Those with shared leaves counted once are not a number unless the
/// trees were counted.
fn point(claims: &[&ClaimSample], population: usize) -> Estimates<f64> {
    let count = claims.len() as f64;
    let mean =
        |of: fn(&ClaimSample) -> f64| claims.iter().map(|claim| of(claim)).sum::<f64>() / count;
    let distinct_per_claim = mean(|claim| claim.distinct);
    let leaves = weigh(claims);
    let total: f64 = leaves.iter().map(|leaf| leaf.weight).sum();
    let per_leaf = |of: &dyn Fn(&LeafProof) -> f64| {
        leaves
            .iter()
            .map(|leaf| leaf.weight * of(&leaf.search))
            .sum::<f64>()
            / total
    };
    let censored_part = |search: &LeafProof| f64::from(u8::from(search.is_censored()));
    let censored = per_leaf(&censored_part);
    let leaf_nodes = per_leaf(&|search| search.nodes as f64);
    let leaf_seconds = per_leaf(&|search| search.cpu);
    // The mean of a Pareto distribution beyond a limit is limit / (index - 1).
    let beyond = match tail_index(&leaves) {
        _ if censored == 0.0 => 0.0,
        Some(index) if index > 1.0 => {
            per_leaf(&|search| censored_part(search) * search.nodes as f64) / (index - 1.0)
        }
        _ => f64::INFINITY,
    };
    let distinct = population as f64 * distinct_per_claim;
    let nodes = distinct * leaf_nodes;
    let years = distinct * leaf_seconds / SECONDS_PER_YEAR;
    // The share of a total that is left if each leaf counts once.
    let once = |of: &dyn Fn(&LeafProof) -> f64| {
        let counted = leaves
            .iter()
            .filter_map(|open| Some((open, open.leaf.trees?)));
        let [once, all] = counted.fold([0.0, 0.0], |[once, all], (leaf, trees)| {
            let part = leaf.weight * of(&leaf.search);
            [once + part / f64::from(trees), all + part]
        });
        once / all
    };
    let row = |key, name, digits, value| (Quantity { key, name, digits }, value);
    [
        row(
            "leaves_per_claim",
            "tree leaves per claim",
            0,
            mean(|claim| claim.sequences),
        ),
        row(
            "distinct_per_claim",
            "distinct leaves per claim",
            0,
            distinct_per_claim,
        ),
        // Leaves that two claims share count twice.
        row("distinct", "distinct leaves of all claims", 0, distinct),
        row("censored", "share of censored leaves", 4, censored),
        row("nodes_per_leaf", "nodes per leaf, at least", 0, leaf_nodes),
        row(
            "seconds_per_leaf",
            "seconds per leaf, at least",
            3,
            leaf_seconds,
        ),
        row("nodes", "nodes of all claims, at least", 0, nodes),
        row("core_years", "core-years, at least", 1, years),
        row(
            "extrapolated_nodes_per_leaf",
            "nodes per leaf, extrapolated",
            0,
            leaf_nodes + beyond,
        ),
        row(
            "extrapolated_core_years",
            "core-years, extrapolated",
            1,
            years * (1.0 + beyond / leaf_nodes),
        ),
        row(
            "distinct_once",
            "leaves if shared ones count once",
            0,
            distinct * once(&|_| 1.0),
        ),
        row(
            "nodes_once",
            "their nodes, at least",
            0,
            nodes * once(&|search| search.nodes as f64),
        ),
        row(
            "core_years_once",
            "their core-years, at least",
            1,
            years * once(&|search| search.cpu),
        ),
    ]
}

/// The estimates from these claims, drawn from `population` claims, with their intervals.
pub fn estimate(claims: &[ClaimSample], population: usize, seed: u64) -> Estimates<Interval> {
    bootstrap(claims, population, seed, REPLICATES)
}

fn bootstrap(
    claims: &[ClaimSample],
    population: usize,
    seed: u64,
    replicates: usize,
) -> Estimates<Interval> {
    let mut rng = Rng::new(seed);
    let draw = |_| {
        let drawn: Vec<&ClaimSample> = (0..claims.len())
            .map(|_| &claims[rng.below(claims.len() as u64) as usize])
            .collect();
        point(&drawn, population)
    };
    let parts: Vec<Estimates<f64>> = (0..replicates).map(draw).collect();
    let all = point(&claims.iter().collect::<Vec<_>>(), population);
    let finite = |value: f64| value.is_finite().then_some(value);
    std::array::from_fn(|index| {
        let (quantity, value) = all[index];
        let mut drawn: Vec<f64> = parts.iter().map(|part| part[index].1).collect();
        // A bootstrap sample without leaves has no mean.
        drawn.retain(|value| !value.is_nan());
        drawn.sort_by(f64::total_cmp);
        let quantile = |share: f64| drawn.get((share * drawn.len() as f64) as usize).copied();
        let interval = Interval {
            value: finite(value),
            low: quantile(INTERVAL[0]).and_then(finite),
            high: quantile(INTERVAL[1]).and_then(finite),
        };
        (quantity, interval)
    })
}

#[cfg(test)]
mod tests {
    use super::super::leaf_search::LeafResult;
    use super::*;

    const LIMIT: f64 = 1_000.0;

    /// A search with a node limit of a leaf that costs this many nodes.
    fn search(nodes: f64, limit: f64) -> (u64, LeafProof) {
        let proof = LeafProof {
            result: if nodes > limit {
                LeafResult::Unknown
            } else {
                LeafResult::Holds
            },
            nodes: nodes.min(limit) as u64,
            cpu: nodes.min(limit) / 100.0,
            others: 0,
            backed_up: None,
        };
        (limit as u64, proof)
    }

    fn leaf(stratum: usize, nodes: f64, limits: &[f64]) -> LeafSample {
        LeafSample {
            times: 1.0,
            stratum,
            searches: limits.iter().map(|&limit| search(nodes, limit)).collect(),
            trees: None,
        }
    }

    fn claim(distinct: f64, leaves: Vec<LeafSample>) -> ClaimSample {
        ClaimSample {
            sequences: 2.0 * distinct,
            distinct,
            leaves,
        }
    }

    /// The logarithm of a positive number, nearly normally distributed.
    fn normal(rng: &mut Rng) -> f64 {
        (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0
    }

    /// An estimate by its name in JSON.
    fn value<V: Copy>(estimates: &Estimates<V>, key: &str) -> V {
        let found = estimates.iter().find(|(quantity, _)| quantity.key == key);
        found.unwrap().1
    }

    #[test]
    fn leaves_searched_again_represent_their_stratum() {
        let open = [LIMIT];
        let again = [LIMIT, 10.0 * LIMIT];
        let claims = [
            claim(40.0, vec![leaf(0, 100.0, &open), leaf(0, 5_000.0, &again)]),
            claim(60.0, vec![leaf(0, 3_000.0, &open), leaf(1, 4_000.0, &open)]),
            claim(5.0, Vec::new()),
        ];
        let claims: Vec<&ClaimSample> = claims.iter().collect();
        let weighed: Vec<(f64, u64, bool)> = weigh(&claims)
            .iter()
            .map(|leaf| (leaf.weight, leaf.search.nodes, leaf.search.is_censored()))
            .collect();
        // The second leaf also represents the third one; nothing represents the last one.
        let expected = [
            (20.0, 100, false),
            (50.0, 5_000, false),
            (30.0, LIMIT as u64, true),
        ];
        assert_eq!(weighed, expected);
        let found = point(&claims, 300);
        let found = |key| value(&found, key);
        let nodes = (20.0 * 100.0 + 50.0 * 5_000.0 + 30.0 * LIMIT) / 100.0;
        assert_eq!((found("censored"), found("nodes_per_leaf")), (0.3, nodes));
        assert_eq!(
            (found("distinct_per_claim"), found("distinct")),
            (35.0, 10_500.0)
        );
        assert_eq!(found("leaves_per_claim"), 70.0);
        let years = 10_500.0 * nodes / 100.0 / SECONDS_PER_YEAR;
        assert!((found("core_years") / years - 1.0).abs() < 1e-12);
    }

    /// A leaf that two trees share is drawn in either: each time it counts half.
    #[test]
    fn leaves_of_several_trees_count_once() {
        let counted = |nodes: f64, trees| LeafSample {
            trees,
            ..leaf(0, nodes, &[LIMIT])
        };
        let claims = [
            claim(40.0, vec![counted(100.0, Some(1)), counted(300.0, Some(2))]),
            claim(40.0, vec![counted(300.0, Some(2)), counted(500.0, Some(1))]),
            claim(40.0, vec![counted(700.0, None)]),
        ];
        let found = point(&claims.iter().collect::<Vec<_>>(), 3);
        let found = |key| value(&found, key);
        assert_eq!((found("distinct"), found("distinct_once")), (120.0, 90.0));
        let nodes = 20.0 * (100.0 + 300.0 + 300.0 + 500.0) + 40.0 * 700.0;
        assert!((found("nodes") / nodes - 1.0).abs() < 1e-12);
        assert!((found("nodes_once") / nodes - 900.0 / 1_200.0).abs() < 1e-12);
        let none = estimate(&claims[2..], 3, 1);
        assert_eq!(value(&none, "nodes_once").value, None);
        assert_eq!(value(&none, "nodes").value, Some(120.0 / 3.0 * 3.0 * 700.0));
    }

    #[test]
    fn the_tail_of_a_pareto_distribution_is_extrapolated() {
        let mut rng = Rng::new(3);
        let (index, limit) = (1.5, 20_000.0);
        let costs: Vec<f64> = (0..20_000)
            .map(|_| 100.0 * (1.0 - rng.unit()).powf(-1.0 / index))
            .collect();
        let claims: Vec<ClaimSample> = costs
            .iter()
            .map(|&nodes| claim(1.0, vec![leaf(0, nodes, &[limit])]))
            .collect();
        let claims: Vec<&ClaimSample> = claims.iter().collect();
        let found = tail_index(&weigh(&claims)).unwrap();
        assert!((found - index).abs() < 0.05, "{found}");
        let found = point(&claims, 1);
        let extrapolated = value(&found, "extrapolated_nodes_per_leaf");
        assert!((extrapolated / 300.0 - 1.0).abs() < 0.05, "{found:?}");
        assert!(value(&found, "nodes_per_leaf") < 0.96 * extrapolated);
        // Without a solved leaf beyond the threshold, there is no index and no finite estimate.
        let unsolved = [claim(1.0, vec![leaf(0, 2.0 * LIMIT, &[LIMIT])])];
        let found = estimate(&unsolved, 1, 1);
        assert_eq!(value(&found, "extrapolated_core_years").value, None);
        assert_eq!(value(&found, "nodes_per_leaf").value, Some(LIMIT));
    }

    #[test]
    fn intervals_cover_the_true_cost() {
        // Claims of very different sizes whose leaves have correlated, heavy-tailed costs.
        let mut rng = Rng::new(11);
        let population: Vec<(f64, f64)> = (0..2_000)
            .map(|_| {
                (
                    (6.0 + normal(&mut rng)).exp(),
                    (4.0 + 0.7 * normal(&mut rng)).exp(),
                )
            })
            .collect();
        let leaf_cost = |base: f64, rng: &mut Rng| base * normal(rng).exp();
        let sum: f64 = population.iter().map(|(distinct, _)| distinct).sum();
        let mean_factor = 0.5f64.exp(); // of a lognormal distribution
        let nodes: f64 = population
            .iter()
            .map(|(distinct, base)| distinct * base * mean_factor)
            .sum();
        let truth = nodes / 100.0 / SECONDS_PER_YEAR;
        let (mut covered, mut above, rounds) = (0, 0, 60);
        for round in 0..rounds {
            let claims: Vec<ClaimSample> = (0..150)
                .map(|_| {
                    let (distinct, base) = *rng.choose(&population).unwrap();
                    let leaves = (0..5)
                        .map(|_| leaf(0, leaf_cost(base, &mut rng), &[1e9]))
                        .collect();
                    claim(distinct * 2.0 * rng.unit(), leaves)
                })
                .collect();
            let found = bootstrap(&claims, population.len(), round, 200);
            let Interval { low, high, .. } = value(&found, "core_years");
            covered += i32::from(low.unwrap() <= truth && truth <= high.unwrap());
            let Interval { low, high, .. } = value(&found, "distinct");
            above += i32::from(low.unwrap() <= sum && sum <= high.unwrap());
        }
        // 95 % intervals; the bootstrap of skewed samples covers less.
        assert!((50..=60).contains(&covered), "{covered} of {rounds}");
        assert!((52..=60).contains(&above), "{above} of {rounds}");
    }
}
