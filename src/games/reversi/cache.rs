//! A private transposition table of one thread, direct-mapped, sized for the L2 cache, always
//! replaced: one for the [endgame kernel](super::endgame::middle), one for the [last plies of the
//! midgame](super::policy::leaves).

/// An entry: a position, bounds of its value in discs, and the best or cutting move (64: none).
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct CacheEntry {
    player: u64,
    opponent: u64,
    lower: i8,
    upper: i8,
    /// The depth of the search in plies; 0 for a search to the end of the game.
    pub depth: u8,
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
        depth: 0,
        best: 64,
    };

    /// The score of a cutoff for the window `(alpha, beta)`, in discs.
    #[inline(always)]
    pub fn cutoff(&self, alpha: i32, beta: i32) -> Option<i32> {
        let (lower, upper) = (i32::from(self.lower), i32::from(self.upper));
        if lower >= beta {
            Some(lower)
        } else if upper <= alpha {
            Some(upper)
        } else {
            None
        }
    }
}

/// A private table with 2 to the power of `BITS` entries of 32 bytes.
pub struct Cache<const BITS: u32> {
    entries: Box<[CacheEntry]>,
}

impl<const BITS: u32> Default for Cache<BITS> {
    fn default() -> Self {
        Cache {
            entries: vec![CacheEntry::EMPTY; 1 << BITS].into_boxed_slice(),
        }
    }
}

impl<const BITS: u32> Cache<BITS> {
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

    /// The upper bound of a position's value, if it is known to be at or below `alpha`. For tables
    /// of one depth.
    #[inline(always)]
    pub fn refuted(&self, player: u64, opponent: u64, alpha: i32) -> Option<i32> {
        let known = &self.entries[Self::index(player, opponent)];
        let upper = i32::from(known.upper);
        (known.player == player && known.opponent == opponent && upper <= alpha).then_some(upper)
    }

    /// Stores the result of a search of this depth with the window `(alpha, beta)`.
    #[inline(always)]
    pub fn store(
        &mut self,
        [player, opponent]: [u64; 2],
        depth: u8,
        [alpha, beta]: [i32; 2],
        score: i32,
        best: u32,
    ) {
        let entry = &mut self.entries[Self::index(player, opponent)];
        if entry.player != player || entry.opponent != opponent || entry.depth != depth {
            *entry = CacheEntry {
                player,
                opponent,
                depth,
                ..CacheEntry::EMPTY
            };
        }
        if score > alpha {
            entry.lower = score as i8;
        }
        if score < beta {
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
        let mut cache = Cache::<4>::default();
        assert_eq!(cache.refuted(1, 2, 63), None);
        cache.store([1, 2], 0, [4, 5], 2, 9); // failed low above 4: at most 2
        assert_eq!(
            [1, 2, 4].map(|alpha| cache.refuted(1, 2, alpha)),
            [None, Some(2), Some(2)]
        );
        assert_eq!(cache.refuted(2, 1, 4), None);
        cache.store([1, 2], 0, [-2, -1], 0, 9); // failed high above -2: at least 0
        assert_eq!(cache.refuted(1, 2, 1), None);
    }

    #[test]
    fn an_entry_has_the_bounds_of_one_depth() {
        let mut cache = Cache::<4>::default();
        cache.store([1, 2], 2, [4, 5], 6, 9);
        cache.store([1, 2], 2, [7, 9], 8, 10);
        let exact = cache.probe(1, 2).unwrap();
        assert_eq!((exact.depth, exact.best), (2, 10));
        assert_eq!([exact.cutoff(3, 8), exact.cutoff(8, 9)], [Some(8); 2]);
        assert_eq!(exact.cutoff(7, 9), None);
        cache.store([1, 2], 3, [4, 5], 3, 11);
        let deeper = cache.probe(1, 2).unwrap();
        assert_eq!((deeper.depth, deeper.best), (3, 11));
        assert_eq!([deeper.cutoff(3, 4), deeper.cutoff(2, 3)], [Some(3), None]);
    }
}
