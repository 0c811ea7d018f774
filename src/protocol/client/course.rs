//! The game so far, as engines must be told it: where it began, and each ply in the spellings that the protocols need.

use crate::game::{Move, NotationError, Outcome, Player};
use crate::games::any::AnyGame;

/// One ply in the spellings of the protocols.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ply {
    /// The move.
    pub played: Move,
    /// Who made it.
    pub player: Player,
    /// As this project writes it: `f5`, `pass`.
    pub word: String,
    /// As UCI clients write it: `P@f4`, `e3e3`.
    pub uci: String,
}

/// A game from its beginning to the present position.
pub struct Course {
    now: Box<dyn AnyGame>,
    start: Option<Box<dyn AnyGame>>,
    plies: Vec<Ply>,
}

impl Clone for Course {
    fn clone(&self) -> Self {
        Course {
            now: self.now.boxed_clone(),
            start: self.start.as_ref().map(|start| start.boxed_clone()),
            plies: self.plies.clone(),
        }
    }
}

impl Course {
    /// A game from its usual starting position; `game` stands there.
    pub fn from_start(mut game: Box<dyn AnyGame>) -> Course {
        game.set_start();
        Course { now: game, start: None, plies: Vec::new() }
    }

    /// A game from another position of the same game.
    pub fn from_position(mut game: Box<dyn AnyGame>, text: &str) -> Result<Course, NotationError> {
        game.set_position(text)?;
        let start = Some(game.boxed_clone());
        Ok(Course { now: game, start, plies: Vec::new() })
    }

    /// The present position.
    pub fn game(&self) -> &dyn AnyGame {
        &*self.now
    }

    /// The position the game began from, unless it is the usual one.
    pub fn start(&self) -> Option<&dyn AnyGame> {
        self.start.as_deref()
    }

    /// The plies so far, forced passes included.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The side to move.
    pub fn to_move(&self) -> Player {
        self.now.to_move()
    }

    /// How the game ended, if it did.
    pub fn outcome(&self) -> Option<Outcome> {
        self.now.outcome()
    }

    /// Whether the side to move has nothing but a pass.
    pub fn must_pass(&self) -> bool {
        self.now.moves().as_slice() == [Move::PASS]
    }

    /// The legal move that a word of any dialect means here, if it means one.
    pub fn legal_move(&self, word: &str) -> Option<Move> {
        let played = self.now.parse_move(word).ok()?;
        self.now.moves().contains(&played).then_some(played)
    }

    /// Plays a legal move; `false`, and nothing changes, if it is none.
    pub fn play(&mut self, played: Move) -> bool {
        let player = self.now.to_move();
        let word = self.now.write_move(played);
        let uci = self.now.write_uci_move(played);
        let legal = self.now.play(played).is_ok();
        if legal {
            self.plies.push(Ply { played, player, word, uci });
        }
        legal
    }
}
