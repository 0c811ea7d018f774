//! Fits the pattern network: squared error by stochastic gradient descent with Adagrad (J. Duchi,
//! E. Hazan and Y. Singer, "Adaptive subgradient methods", 2011). Each pattern has one accumulator,
//! so rare patterns learn quickly.
//!
//! The fit is bound by memory latency: a sample uses 64 of 370,000 feature weight vectors (rows).
//! So a row is two cache lines, the rows are on huge pages, and the rows of the next sample and the
//! row indices of the one after it are prefetched. Times and learning rates:
//! measurements.md#network.

#![allow(clippy::needless_range_loop, reason = "several vectors side by side")]

use crate::game::rng::Rng;
use crate::games::reversi::eval::board_features::{
    BOARD_FEATURES, BOARD_INSTANCES, board_features,
};
use crate::games::reversi::eval::indices::Indices;
use crate::games::reversi::eval::network::bucket_of;
use crate::games::reversi::eval::patterns::{
    INSTANCES, OFFSETS, PLACES, feature_count, feature_ids,
};
use crate::games::reversi::eval::scale::UNIT;
use crate::games::reversi::eval::weights::{
    MAX_SUMMED_WEIGHT, MAX_WEIGHT, NEURONS, OUTPUT_BUCKETS, OthelloWeights, OutputBucket, PLIES,
};
use crate::platform::memory::large_pages;
use crate::search::core::isa::{Isa, Portable};
use crate::search::table::prefetch;

use super::training_set::TrainingSample;

/// Quantization: feature weight and bucket bias units per full activation.
const FEATURE_SCALE: f32 = 256.0;
/// Quantization: output weight units per disc.
const OUTPUT_SCALE: f32 = 64.0;
/// Quantization: ply bias units per disc.
const PLY_BIAS_SCALE: f32 = UNIT as f32;
/// Feature weights are clamped to this.
const MAX_FEATURE_WEIGHT: f32 = MAX_WEIGHT as f32 / FEATURE_SCALE;
/// Quantized weights of the whole board and of the output layer are clamped to this.
const MAX_SUMMED: f32 = MAX_SUMMED_WEIGHT as f32;
/// Bytes of a cache line.
const CACHE_LINE: usize = 64;
/// The initial output weight of a neuron in discs; positive for one half of the neurons, negative
/// for the other.
const INITIAL_OUTPUT: f32 = 12.0;
/// Feature weights are initialized uniformly in plus or minus this.
const INITIAL_NOISE: f32 = 0.01;
/// The initial value of all Adagrad accumulators, in squared discs; it bounds the first steps.
const INITIAL_SQUARES: f32 = 1e5;
/// The learning rate of an output bucket relative to that of a feature; smaller because many
/// samples update a bucket.
const BUCKET_RATE: f32 = 0.25;
/// The additional factor for output weights, which are in discs.
const OUTPUT_RATE: f32 = 20.0;
/// The final learning rate as a share of the initial one; it decays linearly (tuned:
/// measurements.md#network).
const FINAL_RATE: f32 = 0.02;

/// Hyperparameters of the fit.
#[derive(Clone, Debug)]
pub struct NetworkFitSettings {
    /// The initial learning rate of feature weights.
    pub rate: f32,
    /// Passes over all samples.
    pub epochs: usize,
    /// The random seed of initialization and sample order.
    pub seed: u64,
    /// The initial weights; `None`: random.
    pub start: Option<OthelloWeights>,
}

/// The weights of one feature to all neurons.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct FeatureRow([f32; NEURONS]);

/// Parameters with their Adagrad accumulators.
#[derive(Clone, Copy, Debug)]
struct AdagradParams<const N: usize> {
    values: [f32; N],
    squares: [f32; N],
}

impl<const N: usize> AdagradParams<N> {
    fn new(values: [f32; N]) -> Self {
        AdagradParams {
            values,
            squares: [INITIAL_SQUARES; N],
        }
    }

    #[inline(always)]
    fn step(&mut self, gradients: &[f32; N], rate: f32) {
        for i in 0..N {
            self.squares[i] += gradients[i] * gradients[i];
            self.values[i] -= rate * gradients[i] / self.squares[i].sqrt();
        }
    }

    /// The values quantized to multiples of `1 / scale`, at most [`MAX_SUMMED`] of them.
    fn quantized(&self, scale: f32) -> [i16; N] {
        self.values
            .map(|value| (value * scale).round().clamp(-MAX_SUMMED, MAX_SUMMED) as i16)
    }
}

/// The network in floating point during the fit.
struct FloatNetwork {
    /// The feature row of each pattern index, equal for symmetric patterns.
    shared: &'static [u32],
    rows: Vec<FeatureRow>,
    /// Whether the rows were initialized at random rather than from weights; unused random rows are
    /// noise.
    unused_is_noise: bool,
    /// The accumulators of the rows.
    squares: Vec<f32>,
    /// The rows of the features of the whole board, and their accumulators.
    board: Vec<FeatureRow>,
    board_squares: [f32; BOARD_FEATURES],
    biases: [AdagradParams<NEURONS>; OUTPUT_BUCKETS],
    outputs: [AdagradParams<NEURONS>; OUTPUT_BUCKETS],
    ply_biases: [AdagradParams<1>; PLIES],
}

