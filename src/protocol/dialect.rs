//! The interface of the protocols' dialects: parsing of lines, formatting of events.

use super::writer::Output;
use crate::engine::event::Event;
use crate::engine::request::Request;

/// Data of a command that its dialect needs to format the answers; only the dialect interprets it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tag {
    /// The id of the command as it was sent (GTP).
    pub id: String,
    /// The contempt when it arrived (NBoard).
    pub contempt: i64,
    /// The name of the command; empty if the line has none that is known.
    pub command: &'static str,
}

/// Parses the lines of a protocol and formats its output.
pub trait Dialect {
    /// The requests of a line, in order, and the tag of their answers. A parse error is a request
    /// too ([`Request::Error`]), so that errors and answers keep their order.
    fn parse(&mut self, line: &str) -> (Tag, Vec<Request>);

    /// The output for an event that answers a command with this tag.
    fn format(&mut self, tag: &Tag, event: &Event) -> Vec<Output>;

    /// Whether the end of input acts like `quit`. Otherwise the queued commands run to their end.
    fn stops_at_end_of_input(&self) -> bool {
        false
    }
}
