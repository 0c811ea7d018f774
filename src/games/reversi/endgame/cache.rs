//! The private transposition table of [`super::middle`]: direct-mapped, sized for the L2 cache,
//! always replaced.

/// Entries, as a power of two: 256 KiB. Tuned: measurements.md#private-table.
const BITS: u32 = 13;

/// An entry: a position, bounds of its value in discs, and the best or cutting move (64: none).
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct CacheEntry {
    player: u64,
    opponent: u64,
    lower: i8,
    upper: i8,
    /// The square, or 64.
    pub best: u8,
}

const _: () = assert!(size_of::<CacheEntry>() == 32);

impl CacheEntry {
    /// No position: both sides hold everything.
    const EMPTY: CacheEntry = CacheEntry {
        player: !0,
        opponent: !0,
        lower: -64,
        upper: 64,
        best: 64,
    };

    /// The score of a cutoff for the null window above `alpha`.
    #[inline(always)]
    pub fn cutoff(&self, alpha: i32) -> Option<i32> {
        let (lower, upper) = (i32::from(self.lower), i32::from(self.upper));
        if lower > alpha {
            Some(lower)
        } else if upper <= alpha {
            Some(upper)
        } else {
            None
        }
    }
}

/// The private table.
pub struct Cache {
    entries: Box<[CacheEntry]>,
}

impl Default for Cache {
    fn default() -> Cache {
        Cache {
            entries: vec![CacheEntry::EMPTY; 1 << BITS].into_boxed_slice(),
        }
    }
}

impl Cache {
    #[inline(always)]
    fn index(player: u64, opponent: u64) -> usize {
        let mixed = player.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ opponent.wrapping_mul(0xe703_7ed1_a0b4_28db).rotate_left(32);
        (mixed.wrapping_mul(0xa076_1d64_78bd_642f) >> (64 - BITS)) as usize
    }

    /// The entry of the position.
    #[inline(always)]
    pub fn probe(&self, player: u64, opponent: u64) -> Option<CacheEntry> {
        let known = self.entries[Self::index(player, opponent)];
        (known.player == player && known.opponent == opponent).then_some(known)
    }

    /// The upper bound of a position's value, if it is known to be at or below `alpha`.
    #[inline(always)]
    pub fn refuted(&self, player: u64, opponent: u64, alpha: i32) -> Option<i32> {
        let known = &self.entries[Self::index(player, opponent)];
        let upper = i32::from(known.upper);
        (known.player == player && known.opponent == opponent && upper <= alpha).then_some(upper)
    }

    /// Stores the result of a null-window search above `alpha`.
    #[inline(always)]
    pub fn store(&mut self, player: u64, opponent: u64, alpha: i32, score: i32, best: u32) {
        let entry = &mut self.entries[Self::index(player, opponent)];
        if entry.player != player || entry.opponent != opponent {
            *entry = CacheEntry {
                player,
                opponent,
                ..CacheEntry::EMPTY
            };
        }
        if score > alpha {
            entry.lower = score as i8;
        } else {
            entry.upper = score as i8;
        }
        entry.best = best as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refutation_is_an_upper_bound_of_the_same_position() {
        let mut cache = Cache::default();
        assert_eq!(cache.refuted(1, 2, 63), None);
        cache.store(1, 2, 4, 2, 9); // failed low above 4: at most 2
        assert_eq!(
            [1, 2, 4].map(|alpha| cache.refuted(1, 2, alpha)),
            [None, Some(2), Some(2)]
        );
        assert_eq!(cache.refuted(2, 1, 4), None);
        cache.store(1, 2, -2, 0, 9); // failed high above -2: at least 0
        assert_eq!(cache.refuted(1, 2, 1), None);
    }
}
