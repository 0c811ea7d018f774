//! Least squares with few unknowns (the normal equations, solved by Gauss-Jordan elimination) and
//! logistic regression.

/// The normal equations, accumulated sample by sample.
#[derive(Clone, Copy, Debug)]
pub struct NormalEquations<const N: usize> {
    /// The Gram matrix: sums of products of the terms.
    pub terms: [[f64; N]; N],
    /// The right-hand side: sums of products of the terms and the target.
    pub target: [f64; N],
}

impl<const N: usize> Default for NormalEquations<N> {
    fn default() -> Self {
        NormalEquations {
            terms: [[0.0; N]; N],
            target: [0.0; N],
        }
    }
}

impl<const N: usize> NormalEquations<N> {
    /// Adds a sample.
    pub fn add(&mut self, terms: &[f64; N], target: f64) {
        for i in 0..N {
            (0..N).for_each(|j| self.terms[i][j] += terms[i] * terms[j]);
            self.target[i] += terms[i] * target;
        }
    }

    /// The least-squares solution. A small ridge on the diagonal makes linearly dependent terms
    /// share their weight; no pivoting, since the matrix is positive definite.
    pub fn solve(&self) -> [f64; N] {
        let NormalEquations {
            mut terms,
            mut target,
        } = *self;
        for i in 0..N {
            terms[i][i] += 1e-9;
            let (pivot, right) = (terms[i], target[i]);
            for j in (0..N).filter(|&j| j != i) {
                let factor = terms[j][i] / pivot[i];
                (0..N).for_each(|k| terms[j][k] -= factor * pivot[k]);
                target[j] -= factor * right;
            }
        }
        std::array::from_fn(|i| target[i] / terms[i][i])
    }
}

/// Newton steps, enough to converge.
const STEPS: usize = 20;

/// Logistic regression: the logarithm of the odds of an outcome as a linear function of some terms.
/// The maximum-likelihood weights by Newton's method (iteratively reweighted least squares),
/// starting from zero.
pub fn logistic_fit<const N: usize>(samples: &[([f64; N], bool)]) -> [f64; N] {
    let mut weights = [0.0; N];
    for _ in 0..STEPS {
        let mut equations = NormalEquations::default();
        for (terms, outcome) in samples {
            let odds = dot(&weights, terms);
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

/// The inner product, for instance of weights and terms.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The logarithm of the odds of a share.
pub fn log_odds(share: f64) -> f64 {
    (share / (1.0 - share)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_is_recovered_from_exact_and_from_noisy_points() {
        let mut exact = NormalEquations::default();
        let mut noisy = NormalEquations::default();
        for (x, y) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (2.0, 3.0), (5.0, -1.0)] {
            let target = 7.0 - 2.0 * x + 0.5 * y;
            exact.add(&[1.0, x, y], target);
            // Equally far above and below the plane.
            noisy.add(&[1.0, x, y], target + 1.0);
            noisy.add(&[1.0, x, y], target - 1.0);
        }
        for weights in [exact.solve(), noisy.solve()] {
            assert!(
                weights
                    .iter()
                    .zip([7.0, -2.0, 0.5])
                    .all(|(found, expected)| (found - expected).abs() < 1e-6),
                "{weights:?}"
            );
        }
    }

    #[test]
    fn shares_are_recovered() {
        // 20, 50 and 80 of 100 are right at -1, 0 and 1.
        let samples: Vec<([f64; 2], bool)> = [(-1.0, 20), (0.0, 50), (1.0, 80)]
            .into_iter()
            .flat_map(|(x, right)| (0..100).map(move |index| ([1.0, x], index < right)))
            .collect();
        let weights = logistic_fit(&samples);
        assert!(
            weights[0].abs() < 1e-9 && (weights[1] - log_odds(0.8)).abs() < 1e-6,
            "{weights:?}"
        );
        assert!((dot(&weights, &[1.0, 2.0]) - 2.0 * log_odds(0.8)).abs() < 1e-6);
    }

    #[test]
    fn outcomes_that_are_all_equal_have_finite_weights() {
        let weights = logistic_fit(&[([1.0, 0.5], true), ([1.0, 1.0], true)]);
        assert!(
            weights.iter().all(|weight| weight.is_finite()),
            "{weights:?}"
        );
    }
}
