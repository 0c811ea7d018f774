//! Deepening schedules: the (depth, selectivity) pairs that a search goes through.

use super::table::Draft;

/// One iteration of iterative deepening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stage {
    /// Plies to search.
    pub depth: u8,
    /// The selectivity level of the search.
    pub selectivity: u8,
}

impl Stage {
    /// A full-width iteration.
    pub const fn full(depth: u8) -> Stage {
        Stage { depth, selectivity: Draft::FULL }
    }
}

/// The depths that iterative deepening goes through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pace {
    /// The final depth only.
    AtOnce,
    /// Every other depth.
    ByTwos,
    /// Every other depth, and every selectivity level at the end of the game: each is a result when the clock runs out.
    Clock,
    /// Every depth, and every selectivity level at the end of the game.
    EveryDepth,
}

impl Pace {
    /// The schedule of a searcher that finishes every depth, if it deepens at all.
    pub const fn every_depth(self) -> Pace {
        match self {
            Pace::AtOnce => Pace::AtOnce,
            Pace::ByTwos | Pace::Clock | Pace::EveryDepth => Pace::EveryDepth,
        }
    }

    /// The schedule of a searcher that always deepens.
    pub const fn or_by_twos(self) -> Pace {
        match self {
            Pace::AtOnce => Pace::ByTwos,
            other => other,
        }
    }

    /// Full-width iterations that end at `depth`.
    pub fn stages(self, depth: u8) -> Vec<Stage> {
        let step = match self {
            Pace::AtOnce => usize::MAX,
            Pace::ByTwos | Pace::Clock => 2,
            Pace::EveryDepth => 1,
        };
        let mut stages: Vec<Stage> = (1..=depth).rev().step_by(step).map(Stage::full).collect();
        stages.reverse();
        stages
    }
}
