//! Weights for tests.

use super::board_features::BOARD_FEATURES;
use super::patterns::feature_count;
use super::weights::{NEURONS, OUTPUT_BUCKETS, OthelloWeights, OutputBucket, PLIES};
use crate::game::rng::Rng;

/// Weights with random numbers in every tenth feature.
pub fn random_weights(seed: u64) -> OthelloWeights {
    let mut rng = Rng::new(seed);
    let count = feature_count();
    let mut number = |reach: u64| rng.below(2 * reach + 1) as i16 - reach as i16;
    let ply_biases = [0; PLIES].map(|_| number(300));
    let buckets = [OutputBucket::default(); OUTPUT_BUCKETS].map(|_| OutputBucket {
        biases: [0; NEURONS].map(|_| number(250)),
        outputs: [0; NEURONS].map(|_| number(500)),
    });
    let board = Box::new([[0; NEURONS]; BOARD_FEATURES].map(|row| row.map(|_: i16| number(200))));
    let features = (0..count)
        .map(|feature| if feature % 10 == 0 { [0; NEURONS].map(|_| number(31) as i8) } else { [0; NEURONS] })
        .collect();
    OthelloWeights { ply_biases, buckets, board, features }
}
