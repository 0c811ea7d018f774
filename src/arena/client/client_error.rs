//! The errors of a client.

use thiserror::Error;

use super::link::LinkError;
use crate::game::quoted;

/// An error between a client and an engine.
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
    /// The engine's reply to a query contradicts the rules.
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
    /// The engine or its protocol lacks a required feature.
    #[error("{0}")]
    Unable(String),
}

impl ClientError {
    /// A failure of the link while the client was waiting for something.
    pub fn link(error: LinkError, awaited: impl Into<String>) -> ClientError {
        ClientError::Link { awaited: awaited.into(), error }
    }
}
