//! The engine's output as typed events; a dialect of [`crate::protocol`] formats each event as
//! lines of text.

use std::cmp::Ordering;
use std::fmt::Display;
use std::time::Duration;

pub use crate::game::score::Bound;
pub use crate::game::{Outcome, Player};
pub use crate::search::{Certainty, Progress};

/// The receiver of events.
pub type EventSink<'s> = &'s mut dyn FnMut(Event);

/// An event.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// Reply to [`super::request::Request::Identify`]: name and options (see
    /// [`super::options::OPTIONS`]).
    Identity,
    /// Reply to [`super::request::Request::Ready`].
    Ready,
    /// A request without another reply is done.
    Done,
    /// Human-readable text, one or more lines.
    Text(String),
    /// A note on the job in progress or its result, one line; for display only.
    Note(String),
    /// A line could not be parsed.
    Error(String),
    /// A request could not be carried out, or only in part.
    Failed(String),
    /// Progress of a search.
    Info(Info),
    /// The current root move of a long search.
    RootMove {
        /// Depth of the iteration.
        depth: u8,
        /// The move.
        word: String,
        /// Its number in the order of search, from 1.
        number: usize,
    },
    /// The end of a search.
    Best {
        /// The best move; `None` if the game is over.
        word: Option<String>,
        /// The expected reply (ponder move).
        reply: Option<String>,
        /// Whether the score is proven.
        certainty: Certainty,
        /// The note of option `Show Accuracy`.
        accuracy: Option<String>,
        /// The line of the best move, if there is one, with the final counters, and whether it has to
        /// be repeated because the counters or a later line differ from it.
        last: Option<(Info, bool)>,
    },
    /// Legal moves with their scores.
    Ranked {
        /// Best first.
        moves: Vec<RankedMove>,
        /// Search depth.
        depth: u8,
        /// Selectivity in percent; 100 is full width.
        selectivity: u8,
    },
    /// The search result of one position of a game analysis.
    Analysis {
        /// The number of plies played before the position.
        ply: usize,
        /// Score and principal variation.
        info: Info,
    },
    /// A perft is still running (keep-alive).
    PerftRunning {
        /// Its depth.
        depth: u32,
        /// Time since the command arrived.
        elapsed: Duration,
    },
    /// The answer to a query.
    Response(Response),
    /// The board.
    Board(BoardView),
    /// The static evaluation.
    Evaluation {
        /// For the side to move, in centipoints.
        score: i32,
        /// The board diagram, several lines.
        diagram: String,
        /// The terms of the evaluation, several lines, if the evaluator provides them.
        terms: Option<String>,
    },
}

impl Event {
    /// The failure of a job that the exit has interrupted or prevented, if it has no partial result.
    pub fn unfinished() -> Event {
        Event::Failed("not finished before quit".into())
    }

    /// [`Event::Done`] if a command succeeded, else its failure.
    pub fn outcome_of(result: Result<(), impl Display>) -> Event {
        result.map_or_else(|error| Event::Failed(error.to_string()), |()| Event::Done)
    }
}

/// One progress line of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Info {
    /// The report of the search. Its depth of a finished iteration, nodes and time never decrease
    /// from line to line. Its score is for the side to move at the root, in centipoints; a decided
    /// game as ±(10000 - plies to the end).
    pub report: Progress,
    /// The principal variation.
    pub pv: Vec<String>,
    /// The side to move at the root.
    pub mover: Player,
    /// Whether it repeats an earlier line with updated counters.
    pub is_repeat: bool,
    /// The end of the game, if the line certainly reaches it: the game is over, decided, or over
    /// after the first move.
    pub end: Option<ProvenEnd>,
}

impl Info {
    /// What the line contains. `None`: the end of a finished game.
    pub fn content(&self) -> Option<LineContent> {
        let Progress {
            depth,
            bound,
            multi_pv,
            ..
        } = self.report;
        let first = self.pv.first()?;
        Some(match bound {
            _ if self.is_repeat => LineContent::Nothing,
            Bound::Exact => LineContent::Iteration {
                depth,
                number: multi_pv,
            },
            Bound::Lower | Bound::Upper => LineContent::Bound(first.clone()),
        })
    }
}

/// What a progress line contains that the lines before it did not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LineContent {
    /// Nothing but counters: a keep-alive line, the current root move.
    Nothing,
    /// A bound of the iteration in progress, and the move that would be played now.
    Bound(String),
    /// A line of a completed iteration.
    Iteration {
        /// The depth of the iteration.
        depth: u8,
        /// The number of the line (MultiPV).
        number: usize,
    },
}

impl LineContent {
    /// Whether a `later` line of the same search has all information of this one.
    /// This leaves at most one line without content, a bound for each root move, and for each
    /// number of MultiPV the lines of one depth.
    pub fn is_superseded_by(&self, later: &LineContent) -> bool {
        match (self, later) {
            (LineContent::Nothing, _) => true,
            (LineContent::Bound(m), LineContent::Bound(later)) => m == later,
            (LineContent::Bound(_), LineContent::Iteration { number, .. }) => *number == 1,
            (
                LineContent::Iteration { depth, number },
                LineContent::Iteration {
                    depth: later,
                    number: later_number,
                },
            ) => number == later_number && depth < later,
            _ => false,
        }
    }
}

/// The certain end of a game, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProvenEnd {
    /// Plies to the end.
    pub plies: u32,
    /// Won (greater), drawn or lost.
    pub result: Ordering,
}

/// A legal move with its search result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankedMove {
    /// Score for the side to move, in centipoints.
    pub score: i32,
    /// Principal variation, starting with the move itself.
    pub pv: Vec<String>,
    /// Whether the score is proven.
    pub certainty: Certainty,
}

/// The answer to a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Response {
    /// Yes or no.
    Truth(bool),
    /// The outcome of the game; `None` if it is not over.
    Result(Option<Outcome>),
    /// Text.
    Text(String),
    /// A list of moves, possibly empty.
    Moves(Vec<String>),
    /// An unknown query.
    Unknown,
}

/// The board as it is displayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardView {
    /// Diagram, several lines.
    pub diagram: String,
    /// The position in the game's notation.
    pub position: String,
    /// Legal moves.
    pub moves: Vec<String>,
    /// Hash key of the position.
    pub hash: u64,
    /// The name of the opening, if the position came by moves from the start.
    pub opening: Option<&'static str>,
    /// The outcome, if the game is over.
    pub result: Option<Outcome>,
    /// The side to move.
    pub to_move: Player,
    /// On a disc board its rows from row 1 on: `x`, `o`, `.` empty, `*` no square.
    pub rows: Vec<String>,
    /// The last move, unless it was a pass.
    pub last: Option<String>,
}

impl BoardView {
    /// Disc counts of the two players.
    pub fn disc_counts(&self) -> [usize; 2] {
        ['x', 'o'].map(|piece| self.rows.iter().map(|row| row.matches(piece).count()).sum())
    }
}
