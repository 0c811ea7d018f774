//! Constants of a board that the kernels need, derived at compile time from its [`Shape`].
//!
//! A smaller board is the 8x8 one with squares missing: they are never filled, and moves are masked to the squares that
//! exist. On all boards here the squares of every line are contiguous, so no line crosses a missing square.

use crate::games::reversi::Shape;

use super::lines::line_ends;

/// Derived facts of a shape.
pub trait BoardGeometry: Shape {
    /// Number of squares.
    const COUNT: i32 = Self::SQUARES.count_ones() as i32;
    /// The length of the four edges if the board is a full square that has an edge table; 0 otherwise.
    const EDGE: u32 = match Self::COUNT {
        64 => 8,
        36 => 6,
        _ => 0,
    };
    /// The squares whose discs are never flipped: every line through them ends there.
    const CORNERS: u64 = {
        let ends = line_ends(Self::SQUARES);
        ends[0] & ends[1] & ends[2] & ends[3]
    };
    /// For each square the quadrant that holds it.
    const QUADRANTS: [u64; 64] = quadrants(Self::SIZE);

    /// The empty squares.
    #[inline(always)]
    fn empty(player: u64, opponent: u64) -> u64 {
        Self::SQUARES & !(player | opponent)
    }

    /// The number of moves, those into corners counted twice: the mobility that move ordering minimizes.
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

    /// The quadrants with an odd number of `empty` squares (parity): the side that moves there first tends to move
    /// there last.
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

impl<S: Shape> BoardGeometry for S {}

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
