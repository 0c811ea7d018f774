//! The kernels in plain arithmetic: moves and flips are those of [`bitboard`], the last flip comes
//! from a table. On AArch64 the accumulator is NEON's, which is part of that target.

use super::last_flip::{LAST_FLIPS, PLACES};
#[cfg(target_arch = "aarch64")]
use super::neon::{self as accumulator, NeonSums as Sums};
#[cfg(not(target_arch = "aarch64"))]
use super::swar::{self as accumulator, WordSums as Sums};
use super::{FeatureWeights, Kernels, NEURONS};
use crate::games::reversi::Shape;
use crate::games::reversi::bitboard;
use crate::games::reversi::lines::{FILE_A, STEPS, full_lines, gathered, line_ends};
use crate::search::core::isa::Portable;

/// [`bitboard::legal`] as a call: inlined at every place it doubles the size of the portable
/// search.
#[inline(never)]
fn legal(player: u64, opponent: u64) -> u64 {
    bitboard::legal(player, opponent)
}

/// [`bitboard::flips`] as a call, likewise.
#[inline(never)]
fn flips(player: u64, opponent: u64, square: u32) -> u64 {
    bitboard::flips(player, opponent, square as u8)
}

impl Kernels for Portable {
    type Accumulator = Sums;

    #[inline(always)]
    fn empty_accumulator(self) -> Self::Accumulator {
        accumulator::EMPTY
    }

    #[inline(always)]
    fn accumulate(
        self,
        accumulator: Self::Accumulator,
        weights: [&FeatureWeights; 4],
    ) -> Self::Accumulator {
        accumulator::accumulate(accumulator, weights)
    }

    #[inline(always)]
    fn sums(self, accumulator: Self::Accumulator, count: usize) -> [i16; NEURONS] {
        accumulator::sums(accumulator, count)
    }

    #[inline(always)]
    fn legal(self, player: u64, opponent: u64) -> u64 {
        legal(player, opponent)
    }

    #[inline(always)]
    fn flips(self, player: u64, opponent: u64, square: u32) -> u64 {
        flips(player, opponent, square)
    }

    #[inline(always)]
    fn last_flips(self, player: u64, square: u32) -> i32 {
        let square = square as usize & 63;
        let (row, column) = (square / 8, square % 8);
        let [_, diagonal, anti] = &PLACES[square];
        // Summing the rows of a diagonal collects its discs by column.
        let line = |discs: u64| (discs.wrapping_mul(FILE_A) >> 56) as usize;
        let file = gathered(player, column as u32) as usize;
        i32::from(LAST_FLIPS[column][(player >> (8 * row) & 0xff) as usize])
            + i32::from(LAST_FLIPS[row][file])
            + i32::from(LAST_FLIPS[column][line(player & diagonal.mask)])
            + i32::from(LAST_FLIPS[column][line(player & anti.mask)])
    }

    #[inline(always)]
    fn stable_from<B: Shape>(self, player: u64, empty: u64, seed: u64) -> u64 {
        let ends = const { line_ends(B::SQUARES) };
        let full = full_lines(empty);
        let safe = [
            full[0] | ends[0],
            full[1] | ends[1],
            full[2] | ends[2],
            full[3] | ends[3],
        ];
        let mut stable = seed | (player & safe[0] & safe[1] & safe[2] & safe[3]);
        loop {
            // A step over the edge lands on the end of a line, which is safe there anyway.
            let beside = |kind: usize| safe[kind] | stable << STEPS[kind] | stable >> STEPS[kind];
            let grown = stable | (player & beside(0) & beside(1) & beside(2) & beside(3));
            if grown == stable {
                return stable;
            }
            stable = grown;
        }
    }
}
