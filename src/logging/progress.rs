//! The progress line of long commands: on standard error, only on a terminal, with the elapsed
//! time, redrawn every half second.
//!
//! Each command has a spinner with its name; while a command counts its work, a bar replaces it.
//! All other output of commands goes through [`TerminalWriter`] or [`print_line`], which hide the
//! line first (never nest them: that would deadlock), and escape what could control the terminal:
//! texts of files and engines may contain anything.

use std::fmt::Display;
use std::io::{self, Write};
use std::ops::Deref;
use std::sync::OnceLock;
use std::thread::{self, Builder};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::game::{printable, printable_lines};

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
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
            .with_prefix(name.to_owned());
        bar.set_style(style(SPINNER));
        if !bar.is_hidden() && SHOWN.set(bar.clone()).is_ok() {
            let weak = bar.downgrade();
            // Without a thread nothing is shown.
            let _ = Builder::new().spawn(move || {
                thread::sleep(DELAY);
                if let Some(bar) = weak.upgrade().filter(|bar| !bar.is_finished()) {
                    bar.enable_steady_tick(TICK);
                }
            });
        }
        ProgressLine {
            bar,
            is_spinner: true,
        }
    }

    /// Shows a bar (without `total`: a counter) of work done; `what` names the unit. Hidden if
    /// there is no spinner.
    pub fn bar(total: impl Into<Option<u64>>, what: &str) -> ProgressLine {
        let bar = SHOWN.get().cloned().unwrap_or_else(ProgressBar::hidden);
        let total = total.into();
        bar.set_style(style(
            &if total.is_some() { BAR } else { COUNTER }.replace("WHAT", what),
        ));
        total.into_iter().for_each(|total| bar.set_length(total));
        bar.reset();
        ProgressLine {
            bar,
            is_spinner: false,
        }
    }

    /// Shows a text beside the bar.
    pub fn set_message(&self, text: &str) {
        self.bar.set_message(printable(text));
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
}

impl Deref for ProgressLine {
    type Target = ProgressBar;

    fn deref(&self) -> &ProgressBar {
        &self.bar
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

/// Prints a line, or several, on standard error. If that is closed or full, the line is lost: notes
/// and progress must not end a job.
pub fn print_line(text: impl Display) {
    let text = printable_lines(&text.to_string());
    let _ = suspend(|| writeln!(io::stderr(), "{text}"));
}

/// Calls `write` while the progress line is hidden.
fn suspend<T>(write: impl FnOnce() -> T) -> T {
    match SHOWN.get() {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// A stream whose reader may close it: what is written after that is lost.
pub struct UntilClosed<W>(Option<W>);

impl<W: Write> UntilClosed<W> {
    /// Writes to `stream`.
    pub fn new(stream: W) -> UntilClosed<W> {
        UntilClosed(Some(stream))
    }

    fn attempt<T>(
        &mut self,
        lost: T,
        write: impl FnOnce(&mut W) -> io::Result<T>,
    ) -> io::Result<T> {
        let Some(stream) = &mut self.0 else {
            return Ok(lost);
        };
        match write(stream) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.0 = None;
                Ok(lost)
            }
            done => done,
        }
    }
}

impl<W: Write> Write for UntilClosed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(bytes.len(), |stream| stream.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt((), Write::flush)
    }
}

/// A stream of text that may be the terminal with the progress line, which is hidden during each
/// write. Escapes characters as [`printable_lines`] does. It needs a buffer of whole lines
/// ([`io::LineWriter`]), since the progress line would erase a partial one.
pub struct TerminalWriter<W> {
    stream: W,
    /// The first bytes of a character that the next write completes.
    partial: Vec<u8>,
}

impl<W> TerminalWriter<W> {
    pub fn new(stream: W) -> TerminalWriter<W> {
        TerminalWriter {
            stream,
            partial: Vec::new(),
        }
    }

    /// The text of these bytes, after those of earlier writes.
    fn decode(&mut self, bytes: &[u8]) -> String {
        self.partial.extend(bytes);
        let bytes = std::mem::take(&mut self.partial);
        let (mut text, mut chunks) = (String::new(), bytes.utf8_chunks().peekable());
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            let invalid = chunk.invalid();
            let is_partial = |error: std::str::Utf8Error| error.error_len().is_none();
            if chunks.peek().is_none() && std::str::from_utf8(invalid).is_err_and(is_partial) {
                self.partial = invalid.into();
            } else if !invalid.is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        text
    }
}

impl<W: Write> Write for TerminalWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = printable_lines(&self.decode(bytes));
        suspend(|| {
            self.stream.write_all(text.as_bytes())?;
            self.stream.flush()
        })?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
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
        let mut out = io::LineWriter::new(TerminalWriter::new(&mut sizes));
        write!(out, "a{}", 1).unwrap();
        write!(out, "b\nc\nd").unwrap();
        drop(out);
        assert_eq!(sizes.0, [6, 1]);
    }

    #[test]
    fn controls_are_escaped_wherever_a_write_ends() {
        let text = "a\u{1b}[31m\t\u{202e}\u{9b}\u{e0041}é中\r\n".as_bytes();
        for cut in 0..=text.len() {
            let mut shown = Vec::new();
            let mut out = TerminalWriter::new(&mut shown);
            out.write_all(&text[..cut]).unwrap();
            out.write_all(&text[cut..]).unwrap();
            let expected = "a\\u001b[31m\t\\u202e\\u009b\\udb40\\udc41é中\\r\n";
            assert_eq!(String::from_utf8(shown).unwrap(), expected, "cut at {cut}");
        }
        let mut shown = Vec::new();
        let mut out = TerminalWriter::new(&mut shown);
        out.write_all(b"a\x9b1m\n\xe4").unwrap();
        out.write_all(b"b").unwrap();
        assert_eq!(String::from_utf8(shown).unwrap(), "a\u{fffd}1m\n\u{fffd}b");
    }
}
