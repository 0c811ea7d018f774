//! UGI, the Universal Game Interface, as used by kz04px's cutegames, plus UCI's commands and
//! commands for interactive use. `protocol.md` is the specification.

#![deny(clippy::indexing_slicing)]

mod go;
mod paint;
pub(super) mod print;

use nom::Parser;
use nom::branch::alt;
use nom::combinator::{cut, opt, verify};
use nom::multi::many0;
use nom::sequence::{preceded, terminated};

use super::command::{Command, Parsed, awaited, bare, row, set_option, waits};
use super::dialect::{Dialect, Tag};
use super::tokens::{
    blanks, column, end, expecting, keyword, next_word, number, or_default, word, words_before,
};
use super::writer::Output;
use crate::engine::event::Event;
use crate::engine::options::{OPTIONS, OptionSpec};
use crate::engine::quoted;
use crate::engine::request::{Go, Query, Request};
use crate::games::any::GAMES;

/// The dialect.
#[derive(Debug, Default)]
pub struct Ugi {
    /// Whether `go ponder` ponders. UGI has no pondering: the UCI keyword is accepted and ignored.
    pub(super) ponders: bool,
    /// Whether boards are drawn in color.
    pub(super) color: bool,
}

/// The commands, in the order of `help`.
pub static COMMANDS: [Command<Ugi>; 23] = [
    waits(
        "ugi",
        "print name and options, then `ugiok`",
        Request::Identify,
    ),
    waits("uci", "the same, with `uciok`", Request::Identify),
    waits(
        "isready",
        "reply `readyok`, also during a search",
        Request::Ready,
    ),
    bare(
        "uginewgame",
        "set up the starting position and clear the transposition table",
        Request::NewGame,
    ),
    bare("ucinewgame", "same as `uginewgame`", Request::NewGame),
    bare("new", "same as `uginewgame`", Request::NewGame),
    row(
        "setoption",
        "name NAME [value VALUE]",
        "set an option (`help options` lists them)",
        |_, rest| {
            let (rest, _) = (
                expecting("name NAME [value VALUE]", blanks),
                keyword("name"),
            )
                .parse_complete(rest)?;
            let name = words_before("value", "the option's name");
            let (rest, name) =
                preceded(expecting("the option's name", blanks), name).parse_complete(rest)?;
            let value = preceded(
                (blanks, keyword("value")),
                opt(preceded(blanks, words_before("", "a value"))),
            );
            let (rest, value) = terminated(opt(value), end("value VALUE or the end of the line"))
                .parse_complete(rest)?;
            Ok((rest, set_option(name, value.flatten()).into()))
        },
    ),
    row("debug", "[on | off]", "ignored", |_, _| {
        Ok(("", Parsed::default()))
    }),
    row(
        "register",
        "[later | name NAME code CODE]",
        "ignored",
        |_, _| Ok(("", Parsed::default())),
    ),
    row(
        "position",
        "startpos | fen TEXT [moves MOVE...]",
        "set up a position and play moves from it",
        |_, arguments| {
            let (rest, _) = expecting("startpos or fen TEXT", blanks).parse_complete(arguments)?;
            let text = cut(preceded(
                opt(blanks),
                words_before("moves", "the text of a position"),
            ));
            let position = alt((keyword("startpos"), preceded(keyword("fen"), text)));
            let (rest, text) = expecting("startpos or fen TEXT", position).parse_complete(rest)?;
            let list = preceded(
                (blanks, keyword("moves")),
                opt(preceded(blanks, words_before("moves", "moves"))),
            );
            let (rest, lists) = terminated(many0(list), end("moves or the end of the line"))
                .parse_complete(rest)?;
            let moves = lists.into_iter().flatten().collect::<Vec<_>>().join(" ");
            Ok((
                rest,
                Request::Position {
                    text: text.into(),
                    before: column(arguments, text) - 1,
                    moves,
                }
                .into(),
            ))
        },
    ),
    row(
        "moves",
        "[depth N] | MOVE...",
        "score each legal move at depth N (6), or play moves",
        |_, rest| {
            if let Ok((rest, _)) = (blanks, keyword("depth")).parse_complete(rest) {
                // Clients wait for the reply, so without a valid number the moves are scored at
                // depth 1.
                let depth = expecting(
                    "a whole number from 1 on",
                    verify(number, |&depth| depth >= 1),
                );
                let (rest, (depth, error)) =
                    or_default(1, preceded(opt(blanks), depth).parse_complete(rest));
                return awaited(rest, rank(depth), error);
            }
            let (rest, moves) = opt(preceded(blanks, words_before("", "moves, or depth N")))
                .parse_complete(rest)?;
            Ok((
                rest,
                moves
                    .map_or_else(|| rank(6), |moves| Request::Play(moves.into()))
                    .into(),
            ))
        },
    ),
    row(
        "go",
        "[depth N] [nodes N] [movetime MS] [p1time MS] [p2time MS] [p1inc MS] [p2inc MS] [movestogo N] \
         [mate N | exact | wld] [infinite] [ponder] [searchmoves MOVE...] | perft N",
        "search and print `bestmove`, or count leaf nodes",
        go::go,
    ),
    waits(
        "stop",
        "end the search and print its best move",
        Request::Stop,
    ),
    waits(
        "ponderhit",
        "end pondering; the limits of `go ponder` apply from now on (UCI)",
        Request::PonderHit,
    ),
    row(
        "query",
        "p1turn | gameover | result | fen | islegal MOVE | legalmoves | start | history",
        "print a property of the position",
        |_, rest| {
            // Every query is answered, if only with `unknown`: cutegames waits without a timeout.
            let (rest, words) = many0(next_word).parse_complete(rest)?;
            let query = match words.as_slice() {
                ["p1turn"] => Query::P1Turn,
                ["gameover"] => Query::GameOver,
                ["result"] => Query::Result,
                ["fen"] => Query::Fen,
                ["islegal", m] => Query::IsLegal((*m).into()),
                ["legalmoves"] => Query::LegalMoves,
                ["start"] => Query::Start,
                ["history"] => Query::History,
                _ => Query::Unknown,
            };
            Ok((rest, Request::Query(query).into()))
        },
    ),
    waits("d", "print the board", Request::Show),
    waits("board", "same as `d`", Request::Show),
    waits(
        "eval",
        "print the board and the static evaluation with its terms",
        Request::Evaluate,
    ),
    bare("undo", "undo the last move", Request::Undo),
    waits(
        "bench",
        "search a fixed set of positions and print the number of nodes",
        Request::Bench,
    ),
    row(
        "help",
        "[COMMAND | options | games]",
        "list the commands, or describe a command, the options or the games",
        |_, rest| {
            let (rest, topic) =
                terminated(opt(next_word), end("one topic")).parse_complete(rest)?;
            Ok((rest, help(topic).into()))
        },
    ),
    waits(
        "quit",
        "answer all lines before this one, cutting searches short, and exit",
        Request::Quit,
    ),
    waits("exit", "same as `quit`", Request::Quit),
];

