//! `T_{m,k}` and `sigma_{m,k}`: mean and standard deviation of searched minus static values, for
//! each interpretation. They are collected while figure 1 searches a set of positions
//! ([`BaselineSearches`]).

use std::collections::BTreeMap;

use serde::Serialize;

use super::tree::{Figure, Hook, Means, NodeVisit, RootValue, TreePosition, WON, exact_value};
use crate::game::rng::Rng;
use crate::search::prob_cut::Relation;

/// The value with which a searched node enters the statistics, if it does.
type Taken = fn(&NodeVisit, i32) -> Option<i32>;

/// The interpretations of which nodes and values enter the statistics, with their names in tables.
pub const INTERPRETATIONS: [(&str, Taken); 5] = [
    // Every node with the value that figure 1 returns, won games included.
    ("all", |visit, value| Some(fail_hard(visit, value))),
    // The same without won games.
    ("hard", |visit, value| undecided(fail_hard(visit, value))),
    // Fail-soft values, without won games.
    ("soft", |_, value| undecided(value)),
    // Values inside the window only, without won games.
    ("exact", |visit, value| {
        undecided(value).filter(|&value| visit.alpha < value && value < visit.beta)
    }),
    // Sampled nodes, each searched separately with a full window, without won games.
    ("minimax", |_, _| None),
];
/// The index of `exact` in [`INTERPRETATIONS`].
pub const EXACT: usize = 3;
/// The index of `minimax`.
const MINIMAX: usize = 4;

fn fail_hard(visit: &NodeVisit, value: i32) -> i32 {
    value.clamp(visit.alpha, visit.beta)
}

/// The value, unless it is that of a won game.
pub fn undecided(value: i32) -> Option<i32> {
    (value.abs() <= WON).then_some(value)
}

/// The sums of one `(m, k)` over pairs of static and searched value.
#[derive(Default, Debug)]
pub struct Cell {
    /// The number of pairs.
    pub n: f64,
    t: f64,
    v: f64,
    /// The sum of squares of searched minus static value.
    squares: f64,
}

impl Cell {
    /// Adds a pair.
    pub fn add(&mut self, t: i32, value: i32) {
        let (t, v) = (f64::from(t), f64::from(value));
        self.n += 1.0;
        self.t += t;
        self.v += v;
        self.squares += (v - t) * (v - t);
    }

    /// The document's prediction `t + T` and its standard deviation.
    pub fn shift(&self) -> Relation {
        let offset = (self.v - self.t) / self.n.max(1.0);
        let squares = self.squares / self.n.max(1.0);
        Relation {
            slope: 1.0,
            offset,
            sigma: (squares - offset * offset).max(0.0).sqrt(),
        }
    }
}

/// Statistics by `(m, k)`.
pub type Statistics = BTreeMap<(usize, u8), Cell>;

/// Records every node of figure 1 for all interpretations, and a sample of nodes to search again.
struct StatisticsRecorder {
    /// Plies of the root.
    m: usize,
    interpretations: [Statistics; 5],
    /// By `k`: the number of nodes seen, and a reservoir sample of them.
    sample: Vec<(u64, Vec<TreePosition>)>,
    rng: Rng,
}

/// Nodes sampled of each depth of a tree.
const SAMPLE: usize = 8;

impl Hook for StatisticsRecorder {
    fn searched(&mut self, visit: &NodeVisit, value: i32) {
        if visit.k == 0 {
            return;
        }
        for ((_, taken), statistics) in INTERPRETATIONS.iter().zip(&mut self.interpretations) {
            if let Some(value) = taken(visit, value) {
                statistics
                    .entry((self.m, visit.k))
                    .or_default()
                    .add(visit.t, value);
            }
        }
        let (seen, sample) = &mut self.sample[usize::from(visit.k)];
        *seen += 1;
        if sample.len() < SAMPLE {
            sample.push(visit.position);
        } else {
            let place = self.rng.below(*seen) as usize;
            if place < SAMPLE {
                sample[place] = visit.position;
            }
        }
    }
}

/// The result of a search with cuts on a set of positions.
#[derive(Clone, Debug, Serialize)]
pub struct CutOutcome {
    /// Nodes of figure 1 divided by nodes of this search.
    pub ratio: f64,
    /// How often the move has the value of figure 1's, in percent.
    pub hit_value: f64,
    /// How often it is figure 1's, in percent.
    pub hit_move: f64,
}

/// Positions searched by figure 1: its statistics, and what searches with cuts are compared with.
pub struct BaselineSearches {
    pub roots: Vec<TreePosition>,
    /// Plies searched.
    pub depth: u8,
    /// `M_m`.
    means: Means,
    /// The statistics of each interpretation, in the order of [`INTERPRETATIONS`]; those of `minimax` may be
    /// empty.
    pub interpretations: [Statistics; 5],
    /// Figure 1's search result at each root.
    answers: Vec<RootValue>,
    /// Its nodes.
    nodes: u64,
}

impl BaselineSearches {
    /// Searches all roots by figure 1 and collects the statistics of its nodes; those of interpretation
    /// `minimax` by request, with samples drawn by `seed`.
    pub fn new(
        roots: Vec<TreePosition>,
        depth: u8,
        means: Means,
        seed: u64,
        minimax: bool,
    ) -> BaselineSearches {
        let recorder = StatisticsRecorder {
            m: 0,
            interpretations: Default::default(),
            sample: vec![(0, Vec::new()); usize::from(depth) + 1],
            rng: Rng::for_stream(seed, 77),
        };
        let mut figure = Figure::new(recorder, &means);
        let mut answers = Vec::new();
        for root in &roots {
            figure.hook.m = root.ply();
            figure.hook.sample.fill((0, Vec::new()));
            answers.push(figure.choose(root, depth));
            for k in (1..depth).filter(|_| minimax) {
                for position in std::mem::take(&mut figure.hook.sample[usize::from(k)].1) {
                    if let Some(value) = undecided(exact_value(&position, depth - k, &means)) {
                        let cell = figure.hook.interpretations[MINIMAX]
                            .entry((root.ply(), k))
                            .or_default();
                        cell.add(position.value(&means), value);
                    }
                }
            }
        }
        let Figure {
            hook: StatisticsRecorder {
                interpretations, ..
            },
            nodes,
            ..
        } = figure;
        BaselineSearches {
            roots,
            depth,
            means,
            interpretations,
            answers,
            nodes,
        }
    }

    /// The outcome of a search that returns its cell and node count for each root.
    pub fn compare(&self, mut choose: impl FnMut(&TreePosition) -> (u32, u64)) -> CutOutcome {
        let (mut same, mut equal, mut nodes) = (0, 0, 0);
        for (root, answer) in self.roots.iter().zip(&self.answers) {
            let (cell, visited) = choose(root);
            nodes += visited;
            if cell == answer.cell {
                same += 1;
                continue;
            }
            let value = exact_value(&root.play(cell), self.depth - 1, &self.means);
            equal += usize::from(-value == answer.value);
        }
        let percent = |hits: usize| 100.0 * hits as f64 / self.roots.len().max(1) as f64;
        let ratio = self.nodes as f64 / nodes.max(1) as f64;
        CutOutcome {
            ratio,
            hit_value: percent(same + equal),
            hit_move: percent(same),
        }
    }

    /// Searches all positions with a hook that may depend on the number of stones of the root.
    pub fn search<H: Hook>(&self, hook: impl Fn(usize) -> H) -> CutOutcome {
        self.compare(|root| {
            let mut figure = Figure::new(hook(root.ply()), &self.means);
            (figure.choose(root, self.depth).cell, figure.nodes)
        })
    }
}
