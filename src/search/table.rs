//! The transposition table.
//!
//! An entry holds the whole position (no key collisions), both bounds of the value, two moves and
//! the *draft*: depth and selectivity of the search that found the bounds. Threads share the table
//! without locks: the position's two words are XORed with the data, so that a torn write does not
//! match (R. Hyatt and T. Mann, "A lock-less transposition table implementation for parallel
//! search", 2002).

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use crate::game::Move;
use crate::game::score::{Score, Window};

use crate::logging::TABLE;

mod buckets;
mod key;
mod regions;

use buckets::{Bucket, PackedEntry, Slot};
pub use buckets::{Buckets, CacheLine, prefetch};
pub use key::{BUCKET_MASK, Key, REGION_BITS};
use key::{BUCKETS, region_of};
use regions::{AtomicUsedRegions, UsedRegions};

/// Depth and selectivity of the search that found a bound. A bound is used only if its draft covers
/// the required one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Draft {
    /// Plies searched; equal to the plies left if the search reached the end of the game.
    pub depth: u8,
    /// Selectivity level: [`Draft::FULL`] is full width, lower levels prune more.
    pub selectivity: u8,
}

impl Draft {
    /// The selectivity of a full-width search.
    pub const FULL: u8 = 7;

    /// A full-width draft.
    #[inline(always)]
    pub const fn full(depth: u8) -> Draft {
        Draft {
            depth,
            selectivity: Draft::FULL,
        }
    }

    /// Whether a bound of this draft is valid for a search of draft `wanted`.
    #[inline(always)]
    pub const fn covers(self, wanted: Draft) -> bool {
        self.depth >= wanted.depth && self.selectivity >= wanted.selectivity
    }
}

/// A table entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Lower bound of the value.
    pub lower: Score,
    /// Upper bound of the value.
    pub upper: Score,
    /// The draft of the bounds.
    pub draft: Draft,
    /// The last two best or cutting moves, newest first; [`Move::NONE`] if unknown.
    pub moves: [Move; 2],
}

impl Entry {
    /// The score of a cutoff: the exact value, or a bound outside `window`; `None` if the entry has
    /// neither.
    #[inline(always)]
    pub fn cutoff(&self, window: Window) -> Option<Score> {
        if self.lower >= window.beta || self.lower == self.upper {
            Some(self.lower)
        } else if self.upper <= window.alpha {
            Some(self.upper)
        } else {
            None
        }
    }

    #[inline(always)]
    fn pack(&self, age: u8) -> PackedEntry {
        debug_assert!(
            Window::FULL.alpha <= self.lower && self.upper <= Window::FULL.beta,
            "a score beyond {}: {self:?}",
            Score::INFINITE
        );
        let data = u64::from(self.lower.0 as i16 as u16)
            | u64::from(self.upper.0 as i16 as u16) << 16
            | u64::from(self.moves[0].bits()) << 32
            | u64::from(self.draft.depth) << 48
            | u64::from(self.draft.selectivity << 5 | age) << 56;
        PackedEntry {
            data,
            second: self.moves[1].bits(),
        }
    }

    #[inline(always)]
    fn unpack(PackedEntry { data, second }: PackedEntry) -> Entry {
        Entry {
            lower: Score(i32::from(data as u16 as i16)),
            upper: Score(i32::from((data >> 16) as u16 as i16)),
            moves: [
                Move::from_bits((data >> 32) as u16),
                Move::from_bits(second),
            ],
            draft: Draft {
                depth: (data >> 48) as u8,
                selectivity: (data >> 61) as u8,
            },
        }
    }
}

/// The age is the number of searches modulo this. Entries of other ages are replaced first.
const AGES: u8 = 32;

fn depth_of(data: u64) -> u8 {
    (data >> 48) as u8
}

fn age_of(data: u64) -> u8 {
    (data >> 56) as u8 % AGES
}

/// The regions of an empty table: 256 KiB.
const FIRST_REGIONS: usize = 4;
/// The table grows by one region per this many new entries, so that new positions fill at most a
/// quarter of the used part. Tuned: see measurements.md#table.
const ENTRIES_PER_REGION: u64 = (ENTRIES >> 2) as u64;
/// Entries of a region.
const ENTRIES: usize = 2 << REGION_BITS;

