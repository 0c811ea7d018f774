//! The Reversi policy of the production search: incremental evaluation, statistical cuts, kernels
//! for the last plies and exact endgames. One policy serves every board and every phase.
//!
//! Midgame (fewer plies than empties): [`leaves`] searches the last three plies; from depth
//! [`CUT_DEPTH`], statistical cuts by [`prob_cut`].
//!
//! Endgame: stability cutoffs, move ordering by evaluation and a shallow search ([`order`]), the
//! endgame kernel for the last twelve empties or more. Below full width, statistical cuts too,
//! so that value and PV are mostly known before the exact search. A board whose evaluation has no
//! ProbCut model deepens at full width ([`schedule`]).
//!
//! Measurements: measurements.md in this folder.

use std::marker::PhantomData;

use crate::game::score::{Score, Window};
use crate::game::{Game, Move};
use crate::games::reversi::{Reversi, Shape};
use crate::search::core::context::Context;
use crate::search::core::policy::{
    self, Candidates, EarlyReturn, Policy, SearchParams, SolvingCost,
};
use crate::search::generic_policy::canonical_key;
use crate::search::levels;
use crate::search::mtdf::mtdf;
use crate::search::prob_cut::{self, ProbCut, Scale};
use crate::search::schedule::{Iteration, Objective};
use crate::search::stop::Stopped;
use crate::search::table::{Draft, Key};
use crate::search::trace::ReturnReason;

use super::endgame::middle::{EndgameContext, MIDDLE, PrivateTable, descend};
use super::eval::evaluator::ReversiEvaluator;
use super::eval::scale::DISC;
use super::kernel::Kernels;
use super::stability;

pub mod cuts;
pub mod leaves;
pub mod order;
pub mod schedule;

use leaves::{LEAVES, LeafTable, Leaves, played};

/// The least depth at which a statistical cut is tried. Tuned:
/// measurements.md#lowest-depth-of-cuts.
pub const CUT_DEPTH: u8 = 3;

/// Late-move reductions, up to the default selectivity level: the least depth of reduced children.
// this constant and the following ones tuned: see measurements.md#late-move-reductions
const REDUCED_DEPTH: u8 = 7;
/// The reduction in plies; even, because scores of odd and even depths differ.
const REDUCTION: u8 = 2;
/// The number of moves that are not reduced.
const REDUCED_INDEX: usize = 3;

/// The first phase of the ProbCut model for searches to the end of the game. Earlier phases span
/// six empties.
pub const ENDGAME_PHASE: usize = 10;
/// The number of phases for searches to the end of the game. They share the regressions but not the
/// thresholds: the more empties the root has, the more cuts can be wrong.
pub const ENDGAME_PHASES: usize = 10;

/// The phase of a position with this many empties, before the endgame.
#[inline(always)]
pub fn phase(empties: u8) -> usize {
    (usize::from(empties) / 6).min(ENDGAME_PHASE - 1)
}

/// The phase of a search to the end of the game from a root with this many empties: up to 12, 14
/// and so on to 28, and more.
#[inline(always)]
pub fn endgame_phase(root_empties: u8) -> usize {
    let index = usize::from(root_empties.saturating_sub(11)) / 2;
    ENDGAME_PHASE + index.min(ENDGAME_PHASES - 1)
}

/// Half of the squares. Positions with the same empties among them share a region of the table, so
/// half of the moves stay in the region.
const REGION_SQUARES: u64 = 0xa55a_a55a_a55a_a55a;
/// An odd multiplier that spreads these squares over the high bits of the product.
const REGION_MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// The private tables of a thread.
#[derive(Default)]
pub struct PrivateTables {
    endgame: PrivateTable,
    leaves: LeafTable,
}

/// A position with its evaluator's data.
#[derive(Clone, Copy, Debug)]
pub struct ReversiNode<S: Shape, D> {
    position: Reversi<S>,
    data: D,
    /// The static value, once move ordering has computed it.
    value: Option<Score>,
}

/// The policy of Reversi with an evaluation.
pub struct ReversiPolicy<S, E, I> {
    evaluator: E,
    isa: I,
    /// The selectivity level; `None`: the default, and full width at the end of the game.
    selectivity: Option<u8>,
    model: Option<&'static ProbCut>,
    shape: PhantomData<fn() -> S>,
}

