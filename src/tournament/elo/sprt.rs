//! The sequential probability ratio test (A. Wald) with the generalised log likelihood ratio: each hypothesis is
//! represented by its maximum likelihood distribution.

use serde::Serialize;

use super::score_sample::{NELO_UNIT, ScoreSample, score_of};

/// The count substituted for an empty class, so that its logarithm is finite.
const EMPTY_CLASS: f64 = 0.001;

/// The quantity that the hypotheses of a sequential test fix.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EloModel {
    /// The mean score.
    Logistic,
    /// The mean score in standard deviations of one game.
    Normalised,
}

impl ScoreSample {
    /// The generalised log likelihood ratio of `elo1` over `elo0`; `0` without a trial.
    pub fn log_likelihood_ratio(&self, model: EloModel, elo0: f64, elo1: f64) -> f64 {
        if self.trials() <= 0.0 {
            return 0.0;
        }
        let counts: Vec<(f64, f64)> =
            self.classes.iter().map(|&(score, count)| (score, if count > 0.0 { count } else { EMPTY_CLASS })).collect();
        let trials: f64 = counts.iter().map(|&(_, count)| count).sum();
        let observed: Vec<(f64, f64)> = counts.iter().map(|&(score, count)| (score, count / trials)).collect();
        let likeliest = |elo: f64| match model {
            EloModel::Logistic => likeliest_with_mean(&observed, score_of(elo)),
            EloModel::Normalised => {
                let t = elo / NELO_UNIT * if self.pairs { 2f64.sqrt() } else { 1.0 };
                likeliest_with_t(&observed, t)
            }
        };
        let (h0, h1) = (likeliest(elo0), likeliest(elo1));
        trials * observed.iter().zip(h0.iter().zip(&h1)).map(|(&(_, p), (p0, p1))| p * (p1 / p0).ln()).sum::<f64>()
    }
}

/// A sequential probability ratio test between two Elo differences.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, serde::Deserialize)]
pub struct Sprt {
    /// The Elo difference of the null hypothesis.
    pub elo0: f64,
    /// The Elo difference of the alternative hypothesis.
    pub elo1: f64,
    /// The probability of a type I error: accepting the alternative although the null hypothesis holds.
    pub alpha: f64,
    /// The probability of a type II error: accepting the null hypothesis although the alternative holds.
    pub beta: f64,
    /// The meaning of the two differences.
    pub model: EloModel,
}

/// The result of a sequential test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SprtVerdict {
    /// Not decided yet.
    Continue,
    /// The null hypothesis (`elo0`) is accepted.
    AcceptH0,
    /// The alternative (`elo1`) is accepted.
    AcceptH1,
}

