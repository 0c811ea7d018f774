//! An engine as a child process: its lines with the time of their arrival, everything said kept for the log, no call
//! that can block for ever, and no zombie.
//!
//! Each stream has a thread that does nothing but read, so megabytes of output neither block the engine nor delay the
//! stamp on the line that counts. Input is written without blocking: an engine that does not read fills its pipe, and
//! that is an error, not a hang. The child has a process group of its own, so that Ctrl-C reaches the runner alone and
//! a kill reaches the engine's own children (a shell or interpreter around it).

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, select};

use crate::protocol::client::{Line, Link, LinkError};

/// Bytes kept of one line; the rest of it is dropped.
const LONGEST_LINE: usize = 64 << 10;
/// Lines that wait for the runner before the engine has to wait.
const WAITING_LINES: usize = 16 << 10;
/// Bytes of each stream that the log keeps; the oldest go first.
const LOG_BYTES: usize = 1 << 20;
/// How long an engine may leave its input pipe full.
const WRITE_PATIENCE: Duration = Duration::from_secs(5);
/// How long after the end of its output, or after `quit`, an engine may take to exit.
const EXIT_PATIENCE: Duration = Duration::from_secs(2);

/// Which way a line went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// To the engine.
    Input,
    /// From its standard output.
    Output,
    /// From its standard error.
    Error,
}

/// A line that went to or came from an engine.
#[derive(Clone, Debug)]
pub struct Entry {
    /// When.
    pub at: Instant,
    /// Which way.
    pub way: Way,
    /// The line.
    pub text: String,
}

/// What a line costs the log, the entry around its text included.
fn size_in_log(entry: &Entry) -> usize {
    entry.text.len() + size_of::<Entry>()
}

/// One stream's last lines.
#[derive(Default)]
struct Stream {
    entries: VecDeque<Entry>,
    bytes: usize,
    dropped: u64,
}

impl Stream {
    fn push(&mut self, entry: Entry) {
        self.bytes += size_in_log(&entry);
        self.entries.push_back(entry);
        while self.bytes > LOG_BYTES {
            match self.entries.pop_front() {
                Some(oldest) => self.bytes -= size_in_log(&oldest),
                None => break,
            }
            self.dropped += 1;
        }
    }
}

/// What was said since the log was last cleared, each stream within its bounds.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<[Stream; 3]>>);

impl Log {
    fn with<T>(&self, act: impl FnOnce(&mut [Stream; 3]) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn push(&self, way: Way, at: Instant, text: &str) {
        self.with(|streams| streams[way as usize].push(Entry { at, way, text: text.into() }));
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.with(|streams| *streams = Default::default());
    }

    /// All lines in order of time, and how many older ones were dropped.
    pub fn entries(&self) -> (Vec<Entry>, u64) {
        self.with(|streams| {
            let mut all: Vec<Entry> = streams.iter().flat_map(|stream| stream.entries.iter().cloned()).collect();
            all.sort_by_key(|entry| entry.at);
            (all, streams.iter().map(|stream| stream.dropped).sum())
        })
    }

    /// What came on standard error.
    pub fn stderr(&self) -> String {
        self.with(|streams| {
            let lines: Vec<&str> =
                streams[Way::Error as usize].entries.iter().map(|entry| entry.text.as_str()).collect();
            lines.join("\n")
        })
    }
}

/// A running engine.
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Line>,
    stop: Receiver<()>,
    log: Log,
    /// Closed when standard error has been read to its end.
    errors_read: Receiver<()>,
    status: Option<ExitStatus>,
    waited: Duration,
}

impl Process {
    /// Starts a command (its words) in a directory. With `cores`, the process and all its threads stay on these.
    /// A closed `stop` ends every wait.
    ///
    /// # Errors
    /// If the command cannot be started.
    pub fn spawn(
        words: &[String],
        directory: Option<&Path>,
        cores: Option<&[usize]>,
        stop: Receiver<()>,
    ) -> io::Result<Process> {
        let (program, arguments) = words.split_first().ok_or_else(|| io::Error::other("the command is empty"))?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = match cores {
            Some(cores) => on_cores(cores, || command.spawn())?,
            None => command.spawn()?,
        };
        let (sender, lines) = bounded(WAITING_LINES);
        let log = Log::default();
        let input = child.stdin.take();
        #[cfg(unix)]
        if let Some(input) = &input {
            rustix::io::ioctl_fionbio(input, true)?;
        }
        if let Some(output) = child.stdout.take() {
            read_lines(output, Way::Output, log.clone(), Some(sender), None)?;
        }
        let (reading, errors_read) = bounded(0);
        if let Some(errors) = child.stderr.take() {
            read_lines(errors, Way::Error, log.clone(), None, Some(reading))?;
        }
        Ok(Process { child, input, lines, stop, log, errors_read, status: None, waited: Duration::ZERO })
    }

