//! The accumulator in two registers of NEON, which every AArch64 processor has: the portable kernels use it there.

#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::FeatureWeights;

/// Eight 16-bit sums to a register.
pub type NeonSums = [int16x8_t; 2];

/// The accumulator of no feature.
// SAFETY: same size, every bit pattern is valid.
pub const EMPTY: NeonSums = unsafe { std::mem::transmute([0_i16; 16]) };

/// Adds the weights of a feature.
#[inline(always)]
pub fn accumulate([low, high]: NeonSums, weights: &FeatureWeights) -> NeonSums {
    // SAFETY: the target has NEON; the weights are 16 bytes.
    unsafe {
        let weights = vld1q_s8(weights.0.as_ptr());
        [vaddw_s8(low, vget_low_s8(weights)), vaddw_high_s8(high, weights)]
    }
}

/// The sums of any number of features.
#[inline(always)]
pub fn sums(accumulator: NeonSums, _count: usize) -> [i16; 16] {
    // SAFETY: same size, every bit pattern is valid.
    unsafe { std::mem::transmute(accumulator) }
}
