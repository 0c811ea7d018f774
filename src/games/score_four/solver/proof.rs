//! Proofs without search: immediate wins, forced sequences, claimeven, lines that can no longer be
//! completed, zugzwang.

use super::claimeven::{Claimeven, claimeven_proves};
use super::shape::{Equivalence, ShapeKey, shape};
use super::table::{NEVER, ProofEntry};
use crate::games::score_four::bitboard::{Bitboards, Side};

/// The answer that the attacker does not win within the given plies. Any other answer is the plies
/// within which it wins. Static proofs return `None` if they prove nothing.
pub const NO: u8 = 0;

/// A question: does the attacker win within the plies left?
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// The position.
    pub board: Bitboards,
    /// Whether the attacker is to move.
    pub attack: bool,
    /// The plies left.
    pub left: u8,
    /// The table key; set by [`Question::prove`].
    pub key: ShapeKey,
    /// The moves to search, at least two where nothing is proven; set by [`Question::prove`].
    pub moves: u64,
}

impl Question {
    /// A question without key and moves.
    #[inline(always)]
    pub const fn new(board: Bitboards, attack: bool, left: u8) -> Question {
        Question {
            board,
            attack,
            left,
            key: ShapeKey { place: 0, check: 0 },
            moves: 0,
        }
    }

    /// The attacker and the defender.
    #[inline(always)]
    pub const fn sides(&self) -> (Side, Side) {
        let board = &self.board;
        let own = Side {
            stones: board.own,
            threats: board.own_threats,
        };
        let other = Side {
            stones: board.other,
            threats: board.other_threats,
        };
        if self.attack {
            (own, other)
        } else {
            (other, own)
        }
    }

    #[inline(always)]
    fn play(&mut self, move_: u64) {
        *self = Question::new(
            self.board.play(move_.trailing_zeros()),
            !self.attack,
            self.left - 1,
        );
    }

    /// Plays forced moves until a side has an immediate win or a choice, and counts the positions.
    /// Without an answer, at least two moves do not lose immediately.
    #[inline(always)]
    pub fn play_forced(&mut self, nodes: &mut u64) -> Option<u8> {
        loop {
            *nodes += 1;
            let playable = self.board.playable();
            if self.board.own_threats & playable != 0 {
                return Some(if self.attack && self.left > 0 { 1 } else { NO });
            }
            if playable == 0 || self.left < 2 {
                return Some(NO);
            }
            let moves = self.board.non_losing(playable);
            if moves == 0 {
                return Some(if self.attack { NO } else { 2 });
            }
            if self.left < 3 || !self.attack && self.left < 4 {
                return Some(NO);
            }
            if moves & (moves - 1) != 0 {
                return None;
            }
            self.play(moves);
        }
    }

    /// Static proofs, after [`Question::play_forced`] has proven nothing. Sets the key and the
    /// moves.
    #[inline(always)]
    pub fn prove(&mut self, equivalence: Equivalence) -> Option<u8> {
        let board = &self.board;
        // 1. Claimeven. A win by it may take all cells that are left.
        let cells = 64 - board.stones() as u8;
        let (attacker, defender) = self.sides();
        if claimeven_proves(Claimeven::Holds, attacker.stones, defender, !self.attack) {
            return Some(NO);
        }
        if !self.attack
            && self.left >= cells
            && claimeven_proves(Claimeven::Wins, defender.stones, attacker, false)
        {
            return Some(cells);
        }
        // 2. The attacker can no longer complete a line.
        let shape = shape(board, equivalence);
        if !(if self.attack {
            shape.own_can_win
        } else {
            shape.other_can_win
        }) {
            return Some(NO);
        }
        // 3. Zugzwang: every move left is below a threat of the other side.
        let moves = shape.moves & !(board.other_threats >> 16) | shape.spare;
        if moves == 0 {
            let holds = self.attack || shape.moves == 0;
            return Some(if holds { NO } else { cells });
        }
        (self.key, self.moves) = (shape.key, moves);
        None
    }

    /// [`Question::prove`], repeated after each forced move until there is a choice or an answer.
    #[inline(always)]
    pub fn resolve(&mut self, equivalence: Equivalence, nodes: &mut u64) -> Option<u8> {
        loop {
            match self.prove(equivalence) {
                None if self.moves & (self.moves - 1) == 0 => self.play(self.moves),
                answer => return answer,
            }
            if let Some(answer) = self.play_forced(nodes) {
                return Some(answer);
            }
        }
    }
}

/// The answer that an entry proves.
#[inline(always)]
pub fn proven(entry: &ProofEntry, question: &Question) -> Option<u8> {
    let (proof, opposite) = entry.of(question.attack);
    if proof.wins_in <= question.left {
        Some(proof.wins_in)
    } else if proof.no_win_in >= question.left || opposite.wins_in < NEVER {
        Some(NO)
    } else {
        None
    }
}
