//! The used regions of the table and the region of a hash (linear hashing).
//!
//! Let `2^k` be the number of used regions, rounded up to a power of two. The low `k` bits of a
//! hash select its region; if that region is not in use yet, the highest of these bits is cleared.
//! So a new region takes over entries of only one other region.

use std::sync::atomic::{AtomicU64, Ordering};

/// The regions in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct UsedRegions {
    /// Their number, at least 1.
    pub(super) count: usize,
    /// The low `k` bits.
    mask: usize,
}

impl UsedRegions {
    pub(super) const fn new(count: usize) -> UsedRegions {
        UsedRegions {
            count,
            mask: count.next_power_of_two() - 1,
        }
    }

    /// The region of a hash, given the bits that select the region.
    #[inline(always)]
    pub(super) const fn region(self, bits: u32) -> usize {
        let region = bits as usize & self.mask;
        if region < self.count {
            region
        } else {
            region & (self.mask >> 1)
        }
    }

    /// The region whose entries the region `last` takes over in part.
    pub(super) const fn half(self, last: usize) -> usize {
        last & (self.mask >> 1)
    }
}

/// [`UsedRegions`] that one thread changes while others read them.
pub(super) struct AtomicUsedRegions(AtomicU64);

impl AtomicUsedRegions {
    pub(super) const fn new(count: usize) -> AtomicUsedRegions {
        AtomicUsedRegions(AtomicU64::new(AtomicUsedRegions::pack(UsedRegions::new(
            count,
        ))))
    }

    const fn pack(UsedRegions { count, mask }: UsedRegions) -> u64 {
        count as u64 | (mask as u64) << 32
    }

    #[inline(always)]
    pub(super) fn load(&self) -> UsedRegions {
        let packed = self.0.load(Ordering::Relaxed);
        UsedRegions {
            count: packed as u32 as usize,
            mask: (packed >> 32) as usize,
        }
    }

    pub(super) fn store(&self, used: UsedRegions) {
        self.0
            .store(AtomicUsedRegions::pack(used), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::mix;

    #[test]
    fn another_region_takes_entries_of_one_only() {
        let hashes: Vec<u32> = (0..5_000).map(|n| mix([n, 1]) as u32).collect();
        for count in 1..70 {
            let (before, after) = (UsedRegions::new(count), UsedRegions::new(count + 1));
            assert_eq!(AtomicUsedRegions::new(count).load(), before);
            for &hash in &hashes {
                let (old, new) = (before.region(hash), after.region(hash));
                assert!(old < count);
                assert!(
                    new == old || (new == count && old == after.half(count)),
                    "{count}: {old} {new}"
                );
            }
            assert!(hashes.iter().any(|&hash| after.region(hash) == count));
        }
    }
}
