//! The interface of a protocol's dialect: parsing of lines, formatting of events.

use super::line::LineError;
use super::writer::Output;
use crate::engine::board::DialectRules;
use crate::engine::event::Event;
use crate::engine::request::{Reply, Request};

/// Data of a command that its dialect needs to format the answers; only the dialect interprets it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tag {
    /// The id of the command (GTP), or the contempt when it arrived (NBoard).
    pub number: Option<i64>,
    /// The row of the command in the dialect's table.
    pub command: Option<usize>,
}

/// Parses the lines of a protocol and formats its output.
pub trait Dialect {
    /// The session settings that the protocol fixes.
    fn rules(&self) -> DialectRules;

    /// The requests of a line, in order, each with the tag of its answers. A parse error is a request too
    /// ([`Reply::Error`]), so that errors and answers keep their order.
    fn parse(&mut self, line: &str) -> Vec<(Tag, Request)>;

    /// The text of an event that answers a command with this tag; `None`: no output.
    fn format(&mut self, tag: Tag, event: &Event) -> Option<Output>;

    /// Switches colored boards on or off, in dialects that print boards for people.
    fn set_color(&mut self, _color: bool) {}

    /// The request for a line that could not be read (not UTF-8, too long).
    fn reject(&mut self, error: LineError) -> Vec<(Tag, Request)> {
        vec![(Tag::default(), Request::Reply(Reply::Error(error.to_string())))]
    }

    /// Whether the end of input acts like `quit`. Otherwise the queued commands run to their end.
    fn stops_at_end_of_input(&self) -> bool {
        false
    }
}
