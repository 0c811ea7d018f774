//! What the kernels need to know of a board beyond its squares ([`Shape`]), all of it known at compile time.
//!
//! A smaller board is the 8x8 one with squares missing: they are never filled, and moves are cut to the squares that
//! exist. On all boards here the squares of every line are neighbours, so nothing crosses a missing one.

use crate::game::Game;
use crate::games::reversi::{Reversi, Shape};

use super::lines::line_ends;

/// Derived facts of a shape.
pub trait Board: Shape {
    /// How many squares there are.
    const COUNT: i32 = Self::SQUARES.count_ones() as i32;
    /// Final scores are multiples of this, in discs.
    const STEP: i32 = <Reversi<Self> as Game>::GRAIN / 100;
    /// The length of the four edges if the board is a full square that has an edge table; 0 otherwise.
    const EDGE: u32 = match Self::COUNT {
        64 => 8,
        36 => 6,
        _ => 0,
    };
    /// The squares that can never turn once filled: every line through them ends there.
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

    /// How many moves these are, those into corners counted twice: what is kept low in the order of moves.
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

    /// The quadrants that hold an odd number of `empty` squares: whoever moves there first is likely to move there last.
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

impl<S: Shape> Board for S {}

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
