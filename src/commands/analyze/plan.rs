//! How the positions of a game are searched: the options of the command, and the fields of a shard.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use crate::commands::depth;
use crate::games::any::AnyPosition;
use crate::setup::positive;

// How to search every position.
#[derive(clap::Args, Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitArgs {
    /// Search every position to this depth in plies (default without a limit: 16; in games won by a
    /// line: 10)
    #[arg(long, value_name = "N", group = "limit", value_parser = depth())]
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u8>,

    /// Search every position for this time in milliseconds
    #[arg(long, value_name = "MS", group = "limit", value_parser = positive::<u32>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    movetime: Option<u32>,

    /// Search every position with this node limit
    #[arg(long, value_name = "N", group = "limit", value_parser = positive::<u64>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,

    /// Solve positions with at most N plies left, whatever the limit; in games won by a line, for
    /// win, draw or loss (default without a limit: 24; in games won by a line: 0)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<u8>,

    /// Score the K best moves of every position (default: 1)
    #[arg(long, value_name = "K", value_parser = positive::<u8>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    multipv: Option<u8>,
}

/// The defaults without a limit: depth, and plies left of the first exact search.
const DISC_GAMES: (u8, u8) = (16, 24);
const LINE_GAMES: (u8, u8) = (10, 0);

impl LimitArgs {
    /// The plan for a game.
    ///
    /// # Errors
    /// If there are two limits, or a number is zero or too large, which clap has checked already.
    pub fn plan(&self, start: &AnyPosition) -> Result<SearchPlan> {
        let given = [
            self.depth.map(MoveLimit::Depth),
            self.movetime
                .map(|time| MoveLimit::Time(Duration::from_millis(time.into()))),
            self.nodes.map(MoveLimit::Nodes),
        ];
        let given: Vec<MoveLimit> = given.into_iter().flatten().collect();
        ensure!(
            given.len() <= 1,
            "expected one limit: depth, movetime or nodes"
        );
        let is_valid = match given.first() {
            Some(MoveLimit::Depth(depth)) => (1..=64).contains(depth),
            Some(MoveLimit::Time(time)) => !time.is_zero(),
            Some(MoveLimit::Nodes(nodes)) => *nodes > 0,
            None => true,
        };
        ensure!(
            is_valid && self.multipv != Some(0) && self.exact.is_none_or(|exact| exact <= 64),
            "expected a positive limit, at most 64 plies, and a positive multipv"
        );
        let (depth, exact) = match start.discs() {
            Some(_) => DISC_GAMES,
            None => LINE_GAMES,
        };
        Ok(SearchPlan {
            limit: given.first().copied().unwrap_or(MoveLimit::Depth(depth)),
            exact: self
                .exact
                .unwrap_or(if given.is_empty() { exact } else { 0 }),
            multi_pv: self.multipv.unwrap_or(1).into(),
        })
    }
}

/// The limit of each search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveLimit {
    Depth(u8),
    Time(Duration),
    Nodes(u64),
}

/// How to search the positions of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchPlan {
    pub limit: MoveLimit,
    /// Positions with at most this many plies left are solved; in games won by a line, for win,
    /// draw or loss.
    pub exact: u8,
    /// The number of lines.
    pub multi_pv: usize,
}

impl SearchPlan {
    /// The plan in words.
    pub fn text(&self) -> String {
        let limit = match self.limit {
            MoveLimit::Depth(depth) => format!("depth {depth}"),
            MoveLimit::Time(time) => format!("{} ms a move", time.as_millis()),
            MoveLimit::Nodes(nodes) => format!("{nodes} nodes a move"),
        };
        match self.exact {
            0 => limit,
            exact => format!("{limit}, exact from {exact} plies before the end"),
        }
    }
}
