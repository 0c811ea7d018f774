//! The solver's transposition table: proofs about wins of either side, 16 bytes per shape.
//!
//! An entry is the checking half of the key and a word: proofs and moves (40 bits), generation of
//! the table (18), log2 of the nodes spent (6). A bucket is a cache line of four entries. The
//! memory is in large pages, and large tables reuse that of the table before, since the operating
//! system clears fresh memory slowly; entries of earlier generations are ignored. Threads share a
//! table without locks: the key's half is XORed with the proofs, so that a torn write is no match,
//! as in [`crate::search::table`]. The key selects a region of 64 KiB by four of the columns, which
//! saves TLB misses in a subtree. Measured: measurements.md#regions-of-the-solvers-table.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::shape::ShapeKey;
use crate::platform::memory::free_mebibytes;
use crate::search::table::{BUCKET_MASK, Buckets, CacheLine, REGION_BITS, prefetch};

/// MiB of a small table; larger ones reuse memory.
pub const SMALL_TABLE: usize = 4; // tuned: see measurements.md#solver

/// Entries of a bucket, each of two words.
const WAYS: usize = 4;
/// More plies than any game has: unknown.
pub const NEVER: u8 = 127;
/// In place of a column: no move is known.
pub const NO_MOVE: u8 = 16;

/// The index of a bucket in a table of at least one region.
#[inline(always)]
const fn bucket_index(place: u64, buckets: usize) -> usize {
    let region = ((place as u128 * (buckets >> REGION_BITS) as u128) >> 64) as usize;
    region << REGION_BITS | (place & BUCKET_MASK) as usize
}

/// What is proven about the win of one side, the attacker. Plies count from the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proof {
    /// The attacker wins within this many plies, or [`NEVER`].
    pub wins_in: u8,
    /// The attacker does not win within this many plies.
    pub no_win_in: u8,
    /// The column of the move that won or, if the other side is to move, kept the attacker from
    /// winning; or [`NO_MOVE`].
    pub best: u8,
}

impl Proof {
    const NOTHING: Proof = Proof {
        wins_in: NEVER,
        no_win_in: 0,
        best: NO_MOVE,
    };

    /// Packed with room for another one, seven bits higher.
    const fn pack(self) -> u64 {
        self.wins_in as u64 | (self.no_win_in as u64) << 14 | (self.best as u64) << 28
    }

    const fn unpack(bits: u64) -> Proof {
        Proof {
            wins_in: (bits & 127) as u8,
            no_win_in: (bits >> 14 & 127) as u8,
            best: (bits >> 28 & 31) as u8,
        }
    }
}

/// The proofs of a shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProofEntry {
    /// The side to move is the attacker.
    pub attack: Proof,
    /// The side to move is the defender.
    pub defence: Proof,
}

impl ProofEntry {
    /// No proof.
    pub const NOTHING: ProofEntry = ProofEntry {
        attack: Proof::NOTHING,
        defence: Proof::NOTHING,
    };

    /// The proofs about the attacker, which is the side to move or not, and about the other side.
    #[inline(always)]
    pub const fn of(self, attack: bool) -> (Proof, Proof) {
        if attack {
            (self.attack, self.defence)
        } else {
            (self.defence, self.attack)
        }
    }

    /// Packed into 40 bits, the plies in the lower 28.
    const fn pack(self) -> u64 {
        self.attack.pack() | self.defence.pack() << 7
    }

    const fn unpack(bits: u64) -> ProofEntry {
        ProofEntry {
            attack: Proof::unpack(bits),
            defence: Proof::unpack(bits >> 7),
        }
    }
}

/// The half of an entry's data with all proofs: what is mixed into the key's half. The rest is not
/// a proof, so that of another entry is harmless.
#[inline(always)]
const fn proofs(data: u64) -> u64 {
    data as u32 as u64
}

