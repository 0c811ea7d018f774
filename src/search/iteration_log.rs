//! Logs iterations: depth, selectivity and first guess at the start; the bounds of the value, null
//! windows and nodes at the end.

use crate::game::score::{Bound, Score, Window};
use crate::logging::SEARCH;

use super::levels::percent;
use super::schedule::Iteration;
use super::searcher::Searcher;
use super::stats::Counters;

/// The log of one line in one iteration.
pub(super) struct IterationLog {
    iteration: Iteration,
    line: usize,
    /// The proven bounds of the value.
    known: Window,
    /// The counters at the start.
    before: Counters,
}

impl IterationLog {
    /// Logs the start: the iteration, the index of the line, its first guess and the bounds of the
    /// search. Returns `None` if the log is disabled.
    pub(super) fn begin(
        iteration: Iteration,
        line: usize,
        guess: Score,
        window: Window,
        searcher: &dyn Searcher,
    ) -> Option<IterationLog> {
        if !log::log_enabled!(target: SEARCH, log::Level::Debug) {
            return None;
        }
        let log = IterationLog {
            iteration,
            line,
            known: window,
            before: searcher.stats().counters,
        };
        log::debug!(target: SEARCH, "{}: first guess {guess}, within {}", log.name(), interval(window));
        Some(log)
    }

    /// Updates the bounds of the value.
    pub(super) fn narrow(&mut self, score: Score, bound: Bound) {
        if bound != Bound::Upper {
            self.known.alpha = self.known.alpha.max(score);
        }
        if bound != Bound::Lower {
            self.known.beta = self.known.beta.min(score);
        }
    }

    /// Logs the end. `score` is `None` if the search was interrupted.
    pub(super) fn end(mut self, score: Option<Score>, searcher: &dyn Searcher) {
        let counters = searcher.stats().counters;
        let found = match score {
            Some(score) => {
                self.narrow(score, self.known.classify(score));
                format!("score {score}")
            }
            None => "interrupted".into(),
        };
        let windows = counters.null_windows - self.before.null_windows;
        let nodes = counters.nodes - self.before.nodes;
        let bounds = interval(self.known);
        log::debug!(target: SEARCH, "{}: {found}, bounds {bounds}, {windows} null windows, {nodes} nodes", self.name());
    }

    fn name(&self) -> String {
        let Iteration { depth, selectivity } = self.iteration;
        format!(
            "depth {depth} at {} %, line {}",
            percent(selectivity),
            self.line + 1
        )
    }
}

/// A window as text.
fn interval(window: Window) -> String {
    let side = |score: Score| match score {
        Score::INFINITE => "+inf".into(),
        score if score == -Score::INFINITE => "-inf".into(),
        score => score.to_string(),
    };
    format!("[{}, {}]", side(window.alpha), side(window.beta))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_close_in_on_the_value() {
        let mut log = IterationLog {
            iteration: Iteration::full(3),
            line: 0,
            known: Window::FULL,
            before: Counters::default(),
        };
        assert_eq!(
            (log.name().as_str(), interval(log.known).as_str()),
            ("depth 3 at 100 %, line 1", "[-inf, +inf]")
        );
        for (score, bound, expected) in [
            (200, Bound::Lower, "[200, +inf]"),
            (700, Bound::Upper, "[200, 700]"),
            (100, Bound::Lower, "[200, 700]"),
            (400, Bound::Exact, "[400, 400]"),
        ] {
            log.narrow(Score(score), bound);
            assert_eq!(interval(log.known), expected);
        }
    }
}
