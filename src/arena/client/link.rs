//! Lines to and from an engine: the connection, and the two basic operations of all clients on it.

use std::time::{Duration, Instant};

use thiserror::Error;

use crate::game::quoted;

/// A line-based connection to an engine.
pub trait Link {
    /// Sends several lines at once; the line terminators are added.
    fn send_all(&mut self, lines: &[String]) -> Result<(), LinkError>;
    /// Waits for the next line until the deadline.
    fn receive(&mut self, deadline: Instant) -> Result<ReceivedLine, LinkError>;
}

/// A line from the engine with its time of arrival.
#[derive(Clone, PartialEq, Eq, Debug)]
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
    #[error("{0}")]
    WrongAnswer(String),
    /// The engine rejected a command, or its reply is not a valid answer.
    #[error("{0}")]
    Refused(String),
    /// The engine or its protocol lacks a required feature.
    #[error("{0}")]
    Unable(String),
}

/// The result of a client's call.
pub type Result<T = (), E = ClientError> = std::result::Result<T, E>;

/// The link of one call of a client, with the deadline of the engine's replies.
pub struct Exchange<'a> {
    link: &'a mut dyn Link,
    deadline: Instant,
    /// Lines to send together with the next one.
    queued: Vec<String>,
    /// The lower-case beginning of lines that refuse a command, and those that have arrived.
    refusal: Option<&'static str>,
    refusals: Vec<String>,
}

impl<'a> Exchange<'a> {
    /// An exchange that takes at most `timeout` from now.
    pub fn new(link: &'a mut dyn Link, timeout: Duration) -> Exchange<'a> {
        Exchange {
            link,
            deadline: Instant::now() + timeout,
            queued: Vec::new(),
            refusal: None,
            refusals: Vec::new(),
        }
    }

    /// Notes the lines that begin so in lower case: the engine refuses a command.
    pub fn note_refusals(&mut self, beginning: &'static str) {
        self.refusal = Some(beginning);
    }

    /// The lines noted.
    pub fn refusals(self) -> Vec<String> {
        self.refusals
    }

    /// Sends a line, after those that are queued.
    pub fn send(&mut self, line: impl Into<String>) -> Result {
        self.queue(line);
        let lines = std::mem::take(&mut self.queued);
        // Texts of the user are checked where they are read; a plan may be edited.
        if let Some(line) = lines.iter().find(|line| line.contains(char::is_control)) {
            return Err(ClientError::Unable(format!(
                "the line \"{}\" contains control characters",
                quoted(line)
            )));
        }
        self.link.send_all(&lines).map_err(|error| {
            let last = lines.last().map_or("", String::as_str);
            ClientError::Link {
                awaited: format!("the engine to read \"{}\"", quoted(last)),
                error,
            }
        })
    }

    /// Queues a line, which is sent with the next one: each write may wake the engine.
    pub fn queue(&mut self, line: impl Into<String>) {
        self.queued.push(line.into());
    }

    /// Receives lines until `accept` returns a value for the trimmed line. The error quotes the
    /// last line that was not accepted.
    pub fn wait_for<T>(
        &mut self,
        awaited: &str,
        mut accept: impl FnMut(&str) -> Option<T>,
    ) -> Result<T> {
        let mut awaited_after = awaited.to_string();
        loop {
            let line = self
                .link
                .receive(self.deadline)
                .map_err(|error| ClientError::Link {
                    awaited: awaited_after.clone(),
                    error,
                })?;
            let text = line.text.trim();
            let begins = |word: &str| text.to_ascii_lowercase().starts_with(word);
            if self.refusal.is_some_and(begins) {
                self.refusals.push(text.into());
            }
            if let Some(found) = accept(text) {
                return Ok(found);
            }
            if !text.is_empty() {
                awaited_after = format!("{awaited}; the last line was \"{}\"", quoted(text));
            }
        }
    }
}

#[cfg(test)]
pub mod testing {
    //! A link that follows a script: the lines a client must send, and the replies.

    use std::collections::VecDeque;

    use super::*;

    /// Lines starting with `> ` must be sent in this order; lines starting with `< ` are received.
    pub struct ScriptedLink(VecDeque<String>);

    impl ScriptedLink {
        /// A link with this script.
        pub fn new(text: &str) -> ScriptedLink {
            ScriptedLink(
                text.lines()
                    .map(str::trim)
                    .filter(|line| !line.is_empty())
                    .map(String::from)
                    .collect(),
            )
        }

        /// The link for one call of a client.
        pub fn exchange(&mut self) -> Exchange<'_> {
            Exchange::new(self, Duration::ZERO)
        }

        /// Asserts that the whole script was played.
        #[track_caller]
        pub fn finish(self) {
            assert!(self.0.is_empty(), "left in the script: {:?}", self.0);
        }
    }

    impl Link for ScriptedLink {
        fn send_all(&mut self, lines: &[String]) -> Result<(), LinkError> {
            for line in lines {
                let expected = self.0.pop_front().unwrap_or_default();
                assert_eq!(expected, format!("> {line}"));
            }
            Ok(())
        }

        fn receive(&mut self, _deadline: Instant) -> Result<ReceivedLine, LinkError> {
            match self.0.front().and_then(|line| line.strip_prefix('<')) {
                Some(text) => {
                    let text = text.strip_prefix(' ').unwrap_or(text).to_string();
                    self.0.pop_front();
                    Ok(ReceivedLine {
                        text,
                        at: Instant::now(),
                    })
                }
                None => Err(LinkError::Timeout),
            }
        }
    }
}
