//! Immediate wins, immediate losses and forced replies. Only positions without them are evaluated.

use crate::game::score::Score;
use crate::games::score_four::bitboard::Bitboards;

/// The tactical state of a position without a complete line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tactics {
    /// Decided within two plies, with this score for the side to move.
    Decided(Score),
    /// Every move except the one on this cell loses immediately.
    Forced(u32),
    /// Neither.
    Quiet,
}

/// The tactical state of a board with `stones` stones.
#[inline(always)]
pub fn tactics(board: &Bitboards, stones: i32) -> Tactics {
    let playable = board.playable();
    if board.own_threats & playable != 0 {
        return Tactics::Decided(-Score::lost_at(stones + 1));
    }
    let moves = board.non_losing(playable);
    if moves == 0 {
        return Tactics::Decided(if playable == 0 {
            Score::ZERO
        } else {
            Score::lost_at(stones + 2)
        });
    }
    if moves & (moves - 1) == 0 {
        Tactics::Forced(moves.trailing_zeros())
    } else {
        Tactics::Quiet
    }
}
