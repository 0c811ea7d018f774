//! The progress of a run on standard error.
//!
//! On a terminal: an announcement and a progress bar. Otherwise a run shorter than [`QUIET`] prints nothing; a longer
//! run prints the announcement, and its progress each time its duration doubles.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::game::score::Bound;
use crate::logging::progress::{self, ProgressLine};
use crate::search::Progress;

/// The time before the first output without a terminal.
const QUIET: Duration = Duration::from_secs(2);

/// The progress of a run.
pub struct SolveProgress {
    bar: ProgressLine,
    /// The announcement, until it is printed.
    announcement: Option<String>,
    positions: usize,
    started: Instant,
    /// The time of the next line without a terminal.
    due: Duration,
}

/// The state of a run.
pub struct RunState {
    /// Nodes visited.
    pub nodes: u64,
    /// The search of the first unfinished problem.
    pub search: Option<SearchStatus>,
}

/// The running search of a thread.
#[derive(Clone, Debug)]
pub struct SearchStatus {
    /// The line number of the problem; 0 for `--position`.
    pub number: usize,
    /// Plies left in the position.
    pub plies_left: u8,
    /// Whether scores are hundredths of a disc.
    pub has_discs: bool,
    /// The last reported iteration or bound.
    pub last: Option<Progress>,
}

impl SearchStatus {
    /// The line number, depth, selectivity level and score.
    fn text(&self) -> String {
        let line = if self.number == 0 { String::new() } else { format!("line {}: ", self.number) };
        let Some(Progress { depth, selectivity, score, bound, .. }) = &self.last else {
            return format!("{line}{} {}", self.plies_left, if self.has_discs { "empties" } else { "plies left" });
        };
        let bound = match bound {
            Bound::Exact => "",
            Bound::Lower => "at least ",
            Bound::Upper => "at most ",
        };
        let score = match self.has_discs {
            true => format!("{:+.2}", f64::from(score.0) / 100.0),
            false => format!("{:+}", score.0),
        };
        format!("{line}depth {depth}, selectivity {selectivity} %, score {bound}{score}")
    }
}

impl SolveProgress {
    /// Starts a run over this many positions.
    pub fn begin(announcement: String, positions: usize) -> io::Result<SolveProgress> {
        let bar = ProgressLine::bar(positions as u64, "positions");
        let announcement = Some(announcement);
        let mut progress = SolveProgress { bar, announcement, positions, started: Instant::now(), due: QUIET };
        if !progress.bar.is_hidden() {
            progress.announce()?;
        }
        Ok(progress)
    }

    fn announce(&mut self) -> io::Result<()> {
        let Some(line) = self.announcement.take() else { return Ok(()) };
        progress::suspend(|| writeln!(io::stderr(), "{line}"))
    }

    /// Counts a position.
    pub fn inc(&self) {
        self.bar.inc();
    }

    /// Shows the progress of the run after this many positions.
    pub fn show(&mut self, done: usize, state: &RunState) -> io::Result<()> {
        let elapsed = self.started.elapsed();
        let mut text = node_text(state.nodes);
        if let Some(search) = &state.search {
            text = format!("{}, {text}", search.text());
        }
        if !self.bar.is_hidden() {
            self.bar.set_message(text);
            return Ok(());
        }
        if elapsed < self.due {
            return Ok(());
        }
        self.due = 2 * elapsed;
        self.announce()?;
        writeln!(io::stderr(), "{done} of {} positions done after {} s, {text}", self.positions, elapsed.as_secs())
    }
}

/// A number of nodes with three or four significant digits.
fn node_text(nodes: u64) -> String {
    match nodes {
        0..100_000 => format!("{nodes} nodes"),
        100_000..100_000_000_000 => format!("{:.1} M nodes", nodes as f64 / 1e6),
        _ => format!("{:.1} G nodes", nodes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::score::Score;
    use crate::search::stats::Counters;

    #[test]
    fn nodes_are_written_with_a_unit() {
        assert_eq!(node_text(99_999), "99999 nodes");
        assert_eq!(node_text(1_234_567), "1.2 M nodes");
        assert_eq!(node_text(123_456_000_000), "123.5 G nodes");
    }

    #[test]
    fn a_search_is_shown_with_depth_level_and_score() {
        let search = SearchStatus { number: 7, plies_left: 30, has_discs: true, last: None };
        assert_eq!(search.text(), "line 7: 30 empties");
        let last = Progress {
            certainty: Default::default(),
            depth: 30,
            seldepth: 30,
            selectivity: 87,
            multi_pv: 1,
            lines: 1,
            score: Score(-400),
            bound: Bound::Upper,
            counters: Counters::default(),
            elapsed: Duration::ZERO,
            hashfull: 0,
            pv: Vec::new(),
        };
        let search = SearchStatus { number: 0, last: Some(last), ..search };
        assert_eq!(search.text(), "depth 30, selectivity 87 %, score at most -4.00");
    }
}
