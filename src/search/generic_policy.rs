//! The library's entry points, [`best_move`] and [`search_game`], and the default policy, for games
//! without special kernels:
//! * incremental evaluation ([`Evaluate::Data`])
//! * move ordering by the static values of the children; no ordering, table or recursion at the
//!   last ply
//! * canonical table keys, shared by symmetric positions, away from the leaves
//! * enhanced transposition cutoffs away from the leaves
//! * multi-ProbCut ([`super::prob_cut`]), if a model is given

use std::marker::PhantomData;

use crate::game::score::{Score, Window};
use crate::game::{Game, Move};

use super::answer::Answer;
use super::core::context::Context;
use super::core::isa::{Isa, IsaChoice, with_isa};
use super::core::policy::{EarlyReturn, Evaluate, Policy, SearchParams, step};
use super::deepening::think;
use super::limits::Limits;
use super::prob_cut::{self, ProbCut, Scale};
use super::production::{Mtdf, Production};
use super::progress::Observer;
use super::schedule::{Iteration, Objective, by_twos};
use super::table::{Draft, Key, Table};
use super::trace::ReturnReason;

/// The least remaining depth at which keys are canonical; below, computing them costs more than it
/// saves.
const CANONICAL_DEPTH: u8 = 4;

/// A position with its evaluator's data.
#[derive(Clone, Copy, Debug)]
pub struct GenericNode<G, D> {
    position: G,
    data: D,
}

/// The generic policy of a game with an evaluator.
#[derive(Clone, Debug)]
pub struct GenericPolicy<G, E, I> {
    evaluator: E,
    isa: I,
    selective: Option<(&'static ProbCut, u8)>,
    game: PhantomData<fn() -> G>,
}

impl<G: Game, E: Evaluate<G>, I: Isa> GenericPolicy<G, E, I> {
    /// The policy with this evaluator, full width.
    pub fn new(evaluator: E, isa: I) -> Self {
        GenericPolicy {
            evaluator,
            isa,
            selective: None,
            game: PhantomData,
        }
    }

    /// Adds multi-ProbCut at this selectivity level. The model's phase of a position is
    /// [`Game::stones`].
    pub fn selective(self, model: &'static ProbCut, level: u8) -> Self {
        GenericPolicy {
            selective: Some((model, level)),
            ..self
        }
    }
}

impl<G: Game, E: Evaluate<G>, I: Isa> Policy for GenericPolicy<G, E, I> {
    type Game = G;
    type Isa = I;
    type Node = GenericNode<G, E::Data>;
    type State = ();
    const TABLE_DEPTH: u8 = 2;
    const ETC_DEPTH: u8 = 4;

    #[inline(always)]
    fn isa(&self) -> I {
        self.isa
    }

    #[inline(always)]
    fn root(&self, position: &G) -> Self::Node {
        GenericNode {
            position: *position,
            data: self.evaluator.fresh(position),
        }
    }

