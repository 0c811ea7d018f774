//! Move ordering: the value by evaluation or a shallow search, less penalties for the opponent's
//! mobility.
//!
//! What the best ordering could save: measurements.md#what-makes-a-tree-small.

use crate::game::score::{Score, Window};
use crate::games::reversi::eval::evaluator::{OrderingPenalties, ReversiEvaluator};
use crate::games::reversi::kernel::{Kernels, spread};
use crate::games::reversi::{Reversi, Shape};
use crate::search::core::context::Context;
use crate::search::core::policy::{Candidates, GENERATION_ORDER, Policy, SearchParams};

use super::{DISC, ReversiNode, ReversiPolicy};

impl OrderingPenalties {
    /// The penalty of the position after a move, with the opponent's legal moves precomputed.
    #[inline(always)]
    fn loss<S: Shape>(self, child: &Reversi<S>, replies: u64) -> i32 {
        let potential = spread(child.opponent) & child.empty();
        self.mobility * S::mobility(replies) as i32
            + self.potential_mobility * potential.count_ones() as i32
    }
}

/// Moves that are worse than the best so far by more than this get only a bound from the shallow
/// search.
const MARGIN: i32 = 6 * DISC;

/// Ranks the moves other than the table move.
#[inline(always)]
pub fn rank<S: Shape, E: ReversiEvaluator<S>, I: Kernels>(
    cx: &mut Context<'_, ReversiPolicy<S, E, I>>,
    node: &ReversiNode<S, E::Data>,
    candidates: &mut Candidates<ReversiNode<S, E::Data>>,
    window: Window,
    params: SearchParams,
) {
    let kernel = cx.policy.isa;
    let empties = ReversiPolicy::<S, E, I>::empties(node);
    let ends = ReversiPolicy::<S, E, I>::reaches_end(node, params.depth);
    let weights = E::ordering(empties, ends);
    let depth = if ends {
        // No closure: it would not be compiled for the instruction set of the kernels.
        let margin = match E::WITH_MARGIN.contains(&empties) {
            true => ReversiPolicy::margin(cx, node, window),
            false => 0,
        };
        E::shallow_depth(empties, margin)
    } else {
        0
    };
    // The candidates are not moved: the loop may have searched one of them already.
    let mut turns = GENERATION_ORDER;
    if E::PRESORTED && depth > 0 {
        sort_by_mobility(kernel, candidates, &mut turns);
    }
    let mut floor = -Score::INFINITE;
    for turn in 0..candidates.len() {
        let candidate = &mut candidates[usize::from(if E::PRESORTED {
            turns[turn & 63]
        } else {
            turn as u8
        })];
        if candidate.rank != 0 {
            continue;
        }
        let child = candidate.node.position;
        if child.player == 0 {
            candidate.rank = 100 * Score::INFINITE.0; // a wipe-out
            continue;
        }
        let replies = kernel.legal(child.player, child.opponent) & S::SQUARES;
        let value = if depth == 0 {
            let score = cx.policy.evaluate(&candidate.node);
            candidate.node.value = Some(score);
            -cx.leaf(score)
        } else {
            cx.counters.nodes += 1;
            let window = Window {
                alpha: -Score::INFINITE,
                beta: -floor,
            };
            -ReversiPolicy::leaves(cx, &candidate.node, replies, window, depth)
        };
        floor = floor.max(value - MARGIN);
        candidate.rank = value.0 - weights.loss(&child, replies);
    }
}

/// Sorts the indices of the candidates by the opponent's mobility, the lowest first.
#[inline(always)]
fn sort_by_mobility<S: Shape, D: Copy, K: Kernels>(
    kernel: K,
    candidates: &Candidates<ReversiNode<S, D>>,
    turns: &mut [u8; 64],
) {
    let mut mobility = [0; 64];
    for (at, candidate) in candidates.iter().enumerate() {
        let child = candidate.node.position;
        mobility[at & 63] = S::mobility(kernel.legal(child.player, child.opponent) & S::SQUARES);
    }
    for at in 1..candidates.len() {
        let mut to = at;
        while to > 0 && mobility[(to - 1) & 63] > mobility[to & 63] {
            turns.swap((to - 1) & 63, to & 63);
            mobility.swap((to - 1) & 63, to & 63);
            to -= 1;
        }
    }
}
