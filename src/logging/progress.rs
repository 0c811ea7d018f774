//! The progress line of long commands: on standard error, only on a terminal, with the elapsed
//! time, redrawn every half second.
//!
//! Each command has a spinner with its name; while a command counts its work, a bar replaces it.
//! Other output to the terminal goes through [`TerminalWriter`], [`print_line`] or [`suspend`],
//! which hide the line first (never nest them: that would deadlock).

use std::fmt::Display;
use std::io::{self, Write};
use std::ops::Deref;
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
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
            .with_prefix(name.to_owned());
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

/// Prints a line on standard error.
pub fn print_line(text: impl Display) -> io::Result<()> {
    suspend(|| writeln!(io::stderr(), "{text}"))
}

/// Calls `write` while the progress line is hidden.
pub fn suspend<T>(write: impl FnOnce() -> T) -> T {
    match SHOWN.get() {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// A stream that may be the terminal with the progress line, which is hidden during each write. It
/// needs a buffer of whole lines ([`io::LineWriter`]), since the progress line would erase a
/// partial one.
pub struct TerminalWriter<W>(pub W);

impl<W: Write> Write for TerminalWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        suspend(|| self.0.write_all(bytes).and_then(|()| self.0.flush()))?;
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
        let mut out = io::LineWriter::new(TerminalWriter(&mut sizes));
        write!(out, "a{}", 1).unwrap();
        write!(out, "b\nc\nd").unwrap();
        drop(out);
        assert_eq!(sizes.0, [6, 1]);
    }
}
