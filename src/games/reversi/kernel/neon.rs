//! The accumulator in NEON registers; used by the portable kernels on AArch64, where NEON is
//! always present.

#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::{FeatureWeights, NEURONS, OFFSET};

/// Eight 16-bit sums to a register: those of even bytes, then those of odd ones.
pub type NeonSums = [[uint16x8_t; REGISTERS]; 2];

/// Registers of sixteen bytes in a row of weights.
const REGISTERS: usize = NEURONS / 16;

/// The accumulator of no feature.
// SAFETY: same size, every bit pattern is valid.
pub const EMPTY: NeonSums = unsafe { std::mem::transmute([0_u16; NEURONS]) };

/// Adds the weights of four features.
#[inline(always)]
pub fn accumulate([mut even, mut odd]: NeonSums, weights: [&FeatureWeights; 4]) -> NeonSums {
    for part in 0..REGISTERS {
        // SAFETY: the target has NEON; the weights fill the registers.
        unsafe {
            let [a, b, c, d] =
                weights.map(|FeatureWeights(weights)| vld1q_u8(weights.as_ptr().add(16 * part)));
            // no byte overflows
            let sum = vreinterpretq_u16_u8(vaddq_u8(vaddq_u8(a, b), vaddq_u8(c, d)));
            even[part] = vaddq_u16(even[part], vandq_u16(sum, vdupq_n_u16(0xff)));
            odd[part] = vsraq_n_u16::<8>(odd[part], sum);
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
