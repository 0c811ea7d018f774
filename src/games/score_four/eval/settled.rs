//! What is seen at one glance: a win in sight, of either side, and a forced reply. No evaluation is told while there is one.

use crate::game::score::Score;
use crate::games::score_four::bitboard::Board;

/// What a position without a finished line comes to at one glance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Settled {
    /// It is decided, with this score for the side to move.
    Score(Score),
    /// Every stone elsewhere than on this cell loses at once.
    Forced(u32),
    /// It is open.
    Quiet,
}

/// Looks for a win in sight, of either side, and for a forced reply.
#[inline(always)]
pub fn settled(board: &Board, stones: i32) -> Settled {
    let playable = board.playable();
    if board.own_wins & playable != 0 {
        return Settled::Score(-Score::lost_at(stones + 1));
    }
    let sensible = board.sensible(playable);
    if sensible == 0 {
        return Settled::Score(if playable == 0 { Score::ZERO } else { Score::lost_at(stones + 2) });
    }
    if sensible & (sensible - 1) == 0 { Settled::Forced(sensible.trailing_zeros()) } else { Settled::Quiet }
}
