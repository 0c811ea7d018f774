//! NegaScout against fail-soft alpha-beta under good, natural and random move ordering (document 001): the same trees,
//! without a table.

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
    /// By the static value after the move, the worst for the opponent first.
    Good,
    /// As generated.
    Natural,
    /// At random, but always the same for a position.
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

/// A game with another move ordering, the good one by evaluator `E`.
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

/// An evaluator that is known by its type alone.
pub trait StatelessEvaluator<G: Game>: Evaluate<G> + Default + Copy + Eq + Hash + std::fmt::Debug {}

impl<G: Game, E: Evaluate<G> + Default + Copy + Eq + Hash + std::fmt::Debug> StatelessEvaluator<G> for E {}

/// The evaluator of the wrapped game.
#[derive(Clone, Copy, Default, Debug)]
struct Beneath<E>(E);

impl<G: Game, E: StatelessEvaluator<G>> Evaluate<Reordered<G, E>> for Beneath<E> {
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

/// Leaf evaluations of both algorithms, and the number of searches whose values differ.
#[derive(Clone, Copy, Default, Debug)]
pub struct Duel {
    /// Those of fail-soft alpha-beta.
    pub alpha_beta: u64,
    /// Those of NegaScout.
    pub nega_scout: u64,
    /// Searches of unequal value.
    pub unequal: u32,
}

impl Duel {
    /// NegaScout's over those of alpha-beta.
    pub fn ratio(&self) -> f64 {
        self.nega_scout as f64 / self.alpha_beta.max(1) as f64
    }
}

/// Runs both algorithms on the same trees, `depth` plies deep, with this move ordering.
pub fn duel<G: Game, E: StatelessEvaluator<G>>(positions: &[G], depth: u8, order: MoveOrdering) -> Duel {
    let control = SearchControl::default();
    let evaluator = Beneath(E::default());
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

/// The evaluators that the engine carries, for every game.
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
