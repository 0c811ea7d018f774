//! Type-erased games, for code that knows the game only at run time.
//!
//! Production searches do not use it: they are generic over [`Game`]. The textbook algorithms, which need no speed, are
//! compiled once, for [`AnyPosition`].
//!
//! ```
//! use nullwindow::games::any::{NAMES, by_name};
//!
//! for name in NAMES {
//!     let mut game = by_name(name).unwrap();
//!     let first = game.moves()[0];
//!     game.play(first).unwrap();
//!     println!("{name} {}: {}", game.write_move(first), game.write_position());
//! }
//! ```

use crate::game::score::Score;
use crate::game::{Game, IllegalMove, Move, MoveList, Notation, NotationError, Outcome, Player, outcome};

pub use super::registry::NAMES;
use super::registry::registry;
use super::reversi::discs::{DiscGame, Discs};
use super::reversi::flipello;
use super::reversi::{Diamond, Diamond2, Othello, Othello4, Othello6};
use super::score_four::ScoreFour;
use super::tictactoe::TicTacToe;

/// Generates the code that depends on the list of games.
macro_rules! games {
    ([] $($game:ident $row:tt)*) => {
        /// A position of any game: the bridge from [`AnyGame`] to generic code.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[expect(missing_docs, reason = "the variants are the games")]
        pub enum AnyPosition {
            $($game($game)),*
        }

        $(impl From<$game> for AnyPosition {
            fn from(position: $game) -> Self {
                AnyPosition::$game(position)
            }
        })*

        impl AnyPosition {
            /// The name of its game.
            pub fn name(&self) -> &'static str {
                match self {
                    $(AnyPosition::$game(_) => $game::NAME),*
                }
            }

            /// Calls the visitor with the position and its type.
            pub fn visit<V: Visitor>(self, visitor: V) -> V::Output {
                match self {
                    $(AnyPosition::$game(position) => visitor.visit(&position)),*
                }
            }
        }

        /// Any game, so that a search can be compiled once for all of them. Its only symmetry is the identity; use
        /// [`Game::grain`], not `GRAIN`.
        impl Game for AnyPosition {
            const NAME: &'static str = "any";
            const GRAIN: i32 = 1;
            const SYMMETRIES: usize = 1;

            fn grain(&self) -> i32 {
                match self {
                    $(AnyPosition::$game(_) => $game::GRAIN),*
                }
            }

            /// The start of the default game.
            fn start() -> Self {
                [$(AnyPosition::from($game::start())),*][0]
            }

            fn to_move(&self) -> Player {
                match self {
                    $(AnyPosition::$game(position) => position.to_move()),*
                }
            }

            fn moves(&self) -> MoveList {
                match self {
                    $(AnyPosition::$game(position) => position.moves()),*
                }
            }

            fn play(&self, m: Move) -> Self {
                match self {
                    $(AnyPosition::$game(position) => position.play(m).into()),*
                }
            }

            fn final_score(&self) -> Option<Score> {
                match self {
                    $(AnyPosition::$game(position) => position.final_score()),*
                }
            }

            fn plies_left(&self) -> u8 {
                match self {
                    $(AnyPosition::$game(position) => position.plies_left()),*
                }
            }

            fn stones(&self) -> i32 {
                match self {
                    $(AnyPosition::$game(position) => position.stones()),*
                }
            }

            fn packed(&self) -> [u64; 2] {
                match self {
                    $(AnyPosition::$game(position) => position.packed()),*
                }
            }

            fn image(&self, _symmetry: usize) -> Self {
                *self
            }

            fn move_image(m: Move, _symmetry: usize) -> Move {
                m
            }
        }

        /// The starting position of the game with this name, case-insensitive.
        pub fn by_name(name: &str) -> Option<Box<dyn AnyGame>> {
            $(if name.eq_ignore_ascii_case($game::NAME) {
                return Some(Box::new(TypedGame::<$game>::new()));
            })*
            None
        }
    };
}

registry!(games);

/// A computation that is generic over games, for a game known only at run time.
pub trait Visitor {
    /// What it computes.
    type Output;
    /// Computes it for a position of the game `G`.
    fn visit<G: RegisteredGame>(self, position: &G) -> Self::Output;
}

/// A position of some game and the moves that led to it.
pub trait AnyGame: Send + Sync {
    /// The name of the game.
    fn name(&self) -> &'static str;
    /// Sets the starting position and clears the history.
    fn set_start(&mut self);
    /// Sets a position (any format, or `startpos`) and clears the history. On an error, nothing changes.
    fn set_position(&mut self, text: &str) -> Result<(), NotationError>;
    /// The side to move.
    fn to_move(&self) -> Player;
    /// All legal moves (see [`Game::moves`]).
    fn moves(&self) -> MoveList;
    /// Plays a move. An illegal move is an error and changes nothing.
    fn play(&mut self, m: Move) -> Result<(), IllegalMove>;
    /// Undoes the last move. Returns `false` if there is none.
    fn undo(&mut self) -> bool;
    /// The moves played since the position was set.
    fn history(&self) -> &[Move];
    /// The final score for the side to move, if the game is over.
    fn final_score(&self) -> Option<Score>;
    /// The outcome; `None` if the game is not over.
    fn outcome(&self) -> Option<Outcome>;
    /// The current position with its type.
    fn position(&self) -> AnyPosition;
    /// See [`Game::plies_left`].
    fn plies_left(&self) -> u8;
    /// See [`Game::hash`].
    fn hash(&self) -> u64;
    /// See [`Notation::parse_move`].
    fn parse_move(&self, word: &str) -> Result<Move, NotationError>;
    /// See [`Notation::parse_glued`].
    fn parse_glued<'w>(&self, word: &'w str) -> Result<(Move, &'w str), NotationError>;
    /// See [`Notation::write_move`].
    fn write_move(&self, m: Move) -> String;
    /// See [`Notation::write_position`].
    fn write_position(&self) -> String;
    /// See [`Notation::diagram`].
    fn diagram(&self) -> String;
    /// A legal move in UCI notation: `P@e3` and `e3e3` in Reversi (see [`super::reversi::flipello`]), `P@a1` in
    /// tic-tac-toe, the game's native notation otherwise.
    fn write_uci_move(&self, m: Move) -> String;
    /// The position in UCI notation if there is one for the game, else in the native format.
    fn write_uci_position(&self) -> String;
    /// The discs by color, in Reversi; used by dialects, GGF and disc counts.
    fn discs(&self) -> Option<Discs>;
    /// A copy with the same position and history.
    fn boxed_clone(&self) -> Box<dyn AnyGame>;
}

