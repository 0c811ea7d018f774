//! Reversi boards by mobility and corners: enough to order moves and to play a decent game.
//!
//! A move more than the opponent counts one disc, a corner seven; Othello, which has room for them, adds the empty squares
//! next to the opponent's discs (moves to come). Whole discs only: MTD(f) pays for every needless step.

use crate::games::reversi::{Reversi, Shape};
use crate::score::Score;
use crate::search::policy::Evaluate;

/// A disc, in score units.
const DISC: i32 = 100;
/// What a corner is worth, in discs.
const CORNER: i32 = 7;
/// Evaluations stay within this many discs: below every wipe-out.
const LIMIT: i32 = 63;

/// Squares that can never be turned: on each of the four lines through them one neighbour is missing.
const fn corners(squares: u64) -> u64 {
    const WEST: u64 = 0xfefe_fefe_fefe_fefe; // not column a: what may come from a shift towards higher columns
    const EAST: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let across = (squares << 1 & WEST) & (squares >> 1 & EAST);
    let down = (squares << 8) & (squares >> 8);
    let falling = (squares << 9 & WEST) & (squares >> 9 & EAST);
    let rising = (squares << 7 & EAST) & (squares >> 7 & WEST);
    squares & !(across | down | falling | rising)
}

/// All neighbours of a set of squares.
pub const fn neighbours(set: u64) -> u64 {
    let beside = (set << 1 & 0xfefe_fefe_fefe_fefe) | (set >> 1 & 0x7f7f_7f7f_7f7f_7f7f);
    let row = set | beside;
    beside | row << 8 | row >> 8
}

#[inline(always)]
fn balance(own: u64, other: u64) -> i32 {
    own.count_ones() as i32 - other.count_ones() as i32
}

#[inline(always)]
fn clamped(discs: i32) -> Score {
    Score(DISC * discs.clamp(-LIMIT, LIMIT))
}

/// The evaluation by mobility and corners.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Mobility;

impl<S: Shape> Evaluate<Reversi<S>> for Mobility {
    type Data = ();
    const GRAIN: i32 = DISC;

    #[inline(always)]
    fn fresh(&self, _position: &Reversi<S>) {}

    #[inline(always)]
    fn score(&self, position: &Reversi<S>, _data: ()) -> Score {
        let (own, other) = (position.player, position.opponent);
        let corners = const { corners(S::SQUARES) };
        let moves = balance(S::legal(own, other), S::legal(other, own));
        let empty = position.empty();
        let room = const { S::SQUARES == u64::MAX };
        let moves_to_come = if room { balance(neighbours(other) & empty, neighbours(own) & empty) / 2 } else { 0 };
        clamped(moves + moves_to_come + CORNER * balance(own & corners, other & corners))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::reversi::{DiamondCrossed, Shape};

    #[test]
    fn corners_are_the_squares_that_never_turn() {
        assert_eq!(corners(!0), 1 | 1 << 7 | 1 << 56 | 1 << 63);
        // The diamond has eight: both ends of its first and last rows and of its middle rows.
        assert_eq!(corners(DiamondCrossed::SQUARES).count_ones(), 8);
        assert_eq!(neighbours(1), 1 << 1 | 1 << 8 | 1 << 9);
    }
}
