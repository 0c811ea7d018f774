//! The GTP commands: one row for each, with its parser and the formatter of its answer.

use std::time::Duration;

use super::answer;
use crate::engine::Engine;
use crate::engine::event::Event;
use crate::engine::quoted;
use crate::engine::request::{Go, Player, Rank, Reply, Request, TimeSettings};

/// Parses the arguments of a command.
type GtpParser = fn(&[&str]) -> Result<Request, String>;

/// A command of GTP.
pub struct GtpCommand {
    /// Its name.
    pub word: &'static str,
    /// Its arguments: `[..]` is optional, capitals are placeholders.
    pub usage: &'static str,
    /// Its effect, in one sentence.
    #[allow(dead_code, reason = "tests/docs.rs compares it with protocol.md")]
    pub help: &'static str,
    pub(super) parse: GtpParser,
    /// Formats its answer.
    pub(super) answer: fn(&Event) -> String,
}

/// A game's name in `list_games`: with a capital, since Quarry requires `Othello`.
fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

/// Milliseconds per move of `genmove` if no clock runs.
const DEFAULT_MOVE_TIME: i64 = 1_000;
const HINT_DEPTH: u8 = 12;

macro_rules! row {
    ($word:literal, $usage:literal, $help:literal, $parse:expr, $answer:expr) => {
        GtpCommand { word: $word, usage: $usage, help: $help, parse: $parse, answer: $answer }
    };
}

/// The commands, in the order of `list_commands`.
pub const COMMANDS: [GtpCommand; 30] = [
    row!("protocol_version", "", "`2`", |a| no_arguments(a, reply("2")), answer::text),
    row!("name", "", "name of the engine", |a| no_arguments(a, reply(env!("CARGO_PKG_NAME"))), answer::text),
    row!("version", "", "version of the engine", |a| no_arguments(a, reply(env!("CARGO_PKG_VERSION"))), answer::text),
    row!("known_command", "NAME", "`true` or `false`", known, answer::text),
    row!("list_commands", "", "all commands, one per line", list_commands, answer::text),
    row!("list_games", "", "all disc games, one per line", list_games, answer::text),
    row!("set_game", "NAME", "select a game and set up its start", set_game, answer::text),
    row!(
        "boardsize",
        "SIZE",
        "select a game of this size (the current one, else Othello) and set up its start",
        board_size,
        answer::text
    ),
    row!(
        "clear_board",
        "",
        "set up the start, reset the clocks, keep the transposition table",
        |a| no_arguments(a, Request::Restart),
        answer::text
    ),
    row!("komi", "NUMBER", "ignored", komi, answer::text),
    row!("play", "COLOR VERTEX", "play a move or `pass`", play, answer::text),
    row!("genmove", "COLOR", "find a move for this color, play it and print it", |a| generate(a, true), answer::vertex),
    row!("reg_genmove", "COLOR", "find a move and print it", |a| generate(a, false), answer::vertex),
    row!("undo", "", "undo the last move and the pass it implied", |a| no_arguments(a, Request::Undo), answer::text),
    row!("showboard", "", "print the board", |a| no_arguments(a, Request::Show), answer::diagram),
    row!("final_score", "", "disc difference: `B+12`, `W+3` or `0`", |a| no_arguments(a, Request::Show), answer::score),
    row!(
        "time_settings",
        "MAIN PERIOD STONES",
        "set both clocks, in seconds; PERIOD above 0 with 0 STONES: no limit",
        time_settings,
        answer::text
    ),
    row!("time_left", "COLOR SECONDS STONES", "set a clock", time_left, answer::text),
    row!("gogui-rules_game_id", "", "name of the game", |a| no_arguments(a, Request::Show), answer::game_id),
    row!("gogui-rules_board_size", "", "size of the board", |a| no_arguments(a, Request::Show), answer::board_size),
    row!(
        "gogui-rules_board",
        "",
        "rows, last first: `X` Black, `O` White, `.` empty, `?` no square",
        |a| no_arguments(a, Request::Show),
        answer::board
    ),
    row!(
        "gogui-rules_side_to_move",
        "",
        "`black` or `white`",
        |a| no_arguments(a, Request::Show),
        answer::side_to_move
    ),
    row!(
        "gogui-rules_legal_moves",
        "",
        "legal moves; empty if the game is over",
        |a| no_arguments(a, Request::Show),
        answer::legal_moves
    ),
    row!("gogui-rules_final_result", "", "result in words", |a| no_arguments(a, Request::Show), answer::final_result),
    row!("gogui-rules_captured_count", "", "`0 0`", |a| no_arguments(a, reply("0 0")), answer::text),
    row!(
        "gogui-rules_board_gfx",
        "",
        "GoGui graphics: last move and disc counts",
        |a| no_arguments(a, Request::Show),
        answer::board_gfx
    ),
    row!("gogui-interrupt", "", "empty; announces `# interrupt`", |a| no_arguments(a, reply("")), answer::text),
    row!("nullwindow-option", "NAME[=VALUE]", "set an engine option, for instance `Depth=12`", option, answer::text),
    row!(
        "nullwindow-hint",
        "[COUNT] [depth DEPTH] [VERTEX...]",
        "the COUNT (`MultiPV`) best moves, or the best of those named: move, score in discs, depth (`12`, selective \
         `12@73%`, proven `100%`), variation",
        hint,
        answer::ranking
    ),
    row!(
        "quit",
        "",
        "answer all commands, cutting searches short, and exit",
        |a| no_arguments(a, Request::Quit),
        answer::text
    ),
];

