//! The solver's table: for each shape of a position what is proven about a win of either side, in 16 bytes.
//!
//! An entry is the half of the shape's hash that tells it from others, and a word of what is known (38 bits), the generation of
//! the table (20) and the work it took as a power of two (6). Four entries share a cache line; the block asks for large pages,
//! without which half of a search's time goes by in looking up addresses.
//!
//! The system clears fresh memory slowly (0.25 s for 256 MiB, as long as two million nodes take). So the block of a table that
//! is done with waits for the next of its size, which counts as a later generation: what it finds there is no entry.

use std::sync::{Mutex, PoisonError};

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

/// The bits of an entry's second word that hold the generation.
const GENERATION: u64 = GENERATIONS << 38;
/// The last generation; the first is 1, so that a cleared word is of none.
const GENERATIONS: u64 = (1 << 20) - 1;

/// A block of memory with what earlier tables left in it.
struct Block {
    words: Vec<u64>,
    generation: u64,
}

/// The blocks that wait for another table.
static WAITING: Mutex<Vec<Block>> = Mutex::new(Vec::new());

impl Block {
    /// So many cleared words.
    fn fresh(words: usize) -> Block {
        let words = vec![0; words];
        large_pages(&words);
        Block { words, generation: 1 }
    }

    /// So many words: those of an earlier table if it had as many, else fresh ones; what waits in another size is freed.
    fn take(words: usize) -> Block {
        let waiting = {
            let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.retain(|block| block.words.len() == words && block.generation < GENERATIONS);
            waiting.pop()
        };
        match waiting {
            Some(block) => Block { generation: block.generation + 1, ..block },
            None => Block::fresh(words),
        }
    }
}

/// The table.
pub struct Cache {
    /// Buckets of four entries from `first` on; a second word of another generation is no entry.
    words: Vec<u64>,
    /// The generation where it stands in an entry.
    generation: u64,
    /// The first word on a cache line's boundary.
    first: usize,
    buckets: usize,
    /// Whether the block shall wait for another table.
    kept: bool,
}

impl Drop for Cache {
    fn drop(&mut self) {
        if self.kept {
            let block = Block { words: std::mem::take(&mut self.words), generation: self.generation >> 38 };
            WAITING.lock().unwrap_or_else(PoisonError::into_inner).push(block);
        }
    }
}

impl Cache {
    /// An empty table of so many MiB, at least one; `kept`: its memory shall serve the next of this size.
    pub fn new(mebibytes: usize, kept: bool) -> Cache {
        let buckets = (mebibytes.max(1) << 20) / 64;
        let words = (buckets + 1) * LINE;
        let Block { words, generation } = if kept { Block::take(words) } else { Block::fresh(words) };
        let first = words.as_ptr().align_offset(64).min(LINE);
        Cache { words, generation: generation << 38, first, buckets, kept }
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
            if bucket[2 * way] == key.check && bucket[2 * way + 1] & GENERATION == self.generation {
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
            if data & GENERATION != self.generation || bucket[2 * way] == key.check {
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
        let same = old & GENERATION == self.generation && bucket[2 * place] == key.check;
        let work = if same { work.max(old >> 58) } else { work };
        bucket.copy_within(0..2 * place, 2);
        bucket[0] = key.check;
        bucket[1] = known.pack() | self.generation | work << 58;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_earlier_table_left_is_no_entry() {
        let known = Known { wins_in: 3, attack: 5, ..Known::NOTHING };
        // No other test asks for tables of this size, so the block comes back.
        let keys: Vec<Key> = (1..2_000).map(|n: u64| Key { place: n << 50, check: n }).collect();
        for _ in 0..3 {
            let mut cache = Cache::new(3, true);
            for &key in &keys {
                assert_eq!(cache.probe(key), Known::NOTHING);
                cache.store(key, known, key.check);
                assert_eq!(cache.probe(key), known);
            }
        }
        assert_eq!(Cache::new(3, true).generation >> 38, 4);
    }
}
