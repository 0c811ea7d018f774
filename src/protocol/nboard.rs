//! The NBoard protocol, version 2, for disc games. The GUI keeps the game and sends it as GGF and moves; the engine
//! replies with hints, moves and analyses.
//!
//! `ping` cancels the search without further output; `pong` follows when all previous commands are done. Unknown
//! commands are ignored. The engine's move is played on the board by the GUI's next `move`. Contempt is the reported
//! score of a proven draw; it does not affect the choice of moves. Not supported: opening books.

#![deny(clippy::indexing_slicing)]

use super::dialect::{Dialect, Tag};
use super::writer::{Output, OutputKind};
use crate::engine::board::{DialectRules, OnIllegal};
use crate::engine::event::{Bound, Certainty, Event, Info, Player, Progress};
use crate::engine::request::{Go, Reply, Request};
use crate::logging::PROTOCOL;

const DEPTH: i64 = 12;

/// A command.
pub struct NBoardCommand {
    /// Its name, one or two words.
    pub words: &'static str,
    /// Its arguments.
    pub usage: &'static str,
    /// Its effect, in one sentence.
    #[allow(dead_code, reason = "tests/docs.rs compares it with protocol.md")]
    pub help: &'static str,
    id: CommandId,
}

/// Identifies a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CommandId {
    Greeting,
    Depth,
    Game,
    Contempt,
    Option,
    SearchMoves,
    Move,
    Hint,
    Go,
    Ping,
    Learn,
    Analyze,
    Quit,
}

macro_rules! row {
    ($words:literal, $usage:literal, $help:literal, $id:ident) => {
        NBoardCommand { words: $words, usage: $usage, help: $help, id: CommandId::$id }
    };
}

/// The commands.
pub const COMMANDS: [NBoardCommand; 13] = [
    row!("nboard", "2", "handshake; the engine replies `set myname NAME`", Greeting),
    row!("set depth", "N", "set the search depth (12)", Depth),
    row!("set game", "GGF", "set up the position after the last move of a game", Game),
    row!("set contempt", "C", "value of a proven draw in discs, for Black (0)", Contempt),
    row!("set option", "NAME=VALUE", "set an engine option (extension)", Option),
    row!("set searchmoves", "[MOVE...]", "restrict `hint` and `go` to these moves; none: all (extension)", SearchMoves),
    row!("move", "MOVE[/EVAL[/SECONDS]]", "play a move; a pass is `PA`", Move),
    row!("hint", "N", "print `search PV EVAL 0 DEPTH` for the N best moves at each depth, then `status`", Hint),
    row!("go", "", "print `=== MOVE[/EVAL/SECONDS]` without playing the move", Go),
    row!("ping", "N", "cancel searches and reply `pong N` when all other commands are done", Ping),
    row!("learn", "", "reply `learned`; there is no opening book", Learn),
    row!("analyze", "", "print `analysis PLY EVAL` for each position of the game, then `status`", Analyze),
    row!("quit", "", "exit", Quit),
];

/// The dialect.
#[derive(Debug)]
pub struct NBoard {
    depth: i64,
    contempt: i64,
    moves: Vec<String>,
}

impl Default for NBoard {
    fn default() -> Self {
        NBoard { depth: DEPTH, contempt: 0, moves: Vec::new() }
    }
}

impl Dialect for NBoard {
    fn rules(&self) -> DialectRules {
        DialectRules { on_illegal: OnIllegal::Reject, uses_drops: false, has_own_passes: true }
    }

    fn parse(&mut self, line: &str) -> Vec<(Tag, Request)> {
        let text = line.trim();
        let Some((row, rest)) =
            COMMANDS.iter().enumerate().find_map(|(row, spec)| Some((row, strip_words(text, spec.words)?)))
        else {
            if !text.is_empty() && !text.starts_with('#') {
                log::warn!(target: PROTOCOL, "unknown command {text:?}");
            }
            return Vec::new();
        };
        let Some(spec) = COMMANDS.get(row) else { return Vec::new() };
        let (requests, is_correct) = self.requests(spec.id, rest);
        let usage = format!("{} {}", spec.words, spec.usage);
        let error = || Request::Reply(Reply::Error(format!("expected {}", usage.trim())));
        let requests = (!is_correct).then(error).into_iter().chain(requests);
        let tag = Tag { number: Some(self.contempt), command: Some(row) };
        requests.map(|request| (tag, request)).collect()
    }

