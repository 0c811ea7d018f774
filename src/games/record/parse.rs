//! Reads an entry of any format.

use super::entry::{EntryError, EntryErrorAt, EntryPlace, RecordEntry, impossible};
use super::info::{Ending, Eval, MoveInfo, StatedResult, iso_date, known};
#[cfg(feature = "cli")]
use super::json;
use super::split::{EntryFormat, EntryText};
use super::{line, pgn, sgf};
use crate::game::Move;
use crate::games::any::AnyGame;
use crate::games::notation::Cursor;
use crate::games::reversi::ggf;
use crate::games::transcript::replay;

impl EntryText<'_> {
    /// Reads the entry; `file` names the file in errors.
    pub fn parse(&self, game: &AnyGame, file: &str) -> Result<RecordEntry, EntryErrorAt> {
        parse(game, self.text).map_err(|error| {
            let mut place = self.place(file);
            place.line = Some(self.line + error.lines_before);
            EntryErrorAt { place, error }
        })
    }

    /// Its place in a file.
    pub fn place(&self, file: &str) -> EntryPlace {
        let is_line = EntryFormat::of(self.text) == EntryFormat::Line;
        EntryPlace {
            file: file.into(),
            game: (!is_line).then_some(self.number),
            line: Some(self.line),
        }
    }
}

/// Parses an entry of the same game as `game`.
pub fn parse(game: &AnyGame, text: &str) -> Result<RecordEntry, EntryError> {
    let mut board = game.clone();
    board.set_start();
    let text = text.trim_start_matches('\u{feff}');
    let start = text.trim_start();
    #[cfg(feature = "cli")]
    if let Some(record) = json::object(start) {
        return json::parse(board, &record);
    }
    match EntryFormat::of(start) {
        EntryFormat::Ggf => parse_ggf(board, text),
        EntryFormat::Sgf => sgf::parse(&board, text),
        EntryFormat::Pgn => pgn::parse(board, text),
        EntryFormat::Line => line::parse(board, text),
    }
}

/// Sets the position of an entry, with its history.
///
/// # Errors
/// The entry cannot be parsed; `game` is unchanged.
pub fn set_position(game: &mut AnyGame, text: &str) -> Result<(), EntryError> {
    *game = parse(game, text)?.game;
    Ok(())
}

/// Reads a game in GGF.
fn parse_ggf(mut board: AnyGame, text: &str) -> Result<RecordEntry, EntryError> {
    let Some(discs) = board.discs() else {
        return Err(impossible(format!(
            "GGF is not supported for {}",
            board.name()
        )));
    };
    let record = ggf::read(discs.grid, &mut Cursor::new(text))?;
    replay(&mut board, &record)?;
    let mut entry = RecordEntry::of(board);
    let history: Vec<Move> = entry.game.history().to_vec();
    let mut moves = vec![MoveInfo::default(); history.len()];
    let mut ply = 0;
    for played in &record.moves {
        // A pass that the record omits was inserted.
        let is_omitted = history.get(ply) == Some(&Move::PASS) && !played.m.is_pass();
        ply += usize::from(is_omitted);
        if let Some(info) = moves.get_mut(ply) {
            (info.seconds, info.eval) = (played.seconds, played.eval.map(Eval::Score));
        }
        ply += 1;
    }
    let info = &mut entry.info;
    if moves.iter().any(|info| *info != MoveInfo::default()) {
        info.moves = moves;
    }
    let field = |name| record.tag(name).and_then(known);
    info.players = [field("PB"), field("PW")];
    (info.event, info.site, info.round) = (field("EV"), field("PC"), field("RO"));
    info.date = record.tag("DT").and_then(iso_date);
    info.result = record.result().map(|result| {
        let ending = match result.reason {
            Some('r') => Ending::Resignation,
            Some('t') => Ending::Time,
            Some('s') => Ending::Agreement,
            _ => Ending::Normal,
        };
        // Scores of games with a handicap may have fractions.
        let stated =
            StatedResult::of_discs(result.score.signum() as i32 * i32::from(result.score != 0.0));
        let discs = (result.score.fract() == 0.0).then_some(result.score as i32);
        StatedResult {
            discs,
            ending,
            ..stated
        }
    });
    Ok(entry.finish())
}
