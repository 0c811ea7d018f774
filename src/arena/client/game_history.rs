//! The history of a game as it is sent to engines: the start position, and each ply in the notations of the protocols.

use crate::game::{Move, NotationError, Outcome, Player};
use crate::games::any::AnyGame;

/// One ply in the notations of the protocols.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ply {
    /// The move.
    pub played: Move,
    /// The side that made it.
    pub player: Player,
    /// In the game's own notation: `f5`, `pass`.
    pub word: String,
    /// In UCI drop notation: `P@f4`, `e3e3`.
    pub uci: String,
}

/// A game from its start position to the current one.
pub struct GameHistory {
    current: AnyGame,
    start: Option<AnyGame>,
    plies: Vec<Ply>,
}

impl Clone for GameHistory {
    fn clone(&self) -> Self {
        GameHistory { current: self.current.clone(), start: self.start.clone(), plies: self.plies.clone() }
    }
}

impl GameHistory {
    /// A game from the standard start position; `game` is reset to it.
    pub fn from_start(mut game: AnyGame) -> GameHistory {
        game.set_start();
        GameHistory { current: game, start: None, plies: Vec::new() }
    }

    /// A game from another start position.
    pub fn from_position(mut game: AnyGame, text: &str) -> Result<GameHistory, NotationError> {
        game.set_position(text)?;
        let start = Some(game.clone());
        Ok(GameHistory { current: game, start, plies: Vec::new() })
    }

    /// The current position.
    pub fn game(&self) -> &AnyGame {
        &self.current
    }

    /// The start position, unless it is the standard one.
    pub fn start(&self) -> Option<&AnyGame> {
        self.start.as_ref()
    }

    /// The plies so far, forced passes included.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The side to move.
    pub fn to_move(&self) -> Player {
        self.current.to_move()
    }

    /// How the game ended, if it is over.
    pub fn outcome(&self) -> Option<Outcome> {
        self.current.outcome()
    }

    /// Whether a pass is the only legal move.
    pub fn must_pass(&self) -> bool {
        self.current.moves().as_slice() == [Move::PASS]
    }

    /// Parses a move in any notation of the game; `None` if it is not a legal move here.
    pub fn legal_move(&self, word: &str) -> Option<Move> {
        let played = self.current.parse_move(word).ok()?;
        self.current.moves().contains(&played).then_some(played)
    }

    /// Plays a legal move. Returns `false`, changing nothing, if the move is illegal.
    pub fn play(&mut self, played: Move) -> bool {
        let player = self.current.to_move();
        let word = self.current.write_move(played);
        let uci = self.current.write_uci_move(played);
        let legal = self.current.play(played).is_ok();
        if legal {
            self.plies.push(Ply { played, player, word, uci });
        }
        legal
    }
}
