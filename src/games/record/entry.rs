//! What the reader of positions and games returns: an entry, or the error and its place.

use thiserror::Error;

use crate::game::score::Score;
use crate::game::{Move, NotationError};
use crate::games::any::AnyGame;
use crate::games::reversi::obf;
use crate::games::transcript::TranscriptError;

/// A position or a game, and what the text states about it.
pub struct RecordEntry {
    /// The last position, with the moves that led to it.
    pub game: AnyGame,
    /// The stated value of the last position for the side to move, else the largest of the stated scores of moves:
    /// hundredths of a disc, or 1, 0 and -1 in games won by a line.
    pub value: Option<Score>,
    /// The stated scores of moves, which are legal, in the order of the text.
    pub moves: Vec<(Move, Score)>,
    /// The stated number of plies to the end under best play.
    pub plies: Option<u8>,
    /// The stated result of the game, as it is written.
    pub result: Option<String>,
    /// The comment of a line.
    pub comment: Option<String>,
}

impl RecordEntry {
    /// A position about which nothing is stated.
    pub fn of(game: AnyGame) -> RecordEntry {
        RecordEntry { game, value: None, moves: Vec::new(), plies: None, result: None, comment: None }
    }

    /// The position with its scores as a line of OBF has them; `None` if the game has no discs.
    pub fn problem(&self) -> Option<obf::Problem> {
        let discs = self.game.discs()?;
        Some(obf::Problem { discs, value: self.value, moves: self.moves.clone() })
    }
}

/// Why an entry cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{reason}")]
pub struct EntryError {
    /// The number of lines of the entry before the one with the error.
    pub lines_before: usize,
    /// What is wrong.
    pub reason: EntryFault,
}

/// What is wrong with an entry.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EntryFault {
    /// The position, the tags or the scores.
    #[error(transparent)]
    Position(#[from] NotationError),
    /// A move.
    #[error(transparent)]
    Moves(#[from] TranscriptError),
}

impl<F: Into<EntryFault>> From<F> for EntryError {
    fn from(reason: F) -> Self {
        EntryError { lines_before: 0, reason: reason.into() }
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
    /// What is wrong there.
    pub error: EntryError,
}
