//! What a protocol has to know: how its lines are read and how its answers are written.

use clap::ValueEnum;

use super::line::LineError;
use super::ugi::Ugi;
use super::writer::Output;
use crate::engine::board::{OnIllegal, Spelling};
use crate::engine::event::Event;
use crate::engine::request::{Request, Saying};

/// The protocols that can be chosen by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Protocol {
    /// The Universal Game Interface; words of UCI are read as well
    Ugi,
}

impl Protocol {
    /// The protocol that a first line belongs to: some have greetings of their own, all else is UGI.
    pub fn of(_first_line: &str) -> Protocol {
        Protocol::Ugi
    }

    /// Its dialect.
    pub fn dialect(self) -> Box<dyn Dialect> {
        match self {
            Protocol::Ugi => Box::new(Ugi::default()),
        }
    }
}

/// What a dialect remembers of a line until the answers to it are written (the number of a GTP command).
pub type Tag = Option<u32>;

/// A request and the tag that its answers shall carry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// For the dialect's own use.
    pub tag: Tag,
    /// What is asked.
    pub request: Request,
}

impl From<Request> for Command {
    fn from(request: Request) -> Self {
        Command { tag: None, request }
    }
}

/// How a protocol is read and written.
pub trait Dialect {
    /// How it spells moves, and what it makes of illegal ones.
    fn manners(&self) -> (Spelling, OnIllegal);

    /// The requests of a line, in the order in which they are to be carried out. What cannot be read becomes a request
    /// too, [`Saying::Error`], so that complaints and answers keep their order.
    fn read(&mut self, line: &str) -> Vec<Command>;

    /// The text of an event that belongs to a command with this tag.
    fn write(&mut self, tag: Tag, event: &Event) -> Option<Output>;

    /// A line that is no text.
    fn refuse(&mut self, error: LineError) -> Vec<Command> {
        vec![Request::Say(Saying::Error(error.to_string())).into()]
    }

    /// Whether the end of input stops everything at once, instead of letting what is queued be worked off.
    fn stops_at_end_of_input(&self) -> bool {
        false
    }
}
