//! Child processes: start, CPU affinity, non-blocking input, and termination together with their
//! own children (a shell or an interpreter around an engine).
//!
//! A child ends with this process, even after a SIGKILL: on Linux by the parent-death signal, its own
//! children by [`process_guard`]; on Windows with its job object, which includes its own children.
//! Elsewhere the end of their input must make them exit.

use std::io::{self, Write};
use std::process::{Child, ChildStdin, Command};

#[cfg(target_os = "linux")]
use super::process_guard;

pub use system::{ChildInput, ProcessTree, isolate};

/// The cores this process may use; `None` where the system cannot bind processes to cores.
#[cfg(target_os = "linux")]
pub fn available_cores() -> Option<Vec<usize>> {
    use rustix::thread::{CpuSet, sched_getaffinity};

    let set = sched_getaffinity(None).ok()?;
    Some(
        (0..CpuSet::MAX_CPU)
            .filter(|&core| set.is_set(core))
            .collect(),
    )
}

/// Starts a child that ends with this process, bound to `cores` if given, with all its threads and
/// children.
///
/// The kernel sends the parent-death signal when the thread that started the child ends, so one
/// thread, which runs as long as this process, starts all children.
///
/// # Errors
/// If it cannot be started or bound.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
pub fn spawn(mut command: Command, cores: Option<Vec<usize>>) -> io::Result<Child> {
    use std::os::unix::process::CommandExt;
    use std::sync::OnceLock;
    use std::thread;

    use crossbeam_channel::{Sender, bounded, unbounded};
    use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};
    use rustix::thread::{CpuSet, sched_setaffinity};

    type SpawnRequest = (Command, Sender<io::Result<Child>>);

    let parent = getpid();
    let mut bound = CpuSet::new();
    cores.iter().flatten().for_each(|&core| bound.set(core));
    let prepare = move || {
        if cores.is_some() {
            sched_setaffinity(None, &bound)?;
        }
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        // The parent may have ended before that call.
        if getppid() == Some(parent) {
            Ok(())
        } else {
            Err(rustix::io::Errno::SRCH.into())
        }
    };
    // SAFETY: between fork and exec the closure makes system calls only; it neither allocates nor
    // locks.
    unsafe { command.pre_exec(prepare) };
    process_guard::mark(&mut command);
    static SPAWNER: OnceLock<Sender<SpawnRequest>> = OnceLock::new();
    let spawner = SPAWNER.get_or_init(|| {
        let (sender, requests) = unbounded::<SpawnRequest>();
        let serve = move || {
            requests
                .iter()
                .for_each(|(mut command, reply)| drop(reply.send(command.spawn())))
        };
        // if it fails, so does every request
        let _ = thread::Builder::new().name("spawner".into()).spawn(serve);
        sender
    });
    let (reply, child) = bounded(1);
    let ended = || io::Error::other("no thread that starts processes");
    spawner.send((command, reply)).map_err(|_| ended())?;
    child.recv().map_err(|_| ended())?
}

/// The cores of one processor group, at most 64.
#[cfg(windows)]
#[allow(unsafe_code)]
pub fn available_cores() -> Option<Vec<usize>> {
    use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessAffinityMask};

    let (mut process, mut system) = (0, 0);
    // SAFETY: the handle of this process is always valid, and the two pointers are only written to.
    let ok = unsafe { GetProcessAffinityMask(GetCurrentProcess(), &mut process, &mut system) } != 0;
    ok.then(|| {
        (0..usize::BITS as usize)
            .filter(|core| process >> core & 1 != 0)
            .collect()
    })
}

/// Binds the child right after its start.
#[cfg(windows)]
#[allow(unsafe_code)]
pub fn spawn(mut command: Command, cores: Option<Vec<usize>>) -> io::Result<Child> {
    use std::os::windows::io::AsRawHandle;
    use windows_sys::Win32::System::Threading::SetProcessAffinityMask;

    let mut child = command.spawn()?;
    if let Some(cores) = cores {
        let mask = cores.iter().fold(0, |mask, core| mask | 1 << core);
        // SAFETY: the child's handle is open.
        if unsafe { SetProcessAffinityMask(child.as_raw_handle(), mask) } == 0 {
            let error = io::Error::last_os_error();
            let _ = child.kill();
            return Err(error);
        }
    }
    Ok(child)
}

#[cfg(not(any(target_os = "linux", windows)))]
pub fn available_cores() -> Option<Vec<usize>> {
    None
}

#[cfg(not(any(target_os = "linux", windows)))]
pub fn spawn(mut command: Command, cores: Option<Vec<usize>>) -> io::Result<Child> {
    if cores.is_some() {
        Err(io::ErrorKind::Unsupported.into())
    } else {
        command.spawn()
    }
}

/// Process groups and non-blocking pipes.
#[cfg(unix)]
mod system {
    use super::*;
    use std::os::unix::process::CommandExt;

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    /// Sets the command up for [`ProcessTree::of`]. The child does not receive Ctrl-C.
    pub fn isolate(command: &mut Command) {
        command.process_group(0);
    }

