//! Conversion of scores to those that protocols print.

use crate::game::score::Score;
use crate::games::any::AnyGame;

/// A score as protocols print it for this root, in centipoints.
pub fn seen_from(score: Score, root: &AnyGame) -> i32 {
    score.seen_from(root.stones()).0
}
