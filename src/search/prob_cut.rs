//! Multi-ProbCut: prunes a node if a shallow search predicts that the value of the deep search lies
//! outside the window.
//!
//! Document 003 prunes by the static value `t` if `t + T ± C` lies outside the window. M. Buro's
//! ProbCut (1995) uses a shallow search with value `v` and a linear regression: the deep value is
//! `slope v + offset` with standard deviation `sigma`. A cut requires a margin of as many sigmas as
//! the selectivity level sets ([`super::levels`]). Multi-ProbCut (1997) fits one regression per
//! pair of depths and game phase, and tries several shallow depths. A check of depth 0 is the cut
//! of document 003. A shallow search is tried only if the static value reaches the threshold, too,
//! or misses it by at most a margin of the model.
//!
//! A model is a list of [`Regression`]s, the rows of a file ([`super::fitted`]) made by
//! `nullwindow lab train prob-cut`. Thresholds are precomputed integers, so that every ISA visits the
//! same nodes. The policy of a game defines the phases and the depths at which cuts are tried, and
//! calls [`cut`] from its hook [`prune`](super::core::policy::Policy::prune).

use std::fmt;

use arrayvec::ArrayVec;

use crate::game::score::{Score, Window};

use super::core::context::Context;
use super::core::isa::Isa;
use super::core::nega_scout::NonPvNode;
use super::core::policy::{EarlyReturn, Policy, SearchParams};
use super::fitted::{Fitted, FittedError, finite};
use super::levels::{SELECTIVE, Thresholds};
use super::trace::ReturnReason;

/// The title of a file.
pub const TITLE: &str = "ProbCut model";

/// The regression of deep values on shallow values, in score units.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Relation {
    /// The slope `a` of `v' = a v + b`.
    pub slope: f64,
    /// The offset `b`.
    pub offset: f64,
    /// The standard deviation of the residuals.
    pub sigma: f64,
}

impl Relation {
    /// The least-squares fit to pairs (shallow value, deep value); `None` for fewer than three
    /// pairs or identical shallow values.
    ///
    /// ```
    /// use nullwindow::search::prob_cut::Relation;
    ///
    /// let relation = Relation::fit(&[(0.0, 10.0), (100.0, 230.0), (200.0, 410.0)]).unwrap();
    /// assert_eq!((relation.slope, relation.offset.round()), (2.0, 17.0));
    /// assert_eq!(relation.sigma.round(), 16.0);
    /// ```
    pub fn fit(pairs: &[(f64, f64)]) -> Option<Relation> {
        let count = pairs.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
        let (x, y) = (mean(|pair| pair.0), mean(|pair| pair.1));
        let mut sums = [0.0; 3];
        for &(v, deep) in pairs {
            let (v, deep) = (v - x, deep - y);
            sums = [sums[0] + v * v, sums[1] + v * deep, sums[2] + deep * deep];
        }
        let [xx, xy, yy] = sums;
        if pairs.len() < 3 || xx <= 0.0 {
            return None;
        }
        let slope = xy / xx;
        let sigma = ((yy - slope * xy).max(0.0) / (count - 2.0)).sqrt();
        Some(Relation {
            slope,
            offset: y - slope * x,
            sigma,
        })
    }
}

/// A row of a model: the regression of one phase and pair of depths. Written as seven words: phase,
/// depth, shallow depth, slope, offset, sigma, margin.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Regression {
    /// The phase of the game, as defined by the policy.
    pub phase: u8,
    /// The depth of the deep search.
    pub depth: u8,
    /// The depth of the shallow search; 0 is the static value.
    pub shallow: u8,
    /// The regression.
    pub relation: Relation,
    /// The shallow search is not tried if the static value misses the threshold by more than this
    /// margin.
    pub margin: f64,
}

impl Regression {
    /// The row of these words; `None` if it is invalid.
    fn read(words: &[&str]) -> Option<Regression> {
        let &[phase, depth, shallow, slope, offset, sigma, margin] = words else {
            return None;
        };
        let row = Regression {
            phase: phase.parse().ok()?,
            depth: depth.parse().ok()?,
            shallow: shallow.parse().ok()?,
            relation: Relation {
                slope: finite(slope)?,
                offset: finite(offset)?,
                sigma: finite(sigma)?,
            },
            margin: finite(margin)?,
        };
        let Relation { slope, sigma, .. } = row.relation;
        (row.shallow < row.depth && slope > 0.1 && slope < 10.0 && sigma >= 0.0).then_some(row)
    }
}

