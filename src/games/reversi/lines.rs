//! The lines of the board as sets of squares: where lines end, which of them are full; and the flips
//! on a line.
//!
//! Lines are of four kinds (rows, files and both diagonals); arrays of four have one entry for
//! each, in the order of [`STEPS`].

/// File a.
pub const FILE_A: u64 = 0x0101_0101_0101_0101;

const NOT_A: u64 = !FILE_A;
const NOT_H: u64 = !(FILE_A << 7);

/// The four kinds of lines by the step between neighbors: rows, diagonals towards a8-h1, files,
/// diagonals towards a1-h8.
pub const STEPS: [u32; 4] = [1, 7, 8, 9];

/// Multiplied by this, the discs on file a are gathered in the top byte.
const GATHER_FILE: u64 = 0x0102_0408_1020_4080;

/// A file's discs as a byte, lowest row first.
#[inline(always)]
pub fn gathered(discs: u64, file: u32) -> u64 {
    (discs >> file & FILE_A).wrapping_mul(GATHER_FILE) >> 56
}

/// For each kind of line the squares at an end of a line: beside them the board ends, or a square
/// is missing.
pub const fn line_ends(playable: u64) -> [u64; 4] {
    // A step off the board lands on a square of the opposite edge, hence the masks.
    let with_lower = [
        (playable << 1) & NOT_A,
        (playable << 7) & NOT_H,
        playable << 8,
        (playable << 9) & NOT_A,
    ];
    let with_higher = [
        (playable >> 1) & NOT_H,
        (playable >> 7) & NOT_A,
        playable >> 8,
        (playable >> 9) & NOT_H,
    ];
    let mut ends = [0; 4];
    let mut kind = 0;
    while kind < 4 {
        ends[kind] = playable & !(with_lower[kind] & with_higher[kind]);
        kind += 1;
    }
    ends
}

/// For each kind of line the squares whose line of that kind is full: no empty square reaches them.
#[inline(always)]
pub fn full_lines(empty: u64) -> [u64; 4] {
    #[inline(always)]
    fn reach(empty: u64, step: u32, up: u64, down: u64) -> u64 {
        let (mut higher, mut lower) = (empty, empty);
        let (mut open_up, mut open_down) = (up, down);
        for doubling in 0..3 {
            let step = step << doubling;
            higher |= open_up & (higher << step);
            lower |= open_down & (lower >> step);
            open_up &= open_up << step;
            open_down &= open_down >> step;
        }
        !(higher | lower)
    }
    [
        reach(empty, 1, NOT_A, NOT_H),
        reach(empty, 7, NOT_H, NOT_A),
        reach(empty, 8, !0, !0),
        reach(empty, 9, NOT_A, NOT_H),
    ]
}

/// The opponent's discs on a line that turn when `player` fills `square` (one bit). Above it, a carry
/// finds the end of the run; below it, the run ends at the highest square without an opposing disc.
pub const fn line_flips(player: u32, opponent: u32, square: u32) -> u32 {
    let above = square << 1;
    let end = ((opponent & above.wrapping_neg()) + above) & player & above.wrapping_neg();
    let up = if end == 0 { 0 } else { end - above };
    let held = (square - 1) & !opponent;
    let end = if held == 0 {
        0
    } else {
        (1 << held.ilog2()) & player
    };
    let down = if end == 0 { 0 } else { square - (end << 1) };
    up | down
}
