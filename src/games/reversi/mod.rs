//! Reversi on boards of any shape: Othello on 8x8, the smaller boards, and the article's 24-square
//! diamond.
//!
//! A board is a [`Shape`]: a set of squares in the corner at a1 of the 8x8 board (bit
//! `8 * row + column`) and a start. `a1` is top left. Black begins; on the 8x8 board with discs on
//! e4 and d5 against White's on d4 and e5, so that e6, f5, c4 and d3 are the first moves. A side
//! without a move passes; the game ends when neither side has a move, so a wipe-out ends it
//! immediately. With [`Shape::EMPTIES_TO_WINNER`], the winner gets the empties. The rules are bit
//! operations ([`bitboard`]); the tests compare them with plain loops over squares.

pub mod accuracy;
pub mod bitboard;
pub mod bulk_perft;
pub mod cache;
pub mod discs;
pub mod endgame;
pub mod eval;
pub mod flipello;
pub mod ggf;
pub mod kernel;
pub mod lines;
pub mod notation;
pub mod obf;
pub mod policy;
mod spec;
pub mod stability;

use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;

use crate::game::score::Score;
use crate::game::{Game, Move, MoveList, Player, moves_to};

/// A board, its start and how its games are counted. Implemented by empty types.
///
/// A smaller board is the 8x8 one with squares missing: they are never filled, and moves are masked
/// to the squares that exist. On all boards here the squares of every line are contiguous, so no
/// line crosses a missing square.
pub trait Shape: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// The name of the game.
    const NAME: &'static str;
    /// The side of the square box at a1 that holds the board, at most 8.
    const SIZE: u32;
    /// The squares that exist. They have all eight symmetries of the box.
    const SQUARES: u64;
    /// The first player's discs at the start.
    const BLACK: u64;
    /// The second player's discs at the start.
    const WHITE: u64;
    /// Whether the winner gets the empties; if not, only discs count.
    const EMPTIES_TO_WINNER: bool;

    // The rest is derived, at compile time.

    /// Number of squares.
    const COUNT: i32 = Self::SQUARES.count_ones() as i32;
    /// The length of the four edges if the board is a full square that has an edge table; 0
    /// otherwise.
    const EDGE: u32 = match Self::COUNT {
        64 => 8,
        36 => 6,
        _ => 0,
    };
    /// The squares whose discs are never flipped: every line through them ends there.
    const CORNERS: u64 = {
        let ends = lines::line_ends(Self::SQUARES);
        ends[0] & ends[1] & ends[2] & ends[3]
    };
    /// For each square the quadrant that holds it.
    const QUADRANTS: [u64; 64] = quadrants(Self::SIZE);

    /// The squares where `player` may play.
    #[inline(always)]
    fn legal(player: u64, opponent: u64) -> u64 {
        bitboard::legal(player, opponent) & Self::SQUARES
    }

    /// The discs that turn when `player` plays on the empty `square`; 0 if the move is illegal.
    #[inline(always)]
    fn flips(player: u64, opponent: u64, square: u8) -> u64 {
        bitboard::flips(player, opponent, square)
    }

    /// The empty squares.
    #[inline(always)]
    fn empty(player: u64, opponent: u64) -> u64 {
        Self::SQUARES & !(player | opponent)
    }

    /// The number of moves, those into corners counted twice: the mobility that move ordering
    /// minimizes.
    #[inline(always)]
    fn mobility(moves: u64) -> u32 {
        moves.count_ones() + (moves & Self::CORNERS).count_ones()
    }

    /// The score of a finished game, in discs, for `player`.
    #[inline(always)]
    fn count(player: u64, opponent: u64) -> i32 {
        let player = player.count_ones() as i32;
        let opponent = opponent.count_ones() as i32;
        let difference = player - opponent;
        if Self::EMPTIES_TO_WINNER {
            difference + difference.signum() * (Self::COUNT - player - opponent)
        } else {
            difference
        }
    }

    /// The quadrants with an odd number of `empty` squares (parity): the side that moves there
    /// first tends to move there last.
    #[inline(always)]
    fn odd_quadrants(mut empty: u64) -> u64 {
        let mut odd = 0;
        while empty != 0 {
            odd ^= Self::QUADRANTS[empty.trailing_zeros() as usize & 63];
            empty &= empty - 1;
        }
        odd
    }
}

