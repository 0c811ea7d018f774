//! Weights laid out for look-up: one table per shape, indexed by [`Indices`](super::indices::Indices).

use super::patterns::{OFFSETS, SHAPES, SIZES, feature_ids};
use crate::games::reversi::kernel::FeatureWeights;
use crate::platform::memory::large_pages;

/// An entry for every u16, shape by shape, so that no look-up needs a bounds check. Pages of values that are no index
/// are never touched.
#[derive(Clone, Debug)]
pub struct WeightTables(Vec<FeatureWeights>);

/// The entries of a shape's table. With a power of two, equal indices of all shapes would map to the same set of each
/// cache level; early in the game these conflicts were most of the L2 misses.
const TABLE: usize = (1 << 16) + 528;

impl WeightTables {
    /// Each index of each shape gets the weights of its feature.
    pub fn expand(features: &[FeatureWeights]) -> WeightTables {
        let mut tables = Vec::with_capacity(SHAPES * TABLE);
        large_pages(tables.spare_capacity_mut());
        tables.resize(SHAPES * TABLE, FeatureWeights::ZERO);
        for (shape, table) in tables.chunks_exact_mut(TABLE).enumerate() {
            let ids = &feature_ids()[OFFSETS[shape]..][..SIZES[shape]];
            for (entry, &id) in table.iter_mut().zip(ids) {
                *entry = features[id as usize];
            }
        }
        WeightTables(tables)
    }

    /// One table for each shape.
    #[inline(always)]
    pub fn shapes(&self) -> &[[FeatureWeights; TABLE]; SHAPES] {
        match self.0.as_chunks().0.first_chunk() {
            Some(shapes) => shapes,
            None => unreachable!("as many as there are shapes"),
        }
    }
}
