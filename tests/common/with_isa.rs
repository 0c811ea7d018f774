//! The macro by which the library compiles code once per instruction set: its own is private.

/// Evaluates an expression with the token of a choice bound to a name.
macro_rules! with_isa {
    ($choice:expr, $isa:ident => $body:expr) => {
        match nullwindow::search::core::isa::IsaChoice::detected($choice) {
            nullwindow::search::core::isa::Detected::Portable($isa) => $body,
            #[cfg(target_arch = "x86_64")]
            nullwindow::search::core::isa::Detected::Avx2($isa) => $body,
            #[cfg(target_arch = "x86_64")]
            nullwindow::search::core::isa::Detected::Avx512($isa) => $body,
        }
    };
}
pub(crate) use with_isa;
