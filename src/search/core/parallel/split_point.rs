//! A split point: a non-PV node whose remaining moves are searched by several threads.
//!
//! The owner is the thread whose search reached the node. Owner and helpers take the moves in order
//! and report the scores. The first score of at least beta closes the split point, and every thread
//! below it aborts its search. The state is a few atomic words, so that `loom` can test all
//! interleavings (`RUSTFLAGS="--cfg loom"`).

use super::sync::{Arc, AtomicI64, AtomicUsize, Ordering};
use crate::game::score::Score;

/// The index of the next move when a split point is closed, greater than that of any move.
const CLOSED: usize = usize::MAX / 2;

/// A split point, shared between threads.
pub type SplitRef = Arc<SplitPoint>;

/// The state of a split point.
#[derive(Debug)]
pub struct SplitPoint {
    /// The split point that the owner works on.
    parent: Option<SplitRef>,
    /// Remaining depth: idle threads join the split point with the greatest one.
    pub depth: u8,
    /// The number of moves.
    moves: usize,
    beta: Score,
    /// The index of the next move to search; at least [`CLOSED`] once the split point is closed.
    next: AtomicUsize,
    /// Number of helpers that work here.
    helpers: AtomicUsize,
    /// The best score and its move ([`pack`]).
    best: AtomicI64,
}

/// A score and the index of its move, ordered by score; of equal scores, the earlier move compares
/// greater.
const fn pack(score: Score, index: usize) -> i64 {
    (score.0 as i64) << 32 | (u32::MAX as i64 - index as i64)
}

impl SplitPoint {
    /// A split point at this remaining depth with `moves` moves, after a move with score `first`.
    pub fn new(
        parent: Option<SplitRef>,
        depth: u8,
        moves: usize,
        first: Score,
        beta: Score,
    ) -> SplitPoint {
        SplitPoint {
            parent,
            depth,
            moves,
            beta,
            next: AtomicUsize::new(0),
            helpers: AtomicUsize::new(0),
            best: AtomicI64::new(pack(first, u32::MAX as usize)),
        }
    }

    /// Takes the next move to search. Returns its index, or `None` if none is left.
    pub fn take(&self) -> Option<usize> {
        // Increment even if no move is left: the owner's last increment is ordered after those of
        // all helpers that got a move, so the owner sees these helpers.
        let index = self.next.fetch_add(1, Ordering::AcqRel);
        (index < self.moves).then_some(index)
    }

    /// Whether a move is left. Another thread may take it first.
    pub fn has_moves(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.moves
    }

    /// Reports the score of a move. Closes the split point if it is at least beta.
    pub fn report(&self, index: usize, score: Score) {
        self.best.fetch_max(pack(score, index), Ordering::AcqRel);
        if score >= self.beta {
            self.close();
        }
    }

    /// Closes the split point: no more moves are handed out, and searches in progress are aborted.
    pub fn close(&self) {
        self.next.fetch_max(CLOSED, Ordering::AcqRel);
    }

    /// Whether this split point or one above it is closed.
    pub fn is_closed(&self) -> bool {
        let mut split = Some(self);
        while let Some(open) = split {
            if open.next.load(Ordering::Relaxed) >= CLOSED {
                return true;
            }
            split = open.parent.as_deref();
        }
        false
    }

    /// Whether this split point is `other` or lies below it.
    pub fn is_below(&self, other: &SplitPoint) -> bool {
        let mut split = Some(self);
        while let Some(point) = split {
            if std::ptr::eq(point, other) {
                return true;
            }
            split = point.parent.as_deref();
        }
        false
    }

    /// Counts a helper; called before it takes a move.
    pub fn join(&self) {
        self.helpers.fetch_add(1, Ordering::SeqCst);
    }

    /// Uncounts a helper; called after its last report.
    pub fn leave(&self) {
        self.helpers.fetch_sub(1, Ordering::SeqCst);
    }

    /// Number of helpers that work here. If it is zero after the owner has taken its last move, no
    /// helper will take another one.
    pub fn helpers(&self) -> usize {
        self.helpers.load(Ordering::SeqCst)
    }

    /// The best score and the index of its move; `None` for the move searched before the split.
    pub fn best(&self) -> (Score, Option<usize>) {
        let packed = self.best.load(Ordering::Acquire);
        let index = (u32::MAX as i64 - (packed & u32::MAX as i64)) as usize;
        (
            Score((packed >> 32) as i32),
            (index < self.moves).then_some(index),
        )
    }
}
