//! Solves leaves: whether the value of a position for the side to move is at least a bound.
//!
//! A null-window search answers one bit: a side reaches a bound if some move leads to a position in
//! which the opponent does not reach the opposite bound. Moves that leave the opponent few replies
//! are searched first, and a small table finds transpositions.

use crate::rules::{Game, Position, Scoring, flips, placed, squares};

/// Positions with fewer empties are searched without move ordering and table.
const ORDERED: u32 = 6;
/// Entries of the table, as a power of two.
const BITS: u32 = 14;
const CORNERS: u64 = 1 | 1 << 7 | 1 << 56 | 1 << 63;

/// A solver with its table, for one thread.
pub struct LeafSolver {
    game: &'static Game,
    /// Positions with a bound, and whether the side to move reaches it.
    table: Vec<(Position, i32, bool)>,
}

impl LeafSolver {
    pub fn new(game: &'static Game) -> LeafSolver {
        let nowhere = Position { own: 0, other: 0 };
        LeafSolver {
            game,
            table: vec![(nowhere, i32::MAX, false); 1 << BITS],
        }
    }

    /// Whether the value is at least `bound`.
    pub fn reaches(&mut self, position: Position, bound: i32) -> bool {
        let game = self.game;
        let empty = game.empty(position);
        if game.scoring == Scoring::Line {
            return match game.outcome(position) {
                Some(value) => value >= bound,
                None => squares(empty).any(|m| !self.reaches(game.play(position, m), 1 - bound)),
            };
        }
        if empty.count_ones() < ORDERED {
            return self.reaches_near_the_end(position, empty, bound, false);
        }
        let index = index(position, bound);
        let (known, known_bound, reached) = self.table[index];
        if known == position && known_bound == bound {
            return reached;
        }
        let moves = game.moves(position);
        let reached = if moves == 0 {
            match game.outcome(position) {
                Some(value) => value >= bound,
                None => !self.reaches(position.passed(), 1 - bound),
            }
        } else {
            let mut children = [(0, position); 64];
            let count = moves.count_ones() as usize;
            for (child, square) in children.iter_mut().zip(squares(moves)) {
                child.1 = placed(position, square, flips(position, square));
                let replies = game.moves(child.1);
                child.0 = replies.count_ones() + (replies & CORNERS).count_ones();
            }
            children[..count].sort_unstable_by_key(|&(replies, _)| replies);
            let mut children = children[..count].iter();
            children.any(|&(_, child)| !self.reaches(child, 1 - bound))
        };
        self.table[index] = (position, bound, reached);
        reached
    }

    /// [`LeafSolver::reaches`] with few empty squares, which are all tried.
    fn reaches_near_the_end(
        &self,
        position: Position,
        empty: u64,
        bound: i32,
        passed: bool,
    ) -> bool {
        let mut must_pass = true;
        for square in squares(empty) {
            let flips = flips(position, square);
            if flips != 0 {
                must_pass = false;
                let child = placed(position, square, flips);
                if !self.reaches_near_the_end(child, empty & !(1 << square), 1 - bound, false) {
                    return true;
                }
            }
        }
        if !must_pass {
            false
        } else if passed || empty == 0 {
            self.game.count(position) >= bound
        } else {
            !self.reaches_near_the_end(position.passed(), empty, 1 - bound, true)
        }
    }
}

fn index(Position { own, other }: Position, bound: i32) -> usize {
    let mixed = (own ^ bound as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed.rotate_left(29) ^ other).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed >> (64 - BITS)) as usize
}
