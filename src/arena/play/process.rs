//! An engine as a child process: timestamped lines, a log, no call that can block forever, no
//! zombies. The log keeps the last lines of standard input, output and error, in bounded memory.
//!
//! Each output stream has a thread that only reads, so that heavy output neither blocks the engine
//! nor delays the timestamps. Input is written without blocking: a full pipe of an engine that does
//! not read is an error, not a hang. The child has its own process group, so that Ctrl-C reaches
//! only the runner, and a kill also reaches the children of a wrapper script. The child is killed
//! when the runner exits.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, TryRecvError, bounded, select};

use super::match_log::MatchLog;
use crate::arena::client::{Link, LinkError, ReceivedLine};
use crate::arena::rules::clock::LONG_GAP;
use crate::game::printable_lines;
use crate::platform::child_process::{ChildInput, ProcessTree, isolate, spawn};
use crate::platform::processor_wait::{WaitMeter, thread_wait};

/// The length of the queue of received lines; when it is full, the engine's output blocks.
const QUEUED_LINES: usize = 1 << 10;
/// How long an engine may leave its input pipe full.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);
/// The interval of the heartbeat: how often a thread that waits for a line wakes up.
const HEARTBEAT: Duration = Duration::from_millis(100);
/// How long lines may follow the exit of the process, from a child that holds its output open.
const LINES_AFTER_EXIT: Duration = Duration::from_secs(1);
/// How long an engine may take to exit after the end of its output or after `quit`.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// A running engine.
pub struct EngineProcess {
    child: Child,
    tree: ProcessTree,
    input: Option<ChildInput>,
    lines: Receiver<ReceivedLine>,
    /// A line that arrived after the deadline of the last wait.
    late: Option<ReceivedLine>,
    stop: Receiver<()>,
    /// The log, shared with the reader threads.
    pub log: Arc<EngineLog>,
    started: Instant,
    /// Disconnected when standard error has been read to its end.
    stderr_open: Receiver<()>,
    status: Option<ExitStatus>,
    wait_time: Duration,
    /// The CPU waits of the calling thread before it last sent or waited for a line, if known.
    pub cpu_wait: Option<Duration>,
    /// When the last received line arrived.
    pub last_arrival: Option<Instant>,
    /// When this process was found to have exited, with its output open, or to have failed.
    pub failed_at: Option<Instant>,
    heartbeat: Heartbeat,
    /// For the engine, and for the thread that reads its output.
    meters: [WaitMeter; 2],
}

impl EngineProcess {
    /// Starts a command (program and arguments) in a directory; its lines go to `log`, those of its
    /// standard error also to `stderr`. With `cores`, the process is pinned to these. Disconnecting
    /// `stop` ends every wait.
    ///
    /// # Errors
    /// If the command cannot be started.
    pub fn spawn(
        words: &[String],
        directory: Option<&Path>,
        cores: Option<&[usize]>,
        stop: Receiver<()>,
        log: Arc<EngineLog>,
        mut stderr: Option<File>,
    ) -> io::Result<EngineProcess> {
        let [program, arguments @ ..] = words else {
            return Err(io::Error::other("the command is empty"));
        };
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        isolate(&mut command);
        let started = Instant::now();
        let mut child = spawn(command, cores.map(<[usize]>::to_vec))?;
        let tree = ProcessTree::of(&child)?;
        let (sender, lines) = bounded(QUEUED_LINES);
        let input = child.stdin.take().map(ChildInput::new).transpose()?;
        let output = child
            .stdout
            .take()
            .ok_or_else(|| io::Error::other("no standard output"))?;
        let send = move |line| sender.send(line).is_ok();
        let reader = spawn_line_reader(output, StreamKind::Output, log.clone(), send)?;
        let meters = [WaitMeter::of_process(child.id()), reader];
        let (until_end, stderr_open) = bounded(0);
        if let Some(errors) = child.stderr.take() {
            spawn_line_reader(errors, StreamKind::Error, log.clone(), move |line| {
                let _dropped_at_end = &until_end;
                if let Some(file) = &mut stderr {
                    // One write per line, since several processes may append to the file. A full
                    // disk does not stop the game.
                    let _ = file.write_all((line.text + "\n").as_bytes());
                }
                true
            })?;
        }
        Ok(EngineProcess {
            child,
            tree,
            input,
            lines,
            late: None,
            stop,
            log,
            started,
            stderr_open,
            status: None,
            wait_time: Duration::ZERO,
            cpu_wait: None,
            last_arrival: None,
            failed_at: None,
            heartbeat: Heartbeat::new(),
            meters,
        })
    }

