//! The solver's table: for each shape of a position what is proven about a win of either side, in 16 bytes.
//!
//! An entry is the half of the shape's hash that tells it from others, and a word of what is known (38 bits), nothing (20) and
//! the work it took as a power of two (6). Four entries share a cache line; the block asks for large pages, without which
//! half of a search's time goes by in looking up addresses.

use super::shape::Key;
use crate::search::table::{large_pages, prefetch};

/// Entries of a bucket, each of two words.
const WAYS: usize = 4;
/// Words of a bucket: a cache line.
const LINE: usize = 2 * WAYS;
/// No number of plies: longer than any game.
pub const NEVER: u8 = 127;

/// What is proven about a position, for its side to move. Plies count from the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// The side to move wins within so many plies; [`NEVER`] if that is not known.
    pub wins_in: u8,
    /// The side to move does not win within so many plies.
    pub no_win_in: u8,
    /// The other side wins within so many plies; [`NEVER`] if that is not known.
    pub loses_in: u8,
    /// The other side does not win within so many plies.
    pub no_loss_in: u8,
    /// The column that proved a win, or that was tried last; 16: none.
    pub attack: u8,
    /// The column that kept the other side from winning; 16: none.
    pub defence: u8,
}

impl Known {
    /// Nothing.
    pub const NOTHING: Known =
        Known { wins_in: NEVER, no_win_in: 0, loses_in: NEVER, no_loss_in: 0, attack: 16, defence: 16 };

    /// Packed into 38 bits.
    const fn pack(self) -> u64 {
        self.wins_in as u64
            | (self.no_win_in as u64) << 7
            | (self.loses_in as u64) << 14
            | (self.no_loss_in as u64) << 21
            | (self.attack as u64) << 28
            | (self.defence as u64) << 33
    }

    const fn unpack(bits: u64) -> Known {
        Known {
            wins_in: (bits & 127) as u8,
            no_win_in: (bits >> 7 & 127) as u8,
            loses_in: (bits >> 14 & 127) as u8,
            no_loss_in: (bits >> 21 & 127) as u8,
            attack: (bits >> 28 & 31) as u8,
            defence: (bits >> 33 & 31) as u8,
        }
    }
}

/// The table.
pub struct Cache {
    /// Buckets of four entries from `first` on; a zero second word is no entry.
    words: Vec<u64>,
    /// The first word on a cache line's boundary.
    first: usize,
    buckets: usize,
}

impl Cache {
    /// A table of so many MiB, at least one; its memory is touched as it is used.
    pub fn new(mebibytes: usize) -> Cache {
        let buckets = (mebibytes.max(1) << 20) / 64;
        let words = vec![0u64; (buckets + 1) * LINE];
        large_pages(&words);
        let first = words.as_ptr().align_offset(64).min(LINE);
        Cache { words, first, buckets }
    }

    #[inline(always)]
    fn index(&self, key: Key) -> usize {
        self.first + ((u128::from(key.place) * self.buckets as u128) >> 64) as usize * LINE
    }

    /// Asks the processor to fetch what [`Cache::probe`] will read.
    #[inline(always)]
    pub fn prefetch(&self, key: Key) {
        prefetch(&self.words[self.index(key)]);
    }

    /// What is known of a shape.
    #[inline(always)]
    pub fn probe(&self, key: Key) -> Known {
        let index = self.index(key);
        let bucket = &self.words[index..index + LINE];
        for way in 0..WAYS {
            if bucket[2 * way] == key.check && bucket[2 * way + 1] != 0 {
                return Known::unpack(bucket[2 * way + 1]);
            }
        }
        Known::NOTHING
    }

    /// Stores what is known of a shape now; `work` nodes found it out.
    ///
    /// A stranger's place is the one that cost least work.
    #[inline(always)]
    pub fn store(&mut self, key: Key, known: Known, work: u64) {
        let index = self.index(key);
        let bucket = &mut self.words[index..index + LINE];
        let work = u64::from(work.max(1).ilog2().min(31)) + 1;
        let mut place = 0;
        let mut least = u64::MAX;
        for way in 0..WAYS {
            let data = bucket[2 * way + 1];
            if data == 0 || bucket[2 * way] == key.check {
                place = way;
                break;
            }
            // Of equals the older one, which stands behind.
            if data >> 58 <= least {
                (place, least) = (way, data >> 58);
            }
        }
        // The newest goes to the front, so that small subtrees' entries age.
        let old = bucket[2 * place + 1];
        let same = old != 0 && bucket[2 * place] == key.check;
        let work = if same { work.max(old >> 58) } else { work };
        bucket.copy_within(0..2 * place, 2);
        bucket[0] = key.check;
        bucket[1] = known.pack() | work << 58;
    }
}