impl<S: Shape, E: ReversiEvaluator<S>, I: Kernels> ReversiPolicy<S, E, I> {
    /// The most discs at which table keys are canonical under the symmetries of the board: twelve
    /// plies on the 8x8 board.
    const CANONICAL_DISCS: i32 = if S::COUNT == 64 { 16 } else { 12 };

    /// The policy with this evaluation and selectivity level.
    pub fn new(evaluator: E, isa: I, selectivity: Option<u8>) -> Self {
        ReversiPolicy {
            model: evaluator.prob_cut(),
            evaluator,
            isa,
            selectivity,
            shape: PhantomData,
        }
    }

    /// The same with another ProbCut model.
    pub fn with_model(self, model: &'static ProbCut) -> Self {
        ReversiPolicy {
            model: Some(model),
            ..self
        }
    }

    #[inline(always)]
    fn empties(node: &ReversiNode<S, E::Data>) -> u8 {
        node.position.empty().count_ones() as u8
    }

    /// The empties of the root. Passes count as plies, so each one on the path adds one.
    #[inline(always)]
    fn root_empties(node: &ReversiNode<S, E::Data>, params: SearchParams) -> u8 {
        Self::empties(node) + params.ply
    }

    /// Whether a search of this depth reaches the end of the game.
    #[inline(always)]
    fn reaches_end(node: &ReversiNode<S, E::Data>, depth: u8) -> bool {
        depth >= Self::empties(node)
    }

    /// How far the static value is from a null window, in discs; 0 in an open window.
    #[inline(always)]
    fn margin(cx: &Context<'_, Self>, node: &ReversiNode<S, E::Data>, window: Window) -> i32 {
        match window.is_null(cx.step) {
            true => (cx.policy.evaluate(node).0 - window.beta.0).abs() / DISC,
            false => 0,
        }
    }

    /// Whether the endgame kernel searches a node whose search reaches the end of the game.
    #[inline(always)]
    fn kernel_solves(
        cx: &Context<'_, Self>,
        node: &ReversiNode<S, E::Data>,
        window: Window,
        params: SearchParams,
    ) -> bool {
        let empties = Self::empties(node);
        // Below full width, a statistical cut is cheaper than a larger kernel.
        if params.selectivity != Draft::FULL {
            return empties <= MIDDLE;
        }
        empties <= E::kernel_empties(Self::root_empties(node, params))
            || E::kernel_margin(empties)
                .is_some_and(|least| Self::margin(cx, node, window) >= least)
    }

    /// A statistical cut at the node's selectivity level.
    #[inline(always)]
    fn statistical_cut(
        cx: &mut Context<'_, Self>,
        node: &ReversiNode<S, E::Data>,
        window: Window,
        params: SearchParams,
    ) -> EarlyReturn {
        let policy = cx.policy;
        let Some(model) = policy
            .model
            .filter(|_| params.selectivity != Draft::FULL && params.depth >= CUT_DEPTH)
        else {
            return Ok(None);
        };
        let empties = Self::empties(node);
        let phase = if Self::reaches_end(node, params.depth) {
            endgame_phase(Self::root_empties(node, params))
        } else {
            phase(empties)
        };
        let checks = model.checks(phase, params.depth.min(empties));
        if checks.is_empty() {
            return Ok(None);
        }
        let value = policy.evaluate(node);
        let value = cx.leaf(value);
        prob_cut::cut(
            cx,
            node,
            window,
            params,
            checks,
            value,
            Scale {
                step: E::GRAIN,
                reach: Score(64 * DISC),
            },
        )
    }

    /// Searches the last plies, with the legal moves precomputed.
    #[inline(always)]
    fn leaves(
        cx: &mut Context<'_, Self>,
        node: &ReversiNode<S, E::Data>,
        moves: u64,
        window: Window,
        depth: u8,
    ) -> Score {
        let policy = cx.policy;
        let ReversiNode {
            position, ref data, ..
        } = *node;
        let (kernel, evaluator) = (policy.isa, &policy.evaluator);
        let (core, state) = cx.parts();
        let (counters, table) = (&mut core.counters, &mut state.leaves);
        Leaves {
            kernel,
            evaluator,
            counters,
            table,
            position,
            data,
            moves,
            window,
            depth,
        }
        .search()
    }

