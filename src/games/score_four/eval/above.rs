//! Cells that complete lines and lie above empty ones: which they are by column and level, and whom they leave in zugzwang when
//! the rest of the board is full.

use super::weights::{LINES, column_term};
use crate::games::score_four::bitboard::Board;

/// The same cell of all four levels.
const PEG: u64 = 0x0001_0001_0001_0001;

/// The cells that complete lines and cannot be played yet, since the one below is empty.
#[derive(Clone, Copy, Debug)]
pub struct Above {
    first: u64,
    second: u64,
    stones: u64,
    /// Whether the first player has the move.
    first_moves: bool,
}

impl Above {
    #[inline(always)]
    pub fn of(board: &Board) -> Above {
        let stones = board.own | board.other;
        let cells = !stones & !board.playable();
        let (own, other) = (board.own_wins & cells, board.other_wins & cells);
        let first_moves = stones.count_ones().is_multiple_of(2);
        let (first, second) = if first_moves { (own, other) } else { (other, own) };
        Above { first, second, stones, first_moves }
    }

    #[inline(always)]
    pub const fn any(&self) -> u64 {
        self.first | self.second
    }

    /// Calls `take` with the number of each column that has such cells, of [`COLUMNS`].
    #[inline(always)]
    pub fn columns(&self, mut take: impl FnMut(usize)) {
        let any = self.any();
        let mut pegs = (any >> 16 | any >> 32 | any >> 48) & 0xffff; // none lies on the lowest level
        while pegs != 0 {
            let peg = pegs.trailing_zeros();
            pegs &= pegs - 1;
            // Levels 2 to 4 of the peg as three bits.
            let levels = |cells: u64| {
                let cells = cells >> peg & PEG;
                (cells >> 16 | cells >> 31 | cells >> 46) as usize & 7
            };
            let height = (self.stones >> peg & PEG).count_ones() as usize;
            take(column_term(height & 3, levels(self.first), levels(self.second)) - LINES);
        }
    }

    /// Who wins (1: the first player, -1: the second) if nobody touches a column under a cell that completes a line before
    /// all other cells are full: then the side to move has to, and where the cell is the other side's it loses. Where it is
    /// its own it gives that up and goes on.
    #[inline(always)]
    pub fn zugzwang(&self) -> i32 {
        let any = self.any();
        let lowest = any & !(any << 16 | any << 32 | any << 48);
        let under = lowest >> 16;
        let kept = under | under << 16 | under << 32 | under << 48;
        let free = (!self.stones & !kept).count_ones();
        let mut first_moves = self.first_moves == free.is_multiple_of(2);
        let mut own = [lowest & self.first & !self.second, lowest & self.second & !self.first];
        let both = lowest & self.first & self.second;
        loop {
            let (mine, theirs) = (usize::from(!first_moves), usize::from(first_moves));
            if own[mine] == 0 {
                return match (own[theirs] | both != 0, first_moves) {
                    (false, _) => 0,
                    (true, true) => -1,
                    (true, false) => 1,
                };
            }
            // Two cells of the column are filled in turn; above a cell of level 3 one is left, which turns the move.
            let turning = own[mine] & 0x0000_ffff_0000_0000;
            let given = if turning != 0 { turning } else { own[mine] };
            own[mine] &= !(given & given.wrapping_neg());
            first_moves ^= turning != 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_must_open_a_column_in_the_end_loses() {
        // The first player alone has a cell on level 3 with one stone beneath: all else fills up evenly, and the second has to go under it.
        let above = |first: u64, second: u64, stones: u64| Above {
            first,
            second,
            stones,
            first_moves: stones.count_ones().is_multiple_of(2),
        };
        let third = 1 << 32;
        assert_eq!(above(third, 0, 1).zugzwang(), 1);
        assert_eq!(above(third, 0, 0).zugzwang(), 1, "the two cells under it are no longer an even number");
        // The second player's are the even levels.
        assert_eq!(above(0, 1 << 16, 0).zugzwang(), -1);
        assert_eq!(above(0, 1 << 48, 0).zugzwang(), -1);
        // On the wrong level they are given up.
        assert_eq!(above(0, third, 0).zugzwang(), 0);
        assert_eq!(above(1 << 16, 0, 0).zugzwang(), 0);
        // Two of the first player's: giving up one leaves the other.
        assert_eq!(above(third | third << 1, 0, 0).zugzwang(), 1);
        assert_eq!(above(0, 0, 0).zugzwang(), 0);
    }
}
