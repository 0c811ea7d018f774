//! Low wake-up latency: the threads that read commands and write answers run at once, even with more search threads
//! than cores.

/// Asks the scheduler to run the calling thread as soon as it wakes up. For threads that mostly wait; others would be
/// preempted more often. No effect if the system does not support it.
pub fn wake_up_fast() {
    system::wake_up_fast();
}

/// Since Linux 6.12 a waking thread preempts another if its time slice is shorter (`sched_setattr(2)`); before that the
/// slice is ignored, and a thread that has slept preempts anyway.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
mod system {
    use std::mem::size_of;

    /// The shortest slice that the kernel grants, in nanoseconds.
    const SLICE: u64 = 100_000;
    /// Threads started by this one have the usual slice (SCHED_FLAG_RESET_ON_FORK).
    const RESET_ON_FORK: u64 = 1;

    /// `struct sched_attr` in its first version, of which `sched_runtime` is the slice of a thread without real-time
    /// scheduling.
    #[repr(C)]
    #[derive(Default)]
    struct SchedAttr {
        size: u32,
        policy: u32,
        flags: u64,
        nice: i32,
        priority: u32,
        runtime: u64,
        deadline: u64,
        period: u64,
    }

    pub fn wake_up_fast() {
        let mut attr = SchedAttr::default();
        let size = size_of::<SchedAttr>() as u32;
        // SAFETY: the kernel writes at most `size` bytes to `attr` and reads as many; 0 is the calling thread.
        unsafe {
            if libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attr, size, 0) != 0 {
                return;
            }
            attr = SchedAttr { size, flags: RESET_ON_FORK, runtime: SLICE, ..attr };
            libc::syscall(libc::SYS_sched_setattr, 0, &raw const attr, 0);
        }
    }
}

#[cfg(windows)]
#[allow(unsafe_code)]
mod system {
    use windows_sys::Win32::System::Threading::{GetCurrentThread, SetThreadPriority, THREAD_PRIORITY_ABOVE_NORMAL};

    pub fn wake_up_fast() {
        // SAFETY: the handle of this thread is always valid.
        unsafe { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_ABOVE_NORMAL) };
    }
}

#[cfg(not(any(target_os = "linux", windows)))]
mod system {
    pub fn wake_up_fast() {}
}
