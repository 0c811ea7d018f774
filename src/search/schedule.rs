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
        Iteration {
            depth,
            selectivity: Draft::FULL,
        }
    }
}

/// The objective of a search. Objective and position determine the schedule; limits only truncate
/// it.
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
    /// The objective for a searcher that always deepens: if only the last iteration matters, deepen
    /// as for a proof.
    pub const fn deepening(self) -> Objective {
        match self {
            Objective::LastIteration => Objective::Proof,
            other => other,
        }
    }
}

/// Full-width iterations at every other depth, ending at `depth`, since values oscillate between
/// odd and even depths.
pub fn by_twos(depth: u8) -> Vec<Iteration> {
    (2 - depth % 2..=depth)
        .step_by(2)
        .map(Iteration::full)
        .collect()
}
