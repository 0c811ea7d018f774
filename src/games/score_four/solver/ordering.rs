//! The move ordering of the solver: the score of a move by weights and history and of the child
//! by the lines left to the attacker, an insertion sort.

use super::claimeven::leader_lines;
use super::proof::Question;
use crate::games::score_four::OTHER_THREE;
use crate::games::score_four::bitboard::Bitboards;

/// History heuristic by cell: cutoffs of the attacker, of the defender, weighted by the cells left.
pub type History = [[u32; 64]; 2];

/// Weights of the move ordering.
struct OrderingWeights {
    /// A line through the cell without stones, with one own stone alone, with two or more own
    /// stones alone.
    own: [u64; 3],
    /// A line with one stone of the other side alone, with two or more of them alone.
    other: [u64; 2],
    /// Each of sixteen replies that is not playable or loses immediately.
    replies: u32,
    /// Each new threat.
    threats: u32,
    /// Each new threat above or below another one.
    stacked: u32,
    /// A move on the upper two levels.
    upper: u32,
    /// Right shift of the history.
    history: u32,
    /// A line that the attacker may complete against [claimeven](super::claimeven): whatever the
    /// defender pairs, and depending on its pairs. Counted up to [`MOST_LINES`]. Tuned:
    /// measurements.md#lines-left-to-the-attacker-as-move-ordering.
    attacker_lines: [u32; 2],
}

/// See [`OrderingWeights::attacker_lines`].
const MOST_LINES: u32 = 8;

/// For the attacker and the defender. Tuned: measurements.md#weights-of-the-solvers-ordering.
const WEIGHTS: [OrderingWeights; 2] = [
    OrderingWeights {
        own: [6, 18, 37],
        other: [10, 23],
        replies: 12,
        threats: 16,
        stacked: 16,
        upper: 0,
        history: 14,
        attacker_lines: [60, 20],
    },
    OrderingWeights {
        own: [6, 18, 36],
        other: [10, 26],
        replies: 8,
        threats: 8,
        stacked: 24,
        upper: 8,
        history: 13,
        attacker_lines: [16, 8],
    },
];

/// The ordering score of a move, with the threats of its side right after it; higher is searched
/// earlier.
#[inline(always)]
pub fn score_move<const ATTACK: bool>(
    history: &History,
    board: &Bitboards,
    cell: u8,
    all_threats: u64,
) -> u32 {
    let weights = &WEIGHTS[usize::from(!ATTACK)];
    let cell = u32::from(cell);
    let (own, stones) = (board.own | 1 << cell, board.own | board.other | 1 << cell);
    let playable = Bitboards { own, ..*board }.playable();
    let forced = all_threats & playable != 0;
    let replies = if forced {
        1
    } else {
        (playable & !(all_threats >> 16)).count_ones()
    };
    let threats = all_threats & !board.own_threats & !stones;
    let stacked = threats & (board.own_threats << 16 | board.own_threats >> 16);
    score_lines(weights, board, cell)
        + weights.replies * (16 - replies)
        + weights.threats * threats.count_ones()
        + weights.stacked * stacked.count_ones()
        + weights.upper * (cell >> 5)
        + (history[usize::from(!ATTACK)][cell as usize & 63] >> weights.history)
}

/// The ordering score of a child by the lines that are left to the attacker.
#[inline(always)]
pub fn score_child<const ATTACK: bool>(child: &Question) -> u32 {
    let weights = &WEIGHTS[usize::from(!ATTACK)];
    let (attacker, defender) = child.sides();
    let lines = leader_lines(attacker.stones, defender, !child.attack);
    let score = |lines: u32, weight| {
        let lines = lines.min(MOST_LINES);
        weight * if ATTACK { lines } else { MOST_LINES - lines }
    };
    score(lines.0, weights.attacker_lines[0]) + score(lines.1, weights.attacker_lines[1])
}

/// The ordering score of the lines through a cell; branchless, so that it becomes vector code.
#[inline(always)]
fn score_lines(weights: &OrderingWeights, board: &Bitboards, cell: u32) -> u32 {
    let mut sum = 0;
    for three in &OTHER_THREE[cell as usize & 63] {
        let (own, other) = (three & board.own, three & board.other);
        let several = |stones: u64| stones & stones.wrapping_sub(1) != 0;
        let mine = if own == 0 {
            weights.own[0]
        } else {
            weights.own[if several(own) { 2 } else { 1 }]
        };
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
