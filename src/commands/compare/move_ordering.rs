//! Compares NegaScout with fail-soft alpha-beta on the same trees under good, natural and random
//! move ordering, without a table (document 001).

use crate::game::score::{Score, Window};
use crate::game::{Game, Move, MoveList, Player, mix};
use crate::search::core::policy::{Evaluate, step};
use crate::search::stop::{Budget, SearchControl};
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
    pub const ALL: [MoveOrdering; 3] = [
        MoveOrdering::Good,
        MoveOrdering::Natural,
        MoveOrdering::Random,
    ];
}

/// A game with a different move ordering. Without a table, its symmetries do not matter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(
    unpredictable_function_pointer_comparisons,
    reason = "all positions of a tree have one evaluation"
)]
struct Reordered<G> {
    position: G,
    order: MoveOrdering,
    /// The static value, for [`MoveOrdering::Good`] and at leaves.
    evaluate: fn(&G) -> Score,
}

impl<G: Game> Game for Reordered<G> {
    const NAME: &'static str = G::NAME;
    const GRAIN: i32 = G::GRAIN;

    fn start() -> Self {
        Reordered {
            position: G::start(),
            order: MoveOrdering::Natural,
            evaluate: |_| Score::ZERO,
        }
    }

    fn to_move(&self) -> Player {
        self.position.to_move()
    }

    fn moves(&self) -> MoveList {
        let mut moves = self.position.moves();
        match self.order {
            MoveOrdering::Good => moves.sort_by_cached_key(|&m| {
                let child = self.position.play(m);
                child
                    .final_score()
                    .unwrap_or_else(|| (self.evaluate)(&child))
            }),
            MoveOrdering::Natural => {}
            MoveOrdering::Random => {
                let hash = Game::hash(&self.position);
                moves.sort_by_cached_key(|&m| mix([hash, u64::from(m.square())]));
            }
        }
        moves
    }

    fn play(&self, m: Move) -> Self {
        Reordered {
            position: self.position.play(m),
            ..*self
        }
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

    fn packed(&self) -> [u64; 2] {
        self.position.packed()
    }
}

/// Evaluates a [`Reordered`] position.
#[derive(Clone)]
struct ByPosition;

impl<G: Game> Evaluate<Reordered<G>> for ByPosition {
    type Data = ();
    const GRAIN: i32 = 1;

    fn fresh(&self, _: &Reordered<G>) {}

    fn score(&self, root: &Reordered<G>, _: ()) -> Score {
        (root.evaluate)(&root.position)
    }
}

/// The leaf evaluations of both algorithms.
#[derive(Default, Debug)]
pub struct Duel {
    pub alpha_beta: u64,
    pub nega_scout: u64,
    /// Searches whose values differ.
    pub unequal: u32,
}

impl Duel {
    /// Leaf evaluations of NegaScout divided by those of alpha-beta; `None` if no search was finished.
    pub fn ratio(&self) -> Option<f64> {
        (self.alpha_beta > 0).then(|| self.nega_scout as f64 / self.alpha_beta as f64)
    }
}

/// Searches all positions with both algorithms, each to at most `limit` nodes. A position that
/// exceeds it is left out.
pub fn duel<G: Game, E: Evaluate<G> + Default>(
    positions: &[G],
    depth: u8,
    order: MoveOrdering,
    limit: u64,
) -> Duel {
    let control = SearchControl::default();
    let context = || {
        let mut cx = TextbookContext::new(&ByPosition, None, &control);
        cx.stop.set_budget(Budget {
            nodes: Some(limit),
            ..Budget::default()
        });
        cx
    };
    let mut duel = Duel::default();
    for &position in positions {
        let root = Reordered {
            position,
            order,
            evaluate: |position| E::default().evaluate(position),
        };
        let mut plain = context();
        let Ok(soft) = fail_soft(&mut plain, &root, depth, 0, Window::FULL) else {
            continue;
        };
        let mut cx = context();
        cx.step = step(&E::default(), &position, depth);
        let Ok(scout) = nega_scout(&mut cx, &root, depth, 0, Window::FULL) else {
            continue;
        };
        duel.alpha_beta += plain.counters.leaves;
        duel.nega_scout += cx.counters.leaves;
        duel.unequal += u32::from(soft != scout);
    }
    duel
}
