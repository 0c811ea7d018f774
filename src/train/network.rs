//! Fitting the pattern-sum network: squared error, one sample at a time, by Adagrad (J. Duchi, E. Hazan and Y. Singer, "Adaptive
//! subgradient methods", 2011) with one accumulator a row: a pattern that is rare still learns quickly when it comes up.
//!
//! Of the time most goes into waiting for memory: 64 of 370,000 rows a sample. So a row is one cache line, large pages lie under the
//! rows, and while one sample is learnt from, the rows of the next are asked for, and of the one after that the places where their
//! numbers stand. None of this changes a result by more than rounding, and it takes a third of the time without: 10.0 M positions,
//! six epochs, one core of a shared machine, 66 s of processor, reading, judging and writing included.
//!
//! Steps that shrink evenly, sample by sample, were measured on these positions (mean and root of mean square of the error on 203,000 held
//! out, and the mean on the 2,000 positions from games of people that [`crate::games::reversi::eval`] tells of):
//!
//! | first steps | how they shrink | held out | games of people |
//! |---|---|---|---|
//! | 0.006 | by a sixth after each epoch | 3.967, 5.416 | 5.55 |
//! | **0.008** | evenly, to a fiftieth | 3.959, 5.398 | 5.51 |
//! | 0.010 | | 3.957, 5.394 | 5.54 |
//! | 0.012 | | 3.972, 5.418 | 5.50 |
//!
//! With 2.9 M positions steps of 0.009 were better than these of 0.006 (4.236 against 4.271), and steps of 0.014 worse (4.323).

#![allow(clippy::needless_range_loop, reason = "several vectors side by side")]

use crate::game::rng::Rng;
use crate::games::reversi::eval::network::head_of;
use crate::games::reversi::eval::patterns::{INSTANCES, Indices, OFFSETS, PLACES, shared_count, shared_rows};
use crate::games::reversi::eval::weights::{HEADS, Head, NetworkWeights, PLIES, UNITS, Weights};
use crate::search::isa::{Isa, Task};
use crate::search::table::{large_pages, prefetch};

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
/// The steps shrink evenly to this share of the first ones, so that the last samples do not count for more than the others.
const LAST: f32 = 0.02;

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

/// A row of the network: a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Row([f32; UNITS]);

/// Numbers of a head with their accumulators.
#[derive(Clone, Copy, Debug)]
struct Numbers<const N: usize> {
    values: [f32; N],
    squares: [f32; N],
}

impl<const N: usize> Numbers<N> {
    fn new(values: [f32; N]) -> Self {
        Numbers { values, squares: [CAUTION; N] }
    }

    #[inline(always)]
    fn learn(&mut self, gradients: &[f32; N], rate: f32) {
        for i in 0..N {
            self.squares[i] += gradients[i] * gradients[i];
            self.values[i] -= rate * gradients[i] / self.squares[i].sqrt();
        }
    }

    /// The values in integers, `one` of them to the unit.
    fn rounded(&self, one: f32) -> [i16; N] {
        self.values.map(|value| (value * one).round().clamp(-32_000.0, 32_000.0) as i16)
    }
}

struct Network {
    /// For each index of all shapes its row.
    shared: &'static [u32],
    rows: Vec<Row>,
    /// The accumulators of the rows.
    squares: Vec<f32>,
    biases: [Numbers<UNITS>; HEADS],
    outputs: [Numbers<UNITS>; HEADS],
    constants: [Numbers<1>; PLIES],
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
    let all = (samples.len() * settings.epochs) as f32;
    for number in 1..=settings.epochs {
        rng.shuffle(&mut samples);
        let before = samples.len() * (number - 1);
        let rates = |seen: usize| settings.rate * (1.0 - (before + seen) as f32 / all).max(LAST);
        isa.call(Walk { network: &mut network, samples: &samples, rates });
        epoch(number, &network.rounded())?;
    }
    Ok(network.rounded())
}

impl Network {
    fn new(rng: &mut Rng) -> Network {
        let (shared, count) = (shared_rows(), shared_count());
        let mut noise = || NOISE * (2.0 * rng.unit() as f32 - 1.0);
        let mut rows = Vec::with_capacity(count);
        large_pages(rows.spare_capacity_mut());
        rows.extend((0..count).map(|_| Row([0.0; UNITS].map(|_| noise()))));
        let sign = |unit: usize| if unit.is_multiple_of(2) { OUTPUT } else { -OUTPUT };
        Network {
            shared,
            rows,
            squares: vec![CAUTION; count],
            biases: [Numbers::new([0.5; UNITS]); HEADS],
            outputs: [Numbers::new(std::array::from_fn(sign)); HEADS],
            constants: [Numbers::new([0.0]); PLIES],
        }
    }

