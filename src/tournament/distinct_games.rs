//! Counts the distinct games of a match: deterministic engines repeat a game when its opening repeats.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::game_record::GameRecord;

/// The number of distinct games in bounded memory: exact up to [`KEPT_HASHES`], then estimated to 0.2 % from the
/// smallest hashes (Z. Bar-Yossef et al., "Counting distinct elements in a data stream"). Independent of their order.
#[derive(Clone, Debug, Default)]
pub struct DistinctGames {
    smallest: BTreeSet<u64>,
}

/// About 4 MB.
const KEPT_HASHES: usize = 1 << 18;

impl DistinctGames {
    /// Adds a game: its players, start and moves.
    pub fn add(&mut self, record: &GameRecord) {
        let mut hasher = DefaultHasher::new();
        (&record.p1, &record.p2, &record.start).hash(&mut hasher);
        record.moves.iter().for_each(|played| played.word.hash(&mut hasher));
        self.insert(hasher.finish());
    }

    fn insert(&mut self, hash: u64) {
        self.smallest.insert(hash);
        if self.smallest.len() > KEPT_HASHES {
            self.smallest.pop_last();
        }
    }

    /// The number of distinct games.
    pub fn count(&self) -> u64 {
        match self.smallest.last() {
            Some(&last) if self.smallest.len() == KEPT_HASHES => {
                (KEPT_HASHES as f64 / (last as f64 / 2f64.powi(64))).round() as u64
            }
            _ => self.smallest.len() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rng::Rng;

    #[test]
    fn many_games_are_estimated_in_bounded_memory() {
        let mut many = DistinctGames::default();
        let mut rng = Rng::new(1);
        let hashes: Vec<u64> = (0..1_000_000).map(|_| rng.next_u64()).collect();
        for hash in hashes.iter().chain(&hashes) {
            many.insert(*hash);
        }
        assert!(many.smallest.len() == KEPT_HASHES && many.count().abs_diff(1_000_000) < 10_000, "{}", many.count());
    }
}
