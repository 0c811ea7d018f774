//! The result of reading a position or a game: an entry, or an error with its place.

use std::fmt;

use thiserror::Error;

use crate::game::score::Score;
use crate::game::{IllegalMove, Move, NotationError, Player, quoted};
use crate::games::any::{AnyGame, GAMES};
use crate::games::notation::before;
use crate::games::reversi::obf;

use super::info::{
    Ending, GameInfo, MoveInfo, ResultOrder, StatedResult, Statement, iso_date, known, only,
    played_result,
};

/// A position or a game with the annotations of the text.
#[derive(Clone, Default, Debug)]
pub struct RecordEntry {
    /// The last position, with the moves that led to it.
    pub game: AnyGame,
    /// The annotated value of the last position for the side to move, or else the largest annotated
    /// score of a move: in hundredths of a disc, or 1, 0 and -1 in games won by a line.
    pub value: Option<Score>,
    /// The annotated scores of legal moves, in the order of the text.
    pub moves: Vec<(Move, Score)>,
    /// The annotated number of plies to the end under best play.
    pub plies: Option<u8>,
    /// What else is stated about the game.
    pub info: GameInfo,
    /// Why the stated result contradicts the moves or another statement of the record.
    pub contradiction: Option<String>,
    /// Whether a result is stated, but the game is unfinished and it is unknown whose result it is.
    pub has_unknown_result: bool,
    /// The result as stated, until [`RecordEntry::finish`] interprets it.
    pub(super) statement: Option<Statement>,
}

impl RecordEntry {
    /// A position without annotations.
    pub fn of(game: AnyGame) -> RecordEntry {
        RecordEntry {
            game,
            ..RecordEntry::default()
        }
    }

    /// The result: of the moves, if the game is over, else the stated one.
    pub fn result(&self) -> Option<StatedResult> {
        played_result(&self.game, self.info.komi.unwrap_or_default()).or(self.info.result)
    }

    /// Adds to what is stated about the last move, of which the first statement counts, and nothing to
    /// the moves before it that have no entry, such as inserted passes.
    pub(super) fn annotate(&mut self, info: MoveInfo) {
        let moves = &mut self.info.moves;
        moves.resize(self.game.history().len(), MoveInfo::default());
        if let Some(last) = moves.last_mut() {
            *last = last.or(info);
        }
    }

    /// Completes the entry: as many annotations as moves, or none, without impossible times and
    /// evaluations, and the result. A finished game is decided by its moves: a stated result
    /// contradicts them if no interpretation of it agrees with them. Of an unfinished game the stated
    /// result is known if it has one meaning.
    pub(super) fn finish(mut self, order: Option<ResultOrder>) -> RecordEntry {
        let (info, count) = (&mut self.info, self.game.history().len());
        for played in &mut info.moves {
            *played = played.possible();
        }
        info.moves.resize(count, MoveInfo::default());
        if info.moves.iter().all(|info| *info == MoveInfo::default()) {
            info.moves.clear();
        }
        let Some(statement) = self.statement.take() else {
            return self;
        };
        let readings = statement.readings(&self.game, order);
        let Some(played) = played_result(&self.game, info.komi.unwrap_or_default()) else {
            info.result = only(&readings);
            self.has_unknown_result = info.result.is_none();
            return self;
        };
        info.result = readings
            .iter()
            .copied()
            .find(|result| result.is_of(&self.game, &played));
        // What is not understood contradicts nothing.
        if info.result.is_none() && !readings.is_empty() {
            let stated = match readings.as_slice() {
                &[result] => {
                    info.result = Some(result);
                    result.to_string()
                }
                _ => format!("\"{}\"", quoted(&statement.text)),
            };
            let komi = info
                .komi
                .map_or(String::new(), |komi| format!(" and the komi is {komi}"));
            let error = format!("the stated result is {stated}, but the moves give {played}{komi}");
            self.contradiction.get_or_insert(error);
        }
        self
    }

    /// Reads a property of GGF or SGF other than moves, boards and results. Of several equal ones the first
    /// counts, as in PGN.
    pub(super) fn state_property(&mut self, name: &str, value: &str) -> Result<(), EntryError> {
        let info = &mut self.info;
        let field = match name {
            "PB" => &mut info.players[0],
            "PW" => &mut info.players[1],
            "EV" => &mut info.event,
            "PC" => &mut info.site,
            "RO" => &mut info.round,
            "DT" => &mut info.date,
            "KM" => return self.state_komi(value),
            _ => return Ok(()),
        };
        let value = if name == "DT" {
            iso_date(value)
        } else {
            known(value)
        };
        *field = field.take().or(value);
        Ok(())
    }

