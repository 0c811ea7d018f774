//! The sequential probability ratio test (A. Wald) with the generalized log likelihood ratio: each hypothesis is
//! represented by its maximum likelihood distribution.

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use super::likelihood::{Classes, likelihood_of_elo, likelihood_of_t};
use super::score_sample::{NELO_UNIT, ScoreSample};
use crate::arena::arguments::parse_key_values;

/// The count substituted for an empty class, so that its logarithm is finite.
pub(super) const EMPTY_CLASS: f64 = 0.001;

/// The scale of the hypotheses of a sequential test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum EloModel {
    /// The mean score in standard deviations of one game.
    #[default]
    #[serde(rename = "normalised")]
    #[value(alias = "normalised")]
    Normalized,
    /// The mean score.
    Logistic,
}

impl ScoreSample {
    /// The generalized log likelihood ratio of `elo1` over `elo0`; `0` without a trial. It is finite for all finite
    /// bounds; those beyond [`MAX_ELO`](super::likelihood::MAX_ELO), or [`MAX_T`](super::likelihood::MAX_T) standard
    /// deviations, count as these.
    pub fn log_likelihood_ratio(&self, model: EloModel, elo0: f64, elo1: f64) -> f64 {
        if self.trials() <= 0.0 {
            return 0.0;
        }
        let counts: Classes =
            self.classes.iter().map(|&(score, count)| (score, if count > 0.0 { count } else { EMPTY_CLASS })).collect();
        let trials: f64 = counts.iter().map(|&(_, count)| count).sum();
        let observed: Classes = counts.iter().map(|&(score, count)| (score, count / trials)).collect();
        let likelihood = |elo: f64| match model {
            EloModel::Logistic => likelihood_of_elo(&observed, elo),
            EloModel::Normalized => {
                likelihood_of_t(&observed, elo / NELO_UNIT * if self.pairs { 2f64.sqrt() } else { 1.0 })
            }
        };
        trials * (likelihood(elo1) - likelihood(elo0))
    }
}

/// A sequential probability ratio test between two Elo differences.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, clap::Parser)]
#[command(args_override_self = true)]
pub struct Sprt {
    /// The Elo difference of the null hypothesis.
    #[arg(long, default_value_t = 0.0)]
    pub elo0: f64,
    /// The Elo difference of the alternative hypothesis.
    #[arg(long, default_value_t = 5.0)]
    pub elo1: f64,
    /// The probability of a type I error: accepting the alternative although the null hypothesis holds.
    #[arg(long, default_value_t = 0.05)]
    pub alpha: f64,
    /// The probability of a type II error: accepting the null hypothesis although the alternative holds.
    #[arg(long, default_value_t = 0.05)]
    pub beta: f64,
    /// The scale of the two differences.
    #[arg(long, value_enum, default_value_t)]
    pub model: EloModel,
}

/// The result of a sequential test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SprtVerdict {
    /// Not decided yet.
    Continue,
    /// The null hypothesis (`elo0`) is accepted.
    #[serde(rename = "h0")]
    AcceptH0,
    /// The alternative (`elo1`) is accepted.
    #[serde(rename = "h1")]
    AcceptH1,
}

impl Sprt {
    /// Parses `elo0=0 elo1=5 alpha=0.05 beta=0.05 model=normalized`.
    ///
    /// # Errors
    /// If a word is invalid, or the bounds or error probabilities are out of range.
    pub fn parse(words: &[String]) -> Result<Sprt> {
        let sprt: Sprt = parse_key_values("--sprt", words)?;
        ensure!(
            sprt.elo0.is_finite() && sprt.elo1.is_finite() && sprt.elo0 < sprt.elo1,
            "--sprt: elo0 must be less than elo1"
        );
        ensure!(
            [sprt.alpha, sprt.beta].iter().all(|error| (1e-9..0.5).contains(error)),
            "--sprt: alpha and beta must be between 0 and 0.5"
        );
        Ok(sprt)
    }

