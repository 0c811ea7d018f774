//! Low wake-up latency: the threads that read commands and write answers run at once, even with
//! more search threads than cores.
//!
//! [`wake_up_fast`] asks the scheduler to run the calling thread as soon as it wakes up. For
//! threads that mostly wait; others would be preempted more often. No effect if the system does not
//! support it.

/// Since Linux 6.12 a waking thread preempts another if its time slice is shorter
/// (`sched_setattr(2)`); before that the slice is ignored, and a thread that has slept preempts
/// anyway.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
pub fn wake_up_fast() {
    use libc::{
        SCHED_FLAG_RESET_ON_FORK, SYS_sched_getattr, SYS_sched_setattr, sched_attr, syscall,
    };

    /// The shortest slice that the kernel grants, in nanoseconds.
    const SLICE: u64 = 100_000;

    let size = size_of::<sched_attr>() as u32;
    // SAFETY: zeros are a valid `sched_attr`. The kernel writes at most `size` bytes to it and
    // reads as many; 0 is the calling thread.
    unsafe {
        let mut attr: sched_attr = std::mem::zeroed();
        if syscall(SYS_sched_getattr, 0, &raw mut attr, size, 0) == 0 {
            // The runtime is the slice of a thread without real-time scheduling. Threads that it
            // starts later have the usual slice, and lose a raised priority.
            let sched_flags = SCHED_FLAG_RESET_ON_FORK as u64;
            attr = sched_attr {
                size,
                sched_flags,
                sched_runtime: SLICE,
                ..attr
            };
            syscall(SYS_sched_setattr, 0, &raw const attr, 0);
        }
    }
}

/// Raises the priority.
#[cfg(windows)]
#[allow(unsafe_code)]
pub fn wake_up_fast() {
    use windows_sys::Win32::System::Threading::{
        GetCurrentThread, SetThreadPriority, THREAD_PRIORITY_ABOVE_NORMAL,
    };

    // SAFETY: the handle of this thread is always valid.
    unsafe { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_ABOVE_NORMAL) };
}

/// No effect.
#[cfg(not(any(target_os = "linux", windows)))]
pub fn wake_up_fast() {}
