//! Why a game was not played to its end.

use thiserror::Error;

use super::engine_spec::EngineSpec;
use super::start_failure::last_lines;

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
    /// The end of its output on standard error.
    pub stderr: String,
}

impl StartError {
    /// The error of an engine that has printed `stderr` on standard error, of which the last lines are kept.
    pub fn new(spec: &EngineSpec, what: String, stderr: String) -> StartError {
        let (name, command) = (spec.name.clone(), spec.command_line());
        StartError { name, command, what, stderr: last_lines(&stderr) }
    }
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