/// The transposition table. Use one per game and evaluator, or [`clear`](Table::clear) it between
/// them: entries have neither, so a search would return scores of the other.
///
/// The memory is reserved at once, but used region by region as entries are stored, by linear
/// hashing (W. Litwin, "Linear hashing: a new tool for file and table addressing", 1980): a new
/// region takes over entries of an old one. So a search never waits for memory to be cleared, small
/// searches touch little of it, and the used size depends only on nodes, not on time.
pub struct Table {
    buckets: Buckets<Bucket>,
    /// Mask of the hash bits that select the bucket in its region: smaller if the table is smaller
    /// than a region.
    place_mask: usize,
    used: AtomicUsedRegions,
    /// Entries stored for new positions since the table was cleared.
    stored: AtomicU64,
    /// Whether a thread is growing the table.
    growing: AtomicBool,
    age: AtomicU8,
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").finish_non_exhaustive()
    }
}

impl Table {
    /// A table of `mebibytes` MiB (at least one bucket). Its pages are mapped on first use.
    pub fn new(mebibytes: usize) -> Table {
        Table::with_bytes(mebibytes << 20)
    }

    /// A table of about `bytes` bytes; sizes below a region of 64 KiB are rounded down to a power
    /// of two.
    #[doc(hidden)]
    pub fn with_bytes(bytes: usize) -> Table {
        let count = (bytes / size_of::<Bucket>()).max(1);
        let count = if count < BUCKETS {
            1 << count.ilog2()
        } else {
            count & !(BUCKETS - 1)
        };
        log::debug!(target: TABLE, "table of {} MiB, {count} buckets", bytes >> 20);
        let buckets = Buckets::new(count);
        let used = AtomicUsedRegions::new(FIRST_REGIONS.min(count.div_ceil(BUCKETS)));
        let (stored, growing, age) = Default::default();
        Table {
            buckets,
            place_mask: (count - 1) & (BUCKETS - 1),
            used,
            stored,
            growing,
            age,
        }
    }

    /// Clears the table and resets the age, so that later searches are reproducible. Takes about 10
    /// microseconds at any size: regions other than the first ones are overwritten before they are
    /// used again.
    pub fn clear(&mut self) {
        *self.age.get_mut() = 0;
        *self.stored.get_mut() = 0;
        let first = FIRST_REGIONS.min(self.regions());
        self.used = AtomicUsedRegions::new(first);
        let part = self.buckets.len().min(first * BUCKETS);
        self.buckets[..part]
            .iter()
            .flat_map(|bucket| &bucket.0)
            .for_each(Slot::clear);
    }

    /// The number of regions of the whole table.
    fn regions(&self) -> usize {
        self.buckets.len().div_ceil(BUCKETS)
    }

    /// Counts entries stored for new positions and grows the table as they require. Other threads
    /// may search meanwhile: an entry that is being moved may be missed or lost, but never wrong.
    #[doc(hidden)]
    pub fn count_stored(&self, count: u64) {
        let stored = self.stored.fetch_add(count, Ordering::Relaxed) + count;
        let wanted = (FIRST_REGIONS as u64)
            .saturating_add(stored / ENTRIES_PER_REGION)
            .min(self.regions() as u64);
        if (self.used.load().count as u64) < wanted && !self.growing.swap(true, Ordering::Acquire) {
            while (self.used.load().count as u64) < wanted {
                self.add_region();
            }
            self.growing.store(false, Ordering::Release);
        }
    }

    /// Grows the table by one region and moves the entries that belong there.
    fn add_region(&self) {
        let added = self.used.load().count;
        let more = UsedRegions::new(added + 1);
        let source = more.half(added);
        for place in 0..BUCKETS {
            let (old, new) = (
                &self.buckets[source * BUCKETS + place],
                &self.buckets[added * BUCKETS + place],
            );
            for (old, new) in old.0.iter().zip(&new.0) {
                if more.region(old.region()) == added {
                    old.move_to(new)
                } else {
                    new.clear()
                }
            }
        }
        self.used.store(more);
        if (added + 1).is_power_of_two() {
            log::debug!(target: TABLE, "{} KiB in use", ((added + 1) * BUCKETS * size_of::<Bucket>()) >> 10);
        }
    }

