//! The pattern-sum network: each index owns a row of sixteen small numbers; the rows of a position are added unit by unit.
//!
//! A unit's sum and the phase's bias, cut to 0..1 and squared, is how full it is; the position is worth the units' fullness by
//! the phase's outputs, and a constant of the ply. One table of rows serves the whole game. It is the smallest member of
//! the family of efficiently updatable networks (Y. Nasu, 2018) with the patterns of Othello for its first layer; the square gives
//! products of patterns, which the linear sum lacks. All of it is integer arithmetic.

use super::Tables;
use super::patterns::{INSTANCES, Indices, PLACES};
use super::weights::{HEADS, Head, NetworkWeights, PLIES, UNITS};
use crate::games::reversi::kernel::{Kernels, Row};

/// A full unit before it is squared, in 256ths: the square fits sixteen bits.
const FULL: i32 = 255;

/// The network, ready to use.
#[derive(Debug)]
pub struct Network {
    constants: [i16; PLIES],
    heads: [Head; HEADS],
    tables: Tables<Row>,
}

impl Network {
    /// The network with these weights.
    pub fn new(weights: &NetworkWeights) -> Network {
        let rows: Vec<Row> = weights.rows.iter().map(|&row| Row(row)).collect();
        Network { constants: weights.constants, heads: weights.heads, tables: Tables::expand(Row([0; UNITS]), &rows) }
    }

    /// The value for the side to move after `ply` plies, in 128ths of a disc.
    #[inline(always)]
    pub fn value<K: Kernels>(&self, kernel: K, ply: usize, indices: &Indices) -> i32 {
        let mut sums = kernel.no_rows();
        for (shape, table) in self.tables.shapes().iter().enumerate() {
            for place in 0..PLACES {
                sums = kernel.add_row(sums, &table[indices.own[PLACES * shape + place] as usize]);
            }
        }
        self.read_out(ply, kernel.units(sums, INSTANCES))
    }

    /// How full each unit is, from nothing to one, and what it adds to the value, in discs.
    pub fn units(&self, ply: usize, indices: &Indices) -> [(f64, f64); UNITS] {
        let units = self.sums_of(indices, |_| true);
        let head = &self.heads[head_of(ply)];
        std::array::from_fn(|unit| {
            let full = fullness(i32::from(units[unit]) + i32::from(head.biases[unit]));
            let discs = f64::from(full * i32::from(head.outputs[unit])) / f64::from(1 << 20);
            (f64::from(full) / 16384.0, discs)
        })
    }

    /// The value without the row of one pattern, in 128ths of a disc.
    pub fn value_without(&self, ply: usize, indices: &Indices, pattern: usize) -> i32 {
        self.read_out(ply, self.sums_of(indices, |k| k != pattern))
    }

    /// The units' sums over the patterns that count.
    fn sums_of(&self, indices: &Indices, counts: impl Fn(usize) -> bool) -> [i16; UNITS] {
        let mut sums = [0; UNITS];
        for k in (0..INSTANCES).filter(|&k| counts(k)) {
            let Row(row) = self.tables.shapes()[k / PLACES][indices.own[k] as usize];
            (0..UNITS).for_each(|unit| sums[unit] += i16::from(row[unit]));
        }
        sums
    }

    /// The units by the outputs of the ply's head.
    #[inline(always)]
    fn read_out(&self, ply: usize, units: [i16; UNITS]) -> i32 {
        let head = &self.heads[head_of(ply)];
        let mut value = 0;
        for (unit, sum) in units.into_iter().enumerate() {
            value += fullness(i32::from(sum) + i32::from(head.biases[unit])) * i32::from(head.outputs[unit]);
        }
        i32::from(self.constants[ply]) + (value >> 13)
    }

    /// What a ply is worth by itself, in 128ths of a disc.
    pub fn constant(&self, ply: usize) -> i32 {
        i32::from(self.constants[ply])
    }
}

/// The head of a ply.
#[inline(always)]
pub const fn head_of(ply: usize) -> usize {
    if ply / 4 < HEADS { ply / 4 } else { HEADS - 1 }
}

/// How full a unit is, in 16384ths.
#[inline(always)]
fn fullness(sum: i32) -> i32 {
    let cut = sum.clamp(0, FULL);
    (cut * cut) >> 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::game::rng::Rng;
    use crate::games::reversi::Othello;
    use crate::games::reversi::eval::patterns::{OFFSETS, shared_rows};
    use crate::games::reversi::eval::weights::{Weights, tests::noise};
    use crate::search::isa::{Isa, IsaChoice, Task, with_isa};

    struct Value<'n, K>(&'n Network, usize, Indices, K);

    impl<K: Kernels> Task for Value<'_, K> {
        type Output = i32;

        #[inline(always)]
        fn run(self) -> i32 {
            self.0.value(self.3, self.1, &self.2)
        }
    }

    /// Every instruction set gives what the definition says, unit by unit.
    #[test]
    fn values_are_the_definition() {
        let [_, Weights::Network(weights)] = noise(8) else { panic!("the second is a network") };
        let network = Network::new(&weights);
        let mut rng = Rng::new(1);
        let (mut position, mut ply) = (Othello::start(), 0);
        while let Some(&m) = rng.choose(&position.moves()) {
            let indices = Indices::fresh(&position);
            let head = &weights.heads[head_of(ply)];
            let row = |k: usize| shared_rows()[OFFSETS[k / PLACES] + usize::from(indices.own[k])] as usize;
            let unit = |unit: usize| {
                let sum: i32 = (0..INSTANCES).map(|k| i32::from(weights.rows[row(k)][unit])).sum();
                let cut = (sum + i32::from(head.biases[unit])).clamp(0, 255);
                ((cut * cut) >> 2) * i32::from(head.outputs[unit])
            };
            let value = i32::from(weights.constants[ply]) + ((0..UNITS).map(unit).sum::<i32>() >> 13);
            for choice in IsaChoice::available() {
                let found = with_isa!(choice, isa => isa.call(Value(&network, ply, indices, isa)));
                assert_eq!(found, value, "{choice:?}");
            }
            position = position.play(m);
            ply = crate::games::reversi::eval::ply(&position);
        }
    }
}
