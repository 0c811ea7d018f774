//! Fitting the pattern-sum network: squared error, one sample at a time, by Adagrad (J. Duchi, E. Hazan and Y. Singer, "Adaptive
//! subgradient methods", 2011) with one accumulator a row: a pattern that is rare still learns quickly when it comes up.

#![allow(clippy::needless_range_loop, reason = "several vectors side by side")]

use crate::othello::eval::network::head_of;
use crate::othello::eval::patterns::{INSTANCES, Indices, OFFSETS, PLACES, shared_count, shared_rows};
use crate::othello::eval::weights::{HEADS, Head, NetworkWeights, PLIES, UNITS, Weights};
use crate::rng::Rng;
use crate::search::isa::{Isa, Task};

use super::data::Sample;

/// Rows stay within this: 256ths of it fit a byte.
const REACH: f32 = 127.0 / 256.0;
/// What a full unit is worth at the start, in discs, half of them to the good and half to the bad.
const OUTPUT: f32 = 12.0;
/// Random numbers in the rows at the start reach so far.
const NOISE: f32 = 0.01;
/// What all accumulators hold at the start, in squared discs: the first steps are short.
const CAUTION: f32 = 1e5;
/// The step of a head's numbers as a multiple of a row's: they are few and seen all the time.
const HEAD_STEP: f32 = 0.25;
/// And of an output's: these are discs, and not fractions of a unit.
const OUTPUT_STEP: f32 = 20.0;

/// How to fit.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The step of a row before anything has accumulated.
    pub rate: f32,
    /// Walks over all samples.
    pub epochs: usize,
    /// The seed of order and start.
    pub seed: u64,
}

/// A number of a head with its accumulator.
#[derive(Clone, Copy, Default, Debug)]
struct Number {
    value: f32,
    squares: f32,
}

impl Number {
    fn new(value: f32) -> Number {
        Number { value, squares: CAUTION }
    }

    #[inline(always)]
    fn learn(&mut self, gradient: f32, rate: f32) {
        self.squares += gradient * gradient;
        self.value -= rate * gradient / self.squares.sqrt();
    }
}

struct Network {
    /// For each index of all shapes its row.
    shared: &'static [u32],
    rows: Vec<[f32; UNITS]>,
    squares: Vec<f32>,
    biases: [[Number; UNITS]; HEADS],
    outputs: [[Number; UNITS]; HEADS],
    constants: [Number; PLIES],
}

/// Fits weights; after each epoch `epoch` gets its number and the weights so far.
pub fn fit<I: Isa>(
    isa: I,
    mut samples: Vec<Sample>,
    settings: &Settings,
    epoch: &mut dyn FnMut(usize, &Weights) -> anyhow::Result<()>,
) -> anyhow::Result<Weights> {
    let mut rng = Rng::new(settings.seed);
    let mut network = Network::new(&mut rng);
    for number in 1..=settings.epochs {
        rng.shuffle(&mut samples);
        // The steps shrink to a tenth towards the end, so that the last samples do not count for more than the others.
        let left = 1.0 - (number - 1) as f32 / settings.epochs as f32;
        isa.call(Walk { network: &mut network, samples: &samples, rate: settings.rate * left.max(0.1) });
        epoch(number, &network.rounded())?;
    }
    Ok(network.rounded())
}

impl Network {
    fn new(rng: &mut Rng) -> Network {
        let (shared, count) = (shared_rows(), shared_count());
        let mut noise = || NOISE * (2.0 * rng.unit() as f32 - 1.0);
        let rows = (0..count).map(|_| [0.0; UNITS].map(|_| noise())).collect();
        let sign = |unit: usize| if unit.is_multiple_of(2) { OUTPUT } else { -OUTPUT };
        Network {
            shared,
            rows,
            squares: vec![CAUTION; count],
            biases: [[Number::new(0.5); UNITS]; HEADS],
            outputs: [std::array::from_fn(|unit| Number::new(sign(unit))); HEADS],
            constants: [Number::new(0.0); PLIES],
        }
    }

    /// Learns from one sample.
    #[inline(always)]
    fn learn(&mut self, sample: &Sample, rate: f32) {
        let ply = usize::from(sample.ply);
        let head = head_of(ply);
        let indices = Indices::by_rows(&sample.position());
        let mut rows = [0u32; INSTANCES];
        let mut sums = self.biases[head].map(|bias| bias.value);
        for k in 0..INSTANCES {
            rows[k] = self.shared[OFFSETS[k / PLACES] + usize::from(indices.own[k])];
            let row = &self.rows[rows[k] as usize];
            for unit in 0..UNITS {
                sums[unit] += row[unit];
            }
        }
        let outputs = &mut self.outputs[head];
        let mut value = self.constants[ply].value;
        for unit in 0..UNITS {
            let cut = sums[unit].clamp(0.0, 1.0);
            value += cut * cut * outputs[unit].value;
        }

        let error = value - sample.target;
        self.constants[ply].learn(error, rate * HEAD_STEP * OUTPUT_STEP);
        let mut gradient = [0.0; UNITS];
        let mut square = 0.0;
        for unit in 0..UNITS {
            let cut = sums[unit].clamp(0.0, 1.0);
            let inside = if sums[unit] > 0.0 && sums[unit] < 1.0 { 2.0 * cut } else { 0.0 };
            gradient[unit] = error * outputs[unit].value * inside;
            square += gradient[unit] * gradient[unit];
        }
        for unit in 0..UNITS {
            let cut = sums[unit].clamp(0.0, 1.0);
            outputs[unit].learn(error * cut * cut, rate * HEAD_STEP * OUTPUT_STEP);
            self.biases[head][unit].learn(gradient[unit], rate * HEAD_STEP);
        }
        square /= UNITS as f32;
        for &row in &rows {
            let squares = &mut self.squares[row as usize];
            *squares += square;
            let step = rate / squares.sqrt();
            let row = &mut self.rows[row as usize];
            for unit in 0..UNITS {
                row[unit] = (row[unit] - step * gradient[unit]).clamp(-REACH, REACH);
            }
        }
    }

    fn rounded(&self) -> Weights {
        let number = |value: f32, scale: f32| (value * scale).round().clamp(-32_000.0, 32_000.0) as i16;
        // A row that no sample touched still holds the noise of the start.
        let row = |(row, &squares): (&[f32; UNITS], &f32)| match squares > CAUTION {
            true => row.map(|value| (256.0 * value).round() as i8),
            false => [0; UNITS],
        };
        Weights::Network(Box::new(NetworkWeights {
            constants: self.constants.map(|constant| number(constant.value, 128.0)),
            heads: std::array::from_fn(|head| Head {
                biases: self.biases[head].map(|bias| number(bias.value, 256.0)),
                outputs: self.outputs[head].map(|output| number(output.value, 64.0)),
            }),
            rows: self.rows.iter().zip(&self.squares).map(row).collect(),
        }))
    }
}

/// One epoch.
struct Walk<'n> {
    network: &'n mut Network,
    samples: &'n [Sample],
    rate: f32,
}

impl Task for Walk<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for sample in self.samples {
            self.network.learn(sample, self.rate);
        }
    }
}
