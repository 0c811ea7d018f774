//! The policy of the named algorithms `negascout` and `mtdf`: full width, the table's moves first, the rest as generated.

use std::marker::PhantomData;

use crate::game::{Game, Move};
use crate::score::Score;

use super::context::{Context, Stopped};
use super::deepening::{Pace, Stage};
use super::isa::Isa;
use super::policy::{Candidates, Evaluate, Mode, Policy};
use super::table::Key;
use super::trace::Trace;

/// A game and an evaluator, and nothing clever.
#[derive(Clone, Copy, Debug)]
pub struct Plain<G, E, I> {
    evaluator: E,
    isa: I,
    game: PhantomData<fn() -> G>,
}

impl<G: Game, E: Evaluate<G>, I: Isa> Plain<G, E, I> {
    /// The plain policy of a game with this evaluator.
    pub fn new(evaluator: E, isa: I) -> Self {
        Plain { evaluator, isa, game: PhantomData }
    }
}

impl<G: Game, E: Evaluate<G>, I: Isa> Policy for Plain<G, E, I> {
    type Game = G;
    type Isa = I;
    type Node = G;
    const EXACT_DEPTH: bool = true;

    /// Deepening, if wanted, goes through every depth: the named algorithms are here to be looked at.
    fn schedule(&self, _position: &G, depth: u8, pace: Pace) -> Vec<Stage> {
        pace.every_depth().stages(depth)
    }

    fn step(&self, position: &G, depth: u8) -> i32 {
        step::<G, E>(position, depth)
    }

    #[inline(always)]
    fn isa(&self) -> I {
        self.isa
    }

    #[inline(always)]
    fn root(&self, position: &G) -> G {
        *position
    }

    #[inline(always)]
    fn position<'n>(&self, node: &'n G) -> &'n G {
        node
    }

    #[inline(always)]
    fn child(&self, node: &G, m: Move) -> G {
        node.play(m)
    }

    #[inline(always)]
    fn key(&self, node: &G, _depth: u8) -> Key {
        Key { hash: Game::hash(node), words: node.packed(), symmetry: 0 }
    }

    #[inline(always)]
    fn evaluate(&self, node: &G) -> Score {
        self.evaluator.evaluate(node)
    }

    #[inline(always)]
    fn order<T: Trace>(
        _cx: &mut Context<'_, Self, T>,
        _node: &G,
        _candidates: &mut Candidates<G>,
        _mode: Mode,
    ) -> Result<(), Stopped> {
        Ok(())
    }
}

/// The null-window step: the game's own grain in a search to the end, else one that evaluations share.
pub fn step<G: Game, E: Evaluate<G>>(position: &G, depth: u8) -> i32 {
    if depth >= position.plies_left() { G::GRAIN } else { gcd(G::GRAIN, E::GRAIN) }
}

fn gcd(a: i32, b: i32) -> i32 {
    if b == 0 { a } else { gcd(b, a % b) }
}
