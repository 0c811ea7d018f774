//! Progress reports of a running search.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::game::Move;
use crate::game::score::{Bound, Score};

use super::answer::{Certainty, RootMove};
use super::stats::Counters;
use super::stop::SearchControl;
use super::trace::Trace;

/// A progress report: an iteration was finished, or a bound of its value changed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Progress {
    /// Depth of the iteration in plies; passes do not count.
    pub depth: u8,
    /// The largest distance from the root reached, in moves (selective depth).
    pub seldepth: u8,
    /// Selectivity in percent; 100 is full width.
    pub selectivity: u8,
    /// The number of this line (MultiPV), from 1.
    pub multi_pv: usize,
    /// Number of lines searched.
    pub lines: usize,
    /// The score for the side to move at the root.
    pub score: Score,
    /// The type of the score; [`Bound::Exact`] when the iteration is finished.
    pub bound: Bound,
    /// Counts since the start of the search.
    pub counters: Counters,
    /// Time since the command arrived.
    pub elapsed: Duration,
    /// Permille of the table that entries of this search fill.
    pub hashfull: u32,
    /// The principal variation; only the best move so far if the score is a bound.
    pub pv: Vec<Move>,
    /// Whether the score is proven and the principal variation confirms it.
    pub certainty: Certainty,
}

impl Progress {
    /// The report of a line at full width, with a table that is empty.
    #[doc(hidden)]
    pub fn of(line: &RootMove, depth: u8, counters: Counters, elapsed: Duration) -> Progress {
        Progress {
            depth,
            seldepth: depth,
            selectivity: 100,
            multi_pv: 1,
            lines: 1,
            score: line.score,
            bound: Bound::Exact,
            counters,
            elapsed,
            hashfull: 0,
            pv: line.pv.clone(),
            certainty: line.certainty,
        }
    }
}

/// The caller's side of a search: its stop signal, its report callback and its trace.
#[derive(Default)]
pub struct Observer<'o> {
    /// Shared with the threads that may stop the search.
    pub control: Arc<SearchControl>,
    /// Called with every report.
    pub report: Option<&'o mut dyn FnMut(&Progress)>,
    /// Records the search tree, without the nodes of helper threads. Taken by the search.
    #[doc(hidden)]
    pub trace: Option<&'o mut dyn Trace>,
}

impl fmt::Debug for Observer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observer").finish_non_exhaustive()
    }
}

impl Observer<'_> {
    /// Passes on a report.
    #[doc(hidden)]
    pub fn report(&mut self, progress: &Progress) {
        if let Some(report) = &mut self.report {
            report(progress);
        }
    }
}
