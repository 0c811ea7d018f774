//! Reversi's kernels for each instruction set: legal moves, flips, the last flip, stable discs, sums of feature weights.
//!
//! The first ones take the two words of a position (player, opponent; bit `8 * row + column`, a1 = 0). A token of [`Kernels`]
//! proves that the processor has its instruction set; all methods are inlined whole into multiversioned code
//! ([`crate::search::isa`]), and outside of it they are correct but slow: other code calls them by a task ([`Legal`],
//! [`Flips`]), and `scripts/check-isa.sh` sees that it does. The tests hold every set to
//! [`crate::games::reversi::bitboard`], and that to plain loops. What was tried: measurements.md.

use crate::search::isa::{Isa, Task};

use super::board::Board;

mod last_flip;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Sixteen small numbers, such as the evaluation keeps of each pattern.
#[repr(align(16))]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row(pub [i8; 16]);

/// The kernels of Reversi on an instruction set.
pub trait Kernels: Isa {
    /// Sums of rows of sixteen small numbers, in the registers that suit the instruction set.
    type Sums: Copy;

    /// No row yet.
    fn no_rows(self) -> Self::Sums;

    /// Adds a row; up to 128 of them fit.
    fn add_row(self, sums: Self::Sums, row: &Row) -> Self::Sums;

    /// The sixteen sums of so many rows.
    fn units(self, sums: Self::Sums, rows: usize) -> [i16; 16];

    /// The squares where `player` may place a disc (see [`crate::games::reversi::bitboard::legal`]); on a board with squares
    /// missing the caller cuts them away.
    fn legal(self, player: u64, opponent: u64) -> u64;

    /// The opponent's discs that turn when `player` plays on the empty `square`; 0 exactly if the move is illegal.
    fn flips(self, player: u64, opponent: u64, square: u32) -> u64;

    /// *Twice* the number of discs that turn when `player` fills `square`, the last empty one: every other square that
    /// `player` does not hold is the opponent's (or missing on a smaller board).
    fn last_flips(self, player: u64, square: u32) -> i32;

    /// Grows the player's surely stable discs from those known (see [`crate::games::reversi::stability`]).
    fn stable_from<B: Board>(self, player: u64, empty: u64, seed: u64) -> u64;
}

/// [`Kernels::legal`] as a task, for code without an instruction set: there each intrinsic would be a call.
pub struct Legal<K> {
    /// The instruction set.
    pub kernel: K,
    /// Discs of the side to move.
    pub player: u64,
    /// Discs of the other side.
    pub opponent: u64,
}

impl<K: Kernels> Task for Legal<K> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        self.kernel.legal(self.player, self.opponent)
    }
}

/// [`Kernels::flips`] as a task.
pub struct Flips<K> {
    /// The instruction set.
    pub kernel: K,
    /// Discs of the side to move.
    pub player: u64,
    /// Discs of the other side.
    pub opponent: u64,
    /// The empty square played.
    pub square: u32,
}

impl<K: Kernels> Task for Flips<K> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        self.kernel.flips(self.player, self.opponent, self.square)
    }
}

/// The squares next to a set, in all eight directions, minus the set.
#[inline(always)]
pub const fn spread(set: u64) -> u64 {
    let sideways = ((set << 1) & 0xfefe_fefe_fefe_fefe) | ((set >> 1) & 0x7f7f_7f7f_7f7f_7f7f);
    let row = set | sideways;
    (sideways | row << 8 | row >> 8) & !set
}
