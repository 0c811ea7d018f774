//! The transposition table.
//!
//! An entry holds the whole position (no false hits), both bounds of its value, two moves and a *draft*: how deep and
//! how selectively the bounds were found. Threads may share a table without locks: each entry is three words, the
//! position's two XORed with the data, so that a torn write is no match (R. Hyatt and T. Mann, "A lock-less
//! transposition table implementation for parallel search", 2002).

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::game::Move;
use crate::game::score::{Score, Window};

use super::stop::SearchControl;
use crate::logging::TABLE;

mod buckets;
mod key;

use buckets::{Bucket, Filler, PackedEntry, Slot};
pub use buckets::{Buckets, CacheLine, prefetch};
pub use key::{BUCKET_MASK, Key, REGION_BITS, bucket_index};

/// The depth and selectivity of the search behind a bound. A bound is used only if its draft covers the required one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Draft {
    /// Plies searched; the number of plies left means to the end of the game.
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
        Draft { depth, selectivity: Draft::FULL }
    }

    /// Whether a bound of this draft is good enough for a search of draft `wanted`.
    #[inline(always)]
    pub const fn covers(self, wanted: Draft) -> bool {
        self.depth >= wanted.depth && self.selectivity >= wanted.selectivity
    }
}

/// A table entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The value is at least this.
    pub lower: Score,
    /// The value is at most this.
    pub upper: Score,
    /// The draft of the bounds.
    pub draft: Draft,
    /// The last two best or cutting moves, newest first; [`Move::NONE`] if unknown.
    pub moves: [Move; 2],
}

impl Entry {
    /// The value or a bound that causes a cutoff for `window`, if the entry has one.
    #[inline(always)]
    pub fn answer(&self, window: Window) -> Option<Score> {
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
        let data = u64::from(self.lower.0 as i16 as u16)
            | u64::from(self.upper.0 as i16 as u16) << 16
            | u64::from(self.moves[0].bits()) << 32
            | u64::from(self.draft.depth) << 48
            | u64::from(self.draft.selectivity << 5 | age) << 56;
        PackedEntry { data, second: self.moves[1].bits() }
    }

    #[inline(always)]
    fn unpack(PackedEntry { data, second }: PackedEntry) -> Entry {
        Entry {
            lower: Score(i32::from(data as u16 as i16)),
            upper: Score(i32::from((data >> 16) as u16 as i16)),
            moves: [Move::from_bits((data >> 32) as u16), Move::from_bits(second)],
            draft: Draft { depth: (data >> 48) as u8, selectivity: (data >> 61) as u8 },
        }
    }
}

/// Ages count searches modulo this; entries of another age are replaced first.
const AGES: u8 = 32;

fn depth_of(data: u64) -> u8 {
    (data >> 48) as u8
}

fn age_of(data: u64) -> u8 {
    (data >> 56) as u8 % AGES
}

/// The polling interval while waiting for the filler thread.
const POLL: Duration = Duration::from_micros(200);

/// The transposition table.
///
/// [`Table::new`] makes a table whose pages are mapped when a search first touches them. [`Table::in_background`] makes
/// one that a thread of its own fills with zeros; searches use the part that is ready ([`Table::grow`]), so that page
/// faults do not cost thinking time.
pub struct Table {
    buckets: Buckets<Bucket>,
    /// The number of buckets in use: all, or those that the filler had written at the last [`Table::grow`].
    used: AtomicUsize,
    age: AtomicU8,
    /// Whether a search has begun since the filler was started.
    dirty: AtomicBool,
    filler: Option<Filler>,
}

impl Table {
    /// A table of this many MiB (at least one bucket).
    pub fn new(mebibytes: usize) -> Table {
        Table::with_bytes(mebibytes << 20)
    }

    /// A table of about this many bytes.
    pub fn with_bytes(bytes: usize) -> Table {
        let buckets = Buckets::new((bytes / size_of::<Bucket>()).max(1));
        log::debug!(target: TABLE, "table of {} MiB, {} buckets", bytes >> 20, buckets.len());
        let used = AtomicUsize::new(buckets.len());
        Table { buckets, used, age: AtomicU8::new(0), dirty: AtomicBool::new(false), filler: None }
    }

