//! When a search ends: depth, nodes, time, clock.

use std::time::{Duration, Instant};

use crate::game::Move;
use crate::game::score::Window;

/// The usual [`Limits::line_nodes`].
pub const LINE_NODES: u64 = 1_000;

/// A player's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    /// Time left for the moves to go.
    pub remaining: Duration,
    /// The most time that was on this clock during the current game.
    pub main: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Moves to the next time control; `None`: the time is for the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// When a search ends: at the first limit reached. Without limits it ends at `stop` or at the end of the game tree.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Depth in plies; passes do not count.
    pub depth: Option<u8>,
    /// Node limit, exceeded by at most a thousand nodes for each thread, and by `line_nodes`.
    pub nodes: Option<u64>,
    /// The node limit alone ends the search: the times below, if there are any, are too long to matter.
    pub by_nodes_alone: bool,
    /// Nodes beyond all limits, and after a stop, that complete the principal variation of a proven result.
    pub line_nodes: u64,
    /// Time for this move.
    pub movetime: Option<Duration>,
    /// CPU time of all threads of the search, for long runs on a shared machine; time management does not use it.
    pub cpu_time: Option<Duration>,
    /// The clock of the side to move.
    pub clock: Option<Clock>,
    /// Subtracted from every time limit: latency between the engine and its user.
    pub overhead: Duration,
    /// When the command arrived; elapsed time counts from here.
    pub started: Instant,
    /// Search only these root moves; empty: all legal ones.
    pub moves: Vec<Move>,
    /// Number of best moves to report, each with its own score (at least 1).
    pub multi_pv: usize,
    /// Root moves that are scored in every iteration whether or not they are among the best.
    pub also: Vec<Move>,
    /// Win/loss/draw search where the end of the game is reached: the score is 0 or one grain to either side.
    pub win_loss_draw: bool,
    /// Where the end of the game is reached, in games scored by points: only the side of this null window is asked for,
    /// on which the value lies; the score is then a bound.
    pub window: Option<Window>,
    /// The result must be proven: [`Settings::selectivity`](super::settings::Settings::selectivity) is ignored.
    pub proven: bool,
    /// Search at full width until a win of the side to move within this many moves is proven.
    pub mate: Option<u8>,
    /// Measured nodes per second of this machine in this game, for time management.
    pub node_rate: Option<f64>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            depth: None,
            nodes: None,
            by_nodes_alone: false,
            line_nodes: LINE_NODES,
            movetime: None,
            cpu_time: None,
            clock: None,
            overhead: Duration::ZERO,
            started: Instant::now(),
            moves: Vec::new(),
            multi_pv: 1,
            also: Vec::new(),
            win_loss_draw: false,
            window: None,
            proven: false,
            mate: None,
            node_rate: None,
        }
    }
}

impl Limits {
    /// A search to exactly this depth.
    pub fn to_depth(depth: u8) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// Whether the elapsed time influences the searched tree, so that two searches with these limits may differ.
    pub fn is_timed(&self) -> bool {
        let open = self.depth.is_none() && self.nodes.is_none() && !self.proven;
        !self.by_nodes_alone && (self.clock.is_some() || self.movetime.is_some() || open)
    }
}
