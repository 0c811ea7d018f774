//! When a search ends: depth, nodes, time, clock.

use std::time::{Duration, Instant};

use crate::game::Move;

/// What a player's clock says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    /// Time left for the moves to go.
    pub remaining: Duration,
    /// The most that has been on this clock in the present game.
    pub main: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Moves until more time comes; `None`: the time is for the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// When a search shall end. Whatever is set and comes first ends it; nothing set: only `stop` or the end of the game does.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The depth to reach, in plies that cost depth.
    pub depth: Option<u8>,
    /// Nodes to visit; at most a thousand more are.
    pub nodes: Option<u64>,
    /// Time for this move.
    pub movetime: Option<Duration>,
    /// Processor time of the thread that searches, for long work on a machine that is shared; no clock to be paced by.
    pub processor: Option<Duration>,
    /// The clock of the side to move.
    pub clock: Option<Clock>,
    /// Kept back from every time limit for the way from the engine to its user.
    pub overhead: Duration,
    /// When the command arrived: clocks run from here.
    pub started: Instant,
    /// Search only these root moves; empty: all legal ones.
    pub moves: Vec<Move>,
    /// How many best moves to find, each with a score of its own (at least 1).
    pub multi_pv: usize,
    /// Where the end of the game is reached, find only who wins: a score of 0, or one grain to either side.
    pub win_loss_draw: bool,
    /// The answer shall be proven: [`Settings::selectivity`](super::settings::Settings::selectivity) is not looked at.
    pub proven: bool,
    /// Search at full width until a win within so many moves of the side to move is proven.
    pub mate: Option<u8>,
    /// Nodes per second that this machine visits in this game, as far as it was measured: for the use of a clock.
    pub node_rate: Option<f64>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            depth: None,
            nodes: None,
            movetime: None,
            processor: None,
            clock: None,
            overhead: Duration::ZERO,
            started: Instant::now(),
            moves: Vec::new(),
            multi_pv: 1,
            win_loss_draw: false,
            proven: false,
            mate: None,
            node_rate: None,
        }
    }
}

impl Limits {
    /// A search of exactly this depth.
    pub fn to_depth(depth: u8) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// Whether the time decides what the search visits: then two searches with these limits need not be the same.
    pub fn is_timed(&self) -> bool {
        let open = self.depth.is_none() && self.nodes.is_none() && !self.proven;
        self.clock.is_some() || self.movetime.is_some() || open
    }
}