    /// A table of this many MiB, filled by a thread: searches may begin at once and use the part that is ready.
    pub fn in_background(mebibytes: usize) -> Table {
        let mut table = Table::new(mebibytes);
        table.fill();
        table
    }

    fn fill(&mut self) {
        self.filler = None; // stops a running filler
        *self.used.get_mut() = 0;
        self.filler = Some(Filler::start(self.buckets.clone()));
    }

    /// Clears the table and resets the age, so that later searches are reproducible. A table filled in the background
    /// is cleared there, unless no search has begun since the last time.
    pub fn clear(&mut self) {
        *self.age.get_mut() = 0;
        if self.filler.is_some() {
            if std::mem::take(self.dirty.get_mut()) {
                self.fill();
            }
        } else {
            let count = self.buckets.len();
            self.buckets = Buckets::new(1); // free the old memory first
            self.buckets = Buckets::new(count);
        }
    }

    /// Ages all entries: every new entry may replace an old one, so the next search visits the same nodes as with a
    /// cleared table unless it meets an old position. Free, while clearing a large table takes as long as a short
    /// search.
    pub fn forget(&mut self) {
        if *self.age.get_mut() + 2 >= AGES {
            self.clear();
        }
        self.new_search();
    }

    /// Takes the buckets into use that the filler has written since the last call. Between iterations only: the bucket
    /// of every position changes, so earlier entries are lost. The used part at least doubles or becomes the whole
    /// table.
    pub fn grow(&self) {
        let used = self.used.load(Ordering::Relaxed);
        let Some(filler) = self.filler.as_ref().filter(|_| used < self.buckets.len()) else { return };
        let mut ready = filler.ready();
        while ready == 0 {
            thread::sleep(POLL);
            ready = filler.ready();
        }
        if ready == self.buckets.len() || ready >= 2 * used {
            self.used.store(ready, Ordering::Relaxed);
        }
    }

    /// Waits until the whole table is ready, or the stop signal is given.
    pub fn wait_until_whole(&self, control: &SearchControl) {
        let Some(filler) = &self.filler else { return };
        while filler.ready() < self.buckets.len() && !control.stopped() {
            thread::sleep(POLL);
        }
    }

    /// The size in MiB.
    pub fn mebibytes(&self) -> usize {
        (self.buckets.len() * size_of::<Bucket>()) >> 20
    }

    /// Starts a new age.
    pub fn new_search(&self) {
        self.dirty.store(true, Ordering::Relaxed);
        self.age.store((self.age.load(Ordering::Relaxed) + 1) % AGES, Ordering::Relaxed);
    }

    #[inline(always)]
    fn bucket(&self, hash: u64) -> &Bucket {
        let index = bucket_index(hash, self.used.load(Ordering::Relaxed));
        &self.buckets[index]
    }

