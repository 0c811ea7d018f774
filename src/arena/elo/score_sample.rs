//! Results of games and of pairs of games as a sample, and the statistics of its mean: Elo,
//! normalized Elo, LOS.

use std::fmt;

use serde::Serialize;
use thiserror::Error;

/// The two-sided 95 % quantile of the normal distribution, in standard deviations.
const NORMAL_95: f64 = 1.959_963_984_540_054;
/// Normalized Elo of one standard deviation.
pub const NELO_UNIT: f64 = 800.0 / std::f64::consts::LN_10;

/// The minimum number of trials of an estimate: with fewer, even equal results are not significant
/// at the 5 % level (sign test: 0.5^4 is 6 %, 0.5^5 is 3 %).
pub const MIN_TRIALS: f64 = 5.0;

/// Game results from one side's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Trinomial {
    /// Games won.
    pub wins: u64,
    /// Games lost.
    pub losses: u64,
    /// Games drawn.
    pub draws: u64,
}

impl Trinomial {
    /// Games played.
    pub fn games(&self) -> u64 {
        self.wins + self.losses + self.draws
    }

    /// Points scored: one per win, half per draw.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// The same games from the other side's point of view.
    #[cfg(test)]
    pub fn reversed(&self) -> Trinomial {
        Trinomial {
            wins: self.losses,
            losses: self.wins,
            draws: self.draws,
        }
    }

    /// The games as a sample.
    pub fn sample(&self) -> ScoreSample {
        ScoreSample {
            classes: vec![
                (0.0, self.losses as f64),
                (0.5, self.draws as f64),
                (1.0, self.wins as f64),
            ],
            pairs: false,
        }
    }
}

/// Wins, draws and losses: `3-1-2`.
impl fmt::Display for Trinomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.wins, self.draws, self.losses)
    }
}

/// Results of pairs of games: the number of pairs that ended LL, LD, WL, DD, WD, WW for one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Pentanomial {
    /// Both games lost.
    pub ll: u64,
    /// One lost, one drawn.
    pub ld: u64,
    /// One won, one lost.
    pub wl: u64,
    /// Both drawn.
    pub dd: u64,
    /// One won, one drawn.
    pub wd: u64,
    /// Both won.
    pub ww: u64,
}

impl Pentanomial {
    /// From the counts in the order LL LD WL DD WD WW.
    pub fn from_counts([ll, ld, wl, dd, wd, ww]: [u64; 6]) -> Pentanomial {
        Pentanomial {
            ll,
            ld,
            wl,
            dd,
            wd,
            ww,
        }
    }

    /// Adds a pair whose games scored `first` and `second` half points (0, 1 or 2 each).
    pub fn add(&mut self, first: u8, second: u8) {
        let count = match (first.min(second), first.max(second)) {
            (0, 0) => &mut self.ll,
            (0, 1) => &mut self.ld,
            (0, _) => &mut self.wl,
            (1, 1) => &mut self.dd,
            (1, _) => &mut self.wd,
            _ => &mut self.ww,
        };
        *count += 1;
    }

    /// Pairs played.
    pub fn pairs(&self) -> u64 {
        self.classes().iter().sum()
    }

    /// The five classes of pair scores (0, 1/2, 1, 3/2, 2 points); WL and DD are one class.
    pub fn classes(&self) -> [u64; 5] {
        [self.ll, self.ld, self.wl + self.dd, self.wd, self.ww]
    }

    /// The same pairs from the other side's point of view.
    #[cfg(test)]
    pub fn reversed(&self) -> Pentanomial {
        Pentanomial {
            ll: self.ww,
            ld: self.wd,
            wl: self.wl,
            dd: self.dd,
            wd: self.ld,
            ww: self.ll,
        }
    }

    /// The pairs as a sample.
    pub fn sample(&self) -> ScoreSample {
        let classes = self
            .classes()
            .iter()
            .enumerate()
            .map(|(i, &count)| (i as f64 / 4.0, count as f64))
            .collect();
        ScoreSample {
            classes,
            pairs: true,
        }
    }
}

/// A value with its 95 % confidence interval. Its bounds may be infinite, but never NaN.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Estimate {
    /// The estimate itself.
    pub value: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

/// Why a sample has no estimate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum NoEstimate {
    /// Fewer than [`MIN_TRIALS`] trials.
    #[error("too few games")]
    TooFewGames,
    /// All trials have the same score, so there is no variance.
    #[error("all results equal")]
    NoVariance,
}

/// Trials (games or pairs) by score class, from which all statistics are computed.
#[derive(Clone, Debug)]
pub struct ScoreSample {
    /// The score of each class (0 to 1 per trial) and its number of trials.
    pub(super) classes: Vec<(f64, f64)>,
    /// Whether a trial is a pair of games.
    pub pairs: bool,
}

