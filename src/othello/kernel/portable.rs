//! The kernels in plain arithmetic: moves and flips are the rules' own ([`board`]), the last flip is counted by table.

use super::Kernel;
use super::lines::{LAST_FLIPS, PLACES};
use crate::games::othello::board;
use crate::othello::board::Board;
use crate::othello::stability;
use crate::search::isa::Portable;

impl Kernel for Portable {
    #[inline(always)]
    fn legal(self, player: u64, opponent: u64) -> u64 {
        board::legal(player, opponent)
    }

    #[inline(always)]
    fn flips(self, player: u64, opponent: u64, square: u32) -> u64 {
        board::flips(player, opponent, square as u8)
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
        stability::grow::<B>(player, empty, seed)
    }
}