    /// Starts measuring the gaps of the heartbeat.
    pub fn begin_heartbeat(&mut self) {
        self.heartbeat = Heartbeat::new();
    }

    /// The longest gap of the heartbeat since then.
    pub fn longest_gap(&mut self) -> Duration {
        self.heartbeat.beat();
        self.heartbeat.longest_gap
    }

    /// The text on standard error.
    pub fn stderr(&self) -> String {
        let mut entries = self.log.entries().0;
        entries.retain(|entry| entry.stream == StreamKind::Error && entry.at >= self.started);
        let lines: Vec<_> = entries.into_iter().map(|entry| entry.text).collect();
        lines.join("\n")
    }

    /// Starts measuring CPU waits.
    pub fn begin_waits(&mut self) {
        self.meters.iter_mut().for_each(WaitMeter::begin);
    }

    /// The CPU waits since then: the sum over the engine's threads, and that of the thread that
    /// reads its output; `None` if unavailable.
    pub fn waits(&mut self) -> [Option<Duration>; 2] {
        self.meters.each_mut().map(WaitMeter::waited)
    }

    /// The time spent waiting for lines since the last call; it does not count as overhead.
    pub fn take_wait_time(&mut self) -> Duration {
        std::mem::take(&mut self.wait_time)
    }

    /// The exit status, if the process has exited. Kills the children that it left running.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() && self.tree.has_ended(&mut self.child) {
            self.tree.kill(); // its process id is not reused before it is reaped
            self.status = self.child.try_wait().ok().flatten();
        }
        self.status
    }

    /// Waits up to two seconds for the process to exit.
    pub fn wait_for_exit(&mut self) -> Option<ExitStatus> {
        self.wait_for_exit_within(EXIT_TIMEOUT)
    }

    /// Waits for the process to exit.
    pub fn wait_for_exit_within(&mut self, timeout: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + timeout;
        let mut pause = Duration::from_micros(200);
        while self.exit_status().is_none() && Instant::now() < deadline {
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
        }
        self.status
    }

    /// Waits until the log contains all of an exited engine's standard error.
    pub fn wait_for_stderr(&self) {
        let _ = self.stderr_open.recv_timeout(EXIT_TIMEOUT);
    }

    /// Whether the process has exited and no line has followed for a second in which the runner was
    /// not suspended, while one of its children holds its output open.
    fn has_fallen_silent(&mut self) -> bool {
        if self.failed_at.is_none() && self.tree.has_ended(&mut self.child) {
            self.failed_at = Some(Instant::now());
        }
        let since = self.failed_at.max(self.last_arrival);
        let since = since.max(self.heartbeat.resumed);
        self.failed_at.is_some() && since.is_some_and(|since| since.elapsed() >= LINES_AFTER_EXIT)
    }

    /// Writes raw bytes to the engine's input.
    ///
    /// # Errors
    /// If the engine has closed its input or does not read it.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        let Some(input) = &mut self.input else {
            return Err(LinkError::Closed);
        };
        let deadline = Instant::now() + WRITE_TIMEOUT;
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
                    if self.stop.try_recv() == Err(TryRecvError::Disconnected) {
                        return Err(LinkError::Interrupted);
                    }
                    thread::sleep(Duration::from_millis(1));
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
}

