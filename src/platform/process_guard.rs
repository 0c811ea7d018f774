//! Ends the processes that engines leave behind, also those in a session of their own, which a
//! process group does not include. On Linux only.
//!
//! The environment of every engine has a mark, which its children inherit. A guard process waits for
//! the end of this process, however it ends, and then kills all processes with the mark.

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::OsString;
    use std::fs;
    use std::io::{self, Read};
    use std::os::unix::process::CommandExt;
    use std::process::{ChildStdin, Command, Stdio};
    use std::sync::OnceLock;
    use std::thread::sleep;
    use std::time::{Duration, SystemTime};

    use rustix::process::{Pid, Signal, kill_process};

    /// The first argument of a guard process.
    const ARGUMENT: &str = "--end-engines";
    /// The environment variable that marks the engines of a process.
    const MARK: &str = "NULLWINDOW_RUN";
    /// The number of scans without a marked process that end the guard: a process may be starting
    /// during one.
    const EMPTY_SCANS: u32 = 3;
    const PAUSE: Duration = Duration::from_millis(10);
    /// The maximum number of scans.
    const SCANS: u32 = 1000;

    /// The value of the mark, and the input of the guard, which ends with this process.
    struct Guard {
        mark: String,
        _input: ChildStdin,
    }

    static ENABLED: OnceLock<()> = OnceLock::new();
    static GUARD: OnceLock<Option<Guard>> = OnceLock::new();

    /// If this process is a guard, waits for its end and returns `true`. Otherwise the first engine
    /// will start one.
    pub fn run_or_enable(words: &[OsString]) -> bool {
        if let [_, argument, mark] = words
            && argument == ARGUMENT
            && let Some(mark) = mark.to_str()
        {
            let _ = io::stdin().lock().read_to_end(&mut Vec::new());
            end_marked(format!("{MARK}={mark}").as_bytes());
            return true;
        }
        let _ = ENABLED.set(());
        false
    }

    /// Marks an engine before its start.
    pub fn mark(command: &mut Command) {
        let start = || ENABLED.get().and_then(|()| start_guard().ok());
        if let Some(guard) = GUARD.get_or_init(start) {
            command.env(MARK, &guard.mark);
        }
    }

    fn start_guard() -> io::Result<Guard> {
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        let mark = format!("{}-{}", std::process::id(), now.as_nanos());
        let mut command = Command::new(std::env::current_exe()?);
        command.args([ARGUMENT, &mark]).stdin(Stdio::piped());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.current_dir("/").process_group(0); // it does not receive Ctrl-C
        let input = command.spawn()?.stdin.take();
        Ok(Guard {
            mark,
            _input: input.ok_or(io::ErrorKind::BrokenPipe)?,
        })
    }

    /// Kills all processes with a mark in their environment.
    fn end_marked(mark: &[u8]) {
        let mut empty = 0;
        for _ in 0..SCANS {
            let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
            let marked = processes.filter_map(|entry| {
                let id: i32 = entry.file_name().to_str()?.parse().ok()?;
                let environment = fs::read(entry.path().join("environ")).ok()?;
                let is_marked = environment
                    .split(|&byte| byte == 0)
                    .any(|word| word == mark);
                Pid::from_raw(id).filter(|_| is_marked)
            });
            empty += 1;
            for id in marked {
                let _ = kill_process(id, Signal::KILL);
                empty = 0;
            }
            if empty == EMPTY_SCANS {
                return;
            }
            sleep(PAUSE);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::ffi::OsString;
    use std::process::Command;

    /// Returns `false`: no process is a guard here.
    pub fn run_or_enable(_: &[OsString]) -> bool {
        false
    }

    /// No effect.
    pub fn mark(_: &mut Command) {}
}

pub use system::{mark, run_or_enable};
