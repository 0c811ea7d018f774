//! The order of moves far from the end: a look ahead of one to three plies with a small hand-made evaluation.
//!
//! The evaluation is linear in what costs nothing to count: moves, moves into corners, discs beside empty squares
//! ("frontier"), stable discs on edges, corners. Its weights are a least-squares fit to the exact scores of 34,000
//! positions of 12 to 17 empty squares (unit: a tenth of a disc; error 12.8 discs, good enough to sort by).

use crate::othello::board::Board;
use crate::othello::kernel::{Stamped, spread};
use crate::othello::stability::{edge_balance, on_edges};

use super::deep::Candidate;
use super::search::Search;

/// A legal move of the side to move, and of the other side.
const MOVES: (i32, i32) = (15, 14);
/// A legal move into a corner.
const CORNER_MOVES: (i32, i32) = (71, 45);
/// A disc beside an empty square.
const FRONTIER: (i32, i32) = (15, 16);
/// A stable disc on an edge.
const STABLE: i32 = 13;
/// A corner (counted on both of its edges).
const CORNER: i32 = 30;

/// A move into a quadrant with an odd number of empty squares.
const ODD: i32 = 6;

/// Beyond every evaluation.
pub const FAR: i32 = 9_999;

/// A finished game's disc in the unit of the evaluation, stressed: it is certain.
const DISC: i32 = 64;

/// Edge terms of a line of eight squares, by `player << 8 | opponent`.
static EDGE_TERMS: [i16; 1 << 16] = {
    let mut all = [0; 1 << 16];
    let mut player = 0;
    while player < 256 {
        let mut opponent = 0;
        while opponent < 256 {
            if player & opponent == 0 {
                let (stable, corners) = edge_balance(player, opponent);
                all[player << 8 | opponent] = (STABLE * stable + CORNER * corners) as i16;
            }
            opponent += 1;
        }
        player += 1;
    }
    all
};

/// The hand-made evaluation for `player`, who is to move and has `moves`.
#[inline(always)]
fn evaluate<K: Stamped, B: Board>(kernel: K, player: u64, opponent: u64, moves: u64) -> i32 {
    let replies = kernel.legal(opponent, player) & B::SQUARES;
    let frontier = spread(B::empty(player, opponent));
    let count = |set: u64| set.count_ones() as i32;
    MOVES.0 * count(moves) - MOVES.1 * count(replies) + CORNER_MOVES.0 * count(moves & B::CORNERS)
        - CORNER_MOVES.1 * count(replies & B::CORNERS)
        - FRONTIER.0 * count(frontier & player)
        + FRONTIER.1 * count(frontier & opponent)
        + if B::EDGE == 8 {
            on_edges(player, opponent, &EDGE_TERMS)
        } else {
            2 * CORNER * (count(player & B::CORNERS) - count(opponent & B::CORNERS))
        }
}

/// How far to look ahead with so many empty squares; 0 is not at all.
#[inline(always)]
pub const fn look_ahead_depth(empties: u32) -> u32 {
    match empties {
        0..13 => 0,
        13..15 => 1,
        15..18 => 2,
        _ => 3,
    }
}

/// The rank of a move without a look ahead: what the evaluation counts, the opponent to move.
#[inline(always)]
pub fn static_rank<K: Stamped, B: Board>(kernel: K, candidate: &Candidate, odd: u64) -> i32 {
    let replies = kernel.legal(candidate.own, candidate.other) & B::SQUARES;
    ODD * (odd >> candidate.square & 1) as i32 - evaluate::<K, B>(kernel, candidate.own, candidate.other, replies)
}

/// Alpha-beta of at least one ply over the hand-made evaluation.
#[inline(always)]
pub fn look_ahead<K: Stamped, B: Board>(
    kernel: K,
    cx: &mut Search<'_>,
    player: u64,
    opponent: u64,
    (mut alpha, beta): (i32, i32),
    depth: u32,
) -> i32 {
    cx.private.nodes += 1;
    let mut moves = kernel.legal(player, opponent) & B::SQUARES;
    if moves == 0 {
        if kernel.legal(opponent, player) & B::SQUARES == 0 {
            return B::count(player, opponent) * DISC;
        }
        return -kernel.look_ahead::<B>(cx, opponent, player, (-beta, -alpha), depth);
    }
    let mut best = -FAR;
    while moves != 0 {
        let square = moves.trailing_zeros();
        moves &= moves - 1;
        let flips = kernel.flips(player, opponent, square);
        let (own, other) = (opponent ^ flips, player | flips | 1 << square);
        let score = if depth == 1 {
            cx.private.nodes += 1;
            -evaluate::<K, B>(kernel, own, other, kernel.legal(own, other) & B::SQUARES)
        } else {
            -kernel.look_ahead::<B>(cx, own, other, (-beta, -alpha), depth - 1)
        };
        best = best.max(score);
        alpha = alpha.max(best);
        if best >= beta {
            break;
        }
    }
    best
}
