//! The result of a search by an engine.

use std::time::Duration;

use crate::protocol::client::{ReportedScore, SearchInfo};

/// The result of a search by an engine.
#[derive(Clone, Debug)]
pub struct EngineMove {
    /// The move as the engine wrote it; `None` if it resigned.
    pub word: Option<String>,
    /// The complete line.
    pub line: String,
    /// From just before `go` was sent to the arrival of the answer.
    pub elapsed: Duration,
    /// From the arrival of the answer to its processing.
    pub lateness: Duration,
    /// How long the command to search took to send.
    pub sending: Duration,
    /// Whether the runner had to send `stop`.
    pub stopped: bool,
    /// The reply it expects, as it wrote it.
    pub ponder: Option<String>,
    /// Whether it had pondered on the opponent's move.
    pub ponder_hit: bool,
    /// The search information it sent.
    pub info: SearchInfo,
    /// The score of a better move that it reported and knowingly did not play.
    pub declined: Option<ReportedScore>,
}