    fn format(&mut self, tag: Tag, event: &Event) -> Option<Output> {
        let id = tag.command.and_then(|row| COMMANDS.get(row)).map(|spec| spec.id);
        let contempt = tag.number.unwrap_or(0);
        let answer = |text: String| Some(Output { kind: OutputKind::Answer, text });
        match event {
            Event::Identity => answer(format!("set myname {}", env!("CARGO_PKG_NAME"))),
            Event::Text(text) => answer(text.clone()),
            Event::Error(error) => answer(format!("status error: {error}")),
            Event::Info(info) => {
                let Progress { depth, selectivity, bound, counters, .. } = info.report;
                if info.is_repeat {
                    let text = format!("status depth {depth} nodes {}", counters.nodes);
                    return Some(Output { kind: OutputKind::Progress, text });
                }
                if id != Some(CommandId::Hint) || bound != Bound::Exact || info.pv.is_empty() {
                    return None;
                }
                let depth = self::depth(depth, selectivity, is_exact(info));
                answer(format!("search {} {} 0 {depth}", line(info), eval(info, contempt)))
            }
            Event::Best { word, accuracy, last, .. } => {
                let accuracy = accuracy.as_ref().map(|text| format!("status {text}\n")).unwrap_or_default();
                let seconds = |last: &Info| format!("{:.2}", last.report.elapsed.as_secs_f64());
                let stats = last.as_ref().map_or_else(String::new, |(last, _)| {
                    format!("nodestats {} {}\n", last.report.counters.nodes, seconds(last))
                });
                if id == Some(CommandId::Hint) {
                    return answer(stats + &accuracy + "status");
                }
                let found = match (word.as_deref().unwrap_or("pass"), last) {
                    ("pass", _) => "PA".into(),
                    (word, None) => word.to_ascii_uppercase(),
                    (word, Some((last, _))) => {
                        format!("{}/{}/{}", word.to_ascii_uppercase(), eval(last, contempt), seconds(last))
                    }
                };
                Some(Output { kind: OutputKind::BestMove, text: format!("{accuracy}{stats}=== {found}") })
            }
            Event::Analysis { ply, info } => answer(format!("analysis {ply} {}", eval(info, contempt))),
            Event::Done if id == Some(CommandId::Analyze) => answer("status".into()),
            _ => None,
        }
    }

    fn stops_at_end_of_input(&self) -> bool {
        true
    }
}

impl NBoard {
    /// The requests of a command with these arguments, and whether the arguments are correct. A command whose reply
    /// clients wait for is carried out in any case.
    fn requests(&mut self, id: CommandId, rest: &str) -> (Vec<Request>, bool) {
        let number = rest.parse::<i64>().ok();
        let mut is_correct = true;
        let request = match id {
            CommandId::Greeting => Request::Identify,
            CommandId::Depth => {
                self.depth = number.map_or(self.depth, |depth| depth.max(1));
                return (Vec::new(), number.is_some());
            }
            CommandId::Contempt => {
                self.contempt = number.unwrap_or(self.contempt);
                return (Vec::new(), number.is_some());
            }
            CommandId::SearchMoves => {
                self.moves = rest.split_ascii_whitespace().map(String::from).collect();
                return (Vec::new(), true);
            }
            CommandId::Game => Request::Position { text: rest.into(), before: "set game ".len(), moves: String::new() },
            CommandId::Option => {
                let (name, value) = match rest.split_once('=') {
                    Some((name, value)) => (name.trim(), Some(value.trim().into())),
                    None => (rest, None),
                };
                Request::SetOption { name: name.into(), value }
            }
            CommandId::Move => match rest.split('/').next().unwrap_or_default().trim() {
                "" => return (Vec::new(), false),
                word => Request::Play(word.into()),
            },
            CommandId::Hint => {
                is_correct = number.is_some();
                let lines = usize::try_from(number.unwrap_or(1).max(1)).unwrap_or(usize::MAX);
                Request::Go(Go { lines: Some(lines), is_hint: true, ..self.go() })
            }
            CommandId::Ping => {
                let id = rest.split_ascii_whitespace().next();
                let pong = id.map_or("pong".into(), |id| format!("pong {id}"));
                return (vec![Request::Cancel, Request::Reply(Reply::Text(pong))], id.is_some());
            }
            CommandId::Go | CommandId::Learn | CommandId::Analyze | CommandId::Quit => {
                is_correct = rest.is_empty();
                match id {
                    CommandId::Learn => Request::Reply(Reply::Text("learned".into())),
                    CommandId::Analyze => Request::Analyze(Go { moves: Vec::new(), ..self.go() }),
                    CommandId::Quit => Request::Quit,
                    _ => Request::Go(self.go()),
                }
            }
        };
        (vec![request], is_correct)
    }

