//! The transposition table: what is known of a position, for whoever meets it again.
//!
//! An entry holds the whole position (no false hits), both bounds of its value, two moves and a *draft*: how deep and how
//! selectively the bounds were found. Threads may share a table without locks: each entry is three words, the position's
//! two XORed with the data, so that a torn write is no match (R. Hyatt and T. Mann, "A lock-less transposition table
//! implementation for parallel search", 2002).

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::game::Move;
use crate::game::score::{Score, Window};

use super::stop::Watch;

mod buckets;

use buckets::{Bucket, Buckets, Filler, Packed, Slot};
pub use buckets::{large_pages, prefetch};

/// How thorough a search behind a bound was. A bound serves only where its draft covers the one asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Draft {
    /// Plies searched; as many as the position has left means to the end of the game.
    pub depth: u8,
    /// Selectivity level: [`Draft::FULL`] is full width, lower levels pruned more.
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

    /// Whether a bound of this draft may answer a search that asks for `wanted`.
    #[inline(always)]
    pub const fn covers(self, wanted: Draft) -> bool {
        self.depth >= wanted.depth && self.selectivity >= wanted.selectivity
    }
}

/// What the table knows of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The value is at least this.
    pub lower: Score,
    /// The value is at most this.
    pub upper: Score,
    /// How the bounds were found.
    pub draft: Draft,
    /// The best or cutting move, and the one before it; [`Move::NONE`] where unknown.
    pub moves: [Move; 2],
}

impl Entry {
    /// The bounds as a window that a search may be narrowed to: `Ok` if they already answer `window`.
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
    fn pack(&self, age: u8) -> Packed {
        let data = u64::from(self.lower.0 as i16 as u16)
            | u64::from(self.upper.0 as i16 as u16) << 16
            | u64::from(self.moves[0].bits()) << 32
            | u64::from(self.draft.depth) << 48
            | u64::from(self.draft.selectivity << 5 | age) << 56;
        Packed { data, second: self.moves[1].bits() }
    }

    #[inline(always)]
    fn unpack(Packed { data, second }: Packed) -> Entry {
        Entry {
            lower: Score(i32::from(data as u16 as i16)),
            upper: Score(i32::from((data >> 16) as u16 as i16)),
            moves: [Move::from_bits((data >> 32) as u16), Move::from_bits(second)],
            draft: Draft { depth: (data >> 48) as u8, selectivity: (data >> 61) as u8 },
        }
    }
}

/// Ages count searches modulo this; an entry of another age is the first to be replaced.
const AGES: u8 = 32;

fn depth_of(data: u64) -> u8 {
    (data >> 48) as u8
}

fn age_of(data: u64) -> u8 {
    (data >> 56) as u8 % AGES
}

/// How long to wait before looking again how far the filler is.
const POLL: Duration = Duration::from_micros(200);

/// A position as the table sees it.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Where to look.
    pub hash: u64,
    /// The whole position.
    pub words: [u64; 2],
    /// The symmetry that took the position to the words: stored moves are images under it.
    pub symmetry: u8,
}

/// The transposition table.
///
/// A table made by [`Table::new`] is usable as a whole at once; its pages come from the system when a search first touches
/// them. One made by [`Table::in_background`] is written by a thread of its own, and searches use the part that is ready
/// ([`Table::grow`]), so that no clock pays for pages that the search does not need.
pub struct Table {
    buckets: Buckets,
    /// The buckets that positions are spread over: all, or those that the filler had written at the last [`Table::grow`].
    used: AtomicUsize,
    age: AtomicU8,
    /// Whether a search has begun since the table was last empty.
    dirty: AtomicBool,
    filler: Option<Filler>,
}

impl Table {
    /// A table of so many MiB (at least one bucket).
    pub fn new(mebibytes: usize) -> Table {
        Table::with_bytes(mebibytes << 20)
    }

    /// A table of about so many bytes.
    pub fn with_bytes(bytes: usize) -> Table {
        let buckets = Buckets::new((bytes / size_of::<Bucket>()).max(1));
        let used = AtomicUsize::new(buckets.len());
        Table { buckets, used, age: AtomicU8::new(0), dirty: AtomicBool::new(false), filler: None }
    }

