//! Table keys: a key selects a region of 64 KiB and a bucket in it.

use crate::game::mix;

/// The buckets of a region, as a power of two: 64 KiB, sixteen pages.
pub const REGION_BITS: u32 = 10;

/// The buckets of a region.
pub(super) const BUCKETS: usize = 1 << REGION_BITS;

/// The low bits of a hash: the bucket in its region.
pub const BUCKET_MASK: u64 = (1 << REGION_BITS) - 1;

/// A position as a table key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The hash: the lowest bits select the bucket in its region, the next 32 the region.
    pub hash: u64,
    /// The whole position, compared on a probe.
    pub words: [u64; 2],
    /// The symmetry that maps the position to `words`; stored moves are mapped by it.
    pub symmetry: u8,
}

impl Key {
    /// The key of a position as it is ([`Game::packed`](crate::game::Game::packed)).
    #[inline(always)]
    pub const fn of(words: [u64; 2]) -> Key {
        Key {
            hash: mix(words),
            words,
            symmetry: 0,
        }
    }

    /// The same key in the region that the hash `region` selects. Equal regions for positions that
    /// are probed in succession save TLB misses (../measurements.md#regions).
    #[inline(always)]
    pub const fn in_region(self, region: u64) -> Key {
        // The high bits of a product are the best ones: they come first.
        Key {
            hash: region.swap_bytes() << REGION_BITS | self.hash & BUCKET_MASK,
            ..self
        }
    }
}

/// The bits of a hash that select the region.
#[inline(always)]
pub(super) const fn region_of(hash: u64) -> u32 {
    (hash >> REGION_BITS) as u32
}
