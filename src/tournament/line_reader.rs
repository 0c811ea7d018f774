//! Threads that read an engine's output streams line by line and timestamp each line on arrival.

use std::io::{self, BufRead, BufReader, Read};
use std::thread;
use std::time::Instant;

use crossbeam_channel::{Sender, bounded};

use super::engine_log::{EngineLog, StreamKind};
use crate::game::{is_unprintable, printable};
use crate::platform::processor_wait::WaitMeter;
use crate::protocol::client::ReceivedLine;

/// The maximum length of a line in bytes; the rest is discarded.
pub const LONGEST_LINE: usize = 64 << 10;

/// Reads a stream to its end in a new thread, which then drops `until_end`. Returns the meter of the thread's CPU waits,
/// which delay the timestamps.
pub fn spawn_line_reader(
    source: impl Read + Send + 'static,
    stream: StreamKind,
    log: EngineLog,
    lines: Option<Sender<ReceivedLine>>,
    until_end: Option<Sender<()>>,
) -> io::Result<WaitMeter> {
    let (begun, beginning) = bounded(1);
    thread::Builder::new().name(format!("engine {stream:?}").to_lowercase()).stack_size(256 << 10).spawn(
        move || {
            let _until_end = until_end;
            let _ = begun.send(WaitMeter::of_this_thread());
            let mut source = BufReader::with_capacity(32 << 10, source);
            let mut bytes = Vec::new();
            while let Ok(Some(at)) = read_line(&mut source, &mut bytes) {
                while matches!(bytes.last(), Some(b'\n' | b'\r')) {
                    bytes.pop();
                }
                // Escapes control characters, which could control the terminal or break a record; tabs separate words.
                let text = String::from_utf8_lossy(&bytes);
                let text = if text.contains(|c| c != '\t' && is_unprintable(c)) {
                    text.split('\t').map(printable).collect::<Vec<_>>().join("\t")
                } else {
                    text.into_owned()
                };
                log.push(stream, at, &text);
                if let Some(lines) = &lines
                    && lines.send(ReceivedLine { text, at }).is_err()
                {
                    break;
                }
            }
            // The receiver is gone; the engine must not block until it is killed.
            let _ = io::copy(&mut source, &mut io::sink());
        },
    )?;
    beginning.recv().map_err(io::Error::other)
}

/// Reads one line, truncated to [`LONGEST_LINE`], and returns when its end was read; `None` at the end of the stream.
fn read_line(source: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<Instant>> {
    line.clear();
    let mut any = false;
    loop {
        let available = match source.fill_buf() {
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
        source.consume(used);
        if ended {
            return Ok(Some(at));
        }
    }
}
