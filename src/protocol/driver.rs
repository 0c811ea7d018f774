//! The driver: lines in, text out, the engine between them.
//!
//! A thread reads lines and stamps each with its time of arrival, a thread writes, the search has its own; this loop waits
//! for whatever comes first and never for anything else. All commands go through one queue ([`Queue`]), which decides
//! when each of them acts.

#![deny(clippy::indexing_slicing)]

use std::io::{BufReader, Read, Write};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, never, select, unbounded};

use super::dialect::{Command, Dialect, Protocol, Tag};
use super::line::{LineError, read_line};
use super::queue::{Queue, Waiting};
use super::writer::Writer;
use crate::engine::Engine;
use crate::engine::event::Event;
use crate::engine::options::Options;
use crate::engine::request::Request;
use crate::engine::worker::Report;

/// A busy engine is never silent for longer than this (a second is promised).
const HEARTBEAT: Duration = Duration::from_millis(900);
/// After `quit`, how long the last search may take to answer, and how long a slow reader to take all answers: together
/// they stay below the 100 ms in which the process ends.
const LAST_ANSWER: Duration = Duration::from_millis(60);
const LAST_WORDS: Duration = Duration::from_millis(30);

/// A line and when it came.
struct Arrival {
    line: Result<String, LineError>,
    at: Instant,
}

/// Speaks a protocol until the input ends, somebody says `quit`, or the reader is gone. Without a protocol the first line
/// chooses it. `hung_up` is asked now and then whether the reader is gone: a dialect that says nothing while the engine
/// thinks would not notice.
pub fn run(
    options: Options,
    protocol: Option<Protocol>,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    hung_up: fn() -> bool,
) -> ExitCode {
    let engine = Engine::new(options);
    let reports = engine.reports();
    let mut driver = Driver {
        engine,
        dialect: None,
        writer: Writer::start(output),
        queue: Queue::default(),
        running: Tag::default(),
        hung_up,
        last_word: Instant::now(),
    };
    if let Some(protocol) = protocol {
        driver.speak(protocol);
    }
    driver.serve(read_lines(input), &reports);
    ExitCode::SUCCESS
}

/// Starts the thread that reads lines; its channel disconnects at the end of input.
fn read_lines(input: impl Read + Send + 'static) -> Receiver<Arrival> {
    let (sender, lines) = unbounded();
    thread::spawn(move || {
        let mut input = BufReader::new(input);
        // An input that cannot be read any more has ended.
        while let Ok(Some(line)) = read_line(&mut input) {
            if sender.send(Arrival { line, at: Instant::now() }).is_err() {
                break;
            }
        }
    });
    lines
}

struct Driver {
    engine: Engine,
    /// Chosen by the first line.
    dialect: Option<Box<dyn Dialect>>,
    writer: Writer,
    /// What has not acted yet.
    queue: Queue,
    /// The tag of the command that the search thread works on.
    running: Tag,
    /// Whether the reader is gone.
    hung_up: fn() -> bool,
    /// When text was last handed to the writer.
    last_word: Instant,
}

impl Driver {
    fn serve(&mut self, mut lines: Receiver<Arrival>, reports: &Receiver<Report>) {
        let mut ended = false;
        loop {
            while let Some(next) = self.queue.next(self.engine.activity()) {
                if self.carry_out(next) {
                    return self.quit(reports);
                }
            }
            if ended && self.queue.is_empty() && !self.engine.is_busy() {
                return self.writer.close(None);
            }
            // No other line puts off that of a search, and what a dialect leaves out is no line.
            let silent_for = self.last_word.elapsed().max(self.engine.silent_for().unwrap_or_default());
            let patience = if self.engine.is_busy() { HEARTBEAT.saturating_sub(silent_for) } else { Duration::MAX };
            select! {
                recv(lines) -> arrival => match arrival {
                    Ok(arrival) => {
                        if self.take_in(arrival) {
                            return self.quit(reports);
                        }
                    }
                    Err(_) => {
                        ended = true;
                        lines = never();
                        if self.dialect.as_ref().is_some_and(|dialect| dialect.stops_at_end_of_input()) {
                            return self.quit(reports);
                        }
                        self.emit(self.running, |engine, out| engine.end_input(out));
                    }
                },
                recv(reports) -> report => {
                    if let Ok(report) = report {
                        self.emit(self.running, |engine, out| engine.report(report, out));
                    }
                }
                recv(self.writer.ended()) -> _ => return, // the reader is gone: nobody is left to serve
                default(patience) => {
                    self.last_word = Instant::now(); // also where there is nothing to say
                    self.emit(self.running, |engine, out| engine.heartbeat(out));
                    if (self.hung_up)() {
                        return;
                    }
                }
            }
        }
    }

