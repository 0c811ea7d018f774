//! The monotonic clock, and threads, if there are any.
//!
//! WebAssembly has neither: the program around the module provides the imports `nullwindow.now`, the
//! time in milliseconds since any moment (`performance.now` in JavaScript), and
//! `nullwindow.stopped`, not 0 if the running search is to stop.

use std::io;
use std::thread::Builder;

/// Whether the system has threads.
pub const HAS_THREADS: bool = !cfg!(target_family = "wasm");

/// Starts a thread.
///
/// # Errors
/// If the system cannot, as beyond a limit of processes (`ulimit -u`).
pub fn start_thread(thread: Builder, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let started = thread.spawn(work);
    started
        .map(drop)
        .map_err(|error| io::Error::new(error.kind(), format!("cannot start a thread: {error}")))
}

#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;

#[cfg(target_family = "wasm")]
pub use host::{Instant, is_stop_requested};

/// Whether the program around the module has stopped the running search.
#[cfg(not(target_family = "wasm"))]
pub const fn is_stop_requested() -> bool {
    false
}

#[cfg(target_family = "wasm")]
mod host {
    use std::ops::{Add, AddAssign, Sub};
    use std::time::Duration;

    #[allow(unsafe_code)]
    #[link(wasm_import_module = "nullwindow")]
    // SAFETY: they only return numbers.
    unsafe extern "C" {
        safe fn now() -> f64;
        safe fn stopped() -> i32;
    }

    /// Whether the program around the module has stopped the running search.
    pub fn is_stop_requested() -> bool {
        stopped() != 0
    }

    /// A moment, as [`std::time::Instant`].
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub struct Instant(Duration);

    impl Instant {
        /// This moment.
        pub fn now() -> Instant {
            Instant(Duration::from_secs_f64(now().max(0.0) / 1e3))
        }

        /// The time since this moment; zero if it is in the future.
        pub fn elapsed(&self) -> Duration {
            Instant::now().duration_since(*self)
        }

        /// The time since an earlier moment; zero if it is later.
        pub fn duration_since(&self, earlier: Instant) -> Duration {
            self.0.saturating_sub(earlier.0)
        }

        /// This moment and a time after it, if that can be represented.
        pub fn checked_add(&self, time: Duration) -> Option<Instant> {
            self.0.checked_add(time).map(Instant)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Instant;

        fn add(self, time: Duration) -> Instant {
            Instant(self.0.saturating_add(time))
        }
    }

    impl AddAssign<Duration> for Instant {
        fn add_assign(&mut self, time: Duration) {
            *self = *self + time;
        }
    }

    impl Sub for Instant {
        type Output = Duration;

        fn sub(self, earlier: Instant) -> Duration {
            self.duration_since(earlier)
        }
    }
}
