//! How long the match runner waits for engines.

use std::time::Duration;

/// How long the runner waits for engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timeouts {
    /// For the handshake, the reply to a command, or the move after `stop`.
    pub reply: Duration,
    /// For search information in a search without a clock.
    pub silence: Duration,
}
