//! Writes games in the formats of [`parse`](super::parse): transcripts, PGN, GGF. The match runner
//! writes its games by the same functions.

use super::entry::{RecordEntry, squares};
use super::info::{Ending, GameInfo, MoveInfo, ReportedScore, StatedResult, points};
use super::pgn::white;
use crate::game::{Game, Outcome, Player, printable};
use crate::games::any::AnyGame;
use crate::games::reversi::ggf::{GgfGame, PlayedMove};

/// The line width of the move list; PGN's export format has lines of less than 80 characters.
const WIDTH: usize = 79;

/// The moves of a game, glued and without the passes that follow from the rules: `f5d6c3`, after a
/// position `fen POSITION moves` if the game does not begin at the standard start.
pub fn transcript(game: &AnyGame) -> String {
    let last = game.history().len().saturating_sub(1);
    let words = game
        .history()
        .iter()
        .enumerate()
        .filter(|&(index, m)| !m.is_pass() || index == last)
        .map(|(_, &m)| game.write_move(m));
    let moves: String = words.collect();
    match (game.is_from_start(), moves.is_empty()) {
        (true, true) => "startpos".into(),
        (true, false) => moves,
        (false, true) => game.start().write_position(),
        (false, false) => format!("fen {} moves {moves}", game.start().write_position()),
    }
}

/// A game in PGN's export format: tags, then numbered moves with comments `{book}` and
/// `{score/depth time}`, then an empty line. A move number covers two plies; a pass is a ply.
pub fn pgn(entry: &RecordEntry) -> String {
    pgn_with(&PgnGame::of(entry), &entry.info, false, &|_| Vec::new())
}

/// A game as PGN writes it.
pub struct PgnGame {
    /// The name of the game.
    pub name: String,
    /// The player in the tag `White`.
    pub white: Player,
    /// The start position, unless it is the standard one.
    pub start: Option<String>,
    /// The moves and their players, of whom one may move twice in a row.
    pub moves: Vec<(Player, String)>,
    /// The result, if known.
    pub result: Option<StatedResult>,
}

impl PgnGame {
    /// A game by the rules of this crate.
    pub fn of(entry: &RecordEntry) -> PgnGame {
        let game = &entry.game;
        let start = game.start();
        let plies = game.plies();
        PgnGame {
            name: game.name().into(),
            white: white(game),
            start: (!game.is_from_start()).then(|| start.write_position()),
            moves: plies
                .map(|(position, m)| (position.to_move(), game.write_move(m)))
                .collect(),
            result: entry.result(),
        }
    }
}

/// A game as [`pgn`] writes it, with further values in the comments of moves, given by their index:
/// `{+1.30/8 0.013s, n=4242}`. A minimal game has only the tags of players, event, result, game
/// and start, and no comments.
pub fn pgn_with(
    game: &PgnGame,
    info: &GameInfo,
    is_minimal: bool,
    further: &dyn Fn(usize) -> Vec<String>,
) -> String {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let value = printable(&value.replace(['\t', '\r', '\n'], " "));
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        text.push_str(&format!("[{name} \"{value}\"]\n"));
    };
    let white = game.white;
    let result = game.result.map_or("*", |result| match result.outcome {
        Outcome::Draw => "1/2-1/2",
        outcome if outcome == Outcome::win(white) => "1-0",
        _ => "0-1",
    });
    let known = |value: &Option<String>| value.clone().unwrap_or_else(|| "?".into());
    let [first, second] = info.players.each_ref().map(known);
    let (white_name, black_name) = white.ordered(first, second);
    // The seven mandatory tags, in their order.
    tag("Event", &known(&info.event));
    tag("Site", &known(&info.site));
    tag("Date", &pgn_date(info.date.as_deref().unwrap_or_default()));
    tag("Round", &known(&info.round));
    tag("White", &white_name);
    tag("Black", &black_name);
    tag("Result", result);
    tag("Variant", &game.name);
    let first = if white == Player::First {
        "White"
    } else {
        "Black"
    };
    tag("FirstPlayer", first);
    if let Some(komi) = info.komi {
        tag("Komi", &komi.to_string());
    }
    let tags = if is_minimal { &[][..] } else { &info.tags };
    for (name, value) in tags {
        tag(name, value);
    }
    if let Some(result) = game.result.filter(|_| !is_minimal) {
        let has = |wanted: &str| info.tags.iter().any(|(name, _)| name == wanted);
        let mut termination = result.ending;
        // The values of Termination (standard, 9.8.1) have no such reasons.
        if matches!(termination, Ending::Resignation | Ending::Agreement) {
            if !has("Reason") {
                tag("Reason", termination.name());
            }
            termination = Ending::Normal;
        }
        if !has("Termination") {
            tag("Termination", &termination.name().replace('-', " "));
        }
        if let Some(discs) = result.discs {
            tag("Discs", &format!("{discs:+}"));
        }
    }
    if let Some(start) = &game.start {
        tag("SetUp", "1");
        tag("FEN", start);
    }
    if !is_minimal {
        tag("PlyCount", &game.moves.len().to_string());
    }
    text.push('\n');
    let mut column = 0;
    let mut push = |word: &str| {
        let width = word.chars().count();
        let fits = column + 1 + width <= WIDTH;
        if column > 0 {
            text.push(if fits { ' ' } else { '\n' });
        }
        column = width + if column > 0 && fits { column + 1 } else { 0 };
        text.push_str(word);
    };
    let (mut number, mut last) = (0, Player::Second);
    let mut is_interrupted = false;
    for (index, (player, word)) in game.moves.iter().enumerate() {
        // The second player's move ends a number.
        let is_new = last == Player::Second;
        number += usize::from(is_new || *player == Player::First);
        match player {
            Player::First => push(&format!("{number}.")),
            Player::Second if is_new || is_interrupted => push(&format!("{number}...")),
            Player::Second => {}
        }
        last = *player;
        push(word);
        let played = info.moves.get(index).copied().unwrap_or_default();
        let book = played.is_book.then(|| "{book}".to_owned());
        let comments = book.into_iter().chain(comment(&played, further(index)));
        is_interrupted = false;
        for comment in comments.filter(|_| !is_minimal) {
            push(&comment);
            is_interrupted = true;
        }
    }
    push(result);
    text.push_str("\n\n");
    text
}

