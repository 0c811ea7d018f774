//! GTP, the Go Text Protocol, version 2, for the disc games, as used by Quarry, gogui-twogtp and
//! the GoGui GUI (through its `gogui-rules_*` commands).
//!
//! Each command has one answer, `=[id] text` or `?[id] error`, followed by an empty line, in the
//! order of the commands. A vertex is a square in Othello's notation (A1 top left). Either color
//! may move at any time; a forced pass of the other color is inserted. The engine keeps the clocks.
//! GoGui stops a search with the comment `# interrupt`. Not supported: komi (accepted and ignored),
//! handicap, SGF files.

#![deny(clippy::indexing_slicing)]

use std::cmp::Ordering;
use std::time::Duration;

use nom::Parser;
use nom::branch::alt;
use nom::character::complete::{digit1, space0, space1};
use nom::combinator::{cut, eof, map_opt, opt, peek, verify};
use nom::sequence::{preceded, terminated};

use super::command::{
    Arguments, Command, Parsed, bare, moves, name_and_value, row, set_option, view,
};
use super::dialect::{Dialect, Tag};
use super::nboard;
use super::tokens::{self, ParseResult, blanks, keyword, next_word, value, word};
use super::writer::Output;
use crate::engine::event::{Certainty, Event, Player, RankedMove};
use crate::engine::request::{Go, MoveTime, Request, TimeSettings};
use crate::engine::{Engine, quoted};

/// Milliseconds per move of `genmove` if no clock runs.
const DEFAULT_MOVE_TIME: i64 = 1_000;
const HINT_DEPTH: u8 = 12;
/// The comment by which GoGui stops a search of an engine that lists `gogui-interrupt`.
const INTERRUPT: &str = "# interrupt";

