//! The 76 lines of Score Four and which of them go through each cell.

/// The 76 lines as sets of four cells.
pub const LINES: [u64; 76] = lines();

/// For each cell the other three cells of each line through it, padded with sets that are never
/// full.
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

/// The lines through a cell: 4 or 7 of them.
#[inline(always)]
pub fn lines_through(cell: u8) -> impl Iterator<Item = u64> {
    let lines = OTHER_THREE[usize::from(cell & 63)]
        .iter()
        .map(move |three| three | 1 << (cell & 63));
    lines.filter(|line| line.count_ones() == 4)
}

const fn lines() -> [u64; 76] {
    let mut lines = [0; 76];
    let mut count = 0;
    // One of each pair of opposite directions: that whose first nonzero step is positive.
    let mut direction = 14;
    while direction < 27 {
        let step = [direction / 9 - 1, direction / 3 % 3 - 1, direction % 3 - 1];
        let mut cell = 0;
        while cell < 64 {
            let start = [cell / 16, cell / 4 % 4, cell % 4];
            let line = line(start, step);
            if line != 0 {
                lines[count] = line;
                count += 1;
            }
            cell += 1;
        }
        direction += 1;
    }
    assert!(count == 76);
    lines
}

/// The four cells from `start` on, or 0 if they leave the cube.
const fn line(start: [i32; 3], step: [i32; 3]) -> u64 {
    let mut line = 0;
    let mut n = 0;
    while n < 4 {
        let [level, row, column] = [
            start[0] + n * step[0],
            start[1] + n * step[1],
            start[2] + n * step[2],
        ];
        if level < 0 || level > 3 || row < 0 || row > 3 || column < 0 || column > 3 {
            return 0;
        }
        line |= 1 << (16 * level + 4 * row + column);
        n += 1;
    }
    line
}

/// Whether a set of stones contains a line.
pub(super) fn has_line(stones: u64) -> bool {
    LINES.iter().any(|line| stones & line == *line)
}
