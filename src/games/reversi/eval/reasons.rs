//! Why a position has its static value: each pattern's part in it, in discs for the side to move.
//!
//! The linear sum is the sum of its parts. In the network patterns work together, so each hidden unit has its part, and beside
//! each pattern stands what the value were without it.

use crate::games::reversi::Othello;
use crate::search::isa::Portable;

use super::patterns::{INSTANCES, Indices, instance};
use super::{Learnt, Model, UNIT, ply};

/// How a static value comes about.
#[derive(Clone, PartialEq, Debug)]
pub struct Reasons {
    /// The number of plies played.
    pub ply: usize,
    /// The patterns, the four places of each shape side by side. Linear sum: what each adds; network: the value without it.
    pub patterns: Vec<Part>,
    /// What the ply adds by itself.
    pub constant: f64,
    /// What each hidden unit of the network adds; empty for the linear sum.
    pub units: Vec<Unit>,
    /// The value before it is rounded to whole discs.
    pub total: f64,
}

/// A pattern.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// Its first and last square, which tell the places of a shape apart.
    pub squares: String,
    /// See [`Reasons::patterns`].
    pub discs: f64,
}

/// A hidden unit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Unit {
    /// From nothing to one, squared.
    pub fullness: f64,
    /// What it adds.
    pub discs: f64,
}

impl Learnt {
    /// Why the position has its value.
    pub fn reasons(&self, position: &Othello) -> Reasons {
        let (ply, indices) = (ply(position), Indices::by_rows(position));
        let discs = |value: i32| f64::from(value) / f64::from(UNIT);
        let total = discs(self.model().value(Portable::token(), ply, &indices));
        match self.model() {
            Model::Linear(linear) => {
                let (parts, constant) = linear.parts(ply, &indices);
                let part = |k: usize| Part { squares: name(k), discs: discs(parts[k]) };
                let patterns = (0..INSTANCES).map(part).collect();
                Reasons { ply, patterns, constant: discs(constant), units: Vec::new(), total }
            }
            Model::Network(network) => {
                let without = |k: usize| discs(network.value_without(ply, &indices, k));
                let patterns = (0..INSTANCES).map(|k| Part { squares: name(k), discs: without(k) }).collect();
                let units = network.units(ply, &indices).map(|(fullness, discs)| Unit { fullness, discs });
                Reasons { ply, patterns, constant: discs(network.constant(ply)), units: units.to_vec(), total }
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
    use super::super::weights::tests::noise;
    use super::*;
    use crate::game::Game;
    use crate::game::rng::Rng;

    #[test]
    fn parts_add_up() {
        for weights in noise(3) {
            let learnt = Learnt::from(weights);
            let mut rng = Rng::new(2);
            let mut position = Othello::start();
            while let Some(&m) = rng.choose(&position.moves()) {
                let reasons = learnt.reasons(&position);
                let parts: f64 = match reasons.units.is_empty() {
                    true => reasons.patterns.iter().map(|part| part.discs).sum(),
                    false => reasons.units.iter().map(|unit| unit.discs).sum(),
                };
                assert!((parts + reasons.constant - reasons.total).abs() < 0.01, "{reasons:?}");
                assert_eq!(reasons.total, learnt.discs(&position));
                position = position.play(m);
            }
        }
    }
}