/// The words without a hyphen that select GTP in a first line, sorted: [`COMMANDS`], the specifications (versions 1 and
/// 2), and the additions of GNU Go, GoGui's programs and Quarry. Commands that UGI also has (`quit`, `undo`, `help`)
/// are not in the list.
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

fn reply(text: impl Into<String>) -> Request {
    Request::Reply(Reply::Text(text.into()))
}

fn syntax_error<T>() -> Result<T, String> {
    Err("syntax error".into())
}

fn no_arguments(arguments: &[&str], request: Request) -> Result<Request, String> {
    if arguments.is_empty() { Ok(request) } else { syntax_error() }
}

fn known(arguments: &[&str]) -> Result<Request, String> {
    let [name] = arguments else { return syntax_error() };
    Ok(reply(COMMANDS.iter().any(|command| command.word == *name).to_string()))
}

fn list_commands(arguments: &[&str]) -> Result<Request, String> {
    no_arguments(arguments, reply(COMMANDS.iter().map(|command| command.word).collect::<Vec<_>>().join("\n")))
}

fn list_games(arguments: &[&str]) -> Result<Request, String> {
    no_arguments(arguments, reply(Engine::disc_games().map(capitalized).collect::<Vec<_>>().join("\n")))
}

fn set_game(arguments: &[&str]) -> Result<Request, String> {
    let wanted = arguments.join(" ");
    let Some(game) = Engine::disc_games().find(|name| name.eq_ignore_ascii_case(&wanted)) else {
        return Err(format!("unsupported game \"{}\"", quoted(&wanted)));
    };
    Ok(Request::SetOption { name: "Game".into(), value: Some(game.into()) })
}

fn board_size(arguments: &[&str]) -> Result<Request, String> {
    let [size] = arguments else { return syntax_error() };
    size.parse().map(Request::BoardSize).or_else(|_| syntax_error())
}

fn komi(arguments: &[&str]) -> Result<Request, String> {
    match arguments {
        [number] if number.parse::<f64>().is_ok_and(f64::is_finite) => Ok(reply("")),
        _ => syntax_error(),
    }
}

fn color(word: &str) -> Result<Player, String> {
    match word.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Player::First),
        "w" | "white" => Ok(Player::Second),
        _ => syntax_error(),
    }
}

fn play(arguments: &[&str]) -> Result<Request, String> {
    let [player, word] = arguments else { return syntax_error() };
    Ok(Request::PlayFor { player: color(player)?, word: (*word).into() })
}

fn generate(arguments: &[&str], play: bool) -> Result<Request, String> {
    let [player] = arguments else { return syntax_error() };
    let go = Go { movetime: Some(DEFAULT_MOVE_TIME), lines: Some(1), ..Go::default() };
    Ok(Request::Generate { player: color(player)?, play, go })
}

/// A number of seconds; negative ones count as zero.
fn seconds(word: &str) -> Result<Duration, String> {
    /// Ten years: the clamp of times, so that `Duration` arithmetic cannot overflow.
    const MAX_SECONDS: f64 = 3e8;
    match word.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(Duration::from_secs_f64(number.clamp(0.0, MAX_SECONDS))),
        _ => syntax_error(),
    }
}

fn stones(word: &str) -> Result<u32, String> {
    word.parse::<i64>().map(|number| u32::try_from(number.max(0)).unwrap_or(u32::MAX)).or_else(|_| syntax_error())
}

fn time_settings(arguments: &[&str]) -> Result<Request, String> {
    let [main, period, moves] = arguments else { return syntax_error() };
    let settings = TimeSettings { main: seconds(main)?, period: seconds(period)?, stones: stones(moves)? };
    Ok(Request::SetClocks(settings))
}

fn time_left(arguments: &[&str]) -> Result<Request, String> {
    let [player, time, moves] = arguments else { return syntax_error() };
    Ok(Request::SetClock { player: color(player)?, left: seconds(time)?, stones: stones(moves)? })
}

fn option(arguments: &[&str]) -> Result<Request, String> {
    let text = arguments.join(" ");
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim().into())),
        None => (text.as_str(), None),
    };
    if name.is_empty() { syntax_error() } else { Ok(Request::SetOption { name: name.into(), value }) }
}

fn hint(arguments: &[&str]) -> Result<Request, String> {
    let mut rank = Rank { depth: HINT_DEPTH, lines: None, moves: Vec::new(), is_hint: true };
    let mut words = arguments.iter().peekable();
    if let Some(count) = words.peek().and_then(|word| word.parse::<usize>().ok()) {
        rank.lines = Some(count.max(1));
        words.next();
    }
    if words.next_if(|word| **word == "depth").is_some() {
        let depth = words.next().and_then(|word| word.parse::<i64>().ok());
        let Some(depth) = depth else { return syntax_error() };
        rank.depth = u8::try_from(depth.max(1)).unwrap_or(u8::MAX);
    }
    rank.moves = words.map(|word| String::from(*word)).collect();
    Ok(Request::Rank(rank))
}
