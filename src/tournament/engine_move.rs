//! The result of an engine's search.

use std::time::Duration;

use crate::protocol::client::{ReportedScore, SearchInfo};

/// The result of an engine's search.
#[derive(Clone, Debug)]
pub struct EngineMove {
    /// The move as the engine wrote it; `None` if it resigned.
    pub word: Option<String>,
    /// The whole line.
    pub line: String,
    /// From just before `go` was sent to the arrival of the reply.
    pub elapsed: Duration,
    /// From the arrival of the reply to its processing.
    pub lateness: Duration,
    /// The time to send the search command.
    pub sending: Duration,
    /// Whether the runner had to send `stop`.
    pub stopped: bool,
    /// The expected reply, as the engine wrote it.
    pub ponder: Option<String>,
    /// Whether it was a ponder hit.
    pub ponder_hit: bool,
    /// The search information that it sent.
    pub info: SearchInfo,
    /// The score of a better move that it reported and deliberately did not play.
    pub declined: Option<ReportedScore>,
}
