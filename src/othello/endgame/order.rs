//! The order of moves far from the end: a look ahead of one to three plies with a small hand-made evaluation.
//!
//! The evaluation is linear in what costs nothing to count: moves, moves into corners, discs beside empty squares
//! ("frontier"), stable discs on edges, corners. Its weights are a least-squares fit to the results of 140,000 games of self-play,
//! one position of 12 to 17 empty squares of each (`tests/order_weights.rs`; error 11.8 discs, without the edges 12.9: good enough to
//! sort by).

use crate::othello::board::Board;
use crate::othello::kernel::{Stamped, spread};
use crate::othello::stability::{edge_balance, on_edges};

use super::deep::Candidate;
use super::search::Search;

/// What each thing counts for, in tenths of a disc.
struct Weights {
    /// A legal move of the side to move, and of the other side.
    moves: (i32, i32),
    /// A legal move into a corner.
    corner_moves: (i32, i32),
    /// A disc beside an empty square.
    frontier: (i32, i32),
    /// A stable disc on an edge.
    stable: i32,
    /// A corner (counted on both of its edges).
    corner: i32,
}

/// Where a table tells the stable discs of the edges.
const WITH_EDGES: Weights =
    Weights { moves: (15, 13), corner_moves: (48, 40), frontier: (10, 11), stable: 15, corner: 15 };
/// Where none does: the fit without them.
const WITHOUT_EDGES: Weights =
    Weights { moves: (22, 19), corner_moves: (45, 36), frontier: (8, 9), stable: 0, corner: 51 };

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
                all[player << 8 | opponent] = (WITH_EDGES.stable * stable + WITH_EDGES.corner * corners) as i16;
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
    let weights = const { if B::EDGE == 8 { WITH_EDGES } else { WITHOUT_EDGES } };
    let replies = kernel.legal(opponent, player) & B::SQUARES;
    let frontier = spread(B::empty(player, opponent));
    let count = |set: u64| set.count_ones() as i32;
    let edges = if B::EDGE == 8 {
        on_edges(player, opponent, &EDGE_TERMS)
    } else {
        2 * weights.corner * (count(player & B::CORNERS) - count(opponent & B::CORNERS))
    };
    weights.moves.0 * count(moves) - weights.moves.1 * count(replies)
        + weights.corner_moves.0 * count(moves & B::CORNERS)
        - weights.corner_moves.1 * count(replies & B::CORNERS)
        - weights.frontier.0 * count(frontier & player)
        + weights.frontier.1 * count(frontier & opponent)
        + edges
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