impl ScoreSample {
    /// The number of trials.
    pub fn trials(&self) -> f64 {
        self.classes.iter().map(|&(_, count)| count).sum()
    }

    /// The mean score, `None` without a trial.
    pub fn mean(&self) -> Option<f64> {
        let trials = self.trials();
        (trials > 0.0).then(|| {
            self.classes
                .iter()
                .map(|&(score, count)| score * count)
                .sum::<f64>()
                / trials
        })
    }

    /// Mean and standard deviation of a trial.
    fn mean_and_deviation(&self) -> Result<(f64, f64), NoEstimate> {
        let trials = self.trials();
        let mean = self
            .mean()
            .filter(|_| trials >= MIN_TRIALS)
            .ok_or(NoEstimate::TooFewGames)?;
        let squares: f64 = self
            .classes
            .iter()
            .map(|&(score, count)| count * (score - mean).powi(2))
            .sum();
        Ok((mean, (squares / trials).sqrt()))
    }

    /// Mean and standard deviation of a trial, which is above 0.
    fn mean_and_positive_deviation(&self) -> Result<(f64, f64), NoEstimate> {
        match self.mean_and_deviation()? {
            (_, 0.0) => Err(NoEstimate::NoVariance),
            found => Ok(found),
        }
    }

    /// Elo difference with its interval.
    ///
    /// # Errors
    /// With too few games, or without variance.
    pub fn elo(&self) -> Result<Estimate, NoEstimate> {
        let (mean, deviation) = self.mean_and_positive_deviation()?;
        let margin = NORMAL_95 * deviation / self.trials().sqrt();
        Ok(Estimate {
            value: elo_of(mean),
            low: elo_of(mean - margin),
            high: elo_of(mean + margin),
        })
    }

    /// Normalized Elo with its interval.
    ///
    /// # Errors
    /// With too few games, or without variance.
    pub fn normalized_elo(&self) -> Result<Estimate, NoEstimate> {
        let (mean, deviation) = self.mean_and_positive_deviation()?;
        let games_per_trial = if self.pairs { 2f64 } else { 1.0 };
        let sigma = deviation * games_per_trial.sqrt();
        let games = self.trials() * games_per_trial;
        let (value, error) = (
            (mean - 0.5) / sigma * NELO_UNIT,
            NORMAL_95 * NELO_UNIT / games.sqrt(),
        );
        Ok(Estimate {
            value,
            low: value - error,
            high: value + error,
        })
    }

    /// Likelihood of superiority, 0 to 1: of the normal approximation or, without variance, of a
    /// sign test.
    ///
    /// # Errors
    /// With too few games.
    pub fn los(&self) -> Result<f64, NoEstimate> {
        let (mean, deviation) = self.mean_and_deviation()?;
        let by_chance = 0.5f64.powf(self.trials());
        Ok(match mean - 0.5 {
            difference if deviation > 0.0 => {
                normal_cdf(difference / deviation * self.trials().sqrt())
            }
            difference if difference > 0.0 => 1.0 - by_chance,
            difference if difference < 0.0 => by_chance,
            _ => 0.5,
        })
    }
}

/// The Elo difference of a mean score; infinite at 0 and 1, and beyond (for interval bounds).
pub fn elo_of(score: f64) -> f64 {
    // Adding zero turns -0 into 0.
    -400.0 * (1.0 / score.clamp(0.0, 1.0) - 1.0).log10() + 0.0
}

/// The expected score of an Elo difference.
pub(super) fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The normal distribution function.
fn normal_cdf(x: f64) -> f64 {
    0.5 * erfc(-x / std::f64::consts::SQRT_2)
}

