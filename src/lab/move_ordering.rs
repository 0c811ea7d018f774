//! Compares NegaScout with fail-soft alpha-beta on the same trees under good, natural and random move ordering, without
//! a table (document 001).

use std::hash::Hash;
use std::marker::PhantomData;

use crate::game::score::{Score, Window};
use crate::game::{Game, Move, MoveList, Player, mix};
use crate::games::any::AnyPosition;
use crate::games::dispatch::{AnyEvaluator, evaluate};
use crate::search::policy::{Evaluate, step};
use crate::search::stop::SearchControl;
use crate::search::textbook::{TextbookContext, fail_soft, nega_scout};

/// A move ordering.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MoveOrdering {
    /// By the static value after the move, best first.
    Good,
    /// As generated.
    Natural,
    /// Random, but fixed for each position.
    Random,
}

impl MoveOrdering {
    /// Sorts the moves of a position.
    fn sort<G: Game, E: Evaluate<G> + Default>(self, position: &G, moves: &mut MoveList) {
        let evaluator = E::default();
        let hash = Game::hash(position);
        match self {
            MoveOrdering::Good => moves.sort_by_cached_key(|&m| {
                let child = position.play(m);
                child.final_score().unwrap_or_else(|| evaluator.evaluate(&child))
            }),
            MoveOrdering::Natural => {}
            MoveOrdering::Random => moves.sort_by_cached_key(|&m| mix([hash, u64::from(m.square())])),
        }
    }
}

/// A game with a different move ordering; [`MoveOrdering::Good`] uses evaluator `E`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Reordered<G, E> {
    position: G,
    order: MoveOrdering,
    evaluator: PhantomData<fn() -> E>,
}

impl<G, E> Reordered<G, E> {
    fn new(position: G, order: MoveOrdering) -> Self {
        Reordered { position, order, evaluator: PhantomData }
    }
}

impl<G: Game, E: StatelessEvaluator<G>> Game for Reordered<G, E> {
    const NAME: &'static str = G::NAME;
    const GRAIN: i32 = G::GRAIN;
    const SYMMETRIES: usize = G::SYMMETRIES;

    fn grain(&self) -> i32 {
        self.position.grain()
    }

    fn start() -> Self {
        Self::new(G::start(), MoveOrdering::Natural)
    }

    fn to_move(&self) -> Player {
        self.position.to_move()
    }

    fn moves(&self) -> MoveList {
        let mut moves = self.position.moves();
        self.order.sort::<G, E>(&self.position, &mut moves);
        moves
    }

    fn play(&self, m: Move) -> Self {
        Self::new(self.position.play(m), self.order)
    }

    fn final_score(&self) -> Option<Score> {
        self.position.final_score()
    }

    fn plies_left(&self) -> u8 {
        self.position.plies_left()
    }

    fn cost(m: Move) -> u8 {
        G::cost(m)
    }

    fn stones(&self) -> i32 {
        self.position.stones()
    }

    fn packed(&self) -> [u64; 2] {
        self.position.packed()
    }

    fn image(&self, symmetry: usize) -> Self {
        Self::new(self.position.image(symmetry), self.order)
    }

    fn move_image(m: Move, symmetry: usize) -> Move {
        G::move_image(m, symmetry)
    }
}

/// An evaluator without state.
pub trait StatelessEvaluator<G: Game>: Evaluate<G> + Default + Copy + Eq + Hash + std::fmt::Debug {}

impl<G: Game, E: Evaluate<G> + Default + Copy + Eq + Hash + std::fmt::Debug> StatelessEvaluator<G> for E {}

/// The evaluator of the wrapped game.
#[derive(Clone, Copy, Default, Debug)]
struct InnerEvaluator<E>(E);

impl<G: Game, E: StatelessEvaluator<G>> Evaluate<Reordered<G, E>> for InnerEvaluator<E> {
    type Data = E::Data;
    const GRAIN: i32 = E::GRAIN;

    fn grain(&self, position: &Reordered<G, E>) -> i32 {
        self.0.grain(&position.position)
    }

    fn fresh(&self, position: &Reordered<G, E>) -> E::Data {
        self.0.fresh(&position.position)
    }

    fn score(&self, position: &Reordered<G, E>, data: E::Data) -> Score {
        self.0.score(&position.position, data)
    }
}

/// The leaf evaluations of both algorithms.
#[derive(Clone, Copy, Default, Debug)]
pub struct Duel {
    pub alpha_beta: u64,
    pub nega_scout: u64,
    /// Searches whose values differ.
    pub unequal: u32,
}

impl Duel {
    /// Leaf evaluations of NegaScout divided by those of alpha-beta.
    pub fn ratio(&self) -> f64 {
        self.nega_scout as f64 / self.alpha_beta.max(1) as f64
    }
}

/// Searches all positions with both algorithms.
pub fn duel<G: Game, E: StatelessEvaluator<G>>(positions: &[G], depth: u8, order: MoveOrdering) -> Duel {
    let control = SearchControl::default();
    let evaluator = InnerEvaluator(E::default());
    let mut duel = Duel::default();
    for &position in positions {
        let root = Reordered::<G, E>::new(position, order);
        let mut cx = TextbookContext::new(&evaluator, None, &control);
        let soft = fail_soft(&mut cx, &root, depth, 0, Window::FULL);
        duel.alpha_beta += cx.counters.leaves;
        let mut cx = TextbookContext::new(&evaluator, None, &control);
        cx.step = step(&evaluator, &root, depth);
        let scout = nega_scout(&mut cx, &root, depth, 0, Window::FULL);
        duel.nega_scout += cx.counters.leaves;
        duel.unequal += u32::from(soft != scout);
    }
    duel
}

/// The built-in evaluator of each game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct BuiltInEvaluator;

impl Evaluate<AnyPosition> for BuiltInEvaluator {
    type Data = ();
    const GRAIN: i32 = 1;

    fn grain(&self, position: &AnyPosition) -> i32 {
        AnyEvaluator::default().grain(position)
    }

    fn fresh(&self, _position: &AnyPosition) {}

    fn score(&self, position: &AnyPosition, _data: ()) -> Score {
        evaluate(*position, None)
    }
}