/// The generation's bits in the second word of an entry.
const GENERATION: u64 = GENERATIONS << GENERATION_SHIFT;
const GENERATION_SHIFT: u32 = 40;
/// The last generation. The first is 1, so that cleared words belong to none.
const GENERATIONS: u64 = (1 << 18) - 1;

/// The large tables, those in use included.
static LARGE: Mutex<Vec<ProofTable>> = Mutex::new(Vec::new());

fn large_tables() -> MutexGuard<'static, Vec<ProofTable>> {
    LARGE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Frees the memory of dropped tables.
pub fn free_memory() {
    large_tables().retain(ProofTable::is_in_use);
}

/// The size in MiB, at most `wanted`, for which there is memory, that of dropped tables included.
pub fn affordable(wanted: usize) -> usize {
    let kept: usize = large_tables()
        .iter()
        .filter(|table| !table.is_in_use())
        .map(|table| size_of_val(&*table.buckets) >> 20)
        .sum();
    free_mebibytes(kept as u64).map_or(wanted, |free| wanted.min(free as usize))
}

/// A table. Clones are the same table.
#[derive(Clone)]
pub struct ProofTable {
    buckets: Buckets<CacheLine>,
    /// The generation, shifted to its place in an entry.
    generation: u64,
}

impl ProofTable {
    /// An empty table of `mebibytes` MiB, at least one. One above [`SMALL_TABLE`] reuses the memory of
    /// a dropped table of the same size, and frees that of other sizes.
    pub fn new(mebibytes: usize) -> ProofTable {
        let buckets = (mebibytes.max(1) << 20) / size_of::<CacheLine>();
        if mebibytes <= SMALL_TABLE {
            return ProofTable::fresh(buckets);
        }
        let mut tables = large_tables();
        let is_kept = |table: &ProofTable| {
            table.is_in_use() || table.buckets.len() == buckets && table.generation < GENERATION
        };
        tables.retain(is_kept);
        if let Some(table) = tables.iter_mut().find(|table| !table.is_in_use()) {
            table.generation += 1 << GENERATION_SHIFT;
            return table.clone();
        }
        let table = ProofTable::fresh(buckets);
        tables.push(table.clone());
        table
    }

    /// A table that holds next to nothing.
    pub fn smallest() -> ProofTable {
        ProofTable::fresh(1 << REGION_BITS)
    }

    fn fresh(buckets: usize) -> ProofTable {
        ProofTable {
            buckets: Buckets::new(buckets),
            generation: 1 << GENERATION_SHIFT,
        }
    }

    /// Whether a search has this large table, not only the list of all.
    fn is_in_use(&self) -> bool {
        self.buckets.is_shared()
    }

    #[inline(always)]
    fn bucket(&self, key: ShapeKey) -> &CacheLine {
        &self.buckets[bucket_index(key.place, self.buckets.len())]
    }

    /// Prefetches the bucket of a key.
    #[inline(always)]
    pub fn prefetch(&self, key: ShapeKey) {
        prefetch(self.bucket(key));
    }

    /// The entry of a shape.
    #[inline(always)]
    pub fn probe(&self, key: ShapeKey) -> ProofEntry {
        let bucket = self.bucket(key);
        for way in 0..WAYS {
            let difference = bucket.0[2 * way].load(Ordering::Relaxed) ^ key.check;
            if difference >> 32 == 0 {
                let data = bucket.0[2 * way + 1].load(Ordering::Relaxed);
                if difference == proofs(data) && data & GENERATION == self.generation {
                    return ProofEntry::unpack(data);
                }
            }
        }
        ProofEntry::NOTHING
    }

