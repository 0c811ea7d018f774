//! Least squares with few unknowns: the normal equations, solved by Gauss-Jordan elimination.

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
        NormalEquations { terms: [[0.0; N]; N], target: [0.0; N] }
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

    /// The least-squares solution. A small ridge on the diagonal makes linearly dependent terms share their weight; no
    /// pivoting, since the matrix is positive definite.
    pub fn solve(&self) -> [f64; N] {
        let NormalEquations { mut terms, mut target } = *self;
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
                weights.iter().zip([7.0, -2.0, 0.5]).all(|(found, expected)| (found - expected).abs() < 1e-6),
                "{weights:?}"
            );
        }
    }
}
