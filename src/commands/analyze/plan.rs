//! How the positions of a game are searched: the options of the command, and the fields of a shard.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use crate::commands::depth;
use crate::games::any::AnyPosition;
use crate::search::Stops;
use crate::setup::positive;

// How to search every position.
#[derive(clap::Args, Clone, Copy, Default, Debug, Serialize, Deserialize)]
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
const DISC_GAMES: (Option<u8>, u8) = (Some(16), 24);
const LINE_GAMES: (Option<u8>, u8) = (Some(10), 0);

impl LimitArgs {
    /// The plan for a game.
    ///
    /// # Errors
    /// If there are two limits, or a number is zero or too large, which clap has checked already.
    pub fn plan(&self, start: &AnyPosition) -> Result<SearchPlan> {
        let LimitArgs {
            depth,
            movetime,
            nodes,
            exact,
            multipv,
        } = *self;
        let given = [depth.map(u64::from), movetime.map(u64::from), nodes];
        let given: Vec<u64> = given.into_iter().flatten().collect();
        let is_valid = given.len() <= 1 && !given.contains(&0);
        ensure!(
            is_valid && depth.max(exact) <= Some(64) && multipv != Some(0),
            "expected one positive limit (depth, movetime or nodes), at most 64 plies, and a positive multipv"
        );
        let (default_depth, default_exact) = match start.discs() {
            _ if !given.is_empty() => (None, 0),
            Some(_) => DISC_GAMES,
            None => LINE_GAMES,
        };
        Ok(SearchPlan {
            stops: Stops {
                depth: depth.or(default_depth),
                time: movetime.map(|time| Duration::from_millis(time.into())),
                nodes,
                ..Stops::default()
            },
            exact: exact.unwrap_or(default_exact),
            multi_pv: multipv.unwrap_or(1).into(),
        })
    }
}

/// How to search the positions of a game.
#[derive(Clone, Debug)]
pub struct SearchPlan {
    /// The limit of each search: a depth, a time or a number of nodes.
    pub stops: Stops,
    /// Positions with at most this many plies left are solved; in games won by a line, for win,
    /// draw or loss.
    pub exact: u8,
    /// The number of lines.
    pub multi_pv: usize,
}

impl SearchPlan {
    /// The plan in words.
    pub fn text(&self) -> String {
        let limit = match self.stops {
            Stops {
                depth: Some(depth), ..
            } => format!("depth {depth}"),
            Stops {
                time: Some(time), ..
            } => format!("{} ms a move", time.as_millis()),
            Stops { nodes, .. } => format!("{} nodes a move", nodes.unwrap_or_default()),
        };
        match self.exact {
            0 => limit,
            exact => format!("{limit}, exact from {exact} plies before the end"),
        }
    }
}