/// The commands, in the order of `list_commands`.
pub static COMMANDS: [Command<Gtp>; 30] = [
    view("protocol_version", "`2`", |_| "2".into()),
    view("name", "name of the engine", |_| {
        env!("CARGO_PKG_NAME").into()
    }),
    view("version", "version of the engine", |_| {
        env!("CARGO_PKG_VERSION").into()
    }),
    row("known_command", "NAME", "`true` or `false`", |_, rest| {
        let (rest, name) = next_word(rest)?;
        reply(
            rest,
            COMMANDS
                .iter()
                .any(|command| command.words == name)
                .to_string(),
        )
    }),
    view("list_commands", "all commands, one per line", |_| {
        lines(COMMANDS.iter().map(|command| command.words.into()))
    }),
    view("list_games", "all disc games, one per line", |_| {
        lines(Engine::disc_games().map(capitalized))
    }),
    row(
        "set_game",
        "NAME",
        "select a game and set up its start",
        set_game,
    ),
    row(
        "boardsize",
        "SIZE",
        "select a game of this size (the current one, else Othello) and set up its start",
        |_, rest| {
            value
                .map(|size| Request::BoardSize(size).into())
                .parse_complete(rest)
        },
    ),
    bare(
        "clear_board",
        "set up the start, reset the clocks, keep the transposition table",
        Request::Restart,
    ),
    row("komi", "NUMBER", "ignored", |_, rest| {
        reply(number(rest)?.0, "")
    }),
    row(
        "play",
        "COLOR VERTEX",
        "play a move or `pass`",
        |_, rest| {
            let (rest, (player, word)) = (color, next_word).parse_complete(rest)?;
            Ok((
                rest,
                Request::PlayFor {
                    player,
                    word: word.into(),
                }
                .into(),
            ))
        },
    ),
    row(
        "genmove",
        "COLOR",
        "find a move for this color, play it and print it",
        |_, rest| generate(rest, true),
    ),
    row(
        "reg_genmove",
        "COLOR",
        "find a move and print it",
        |_, rest| generate(rest, false),
    ),
    bare(
        "undo",
        "undo the last move and the pass it implied",
        Request::Undo,
    ),
    view("showboard", "print the board", |view| {
        format!("\n{}", view.diagram.trim_end())
    }),
    view(
        "final_score",
        "disc difference: `B+12`, `W+3` or `0`",
        |view| {
            let [black, white] = view.disc_counts();
            match black.cmp(&white) {
                Ordering::Equal => "0".into(),
                Ordering::Greater => format!("B+{}", black - white),
                Ordering::Less => format!("W+{}", white - black),
            }
        },
    ),
    row(
        "time_settings",
        "MAIN PERIOD STONES",
        "set both clocks, in seconds; PERIOD above 0 with 0 STONES: no limit",
        |_, rest| {
            let (rest, (main, period)) = (seconds, move_time).parse_complete(rest)?;
            Ok((
                rest,
                Request::SetClocks(TimeSettings { main, period }).into(),
            ))
        },
    ),
    row(
        "time_left",
        "COLOR SECONDS STONES",
        "set a clock",
        |_, rest| {
            let (rest, (player, left)) = (color, move_time).parse_complete(rest)?;
            Ok((rest, Request::SetClock { player, left }.into()))
        },
    ),
    view("gogui-rules_game_id", "name of the game", |view| {
        // All rectangular boards are Othello.
        let has_holes = view.rows.iter().any(|row| row.contains('*'));
        if has_holes { "Diamond" } else { "Othello" }.into()
    }),
    view("gogui-rules_board_size", "size of the board", |view| {
        view.rows.len().to_string()
    }),
    view(
        "gogui-rules_board",
        "rows, last first: `X` Black, `O` White, `.` empty, `?` no square",
        |view| {
            let row = |row: &String| row.to_ascii_uppercase().replace('*', "?");
            format!("\n{}", lines(view.rows.iter().rev().map(row)))
        },
    ),
    view("gogui-rules_side_to_move", "`black` or `white`", |view| {
        if view.to_move == Player::First {
            "black"
        } else {
            "white"
        }
        .into()
    }),
    view(
        "gogui-rules_legal_moves",
        "legal moves; empty if the game is over",
        |view| vertices(&view.moves),
    ),
    view("gogui-rules_final_result", "result in words", |view| {
        let [black, white] = view.disc_counts();
        match (view.result, black.cmp(&white)) {
            (None, _) => format!("the game goes on, Black {black}, White {white}"),
            (_, Ordering::Equal) => format!("draw, {black} to {white}"),
            (_, Ordering::Greater) => format!("Black wins {black} to {white}"),
            (_, Ordering::Less) => format!("White wins {white} to {black}"),
        }
    }),
    view("gogui-rules_captured_count", "`0 0`", |_| "0 0".into()),
    view(
        "gogui-rules_board_gfx",
        "GoGui graphics: last move and disc counts",
        |view| {
            let [black, white] = view.disc_counts();
            let mark = view
                .last
                .as_ref()
                .map_or_else(String::new, |word| format!("CIRCLE {}\n", vertex(word)));
            format!("{mark}TEXT Black {black}, White {white}")
        },
    ),
    view("gogui-interrupt", "empty; announces `# interrupt`", |_| {
        String::new()
    }),
    row(
        "nullwindow-option",
        "NAME[=VALUE]",
        "set an engine option, for instance `Depth=12`",
        |_, rest| name_and_value(rest),
    ),
    row(
        "nullwindow-hint",
        "[COUNT] [depth DEPTH] [VERTEX...]",
        "the COUNT (`MultiPV`) best moves, or the best of those named: move, score in discs, depth (`12`, selective \
         `12@73%`, proven `100%`), variation",
        hint,
    ),
    bare(
        "quit",
        "answer all commands, cutting searches short, and exit",
        Request::Quit,
    ),
];

/// The words without a hyphen that select GTP in a first line, sorted: [`COMMANDS`], the
/// specifications (versions 1 and 2), and the additions of GNU Go, GoGui's programs and Quarry.
/// Commands that UGI also has (`quit`, `undo`, `help`) are not in the list.
pub const FIRST_WORDS: [&str; 79] = [
    "all_legal",
    "analyze",
    "attack",
    "black",
    "boardsize",
    "captures",
    "clear_board",
    "clear_cache",
    "color",
    "combination_attack",
    "countlib",
    "cputime",
    "defend",
    "dragon_status",
    "echo",
    "echo_err",
    "estimate_score",
    "eval_eye",
    "experimental_score",
    "final_score",
    "final_status",
    "final_status_list",
    "findlib",
    "finish_sgftrace",
    "fixed_handicap",
    "genmove",
    "genmove_analyze",
    "genmove_black",
    "genmove_white",
    "get_handicap",
    "get_komi",
    "get_life_node_counter",
    "get_random_seed",
    "gg_genmove",
    "influence",
    "initial_influence",
    "invariant_hash",
    "is_legal",
    "known_command",
    "komi",
    "last_move",
    "level",
    "limit_search",
    "list_commands",
    "list_games",
    "list_stones",
    "loadsgf",
    "move_history",
    "move_influence",
    "name",
    "new_score",
    "orientation",
    "owl_attack",
    "place_free_handicap",
    "play",
    "popgo",
    "printsgf",
    "protocol_version",
    "query_boardsize",
    "query_orientation",
    "query_version",
    "reg_genmove",
    "report_uncertainty",
    "restricted_genmove",
    "same_dragon",
    "savesgf",
    "set_free_handicap",
    "set_game",
    "set_random_seed",
    "showboard",
    "start_sgftrace",
    "time_left",
    "time_settings",
    "top_moves",
    "top_moves_black",
    "top_moves_white",
    "version",
    "white",
    "worm_status",
];

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

