//! UGI, the Universal Game Interface, as kz04px's cutegames speaks it, with UCI's words read as well, and with commands for
//! hands at a terminal. `protocol.md` is its normative description.

#![deny(clippy::indexing_slicing)]

mod go;
mod grammar;
mod help;
pub(super) mod print;

use super::dialect::{Command, Dialect, Tag};
use super::writer::Output;
use crate::engine::board::Conduct;
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
    fn conduct(&self) -> Conduct {
        Conduct::default()
    }

    fn read(&mut self, line: &str) -> Vec<Command> {
        match line.trim() {
            "ugi" => self.closing = "ugiok",
            "uci" => self.closing = "uciok",
            _ => {}
        }
        let mut commands = read(line);
        for command in &mut commands {
            if let Request::Go(go) = &mut command.request {
                go.ponder = false; // UGI knows no pondering: the word is UCI's and means nothing here
            }
        }
        commands
    }

    fn write(&mut self, _tag: Tag, event: &Event) -> Option<Output> {
        print::output(event, self.closing)
    }
}

/// The commands of a line.
pub(super) fn read(line: &str) -> Vec<Command> {
    let text = line.trim();
    if text.is_empty() || text.starts_with('#') {
        return Vec::new();
    }
    let requests = grammar::requests(line).unwrap_or_else(|error| vec![Request::Say(Saying::Error(error))]);
    requests.into_iter().map(Command::from).collect()
}
