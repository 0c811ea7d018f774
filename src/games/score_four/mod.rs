//! Score Four: four in a line on 4x4x4, with gravity; the game of document 003.
//!
//! Sixteen pegs hold four stones each. A move drops a stone on a peg; the first player to own one
//! of the 76 straight lines of four wins; with all 64 stones played and no line it is a draw. Pegs
//! are `a1` to `d4` (letter: column, digit: row). A position is written as four layers, lowest
//! first, each as four rows, row 1 first: `4/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x`.
//!
//! Cells are bits, layer by layer: `16 * level + 4 * row + column`. So gravity is a shift by 16.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod bitboard;
mod endgame_searcher;
pub mod eval;
pub mod policy;
pub mod solver;
mod spec;

use crate::game::score::Score;
use crate::game::{Game, Move, MoveList, Player, moves_to, square_image};

mod lines;
mod notation;

pub use lines::{LINES, OTHER_THREE, lines_through};

use lines::has_line;

/// The lowest layer; also one bit for each peg.
pub const LAYER: u64 = 0xffff;

/// A position from the point of view of the side to move.
///
/// ```
/// use nullwindow::{Game, Notation, ScoreFour};
///
/// // Three stones on a1 carry the first player to a fourth.
/// let mut position = ScoreFour::start();
/// for word in ["a1", "b1", "a1", "b1", "a1", "b1", "a1"] {
///     assert_eq!(position.final_score(), None);
///     position = position.play(ScoreFour::parse_move(word).unwrap());
/// }
/// assert_eq!(position.final_score().unwrap().seen_from(0).0, -(10_000 - 7));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ScoreFour {
    /// The stones of the side to move.
    pub own: u64,
    /// The stones of the other side.
    pub other: u64,
    /// Whether the other side owns a line.
    pub lost: bool,
}

/// The image of a set of cells under a symmetry of the layers ([`square_image`]).
pub const fn cells_image(mut cells: u64, symmetry: usize) -> u64 {
    if symmetry & 4 != 0 {
        cells = exchanged(cells, 0x0a0a_0a0a_0a0a_0a0a, 3);
        cells = exchanged(cells, 0x00cc_00cc_00cc_00cc, 6);
    }
    if symmetry & 1 != 0 {
        cells = exchanged(cells, 0x5555_5555_5555_5555, 1);
        cells = exchanged(cells, 0x3333_3333_3333_3333, 2);
    }
    if symmetry & 2 != 0 {
        cells = exchanged(cells, 0x0f0f_0f0f_0f0f_0f0f, 4);
        cells = exchanged(cells, 0x00ff_00ff_00ff_00ff, 8);
    }
    cells
}

/// Exchanges the bits of `mask` with those `distance` above them.
const fn exchanged(cells: u64, mask: u64, distance: u32) -> u64 {
    let differ = (cells ^ (cells >> distance)) & mask;
    cells ^ differ ^ (differ << distance)
}

impl ScoreFour {
    /// The position with these stones of the side to move and of the other side. Unchecked: play
    /// must be able to reach it.
    pub fn of_stones(own: u64, other: u64) -> ScoreFour {
        ScoreFour {
            own,
            other,
            lost: has_line(other),
        }
    }

    /// The position after a move on a playable cell, with `wins` (whether it completes a line)
    /// precomputed.
    #[inline(always)]
    pub const fn played(&self, cell: u8, wins: bool) -> ScoreFour {
        ScoreFour {
            own: self.other,
            other: self.own | 1 << (cell & 63),
            lost: wins,
        }
    }

    /// The cells where a stone can be played.
    #[inline(always)]
    pub const fn playable(&self) -> u64 {
        let stones = self.own | self.other;
        !stones & (stones << 16 | LAYER)
    }

    /// The cell where a stone on this peg lands; the peg must not be full.
    #[inline(always)]
    pub const fn landing(&self, peg: u8) -> u8 {
        let stones = (self.own | self.other) >> (peg & 15);
        // The number of stones on the peg is the level of the next one.
        let level = (stones & 1) + (stones >> 16 & 1) + (stones >> 32 & 1) + (stones >> 48 & 1);
        16 * level as u8 + (peg & 15)
    }
}

impl Game for ScoreFour {
    const NAME: &'static str = "scorefour";
    const GRAIN: i32 = 1;
    const SYMMETRIES: usize = 8;

    fn start() -> Self {
        ScoreFour {
            own: 0,
            other: 0,
            lost: false,
        }
    }

    #[inline(always)]
    fn to_move(&self) -> Player {
        if self.stones() % 2 == 0 {
            Player::First
        } else {
            Player::Second
        }
    }

    #[inline(always)]
    fn moves(&self) -> MoveList {
        if self.lost {
            return MoveList::new();
        }
        moves_to(!(self.own | self.other) >> 48) // pegs whose top cell is empty
    }

    #[inline(always)]
    fn play(&self, m: Move) -> Self {
        debug_assert!(self.moves().contains(&m), "illegal move {m:?}: {self:x?}");
        let cell = self.landing(m.square()) & 63;
        let stones = self.own | 1 << cell;
        let wins = OTHER_THREE[usize::from(cell)]
            .iter()
            .any(|three| stones & three == *three);
        self.played(cell, wins)
    }

    #[inline(always)]
    fn final_score(&self) -> Option<Score> {
        if self.lost {
            Some(Score::lost_at(self.stones()))
        } else {
            (self.own | self.other == u64::MAX).then_some(Score::ZERO)
        }
    }

    #[inline(always)]
    fn plies_left(&self) -> u8 {
        64 - self.stones() as u8
    }

    #[inline(always)]
    fn stones(&self) -> i32 {
        (self.own | self.other).count_ones() as i32
    }

    #[inline(always)]
    fn packed(&self) -> [u64; 2] {
        [self.own, self.other]
    }

    fn image(&self, symmetry: usize) -> Self {
        ScoreFour {
            own: cells_image(self.own, symmetry),
            other: cells_image(self.other, symmetry),
            lost: self.lost,
        }
    }

    fn move_image(m: Move, symmetry: usize) -> Move {
        if m.is_square(16) {
            Move::to(square_image(m.square(), 4, symmetry))
        } else {
            m
        }
    }
}