    /// Reads the second player's komi, at most 64 discs by amount; without effect in games without discs.
    pub(super) fn state_komi(&mut self, text: &str) -> Result<(), EntryError> {
        let komi = text.trim().parse().ok();
        let komi = komi
            .filter(|komi: &f64| komi.abs() <= 64.0)
            .ok_or_else(|| {
                let text = quoted(text);
                impossible(format!("the komi is \"{text}\", expected -64 to 64"))
            })?;
        let counts = komi != 0.0 && self.game.discs().is_some();
        self.info.komi = counts.then_some(komi);
        Ok(())
    }

    /// Adds the komi to a stated difference that has it, in SGF. With one of a fraction, or without a
    /// possible difference, the result states the winner alone.
    pub(super) fn add_komi(&mut self) {
        let (all, komi) = (squares(&self.game), self.info.komi.unwrap_or_default());
        let result = self.statement.as_mut().and_then(|one| one.result.as_mut());
        if let Some(result) = result.filter(|_| komi != 0.0) {
            let discs = result.discs.map(|discs| f64::from(discs) + komi);
            let discs = discs.filter(|discs| discs.fract() == 0.0 && discs.abs() <= all.into());
            result.discs = discs.map(|discs| discs as i32);
        }
    }

    /// Adds a disc difference, which `name` has in the record as `text`, to the stated result: it
    /// decides whose result that is, or contradicts it. The error then has `states` before the difference.
    pub(super) fn state_discs(
        &mut self,
        (name, states): (&str, &str),
        text: &str,
        discs: Option<i32>,
        ending: Ending,
    ) -> Result<(), EntryError> {
        let all = squares(&self.game);
        let is_possible = |discs: &i32| (-all..=all).contains(discs);
        let discs = discs.filter(is_possible).ok_or_else(|| {
            let text = quoted(text);
            impossible(format!(
                "{name} is {text}, expected a difference of -{all} to {all} discs"
            ))
        })?;
        let result = StatedResult {
            ending,
            ..StatedResult::with_komi(discs, self.info.komi.unwrap_or_default())
        };
        self.state(Statement::for_first(text, Some(result)), states);
        Ok(())
    }

    /// Adds a statement to the stated result and keeps the meanings on which both agree. If they agree
    /// on none, the earlier one remains, and the error has `states` before the other. A statement that
    /// is not understood adds nothing.
    pub(super) fn state(&mut self, statement: Statement, states: &str) {
        let Some(stated) = self
            .statement
            .take()
            .filter(|stated| stated.result.is_some())
        else {
            self.statement = Some(statement);
            return;
        };
        let [ours, others] = [&stated, &statement].map(|one| one.readings(&self.game, None));
        let both = |our: &StatedResult| others.iter().find_map(|other| our.and(*other));
        let agreed: Vec<StatedResult> = ours.iter().filter_map(both).collect();
        if let ([our, ..], [other, ..], []) = (&*ours, &*others, &*agreed) {
            let error = format!("the stated result is {our}, but {states} {other}");
            self.contradiction.get_or_insert(error);
        }
        self.statement = Some(match agreed.first() {
            Some(&result) => Statement {
                result: Some(result),
                first: only(&agreed).map(|_| Player::First),
                ..stated
            },
            None => stated,
        });
    }

    /// The position and scores of an OBF line; `None` if the game is not a disc game.
    pub fn problem(&self) -> Option<obf::Problem> {
        let discs = self.game.discs()?;
        Some(obf::Problem {
            discs,
            value: self.value,
            moves: self.moves.clone(),
        })
    }
}

/// The first move of a list that could not be played.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TranscriptError {
    /// The position before the moves cannot be parsed.
    #[error(transparent)]
    Position(#[from] NotationError),
    /// The word is not a move.
    #[error("{error} (ply {ply})")]
    Unreadable {
        /// Its ply in the list, from 1.
        ply: usize,
        /// The error.
        error: NotationError,
    },
    /// The move is illegal.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
}

/// An error in an entry.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{reason}")]
pub struct EntryError {
    /// The line of the error in the entry, from 0.
    pub lines_before: usize,
    /// The error.
    pub reason: TranscriptError,
}

impl<F: Into<TranscriptError>> From<F> for EntryError {
    fn from(reason: F) -> Self {
        EntryError {
            lines_before: 0,
            reason: reason.into(),
        }
    }
}

/// The place of an entry, or of an error in it: `FILE, game 3, line 17`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryPlace {
    /// The name of the file.
    pub file: Box<str>,
    /// The number of the game, from 1; `None` in formats of one entry per line.
    pub game: Option<usize>,
    /// The line, from 1; `None` in binary formats.
    pub line: Option<usize>,
}

