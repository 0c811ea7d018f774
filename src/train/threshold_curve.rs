//! The share of right values as a function of a threshold, and its inverse: measured points, made monotone, with linear
//! interpolation of the logarithm of the odds.

/// The smallest and the largest threshold that is proposed.
const RANGE: std::ops::RangeInclusive<f64> = 0.05..=9.0;

/// Measured shares by threshold.
#[derive(Clone, Default, Debug)]
pub struct ThresholdCurve {
    /// Threshold and log-odds, by threshold.
    points: Vec<(f64, f64)>,
}

fn log_odds(share: f64) -> f64 {
    (share / (1.0 - share)).ln()
}

impl ThresholdCurve {
    /// Adds a measurement: `same` of `count` values were right. A share of 0 or 1 counts as half a value away from it.
    pub fn add(&mut self, sigmas: f64, same: usize, count: usize) {
        let half = 0.5 / count.max(1) as f64;
        let share = (same as f64 / count.max(1) as f64).clamp(half, 1.0 - half);
        self.points.push((sigmas, log_odds(share)));
        self.points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }

    /// Whether there are two points to interpolate.
    pub fn is_curve(&self) -> bool {
        self.points.len() > 1
    }

    /// The points as a rising curve: neighbours in the wrong order are replaced by their mean (pool adjacent
    /// violators).
    fn rising(&self) -> Vec<(f64, f64)> {
        let mut pools: Vec<(f64, f64, f64)> = Vec::new();
        for &(sigmas, odds) in &self.points {
            let mut pool = (sigmas, odds, 1.0);
            while let Some(&(before, lower, count)) = pools.last() {
                if lower < pool.1 && before < pool.0 {
                    break;
                }
                let total = count + pool.2;
                let mean = |a: f64, b: f64| (a * count + b * pool.2) / total;
                pool = (mean(before, pool.0), mean(lower, pool.1), total);
                pools.pop();
            }
            pools.push(pool);
        }
        pools.into_iter().map(|(sigmas, odds, _)| (sigmas, odds)).collect()
    }

    /// The threshold at which this share is right; beyond the measured points by the slope of the nearest two.
    pub fn sigmas(&self, share: f64) -> f64 {
        let (points, wanted) = (self.rising(), log_odds(share));
        let above = points.partition_point(|point| point.1 < wanted).clamp(1, points.len().max(2) - 1);
        let [Some(low), Some(high)] = [points.get(above - 1), points.get(above)] else { return 1.0 };
        let found = low.0 + (wanted - low.1) * (high.0 - low.0) / (high.1 - low.1);
        found.clamp(*RANGE.start(), *RANGE.end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(f64, usize)]) -> ThresholdCurve {
        let mut curve = ThresholdCurve::default();
        points.iter().for_each(|&(sigmas, same)| curve.add(sigmas, same, 1000));
        curve
    }

    #[test]
    fn thresholds_are_interpolated_and_extrapolated() {
        let curve = curve(&[(3.0, 900), (1.0, 500), (2.0, 750)]);
        assert!((curve.sigmas(0.75) - 2.0).abs() < 1e-9 && (curve.sigmas(0.5) - 1.0).abs() < 1e-9);
        // The odds of 500, 750 and 900 are 1, 3 and 9: each threshold is worth a factor of three.
        assert!((curve.sigmas(0.25) - 0.0_f64.max(*RANGE.start())).abs() < 1e-9);
        assert!((curve.sigmas(27.0 / 28.0) - 4.0).abs() < 1e-9);
    }

    #[test]
    fn a_curve_that_falls_is_pooled() {
        let curve = curve(&[(1.0, 500), (2.0, 760), (2.2, 740), (3.0, 900), (4.0, 1000)]);
        let middle = curve.sigmas(0.75);
        assert!((2.0..=2.2).contains(&middle), "{middle}");
        assert!(curve.sigmas(0.99) < 4.0 && curve.sigmas(0.99) > 3.0);
        assert_eq!(ThresholdCurve::default().sigmas(0.9), 1.0);
    }
}
