//! Requests to the engine, independent of any protocol: moves and positions are text, limits are
//! numbers.

use std::time::Duration;

pub use crate::game::Player;
use crate::search::Goal;

/// A request. While the engine is busy, only urgent ones ([`Request::is_urgent`]) can be handled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// Send name and options.
    Identify,
    /// Confirm that all previous requests are done (`isready`).
    Ready,
    /// Start a new game: starting position on the board, transposition table cleared.
    NewGame,
    /// The same, but the table is kept: its entries stay valid.
    Restart,
    /// Set an option.
    SetOption {
        /// Its name, case-insensitive.
        name: String,
        /// Its value; `None` for buttons.
        value: Option<String>,
    },
    /// Set a position and play moves from it.
    Position {
        /// The position in any notation of the game, or `startpos`.
        text: String,
        /// The number of characters before `text` in its line, for the columns of errors.
        before: usize,
        /// The moves, as a transcript.
        moves: String,
    },
    /// Play moves from the current position.
    Play(String),
    /// Undo the last move.
    Undo,
    /// Play a move of that color, regardless of the side to move.
    PlayFor {
        /// The color.
        player: Player,
        /// The move.
        word: String,
    },
    /// Find a move for that color, regardless of the side to move.
    Generate {
        /// The color.
        player: Player,
        /// Whether the move is played on the board.
        play: bool,
        /// The limits if the engine's own clocks do not run and option `Depth` is 0.
        go: Go,
    },
    /// Select a disc game with this board size (the current one if it fits) and set its starting
    /// position.
    BoardSize(u32),
    /// Set the time control of the engine's own clocks.
    SetClocks(TimeSettings),
    /// Set the time left on one of the engine's own clocks.
    SetClock {
        /// The clock's owner.
        player: Player,
        /// Its time; without stones, for the rest of the game.
        left: MoveTime,
    },
    /// Score the legal moves by a search to `depth`. If `is_hint`, scores of a smaller depth are a
    /// valid result when the engine exits.
    Rank(Go),
    /// Search the current position, or count leaf nodes.
    Go(Go),
    /// Add the game to the book, if there is one; replies `learned`.
    Learn,
    /// Search every position of the game so far.
    Analyze(Go),
    /// A query about the position.
    Query(Query),
    /// Show the board.
    Show,
    /// Static evaluation of the position.
    Evaluate,
    /// Run the bench.
    Bench,
    /// Print text that needs no engine: queued so that replies keep their order.
    Text(String),
    /// Report a line that could not be parsed.
    Error(String),
    /// Stop the search and print its result.
    Stop,
    /// Stop the search without a result.
    Cancel,
    /// The opponent played the ponder move.
    PonderHit,
    /// Exit, after all earlier requests, which [`super::Engine::prepare_exit`] has cut short.
    Quit,
}

impl Request {
    /// Whether it can be handled while the engine is busy.
    pub fn is_urgent(&self) -> bool {
        matches!(
            self,
            Request::Ready | Request::Stop | Request::Cancel | Request::PonderHit
        )
    }

    /// Whether it starts a job that `stop` ends.
    pub fn is_search(&self) -> bool {
        use Request::{Analyze, Bench, Generate, Go, Rank};
        matches!(self, Go(_) | Generate { .. } | Analyze(_) | Rank(_) | Bench)
    }
}

/// The arguments of `go`. Times may be negative.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Go {
    /// What to find.
    pub goal: Goal,
    /// Depth in plies.
    pub depth: Option<u8>,
    /// Node limit.
    pub nodes: Option<u64>,
    /// Milliseconds for this move.
    pub movetime: Option<i64>,
    /// Milliseconds left on the clocks of the first and the second player.
    pub time: [Option<i64>; 2],
    /// Increments per move in milliseconds.
    pub increment: [Option<i64>; 2],
    /// Moves to the next time control.
    pub movestogo: Option<i64>,
    /// Defer `bestmove` until `stop`.
    pub infinite: bool,
    /// Defer `bestmove` until `ponderhit` or `stop`.
    pub ponder: bool,
    /// Root moves to search; empty: all.
    pub moves: Vec<String>,
    /// MultiPV; `None`: the value of option `MultiPV`.
    pub lines: Option<usize>,
    /// Whether the move is not played, so that option `Strength` does not apply.
    pub is_hint: bool,
    /// Count leaf nodes to this depth instead.
    pub perft: Option<u32>,
}

impl Go {
    /// Whether the clock is given in part: without the time of the player to move it is ignored.
    pub fn lacks_time_of(&self, mover: Player) -> bool {
        let has_clock = self.time != [None; 2] || self.increment != [None; 2];
        self.time[mover as usize].is_none() && (has_clock || self.movestogo.is_some())
    }
}

/// A time for a number of moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveTime {
    /// The time.
    pub time: Duration,
    /// Moves to be made in this time; 0: the time is for the rest of the game.
    pub stones: u32,
}

/// A GTP time control: main time, then periods in which a number of moves must be made (Canadian
/// byo-yomi).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeSettings {
    /// Main time.
    pub main: Duration,
    /// A period; without stones it never ends.
    pub period: MoveTime,
}

/// A query about the position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Query {
    /// Whether the first player is to move.
    P1Turn,
    /// Whether the game is over.
    GameOver,
    /// The outcome.
    Result,
    /// The position.
    Fen,
    /// Whether this is a legal move.
    IsLegal(String),
    /// The legal moves.
    LegalMoves,
    /// The position before the first move.
    Start,
    /// The moves played from there.
    History,
    /// An unknown query.
    Unknown,
}