/// Fits weights; calls `report_epoch` after each epoch with its number and the current weights.
pub fn fit<I: Isa>(
    isa: I,
    mut samples: Vec<TrainingSample>,
    settings: &NetworkFitSettings,
    report_epoch: &mut dyn FnMut(usize, &OthelloWeights) -> anyhow::Result<()>,
) -> anyhow::Result<OthelloWeights> {
    let mut rng = Rng::new(settings.seed);
    let mut network = match &settings.start {
        Some(weights) => FloatNetwork::from_weights(weights),
        None => FloatNetwork::new(&mut rng),
    };
    let all = (samples.len() * settings.epochs) as f32;
    for number in 1..=settings.epochs {
        rng.shuffle(&mut samples);
        let before = samples.len() * (number - 1);
        let rates =
            |seen: usize| settings.rate * (1.0 - (before + seen) as f32 / all).max(FINAL_RATE);
        isa.call(
            #[inline(always)]
            || train_epoch(&mut network, &samples, rates),
        );
        report_epoch(number, &network.quantized())?;
    }
    Ok(network.quantized())
}

impl FloatNetwork {
    fn new(rng: &mut Rng) -> FloatNetwork {
        let (shared, count) = (feature_ids(), feature_count());
        let mut noise = || INITIAL_NOISE * (2.0 * rng.unit() as f32 - 1.0);
        let rows = on_large_pages((0..count).map(|_| FeatureRow([0.0; NEURONS].map(|_| noise()))));
        let output = |neuron: usize| {
            if neuron.is_multiple_of(2) {
                INITIAL_OUTPUT
            } else {
                -INITIAL_OUTPUT
            }
        };
        FloatNetwork {
            shared,
            rows,
            unused_is_noise: true,
            squares: vec![INITIAL_SQUARES; count],
            board: vec![FeatureRow([0.0; NEURONS]); BOARD_FEATURES],
            board_squares: [INITIAL_SQUARES; BOARD_FEATURES],
            biases: [AdagradParams::new([0.5; NEURONS]); OUTPUT_BUCKETS],
            outputs: [AdagradParams::new(std::array::from_fn(output)); OUTPUT_BUCKETS],
            ply_biases: [AdagradParams::new([0.0]); PLIES],
        }
    }

    /// The network of these weights, with fresh accumulators.
    fn from_weights(weights: &OthelloWeights) -> FloatNetwork {
        let floats =
            |numbers: &[i16; NEURONS], scale: f32| numbers.map(|number| f32::from(number) / scale);
        let row =
            |row: &[i8; NEURONS]| FeatureRow(row.map(|number| f32::from(number) / FEATURE_SCALE));
        FloatNetwork {
            shared: feature_ids(),
            rows: on_large_pages(weights.features.iter().map(row)),
            unused_is_noise: false,
            squares: vec![INITIAL_SQUARES; weights.features.len()],
            board: weights
                .board
                .iter()
                .map(|row| FeatureRow(floats(row, FEATURE_SCALE)))
                .collect(),
            board_squares: [INITIAL_SQUARES; BOARD_FEATURES],
            biases: weights
                .buckets
                .map(|bucket| AdagradParams::new(floats(&bucket.biases, FEATURE_SCALE))),
            outputs: weights
                .buckets
                .map(|bucket| AdagradParams::new(floats(&bucket.outputs, OUTPUT_SCALE))),
            ply_biases: weights
                .ply_biases
                .map(|bias| AdagradParams::new([f32::from(bias) / PLY_BIAS_SCALE])),
        }
    }

    /// The pattern indices of a sample; prefetches their row indices.
    #[inline(always)]
    fn pattern_indices(&self, sample: &TrainingSample) -> [u32; INSTANCES] {
        let indices = Indices::of(&sample.position());
        let patterns =
            std::array::from_fn(|k| OFFSETS[k / PLACES] as u32 + u32::from(indices.own[k]));
        for pattern in patterns {
            prefetch(&self.shared[pattern as usize]);
        }
        patterns
    }

    /// The row indices of patterns; prefetches the rows and their accumulators.
    #[inline(always)]
    fn row_indices(&self, patterns: &[u32; INSTANCES]) -> [u32; INSTANCES] {
        let mut rows = [0; INSTANCES];
        for k in 0..INSTANCES {
            rows[k] = self.shared[patterns[k] as usize];
            let FeatureRow(row) = &self.rows[rows[k] as usize];
            row.iter()
                .step_by(CACHE_LINE / size_of::<f32>())
                .for_each(prefetch);
            prefetch(&self.squares[rows[k] as usize]);
        }
        rows
    }

