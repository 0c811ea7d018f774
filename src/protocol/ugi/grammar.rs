//! The commands: one row for each, with the parser of its arguments.

use nom::branch::alt;
use nom::combinator::{cut, map, opt, success};
use nom::multi::many0;
use nom::sequence::{preceded, terminated};
use nom::{Finish, Parser};

use super::go::go;
use super::help;
use super::spec::UgiCommand;
use crate::engine::quoted;
use crate::engine::request::{Query, Rank, Reply, Request};
use crate::protocol::tokens::{
    ParseResult, blanks, column, end, expecting, keyword, next_word, number, parse_all, word, words_before,
};

/// A row for a command without arguments.
macro_rules! no_arguments {
    ($word:literal, $request:expr, $help:literal) => {
        UgiCommand { word: $word, usage: "", help: $help, parse: |_, rest| no_arguments(rest, $request) }
    };
}

/// A row for a command whose reply clients wait for: it is carried out even after an error about extra words.
macro_rules! always {
    ($word:literal, $request:expr, $help:literal) => {
        UgiCommand { word: $word, usage: "", help: $help, parse: |line, rest| always($word, line, rest, $request) }
    };
}

/// The commands, in the order of `help`.
pub const COMMANDS: [UgiCommand; 23] = [
    always!("ugi", Request::Identify, "print name and options, then `ugiok`"),
    always!("uci", Request::Identify, "the same, with `uciok`"),
    always!("isready", Request::Ready, "reply `readyok`, also during a search"),
    no_arguments!("uginewgame", Request::NewGame, "set up the starting position and clear the transposition table"),
    no_arguments!("ucinewgame", Request::NewGame, "same as `uginewgame`"),
    no_arguments!("new", Request::NewGame, "same as `uginewgame`"),
    UgiCommand {
        word: "setoption",
        usage: "name NAME [value VALUE]",
        help: "set an option (`help options` lists them)",
        parse: set_option,
    },
    UgiCommand { word: "debug", usage: "[on | off]", help: "ignored", parse: ignored },
    UgiCommand { word: "register", usage: "[later | name NAME code CODE]", help: "ignored", parse: ignored },
    UgiCommand {
        word: "position",
        usage: "startpos | fen TEXT [moves MOVE...]",
        help: "set up a position and play moves from it",
        parse: position,
    },
    UgiCommand {
        word: "moves",
        usage: "[depth N] | MOVE...",
        help: "score each legal move at depth N (6), or play moves",
        parse: moves,
    },
    UgiCommand {
        word: "go",
        usage: "[depth N] [nodes N] [movetime MS] [p1time MS] [p2time MS] [p1inc MS] [p2inc MS] [movestogo N] [mate N] \
                [infinite] [searchmoves MOVE...] | perft N",
        help: "search and print `bestmove`, or count leaf nodes",
        parse: go,
    },
    always!("stop", Request::Stop, "end the search and print its best move"),
    always!("ponderhit", Request::PonderHit, "end pondering; the limits of `go ponder` apply from now on (UCI)"),
    UgiCommand {
        word: "query",
        usage: "p1turn | gameover | result | fen | islegal MOVE | legalmoves | start | history",
        help: "print a property of the position",
        parse: query,
    },
    always!("d", Request::Show, "print the board"),
    always!("board", Request::Show, "same as `d`"),
    always!("eval", Request::Evaluate, "print the board and the static evaluation with its terms"),
    no_arguments!("undo", Request::Undo, "undo the last move"),
    always!("bench", Request::Bench, "search a fixed set of positions and print the number of nodes"),
    UgiCommand {
        word: "help",
        usage: "[COMMAND | options | games]",
        help: "list the commands, or describe a command, the options or the games",
        parse: help,
    },
    always!("quit", Request::Quit, "answer all lines before this one, cutting searches short, and exit"),
    always!("exit", Request::Quit, "same as `quit`"),
];

/// The requests of a line that is neither empty nor a comment, or the error message.
pub fn requests(line: &str) -> Result<Vec<Request>, String> {
    let text = line.trim_end();
    let start = text.trim_start_matches([' ', '\t']);
    let (rest, first) = word(start).unwrap_or((start, ""));
    match COMMANDS.iter().find(|command| command.word == first) {
        Some(command) => parse_all(|rest| (command.parse)(text, rest), rest)
            .map_err(|error| format!("{}: {}", command.word, error.describe(text))),
        None => Err(format!(
            "unknown command \"{}\", column {}, expected a command that `help` lists",
            quoted(first),
            column(text, start)
        )),
    }
}