    /// The size in MiB.
    pub fn mebibytes(&self) -> usize {
        (self.buckets.len() * size_of::<Bucket>()) >> 20
    }

    /// Starts a new age; call it once per search.
    #[doc(hidden)]
    pub fn new_search(&self) {
        self.age.store(
            (self.age.load(Ordering::Relaxed) + 1) % AGES,
            Ordering::Relaxed,
        );
    }

    #[inline(always)]
    fn bucket(&self, hash: u64) -> &Bucket {
        let region = self.used.load().region(region_of(hash));
        &self.buckets[region << REGION_BITS | hash as usize & self.place_mask]
    }

    /// Prefetches the bucket that [`Table::probe`] will read.
    #[inline(always)]
    #[doc(hidden)]
    pub fn prefetch(&self, hash: u64) {
        prefetch(self.bucket(hash));
    }

    /// Returns the entry of a position.
    #[inline(always)]
    #[doc(hidden)]
    pub fn probe(&self, key: &Key) -> Option<Entry> {
        let [first, second] = &self.bucket(key.hash).0;
        first
            .contents_of(key.words)
            .or_else(|| second.contents_of(key.words))
            .map(Entry::unpack)
    }

    /// Stores the result of a fail-soft search of `window`.
    ///
    /// Bounds of the same draft are merged; a different draft replaces them, since the current
    /// iteration needs the newest one. Otherwise, the replaced entry is one of another age, then
    /// the one of least depth. Returns whether the position is new, for [`Table::count_stored`].
    #[inline(always)]
    #[doc(hidden)]
    pub fn store(&self, key: &Key, draft: Draft, window: Window, score: Score, best: Move) -> bool {
        let age = self.age.load(Ordering::Relaxed);
        let [first, second] = &self.bucket(key.hash).0;
        let mut entry = Entry {
            lower: -Score::INFINITE,
            upper: Score::INFINITE,
            draft,
            moves: [best, Move::NONE],
        };
        let in_slot = |slot: &'_ Slot| slot.contents_of(key.words);
        let known = match (in_slot(first), in_slot(second)) {
            (Some(data), _) => Some((first, data)),
            (None, Some(data)) => Some((second, data)),
            (None, None) => None,
        };
        let slot = match known {
            Some((slot, data)) => {
                let old = Entry::unpack(data);
                if old.draft == draft {
                    (entry.lower, entry.upper) = (old.lower, old.upper);
                }
                entry.moves = if best == Move::NONE {
                    old.moves
                } else if best == old.moves[0] {
                    [best, old.moves[1]]
                } else {
                    [best, old.moves[0]]
                };
                slot
            }
            None => {
                let worth = |slot: &Slot| {
                    let data = slot.data.load(Ordering::Relaxed);
                    if data != 0 && age_of(data) == age {
                        1 + u32::from(depth_of(data))
                    } else {
                        0
                    }
                };
                if worth(second) <= worth(first) {
                    second
                } else {
                    first
                }
            }
        };
        // If bounds of one draft contradict each other (they were found with different table
        // contents), keep the newer one.
        if score > window.alpha {
            entry.lower = score.max(entry.lower);
            entry.upper = score.max(entry.upper);
        }
        if score < window.beta {
            entry.upper = score.min(entry.upper);
            entry.lower = score.min(entry.lower);
        }
        slot.write(key.words, entry.pack(age), region_of(key.hash));
        known.is_none()
    }

    /// Permille of the table that entries of the current search fill, estimated from a sample.
    pub fn hashfull(&self) -> u32 {
        let age = self.age.load(Ordering::Relaxed);
        let used = (self.used.load().count * BUCKETS).min(self.buckets.len()) as u64;
        let count = used.min(500);
        // The products exceed 32 bits.
        let sample = (0..count).map(|number| &self.buckets[(number * used / count) as usize]);
        let filled = sample.flat_map(|bucket| &bucket.0).filter(|slot| {
            let data = slot.data.load(Ordering::Relaxed);
            data != 0 && age_of(data) == age
        });
        let all = 2 * count * self.buckets.len() as u64;
        (filled.count() as u64 * 1_000 * used / all) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_round_trip() {
        let entry = Entry {
            lower: Score(-32_000),
            upper: Score(6_400),
            draft: Draft {
                depth: 60,
                selectivity: 5,
            },
            moves: [Move::to(63), Move::NONE],
        };
        let data = entry.pack(31);
        assert_eq!(Entry::unpack(data), entry);
        assert_eq!(age_of(data.data), 31);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "a score beyond 32000")]
    fn a_score_beyond_the_range_is_an_error() {
        let table = Table::with_bytes(1 << 12);
        let score = Score(40_000);
        table.store(
            &Key::of([3, 5]),
            Draft::full(4),
            Window::FULL,
            score,
            Move::NONE,
        );
    }