impl Sprt {
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

/// The maximum likelihood distribution with this mean.
///
/// By Lagrange it is `p / (1 + x (a - mean))`, with `x` such that the constraint holds.
fn likeliest_with_mean(observed: &[(f64, f64)], mean: f64) -> Vec<f64> {
    let shifted: Vec<(f64, f64)> = observed.iter().map(|&(score, p)| (score - mean, p)).collect();
    tilt(&shifted)
}

/// The maximum likelihood distribution with `(mean - 1/2) / sigma = t`.
///
/// The constraint is not linear; it is solved by repeated linearisation around the current distribution, as in
/// Van den Bergh's note on the generalised ratio for t-values.
fn likeliest_with_t(observed: &[(f64, f64)], t: f64) -> Vec<f64> {
    let mut now: Vec<f64> = vec![1.0 / observed.len() as f64; observed.len()];
    for _ in 0..100 {
        let mean: f64 = observed.iter().zip(&now).map(|(&(score, _), p)| score * p).sum();
        let variance: f64 = observed.iter().zip(&now).map(|(&(score, _), p)| p * (score - mean).powi(2)).sum();
        let sigma = variance.sqrt();
        let linear: Vec<(f64, f64)> = observed
            .iter()
            .map(|&(score, p)| (score - 0.5 - t * sigma * (1.0 + ((mean - score) / sigma).powi(2)) / 2.0, p))
            .collect();
        let next = tilt(&linear);
        let moved = now.iter().zip(&next).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        now = next;
        if moved < 1e-12 {
            break;
        }
    }
    now
}

/// `p / (1 + x a)` with the `x` that makes the expectation of `a` zero; `a` must take both signs.
fn tilt(weighted: &[(f64, f64)]) -> Vec<f64> {
    let lowest = weighted.iter().map(|&(a, _)| a).fold(f64::INFINITY, f64::min);
    let highest = weighted.iter().map(|&(a, _)| a).fold(f64::NEG_INFINITY, f64::max);
    // Between these every denominator is positive; the sum below falls from +infinity to -infinity.
    let (mut low, mut high) = (-1.0 / highest, -1.0 / lowest);
    for _ in 0..200 {
        let x = (low + high) / 2.0;
        let sum: f64 = weighted.iter().map(|&(a, p)| p * a / (1.0 + x * a)).sum();
        if sum > 0.0 {
            low = x;
        } else {
            high = x;
        }
    }
    let x = (low + high) / 2.0;
    weighted.iter().map(|&(a, p)| p / (1.0 + x * a)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{games, near, pairs};
    use super::*;

    #[test]
    fn likelihood_ratios() {
        use EloModel::{Logistic, Normalised};
        for (sample, elo0, elo1, model, ratio) in [
            (games(36_433, 36_027, 68_692), 0.0, 2.0, Normalised, 0.92),
            (games(10_871, 10_650, 20_431), -1.75, 0.25, Normalised, 2.30),
            (games(21_404, 21_184, 40_708), 0.5, 2.5, Logistic, -1.57),
            (games(57_433, 57_030, 106_593), 0.0, 2.0, Logistic, -2.59),
            (pairs([365, 16_618, 36_029, 200, 16_974, 390]), 0.0, 2.0, Normalised, 2.25),
            (pairs([127, 4_883, 10_311, 401, 5_150, 104]), -1.75, 0.25, Normalised, 3.01),
            (pairs([223, 9_863, 20_279, 1_000, 10_037, 246]), 0.5, 2.5, Logistic, -3.07),
            (pairs([871, 26_175, 55_003, 980, 26_678, 821]), 0.0, 2.0, Logistic, -4.98),
        ] {
            near(sample.log_likelihood_ratio(model, elo0, elo1), ratio);
        }
    }

    #[test]
    fn bounds_and_verdicts() {
        let sprt = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: EloModel::Normalised };
        assert!((sprt.bounds().0 + 2.944).abs() < 0.001 && (sprt.bounds().1 - 2.944).abs() < 0.001);
        assert_eq!(sprt.test(&games(0, 0, 0)), (0.0, SprtVerdict::Continue));
        assert_eq!(sprt.test(&pairs([0, 0, 0, 0, 0, 300])).1, SprtVerdict::AcceptH1);
        assert_eq!(sprt.test(&pairs([300, 0, 0, 0, 0, 0])).1, SprtVerdict::AcceptH0);
    }

    /// The maximum log likelihood with `(mean - 1/2) / sigma = t` by ternary search over the share of draws: three
    /// classes with two constraints leave one degree of freedom.
    fn slow_likelihood_at_t(counts: [f64; 3], t: f64) -> f64 {
        let likelihood = |draws: f64| {
            // Wins w and losses l with w + l = 1 - draws; the t-value rises with w: bisect.
            let (mut low, mut high) = (0.0, 1.0 - draws);
            for _ in 0..100 {
                let wins: f64 = (low + high) / 2.0;
                let mean = wins + draws / 2.0;
                let variance = wins + draws / 4.0 - mean * mean;
                if (mean - 0.5) / variance.max(1e-300).sqrt() < t { low = wins } else { high = wins }
            }
            let p = [1.0 - draws - low, draws, low];
            counts.iter().zip(p).map(|(count, p)| count * p.max(1e-300).ln()).sum::<f64>()
        };
        let (mut low, mut high) = (1e-9, 1.0 - 1e-9);
        for _ in 0..300 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if likelihood(a) < likelihood(b) { low = a } else { high = b }
        }
        likelihood((low + high) / 2.0)
    }

    proptest! {
        #[test]
        fn statistics_are_never_nan(counts in proptest::array::uniform6(0u64..40)) {
            let sample = pairs(counts);
            for model in [EloModel::Logistic, EloModel::Normalised] {
                prop_assert!(sample.log_likelihood_ratio(model, 0.0, 5.0).is_finite());
                prop_assert!(sample.log_likelihood_ratio(model, -20.0, 50.0).is_finite());
            }
            if let Ok(elo) = sample.elo() {
                prop_assert!(!elo.value.is_nan() && !elo.low.is_nan() && !elo.high.is_nan());
                prop_assert!((0.0..=1.0).contains(&sample.los().unwrap()));
            }
        }

        #[test]
        fn the_ratio_is_the_constrained_maximum(wins in 1u64..500, losses in 1u64..500, draws in 1u64..500) {
            let counts = [losses as f64, draws as f64, wins as f64];
            let slow = slow_likelihood_at_t(counts, 5.0 / NELO_UNIT) - slow_likelihood_at_t(counts, 0.0);
            let fast = games(wins, losses, draws).log_likelihood_ratio(EloModel::Normalised, 0.0, 5.0);
            prop_assert!((slow - fast).abs() < 1e-4 * (1.0 + slow.abs()), "slow {slow} fast {fast}");
        }
    }
}
