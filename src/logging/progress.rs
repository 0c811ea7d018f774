//! The progress of long commands on standard error: one line, drawn on a terminal alone, with the elapsed time, which
//! is drawn again every half second even if nothing is counted.
//!
//! Every command has a spinner with its name; a command that counts its work replaces it by a bar for that time. What
//! goes to the terminal meanwhile is written through [`TerminalWriter`] or within [`suspend`], which take the line away
//! first (never both: the one would wait for the other).

use std::io::{self, Write};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shorter work draws nothing unless it is counted.
const DELAY: Duration = Duration::from_millis(700);
/// How often the line is drawn again.
const TICK: Duration = Duration::from_millis(500);

const SPINNER: &str = "{spinner} {prefix} {elapsed_precise} {wide_msg}";
const COUNTER: &str = "{pos} WHAT [{elapsed_precise}] {wide_msg}";
const BAR: &str = "{pos}/{len} WHAT [{elapsed_precise}, {eta} left] {wide_msg}";

/// The line of the running command.
static SHOWN: OnceLock<ProgressBar> = OnceLock::new();

/// What the line shows, until it is dropped: the spinner disappears, a bar gives way to the spinner.
pub struct ProgressLine {
    bar: ProgressBar,
    is_spinner: bool,
}

impl ProgressLine {
    /// Shows that a command of this name is at work; once per process.
    pub fn spinner(name: &str) -> ProgressLine {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_prefix(name.to_owned());
        bar.set_style(style(SPINNER));
        if !bar.is_hidden() && SHOWN.set(bar.clone()).is_ok() {
            let weak = bar.downgrade();
            thread::spawn(move || {
                thread::sleep(DELAY);
                if let Some(bar) = weak.upgrade().filter(|bar| !bar.is_finished()) {
                    bar.enable_steady_tick(TICK);
                }
            });
        }
        ProgressLine { bar, is_spinner: true }
    }

    /// Shows how much of the command's work is done, of `total` if that is known; `what` names what is counted. Hidden
    /// if there is no spinner.
    pub fn bar(total: impl Into<Option<u64>>, what: &str) -> ProgressLine {
        let bar = SHOWN.get().cloned().unwrap_or_else(ProgressBar::hidden);
        let total = total.into();
        bar.set_style(style(&if total.is_some() { BAR } else { COUNTER }.replace("WHAT", what)));
        total.into_iter().for_each(|total| bar.set_length(total));
        bar.set_position(0);
        bar.reset_elapsed();
        bar.reset_eta();
        ProgressLine { bar, is_spinner: false }
    }

    /// Whether nothing is drawn: standard error is no terminal.
    pub fn is_hidden(&self) -> bool {
        self.bar.is_hidden()
    }

    /// Counts one more.
    pub fn inc(&self) {
        self.bar.inc(1);
    }

    /// Sets what was done before this run, which does not count for the remaining time.
    pub fn begin_at(&self, done: u64) {
        self.bar.set_position(done);
        self.bar.reset_eta();
    }

    /// Sets what is done.
    pub fn set_position(&self, done: u64) {
        self.bar.set_position(done);
    }

    /// Sets the text at the end of the line.
    pub fn set_message(&self, message: impl Into<String>) {
        self.bar.set_message(message.into());
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.is_spinner {
            self.bar.finish_and_clear();
        } else {
            self.bar.set_message("");
            self.bar.unset_length();
            self.bar.set_style(style(SPINNER));
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// Calls `write` while no line of progress is on the terminal.
pub fn suspend<T>(write: impl FnOnce() -> T) -> T {
    match SHOWN.get() {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// A stream that may be the terminal that shows the progress. It is written in whole lines, since the line of progress
/// would erase half a line: when it is flushed, and when the buffer is full.
pub struct TerminalWriter<W: Write> {
    stream: W,
    pending: Vec<u8>,
    /// How much is kept before it is written.
    capacity: usize,
}

impl<W: Write> TerminalWriter<W> {
    /// A stream that is written when it is flushed, or by kibibytes.
    pub fn buffered(stream: W) -> TerminalWriter<W> {
        TerminalWriter { stream, pending: Vec::new(), capacity: 8 << 10 }
    }

    /// A stream that is written at the end of each line.
    pub fn by_lines(stream: W) -> TerminalWriter<W> {
        TerminalWriter { stream, pending: Vec::new(), capacity: 1 }
    }

    fn write_pending(&mut self, count: usize) -> io::Result<()> {
        let lines: Vec<u8> = self.pending.drain(..count).collect();
        suspend(|| self.stream.write_all(&lines).and_then(|()| self.stream.flush()))
    }
}

impl<W: Write> Write for TerminalWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        let lines = self.pending.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        if lines >= self.capacity {
            self.write_pending(lines)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_pending(self.pending.len())
    }
}

impl<W: Write> Drop for TerminalWriter<W> {
    /// Writes what is left, as far as possible.
    fn drop(&mut self) {
        let _ = self.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Notes the size of every write.
    #[derive(Default)]
    struct Sizes(Vec<usize>);

    impl Write for &mut Sizes {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.push(bytes.len());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn whole_lines_are_written() {
        let mut sizes = Sizes::default();
        let mut out = TerminalWriter::by_lines(&mut sizes);
        write!(out, "a{}", 1).unwrap();
        write!(out, "b\nc\nd").unwrap();
        drop(out);
        assert_eq!(sizes.0, [6, 1]);
        let mut sizes = Sizes::default();
        let mut out = TerminalWriter::buffered(&mut sizes);
        for _ in 0..1_000 {
            writeln!(out, "123456789").unwrap();
        }
        out.flush().unwrap();
        drop(out);
        assert!(sizes.0.len() == 2 && sizes.0.iter().all(|size| size % 10 == 0), "{:?}", sizes.0);
    }
}
