//! The synchronization primitives of split points: the standard library's, or `loom`'s under
//! `cfg(loom)`.

#[cfg(loom)]
pub use loom::sync::Arc;
#[cfg(loom)]
pub use loom::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
#[cfg(not(loom))]
pub use std::sync::Arc;
#[cfg(not(loom))]
pub use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
