//! The client half of the protocols: what a match runner sends to an engine, and how it reads the replies.
//!
//! Text only. Lines are sent and received through a [`Link`] (a process, or a script in a test). Clients have no
//! clocks: a [`Client`] sends `go` and parses lines, the caller measures time and decides. The rules come from the
//! [`GameHistory`].
//!
//! Not supported: pondering, and analysis (`hint`, MultiPV).

mod game_history;
mod go_limits;
mod gtp_client;
mod link;
mod nboard_client;
mod search_info;
mod uci_client;
mod ugi_client;
mod ugi_uci;

use std::time::Instant;

use thiserror::Error;

use crate::game::{Outcome, Player, quoted};

pub use game_history::{GameHistory, Ply};
pub use go_limits::{ClockView, GoLimits};
pub use gtp_client::GtpClient;
pub use link::{Link, LinkError, ReceivedLine};
pub use nboard_client::NBoardClient;
pub use search_info::{ReportedScore, SearchInfo};
pub use uci_client::UciClient;
pub use ugi_client::UgiClient;

/// What can go wrong between a client and an engine.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ClientError {
    /// A line could not be sent or received.
    #[error("{error} (waiting for {awaited})")]
    Link {
        /// What the client was waiting for.
        awaited: String,
        /// The cause.
        error: LinkError,
    },
    /// The engine's answer to a query about the position contradicts the rules.
    #[error("query {query} answered \"{}\", expected {expected}", quoted(.answer))]
    WrongAnswer {
        /// The query.
        query: String,
        /// The engine's answer.
        answer: String,
        /// The answer by the rules.
        expected: String,
    },
    /// The engine rejected a command, or its reply is not a valid answer.
    #[error("\"{command}\" answered \"{}\"", quoted(.answer))]
    Refused {
        /// The command.
        command: String,
        /// The reply.
        answer: String,
    },
    /// The engine or its protocol does not support what the match needs.
    #[error("{0}")]
    Unable(String),
}

impl ClientError {
    fn link(error: LinkError, awaited: impl Into<String>) -> ClientError {
        ClientError::Link { awaited: awaited.into(), error }
    }
}

/// What an engine reports about itself in the handshake.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// Its name, empty if it gives none.
    pub name: String,
    /// Its author, empty if it gives none.
    pub author: String,
    /// The options it declares.
    pub options: Vec<DeclaredOption>,
}

impl Identity {
    /// The option of that name, ignoring case.
    pub fn option(&self, name: &str) -> Option<&DeclaredOption> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }
}

/// An option as an engine declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredOption {
    /// Its name.
    pub name: String,
    /// `check`, `spin`, `combo`, `button` or `string`.
    pub kind: String,
    /// The words after `default`.
    pub default: String,
    /// The values of a combo.
    pub values: Vec<String>,
}

/// The meaning of a line that arrives during a search.
#[derive(Clone, PartialEq, Debug)]
pub enum EngineReply {
    /// Nothing the client uses.
    Ignored,
    /// Search information.
    Info(SearchInfo),
    /// The engine's move.
    Move {
        /// The move as the engine wrote it; `None` if the line has none.
        word: Option<String>,
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
    fn synchronise(&mut self, link: &mut dyn Link, deadline: Instant) -> Result<(), ClientError>;

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

    /// Tells the engine that the game is over and checks its view of the result. Protocols without words for that only
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

    /// Which of the limits of a game's first move the protocol cannot express.
    fn unsupported_limits(&self, _limits: &GoLimits) -> Vec<String> {
        Vec::new()
    }
}

/// How passes are sent in move lists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PassNotation {
    /// As this word.
    Word(String),
    /// Omitted.
    Implicit,
}

/// The answer to UGI's `query result`.
fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::FirstWins => "p1win",
        Outcome::SecondWins => "p2win",
        Outcome::Draw => "draw",
    }
}
