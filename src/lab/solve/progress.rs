//! The progress of a run on standard error.
//!
//! On a terminal: an announcement and a progress bar. Otherwise a run shorter than [`QUIET`] prints nothing; a longer
//! run prints the announcement, and its progress each time its duration doubles.

use std::io::{self, Write};
use std::time::Duration;

use crate::game::score::Bound;
use crate::games::any::AnyGame;
use crate::logging::progress::{ProgressLine, suspend};
use crate::search::Progress;

/// The time before the first output without a terminal.
const QUIET: Duration = Duration::from_secs(2);

/// The progress of a run.
pub struct SolveProgress {
    /// Counts the positions.
    pub bar: ProgressLine,
    /// The announcement, until it is printed.
    announcement: Option<String>,
    /// The time of the next line without a terminal.
    due: Duration,
}

impl SolveProgress {
    /// Starts a run over this many positions.
    pub fn begin(announcement: String, positions: usize) -> io::Result<SolveProgress> {
        let bar = ProgressLine::bar(positions as u64, "positions");
        let mut progress = SolveProgress { bar, announcement: Some(announcement), due: QUIET };
        if !progress.bar.is_hidden() {
            progress.announce()?;
        }
        Ok(progress)
    }

    fn announce(&mut self) -> io::Result<()> {
        let Some(line) = self.announcement.take() else { return Ok(()) };
        suspend(|| writeln!(io::stderr(), "{line}"))
    }

    /// Shows the state of the running searches.
    pub fn show(&mut self, text: String) -> io::Result<()> {
        let elapsed = self.bar.elapsed();
        if !self.bar.is_hidden() {
            self.bar.set_message(text);
        } else if elapsed >= self.due {
            self.due = 2 * elapsed;
            self.announce()?;
            let (done, positions) = (self.bar.position(), self.bar.length().unwrap_or_default());
            writeln!(io::stderr(), "{done} of {positions} positions done after {} s, {text}", elapsed.as_secs())?;
        }
        Ok(())
    }
}

/// The line number (none for `--position`) of a problem, and the depth, selectivity level and score of its last
/// reported iteration or bound.
pub fn search_text(number: usize, game: &AnyGame, last: Option<&Progress>) -> String {
    let line = if number == 0 { String::new() } else { format!("line {number}: ") };
    let has_discs = game.discs().is_some();
    let Some(Progress { depth, selectivity, score, bound, .. }) = last else {
        return format!("{line}{} {}", game.plies_left(), if has_discs { "empties" } else { "plies left" });
    };
    let bound = match bound {
        Bound::Exact => "",
        Bound::Lower => "at least ",
        Bound::Upper => "at most ",
    };
    let score = match has_discs {
        true => format!("{:+.2}", f64::from(score.0) / 100.0),
        false => format!("{:+}", score.0),
    };
    format!("{line}depth {depth}, selectivity {selectivity} %, score {bound}{score}")
}

/// A number of nodes with three or four significant digits.
pub fn node_text(nodes: u64) -> String {
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
    use crate::games::any::by_name;
    use crate::search::stats::Counters;

    #[test]
    fn nodes_are_written_with_a_unit() {
        assert_eq!(node_text(99_999), "99999 nodes");
        assert_eq!(node_text(1_234_567), "1.2 M nodes");
        assert_eq!(node_text(123_456_000_000), "123.5 G nodes");
    }

    #[test]
    fn a_search_is_shown_with_depth_level_and_score() {
        let game = by_name("othello").unwrap();
        assert_eq!(search_text(7, &game, None), "line 7: 60 empties");
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
        assert_eq!(search_text(0, &game, Some(&last)), "depth 30, selectivity 87 %, score at most -4.00");
    }
}
