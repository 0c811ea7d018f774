//! The two kinds of searches whose selectivity levels are fitted: midgame searches and searches to the end of the game.
//! For each, a model of the odds of returning the full-width value as a function of the thresholds.

use std::ops::RangeInclusive;

use super::logistic;
use crate::games::reversi::endgame::middle::MIDDLE;
use crate::games::reversi::policy::{ENDGAME_PHASE, ENDGAME_PHASES, endgame_phase};
use crate::search::levels::{self, LEVELS, SELECTIVE, Thresholds};

/// The minimum and maximum proposed threshold.
const RANGE: RangeInclusive<f64> = 0.05..=5.0;

/// The kind of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchKind {
    /// A midgame search.
    Midgame,
    /// A search to the end of the game.
    Endgame,
}

impl SearchKind {
    /// The first phase with separate thresholds for a search of this depth.
    pub const fn phase(self, depth: u8) -> u8 {
        match self {
            SearchKind::Midgame => 0,
            SearchKind::Endgame => endgame_phase(depth) as u8,
        }
    }

    /// The phases to fit, each with the mean depth of its searches if relevant.
    pub fn phases(self) -> Vec<(u8, f64)> {
        match self {
            SearchKind::Midgame => vec![(0, 0.0)],
            SearchKind::Endgame => {
                // Two depths a phase: 11 and 12, 13 and 14, and so on (`endgame_phase`).
                (0..ENDGAME_PHASES).map(|index| ((ENDGAME_PHASE + index) as u8, 11.5 + 2.0 * index as f64)).collect()
            }
        }
    }

    /// The thresholds of a level for searches of these depths, increasing: one, or the first and the last.
    pub fn sigmas(self, thresholds: &Thresholds, level: usize, depths: &[u8]) -> String {
        let of_depth = |depth: &u8| thresholds.of_phase(self.phase(*depth))[level];
        match (depths.first().map(of_depth), depths.last().map(of_depth)) {
            (Some(first), Some(last)) if first != last => format!("{first:.2} to {last:.2}"),
            (first, _) => format!("{:.2}", first.unwrap_or_default()),
        }
    }

    /// The terms of the odds that a search with these thresholds returns the full-width value. Midgame searches reduce
    /// late moves at low levels; in searches to the end the number of plies with cuts matters: measurements.md#levels.
    pub fn terms(self, sigmas: f64, level: usize, depth: f64) -> [f64; 4] {
        match self {
            SearchKind::Midgame => {
                [1.0, sigmas, sigmas * sigmas, f64::from(LEVELS[level].number <= levels::DEFAULT.number)]
            }
            SearchKind::Endgame => [1.0, sigmas, (depth - f64::from(MIDDLE)).max(1.0).ln(), 0.0],
        }
    }

    /// The thresholds of the levels at this depth, with these weights of the terms.
    pub fn thresholds(self, weights: &[f64; 4], depth: f64) -> [f64; SELECTIVE] {
        rising(std::array::from_fn(|level| {
            let wanted = logistic::log_odds(f64::from(LEVELS[level].percent) / 100.0);
            let (mut low, mut high) = RANGE.into_inner();
            while high - low > 1e-6 {
                let middle = f64::midpoint(low, high);
                let found = logistic::log_odds_of(weights, &self.terms(middle, level, depth));
                *if found < wanted { &mut low } else { &mut high } = middle;
            }
            high
        }))
    }

    /// The range of empties of its positions on a board with this many squares.
    pub const fn empties(self, squares: u32) -> RangeInclusive<u8> {
        match (self, squares) {
            (SearchKind::Midgame, 64) => 20..=44,
            (SearchKind::Midgame, _) => 15..=26,
            (SearchKind::Endgame, _) => 14..=24,
        }
    }
}

/// Raises the numbers so that each exceeds the previous one by at least 0.01.
fn rising(sigmas: [f64; SELECTIVE]) -> [f64; SELECTIVE] {
    let mut least = 0.0;
    sigmas.map(|sigmas| {
        least = sigmas.max(least + 0.01);
        least
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endgame_phases_have_two_depths_each() {
        let phases = SearchKind::Endgame.phases();
        let of_depth = |depth: f64| SearchKind::Endgame.phase(depth as u8);
        assert!(phases.iter().all(|&(phase, mean)| of_depth(mean - 0.5) == phase && of_depth(mean + 0.5) == phase));
        let last = phases[phases.len() - 1];
        assert_eq!((SearchKind::Endgame.phase(4), SearchKind::Endgame.phase(60)), (phases[0].0, last.0));
    }

    #[test]
    fn thresholds_solve_the_model() {
        let weights = [2.0, 1.8, -1.3, 0.0];
        for depth in [20.0, 30.0] {
            for (level, sigmas) in SearchKind::Endgame.thresholds(&weights, depth).into_iter().enumerate() {
                let terms = SearchKind::Endgame.terms(sigmas, level, depth);
                let share = 1.0 / (1.0 + (-logistic::log_odds_of(&weights, &terms)).exp());
                assert!((100.0 * share - f64::from(LEVELS[level].percent)).abs() < 0.01, "{level} {share}");
            }
        }
    }

    #[test]
    fn thresholds_rise() {
        let found = rising([0.5, 0.4, 1.0, 1.0, 2.0, 3.0]);
        assert!(found.is_sorted_by(|a, b| a < b) && found[0] == 0.5 && found[5] == 3.0, "{found:?}");
    }
}