/// The complementary error function to near machine precision: the series of erf near zero, else
/// the continued fraction of erfc (Abramowitz and Stegun 7.1.6 and 7.1.14).
fn erfc(x: f64) -> f64 {
    if x < 0.0 {
        return 2.0 - erfc(-x);
    }
    let bell = (-x * x).exp() / std::f64::consts::PI.sqrt();
    if x < 2.5 {
        let (mut term, mut sum) = (x, x);
        for n in 1..80 {
            term *= 2.0 * x * x / (2 * n + 1) as f64;
            sum += term;
        }
        1.0 - 2.0 * bell * sum
    } else {
        let tail = (1..=60)
            .rev()
            .fold(x, |below, n| x + n as f64 / 2.0 / below);
        bell / tail
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{games, near, pairs};
    use super::*;

    fn half_width(estimate: &Estimate) -> f64 {
        (estimate.high - estimate.low) / 2.0
    }

    #[test]
    fn elo_of_games() {
        let elo = games(76, 89, 123).elo().unwrap();
        near(elo.value, -15.69);
        near(elo.low, -46.27);
        near(elo.high, 14.64);
        let elo = games(136, 96, 111).elo().unwrap();
        near(elo.value, 40.70);
        near(half_width(&elo), 30.43);
        near(games(34, 356, 0).elo().unwrap().value, -407.99);
        let elo = games(120, 80, 100).elo().unwrap();
        near(elo.value, 46.60);
        near(elo.low, 14.66);
        near(elo.high, 79.35);
    }

    #[test]
    fn normalized_elo_and_los_of_games_are_computed() {
        for (sample, value, error, los) in [
            (games(76, 89, 123), -20.76, 40.13, 15.53),
            (games(136, 96, 111), 49.77, 36.77, 99.60),
            (games(34, 356, 0), -508.44, 34.48, 0.0),
            (games(120, 80, 100), 57.51, 39.32, 99.79),
        ] {
            let nelo = sample.normalized_elo().unwrap();
            near(nelo.value, value);
            near(half_width(&nelo), error);
            near(100.0 * sample.los().unwrap(), los);
        }
    }

    #[test]
    fn elo_normalized_elo_and_los_of_pairs_are_computed() {
        for (counts, elo, elo_error, nelo, nelo_error, los) in [
            ([34, 54, 31, 32, 64, 75], 55.58, 27.65, 57.94, 28.28, 100.0),
            (
                [332, 433, 457, 41, 333, 334],
                -8.64,
                10.33,
                -9.17,
                10.96,
                5.05,
            ),
            (
                [7895, 8757, 5485, 200, 568, 9999],
                -21.04,
                2.95,
                -19.01,
                2.65,
                0.0,
            ),
        ] {
            let sample = pairs(counts);
            near(sample.elo().unwrap().value, elo);
            near(half_width(&sample.elo().unwrap()), elo_error);
            near(sample.normalized_elo().unwrap().value, nelo);
            near(half_width(&sample.normalized_elo().unwrap()), nelo_error);
            near(100.0 * sample.los().unwrap(), los);
        }
    }

    #[test]
    fn few_or_equal_results_have_no_estimate() {
        assert!(games(0, 0, 0).mean().is_none());
        for few in [
            games(0, 0, 0),
            games(1, 0, 0),
            games(2, 0, 0),
            games(1, 2, 1),
            pairs([0, 1, 0, 0, 2, 1]),
        ] {
            assert_eq!(few.elo(), Err(NoEstimate::TooFewGames));
            assert_eq!(few.normalized_elo(), Err(NoEstimate::TooFewGames));
            assert_eq!(few.los(), Err(NoEstimate::TooFewGames));
        }
        for (equal, los) in [
            (games(5, 0, 0), 0.968_75),
            (games(0, 5, 0), 0.031_25),
            (pairs([0, 0, 3, 4, 0, 0]), 0.5),
            (pairs([0, 0, 0, 0, 6, 0]), 0.984_375),
        ] {
            assert_eq!(equal.elo(), Err(NoEstimate::NoVariance));
            assert_eq!(equal.normalized_elo(), Err(NoEstimate::NoVariance));
            assert_eq!(equal.los(), Ok(los));
        }
        let elo = games(4, 1, 0).elo().unwrap();
        assert!(
            elo.value.is_finite() && elo.high == f64::INFINITY,
            "{elo:?}"
        );
    }

    #[test]
    fn pairs_are_counted_by_half_points() {
        let mut counted = Pentanomial::default();
        for (first, second) in [
            (0, 0),
            (0, 1),
            (1, 0),
            (2, 0),
            (1, 1),
            (2, 1),
            (1, 2),
            (2, 2),
        ] {
            counted.add(first, second);
        }
        assert_eq!(counted, Pentanomial::from_counts([1, 2, 1, 1, 2, 1]));
        assert_eq!(counted.classes(), [1, 2, 2, 2, 1]);
        assert_eq!(counted.pairs(), 8);
        assert_eq!(
            counted.reversed(),
            Pentanomial::from_counts([1, 2, 1, 1, 2, 1])
        );
    }

    #[test]
    fn the_error_function_is_accurate() {
        // erfc(0.5), erfc(2.5), erfc(4): tables of Abramowitz and Stegun.
        for (x, value) in [
            (0.0, 1.0),
            (0.5, 0.479_500_122_186_953_5),
            (2.5, 4.069_520_174_449_59e-4),
            (4.0, 1.541_725_790_028e-8),
        ] {
            assert!(
                (erfc(x) / value - 1.0).abs() < 1e-9,
                "erfc({x}) = {}",
                erfc(x)
            );
        }
        assert!((erfc(-0.5) - 1.520_499_877_813_046_5).abs() < 1e-12);
    }
}