    /// Lower and upper bound of the log likelihood ratio.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log likelihood ratio of a sample and the verdict.
    pub fn test(&self, sample: &ScoreSample) -> (f64, SprtVerdict) {
        let ratio = sample.log_likelihood_ratio(self.model, self.elo0, self.elo1);
        let (lower, upper) = self.bounds();
        let verdict = if ratio >= upper {
            SprtVerdict::AcceptH1
        } else if ratio <= lower {
            SprtVerdict::AcceptH0
        } else {
            SprtVerdict::Continue
        };
        (ratio, verdict)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{games, near, pairs};
    use super::*;

    #[test]
    fn likelihood_ratios() {
        use EloModel::{Logistic, Normalized};
        for (sample, elo0, elo1, model, ratio) in [
            (games(36_433, 36_027, 68_692), 0.0, 2.0, Normalized, 0.92),
            (games(10_871, 10_650, 20_431), -1.75, 0.25, Normalized, 2.30),
            (games(21_404, 21_184, 40_708), 0.5, 2.5, Logistic, -1.57),
            (games(57_433, 57_030, 106_593), 0.0, 2.0, Logistic, -2.59),
            (pairs([365, 16_618, 36_029, 200, 16_974, 390]), 0.0, 2.0, Normalized, 2.25),
            (pairs([127, 4_883, 10_311, 401, 5_150, 104]), -1.75, 0.25, Normalized, 3.01),
            (pairs([223, 9_863, 20_279, 1_000, 10_037, 246]), 0.5, 2.5, Logistic, -3.07),
            (pairs([871, 26_175, 55_003, 980, 26_678, 821]), 0.0, 2.0, Logistic, -4.98),
        ] {
            near(sample.log_likelihood_ratio(model, elo0, elo1), ratio);
        }
    }

    #[test]
    fn bounds_and_verdicts() {
        let sprt = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: EloModel::Normalized };
        assert!((sprt.bounds().0 + 2.944).abs() < 0.001 && (sprt.bounds().1 - 2.944).abs() < 0.001);
        assert_eq!(sprt.test(&games(0, 0, 0)), (0.0, SprtVerdict::Continue));
        assert_eq!(sprt.test(&pairs([0, 0, 0, 0, 0, 300])).1, SprtVerdict::AcceptH1);
        assert_eq!(sprt.test(&pairs([300, 0, 0, 0, 0, 0])).1, SprtVerdict::AcceptH0);
    }

    #[test]
    fn every_finite_bound_has_a_likelihood() {
        let bounds = [0.0, 1e-300, 1e-9, 231.0, 340.0, 1e4, 1e5, 1e9, 1e300, f64::MAX];
        let bounds: Vec<f64> = bounds.iter().flat_map(|&bound| [-bound, bound]).collect();
        let samples = [
            pairs([34, 54, 31, 32, 64, 75]),
            pairs([0, 0, 0, 0, 0, 1]),
            pairs([0, 0, 1, 0, 0, 0]),
            pairs([0, 0, 0, 0, 1_000_000_000_000, 0]),
            games(1, 0, 0),
            games(0, 0, 1_000_000_000_000),
            games(1_000_000_000_000, 1, 0),
        ];
        for sample in &samples {
            for model in [EloModel::Normalized, EloModel::Logistic] {
                for &elo0 in &bounds {
                    for &elo1 in &bounds {
                        let ratio = sample.log_likelihood_ratio(model, elo0, elo1);
                        assert!(ratio.is_finite(), "{sample:?} {model:?} {elo0} {elo1}: {ratio}");
                    }
                }
            }
        }
        // Away from the sample the likelihood falls.
        for model in [EloModel::Normalized, EloModel::Logistic] {
            for step in 2..200 {
                let [elo0, elo1] = [step, step + 1].map(|step| f64::from(step) * 50.0);
                let [up, down] = [(elo0, elo1), (-elo0, -elo1)]
                    .map(|(elo0, elo1)| samples[0].log_likelihood_ratio(model, elo0, elo1));
                assert!(up < 0.0 && down < 0.0, "{model:?} {elo0}: {up} {down}");
            }
        }
    }

    proptest! {
        #[test]
        fn statistics_are_never_nan(counts in proptest::array::uniform6(0u64..40)) {
            if let Ok(elo) = pairs(counts).elo() {
                prop_assert!(!elo.value.is_nan() && !elo.low.is_nan() && !elo.high.is_nan());
                prop_assert!((0.0..=1.0).contains(&pairs(counts).los().unwrap()));
            }
        }
    }
}
