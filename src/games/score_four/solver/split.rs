//! A split point of the solver: a node whose last moves are searched by several threads
//! ([`crate::search::core::parallel`]).
//!
//! The score of a move at the split point: the plies in which a defender's move loses, 0 for an
//! attacker's that does not win, and more than [`CUTOFF`] for a cutoff, the sooner the win the
//! higher.

use std::ops::Deref;

use super::ordering::History;
use super::proof::{NO, Question};
use super::shape::Equivalence;
use super::table::ProofTable;
use crate::game::score::Score;
use crate::search::core::parallel::split_point::{SplitPoint, SplitRef};

/// Scores of at least this are cutoffs.
const CUTOFF: i32 = 128;

/// A split point with the data that is needed to search its moves.
pub struct ProofSplit {
    /// The state that owner and helpers share.
    pub point: SplitRef,
    /// The cells of the moves and the children, in order.
    pub moves: Vec<(u8, Question)>,
    attack: bool,
    left: u8,
    /// The owner's table, equivalence and history.
    state: (ProofTable, Equivalence, History),
}

impl Deref for ProofSplit {
    type Target = SplitPoint;

    fn deref(&self) -> &SplitPoint {
        &self.point
    }
}

impl ProofSplit {
    /// A split point after moves that did not cause a cutoff; `longest`: a defender's longest loss
    /// by them.
    pub fn new(
        parent: Option<SplitRef>,
        question: &Question,
        moves: Vec<(u8, Question)>,
        longest: u8,
        state: (ProofTable, Equivalence, History),
    ) -> ProofSplit {
        let Question { attack, left, .. } = *question;
        let point = SplitPoint::new(
            parent,
            left,
            moves.len(),
            Score(longest.into()),
            Score(CUTOFF),
        );
        ProofSplit {
            point: SplitRef::new(point),
            moves,
            attack,
            left,
            state,
        }
    }

    /// The owner's state for a helper.
    pub fn state(&self) -> (ProofTable, Equivalence, History) {
        self.state.clone()
    }

    /// Reports the answer of a move.
    pub fn report(&self, index: usize, answer: u8) {
        let found = i32::from(answer + self.left - self.moves[index].1.left);
        let score = match (answer != NO) == self.attack {
            true => 2 * CUTOFF - found,
            false if self.attack => 0,
            false => found,
        };
        self.point.report(index, Score(score));
    }

    /// The plies of the cutoff and its cell; without a cutoff, of a defender, the longest loss.
    pub fn result(&self) -> (u8, Option<u8>) {
        match self.point.best() {
            (Score(score), Some(index)) if score >= CUTOFF => {
                ((2 * CUTOFF - score) as u8, Some(self.moves[index].0))
            }
            (Score(score), _) => (score as u8, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::score_four::bitboard::Bitboards;
    use crate::games::score_four::solver::shape::ShapeKey;
    use crate::games::score_four::solver::table::NO_MOVE;

    fn split(attack: bool, longest: u8) -> ProofSplit {
        let question = |left| Question::new(Bitboards::new(0, 0), attack, left);
        let moves = vec![(4, question(19)), (9, question(17)), (6, question(19))];
        let equivalence = Equivalence {
            spare_moves: true,
            symmetries: 0,
            symmetric_until: 0,
        };
        ProofSplit::new(
            None,
            &question(20),
            moves,
            longest,
            (ProofTable::smallest(), equivalence, [[0; 64]; 2]),
        )
    }

    #[test]
    fn an_attacker_is_cut_off_by_the_soonest_win() {
        let split = split(true, 0);
        split.report(0, NO);
        assert_eq!(split.result(), (0, None));
        split.report(1, 8);
        split.report(2, 8);
        assert_eq!(
            split.result(),
            (9, Some(6)),
            "nine plies from the node, eight and three forced ones by the other"
        );
        assert_eq!(split.point.take(), None);
        let nothing = split.state().0.probe(ShapeKey::default());
        assert_eq!(nothing.defence.best, NO_MOVE);
    }

    #[test]
    fn a_defender_loses_as_late_as_possible_or_holds() {
        let split = split(false, 5);
        split.report(0, 2);
        assert_eq!(split.result(), (5, None));
        split.report(1, 8);
        assert_eq!(split.result(), (11, None));
        split.report(2, NO);
        assert_eq!(split.result().1, Some(6));
    }
}
