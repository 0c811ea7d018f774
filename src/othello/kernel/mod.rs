//! Kernels for each instruction set: legal moves, flips, the last flip, the growth of stable discs, sums of rows.
//!
//! These take the two words of a position (player, opponent; bit `8 * row + column`, a1 = 0); beside them stand those that add
//! rows of small numbers for the evaluation. A [`Kernel`] is an instruction set's token, so whoever holds one may call it; all methods
//! are inlined whole into whoever is stamped for that set ([`crate::search::isa`]), and outside of one they are correct but slow:
//! code that is not stamped calls them through tasks ([`Legal`], [`Flips`]), and `scripts/check-stamped.sh` sees that it does. All
//! sets give the same results: the tests hold them to `games::othello::board`, which in turn is held to plain loops.
//!
//! # What was tried
//!
//! User time of FFO #40, one thread, Zen 3, the least of twelve paired runs each on a loaded machine, against the AVX2 flips that stand:
//!
//! | flips | time |
//! |---|---|
//! | AVX2, four rays a register: lowest bit upwards, shadow of the highest bit downwards | 1 |
//! | BMI2: each line gathered (`pext`), two table look-ups, scattered (`pdep`) | 1.05 |
//! | the first, but asked only where a neighbour of the square is the opponent's | 1.03 (a branch more to guess) |
//!
//! The last flip gathers its lines by `pext`: nothing has to be scattered back. Flips and the replies behind them in one kernel, without
//! a word between them, gained less than looking for all flips and then for all replies; rows of sixteen bits for the evaluation, which need
//! no widening, made the midgame slower by a sixth: they leave the caches.
//! The AVX-512 kernels were compiled but never run on the machine where this was written; tests name the skip.

#[cfg(target_arch = "x86_64")]
use crate::search::isa::{Avx2, Avx512};
use crate::search::isa::{Isa, Portable, Task};

use super::board::Board;

mod lines;
mod portable;
mod stamped;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use stamped::Stamped;

/// Sixteen small numbers, such as the evaluation keeps of each pattern.
#[repr(align(16))]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row(pub [i8; 16]);

/// The kernels of an instruction set.
pub trait Kernel: Isa {
    /// Sums of rows of sixteen small numbers, in the registers that suit the set.
    type Sums: Copy;

    /// No row yet.
    fn no_rows(self) -> Self::Sums;

    /// Adds a row; up to 128 of them fit.
    fn add_row(self, sums: Self::Sums, row: &Row) -> Self::Sums;

    /// The sixteen sums of so many rows.
    fn units(self, sums: Self::Sums, rows: usize) -> [i16; 16];

    /// The squares where `player` may place a disc (see [`crate::games::othello::board::legal`]); on a board with squares
    /// missing the caller cuts them away.
    fn legal(self, player: u64, opponent: u64) -> u64;

    /// The opponent's discs that turn when `player` plays on the empty `square`; 0 exactly if the move is illegal.
    fn flips(self, player: u64, opponent: u64, square: u32) -> u64;

    /// *Twice* the number of discs that turn when `player` fills `square`, the last empty one: every other square that
    /// `player` does not hold is the opponent's (or missing on a smaller board).
    fn last_flips(self, player: u64, square: u32) -> i32;

    /// Grows the player's surely stable discs from those known (see [`crate::othello::stability`]).
    fn stable_from<B: Board>(self, player: u64, empty: u64, seed: u64) -> u64;
}

/// [`Kernel::legal`] as a task, for code that is not stamped: there each of the kernel's instructions would be a call.
pub struct Legal<K> {
    /// The instruction set.
    pub kernel: K,
    /// Discs of the side to move.
    pub player: u64,
    /// Discs of the other side.
    pub opponent: u64,
}

impl<K: Kernel> Task for Legal<K> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        self.kernel.legal(self.player, self.opponent)
    }
}

/// [`Kernel::flips`] as a task.
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

impl<K: Kernel> Task for Flips<K> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        self.kernel.flips(self.player, self.opponent, self.square)
    }
}

/// An instruction set that this processor has, chosen at run time.
#[derive(Clone, Copy, Debug)]
pub enum InstructionSet {
    /// Plain arithmetic.
    Portable(Portable),
    /// x86-64 with AVX2 and bit manipulation.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// x86-64 with AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

/// A computation that is generic over the instruction set.
pub trait OnSet {
    /// What it computes.
    type Output;
    /// Computes it on a set.
    fn run<K: Stamped>(self, kernel: K) -> Self::Output;
}

impl InstructionSet {
    /// All sets that this processor has, the best last.
    pub fn available() -> Vec<InstructionSet> {
        let mut sets = vec![InstructionSet::Portable(Portable::token())];
        #[cfg(target_arch = "x86_64")]
        {
            sets.extend(Avx2::detect().map(InstructionSet::Avx2));
            sets.extend(Avx512::detect().map(InstructionSet::Avx512));
        }
        sets
    }

    /// The best set that this processor has.
    pub fn best() -> InstructionSet {
        Self::available().pop().unwrap_or(InstructionSet::Portable(Portable::token()))
    }

    /// The set of that name (`portable`, `avx2`, `avx512`), if this processor has it.
    pub fn by_name(name: &str) -> Option<InstructionSet> {
        Self::available().into_iter().find(|set| set.name() == name)
    }

    /// The name that option `Kernel` takes.
    pub fn name(self) -> &'static str {
        match self {
            InstructionSet::Portable(_) => Portable::NAME,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2(_) => Avx2::NAME,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512(_) => Avx512::NAME,
        }
    }

    /// Calls `job` with the token of this set.
    pub fn run<J: OnSet>(self, job: J) -> J::Output {
        match self {
            InstructionSet::Portable(kernel) => job.run(kernel),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2(kernel) => job.run(kernel),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512(kernel) => job.run(kernel),
        }
    }
}

/// The squares next to a set, in all eight directions, minus the set.
#[inline(always)]
pub const fn spread(set: u64) -> u64 {
    let sideways = ((set << 1) & 0xfefe_fefe_fefe_fefe) | ((set >> 1) & 0x7f7f_7f7f_7f7f_7f7f);
    let row = set | sideways;
    (sideways | row << 8 | row >> 8) & !set
}
