//! The network: sparse features, one hidden layer of 64 neurons, squared clipped ReLU (SCReLU),
//! output buckets.
//!
//! The weights of a position's 64 patterns (`i8`, one for each neuron) and of its features of the
//! whole board (`i16`, [`super::board_features`]) are added up in the accumulator. The activation
//! of a neuron is the SCReLU of its sum plus a bias. The value is the scalar product of activations
//! and output weights, plus a bias by ply. Feature weights are the same for the whole game; biases
//! and output weights depend on the ply bucket. It belongs to the family of efficiently updatable
//! networks (Y. Nasu, 2018), with the patterns of Othello as its features; the square makes
//! products of features, which a linear sum lacks. Integer arithmetic throughout.

use super::board_features::{BOARD_FEATURES, board_features};
use super::indices::Indices;
use super::patterns::{INSTANCES, OFFSETS, PLACES, SHAPES, feature_ids};
use super::scale::ply;
use super::weights::{NEURONS, OUTPUT_BUCKETS, OthelloWeights, OutputBucket, PLIES};
use crate::games::reversi::Othello;
use crate::games::reversi::kernel::{FeatureWeights, Kernels};
use crate::platform::memory::on_large_pages;
use crate::search::core::isa::Portable;

/// The upper clip of the ReLU, in 256ths: the square fits sixteen bits.
const CLIP: i16 = 255;

/// The network, in the form used for inference.
#[derive(Clone, Debug)]
pub struct Network {
    pub ply_biases: [i16; PLIES],
    buckets: [OutputBucket; OUTPUT_BUCKETS],
    tables: WeightTables,
    board: Box<[[i16; NEURONS]; BOARD_FEATURES]>,
}

/// The term of a hidden neuron.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NeuronTerm {
    /// Its activation after SCReLU, 0 to 1.
    pub activation: f64,
    /// Its part of the value.
    pub discs: f64,
}

impl Network {
    /// The network with these weights.
    pub fn new(weights: &OthelloWeights) -> Network {
        Network {
            ply_biases: weights.ply_biases,
            buckets: weights.buckets,
            tables: WeightTables::expand(&weights.features),
            board: weights.board.clone(),
        }
    }

    /// Adds to the bias of each ply, in 128ths of a disc.
    pub fn add_biases(&mut self, biases: &[i16; PLIES]) {
        self.ply_biases
            .iter_mut()
            .zip(biases)
            .for_each(|(bias, more)| *bias = bias.saturating_add(*more));
    }

    /// The value for the side to move after `ply` plies, in 128ths of a disc.
    #[inline(always)]
    pub fn value<K: Kernels>(&self, kernel: K, position: &Othello, indices: &Indices) -> i32 {
        let mut accumulator = kernel.empty_accumulator();
        let (places, _) = indices.own.as_chunks::<PLACES>();
        for (shape, &[a, b, c, d]) in places.iter().enumerate() {
            let table = self.tables.of_shape(shape);
            let weights = [
                &table[a as usize],
                &table[b as usize],
                &table[c as usize],
                &table[d as usize],
            ];
            accumulator = kernel.accumulate(accumulator, weights);
        }
        let mut sums = kernel.sums(accumulator, INSTANCES);
        for feature in board_features(kernel, position) {
            // By index, as in all loops over neurons: a pair of iterators is a function of its own
            // where the compiler does not inline it, and lacks the kernel's instruction set.
            let weights = &self.board[feature];
            for neuron in 0..NEURONS {
                sums[neuron] += weights[neuron];
            }
        }
        self.output(ply(position), &sums)
    }

    /// The activation of each hidden neuron, 0 to 1, and its part of the value, in discs.
    pub fn neurons(&self, position: &Othello, indices: &Indices) -> Vec<NeuronTerm> {
        let sums = self.sums_of(position, indices, |_| true);
        let bucket = &self.buckets[bucket_of(ply(position))];
        let term = |neuron: usize| {
            let activation = i32::from(screlu(sums[neuron], bucket.biases[neuron]));
            let discs =
                f64::from(activation * i32::from(bucket.outputs[neuron])) / f64::from(1 << 20);
            NeuronTerm {
                activation: f64::from(activation) / 16384.0,
                discs,
            }
        };
        (0..NEURONS).map(term).collect()
    }

    /// The value without the weights of one feature, in 128ths of a disc: that of an instance of a
    /// pattern or, from [`INSTANCES`] on, of the whole board.
    pub fn value_without(&self, position: &Othello, indices: &Indices, feature: usize) -> i32 {
        self.output(
            ply(position),
            &self.sums_of(position, indices, |k| k != feature),
        )
    }

