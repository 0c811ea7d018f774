//! The linear evaluation: the sum of the weights of the 64 features of a position; weights depend on the ply.
//!
//! Weights are fitted at some plies (anchors) and interpolated between them.

use std::sync::OnceLock;

use super::indices::Indices;
use super::patterns::{INSTANCES, PLACES};
use super::tables::WeightTables;
use super::weights::{LinearWeights, PLIES};

/// The linear evaluation. The tables of a ply are built on first use.
#[derive(Clone, Debug)]
pub struct Linear {
    anchors: Vec<u8>,
    ply_biases: [i16; PLIES],
    /// For each anchor the weight of each feature.
    weights: Vec<Vec<i16>>,
    plies: [OnceLock<WeightTables<i16>>; PLIES],
}

impl Linear {
    /// The sum with these weights.
    pub fn new(weights: &LinearWeights) -> Linear {
        let LinearWeights { anchors, ply_biases, features } = weights;
        let of_anchor = |anchor: usize| features.iter().skip(anchor).step_by(anchors.len()).copied().collect();
        Linear {
            anchors: anchors.clone(),
            ply_biases: *ply_biases,
            weights: (0..anchors.len()).map(of_anchor).collect(),
            plies: [const { OnceLock::new() }; PLIES],
        }
    }

    #[inline(always)]
    fn tables(&self, ply: usize) -> &WeightTables<i16> {
        match self.plies[ply].get() {
            Some(tables) => tables,
            None => self.make(ply),
        }
    }

    #[cold]
    #[inline(never)]
    fn make(&self, ply: usize) -> &WeightTables<i16> {
        self.plies[ply].get_or_init(|| {
            let (below, above, share) = between(&self.anchors, ply);
            let share = (256.0 * share).round() as i32; // integers: there are half a million weights
            let mix = |(&low, &high): (&i16, &i16)| {
                ((i32::from(low) * (256 - share) + i32::from(high) * share + 128) >> 8) as i16
            };
            let weights: Vec<i16> = self.weights[below].iter().zip(&self.weights[above]).map(mix).collect();
            WeightTables::expand(0, &weights)
        })
    }

    /// Adds to the bias of each ply, in 128ths of a disc.
    pub fn add_biases(&mut self, biases: &[i16; PLIES]) {
        self.ply_biases.iter_mut().zip(biases).for_each(|(bias, more)| *bias = bias.saturating_add(*more));
    }

    /// The value for the side to move after `ply` plies, in 128ths of a disc.
    #[inline(always)]
    pub fn value(&self, ply: usize, indices: &Indices) -> i32 {
        let tables = self.tables(ply).shapes();
        let mut sum = i32::from(self.ply_biases[ply]);
        for k in 0..INSTANCES {
            sum += i32::from(tables[k / PLACES][indices.own[k] as usize]);
        }
        sum
    }

    /// The weight of each instance's feature and the bias of the ply, in 128ths of a disc.
    pub fn parts(&self, ply: usize, indices: &Indices) -> ([i32; INSTANCES], i32) {
        let tables = self.tables(ply).shapes();
        let part = |k: usize| i32::from(tables[k / PLACES][indices.own[k] as usize]);
        (std::array::from_fn(part), i32::from(self.ply_biases[ply]))
    }
}

/// The two anchors around a ply and the share of the upper one; outside of all anchors only the nearest counts.
pub fn between(anchors: &[u8], ply: usize) -> (usize, usize, f32) {
    let above = anchors.iter().position(|&anchor| usize::from(anchor) >= ply).unwrap_or(anchors.len() - 1);
    let below = above.saturating_sub(usize::from(usize::from(anchors[above]) > ply));
    let (low, high) = (f32::from(anchors[below]), f32::from(anchors[above]));
    let share = if below == above { 0.0 } else { (ply as f32 - low) / (high - low) };
    (below, above, share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plies_lie_between_their_anchors() {
        let anchors = [8, 20, 50];
        assert_eq!(between(&anchors, 3), (0, 0, 0.0));
        assert_eq!(between(&anchors, 8), (0, 0, 0.0));
        assert_eq!(between(&anchors, 11), (0, 1, 0.25));
        assert_eq!(between(&anchors, 20), (1, 1, 0.0));
        assert_eq!(between(&anchors, 35), (1, 2, 0.5));
        assert_eq!(between(&anchors, 60), (2, 2, 0.0));
    }
}
