//! Helpers for the tests of this folder.

use super::score_sample::{Pentanomial, ScoreSample, Trinomial};

/// A sample of single games.
pub fn games(wins: u64, losses: u64, draws: u64) -> ScoreSample {
    Trinomial {
        wins,
        losses,
        draws,
    }
    .sample()
}

/// A sample of pairs of games.
pub fn pairs(counts: [u64; 6]) -> ScoreSample {
    Pentanomial::from_counts(counts).sample()
}

/// Asserts equality to two decimals.
#[track_caller]
pub fn near(value: f64, printed: f64) {
    assert!(
        (value - printed).abs() <= 0.005_000_1,
        "{value} is not {printed}"
    );
}