fn reply<'l>(rest: &'l str, text: impl Into<String>) -> ParseResult<'l, Parsed<'l>> {
    Ok((rest, Request::Text(text.into()).into()))
}

/// A game's name in `list_games`: with a capital, since Quarry requires `Othello`.
fn capitalized(name: &str) -> String {
    let mut name = name.to_owned();
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    name
}

fn set_game<'l>(_: &mut Gtp, rest: &'l str) -> ParseResult<'l, Parsed<'l>> {
    let (rest, wanted) = next_word(rest)?;
    let request = match Engine::disc_games().find(|name| name.eq_ignore_ascii_case(wanted)) {
        Some(game) => set_option("Game", Some(game)),
        None => Request::Error(format!(
            "unsupported game \"{}\", expected one that list_games lists",
            quoted(wanted)
        )),
    };
    Ok((rest, request.into()))
}

fn color(input: &str) -> ParseResult<'_, Player> {
    let player = |word: &str| match word.to_ascii_lowercase().as_str() {
        "b" | "black" => Some(Player::First),
        "w" | "white" => Some(Player::Second),
        _ => None,
    };
    map_opt(next_word, player).parse_complete(input)
}

fn generate(rest: &str, play: bool) -> ParseResult<'_, Parsed<'_>> {
    let (rest, player) = color(rest)?;
    let go = Go {
        movetime: Some(DEFAULT_MOVE_TIME),
        lines: Some(1),
        ..Go::default()
    };
    Ok((rest, Request::Generate { player, play, go }.into()))
}

fn number(input: &str) -> ParseResult<'_, f64> {
    verify(value, |number: &f64| number.is_finite()).parse_complete(input)
}

/// A number of seconds; negative ones count as zero.
fn seconds(input: &str) -> ParseResult<'_, Duration> {
    /// Ten years: the clamp of times, so that `Duration` arithmetic cannot overflow.
    const MAX_SECONDS: f64 = 3e8;
    number
        .map(|number| Duration::from_secs_f64(number.clamp(0.0, MAX_SECONDS)))
        .parse_complete(input)
}

fn move_time(input: &str) -> ParseResult<'_, MoveTime> {
    let stones = value.map(|stones: i64| stones.clamp(0, u32::MAX.into()) as u32);
    (seconds, stones)
        .map(|(time, stones)| MoveTime { time, stones })
        .parse_complete(input)
}

fn hint<'l>(_: &mut Gtp, rest: &'l str) -> ParseResult<'l, Parsed<'l>> {
    let whole = preceded(blanks, tokens::number);
    let depth = preceded(
        (blanks, keyword("depth")),
        cut(preceded(blanks, tokens::number)),
    );
    let (rest, (count, depth, moves)) = (opt(whole), opt(depth), moves).parse_complete(rest)?;
    let below_one = [("COUNT", count), ("DEPTH", depth)]
        .into_iter()
        .find(|(_, number)| number.is_some_and(|number| number < 1));
    if let Some((name, Some(number))) = below_one {
        let error = format!("{name} {number}, expected a whole number from 1 on");
        return Ok((rest, Request::Error(error).into()));
    }
    Ok((
        rest,
        Request::Rank(Go {
            depth: Some(depth.map_or(HINT_DEPTH, |depth| depth.min(u8::MAX.into()) as u8)),
            lines: count.map(|count| usize::try_from(count).unwrap_or(usize::MAX)),
            moves,
            is_hint: true,
            ..Go::default()
        })
        .into(),
    ))
}

