//! The interface of a self-play player, and its iterative deepening.

use super::game_file::{PositionRecord, RecordedGame};

/// Plays both sides of self-play games.
pub trait SelfPlayer {
    /// The game.
    type Game: RecordedGame;

    /// Plays game `number` of a seed. Returns the records of the searched positions, and the nodes of search and
    /// solver.
    fn play_game(&mut self, seed: u64, number: u64) -> (Vec<PositionRecord<Self::Game>>, [u64; 2]);
}

/// The depths of iterative deepening: one shallow iteration for move ordering and the first guess, then the full depth.
pub fn iteration_depths(depth: u8) -> impl Iterator<Item = u8> {
    let first = if depth > 3 { depth - 2 } else { 1 };
    (first..=depth).step_by(if depth > 3 { 2 } else { usize::from(depth.max(2)) - 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_iteration_has_the_full_depth() {
        for depth in 1..9 {
            assert_eq!(iteration_depths(depth).last(), Some(depth));
        }
    }
}
