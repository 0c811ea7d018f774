//! Instruction sets (ISA): detection and multiversioned code.
//!
//! The default build is portable and must still run at full speed. Generic and recursive functions
//! do not inherit the target features of their caller. So code with one copy per ISA is a closure,
//! run by [`Isa::call`], and the production search recurses through [`Isa::search`]. Both contain a
//! `#[target_feature]` function into which the code is inlined completely. Only [`Isa::detect`]
//! creates tokens, so a token proves that the processor has the features. AArch64 has a single,
//! portable copy, since NEON is part of the target. [`with_isa!`] maps the user's [`IsaChoice`] to
//! the type of a token. Every ISA visits the same nodes.

use crate::game::score::Score;

use super::context::Context;
use super::nega_scout::{self, NodeKind};
use super::policy::{Policy, SearchParams};
use crate::search::stop::Stopped;

/// An instruction set: a token that only detection creates. A game's kernels are a trait on top of
/// it.
pub trait Isa: Copy + Send + Sync + Sized + 'static {
    /// The token, if this processor has the instruction set.
    fn detect() -> Option<Self>;

    /// Runs this ISA's copy of [`nega_scout::body`]; the recursion of the production search.
    fn search<K: NodeKind, P: Policy<Isa = Self>>(
        self,
        cx: &mut Context<'_, P>,
        node: &P::Node,
        alpha: Score,
        beta: Score,
        params: SearchParams,
    ) -> Result<Score, Stopped>;

    /// Runs a task inside a function with the target features of this ISA. The task is a closure
    /// marked `#[inline(always)] move`, and so are its helpers: only code that is inlined gets the
    /// features.
    fn call<T>(self, task: impl FnOnce() -> T) -> T;
}

macro_rules! isa {
    ($(#[$doc:meta])* $set:ident $(, [$($feature:tt),+])?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $set(());

        impl Isa for $set {
            fn detect() -> Option<Self> {
                (true $($(&& is_x86_feature_detected!($feature))+)?).then_some($set(()))
            }

            #[inline(always)]
            fn search<K: NodeKind, P: Policy<Isa = Self>>(
                self,
                cx: &mut Context<'_, P>,
                node: &P::Node,
                alpha: Score,
                beta: Score,
                params: SearchParams,
            ) -> Result<Score, Stopped> {
                $(#[target_feature($(enable = $feature),+)])?
                fn dispatch<K: NodeKind, P: Policy>(
                    cx: &mut Context<'_, P>,
                    node: &P::Node,
                    alpha: Score,
                    beta: Score,
                    params: SearchParams,
                ) -> Result<Score, Stopped> {
                    nega_scout::body::<K, P>(cx, node, alpha, beta, params)
                }
                // SAFETY: the token proves that the processor has every feature named.
                #[allow(unsafe_code, unused_unsafe)]
                unsafe {
                    dispatch::<K, P>(cx, node, alpha, beta, params)
                }
            }

            #[inline(always)]
            fn call<T>(self, task: impl FnOnce() -> T) -> T {
                $(#[target_feature($(enable = $feature),+)])?
                fn dispatch<T>(task: impl FnOnce() -> T) -> T {
                    task()
                }
                // SAFETY: the token proves that the processor has every feature named.
                #[allow(unsafe_code, unused_unsafe)]
                unsafe {
                    dispatch(task)
                }
            }
        }
    };
}

isa!(
    /// The build's target features; runs everywhere.
    Portable
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
    ["avx2", "bmi1", "bmi2", "lzcnt", "popcnt"]
);

#[cfg(target_arch = "x86_64")]
isa!(
    /// x86-64 with the common AVX-512 subsets (2017 and later).
    Avx512,
    [
        "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx2", "bmi1", "bmi2", "lzcnt",
        "popcnt"
    ]
);

/// The instruction set of searches (option `Kernel`). All of them visit the same nodes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum IsaChoice {
    /// The best ISA of the processor.
    #[default]
    Auto,
    /// Portable arithmetic.
    Portable,
    /// AVX2 and bit manipulation.
    Avx2,
    /// AVX-512.
    Avx512,
}

/// A detected instruction set: what [`with_isa!`] matches on.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the variants hold the tokens of their names")]
pub enum Detected {
    Portable(Portable),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl IsaChoice {
    /// All choices, in the order of the listing; the ISAs from the lowest to the highest.
    pub const ALL: [IsaChoice; 4] = [
        IsaChoice::Auto,
        IsaChoice::Portable,
        IsaChoice::Avx2,
        IsaChoice::Avx512,
    ];

    /// The value of option `Kernel`.
    pub const fn name(self) -> &'static str {
        match self {
            IsaChoice::Auto => "auto",
            IsaChoice::Portable => "portable",
            IsaChoice::Avx2 => "avx2",
            IsaChoice::Avx512 => "avx512",
        }
    }

    /// The ISAs of this processor, the best last.
    pub fn available() -> impl DoubleEndedIterator<Item = IsaChoice> {
        Self::ALL
            .into_iter()
            .filter(|&choice| choice != IsaChoice::Auto && choice.is_available())
    }

    /// Whether this processor supports it.
    pub fn is_available(self) -> bool {
        self.detect().is_some()
    }

    /// The token of this ISA, of the best one for `Auto`; `None` if the processor lacks it.
    fn detect(self) -> Option<Detected> {
        match self {
            IsaChoice::Auto => Self::available().next_back()?.detect(),
            IsaChoice::Portable => Some(Detected::Portable(Portable::token())),
            #[cfg(target_arch = "x86_64")]
            IsaChoice::Avx2 => Avx2::detect().map(Detected::Avx2),
            #[cfg(target_arch = "x86_64")]
            IsaChoice::Avx512 => Avx512::detect().map(Detected::Avx512),
            #[cfg(not(target_arch = "x86_64"))]
            IsaChoice::Avx2 | IsaChoice::Avx512 => None,
        }
    }

    /// The token of this ISA; the portable one if the processor lacks it (the option rejects such a
    /// choice).
    pub fn detected(self) -> Detected {
        self.detect()
            .unwrap_or(Detected::Portable(Portable::token()))
    }
}

/// Evaluates an expression with the token of a choice bound to a name; compiled once per ISA.
macro_rules! with_isa {
    ($choice:expr, $isa:ident => $body:expr) => {
        match $crate::search::core::isa::IsaChoice::detected($choice) {
            $crate::search::core::isa::Detected::Portable($isa) => $body,
            #[cfg(target_arch = "x86_64")]
            $crate::search::core::isa::Detected::Avx2($isa) => $body,
            #[cfg(target_arch = "x86_64")]
            $crate::search::core::isa::Detected::Avx512($isa) => $body,
        }
    };
}
pub(crate) use with_isa;
