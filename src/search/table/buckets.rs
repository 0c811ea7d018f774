//! The memory of the transposition table: lock-free entries in buckets of one cache line.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};

use crate::platform::memory::{exhausted, large_pages};

/// An entry's contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PackedEntry {
    /// Bounds, best move, draft and age.
    pub(super) data: u64,
    /// The second move.
    pub(super) second: u16,
}

/// One entry: the position XORed with the data, the data, and the second move, which is not
/// verified, since a wrong one only affects move ordering. Zero data mark an empty slot (no stored
/// entry packs to zero).
#[derive(Default)]
pub(super) struct Slot {
    words: [AtomicU64; 2],
    pub(super) data: AtomicU64,
    second: AtomicU16,
    /// The bits of the hash that select the region.
    region: AtomicU32,
}

impl Slot {
    #[inline(always)]
    pub(super) fn contents_of(&self, words: [u64; 2]) -> Option<PackedEntry> {
        let data = self.data.load(Ordering::Relaxed);
        let same = (self.words[0].load(Ordering::Relaxed) ^ data) == words[0]
            && (self.words[1].load(Ordering::Relaxed) ^ data) == words[1];
        (same && data != 0).then(|| PackedEntry {
            data,
            second: self.second.load(Ordering::Relaxed),
        })
    }

    pub(super) fn clear(&self) {
        self.words
            .iter()
            .chain([&self.data])
            .for_each(|word| word.store(0, Ordering::Relaxed));
    }

    #[inline(always)]
    pub(super) fn write(
        &self,
        words: [u64; 2],
        PackedEntry { data, second }: PackedEntry,
        region: u32,
    ) {
        self.words[0].store(words[0] ^ data, Ordering::Relaxed);
        self.words[1].store(words[1] ^ data, Ordering::Relaxed);
        self.data.store(data, Ordering::Relaxed);
        self.second.store(second, Ordering::Relaxed);
        self.region.store(region, Ordering::Relaxed);
    }

    /// The bits of the entry's hash that select the region.
    pub(super) fn region(&self) -> u32 {
        self.region.load(Ordering::Relaxed)
    }

    /// Moves the contents to another slot: decoded, since [`Slot::write`] encodes them.
    pub(super) fn move_to(&self, other: &Slot) {
        let data = self.data.load(Ordering::Relaxed);
        let second = self.second.load(Ordering::Relaxed);
        let words = self.words.each_ref();
        let words = words.map(|word| word.load(Ordering::Relaxed) ^ data);
        other.write(words, PackedEntry { data, second }, self.region());
        self.clear();
    }
}

/// Two entries share a cache line, so that a probe costs one memory access.
#[derive(Default)]
#[repr(align(64))]
pub(super) struct Bucket(pub(super) [Slot; 2]);

const _: () = assert!(size_of::<Bucket>() == 64);

/// Four entries of two words.
#[derive(Default, Debug)]
#[repr(align(64))]
pub struct CacheLine(pub [AtomicU64; 8]);

/// The element type of a table.
///
/// # Safety
/// A cache line of atomic fields, for which zero bytes are a valid value that needs no drop.
#[allow(unsafe_code)]
pub unsafe trait TableLine: Sync {}

// SAFETY: all fields are atomic integers.
#[allow(unsafe_code)]
unsafe impl TableLine for Bucket {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl TableLine for CacheLine {}

/// Prefetches a cache line.
#[inline(always)]
pub fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    // SAFETY: the pointer is a reference's, and a prefetch reads nothing.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch(std::ptr::from_ref(place).cast(), _MM_HINT_T0);
    }
    #[cfg(target_arch = "aarch64")]
    #[allow(unsafe_code)]
    // SAFETY: the pointer is a reference's, and a prefetch reads nothing.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) place, options(readonly, nostack, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = place;
}

/// Zeroed memory for the buckets, freed when the last owner is dropped.
struct BucketMemory {
    memory: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the memory is owned and accessed only through the buckets, whose fields are atomic.
#[allow(unsafe_code)]
unsafe impl Send for BucketMemory {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Sync for BucketMemory {}

impl Drop for BucketMemory {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: the memory was allocated with this layout; buckets need no drop.
        unsafe { System.dealloc(self.memory.as_ptr(), self.layout) }
    }
}

/// Buckets in zeroed pages; large pages where the system supports them (measurements.md#table).
///
/// `alloc_zeroed` returns fresh pages only for the usual alignment (for a larger one it writes the
/// zeros itself), so the buckets are aligned inside a block that is one bucket larger.
pub struct Buckets<B> {
    first: NonNull<B>,
    count: usize,
    /// Keeps the memory alive.
    block: Arc<BucketMemory>,
}

// SAFETY: the pointer leads into the block, which may be sent and shared.
#[allow(unsafe_code)]
unsafe impl<B: TableLine> Send for Buckets<B> {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl<B: TableLine> Sync for Buckets<B> {}

impl<B> Clone for Buckets<B> {
    fn clone(&self) -> Self {
        Buckets {
            block: self.block.clone(),
            ..*self
        }
    }
}

impl<B: TableLine> Buckets<B> {
    /// `count` empty buckets; without memory for them, the process ends.
    #[allow(unsafe_code)]
    pub fn new(count: usize) -> Buckets<B> {
        let bytes = count
            .checked_add(1)
            .and_then(|count| count.checked_mul(size_of::<B>()));
        let layout = bytes.and_then(|bytes| Layout::from_size_align(bytes, align_of::<u64>()).ok());
        let wanted = count.saturating_mul(size_of::<B>());
        let layout = layout.unwrap_or_else(|| exhausted(wanted));
        // SAFETY: the layout has a size. The first multiple of a bucket's alignment in the memory
        // lies less than a bucket from its start, so `count` buckets fit after it.
        unsafe {
            let memory =
                NonNull::new(System.alloc_zeroed(layout)).unwrap_or_else(|| exhausted(wanted));
            let first = memory.add(memory.align_offset(align_of::<B>())).cast();
            large_pages(std::slice::from_raw_parts(memory.as_ptr(), layout.size()));
            Buckets {
                first,
                count,
                block: Arc::new(BucketMemory { memory, layout }),
            }
        }
    }
}

impl<B> Buckets<B> {
    /// Whether there is a clone. Stores of a dropped one may arrive later.
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.block) > 1
    }
}

impl<B: TableLine> Deref for Buckets<B> {
    type Target = [B];

    #[inline(always)]
    #[allow(unsafe_code)]
    fn deref(&self) -> &[B] {
        // SAFETY: `count` aligned buckets from `first` lie in the block, which exists as long as
        // this; zero bytes are valid atomics, and an empty bucket.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.count) }
    }
}
