//! Instruction sets: what the processor has, and copies of the production loop stamped for each.
//!
//! The default build is portable and must still run at full speed. A generic or recursive function does not inherit its
//! caller's target features, so the loop recurses through [`Isa::search`], whose inside is a `#[target_feature]` function
//! into which the loop and its hooks are inlined whole: each set has its own complete copy. Token values come from
//! [`Isa::detect`] only, so whoever holds one may call the copy. Nothing chosen here changes what is visited.

use crate::score::Score;

use super::context::{Context, Stopped};
use super::nega_scout::{self, Kind};
use super::policy::{Mode, Policy};

/// An instruction set: a token that only detection creates.
pub trait Isa: Copy + Send + Sync + Sized + 'static {
    /// The name that option `Kernel` takes.
    const NAME: &'static str;

    /// The token, if this processor has the set.
    fn detect() -> Option<Self>;

    /// The production loop's recursion: runs this set's copy of [`nega_scout::body`].
    fn search<K: Kind, P: Policy<Isa = Self>>(
        self,
        cx: &mut Context<'_, P>,
        node: &P::Node,
        alpha: Score,
        beta: Score,
        mode: Mode,
    ) -> Result<Score, Stopped>;

    /// Runs a task inside this set's features; inline everything in [`Task::run`].
    fn call<F: Task>(self, task: F) -> F::Output;
}

/// Work to run inside an instruction set (closures do not inherit target features, methods inlined always do).
pub trait Task {
    /// What the work gives.
    type Output;

    /// The work; implementations are `#[inline(always)]`.
    fn run(self) -> Self::Output;
}

macro_rules! isa {
    ($(#[$doc:meta])* $set:ident, $name:literal, [$($feature:meta)?], $detected:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $set(());

        impl Isa for $set {
            const NAME: &'static str = $name;

            fn detect() -> Option<Self> {
                $detected.then_some($set(()))
            }

            #[inline(always)]
            fn search<K: Kind, P: Policy<Isa = Self>>(
                self,
                cx: &mut Context<'_, P>,
                node: &P::Node,
                alpha: Score,
                beta: Score,
                mode: Mode,
            ) -> Result<Score, Stopped> {
                $(#[$feature])?
                fn stamped<K: Kind, P: Policy>(
                    cx: &mut Context<'_, P>,
                    node: &P::Node,
                    alpha: Score,
                    beta: Score,
                    mode: Mode,
                ) -> Result<Score, Stopped> {
                    nega_scout::body::<K, P>(cx, node, alpha, beta, mode)
                }
                // SAFETY: the token proves that the processor has every feature named.
                #[allow(unsafe_code, unused_unsafe)]
                unsafe {
                    stamped::<K, P>(cx, node, alpha, beta, mode)
                }
            }

            #[inline(always)]
            fn call<F: Task>(self, task: F) -> F::Output {
                $(#[$feature])?
                fn stamped<F: Task>(task: F) -> F::Output {
                    task.run()
                }
                // SAFETY: the token proves that the processor has every feature named.
                #[allow(unsafe_code, unused_unsafe)]
                unsafe {
                    stamped(task)
                }
            }
        }
    };
}

isa!(
    /// Whatever the build targets; runs everywhere.
    Portable,
    "portable",
    [],
    true
);

impl Portable {
    /// The token; no detection is needed.
    pub const fn token() -> Portable {
        Portable(())
    }
}

#[cfg(target_arch = "x86_64")]
isa!(
    /// x86-64 with AVX2, bit manipulation and population count (2013 and later).
    Avx2,
    "avx2",
    [target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")],
    (is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt"))
);

#[cfg(target_arch = "x86_64")]
isa!(
    /// x86-64 with the common AVX-512 subsets (2017 and later).
    Avx512,
    "avx512",
    [target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")],
    (is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && Avx2::detect().is_some())
);
