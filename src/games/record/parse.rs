//! Reads an entry of any format.

use super::entry::{EntryError, RecordEntry, impossible, squares, unsupported};
use super::format::EntryFormat;
use super::info::{Ending, MoveInfo, ReportedScore, ResultOrder, StatedResult, Statement, known};
#[cfg(feature = "cli")]
use super::json;
use super::movetext::{Token, tokens};
#[cfg(feature = "cli")]
use super::table::Table;
use super::{line, movetext, pgn, sgf};
use crate::game::quoted;
use crate::games::any::AnyGame;
use crate::games::notation::{BOM, Cursor};
use crate::games::reversi::ggf::{self, PlayedMove};

/// Parses a text with one entry of the same game as `game`, which nothing follows.
pub fn parse(game: &AnyGame, text: &str) -> Result<RecordEntry, EntryError> {
    check_end(text.trim_start_matches(BOM).trim_start())?;
    parse_with(game, text, None)
}

/// Parses an entry of a file, in which `order` decides whose result comes first if nothing else
/// does.
pub fn parse_with(
    game: &AnyGame,
    text: &str,
    order: Option<ResultOrder>,
) -> Result<RecordEntry, EntryError> {
    read(game, text).map(|entry| entry.finish(order))
}

/// Reads an entry, whose stated result is not yet interpreted.
pub(super) fn read(game: &AnyGame, text: &str) -> Result<RecordEntry, EntryError> {
    let mut board = game.clone();
    board.set_start();
    let text = text.trim_start_matches(BOM);
    match EntryFormat::of(text.trim_start()) {
        EntryFormat::Ggf => parse_ggf(board, text),
        EntryFormat::Sgf => sgf::parse(&board, text),
        EntryFormat::Pgn => pgn::parse(board, text),
        #[cfg(feature = "cli")]
        EntryFormat::Json => json::parse(board, text),
        #[cfg(feature = "cli")]
        EntryFormat::Line => match Table::find(&board, text, false) {
            Some(table) => table.read(board, text),
            None => line::parse(board, text),
        },
        #[cfg(not(feature = "cli"))]
        EntryFormat::Line => line::parse(board, text),
    }
}

/// The length in bytes of the game in GGF, SGF or PGN at the beginning of a text. `None` if it may go on
/// behind the text, which is not the end of its file (`is_end`), and for other formats.
pub(super) fn game_length(format: EntryFormat, text: &str, is_end: bool) -> Option<usize> {
    match format {
        EntryFormat::Ggf => sgf::length(text, false),
        EntryFormat::Sgf => sgf::length(text, true),
        EntryFormat::Pgn => movetext::length(text, is_end),
        _ => None,
    }
}

/// Rejects what follows a game; the parsers of JSON and lines do so themselves.
fn check_end(text: &str) -> Result<(), EntryError> {
    let format = EntryFormat::of(text);
    let length = game_length(format, text, true);
    let rest = length.and_then(|length| text.get(length..));
    let rest = rest.unwrap_or_default();
    // Comments, annotations and variations may follow a game in PGN.
    let is_ignored = || tokens(rest, true).all(|token| matches!(token, Token::Comment(_)));
    if rest.trim().is_empty() || format == EntryFormat::Pgn && is_ignored() {
        return Ok(());
    }
    Err(impossible(format!(
        "\"{}\" follows the game",
        quoted(rest.trim())
    )))
}

/// Reads a game in GGF.
fn parse_ggf(mut board: AnyGame, text: &str) -> Result<RecordEntry, EntryError> {
    let Some(discs) = board.discs() else {
        return Err(unsupported("GGF", &board));
    };
    let record = ggf::read(discs.grid, &mut Cursor::new(text));
    let record = record.map_err(|error| EntryError::from(error).in_lines(text))?;
    board.set_position(&record.start.write())?;
    let (line, _) = record.line(board.position())?;
    line.iter().try_for_each(|played| board.play(played.m))?;
    let mut entry = RecordEntry::of(board);
    let info = |played: &PlayedMove| MoveInfo {
        seconds: played.seconds,
        score: played.eval.map(ReportedScore::of_points),
        ..MoveInfo::default()
    };
    entry.info.moves = line.iter().map(info).collect();
    for (name, value) in &record.tags {
        entry.state_property(name, value)?;
    }
    let komi = entry.info.komi.unwrap_or_default();
    let Some(text) = record.tag("RE").filter(|text| known(text).is_some()) else {
        return Ok(entry);
    };
    let (score, reason) = text.split_once(':').unwrap_or((text, ""));
    let reason = reason.chars().next();
    let score = score.trim().parse::<f64>().ok();
    // Edax writes -127 for an unfinished game.
    let score = score.filter(|score| score.is_finite() && *score != -127.0);
    let stated = score.map(|score| {
        let ending = match reason {
            Some('r') => Ending::Resignation,
            Some('t') => Ending::Time,
            Some('s') => Ending::Agreement,
            _ => Ending::Normal,
        };
        // The score has the komi; in games with a handicap it may have fractions.
        let discs = score + komi;
        let all = f64::from(squares(&entry.game));
        let is_possible = (-all..=all).contains(&discs);
        // An unfinished game may state the winner alone.
        let is_bare = reason.is_some() && (-all..=all).contains(&score);
        if !is_possible && !is_bare {
            let error = format!("the result RE[{}] is not possible", quoted(text));
            return Err(impossible(error));
        }
        let outcome = StatedResult::with_komi(0, -score).outcome;
        let is_agreed_draw = reason == Some('s') && score == 0.0 && komi != 0.0;
        let is_known = is_possible && !is_agreed_draw && discs.fract() == 0.0;
        let discs = is_known.then_some(discs as i32);
        Ok(StatedResult {
            outcome,
            discs,
            ending,
        })
    });
    entry.statement = Some(Statement::for_first(text, stated.transpose()?));
    Ok(entry)
}