    /// The place of a shape: that of its entry, or of the entry of the bucket with the fewest
    /// nodes.
    #[inline(always)]
    pub fn place(&self, key: ShapeKey) -> ProofPlace<'_> {
        let bucket = self.bucket(key);
        let generation = self.generation;
        let mut place = ProofPlace {
            bucket,
            way: 0,
            generation,
            check: key.check,
            entry: ProofEntry::NOTHING,
            work: 0,
        };
        let mut least = u64::MAX;
        for way in 0..WAYS {
            let data = bucket.0[2 * way + 1].load(Ordering::Relaxed);
            if data & GENERATION != generation {
                place.way = way; // all entries after it are older
                break;
            }
            if bucket.0[2 * way].load(Ordering::Relaxed) ^ key.check == proofs(data) {
                (place.way, place.entry, place.work) = (way, ProofEntry::unpack(data), data >> 58);
                break;
            }
            // Among equals the older entry, which is further back.
            if data >> 58 <= least {
                (place.way, least) = (way, data >> 58);
            }
        }
        place
    }
}

/// A place in a bucket for the entry of a shape.
pub struct ProofPlace<'t> {
    bucket: &'t CacheLine,
    way: usize,
    generation: u64,
    check: u64,
    /// The proofs of the shape.
    pub entry: ProofEntry,
    /// Log2 of the nodes spent on it, from 1.
    work: u64,
}

impl ProofPlace<'_> {
    /// Stores an entry, on which `nodes` were spent. New entries go to the front: the order is that
    /// of age.
    #[inline(always)]
    pub fn store(self, entry: ProofEntry, nodes: u64) {
        let words = &self.bucket.0;
        let mut way = self.way & (WAYS - 1);
        while way > 0 {
            way -= 1;
            words[2 * way + 2].store(words[2 * way].load(Ordering::Relaxed), Ordering::Relaxed);
            words[2 * way + 3].store(
                words[2 * way + 1].load(Ordering::Relaxed),
                Ordering::Relaxed,
            );
        }
        let work = (u64::from(nodes.max(1).ilog2().min(31)) + 1).max(self.work);
        let data = entry.pack() | self.generation | work << 58;
        words[0].store(self.check ^ proofs(data), Ordering::Relaxed);
        words[1].store(data, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_differ_in_the_lowest_bits_of_the_place_share_a_region() {
        let table = ProofTable::new(1);
        let offset = |place| {
            let bucket = std::ptr::from_ref(table.bucket(ShapeKey { place, check: 0 }));
            bucket as usize - table.buckets.as_ptr() as usize
        };
        for place in [0, 77 << 57, u64::MAX << REGION_BITS] {
            assert_eq!(offset(place) % (64 << REGION_BITS), 0);
            for line in 0..1 << REGION_BITS {
                assert_eq!(offset(place | line), offset(place) + 64 * line as usize);
            }
        }
        assert_eq!(
            offset(u64::MAX),
            (1 << 20) - 64,
            "the whole table is in use"
        );
    }

    #[test]
    fn the_table_size_is_limited_by_the_free_memory() {
        assert_eq!(affordable(1), 1);
        if let Some(free) = free_mebibytes(0) {
            assert!(affordable(usize::MAX) < 2 * (free as usize + 1_000));
        }
    }

    #[test]
    fn entries_of_an_earlier_table_are_ignored() {
        let attack = Proof {
            wins_in: 3,
            no_win_in: 1,
            best: 5,
        };
        let entry = ProofEntry {
            attack,
            ..ProofEntry::NOTHING
        };
        // No other test makes tables of this size, so the memory is reused.
        let keys: Vec<ShapeKey> = (1..2_000)
            .map(|n: u64| ShapeKey {
                place: n << 50,
                check: n,
            })
            .collect();
        for _ in 0..3 {
            let table = ProofTable::new(SMALL_TABLE + 1);
            for &key in &keys {
                assert_eq!(table.probe(key), ProofEntry::NOTHING);
                table.place(key).store(entry, key.check);
                assert_eq!(table.probe(key), entry);
            }
        }
        assert_eq!(
            ProofTable::new(SMALL_TABLE + 1).generation >> GENERATION_SHIFT,
            4
        );
    }
}