/// A ranking of all moves at this depth.
fn rank(depth: i64) -> Request {
    /// At least the number of legal moves in any position.
    const ALL: usize = 64;
    Request::Rank(Go {
        depth: Some(depth.min(u8::MAX.into()) as u8),
        lines: Some(ALL),
        ..Go::default()
    })
}

/// The text about a topic; `None`: the list of commands.
fn help(topic: Option<&str>) -> Request {
    let lines: Vec<String> = match topic {
        None => {
            let rows = COMMANDS
                .iter()
                .map(|command| format!("{:<11} {}", command.words, command.help));
            let last = [
                "to search: position startpos moves f5, then go depth 12",
                "to log: setoption name Debug Log File value FILE, or start with RUST_LOG=debug",
            ];
            rows.chain(last.map(String::from)).collect()
        }
        Some("options") => {
            let row = |option: &OptionSpec| {
                let default = option
                    .default()
                    .map_or_else(String::new, |default| format!(" ({default})"));
                format!(
                    "{}: {}{default}\n  {}",
                    option.name,
                    option.expected(),
                    option.help
                )
            };
            OPTIONS.iter().map(row).collect()
        }
        Some("games") => {
            let rows = GAMES
                .iter()
                .map(|game| format!("{:<11} {}", game.name, game.about));
            ["setoption name Game value NAME".into()]
                .into_iter()
                .chain(rows)
                .collect()
        }
        Some(topic) => match COMMANDS.iter().find(|command| command.words == topic) {
            Some(command) => vec![command.syntax(), format!("  {}", command.help)],
            None => {
                let topic = quoted(topic);
                return Request::Error(format!(
                    "help: unknown topic \"{topic}\", expected a command, options or games"
                ));
            }
        },
    };
    Request::Text(lines.join("\n"))
}

impl Dialect for Ugi {
    fn parse(&mut self, line: &str) -> (Tag, Vec<Request>) {
        let line = line.trim_end();
        let text = line.trim_start_matches([' ', '\t']);
        if text.trim_start().is_empty() || text.trim_start().starts_with('#') {
            return Default::default();
        }
        let found = Command::requests(&COMMANDS, self, line, text, |command, errors| {
            let errors: Vec<_> = errors.iter().map(|error| error.describe(line)).collect();
            format!("{}: {}", command.words, errors.join("; "))
        });
        let (command, requests) = found.unwrap_or_else(|| {
            let name = quoted(word(text).map_or("", |(_, name)| name));
            let column = column(line, text);
            let error = format!(
                "unknown command \"{name}\", column {column}, expected a command that `help` lists"
            );
            ("", vec![Request::Error(error)])
        });
        let tag = Tag {
            command,
            ..Tag::default()
        };
        (tag, requests)
    }

    fn format(&mut self, tag: &Tag, event: &Event) -> Vec<Output> {
        print::format(event, tag.command, self.color)
    }
}
