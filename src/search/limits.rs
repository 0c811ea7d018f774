//! The limits of a search: depth, nodes, time, clock.

use std::time::{Duration, Instant};

use crate::game::Move;
use crate::game::score::{Score, Window};

/// The default of [`Limits::line_nodes`].
pub const LINE_NODES: u64 = 1_000;

/// A player's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    /// Time left for the moves to go.
    pub remaining: Duration,
    /// The most time that this clock has shown during the game.
    pub main: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Moves to the next time control; `None`: the time is for the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// The limits of a search, which ends at the first one reached. Without limits, it ends on request
/// or at the end of the game tree.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Depth in plies; passes do not count.
    pub depth: Option<u8>,
    /// Node limit, exceeded by at most a thousand nodes per thread and by `line_nodes`.
    pub nodes: Option<u64>,
    /// Only the node limit ends the search: any time limits below are too long to matter.
    pub by_nodes_alone: bool,
    /// Extra nodes, beyond all limits and after a stop, to complete the PV of a proven result.
    pub line_nodes: u64,
    /// Time for this move.
    pub movetime: Option<Duration>,
    /// CPU time of all threads of the search, for long runs on a shared machine; not used by time
    /// management.
    pub cpu_time: Option<Duration>,
    /// The clock of the side to move.
    pub clock: Option<Clock>,
    /// Subtracted from every time limit: the latency between engine and client.
    pub overhead: Duration,
    /// The arrival time of the command; elapsed time counts from here.
    pub started: Instant,
    /// Search only these root moves; if none of them is legal: all legal ones.
    pub moves: Vec<Move>,
    /// Number of lines to report (MultiPV), at least 1.
    pub multi_pv: usize,
    /// Extra root moves, scored in every iteration whether or not they are among the best.
    pub extra_moves: Vec<Move>,
    /// Win/loss/draw search, where it reaches the end of the game: the score is 0 or plus or minus
    /// one grain.
    pub win_loss_draw: bool,
    /// Determine only whether the value is below or above this null window. The score is a bound.
    /// In games scored by points it applies to every iteration, else where the search reaches the
    /// end of the game.
    pub window: Option<Window>,
    /// The result must be proven: [`Settings::selectivity`](super::settings::Settings::selectivity)
    /// is ignored.
    pub proven: bool,
    /// Search at full width until it is known whether the side to move wins within this many moves.
    pub mate: Option<u8>,
    /// Measured nodes per second in this game, for time management.
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
            extra_moves: Vec::new(),
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
        Limits {
            depth: Some(depth),
            ..Limits::default()
        }
    }

    /// A full-width search that determines whether the value is at least `score`, in a game whose
    /// scores are multiples of `grain` ([`Game::GRAIN`](crate::game::Game::GRAIN)). Unless it was
    /// stopped, the score of its answer is at least `score` if and only if the value is. To test
    /// whether the value is at most `score`, test whether it is at least `score + 1`. In games that
    /// are won by a line, `score` is 1 (a win) or 0 (a win or a draw).
    pub fn to_reach(score: Score, grain: i32) -> Limits {
        let least = Score(-(-score.0).div_euclid(grain) * grain);
        Limits {
            window: Some(Window::null(least, grain)),
            proven: true,
            ..Limits::to_depth(u8::MAX)
        }
    }

    /// The root moves to search, of these legal ones.
    pub fn root_moves(&self, legal: &[Move]) -> Vec<Move> {
        let is_listed = |m: &&Move| self.moves.contains(m);
        let listed: Vec<Move> = legal.iter().filter(is_listed).copied().collect();
        if listed.is_empty() {
            legal.to_vec()
        } else {
            listed
        }
    }

    /// Whether the elapsed time influences the searched tree, so that two searches with these
    /// limits may differ.
    pub fn is_timed(&self) -> bool {
        let open = self.depth.is_none() && self.nodes.is_none() && !self.proven;
        !self.by_nodes_alone && (self.clock.is_some() || self.movetime.is_some() || open)
    }
}