    /// Prefetches the bucket that [`Table::probe`] will read.
    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        prefetch(self.bucket(hash));
    }

    /// The entry of a position, if there is one.
    #[inline(always)]
    pub fn probe(&self, key: &Key) -> Option<Entry> {
        let [first, second] = &self.bucket(key.hash).0;
        first.contents_of(key.words).or_else(|| second.contents_of(key.words)).map(Entry::unpack)
    }

    /// Stores the result of a fail-soft search of `window`.
    ///
    /// Bounds of the same draft are merged; another draft replaces them, since the current iteration asks for the
    /// newest one. Another position's entry is replaced by age, then by depth.
    #[inline(always)]
    pub fn store(&self, key: &Key, draft: Draft, window: Window, score: Score, best: Move) {
        let age = self.age.load(Ordering::Relaxed);
        let [first, second] = &self.bucket(key.hash).0;
        let mut entry = Entry { lower: -Score::INFINITE, upper: Score::INFINITE, draft, moves: [best, Move::NONE] };
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
                    if data != 0 && age_of(data) == age { 1 + u32::from(depth_of(data)) } else { 0 }
                };
                if worth(second) <= worth(first) { second } else { first }
            }
        };
        // The newest result wins: if bounds of one draft contradict each other (the table held different entries), the
        // older one is dropped.
        if score > window.alpha {
            entry.lower = score.max(entry.lower);
            entry.upper = score.max(entry.upper);
        }
        if score < window.beta {
            entry.upper = score.min(entry.upper);
            entry.lower = score.min(entry.lower);
        }
        slot.write(key.words, entry.pack(age));
    }

    /// How full the table is with entries of the present search, in permille, by a sample.
    pub fn hashfull(&self) -> u32 {
        let (age, used) = (self.age.load(Ordering::Relaxed), self.used.load(Ordering::Relaxed).max(1));
        let count = used.min(500);
        let sample = (0..count).map(|number| &self.buckets[number * used / count]);
        let filled = sample.flat_map(|bucket| &bucket.0).filter(|slot| {
            let data = slot.data.load(Ordering::Relaxed);
            data != 0 && age_of(data) == age
        });
        (filled.count() * 1_000 / (2 * count)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::mix;

    fn key(words: [u64; 2]) -> Key {
        Key { hash: mix(words), words, symmetry: 0 }
    }

    #[test]
    fn entries_round_trip() {
        let entry = Entry {
            lower: Score(-32_000),
            upper: Score(6_400),
            draft: Draft { depth: 60, selectivity: 5 },
            moves: [Move::to(63), Move::NONE],
        };
        let data = entry.pack(31);
        assert_eq!(Entry::unpack(data), entry);
        assert_eq!(age_of(data.data), 31);
    }

    #[test]
    fn bounds_of_one_draft_join_and_another_draft_replaces_them() {
        let table = Table::with_bytes(1 << 12);
        let key = key([3, 5]);
        assert_eq!(table.probe(&key), None);
        table.store(&key, Draft::full(4), Window::null(Score(200), 200), Score(400), Move::to(7));
        table.store(&key, Draft::full(4), Window::null(Score(600), 200), Score(400), Move::to(9));
        let entry = table.probe(&key).unwrap();
        assert_eq!((entry.lower, entry.upper, entry.moves), (Score(400), Score(400), [Move::to(9), Move::to(7)]));
        table.store(&key, Draft::full(6), Window::null(Score(200), 200), Score(-200), Move::NONE);
        let entry = table.probe(&key).unwrap();
        assert_eq!((entry.lower, entry.upper), (-Score::INFINITE, Score(-200)));
        assert_eq!(entry.moves, [Move::to(9), Move::to(7)], "a search without a best move keeps the old ones");
    }

    #[test]
    fn one_bucket_keeps_the_deeper_stranger() {
        let table = Table::with_bytes(1);
        let window = Window::null(Score(1), 1);
        for (word, depth) in [(1, 9), (2, 3), (3, 4)] {
            table.store(&key([word, 0]), Draft::full(depth), window, Score(1), Move::to(0));
        }
        assert!(table.probe(&key([1, 0])).is_some());
        assert!(table.probe(&key([2, 0])).is_none());
        assert!(table.probe(&key([3, 0])).is_some());
        // A new search takes the old entries' places, however deep they are.
        table.new_search();
        for word in [4, 5] {
            table.store(&key([word, 0]), Draft::full(1), window, Score(1), Move::to(0));
        }
        assert!(table.probe(&key([1, 0])).is_none());
    }

    #[test]
    fn a_table_filled_in_the_background_grows_and_is_emptied() {
        let mut table = Table::in_background(64);
        let (key, window) = (key([1, 2]), Window::null(Score(1), 1));
        for _ in 0..2 {
            table.grow();
            assert!(table.used.load(Ordering::Relaxed) > 0, "a search can begin");
            table.new_search();
            table.store(&key, Draft::full(3), window, Score(1), Move::to(0));
            assert!(table.probe(&key).is_some());
            table.wait_until_whole(&SearchControl::default());
            table.grow();
            assert_eq!(table.used.load(Ordering::Relaxed), table.buckets.len());
            table.clear();
            table.grow();
            table.wait_until_whole(&SearchControl::default());
            table.grow();
            assert!(table.buckets.iter().flat_map(|bucket| &bucket.0).all(|slot| slot.contents_of([1, 2]).is_none()));
        }
        // A clean table is not emptied again: it stays usable.
        table.clear();
        assert_eq!(table.used.load(Ordering::Relaxed), table.buckets.len());
    }
}
