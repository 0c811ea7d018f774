//! Threats that cannot be played yet because the cell below is empty: their column terms, and who
//! is in zugzwang when the rest of the board is full (the odd and even threats of Connect Four).

use super::weights::{column_term, zugzwang_term};
use crate::games::score_four::LAYER;
use crate::games::score_four::bitboard::{Bitboards, above};

/// The same cell of all four levels.
const PEG: u64 = 0x0001_0001_0001_0001;

/// The threats of both players on cells that are not playable yet.
#[derive(Clone, Copy, Debug)]
pub struct FutureThreats {
    first: u64,
    second: u64,
    stones: u64,
    /// Whether the first player is to move.
    first_moves: bool,
}

impl FutureThreats {
    /// The future threats of a board.
    #[inline(always)]
    pub fn of(board: &Bitboards) -> FutureThreats {
        let stones = board.own | board.other;
        let cells = !stones & !board.playable();
        let (own, other) = (board.own_threats & cells, board.other_threats & cells);
        let first_moves = stones.count_ones().is_multiple_of(2);
        let (first, second) = if first_moves {
            (own, other)
        } else {
            (other, own)
        };
        FutureThreats {
            first,
            second,
            stones,
            first_moves,
        }
    }

    /// Calls `take` with the term of each column with future threats and of zugzwang, and the sign of
    /// its weight for the first player.
    #[inline(always)]
    pub fn terms(&self, mut take: impl FnMut(usize, i32)) {
        let any = self.first | self.second;
        if any == 0 {
            return;
        }
        // none lies on the lowest level
        let mut pegs = (any >> 16 | any >> 32 | any >> 48) & LAYER;
        while pegs != 0 {
            let peg = pegs.trailing_zeros();
            pegs &= pegs - 1;
            // Levels 2 to 4 of the peg as three bits.
            let levels = |cells: u64| {
                let cells = cells >> peg & PEG;
                (cells >> 16 | cells >> 31 | cells >> 46) as usize & 7
            };
            let height = (self.stones >> peg & PEG).count_ones() as usize;
            take(
                column_term(height & 3, levels(self.first), levels(self.second)),
                1,
            );
        }
        match self.zugzwang() {
            1.. => take(zugzwang_term(0), 1),
            0 => {}
            _ => take(zugzwang_term(1), -1),
        }
    }

    /// Who wins by zugzwang (1: the first player, -1: the second, 0: neither) if both sides play
    /// below a threat only when all other cells are full. Then the side to move has to: below a
    /// threat of the opponent it loses, below its own it gives the threat up and play continues.
    #[inline(always)]
    fn zugzwang(&self) -> i32 {
        let any = self.first | self.second;
        let lowest = any & !above(any);
        let under = lowest >> 16;
        let kept = under | above(under);
        let free = (!self.stones & !kept).count_ones();
        let mut first_moves = self.first_moves == free.is_multiple_of(2);
        let mut own = [
            lowest & self.first & !self.second,
            lowest & self.second & !self.first,
        ];
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
            // The cell below and the threat are filled in turn. Above a threat on level 3 one more
            // cell is left: it changes the side to move.
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
    fn the_side_that_must_play_below_a_threat_loses() {
        // A threat of the first player on level 3 above one stone: the other cells are even, so the
        // second player has to play below it.
        let above = |first: u64, second: u64, stones: u64| FutureThreats {
            first,
            second,
            stones,
            first_moves: stones.count_ones().is_multiple_of(2),
        };
        let third = 1 << 32;
        assert_eq!(above(third, 0, 1).zugzwang(), 1);
        assert_eq!(
            above(third, 0, 0).zugzwang(),
            1,
            "the lowest cell of the column can be played safely"
        );
        // Threats of the second player work on even levels.
        assert_eq!(above(0, 1 << 16, 0).zugzwang(), -1);
        assert_eq!(above(0, 1 << 48, 0).zugzwang(), -1);
        // On the wrong level a threat is given up.
        assert_eq!(above(0, third, 0).zugzwang(), 0);
        assert_eq!(above(1 << 16, 0, 0).zugzwang(), 0);
        // Two threats of the first player: the second remains when one is given up.
        assert_eq!(above(third | third << 1, 0, 0).zugzwang(), 1);
        assert_eq!(above(0, 0, 0).zugzwang(), 0);
    }
}
