//! Plays moves, and games in GGF. A pass that a list omits is inserted.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use thiserror::Error;

use super::any::AnyGame;
use super::reversi::ggf::{GgfGame, PlayedMove};
use crate::game::{IllegalMove, Move, NotationError};

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

/// Plays a move, after a pass if the side to move must pass. An illegal move is an error and
/// changes nothing.
pub fn play(game: &mut AnyGame, m: Move) -> Result<(), IllegalMove> {
    let is_inserted =
        !m.is_pass() && game.moves().contains(&Move::PASS) && game.play(Move::PASS).is_ok();
    let done = game.play(m);
    if done.is_err() && is_inserted {
        game.undo();
    }
    done
}

/// Sets the start of a game in GGF and plays its moves; returns them with the omitted passes.
pub fn replay(game: &mut AnyGame, record: &GgfGame) -> Result<Vec<PlayedMove>, TranscriptError> {
    game.set_position(&record.start.write())?;
    let (line, _) = record.line(game.position())?;
    line.iter().try_for_each(|played| game.play(played.m))?;
    Ok(line)
}

#[cfg(test)]
mod tests {
    use crate::games::any::by_name;
    use crate::games::record::play_all;

    /// The moves of a list as the game writes them, or the error and what had been played.
    fn read(name: &str, position: &str, text: &str) -> Result<String, String> {
        let mut game = by_name(name).unwrap();
        game.set_position(position).unwrap();
        let done = play_all(&mut game, text);
        let history = game.write_moves(game.history());
        match done {
            Ok(_) => Ok(history.join(" ")),
            Err(error) => Err(format!("{error}; played {}", history.join(" "))),
        }
    }

    #[test]
    fn passes_are_read_in_every_spelling_or_omitted() {
        // Black has no move; White must have one.
        let position = "8/8/8/8/8/8/ox6/8 x";
        for text in [
            "pass c7", "PASSc7", "pa c7", "PS c7", "-- c7", "@@@@ c7", "0000 c7", "null c7",
            "b7b7 c7", "a7a7c7", "c7",
        ] {
            let read = read("othello", "2o5/8/8/8/8/8/ox6/7x x", text);
            assert_eq!(read, Ok("pass c7".into()), "{text}");
        }
        assert_eq!(read("othello", position, "pass"), Ok("pass".into()));
    }

    #[test]
    fn the_first_bad_move_is_named_and_the_rest_is_not_played() {
        assert_eq!(
            read("othello", "startpos", "f5 d6 f5 c4"),
            Err("illegal move \"f5\" at ply 3; played f5 d6".into())
        );
        assert_eq!(
            read("othello", "startpos", "f5d6a1c4"),
            Err("illegal move \"a1\" at ply 3; played f5 d6".into())
        );
        assert_eq!(
            read("othello", "startpos", "f5 xyz"),
            Err(
                "cannot read \"xyz\" as a move, expected a1 to h8 or pass (ply 2); played f5"
                    .into()
            )
        );
        assert_eq!(
            read("othello", "startpos", "f5 d6 7"),
            Err(
                "cannot read \"7\" as a move, expected a1 to h8 or pass (ply 3); played f5 d6"
                    .into()
            )
        );
        // The pass that was tried before an illegal move is taken back.
        assert_eq!(
            read("othello", "2o5/8/8/8/8/8/ox6/7x x", "h1"),
            Err("illegal move \"h1\" at ply 1; played ".into())
        );
    }

    #[test]
    fn moves_without_separators_are_read_in_other_games() {
        assert_eq!(
            read("scorefour", "startpos", "a1a1D4 1. b2"),
            Ok("a1 a1 d4 b2".into())
        );
        assert_eq!(
            read("tictactoe", "startpos", "P@a1b2 C3"),
            Ok("a1 b2 c3".into())
        );
        assert_eq!(
            read("tictactoe", "startpos", "a1a1"),
            Err("illegal move \"a1\" at ply 2; played a1".into())
        );
        assert_eq!(
            read("othello6", "startpos", "P@d2 pass"),
            Err("illegal move \"pass\" at ply 2; played d5".into())
        );
        assert_eq!(
            read("diamond", "startpos", "a1"),
            Err("illegal move \"a1\" at ply 1; played ".into())
        );
    }
}
