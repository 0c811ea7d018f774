//! Errors that prevent or abort a game.

use thiserror::Error;

use super::engine_spec::EngineSpec;
use super::start_failure::last_lines;

/// An engine does not start or does not support the game.
#[derive(Clone, Debug, Error)]
#[error(
    "engine \"{name}\" cannot start: {what}\n  command: {command}\n  stderr: {}",
    if stderr.is_empty() { "(empty)" } else { stderr }
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
    /// The error with the last lines of `stderr`, the engine's standard error.
    pub fn new(spec: &EngineSpec, what: String, stderr: String) -> StartError {
        let (name, command) = (spec.name.clone(), spec.command_line());
        StartError { name, command, what, stderr: last_lines(&stderr) }
    }
}

/// Why a game was aborted.
#[derive(Clone, Debug)]
pub enum Abort {
    /// An engine cannot start.
    CannotStart(StartError),
    /// A ply cannot be recorded: the reason.
    CannotRecord(String),
    /// The tournament was interrupted.
    Interrupted,
}
