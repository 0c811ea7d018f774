//! The interface of games: [`Game`], the rules of a two-player zero-sum game with perfect
//! information, and [`Notation`], its text formats. The search depends on games through these
//! traits only.
//!
//! `games/tictactoe.rs` is the smallest complete example.

pub mod rng;
pub mod score;

use std::fmt;
use std::hash::Hash;
use std::ops::Neg;

use arrayvec::ArrayVec;
use thiserror::Error;

use crate::game::score::Score;

/// The squares of a set, lowest first.
#[inline(always)]
pub fn squares(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros() as u8;
        (set != 0).then(|| {
            set &= set - 1;
            square
        })
    })
}

/// One of the two sides. The first player (`p1`) is Black in Othello and X elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "cli", derive(serde::Serialize, serde::Deserialize))]
pub enum Player {
    /// The side that begins the game.
    #[cfg_attr(feature = "cli", serde(rename = "p1"))]
    First,
    /// Its opponent.
    #[cfg_attr(feature = "cli", serde(rename = "p2"))]
    Second,
}

impl Player {
    /// Both sides.
    pub const BOTH: [Player; 2] = [Player::First, Player::Second];

    /// The opponent.
    #[inline(always)]
    pub const fn other(self) -> Player {
        match self {
            Player::First => Player::Second,
            Player::Second => Player::First,
        }
    }

    /// The pair, swapped if this is the second player: turns what the side to move and its opponent
    /// have into what the first and the second player have, and back.
    #[inline(always)]
    pub fn ordered<T>(self, one: T, other: T) -> (T, T) {
        match self {
            Player::First => (one, other),
            Player::Second => (other, one),
        }
    }

    /// A value of this side as one of the first player, and back.
    pub(crate) fn signed<T: Neg<Output = T>>(self, value: T) -> T {
        match self {
            Player::First => value,
            Player::Second => -value,
        }
    }

    /// How positions name the side: `x` for the first player, `o` for the second.
    pub const fn letter(self) -> char {
        match self {
            Player::First => 'x',
            Player::Second => 'o',
        }
    }
}

/// How a finished game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "cli", derive(serde::Serialize, serde::Deserialize))]
pub enum Outcome {
    /// The first player won.
    #[cfg_attr(feature = "cli", serde(rename = "p1win"))]
    FirstWins,
    /// The second player won.
    #[cfg_attr(feature = "cli", serde(rename = "p2win"))]
    SecondWins,
    /// A draw.
    #[cfg_attr(feature = "cli", serde(rename = "draw"))]
    Draw,
}

impl Outcome {
    /// A win of this player.
    pub const fn win(player: Player) -> Outcome {
        match player {
            Player::First => Outcome::FirstWins,
            Player::Second => Outcome::SecondWins,
        }
    }

    /// Its name in records and in UGI's `query result`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Outcome::FirstWins => "p1win",
            Outcome::SecondWins => "p2win",
            Outcome::Draw => "draw",
        }
    }

    /// The outcome for a final score from the point of view of the side to move.
    pub const fn of_score(score: Score, to_move: Player) -> Outcome {
        match score.0 {
            0 => Outcome::Draw,
            1.. => Outcome::win(to_move),
            _ => Outcome::win(to_move.other()),
        }
    }

    /// The half points (0, 1 or 2) of this player.
    pub fn half_points(self, player: Player) -> u8 {
        match self {
            Outcome::Draw => 1,
            _ if self == Outcome::win(player) => 2,
            _ => 0,
        }
    }
}

/// A move: the square (or column) it is played on, the squares it goes from and to, or
/// [`Move::PASS`].
///
/// Two bytes in every game, so that tables, PVs and the engine's interface need no type parameter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u16);

impl Move {
    /// The move of a side without any other legal move.
    pub const PASS: Move = Move(u16::MAX - 1);
    /// No move: an empty field of a table entry.
    pub const NONE: Move = Move(u16::MAX);

    /// The move onto a square.
    #[inline(always)]
    pub const fn to(square: u8) -> Move {
        Move(square as u16)
    }

