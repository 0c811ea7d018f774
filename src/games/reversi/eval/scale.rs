//! The units of evaluations and the phase of the game.

use super::weights::PLIES;
use crate::game::Game;
use crate::games::reversi::Othello;

/// A disc, in score units.
pub const DISC: i32 = 100;
/// Values are clamped to this many discs: below every wipe-out.
pub const LIMIT: i32 = 63;
/// A disc, in the units of the learned weights.
pub const UNIT: i32 = 128;

/// The number of plies played before a position, passes not counted.
#[inline(always)]
pub fn ply(position: &Othello) -> usize {
    (position.stones() as usize)
        .saturating_sub(4)
        .min(PLIES - 1)
}
