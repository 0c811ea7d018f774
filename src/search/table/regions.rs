//! Which regions of the table are in use, and which of them holds a hash (linear hashing).
//!
//! With `n` regions in use a hash belongs to the region of its low bits, as many as number all regions up to the next
//! power of two; if that region is not in use yet, to the one with the highest of these bits cleared. So the next
//! region takes over entries of one other region only.

use std::sync::atomic::{AtomicU64, Ordering};

/// The regions in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct UsedRegions {
    /// Their number, at least 1.
    pub(super) count: usize,
    /// The bits that number the regions up to the next power of two.
    mask: usize,
}

impl UsedRegions {
    pub(super) const fn new(count: usize) -> UsedRegions {
        UsedRegions { count, mask: count.next_power_of_two() - 1 }
    }

    /// The region of a hash, of which these are the bits that select it.
    #[inline(always)]
    pub(super) const fn region(self, bits: u32) -> usize {
        let region = bits as usize & self.mask;
        if region < self.count { region } else { region & (self.mask >> 1) }
    }

    /// The region whose entries the last region of these shares.
    pub(super) const fn half(self, last: usize) -> usize {
        last & (self.mask >> 1)
    }
}

/// The same, changed by one thread while others read it.
pub(super) struct AtomicUsedRegions(AtomicU64);

impl AtomicUsedRegions {
    pub(super) const fn new(count: usize) -> AtomicUsedRegions {
        AtomicUsedRegions(AtomicU64::new(AtomicUsedRegions::pack(UsedRegions::new(count))))
    }

    const fn pack(UsedRegions { count, mask }: UsedRegions) -> u64 {
        count as u64 | (mask as u64) << 32
    }

    #[inline(always)]
    pub(super) fn load(&self) -> UsedRegions {
        let packed = self.0.load(Ordering::Relaxed);
        UsedRegions { count: packed as u32 as usize, mask: (packed >> 32) as usize }
    }

    pub(super) fn store(&self, used: UsedRegions) {
        self.0.store(AtomicUsedRegions::pack(used), Ordering::Release);
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
                assert!(new == old || (new == count && old == after.half(count)), "{count}: {old} {new}");
            }
            assert!(hashes.iter().any(|&hash| after.region(hash) == count));
        }
    }
}