    /// [`Self::solve`] with the transposition table: for transpositions, for the next window, and
    /// for the enhanced transposition cutoff in the parent.
    #[inline(always)]
    fn solve_once(
        cx: &mut Context<'_, Self>,
        node: &ReversiNode<S, E::Data>,
        window: Window,
    ) -> Result<Score, Stopped> {
        let Some(table) = cx.table else {
            return Self::solve(cx, node, window);
        };
        let draft = Draft::full(Self::empties(node));
        let key = cx.policy.key(node, draft.depth);
        let known = table.probe(&key).filter(|entry| entry.draft.covers(draft));
        if let Some(score) = known.and_then(|entry| entry.cutoff(window)) {
            cx.counters.table_hits += 1;
            return Ok(score);
        }
        let score = Self::solve(cx, node, window)?;
        cx.count_stored(table.store(&key, draft, window, score, Move::NONE));
        Ok(score)
    }

    /// The exact value of a position that the endgame kernel searches, or a bound of it outside the
    /// window.
    #[inline(always)]
    fn solve(
        cx: &mut Context<'_, Self>,
        node: &ReversiNode<S, E::Data>,
        window: Window,
    ) -> Result<Score, Stopped> {
        let Reversi {
            player, opponent, ..
        } = node.position;
        let policy = cx.policy;
        let empty = node.position.empty();
        let (empties, odd) = (empty.count_ones(), S::odd_quadrants(empty));
        let (core, state) = cx.parts();
        // The root of the kernel is counted twice, here and by the loop.
        let limit = core.nodes_left().saturating_add(1);
        let mut next_limit = |nodes: u64| {
            core.next_limit(nodes - 1)
                .map_or(0, |limit| limit.saturating_add(1))
        };
        let mut private = EndgameContext {
            nodes: 0,
            limit,
            next_limit: &mut next_limit,
            cache: &mut state.endgame,
        };
        let mut ask = |alpha: i32| -> Score {
            let alpha = alpha.div_euclid(DISC);
            Score(
                DISC * descend::<I, S>(
                    policy.isa,
                    &mut private,
                    player,
                    opponent,
                    alpha,
                    empties,
                    odd,
                ),
            )
        };
        let grain = Reversi::<S>::GRAIN;
        let score = if window.is_null(grain) {
            ask(window.alpha.0)
        } else {
            // Not a null window: MTD(f).
            let guess = policy.evaluate(node);
            let rounded_down =
                |score: Score| Score(score.0.max(-64 * DISC).div_euclid(grain) * grain);
            let bounds = Window {
                alpha: rounded_down(window.alpha),
                beta: -rounded_down(-window.beta),
            };
            mtdf(guess, grain, bounds, |window, _| Ok(ask(window.alpha.0)))?
        };
        let nodes = private.nodes;
        cx.counters.leaves += 1;
        cx.enter_many(nodes.saturating_sub(1))?;
        Ok(score)
    }
}

impl<S: Shape, E: ReversiEvaluator<S>, I: Kernels> Policy for ReversiPolicy<S, E, I> {
    type Game = Reversi<S>;
    type Isa = I;
    type Node = ReversiNode<S, E::Data>;
    type State = PrivateTables;
    const TABLE_DEPTH: u8 = LEAVES + 1;
    const ETC_DEPTH: u8 = LEAVES + 2;
    const ASPIRATION: Option<i32> = Some(2 * DISC);
    const SOLVING_COST: Option<SolvingCost> = Some(E::SOLVING_COST);

    #[inline(always)]
    fn isa(&self) -> I {
        self.isa
    }

    #[inline(always)]
    fn root(&self, position: &Reversi<S>) -> Self::Node {
        ReversiNode {
            position: *position,
            data: self.evaluator.fresh(position),
            value: None,
        }
    }

