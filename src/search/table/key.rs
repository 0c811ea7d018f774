//! The key of a position: it selects a region of 64 KiB of the table and a bucket in it.

/// The buckets of a region, as a power of two: 64 KiB, sixteen pages.
pub const REGION_BITS: u32 = 10;

/// The low bits of a hash: the bucket in its region.
pub const BUCKET_MASK: u64 = (1 << REGION_BITS) - 1;

/// A position as a table key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The hash: the high bits select a region of the table, the lowest the bucket in it.
    pub hash: u64,
    /// The whole position, compared on a probe.
    pub words: [u64; 2],
    /// The symmetry that maps the position to `words`; stored moves are images under it.
    pub symmetry: u8,
}

impl Key {
    /// The same key in a region of the table that this hash selects: equal for positions that are probed one after the
    /// other, it saves translations of addresses (../measurements.md#regions).
    #[inline(always)]
    pub const fn in_region(self, region: u64) -> Key {
        Key { hash: region & !BUCKET_MASK | self.hash & BUCKET_MASK, ..self }
    }
}

/// The bucket of a hash in a table of so many; fewer than a region are one region.
#[inline(always)]
pub const fn bucket_index(hash: u64, buckets: usize) -> usize {
    let (regions, place) = (buckets >> REGION_BITS, (hash & BUCKET_MASK) as usize);
    if regions == 0 {
        return (place * buckets) >> REGION_BITS;
    }
    let region = ((hash as u128 * regions as u128) >> 64) as usize;
    (region << REGION_BITS) | place
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::game::mix;

    /// The buckets of many keys in a table of so many, with this region for the key of each number.
    fn indices(buckets: usize, region: impl Fn(u64) -> u64) -> BTreeSet<usize> {
        let key = |n| Key { hash: mix([n, n]), words: [n, n], symmetry: 0 }.in_region(region(n));
        (0..1 << 16).map(|n| bucket_index(key(n).hash, buckets)).collect()
    }

    #[test]
    fn keys_of_a_region_use_its_buckets_and_no_others() {
        for region in [0, 1 << 63, u64::MAX] {
            let found = indices(48 << REGION_BITS, |_| region);
            let first = *found.first().unwrap();
            assert_eq!(found, (first..first + (1 << REGION_BITS)).collect());
            assert!(first.is_multiple_of(1 << REGION_BITS));
        }
    }

    #[test]
    fn every_bucket_is_in_use() {
        for buckets in [1, 16, 80, 1 << 10, 3 << 10, 1 << 12] {
            assert_eq!(indices(buckets, |n| mix([n, 1])), (0..buckets).collect(), "{buckets}");
        }
    }
}