    /// One step of gradient descent on a sample with these row indices.
    #[inline(always)]
    fn train_on(&mut self, sample: &TrainingSample, rows: &[u32; INSTANCES], rate: f32) {
        let ply = usize::from(sample.ply);
        let board_rows: [usize; BOARD_INSTANCES] =
            board_features(Portable::token(), &sample.position());
        let (biases, outputs) = (
            &mut self.biases[bucket_of(ply)],
            &mut self.outputs[bucket_of(ply)],
        );
        let mut sums = biases.values;
        for &row in rows {
            let FeatureRow(row) = &self.rows[row as usize];
            for neuron in 0..NEURONS {
                sums[neuron] += row[neuron];
            }
        }
        for row in board_rows {
            let FeatureRow(row) = &self.board[row];
            for neuron in 0..NEURONS {
                sums[neuron] += row[neuron];
            }
        }
        let clipped = sums.map(|sum| sum.clamp(0.0, 1.0));
        let ply_bias = &mut self.ply_biases[ply];
        let [mut value] = ply_bias.values;
        for neuron in 0..NEURONS {
            value += clipped[neuron] * clipped[neuron] * outputs.values[neuron];
        }

        let error = value - sample.target;
        let mut gradient = [0.0; NEURONS];
        let mut square = 0.0;
        for neuron in 0..NEURONS {
            let slope = if sums[neuron] > 0.0 && sums[neuron] < 1.0 {
                2.0 * clipped[neuron]
            } else {
                0.0
            };
            gradient[neuron] = error * outputs.values[neuron] * slope;
            square += gradient[neuron] * gradient[neuron];
        }
        square /= NEURONS as f32;
        ply_bias.step(&[error], rate * BUCKET_RATE * OUTPUT_RATE);
        outputs.step(
            &clipped.map(|value| error * value * value),
            rate * BUCKET_RATE * OUTPUT_RATE,
        );
        biases.step(&gradient, rate * BUCKET_RATE);
        // Separate loops, so that the square roots are vectorized.
        let mut steps = [0.0; INSTANCES];
        for k in 0..INSTANCES {
            let squares = &mut self.squares[rows[k] as usize];
            *squares += square;
            steps[k] = *squares;
        }
        for step in &mut steps {
            *step = rate / step.sqrt();
        }
        for k in 0..INSTANCES {
            let FeatureRow(row) = &mut self.rows[rows[k] as usize];
            for neuron in 0..NEURONS {
                row[neuron] = (row[neuron] - steps[k] * gradient[neuron])
                    .clamp(-MAX_FEATURE_WEIGHT, MAX_FEATURE_WEIGHT);
            }
        }
        for row in board_rows {
            self.board_squares[row] += square;
            let step = rate / self.board_squares[row].sqrt();
            let FeatureRow(row) = &mut self.board[row];
            for neuron in 0..NEURONS {
                row[neuron] -= step * gradient[neuron];
            }
        }
    }

    fn quantized(&self) -> OthelloWeights {
        let row = |(FeatureRow(row), &squares): (&FeatureRow, &f32)| {
            let is_noise = self.unused_is_noise && squares <= INITIAL_SQUARES;
            if is_noise {
                [0; NEURONS]
            } else {
                row.map(|value| (FEATURE_SCALE * value).round() as i8)
            }
        };
        OthelloWeights {
            ply_biases: std::array::from_fn(|ply| {
                self.ply_biases[ply].quantized(PLY_BIAS_SCALE)[0]
            }),
            buckets: std::array::from_fn(|bucket| OutputBucket {
                biases: self.biases[bucket].quantized(FEATURE_SCALE),
                outputs: self.outputs[bucket].quantized(OUTPUT_SCALE),
            }),
            board: Box::new(std::array::from_fn(|row| {
                let FeatureRow(row) = self.board[row];
                row.map(|value| {
                    (FEATURE_SCALE * value)
                        .round()
                        .clamp(-MAX_SUMMED, MAX_SUMMED) as i16
                })
            })),
            features: self.rows.iter().zip(&self.squares).map(row).collect(),
        }
    }
}

/// Allocates the rows on huge pages because they are accessed at random.
fn on_large_pages(source: impl ExactSizeIterator<Item = FeatureRow>) -> Vec<FeatureRow> {
    let mut rows = Vec::with_capacity(source.len());
    large_pages(rows.spare_capacity_mut());
    rows.extend(source);
    rows
}

/// One epoch; `rates` is the learning rate after a number of samples.
#[inline(always)]
fn train_epoch(
    network: &mut FloatNetwork,
    samples: &[TrainingSample],
    rates: impl Fn(usize) -> f32,
) {
    // A pipeline: the pattern indices are computed two samples ahead, the row indices one sample
    // ahead.
    let (mut patterns, mut rows) = ([0; INSTANCES], [0; INSTANCES]);
    for ahead in 0..samples.len() + 2 {
        if let Some(number) = ahead.checked_sub(2) {
            network.train_on(&samples[number], &rows, rates(number));
        }
        rows = network.row_indices(&patterns);
        if let Some(sample) = samples.get(ahead) {
            patterns = network.pattern_indices(sample);
        }
    }
}
