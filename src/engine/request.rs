//! What the engine can be asked, in words that no protocol owns: moves and positions travel as text, limits as numbers.

use std::time::Duration;

pub use crate::game::Player;

/// A request. While the engine is busy, only those for which [`Request::is_urgent`] holds can be carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// Who are you, and what are your options?
    Identify,
    /// Are you there?
    Ready,
    /// A new game begins: the start on the board, everything learnt forgotten.
    NewGame,
    /// The same, but the table keeps what was searched: its entries hold whole positions, so they stay valid.
    Restart,
    /// Set an option.
    SetOption {
        /// Its name, any case.
        name: String,
        /// Its value; buttons have none.
        value: Option<String>,
    },
    /// Put a position on the board and play moves from it.
    Position {
        /// The position in any spelling of the game, or `startpos`.
        text: String,
        /// How many characters of the line stood before `text`: errors name columns of the line.
        before: usize,
        /// The moves, as transcripts are written.
        moves: String,
    },
    /// Play moves on the present board.
    Play(String),
    /// Take the last move back.
    Undo,
    /// Play a move of that colour, whoever's turn it is.
    PlayFor {
        /// Whose move.
        player: Player,
        /// The move.
        word: String,
    },
    /// Find a move for that colour, whoever's turn it is, and play it.
    Generate {
        /// Whose move.
        player: Player,
        /// Whether it is played.
        play: bool,
        /// The limits, where the engine's own clocks do not run and option `Depth` is 0.
        go: Go,
    },
    /// Choose the disc board of this size, the present one if it fits, and put its start on the board.
    BoardSize(u32),
    /// Wind the clocks that the engine keeps itself.
    SetClocks(TimeSettings),
    /// What is left on a clock that the engine keeps itself: time, and the moves that it is for (0: all).
    SetClock {
        /// Whose clock.
        player: Player,
        /// Time left.
        left: Duration,
        /// For so many moves; 0: for the rest of the game.
        stones: u32,
    },
    /// Score the legal moves by a search of fixed depth.
    Rank(Rank),
    /// Think about the position.
    Go(Go),
    /// Think about every position of the game so far.
    Analyze(Go),
    /// Count lines of play.
    Perft(u32),
    /// Ask about the position.
    Query(Query),
    /// Show the board.
    Show,
    /// Evaluate the position without a search.
    Evaluate,
    /// Search the fixed set of positions.
    Bench,
    /// Say this when its turn comes: help, or what was wrong with a line.
    Say(Saying),
    /// Stop thinking, and answer.
    Stop,
    /// Stop thinking, and say nothing of it.
    Cancel,
    /// The opponent played the expected move.
    PonderHit,
    /// Stop everything and leave.
    Quit,
}

impl Request {
    /// Whether it can be carried out while the engine is busy.
    pub fn is_urgent(&self) -> bool {
        matches!(self, Request::Ready | Request::Stop | Request::Cancel | Request::PonderHit | Request::Quit)
    }

    /// Whether it starts something that `stop` ends.
    pub fn is_search(&self) -> bool {
        use Request::{Analyze, Bench, Generate, Go, Perft, Rank};
        matches!(self, Go(_) | Generate { .. } | Analyze(_) | Rank(_) | Perft(_) | Bench)
    }
}

/// Text that waits its turn among the requests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Saying {
    /// An answer that needs no engine, line by line.
    Text(String),
    /// What was wrong with a line.
    Error(String),
}

/// Limits of a search as they were said. Numbers are whole, cut to the range of `i64`, and may be negative.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Go {
    /// Plies to search.
    pub depth: Option<i64>,
    /// Nodes to visit.
    pub nodes: Option<i64>,
    /// Milliseconds for this move.
    pub movetime: Option<i64>,
    /// Milliseconds on the clocks of the first and the second player.
    pub time: [Option<i64>; 2],
    /// Milliseconds that a move adds to them.
    pub increment: [Option<i64>; 2],
    /// Moves until the clocks get more time.
    pub movestogo: Option<i64>,
    /// Wait for `stop` before answering.
    pub infinite: bool,
    /// Search to the end of the game.
    pub to_end: Option<ToEnd>,
    /// Search until a win within so many moves is proven.
    pub mate: Option<i64>,
    /// Wait for `ponderhit` or `stop` before answering.
    pub ponder: bool,
    /// Search only these moves.
    pub moves: Vec<String>,
    /// How many best moves to find; `None`: as option `MultiPV` says.
    pub lines: Option<usize>,
    /// Whether something else was said that could not be read.
    pub unread: bool,
}

/// Which moves to score, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rank {
    /// Plies to search.
    pub depth: u8,
    /// How many best moves to find; `None`: as option `MultiPV` says.
    pub lines: Option<usize>,
    /// Only these moves; empty: all.
    pub moves: Vec<String>,
}

impl Rank {
    /// As many lines as a game can have moves.
    pub const ALL: usize = 64;
}

/// Clocks as GTP winds them: main time, then periods in which a number of moves must be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeSettings {
    /// Main time.
    pub main: Duration,
    /// The length of a period.
    pub period: Duration,
    /// Moves to be made in a period. With none, a period is for ever.
    pub stones: u32,
}

/// What a search to the end of the game shall find.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ToEnd {
    /// The exact score.
    Exact,
    /// Who wins.
    WinLossDraw,
}

/// A question about the position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Query {
    /// Is the first player to move?
    P1Turn,
    /// Is the game over?
    GameOver,
    /// Who won?
    Result,
    /// What is the position?
    Fen,
    /// Is this a legal move?
    IsLegal(String),
    /// Which moves are legal?
    LegalMoves,
    /// Something that the engine does not know.
    Unknown,
}
