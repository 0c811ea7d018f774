//! Fits the pattern network: squared error by stochastic gradient descent with Adagrad (J. Duchi,
//! E. Hazan and Y. Singer, "Adaptive subgradient methods", 2011). Each pattern has one accumulator,
//! so rare patterns learn quickly.
//!
//! The fit is bound by memory latency: a sample uses 64 of 370,000 feature weight vectors (rows).
//! So a row is whole cache lines, the rows are on huge pages, and the rows of the next sample and
//! the row indices of the one after it are prefetched. Times and learning rates:
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
use crate::games::reversi::eval::ply;
use crate::games::reversi::eval::scale::UNIT;
use crate::games::reversi::eval::weights::{
    MAX_BOARD_WEIGHT, MAX_OUTPUT_WEIGHT, MAX_WEIGHT, NEURONS, OUTPUT_BUCKETS, OthelloWeights,
    OutputBucket, PLIES,
};
use crate::platform::memory::on_large_pages;
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
/// Bytes of a cache line.
const CACHE_LINE: usize = 64;
/// The initial output weight of a neuron in discs; positive for one half of the neurons, negative
/// for the other.
const INITIAL_OUTPUT: f32 = 6.0;
/// Feature weights are initialized uniformly in plus or minus this.
const INITIAL_NOISE: f32 = 0.01;
/// Noise added to the weights of a start network in quantization units; rounding removes it again.
const START_NOISE: f32 = 0.49;
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
#[derive(Debug)]
pub struct NetworkFitSettings {
    /// The initial learning rate of feature weights.
    pub rate: f32,
    /// Passes over all samples.
    pub epochs: usize,
    /// The random seed of initialization and sample order.
    pub seed: u64,
    /// The initial weights; `None`: random.
    pub start: Option<OthelloWeights>,
    /// Patterns that occur less often in the samples get no weights.
    pub min_occurrences: u32,
}

/// The weights of one feature to all neurons.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct FeatureRow([f32; NEURONS]);

/// The samples of a row.
#[derive(Clone, Debug)]
struct RowHistory {
    /// The Adagrad accumulator.
    squares: f32,
    /// How often the row occurred.
    occurrences: u32,
}

impl RowHistory {
    const EMPTY: RowHistory = RowHistory {
        squares: INITIAL_SQUARES,
        occurrences: 0,
    };
}

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

    /// The values quantized to multiples of `1 / scale`, at most `most` of them.
    fn quantized(&self, scale: f32, most: i16) -> [i16; N] {
        self.values.map(|value| rounded(value * scale, most))
    }
}

/// A number rounded, at most `most` by amount.
fn rounded(number: f32, most: i16) -> i16 {
    (number.round() as i16).clamp(-most, most)
}

/// The network in floating point during the fit.
struct FloatNetwork {
    /// The feature row of each pattern index, equal for symmetric patterns.
    shared: &'static [u32],
    rows: Vec<FeatureRow>,
    /// The statistics of each row over the samples of the fit.
    histories: Vec<RowHistory>,
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
        Some(weights) => FloatNetwork::from_weights(weights, &mut rng),
        None => FloatNetwork::new(&mut rng),
    };
    let least = |epochs: usize| settings.min_occurrences.saturating_mul(epochs as u32);
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
        report_epoch(number, &network.quantized(least(number)))?;
    }
    Ok(network.quantized(least(settings.epochs)))
}

impl FloatNetwork {
    fn new(rng: &mut Rng) -> FloatNetwork {
        let (shared, count) = (feature_ids(), feature_count());
        let random_row = |_| FeatureRow([0.0; NEURONS].map(|_| noise(rng, INITIAL_NOISE)));
        let rows = on_large_pages((0..count).map(random_row));
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
            histories: vec![RowHistory::EMPTY; count],
            board: vec![FeatureRow([0.0; NEURONS]); BOARD_FEATURES],
            board_squares: [INITIAL_SQUARES; BOARD_FEATURES],
            biases: [AdagradParams::new([0.5; NEURONS]); OUTPUT_BUCKETS],
            outputs: [AdagradParams::new(std::array::from_fn(output)); OUTPUT_BUCKETS],
            ply_biases: [AdagradParams::new([0.0]); PLIES],
        }
    }

    /// The network of these weights, with fresh accumulators and noise within their rounding.
    fn from_weights(weights: &OthelloWeights, rng: &mut Rng) -> FloatNetwork {
        let floats =
            |numbers: &[i16; NEURONS], scale: f32| numbers.map(|number| f32::from(number) / scale);
        let mut weight = |number: i8| (f32::from(number) + noise(rng, START_NOISE)) / FEATURE_SCALE;
        let row = |row: &[i8; NEURONS]| FeatureRow(row.map(&mut weight));
        FloatNetwork {
            shared: feature_ids(),
            rows: on_large_pages(weights.features.iter().map(row)),
            histories: vec![RowHistory::EMPTY; weights.features.len()],
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
        let indices = Indices::fresh(&sample.position());
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
            // By index: an iterator is a call where the compiler does not inline it.
            for line in 0..row.len() * size_of::<f32>() / CACHE_LINE {
                prefetch(&row[line * (CACHE_LINE / size_of::<f32>())]);
            }
            prefetch(&self.histories[rows[k] as usize]);
        }
        rows
    }

    /// One step of gradient descent on a sample with these row indices.
    #[inline(always)]
    fn train_on(&mut self, sample: &TrainingSample, rows: &[u32; INSTANCES], rate: f32) {
        let position = sample.position();
        let ply = ply(&position);
        let board_rows: [usize; BOARD_INSTANCES] = board_features(Portable::token(), &position);
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
            let history = &mut self.histories[rows[k] as usize];
            history.squares += square;
            history.occurrences += 1;
            steps[k] = history.squares;
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

    /// The quantized weights; none for patterns that occurred less than `min_occurrences` times.
    fn quantized(&self, min_occurrences: u32) -> OthelloWeights {
        let row = |(FeatureRow(row), history): (&FeatureRow, &RowHistory)| {
            if history.occurrences < min_occurrences {
                [0; NEURONS]
            } else {
                row.map(|value| rounded(FEATURE_SCALE * value, MAX_WEIGHT.into()) as i8)
            }
        };
        OthelloWeights {
            ply_biases: std::array::from_fn(|ply| {
                self.ply_biases[ply].quantized(PLY_BIAS_SCALE, i16::MAX)[0]
            }),
            buckets: std::array::from_fn(|bucket| OutputBucket {
                biases: self.biases[bucket].quantized(FEATURE_SCALE, i16::MAX),
                outputs: self.outputs[bucket].quantized(OUTPUT_SCALE, MAX_OUTPUT_WEIGHT),
            }),
            board: Box::new(std::array::from_fn(|row| {
                let FeatureRow(row) = self.board[row];
                row.map(|value| rounded(FEATURE_SCALE * value, MAX_BOARD_WEIGHT))
            })),
            features: self.rows.iter().zip(&self.histories).map(row).collect(),
        }
    }
}

/// A random number of at most `most` by amount.
fn noise(rng: &mut Rng, most: f32) -> f32 {
    most * (2.0 * rng.unit() as f32 - 1.0)
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
