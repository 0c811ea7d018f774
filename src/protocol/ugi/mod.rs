//! UGI, the Universal Game Interface, as used by kz04px's cutegames, plus UCI's commands and commands for interactive
//! use. `protocol.md` is the specification.

#![deny(clippy::indexing_slicing)]

mod go;
pub mod grammar;
mod help;
mod paint;
pub(super) mod print;
mod spec;

use super::dialect::{Dialect, Tag};
use super::writer::Output;
use crate::engine::board::DialectRules;
use crate::engine::event::Event;
use crate::engine::request::{Reply, Request};

/// The dialect.
#[derive(Debug)]
pub struct Ugi {
    /// The last line of the option listing: `ugiok`, or `uciok` after `uci`.
    closing: &'static str,
    color: bool,
}

impl Default for Ugi {
    fn default() -> Self {
        Ugi { closing: "ugiok", color: false }
    }
}

impl Dialect for Ugi {
    fn rules(&self) -> DialectRules {
        DialectRules::default()
    }

    fn parse(&mut self, line: &str) -> Vec<(Tag, Request)> {
        match line.split_ascii_whitespace().next().unwrap_or_default() {
            "ugi" => self.closing = "ugiok",
            "uci" => self.closing = "uciok",
            _ => {}
        }
        let mut commands = parse(line);
        for (_, request) in &mut commands {
            if let Request::Go(go) = request {
                go.ponder = false; // UGI has no pondering: the UCI keyword is accepted and ignored
            }
        }
        commands
    }

    fn format(&mut self, _tag: Tag, event: &Event) -> Option<Output> {
        print::format(event, self.closing, self.color)
    }

    fn set_color(&mut self, color: bool) {
        self.color = color;
    }
}

/// The commands of a line.
pub(super) fn parse(line: &str) -> Vec<(Tag, Request)> {
    let text = line.trim();
    if text.is_empty() || text.starts_with('#') {
        return Vec::new();
    }
    let requests = grammar::requests(line).unwrap_or_else(|error| vec![Request::Reply(Reply::Error(error))]);
    requests.into_iter().map(|request| (Tag::default(), request)).collect()
}
