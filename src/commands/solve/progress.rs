//! What a run says on standard error: what it is about to do, and how far it is.
//!
//! At a terminal that is a line and a progress bar. Elsewhere a run that is over within [`QUIET`] says nothing; a
//! longer one says the same line then, and how far it is whenever its duration has doubled.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// How long nothing is said without a terminal.
const QUIET: Duration = Duration::from_secs(2);

/// The progress of a run.
pub struct SolveProgress {
    /// The bar, hidden without a terminal; rows are printed while it is suspended.
    pub bar: ProgressBar,
    /// What the run is about to do, until it has been said.
    announcement: Option<String>,
    positions: usize,
    started: Instant,
    /// When the next line is due without a terminal.
    due: Duration,
}

impl SolveProgress {
    /// Begins a run over so many positions.
    pub fn begin(announcement: String, positions: usize) -> io::Result<SolveProgress> {
        let bar = ProgressBar::new(positions as u64);
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} {elapsed_precise} {msg}") {
            bar.set_style(style);
        }
        let announcement = Some(announcement);
        let mut progress = SolveProgress { bar, announcement, positions, started: Instant::now(), due: QUIET };
        if io::stderr().is_terminal() {
            progress.announce()?;
        }
        Ok(progress)
    }

    fn announce(&mut self) -> io::Result<()> {
        let Some(line) = self.announcement.take() else { return Ok(()) };
        self.bar.suspend(|| writeln!(io::stderr(), "{line}"))
    }

    /// Says how far the run is: so many positions are done, and so many nodes were visited.
    pub fn show(&mut self, done: usize, nodes: u64) -> io::Result<()> {
        let elapsed = self.started.elapsed();
        let nodes = in_words(nodes);
        if !self.bar.is_hidden() {
            self.bar.set_message(nodes);
            return Ok(());
        }
        if elapsed < self.due {
            return Ok(());
        }
        self.due = 2 * elapsed;
        self.announce()?;
        writeln!(io::stderr(), "{done} of {} done after {} s, {nodes}", self.positions, elapsed.as_secs())
    }
}

/// A number of nodes with three digits or four.
fn in_words(nodes: u64) -> String {
    match nodes {
        0..100_000 => format!("{nodes} nodes"),
        100_000..100_000_000_000 => format!("{:.1} M nodes", nodes as f64 / 1e6),
        _ => format!("{:.1} G nodes", nodes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_written_with_a_unit() {
        assert_eq!(in_words(99_999), "99999 nodes");
        assert_eq!(in_words(1_234_567), "1.2 M nodes");
        assert_eq!(in_words(123_456_000_000), "123.5 G nodes");
    }
}
