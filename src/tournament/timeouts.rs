//! How long the match runner waits for engines.

use std::time::Duration;

/// How long the runner waits for engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timeouts {
    /// From the start of the process to the end of its handshake.
    pub start: Duration,
    /// For an answer to a command, or for the move after `stop`.
    pub answer: Duration,
    /// For search information in a search without a clock.
    pub silence: Duration,
}

impl Timeouts {
    /// Timeouts with 30 seconds (or `answer`, if longer) for the start.
    pub fn new(answer: Duration, silence: Duration) -> Timeouts {
        Timeouts { start: Duration::from_secs(30).max(answer), answer, silence }
    }
}
