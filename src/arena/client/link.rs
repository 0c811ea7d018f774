//! A line-based connection to an engine.

use std::time::Instant;

use thiserror::Error;

/// A line from the engine with its time of arrival.
#[derive(Clone, Debug)]
pub struct ReceivedLine {
    /// The text without its line terminator.
    pub text: String,
    /// When the bytes were read.
    pub at: Instant,
}

/// Why no line could be sent or received.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum LinkError {
    /// The deadline passed without a line.
    #[error("no answer in time")]
    Timeout,
    /// The engine closed its output.
    #[error("its output ended")]
    Closed,
    /// The engine has stopped reading: its input pipe is full.
    #[error("it does not read its input")]
    Blocked,
    /// The user interrupted the whole job.
    #[error("interrupted")]
    Interrupted,
}

/// A connection to an engine, line by line.
pub trait Link {
    /// Sends one line; the line terminator is added.
    fn send(&mut self, line: &str) -> Result<(), LinkError>;
    /// Waits for the next line until the deadline.
    fn receive(&mut self, deadline: Instant) -> Result<ReceivedLine, LinkError>;
}
