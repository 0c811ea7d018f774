//! A line-based connection to an engine, and the two operations every client is built from: send lines, and receive
//! until the expected one.

use std::time::Instant;

use thiserror::Error;

use super::ClientError;
use crate::game::quoted;

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

/// Receives lines until `accept` returns a value. The error quotes the last line that was not accepted.
pub fn wait_for<T>(
    link: &mut dyn Link,
    deadline: Instant,
    awaited: &str,
    mut accept: impl FnMut(&str) -> Option<T>,
) -> Result<T, ClientError> {
    let mut last = String::new();
    loop {
        let line = link.receive(deadline).map_err(|error| match last.trim() {
            "" => ClientError::link(error, awaited),
            last => ClientError::link(error, format!("{awaited}; the last line was \"{}\"", quoted(last))),
        })?;
        if let Some(found) = accept(&line.text) {
            return Ok(found);
        }
        if !line.text.trim().is_empty() {
            last = line.text;
        }
    }
}

/// Sends lines in order.
pub fn send_all<S: AsRef<str>>(link: &mut dyn Link, lines: impl IntoIterator<Item = S>) -> Result<(), ClientError> {
    for line in lines {
        let line = line.as_ref();
        link.send(line).map_err(|error| ClientError::link(error, format!("it to take \"{}\"", quoted(line))))?;
    }
    Ok(())
}

#[cfg(test)]
pub mod testing {
    //! A link that follows a script: the lines a client must send, and the replies.

    use std::collections::VecDeque;

    use super::*;

    /// Lines starting with `> ` must be sent in this order; lines starting with `< ` are received.
    pub struct ScriptedLink(VecDeque<String>);

    impl ScriptedLink {
        pub fn new(text: &str) -> ScriptedLink {
            ScriptedLink(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(String::from).collect())
        }

        /// Asserts that the whole script was played.
        #[track_caller]
        pub fn finish(self) {
            assert!(self.0.is_empty(), "left in the script: {:?}", self.0);
        }
    }

    impl Link for ScriptedLink {
        fn send(&mut self, line: &str) -> Result<(), LinkError> {
            let expected = self.0.pop_front().unwrap_or_default();
            assert_eq!(expected, format!("> {line}"));
            Ok(())
        }

        fn receive(&mut self, _deadline: Instant) -> Result<ReceivedLine, LinkError> {
            match self.0.front().and_then(|line| line.strip_prefix('<')) {
                Some(text) => {
                    let text = text.strip_prefix(' ').unwrap_or(text).to_string();
                    self.0.pop_front();
                    Ok(ReceivedLine { text, at: Instant::now() })
                }
                None => Err(LinkError::Timeout),
            }
        }
    }
}
