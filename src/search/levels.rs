//! Selectivity levels: their names and the margin, in sigmas, that a statistical cut requires at each.
//!
//! At a level of p percent, the value of a search equals that of a full-width search in p percent of all positions. The
//! margins that achieve this depend on the game and the phase; `nullwindow train levels` fits them. A game without
//! fitted margins uses [`Level::sigmas`], the confidence of a single cut.

use thiserror::Error;

use super::table::Draft;

/// A selectivity level.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Level {
    /// Its number in a [`Draft`]; a higher level is less selective.
    pub number: u8,
    /// How often its value equals that of a full-width search, in percent; what protocols report.
    pub percent: u8,
    /// The margin of a cut in sigmas where none is fitted: two-sided quantiles of the normal distribution, as in Edax.
    /// Infinite for full width.
    pub sigmas: f64,
}

/// The levels, from the most selective to full width.
pub const LEVELS: [Level; 7] = [
    Level { number: 1, percent: 50, sigmas: 0.67 },
    Level { number: 2, percent: 73, sigmas: 1.1 },
    Level { number: 3, percent: 87, sigmas: 1.5 },
    Level { number: 4, percent: 95, sigmas: 2.0 },
    Level { number: 5, percent: 98, sigmas: 2.6 },
    Level { number: 6, percent: 99, sigmas: 3.3 },
    Level { number: Draft::FULL, percent: 100, sigmas: f64::INFINITY },
];

/// The default level of searches that do not reach the end of the game: 73 %.
pub const DEFAULT: Level = LEVELS[1];

/// The number of selective levels.
pub const SELECTIVE: usize = LEVELS.len() - 1;

/// The number of the level with this percentage.
pub fn level(percent: u8) -> Option<u8> {
    LEVELS.iter().find(|level| level.percent == percent).map(|level| level.number)
}

/// The percentage of the level with this number; 100 for an unknown number.
pub fn percent(number: u8) -> u8 {
    LEVELS.iter().find(|level| level.number == number).map_or(100, |level| level.percent)
}

/// The margin of each selective level in sigmas, by phase.
///
/// Text format: a line `phase percent sigmas` for each level, phases ascending. A missing phase has the margins of the
/// last one before it. Empty lines and lines that begin with `#` are skipped.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Thresholds(Vec<(u8, [f64; SELECTIVE])>);

/// An error in the text of thresholds.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ThresholdsError {
    /// A line is not the expected row.
    #[error(
        "invalid row \"{}\", expected PHASE {percent} SIGMAS, with more sigmas than at the previous level",
        crate::game::quoted(.text)
    )]
    Row {
        /// The line.
        text: String,
        /// The percentage of the expected level.
        percent: u8,
    },
    /// A level of the last phase is missing.
    #[error("the last phase has no row for level {0}")]
    Missing(u8),
}

impl Thresholds {
    /// The thresholds from these phases on.
    pub fn new(rows: impl IntoIterator<Item = (u8, [f64; SELECTIVE])>) -> Thresholds {
        Thresholds(rows.into_iter().collect())
    }

    /// Reads thresholds.
    pub fn read(text: &str) -> Result<Thresholds, ThresholdsError> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut rows: Vec<(u8, [f64; SELECTIVE])> = Vec::new();
        let mut next = 0;
        for text in lines {
            let percent = LEVELS[next].percent;
            let error = || ThresholdsError::Row { text: text.into(), percent };
            let [phase, found, sigmas] = *text.split_whitespace().collect::<Vec<_>>() else { return Err(error()) };
            let phase: u8 = phase.parse().map_err(|_| error())?;
            let sigmas: f64 = sigmas.parse().map_err(|_| error())?;
            let last = rows.last().map(|row| row.0);
            let in_order = if next == 0 { last.is_none_or(|last| phase > last) } else { last == Some(phase) };
            if next == 0 {
                rows.push((phase, [0.0; SELECTIVE]));
            }
            let Some((_, values)) = rows.last_mut() else { return Err(error()) };
            let least = if next == 0 { 0.0 } else { values[next - 1] };
            if found.parse() != Ok(percent) || !in_order || !sigmas.is_finite() || sigmas <= least {
                return Err(error());
            }
            values[next] = sigmas;
            next = (next + 1) % SELECTIVE;
        }
        if next == 0 { Ok(Thresholds(rows)) } else { Err(ThresholdsError::Missing(LEVELS[next].percent)) }
    }

    /// The sigmas of each level in a phase.
    pub fn of_phase(&self, phase: u8) -> [f64; SELECTIVE] {
        let fitted = self.0.iter().rev().find(|row| row.0 <= phase);
        fitted.map_or_else(|| std::array::from_fn(|index| LEVELS[index].sigmas), |row| row.1)
    }
}

impl std::fmt::Display for Thresholds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (phase, sigmas) in &self.0 {
            for (level, sigmas) in LEVELS.iter().zip(sigmas) {
                writeln!(f, "{phase} {} {sigmas:.3}", level.percent)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_has_its_percent() {
        for Level { number, percent, sigmas } in LEVELS {
            assert_eq!((level(percent), super::percent(number)), (Some(number), percent));
            assert!(sigmas.is_finite() != (number == Draft::FULL));
        }
        assert_eq!((level(74), DEFAULT.percent), (None, 73));
    }

    #[test]
    fn thresholds_round_trip_and_hold_from_their_phase_on() {
        let (early, late) = ([0.5, 1.0, 1.5, 2.0, 2.5, 3.0], [0.25, 0.75, 1.5, 2.25, 2.5, 4.125]);
        let thresholds = Thresholds::new([(2, early), (10, late)]);
        assert_eq!(Thresholds::read(&format!("# by phase\n\n{thresholds}")), Ok(thresholds.clone()));
        assert_eq!([2, 9, 10, 11].map(|phase| thresholds.of_phase(phase)), [early, early, late, late]);
        assert_eq!(thresholds.of_phase(1), Thresholds::default().of_phase(0));
        assert_eq!(Thresholds::default().of_phase(0)[1], 1.1);
    }

    #[test]
    fn invalid_thresholds_are_rejected() {
        let text = Thresholds::new([(0, [0.5, 1.0, 1.5, 2.0, 2.5, 3.0])]).to_string();
        let row = |text: &str, percent| Err(ThresholdsError::Row { text: text.into(), percent });
        assert_eq!(Thresholds::read(&text.replace("87 1.500", "88 1.500")), row("0 88 1.500", 87));
        assert_eq!(Thresholds::read(&text.replace("87 1.500", "87 0.400")), row("0 87 0.400", 87));
        assert_eq!(Thresholds::read(&text.replace("87 1.500", "87 nan")), row("0 87 nan", 87));
        assert_eq!(Thresholds::read(&text.replace("0 87", "1 87")), row("1 87 1.500", 87));
        assert_eq!(Thresholds::read(&text.replace(" 1.500", "")), row("0 87", 87));
        assert_eq!(Thresholds::read(&format!("{text}{text}")), row("0 50 0.500", 50));
        assert_eq!(Thresholds::read(&text.replace("0 99 3.000\n", "")), Err(ThresholdsError::Missing(99)));
    }
}