    /// The move from a square (at most 127) to another.
    #[inline(always)]
    pub const fn from_to(from: u8, to: u8) -> Move {
        Move((from as u16) << 8 | to as u16)
    }

    /// The square that the move goes to.
    #[inline(always)]
    pub const fn square(self) -> u8 {
        self.0 as u8
    }

    /// The square that the move comes from, in a game of such moves.
    #[inline(always)]
    pub const fn origin(self) -> u8 {
        (self.0 >> 8) as u8
    }

    /// Whether it is a move onto one of the squares below `count`.
    #[inline(always)]
    pub const fn is_square(self, count: u8) -> bool {
        self.0 < count as u16
    }

    /// The move as an integer, for storage.
    #[inline(always)]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The inverse of [`Move::bits`].
    #[inline(always)]
    pub const fn from_bits(bits: u16) -> Move {
        Move(bits)
    }

    /// Whether this is the pass.
    #[inline(always)]
    pub const fn is_pass(self) -> bool {
        self.0 == Self::PASS.0
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Move::PASS => f.write_str("pass"),
            Move::NONE => f.write_str("none"),
            Move(to @ 0..=255) => write!(f, "#{to}"),
            m => write!(f, "#{}-{}", m.origin(), m.square()),
        }
    }
}

/// A number with its noun: `1 node`, `2 nodes`.
pub fn counted(number: impl fmt::Display, one: &str, many: &str) -> String {
    let number = number.to_string();
    let noun = if number == "1" { one } else { many };
    format!("{number} {noun}")
}

/// The maximum number of legal moves of a position.
pub const MAX_MOVES: usize = 64;

/// The legal moves of a position, inline.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

/// Moves `m` to the front of a list that holds it; the others keep their order.
pub fn to_front(moves: &mut [Move], m: Move) {
    if let Some(index) = moves.iter().position(|&other| other == m) {
        moves[..=index].rotate_right(1);
    }
}

/// The moves to the squares of a set, lowest first.
#[inline(always)]
pub fn moves_to(mut set: u64) -> MoveList {
    // A plain loop: the list's `collect` is a function of its own, with its own instruction set.
    let mut moves = MoveList::new();
    while set != 0 {
        moves.push(Move::to(set.trailing_zeros() as u8));
        set &= set - 1;
    }
    moves
}

/// The image of square `width * row + column` of a square board: bit 2 of `symmetry` mirrors in the
/// diagonal of the first square, then bits 0 and 1 mirror columns and rows.
pub const fn square_image(square: u8, width: u8, symmetry: usize) -> u8 {
    let (mut column, mut row) = (square % width, square / width);
    if symmetry & 4 != 0 {
        (column, row) = (row, column);
    }
    if symmetry & 1 != 0 {
        column = width - 1 - column;
    }
    if symmetry & 2 != 0 {
        row = width - 1 - row;
    }
    width * row + column
}

