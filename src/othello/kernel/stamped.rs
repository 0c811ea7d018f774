//! The endgame's functions, one complete copy per instruction set: each recursion goes through a `#[target_feature]`
//! function, into which body and kernels are inlined whole (see [`crate::search::isa`]).

use crate::othello::board::Board;
use crate::othello::counting;
use crate::othello::endgame::last::{self, Leaf};
use crate::othello::endgame::middle::Private;
use crate::othello::endgame::{middle, shallow};
use crate::search::isa::Portable;
#[cfg(target_arch = "x86_64")]
use crate::search::isa::{Avx2, Avx512};

use super::Kernel;

/// An instruction set with its copy of the endgame.
pub trait Stamped: Kernel {
    /// See [`last::last_3`].
    fn last_3<B: Board>(self, player: u64, opponent: u64, alpha: i32, squares: [u32; 3]) -> Leaf;
    /// See [`last::last_4`].
    fn last_4<B: Board>(self, player: u64, opponent: u64, alpha: i32, odd: u64) -> Leaf;
    /// See [`shallow::shallow`].
    fn shallow<B: Board>(self, player: u64, opponent: u64, alpha: i32, odd: u64, moves: u64) -> Leaf;
    /// See [`middle::middle`].
    fn middle<B: Board>(
        self,
        cx: &mut Private<'_>,
        player: u64,
        opponent: u64,
        alpha: i32,
        odd: u64,
        moves: u64,
    ) -> i32;
    /// See [`counting::count`].
    fn count(self, player: u64, opponent: u64, plies: u32) -> u64;
}

macro_rules! stamped {
    ($set:ident, [$($feature:meta)?]) => {
        // SAFETY: a token proves that the processor has every feature named.
        #[allow(unsafe_code, unused_unsafe, clippy::undocumented_unsafe_blocks)]
        impl Stamped for $set {
            #[inline(always)]
            fn last_3<B: Board>(self, player: u64, opponent: u64, alpha: i32, [a, b, c]: [u32; 3]) -> Leaf {
                $(#[$feature])?
                fn stamp<B: Board>(set: $set, player: u64, opponent: u64, alpha: i32, a: u32, b: u32, c: u32) -> Leaf {
                    last::last_3::<$set, B>(set, player, opponent, alpha, [a, b, c])
                }
                unsafe { stamp::<B>(self, player, opponent, alpha, a, b, c) }
            }

            #[inline(always)]
            fn last_4<B: Board>(self, player: u64, opponent: u64, alpha: i32, odd: u64) -> Leaf {
                $(#[$feature])?
                fn stamp<B: Board>(set: $set, player: u64, opponent: u64, alpha: i32, odd: u64) -> Leaf {
                    last::last_4::<$set, B>(set, player, opponent, alpha, odd)
                }
                unsafe { stamp::<B>(self, player, opponent, alpha, odd) }
            }

            #[inline(always)]
            fn shallow<B: Board>(self, player: u64, opponent: u64, alpha: i32, odd: u64, moves: u64) -> Leaf {
                $(#[$feature])?
                fn stamp<B: Board>(set: $set, player: u64, opponent: u64, alpha: i32, odd: u64, moves: u64) -> Leaf {
                    shallow::shallow::<$set, B>(set, player, opponent, alpha, odd, moves)
                }
                unsafe { stamp::<B>(self, player, opponent, alpha, odd, moves) }
            }

            #[inline(always)]
            fn middle<B: Board>(
                self,
                cx: &mut Private<'_>,
                player: u64,
                opponent: u64,
                alpha: i32,
                odd: u64,
                moves: u64,
            ) -> i32 {
                $(#[$feature])?
                fn stamp<B: Board>(
                    set: $set,
                    cx: &mut Private<'_>,
                    player: u64,
                    opponent: u64,
                    alpha: i32,
                    odd: u64,
                    moves: u64,
                ) -> i32 {
                    middle::middle::<$set, B>(set, cx, player, opponent, alpha, odd, moves)
                }
                unsafe { stamp::<B>(self, cx, player, opponent, alpha, odd, moves) }
            }

            #[inline(always)]
            fn count(self, player: u64, opponent: u64, plies: u32) -> u64 {
                $(#[$feature])?
                fn stamp(set: $set, player: u64, opponent: u64, plies: u32) -> u64 {
                    counting::count(set, player, opponent, plies)
                }
                unsafe { stamp(self, player, opponent, plies) }
            }
        }
    };
}

stamped!(Portable, []);
#[cfg(target_arch = "x86_64")]
stamped!(Avx2, [target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]);
#[cfg(target_arch = "x86_64")]
stamped!(Avx512, [target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]);
