//! Reversi's kernels for each ISA: legal moves, flips, the last flip, stable discs, accumulation of
//! feature weights.
//!
//! Positions are two words (player, opponent; bit `8 * row + column`, a1 = 0). A token of
//! [`Kernels`] proves that the processor has its ISA. All methods are inlined into multiversioned
//! code ([`crate::search::core::isa`]); outside of it they are correct but slow, so other code
//! calls them by [`Isa::call`], which `scripts/check-isa.sh` checks. The tests compare every ISA
//! with [`crate::games::reversi::bitboard`], and that with plain loops. Experiments:
//! measurements.md.

use crate::search::core::isa::Isa;

use super::Shape;

mod last_flip;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(not(target_arch = "aarch64"))]
mod swar;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Hidden neurons of the evaluation's network.
pub const NEURONS: usize = 64;

/// The maximum weight of a feature: the sum of four weights, each plus [`OFFSET`], fits a byte.
pub const MAX_WEIGHT: i8 = 31;
/// The offset added to each weight, so that bytes are not negative.
const OFFSET: u8 = 32;

/// The weights of a feature of the evaluation's network, one for each hidden neuron.
///
/// Byte `2 j` belongs to neuron `j` and byte `2 j + 1` to neuron `j + 32`, so that the 16-bit lanes
/// of sums are split into both by a shift.
#[repr(align(64))]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FeatureWeights([u8; NEURONS]);

impl FeatureWeights {
    /// No effect on any neuron.
    pub const ZERO: FeatureWeights = FeatureWeights([OFFSET; NEURONS]);

    /// Weights of at most [`MAX_WEIGHT`] by amount, neuron by neuron.
    pub fn new(weights: &[i8; NEURONS]) -> FeatureWeights {
        let mut raised = [0; NEURONS];
        // By index: pairs of iterators take ten times the instructions here. Wrapping: with a check of
        // each sum, the tests' build takes three times as long.
        for lane in 0..NEURONS / 2 {
            raised[2 * lane] = OFFSET.wrapping_add_signed(weights[lane]);
            raised[2 * lane + 1] = OFFSET.wrapping_add_signed(weights[NEURONS / 2 + lane]);
        }
        FeatureWeights(raised)
    }

    /// The weights, neuron by neuron.
    pub fn weights(&self) -> [i8; NEURONS] {
        std::array::from_fn(|neuron| {
            let (half, lane) = (neuron / (NEURONS / 2), neuron % (NEURONS / 2));
            self.0[2 * lane + half] as i8 - OFFSET as i8
        })
    }
}

/// The kernels of Reversi on an ISA.
pub trait Kernels: Isa {
    /// The sums of feature weights, in the registers that suit the ISA.
    type Accumulator: Copy;

    /// The accumulator of no feature.
    fn empty_accumulator(self) -> Self::Accumulator;

    /// Adds the weights of four features; up to 64 times.
    fn accumulate(
        self,
        accumulator: Self::Accumulator,
        weights: [&FeatureWeights; 4],
    ) -> Self::Accumulator;

    /// The sums of an accumulator to which `count` features were added.
    fn sums(self, accumulator: Self::Accumulator, count: usize) -> [i16; NEURONS];

    /// The squares where `player` may place a disc (see
    /// [`crate::games::reversi::bitboard::legal`]); on a board with squares missing the caller
    /// masks them.
    fn legal(self, player: u64, opponent: u64) -> u64;

    /// The opponent's discs that turn when `player` plays on the empty `square`; 0 exactly if the
    /// move is illegal.
    fn flips(self, player: u64, opponent: u64, square: u32) -> u64;

    /// *Twice* the number of flips when `player` fills `square`, the last empty: every other square
    /// that `player` does not hold is the opponent's (or missing on a smaller board).
    fn last_flips(self, player: u64, square: u32) -> i32;

    /// The player's stable discs (see [`crate::games::reversi::stability`]) grown from `seed`,
    /// those known.
    fn stable_from<B: Shape>(self, player: u64, empty: u64, seed: u64) -> u64;
}

/// The neighbors of a set in all eight directions, excluding the set itself.
#[inline(always)]
pub const fn spread(set: u64) -> u64 {
    let sideways = ((set << 1) & 0xfefe_fefe_fefe_fefe) | ((set >> 1) & 0x7f7f_7f7f_7f7f_7f7f);
    let row = set | sideways;
    (sideways | row << 8 | row >> 8) & !set
}
