//! Score Four on bitboards: a position with the threats of both sides, updated incrementally.
//!
//! A threat is a cell that completes a line for a side ([`Bitboards::own_threats`]). With threats,
//! an immediate win, a forced reply and a move that gives the opponent a win are one `and` each. A
//! stone changes only the four or seven lines through its cell. Threat sets only grow: cells that
//! were filled later stay in them, so mask them with the empty cells.
//!
//! Loops over lines and directions have fixed lengths and no branches: they become vector code in
//! each ISA's copy of the caller.

use crate::game::squares;
use crate::games::score_four::{LAYER, LINES, OTHER_THREE, ScoreFour};

/// The steps between neighboring cells in the thirteen directions of lines, padded to sixteen.
const STEPS: [u32; 16] = [1, 4, 3, 5, 16, 15, 17, 12, 20, 11, 13, 19, 21, 1, 1, 1];

/// The first cells of the lines of each direction.
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
            if others.trailing_zeros() == first + step
                && 63 - LINES[line].leading_zeros() == first + 3 * step
            {
                starts[direction] |= 1 << first;
            }
            line += 1;
        }
        direction += 1;
    }
    starts
}

/// The first cells of the lines in a direction that are contained in `cells`.
#[inline(always)]
const fn first_cells(cells: u64, direction: usize) -> u64 {
    let step = STEPS[direction];
    let pairs = cells & cells >> step;
    pairs & pairs >> (2 * step) & STARTS[direction]
}

/// Whether the set of cells contains a line.
#[inline(always)]
pub fn contains_line(cells: u64) -> bool {
    let mut found = 0;
    let mut direction = 0;
    while direction < 16 {
        found |= first_cells(cells, direction);
        direction += 1;
    }
    found != 0
}

/// The number of lines contained in the set of cells.
#[inline(always)]
pub fn count_lines(cells: u64) -> u32 {
    let mut count = 0;
    let mut direction = 0;
    while direction < 16 {
        count += first_cells(cells, direction).count_ones();
        direction += 1;
    }
    count
}

/// The union of all lines contained in `cells`, and of those contained in `others`.
#[inline(always)]
pub fn union_of_lines(cells: u64, others: u64) -> (u64, u64) {
    let (mut union, mut others_union) = (0, 0);
    let mut direction = 0;
    while direction < 16 {
        let step = STEPS[direction];
        let spread = |cells: u64| {
            let first = first_cells(cells, direction);
            let two = first | first << step;
            two | two << (2 * step)
        };
        union |= spread(cells);
        others_union |= spread(others);
        direction += 1;
    }
    (union, others_union)
}

/// The threats on lines through `cell`, where a stone of `stones` has just been played.
#[inline(always)]
pub fn threats_through(stones: u64, cell: u32) -> u64 {
    let mut threats = 0;
    for three in &OTHER_THREE[cell as usize & 63] {
        let missing = three & !stones;
        threats |= if missing & missing.wrapping_sub(1) == 0 {
            missing
        } else {
            0
        };
    }
    threats
}

/// The cells above these in their columns.
#[inline(always)]
pub const fn above(cells: u64) -> u64 {
    cells << 16 | cells << 32 | cells << 48
}

/// The columns with an odd number of these cells, as cells of the lowest layer.
#[inline(always)]
pub const fn odd_columns(cells: u64) -> u64 {
    let halves = cells ^ cells >> 32;
    (halves ^ halves >> 16) & LAYER
}

/// The stones of a side and its threats.
#[derive(Clone, Copy)]
pub struct Side {
    /// Stones.
    pub stones: u64,
    /// Cells that complete a line; some of them may have been filled since.
    pub threats: u64,
}

/// A position without a complete line, from the point of view of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bitboards {
    /// Stones of the side to move.
    pub own: u64,
    /// Stones of the other side.
    pub other: u64,
    /// Threats of the side to move; some of the cells may have been filled since.
    pub own_threats: u64,
    /// Threats of the other side; likewise.
    pub other_threats: u64,
}

impl Bitboards {
    /// The board of a position that is not over.
    pub fn of(position: &ScoreFour) -> Bitboards {
        Bitboards::new(position.own, position.other)
    }

    /// The board with these stones; computes the threats from scratch.
    pub fn new(own: u64, other: u64) -> Bitboards {
        let threats = |stones: u64| {
            squares(stones).fold(0, |all, cell| all | threats_through(stones, cell.into()))
        };
        Bitboards {
            own,
            other,
            own_threats: threats(own),
            other_threats: threats(other),
        }
    }

    /// The cells where a stone can be played.
    #[inline(always)]
    pub const fn playable(&self) -> u64 {
        let stones = self.own | self.other;
        !stones & (stones << 16 | LAYER)
    }

    /// Stones on the board.
    #[inline(always)]
    pub const fn stones(&self) -> u32 {
        (self.own | self.other).count_ones()
    }

    /// The board after a stone of the side to move on a playable cell that completes no line.
    #[inline(always)]
    pub fn play(&self, cell: u32) -> Bitboards {
        let stones = self.own | 1 << cell;
        Bitboards {
            own: self.other,
            other: stones,
            own_threats: self.other_threats,
            other_threats: self.own_threats | threats_through(stones, cell),
        }
    }

    /// The playable cells after which the opponent has no immediate win: not below one of its
    /// threats, and on its threat if it has one. Empty if every move loses immediately. Ignores own
    /// wins.
    #[inline(always)]
    pub const fn non_losing(&self, playable: u64) -> u64 {
        let threats = self.other_threats & playable;
        let safe = playable & !(self.other_threats >> 16);
        if threats == 0 {
            safe
        } else if threats & (threats - 1) == 0 {
            safe & threats
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_contain_all_lines() {
        assert_eq!(
            STARTS.iter().map(|starts| starts.count_ones()).sum::<u32>(),
            76
        );
        assert_eq!((count_lines(u64::MAX), count_lines(LAYER)), (76, 10));
        for line in LINES {
            assert!(contains_line(line));
            assert!(!contains_line(line & (line - 1)));
            assert_eq!(count_lines(line), 1);
            assert_eq!(union_of_lines(line, line & (line - 1)), (line, 0));
        }
    }
}
