//! The Score Four policy of the production search: incremental evaluation, forced moves at no cost
//! in depth, no moves that lose immediately.
//!
//! * Immediate wins, immediate losses and forced moves are derived from the threats
//!   ([`Bitboards::own_threats`]) by one `and` each. Wins and losses are scored without search.
//! * At depth 1, the leaf kernel evaluates the children without entering them.
//! * Table keys are canonical (one for all eight symmetries) while the board holds few stones.
//! * ProbCut ([`prob_cut`]) at the level of option `Selectivity`; full width by default.
//!
//! [`Bitboards::own_threats`]: super::bitboard::Bitboards::own_threats

use std::sync::LazyLock;

use crate::game::score::{Score, Window};
use crate::game::{Game, Move, MoveList};
use crate::games::score_four::ScoreFour;
use crate::search::core::context::Context;
use crate::search::core::isa::Isa;
use crate::search::core::policy::{self, EarlyReturn, Evaluate, Policy, SearchParams};
use crate::search::generic_policy::canonical_key;
use crate::search::levels::Thresholds;
use crate::search::prob_cut::{self, ProbCut, Scale};
use crate::search::schedule::{Iteration, Objective, by_twos};
use crate::search::table::{Draft, Key};
use crate::search::trace::ReturnReason;

use super::bitboard::Bitboards;
use super::eval::{EvalData, ROUND, ScoreFourEvaluator, Tactics, tactics};

/// The most stones at which keys are canonical.
const CANONICAL_STONES: i32 = 12;
/// The least depth at which ProbCut is tried.
pub const CUT_DEPTH: u8 = 3;
/// Stones per phase of the ProbCut model.
const PHASE: i32 = 8;

/// The ProbCut model, fitted by `nullwindow lab train prob-cut --game scorefour`.
static MODEL: LazyLock<ProbCut> = LazyLock::new(|| {
    let text = include_str!("prob_cut.txt");
    ProbCut::read(text, &Thresholds::default()).unwrap_or_default() // tested below
});

/// The phase of a position with `stones` stones.
#[inline(always)]
pub const fn phase(stones: i32) -> usize {
    (stones / PHASE) as usize
}

/// A position with its incremental data.
#[derive(Clone, Copy, Debug)]
pub struct ScoreFourNode {
    position: ScoreFour,
    data: EvalData,
}

impl ScoreFourNode {
    #[inline(always)]
    const fn board(&self) -> Bitboards {
        self.data.board(&self.position)
    }
}

/// The policy of Score Four.
#[derive(Clone, Debug)]
pub struct ScoreFourPolicy<I> {
    evaluator: ScoreFourEvaluator,
    isa: I,
    /// The selectivity level of every iteration; `None`: full width.
    selectivity: Option<u8>,
}

impl<I: Isa> ScoreFourPolicy<I> {
    /// The policy with this evaluation and selectivity level.
    pub fn new(evaluator: ScoreFourEvaluator, isa: I, selectivity: Option<u8>) -> Self {
        ScoreFourPolicy {
            evaluator,
            isa,
            selectivity,
        }
    }
}

/// The moves on these cells.
#[inline(always)]
fn moves_on(mut cells: u64) -> MoveList {
    let mut moves = MoveList::new();
    while cells != 0 {
        moves.push(Move::to(cells.trailing_zeros() as u8 & 15));
        cells &= cells - 1;
    }
    moves
}

impl<I: Isa> Policy for ScoreFourPolicy<I> {
    type Game = ScoreFour;
    type Isa = I;
    type Node = ScoreFourNode;
    type State = ();
    const TABLE_DEPTH: u8 = 2;
    const ETC_DEPTH: u8 = 4;

    #[inline(always)]
    fn isa(&self) -> I {
        self.isa
    }

    #[inline(always)]
    fn root(&self, position: &ScoreFour) -> ScoreFourNode {
        ScoreFourNode {
            position: *position,
            data: self.evaluator.fresh(position),
        }
    }