/// A game of the registry: what [`AnyGame`] requires beyond rules and notation.
pub trait RegisteredGame: Notation + Into<AnyPosition> {
    /// See [`AnyGame::discs`].
    fn discs(&self) -> Option<Discs> {
        None
    }

    /// See [`AnyGame::write_uci_move`].
    fn write_uci_move(&self, m: Move) -> String {
        Self::write_move(m)
    }

    /// See [`AnyGame::write_uci_position`].
    fn write_uci_position(&self) -> String {
        self.write_position()
    }
}

impl RegisteredGame for TicTacToe {
    fn write_uci_move(&self, m: Move) -> String {
        format!("P@{}", Self::write_move(m))
    }

    fn write_uci_position(&self) -> String {
        self.write_fen()
    }
}

impl RegisteredGame for ScoreFour {}

impl<G: DiscGame + Into<AnyPosition>> RegisteredGame for G {
    fn discs(&self) -> Option<Discs> {
        Some(DiscGame::discs(self))
    }

    fn write_uci_move(&self, m: Move) -> String {
        flipello::write_move(&DiscGame::discs(self), m)
    }

    fn write_uci_position(&self) -> String {
        flipello::write_fen(&DiscGame::discs(self))
    }
}

/// The implementation of [`AnyGame`]: the positions and moves of a game since a position was set.
#[derive(Clone, Debug)]
pub struct TypedGame<G: Game> {
    positions: Vec<G>,
    moves: Vec<Move>,
}

impl<G: Game> Default for TypedGame<G> {
    fn default() -> Self {
        Self::new()
    }
}

impl<G: Game> TypedGame<G> {
    /// The starting position, without moves.
    pub fn new() -> Self {
        Self::from_position(G::start())
    }

    /// A position, without moves.
    pub fn from_position(position: G) -> Self {
        TypedGame { positions: vec![position], moves: Vec::new() }
    }

    /// The current position.
    pub fn position(&self) -> &G {
        &self.positions[self.positions.len() - 1]
    }
}

impl<G: RegisteredGame> AnyGame for TypedGame<G> {
    fn name(&self) -> &'static str {
        G::NAME
    }

    fn set_start(&mut self) {
        *self = Self::new();
    }

    fn set_position(&mut self, text: &str) -> Result<(), NotationError> {
        let start = text.trim().eq_ignore_ascii_case("startpos");
        *self = if start { Self::new() } else { Self::from_position(G::parse_position(text)?) };
        Ok(())
    }

    fn to_move(&self) -> Player {
        self.position().to_move()
    }

    fn moves(&self) -> MoveList {
        self.position().moves()
    }

    fn play(&mut self, m: Move) -> Result<(), IllegalMove> {
        if !self.moves().contains(&m) {
            let word = match m {
                Move::NONE => "none".into(),
                Move::PASS => "pass".into(), // also of a game that has none
                m => G::write_move(m),
            };
            return Err(IllegalMove { word, ply: self.moves.len() + 1 });
        }
        let next = self.position().play(m);
        self.positions.push(next);
        self.moves.push(m);
        Ok(())
    }

    fn undo(&mut self) -> bool {
        let undone = self.moves.pop().is_some();
        if undone {
            self.positions.pop();
        }
        undone
    }

    fn history(&self) -> &[Move] {
        &self.moves
    }

    fn final_score(&self) -> Option<Score> {
        self.position().final_score()
    }

    fn outcome(&self) -> Option<Outcome> {
        outcome(self.position())
    }

    fn position(&self) -> AnyPosition {
        (*self.position()).into()
    }

    fn plies_left(&self) -> u8 {
        self.position().plies_left()
    }

    fn hash(&self) -> u64 {
        Game::hash(self.position())
    }

    fn parse_move(&self, word: &str) -> Result<Move, NotationError> {
        G::parse_move(word)
    }

    fn parse_glued<'w>(&self, word: &'w str) -> Result<(Move, &'w str), NotationError> {
        G::parse_glued(word)
    }

    fn write_move(&self, m: Move) -> String {
        debug_assert!(m != Move::NONE, "an empty slot is no move");
        G::write_move(m)
    }

    fn write_position(&self) -> String {
        self.position().write_position()
    }

    fn diagram(&self) -> String {
        self.position().diagram()
    }

    fn write_uci_move(&self, m: Move) -> String {
        debug_assert!(m != Move::NONE, "an empty slot is no move");
        self.position().write_uci_move(m)
    }

    fn write_uci_position(&self) -> String {
        self.position().write_uci_position()
    }

    fn discs(&self) -> Option<Discs> {
        RegisteredGame::discs(self.position())
    }

    fn boxed_clone(&self) -> Box<dyn AnyGame> {
        Box::new(self.clone())
    }
}
