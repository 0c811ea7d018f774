//! Deepening schedules: lists of (depth, selectivity) pairs.

use super::table::Draft;

/// One iteration of iterative deepening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Iteration {
    /// Plies to search.
    pub depth: u8,
    /// The selectivity level of the search.
    pub selectivity: u8,
}

impl Iteration {
    /// A full-width iteration.
    pub const fn full(depth: u8) -> Iteration {
        Iteration { depth, selectivity: Draft::FULL }
    }
}

/// The objective of a search. Objective and position determine the schedule; limits only truncate it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Objective {
    /// A good move at any time.
    BestMove,
    /// A proven score: `go exact`, `go wld`, solving.
    Proof,
    /// The last iteration alone, without deepening.
    LastIteration,
}

impl Objective {
    /// The objective for a searcher that always deepens: if only the last iteration matters, deepen as for a proof.
    pub const fn deepening(self) -> Objective {
        match self {
            Objective::LastIteration => Objective::Proof,
            other => other,
        }
    }
}

/// Full-width iterations at every `step`-th depth, ending at `depth`.
fn every(step: usize, depth: u8) -> Vec<Iteration> {
    let mut iterations: Vec<Iteration> = (1..=depth).rev().step_by(step).map(Iteration::full).collect();
    iterations.reverse();
    iterations
}

/// Full-width iterations at every other depth, ending at `depth`, since values oscillate between odd and even depths.
pub fn by_twos(depth: u8) -> Vec<Iteration> {
    every(2, depth)
}

/// Full-width iterations at every depth, ending at `depth`.
pub fn every_depth(depth: u8) -> Vec<Iteration> {
    every(1, depth)
}
