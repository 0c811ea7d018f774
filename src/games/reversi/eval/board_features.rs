//! Features of the whole board beside the patterns: the mobility of both sides, and corner moves
//! with parity.
//!
//! Their weights add to the network's hidden neurons like those of a pattern. Mobility is the count
//! of legal moves; parity is the number of quadrants with an odd number of empties.

use crate::games::reversi::kernel::Kernels;
use crate::games::reversi::{Eight, Othello, Shape};

/// Number of features of a position.
pub const BOARD_INSTANCES: usize = 3;
/// Number of all features: the move counts of either side, and all states of corners and parity.
pub const BOARD_FEATURES: usize = 2 * COUNTS + CORNER_STATES;
/// The names of a position's features, for display.
pub const BOARD_FEATURE_NAMES: [&str; BOARD_INSTANCES] = ["moves", "opp. moves", "corners"];

/// Counts of moves; greater ones are clamped.
const COUNTS: usize = 32;
/// Number of distinct counts of corner moves of a side: 0 to 3.
const CORNER_MOVES: usize = 4;
/// Corner moves of both sides for each number of odd quadrants.
const CORNER_STATES: usize = 5 * CORNER_MOVES * CORNER_MOVES;

/// The features of a position, as rows of the weights.
#[inline(always)]
pub fn board_features<K: Kernels>(kernel: K, position: &Othello) -> [usize; BOARD_INSTANCES] {
    let own = kernel.legal(position.player, position.opponent);
    let other = kernel.legal(position.opponent, position.player);
    let count = |moves: u64| (moves.count_ones() as usize).min(COUNTS - 1);
    let corners =
        |moves: u64| ((moves & Eight::CORNERS).count_ones() as usize).min(CORNER_MOVES - 1);
    let state = (count_odd_quadrants(position.empty()) * CORNER_MOVES + corners(own))
        * CORNER_MOVES
        + corners(other);
    [count(own), COUNTS + count(other), 2 * COUNTS + state]
}

/// The number of quadrants that have an odd number of these squares.
#[inline(always)]
const fn count_odd_quadrants(mut squares: u64) -> usize {
    squares ^= squares >> 1;
    squares ^= squares >> 2;
    squares ^= squares >> 8;
    squares ^= squares >> 16;
    (squares & 0x0000_0011_0000_0011).count_ones() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::game::rng::Rng;
    use crate::game::squares;
    use crate::search::core::isa::Portable;

    #[test]
    fn quadrants_are_counted_one_by_one() {
        let mut rng = Rng::new(3);
        for _ in 0..200 {
            let set = rng.next_u64() & rng.next_u64();
            let quadrant = |square: u8| usize::from(square % 8 / 4 + square / 32 * 2);
            let mut counts = [0; 4];
            squares(set).for_each(|square| counts[quadrant(square)] += 1);
            assert_eq!(
                count_odd_quadrants(set),
                counts.iter().filter(|&&count| count % 2 == 1).count()
            );
        }
    }

    #[test]
    fn moves_are_those_of_the_rules() {
        let mut rng = Rng::new(5);
        let mut position = Othello::start();
        while let Some(&m) = rng.choose(&position.moves()) {
            let count =
                |position: &Othello| position.moves().iter().filter(|m| !m.is_pass()).count();
            let [own, other, corners] = board_features(Portable::token(), &position);
            assert_eq!(
                (own, other),
                (count(&position), COUNTS + count(&position.passed()))
            );
            assert!((2 * COUNTS..BOARD_FEATURES).contains(&corners));
            position = position.play(m);
        }
    }
}
