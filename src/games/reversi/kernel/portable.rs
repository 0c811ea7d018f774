//! The kernels in plain arithmetic: moves and flips are those of [`bitboard`], the last flip comes from a table.

use super::last_flip::{LAST_FLIPS, PLACES};
use super::{Kernels, Row};
use crate::games::reversi::bitboard;
use crate::games::reversi::board::Board;
use crate::games::reversi::lines::{STEPS, full_lines, line_ends};
use crate::search::isa::Portable;

/// Turns numbers from -128 to 127 into numbers from 0 to 255, so that their sums never borrow from a neighbour.
const BIAS: u64 = 0x8080_8080_8080_8080;
/// The lower bytes of four pairs.
const LOWER: u64 = 0x00ff_00ff_00ff_00ff;

impl Kernels for Portable {
    /// Four sums to a word: the numbers of even places, then those of odd ones.
    type Sums = [[u64; 2]; 2];

    #[inline(always)]
    fn no_rows(self) -> Self::Sums {
        [[0; 2]; 2]
    }

    #[inline(always)]
    fn add_row(self, mut sums: Self::Sums, row: &Row) -> Self::Sums {
        let (halves, _) = row.0.as_chunks::<8>();
        for half in 0..2 {
            let word = u64::from_le_bytes(halves[half].map(|number| number as u8)) ^ BIAS;
            sums[0][half] += word & LOWER;
            sums[1][half] += (word >> 8) & LOWER;
        }
        sums
    }

    #[inline(always)]
    fn units(self, sums: Self::Sums, rows: usize) -> [i16; 16] {
        let mut units = [0; 16];
        for (unit, sum) in units.iter_mut().enumerate() {
            let lane = (sums[unit % 2][unit / 8] >> (16 * (unit % 8 / 2))) as u16;
            *sum = (i32::from(lane) - 128 * rows as i32) as i16;
        }
        units
    }

    #[inline(always)]
    fn legal(self, player: u64, opponent: u64) -> u64 {
        bitboard::legal(player, opponent)
    }

    #[inline(always)]
    fn flips(self, player: u64, opponent: u64, square: u32) -> u64 {
        bitboard::flips(player, opponent, square as u8)
    }

    #[inline(always)]
    fn last_flips(self, player: u64, square: u32) -> i32 {
        const ROWS_TO_LAST: u64 = 0x0101_0101_0101_0101;
        const FILE_A: u64 = 0x0101_0101_0101_0101;
        let square = square as usize & 63;
        let (row, column) = (square / 8, square % 8);
        let [_, diagonal, anti] = &PLACES[square];
        // Summing the rows of a diagonal collects its discs by column; on file a one step sideways per row sorts
        // them by row.
        let line = |discs: u64| (discs.wrapping_mul(ROWS_TO_LAST) >> 56) as usize;
        let file = ((player >> column & FILE_A).wrapping_mul(0x0102_0408_1020_4080) >> 56) as usize;
        i32::from(LAST_FLIPS[column][(player >> (8 * row) & 0xff) as usize])
            + i32::from(LAST_FLIPS[row][file])
            + i32::from(LAST_FLIPS[column][line(player & diagonal.mask)])
            + i32::from(LAST_FLIPS[column][line(player & anti.mask)])
    }

    #[inline(always)]
    fn stable_from<B: Board>(self, player: u64, empty: u64, seed: u64) -> u64 {
        let ends = const { line_ends(B::SQUARES) };
        let full = full_lines(empty);
        let safe = [full[0] | ends[0], full[1] | ends[1], full[2] | ends[2], full[3] | ends[3]];
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
