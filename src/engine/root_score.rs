//! Conversion of scores to those that protocols print.

use crate::game::Notation;
use crate::game::score::Score;
use crate::games::any::{AnyGame, AnyPosition, Visitor};

/// A score as protocols print it for this root, in centipoints.
pub fn seen_from(score: Score, root: &dyn AnyGame) -> i32 {
    score.seen_from(plies_played(root.position())).0
}

fn plies_played(position: AnyPosition) -> i32 {
    struct PliesPlayed;
    impl Visitor for PliesPlayed {
        type Output = i32;
        fn visit<G: Notation>(self, position: &G) -> i32 {
            position.stones()
        }
    }
    position.visit(PliesPlayed)
}