impl fmt::Display for Regression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Regression {
            phase,
            depth,
            shallow,
            relation:
                Relation {
                    slope,
                    offset,
                    sigma,
                },
            margin,
        } = self;
        write!(
            f,
            "{phase} {depth} {shallow} {slope:.3} {offset:.0} {sigma:.0} {margin:.0}"
        )
    }
}

/// One check of a node: a row with precomputed thresholds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Check {
    /// The depth of the shallow search.
    pub shallow: u8,
    margin: i32,
    /// The reciprocal of the slope, in units of `1 / ONE`.
    scale: i64,
    /// By level: a fail high needs a shallow value of at least `(beta * scale + above) / ONE` ...
    above: [i64; SELECTIVE],
    /// ... and a fail low one of at most `(alpha * scale - below) / ONE`.
    below: [i64; SELECTIVE],
}

/// The fixed-point unit of a check's numbers.
const ONE: i64 = 1 << 12;

impl Check {
    fn new(row: &Regression, thresholds: &Thresholds) -> Check {
        let Relation {
            slope,
            offset,
            sigma,
        } = row.relation;
        let fixed = |x: f64| (x * ONE as f64).round() as i64;
        let mut check = Check {
            shallow: row.shallow,
            margin: row.margin as i32,
            scale: fixed(1.0 / slope),
            above: [0; SELECTIVE],
            below: [0; SELECTIVE],
        };
        for (index, sigmas) in thresholds.of_phase(row.phase).into_iter().enumerate() {
            check.above[index] = fixed((sigmas * sigma - offset) / slope);
            check.below[index] = fixed((sigmas * sigma + offset) / slope);
        }
        check
    }

    /// The least shallow value that predicts a deep value of at least `beta` at this level; a
    /// multiple of `step`.
    #[inline(always)]
    fn high(&self, beta: Score, level: usize, step: i32) -> Score {
        let exact = i64::from(beta.0) * self.scale + self.above[level];
        let step = i64::from(step);
        Score(((exact + step * ONE - 1).div_euclid(step * ONE) * step) as i32)
    }

    /// The largest shallow value that predicts a deep value of at most `alpha` at this level; a
    /// multiple of `step`.
    #[inline(always)]
    fn low(&self, alpha: Score, level: usize, step: i32) -> Score {
        let exact = i64::from(alpha.0) * self.scale - self.below[level];
        let step = i64::from(step);
        Score((exact.div_euclid(step * ONE) * step) as i32)
    }
}

/// The maximum number of checks of one node.
const CHECKS: usize = 4;

/// A model: the checks of each phase and depth.
#[derive(Clone, Default, Debug)]
pub struct ProbCut {
    /// By phase, then by depth.
    checks: Vec<Vec<ArrayVec<Check, CHECKS>>>,
}

impl ProbCut {
    /// The model with these rows and the thresholds of the levels. Of each phase and depth, the
    /// first four rows are tried, in the given order.
    pub fn new(rows: impl IntoIterator<Item = Regression>, thresholds: &Thresholds) -> ProbCut {
        let mut model = ProbCut::default();
        for row in rows {
            let (phase, depth) = (usize::from(row.phase), usize::from(row.depth));
            if model.checks.len() <= phase {
                model.checks.resize(phase + 1, Vec::new());
            }
            let depths = &mut model.checks[phase];
            if depths.len() <= depth {
                depths.resize(depth + 1, ArrayVec::new());
            }
            // a fifth check is dropped
            let _ = depths[depth].try_push(Check::new(&row, thresholds));
        }
        model
    }

    /// Reads a model.
    pub fn read(text: &str, thresholds: &Thresholds) -> Result<ProbCut, FittedError> {
        Ok(ProbCut::new(read_rows(text)?, thresholds))
    }

    /// The checks of a phase and depth, both clamped to the fitted ones.
    #[inline(always)]
    pub fn checks(&self, phase: usize, depth: u8) -> &[Check] {
        let Some(depths) = self.checks.get(phase).or(self.checks.last()) else {
            return &[];
        };
        depths
            .get(usize::from(depth))
            .or(depths.last())
            .map_or(&[], |checks| checks.as_slice())
    }
}

/// The rows of a model.
pub fn read_rows(text: &str) -> Result<Vec<Regression>, FittedError> {
    Fitted::read(text, TITLE)?.rows(
        "PHASE DEPTH SHALLOW SLOPE OFFSET SIGMA MARGIN",
        Regression::read,
    )
}

/// Multi-ProbCut is allowed inside one verification search, not inside a nested one.
const DEEPEST_PROBE: u8 = 2;

/// The range and grain of shallow values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scale {
    /// The grain: the step of their null windows.
    pub step: i32,
    /// The largest absolute value; thresholds beyond it are unreachable.
    pub reach: Score,
}

