//! Fitting the linear sum: ridge regression by conjugate gradients with Jacobi's preconditioner (M. Hestenes and E. Stiefel, 1952).
//! Deterministic for a number of threads, and no learning rate.
//!
//! Samples are sorted by ply, so that anchors are interpolated once a ply and not once a sample, and one ply's weights stay in the cache.

#![allow(clippy::needless_range_loop, reason = "several vectors side by side")]

use crate::games::reversi::eval::linear::between;
use crate::games::reversi::eval::patterns::{INSTANCES, Indices, OFFSETS, PLACES, ROWS, shared_count, shared_rows};
use crate::games::reversi::eval::weights::{LinearWeights, PLIES, Weights};
use crate::search::isa::{Isa, Task};

use super::data::Sample;

/// A disc, in the units of the weights.
const UNIT: f32 = 128.0;

/// How to fit.
#[derive(Clone, Debug)]
pub struct Settings {
    /// See [`LinearWeights::anchors`].
    pub anchors: Vec<u8>,
    /// What a squared weight costs: keeps rare patterns small.
    pub ridge: f32,
    /// Iterations.
    pub epochs: usize,
    /// Threads.
    pub threads: usize,
}

/// The weights of all anchors, row by row for each anchor, then the constants of the plies.
type Vector = Vec<f32>;

struct Problem<'s> {
    settings: &'s Settings,
    /// Sorted by ply.
    samples: Vec<Sample>,
    /// Where each ply's samples begin, and the end of all.
    begins: [usize; PLIES + 1],
    shared: &'static [u32],
    /// Shared rows.
    count: usize,
}

/// Fits weights; after each iteration `epoch` gets its number and the weights so far.
pub fn fit<I: Isa>(
    isa: I,
    mut samples: Vec<Sample>,
    settings: &Settings,
    epoch: &mut dyn FnMut(usize, &Weights) -> anyhow::Result<()>,
) -> anyhow::Result<Weights> {
    samples.sort_by_key(|sample| sample.ply);
    let begins = std::array::from_fn(|ply| samples.partition_point(|sample| usize::from(sample.ply) < ply));
    let (shared, count) = (shared_rows(), shared_count());
    let problem = Problem { settings, samples, begins, shared, count };
    let size = settings.anchors.len() * count + PLIES;

    let mut weights: Vector = vec![0.0; size];
    // The residual of no weights at all, and how often each weight is used.
    let (mut residual, uses) = problem.pass(isa, &weights, true);
    let scale: Vector = uses.iter().map(|uses| 1.0 / (uses + settings.ridge)).collect();
    let mut direction: Vector = residual.iter().zip(&scale).map(|(r, s)| r * s).collect();
    let mut energy = dot(&residual, &direction);
    for number in 1..=settings.epochs {
        let (mut image, _) = problem.pass(isa, &direction, false);
        for (image, direction) in image.iter_mut().zip(&direction) {
            *image += settings.ridge * direction;
        }
        let step = (energy / dot(&direction, &image)) as f32;
        for i in 0..size {
            weights[i] += step * direction[i];
            residual[i] -= step * image[i];
        }
        let next: f64 = residual.iter().zip(&scale).map(|(&r, &s)| f64::from(r) * f64::from(r * s)).sum();
        let share = (next / energy) as f32;
        energy = next;
        for i in 0..size {
            direction[i] = residual[i] * scale[i] + share * direction[i];
        }
        epoch(number, &problem.rounded(&weights))?;
    }
    Ok(problem.rounded(&weights))
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
}

