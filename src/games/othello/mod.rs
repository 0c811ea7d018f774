//! Othello on 8x8: the game this engine is made for.
//!
//! `a1` is top left. Black begins, with discs on e4 and d5 against White's on d4 and e5, so that e6, f5, c4 and d3 are the
//! first moves. A side without a move passes; the game ends when neither side can move, so a wipe-out ends it at once.
//! The winner gets the empty squares.

pub mod board;

use crate::game::{Game, Move, MoveList, Player};
use crate::score::Score;

/// A position, seen from the side to move: two disjoint sets of squares (bit `8 * row + column`, a1 = 0) and whose turn
/// it is.
///
/// ```
/// use nullwindow::game::{Game, Move};
/// use nullwindow::games::othello::Othello;
///
/// let start = Othello::start();
/// let f5 = Move(8 * 4 + 5);
/// assert!(start.moves().contains(&f5));
/// let next = start.play(f5);
/// // The opponent is the player now: one white disc against four black ones.
/// assert_eq!((next.player.count_ones(), next.opponent.count_ones()), (1, 4));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Othello {
    /// Discs of the side to move.
    pub player: u64,
    /// Discs of the other side.
    pub opponent: u64,
    side: Player,
}

impl Othello {
    /// A position from its two disjoint sets of discs and the side to move ([`Player::First`] is Black).
    #[inline(always)]
    pub const fn new(player: u64, opponent: u64, side: Player) -> Self {
        debug_assert!(player & opponent == 0);
        Othello { player, opponent, side }
    }

    /// The squares where the side to move may place a disc (see [`board::legal`]).
    #[inline(always)]
    pub const fn legal(&self) -> u64 {
        board::legal(self.player, self.opponent)
    }

    /// The empty squares.
    #[inline(always)]
    pub const fn empty(&self) -> u64 {
        !(self.player | self.opponent)
    }

    /// The same discs with the other side to move: what a pass leads to.
    #[inline(always)]
    pub const fn passed(&self) -> Self {
        Othello { player: self.opponent, opponent: self.player, side: self.side.other() }
    }

    /// The score of a finished game for the side to move: the difference of discs, the empty squares to the winner.
    #[inline(always)]
    pub const fn count(&self) -> Score {
        let difference = self.player.count_ones() as i32 - self.opponent.count_ones() as i32;
        let empties = self.empty().count_ones() as i32;
        Score(100 * (difference + difference.signum() * empties))
    }
}

impl Game for Othello {
    const NAME: &'static str = "othello";
    const GRAIN: i32 = 200;
    const SYMMETRIES: usize = 8;

    fn start() -> Self {
        Othello::new(0x0000_0008_1000_0000, 0x0000_0010_0800_0000, Player::First)
    }

    #[inline(always)]
    fn to_move(&self) -> Player {
        self.side
    }

    #[inline(always)]
    fn moves(&self) -> MoveList {
        let legal = self.legal();
        if legal != 0 {
            board::moves_to(legal)
        } else if self.passed().legal() != 0 {
            MoveList::from_iter([Move::PASS])
        } else {
            MoveList::new()
        }
    }

    #[inline(always)]
    fn play(&self, m: Move) -> Self {
        if m.is_pass() {
            debug_assert!(self.legal() == 0 && self.passed().legal() != 0, "pass with a move at hand: {self:x?}");
            return self.passed();
        }
        let flips = board::flips(self.player, self.opponent, m.0);
        debug_assert!(flips != 0 && self.empty() >> m.0 & 1 != 0, "illegal move {m:?}: {self:x?}");
        Othello { player: self.opponent ^ flips, opponent: self.player | flips | 1 << m.0, side: self.side.other() }
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

    fn image(&self, symmetry: usize) -> Self {
        Othello {
            player: board::image(self.player, 8, symmetry),
            opponent: board::image(self.opponent, 8, symmetry),
            side: self.side,
        }
    }

    fn move_image(m: Move, symmetry: usize) -> Move {
        if m.0 < 64 { Move(board::square_image(m.0, 8, symmetry)) } else { m }
    }
}
