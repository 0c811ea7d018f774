//! The move ordering of the solver: weights, the score of the lines through a cell, an insertion sort.

use crate::games::score_four::bitboard::{Bitboards, OTHER_THREE};

/// Weights of the move ordering.
pub struct OrderingWeights {
    /// A line through the cell without stones, with one own stone alone, with two or more own stones alone.
    pub own: [u64; 3],
    /// A line with one stone of the other side alone, with two or more of them alone.
    pub other: [u64; 2],
    /// Each of sixteen replies that is not playable or loses at once.
    pub replies: u32,
    /// Each new threat.
    pub threats: u32,
    /// Each new threat above or below another one.
    pub stacked: u32,
    /// A move on the upper two levels.
    pub upper: u32,
    /// Right shift of the history.
    pub history: u32,
}

/// For the attacker and the defender. Tuned: measurements.md#weights-of-the-solvers-ordering.
pub const WEIGHTS: [OrderingWeights; 2] = [
    OrderingWeights { own: [6, 18, 37], other: [10, 23], replies: 12, threats: 16, stacked: 16, upper: 0, history: 14 },
    OrderingWeights { own: [6, 18, 36], other: [10, 26], replies: 8, threats: 8, stacked: 24, upper: 8, history: 13 },
];

/// The ordering score of the lines through a cell; branchless, so that it becomes vector code.
#[inline(always)]
pub fn score_lines(weights: &OrderingWeights, board: &Bitboards, cell: u32) -> u32 {
    let mut sum = 0;
    for three in &OTHER_THREE[cell as usize & 63] {
        let (own, other) = (three & board.own, three & board.other);
        let several = |stones: u64| stones & stones.wrapping_sub(1) != 0;
        let mine = if own == 0 { weights.own[0] } else { weights.own[if several(own) { 2 } else { 1 }] };
        let theirs = weights.other[usize::from(several(other))];
        let alone = if other == 0 { mine } else { theirs };
        sum += if own != 0 && other != 0 { 0 } else { alone };
    }
    sum as u32
}

/// A step of an insertion sort: inserts a key into the first `count`, the largest first.
#[inline(always)]
pub fn insert(order: &mut [u32; 16], count: usize, key: u32) {
    let mut place = count;
    while place > 0 && order[(place - 1) & 15] < key {
        order[place & 15] = order[(place - 1) & 15];
        place -= 1;
    }
    order[place & 15] = key;
}
