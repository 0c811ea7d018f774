//! Adapts nullwindow's games to the `minimax` crate: same rules, same bitboards, same evaluation.
//!
//! Constraints of that crate: evaluations are `i16`; a pass is a move and costs one ply; it uses
//! both halves of the hash, which must be well mixed; all won games have one fixed value.

use std::marker::PhantomData;

use minimax::{Evaluation, Winner};
use nullwindow::game::{Game, Move};
use nullwindow::search::core::policy::Evaluate;

/// The rules of a nullwindow game.
pub struct Rules<G>(PhantomData<G>);

impl<G: Game> minimax::Game for Rules<G> {
    type S = G;
    type M = Move;

    fn generate_moves(position: &G, moves: &mut Vec<Move>) -> Option<Winner> {
        let winner = Self::get_winner(position);
        if winner.is_none() {
            moves.extend(position.moves());
        }
        winner
    }

    fn apply(position: &mut G, m: Move) -> Option<G> {
        Some(position.play(m))
    }

    fn get_winner(position: &G) -> Option<Winner> {
        position.final_score().map(|score| match score.0 {
            0 => Winner::Draw,
            1.. => Winner::PlayerToMove,
            _ => Winner::PlayerJustMoved,
        })
    }

    fn zobrist_hash(position: &G) -> u64 {
        Game::hash(position)
    }

    fn table_index(m: Move) -> u16 {
        u16::from(m.square())
    }

    fn max_table_index() -> u16 {
        u16::from(u8::MAX)
    }
}

/// A nullwindow evaluation in its coarsest unit, the fastest for the crate's MTD(f).
pub struct Evaluator<G, E> {
    pub evaluator: E,
    pub unit: i32,
    pub game: PhantomData<G>,
}

impl<G: Game, E: Evaluate<G>> minimax::Evaluator for Evaluator<G, E> {
    type G = Rules<G>;

    fn evaluate(&self, position: &G) -> Evaluation {
        (self.evaluator.evaluate(position).0 / self.unit) as Evaluation
    }
}
