//! Selectivity levels: their names and the margin, in sigmas, that a statistical cut requires at
//! each.
//!
//! At a level of p percent, the value of a search equals that of a full-width search in p percent
//! of all positions. The margins that achieve this depend on the game and the phase;
//! `nullwindow lab train levels` fits them. A game without fitted margins uses [`Level::sigmas`], the
//! confidence of a single cut.

use super::fitted::{Fitted, FittedError, finite};
use super::table::Draft;

/// The title of a file.
pub const TITLE: &str = "selectivity levels";

/// A selectivity level.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Level {
    /// Its number in a [`Draft`]; a higher level is less selective.
    pub number: u8,
    /// How often its value equals that of a full-width search, in percent; what protocols report.
    pub percent: u8,
    /// The margin of a cut in sigmas where none is fitted: two-sided quantiles of the normal
    /// distribution, as in Edax. Infinite for full width.
    pub sigmas: f64,
}

/// The levels, from the most selective to full width.
pub const LEVELS: [Level; 7] = [
    Level {
        number: 1,
        percent: 50,
        sigmas: 0.67,
    },
    Level {
        number: 2,
        percent: 73,
        sigmas: 1.1,
    },
    Level {
        number: 3,
        percent: 87,
        sigmas: 1.5,
    },
    Level {
        number: 4,
        percent: 95,
        sigmas: 2.0,
    },
    Level {
        number: 5,
        percent: 98,
        sigmas: 2.6,
    },
    Level {
        number: 6,
        percent: 99,
        sigmas: 3.3,
    },
    Level {
        number: Draft::FULL,
        percent: 100,
        sigmas: f64::INFINITY,
    },
];

/// The default level of searches that do not reach the end of the game: 73 %.
pub const DEFAULT: Level = LEVELS[1];

/// The number of selective levels.
pub const SELECTIVE: usize = LEVELS.len() - 1;

/// The number of the level with this percentage.
pub fn level(percent: u8) -> Option<u8> {
    LEVELS
        .iter()
        .find(|level| level.percent == percent)
        .map(|level| level.number)
}

/// The percentage of the level with this number; 100 for an unknown number.
pub fn percent(number: u8) -> u8 {
    LEVELS
        .iter()
        .find(|level| level.number == number)
        .map_or(100, |level| level.percent)
}

/// The margin of each selective level in sigmas, by phase.
///
/// In a file ([`super::fitted`]), a row `phase percent sigmas` for each level, phases ascending. A
/// missing phase has the margins of the last one before it.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Thresholds(Vec<(u8, [f64; SELECTIVE])>);

impl Thresholds {
    /// The thresholds from these phases on.
    pub fn new(rows: impl IntoIterator<Item = (u8, [f64; SELECTIVE])>) -> Thresholds {
        Thresholds(rows.into_iter().collect())
    }

    /// Reads thresholds.
    pub fn read(text: &str) -> Result<Thresholds, FittedError> {
        let file = Fitted::read(text, TITLE)?;
        let mut phases: Vec<(u8, [f64; SELECTIVE])> = Vec::new();
        let mut levels = (0..SELECTIVE).cycle();
        file.rows(
            "PHASE PERCENT SIGMAS: phases rising, each with all levels, their sigmas rising",
            |words| {
                let (&[phase, percent, sigmas], level) = (words, levels.next()?) else {
                    return None;
                };
                let (phase, sigmas) = (phase.parse().ok()?, finite(sigmas)?);
                if level == 0 && phases.last().is_none_or(|last| phase > last.0) {
                    phases.push((phase, [0.0; SELECTIVE]));
                }
                let (last, found) = phases.last_mut()?;
                let least = found[..level].last().copied().unwrap_or(0.0);
                let is_valid = phase == *last
                    && percent.parse() == Ok(LEVELS[level].percent)
                    && sigmas > least;
                found[level] = sigmas;
                is_valid.then_some(())
            },
        )?;
        match levels.next() {
            Some(0) => Ok(Thresholds(phases)),
            _ => Err(file.end_error("a level of the last phase is missing")),
        }
    }

    /// The rows of a file.
    pub fn rows(&self) -> impl Iterator<Item = String> {
        let of_phase = |(phase, sigmas): &(u8, [f64; SELECTIVE])| {
            let row =
                |(level, sigmas): (&Level, &f64)| format!("{phase} {} {sigmas:.3}", level.percent);
            LEVELS.iter().zip(sigmas).map(row).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of_phase)
    }

    /// The sigmas of each level in a phase.
    pub fn of_phase(&self, phase: u8) -> [f64; SELECTIVE] {
        let fitted = self.0.iter().rev().find(|row| row.0 <= phase);
        fitted.map_or_else(
            || std::array::from_fn(|index| LEVELS[index].sigmas),
            |row| row.1,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::fitted;
    use super::*;

    #[test]
    fn every_level_has_its_percent() {
        for Level {
            number,
            percent,
            sigmas,
        } in LEVELS
        {
            assert_eq!(
                (level(percent), super::percent(number)),
                (Some(number), percent)
            );
            assert!(sigmas.is_finite() != (number == Draft::FULL));
        }
        assert_eq!((level(74), DEFAULT.percent), (None, 73));
    }

    #[test]
    fn thresholds_round_trip_and_hold_from_their_phase_on() {
        let (early, late) = (
            [0.5, 1.0, 1.5, 2.0, 2.5, 3.0],
            [0.25, 0.75, 1.5, 2.25, 2.5, 4.125],
        );
        let thresholds = Thresholds::new([(2, early), (10, late)]);
        assert_eq!(
            Thresholds::read(&fitted::write(TITLE, "a test", &[], "-", thresholds.rows())),
            Ok(thresholds.clone())
        );
        assert_eq!(
            [2, 9, 10, 11].map(|phase| thresholds.of_phase(phase)),
            [early, early, late, late]
        );
        assert_eq!(thresholds.of_phase(1), Thresholds::default().of_phase(0));
        assert_eq!(Thresholds::default().of_phase(0)[1], 1.1);
    }

    #[test]
    fn invalid_thresholds_are_rejected() {
        let thresholds = Thresholds::new([(0, [0.5, 1.0, 1.5, 2.0, 2.5, 3.0])]);
        let text = fitted::write(TITLE, "a test", &[], "-", thresholds.rows());
        let line = |text: &str| Thresholds::read(text).unwrap_err().line;
        for (good, bad) in [
            ("87 1.500", "88 1.500"),
            ("87 1.500", "87 0.400"),
            ("87 1.500", "87 nan"),
            ("0 87", "1 87"),
            (" 1.500", ""),
        ] {
            assert_eq!(line(&text.replace(good, bad)), 6, "{bad}");
        }
        assert_eq!(line(&format!("{text}0 50 0.500\n")), 10);
        let error = Thresholds::read(&text.replace("0 99 3.000\n", "")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 8: a level of the last phase is missing"
        );
    }
}
