//! The text protocols, on the engine's side; `arena/client` is the side that drives other engines.
//!
//! A [`session`] exchanges lines with the engine, [`driver`] connects one with standard input and
//! output. A
//! [`Dialect`](dialect::Dialect) parses each line into requests and formats the engine's events as
//! text, independent of games and searches. Each dialect is a table of [`command`]s; [`tokens`] has
//! the lexical parsers that their arguments share.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod command;
pub mod dialect;
pub mod driver;
pub mod gtp;
pub mod line;
pub mod nboard;
pub mod queue;
pub mod session;
pub mod tokens;
pub mod uci;
pub mod ugi;
pub mod writer;

use crate::engine::board::DialectRules;
use dialect::Dialect;
use gtp::Gtp;
use nboard::NBoard;
use uci::Uci;
use ugi::Ugi;

/// A protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(
    feature = "cli",
    derive(clap::ValueEnum, serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
pub enum Protocol {
    /// The Universal Game Interface; words of UCI are read as well
    #[default]
    Ugi,
    /// The Universal Chess Interface, for the games of this engine
    Uci,
    /// The Go Text Protocol, version 2, for disc games
    Gtp,
    /// NBoard's protocol, version 2, for disc games
    #[cfg_attr(feature = "cli", value(name = "nboard"))]
    NBoard,
}

impl Protocol {
    /// Detects the protocol from the first line; UGI unless it is a greeting or command of another
    /// protocol.
    pub fn detect(first_line: &str) -> Protocol {
        match first_line.split_ascii_whitespace().next() {
            Some("uci") => Protocol::Uci,
            Some("nboard") => Protocol::NBoard,
            _ if gtp::recognizes(first_line) => Protocol::Gtp,
            _ => Protocol::Ugi,
        }
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

    /// The session settings that it fixes.
    pub fn rules(self) -> DialectRules {
        DialectRules {
            rejects_lists: self != Protocol::Ugi,
            uses_drops: self == Protocol::Uci,
            discs_only: matches!(self, Protocol::Gtp | Protocol::NBoard),
        }
    }

    /// Its dialect; with `color`, boards are drawn in color if it prints boards for users.
    pub fn dialect(self, color: bool) -> Box<dyn Dialect> {
        let ugi = Ugi {
            color,
            ponders: self == Protocol::Uci,
        };
        match self {
            Protocol::Ugi => Box::new(ugi),
            Protocol::Uci => Box::new(Uci(ugi)),
            Protocol::Gtp => Box::new(Gtp),
            Protocol::NBoard => Box::new(NBoard::default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_words_select_the_protocol() {
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
            ("exit", Protocol::Ugi),
            ("help", Protocol::Ugi),
            ("2 quit", Protocol::Gtp),
            ("1 undo", Protocol::Gtp),
            ("2 hello", Protocol::Gtp),
            ("time_settings 0 5 1", Protocol::Gtp),
            ("komi 7.5", Protocol::Gtp),
            ("komi# none", Protocol::Gtp),
            ("showboard", Protocol::Gtp),
            ("kgs-genmove_cleanup b", Protocol::Gtp),
            ("lz-analyze 10", Protocol::Gtp),
            ("kata-get-rules", Protocol::Gtp),
            ("-name", Protocol::Ugi),
            ("12", Protocol::Ugi),
            ("1. f5", Protocol::Ugi),
            ("setoption name Clear-Hash", Protocol::Ugi),
            ("x play b d3", Protocol::Ugi),
            ("", Protocol::Ugi),
        ] {
            assert_eq!(Protocol::detect(line), protocol, "{line}");
        }
    }

    #[cfg(feature = "cli")]
    #[test]
    fn names_match_the_command_line() {
        use clap::ValueEnum;

        for &protocol in Protocol::value_variants() {
            assert_eq!(
                Protocol::from_str(&protocol.name().to_uppercase(), true),
                Ok(protocol)
            );
            assert_eq!(
                protocol
                    .to_possible_value()
                    .map(|value| value.get_name().to_owned()),
                Some(protocol.name().into())
            );
        }
        assert!(Protocol::from_str("xboard", true).is_err());
    }
}
