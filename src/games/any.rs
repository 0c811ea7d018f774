//! A position and a game whose rules are known only at run time, and the list of all games.
//!
//! Production searches do not use them: they are generic over [`Game`]. The textbook algorithms,
//! which need no speed, are compiled once, for [`AnyPosition`].
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

use std::ops::Deref;

use crate::game::score::Score;
use crate::game::{
    Game, IllegalMove, Move, MoveList, Notation, NotationError, Outcome, Player, outcome,
};
use crate::search::generic_policy::canonical_key;

use super::reversi::discs::Discs;
pub(crate) use super::reversi::{Diamond, Diamond2, Othello, Othello4, Othello6};
pub(crate) use super::score_four::ScoreFour;
/// Frees the memory that solvers keep between searches.
pub use super::score_four::solver::table::free_memory as free_solver_memory;
pub use super::spec::GameEntry;
use super::spec::GameSpec;
pub(crate) use super::tictactoe::TicTacToe;

/// Defines everything that has a case per game.
macro_rules! games {
    ($($game:ident),* $(,)?) => {
        /// A position of any game.
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

        /// All games, in the order of listings; the first is the default.
        pub const GAMES: [GameEntry; [$(stringify!($game)),*].len()] = [$($game::ENTRY),*];

        /// The names of all games.
        pub const NAMES: [&str; GAMES.len()] = [$($game::NAME),*];

        /// The game with this name (in any case) at its start.
        pub fn by_name(name: &str) -> Option<AnyGame> {
            $(if name.eq_ignore_ascii_case($game::NAME) {
                return Some(AnyPosition::from($game::start()).into());
            })*
            None
        }

        /// Evaluates an expression with `$position` bound to the typed position and, if given,
        /// `$Game` to its type.
        macro_rules! with_position {
            ($any:expr, $position:ident => $body:expr) => {
                match $any {
                    $($crate::games::any::AnyPosition::$game($position) => $body),*
                }
            };
            ($any:expr, $position:pat, $Game:ident => $body:expr) => {
                match $any {
                    $($crate::games::any::AnyPosition::$game($position) => {
                        type $Game = $crate::games::any::$game;
                        $body
                    }),*
                }
            };
        }
    };
}

games![
    Othello, Othello6, Othello4, Diamond, Diamond2, TicTacToe, ScoreFour
];
pub(crate) use with_position;

/// The entry of the game with this name, in any case.
pub fn entry(name: &str) -> Option<GameEntry> {
    GAMES
        .into_iter()
        .find(|entry| entry.name.eq_ignore_ascii_case(name))
}

