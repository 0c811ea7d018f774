//! The accumulator in words: four 16-bit lanes each, for processors without a kernel of their own.

use super::FeatureWeights;

/// The weights of even places, then those of odd ones.
pub type WordSums = [[u64; 2]; 2];

/// The accumulator of no feature.
pub const EMPTY: WordSums = [[0; 2]; 2];

/// Maps -128..=127 to 0..=255, so that sums never borrow from a neighbouring lane.
const BIAS: u64 = 0x8080_8080_8080_8080;
/// The lower byte of each 16-bit lane.
const LOWER: u64 = 0x00ff_00ff_00ff_00ff;

/// Adds the weights of a feature.
#[inline(always)]
pub fn accumulate(mut accumulator: WordSums, weights: &FeatureWeights) -> WordSums {
    let (halves, _) = weights.0.as_chunks::<8>();
    for half in 0..2 {
        let mut word = BIAS;
        for (lane, &weight) in halves[half].iter().enumerate() {
            word ^= u64::from(weight as u8) << (8 * lane); // one load: the compiler merges the eight
        }
        accumulator[0][half] += word & LOWER;
        accumulator[1][half] += (word >> 8) & LOWER;
    }
    accumulator
}

/// The sums of `count` features.
#[inline(always)]
pub fn sums(accumulator: WordSums, count: usize) -> [i16; 16] {
    let mut sums = [0; 16];
    for (neuron, sum) in sums.iter_mut().enumerate() {
        let lane = (accumulator[neuron % 2][neuron / 8] >> (16 * (neuron % 8 / 2))) as u16;
        *sum = (i32::from(lane) - 128 * count as i32) as i16;
    }
    sums
}