fn no_arguments(rest: &str, request: Request) -> ParseResult<'_, Vec<Request>> {
    map(end("the end of the line"), |()| vec![request.clone()]).parse_complete(rest)
}

/// The request, preceded by an error if words follow the command.
fn always<'l>(word: &str, line: &'l str, rest: &'l str, request: Request) -> ParseResult<'l, Vec<Request>> {
    let error = parse_all(end("the end of the line"), rest).err();
    let error = error.map(|error| Request::Reply(Reply::Error(format!("{word}: {}", error.describe(line)))));
    Ok(("", error.into_iter().chain([request]).collect()))
}

/// Accepts and ignores any arguments.
fn ignored<'l>(_line: &'l str, _rest: &'l str) -> ParseResult<'l, Vec<Request>> {
    Ok(("", Vec::new()))
}

fn set_option<'l>(_line: &'l str, rest: &'l str) -> ParseResult<'l, Vec<Request>> {
    let (rest, _) = (expecting("name NAME [value VALUE]", blanks), keyword("name")).parse_complete(rest)?;
    let (rest, name) = preceded(expecting("the option's name", blanks), words_before("value", "the option's name"))
        .parse_complete(rest)?;
    let value = preceded((blanks, keyword("value")), opt(preceded(blanks, words_before("", "a value"))));
    let (rest, value) = terminated(opt(value), end("value VALUE or the end of the line")).parse_complete(rest)?;
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let value = value.flatten().map(String::from);
    Ok((rest, vec![Request::SetOption { name, value }]))
}

fn position<'l>(line: &'l str, rest: &'l str) -> ParseResult<'l, Vec<Request>> {
    let (rest, _) = expecting("startpos or fen TEXT", blanks).parse_complete(rest)?;
    let fen = preceded(keyword("fen"), cut(preceded(opt(blanks), words_before("moves", "the text of a position"))));
    let (rest, text) = expecting("startpos or fen TEXT", alt((keyword("startpos"), fen))).parse_complete(rest)?;
    let list = preceded((blanks, keyword("moves")), opt(preceded(blanks, words_before("moves", "moves"))));
    let (rest, lists) = terminated(many0(list), end("moves or the end of the line")).parse_complete(rest)?;
    let moves = lists.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let before = column(line, text) - 1;
    Ok((rest, vec![Request::Position { text: text.into(), before, moves }]))
}

/// The default depth of `moves`.
const RANK_DEPTH: i64 = 6;

fn moves<'l>(line: &'l str, rest: &'l str) -> ParseResult<'l, Vec<Request>> {
    if let Ok((rest, _)) = (blanks, keyword("depth")).parse_complete(rest) {
        return moves_depth(line, rest);
    }
    let played = preceded(blanks, words_before("", "moves, or depth N")).map(|words| Request::Play(words.into()));
    let ranked = success(()).map(|()| Request::Rank(rank(RANK_DEPTH)));
    terminated(alt((played, ranked)), end("the end of the line")).map(|request| vec![request]).parse_complete(rest)
}

/// Clients wait for the reply, so without a valid number the moves are scored at depth 1.
fn moves_depth<'l>(line: &'l str, rest: &'l str) -> ParseResult<'l, Vec<Request>> {
    let (at, _) = opt(blanks).parse_complete(rest)?;
    let (depth, error) = match number(at).finish() {
        Ok((rest, depth)) => (depth, parse_all(end("the end of the line"), rest).err()),
        Err(error) => (1, Some(error)),
    };
    let error = error.map(|error| Request::Reply(Reply::Error(format!("moves: {}", error.describe(line)))));
    Ok(("", error.into_iter().chain([Request::Rank(rank(depth))]).collect()))
}

/// A ranking of all moves at this depth.
fn rank(depth: i64) -> Rank {
    let depth = u8::try_from(depth.max(1)).unwrap_or(u8::MAX);
    Rank { depth, lines: Some(Rank::ALL), moves: Vec::new(), is_hint: false }
}

fn query<'l>(_line: &'l str, rest: &'l str) -> ParseResult<'l, Vec<Request>> {
    // Every query is answered, if only with `unknown`: cutegames waits without a timeout.
    let (rest, words) = terminated(many0(next_word), end("the end of the line")).parse_complete(rest)?;
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
    Ok((rest, vec![Request::Query(query)]))
}

fn help<'l>(_line: &'l str, rest: &'l str) -> ParseResult<'l, Vec<Request>> {
    let (rest, topic) = terminated(opt(next_word), end("one topic")).parse_complete(rest)?;
    let reply = help::text(&COMMANDS, topic).map_or_else(Reply::Error, Reply::Text);
    Ok((rest, vec![Request::Reply(reply)]))
}
