//! The accumulator in four NEON registers; used by the portable kernels on AArch64, where NEON is
//! always present.

#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::{FeatureWeights, NEURONS, OFFSET};

/// Eight 16-bit sums to a register: those of even bytes, then those of odd ones.
pub type NeonSums = [[uint16x8_t; 2]; 2];

/// The accumulator of no feature.
// SAFETY: same size, every bit pattern is valid.
pub const EMPTY: NeonSums = unsafe { std::mem::transmute([0_u16; NEURONS]) };

/// Adds the weights of four features.
#[inline(always)]
pub fn accumulate([mut even, mut odd]: NeonSums, weights: [&FeatureWeights; 4]) -> NeonSums {
    for half in 0..2 {
        // SAFETY: the target has NEON; the weights are 32 bytes.
        unsafe {
            let [a, b, c, d] =
                weights.map(|FeatureWeights(weights)| vld1q_u8(weights.as_ptr().add(16 * half)));
            // no byte overflows
            let sum = vreinterpretq_u16_u8(vaddq_u8(vaddq_u8(a, b), vaddq_u8(c, d)));
            even[half] = vaddq_u16(even[half], vandq_u16(sum, vdupq_n_u16(0xff)));
            odd[half] = vsraq_n_u16::<8>(odd[half], sum);
        }
    }
    [even, odd]
}

/// The sums of `count` features.
#[inline(always)]
pub fn sums(accumulator: NeonSums, count: usize) -> [i16; NEURONS] {
    // SAFETY: same size, every bit pattern is valid.
    let sums: [i16; NEURONS] = unsafe { std::mem::transmute(accumulator) };
    sums.map(|sum| sum - i16::from(OFFSET) * count as i16)
}