    /// A table of so many MiB that a thread prepares: searches may begin at once and use what is ready.
    pub fn in_background(mebibytes: usize) -> Table {
        let mut table = Table::new(mebibytes);
        table.fill();
        table
    }

    fn fill(&mut self) {
        self.filler = None; // a filler at work is stopped first
        *self.used.get_mut() = 0;
        self.filler = Some(Filler::start(self.buckets.clone()));
    }

    /// Forgets everything and starts the ages anew, so that what follows is the same every time. Costs nothing if no search
    /// has begun since the last time; a table made in the background is emptied there.
    pub fn clear(&mut self) {
        *self.age.get_mut() = 0;
        if !std::mem::take(self.dirty.get_mut()) {
            return;
        }
        if self.filler.is_some() {
            self.fill();
        } else {
            let count = self.buckets.len();
            self.buckets = Buckets::new(1); // free the old memory first
            self.buckets = Buckets::new(count);
        }
    }

    /// Forgets by age: nothing stored before keeps a place that a new entry wants, so the next search visits the nodes that
    /// it would visit with a cleared table, unless it meets a position again. Costs nothing, where clearing a large table
    /// costs as much as a short search.
    pub fn forget(&mut self) {
        if *self.age.get_mut() + 2 >= AGES {
            self.clear();
        }
        self.new_search();
    }

    /// Takes into use what the filler has written since the last call. Between iterations only: positions are spread anew,
    /// so entries stored before are lost. The used part doubles at least, or becomes the whole table.
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
    pub fn wait_until_whole(&self, watch: &Watch) {
        let Some(filler) = &self.filler else { return };
        while filler.ready() < self.buckets.len() && !watch.stopped() {
            thread::sleep(POLL);
        }
    }

    /// The size in MiB.
    pub fn mebibytes(&self) -> usize {
        (self.buckets.len() * size_of::<Bucket>()) >> 20
    }

    /// Marks what is stored from now on as younger than all before.
    pub fn new_search(&self) {
        self.dirty.store(true, Ordering::Relaxed);
        self.age.store((self.age.load(Ordering::Relaxed) + 1) % AGES, Ordering::Relaxed);
    }

    #[inline(always)]
    fn bucket(&self, hash: u64) -> &Bucket {
        let index = (u128::from(hash) * self.used.load(Ordering::Relaxed) as u128) >> 64;
        &self.buckets[index as usize]
    }

    /// Asks the processor to fetch what [`Table::probe`] will read.
    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        prefetch(self.bucket(hash));
    }

    /// What is known of a position.
    #[inline(always)]
    pub fn probe(&self, key: &Key) -> Option<Entry> {
        let [first, second] = &self.bucket(key.hash).0;
        first.contents_of(key.words).or_else(|| second.contents_of(key.words)).map(Entry::unpack)
    }

    /// Stores what a fail-soft search of `window` found.
    ///
    /// Bounds of the same draft are joined; another draft replaces them, since the newest is what the present iteration
    /// asks for. A stranger's place is taken from the older search, else from the shallower draft.
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
        // The newest answer rules: where searches of one draft contradict each other (their tables held different
        // entries), the older bound goes.
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
        let age = self.age.load(Ordering::Relaxed);
        let sample = &self.buckets[..self.used.load(Ordering::Relaxed).clamp(1, 500)];
        let used = sample.iter().flat_map(|bucket| &bucket.0).filter(|slot| {
            let data = slot.data.load(Ordering::Relaxed);
            data != 0 && age_of(data) == age
        });
        (used.count() * 1_000 / (2 * sample.len())) as u32
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
            table.wait_until_whole(&Watch::default());
            table.grow();
            assert_eq!(table.used.load(Ordering::Relaxed), table.buckets.len());
            table.clear();
            table.grow();
            table.wait_until_whole(&Watch::default());
            table.grow();
            assert!(table.buckets.iter().flat_map(|bucket| &bucket.0).all(|slot| slot.contents_of([1, 2]).is_none()));
        }
        // A clean table is not emptied again: it stays usable.
        table.clear();
        assert_eq!(table.used.load(Ordering::Relaxed), table.buckets.len());
    }
}