impl Problem<'_> {
    /// One walk over all samples. With `targets`: what is missing to the targets, sent back to the weights, and how much each
    /// weight is used; without: what the weights say, sent back.
    fn pass<I: Isa>(&self, isa: I, weights: &[f32], targets: bool) -> (Vector, Vector) {
        let threads = self.settings.threads;
        let parts: Vec<(Vector, Vector)> = std::thread::scope(|scope| {
            let run = |first: usize| {
                let plies = (0..PLIES).filter(move |ply| ply % threads == first);
                move || isa.call(Walk { problem: self, weights, targets, plies })
            };
            let handles: Vec<_> = (0..threads).map(|first| scope.spawn(run(first))).collect();
            handles.into_iter().filter_map(|handle| handle.join().ok()).collect()
        });
        let mut parts = parts.into_iter();
        let (mut back, mut uses) = parts.next().unwrap_or_default();
        for (other_back, other_uses) in parts {
            back.iter_mut().zip(other_back).for_each(|(sum, part)| *sum += part);
            uses.iter_mut().zip(other_uses).for_each(|(sum, part)| *sum += part);
        }
        (back, uses)
    }

    fn rounded(&self, weights: &[f32]) -> Weights {
        let anchors = self.settings.anchors.clone();
        let (rows, constants) = weights.split_at(anchors.len() * self.count);
        let round = |value: f32| (UNIT * value).round().clamp(-32_000.0, 32_000.0) as i16;
        let at = |row: usize, anchor: usize| round(rows[anchor * self.count + row]);
        let rows = (0..self.count).flat_map(|row| (0..anchors.len()).map(move |anchor| (row, anchor)));
        Weights::Linear(LinearWeights {
            constants: std::array::from_fn(|ply| round(constants[ply])),
            rows: rows.map(|(row, anchor)| at(row, anchor)).collect(),
            anchors,
        })
    }
}

/// The part of a walk that a thread does: some plies.
struct Walk<'p, P> {
    problem: &'p Problem<'p>,
    weights: &'p [f32],
    targets: bool,
    plies: P,
}

impl<P: Iterator<Item = usize>> Task for Walk<'_, P> {
    type Output = (Vector, Vector);

    #[inline(always)]
    fn run(self) -> (Vector, Vector) {
        let Walk { problem, weights, targets, plies } = self;
        let Problem { settings, samples, begins, shared, count } = problem;
        let mut sums = vec![0.0; weights.len()];
        let mut uses = vec![0.0; if targets { weights.len() } else { 0 }];
        let (mut say, mut back, mut used) = (vec![0.0f32; ROWS], vec![0.0f32; ROWS], vec![0u32; ROWS]);
        for ply in plies {
            let samples = &samples[begins[ply]..begins[ply + 1]];
            if samples.is_empty() {
                continue;
            }
            let (below, above, share) = between(&settings.anchors, ply);
            let (low, high) = (below * count, above * count);
            for (say, &row) in say.iter_mut().zip(*shared) {
                let row = row as usize;
                *say = (1.0 - share) * weights[low + row] + share * weights[high + row];
            }
            back.fill(0.0);
            used.fill(0);
            let constant = settings.anchors.len() * count + ply;
            let mut missing = 0.0f64;
            for sample in samples {
                let indices = Indices::by_rows(&sample.position());
                let mut sum = weights[constant];
                for k in 0..INSTANCES {
                    sum += say[OFFSETS[k / PLACES] + usize::from(indices.own[k])];
                }
                let value = if targets { sample.target - sum } else { sum };
                missing += f64::from(value);
                for k in 0..INSTANCES {
                    let row = OFFSETS[k / PLACES] + usize::from(indices.own[k]);
                    back[row] += value;
                    if targets {
                        used[row] += 1;
                    }
                }
            }
            for (i, &row) in shared.iter().enumerate() {
                let row = row as usize;
                sums[low + row] += (1.0 - share) * back[i];
                sums[high + row] += share * back[i];
                if targets {
                    uses[low + row] += (1.0 - share).powi(2) * used[i] as f32;
                    uses[high + row] += share.powi(2) * used[i] as f32;
                }
            }
            sums[constant] += missing as f32;
            if targets {
                uses[constant] += samples.len() as f32;
            }
        }
        (sums, uses)
    }
}