    fn speak(&mut self, protocol: Protocol) {
        let dialect = protocol.dialect();
        self.engine.set_conduct(dialect.conduct());
        if protocol.needs_discs() && !self.engine.has_discs() {
            // The command line, which checks what it is told, left the choice of the protocol to the first line.
            let _ = self.engine.set_option("Game", Some("othello"));
        }
        self.dialect = Some(dialect);
    }

    /// Queues the commands of a line. `true`: it is time to leave.
    fn take_in(&mut self, Arrival { line, at }: Arrival) -> bool {
        if self.dialect.is_none() {
            let first = line.as_ref().map_or("", |line| line.trim());
            if line.is_ok() && (first.is_empty() || first.starts_with('#')) {
                return false;
            }
            self.speak(Protocol::of(first));
        }
        let Some(dialect) = &mut self.dialect else { return false };
        log::debug!("heard {line:?}");
        let commands = match line {
            Ok(line) => dialect.read(&line),
            Err(error) => dialect.refuse(error),
        };
        let owes_answers = dialect.answers_all_before_quit();
        for command in commands {
            let waiting = Waiting { command, arrived: at };
            match waiting.command.request {
                // `quit` waits only where everything before it is owed an answer.
                Request::Quit if !owes_answers => return self.carry_out(waiting),
                Request::Quit => {
                    self.emit(self.running, |engine, out| engine.hurry(out));
                    self.queue.push(waiting);
                }
                Request::Cancel => {
                    self.queue.drop_searches();
                    self.carry_out(waiting);
                }
                _ => self.queue.push(waiting),
            }
        }
        false
    }

    /// Carries out a command; `true`: it is time to leave.
    fn carry_out(&mut self, Waiting { command: Command { tag, request }, arrived }: Waiting) -> bool {
        if request == Request::Quit {
            self.emit(tag, |engine, out| engine.handle(request, arrived, out));
            return true;
        }
        let was_busy = self.engine.is_busy();
        // What an urgent command sets free belongs to the command that was running.
        let frees = matches!(request, Request::Stop | Request::PonderHit);
        let tag = if was_busy && frees { self.running } else { tag };
        self.emit(tag, |engine, out| engine.handle(request, arrived, out));
        if !was_busy && self.engine.is_busy() {
            self.running = tag;
            self.last_word = Instant::now();
        }
        false
    }

    /// Lets the engine speak, and hands what the dialect makes of it to the writer.
    fn emit(&mut self, tag: Tag, act: impl FnOnce(&mut Engine, &mut dyn FnMut(Event))) {
        let Some(dialect) = &mut self.dialect else { return };
        let (writer, last_word) = (&self.writer, &mut self.last_word);
        act(&mut self.engine, &mut |event| {
            if let Some(output) = dialect.write(tag, &event) {
                writer.push(output);
                *last_word = Instant::now();
            }
        });
    }

    /// Stops the search, says its answer if it comes soon, and leaves whatever a slow reader has not taken.
    fn quit(&mut self, reports: &Receiver<Report>) {
        self.emit(self.running, |engine, out| engine.stop(out));
        let end = Instant::now() + LAST_ANSWER;
        while self.engine.is_busy() {
            let Ok(report) = reports.recv_deadline(end) else { break };
            self.emit(self.running, |engine, out| engine.report(report, out));
        }
        self.writer.close(Some(LAST_WORDS));
    }
}
