//! Searching game trees; knows no game by name and prints nothing.
//!
//! Read in this order: [`textbook`] (the textbook algorithms, a page each, the oracles of all else), [`mtdf`] (null windows
//! only), [`nega_scout`] (the production loop), [`policy`] (what a game adds to it), [`deepening`] (from an iteration to the
//! next, and from limits to an answer), [`finishing`] (an exact solver behind it).

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::game::Move;
use crate::game::score::{Bound, Score};

pub mod best_move;
pub mod context;
pub mod deepening;
pub mod finishing;
pub mod isa;
pub mod line;
pub mod mtdf;
pub mod nega_scout;
pub mod policy;
pub mod prob_cut;
pub mod production;
pub mod sorted;
pub mod stop;
pub mod table;
pub mod textbook;
pub mod time;
pub mod trace;

use context::{Counters, Watch};

/// The algorithms by name: `auto` is the production engine, the others search full width to exactly the depth asked.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Hash)]
pub enum Algorithm {
    /// The production engine with all it has.
    #[default]
    Auto,
    /// Every line.
    Minimax,
    /// Fail-hard alpha-beta.
    AlphaBeta,
    /// Fail-soft alpha-beta.
    FailSoft,
    /// NegaScout (principal variation search).
    NegaScout,
    /// MTD(f).
    Mtdf,
}

impl Algorithm {
    /// All of them, in the order of the listing.
    pub const ALL: [Algorithm; 6] = [
        Algorithm::Auto,
        Algorithm::Minimax,
        Algorithm::AlphaBeta,
        Algorithm::FailSoft,
        Algorithm::NegaScout,
        Algorithm::Mtdf,
    ];

    /// The name that option `Algorithm` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Algorithm::Auto => "auto",
            Algorithm::Minimax => "minimax",
            Algorithm::AlphaBeta => "alphabeta",
            Algorithm::FailSoft => "failsoft",
            Algorithm::NegaScout => "negascout",
            Algorithm::Mtdf => "mtdf",
        }
    }

    /// The algorithm of that name, in any case.
    pub fn by_name(name: &str) -> Option<Algorithm> {
        Self::ALL.into_iter().find(|algorithm| algorithm.name().eq_ignore_ascii_case(name))
    }
}

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
    /// The answer shall be proven: [`Settings::selectivity`] is not looked at.
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

/// How a search shall go about it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which algorithm.
    pub algorithm: Algorithm,
    /// Whether it has a transposition table.
    pub table: bool,
    /// Whether it deepens iteratively (`auto` does where it pays).
    pub deepening: bool,
    /// The level of selectivity that `auto` shall come to at every depth ([`prob_cut::LEVELS`]); `None`: what is best for
    /// the game, and full width where the search reaches the end of it.
    pub selectivity: Option<u8>,
    /// What the game's evaluator shall think with in place of its own weights; the search only hands it on.
    pub weights: Option<Weights>,
}

/// Somebody's weights: only the evaluator that they are for knows their type.
pub type Weights = Arc<dyn Any + Send + Sync>;

impl Default for Settings {
    fn default() -> Self {
        Settings { algorithm: Algorithm::Auto, table: true, deepening: true, selectivity: None, weights: None }
    }
}

/// What a search says while it runs, at the end of an iteration or when a bound of one moved.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Depth of the iteration, in plies that cost depth.
    pub depth: u8,
    /// The largest distance from the root reached, in moves.
    pub seldepth: u8,
    /// Selectivity in percent; 100 is full width.
    pub selectivity: u8,
    /// Which of several lines this is, from 1.
    pub multi_pv: usize,
    /// How many lines are searched.
    pub lines: usize,
    /// The score for the side to move at the root.
    pub score: Score,
    /// What the score is; an iteration is finished when it is [`Bound::Exact`].
    pub bound: Bound,
    /// Counted since the search began.
    pub counters: Counters,
    /// Since the command arrived.
    pub elapsed: Duration,
    /// Share of the table filled by this search, in permille.
    pub hashfull: u32,
    /// The principal variation; where the score is a bound, the best move so far.
    pub pv: Vec<Move>,
}

/// Whether the answer is proven.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Certainty {
    /// The score is an evaluation some plies ahead.
    #[default]
    Heuristic,
    /// The score is the value of the game under best play.
    Exact,
    /// Only who wins is proven (a win/loss/draw search).
    WinLossDraw,
}

/// A root move with what is known of it.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The move.
    pub m: Move,
    /// Its score for the side to move at the root.
    pub score: Score,
    /// Its line, itself first.
    pub pv: Vec<Move>,
}

/// The answer of a search.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The finished root moves, best first; at least one, unless the game was over.
    pub best: Vec<RootMove>,
    /// The last finished depth.
    pub depth: u8,
    /// The selectivity it was searched at, in percent; 100 is full width.
    pub selectivity: u8,
    /// Whether the score is proven.
    pub certainty: Certainty,
    /// What was counted.
    pub counters: Counters,
    /// Since the command arrived.
    pub elapsed: Duration,
    /// Whether the win that [`Limits::mate`] asks for was proven.
    pub mate_found: bool,
    /// Whether the search was stopped before its goal (by its user, the clock or the node limit).
    pub stopped: bool,
}

impl Answer {
    /// The best move, unless the game was over.
    pub fn best_move(&self) -> Option<Move> {
        self.best.first().map(|root| root.m)
    }

    /// The score of the best move.
    pub fn score(&self) -> Option<Score> {
        self.best.first().map(|root| root.score)
    }
}

/// What a search is given by those who start it: how to stop it, and whom to tell.
pub struct Observer<'o> {
    /// Shared with whoever may stop the search.
    pub watch: Arc<Watch>,
    /// Called with every progress.
    pub report: &'o mut dyn FnMut(&Progress),
}
