//! The record of a calibration: the conditions of the games, then one line per pair of games.

use serde::{Deserialize, Serialize};

use crate::lab::jobs::JobResult;

/// The conditions that all games of a record share.
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

/// Identifies a pair of games: two levels (0: full strength) from one opening with colors swapped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(super) struct PairKey {
    pub level: u32,
    pub against: u32,
    pub pair: u32,
}

/// A game of a pair from the lower level's point of view.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct LevelGame {
    /// The final score of the level, in discs.
    pub discs: i32,
    /// The number of moves that were not the best by the level's own search, their total cost and the largest cost, in
    /// hundredths of a disc.
    pub mistakes: u32,
    pub cost: i32,
    #[serde(rename = "dearest")]
    pub max_cost: i32,
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
