//! An engine as a child process: timestamped lines, a log, no call that can block forever, no zombies.
//!
//! Each output stream has a thread that only reads, so that heavy output neither blocks the engine nor delays the
//! timestamps. Input is written without blocking: a full pipe of an engine that does not read is an error, not a
//! hang. The child has its own process group, so that Ctrl-C reaches only the runner, and a kill also reaches
//! the children of a wrapper script. The child is killed when the runner exits.

use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, bounded, select};

use super::engine_log::{EngineLog, StreamKind};
use super::line_reader::spawn_line_reader;
use crate::platform::child_process::{ChildInput, ProcessTree, isolate, spawn, take_input};
use crate::platform::processor_wait::WaitMeter;
use crate::protocol::client::{Link, LinkError, ReceivedLine};

/// The length of the queue of received lines; when it is full, the engine's output blocks.
const QUEUED_LINES: usize = 16 << 10;
/// How long an engine may leave its input pipe full.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);
/// How long an engine may take to exit after the end of its output or after `quit`.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// A running engine.
pub struct EngineProcess {
    child: Child,
    tree: ProcessTree,
    input: Option<ChildInput>,
    lines: Receiver<ReceivedLine>,
    stop: Receiver<()>,
    log: EngineLog,
    /// Disconnected when standard error has been read to its end.
    stderr_open: Receiver<()>,
    status: Option<ExitStatus>,
    wait_time: Duration,
    /// For the engine, and for the thread that reads its output.
    meters: [WaitMeter; 2],
}

impl EngineProcess {
    /// Starts a command (program and arguments) in a directory. With `cores`, the process is pinned to
    /// these. Disconnecting `stop` ends every wait.
    ///
    /// # Errors
    /// If the command cannot be started.
    pub fn spawn(
        words: &[String],
        directory: Option<&Path>,
        cores: Option<&[usize]>,
        stop: Receiver<()>,
    ) -> io::Result<EngineProcess> {
        let (program, arguments) = words.split_first().ok_or_else(|| io::Error::other("the command is empty"))?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        isolate(&mut command);
        let mut child = spawn(command, cores.map(<[usize]>::to_vec))?;
        let tree = ProcessTree::of(&child)?;
        let (sender, lines) = bounded(QUEUED_LINES);
        let log = EngineLog::default();
        let input = take_input(&mut child)?;
        let output = child.stdout.take().ok_or_else(|| io::Error::other("no standard output"))?;
        let reader = spawn_line_reader(output, StreamKind::Output, log.clone(), Some(sender), None)?;
        let meters = [WaitMeter::of_process(child.id()), reader];
        let (until_end, stderr_open) = bounded(0);
        if let Some(errors) = child.stderr.take() {
            spawn_line_reader(errors, StreamKind::Error, log.clone(), None, Some(until_end))?;
        }
        let (status, wait_time) = (None, Duration::ZERO);
        Ok(EngineProcess { child, tree, input, lines, stop, log, stderr_open, status, wait_time, meters })
    }

    /// Finds the threads of the engine, whose CPU waits are measured.
    pub fn find_threads(&mut self) {
        self.meters[0].find_threads();
    }

    /// Starts measuring CPU waits.
    pub fn begin_waits(&mut self) {
        self.meters.iter_mut().for_each(WaitMeter::begin);
    }

    /// The CPU waits since then: the sum over the engine's threads, and that of the thread that reads its output;
    /// `None` if unavailable.
    pub fn waits(&mut self) -> [Option<Duration>; 2] {
        self.meters.each_mut().map(WaitMeter::waited)
    }

    /// The log, shared with the reader threads.
    pub fn log(&self) -> &EngineLog {
        &self.log
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

    /// Writes raw bytes to the engine's input.
    ///
    /// # Errors
    /// If the engine has closed its input or does not read it.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        let Some(input) = &mut self.input else { return Err(LinkError::Closed) };
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

    /// Closes the engine's input, waits for its exit, and kills the process group if it does not exit.
    pub fn shut_down(mut self) {
        self.input = None;
        self.wait_for_exit();
        self.kill();
    }

    /// Kills the engine and its children, and reaps it.
    fn kill(&mut self) {
        self.input = None;
        // The child is alive, or a grandchild keeps the output open.
        if self.exit_status().is_none() || !self.output_ended() {
            self.tree.kill();
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

impl Drop for EngineProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Link for EngineProcess {
    fn send(&mut self, line: &str) -> Result<(), LinkError> {
        self.log.push(StreamKind::Input, Instant::now(), line);
        self.send_bytes(&[line.as_bytes(), b"\n"].concat())
    }

    fn receive(&mut self, deadline: Instant) -> Result<ReceivedLine, LinkError> {
        if let Ok(line) = self.lines.try_recv() {
            return Ok(line);
        }
        let began = Instant::now();
        let received = select! {
            recv(self.lines) -> line => line.map_err(|_| LinkError::Closed),
            recv(self.stop) -> _ => Err(LinkError::Interrupted),
            default(deadline.saturating_duration_since(began)) => Err(LinkError::Timeout),
        };
        // The wait ends when the line arrives; the delay until this thread wakes is overhead of the runner.
        let until = received.as_ref().map_or_else(|_| Instant::now(), |line| line.at);
        self.wait_time += until.saturating_duration_since(began);
        received
    }
}