const fn quadrants(size: u32) -> [u64; 64] {
    let half = size / 2;
    let mut all = [0; 64];
    let mut square = 0;
    while square < 64 {
        let mut other = 0;
        while other < 64 {
            let same_side = (square / 8 < half) == (other / 8 < half);
            let same_half = (square % 8 < half) == (other % 8 < half);
            all[square as usize] |= ((same_side && same_half) as u64) << other;
            other += 1;
        }
        square += 1;
    }
    all
}

/// Othello: the 8x8 game, the winner gets the empties.
pub type Othello = Reversi<Eight>;
/// The 6x6 game, the winner gets the empties.
pub type Othello6 = Reversi<Six>;
/// The 4x4 game, discs only.
pub type Othello4 = Reversi<Four>;
/// The diamond of document 000 with W B above B W at the start, discs only.
pub type Diamond = Reversi<DiamondCrossed>;
/// The diamond of document 000 with W B above W B at the start, discs only.
pub type Diamond2 = Reversi<DiamondParallel>;

/// The 8x8 board of Othello.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Eight;
/// The 6x6 board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Six;
/// The 4x4 board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Four;
/// The 24 squares of the diamond (rows of 2, 4, 6, 6, 4, 2), start W B above B W.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DiamondCrossed;
/// The same 24 squares, start W B above W B.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DiamondParallel;
/// The rows of a board as drawn, `.` a square, `x` and `o` the discs at the start, `?` no square:
/// the set of one piece.
const fn drawn(rows: &[&str], pieces: &[u8]) -> u64 {
    let mut set = 0;
    let mut row = 0;
    while row < rows.len() {
        let mut column = 0;
        while column < rows[row].len() {
            let mut piece = 0;
            while piece < pieces.len() {
                if rows[row].as_bytes()[column] == pieces[piece] {
                    set |= 1 << (8 * row + column);
                }
                piece += 1;
            }
            column += 1;
        }
        row += 1;
    }
    set
}

macro_rules! shape {
    ($shape:ty, $name:literal, empties_to_winner: $empties:literal, $rows:expr) => {
        impl Shape for $shape {
            const NAME: &'static str = $name;
            const SIZE: u32 = { $rows.len() as u32 };
            const SQUARES: u64 = drawn(&$rows, b".xo");
            const BLACK: u64 = drawn(&$rows, b"x");
            const WHITE: u64 = drawn(&$rows, b"o");
            const EMPTIES_TO_WINNER: bool = $empties;
        }
    };
}

#[rustfmt::skip]
shape!(Eight, "othello", empties_to_winner: true, [
    "........",
    "........",
    "........",
    "...ox...",
    "...xo...",
    "........",
    "........",
    "........",
]);

#[rustfmt::skip]
shape!(Six, "othello6", empties_to_winner: true, [
    "......",
    "......",
    "..ox..",
    "..xo..",
    "......",
    "......",
]);

#[rustfmt::skip]
shape!(Four, "othello4", empties_to_winner: false, [
    "....",
    ".ox.",
    ".xo.",
    "....",
]);

#[rustfmt::skip]
shape!(DiamondCrossed, "diamond", empties_to_winner: false, [
    "??..??",
    "?....?",
    "..ox..",
    "..xo..",
    "?....?",
    "??..??",
]);

#[rustfmt::skip]
shape!(DiamondParallel, "diamond2", empties_to_winner: false, [
    "??..??",
    "?....?",
    "..ox..",
    "..ox..",
    "?....?",
    "??..??",
]);

/// A position on the board of shape `S`, seen from the side to move.
///
/// ```
/// use nullwindow::{Game, Othello, Player, Score};
///
/// assert_eq!(Othello::start().plies_left(), 60);
/// assert_eq!(Othello::start().moves().len(), 4);
/// // Black takes the last white disc: the game is over and 64 discs go to the winner.
/// let black = 1 << 0 | 1 << 2;
/// let wiped_out = Othello::new(0, black, Player::Second);
/// assert_eq!(wiped_out.final_score(), Some(Score(-6400)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reversi<S: Shape> {
    /// Discs of the side to move.
    pub player: u64,
    /// Discs of the other side.
    pub opponent: u64,
    side: Player,
    shape: PhantomData<S>,
}

