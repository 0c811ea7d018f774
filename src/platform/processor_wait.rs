//! The time that runnable threads have waited for a CPU, to distinguish a busy machine from a slow
//! program. Linux counts it for every thread (the second number of `/proc/PID/task/TID/schedstat`,
//! in nanoseconds). It is unknown on other systems, which do not have these files.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

thread_local! {
    static OWN: RefCell<WaitMeter> = RefCell::new(WaitMeter::of_this_thread());
}

/// The total wait of the calling thread since its start; `None` if unknown.
pub fn thread_wait() -> Option<Duration> {
    OWN.with_borrow_mut(|own| own.threads.first_mut()?.read())
        .map(Duration::from_nanos)
}

/// Measures the waits of the threads of a process, or of one thread.
pub struct WaitMeter {
    /// The folder of the threads of a process.
    tasks: Option<PathBuf>,
    threads: Vec<ThreadWait>,
}

struct ThreadWait {
    id: OsString,
    file: File,
    /// Nanoseconds waited when the measurement began.
    before: u64,
}

impl ThreadWait {
    fn read(&mut self) -> Option<u64> {
        let mut bytes = [0; 96];
        let length = read_start(&mut self.file, &mut bytes).ok()?;
        std::str::from_utf8(&bytes[..length])
            .ok()?
            .split_ascii_whitespace()
            .nth(1)?
            .parse()
            .ok()
    }
}

/// Reads the start of a file, on Unix with one system call.
fn read_start(file: &mut File, bytes: &mut [u8]) -> io::Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, bytes, 0);
    #[cfg(not(unix))]
    return {
        use std::io::{Read, Seek};
        file.rewind()?;
        file.read(bytes)
    };
}

impl WaitMeter {
    /// For all threads of a process.
    pub fn of_process(id: u32) -> WaitMeter {
        WaitMeter {
            tasks: Some(format!("/proc/{id}/task").into()),
            threads: Vec::new(),
        }
    }

    /// For the calling thread; any thread may read it.
    pub fn of_this_thread() -> WaitMeter {
        let file = File::open("/proc/thread-self/schedstat").ok();
        let thread = file.map(|file| ThreadWait {
            id: OsString::new(),
            file,
            before: 0,
        });
        WaitMeter {
            tasks: None,
            threads: thread.into_iter().collect(),
        }
    }

    /// Finds the threads that the process has begun since the last call.
    fn find_threads(&mut self) {
        let Some(folder) = &self.tasks else { return };
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let id = entry.file_name();
            if self.threads.iter().all(|thread| thread.id != id)
                && let Ok(file) = File::open(entry.path().join("schedstat"))
            {
                self.threads.push(ThreadWait {
                    id,
                    file,
                    before: 0,
                });
            }
        }
    }

    /// Starts the measurement, in a few microseconds and some more for each new thread.
    pub fn begin(&mut self) {
        self.find_threads();
        self.threads.retain_mut(|thread| {
            thread.read().is_some_and(|waited| {
                thread.before = waited;
                true
            })
        });
    }

    /// The total wait of the threads since [`WaitMeter::begin`]; `None` if unknown.
    pub fn waited(&mut self) -> Option<Duration> {
        self.find_threads(); // those that began since
        let waits = self
            .threads
            .iter_mut()
            .filter_map(|thread| Some(thread.read()?.saturating_sub(thread.before)));
        waits
            .reduce(|sum, wait| sum + wait)
            .map(Duration::from_nanos)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Instant;

    use super::*;

    /// What a thread waited before the measurement began does not count, also if the thread is new.
    #[test]
    fn a_measurement_begins_with_all_threads() {
        let mut meter = WaitMeter::of_process(std::process::id());
        meter.begin();
        let (ready, id) = channel();
        let (end, ended) = channel::<()>();
        let thread = thread::spawn(move || {
            ready.send(fs::read_link("/proc/thread-self").ok()).unwrap();
            let _ = ended.recv();
        });
        let id = id.recv().unwrap();
        meter.begin();
        let is_new = |thread: &ThreadWait| {
            id.as_ref()
                .is_some_and(|id| id.file_name() == Some(&thread.id))
        };
        assert!(
            thread_wait().is_none() || meter.threads.iter().any(is_new),
            "{id:?}"
        );
        drop(end);
        thread.join().unwrap();
    }

    #[test]
    fn a_busy_machine_makes_threads_wait() {
        let mut own = WaitMeter::of_process(std::process::id());
        own.begin();
        if own.waited().is_none() {
            return; // not known on this system
        }
        // More busy threads than any machine has cores for, until one of them has waited.
        let (done, ended) = channel();
        let threads = 2 * thread::available_parallelism().map_or(1, usize::from) + 1;
        let patience = Instant::now() + Duration::from_secs(60);
        let busy = move || {
            let mut meter = WaitMeter::of_this_thread();
            meter.begin();
            while meter.waited().is_some_and(|waited| waited.is_zero()) && Instant::now() < patience
            {
            }
            meter.waited()
        };
        for _ in 0..threads {
            let done = done.clone();
            thread::spawn(move || done.send(busy()));
        }
        drop(done);
        let waits: Vec<Duration> = ended.iter().flatten().collect();
        assert_eq!(waits.len(), threads);
        assert!(waits.iter().any(|waited| !waited.is_zero()));
        assert!(own.waited().is_some_and(|all| !all.is_zero()));
    }
}
