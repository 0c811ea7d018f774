//! The commands and replies UGI and UCI share: handshake, options, `isready`, `go`, `info`, `bestmove`.

use std::time::Instant;

use super::client_error::ClientError;
use super::exchange::{send_all, wait_for};
use super::game_history::GameHistory;
use super::go_limits::GoLimits;
use super::identity::{DeclaredOption, Identity};
use super::interface::{EngineReply, PassNotation};
use super::link::Link;
use super::search_info::SearchInfo;

/// Sends the greeting and collects the engine's `id` and `option` lines up to the closing word.
pub fn greet(link: &mut dyn Link, greeting: &str, closing: &str, deadline: Instant) -> Result<Identity, ClientError> {
    send_all(link, [greeting])?;
    let mut identity = Identity::default();
    wait_for(link, deadline, closing, |line| {
        let line = line.trim();
        if let Some(name) = line.strip_prefix("id name ") {
            identity.name = name.trim().into();
        } else if let Some(author) = line.strip_prefix("id author ") {
            identity.author = author.trim().into();
        } else if let Some(declaration) = line.strip_prefix("option ") {
            identity.options.extend(parse_option(declaration));
        }
        (line == closing).then_some(())
    })?;
    Ok(identity)
}

/// Parses the words after `option`; names and values may contain blanks.
fn parse_option(declaration: &str) -> Option<DeclaredOption> {
    let mut option = DeclaredOption::default();
    let mut field = "";
    let push = |text: &mut String, word: &str| {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    };
    for word in declaration.split_ascii_whitespace() {
        match (field, word) {
            ("" | "name", "name") if option.name.is_empty() => field = "name",
            (_, "type") => field = "type",
            (_, "default") if !option.kind.is_empty() => field = "default",
            (_, "var") if !option.kind.is_empty() => {
                field = "var";
                option.values.push(String::new());
            }
            (_, "min") if !option.kind.is_empty() => field = "min",
            (_, "max") if !option.kind.is_empty() => field = "max",
            ("min", _) => option.min = word.parse().ok(),
            ("max", _) => option.max = word.parse().ok(),
            ("name", _) => push(&mut option.name, word),
            ("type", _) => option.kind = word.into(),
            ("default", _) => push(&mut option.default, word),
            ("var", _) => {
                if let Some(value) = option.values.last_mut() {
                    push(value, word);
                }
            }
            _ => {}
        }
    }
    (!option.name.is_empty()).then_some(option)
}

/// Sends `setoption`.
pub fn set_option(link: &mut dyn Link, name: &str, value: Option<&str>) -> Result<(), ClientError> {
    let line = match value {
        Some(value) => format!("setoption name {name} value {value}"),
        None => format!("setoption name {name}"),
    };
    send_all(link, [line])
}

/// Counts unanswered `isready` commands. The answer to a probe during a search may arrive after the move and must not
/// be taken for the answer to a later `isready`.
#[derive(Default)]
pub struct PendingReady {
    pending: u32,
}

impl PendingReady {
    /// Sends `isready`.
    pub fn ask(&mut self, link: &mut dyn Link) -> Result<(), ClientError> {
        self.pending += 1;
        send_all(link, ["isready"])
    }

    /// Processes a line; returns whether it answers the last pending `isready`.
    pub fn is_answered_by(&mut self, line: &str) -> bool {
        if line.trim() != "readyok" {
            return false;
        }
        self.pending = self.pending.saturating_sub(1);
        self.pending == 0
    }

    /// Sends `isready` and waits until every `isready` is answered.
    pub fn synchronize(&mut self, link: &mut dyn Link, deadline: Instant) -> Result<(), ClientError> {
        self.ask(link)?;
        wait_for(link, deadline, "readyok", |line| self.is_answered_by(line).then_some(()))
    }
}

/// The `position` command for a history, in the game's own notation.
pub fn position_command(history: &GameHistory, pass: &PassNotation) -> String {
    let mut line = match history.start() {
        Some(start) => format!("position fen {}", start.write_position()),
        None => "position startpos".to_string(),
    };
    let mut first = true;
    for ply in history.plies() {
        let word = match pass {
            PassNotation::Implicit if ply.played.is_pass() => continue,
            PassNotation::Word(word) if ply.played.is_pass() => word,
            _ => &ply.word,
        };
        line.push_str(if first { " moves " } else { " " });
        line.push_str(word);
        first = false;
    }
    line
}

/// Sends a command (`go`, `go ponder`) with its limits; `times` and `increments` are the protocol's names for the two
/// players' clocks.
pub fn go(
    link: &mut dyn Link,
    command: &str,
    limits: &GoLimits,
    times: [&str; 2],
    increments: [&str; 2],
) -> Result<(), ClientError> {
    send_all(link, [format!("{command}{}", limits.go_arguments(times, increments))])
}

/// Parses a line that arrived during a search.
pub fn parse_reply(line: &str, pending_ready: &mut PendingReady) -> EngineReply {
    let line = line.trim();
    let (first, rest) = line.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((line, ""));
    match first {
        "bestmove" => {
            let mut words = rest.split_ascii_whitespace();
            let word = words.next().map(String::from);
            let ponder = words.next().filter(|&word| word == "ponder").and_then(|_| words.next()).map(String::from);
            EngineReply::Move { word, ponder, info: SearchInfo::default() }
        }
        "info" => match SearchInfo::parse(rest) {
            info if info == SearchInfo::default() => EngineReply::Ignored,
            info => EngineReply::Info(info),
        },
        "readyok" if rest.is_empty() => {
            pending_ready.is_answered_by(line);
            EngineReply::Ready
        }
        _ => EngineReply::Ignored,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_declarations_with_blanks_are_parsed() {
        let option = parse_option("name Move Overhead type spin default 10 min 0 max 5000").unwrap();
        assert_eq!(
            (option.name.as_str(), option.kind.as_str(), option.default.as_str()),
            ("Move Overhead", "spin", "10")
        );
        assert_eq!((option.min, option.max), (Some(0), Some(5000)));
        let option = parse_option("name Style type combo default Very Solid var Very Solid var Risky").unwrap();
        assert_eq!(option.values, ["Very Solid", "Risky"]);
        assert_eq!(option.default, "Very Solid");
        assert_eq!(parse_option("name EvalFile type string default <empty>").unwrap().default, "<empty>");
        assert_eq!(parse_option("name Path type string").unwrap().default, "");
        assert!(parse_option("type spin").is_none());
    }

    #[test]
    fn lines_during_a_search_are_parsed() {
        let parse = |line| parse_reply(line, &mut PendingReady::default());
        let best = |word: Option<&str>, ponder: Option<&str>| EngineReply::Move {
            word: word.map(String::from),
            ponder: ponder.map(String::from),
            info: SearchInfo::default(),
        };
        assert_eq!(parse("bestmove c4"), best(Some("c4"), None));
        assert_eq!(parse(" bestmove  c4 ponder d3\r"), best(Some("c4"), Some("d3")));
        assert_eq!(parse("bestmove c4 d3 ponder"), best(Some("c4"), None));
        assert_eq!(parse("bestmove"), best(None, None));
        assert_eq!(parse("bestmover c4"), EngineReply::Ignored);
        assert_eq!(parse("info string depth 3"), EngineReply::Ignored);
        assert!(matches!(parse("info depth 3 nodes 7"), EngineReply::Info(info) if info.depth == Some(3)));
        assert_eq!(parse("readyok"), EngineReply::Ready);
        assert_eq!(parse("\u{1}\u{fffd}"), EngineReply::Ignored);
    }
}
