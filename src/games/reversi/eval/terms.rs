//! The terms of a static evaluation, in discs for the side to move, for display (`eval`, `explain`).
//!
//! In the linear evaluation, the terms are the feature weights. In the network, features interact: the terms are those
//! of the hidden neurons, and each pattern and board feature is listed with the value without it.

use super::board_features::{BOARD_FEATURE_NAMES, BOARD_INSTANCES};
use super::indices::Indices;
use super::othello::{Model, OthelloEvaluator};
use super::patterns::{INSTANCES, instance};
use super::scale::{UNIT, ply};
use crate::games::reversi::Othello;
use crate::search::isa::Portable;

/// The terms of a static evaluation.
#[derive(Clone, PartialEq, Debug)]
pub struct EvalTerms {
    /// The number of plies played.
    pub ply: usize,
    /// The instances of patterns, the four of each shape side by side. Linear sum: the weight of each; network: the
    /// value without it.
    pub patterns: Vec<FeatureTerm>,
    /// The features of the whole board, likewise; empty for the linear sum.
    pub board: Vec<FeatureTerm>,
    /// The bias of the ply.
    pub bias: f64,
    /// The term of each hidden neuron of the network; empty for the linear sum.
    pub neurons: Vec<NeuronTerm>,
    /// The value before it is rounded to whole discs.
    pub total: f64,
}

/// The term of an instance of a pattern or of a feature of the whole board.
#[derive(Clone, PartialEq, Debug)]
pub struct FeatureTerm {
    /// Its first and last square, which identify it among the instances of its shape; or its name.
    pub name: String,
    /// See [`EvalTerms::patterns`].
    pub discs: f64,
}

/// The term of a hidden neuron.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NeuronTerm {
    /// Its activation after SCReLU, 0 to 1.
    pub activation: f64,
    /// Its part of the value.
    pub discs: f64,
}

impl OthelloEvaluator {
    /// The terms of a position's static evaluation.
    pub fn terms(&self, position: &Othello) -> EvalTerms {
        let (ply, indices) = (ply(position), Indices::of(position));
        let discs = |value: i32| f64::from(value) / f64::from(UNIT);
        let total = discs(self.model().value(Portable::token(), position, &indices));
        let pattern = |k: usize, value: i32| FeatureTerm { name: name(k), discs: discs(value) };
        match self.model() {
            Model::Linear(linear) => {
                let (weights, bias) = linear.parts(ply, &indices);
                let patterns = (0..INSTANCES).map(|k| pattern(k, weights[k])).collect();
                EvalTerms { ply, patterns, board: Vec::new(), bias: discs(bias), neurons: Vec::new(), total }
            }
            Model::Network(network) => {
                let without = |k: usize| network.value_without(position, &indices, k);
                let patterns = (0..INSTANCES).map(|k| pattern(k, without(k))).collect();
                let board = |k: usize| FeatureTerm {
                    name: BOARD_FEATURE_NAMES[k].into(),
                    discs: discs(without(INSTANCES + k)),
                };
                let board = (0..BOARD_INSTANCES).map(board).collect();
                let neuron = |(activation, discs)| NeuronTerm { activation, discs };
                let neurons = network.neurons(position, &indices).map(neuron).to_vec();
                EvalTerms { ply, patterns, board, bias: discs(network.ply_bias(ply)), neurons, total }
            }
        }
    }
}

fn name(k: usize) -> String {
    let squares = instance(k);
    let square = |square: &u8| format!("{}{}", char::from(b'a' + square % 8), 1 + square / 8);
    squares.first().into_iter().chain(squares.last()).map(square).collect()
}

#[cfg(test)]
mod tests {
    use super::super::random_weights::random_weights;
    use super::*;
    use crate::game::Game;
    use crate::game::rng::Rng;

    #[test]
    fn terms_add_up() {
        for weights in random_weights(3) {
            let evaluator = OthelloEvaluator::from(weights);
            let mut rng = Rng::new(2);
            let mut position = Othello::start();
            while let Some(&m) = rng.choose(&position.moves()) {
                let terms = evaluator.terms(&position);
                let sum: f64 = match terms.neurons.is_empty() {
                    true => terms.patterns.iter().map(|term| term.discs).sum(),
                    false => terms.neurons.iter().map(|term| term.discs).sum(),
                };
                assert!((sum + terms.bias - terms.total).abs() < 0.01, "{terms:?}");
                assert_eq!(terms.total, evaluator.discs(&position));
                position = position.play(m);
            }
        }
    }
}
