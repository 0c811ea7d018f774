//! The interface between the Reversi policy and its evaluations.

use std::ops::Range;

use crate::game::score::Score;
use crate::games::reversi::endgame::middle::MIDDLE;
use crate::games::reversi::kernel::Kernels;
use crate::games::reversi::{Reversi, Shape};
use crate::search::core::policy::{Evaluate, SolvingCost};
use crate::search::levels;
use crate::search::prob_cut::ProbCut;

/// Penalties of move ordering, in score units.
#[derive(Clone, Copy)]
pub struct OrderingPenalties {
    /// Per legal move of the opponent; one into a corner counts twice.
    pub mobility: i32,
    /// Per empty square beside a disc of the mover's.
    pub potential_mobility: i32,
}

/// An evaluation by kernels (its values are those of [`Evaluate::score`]), with its parameters of
/// move ordering, selective search and time management.
pub trait ReversiEvaluator<S: Shape>: Evaluate<Reversi<S>> {
    /// The cost of solving with moves ordered by this evaluation.
    const SOLVING_COST: SolvingCost;
    /// Whether moves are sorted by mobility before the shallow search that ranks them: the margin
    /// to the best then prunes more.
    const PRESORTED: bool = false;

    /// The selectivity level of searches that do not reach the end of the game, unless another one is
    /// requested: full width if its statistical cuts do not pay there.
    const MIDGAME_LEVEL: u8 = levels::DEFAULT.number;

    /// The value of a position that is not finished, from its data.
    fn score_on<K: Kernels>(&self, kernel: K, position: &Reversi<S>, data: Self::Data) -> Score;

    /// Its ProbCut model; `None`: search at full width only.
    fn prob_cut(&self) -> Option<&'static ProbCut> {
        None
    }

    /// The penalties subtracted from the value in move ordering at a node with this many empties;
    /// `to_end`: the search reaches the end of the game.
    fn ordering(empties: u8, to_end: bool) -> OrderingPenalties;

    /// The numbers of empties at which [`Self::shallow_depth`] depends on the margin.
    const WITH_MARGIN: Range<u8> = 0..0;

    /// The depth of the shallow search that orders moves at a node with this many empties where the
    /// search reaches the end of the game; 0: the static value alone. `margin`: how far the node's
    /// static value is from its null window, in discs; 0 in an open window.
    fn shallow_depth(empties: u8, margin: i32) -> u8;

    /// The most empties that the endgame kernel, which orders moves without the evaluation,
    /// searches in an exact search from a root with this many empties.
    #[inline(always)]
    fn kernel_empties(_root_empties: u8) -> u8 {
        MIDDLE
    }

    /// The least margin (see [`Self::shallow_depth`]) at which the kernel also searches positions
    /// with more than [`Self::kernel_empties`] empties, 16 at most; `None`: never.
    #[inline(always)]
    fn kernel_margin(_empties: u8) -> Option<i32> {
        None
    }
}
