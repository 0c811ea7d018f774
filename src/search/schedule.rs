//! Deepening schedules: the (depth, selectivity) pairs that a search goes through.

use super::table::Draft;

/// One stop on the way of deepening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stage {
    /// Plies to search.
    pub depth: u8,
    /// The selectivity level of the search.
    pub selectivity: u8,
}

impl Stage {
    /// A full-width stage.
    pub const fn full(depth: u8) -> Stage {
        Stage { depth, selectivity: Draft::FULL }
    }
}

/// How to come to a depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pace {
    /// At once.
    AtOnce,
    /// In steps of two plies.
    ByTwos,
    /// In steps of two plies, and through every selectivity level at the end of the game: each is an answer when the clock
    /// ends the search.
    Clock,
    /// Through every depth, and every level at the end of the game.
    EveryDepth,
}

impl Pace {
    /// The pace of a searcher that has to finish every depth, if it deepens at all.
    pub const fn every_depth(self) -> Pace {
        match self {
            Pace::AtOnce => Pace::AtOnce,
            Pace::ByTwos | Pace::Clock | Pace::EveryDepth => Pace::EveryDepth,
        }
    }

    /// The pace of a searcher that always deepens.
    pub const fn or_by_twos(self) -> Pace {
        match self {
            Pace::AtOnce => Pace::ByTwos,
            other => other,
        }
    }

    /// Full-width stages at this pace that end at `depth`.
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
