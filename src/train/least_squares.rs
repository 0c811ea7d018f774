//! Least squares in a few unknowns: the normal equations, solved by Gauss and Jordan's elimination.

/// Sums of products of the terms with each other and with the target.
#[derive(Clone, Copy, Debug)]
pub struct Sums<const N: usize> {
    /// The terms with each other: a Gram matrix.
    pub terms: [[f64; N]; N],
    /// The terms with the target.
    pub target: [f64; N],
}

impl<const N: usize> Default for Sums<N> {
    fn default() -> Self {
        Sums { terms: [[0.0; N]; N], target: [0.0; N] }
    }
}

impl<const N: usize> Sums<N> {
    /// Adds a sample.
    pub fn add(&mut self, terms: &[f64; N], target: f64) {
        for i in 0..N {
            (0..N).for_each(|j| self.terms[i][j] += terms[i] * terms[j]);
            self.target[i] += terms[i] * target;
        }
    }

    /// The weights with the least squares. A little is added to the matrix, so that terms which say the same share it; pivots
    /// stay in place, as a Gram matrix allows.
    pub fn weights(&self) -> [f64; N] {
        let Sums { mut terms, mut target } = *self;
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
    fn a_plane_is_found_through_its_points_and_between_others() {
        let mut exact = Sums::default();
        let mut noisy = Sums::default();
        for (x, y) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (2.0, 3.0), (5.0, -1.0)] {
            let target = 7.0 - 2.0 * x + 0.5 * y;
            exact.add(&[1.0, x, y], target);
            // As much above as below the plane.
            noisy.add(&[1.0, x, y], target + 1.0);
            noisy.add(&[1.0, x, y], target - 1.0);
        }
        for weights in [exact.weights(), noisy.weights()] {
            assert!(
                weights.iter().zip([7.0, -2.0, 0.5]).all(|(found, truth)| (found - truth).abs() < 1e-6),
                "{weights:?}"
            );
        }
    }
}
