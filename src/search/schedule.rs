//! Deepening schedules: the (depth, selectivity) pairs that a search goes through.

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

/// The depths that iterative deepening goes through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DepthSteps {
    /// The final depth only.
    AtOnce,
    /// Every other depth.
    ByTwos,
    /// Every other depth, and every selectivity level at the end of the game: each is a result when the clock runs out.
    Clock,
    /// Every depth, and every selectivity level at the end of the game.
    EveryDepth,
}

impl DepthSteps {
    /// The schedule of a searcher that finishes every depth, if it deepens at all.
    pub const fn every_depth(self) -> DepthSteps {
        match self {
            DepthSteps::AtOnce => DepthSteps::AtOnce,
            DepthSteps::ByTwos | DepthSteps::Clock | DepthSteps::EveryDepth => DepthSteps::EveryDepth,
        }
    }

    /// The schedule of a searcher that always deepens.
    pub const fn or_by_twos(self) -> DepthSteps {
        match self {
            DepthSteps::AtOnce => DepthSteps::ByTwos,
            other => other,
        }
    }

    /// Full-width iterations that end at `depth`.
    pub fn iterations(self, depth: u8) -> Vec<Iteration> {
        let step = match self {
            DepthSteps::AtOnce => usize::MAX,
            DepthSteps::ByTwos | DepthSteps::Clock => 2,
            DepthSteps::EveryDepth => 1,
        };
        let mut iterations: Vec<Iteration> = (1..=depth).rev().step_by(step).map(Iteration::full).collect();
        iterations.reverse();
        iterations
    }
}
