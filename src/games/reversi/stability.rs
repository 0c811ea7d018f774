//! Stable discs (never flipped again) and the stability cut-off.
//!
//! A disc is stable if each of the four lines through it is full, ends beside it, or has an own
//! stable disc beside it; the set grows from the edges to a fixed point. Edges are exact: a table
//! has the discs of a line of eight that no sequence of moves of either side can flip. Stability
//! that only a search would find is not detected.

use super::Shape;
use super::kernel::Kernels;
use super::lines::{gathered, line_flips};

/// `EDGES[player << 8 | opponent]`: the stable discs of `player` on an edge of eight squares.
static EDGES: [u8; 1 << 16] = edges(8);
/// The same for an edge of six squares.
static EDGES_OF_SIX: [u8; 1 << 16] = edges(6);

/// The player's discs that no sequence of moves on the line can flip. Any empty square may be
/// filled by either side at any time: a move on an edge can be legal by other lines.
#[allow(long_running_const_eval)]
const fn edges(length: u32) -> [u8; 1 << 16] {
    let mut stable = [0; 1 << 16];
    let all = (1u32 << length) - 1;
    // A filled square never becomes empty, so every successor has a larger set of filled squares.
    let mut filled = all + 1;
    while filled > 0 {
        filled -= 1;
        let mut player = filled;
        while player >= filled ^ player {
            let opponent = filled ^ player;
            let mut safe = filled;
            let mut empty = all & !filled;
            while empty != 0 && safe != 0 {
                let square = empty & empty.wrapping_neg();
                empty ^= square;
                safe &= safe_after(&stable, player, opponent, square)
                    & safe_after(&stable, opponent, player, square);
            }
            // The same squares, seen by either side.
            stable[(player << 8 | opponent) as usize] = (safe & player) as u8;
            stable[(opponent << 8 | player) as usize] = (safe & opponent) as u8;
            if player == 0 {
                break;
            }
            player = (player - 1) & filled;
        }
    }
    stable
}

/// The discs that `player` does not flip by filling `square` and that neither player flips later.
const fn safe_after(stable: &[u8; 1 << 16], player: u32, opponent: u32, square: u32) -> u32 {
    let turned = line_flips(player, opponent, square);
    let (own, other) = (player | turned | square, opponent ^ turned);
    let later = stable[(own << 8 | other) as usize] | stable[(other << 8 | own) as usize];
    later as u32 & !turned
}

/// A byte's bits on file a, lowest at a1.
static ON_FILE_A: [u64; 256] = on_file_a();

const fn on_file_a() -> [u64; 256] {
    let mut all = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut row = 0;
        while row < 8 {
            all[byte] |= (byte as u64 >> row & 1) << (8 * row);
            row += 1;
        }
        byte += 1;
    }
    all
}

/// The player's stable discs on the four edges.
#[inline(always)]
pub fn stable_edges<B: Shape>(player: u64, opponent: u64) -> u64 {
    if B::EDGE == 0 {
        return 0;
    }
    let last = B::EDGE - 1;
    let table = if B::EDGE == 8 { &EDGES } else { &EDGES_OF_SIX };
    let row = |at: u32| {
        let (own, other) = (player >> (8 * at) & 0xff, opponent >> (8 * at) & 0xff);
        u64::from(table[(own << 8 | other) as usize]) << (8 * at)
    };
    let file = |at: u32| {
        let (own, other) = (gathered(player, at), gathered(opponent, at));
        ON_FILE_A[table[(own << 8 | other) as usize] as usize] << at
    };
    row(0) | row(last) | file(0) | file(last)
}

/// The sum of a table's entries (by `player << 8 | opponent`) over the four edges of the 8x8 board.
#[inline(always)]
pub fn on_edges(player: u64, opponent: u64, table: &[i16; 1 << 16]) -> i32 {
    let at = |own: u64, other: u64| i32::from(table[(own << 8 | other) as usize & 0xffff]);
    at(player & 0xff, opponent & 0xff)
        + at(player >> 56, opponent >> 56)
        + at(gathered(player, 0), gathered(opponent, 0))
        + at(gathered(player, 7), gathered(opponent, 7))
}

/// The player's stable discs, a subset.
#[inline(always)]
pub fn stable<K: Kernels, B: Shape>(kernel: K, player: u64, opponent: u64) -> u64 {
    let seed = stable_edges::<B>(player, opponent);
    kernel.stable_from::<B>(player, B::empty(player, opponent), seed)
}

/// The lowest `alpha` at which the bound is tried, by empties: below, it rarely holds.
const TRIED_FROM: [i32; 64] = {
    let mut all = [99; 64];
    let mut empties = 4;
    while empties < 40 {
        all[empties] = match empties {
            0..=8 => 2 * empties as i32 - 6,
            9..=12 => 2 * empties as i32 - 4,
            13..=23 => 2 * empties as i32 - 8,
            _ => empties as i32 + 16,
        };
        empties += 1;
    }
    all
};

/// An upper bound of the player's score by the opponent's stable discs, if it is at or below
/// `alpha`.
#[inline(always)]
pub fn bound<K: Kernels, B: Shape>(
    kernel: K,
    player: u64,
    opponent: u64,
    alpha: i32,
    empties: u32,
) -> Option<i32> {
    if alpha < TRIED_FROM[empties as usize & 63] - (64 - B::COUNT) {
        return None;
    }
    let kept = stable::<K, B>(kernel, opponent, player).count_ones() as i32;
    let most = B::COUNT - 2 * kept;
    (most <= alpha).then_some(most)
}

/// The differences of stable discs and of corners on an edge of eight squares.
pub const fn edge_balance(player: usize, opponent: usize) -> (i32, i32) {
    let stable = EDGES[player << 8 | opponent].count_ones() as i32
        - EDGES[opponent << 8 | player].count_ones() as i32;
    let corners = (player & 0x81).count_ones() as i32 - (opponent & 0x81).count_ones() as i32;
    (stable, corners)
}