impl AnyPosition {
    /// The name of its game.
    pub fn name(&self) -> &'static str {
        with_position!(self, _, G => G::NAME)
    }

    /// The start of its game.
    fn game_start(&self) -> AnyPosition {
        with_position!(self, _, G => G::start().into())
    }

    /// The canonical symmetry image, the same for all symmetric positions.
    pub fn canonical(self) -> AnyPosition {
        self.canonical_image().0
    }

    /// The canonical symmetry image, and the number of a symmetry that leads to it.
    #[doc(hidden)]
    pub fn canonical_image(self) -> (AnyPosition, usize) {
        with_position!(self, position => {
            let symmetry = usize::from(canonical_key(&position).symmetry);
            (position.image(symmetry).into(), symmetry)
        })
    }

    /// Its distinct symmetry images, itself first.
    #[cfg(feature = "cli")]
    pub(crate) fn images(self) -> Vec<AnyPosition> {
        let mut images: Vec<AnyPosition> = with_position!(self, position, G => {
            (0..G::SYMMETRIES).map(|symmetry| position.image(symmetry).into()).collect()
        });
        let mut seen = std::collections::HashSet::new();
        images.retain(|&image| seen.insert(image));
        images
    }

    /// The image of a move under a symmetry of the game.
    #[doc(hidden)]
    pub fn move_image(&self, m: Move, symmetry: usize) -> Move {
        with_position!(self, _, G => G::move_image(m, symmetry))
    }

    /// A line from this position as the smallest of its symmetry images: the packed position and the
    /// images of the moves. The same for all symmetric lines.
    #[doc(hidden)]
    pub fn canonical_line(self, moves: &[Move]) -> ([u64; 2], Vec<Move>) {
        with_position!(self, position, G => {
            let image = |symmetry| {
                let moves = moves.iter().map(|&m| G::move_image(m, symmetry));
                (position.image(symmetry).packed(), moves.collect())
            };
            (0..G::SYMMETRIES).map(image).min().unwrap_or_default()
        })
    }

    /// See [`Notation::parse_position`].
    pub fn parse_position(&self, text: &str) -> Result<AnyPosition, NotationError> {
        with_position!(self, _, G => Ok(G::parse_position(text)?.into()))
    }

    /// See [`Notation::parse_move`].
    pub fn parse_move(&self, word: &str) -> Result<Move, NotationError> {
        with_position!(self, _, G => G::parse_move(word))
    }

    /// See [`Notation::parse_glued`].
    #[doc(hidden)]
    pub fn parse_glued<'w>(&self, word: &'w str) -> Result<(Move, &'w str), NotationError> {
        with_position!(self, _, G => G::parse_glued(word))
    }

    /// See [`Notation::write_move`].
    pub fn write_move(&self, m: Move) -> String {
        debug_assert!(m != Move::NONE, "an empty slot is not a move");
        with_position!(self, _, G => G::write_move(m))
    }

    /// The notations of moves of its game.
    #[doc(hidden)]
    pub fn write_moves(&self, moves: &[Move]) -> Vec<String> {
        moves.iter().map(|&m| self.write_move(m)).collect()
    }

    /// See [`Notation::write_position`].
    pub fn write_position(&self) -> String {
        with_position!(self, position => position.write_position())
    }

    /// See [`Notation::diagram`].
    pub fn diagram(&self) -> String {
        with_position!(self, position => position.diagram())
    }

    /// See [`GameSpec::write_uci_move`].
    #[doc(hidden)]
    pub fn write_uci_move(&self, m: Move) -> String {
        debug_assert!(m != Move::NONE, "an empty slot is not a move");
        with_position!(self, position => position.write_uci_move(m))
    }

    /// See [`GameSpec::write_uci_position`].
    #[doc(hidden)]
    pub fn write_uci_position(&self) -> String {
        with_position!(self, position => position.write_uci_position(0))
    }

    /// See [`GameSpec::BOARD`].
    #[doc(hidden)]
    pub fn board(&self) -> [u8; 3] {
        with_position!(self, _, G => G::BOARD)
    }

    /// See [`GameSpec::cells`].
    #[doc(hidden)]
    pub fn cells(&self) -> Vec<char> {
        with_position!(self, position => position.cells())
    }

    /// The cells of the winning line of a game that is won by a line.
    #[doc(hidden)]
    pub fn winning_cells(&self) -> Option<Vec<u8>> {
        with_position!(self, position, G => {
            let line = position.winning_line()?;
            let cells = 0..G::BOARD.into_iter().product();
            Some(cells.filter(|&cell| line >> G::square_of(cell) & 1 != 0).collect())
        })
    }

    /// The position of this game with the discs of the side to move, which is the first player, and
    /// of the other: the inverse of [`Game::packed`] in games of discs. `None` if it is impossible.
    #[doc(hidden)]
    pub fn with_discs(&self, [black, white]: [u64; 2]) -> Option<AnyPosition> {
        let discs = Discs {
            black,
            white,
            to_move: Player::First,
            ..self.discs()?
        };
        with_position!(self, _, G => Some(G::of_discs(&discs)?.into()))
    }

    /// See [`GameSpec::discs`].
    #[doc(hidden)]
    pub fn discs(&self) -> Option<Discs> {
        with_position!(self, position => GameSpec::discs(position))
    }
}

/// All games as one, so that a search can be compiled once for all of them. It has no symmetries.
impl Game for AnyPosition {
    const NAME: &'static str = "any";
    const GRAIN: i32 = 1;

    fn grain(&self) -> i32 {
        with_position!(self, position => position.grain())
    }

    /// The start of the default game.
    fn start() -> Self {
        Othello::start().into()
    }

    fn to_move(&self) -> Player {
        with_position!(self, position => position.to_move())
    }

    fn moves(&self) -> MoveList {
        with_position!(self, position => position.moves())
    }

    fn play(&self, m: Move) -> Self {
        with_position!(self, position => position.play(m).into())
    }

    fn final_score(&self) -> Option<Score> {
        with_position!(self, position => position.final_score())
    }

    fn plies_left(&self) -> u8 {
        with_position!(self, position => position.plies_left())
    }

    fn stones(&self) -> i32 {
        with_position!(self, position => position.stones())
    }

    fn packed(&self) -> [u64; 2] {
        with_position!(self, position => position.packed())
    }
}

/// A game of any kind: its positions from the one that was set to the present one, and the moves
/// between them.
#[derive(Clone, Debug)]
pub struct AnyGame {
    positions: Vec<AnyPosition>,
    moves: Vec<Move>,
}

impl From<AnyPosition> for AnyGame {
    fn from(position: AnyPosition) -> Self {
        AnyGame {
            positions: vec![position],
            moves: Vec::new(),
        }
    }
}

/// The default game at its start.
impl Default for AnyGame {
    fn default() -> Self {
        AnyPosition::start().into()
    }
}

/// The present position, with its notation.
impl Deref for AnyGame {
    type Target = AnyPosition;

    fn deref(&self) -> &AnyPosition {
        &self.positions[self.positions.len() - 1]
    }
}

impl AnyGame {
    /// The present position.
    pub fn position(&self) -> AnyPosition {
        **self
    }

    /// The position that was set.
    pub fn start(&self) -> AnyPosition {
        self.positions[0]
    }

    /// Whether the game began at the standard start position.
    pub fn is_from_start(&self) -> bool {
        self.game_start() == self.start()
    }

