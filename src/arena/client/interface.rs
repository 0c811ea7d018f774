//! The trait that the clients of all protocols implement, and the replies they parse.

use std::time::Instant;

use super::client_error::ClientError;
use super::game_history::GameHistory;
use super::go_limits::GoLimits;
use super::identity::Identity;
use super::link::Link;
use super::search_info::SearchInfo;
use crate::game::{Outcome, Player};

/// The meaning of a line that arrives during a search.
#[derive(Clone, PartialEq, Debug)]
pub enum EngineReply {
    /// A line without meaning for the client.
    Ignored,
    /// Search information.
    Info(SearchInfo),
    /// The best move.
    Move {
        /// The move as the engine wrote it; `None` if the line has none.
        word: Option<String>,
        /// The expected reply (ponder move).
        ponder: Option<String>,
        /// Search information from the same line.
        info: SearchInfo,
    },
    /// The engine resigns.
    Resign,
    /// The engine answered a probe (`readyok`, `pong`).
    Ready,
    /// The engine reported an error; its text.
    Error(String),
}

/// The client side of one protocol. Every call that waits returns by its deadline.
pub trait Client: Send {
    /// Performs the handshake.
    fn greet(&mut self, link: &mut dyn Link, deadline: Instant) -> Result<Identity, ClientError>;

    /// Sets an option (button: no value).
    fn set_option(&mut self, link: &mut dyn Link, name: &str, value: Option<&str>) -> Result<(), ClientError>;

    /// Waits until the engine has processed every command.
    fn synchronize(&mut self, link: &mut dyn Link, deadline: Instant) -> Result<(), ClientError>;

    /// Starts a new game with the engine on `side` and waits until it is ready. The limits are those of its first move.
    fn new_game(
        &mut self,
        link: &mut dyn Link,
        history: &GameHistory,
        side: Player,
        limits: &GoLimits,
        deadline: Instant,
    ) -> Result<(), ClientError>;

    /// Sends the position and checks the engine's view of it; the clock is not running yet.
    fn prepare(&mut self, link: &mut dyn Link, history: &GameHistory, deadline: Instant) -> Result<(), ClientError>;

    /// Starts the search.
    fn go(&mut self, link: &mut dyn Link, history: &GameHistory, limits: &GoLimits) -> Result<(), ClientError>;

    /// Starts a search for the move after the last one of `history`, which the opponent is expected to make; `false` if
    /// the protocol has no pondering.
    fn ponder(
        &mut self,
        _link: &mut dyn Link,
        _history: &GameHistory,
        _limits: &GoLimits,
    ) -> Result<bool, ClientError> {
        Ok(false)
    }

    /// Reports that the opponent played the expected move; the engine's clock starts.
    fn ponder_hit(&mut self, _link: &mut dyn Link) -> Result<(), ClientError> {
        Ok(())
    }

    /// Parses a line that arrived during a search.
    fn parse_reply(&mut self, line: &str) -> EngineReply;

    /// Asks whether the engine is alive (answered by [`EngineReply::Ready`]); `false` if the protocol cannot during a
    /// search.
    fn probe(&mut self, _link: &mut dyn Link) -> Result<bool, ClientError> {
        Ok(false)
    }

    /// Asks the engine to move at once; `false` if the protocol cannot.
    fn stop(&mut self, _link: &mut dyn Link) -> Result<bool, ClientError> {
        Ok(false)
    }

    /// Reports the end of the game and checks the engine's view of the result. Protocols without a command for it only
    /// send the last moves.
    fn game_over(
        &mut self,
        link: &mut dyn Link,
        history: &GameHistory,
        _outcome: Outcome,
        deadline: Instant,
    ) -> Result<(), ClientError> {
        self.prepare(link, history, deadline)
    }

    /// Sends `quit` without waiting for anything.
    fn quit(&mut self, link: &mut dyn Link) {
        // A closed link means that the engine has already quit.
        let _ = link.send("quit");
    }

    /// The limits of a game's first move that the protocol cannot express.
    fn unsupported_limits(&self, _limits: &GoLimits) -> Vec<String> {
        Vec::new()
    }
}

/// Notation of passes in move lists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PassNotation {
    /// As this word.
    Word(String),
    /// Omitted.
    Implicit,
}
