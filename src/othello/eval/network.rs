//! The pattern-sum network: each index owns a row of sixteen small numbers; the rows of a position are added unit by unit.
//!
//! A unit's sum and the phase's bias, cut to 0..1 and squared, is how full it is; the position is worth the units' fullness by
//! the phase's outputs, and a constant of the ply. One table of rows serves the whole game. It is the smallest member of
//! the family of efficiently updatable networks (Y. Nasu, 2018) with the patterns of Othello for its first layer; the square gives
//! products of patterns, which the linear sum lacks. All of it is integer arithmetic.

use super::Tables;
use super::patterns::{INSTANCES, Indices, PLACES};
use super::weights::{HEADS, Head, NetworkWeights, PLIES, UNITS};

/// A full unit before it is squared, in 256ths: the square fits sixteen bits.
const FULL: i32 = 255;

/// Added to the numbers of a row, so that all are above zero and their sums never borrow from a neighbour.
const BIAS: i16 = 128;
/// The lower bytes of four pairs.
const LOWER: u64 = 0x00ff_00ff_00ff_00ff;

/// Sixteen numbers of a row as bytes of two words, each greater by [`BIAS`].
type Row = [u64; 2];
/// Their sums, four to a word: the numbers of even places, then those of odd ones.
type Sums = [[u64; 2]; 2];

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
        let word = |numbers: &[i8]| {
            numbers.iter().rev().fold(0, |word, &number| word << 8 | (i16::from(number) + BIAS) as u64)
        };
        let rows: Vec<Row> = weights.rows.iter().map(|row| [word(&row[..8]), word(&row[8..])]).collect();
        Network { constants: weights.constants, heads: weights.heads, tables: Tables::expand([0; 2], &rows) }
    }

    /// The value for the side to move after `ply` plies, in 128ths of a disc.
    ///
    /// Plain words hold four sums each, so every processor adds a row in a dozen instructions, and none depends on what the
    /// compiler makes of a loop over bytes.
    #[inline(always)]
    pub fn value(&self, ply: usize, indices: &Indices) -> i32 {
        let shapes = self.tables.shapes();
        let mut sums = Sums::default();
        for k in 0..INSTANCES {
            add(&mut sums, shapes[k / PLACES][indices.own[k] as usize]);
        }
        self.read_out(ply, &sums, INSTANCES)
    }

    /// How full each unit is, from nothing to one, and what it adds to the value, in discs.
    pub fn units(&self, ply: usize, indices: &Indices) -> [(f64, f64); UNITS] {
        let mut sums = Sums::default();
        (0..INSTANCES).for_each(|k| add(&mut sums, self.tables.shapes()[k / PLACES][indices.own[k] as usize]));
        let head = &self.heads[head_of(ply)];
        std::array::from_fn(|unit| {
            let full = fullness(unit_of(&sums, INSTANCES, unit) + i32::from(head.biases[unit]));
            let discs = f64::from(full * i32::from(head.outputs[unit])) / f64::from(1 << 20);
            (f64::from(full) / 16384.0, discs)
        })
    }

    /// The value without the row of one pattern, in 128ths of a disc.
    pub fn value_without(&self, ply: usize, indices: &Indices, pattern: usize) -> i32 {
        let mut sums = Sums::default();
        let others = (0..INSTANCES).filter(|&k| k != pattern);
        others.for_each(|k| add(&mut sums, self.tables.shapes()[k / PLACES][indices.own[k] as usize]));
        self.read_out(ply, &sums, INSTANCES - 1)
    }

    /// The units, so many rows added, by the outputs of the ply's head.
    #[inline(always)]
    fn read_out(&self, ply: usize, sums: &Sums, rows: usize) -> i32 {
        let head = &self.heads[head_of(ply)];
        let mut value = 0;
        for unit in 0..UNITS {
            let full = fullness(unit_of(sums, rows, unit) + i32::from(head.biases[unit]));
            value += full * i32::from(head.outputs[unit]);
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

#[inline(always)]
fn add(sums: &mut Sums, row: Row) {
    for word in 0..2 {
        sums[0][word] += row[word] & LOWER;
        sums[1][word] += (row[word] >> 8) & LOWER;
    }
}

/// The sum of a unit over so many rows.
#[inline(always)]
fn unit_of(sums: &Sums, rows: usize, unit: usize) -> i32 {
    let word = sums[unit % 2][unit / 8] >> (16 * (unit % 8 / 2));
    i32::from(word as u16) - i32::from(BIAS) * rows as i32
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
    use crate::games::othello::Othello;
    use crate::othello::eval::patterns::{OFFSETS, shared_rows};
    use crate::othello::eval::weights::{Weights, tests::noise};
    use crate::rng::Rng;

    /// The words give what the definition says, unit by unit.
    #[test]
    fn packed_sums_are_the_sums() {
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
            assert_eq!(network.value(ply, &indices), value);
            position = position.play(m);
            ply = crate::othello::eval::ply(&position);
        }
    }
}
