//! Logistic regression: the logarithm of the odds of an outcome as a linear function of some terms, by Newton's method
//! (iteratively reweighted least squares).

use super::least_squares::NormalEquations;

/// Newton steps, enough to converge.
const STEPS: usize = 20;

/// The maximum-likelihood weights of the terms, starting from zero.
pub fn fit<const N: usize>(samples: &[([f64; N], bool)]) -> [f64; N] {
    let mut weights = [0.0; N];
    for _ in 0..STEPS {
        let mut equations = NormalEquations::default();
        for (terms, outcome) in samples {
            let odds = log_odds_of(&weights, terms);
            let share = 1.0 / (1.0 + (-odds).exp());
            let variance = (share * (1.0 - share)).max(1e-6);
            let target = odds + (f64::from(*outcome) - share) / variance;
            let root = variance.sqrt();
            equations.add(&terms.map(|term| root * term), root * target);
        }
        weights = equations.solve();
    }
    weights
}

/// The logarithm of the odds with these weights.
pub fn log_odds_of<const N: usize>(weights: &[f64; N], terms: &[f64; N]) -> f64 {
    weights.iter().zip(terms).map(|(weight, term)| weight * term).sum()
}

/// The logarithm of the odds of a share.
pub fn log_odds(share: f64) -> f64 {
    (share / (1.0 - share)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_recovered() {
        // 20, 50 and 80 of 100 are right at -1, 0 and 1.
        let samples: Vec<([f64; 2], bool)> = [(-1.0, 20), (0.0, 50), (1.0, 80)]
            .into_iter()
            .flat_map(|(x, right)| (0..100).map(move |index| ([1.0, x], index < right)))
            .collect();
        let weights = fit(&samples);
        assert!(weights[0].abs() < 1e-9 && (weights[1] - log_odds(0.8)).abs() < 1e-6, "{weights:?}");
        assert!((log_odds_of(&weights, &[1.0, 2.0]) - 2.0 * log_odds(0.8)).abs() < 1e-6);
    }

    #[test]
    fn outcomes_that_are_all_equal_have_finite_weights() {
        let weights = fit(&[([1.0, 0.5], true), ([1.0, 1.0], true)]);
        assert!(weights.iter().all(|weight| weight.is_finite()), "{weights:?}");
    }
}
