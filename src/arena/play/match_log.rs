//! The log of a tournament (`--log`): starts and ends of games, faults and warnings, and every line
//! to and from the engines, with times.
//!
//! One thread writes the file, each line as soon as it arrives, so games do not wait for the disk
//! unless the queue is full. No line is dropped.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};
use std::{iter, thread};

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};
use crossbeam_channel::{Receiver, Sender, bounded};

use crate::arena::config::engine_spec::is_on;
use crate::arena::config::key_values::Keys;
use crate::arena::config::usage_error::UsageError;
use crate::logging::date;
use crate::logging::progress::print_line;
use crate::platform::files::append_regular;

/// The length of the queue of lines; when it is full, the output of the engines blocks.
const QUEUED_LINES: usize = 64 << 10;
/// The maximum size of one write, unless a single line is longer.
const WRITE_BYTES: usize = 64 << 10;
/// The maximum time to write the queue at the end of the tournament.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(10);

/// What the runner itself logs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, ValueEnum)]
pub enum LogLevel {
    /// Faults, and warnings about search reports
    Warn,
    /// Also starts and ends of games
    #[default]
    Info,
}

/// The value of `--log`.
#[derive(Parser, Clone, Debug)]
pub struct LogOptions {
    /// The file, opened for appending.
    #[arg(long)]
    pub file: PathBuf,
    #[arg(long, value_enum, default_value_t)]
    level: LogLevel,
    /// Whether the lines to and from the engines are logged.
    #[arg(long, default_value = "on", value_parser = is_on, action = clap::ArgAction::Set)]
    engine: bool,
}

impl Keys for LogOptions {
    const OPTION: &'static str = "--log";
    const HELP: &'static str = "\
        Append a log to a file: file=PATH, level=warn|info (warn: faults and warnings; info: also starts and ends of \
        games) [default: info], engine=on|off (every line to and from the engines) [default: on]";
}

/// An entry of the queue.
enum Entry {
    Line(String),
    /// All earlier lines are to be written before the answer.
    Flush(Sender<()>),
}

/// The open log; clones write to the same file.
#[derive(Clone)]
pub struct MatchLog {
    queue: Sender<Entry>,
    level: LogLevel,
    engine: bool,
    /// The same moment on both clocks.
    opened: (Instant, SystemTime),
}

impl MatchLog {
    /// Opens the file and starts the thread that writes it.
    ///
    /// # Errors
    /// If the file cannot be opened for appending, or is not a regular file.
    pub fn open(options: &LogOptions) -> Result<MatchLog> {
        let name = options.file.display().to_string();
        let file = append_regular(&options.file)
            .map_err(|error| UsageError(format!("--log: cannot open {name}: {error:#}")))?;
        let (queue, entries) = bounded(QUEUED_LINES);
        thread::Builder::new()
            .name("match log".into())
            .spawn(move || {
                if let Err(error) = write_entries(file, &entries) {
                    // A full disk does not stop the tournament.
                    print_line(format!("warning: the log {name} is incomplete: {error}"));
                    entries.iter().for_each(drop);
                }
            })
            .context("cannot start the thread of the log")?;
        let opened = (Instant::now(), SystemTime::now());
        Ok(MatchLog {
            queue,
            level: options.level,
            engine: options.engine,
            opened,
        })
    }

    fn add(&self, at: Instant, text: &str) {
        let (instant, time) = self.opened;
        let time = date::stamp(time + at.saturating_duration_since(instant), 6);
        let line = format!("{time} {text}\n");
        // fails only if the thread has ended
        let _ = self.queue.send(Entry::Line(line));
    }

    /// Adds an event, if its level is logged.
    pub fn event(&self, level: LogLevel, text: &str) {
        if level <= self.level {
            self.add(Instant::now(), text);
        }
    }

    /// Adds a line of an engine in a game (0: before the first), if such lines are logged. The sign
    /// is its direction.
    pub fn engine_line(&self, at: Instant, game: u64, engine: &str, sign: char, text: &str) {
        if self.engine {
            self.add(at, &format!("game {game} {engine} {sign} {text}"));
        }
    }

    /// Waits until all earlier lines are in the file.
    pub fn flush(&self) {
        let (done, answer) = bounded(1);
        if self.queue.send(Entry::Flush(done)).is_ok() {
            let _ = answer.recv_timeout(FLUSH_TIMEOUT);
        }
    }
}

/// Writes the lines of the queue; several that wait become one write.
fn write_entries(mut file: File, entries: &Receiver<Entry>) -> io::Result<()> {
    let mut text = Vec::with_capacity(WRITE_BYTES);
    while let Ok(first) = entries.recv() {
        let mut done = Vec::new();
        for entry in iter::once(first).chain(entries.try_iter()) {
            match entry {
                Entry::Line(line) => text.extend_from_slice(line.as_bytes()),
                Entry::Flush(answer) => done.push(answer),
            }
            if text.len() >= WRITE_BYTES {
                break;
            }
        }
        file.write_all(&text)?;
        text.clear();
        for answer in done {
            let _ = answer.send(());
        }
    }
    Ok(())
}
