//! The cuts of figure 2: a node is cut if its predicted deep value misses the window by a margin.

use super::statistics::Statistics;
use super::tree::{Figure, Hook, INFINITE, NodeVisit, Plain};
use crate::search::prob_cut::Relation;

/// A check: a shallow search and how its value predicts the deep one.
#[derive(Clone, Copy, Debug)]
pub struct CutCheck {
    /// Plies of the shallow search; 0 is the static value.
    pub shallow: u8,
    /// The relation of shallow to deep value.
    pub relation: Relation,
}

/// The checks of a root's tree: by `k`, in order.
pub type Checks = Vec<Vec<CutCheck>>;

/// The checks of a root's tree, with the cut value in sigmas.
#[derive(Debug)]
pub struct Cuts {
    pub checks: Checks,
    /// The document's cut value, in sigmas.
    pub c: f64,
}

impl Cuts {
    /// The document's cut for roots of `m` stones.
    pub fn of_statistics(statistics: &Statistics, m: usize, c: f64) -> Cuts {
        let check = |k: u8| {
            let cell = statistics.get(&(m, k)).filter(|cell| cell.n > 2.0)?;
            Some(CutCheck {
                shallow: 0,
                relation: cell.shift(),
            })
        };
        Cuts {
            checks: (0..64).map(|k| check(k).into_iter().collect()).collect(),
            c,
        }
    }
}

impl Hook for Cuts {
    fn cut(search: &mut Figure<'_, Self>, visit: &NodeVisit) -> Option<i32> {
        for index in 0.. {
            let check = *search.hook.checks.get(usize::from(visit.k))?.get(index)?;
            let Relation {
                slope,
                offset,
                sigma,
            } = check.relation;
            let c = search.hook.c * sigma;
            // Null windows at the smallest shallow value that predicts beta and the largest that
            // predicts alpha.
            let high = ((f64::from(visit.beta) + c - offset) / slope).floor() as i32 + 1;
            if visit.beta < INFINITE && probe(search, visit, check.shallow, high - 1) >= high {
                return Some(visit.beta);
            }
            let low = ((f64::from(visit.alpha) - c - offset) / slope).ceil() as i32 - 1;
            if visit.alpha > -INFINITE && probe(search, visit, check.shallow, low) <= low {
                return Some(visit.alpha);
            }
        }
        None
    }
}

/// The shallow search's fail-soft value for the null window above `alpha`; the static value for
/// depth 0.
fn probe(search: &mut Figure<'_, Cuts>, visit: &NodeVisit, depth: u8, alpha: i32) -> i32 {
    if depth == 0 {
        return visit.t; // known: no further node
    }
    let mut shallow = Figure::new(Plain, search.means);
    let value = shallow.value(&visit.position, 0, depth, alpha, alpha + 1);
    search.nodes += shallow.nodes;
    value
}
