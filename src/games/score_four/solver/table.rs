//! The solver's transposition table: what is proven about a win of either side, 16 bytes a shape.
//!
//! An entry is the checking half of the key and a word: proofs and moves (38 bits), generation of the table (20), log2
//! of the nodes spent (6). A bucket is a cache line of four entries. The memory is in large pages, and large tables
//! reuse that of the table before, since the operating system clears fresh memory slowly; entries of earlier
//! generations are ignored. Measured: measurements.md#solver.

use std::sync::{Mutex, PoisonError};

use super::shape::ShapeKey;
use crate::platform::memory::large_pages;
use crate::search::table::prefetch;

/// Entries of a bucket, each of two words.
const WAYS: usize = 4;
/// Words of a bucket: a cache line.
const BUCKET: usize = 2 * WAYS;
/// More plies than any game has: unknown.
pub const NEVER: u8 = 127;

/// What is proven about a shape, from the point of view of the side to move. Plies count from the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProofEntry {
    /// The side to move wins within so many plies, or [`NEVER`].
    pub wins_in: u8,
    /// The side to move does not win within so many plies.
    pub no_win_in: u8,
    /// The other side wins within so many plies, or [`NEVER`].
    pub loses_in: u8,
    /// The other side does not win within so many plies.
    pub no_loss_in: u8,
    /// The column of the move that won, or 16.
    pub attack: u8,
    /// The column of the move that kept the other side from winning, or 16.
    pub defence: u8,
}

impl ProofEntry {
    /// No proof.
    pub const NOTHING: ProofEntry =
        ProofEntry { wins_in: NEVER, no_win_in: 0, loses_in: NEVER, no_loss_in: 0, attack: 16, defence: 16 };

    /// Packed into 38 bits.
    const fn pack(self) -> u64 {
        self.wins_in as u64
            | (self.no_win_in as u64) << 7
            | (self.loses_in as u64) << 14
            | (self.no_loss_in as u64) << 21
            | (self.attack as u64) << 28
            | (self.defence as u64) << 33
    }

    const fn unpack(bits: u64) -> ProofEntry {
        ProofEntry {
            wins_in: (bits & 127) as u8,
            no_win_in: (bits >> 7 & 127) as u8,
            loses_in: (bits >> 14 & 127) as u8,
            no_loss_in: (bits >> 21 & 127) as u8,
            attack: (bits >> 28 & 31) as u8,
            defence: (bits >> 33 & 31) as u8,
        }
    }
}

/// The generation's bits in the second word of an entry.
const GENERATION: u64 = GENERATIONS << 38;
/// The last generation. The first is 1, so that cleared words belong to none.
const GENERATIONS: u64 = (1 << 20) - 1;

/// The memory of a table, with the entries of earlier generations.
struct ProofTableMemory {
    words: Vec<u64>,
    generation: u64,
}

/// Memory of dropped tables.
static FREE: Mutex<Vec<ProofTableMemory>> = Mutex::new(Vec::new());

impl ProofTableMemory {
    /// Cleared memory of so many words.
    fn fresh(words: usize) -> ProofTableMemory {
        let words = vec![0; words];
        large_pages(&words);
        ProofTableMemory { words, generation: 1 }
    }

    /// Memory of so many words: that of a dropped table of the same size, or fresh. Frees that of other sizes.
    fn take(words: usize) -> ProofTableMemory {
        let free = {
            let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
            free.retain(|block| block.words.len() == words && block.generation < GENERATIONS);
            free.pop()
        };
        match free {
            Some(block) => ProofTableMemory { generation: block.generation + 1, ..block },
            None => ProofTableMemory::fresh(words),
        }
    }
}

/// The table.
pub struct ProofTable {
    /// Buckets from `first` on.
    words: Vec<u64>,
    /// The generation, shifted to its place in an entry.
    generation: u64,
    /// The first word at a cache line's boundary.
    first: usize,
    buckets: usize,
    /// Whether the memory is kept for the next table of this size.
    reuse: bool,
}

impl Drop for ProofTable {
    fn drop(&mut self) {
        if self.reuse {
            let block = ProofTableMemory { words: std::mem::take(&mut self.words), generation: self.generation >> 38 };
            FREE.lock().unwrap_or_else(PoisonError::into_inner).push(block);
        }
    }
}

impl ProofTable {
    /// An empty table of so many MiB, at least one; `reuse`: share its memory with earlier and later ones of this size.
    pub fn new(mebibytes: usize, reuse: bool) -> ProofTable {
        let buckets = (mebibytes.max(1) << 20) / 64;
        let words = (buckets + 1) * BUCKET;
        let ProofTableMemory { words, generation } =
            if reuse { ProofTableMemory::take(words) } else { ProofTableMemory::fresh(words) };
        let first = words.as_ptr().align_offset(64).min(BUCKET);
        ProofTable { words, generation: generation << 38, first, buckets, reuse }
    }

    #[inline(always)]
    fn index(&self, key: ShapeKey) -> usize {
        self.first + ((u128::from(key.place) * self.buckets as u128) >> 64) as usize * BUCKET
    }

    /// Prefetches the bucket of a key.
    #[inline(always)]
    pub fn prefetch(&self, key: ShapeKey) {
        prefetch(&self.words[self.index(key)]);
    }

    /// The entry of a shape.
    #[inline(always)]
    pub fn probe(&self, key: ShapeKey) -> ProofEntry {
        let index = self.index(key);
        let bucket = &self.words[index..index + BUCKET];
        for way in 0..WAYS {
            if bucket[2 * way] == key.check && bucket[2 * way + 1] & GENERATION == self.generation {
                return ProofEntry::unpack(bucket[2 * way + 1]);
            }
        }
        ProofEntry::NOTHING
    }

    /// Replaces the entry of a shape, or the entry of the bucket with the fewest nodes; `nodes` were spent on this one.
    #[inline(always)]
    pub fn store(&mut self, key: ShapeKey, entry: ProofEntry, nodes: u64) {
        let index = self.index(key);
        let bucket = &mut self.words[index..index + BUCKET];
        let work = u64::from(nodes.max(1).ilog2().min(31)) + 1;
        let mut place = 0;
        let mut least = u64::MAX;
        for way in 0..WAYS {
            let data = bucket[2 * way + 1];
            if data & GENERATION != self.generation || bucket[2 * way] == key.check {
                place = way;
                break;
            }
            // Among equals the older entry, which is further back.
            if data >> 58 <= least {
                (place, least) = (way, data >> 58);
            }
        }
        // New entries go to the front, so that the order tells the age.
        let old = bucket[2 * place + 1];
        let same = old & GENERATION == self.generation && bucket[2 * place] == key.check;
        let work = if same { work.max(old >> 58) } else { work };
        bucket.copy_within(0..2 * place, 2);
        bucket[0] = key.check;
        bucket[1] = entry.pack() | self.generation | work << 58;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_an_earlier_table_are_ignored() {
        let entry = ProofEntry { wins_in: 3, attack: 5, ..ProofEntry::NOTHING };
        // No other test makes tables of this size, so the memory is reused.
        let keys: Vec<ShapeKey> = (1..2_000).map(|n: u64| ShapeKey { place: n << 50, check: n }).collect();
        for _ in 0..3 {
            let mut table = ProofTable::new(3, true);
            for &key in &keys {
                assert_eq!(table.probe(key), ProofEntry::NOTHING);
                table.store(key, entry, key.check);
                assert_eq!(table.probe(key), entry);
            }
        }
        assert_eq!(ProofTable::new(3, true).generation >> 38, 4);
    }
}