    /// Where in `shared` the numbers of a sample's rows stand; it is asked for them.
    #[inline(always)]
    fn places(&self, sample: &Sample) -> [u32; INSTANCES] {
        let indices = Indices::by_rows(&sample.position());
        let places = std::array::from_fn(|k| OFFSETS[k / PLACES] as u32 + u32::from(indices.own[k]));
        for place in places {
            prefetch(&self.shared[place as usize]);
        }
        places
    }

    /// The numbers of the rows; they are asked for, too.
    #[inline(always)]
    fn rows(&self, places: &[u32; INSTANCES]) -> [u32; INSTANCES] {
        let mut rows = [0; INSTANCES];
        for k in 0..INSTANCES {
            rows[k] = self.shared[places[k] as usize];
            prefetch(&self.rows[rows[k] as usize]);
            prefetch(&self.squares[rows[k] as usize]);
        }
        rows
    }

    /// Learns from one sample, whose rows these are.
    #[inline(always)]
    fn learn(&mut self, sample: &Sample, rows: &[u32; INSTANCES], rate: f32) {
        let ply = usize::from(sample.ply);
        let (biases, outputs) = (&mut self.biases[head_of(ply)], &mut self.outputs[head_of(ply)]);
        let mut sums = biases.values;
        for &row in rows {
            let Row(row) = &self.rows[row as usize];
            for unit in 0..UNITS {
                sums[unit] += row[unit];
            }
        }
        let cut = sums.map(|sum| sum.clamp(0.0, 1.0));
        let constant = &mut self.constants[ply];
        let [mut value] = constant.values;
        for unit in 0..UNITS {
            value += cut[unit] * cut[unit] * outputs.values[unit];
        }

        let error = value - sample.target;
        let mut gradient = [0.0; UNITS];
        let mut square = 0.0;
        for unit in 0..UNITS {
            let inside = if sums[unit] > 0.0 && sums[unit] < 1.0 { 2.0 * cut[unit] } else { 0.0 };
            gradient[unit] = error * outputs.values[unit] * inside;
            square += gradient[unit] * gradient[unit];
        }
        square /= UNITS as f32;
        constant.learn(&[error], rate * HEAD_STEP * OUTPUT_STEP);
        outputs.learn(&cut.map(|cut| error * cut * cut), rate * HEAD_STEP * OUTPUT_STEP);
        biases.learn(&gradient, rate * HEAD_STEP);
        // All accumulators first, then all roots at once.
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
            let Row(row) = &mut self.rows[rows[k] as usize];
            for unit in 0..UNITS {
                row[unit] = (row[unit] - steps[k] * gradient[unit]).clamp(-REACH, REACH);
            }
        }
    }

    fn rounded(&self) -> Weights {
        // A row that no sample touched still holds the noise of the start.
        let row = |(Row(row), &squares): (&Row, &f32)| match squares > CAUTION {
            true => row.map(|value| (256.0 * value).round() as i8),
            false => [0; UNITS],
        };
        Weights::Network(Box::new(NetworkWeights {
            constants: std::array::from_fn(|ply| self.constants[ply].rounded(128.0)[0]),
            heads: std::array::from_fn(|head| Head {
                biases: self.biases[head].rounded(256.0),
                outputs: self.outputs[head].rounded(64.0),
            }),
            rows: self.rows.iter().zip(&self.squares).map(row).collect(),
        }))
    }
}

/// One epoch; `rates` says how far to step after so many samples.
struct Walk<'n, R> {
    network: &'n mut Network,
    samples: &'n [Sample],
    rates: R,
}

impl<R: Fn(usize) -> f32> Task for Walk<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Walk { network, samples, rates } = self;
        // What is known of the two samples ahead of the one that is learnt from.
        let (mut places, mut rows) = ([0; INSTANCES], [0; INSTANCES]);
        for ahead in 0..samples.len() + 2 {
            if let Some(number) = ahead.checked_sub(2) {
                network.learn(&samples[number], &rows, rates(number));
            }
            rows = network.rows(&places);
            if let Some(sample) = samples.get(ahead) {
                places = network.places(sample);
            }
        }
    }
}