fn vertex(word: &str) -> String {
    if word == "pass" {
        word.into()
    } else {
        word.to_ascii_uppercase()
    }
}

fn vertices(words: &[String]) -> String {
    words
        .iter()
        .map(|word| vertex(word))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Move, score, depth and principal variation.
fn ranked(
    RankedMove {
        score,
        pv,
        certainty,
    }: &RankedMove,
    depth: u8,
    selectivity: u8,
) -> String {
    let depth = nboard::depth(depth, selectivity, *certainty == Certainty::Exact);
    let first = pv.first().map_or("pass".into(), |word| vertex(word));
    format!(
        "{first} {:+.2} {depth} {}",
        f64::from(*score) / 100.0,
        vertices(pv)
    )
}

/// The dialect.
#[derive(Debug, Default)]
pub struct Gtp;

impl Dialect for Gtp {
    fn parse(&mut self, line: &str) -> (Tag, Vec<Request>) {
        if line.trim() == INTERRUPT {
            // Not a command, so it has no response; the stopped search responds.
            return (Tag::default(), vec![Request::Stop]);
        }
        let text = cleaned(line);
        let Ok((text, (id, name))) = id_and_name(&text) else {
            return Default::default();
        };
        let found = Command::requests(&COMMANDS, self, text, text, |command, _| {
            format!("syntax error, expected {}", command.syntax())
        });
        let (command, requests) = found.unwrap_or_else(|| {
            let error = format!("unknown command \"{}\"", quoted(name));
            ("", vec![Request::Error(error)])
        });
        let tag = Tag {
            id: id.unwrap_or_default().into(),
            command,
            ..Tag::default()
        };
        (tag, requests)
    }

    fn format(&mut self, tag: &Tag, event: &Event) -> Vec<Output> {
        let mut sign = '=';
        let text = match event {
            // No output before the answer of a search.
            Event::Info(_)
            | Event::Note(_)
            | Event::RootMove { .. }
            | Event::PerftRunning { .. } => return Vec::new(),
            Event::Error(error) | Event::Failed(error) => {
                sign = '?';
                let is_undo = matches!(event, Event::Failed(_)) && tag.command == "undo";
                format!("{}{error}", if is_undo { "cannot undo: " } else { "" })
            }
            Event::Text(text) => text.clone(),
            Event::Best { word, .. } => vertex(word.as_deref().unwrap_or("pass")),
            Event::Ranked {
                moves,
                depth,
                selectivity,
            } => lines(
                moves
                    .iter()
                    .map(|found| ranked(found, *depth, *selectivity)),
            ),
            Event::Board(board) => {
                let command = COMMANDS.iter().find(|row| row.words == tag.command);
                match command.map(|command| &command.arguments) {
                    Some(Arguments::Show(view)) => view(board),
                    _ => String::new(),
                }
            }
            _ => String::new(),
        };
        let blank = if text.is_empty() || text.starts_with('\n') {
            ""
        } else {
            " "
        };
        // The writer's line end after this one makes the empty line.
        let text = format!("{sign}{}{blank}{}\n", tag.id, text.trim_end());
        vec![Output::answer(text)]
    }
}

/// A line without comment and control characters, tabs replaced by blanks.
fn cleaned(line: &str) -> String {
    let text = line.split('#').next().unwrap_or_default();
    text.chars()
        .map(|c| if c == '\t' { ' ' } else { c })
        .filter(|c| !c.is_control())
        .collect()
}

/// The id of a command, if it has one, and its name, which is not consumed.
fn id_and_name(text: &str) -> ParseResult<'_, (Option<&str>, &str)> {
    let id = opt(terminated(digit1, alt((space1, eof))));
    (preceded(space0, id), peek(word)).parse_complete(text)
}

/// Whether a first line selects GTP: a GTP command that UGI does not have, a private extension of a
/// GTP engine (`lz-analyze`; no UGI command has a hyphen), or any command with an id.
pub fn recognizes(first_line: &str) -> bool {
    let text = cleaned(first_line);
    let Ok((_, (id, word))) = id_and_name(&text) else {
        return false;
    };
    let is_extension = word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.contains('-');
    id.is_some() || is_extension || FIRST_WORDS.contains(&word)
}