/// Tries the checks on a null-window node: a bound that holds at the params's selectivity level, or
/// `None`. `value` is the static value.
#[inline(always)]
pub fn cut<P: Policy>(
    cx: &mut Context<'_, P>,
    node: &P::Node,
    window: Window,
    params: SearchParams,
    checks: &[Check],
    value: Score,
    Scale { step, reach }: Scale,
) -> EarlyReturn {
    let Some(level) = usize::from(params.selectivity)
        .checked_sub(1)
        .filter(|&level| level < SELECTIVE)
    else {
        return Ok(None);
    };
    if params.probe >= DEEPEST_PROBE {
        return Ok(None);
    }
    let isa = cx.policy.isa();
    for check in checks {
        let params = SearchParams {
            depth: check.shallow,
            probe: params.probe + 1,
            ..params
        };
        let high = check.high(window.beta, level, step);
        if high <= reach && value >= high - check.margin {
            let reached = if check.shallow == 0 {
                value >= high
            } else {
                isa.search::<NonPvNode, P>(cx, node, high - step, high, params)? >= high
            };
            if reached {
                return Ok(Some((window.beta, ReturnReason::StatisticalCut)));
            }
        }
        let low = check.low(window.alpha, level, step);
        if low >= -reach && value <= low + check.margin {
            let missed = if check.shallow == 0 {
                value <= low
            } else {
                isa.search::<NonPvNode, P>(cx, node, low, low + step, params)? <= low
            };
            if missed {
                return Ok(Some((window.alpha, ReturnReason::StatisticalCut)));
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::super::fitted;
    use super::*;

    #[test]
    fn a_fit_finds_the_line_and_its_spread() {
        // v' = 1.5 v + 20, alternately 30 above and 30 below.
        let pairs: Vec<(f64, f64)> = (0..1000)
            .map(|i| {
                (
                    f64::from(i - 500),
                    1.5 * f64::from(i - 500) + 20.0 + if i % 2 == 0 { 30.0 } else { -30.0 },
                )
            })
            .collect();
        let Relation {
            slope,
            offset,
            sigma,
        } = Relation::fit(&pairs).unwrap();
        assert!(
            (slope - 1.5).abs() < 0.01 && (offset - 20.0).abs() < 0.1 && (sigma - 30.0).abs() < 0.1
        );
        assert_eq!(Relation::fit(&pairs[..2]), None);
        assert_eq!(Relation::fit(&[(1.0, 2.0); 5]), None);
    }

    #[test]
    fn rows_round_trip_and_invalid_ones_are_rejected() {
        let file = |row: &str| fitted::write(TITLE, "a test", &[], "-", [row]);
        let [row] = read_rows(&file("3 8 4 0.950 -25 310 420")).unwrap()[..] else {
            panic!("one row")
        };
        assert_eq!(
            (row.phase, row.depth, row.shallow, row.margin),
            (3, 8, 4, 420.0)
        );
        assert_eq!(read_rows(&file(&row.to_string())), Ok(vec![row]));
        for bad in [
            "x",
            "3 8 4",
            "3 8 8 1 0 300 400",
            "3 8 4 0 0 300 400",
            "3 8 4 1 0 nan 400",
            "3 8 4 1 0 3 4 5",
        ] {
            assert_eq!(read_rows(&file(bad)).unwrap_err().line, 4, "{bad}");
        }
    }

    #[test]
    fn thresholds_lie_beyond_the_window_by_the_margin_of_the_level() {
        // v' = 2 v + 100 +- 200: at two sigmas, v' >= 1000 needs 2 v + 100 - 400 >= 1000.
        let model = ProbCut::new(
            [Regression::read(&["0", "6", "2", "2", "100", "200", "50"]).unwrap()],
            &Thresholds::default(),
        );
        let [check] = model.checks(0, 6) else {
            panic!("one check")
        };
        let two_sigmas = Thresholds::default()
            .of_phase(0)
            .iter()
            .position(|&sigmas| sigmas == 2.0)
            .unwrap();
        assert_eq!(check.high(Score(1000), two_sigmas, 10), Score(650));
        assert_eq!(check.low(Score(1000), two_sigmas, 10), Score(250));
        // Rounded away from the window.
        assert_eq!(check.high(Score(1010), two_sigmas, 50), Score(700));
        assert_eq!(check.low(Score(990), two_sigmas, 50), Score(200));
        assert_eq!(check.low(Score(-990), two_sigmas, 50), Score(-750));
        assert!(model.checks(0, 5).is_empty() && ProbCut::default().checks(1, 6).is_empty());
        assert_eq!(
            model.checks(4, 9).len(),
            1,
            "the last row applies beyond the fitted depths"
        );
    }
}
