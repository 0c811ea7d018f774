//! Score Four on bitboards: a position with the cells that would complete a line, kept up move by move.
//!
//! A stone changes only the four or seven lines through its cell, and whoever completes one wins, so what matters about
//! lines is which empty cells would complete one ([`Board::own_wins`]): an immediate win, a forced reply and a cell that must
//! not be opened for the other side are each one `and`. A set of wins only grows; cells that the other side has filled since
//! stay in it and do no harm, because every question is asked of empty cells.
//!
//! Loops over lines and directions have fixed lengths and no branches, so that each instruction set's copy of the caller
//! turns them into vector code; nothing here needs `unsafe`.

use crate::games::score_four::{LAYER, LINES, ScoreFour};

/// For each cell the other three cells of each line through it, padded with sets that nobody ever fills.
pub static OTHER_THREE: [[u64; 8]; 64] = other_three();

const fn other_three() -> [[u64; 8]; 64] {
    let mut table = [[u64::MAX; 8]; 64];
    let mut cell = 0;
    while cell < 64 {
        let mut count = 0;
        let mut line = 0;
        while line < 76 {
            if LINES[line] >> cell & 1 != 0 {
                table[cell][count] = LINES[line] & !(1 << cell);
                count += 1;
            }
            line += 1;
        }
        cell += 1;
    }
    table
}

/// The thirteen directions of lines as steps between cells, and three that have no lines.
const STEPS: [u32; 16] = [1, 4, 3, 5, 16, 15, 17, 12, 20, 11, 13, 19, 21, 1, 1, 1];

/// For each step the cells that its lines start from.
const STARTS: [u64; 16] = starts();

const fn starts() -> [u64; 16] {
    let mut starts = [0; 16];
    let mut direction = 0;
    while direction < 13 {
        let step = STEPS[direction];
        let mut line = 0;
        while line < 76 {
            let first = LINES[line].trailing_zeros();
            let others = LINES[line] & (LINES[line] - 1);
            if others.trailing_zeros() == first + step && 63 - LINES[line].leading_zeros() == first + 3 * step {
                starts[direction] |= 1 << first;
            }
            line += 1;
        }
        direction += 1;
    }
    starts
}

/// Whether a line lies wholly in this set of cells.
#[inline(always)]
pub fn holds_line(cells: u64) -> bool {
    let mut found = 0;
    let mut direction = 0;
    while direction < 16 {
        let step = STEPS[direction];
        let pairs = cells & cells >> step;
        found |= pairs & pairs >> (2 * step) & STARTS[direction];
        direction += 1;
    }
    found != 0
}

/// The cells of all lines that lie wholly in the one set, and of those that lie wholly in the other.
#[inline(always)]
pub fn covered(cells: u64, others: u64) -> (u64, u64) {
    let (mut covered, mut others_covered) = (0, 0);
    let mut direction = 0;
    while direction < 16 {
        let (step, starts) = (STEPS[direction], STARTS[direction]);
        let spread = |cells: u64| {
            let pairs = cells & cells >> step;
            let first = pairs & pairs >> (2 * step) & starts;
            let two = first | first << step;
            two | two << (2 * step)
        };
        covered |= spread(cells);
        others_covered |= spread(others);
        direction += 1;
    }
    (covered, others_covered)
}

/// The cells that would complete a line of `stones` with a stone just put on `cell`: those of the lines through it.
#[inline(always)]
pub fn wins_through(stones: u64, cell: u32) -> u64 {
    let mut wins = 0;
    for three in &OTHER_THREE[cell as usize & 63] {
        let missing = three & !stones;
        wins |= if missing & missing.wrapping_sub(1) == 0 { missing } else { 0 };
    }
    wins
}

/// A position without a finished line, seen from the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    /// Stones of the side to move.
    pub own: u64,
    /// Stones of the other side.
    pub other: u64,
    /// Cells that complete a line for the side to move; some may hold the other side's stones by now.
    pub own_wins: u64,
    /// The same for the other side.
    pub other_wins: u64,
}

impl Board {
    /// The board of a position that is not over.
    pub fn of(position: &ScoreFour) -> Board {
        Board::new(position.own(), position.other())
    }

    /// The board with these stones, its wins from scratch.
    pub fn new(own: u64, other: u64) -> Board {
        let wins = |stones: u64| {
            (0..64).filter(|cell| stones >> cell & 1 != 0).fold(0, |all, cell| all | wins_through(stones, cell))
        };
        Board { own, other, own_wins: wins(own), other_wins: wins(other) }
    }

    /// The cells in which the next stone can come to rest.
    #[inline(always)]
    pub const fn playable(&self) -> u64 {
        let stones = self.own | self.other;
        !stones & (stones << 16 | LAYER)
    }

    /// How many stones are on the board.
    #[inline(always)]
    pub const fn stones(&self) -> u32 {
        (self.own | self.other).count_ones()
    }

    /// The board after a stone of the side to move on a playable cell that completes no line.
    #[inline(always)]
    pub fn play(&self, cell: u32) -> Board {
        let stones = self.own | 1 << cell;
        Board {
            own: self.other,
            other: stones,
            own_wins: self.other_wins,
            other_wins: self.own_wins | wins_through(stones, cell),
        }
    }

    /// The cells on which a stone neither loses at once nor leaves a win of the other side standing: all of `playable`
    /// that do not open such a cell, or the one cell that must be filled. Empty where every move loses at once.
    #[inline(always)]
    pub const fn sensible(&self, playable: u64) -> u64 {
        let threats = self.other_wins & playable;
        let holding = playable & !(self.other_wins >> 16);
        if threats == 0 {
            holding
        } else if threats & (threats - 1) == 0 {
            holding & threats
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_have_all_lines() {
        assert_eq!(STARTS.iter().map(|starts| starts.count_ones()).sum::<u32>(), 76);
        for line in LINES {
            assert!(holds_line(line));
            assert!(!holds_line(line & (line - 1)));
            assert_eq!(covered(line, line & (line - 1)), (line, 0));
        }
    }
}