    #[inline(always)]
    fn position<'n>(&self, node: &'n Self::Node) -> &'n G {
        &node.position
    }

    #[inline(always)]
    fn child(&self, node: &Self::Node, m: Move) -> Self::Node {
        let position = node.position.play(m);
        let data = self
            .evaluator
            .update(&node.position, node.data, m, &position);
        GenericNode { position, data }
    }

    #[inline(always)]
    fn key(&self, node: &Self::Node, depth: u8) -> Key {
        if depth >= CANONICAL_DEPTH {
            return canonical_key(&node.position);
        }
        Key::of(node.position.packed())
    }

    fn step(&self, position: &G, depth: u8) -> i32 {
        step(&self.evaluator, position, depth)
    }

    /// Always deepens: deepening pays for itself by better move ordering.
    fn schedule(&self, _position: &G, depth: u8, _objective: Objective) -> Vec<Iteration> {
        let mut iterations = by_twos(depth);
        if let Some((_, selectivity)) = self.selective {
            iterations
                .iter_mut()
                .for_each(|iteration| iteration.selectivity = selectivity);
        }
        iterations
    }

    #[inline(always)]
    fn evaluate(&self, node: &Self::Node) -> Score {
        self.evaluator.score(&node.position, node.data)
    }

    #[inline(always)]
    fn prune(
        cx: &mut Context<'_, Self>,
        node: &Self::Node,
        window: Window,
        params: SearchParams,
    ) -> EarlyReturn {
        let Some((model, _)) = cx
            .policy
            .selective
            .filter(|_| params.selectivity != Draft::FULL)
        else {
            return Ok(None);
        };
        let checks = model.checks(node.position.stones() as usize, params.depth);
        if checks.is_empty() {
            return Ok(None);
        }
        let value = cx.policy.evaluate(node);
        let value = cx.leaf(value);
        let scale = Scale {
            step: cx.step,
            reach: Score::DECIDED - Score::LONGEST,
        };
        prob_cut::cut(cx, node, window, params, checks, value, scale)
    }

    /// The last ply: evaluates the children without ordering and recursion.
    #[inline(always)]
    fn solve_leaf(
        cx: &mut Context<'_, Self>,
        node: &Self::Node,
        window: Window,
        params: SearchParams,
    ) -> EarlyReturn {
        if params.depth != 1 {
            return Ok(None);
        }
        let moves = node.position.moves();
        if moves[0].is_pass() {
            return Ok(None);
        }
        let mut best = -Score::INFINITE;
        let mut seen = 0;
        for m in moves {
            let child = cx.policy.child(node, m);
            let score = -child
                .position
                .final_score()
                .unwrap_or_else(|| cx.policy.evaluate(&child));
            seen += 1;
            best = best.max(score);
            if best >= window.beta {
                break;
            }
        }
        cx.counters.leaves += seen;
        cx.enter_many(seen)?;
        Ok(Some((best, ReturnReason::SolvedLeaf)))
    }
}

/// MiB of the table of [`best_move`].
const TABLE_MIB: usize = 16;

/// Searches a position within the limits by iterative deepening and MTD(f). Returns the best move
/// with its score and principal variation. Without limits, the search runs to the end of the game.
/// A finished game has no best move.
///
/// Allocates a transposition table for this search; see [`search_game`] to reuse one.
pub fn best_move<G: Game, E: Evaluate<G>>(position: &G, evaluator: &E, limits: &Limits) -> Answer {
    search_game(
        position,
        evaluator,
        limits,
        &Table::new(TABLE_MIB),
        &mut Observer::default(),
    )
}

/// [`best_move`] with a table that is reused between searches, a control to stop the search, and a
/// report after each iteration.
///
/// Use one table per game and evaluator, or [`clear`](Table::clear) it between them: entries have
/// neither, so a search would return scores of the other.
pub fn search_game<G: Game, E: Evaluate<G>>(
    position: &G,
    evaluator: &E,
    limits: &Limits,
    table: &Table,
    observer: &mut Observer<'_>,
) -> Answer {
    table.new_search();
    let control = observer.control.clone();
    with_isa!(IsaChoice::Auto, isa => {
        let policy = GenericPolicy::new(evaluator.clone(), isa);
        let mut cx = Context::new(&policy, Some(table), &control);
        cx.record(observer.trace.take());
        let mut search = Production::<Mtdf, _>::new(*position, cx);
        think(&mut search, limits, true, observer)
    })
}

/// The canonical key of a position: the key of its least symmetry image. Only called far from the
/// leaves, so one copy for all ISAs is enough.
#[inline(never)]
pub fn canonical_key<G: Game>(position: &G) -> Key {
    let (mut words, mut least) = (position.packed(), 0);
    for symmetry in 1..G::SYMMETRIES {
        let image = position.image(symmetry).packed();
        if (image[0], image[1]) < (words[0], words[1]) {
            (words, least) = (image, symmetry);
        }
    }
    Key {
        symmetry: least as u8,
        ..Key::of(words)
    }
}