    #[inline(always)]
    fn position<'n>(&self, node: &'n ScoreFourNode) -> &'n ScoreFour {
        &node.position
    }

    #[inline(always)]
    fn child(&self, node: &ScoreFourNode, m: Move) -> ScoreFourNode {
        let cell = node.position.landing(m.square());
        let position = node
            .position
            .played(cell, node.data.own_threats >> (cell & 63) & 1 != 0);
        ScoreFourNode {
            position,
            data: self
                .evaluator
                .update(&node.position, node.data, m, &position),
        }
    }

    #[inline(always)]
    fn key(&self, node: &ScoreFourNode, _depth: u8) -> Key {
        if node.data.stones <= CANONICAL_STONES {
            return canonical_key(&node.position);
        }
        Key::of(node.position.packed())
    }

    fn step(&self, position: &ScoreFour, depth: u8) -> i32 {
        policy::step(&self.evaluator, position, depth)
    }

    /// Always deepens: deepening pays for itself by better move ordering.
    fn schedule(&self, _position: &ScoreFour, depth: u8, _objective: Objective) -> Vec<Iteration> {
        let mut iterations = by_twos(depth);
        if let Some(level) = self.selectivity {
            let selective = iterations
                .iter_mut()
                .filter(|iteration| iteration.depth >= CUT_DEPTH);
            selective.for_each(|iteration| iteration.selectivity = level);
        }
        iterations
    }

    #[inline(always)]
    fn evaluate(&self, node: &ScoreFourNode) -> Score {
        self.evaluator.score(&node.position, node.data)
    }

    /// The moves that do not lose immediately; the leaf kernel solves nodes without such moves.
    #[inline(always)]
    fn moves(&self, node: &ScoreFourNode) -> MoveList {
        let board = node.board();
        moves_on(board.non_losing(board.playable()))
    }

    #[inline(always)]
    fn forced(&self, node: &ScoreFourNode) -> Option<Move> {
        match tactics(&node.board(), node.data.stones) {
            Tactics::Forced(cell) => Some(Move::to(cell as u8 & 15)),
            _ => None,
        }
    }

    #[inline(always)]
    fn prune(
        cx: &mut Context<'_, Self>,
        node: &ScoreFourNode,
        window: Window,
        params: SearchParams,
    ) -> EarlyReturn {
        if params.selectivity == Draft::FULL || params.depth < CUT_DEPTH {
            return Ok(None);
        }
        let checks = MODEL.checks(phase(node.data.stones), params.depth);
        let value = cx.policy.evaluate(node);
        let value = cx.leaf(value);
        let scale = Scale {
            step: ROUND,
            reach: Score::DECIDED - Score::LONGEST,
        };
        prob_cut::cut(cx, node, window, params, checks, value, scale)
    }

    #[inline(always)]
    fn solve_leaf(
        cx: &mut Context<'_, Self>,
        node: &ScoreFourNode,
        window: Window,
        params: SearchParams,
    ) -> EarlyReturn {
        let board = node.board();
        match tactics(&board, node.data.stones) {
            Tactics::Decided(score) => return Ok(Some((cx.leaf(score), ReturnReason::SolvedLeaf))),
            Tactics::Forced(_) => return Ok(None),
            Tactics::Quiet if params.depth > 1 => return Ok(None),
            Tactics::Quiet => {}
        }
        let mut cells = board.non_losing(board.playable());
        let mut best = -Score::INFINITE;
        let mut evaluated = 0;
        while cells != 0 && best < window.beta {
            let cell = cells.trailing_zeros();
            cells &= cells - 1;
            let child = cx.policy.child(node, Move::to(cell as u8 & 15));
            best = best.max(-cx.policy.evaluate(&child));
            evaluated += 1;
        }
        cx.counters.leaves += evaluated;
        cx.enter_many(evaluated)?;
        Ok(Some((best, ReturnReason::SolvedLeaf)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prob_cut_model_is_readable() {
        let rows = prob_cut::read_rows(include_str!("prob_cut.txt")).unwrap();
        assert!(
            rows.iter()
                .all(|row| row.depth >= CUT_DEPTH && row.phase < 8)
        );
    }
}
