//! The terms of a static evaluation, in discs for the side to move, for display (`eval`).
//!
//! Features interact in the network: the terms are those of the hidden neurons, and each pattern
//! and board feature is listed with the value without it.

use super::board_features::BOARD_FEATURE_NAMES;
use super::indices::Indices;
use super::othello::OthelloEvaluator;
use super::patterns::{INSTANCES, instance};
use super::scale::{UNIT, ply};
use crate::games::notation::square_name;
use crate::games::reversi::Othello;

impl OthelloEvaluator {
    /// The terms of a position's static evaluation: a row per pattern shape with its placements, a row
    /// of the features of the whole board, the hidden neurons, the bias of the ply and the value before
    /// it is rounded to whole discs. An instance of a pattern is named by its first and last square,
    /// which identify it among those of its shape.
    pub fn terms(&self, position: &Othello) -> String {
        let (ply, indices) = (ply(position), Indices::fresh(position));
        let discs = |value: i32| f64::from(value) / f64::from(UNIT);
        let cell = |discs: f64, label: &str| format!("{discs:+7.2} {label:<5}");
        let network = self.network();
        let names = (0..INSTANCES).map(instance_name);
        let names = names.chain(BOARD_FEATURE_NAMES.map(String::from));
        let without = |k: usize| discs(network.value_without(position, &indices, k));
        let features = (0..).zip(names).map(|(k, name)| cell(without(k), &name));
        let neurons = network.neurons(position, &indices).into_iter();
        let neurons =
            neurons.map(|term| cell(term.discs, &format!("{:3.0} %", 100.0 * term.activation)));
        format!(
            "evaluation without each pattern (discs)\n{}hidden neurons: contribution (discs) and activation\n{}bias \
             (ply {ply}) {:+.2}, total {:+.2}\n",
            rows(features),
            rows(neurons),
            discs(network.ply_biases[ply].into()),
            self.discs(position)
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
        let network = evaluator.network();
        let mut rng = Rng::new(2);
        let mut position = Othello::start();
        while let Some(&m) = rng.choose(&position.moves()) {
            let neurons = network.neurons(&position, &Indices::fresh(&position));
            let sum: f64 = neurons.iter().map(|term| term.discs).sum();
            let bias = f64::from(network.ply_biases[ply(&position)]) / f64::from(UNIT);
            let total = evaluator.discs(&position);
            assert!((sum + bias - total).abs() < 0.01, "{neurons:?}");
            assert!(evaluator.terms(&position).ends_with(&format!(
                "bias (ply {}) {bias:+.2}, total {total:+.2}\n",
                ply(&position)
            )));
            position = position.play(m);
        }
    }
}
