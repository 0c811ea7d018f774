//! The 76 lines as terms of the evaluation: the symmetry class of a line, and a 4-bit pattern for
//! the stones of each side.
//!
//! The four cells of a line lie at equal steps, so one multiplication gathers their bits.

use crate::games::score_four::{LINES, cells_image};

/// Number of symmetry classes: lines that are images of each other share a class.
pub const CLASSES: usize = 18;
/// Number of patterns: which cells of a line hold stones of one side, bit 0 for the first cell; 15
/// is a complete line.
pub const PATTERNS: usize = 16;

/// A line with what it takes to read its patterns.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Its cells.
    pub cells: u64,
    /// The number of its first cell.
    first: u32,
    /// The factor that moves the bits of its cells to the top four.
    gather: u64,
    /// Its class.
    pub class: u8,
    /// Whether the line lies in one level: then a symmetry reverses its pattern.
    pub level: bool,
}

impl Line {
    const NONE: Line = Line {
        cells: 0,
        first: 0,
        gather: 0,
        class: 0,
        level: false,
    };

    /// The pattern of `stones` on the line.
    #[inline(always)]
    pub const fn pattern(&self, stones: u64) -> usize {
        (((stones & self.cells) >> self.first).wrapping_mul(self.gather) >> 60) as usize
    }
}

/// All lines, numbered as in [`LINES`].
pub static ALL: [Line; 76] = all();

const fn all() -> [Line; 76] {
    let mut lines = [Line::NONE; 76];
    let mut classes = [0; CLASSES];
    let mut count = 0;
    let mut number = 0;
    while number < 76 {
        let cells = LINES[number];
        let mut least = cells;
        let mut symmetry = 1;
        while symmetry < 8 {
            let image = cells_image(cells, symmetry);
            least = if image < least { image } else { least };
            symmetry += 1;
        }
        let mut class = 0;
        while class < count && classes[class] != least {
            class += 1;
        }
        if class == count {
            classes[count] = least;
            count += 1;
        }
        let (low, high) = (cells.trailing_zeros(), 63 - cells.leading_zeros());
        let (gather, level) = (gather((high - low) / 3), low / 16 == high / 16);
        lines[number] = Line {
            cells,
            first: low,
            gather,
            class: class as u8,
            level,
        };
        number += 1;
    }
    assert!(count == CLASSES);
    lines
}

/// The factor that moves bits 0, `step`, `2 step` and `3 step` to the top four without collisions:
/// in this order, or in reverse for a step of three.
const fn gather(step: u32) -> u64 {
    if step == 1 {
        return 1 << 60;
    }
    let mut factor = 0;
    let mut i = 0;
    while i < 4 {
        let top = if step == 3 { 63 - i } else { 60 + i };
        factor |= 1 << (top - i * step);
        i += 1;
    }
    factor
}

/// A line through a cell, and the cell's bit in its patterns.
#[derive(Clone, Copy, Debug)]
pub struct Through {
    /// The line's number.
    pub line: u8,
    /// The bit, as a pattern.
    pub bit: u8,
}

/// The lines through a cell: 4 or 7.
#[inline(always)]
pub fn through(cell: u8) -> &'static [Through] {
    let cell = usize::from(cell & 63);
    &THROUGH[cell][..HOW_MANY[cell]]
}

static THROUGH: [[Through; 7]; 64] = all_through().0;
static HOW_MANY: [usize; 64] = all_through().1;

const fn all_through() -> ([[Through; 7]; 64], [usize; 64]) {
    let lines = all();
    let mut through = [[Through { line: 0, bit: 0 }; 7]; 64];
    let mut count = [0; 64];
    let mut cell = 0;
    while cell < 64 {
        let mut number = 0;
        while number < 76 {
            if LINES[number] >> cell & 1 != 0 {
                through[cell][count[cell]] = Through {
                    line: number as u8,
                    bit: lines[number].pattern(1 << cell) as u8,
                };
                count[cell] += 1;
            }
            number += 1;
        }
        cell += 1;
    }
    (through, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_depend_on_the_cells_of_the_line_only() {
        for line in &ALL {
            let cells: Vec<u32> = (0..64).filter(|cell| line.cells >> cell & 1 != 0).collect();
            let mut seen = 0u32;
            for subset in 0..16u32 {
                let stones = (0..4)
                    .filter(|i| subset >> i & 1 != 0)
                    .fold(0, |all, i: usize| all | 1u64 << cells[i]);
                let pattern = line.pattern(stones);
                assert_eq!(pattern, line.pattern(stones | !line.cells));
                assert_eq!(pattern.count_ones(), subset.count_ones());
                let order = if pattern as u32 == subset { 1 } else { 2 };
                seen |= 1 << pattern;
                assert!(order == 1 || line.level && pattern as u32 == subset.reverse_bits() >> 28);
            }
            assert_eq!(seen, 0xffff);
        }
    }

    #[test]
    fn classes_have_the_sizes_of_the_cube() {
        let mut sizes = [0; CLASSES];
        ALL.iter()
            .for_each(|line| sizes[usize::from(line.class)] += 1);
        sizes.sort_unstable();
        // Level diagonals in pairs; corner, edge and inner pegs; slanted lines and the rest in
        // fours and eights.
        assert_eq!(
            sizes,
            [2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 8, 8, 8]
        );
    }
}
