//! The sequential probability ratio test (A. Wald) with the generalized log likelihood ratio: each
//! hypothesis is represented by its maximum likelihood distribution.

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

use super::score_sample::{NELO_UNIT, ScoreSample, score_of};

/// The largest logistic bound: its distance from a mean of 1 is a normal number.
const MAX_ELO: f64 = 100_000.0;
/// The largest normalized bound in standard deviations of a trial.
const MAX_T: f64 = 1e6;
/// Points per class at which the likelihood of a normalized bound is examined for local maxima.
const SCAN: usize = 32;

/// The count substituted for an empty class, so that its logarithm is finite.
const EMPTY_CLASS: f64 = 0.001;

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
    /// The generalized log likelihood ratio of `elo1` over `elo0`; `0` without a trial. It is
    /// finite for all finite bounds; those beyond [`MAX_ELO`], or [`MAX_T`] standard deviations,
    /// count as these.
    pub fn log_likelihood_ratio(&self, model: EloModel, elo0: f64, elo1: f64) -> f64 {
        if self.trials() <= 0.0 {
            return 0.0;
        }
        let counts = self.classes.iter();
        let mut observed: Classes = counts
            .map(|&(score, count)| (score, if count > 0.0 { count } else { EMPTY_CLASS }))
            .collect();
        let trials: f64 = observed.iter().map(|&(_, count)| count).sum();
        observed.iter_mut().for_each(|(_, count)| *count /= trials);
        let likelihood = |elo: f64| match model {
            EloModel::Logistic => likelihood_of_elo(&observed, elo),
            EloModel::Normalized => likelihood_of_t(
                &observed,
                elo / NELO_UNIT * if self.pairs { 2f64.sqrt() } else { 1.0 },
            ),
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
    /// The probability of a type I error: accepting the alternative although the null hypothesis
    /// holds.
    #[arg(long, default_value_t = 0.05)]
    pub alpha: f64,
    /// The probability of a type II error: accepting the null hypothesis although the alternative
    /// holds.
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
    /// Lower and upper bound of the log likelihood ratio.
    pub fn bounds(&self) -> (f64, f64) {
        (
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        )
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

/// Score (or weight) and probability of at most five classes.
type Classes = ArrayVec<(f64, f64), 5>;

/// The maximum log likelihood per trial with the mean of an Elo difference; 0 is that of the
/// observed distribution.
fn likelihood_of_elo(observed: &[(f64, f64)], elo: f64) -> f64 {
    let elo = elo.clamp(-MAX_ELO, MAX_ELO);
    // score - mean, without cancellation where the mean is close to 1
    let weight = |score: f64| score * score_of(-elo) - (1.0 - score) * score_of(elo);
    tilted_likelihood(observed, weight).unwrap_or_default()
}

/// The maximum log likelihood per trial with `(mean - 1/2) / sigma = t`; 0 is that of the observed
/// distribution.
///
/// With `b = score - 1/2` and `s = t / sqrt(1 + t^2)`, for positive `t`, the constraint is
/// `E b = s sqrt(E b^2)`. The square root is concave: `E b - s sqrt(E b^2)` is the maximum over `r`
/// of `E [b - s (b^2 + r^2) / 2r]`, attained at `r^2 = E b^2`. So the distributions with a larger
/// t-value are a union of half-spaces, one for each `r`, and the likelihood has the maximum over
/// `r` of the likelihoods under one linear constraint ([`tilted_likelihood`]); if the observed
/// t-value is the larger one, it has their minimum. The minimum is unique, the maximum need not be.
fn likelihood_of_t(observed: &[(f64, f64)], t: f64) -> f64 {
    if t < 0.0 {
        let mirrored: Classes = observed
            .iter()
            .map(|&(score, p)| (1.0 - score, p))
            .collect();
        return likelihood_of_t(&mirrored, -t);
    }
    let t = t.min(MAX_T);
    let cosine = 1.0 / (1.0 + t * t).sqrt();
    let s = t * cosine;
    if s < 1e-12 {
        return tilted_likelihood(observed, |score| score - 0.5).unwrap_or_default();
    }
    // b - s (b^2 + r^2) / 2r is positive for r between these multiples of b.
    let (least, most) = (s / (1.0 + cosine), (1.0 + cosine) / s);
    let moment = |power| {
        observed
            .iter()
            .map(|&(score, p)| p * (score - 0.5).powi(power))
            .sum::<f64>()
    };
    let (first, second) = (moment(1), moment(2));
    let is_above = first >= s * second.sqrt();
    let ranges: ArrayVec<(f64, f64), 5> = if is_above {
        // The observed distribution violates the constraints of these r only.
        let root = (first * first - s * s * second).max(0.0).sqrt();
        [(s * second / (first + root), (first + root) / s)]
            .into_iter()
            .collect()
    } else {
        // Some class has a positive weight.
        let positive = observed
            .iter()
            .map(|&(score, _)| score - 0.5)
            .filter(|&b| b > 0.0);
        positive.map(|b| (least * b, most * b)).collect()
    };
    let sign = if is_above { -1.0 } else { 1.0 };
    let mut best = f64::NEG_INFINITY;
    for (low, high) in ranges {
        // At the point `at` of the scan.
        let signed_likelihood = |at: f64| {
            let r = low * (high.min(0.5) / low).powf(at / SCAN as f64);
            let weight = |score: f64| {
                -s / (2.0 * r) * (r - least * (score - 0.5)) * (r - most * (score - 0.5))
            };
            tilted_likelihood(observed, weight)
                .map_or(f64::NEG_INFINITY, |likelihood| sign * likelihood)
        };
        let scan: ArrayVec<f64, { SCAN + 1 }> =
            (0..=SCAN).map(|at| signed_likelihood(at as f64)).collect();
        for (at, &value) in scan.iter().enumerate() {
            let (before, after) = (at.saturating_sub(1), (at + 1).min(SCAN));
            if value.is_finite() && value >= scan[before] && value >= scan[after] {
                best = best
                    .max(value)
                    .max(peak(signed_likelihood, before as f64, after as f64));
            }
        }
    }
    sign * best
}

/// The maximum of a function with one peak between two arguments, by golden section.
fn peak(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let (mut a, mut b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut at_a, mut at_b) = (f(a), f(b));
    for _ in 0..34 {
        if at_a > at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - GOLDEN * (high - low);
            at_a = f(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + GOLDEN * (high - low);
            at_b = f(b);
        }
    }
    at_a.max(at_b)
}

/// The log likelihood per trial of `p / (1 + x a)`, with the `x` that makes the expectation of the
/// weight `a` of the score zero (Lagrange); `None` if the weights do not take both signs.
fn tilted_likelihood(observed: &[(f64, f64)], weight: impl Fn(f64) -> f64) -> Option<f64> {
    let weighted: Classes = observed
        .iter()
        .map(|&(score, p)| (weight(score), p))
        .collect();
    let weights = || weighted.iter().map(|&(a, _)| a);
    let lowest = weights().fold(f64::INFINITY, f64::min);
    let highest = weights().fold(f64::NEG_INFINITY, f64::max);
    if lowest >= 0.0 || highest <= 0.0 {
        return None;
    }
    // The class that gains most has the smallest denominator, y; in terms of it, and of the weights
    // as multiples of its weight, all denominators are sums of positive terms.
    let expected: f64 = weighted.iter().map(|&(a, p)| p * a).sum();
    let extreme = if expected < 0.0 { highest } else { lowest };
    let ratios: Classes = weighted.iter().map(|&(a, p)| (a / extreme, p)).collect();
    let denominator = |ratio: f64, y: f64| {
        if ratio == 1.0 {
            y
        } else {
            1.0 - ratio + y * ratio
        }
    };
    // It is between its probability, since none exceeds 1, and 1, where nothing is tilted; the
    // expectation falls.
    let least = ratios
        .iter()
        .filter(|(ratio, _)| *ratio == 1.0)
        .map(|&(_, p)| p)
        .fold(1.0, f64::min);
    let (mut low, mut high, mut y) = (least / 2.0, 1.0f64, least);
    let opposite = ratios.iter().map(|&(ratio, _)| ratio).fold(0.0, f64::min);
    for step in 0..200 {
        let (mut sum, mut slope) = (0.0, 0.0);
        for &(ratio, p) in &ratios {
            let share = ratio / denominator(ratio, y);
            sum += p * share;
            slope -= p * share * share;
        }
        if sum > 0.0 {
            low = y;
        } else {
            high = y;
        }
        // Newton's method for the expectation without its poles, which is nearly linear; should it
        // fail, bisection.
        let pole = denominator(opposite, y);
        let newton = y - sum * y * pole / ((sum + slope * y) * pole + sum * y * opposite);
        let next = if step < 40 && newton > low && newton < high {
            newton
        } else {
            (low * high).sqrt()
        };
        let is_found = (next - y).abs() <= 2.0 * f64::EPSILON * y;
        y = next;
        if is_found {
            break;
        }
    }
    Some(
        -ratios
            .iter()
            .map(|&(ratio, p)| p * denominator(ratio, y).ln())
            .sum::<f64>(),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{games, near, pairs};
    use super::*;
    use crate::game::rng::Rng;

    #[test]
    fn likelihood_ratios_have_their_known_values() {
        use EloModel::{Logistic, Normalized};
        for (sample, elo0, elo1, model, ratio) in [
            (games(36_433, 36_027, 68_692), 0.0, 2.0, Normalized, 0.92),
            (games(10_871, 10_650, 20_431), -1.75, 0.25, Normalized, 2.30),
            (games(21_404, 21_184, 40_708), 0.5, 2.5, Logistic, -1.57),
            (games(57_433, 57_030, 106_593), 0.0, 2.0, Logistic, -2.59),
            (
                pairs([365, 16_618, 36_029, 200, 16_974, 390]),
                0.0,
                2.0,
                Normalized,
                2.25,
            ),
            (
                pairs([127, 4_883, 10_311, 401, 5_150, 104]),
                -1.75,
                0.25,
                Normalized,
                3.01,
            ),
            (
                pairs([223, 9_863, 20_279, 1_000, 10_037, 246]),
                0.5,
                2.5,
                Logistic,
                -3.07,
            ),
            (
                pairs([871, 26_175, 55_003, 980, 26_678, 821]),
                0.0,
                2.0,
                Logistic,
                -4.98,
            ),
        ] {
            near(sample.log_likelihood_ratio(model, elo0, elo1), ratio);
        }
    }

    #[test]
    fn verdicts_follow_from_the_bounds() {
        let sprt = Sprt {
            elo0: 0.0,
            elo1: 5.0,
            alpha: 0.05,
            beta: 0.05,
            model: EloModel::Normalized,
        };
        assert!((sprt.bounds().0 + 2.944).abs() < 0.001 && (sprt.bounds().1 - 2.944).abs() < 0.001);
        // ln(0.1 / 0.95) and ln(0.9 / 0.05)
        let (lower, upper) = Sprt { beta: 0.1, ..sprt }.bounds();
        assert!((lower + 2.251).abs() < 0.001 && (upper - 2.890).abs() < 0.001);
        assert_eq!(sprt.test(&games(0, 0, 0)), (0.0, SprtVerdict::Continue));
        assert_eq!(
            sprt.test(&pairs([0, 0, 0, 0, 0, 300])).1,
            SprtVerdict::AcceptH1
        );
        assert_eq!(
            sprt.test(&pairs([300, 0, 0, 0, 0, 0])).1,
            SprtVerdict::AcceptH0
        );
    }

    #[test]
    fn every_finite_bound_has_a_likelihood() {
        let bounds = [
            0.0,
            1e-300,
            1e-9,
            231.0,
            340.0,
            1e4,
            1e5,
            1e9,
            1e300,
            f64::MAX,
        ];
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
                        assert!(
                            ratio.is_finite(),
                            "{sample:?} {model:?} {elo0} {elo1}: {ratio}"
                        );
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

    /// The maximum of the mean log likelihood with `(mean - 1/2) / sigma = t`, found slowly: for
    /// each mean of a grid the constraint is linear; between the neighbors of the best mean by
    /// golden section. A sample with a larger t-value has the least of these maxima instead.
    fn slow_likelihood(classes: &[f64], t: f64) -> f64 {
        if t < 0.0 {
            return slow_likelihood(&classes.iter().rev().copied().collect::<Vec<_>>(), -t);
        }
        let t = t.max(1e-9); // where a sample has no t-value nearby
        let n = classes.len();
        let trials: f64 = classes.iter().sum();
        let shares: Vec<f64> = classes.iter().map(|count| count / trials).collect();
        let score = |i: usize| i as f64 / (n - 1) as f64;
        let mean: f64 = (0..n).map(|i| shares[i] * score(i)).sum();
        let squares = (0..n).map(|i| shares[i] * (score(i) - mean).powi(2));
        let deviation = squares.sum::<f64>().sqrt();
        let is_above = mean - 0.5 > t * deviation;
        // The maximum with this mean, which determines sigma, under the linearized constraint.
        let with_mean = |mean: f64| {
            let sigma = (mean - 0.5) / t;
            let weights: Vec<f64> = (0..n)
                .map(|i| {
                    score(i) - 0.5 - t * (sigma * sigma + (mean - score(i)).powi(2)) / (2.0 * sigma)
                })
                .collect();
            let expected: f64 = (0..n).map(|i| shares[i] * weights[i]).sum();
            if is_above && expected <= 0.0 {
                return shares.iter().map(|p| p * p.ln()).sum::<f64>(); // not constrained
            }
            let (mut low, mut high) = (-1e300f64, 1e300f64);
            for &weight in &weights {
                if weight > 0.0 {
                    low = low.max(-1.0 / weight)
                } else {
                    high = high.min(-1.0 / weight)
                }
            }
            if low < -1e200 {
                return f64::NEG_INFINITY; // no positive weight
            }
            for _ in 0..32 {
                let x = (low + high) / 2.0;
                let sum: f64 = (0..n)
                    .map(|i| shares[i] * weights[i] / (1.0 + x * weights[i]))
                    .sum();
                if sum > 0.0 { low = x } else { high = x }
            }
            (0..n)
                .map(|i| shares[i] * (shares[i] / (1.0 + low * weights[i])).ln())
                .sum()
        };
        let t_sine = t / (1.0 + t * t).sqrt();
        // The mean is 1/2 + r * t_sine with r^2 = E (score - 1/2)^2.
        let at = |exponent: f64| {
            let value = with_mean(0.5 + t_sine * 0.5 * (-exponent).exp());
            if is_above { -value } else { value }
        };
        // The observed distribution violates the constraints of some r only.
        let distance = mean - 0.5;
        let second = distance * distance + deviation * deviation;
        let root = (distance * distance - t_sine * t_sine * second)
            .max(0.0)
            .sqrt();
        let (nearest, farthest) = if is_above {
            (
                (0.5 * t_sine / (distance + root)).ln().max(0.0),
                (0.5 * (distance + root) / (t_sine * second)).ln(),
            )
        } else {
            (0.0, (8.0 / t_sine).ln() + 1.0)
        };
        // By quasi-convexity there is one minimum, but there may be several maxima.
        let grid = if is_above { 2 } else { 64 };
        let width = (farthest - nearest) / f64::from(grid);
        let exponent = |i: i32| nearest + f64::from(i) * width;
        let value: Vec<f64> = (0..=grid).map(|i| at(exponent(i))).collect();
        let mut best = f64::NEG_INFINITY;
        for i in 0..=grid {
            let around = [(i - 1).max(0), (i + 1).min(grid)];
            let is_peak = || {
                around
                    .iter()
                    .all(|&other| value[i as usize] >= value[other as usize])
            };
            if if is_above { i != 1 } else { !is_peak() } {
                continue;
            }
            let [mut low, mut high] = around.map(exponent);
            let (mut at_low, mut at_high) = (None, None);
            for _ in 0..if is_above { 44 } else { 30 } {
                let (a, b) = (
                    low + (high - low) * 0.381_966,
                    low + (high - low) * 0.618_034,
                );
                let (at_a, at_b) = (
                    at_low.unwrap_or_else(|| at(a)),
                    at_high.unwrap_or_else(|| at(b)),
                );
                best = best.max(at_a).max(at_b);
                if at_a > at_b {
                    (high, at_high, at_low) = (b, Some(at_a), None);
                } else {
                    (low, at_low, at_high) = (a, Some(at_b), None);
                }
            }
            best = best.max(value[i as usize]);
        }
        if is_above { -best } else { best }
    }

    /// The counts with those of empty classes replaced.
    fn with_mass<const N: usize>(counts: [u64; N]) -> [f64; N] {
        counts.map(|count| if count > 0 { count as f64 } else { EMPTY_CLASS })
    }

    #[track_caller]
    fn compare(classes: &[f64], t: f64) {
        let (fast, slow) = (fast_likelihood(classes, t), slow_likelihood(classes, t));
        assert!(
            (fast - slow).abs() <= 1e-7 * (1.0 + slow.abs()),
            "{classes:?} {t}: {fast}, slow {slow}"
        );
    }

    /// The log likelihood of a bound, for comparison.
    fn fast_likelihood(classes: &[f64], t: f64) -> f64 {
        let trials: f64 = classes.iter().sum();
        let n = classes.len();
        let observed: Classes = classes
            .iter()
            .enumerate()
            .map(|(i, count)| (i as f64 / (n - 1) as f64, count / trials))
            .collect();
        likelihood_of_t(&observed, t) + observed.iter().map(|&(_, p)| p * p.ln()).sum::<f64>()
    }

    /// Every result of up to nine pairs at every bound of 40 pairs of bounds from -1000 to 1000. The
    /// ratio is a difference of likelihoods of single bounds; a negative bound is the opposite one
    /// of the mirrored result.
    #[test]
    fn all_results_of_nine_pairs_have_the_constrained_maximum_at_all_bounds() {
        let bounds = [0.0, 5.0, 50.0, 150.0, 231.0, 250.0, 340.0, 600.0, 1000.0];
        let pairs_of_bounds: Vec<(f64, f64)> = bounds
            .windows(2)
            .flat_map(|pair| {
                let (low, high) = (pair[0], pair[1]);
                [
                    (low, high),
                    (-high, -low),
                    (-high, high),
                    (-low, high),
                    (-high, low + 1.0),
                ]
            })
            .collect();
        assert_eq!(pairs_of_bounds.len(), 40);
        let mut results = Vec::new();
        for ll in 0..=9 {
            for ld in 0..=9 - ll {
                for even in 0..=9 - ll - ld {
                    for wd in 0..=9 - ll - ld - even {
                        results
                            .extend((0..=9 - ll - ld - even - wd).map(|ww| [ll, ld, even, wd, ww]));
                    }
                }
            }
        }
        results.retain(|counts| *counts != [0; 5]);
        assert_eq!(results.len(), 2001);
        for (number, counts) in results.into_iter().enumerate() {
            let classes = with_mass(counts);
            for nelo in bounds {
                compare(&classes, nelo / NELO_UNIT * 2f64.sqrt());
            }
            let sample = pairs([counts[0], counts[1], counts[2], 0, counts[3], counts[4]]);
            let likelihood = |nelo: f64| fast_likelihood(&classes, nelo / NELO_UNIT * 2f64.sqrt());
            let (elo0, elo1) = pairs_of_bounds[number % 40];
            let ratio = sample.log_likelihood_ratio(EloModel::Normalized, elo0, elo1);
            let expected = classes.iter().sum::<f64>() * (likelihood(elo1) - likelihood(elo0));
            assert!(
                (ratio - expected).abs() < 1e-9 * (1.0 + ratio.abs()),
                "{counts:?} {elo0} {elo1}: {ratio} {expected}"
            );
            for (elo0, elo1) in pairs_of_bounds.iter().copied() {
                let ratio = sample.log_likelihood_ratio(EloModel::Logistic, elo0, elo1);
                assert!(ratio.is_finite(), "{counts:?} {elo0} {elo1}: {ratio}");
            }
        }
    }

    #[test]
    fn five_thousand_larger_results_have_the_constrained_maximum() {
        let mut random = Rng::new(2026);
        let mut below = |n: u64| random.below(n);
        for _ in 0..5_000 {
            let is_pairs = below(4) > 0;
            let magnitude = 10u64.pow(1 + below(6) as u32);
            let counts: Vec<f64> = (0..if is_pairs { 5 } else { 3 })
                .map(|_| {
                    if below(4) == 0 {
                        EMPTY_CLASS
                    } else {
                        below(magnitude) as f64 + 1.0
                    }
                })
                .collect();
            if counts.iter().sum::<f64>() < 1.0 {
                continue;
            }
            let nelo = below(20_001) as f64 / 10.0 - 1000.0;
            compare(
                &counts,
                nelo / NELO_UNIT * if is_pairs { 2f64.sqrt() } else { 1.0 },
            );
        }
    }
}
