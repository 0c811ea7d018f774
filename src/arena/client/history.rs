//! A game in progress, as the runner and the clients see it: by the rules of this crate or, if this
//! crate lacks them, as text with the answers of a referee.

use super::link::{ClientError, Result};
use crate::game::score::Score;
use crate::game::{Outcome, Player};
use crate::games::any::AnyGame;

/// A game in progress.
#[derive(Clone, Debug)]
pub enum GameHistory {
    /// By the rules of this crate.
    Rules(AnyGame),
    /// As text.
    Text(TextGame),
}

/// A game without rules: its moves as the engines wrote them, and what a referee answered about the
/// present position.
#[derive(Clone, Debug)]
pub struct TextGame {
    /// The name of the game.
    pub name: String,
    /// The start position in the engines' notation, unless it is the standard one.
    pub start: Option<String>,
    /// The moves.
    pub words: Vec<String>,
    /// The side to move.
    pub to_move: Player,
    /// The result, if the game is over.
    pub outcome: Option<Outcome>,
}

/// The arguments of `position`: a start position, unless it is the standard one, and moves.
pub fn position_arguments(start: Option<&str>, words: &[String]) -> String {
    let start = start.map_or("startpos".into(), |start| format!("fen {start}"));
    match words {
        [] => start,
        _ => format!("{start} moves {}", words.join(" ")),
    }
}

impl From<AnyGame> for GameHistory {
    fn from(game: AnyGame) -> Self {
        GameHistory::Rules(game)
    }
}

impl GameHistory {
    /// A game without rules at a start position.
    pub fn text(name: &str, start: Option<String>) -> GameHistory {
        GameHistory::Text(TextGame {
            name: name.into(),
            start,
            words: Vec::new(),
            to_move: Player::First,
            outcome: None,
        })
    }

    /// The name of the game.
    pub fn name(&self) -> &str {
        match self {
            GameHistory::Rules(game) => game.name(),
            GameHistory::Text(game) => &game.name,
        }
    }

    /// The game by the rules of this crate.
    ///
    /// # Errors
    /// If this crate lacks the rules.
    pub fn rules(&self) -> Result<&AnyGame> {
        match self {
            GameHistory::Rules(game) => Ok(game),
            GameHistory::Text(game) => Err(ClientError::Unable(format!(
                "the rules of {} are unknown",
                game.name
            ))),
        }
    }

    /// The side to move.
    pub fn to_move(&self) -> Player {
        match self {
            GameHistory::Rules(game) => game.to_move(),
            GameHistory::Text(game) => game.to_move,
        }
    }

    /// How the game ended, if it did.
    pub fn outcome(&self) -> Option<Outcome> {
        match self {
            GameHistory::Rules(game) => game.outcome(),
            GameHistory::Text(game) => game.outcome,
        }
    }

    /// A score of the side to move in discs from the first player's point of view, in Reversi.
    pub fn discs_of(&self, score: Score) -> Option<i32> {
        self.rules().ok()?.discs()?;
        Some(self.to_move().signed(score.0 / 100))
    }

    /// The present position, for messages.
    pub fn position_text(&self) -> String {
        match self {
            GameHistory::Rules(game) => game.write_position(),
            GameHistory::Text(game) => position_arguments(game.start.as_deref(), &game.words),
        }
    }

    /// Plays a move and returns it as it is recorded; `None`, changing nothing, if it is illegal by
    /// the rules of this crate.
    pub fn play(&mut self, word: &str) -> Option<String> {
        match self {
            GameHistory::Rules(game) => {
                let before = game.position();
                Some(before.write_move(game.play_legal(word)?))
            }
            GameHistory::Text(game) => {
                game.words.push(word.into());
                Some(word.into())
            }
        }
    }
}
