//! Weights for tests.

use super::board_features::BOARD_FEATURES;
use super::patterns::feature_count;
use super::weights::{LinearWeights, NEURONS, NetworkWeights, OUTPUT_BUCKETS, OthelloWeights, OutputBucket, PLIES};
use crate::game::rng::Rng;

/// Weights of either kind with random numbers in every tenth feature.
pub fn random_weights(seed: u64) -> [OthelloWeights; 2] {
    let mut rng = Rng::new(seed);
    let count = feature_count();
    let mut number = |reach: u64| rng.below(2 * reach + 1) as i16 - reach as i16;
    let anchors = vec![8, 30, 56];
    let ply_biases = [0; PLIES].map(|_| number(300));
    let features = (0..3 * count).map(|_| number(200)).collect();
    let linear = LinearWeights { anchors, ply_biases, features };
    let buckets = [OutputBucket::default(); OUTPUT_BUCKETS].map(|_| OutputBucket {
        biases: [0; NEURONS].map(|_| number(250)),
        outputs: [0; NEURONS].map(|_| number(500)),
    });
    let board = Box::new([[0; NEURONS]; BOARD_FEATURES].map(|row| row.map(|_: i16| number(200))));
    let features = (0..count)
        .map(|feature| if feature % 10 == 0 { [0; NEURONS].map(|_| number(31) as i8) } else { [0; NEURONS] })
        .collect();
    [
        OthelloWeights::Linear(linear),
        OthelloWeights::Network(Box::new(NetworkWeights { ply_biases, buckets, board, features })),
    ]
}
