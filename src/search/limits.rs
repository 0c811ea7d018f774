//! The limits of a search: its goal, and the stops that end it.

use std::time::Duration;

use crate::game::Move;
use crate::game::score::{Score, Window};
use crate::platform::clock::Instant;

/// The default of [`Stops::line_nodes`].
pub const LINE_NODES: u64 = 1_000;

/// What a search is to find. Once it is found, the search ends, unless it has a depth limit.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Goal {
    /// The best move and its score.
    #[default]
    BestMove,
    /// The proven score. [`Settings::selectivity`](super::settings::Settings::selectivity) is
    /// ignored.
    Exact,
    /// Whether the position is proven to be won, lost or drawn; selectivity is ignored. Where the
    /// search reaches the end of the game, the score is 0 or plus or minus one grain.
    WinLossDraw,
    /// Whether the value is below or above this null window. The score is a bound. In games scored
    /// by points the window applies to every iteration, else where the search reaches the end of
    /// the game.
    Bound(Window),
    /// Whether the side to move wins within this many moves, at full width.
    Mate(u8),
}

impl Goal {
    /// Whether only the last iteration matters.
    pub fn is_proof(self) -> bool {
        matches!(self, Goal::Exact | Goal::WinLossDraw | Goal::Bound(_))
    }
}

/// A player's clock.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Clock {
    /// Time left for the moves to go.
    pub remaining: Duration,
    /// The most time that this clock has shown during the game.
    pub main: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Moves to the next time control; `None`: the time is for the rest of the game.
    pub moves_to_go: Option<u32>,
    /// Measured nodes per second in this game, if any.
    pub node_rate: Option<f64>,
}

impl Clock {
    /// A clock that has shown this much time at most, for the rest of the game.
    pub fn of(remaining: Duration) -> Clock {
        Clock {
            remaining,
            main: remaining,
            increment: Duration::ZERO,
            moves_to_go: None,
            node_rate: None,
        }
    }
}

/// What ends a search, whichever comes first. Without stops, it ends on request or at the end of
/// the game tree.
#[derive(Clone, Debug)]
pub struct Stops {
    /// Depth in plies; passes do not count.
    pub depth: Option<u8>,
    /// Node limit, exceeded by at most a thousand nodes per thread and by `line_nodes`.
    pub nodes: Option<u64>,
    /// Extra nodes, beyond all limits and after a stop, to complete the PV of a proven result.
    pub line_nodes: u64,
    /// Time for this move, from `started` on.
    pub time: Option<Duration>,
    /// CPU time of all threads of the search, for long runs on a shared machine; not used by time
    /// management.
    pub cpu_time: Option<Duration>,
    /// The clock of the side to move.
    pub clock: Option<Clock>,
    /// The arrival time of the command; elapsed time counts from here. Limits that are used for
    /// another search need a new one.
    pub started: Instant,
}

impl Default for Stops {
    fn default() -> Self {
        Stops {
            depth: None,
            nodes: None,
            line_nodes: LINE_NODES,
            time: None,
            cpu_time: None,
            clock: None,
            started: Instant::now(),
        }
    }
}

/// The goal of a search, its stops, and the root moves to search.
#[derive(Clone, Debug)]
pub struct Limits {
    /// What it is to find.
    pub goal: Goal,
    /// What ends it.
    pub stops: Stops,
    /// Search only these root moves; if none of them is legal: all legal ones.
    pub moves: Vec<Move>,
    /// Number of lines to report (MultiPV), at least 1.
    pub multi_pv: usize,
    /// Extra root moves, scored in every iteration whether or not they are among the best.
    pub extra_moves: Vec<Move>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits::to_find(Goal::BestMove)
    }
}

impl Limits {
    /// A search for the best line, of all root moves.
    pub fn new(goal: Goal, stops: Stops) -> Limits {
        Limits {
            goal,
            stops,
            moves: Vec::new(),
            multi_pv: 1,
            extra_moves: Vec::new(),
        }
    }

    /// A search to the end of the game, or until this goal is reached.
    pub fn to_find(goal: Goal) -> Limits {
        Limits::new(goal, Stops::default())
    }

    /// A search to exactly this depth.
    pub fn to_depth(depth: u8) -> Limits {
        let mut limits = Limits::default();
        limits.stops.depth = Some(depth);
        limits
    }

    /// A search of at most this many nodes.
    pub fn to_nodes(nodes: u64) -> Limits {
        let mut limits = Limits::default();
        limits.stops.nodes = Some(nodes);
        limits
    }

    /// A search that determines whether the value is at least `score`, in a game whose scores are
    /// multiples of `grain` ([`Game::GRAIN`](crate::game::Game::GRAIN)). If its answer is proven,
    /// the score of the answer is at least `score` if and only if the value is. To test whether the
    /// value is at most `score`, test whether it is at least `score + 1`. In games that are won by
    /// a line, `score` is 1 (a win) or 0 (a win or a draw).
    pub fn to_reach(score: Score, grain: i32) -> Limits {
        let least = Score(-(-score.0).div_euclid(grain) * grain);
        Limits::to_find(Goal::Bound(Window::null(least, grain)))
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
}