/// The rules of a game. The implementing type is a position: small, copied at each move
/// ("copy-make").
///
/// ```
/// use nullwindow::{Game, Notation, Outcome, TicTacToe, outcome};
///
/// let mut position = TicTacToe::start();
/// for word in ["b2", "a1", "a2", "c2", "b1", "b3", "a3", "c1", "c3"] {
///     let m = TicTacToe::parse_move(word)?;
///     assert!(position.moves().contains(&m));
///     position = position.play(m);
/// }
/// assert!(position.moves().is_empty());
/// assert_eq!(outcome(&position), Some(Outcome::Draw));
/// # Ok::<(), nullwindow::NotationError>(())
/// ```
///
/// Invariants, tested by random walks of every game:
/// * [`moves`](Game::moves) is empty exactly when [`final_score`](Game::final_score) is `Some`;
/// * a side that must pass has exactly one move, [`Move::PASS`];
/// * [`plies_left`](Game::plies_left) falls by exactly [`cost`](Game::cost) with each move and is
///   never below the number of costed plies that can still be played;
/// * every image under a symmetry has the same value, and `play` commutes with images.
pub trait Game: Copy + Eq + Hash + fmt::Debug + Send + Sync + 'static {
    /// The name that option `Game` takes.
    const NAME: &'static str;
    /// Final scores are multiples of this, in score units: the null-window step of an exact search.
    /// Two discs (200) in Othello with empties to the winner.
    const GRAIN: i32;
    /// Number of board symmetries that preserve the rules; index 0 is the identity.
    const SYMMETRIES: usize = 1;

    /// The [`GRAIN`](Game::GRAIN) of this position's game, for types that hold positions of several
    /// games.
    fn grain(&self) -> i32 {
        Self::GRAIN
    }

    /// The starting position.
    fn start() -> Self;

    /// The side to move (in a finished game: the side whose turn it would be).
    fn to_move(&self) -> Player;

    /// All legal moves, in the game's natural order; the pass alone if there is no other; none in a
    /// finished game.
    fn moves(&self) -> MoveList;

    /// The position after a legal move. An illegal move is a programming error, checked in debug
    /// builds.
    fn play(&self, m: Move) -> Self;

    /// The score for the side to move; `None` if the game is not over.
    ///
    /// Less than 9936 in absolute value, or the win of a player after N plies: 10000 - N for the
    /// winner, -(10000 - N) for the loser, N at most 64. The earlier win is then the better one.
    fn final_score(&self) -> Option<Score>;

    /// An upper bound on the plies (those that cost depth) that can still be played: a search this
    /// deep is exact.
    fn plies_left(&self) -> u8;

    /// The cost of a move in plies of search depth: 0 for a pass, 1 for any other move.
    #[inline(always)]
    fn cost(m: Move) -> u8 {
        u8::from(!m.is_pass())
    }

    /// Number of stones or discs on the board, for games whose score depends on the ply of the win
    /// ([`Score::seen_from`]); 0 in other games.
    fn stones(&self) -> i32 {
        0
    }

    /// The position in two words, seen from the side to move: equal words mean equal value for the
    /// side to move.
    fn packed(&self) -> [u64; 2];

    /// A well-mixed hash of [`packed`](Game::packed).
    #[inline(always)]
    fn hash(&self) -> u64 {
        mix(self.packed())
    }

    /// The image of this position under a symmetry (`symmetry < SYMMETRIES`).
    fn image(&self, symmetry: usize) -> Self {
        debug_assert!(symmetry == 0);
        *self
    }

    /// The image of a move under the same symmetry; a pass remains a pass.
    fn move_image(m: Move, symmetry: usize) -> Move {
        debug_assert!(symmetry == 0);
        m
    }
}

/// Mixes two words into a hash; every input bit affects every output bit. Folds 128-bit products to
/// 64 bits, as in the wyhash family (public domain construction).
#[inline(always)]
pub const fn mix(words: [u64; 2]) -> u64 {
    let wide = ((words[0] ^ 0x9e37_79b9_7f4a_7c15) as u128)
        * ((words[1] ^ 0xe703_7ed1_a0b4_28db).rotate_left(32) as u128);
    let mixed = (wide as u64) ^ ((wide >> 64) as u64) ^ words[0].rotate_left(17);
    let wide = (mixed as u128) * 0xa076_1d64_78bd_642f_u128;
    (wide as u64) ^ ((wide >> 64) as u64)
}

/// The outcome of a finished game; `None` if it is not over.
pub fn outcome<G: Game>(position: &G) -> Option<Outcome> {
    Some(Outcome::of_score(
        position.final_score()?,
        position.to_move(),
    ))
}

/// A text that is not a move or not a position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NotationError {
    /// The word is not a move of this game.
    #[error("cannot read \"{}\" as a move, expected {expected}", quoted(.word))]
    UnreadableMove {
        /// The offending word.
        word: String,
        /// The syntax of moves, such as `a1 to h8 or pass`.
        expected: &'static str,
    },
    /// The text is not a position: there is a syntax error at `column` (1-based, in characters).
    #[error("{what}, column {column}, expected {expected}")]
    UnreadablePosition {
        /// The error, such as `unknown piece "k"`.
        what: String,
        /// The 1-based column, in characters of the position text.
        column: usize,
        /// What was expected there.
        expected: String,
    },
    /// The syntax is correct, but the position is impossible in this game (such as wrong piece
    /// counts).
    #[error("{0}")]
    ImpossiblePosition(String),
}