    /// What was said, shared with the threads that read.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// The time spent waiting for lines since the last call: the engine's, not the runner's.
    pub fn take_waited(&mut self) -> Duration {
        std::mem::take(&mut self.waited)
    }

    /// How the process ended, if it has.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
        }
        self.status
    }

    /// Waits a moment for an engine whose output has ended to exit.
    pub fn wait_for_exit(&mut self) -> Option<ExitStatus> {
        self.wait_for_exit_within(EXIT_PATIENCE)
    }

    /// The same with another moment.
    pub fn wait_for_exit_within(&mut self, patience: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + patience;
        let mut pause = Duration::from_micros(200);
        while self.exit_status().is_none() && Instant::now() < deadline {
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
        }
        self.status
    }

    /// Waits a moment until all that a dead engine said on standard error is in the log.
    pub fn wait_for_last_words(&self) {
        let _ = self.errors_read.recv_timeout(EXIT_PATIENCE);
    }

    /// Sends bytes as they are.
    ///
    /// # Errors
    /// If the engine does not take them.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        let Some(input) = &mut self.input else { return Err(LinkError::Closed) };
        let deadline = Instant::now() + WRITE_PATIENCE;
        let mut left = bytes;
        while !left.is_empty() {
            match input.write(left) {
                Ok(0) => return Err(LinkError::Closed),
                Ok(written) => left = &left[written..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if Instant::now() >= deadline {
                        return Err(LinkError::Blocked);
                    }
                    match self.stop.try_recv() {
                        Err(crossbeam_channel::TryRecvError::Disconnected) => return Err(LinkError::Interrupted),
                        _ => thread::sleep(Duration::from_millis(1)),
                    }
                }
                Err(_) => return Err(LinkError::Closed),
            }
        }
        Ok(())
    }

    /// Closes the engine's input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Closes the engine's input, waits a moment for its exit, and kills what is left. `true` if it went by itself.
    pub fn end(mut self) -> bool {
        self.input = None;
        let willing = self.wait_for_exit().is_some();
        self.kill();
        willing
    }

    /// Kills the engine and its children, and takes its exit status.
    fn kill(&mut self) {
        self.input = None;
        // Once the child is waited for its number may belong to another; but while a member of its group lives (a
        // grandchild that holds the output open) the number is not given away.
        #[cfg(unix)]
        if self.exit_status().is_none() || !self.output_ended() {
            let group = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw);
            if let Some(group) = group {
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            }
        }
        if self.exit_status().is_none() {
            let _ = self.child.kill();
            self.status = self.child.wait().ok();
        }
    }

    fn output_ended(&self) -> bool {
        loop {
            match self.lines.try_recv() {
                Ok(_) => {}
                Err(crossbeam_channel::TryRecvError::Empty) => return false,
                Err(crossbeam_channel::TryRecvError::Disconnected) => return true,
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Link for Process {
    fn send(&mut self, line: &str) -> Result<(), LinkError> {
        self.log.push(Way::Input, Instant::now(), line);
        self.send_bytes(&[line.as_bytes(), b"\n"].concat())
    }

    fn receive(&mut self, deadline: Instant) -> Result<Line, LinkError> {
        if let Ok(line) = self.lines.try_recv() {
            return Ok(line);
        }
        let began = Instant::now();
        let received = select! {
            recv(self.lines) -> line => line.map_err(|_| LinkError::Closed),
            recv(self.stop) -> _ => Err(LinkError::Interrupted),
            default(deadline.saturating_duration_since(began)) => Err(LinkError::Timeout),
        };
        // Waiting ends when the line arrives; what passes until this thread wakes is the runner's.
        let until = received.as_ref().map_or_else(|_| Instant::now(), |line| line.at);
        self.waited += until.saturating_duration_since(began);
        received
    }
}

/// Runs something with this thread (and so the children it starts) on these cores only.
fn on_cores<T>(cores: &[usize], act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
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

/// Reads a stream to its end in a thread of its own; `reading` is dropped at the end.
fn read_lines(
    stream: impl Read + Send + 'static,
    way: Way,
    log: Log,
    lines: Option<Sender<Line>>,
    reading: Option<Sender<()>>,
) -> io::Result<()> {
    thread::Builder::new().name(format!("engine {way:?}").to_lowercase()).stack_size(256 << 10).spawn(move || {
        let _until_the_end = reading;
        let mut stream = BufReader::with_capacity(32 << 10, stream);
        let mut bytes = Vec::new();
        while let Ok(Some(at)) = next_line(&mut stream, &mut bytes) {
            while matches!(bytes.last(), Some(b'\n' | b'\r')) {
                bytes.pop();
            }
            let text = String::from_utf8_lossy(&bytes).into_owned();
            log.push(way, at, &text);
            if let Some(lines) = &lines
                && lines.send(Line { text, at }).is_err()
            {
                break;
            }
        }
        // Nobody listens any more, but the engine must be able to write until it is killed.
        let _ = io::copy(&mut stream, &mut io::sink());
    })?;
    Ok(())
}

/// Reads one line, cut to [`LONGEST_LINE`], and says when its end was read; `None` at the end of the stream.
fn next_line(stream: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<Instant>> {
    line.clear();
    let mut any = false;
    loop {
        let available = match stream.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let at = Instant::now();
        if available.is_empty() {
            return Ok(any.then_some(at));
        }
        any = true;
        let (used, ended) = match available.iter().position(|&byte| byte == b'\n') {
            Some(end) => (end + 1, true),
            None => (available.len(), false),
        };
        let room = LONGEST_LINE.saturating_sub(line.len());
        line.extend_from_slice(&available[..used.min(room)]);
        stream.consume(used);
        if ended {
            return Ok(Some(at));
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Process {
        Process::spawn(&["sh".into(), "-c".into(), script.into()], None, None, crossbeam_channel::never()).unwrap()
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(20)
    }

    #[test]
    fn lines_come_stamped_and_everything_is_logged() {
        let mut process = shell("read line; echo \"got $line\"; echo oops >&2; printf 'last'; exit 3");
        let sent = Instant::now();
        process.send("hello").unwrap();
        let line = process.receive(soon()).unwrap();
        assert_eq!(line.text, "got hello");
        assert!(line.at >= sent && line.at <= Instant::now());
        assert_eq!(process.receive(soon()).unwrap().text, "last");
        assert_eq!(process.receive(soon()).unwrap_err(), LinkError::Closed);
        assert_eq!(process.wait_for_exit().and_then(|status| status.code()), Some(3));
        process.wait_for_last_words();
        assert_eq!(process.log().stderr(), "oops");
        let (entries, dropped) = process.log().entries();
        assert_eq!((entries.len(), dropped), (4, 0));
        assert_eq!((entries[0].way, entries[0].text.as_str()), (Way::Input, "hello"));
        assert_eq!(process.send("more").unwrap_err(), LinkError::Closed);
    }

    #[test]
    fn megabytes_neither_block_nor_pile_up() {
        // Four megabytes without a newline, thousands of lines, then the one that counts.
        let mut process = shell("head -c 4000000 /dev/zero | tr '\\0' x; echo; yes noise | head -n 100000; echo done");
        let first = process.receive(soon()).unwrap();
        assert_eq!(first.text.len(), LONGEST_LINE);
        while process.receive(soon()).unwrap().text != "done" {}
        let (entries, dropped) = process.log().entries();
        assert!(entries.iter().map(size_in_log).sum::<usize>() <= LOG_BYTES);
        assert!(dropped > 0);
    }

    #[test]
    fn an_engine_that_does_not_read_is_noticed() {
        let mut process = shell("exec sleep 600");
        let line = "x".repeat(16 << 10);
        let error = (0..100).find_map(|_| process.send(&line).err());
        assert_eq!(error, Some(LinkError::Blocked));
    }

    #[test]
    fn deadlines_and_interruptions_end_a_wait() {
        let (stopper, stop) = bounded(0);
        let words = ["sleep".to_string(), "600".to_string()];
        let mut process = Process::spawn(&words, None, None, stop).unwrap();
        assert_eq!(process.receive(Instant::now() + Duration::from_millis(20)).unwrap_err(), LinkError::Timeout);
        assert!(process.take_waited() >= Duration::from_millis(20));
        drop(stopper);
        assert_eq!(process.receive(soon()).unwrap_err(), LinkError::Interrupted);
    }

    #[test]
    fn a_kill_takes_the_whole_family() {
        let mut process = shell("sleep 600 & echo $!; wait");
        let grandchild = process.receive(soon()).unwrap().text;
        let (child, deadline) = (process.child.id(), soon());
        drop(process);
        assert!(!Path::new(&format!("/proc/{child}")).exists());
        // The grandchild is reaped by whoever adopts it; it is at least no longer running.
        let running = || {
            let stat = std::fs::read_to_string(format!("/proc/{grandchild}/stat")).unwrap_or_default();
            !matches!(stat.rsplit(") ").next().and_then(|rest| rest.chars().next()), None | Some('Z' | 'X'))
        };
        while running() {
            assert!(Instant::now() < deadline, "the grandchild lives on");
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn children_stay_on_their_cores() {
        let core = available_cores()[0];
        let words: Vec<String> = ["sh", "-c", "grep Cpus_allowed_list /proc/self/status"].map(String::from).into();
        let mut process = Process::spawn(&words, None, Some(&[core]), crossbeam_channel::never()).unwrap();
        if Path::new("/proc/self/status").exists() {
            let line = process.receive(soon()).unwrap().text;
            assert_eq!(line.split_whitespace().last(), Some(core.to_string().as_str()));
        }
        assert!(available_cores().contains(&core));
    }
}
