//! `T_{m,k}` and `sigma_{m,k}`: mean and standard deviation of searched minus static values, for each interpretation.

use std::collections::BTreeMap;

use super::tree::{Figure, Hook, INFINITE, Means, NodeVisit, Plain, RootValue, TreePosition, WON};
use crate::game::rng::Rng;
use crate::search::prob_cut::Relation;

/// The interpretations of which nodes and values enter the statistics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// Every node with the value that figure 1 returns, won games included.
    All,
    /// The same without won games.
    Hard,
    /// Fail-soft values, without won games.
    Soft,
    /// Values inside the window only, without won games.
    Exact,
    /// Sampled nodes, each searched with a full window, without won games.
    Minimax,
}

impl Reading {
    /// All of them.
    pub const ALL: [Reading; 5] = [Reading::All, Reading::Hard, Reading::Soft, Reading::Exact, Reading::Minimax];

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Reading::All => "all",
            Reading::Hard => "hard",
            Reading::Soft => "soft",
            Reading::Exact => "exact",
            Reading::Minimax => "minimax",
        }
    }

    /// The value that enters the statistics, if any.
    fn takes(self, visit: &NodeVisit, value: i32) -> Option<i32> {
        let hard = value.clamp(visit.alpha, visit.beta);
        match self {
            Reading::All => Some(hard),
            Reading::Hard => (hard.abs() <= WON).then_some(hard),
            Reading::Soft => (value.abs() <= WON).then_some(value),
            Reading::Exact => (visit.alpha < value && value < visit.beta && value.abs() <= WON).then_some(value),
            Reading::Minimax => None, // from separate searches
        }
    }
}

/// The sums of one `(m, k)` over pairs of static and searched value.
#[derive(Clone, Copy, Default, Debug)]
pub struct Cell {
    n: f64,
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
        Relation { slope: 1.0, offset, sigma: (squares - offset * offset).max(0.0).sqrt() }
    }

    /// The number of pairs.
    pub fn count(&self) -> u64 {
        self.n as u64
    }
}

/// Statistics by `(m, k)`.
pub type Statistics = BTreeMap<(usize, u8), Cell>;

/// Records every node of figure 1 for all readings, and a sample of nodes to search again.
struct StatisticsRecorder {
    /// Plies of the root.
    m: usize,
    readings: [Statistics; 5],
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
        for (reading, statistics) in Reading::ALL.iter().zip(&mut self.readings) {
            if let Some(value) = reading.takes(visit, value) {
                statistics.entry((self.m, visit.k)).or_default().add(visit.t, value);
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

/// The results of figure 1 on a set of roots.
pub struct Gathered {
    /// The statistics of each reading, in the order of [`Reading::ALL`]; those of `minimax` may be empty.
    pub readings: [Statistics; 5],
    /// The search result at each root.
    pub answers: Vec<RootValue>,
    /// Nodes of all trees.
    pub nodes: u64,
}

/// Searches all roots by figure 1 and collects the statistics of its nodes.
pub fn gather(roots: &[TreePosition], depth: u8, means: &Means, seed: u64, minimax: bool) -> Gathered {
    let recorder = StatisticsRecorder {
        m: 0,
        readings: Default::default(),
        sample: vec![(0, Vec::new()); usize::from(depth) + 1],
        rng: Rng::for_stream(seed, 77),
    };
    let mut figure = Figure::new(recorder, means);
    let mut answers = Vec::new();
    for root in roots {
        figure.hook.m = root.ply();
        figure.hook.sample.iter_mut().for_each(|sample| *sample = (0, Vec::new()));
        answers.push(figure.choose(root, depth));
        for k in (1..depth).filter(|_| minimax) {
            for position in std::mem::take(&mut figure.hook.sample[usize::from(k)].1) {
                let value = Figure::new(Plain, means).value(&position, k, depth - k, -INFINITE, INFINITE);
                if value.abs() <= WON {
                    let cell = figure.hook.readings[4].entry((root.ply(), k)).or_default();
                    cell.add(position.value(means), value);
                }
            }
        }
    }
    Gathered { readings: figure.hook.readings, answers, nodes: figure.nodes }
}
