//! Fits the linear pattern evaluation: ridge regression by conjugate gradients with a Jacobi preconditioner (M.
//! Hestenes and E. Stiefel, 1952). Deterministic for a given number of threads, without a learning rate.
//!
//! Samples are sorted by ply, so that weights are interpolated between anchors once per ply instead of once per sample,
//! and the weights of one ply stay in the cache.

#![allow(clippy::needless_range_loop, reason = "several vectors side by side")]

use crate::games::reversi::eval::indices::Indices;
use crate::games::reversi::eval::linear::between;
use crate::games::reversi::eval::patterns::{INDEX_COUNT, INSTANCES, OFFSETS, PLACES, feature_count, feature_ids};
use crate::games::reversi::eval::weights::{LinearWeights, OthelloWeights, PLIES};
use crate::search::isa::{Isa, Task};

use super::training_set::TrainingSample;

/// Quantization: weight units per disc.
const UNIT: f32 = 128.0;

/// Hyperparameters of the fit.
#[derive(Clone, Debug)]
pub struct LinearFitSettings {
    /// See [`LinearWeights::anchors`].
    pub anchors: Vec<u8>,
    /// L2 regularization: keeps the weights of rare patterns small.
    pub ridge: f32,
    /// Iterations.
    pub epochs: usize,
    /// Threads.
    pub threads: usize,
}

/// One value per weight: the pattern weights of each anchor, then the biases of the plies.
type WeightVector = Vec<f32>;

struct LinearFit<'s> {
    settings: &'s LinearFitSettings,
    /// Sorted by ply.
    samples: Vec<TrainingSample>,
    /// The index of the first sample of each ply, and the number of samples.
    begins: [usize; PLIES + 1],
    /// The canonical pattern (under symmetry) of each pattern.
    shared: &'static [u32],
    /// The number of canonical patterns.
    count: usize,
}

/// Fits weights; calls `report_epoch` after each iteration with its number and the current weights.
pub fn fit<I: Isa>(
    isa: I,
    mut samples: Vec<TrainingSample>,
    settings: &LinearFitSettings,
    report_epoch: &mut dyn FnMut(usize, &OthelloWeights) -> anyhow::Result<()>,
) -> anyhow::Result<OthelloWeights> {
    samples.sort_by_key(|sample| sample.ply);
    let begins = std::array::from_fn(|ply| samples.partition_point(|sample| usize::from(sample.ply) < ply));
    let (shared, count) = (feature_ids(), feature_count());
    let fit = LinearFit { settings, samples, begins, shared, count };
    let size = settings.anchors.len() * count + PLIES;

    let mut weights: WeightVector = vec![0.0; size];
    // The residual of zero weights, and the diagonal of the normal matrix.
    let (mut residual, uses) = fit.pass(isa, &weights, true);
    let scale: WeightVector = uses.iter().map(|uses| 1.0 / (uses + settings.ridge)).collect();
    let mut direction: WeightVector = residual.iter().zip(&scale).map(|(r, s)| r * s).collect();
    let mut energy = dot(&residual, &direction);
    for number in 1..=settings.epochs {
        let (mut image, _) = fit.pass(isa, &direction, false);
        for (image, direction) in image.iter_mut().zip(&direction) {
            *image += settings.ridge * direction;
        }
        let curvature = dot(&direction, &image);
        if energy <= 0.0 || curvature <= 0.0 {
            break; // converged
        }
        let step = (energy / curvature) as f32;
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
        report_epoch(number, &fit.quantized(&weights))?;
    }
    Ok(fit.quantized(&weights))
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
}

impl LinearFit<'_> {
    /// One pass over all samples: the product of the transposed design matrix with the residuals (with `targets`) or
    /// with the predictions (without). With `targets` also the diagonal of the normal matrix.
    fn pass<I: Isa>(&self, isa: I, weights: &[f32], targets: bool) -> (WeightVector, WeightVector) {
        let threads = self.settings.threads;
        let parts: Vec<(WeightVector, WeightVector)> = std::thread::scope(|scope| {
            let run = |first: usize| {
                let plies = (0..PLIES).filter(move |ply| ply % threads == first);
                move || isa.call(SamplePass { fit: self, weights, targets, plies })
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

    fn quantized(&self, weights: &[f32]) -> OthelloWeights {
        let anchors = self.settings.anchors.clone();
        let (rows, ply_biases) = weights.split_at(anchors.len() * self.count);
        let round = |value: f32| (UNIT * value).round().clamp(-32_000.0, 32_000.0) as i16;
        let at = |row: usize, anchor: usize| round(rows[anchor * self.count + row]);
        let rows = (0..self.count).flat_map(|row| (0..anchors.len()).map(move |anchor| (row, anchor)));
        OthelloWeights::Linear(LinearWeights {
            ply_biases: std::array::from_fn(|ply| round(ply_biases[ply])),
            features: rows.map(|(row, anchor)| at(row, anchor)).collect(),
            anchors,
        })
    }
}

/// One thread's part of a pass: the samples of some plies.
struct SamplePass<'p, P> {
    fit: &'p LinearFit<'p>,
    weights: &'p [f32],
    targets: bool,
    plies: P,
}

impl<P: Iterator<Item = usize>> Task for SamplePass<'_, P> {
    type Output = (WeightVector, WeightVector);

    #[inline(always)]
    fn run(self) -> (WeightVector, WeightVector) {
        let SamplePass { fit, weights, targets, plies } = self;
        let LinearFit { settings, samples, begins, shared, count } = fit;
        let mut sums = vec![0.0; weights.len()];
        let mut uses = vec![0.0; if targets { weights.len() } else { 0 }];
        // Per pattern at the current ply: interpolated weights, accumulated residuals, number of uses.
        let (mut current, mut back, mut used) =
            (vec![0.0f32; INDEX_COUNT], vec![0.0f32; INDEX_COUNT], vec![0u32; INDEX_COUNT]);
        for ply in plies {
            let samples = &samples[begins[ply]..begins[ply + 1]];
            if samples.is_empty() {
                continue;
            }
            let (below, above, share) = between(&settings.anchors, ply);
            let (low, high) = (below * count, above * count);
            for (current, &row) in current.iter_mut().zip(*shared) {
                let row = row as usize;
                *current = (1.0 - share) * weights[low + row] + share * weights[high + row];
            }
            back.fill(0.0);
            used.fill(0);
            let ply_bias = settings.anchors.len() * count + ply;
            let mut total = 0.0f64;
            for sample in samples {
                let indices = Indices::of(&sample.position());
                let mut sum = weights[ply_bias];
                for k in 0..INSTANCES {
                    sum += current[OFFSETS[k / PLACES] + usize::from(indices.own[k])];
                }
                let value = if targets { sample.target - sum } else { sum };
                total += f64::from(value);
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
            sums[ply_bias] += total as f32;
            if targets {
                uses[ply_bias] += samples.len() as f32;
            }
        }
        (sums, uses)
    }
}