    /// The accumulated weights of the features that `included` accepts.
    fn sums_of(
        &self,
        position: &Othello,
        indices: &Indices,
        included: impl Fn(usize) -> bool,
    ) -> [i16; NEURONS] {
        let mut sums = [0; NEURONS];
        for k in (0..INSTANCES).filter(|&k| included(k)) {
            let weights = self.tables.of_shape(k / PLACES)[indices.own[k] as usize].weights();
            (0..NEURONS).for_each(|neuron| sums[neuron] += i16::from(weights[neuron]));
        }
        for (k, feature) in (INSTANCES..).zip(board_features(Portable::token(), position)) {
            if included(k) {
                (0..NEURONS).for_each(|neuron| sums[neuron] += self.board[feature][neuron]);
            }
        }
        sums
    }

    /// The output layer of the ply's bucket, in 128ths of a disc.
    #[inline(always)]
    fn output(&self, ply: usize, sums: &[i16; NEURONS]) -> i32 {
        let bucket = &self.buckets[bucket_of(ply)];
        let mut value = 0;
        #[expect(clippy::needless_range_loop, reason = "see `Network::value`")]
        for neuron in 0..NEURONS {
            let activation = screlu(sums[neuron], bucket.biases[neuron]);
            value += i32::from(activation) * i32::from(bucket.outputs[neuron]);
        }
        i32::from(self.ply_biases[ply]) + (value >> 13)
    }
}

/// The output bucket of a ply.
#[inline(always)]
pub fn bucket_of(ply: usize) -> usize {
    (ply / 4).min(OUTPUT_BUCKETS - 1)
}

/// The squared clipped ReLU of a sum and a bias in 256ths, in 16384ths. Sixteen bits, so that a
/// register holds many.
#[inline(always)]
fn screlu(sum: i16, bias: i16) -> i16 {
    let clipped = sum.saturating_add(bias).clamp(0, CLIP) as u16;
    ((clipped * clipped) >> 2) as i16
}

/// The weights of each index of each shape, shape by shape.
#[derive(Clone, Debug)]
struct WeightTables(Box<[FeatureWeights; TABLES]>);

/// The entries of all tables. There is one for every 16-bit index after the start of the last
/// shape, so that no look-up needs a bounds check; look-ups never reach those after the last index.
const TABLES: usize = OFFSETS[SHAPES - 1] + INDICES;
/// Number of 16-bit indices.
const INDICES: usize = 1 << 16;

impl WeightTables {
    /// Each index of each shape gets the weights of its feature.
    fn expand(features: &[[i8; NEURONS]]) -> WeightTables {
        let ids = feature_ids();
        let weights = |&id: &u32| FeatureWeights::new(&features[id as usize]);
        let entry = |index| ids.get(index).map_or(FeatureWeights::ZERO, weights);
        let tables = on_large_pages((0..TABLES).map(entry));
        match tables.into_boxed_slice().try_into() {
            Ok(tables) => WeightTables(tables),
            Err(_) => unreachable!("resized"),
        }
    }

    /// The table of a shape; the entries after its last index belong to later shapes.
    #[inline(always)]
    fn of_shape(&self, shape: usize) -> &[FeatureWeights; INDICES] {
        match self.0[OFFSETS[shape]..].first_chunk() {
            Some(table) => table,
            None => unreachable!("the last shape has as many"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::game::rng::Rng;
    use crate::games::reversi::eval::patterns::{OFFSETS, feature_ids};
    use crate::games::reversi::eval::weights::random_weights;
    use crate::search::core::isa::{Isa, IsaChoice, with_isa};

    /// Every instruction set agrees with the definition, neuron by neuron.
    #[test]
    fn values_agree_with_the_definition() {
        let weights = random_weights(8);
        let network = Network::new(&weights);
        let mut rng = Rng::new(1);
        let mut position = Othello::start();
        while let Some(&m) = rng.choose(&position.moves()) {
            let indices = Indices::fresh(&position);
            let bucket = &weights.buckets[bucket_of(ply(&position))];
            let feature = |k: usize| {
                feature_ids()[OFFSETS[k / PLACES] + usize::from(indices.own[k])] as usize
            };
            let board = board_features(Portable::token(), &position);
            let part = |neuron: usize| {
                let patterns: i32 = (0..INSTANCES)
                    .map(|k| i32::from(weights.features[feature(k)][neuron]))
                    .sum();
                let whole: i32 = board
                    .iter()
                    .map(|&row| i32::from(weights.board[row][neuron]))
                    .sum();
                let clipped = (patterns + whole + i32::from(bucket.biases[neuron])).clamp(0, 255);
                ((clipped * clipped) >> 2) * i32::from(bucket.outputs[neuron])
            };
            let value = i32::from(weights.ply_biases[ply(&position)])
                + ((0..NEURONS).map(part).sum::<i32>() >> 13);
            for choice in IsaChoice::available() {
                let found = with_isa!(choice, isa => {
                    isa.call(#[inline(always)] || network.value(isa, &position, &indices))
                });
                assert_eq!(found, value, "{choice:?}");
            }
            position = position.play(m);
        }
    }
}