impl<S: Shape> Reversi<S> {
    /// A position from its two disjoint sets of discs, which lie on the board, and the side to
    /// move.
    #[inline(always)]
    pub const fn new(player: u64, opponent: u64, side: Player) -> Self {
        debug_assert!(player & opponent == 0 && (player | opponent) & !S::SQUARES == 0);
        Reversi {
            player,
            opponent,
            side,
            shape: PhantomData,
        }
    }

    /// The squares where the side to move may place a disc.
    #[inline(always)]
    pub fn legal(&self) -> u64 {
        S::legal(self.player, self.opponent)
    }

    /// The empty squares.
    #[inline(always)]
    pub fn empty(&self) -> u64 {
        S::empty(self.player, self.opponent)
    }

    /// The same discs with the other side to move: what a pass leads to.
    #[inline(always)]
    pub const fn passed(&self) -> Self {
        Self::new(self.opponent, self.player, self.side.other())
    }

    /// The score of a finished game for the side to move: the difference of discs, with the empties
    /// to the winner where the board counts so.
    #[inline(always)]
    pub fn count(&self) -> Score {
        Score(100 * S::count(self.player, self.opponent))
    }
}

impl Diamond2 {
    /// The same position in the game of the other start: from there on the rules are the same.
    pub const fn crossed(self) -> Diamond {
        Diamond::new(self.player, self.opponent, self.side)
    }
}

impl<S: Shape> Game for Reversi<S> {
    const NAME: &'static str = S::NAME;
    /// With all squares of an even board counted, differences are even.
    const GRAIN: i32 = if S::EMPTIES_TO_WINNER && S::SQUARES.count_ones().is_multiple_of(2) {
        200
    } else {
        100
    };
    const SYMMETRIES: usize = 8;

    fn start() -> Self {
        Self::new(S::BLACK, S::WHITE, Player::First)
    }

    #[inline(always)]
    fn to_move(&self) -> Player {
        self.side
    }

    #[inline(always)]
    fn moves(&self) -> MoveList {
        let legal = self.legal();
        if legal != 0 {
            moves_to(legal)
        } else if self.passed().legal() != 0 {
            MoveList::from_iter([Move::PASS])
        } else {
            MoveList::new()
        }
    }

    #[inline(always)]
    fn play(&self, m: Move) -> Self {
        if m.is_pass() {
            debug_assert!(
                self.legal() == 0 && self.passed().legal() != 0,
                "pass with a move at hand: {self:x?}"
            );
            return self.passed();
        }
        let flips = S::flips(self.player, self.opponent, m.square());
        debug_assert!(
            flips != 0 && self.empty() >> m.square() & 1 != 0,
            "illegal move {m:?}: {self:x?}"
        );
        Self::new(
            self.opponent ^ flips,
            self.player | flips | 1 << m.square(),
            self.side.other(),
        )
    }

    #[inline(always)]
    fn final_score(&self) -> Option<Score> {
        (self.legal() == 0 && self.passed().legal() == 0).then(|| self.count())
    }

    #[inline(always)]
    fn plies_left(&self) -> u8 {
        self.empty().count_ones() as u8
    }

    #[inline(always)]
    fn stones(&self) -> i32 {
        (self.player | self.opponent).count_ones() as i32
    }

    #[inline(always)]
    fn packed(&self) -> [u64; 2] {
        [self.player, self.opponent]
    }

    #[inline]
    fn image(&self, symmetry: usize) -> Self {
        let image = |set| bitboard::image(set, S::SIZE, symmetry);
        Self::new(image(self.player), image(self.opponent), self.side)
    }

    fn move_image(m: Move, symmetry: usize) -> Move {
        if m.is_square(64) {
            let image = bitboard::image(1 << m.square(), S::SIZE, symmetry);
            Move::to(image.trailing_zeros() as u8)
        } else {
            m
        }
    }
}
