//! The driver connects the input, the engine and the output.
//!
//! One thread reads lines and records their arrival times, one writes, one searches. The driver's
//! loop on the main thread waits for lines and reports, and blocks on nothing else. All commands go
//! through one queue ([`CommandQueue`]), which decides when each is handled.

#![deny(clippy::indexing_slicing)]

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, bounded, never, select, unbounded};

use super::Protocol;
use super::dialect::{Dialect, Tag};
use super::line::{BOM, LineError, read_line};
use super::queue::CommandQueue;
use super::writer::Writer;
use crate::engine::Engine;
use crate::engine::event::Event;
use crate::engine::options::Options;
use crate::engine::request::Request;
use crate::engine::worker::Report;
use crate::logging::{LINE_IN, PROTOCOL};
use crate::platform::streams::{stdout_hung_up, stdout_shows_color, stdout_unread};
use crate::platform::wake_up::wake_up_fast;

/// The interval of keep-alive lines (protocol.md guarantees a second).
const HEARTBEAT: Duration = Duration::from_millis(900);
/// How often the engine is polled for the current root move.
const ROOT_MOVE_EVERY: Duration = Duration::from_millis(200);
/// After `quit`, output is dropped if its reader has not read for this long.
const READER_TIMEOUT: Duration = Duration::from_secs(2);

/// An input line and its arrival time.
type Arrival = (Instant, Result<String, LineError>);

/// Runs a protocol on stdin and stdout until the input ends, `quit` arrives, or the output is
/// closed. Without a protocol the first line selects it. Boards are drawn in color on a terminal.
///
/// # Errors
/// If the input cannot be read, after all lines before that are done, or the output cannot be
/// written.
pub fn run(options: Options, protocol: Option<Protocol>) -> io::Result<()> {
    wake_up_fast();
    let engine = Engine::new(options);
    let reports = engine.reports();
    let mut driver = StdioDriver {
        engine,
        dialect: Protocol::default().dialect(false),
        has_protocol: false,
        writer: Writer::start(io::stdout()),
        queue: CommandQueue::default(),
        running: Tag::default(),
        is_quitting: false,
        last_output: Instant::now(),
    };
    if let Some(protocol) = protocol {
        driver.select_protocol(protocol);
    }
    let (lines, failure) = read_lines();
    let written = driver.run(lines, &reports);
    written.map_err(|error| in_stream("standard output", &error))?;
    // Without a message, the reader is at its end, or still reads after `quit`.
    let failed = failure.try_recv();
    failed.map_or(Ok(()), |error| Err(in_stream("standard input", &error)))
}

/// An error that names its stream.
fn in_stream(stream: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{stream}: {error}"))
}

/// Starts the thread that reads lines; their channel disconnects at the end of input or on a read
/// error, which the other channel then has.
fn read_lines() -> (Receiver<Arrival>, Receiver<io::Error>) {
    let (sender, lines) = unbounded();
    let (failure, failed) = bounded(1);
    thread::spawn(move || {
        wake_up_fast();
        let mut input = io::stdin().lock();
        let mut is_first = true;
        loop {
            let mut line = match read_line(&mut input) {
                Ok(Some(line)) => line,
                Ok(None) => return,
                Err(error) => {
                    let _ = failure.send(error); // the channel has room
                    return;
                }
            };
            if std::mem::take(&mut is_first) {
                line = line.map(|line| line.strip_prefix(BOM).unwrap_or(&line).into());
            }
            if sender.send((Instant::now(), line)).is_err() {
                return;
            }
        }
    });
    (lines, failed)
}

struct StdioDriver {
    engine: Engine,
    dialect: Box<dyn Dialect>,
    /// Whether the dialect is selected; else the first line selects it.
    has_protocol: bool,
    writer: Writer,
    queue: CommandQueue,
    /// The tag of the command whose job is running.
    running: Tag,
    /// Whether `quit` is in the queue; later lines are ignored.
    is_quitting: bool,
    /// When text was last passed to the writer.
    last_output: Instant,
}

