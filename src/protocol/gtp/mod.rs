//! GTP, the Go Text Protocol, version 2, for the disc games, as used by Quarry, gogui-twogtp and the GoGui GUI (through
//! its `gogui-rules_*` commands).
//!
//! Each command has one answer, `=[id] text` or `?[id] error`, followed by an empty line, in the order of the commands.
//! A vertex is a square in Othello's notation (A1 top left). Either color may move at any time; a forced pass of the
//! other color is inserted. The engine keeps the clocks. GoGui stops a search with the comment `# interrupt`. Not
//! supported: komi (accepted and ignored), handicap, SGF files.

#![deny(clippy::indexing_slicing)]

mod answer;
mod table;

use super::dialect::{Dialect, Tag};
use super::writer::{Output, OutputKind};
use crate::engine::board::{DialectRules, OnIllegal};
use crate::engine::event::Event;
use crate::engine::quoted;
use crate::engine::request::{Reply, Request};

pub use table::{COMMANDS, FIRST_WORDS};

/// The comment by which GoGui stops a search of an engine that lists `gogui-interrupt`.
const INTERRUPT: &str = "# interrupt";

/// The dialect.
#[derive(Debug, Default)]
pub struct Gtp;

impl Dialect for Gtp {
    fn rules(&self) -> DialectRules {
        DialectRules { on_illegal: OnIllegal::Reject, uses_drops: false, has_own_passes: true }
    }

    fn parse(&mut self, line: &str) -> Vec<(Tag, Request)> {
        if line.trim() == INTERRUPT {
            // Not a command, so it has no response; the stopped search responds.
            return vec![(Tag::default(), Request::Stop)];
        }
        let text = cleaned(line);
        let mut words = text.split_ascii_whitespace().peekable();
        let number = words.next_if(|word| is_number(word)).and_then(|word| word.parse().ok());
        let Some(word) = words.next() else { return Vec::new() };
        let arguments: Vec<&str> = words.collect();
        let row = COMMANDS.iter().position(|command| command.word == word);
        let request = match row.and_then(|row| COMMANDS.get(row)) {
            Some(command) => (command.parse)(&arguments).unwrap_or_else(|error| {
                let usage = format!("{} {}", command.word, command.usage);
                Request::Reply(Reply::Error(format!("{error}, expected {}", usage.trim())))
            }),
            None => Request::Reply(Reply::Error(format!("unknown command \"{}\"", quoted(word)))),
        };
        vec![(Tag { number, command: row }, request)]
    }

    fn format(&mut self, tag: Tag, event: &Event) -> Option<Output> {
        let (sign, text) = match event {
            // No output before the answer of a search.
            Event::Info(_) | Event::RootMove { .. } | Event::PerftRunning { .. } | Event::PerftMove { .. } => {
                return None;
            }
            Event::Error(error) => ('?', error.replacen("undo: ", "cannot undo: ", 1)),
            _ => {
                let command = tag.command.and_then(|row| COMMANDS.get(row))?;
                ('=', (command.answer)(event))
            }
        };
        let number = tag.number.map_or_else(String::new, |number| number.to_string());
        let blank = if text.is_empty() || text.starts_with('\n') { "" } else { " " };
        // The writer's line end after this one makes the empty line.
        Some(Output { kind: OutputKind::Answer, text: format!("{sign}{number}{blank}{}\n", text.trim_end()) })
    }
}

/// A line without comment and control characters, tabs replaced by blanks.
fn cleaned(line: &str) -> String {
    let text = line.split('#').next().unwrap_or_default();
    text.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !c.is_control()).collect()
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a first line selects GTP: a GTP command that UGI does not have, a private extension of a GTP engine
/// (`lz-analyze`; no UGI command has a hyphen), or any command with an id.
pub fn recognizes(first_line: &str) -> bool {
    let text = cleaned(first_line);
    let mut words = text.split_ascii_whitespace().peekable();
    let has_id = words.next_if(|word| is_number(word)).is_some();
    let Some(word) = words.next() else { return false };
    let is_extension = word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.contains('-');
    has_id || is_extension || FIRST_WORDS.contains(&word)
}
