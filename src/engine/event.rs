//! What the engine says, in words that no protocol owns: a dialect turns each event into lines of text.

use std::cmp::Ordering;
use std::time::Duration;

pub use crate::game::{Outcome, Player};
pub use crate::othello::eval::reasons::Reasons;
pub use crate::perft::Count;
pub use crate::score::Bound;
pub use crate::search::Certainty;

/// Something the engine says.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// Its name and options (see [`super::options::OPTIONS`]).
    Identity,
    /// It is there.
    Ready,
    /// A request that has no other answer has been carried out.
    Done,
    /// It leaves.
    Bye,
    /// Lines for human eyes.
    Text(String),
    /// A request could not be carried out, or a line not be read.
    Error(String),
    /// How the search goes.
    Info(Info),
    /// The end of a search; the move is `None` where there is none to play.
    Best {
        /// The move.
        word: Option<String>,
        /// The answer to it that the engine expects.
        reply: Option<String>,
        /// Whether the score before it is proven.
        certainty: Certainty,
    },
    /// All legal moves with their scores.
    Ranked {
        /// Best first.
        moves: Vec<RankedMove>,
        /// How deep they were searched.
        depth: u8,
        /// At what selectivity, in percent; 100 is full width.
        selectivity: u8,
        /// Whether the scores are proven.
        certainty: Certainty,
    },
    /// What a search found in a position of the game.
    Analysis {
        /// How many plies led there.
        ply: usize,
        /// Score and line.
        info: Info,
    },
    /// Lines of play behind a first move.
    PerftMove {
        /// The move.
        word: String,
        /// How many.
        count: Count,
    },
    /// All lines of play; `None`: the count was stopped.
    Perft {
        /// Their length.
        depth: u32,
        /// How many.
        count: Option<Count>,
    },
    /// Counting goes on.
    Counting {
        /// The length of the lines.
        depth: u32,
        /// Since the command arrived.
        elapsed: Duration,
    },
    /// The answer to a query.
    Response(Response),
    /// The board.
    Board(View),
    /// The static value.
    Evaluation {
        /// For the side to move, in centipoints.
        score: i32,
        /// The board, in several lines.
        diagram: String,
        /// How it comes about, where the evaluator can say.
        reasons: Option<Box<Reasons>>,
    },
}

/// One line about a search. What is `None` is not known at this moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Info {
    /// Depth of the iteration, in plies that cost depth.
    pub depth: u8,
    /// The largest distance from the root.
    pub seldepth: Option<u8>,
    /// Which of several lines this is, from 1; `None` if only one is asked for.
    pub multi_pv: Option<usize>,
    /// Selectivity in percent; 100 is full width.
    pub selectivity: u8,
    /// For the side to move at the root, in centipoints; a decided game as ±(10000 - plies to the end).
    pub score: Option<(i32, Bound)>,
    /// Nodes since the search began; never falls from line to line.
    pub nodes: u64,
    /// Since the command arrived; never falls from line to line.
    pub elapsed: Duration,
    /// Permille of the table filled by this search.
    pub hashfull: Option<u32>,
    /// The principal variation.
    pub pv: Vec<String>,
    /// The side to move at the root.
    pub mover: Player,
    /// A sign of life: the last finished line, with the counters of the moment.
    pub is_repeat: bool,
    /// Whether the score is the value of the game (or who wins it, where only that is searched for).
    pub exact: bool,
    /// The end of the game, where the line leads there for certain: it is over, decided, or over with the line's first move.
    pub end: Option<End>,
}

impl Info {
    /// Whether it is a finished iteration's line of the best move.
    pub fn is_best_line(&self) -> bool {
        let finished = matches!(self.score, Some((_, Bound::Exact)));
        finished && !self.pv.is_empty() && self.multi_pv.is_none_or(|number| number == 1)
    }
}

/// How a game ends, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct End {
    /// In so many plies.
    pub plies: u32,
    /// Won (greater), drawn or lost.
    pub result: Ordering,
}

/// A legal move with what a search found behind it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankedMove {
    /// Its score for the side to move, in centipoints.
    pub score: i32,
    /// Its line, itself first.
    pub pv: Vec<String>,
}

/// The answer to a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Response {
    /// Yes or no.
    Truth(bool),
    /// How the game ended; `None`: it goes on.
    Result(Option<Outcome>),
    /// A text.
    Text(String),
    /// Moves, perhaps none.
    Moves(Vec<String>),
    /// The question is not known.
    Unknown,
}

/// The board for human eyes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// Several lines.
    pub diagram: String,
    /// The position in the game's spelling.
    pub position: String,
    /// Legal moves.
    pub moves: Vec<String>,
    /// The hash of the position.
    pub hash: u64,
    /// Whether the game is over, and how it ended.
    pub result: Option<Outcome>,
    /// The side to move.
    pub to_move: Player,
    /// On a board of discs its rows from row 1 on: `x`, `o`, `.` empty, `*` no square.
    pub rows: Vec<String>,
    /// The last move, unless it was a pass.
    pub last: Option<String>,
}

impl View {
    /// How many discs the two players have.
    pub fn counts(&self) -> [usize; 2] {
        ['x', 'o'].map(|piece| self.rows.iter().map(|row| row.matches(piece).count()).sum())
    }
}
