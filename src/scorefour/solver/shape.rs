//! What matters of a position: two positions of one shape have one value, and the table keeps shapes.
//!
//! - A stone on no line that its side can still complete only blocks; whose it is does not matter. Nor do a line's stones once
//!   another line is completed by one of its empty cells: whoever gets that cell has won.
//! - Above a cell that completes a line for both sides nobody ever plays: whoever plays below it loses.
//! - Where nothing is left to decide at the top of a column, two cells are as good as none: whoever plays the first of them is
//!   answered by the second. Columns without anything left to decide come to one spare move, or none. (This holds for who
//!   wins, not for how soon.)
//!
//! The hash is of 128 bits and stands for the shape: among ten billion positions two shapes meet with odds of one to some
//! hundred million.

use crate::games::score_four::LAYER;
use crate::scorefour::board::{Board, covered};

/// Where a shape stands in the table: a hash for the place, a hash that tells it from others there.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Key {
    /// For the place.
    pub place: u64,
    /// For the comparison.
    pub check: u64,
}

/// Marks a spare move in the hash; no set of cells that matters differs from another by this.
const ODD: u64 = 0x2127_599b_f432_5c37;

/// What matters of a position.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The shape's hashes.
    pub key: Key,
    /// The cells worth playing on: playable ones of columns in which something is left to decide.
    pub moves: u64,
    /// A cell for a spare move, if there is one to have; else nothing.
    pub spare: u64,
    /// Whether the side to move can still complete a line.
    pub own_lives: bool,
    /// Whether the other side can.
    pub other_lives: bool,
}

/// The cells of the same columns on higher levels.
#[inline(always)]
pub const fn above(cells: u64) -> u64 {
    cells << 16 | cells << 32 | cells << 48
}

/// The shape of a position; `folded`: who wins is all that matters, so that spare moves may be paired off.
#[inline(always)]
pub fn shape(board: &Board, folded: bool) -> Shape {
    let stones = board.own | board.other;
    let out_of_reach = above(board.own_wins & board.other_wins & !stones);
    let empty = !stones & !out_of_reach;
    let (own_wins, other_wins) = (board.own_wins & empty, board.other_wins & empty);
    let (own_lines, other_lines) = covered(board.own | empty & !own_wins, board.other | empty & !other_wins);

    // The cells in columns' tops without anything left to decide.
    let live = (own_lines | other_lines | own_wins | other_wins) & empty;
    let idle = if folded { empty & !(live | live >> 16 | live >> 32 | live >> 48) } else { 0 };
    let playable = board.playable();
    let spare = playable & idle;
    let spare_cells = (spare | above(spare)) & empty;
    let odd = u64::from(spare_cells.count_ones() & 1);
    // Of an odd number of idle cells above others the lowest counts.
    let halves = idle ^ idle >> 32;
    let odd_columns = (halves ^ halves >> 16) & LAYER;
    let kept = idle & !(idle << 16) & (odd_columns | above(odd_columns)) & !spare_cells;
    let filled = stones | out_of_reach | idle & !kept;

    let (own, other) = (board.own & own_lines, board.other & other_lines);
    Shape {
        key: Key::of(own, other, filled, own_wins, other_wins ^ (odd * ODD)),
        moves: playable & !idle,
        spare: if odd != 0 { spare & spare.wrapping_neg() } else { 0 },
        own_lives: own_lines | own_wins != 0,
        other_lives: other_lines | other_wins != 0,
    }
}

impl Key {
    /// Mixes five words by products of 128 bits.
    #[inline(always)]
    const fn of(own: u64, other: u64, filled: u64, own_wins: u64, other_wins: u64) -> Key {
        let (x, xs) = product(own ^ 0x9e37_79b9_7f4a_7c15, other ^ 0xd6e8_feb8_6659_fd93);
        let (y, ys) = product(filled ^ 0xa076_1d64_78bd_642f, own_wins ^ 0xe703_7ed1_a0b4_28db);
        let sum = own.wrapping_add(other.rotate_left(32)) ^ filled;
        let (z, zs) = product(other_wins ^ 0x8ebc_6af0_9c88_c6e3, sum ^ 0x5899_65cc_7537_4cc3);
        let place = (x ^ ys ^ z.rotate_left(32)).wrapping_mul(0x9fb2_1c65_1e98_df25);
        Key { place: place ^ xs ^ zs, check: xs ^ y.rotate_left(20) ^ zs.wrapping_add(z ^ x) }
    }
}

/// The low and the high half of a product.
#[inline(always)]
const fn product(a: u64, b: u64) -> (u64, u64) {
    let product = a as u128 * b as u128;
    (product as u64, (product >> 64) as u64)
}
