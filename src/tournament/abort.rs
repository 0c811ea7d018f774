//! Why a game was not played to its end.

use thiserror::Error;

/// An engine that does not start or cannot play the game.
#[derive(Clone, Debug, Error)]
#[error(
    "engine \"{name}\" cannot start: {what}\n  command: {command}\n  stderr: {}",
    if stderr.is_empty() { "(nothing)" } else { stderr }
)]
pub struct StartError {
    /// Its name.
    pub name: String,
    /// Its command line.
    pub command: String,
    /// What went wrong.
    pub what: String,
    /// Its output on standard error.
    pub stderr: String,
}

/// Why a game was not played to its end.
#[derive(Clone, Debug)]
pub enum Abort {
    /// An engine cannot start.
    CannotStart(StartError),
    /// A ply cannot be recorded, and why.
    CannotRecord(String),
    /// The tournament was interrupted.
    Interrupted,
}
