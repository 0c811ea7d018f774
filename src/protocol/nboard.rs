//! The NBoard protocol, version 2, for disc games. The GUI keeps the game and sends it as GGF and
//! moves; the engine replies with hints, moves and analyses.
//!
//! `ping` cancels the search without further output; `pong` follows when all previous commands are
//! done. Unknown commands are ignored. The engine's move is played on the board by the GUI's next
//! `move`. Contempt is the reported score of a proven draw; it does not affect the choice of moves.

#![deny(clippy::indexing_slicing)]

use nom::Parser;
use nom::bytes::complete::take_till1;
use nom::character::complete::space0;
use nom::combinator::rest;
use nom::sequence::{preceded, terminated};

use super::command::{Command, Parsed, awaited, moves, name_and_value, row, waits};
use super::dialect::{Dialect, Tag};
use super::tokens::{column, next_word, or_default, value};
use super::writer::{Output, OutputKind};
use crate::engine::event::{Bound, Certainty, Event, Info, Player, Progress};
use crate::engine::request::{Go, Request};
use crate::logging::PROTOCOL;

const DEPTH: u8 = 12;

/// The commands.
pub static COMMANDS: [Command<NBoard>; 13] = [
    row(
        "nboard",
        "2",
        "handshake; the engine replies `set myname NAME`",
        |_, _| Ok(("", Request::Identify.into())),
    ),
    row(
        "set depth",
        "N",
        "set the search depth (12)",
        |nboard, rest| {
            let (rest, depth) = value::<u64>(rest)?;
            nboard.depth = Some(depth.clamp(1, u8::MAX.into()) as u8);
            Ok((rest, Parsed::default()))
        },
    ),
    row(
        "set game",
        "GGF",
        "set up the position after the last move of a game",
        |_, game| {
            let (rest, text) = preceded(space0, rest).parse_complete(game)?;
            let before = column(game, text) - 1;
            Ok((
                rest,
                Request::Position {
                    text: text.into(),
                    before,
                    moves: String::new(),
                }
                .into(),
            ))
        },
    ),
    row(
        "set contempt",
        "C",
        "value of a proven draw in discs, for Black (0)",
        |nboard, rest| {
            let (rest, contempt) = value(rest)?;
            nboard.contempt = contempt;
            Ok((rest, Parsed::default()))
        },
    ),
    row(
        "set option",
        "NAME=VALUE",
        "set an engine option (extension)",
        |_, rest| name_and_value(rest),
    ),
    row(
        "set searchmoves",
        "[MOVE...]",
        "restrict `hint` and `go` to these moves; none: all (extension)",
        |nboard, rest| {
            let (rest, moves) = moves(rest)?;
            nboard.moves = moves;
            Ok((rest, Parsed::default()))
        },
    ),
    row(
        "move",
        "MOVE[/EVAL[/SECONDS]]",
        "play a move; a pass is `PA`",
        |_, input| {
            let word = preceded(space0, take_till1(|c| c == '/'));
            let (rest, word) = terminated(word, rest).parse_complete(input)?;
            Ok((rest, Request::Play(word.trim().into()).into()))
        },
    ),
    row(
        "hint",
        "N",
        "print `search PV EVAL 0 DEPTH` for the N best moves at each depth, then `status`",
        |nboard, rest| {
            let (rest, (lines, error)) = or_default(1, value::<usize>(rest));
            let lines = Some(lines.max(1));
            awaited(
                rest,
                Request::Go(Go {
                    lines,
                    is_hint: true,
                    ..nboard.go()
                }),
                error,
            )
        },
    ),
    row(
        "go",
        "",
        "print `=== MOVE[/EVAL/SECONDS]` without playing the move",
        |nboard, rest| awaited(rest, Request::Go(nboard.go()), None),
    ),
    row(
        "ping",
        "N",
        "cancel searches and reply `pong N` when all other commands are done",
        |_, input| {
            let (_, (id, error)) = or_default("", next_word(input));
            let pong = Request::Text(format!("pong {id}").trim_end().into());
            Ok((
                "",
                Parsed {
                    requests: vec![Request::Cancel, pong],
                    errors: error.into_iter().collect(),
                },
            ))
        },
    ),
    row(
        "learn",
        "",
        "add the game to the book of option `Book File`, if one is set; reply `learned`",
        |_, rest| awaited(rest, Request::Learn, None),
    ),
    row(
        "analyze",
        "",
        "print `analysis PLY EVAL` for each position of the game, then `status`",
        |nboard, rest| {
            awaited(
                rest,
                Request::Analyze(Go {
                    moves: Vec::new(),
                    ..nboard.go()
                }),
                None,
            )
        },
    ),
    waits("quit", "exit", Request::Quit),
];

/// The dialect.
#[derive(Debug, Default)]
pub struct NBoard {
    /// The depth that was set, if any.
    depth: Option<u8>,
    contempt: i64,
    moves: Vec<String>,
}

impl NBoard {
    fn go(&self) -> Go {
        Go {
            depth: self.depth.or(Some(DEPTH)),
            moves: self.moves.clone(),
            lines: Some(1),
            ..Go::default()
        }
    }
}

