//! The progress line of long commands: on standard error, only on a terminal, with the elapsed time, redrawn every half
//! second.
//!
//! Each command has a spinner with its name; while a command counts its work, a bar replaces it. Other output to the
//! terminal goes through [`TerminalWriter`] or [`suspend`], which hide the line first (never nest them: that would
//! deadlock).

use std::io::{self, Write};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Delay before the spinner appears.
const DELAY: Duration = Duration::from_millis(700);
const TICK: Duration = Duration::from_millis(500);

const SPINNER: &str = "{spinner} {prefix} {elapsed_precise} {wide_msg}";
const COUNTER: &str = "{pos} WHAT [{elapsed_precise}] {wide_msg}";
const BAR: &str = "{pos}/{len} WHAT [{elapsed_precise}, {eta} left] {wide_msg}";

/// The line of the running command.
static SHOWN: OnceLock<ProgressBar> = OnceLock::new();

/// A spinner or bar, shown until it is dropped; the spinner returns after a bar.
pub struct ProgressLine {
    bar: ProgressBar,
    is_spinner: bool,
}

impl ProgressLine {
    /// Shows a spinner with the name of the command; once per process.
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

    /// Shows a bar (without `total`: a counter) of work done; `what` names the unit. Hidden if there is no spinner.
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

    /// Whether nothing is drawn because standard error is not a terminal.
    pub fn is_hidden(&self) -> bool {
        self.bar.is_hidden()
    }

    /// Counts one more.
    pub fn inc(&self) {
        self.bar.inc(1);
    }

    /// Sets the work done before this run, which the remaining time ignores.
    pub fn begin_at(&self, done: u64) {
        self.bar.set_position(done);
        self.bar.reset_eta();
    }

    /// Sets the work done.
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

/// Calls `write` while the progress line is hidden.
pub fn suspend<T>(write: impl FnOnce() -> T) -> T {
    match SHOWN.get() {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// A stream that may be the terminal with the progress line. It is written in whole lines, since the progress line
/// would erase a partial one: when flushed, and when the buffer is full.
pub struct TerminalWriter<W: Write> {
    stream: W,
    pending: Vec<u8>,
    /// The size of the buffer in bytes.
    capacity: usize,
}

impl<W: Write> TerminalWriter<W> {
    /// A stream with a buffer of 8 KiB.
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
    /// Writes the rest; errors are ignored.
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
