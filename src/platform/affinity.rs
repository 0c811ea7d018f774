//! CPU affinity: the cores this process may use, and starting children on chosen cores.

use std::io;
use std::process::{Child, Command};

/// The cores this process may use; `None` where the system cannot bind processes to cores.
pub fn available_cores() -> Option<Vec<usize>> {
    system::available_cores()
}

/// Starts a child that is bound to these cores, with all its threads and children.
///
/// # Errors
/// If it cannot be started or bound.
pub fn spawn_on(cores: &[usize], command: &mut Command) -> io::Result<Child> {
    system::spawn_on(cores, command)
}

#[cfg(target_os = "linux")]
mod system {
    use std::io;
    use std::process::{Child, Command};

    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    pub fn available_cores() -> Option<Vec<usize>> {
        let set = sched_getaffinity(None).ok()?;
        Some((0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect())
    }

    /// A child inherits the affinity of the thread that starts it.
    pub fn spawn_on(cores: &[usize], command: &mut Command) -> io::Result<Child> {
        let before = sched_getaffinity(None)?;
        let mut wanted = CpuSet::new();
        cores.iter().for_each(|&core| wanted.set(core));
        sched_setaffinity(None, &wanted)?;
        let child = command.spawn();
        sched_setaffinity(None, &before)?;
        child
    }
}

/// Masks of the cores of one processor group, at most 64.
#[cfg(windows)]
#[allow(unsafe_code)]
mod system {
    use std::io;
    use std::os::windows::io::AsRawHandle;
    use std::process::{Child, Command};

    use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessAffinityMask, SetProcessAffinityMask};

    pub fn available_cores() -> Option<Vec<usize>> {
        let (mut process, mut system) = (0, 0);
        // SAFETY: the handle of this process is always valid, and the two pointers are only written to.
        let ok = unsafe { GetProcessAffinityMask(GetCurrentProcess(), &mut process, &mut system) } != 0;
        ok.then(|| (0..usize::BITS as usize).filter(|core| process >> core & 1 != 0).collect())
    }

    /// Binds the child right after its start.
    pub fn spawn_on(cores: &[usize], command: &mut Command) -> io::Result<Child> {
        let mut child = command.spawn()?;
        let mask = cores.iter().fold(0, |mask, core| mask | 1 << core);
        // SAFETY: the child's handle is open.
        if unsafe { SetProcessAffinityMask(child.as_raw_handle(), mask) } == 0 {
            let error = io::Error::last_os_error();
            let _ = child.kill();
            return Err(error);
        }
        Ok(child)
    }
}

#[cfg(not(any(target_os = "linux", windows)))]
mod system {
    use std::io;
    use std::process::{Child, Command};

    pub fn available_cores() -> Option<Vec<usize>> {
        None
    }

    pub fn spawn_on(_cores: &[usize], _command: &mut Command) -> io::Result<Child> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
