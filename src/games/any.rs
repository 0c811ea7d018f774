//! Any game behind one object-safe trait, for code that learns the game only at run time.
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

/// Writes down, once for each game, what depends on the list of games.
macro_rules! games {
    ([] $($game:ident $row:tt)*) => {
        /// A position together with the game it belongs to: how typed code gets at what stands behind [`AnyGame`].
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

        /// All games as one, so that a search may be compiled for all of them at once. It knows no symmetry but the
        /// identity, and its scores are of no grain but [`Game::grain`]'s.
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

        /// The starting position of the game of that name (any case), if there is such a game.
        pub fn by_name(name: &str) -> Option<Box<dyn AnyGame>> {
            $(if name.eq_ignore_ascii_case($game::NAME) {
                return Some(Box::new(GameHistory::<$game>::new()));
            })*
            None
        }
    };
}

registry!(games);

/// A computation that is generic over games, to be called for a game known only at run time.
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
    /// Puts the starting position on the board and forgets the moves.
    fn set_start(&mut self);
    /// Puts a position on the board (any spelling, or the word `startpos`) and forgets the moves; on an error nothing
    /// changes.
    fn set_position(&mut self, text: &str) -> Result<(), NotationError>;
    /// The side to move.
    fn to_move(&self) -> Player;
    /// All legal moves (see [`Game::moves`]).
    fn moves(&self) -> MoveList;
    /// Plays a legal move; an illegal one is refused and changes nothing.
    fn play(&mut self, m: Move) -> Result<(), IllegalMove>;
    /// Takes the last move back; `false` if there is none.
    fn undo(&mut self) -> bool;
    /// The moves played since the position was set.
    fn history(&self) -> &[Move];
    /// The final score for the side to move, if the game is over.
    fn final_score(&self) -> Option<Score>;
    /// How the game ended, if it did.
    fn outcome(&self) -> Option<Outcome>;
    /// The present position with its type.
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
    /// A legal move as clients of UCI write it: `P@e3` and `e3e3` on the disc boards (see
    /// [`super::reversi::flipello`]), `P@a1` in tic-tac-toe, elsewhere the game's own spelling.
    fn write_uci_move(&self, m: Move) -> String;
    /// The position as clients of UCI write it, where they know the game, and else in the game's own spelling.
    fn write_uci_position(&self) -> String;
    /// The discs by colour, if this is a game of discs: what dialects, GGF and disc counts are made from.
    fn discs(&self) -> Option<Discs>;
    /// A fresh copy with the same position and history.
    fn boxed_clone(&self) -> Box<dyn AnyGame>;
}

/// What a game must have to stand behind [`AnyGame`].
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

/// A game's positions from the one that was set to the present one: what `AnyGame` is made of.
#[derive(Clone, Debug)]
pub struct GameHistory<G: Game> {
    positions: Vec<G>,
    moves: Vec<Move>,
}

impl<G: Game> Default for GameHistory<G> {
    fn default() -> Self {
        Self::new()
    }
}

impl<G: Game> GameHistory<G> {
    /// The starting position, no moves.
    pub fn new() -> Self {
        Self::from_position(G::start())
    }

    /// A position, no moves.
    pub fn from_position(position: G) -> Self {
        GameHistory { positions: vec![position], moves: Vec::new() }
    }

    /// The present position.
    pub fn position(&self) -> &G {
        &self.positions[self.positions.len() - 1]
    }
}

impl<G: RegisteredGame> AnyGame for GameHistory<G> {
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