    /// The moves played since the position was set.
    pub fn history(&self) -> &[Move] {
        &self.moves
    }

    /// These moves, each with the position before it.
    pub fn plies(&self) -> impl Iterator<Item = (AnyPosition, Move)> {
        self.positions
            .iter()
            .copied()
            .zip(self.moves.iter().copied())
    }

    /// See [`GameSpec::write_uci_position`].
    #[doc(hidden)]
    pub fn write_uci_position(&self) -> String {
        let passes = self.moves.iter().filter(|m| m.is_pass()).count();
        with_position!(self.position(), position => position.write_uci_position(passes))
    }

    /// Whether a pass is the only legal move.
    #[doc(hidden)]
    pub fn must_pass(&self) -> bool {
        self.moves().as_slice() == [Move::PASS]
    }

    /// Parses a move in any notation of the game; `None` if it is not a legal move here.
    pub fn legal_move(&self, word: &str) -> Option<Move> {
        self.parse_move(word)
            .ok()
            .filter(|m| self.moves().contains(m))
    }

    /// Plays a move in any notation of the game; `None`, changing nothing, if it is not a legal
    /// move here.
    pub fn play_legal(&mut self, word: &str) -> Option<Move> {
        self.parse_move(word).ok().filter(|&m| self.play(m).is_ok())
    }

    /// Puts the starting position on the board and forgets the moves.
    pub fn set_start(&mut self) {
        *self = self.game_start().into();
    }

    /// Puts a position on the board (any notation, or `startpos`) and forgets the moves. On an
    /// error nothing changes.
    pub fn set_position(&mut self, text: &str) -> Result<(), NotationError> {
        if text.trim().eq_ignore_ascii_case("startpos") {
            self.set_start();
        } else {
            *self = self.position().parse_position(text)?.into();
        }
        Ok(())
    }

    /// Plays a legal move. An illegal one is an error and changes nothing.
    pub fn play(&mut self, m: Move) -> Result<(), IllegalMove> {
        if !self.moves().contains(&m) {
            let word = match m {
                Move::NONE => "none".into(),
                Move::PASS => "pass".into(), // also in a game without passes
                m => self.write_move(m),
            };
            return Err(IllegalMove {
                word,
                ply: self.moves.len() + 1,
            });
        }
        self.positions.push(self.position().play(m));
        self.moves.push(m);
        Ok(())
    }

    /// Undoes the last move; `false` if there is none.
    pub fn undo(&mut self) -> bool {
        let undone = self.moves.pop().is_some();
        if undone {
            self.positions.pop();
        }
        undone
    }

    /// How the game ended, if it did.
    pub fn outcome(&self) -> Option<Outcome> {
        outcome(&self.position())
    }

    /// See [`Game::to_move`].
    pub fn to_move(&self) -> Player {
        self.position().to_move()
    }

    /// See [`Game::moves`].
    pub fn moves(&self) -> MoveList {
        self.position().moves()
    }

    /// See [`Game::final_score`].
    pub fn final_score(&self) -> Option<Score> {
        self.position().final_score()
    }

    /// See [`Game::plies_left`].
    pub fn plies_left(&self) -> u8 {
        self.position().plies_left()
    }

    /// See [`Game::stones`].
    pub fn stones(&self) -> i32 {
        self.position().stones()
    }

    /// See [`Game::hash`].
    pub fn hash(&self) -> u64 {
        self.position().hash()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_words() {
        let mut names: Vec<_> = NAMES
            .iter()
            .chain(GAMES.iter().filter_map(|game| game.uci.as_ref()))
            .collect();
        assert!(
            names
                .iter()
                .all(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric()))
        );
        assert_eq!(entry(NAMES[0]).map(|entry| entry.name), Some(NAMES[0]));
        names.sort();
        let twice = names
            .windows(2)
            .filter(|pair| pair[0] == pair[1])
            .map(|pair| *pair[0])
            .collect::<Vec<_>>();
        let both = GAMES
            .iter()
            .filter(|game| game.uci == Some(game.name))
            .map(|game| game.name)
            .collect::<Vec<_>>();
        assert_eq!(twice, both);
    }

    #[test]
    fn symmetric_positions_have_one_canonical_image() {
        // Othello's four first moves lead to symmetric positions.
        let mut board = by_name("othello").unwrap();
        let images = board.moves().into_iter().map(|m| {
            board.play(m).unwrap();
            let image = board.position().canonical();
            assert!(board.undo());
            image
        });
        let images: Vec<AnyPosition> = images.collect();
        assert_eq!(images.len(), 4);
        assert!(images.iter().all(|image| *image == images[0]));
    }

    #[test]
    fn a_canonical_image_is_its_own_image() {
        for name in NAMES {
            let mut board = by_name(name).unwrap();
            for ply in 0..6 {
                let image = board.position().canonical();
                assert_eq!(image.canonical(), image);
                let moves = board.moves();
                let Some(&m) = moves.get(ply % moves.len().max(1)) else {
                    break;
                };
                board.play(m).unwrap();
            }
        }
    }
}
