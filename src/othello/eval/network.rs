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
const FULL: i16 = 255;

/// The network, ready to use.
#[derive(Debug)]
pub struct Network {
    constants: [i16; PLIES],
    heads: [Head; HEADS],
    tables: Tables<[i8; UNITS]>,
}

impl Network {
    /// The network with these weights.
    pub fn new(weights: &NetworkWeights) -> Network {
        Network {
            constants: weights.constants,
            heads: weights.heads,
            tables: Tables::expand([0; UNITS], &weights.rows),
        }
    }

    /// The value for the side to move after `ply` plies, in 128ths of a disc.
    #[inline(always)]
    pub fn value(&self, ply: usize, indices: &Indices) -> i32 {
        let head = &self.heads[head_of(ply)];
        let mut sums = head.biases;
        for k in 0..INSTANCES {
            let row = &self.tables.shapes()[k / PLACES][indices.own[k] as usize];
            for unit in 0..UNITS {
                sums[unit] = sums[unit].wrapping_add(i16::from(row[unit]));
            }
        }
        i32::from(self.constants[ply]) + read_out(&sums, head)
    }

    /// How full each unit is, from nothing to one, and what it adds to the value, in discs.
    pub fn units(&self, ply: usize, indices: &Indices) -> [(f64, f64); UNITS] {
        let head = &self.heads[head_of(ply)];
        std::array::from_fn(|unit| {
            let rows = (0..INSTANCES).map(|k| self.tables.shapes()[k / PLACES][indices.own[k] as usize][unit]);
            let sum = rows.fold(head.biases[unit], |sum, number| sum + i16::from(number));
            let fill = square(sum);
            (f64::from(fill) / 16384.0, f64::from(fill * i32::from(head.outputs[unit])) / f64::from(1 << 20))
        })
    }

    /// The value without the row of one pattern, in 128ths of a disc.
    pub fn value_without(&self, ply: usize, indices: &Indices, pattern: usize) -> i32 {
        let head = &self.heads[head_of(ply)];
        let mut sums = head.biases;
        for k in (0..INSTANCES).filter(|&k| k != pattern) {
            let row = &self.tables.shapes()[k / PLACES][indices.own[k] as usize];
            for unit in 0..UNITS {
                sums[unit] = sums[unit].wrapping_add(i16::from(row[unit]));
            }
        }
        i32::from(self.constants[ply]) + read_out(&sums, head)
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

/// A unit's fullness, in 16384ths.
#[inline(always)]
fn square(sum: i16) -> i32 {
    let cut = i32::from(sum.clamp(0, FULL));
    (cut * cut) >> 2
}

/// The units by the outputs of a head, in 128ths of a disc.
#[inline(always)]
fn read_out(sums: &[i16; UNITS], head: &Head) -> i32 {
    let mut value = 0;
    for (&sum, &output) in sums.iter().zip(&head.outputs) {
        value += square(sum) * i32::from(output);
    }
    value >> 13
}
