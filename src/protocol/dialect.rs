//! What a protocol has to know: how its lines are read and how its answers are written.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::gtp::{self, Gtp};
use super::line::LineError;
use super::nboard::NBoard;
use super::uci::Uci;
use super::ugi::Ugi;
use super::writer::Output;
use crate::engine::board::Conduct;
use crate::engine::event::Event;
use crate::engine::request::{Request, Saying};

/// The protocols that can be chosen by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// The Universal Game Interface; words of UCI are read as well
    #[default]
    Ugi,
    /// The Universal Chess Interface, for the games of this engine
    Uci,
    /// The Go Text Protocol, version 2, for the boards of discs
    Gtp,
    /// NBoard's protocol, version 2, for the boards of discs
    #[value(name = "nboard")]
    NBoard,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Protocol; 4] = [Protocol::Ugi, Protocol::Uci, Protocol::Gtp, Protocol::NBoard];

    /// The protocol that a first line belongs to: some have greetings of their own, all else is UGI.
    pub fn of(first_line: &str) -> Protocol {
        let mut words = first_line.split_ascii_whitespace();
        match words.next() {
            Some("uci") => Protocol::Uci,
            Some("nboard") => Protocol::NBoard,
            Some(word) if gtp::begins_with(word, words.next()) => Protocol::Gtp,
            _ => Protocol::Ugi,
        }
    }

    /// The protocol of that name, in any case.
    pub fn by_name(name: &str) -> Option<Protocol> {
        Self::ALL.into_iter().find(|protocol| protocol.name().eq_ignore_ascii_case(name))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Ugi => "ugi",
            Protocol::Uci => "uci",
            Protocol::Gtp => "gtp",
            Protocol::NBoard => "nboard",
        }
    }

    /// Whether it can tell of boards of discs alone.
    pub fn needs_discs(self) -> bool {
        matches!(self, Protocol::Gtp | Protocol::NBoard)
    }

    /// Its dialect.
    pub fn dialect(self) -> Box<dyn Dialect> {
        match self {
            Protocol::Ugi => Box::new(Ugi::default()),
            Protocol::Uci => Box::new(Uci::default()),
            Protocol::Gtp => Box::new(Gtp),
            Protocol::NBoard => Box::new(NBoard::default()),
        }
    }
}

/// What a dialect remembers of a line until the answers to it are written. What the parts mean is the dialect's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tag {
    /// A number that came with the line, or was in force: a GTP command's.
    pub number: Option<i64>,
    /// Which command it was, counted in the dialect's table.
    pub command: Option<usize>,
}

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
        Command { tag: Tag::default(), request }
    }
}

/// How a protocol is read and written.
pub trait Dialect {
    /// What it makes of the board, and what it leaves to options.
    fn conduct(&self) -> Conduct;

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

    /// Whether every command before `quit` is still owed its answer: then the searches are cut short and the queue is
    /// worked off, instead of being dropped.
    fn answers_all_before_quit(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_words_choose() {
        for (line, protocol) in [
            ("uci", Protocol::Uci),
            ("ugi", Protocol::Ugi),
            ("ucinewgame", Protocol::Ugi),
            ("nboard 2", Protocol::NBoard),
            ("name", Protocol::Gtp),
            ("1 protocol_version", Protocol::Gtp),
            ("  7\tgenmove b", Protocol::Gtp),
            ("gogui-rules_board_size", Protocol::Gtp),
            ("3 gogui-interrupt", Protocol::Gtp),
            ("undo", Protocol::Ugi),
            ("quit", Protocol::Ugi),
            ("2 quit", Protocol::Ugi),
            ("12", Protocol::Ugi),
            ("x play b d3", Protocol::Ugi),
            ("", Protocol::Ugi),
        ] {
            assert_eq!(Protocol::of(line), protocol, "{line}");
        }
    }

    #[test]
    fn names_are_those_of_the_command_line() {
        for protocol in Protocol::ALL {
            assert_eq!(Protocol::by_name(&protocol.name().to_uppercase()), Some(protocol));
            assert_eq!(
                protocol.to_possible_value().map(|value| value.get_name().to_owned()),
                Some(protocol.name().into())
            );
        }
        assert_eq!(Protocol::by_name("xboard"), None);
    }
}