impl StdioDriver {
    fn run(&mut self, mut lines: Receiver<Arrival>, reports: &Receiver<Report>) -> io::Result<()> {
        let mut ended = false;
        loop {
            while let Some((tag, request, arrived)) = self.queue.next(self.engine.activity()) {
                if self.handle(tag, request, arrived) {
                    return self.close();
                }
            }
            if ended && self.queue.is_empty() && !self.engine.is_busy() {
                return self.close();
            }
            // Other output does not delay the heartbeat of a search, and lines that the dialect
            // suppresses do not count.
            let silence = self
                .last_output
                .elapsed()
                .max(self.engine.silent_for().unwrap_or_default());
            let heartbeat = HEARTBEAT.saturating_sub(silence);
            let timeout = if self.engine.is_busy() {
                heartbeat.min(ROOT_MOVE_EVERY)
            } else {
                Duration::MAX
            };
            select! {
                recv(lines) -> arrival => match arrival {
                    Ok(arrival) => {
                        self.enqueue(arrival);
                        if self.is_quitting {
                            lines = never();
                        }
                    }
                    Err(_) => {
                        log::debug!(target: PROTOCOL, "end of input");
                        ended = true;
                        lines = never();
                        if self.dialect.stops_at_end_of_input() {
                            self.prepare_quit();
                        } else {
                            self.emit(&self.running.clone(), |engine, out| engine.end_input(out));
                        }
                    }
                },
                recv(reports) -> report => {
                    if let Ok(report) = report {
                        self.emit(&self.running.clone(), |engine, out| engine.report(report, out));
                    }
                }
                recv(self.writer.failed()) -> error => return error.map_or(Ok(()), Err),
                default(timeout) => {
                    self.emit(&self.running.clone(), |engine, out| engine.root_move(out));
                    if timeout < heartbeat {
                        continue;
                    }
                    // even if the dialect suppresses the heartbeat
                    self.last_output = Instant::now();
                    self.emit(&self.running.clone(), |engine, out| engine.heartbeat(out));
                    // A dialect that writes nothing during a search would not notice.
                    if stdout_hung_up() {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn select_protocol(&mut self, protocol: Protocol) {
        log::debug!(target: PROTOCOL, "protocol {}", protocol.name());
        self.engine.set_dialect_rules(protocol.rules());
        self.dialect = protocol.dialect(stdout_shows_color());
        self.has_protocol = true;
    }

    /// Parses a line and queues its commands.
    fn enqueue(&mut self, (arrived, line): Arrival) {
        match &line {
            Ok(line) => log::debug!(target: PROTOCOL, "{LINE_IN} {line}"),
            Err(error) => log::debug!(target: PROTOCOL, "{LINE_IN} invalid line: {error}"),
        }
        if !self.has_protocol {
            let first = line.as_ref().map_or("", |line| line.trim());
            if line.is_ok() && (first.is_empty() || first.starts_with('#')) {
                return;
            }
            self.select_protocol(Protocol::detect(first));
        }
        let (tag, requests) = match line {
            Ok(line) => self.dialect.parse(&line),
            Err(error) => (Tag::default(), vec![Request::Error(error.to_string())]),
        };
        for request in requests {
            if request == Request::Cancel {
                self.queue.drop_searches();
                self.handle(tag.clone(), request, arrived);
                continue;
            }
            let is_quit = request == Request::Quit;
            self.queue.push(tag.clone(), request, arrived);
            if is_quit {
                self.prepare_quit();
            }
        }
    }

    /// Cuts all queued work short; it is still answered before the process exits.
    fn prepare_quit(&mut self) {
        self.is_quitting = true;
        self.emit(&self.running.clone(), |engine, out| {
            engine.prepare_exit(out)
        });
    }

    /// Handles a command; `true`: exit.
    fn handle(&mut self, tag: Tag, request: Request, arrived: Instant) -> bool {
        let is_quit = request == Request::Quit;
        let was_busy = self.engine.is_busy();
        // The result that `stop` or `ponderhit` releases belongs to the command that started the
        // search.
        let releases = matches!(request, Request::Stop | Request::PonderHit);
        let tag = if was_busy && releases {
            self.running.clone()
        } else {
            tag
        };
        self.emit(&tag, |engine, out| engine.handle(request, arrived, out));
        if !was_busy && self.engine.is_busy() {
            self.running = tag;
            self.last_output = Instant::now();
        }
        is_quit
    }

    /// Calls the engine and passes its events, formatted by the dialect, to the writer.
    fn emit(&mut self, tag: &Tag, act: impl FnOnce(&mut Engine, &mut dyn FnMut(Event))) {
        let (dialect, writer, last_output) =
            (&mut self.dialect, &self.writer, &mut self.last_output);
        act(&mut self.engine, &mut |event| {
            for output in dialect.format(tag, &event) {
                writer.push(output);
                *last_output = Instant::now();
            }
        });
    }

    /// Writes the remaining output: all of it at the end of input; after `quit`, only while the
    /// reader reads.
    fn close(&self) -> io::Result<()> {
        self.writer
            .close(self.is_quitting.then_some(READER_TIMEOUT), stdout_unread)
    }
}