    fn go(&self) -> Go {
        Go { depth: Some(self.depth), moves: self.moves.clone(), lines: Some(1), ..Go::default() }
    }
}

/// The rest of a line after these words; `None` if it does not begin with them.
fn strip_words<'l>(text: &'l str, words: &str) -> Option<&'l str> {
    let mut rest = text;
    for word in words.split(' ') {
        rest = rest.strip_prefix(word)?;
        let next = rest.trim_start();
        if next.len() == rest.len() && !rest.is_empty() {
            return None; // only a prefix of a longer word
        }
        rest = next;
    }
    Some(rest)
}

/// A variation without blanks, the moves of the side to move in capitals.
fn line(info: &Info) -> String {
    let written = |(index, word): (usize, &String)| {
        let word = if word == "pass" { "pa" } else { word };
        if index % 2 == 0 { word.to_ascii_uppercase() } else { word.to_ascii_lowercase() }
    };
    info.pv.iter().enumerate().map(written).collect()
}

/// The score in discs for the side to move; a proven draw is reported as the contempt.
fn eval(info: &Info, contempt: i64) -> String {
    let score = info.report.score.0;
    if score == 0 && is_exact(info) && contempt != 0 {
        let draw = if info.mover == Player::First { contempt } else { contempt.saturating_neg() };
        return format!("{draw}.00");
    }
    format!("{:.2}", f64::from(score) / 100.0)
}

fn is_exact(info: &Info) -> bool {
    info.report.certainty == Certainty::Exact
}

/// The depth: `100%` if the score is proven, `18@91%` if the search is selective.
pub(super) fn depth(depth: u8, selectivity: u8, proven: bool) -> String {
    match (proven, selectivity) {
        (true, _) => "100%".into(),
        (false, 100) => depth.to_string(),
        (false, percent) => format!("{depth}@{percent}%"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole_words() {
        assert_eq!(strip_words("set depth  12", "set depth"), Some("12"));
        assert_eq!(strip_words("go", "go"), Some(""));
        assert_eq!(strip_words("goo", "go"), None);
        assert_eq!(strip_words("set  game (;GM", "set game"), Some("(;GM"));
        assert_eq!(strip_words("settle depth 3", "set depth"), None);
        assert_eq!(strip_words("set", "set depth"), None);
    }

    #[test]
    fn a_ping_cancels_and_unknown_words_are_ignored() {
        let mut nboard = NBoard::default();
        let mut requests =
            |line: &str| -> Vec<Request> { nboard.parse(line).into_iter().map(|(_, request)| request).collect() };
        assert_eq!(requests("ping 7"), [Request::Cancel, Request::Reply(Reply::Text("pong 7".into()))]);
        assert_eq!(requests("set draw 3"), []);
        assert_eq!(requests("hello"), []);
        assert_eq!(requests("move F5//3.1"), [Request::Play("F5".into())]);
        assert_eq!(requests("move PA/-64"), [Request::Play("PA".into())]);
        assert_eq!(requests("set depth 4"), []);
        assert_eq!(requests("go"), [Request::Go(Go { depth: Some(4), lines: Some(1), ..Go::default() })]);
        assert!(matches!(requests("set depth x").as_slice(), [Request::Reply(Reply::Error(_))]));
    }
}
