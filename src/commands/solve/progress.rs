//! What a run prints on standard error: what it is about to do, and its progress.
//!
//! On a terminal that is a line and a progress bar. Elsewhere a run shorter than [`QUIET`] prints nothing; a longer one
//! prints the same line then, and its progress whenever its duration has doubled.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::game::score::Bound;
use crate::logging::progress::{self, ProgressLine};
use crate::search::Progress;

/// How long nothing is printed without a terminal.
const QUIET: Duration = Duration::from_secs(2);

/// The progress of a run.
pub struct SolveProgress {
    bar: ProgressLine,
    /// What the run is about to do, until it has been printed.
    announcement: Option<String>,
    positions: usize,
    started: Instant,
    /// When the next line is due without a terminal.
    due: Duration,
}

/// The state of a run.
pub struct RunState {
    /// Nodes visited.
    pub nodes: u64,
    /// The search of the first unfinished problem.
    pub search: Option<WorkedOn>,
}

/// The search that a thread is at work on.
#[derive(Clone, Debug)]
pub struct WorkedOn {
    /// The line number of the problem; 0 for a position of the command line.
    pub number: usize,
    /// Plies left in the position.
    pub plies_left: u8,
    /// Whether scores are hundredths of a disc.
    pub has_discs: bool,
    /// The last iteration or bound that was reported.
    pub last: Option<Progress>,
}

impl WorkedOn {
    /// The position and the depth, selectivity level and score of its search.
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
        format!("{line}depth {depth} at {selectivity} %, score {bound}{score}")
    }
}

impl SolveProgress {
    /// Begins a run over this many positions.
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
        let mut text = in_words(state.nodes);
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
        writeln!(io::stderr(), "{done} of {} done after {} s, {text}", self.positions, elapsed.as_secs())
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
    use crate::game::score::Score;
    use crate::search::stats::Counters;

    #[test]
    fn nodes_are_written_with_a_unit() {
        assert_eq!(in_words(99_999), "99999 nodes");
        assert_eq!(in_words(1_234_567), "1.2 M nodes");
        assert_eq!(in_words(123_456_000_000), "123.5 G nodes");
    }

    #[test]
    fn a_search_is_shown_with_depth_level_and_score() {
        let search = WorkedOn { number: 7, plies_left: 30, has_discs: true, last: None };
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
        let search = WorkedOn { number: 0, last: Some(last), ..search };
        assert_eq!(search.text(), "depth 30 at 87 %, score at most -4.00");
    }
}
