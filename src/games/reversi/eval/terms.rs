//! The terms of a static evaluation, in discs for the side to move, for display (`eval`).
//!
//! Features interact in the network: the terms are those of the hidden neurons, and each pattern
//! and board feature is listed with the value without it.

use std::fmt::{self, Display, Formatter};

use super::board_features::BOARD_FEATURE_NAMES;
use super::indices::Indices;
pub use super::network::NeuronTerm;
use super::othello::OthelloEvaluator;
use super::patterns::{INSTANCES, instance};
use super::scale::{UNIT, ply};
use crate::games::notation::square_name;
use crate::games::reversi::Othello;
use crate::search::core::isa::Portable;

/// The terms of a static evaluation.
#[derive(Clone, PartialEq, Debug)]
pub struct EvalTerms {
    /// The number of plies played.
    pub ply: usize,
    /// The value without each feature: the instances of patterns, the four of each shape side by
    /// side, then the features of the whole board. An instance is named by its first and last square,
    /// which identify it among those of its shape.
    pub features: Vec<(String, f64)>,
    /// The bias of the ply.
    pub bias: f64,
    /// The term of each hidden neuron.
    pub neurons: Vec<NeuronTerm>,
    /// The value before it is rounded to whole discs.
    pub total: f64,
}

impl OthelloEvaluator {
    /// The terms of a position's static evaluation.
    pub fn terms(&self, position: &Othello) -> EvalTerms {
        let (ply, indices) = (ply(position), Indices::fresh(position));
        let discs = |value: i32| f64::from(value) / f64::from(UNIT);
        let network = self.network();
        let names = (0..INSTANCES).map(instance_name);
        let names = names.chain(BOARD_FEATURE_NAMES.map(String::from));
        let without = |k: usize| discs(network.value_without(position, &indices, k));
        EvalTerms {
            ply,
            features: names.zip((0..).map(without)).collect(),
            bias: discs(network.ply_biases[ply].into()),
            neurons: network.neurons(position, &indices),
            total: discs(network.value(Portable::token(), position, &indices)),
        }
    }
}

/// A row per pattern shape with its placements, a row of the features of the whole board, and the
/// hidden neurons.
impl Display for EvalTerms {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let cell = |discs: f64, label: &str| format!("{discs:+7.2} {label:<5}");
        let features = self.features.iter().map(|(name, discs)| cell(*discs, name));
        let neurons = self
            .neurons
            .iter()
            .map(|term| cell(term.discs, &format!("{:3.0} %", 100.0 * term.activation)));
        write!(
            f,
            "evaluation without each pattern (discs)\n{}hidden neurons: contribution (discs) and activation\n{}bias \
             (ply {}) {:+.2}, total {:+.2}\n",
            rows(features),
            rows(neurons),
            self.ply,
            self.bias,
            self.total
        )
    }
}

/// Four cells per line.
fn rows(cells: impl Iterator<Item = String>) -> String {
    cells
        .collect::<Vec<_>>()
        .chunks(4)
        .map(|row| row.concat().trim_end().to_owned() + "\n")
        .collect()
}

fn instance_name(k: usize) -> String {
    let squares = instance(k);
    let ends = squares.first().into_iter().chain(squares.last());
    ends.map(|&square| square_name(square, 8)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::weights::random_weights;
    use super::*;
    use crate::game::Game;
    use crate::game::rng::Rng;

    #[test]
    fn terms_add_up() {
        let evaluator = OthelloEvaluator::from(&random_weights(3));
        let mut rng = Rng::new(2);
        let mut position = Othello::start();
        while let Some(&m) = rng.choose(&position.moves()) {
            let terms = evaluator.terms(&position);
            let sum: f64 = terms.neurons.iter().map(|term| term.discs).sum();
            assert!((sum + terms.bias - terms.total).abs() < 0.01, "{terms:?}");
            assert_eq!(terms.total, evaluator.discs(&position));
            position = position.play(m);
        }
    }
}
