//! A row of the table of commands.

use crate::engine::request::Request;
use crate::protocol::tokens::ParseResult;

/// Parses the arguments of a command, given the whole line and the rest after the command's name.
type UgiParser = for<'l> fn(&'l str, &'l str) -> ParseResult<'l, Vec<Request>>;

/// A command of UGI.
pub struct UgiCommand {
    /// Its name.
    pub word: &'static str,
    /// Its arguments: `[..]` is optional, `|` separates alternatives, capitals are placeholders.
    pub usage: &'static str,
    /// Its effect, in one sentence.
    pub help: &'static str,
    pub(super) parse: UgiParser,
}