/// A date as PGN writes it: `2003.12.15`, `2003.??.??`.
fn pgn_date(date: &str) -> String {
    let mut parts = date.split(['-', 'T']);
    let mut part = |unknown: &'static str| {
        let part = parts.next().filter(|part| part.len() == unknown.len());
        part.unwrap_or(unknown).to_owned()
    };
    [part("????"), part("??"), part("??")].join(".")
}

/// The comment of a searched move: `{+1.30/8 0.013s}`, `{+1.30/8 0.013s, n=4242}`.
fn comment(info: &MoveInfo, further: Vec<String>) -> Option<String> {
    let score = match info.score {
        Some(ReportedScore::Cp(cp)) => format!("{:+.2}", cp as f64 / 100.0),
        Some(ReportedScore::Mate(moves)) => {
            let sign = if moves < 0 { '-' } else { '+' };
            format!("{sign}M{}", moves.unsigned_abs())
        }
        None => String::new(),
    };
    let depth = info
        .depth
        .map_or_else(String::new, |depth| format!("/{depth}"));
    let time = info
        .seconds
        .map_or_else(String::new, |seconds| format!(" {seconds:.3}s"));
    let comment = format!("{score}{depth}{time}").trim().to_owned();
    let parts: Vec<String> = [comment].into_iter().chain(further).collect();
    let comment = parts.join(", ");
    let comment = comment.trim_start_matches([',', ' ']);
    (!comment.is_empty()).then(|| format!("{{{comment}}}"))
}

/// The game in GGF; `None` if it is not played on a square board of discs.
pub fn ggf(entry: &RecordEntry) -> Option<GgfGame> {
    let (game, info) = (&entry.game, &entry.info);
    let start = game.start().discs()?;
    if !start.grid.is_square() {
        return None;
    }
    let mut out = GgfGame::new(start);
    let date = info.date.as_deref().map(|date| {
        let date = date.replace('-', ".").replace('T', "_");
        date.replace('Z', ".UTC")
    });
    for (name, value) in [
        ("PC", &info.site),
        ("EV", &info.event),
        ("RO", &info.round),
        ("DT", &date),
        ("PB", &info.players[0]),
        ("PW", &info.players[1]),
    ] {
        if let Some(value) = value {
            out.add_tag(name, value.clone());
        }
    }
    let komi = info.komi.unwrap_or_default();
    out.add_tag(
        "TY",
        start.grid.size.to_string() + if komi == 0.0 { "" } else { "k" },
    );
    if komi != 0.0 {
        out.add_tag("KM", format!("{komi:+.3}"));
    }
    let result = entry.result();
    let result = result.map_or("?".into(), |result| ggf_result(result, game, komi));
    out.add_tag("RE", result);
    for (index, (position, m)) in game.plies().enumerate() {
        let info = info.moves.get(index).copied().unwrap_or_default();
        out.moves.push(PlayedMove {
            player: position.to_move(),
            m,
            eval: match info.score {
                Some(ReportedScore::Cp(cp)) => Some(cp as f64 / 100.0),
                _ => None,
            },
            seconds: info.seconds,
        });
    }
    Some(out)
}

/// The result by GGF's conventions, after the second player's komi: the recorded score, or all discs
/// if the game was neither played to its end nor solved; 0 for a draw. `t`: lost on time, `s`: draw
/// by agreement, `r`: any other unfinished game.
fn ggf_result(result: StatedResult, game: &AnyGame, komi: f64) -> String {
    let all = squares(game);
    let side = points(result.outcome);
    let score = match result.discs {
        Some(discs) => f64::from(discs) - komi,
        None if result.outcome == Outcome::Draw || komi.abs() >= f64::from(all) => {
            f64::from(all * side)
        }
        None => f64::from(all * side) - komi,
    };
    let reason = match result.ending {
        Ending::Time => ":t",
        Ending::Resignation => ":r",
        Ending::Agreement => ":s",
        _ if result.discs.is_some() => "",
        _ if result.outcome == Outcome::Draw => ":s",
        _ => ":r",
    };
    format!("{score:+.3}{reason}")
}
