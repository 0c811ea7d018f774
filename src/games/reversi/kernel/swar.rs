//! The accumulator in 64-bit words of four 16-bit lanes (SWAR), for processors without a SIMD
//! kernel.

use super::{FeatureWeights, NEURONS, OFFSET};

/// Words of eight bytes in a row of weights.
const WORDS: usize = NEURONS / 8;

/// The sums of even bytes, then those of odd ones.
pub type WordSums = [[u64; WORDS]; 2];

/// The accumulator of no feature.
pub const EMPTY: WordSums = [[0; WORDS]; 2];

/// The lower byte of each 16-bit lane.
const LOWER: u64 = 0x00ff_00ff_00ff_00ff;

/// Adds the weights of four features.
#[inline(always)]
pub fn accumulate(mut accumulator: WordSums, weights: [&FeatureWeights; 4]) -> WordSums {
    let rows = weights.map(|FeatureWeights(weights)| weights.as_chunks::<8>().0);
    for word in 0..WORDS {
        // No byte of the sum overflows.
        let sum: u64 = rows.iter().map(|row| u64::from_le_bytes(row[word])).sum();
        accumulator[0][word] += sum & LOWER;
        accumulator[1][word] += (sum >> 8) & LOWER;
    }
    accumulator
}

/// The sums of `count` features.
#[inline(always)]
pub fn sums(accumulator: WordSums, count: usize) -> [i16; NEURONS] {
    let mut sums = [0; NEURONS];
    for (neuron, sum) in sums.iter_mut().enumerate() {
        let (half, lane) = (neuron / (NEURONS / 2), neuron % (NEURONS / 2));
        let raised = (accumulator[half][lane / 4] >> (16 * (lane % 4))) as u16;
        *sum = (i32::from(raised) - i32::from(OFFSET) * count as i32) as i16;
    }
    sums
}