    #[inline(always)]
    fn position<'n>(&self, node: &'n Self::Node) -> &'n Reversi<S> {
        &node.position
    }

    #[inline(always)]
    fn child(&self, node: &Self::Node, m: Move) -> Self::Node {
        let position = if m.is_pass() {
            node.position.passed()
        } else {
            played(self.isa, &node.position, m.square())
        };
        let data = self
            .evaluator
            .update(&node.position, node.data, m, &position);
        ReversiNode {
            position,
            data,
            value: None,
        }
    }

    #[inline(always)]
    fn key(&self, node: &Self::Node, _depth: u8) -> Key {
        if node.position.stones() <= Self::CANONICAL_DISCS {
            return canonical_key(&node.position);
        }
        let region = (node.position.empty() & REGION_SQUARES).wrapping_mul(REGION_MIX);
        Key::of(node.position.packed()).in_region(region)
    }

    fn step(&self, position: &Reversi<S>, depth: u8) -> i32 {
        policy::step(&self.evaluator, position, depth)
    }

    fn schedule(&self, position: &Reversi<S>, depth: u8, objective: Objective) -> Vec<Iteration> {
        let asked = match self.model {
            Some(_) => self.selectivity,
            None => Some(Draft::FULL),
        };
        schedule::iterations(
            position.plies_left(),
            depth,
            objective,
            asked,
            E::MIDGAME_LEVEL,
        )
    }

    #[inline(always)]
    fn evaluate(&self, node: &Self::Node) -> Score {
        match node.value {
            Some(value) => value,
            None => self.evaluator.score_on(self.isa, &node.position, node.data),
        }
    }

    #[inline(always)]
    fn order(
        cx: &mut Context<'_, Self>,
        node: &Self::Node,
        candidates: &mut Candidates<Self::Node>,
        window: Window,
        params: SearchParams,
    ) -> Result<(), Stopped> {
        order::rank(cx, node, candidates, window, params);
        Ok(())
    }

    #[inline(always)]
    fn prune(
        cx: &mut Context<'_, Self>,
        node: &Self::Node,
        window: Window,
        params: SearchParams,
    ) -> EarlyReturn {
        let empties = Self::empties(node);
        if Self::reaches_end(node, params.depth) {
            let Reversi {
                player, opponent, ..
            } = node.position;
            let alpha = window.alpha.0.div_euclid(DISC);
            let most = stability::bound::<I, S>(
                cx.policy.isa,
                player,
                opponent,
                alpha,
                u32::from(empties),
            );
            if let Some(most) = most {
                return Ok(Some((Score(DISC * most), ReturnReason::ProvenBound)));
            }
        }
        Self::statistical_cut(cx, node, window, params)
    }

    #[inline(always)]
    fn reduction(&self, child: &Self::Node, below: SearchParams, index: usize) -> u8 {
        let is_late = below.selectivity <= levels::DEFAULT.number
            && index >= REDUCED_INDEX
            && below.depth >= REDUCED_DEPTH;
        if is_late && self.model.is_some() && !Self::reaches_end(child, below.depth) {
            REDUCTION
        } else {
            0
        }
    }

    #[inline(always)]
    fn solve_leaf(
        cx: &mut Context<'_, Self>,
        node: &Self::Node,
        window: Window,
        params: SearchParams,
    ) -> EarlyReturn {
        if Self::reaches_end(node, params.depth) {
            if Self::kernel_solves(cx, node, window, params) {
                let score = Self::solve_once(cx, node, window)?;
                return Ok(Some((score, ReturnReason::SolvedLeaf)));
            }
        } else if params.depth <= LEAVES {
            if window.is_null(cx.step)
                && let Some(cut) = Self::statistical_cut(cx, node, window, params)?
            {
                return Ok(Some(cut));
            }
            let Reversi {
                player, opponent, ..
            } = node.position;
            let moves = cx.policy.isa.legal(player, opponent) & S::SQUARES;
            let score = Self::leaves(cx, node, moves, window, params.depth);
            cx.enter_many(0)?;
            return Ok(Some((score, ReturnReason::SolvedLeaf)));
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::levels::Thresholds;

    #[test]
    fn the_models_can_be_read() {
        let models = [
            (cuts::EIGHT.model, 2..ENDGAME_PHASE),
            (cuts::SIX.model, 0..5),
        ];
        for (text, mut phases) in models {
            let rows = prob_cut::read_rows(text).unwrap();
            assert!(
                rows.iter()
                    .all(|row| row.depth >= CUT_DEPTH && row.relation.sigma > 0.0)
            );
            let has_rows = |phase| rows.iter().any(|row| usize::from(row.phase) == phase);
            assert!(has_rows(ENDGAME_PHASE) && phases.all(has_rows));
        }
        for text in [cuts::EIGHT.levels, cuts::SIX.levels] {
            let levels = Thresholds::read(text).unwrap();
            assert_ne!(levels.of_phase(0), Thresholds::default().of_phase(0));
            assert_ne!(levels.of_phase(ENDGAME_PHASE as u8), levels.of_phase(0));
        }
    }
}
