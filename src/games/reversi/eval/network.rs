//! The network: sparse pattern features, one hidden layer of sixteen neurons, squared clipped ReLU (SCReLU), output
//! buckets.
//!
//! Each feature has sixteen `i8` weights; those of a position's 64 features are summed up into the accumulator. A
//! neuron's activation is SCReLU of its sum and a bias; the value is the scalar product of activations and output
//! weights, and a bias of the ply. The feature weights serve the whole game, biases and outputs are per bucket of
//! plies. This is the smallest member of the family of efficiently updatable networks (Y. Nasu, 2018), with the
//! patterns of Othello as its features; the square makes products of features, which the linear sum lacks. Integer
//! arithmetic throughout.

use super::indices::Indices;
use super::patterns::{INSTANCES, PLACES};
use super::tables::WeightTables;
use super::weights::{NEURONS, NetworkWeights, OUTPUT_BUCKETS, OutputBucket, PLIES};
use crate::games::reversi::kernel::{FeatureWeights, Kernels};

/// The upper clip of the ReLU, in 256ths: the square fits sixteen bits.
const CLIP: i32 = 255;

/// The network, ready to use.
#[derive(Debug)]
pub struct Network {
    ply_biases: [i16; PLIES],
    buckets: [OutputBucket; OUTPUT_BUCKETS],
    tables: WeightTables<FeatureWeights>,
}

impl Network {
    /// The network with these weights.
    pub fn new(weights: &NetworkWeights) -> Network {
        let features: Vec<FeatureWeights> = weights.features.iter().map(|&weights| FeatureWeights(weights)).collect();
        let tables = WeightTables::expand(FeatureWeights([0; NEURONS]), &features);
        Network { ply_biases: weights.ply_biases, buckets: weights.buckets, tables }
    }

    /// The value for the side to move after `ply` plies, in 128ths of a disc.
    #[inline(always)]
    pub fn value<K: Kernels>(&self, kernel: K, ply: usize, indices: &Indices) -> i32 {
        let mut accumulator = kernel.empty_accumulator();
        for (shape, table) in self.tables.shapes().iter().enumerate() {
            for place in 0..PLACES {
                accumulator = kernel.accumulate(accumulator, &table[indices.own[PLACES * shape + place] as usize]);
            }
        }
        self.output(ply, kernel.sums(accumulator, INSTANCES))
    }

    /// The activation of each hidden neuron, 0 to 1, and its part of the value, in discs.
    pub fn neurons(&self, ply: usize, indices: &Indices) -> [(f64, f64); NEURONS] {
        let sums = self.sums_of(indices, |_| true);
        let bucket = &self.buckets[bucket_of(ply)];
        std::array::from_fn(|neuron| {
            let activation = screlu(i32::from(sums[neuron]) + i32::from(bucket.biases[neuron]));
            let discs = f64::from(activation * i32::from(bucket.outputs[neuron])) / f64::from(1 << 20);
            (f64::from(activation) / 16384.0, discs)
        })
    }

    /// The value without the weights of one instance, in 128ths of a disc.
    pub fn value_without(&self, ply: usize, indices: &Indices, instance: usize) -> i32 {
        self.output(ply, self.sums_of(indices, |k| k != instance))
    }

    /// The accumulated weights of the instances that `included` accepts.
    fn sums_of(&self, indices: &Indices, included: impl Fn(usize) -> bool) -> [i16; NEURONS] {
        let mut sums = [0; NEURONS];
        for k in (0..INSTANCES).filter(|&k| included(k)) {
            let FeatureWeights(weights) = self.tables.shapes()[k / PLACES][indices.own[k] as usize];
            (0..NEURONS).for_each(|neuron| sums[neuron] += i16::from(weights[neuron]));
        }
        sums
    }

    /// The output layer of the ply's bucket, in 128ths of a disc.
    #[inline(always)]
    fn output(&self, ply: usize, sums: [i16; NEURONS]) -> i32 {
        let bucket = &self.buckets[bucket_of(ply)];
        let mut value = 0;
        for (neuron, sum) in sums.into_iter().enumerate() {
            value += screlu(i32::from(sum) + i32::from(bucket.biases[neuron])) * i32::from(bucket.outputs[neuron]);
        }
        i32::from(self.ply_biases[ply]) + (value >> 13)
    }

    /// The bias of a ply, in 128ths of a disc.
    pub fn ply_bias(&self, ply: usize) -> i32 {
        i32::from(self.ply_biases[ply])
    }
}

/// The output bucket of a ply.
#[inline(always)]
pub const fn bucket_of(ply: usize) -> usize {
    if ply / 4 < OUTPUT_BUCKETS { ply / 4 } else { OUTPUT_BUCKETS - 1 }
}

/// The squared clipped ReLU of a sum in 256ths, in 16384ths.
#[inline(always)]
fn screlu(sum: i32) -> i32 {
    let clipped = sum.clamp(0, CLIP);
    (clipped * clipped) >> 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::game::rng::Rng;
    use crate::games::reversi::Othello;
    use crate::games::reversi::eval::othello;
    use crate::games::reversi::eval::patterns::{OFFSETS, feature_ids};
    use crate::games::reversi::eval::random_weights::random_weights;
    use crate::games::reversi::eval::weights::OthelloWeights;
    use crate::search::isa::{Isa, IsaChoice, Task, with_isa};

    struct Value<'n, K>(&'n Network, usize, Indices, K);

    impl<K: Kernels> Task for Value<'_, K> {
        type Output = i32;

        #[inline(always)]
        fn run(self) -> i32 {
            self.0.value(self.3, self.1, &self.2)
        }
    }

    /// Every instruction set agrees with the definition, neuron by neuron.
    #[test]
    fn values_are_the_definition() {
        let [_, OthelloWeights::Network(weights)] = random_weights(8) else { panic!("the second is a network") };
        let network = Network::new(&weights);
        let mut rng = Rng::new(1);
        let (mut position, mut ply) = (Othello::start(), 0);
        while let Some(&m) = rng.choose(&position.moves()) {
            let indices = Indices::fresh(&position);
            let bucket = &weights.buckets[bucket_of(ply)];
            let feature = |k: usize| feature_ids()[OFFSETS[k / PLACES] + usize::from(indices.own[k])] as usize;
            let part = |neuron: usize| {
                let sum: i32 = (0..INSTANCES).map(|k| i32::from(weights.features[feature(k)][neuron])).sum();
                let clipped = (sum + i32::from(bucket.biases[neuron])).clamp(0, 255);
                ((clipped * clipped) >> 2) * i32::from(bucket.outputs[neuron])
            };
            let value = i32::from(weights.ply_biases[ply]) + ((0..NEURONS).map(part).sum::<i32>() >> 13);
            for choice in IsaChoice::available() {
                let found = with_isa!(choice, isa => isa.call(Value(&network, ply, indices, isa)));
                assert_eq!(found, value, "{choice:?}");
            }
            position = position.play(m);
            ply = othello::ply(&position);
        }
    }
}
