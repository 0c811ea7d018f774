//! CPU time of a thread, for measurements and limits that do not depend on the load of the machine.

use std::time::Duration;

pub use system::{NOTE, thread_time};

#[cfg(all(
    unix,
    not(any(target_os = "netbsd", target_os = "solaris", target_os = "illumos"))
))]
mod system {
    use super::*;
    use rustix::time::{ClockId, clock_gettime};

    /// The note to print with CPU times, if the system cannot measure them.
    pub const NOTE: Option<&str> = None;

    /// The CPU time of this thread since its start; wall time if there is a [`NOTE`].
    pub fn thread_time() -> Duration {
        let used = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(used.tv_sec.max(0) as u64, used.tv_nsec as u32)
    }
}

#[cfg(windows)]
mod system {
    use super::*;
    use windows_sys::Win32::Foundation::FILETIME;
    use windows_sys::Win32::System::Threading::{GetCurrentThread, GetThreadTimes};

    pub const NOTE: Option<&str> = None;

    /// Time in user mode and in the kernel, with the resolution of the scheduler's tick (up to 16
    /// ms).
    #[allow(unsafe_code)]
    pub fn thread_time() -> Duration {
        let [mut created, mut exited, mut kernel, mut user] = [FILETIME {
            dwLowDateTime: 0,
            dwHighDateTime: 0,
        }; 4];
        // SAFETY: the handle of this thread is always valid, and the four places are written, not
        // kept.
        unsafe {
            GetThreadTimes(
                GetCurrentThread(),
                &mut created,
                &mut exited,
                &mut kernel,
                &mut user,
            )
        };
        let hundreds =
            |time: FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
        Duration::from_nanos(100 * (hundreds(kernel) + hundreds(user)))
    }
}

#[cfg(not(any(
    windows,
    all(
        unix,
        not(any(target_os = "netbsd", target_os = "solaris", target_os = "illumos"))
    )
)))]
mod system {
    use super::*;
    use std::sync::LazyLock;
    use std::time::Instant;

    pub const NOTE: Option<&str> =
        Some("CPU time is not available on this system; times are wall time");

    /// Wall time since the first call.
    pub fn thread_time() -> Duration {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Instant;

    use super::*;

    #[test]
    fn work_counts_and_sleep_does_not() {
        let patience = Instant::now() + Duration::from_secs(60);
        let before = thread_time();
        let mut work = 0_u64;
        while thread_time() - before < Duration::from_millis(50) {
            work = (0..10_000).fold(work, |work: u64, k| {
                std::hint::black_box(work.wrapping_mul(3) + k)
            });
            assert!(Instant::now() < patience, "the clock does not run");
        }
        if NOTE.is_none() {
            let before = thread_time();
            thread::sleep(Duration::from_millis(300));
            assert!(thread_time() - before < Duration::from_millis(200));
        }
    }
}
