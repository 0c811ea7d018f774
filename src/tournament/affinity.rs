//! CPU affinity: the cores this process may use, and starting children on chosen cores.

use std::io;
use std::thread;

/// Runs `act` with this thread, and so the children it starts, restricted to these cores.
pub fn with_affinity<T>(cores: &[usize], act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
        let before = sched_getaffinity(None)?;
        let mut wanted = CpuSet::new();
        cores.iter().for_each(|&core| wanted.set(core));
        sched_setaffinity(None, &wanted)?;
        let result = act();
        sched_setaffinity(None, &before)?;
        result
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = cores;
        act()
    }
}

/// The cores this process may use.
pub fn available_cores() -> Vec<usize> {
    #[cfg(target_os = "linux")]
    if let Ok(set) = rustix::thread::sched_getaffinity(None) {
        return (0..rustix::thread::CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect();
    }
    (0..thread::available_parallelism().map_or(1, usize::from)).collect()
}
