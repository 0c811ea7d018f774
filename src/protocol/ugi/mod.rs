//! UGI, the Universal Game Interface, as kz04px's cutegames speaks it, with UCI's words read as well, and with commands for
//! hands at a terminal. `protocol.md` is its normative description.

#![deny(clippy::indexing_slicing)]

mod go;
mod grammar;
mod help;
mod print;

use super::dialect::{Command, Dialect, Tag};
use super::writer::Output;
use crate::engine::board::{OnIllegal, Spelling};
use crate::engine::event::Event;
use crate::engine::request::{Request, Saying};

pub use grammar::COMMANDS;

/// The dialect.
#[derive(Debug)]
pub struct Ugi {
    /// What ends the listing of options: `ugiok`, or `uciok` for those who said `uci`.
    closing: &'static str,
}

impl Default for Ugi {
    fn default() -> Self {
        Ugi { closing: "ugiok" }
    }
}

impl Dialect for Ugi {
    fn manners(&self) -> (Spelling, OnIllegal) {
        (Spelling::Native, OnIllegal::Forfeit)
    }

    fn read(&mut self, line: &str) -> Vec<Command> {
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            return Vec::new();
        }
        match text {
            "ugi" => self.closing = "ugiok",
            "uci" => self.closing = "uciok",
            _ => {}
        }
        let requests = grammar::requests(line).unwrap_or_else(|error| vec![Request::Say(Saying::Error(error))]);
        requests.into_iter().map(Command::from).collect()
    }

    fn write(&mut self, _tag: Tag, event: &Event) -> Option<Output> {
        Some(print::output(event, self.closing))
    }
}
