//! A link that follows a script: the lines a client must send, and the replies.

use std::collections::VecDeque;
use std::time::Instant;

use super::link::{Link, LinkError, ReceivedLine};

/// Lines starting with `> ` must be sent in this order; lines starting with `< ` are received.
pub struct ScriptedLink(VecDeque<String>);

impl ScriptedLink {
    /// A link with this script.
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