impl Drop for EngineProcess {
    /// Kills the engine and its children, and reaps it.
    fn drop(&mut self) {
        self.input = None;
        // Of a child that has exited, the tree is killed already.
        if self.exit_status().is_none() {
            self.tree.kill();
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

impl Link for EngineProcess {
    fn send_all(&mut self, lines: &[String]) -> Result<(), LinkError> {
        let now = Instant::now();
        for line in lines {
            self.log.push(StreamKind::Input, now, line);
        }
        self.cpu_wait = thread_wait();
        self.send_bytes((lines.join("\n") + "\n").as_bytes())
    }

    fn receive(&mut self, mut deadline: Instant) -> Result<ReceivedLine, LinkError> {
        if self.lines.is_empty() {
            self.cpu_wait = thread_wait();
        }
        self.heartbeat.beat();
        let began = self.heartbeat.last;
        let received = loop {
            let wait = deadline.saturating_duration_since(self.heartbeat.last);
            let received = match self.late.take() {
                Some(line) => Ok(line),
                None => select! {
                    recv(self.lines) -> line => line.map_err(|_| LinkError::Closed),
                    recv(self.stop) -> _ => Err(LinkError::Interrupted),
                    default(wait.min(HEARTBEAT)) => Err(LinkError::Timeout),
                },
            };
            let gap = self.heartbeat.beat();
            if gap >= LONG_GAP {
                // What the engine sent while the runner was suspended is read before the deadline.
                deadline += gap;
            }
            match received {
                // An engine may write faster than its lines are read, without end.
                Ok(line) if line.at > self.heartbeat.extended(deadline) => {
                    self.late = Some(line);
                    break Err(LinkError::Timeout);
                }
                Err(LinkError::Timeout) if self.has_fallen_silent() => {
                    break Err(LinkError::Closed);
                }
                Err(LinkError::Timeout) if self.heartbeat.last < deadline => {}
                received => break received,
            }
        };
        // The wait ends when the line arrives; the delay until this thread wakes is overhead of the
        // runner.
        let until = received
            .as_ref()
            .map_or_else(|_| Instant::now(), |line| line.at);
        self.wait_time += until.saturating_duration_since(began);
        if let Ok(line) = &received {
            self.last_arrival = Some(line.at);
        }
        received
    }
}

/// The times at which a thread of the runner was awake while it waited for an engine.
struct Heartbeat {
    last: Instant,
    longest_gap: Duration,
    /// When the runner last went on after it had been suspended.
    resumed: Option<Instant>,
}

impl Heartbeat {
    fn new() -> Heartbeat {
        Heartbeat {
            last: Instant::now(),
            longest_gap: Duration::ZERO,
            resumed: None,
        }
    }

    /// A deadline, extended for what the engine sent while the runner was suspended: the thread that
    /// reads it was suspended, too.
    fn extended(&self, deadline: Instant) -> Instant {
        let read = self.resumed.map(|resumed| resumed + LONG_GAP);
        read.map_or(deadline, |read| deadline.max(read))
    }

    /// Records that the thread is awake; returns the time since the last call.
    fn beat(&mut self) -> Duration {
        let now = Instant::now();
        let gap = now - self.last;
        self.last = now;
        self.longest_gap = self.longest_gap.max(gap);
        if gap >= LONG_GAP {
            self.resumed = Some(now);
        }
        gap
    }
}

/// Bytes kept per stream; the oldest lines are dropped first.
const STREAM_BYTES: usize = 1 << 20;

/// One of an engine's standard streams.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StreamKind {
    /// Its standard input.
    Input,
    /// Its standard output.
    Output,
    /// Its standard error.
    Error,
}

impl StreamKind {
    /// Its sign in logs.
    pub fn sign(self) -> char {
        match self {
            StreamKind::Input => '<',
            StreamKind::Output => '>',
            StreamKind::Error => '!',
        }
    }
}

/// A line sent to or received from an engine.
#[derive(Clone, Debug)]
pub struct LogEntry {
    /// When it was sent or received.
    pub at: Instant,
    /// The stream.
    pub stream: StreamKind,
    /// The line.
    pub text: String,
}

/// The last lines of one stream.
#[derive(Default)]
struct StreamLog {
    entries: VecDeque<LogEntry>,
    bytes: usize,
    dropped: u64,
}

impl StreamLog {
    fn push(&mut self, entry: LogEntry) {
        let bytes = |entry: &LogEntry| entry.text.len() + size_of::<LogEntry>();
        self.bytes += bytes(&entry);
        self.entries.push_back(entry);
        while self.bytes > STREAM_BYTES
            && let Some(oldest) = self.entries.pop_front()
        {
            self.bytes -= bytes(&oldest);
            self.dropped += 1;
        }
    }
}

/// The lines of all streams since the log was last cleared, also of several processes in turn.
#[derive(Default)]
pub struct EngineLog {
    streams: Mutex<[StreamLog; 3]>,
    /// The engine's name.
    name: String,
    /// The number of its game; 0 before the first.
    game: AtomicU64,
    /// The log of the tournament, where the lines also go.
    log: Option<MatchLog>,
}

impl EngineLog {
    /// An empty log of an engine, before its first game; its lines also go to `log`.
    pub fn new(name: &str, log: Option<MatchLog>) -> EngineLog {
        EngineLog {
            name: name.into(),
            log,
            ..EngineLog::default()
        }
    }

    fn streams(&self) -> MutexGuard<'_, [StreamLog; 3]> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a line.
    pub fn push(&self, stream: StreamKind, at: Instant, text: &str) {
        if let Some(log) = &self.log {
            let game = self.game.load(Ordering::Relaxed);
            log.engine_line(at, game, &self.name, stream.sign(), text);
        }
        let entry = LogEntry {
            at,
            stream,
            text: text.into(),
        };
        self.streams()[stream as usize].push(entry);
    }

    /// Removes all lines; the next ones belong to a game.
    pub fn begin_game(&self, game: u64) {
        *self.streams() = Default::default();
        self.game.store(game, Ordering::Relaxed);
    }

    /// All lines, stream by stream, and the number of older ones that were dropped.
    pub fn entries(&self) -> (Vec<LogEntry>, u64) {
        let streams = self.streams();
        let all = streams.iter().flat_map(|stream| &stream.entries);
        let dropped = streams.iter().map(|stream| stream.dropped).sum();
        (all.cloned().collect(), dropped)
    }

    /// The lines of one stream.
    pub fn lines(&self, stream: StreamKind) -> Vec<String> {
        self.streams()[stream as usize]
            .entries
            .iter()
            .map(|entry| entry.text.clone())
            .collect()
    }
}

/// The maximum length of a line in bytes; the rest is discarded.
const LONGEST_LINE: usize = 64 << 10;

/// Reads a stream in a new thread until its end or until `take` returns `false`, and drops `take`.
/// Returns the meter of the thread's CPU waits, which delay the timestamps.
fn spawn_line_reader(
    source: impl Read + Send + 'static,
    stream: StreamKind,
    log: Arc<EngineLog>,
    mut take: impl FnMut(ReceivedLine) -> bool + Send + 'static,
) -> io::Result<WaitMeter> {
    let (begun, beginning) = bounded(1);
    thread::Builder::new()
        .name(format!("engine {stream:?}").to_lowercase())
        .stack_size(256 << 10)
        .spawn(move || {
            let _ = begun.send(WaitMeter::of_this_thread());
            let mut source = BufReader::with_capacity(32 << 10, source);
            let mut bytes = Vec::new();
            while let Ok(Some(at)) = read_line(&mut source, &mut bytes) {
                // Escapes control characters, which could control the terminal or break a record;
                // tabs separate words.
                let text = String::from_utf8_lossy(&bytes);
                let text = printable_lines(text.trim_end_matches(['\n', '\r']));
                log.push(stream, at, &text);
                if !take(ReceivedLine { text, at }) {
                    break;
                }
            }
            // The receiver is gone; the engine must not block until it is killed.
            let _ = io::copy(&mut source, &mut io::sink());
        })?;
    beginning.recv().map_err(io::Error::other)
}

/// Reads one line, truncated to [`LONGEST_LINE`], and returns when its end was read; `None` at the
/// end of the stream.
fn read_line(source: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<Instant>> {
    line.clear();
    let read = source
        .by_ref()
        .take(LONGEST_LINE as u64)
        .read_until(b'\n', line)?;
    if read == LONGEST_LINE && line.last() != Some(&b'\n') {
        source.skip_until(b'\n')?;
    }
    Ok((read > 0).then(Instant::now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_lines_are_dropped() {
        let log = EngineLog::default();
        for number in 0..100_000 {
            log.push(
                StreamKind::Output,
                Instant::now(),
                &format!("line {number}"),
            );
        }
        let (entries, dropped) = log.entries();
        assert!(entries.iter().map(|entry| entry.text.len()).sum::<usize>() <= STREAM_BYTES);
        assert!(dropped > 0);
        assert_eq!(entries.last().unwrap().text, "line 99999");
    }
}
