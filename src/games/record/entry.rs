//! The result of reading a position or a game: an entry, or an error with its place.

use thiserror::Error;

use crate::game::score::Score;
use crate::game::{Move, NotationError};
use crate::games::any::{AnyGame, by_name};
use crate::games::notation::before;
use crate::games::reversi::obf;
use crate::games::transcript::TranscriptError;

/// A position or a game with the annotations of the text.
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
}

impl RecordEntry {
    /// A position without annotations.
    pub fn of(game: AnyGame) -> RecordEntry {
        RecordEntry {
            game,
            value: None,
            moves: Vec::new(),
            plies: None,
        }
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

/// An error in a file: `FILE, line N: ...`.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{place}, line {line}: {error}")]
pub struct EntryErrorAt {
    /// The name of the file.
    pub place: String,
    /// The line, from 1.
    pub line: usize,
    /// The error.
    pub error: EntryError,
}

/// An entry that is not possible in the game.
impl EntryError {
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

pub(super) fn impossible(text: impl Into<String>) -> EntryError {
    NotationError::ImpossiblePosition(text.into()).into()
}

/// Checks the game's name in a record; unknown names are accepted.
pub(super) fn check_variant(game: &AnyGame, variant: &str) -> Result<(), EntryError> {
    match by_name(variant) {
        Some(other) if other.name() != game.name() => Err(impossible(format!(
            "the game is {}, expected {}",
            other.name(),
            game.name()
        ))),
        _ => Ok(()),
    }
}
