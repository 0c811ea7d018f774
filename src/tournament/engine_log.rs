//! The log of an engine: the last lines of its standard input, output and error, in bounded memory.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

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

/// The memory of an entry, including its struct.
fn entry_bytes(entry: &LogEntry) -> usize {
    entry.text.len() + size_of::<LogEntry>()
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
        self.bytes += entry_bytes(&entry);
        self.entries.push_back(entry);
        while self.bytes > STREAM_BYTES {
            match self.entries.pop_front() {
                Some(oldest) => self.bytes -= entry_bytes(&oldest),
                None => break,
            }
            self.dropped += 1;
        }
    }
}

/// The lines of all streams since the log was last cleared; clones share the same log.
#[derive(Clone, Default)]
pub struct EngineLog(Arc<Mutex<[StreamLog; 3]>>);

impl EngineLog {
    fn with<T>(&self, act: impl FnOnce(&mut [StreamLog; 3]) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds a line.
    pub fn push(&self, stream: StreamKind, at: Instant, text: &str) {
        self.with(|streams| streams[stream as usize].push(LogEntry { at, stream, text: text.into() }));
    }

    /// Removes all lines.
    pub fn clear(&self) {
        self.with(|streams| *streams = Default::default());
    }

    /// All lines in chronological order, and the number of older ones that were dropped.
    pub fn entries(&self) -> (Vec<LogEntry>, u64) {
        self.with(|streams| {
            let mut all: Vec<LogEntry> = streams.iter().flat_map(|stream| stream.entries.iter().cloned()).collect();
            all.sort_by_key(|entry| entry.at);
            (all, streams.iter().map(|stream| stream.dropped).sum())
        })
    }

    /// The lines of standard error.
    pub fn stderr(&self) -> String {
        self.with(|streams| {
            let lines: Vec<&str> =
                streams[StreamKind::Error as usize].entries.iter().map(|entry| entry.text.as_str()).collect();
            lines.join("\n")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_lines_are_dropped() {
        let log = EngineLog::default();
        for number in 0..100_000 {
            log.push(StreamKind::Output, Instant::now(), &format!("line {number}"));
        }
        let (entries, dropped) = log.entries();
        assert!(entries.iter().map(entry_bytes).sum::<usize>() <= STREAM_BYTES);
        assert!(dropped > 0);
        assert_eq!(entries.last().unwrap().text, "line 99999");
    }
}
