//! Weights for tests.

use super::patterns::feature_count;
use super::weights::{HEADS, Head, LinearWeights, NetworkWeights, PLIES, UNITS, Weights};
use crate::game::rng::Rng;

/// Weights of either kind with random numbers in every tenth feature.
pub fn random_weights(seed: u64) -> [Weights; 2] {
    let mut rng = Rng::new(seed);
    let count = feature_count();
    let mut number = |reach: u64| rng.below(2 * reach + 1) as i16 - reach as i16;
    let anchors = vec![8, 30, 56];
    let constants = [0; PLIES].map(|_| number(300));
    let features = (0..3 * count).map(|_| number(200)).collect();
    let linear = LinearWeights { anchors, constants, features };
    let heads = [Head::default(); HEADS]
        .map(|_| Head { biases: [0; UNITS].map(|_| number(250)), outputs: [0; UNITS].map(|_| number(500)) });
    let features = (0..count)
        .map(|feature| if feature % 10 == 0 { [0; UNITS].map(|_| number(127) as i8) } else { [0; UNITS] })
        .collect();
    [Weights::Linear(linear), Weights::Network(Box::new(NetworkWeights { constants, heads, features }))]
}