    #[test]
    fn bounds_of_one_draft_join_and_another_draft_replaces_them() {
        let table = Table::with_bytes(1 << 12);
        let key = Key::of([3, 5]);
        assert_eq!(table.probe(&key), None);
        table.store(
            &key,
            Draft::full(4),
            Window::null(Score(200), 200),
            Score(400),
            Move::to(7),
        );
        table.store(
            &key,
            Draft::full(4),
            Window::null(Score(600), 200),
            Score(400),
            Move::to(9),
        );
        let entry = table.probe(&key).unwrap();
        assert_eq!(
            (entry.lower, entry.upper, entry.moves),
            (Score(400), Score(400), [Move::to(9), Move::to(7)])
        );
        table.store(
            &key,
            Draft::full(6),
            Window::null(Score(200), 200),
            Score(-200),
            Move::NONE,
        );
        let entry = table.probe(&key).unwrap();
        assert_eq!((entry.lower, entry.upper), (-Score::INFINITE, Score(-200)));
        assert_eq!(
            entry.moves,
            [Move::to(9), Move::to(7)],
            "a search without a best move keeps the old ones"
        );
        let selective = Draft {
            depth: 6,
            selectivity: 3,
        };
        table.store(
            &key,
            selective,
            Window::null(Score(200), 200),
            Score(400),
            Move::NONE,
        );
        let entry = table.probe(&key).unwrap();
        assert_eq!(
            (entry.lower, entry.upper, entry.draft),
            (Score(400), Score::INFINITE, selective)
        );
    }

    #[test]
    fn a_full_bucket_replaces_the_shallowest_entry() {
        let table = Table::with_bytes(1);
        let window = Window::null(Score(1), 1);
        for (word, depth) in [(1, 9), (2, 3), (3, 4)] {
            table.store(
                &Key::of([word, 0]),
                Draft::full(depth),
                window,
                Score(1),
                Move::to(0),
            );
        }
        assert!(table.probe(&Key::of([1, 0])).is_some());
        assert!(table.probe(&Key::of([2, 0])).is_none());
        assert!(table.probe(&Key::of([3, 0])).is_some());
        // A new search takes the old entries' places, however deep they are.
        table.new_search();
        for word in [4, 5] {
            table.store(
                &Key::of([word, 0]),
                Draft::full(1),
                window,
                Score(1),
                Move::to(0),
            );
        }
        assert!(table.probe(&Key::of([1, 0])).is_none());
    }

    #[test]
    fn a_table_grows_by_its_entries_and_keeps_them() {
        let mut table = Table::new(2);
        let window = Window::null(Score(1), 1);
        let used = |table: &Table| table.used.load().count;
        for _ in 0..2 {
            assert_eq!(used(&table), FIRST_REGIONS);
            for word in 0..10_000 {
                let key = Key::of([word, 7]);
                assert_eq!(table.probe(&key), None);
                let is_new = table.store(&key, Draft::full(3), window, Score(1), Move::to(0));
                assert!(
                    is_new && !table.store(&key, Draft::full(3), window, Score(1), Move::to(0))
                );
                table.count_stored(1);
            }
            let kept = (0..10_000)
                .filter(|&word| table.probe(&Key::of([word, 7])).is_some())
                .count();
            assert_eq!(
                used(&table),
                FIRST_REGIONS + (10_000 / ENTRIES_PER_REGION) as usize
            );
            assert!(kept > 9_000, "{kept}");
            table.count_stored(1 << 40);
            assert_eq!((used(&table), table.regions()), (32, 32));
            table.clear();
            assert!((0..10_000).all(|word| table.probe(&Key::of([word, 7])).is_none()));
        }
    }
}