impl Dialect for NBoard {
    fn parse(&mut self, line: &str) -> (Tag, Vec<Request>) {
        let text = line.trim();
        let found = Command::requests(&COMMANDS, self, text, text, |command, _| {
            format!("expected {}", command.syntax())
        });
        let Some((command, requests)) = found else {
            if !text.is_empty() && !text.starts_with('#') {
                log::warn!(target: PROTOCOL, "unknown command {text:?}");
            }
            return Default::default();
        };
        let tag = Tag {
            contempt: self.contempt,
            command,
            ..Tag::default()
        };
        (tag, requests)
    }

    fn format(&mut self, tag: &Tag, event: &Event) -> Vec<Output> {
        output(tag.command, tag.contempt, event)
            .into_iter()
            .collect()
    }

    fn stops_at_end_of_input(&self) -> bool {
        true
    }
}

/// The output for an event that answers a command with this contempt.
fn output(command: &str, contempt: i64, event: &Event) -> Option<Output> {
    let answer = |text: String| Some(Output::answer(text));
    match event {
        Event::Identity => answer(format!("set myname {}", env!("CARGO_PKG_NAME"))),
        Event::Text(text) => answer(text.clone()),
        Event::Note(note) => answer(format!("status {note}")),
        Event::Error(error) => answer(format!("status error: {error}")),
        Event::Failed(error) => answer(format!("status error: {command}: {error}")),
        Event::Info(info) => {
            let Progress {
                depth,
                selectivity,
                bound,
                counters,
                ..
            } = info.report;
            if info.is_repeat {
                let text = format!("status depth {depth} nodes {}", counters.nodes);
                return Some(Output::progress(info, text));
            }
            if command != "hint" || bound != Bound::Exact || info.pv.is_empty() {
                return None;
            }
            let depth = self::depth(depth, selectivity, is_exact(info));
            answer(format!(
                "search {} {} 0 {depth}",
                line(info),
                eval(info, contempt)
            ))
        }
        Event::Best {
            word,
            accuracy,
            last,
            ..
        } => {
            let accuracy = accuracy
                .as_ref()
                .map(|text| format!("status {text}\n"))
                .unwrap_or_default();
            let seconds = |last: &Info| format!("{:.2}", last.report.elapsed.as_secs_f64());
            let stats = last.as_ref().map_or_else(String::new, |(last, _)| {
                format!(
                    "nodestats {} {}\n",
                    last.report.counters.nodes,
                    seconds(last)
                )
            });
            let found = match (word.as_deref().unwrap_or("pass"), last) {
                ("pass", _) => "PA".into(),
                (word, None) => word.to_ascii_uppercase(),
                (word, Some((last, _))) => {
                    format!(
                        "{}/{}/{}",
                        word.to_ascii_uppercase(),
                        eval(last, contempt),
                        seconds(last)
                    )
                }
            };
            let text = match command {
                "hint" => stats + &accuracy + "status",
                _ => format!("{accuracy}{stats}=== {found}"),
            };
            Some(Output {
                kind: OutputKind::BestMove,
                text,
            })
        }
        Event::Analysis { ply, info } => answer(format!("analysis {ply} {}", eval(info, contempt))),
        Event::Done if command == "analyze" => answer("status".into()),
        _ => None,
    }
}

/// A variation without blanks, the moves of the side to move in capitals.
fn line(info: &Info) -> String {
    let written = |(index, word): (usize, &String)| {
        let word = if word == "pass" { "pa" } else { word };
        if index % 2 == 0 {
            word.to_ascii_uppercase()
        } else {
            word.to_ascii_lowercase()
        }
    };
    info.pv.iter().enumerate().map(written).collect()
}

/// The score in discs for the side to move; a proven draw is reported as the contempt.
fn eval(info: &Info, contempt: i64) -> String {
    let score = info.report.score.0;
    if score == 0 && is_exact(info) && contempt != 0 {
        let draw = if info.mover == Player::First {
            contempt
        } else {
            contempt.saturating_neg()
        };
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
        let mut nboard = NBoard::default();
        let mut command = |line: &str| nboard.parse(line).0.command;
        assert_eq!(command("set depth  x"), "set depth");
        assert_eq!(command("go"), "go");
        assert_eq!(command("goo"), "");
        assert_eq!(command("set  game (;GM"), "set game");
        assert_eq!(command("settle depth 3"), "");
        assert_eq!(command("set"), "");
    }

    #[test]
    fn a_ping_cancels_and_unknown_words_are_ignored() {
        let mut nboard = NBoard::default();
        let mut requests = |line: &str| nboard.parse(line).1;
        assert_eq!(
            requests("ping 7"),
            [Request::Cancel, Request::Text("pong 7".into())]
        );
        assert_eq!(requests("set draw 3"), []);
        assert_eq!(requests("hello"), []);
        assert_eq!(requests("move F5//3.1"), [Request::Play("F5".into())]);
        assert_eq!(requests("move PA/-64"), [Request::Play("PA".into())]);
        let errors = ["set depth -1", "set depth x"].map(|line| requests(line).len());
        assert_eq!(errors, [1, 1]);
        assert_eq!(requests("set depth 4"), []);
        assert_eq!(
            requests("go"),
            [Request::Go(Go {
                depth: Some(4),
                lines: Some(1),
                ..Go::default()
            })]
        );
        assert!(matches!(
            requests("set depth x").as_slice(),
            [Request::Error(_)]
        ));
    }
}