/// A move that is illegal in its position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("illegal move \"{}\" at ply {ply}", quoted(.word))]
pub struct IllegalMove {
    /// The word in the input.
    pub word: String,
    /// Its ply in the move list, from 1.
    pub ply: usize,
}

/// Quotes text for an error message: escaped and truncated to 40 characters.
pub fn quoted(text: &str) -> String {
    let escaped: String = text.chars().take(41).flat_map(char::escape_debug).collect();
    if escaped.chars().count() > 40 {
        escaped.chars().take(40).chain("…".chars()).collect()
    } else {
        escaped
    }
}

/// Escapes the characters of [`is_unprintable`] as JSON does (`\u001b`), so that foreign text stays
/// on one line of a table, a header or a terminal.
pub fn printable(text: &str) -> String {
    escape_unprintable(text, "")
}

/// Like [`printable`], for whole lines of text or JSON: keeps `\n` and `\t`.
pub fn printable_lines(text: &str) -> String {
    escape_unprintable(text, "\n\t")
}

fn escape_unprintable(text: &str, kept: &str) -> String {
    let is_escaped = |c| is_unprintable(c) && !kept.contains(c);
    if !text.contains(is_escaped) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            _ if !is_escaped(c) => shown.push(c),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    shown.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    shown
}

/// Whether a character controls the terminal, ends a line, changes the writing direction or is
/// invisible format, instead of being printed. The joiners that scripts need are printed.
pub fn is_unprintable(c: char) -> bool {
    let is_format = matches!(
        c,
        '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    );
    c.is_control() || is_format
}

/// The text formats of a game's moves and positions. Parsing checks syntax only; the caller checks
/// legality.
///
/// ```
/// use nullwindow::{Move, Notation, Othello};
///
/// let position = Othello::parse_position("8/8/8/3ox3/3xo3/8/8/8 x")?;
/// assert_eq!(position.write_position(), "8/8/8/3ox3/3xo3/8/8/8 x");
/// assert_eq!(Othello::parse_glued("F5d6c3")?, (Othello::parse_move("f5")?, "d6c3"));
/// assert_eq!(Othello::parse_move("--")?, Move::PASS);
///
/// let error = Othello::parse_position("8/8/8/3ok3/3xo3/8/8/8 x").unwrap_err();
/// assert_eq!(error.to_string(), "unknown piece \"k\", column 9, expected x, o, a digit or /");
/// # Ok::<(), nullwindow::NotationError>(())
/// ```
pub trait Notation: Game {
    /// The syntax of moves, for error messages.
    const MOVE_SYNTAX: &'static str;

    /// Parses one move (any case, every spelling of a pass).
    fn parse_move(word: &str) -> Result<Move, NotationError> {
        match Self::parse_glued(word) {
            Ok((m, "")) => Ok(m),
            _ => Err(NotationError::UnreadableMove {
                word: word.into(),
                expected: Self::MOVE_SYNTAX,
            }),
        }
    }

    /// Parses the first move of a word of concatenated moves (`f5d6c3`). Returns the rest of the
    /// word.
    fn parse_glued(word: &str) -> Result<(Move, &str), NotationError>;

    /// The move in the game's notation; `pass` for a pass. Must not be called with [`Move::NONE`].
    fn write_move(m: Move) -> String;

    /// Parses a position in any format of this game.
    fn parse_position(text: &str) -> Result<Self, NotationError>;

    /// The position in the game's native format, which `parse_position` reads.
    fn write_position(&self) -> String;

    /// A diagram of the board for display; every line ends with a newline.
    fn diagram(&self) -> String;
}