/// An error in a file: `FILE, line N: ...`.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{place}: {error}")]
pub struct EntryErrorAt {
    /// The place of the error.
    pub place: EntryPlace,
    /// The error.
    pub error: EntryError,
}

impl fmt::Display for EntryPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(game) = self.game {
            write!(f, ", game {game}")?;
        }
        self.line.map_or(Ok(()), |line| write!(f, ", line {line}"))
    }
}

impl EntryError {
    /// The error, in the line of its column, which counts from the beginning of the entry's text.
    pub(super) fn in_lines(mut self, text: &str) -> EntryError {
        if let TranscriptError::Position(NotationError::UnreadablePosition { column, .. }) =
            &mut self.reason
        {
            let place: String = text.chars().take(*column - 1).collect();
            self.lines_before = newlines(&place);
            *column = 1 + place.chars().rev().take_while(|&c| c != '\n').count();
        }
        self
    }

    /// The error, in the line of `part`, a part of the entry's text.
    pub fn at(self, text: &str, part: &str) -> EntryError {
        EntryError {
            lines_before: newlines(before(text, part)),
            ..self
        }
    }
}

pub(super) fn newlines(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
}

/// The number of squares of a board of discs.
pub(super) fn squares(game: &AnyGame) -> i32 {
    game.discs()
        .map_or(0, |discs| discs.grid.squares.count_ones() as i32)
}

pub(super) fn unsupported(format: &str, game: &AnyGame) -> EntryError {
    impossible(format!("{format} is not supported for {}", game.name()))
}

pub(super) fn impossible(text: impl Into<String>) -> EntryError {
    NotationError::ImpossiblePosition(text.into()).into()
}

/// The names that games of discs share.
const OF_DISCS: [&str; 2] = ["othello", "reversi"];

/// Our name of the game with this name, ours or that of UCI clients, optionally written as words:
/// `Tic-Tac-Toe`.
fn known_name(text: &str) -> Option<&'static str> {
    let glued: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
    let is_name = |name: &str| name.eq_ignore_ascii_case(&glued);
    let mut games = GAMES.iter();
    let known = games.find(|entry| is_name(entry.name) || entry.uci.is_some_and(is_name));
    known.map(|entry| entry.name)
}

/// Whether a text names a game, ours or another one.
#[cfg(feature = "cli")]
pub(super) fn names_game(game: &AnyGame, text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut names = OF_DISCS.into_iter().chain([game.name()]);
    known_name(text).is_some() || names.any(|name| lower.contains(name))
}

/// Checks the game's name in a record: ours, that of UCI clients, or a text that contains our name or,
/// in games of discs, Othello or Reversi, and neither the size of another board nor other rules.
pub(super) fn check_variant(game: &AnyGame, variant: &str) -> Result<(), EntryError> {
    let (is_right, name) = match known_name(variant) {
        Some(known) => (known == game.name(), known),
        // A name in another script is not understood.
        None if !variant.contains(|c: char| c.is_ascii_alphanumeric()) => (true, variant),
        None => (is_variant(game, &variant.to_lowercase()), variant),
    };
    is_right.then_some(()).ok_or_else(|| {
        impossible(format!(
            "the game is {}, expected {}",
            quoted(name),
            game.name()
        ))
    })
}

/// Whether a text in lower case names this game with no other size and no other rules.
fn is_variant(game: &AnyGame, text: &str) -> bool {
    let size = game.discs().map(|discs| i32::from(discs.grid.size));
    let of_discs = OF_DISCS.into_iter().filter(|_| size.is_some());
    let names: Vec<&str> = of_discs.chain([game.name()]).collect();
    let without_names = names
        .iter()
        .fold(text.to_owned(), |text, name| text.replace(name, " "));
    let words = without_names.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let is_other_size = size
        .zip(stated_size(&words))
        .is_some_and(|(size, stated)| size != stated);
    let other_rules = ["anti", "misere", "misère", "inverse"];
    names.iter().any(|name| text.contains(name))
        && !is_other_size
        && !words.iter().any(|word| other_rules.contains(word))
}

/// The size of the board that words state: `6x6`, or a number alone, as in `othello10`.
fn stated_size(words: &[&str]) -> Option<i32> {
    let number = |text: &str| text.parse::<i32>().ok();
    let side = |word: &&str| {
        let (side, other) = word.split_once('x')?;
        number(side).filter(|&side| number(other) == Some(side))
    };
    let alone = || match words {
        [word] => number(word).filter(|number| (4..=26).contains(number)),
        _ => None,
    };
    words.iter().find_map(side).or_else(alone)
}