    /// A child and its descendants.
    pub struct ProcessTree(Pid);

    impl ProcessTree {
        /// The tree of a child whose command was set up by [`isolate`].
        ///
        /// # Errors
        /// If the system refuses.
        pub fn of(child: &Child) -> io::Result<ProcessTree> {
            Ok(ProcessTree(Pid::from_child(child)))
        }

        /// Whether the child has ended, without reaping it.
        pub fn has_ended(&self, _child: &mut Child) -> bool {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
            // An error means that the child no longer exists.
            !matches!(waitid(WaitId::Pid(self.0), options), Ok(None))
        }

        /// Kills the tree. The caller must ensure that the child is not reaped or that another
        /// member of its group is alive; otherwise the process id may have been reused.
        pub fn kill(&self) {
            let _ = kill_process_group(self.0, Signal::KILL);
        }
    }

    /// The input of a child.
    pub struct ChildInput(ChildStdin);

    impl ChildInput {
        /// # Errors
        /// If the system refuses.
        pub fn new(input: ChildStdin) -> io::Result<ChildInput> {
            rustix::io::ioctl_fionbio(&input, true)?;
            Ok(ChildInput(input))
        }

        /// Writes some of the bytes without waiting.
        ///
        /// # Errors
        /// [`io::ErrorKind::WouldBlock`] if the child does not read.
        pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.write(bytes)
        }
    }
}

/// Job objects, and a writer thread: pipes of the standard library have no non-blocking writes.
#[cfg(windows)]
#[allow(unsafe_code)]
mod system {
    use super::*;
    use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
    use std::os::windows::process::CommandExt;
    use std::ptr::{from_ref, null};
    use std::thread;

    use crossbeam_channel::{Sender, TrySendError, bounded};
    use windows_sys::Win32::System::JobObjects::{
        AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
        JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
        SetInformationJobObject, TerminateJobObject,
    };
    use windows_sys::Win32::System::Threading::CREATE_NEW_PROCESS_GROUP;

    pub fn isolate(command: &mut Command) {
        command.creation_flags(CREATE_NEW_PROCESS_GROUP);
    }

    /// A child and the descendants it has started since it joined its job, some microseconds after
    /// its start. The tree ends with this process.
    pub struct ProcessTree(OwnedHandle);

    impl ProcessTree {
        /// The tree of a child whose command was set up by [`isolate`].
        ///
        /// # Errors
        /// If the system refuses.
        pub fn of(child: &Child) -> io::Result<ProcessTree> {
            let done = |status: i32| {
                if status == 0 {
                    Err(io::Error::last_os_error())
                } else {
                    Ok(())
                }
            };
            let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
            limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
            // SAFETY: the handles are open, the new one is owned from here on, and the limits are
            // read, not kept.
            unsafe {
                let job = CreateJobObjectW(null(), null());
                done(i32::from(!job.is_null()))?;
                let job = OwnedHandle::from_raw_handle(job);
                done(SetInformationJobObject(
                    job.as_raw_handle(),
                    JobObjectExtendedLimitInformation,
                    from_ref(&limits).cast(),
                    size_of_val(&limits) as u32,
                ))?;
                // Fails if the child has already ended, which is harmless.
                let _ = AssignProcessToJobObject(job.as_raw_handle(), child.as_raw_handle());
                Ok(ProcessTree(job))
            }
        }

        /// Whether the child has ended.
        pub fn has_ended(&self, child: &mut Child) -> bool {
            !matches!(child.try_wait(), Ok(None))
        }

        /// Kills the tree.
        pub fn kill(&self) {
            // SAFETY: the handle is open.
            unsafe { TerminateJobObject(self.0.as_raw_handle(), 1) };
        }
    }

    /// The maximum number of queued writes.
    const WAITING: usize = 16;

    /// The input of a child.
    pub struct ChildInput(Sender<Vec<u8>>);

    impl ChildInput {
        /// Starts the thread that writes; it ends when the input is dropped, or at a failed write.
        ///
        /// # Errors
        /// If the thread cannot be started.
        pub fn new(mut input: ChildStdin) -> io::Result<ChildInput> {
            let (sender, waiting) = bounded::<Vec<u8>>(WAITING);
            let write = move || {
                let _ = waiting.iter().try_for_each(|bytes| input.write_all(&bytes));
            };
            thread::Builder::new()
                .name("engine input".into())
                .stack_size(256 << 10)
                .spawn(write)?;
            Ok(ChildInput(sender))
        }

        /// Passes the bytes to the thread; a failed write is reported by the next call.
        ///
        /// # Errors
        /// [`io::ErrorKind::WouldBlock`] if the child does not read.
        pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            match self.0.try_send(bytes.to_vec()) {
                Ok(()) => Ok(bytes.len()),
                Err(TrySendError::Full(_)) => Err(io::ErrorKind::WouldBlock.into()),
                Err(TrySendError::Disconnected(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            }
        }
    }
}
