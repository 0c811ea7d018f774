//! What the record of a calibration holds: the conditions of the games, then each pair of games.

use serde::{Deserialize, Serialize};

use crate::commands::recorded_jobs::JobResult;

/// What all games of a record share.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Conditions {
    pub version: String,
    pub game: String,
    /// Nodes per move.
    pub nodes: u64,
    /// Random plies of the openings, and their seed.
    pub plies: usize,
    pub seed: u64,
}

/// What is played in a pair of games: two levels (0: full strength) from one opening, each once as the first player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(super) struct PairKey {
    pub level: u32,
    pub against: u32,
    pub pair: u32,
}

/// A game of a pair as the lower level had it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct LevelGame {
    /// What the level won by, in discs.
    pub discs: i32,
    /// Moves that were not the best by its own search, what they cost by it, and the dearest, in hundredths of a disc.
    pub mistakes: u32,
    pub cost: i32,
    pub dearest: i32,
}

/// A line of the record.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct PlayedPair {
    #[serde(flatten)]
    pub key: PairKey,
    pub games: [LevelGame; 2],
}

impl JobResult for PlayedPair {
    type Key = PairKey;

    fn key(&self) -> PairKey {
        self.key
    }
}
