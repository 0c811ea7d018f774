//! The threads that simultaneous searches share: those without a search of their own help the others.
//!
//! Each search takes spare threads when it begins and whenever one becomes free later, at most its share of all
//! threads, and gives them back when it is over. The last searches of many end up with all threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The threads of one or several simultaneous searches.
#[derive(Debug)]
pub struct SpareThreads {
    /// All threads, those that run a search included.
    threads: usize,
    state: Mutex<SpareState>,
    /// A thread became free, a share grew, or a search is over.
    changed: Condvar,
}

#[derive(Debug)]
struct SpareState {
    /// Threads without work.
    spare: usize,
    /// Threads that run searches of their own, one after the other.
    searching: usize,
}

impl SpareThreads {
    /// So many threads, of which `searching` run searches of their own (at least one).
    pub fn new(threads: usize, searching: usize) -> SpareThreads {
        let searching = searching.max(1);
        let state = SpareState { spare: threads.saturating_sub(searching), searching };
        SpareThreads { threads, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Whether no search can get a helper, now or later.
    pub const fn is_one(&self) -> bool {
        self.threads <= 1
    }

    /// A thread has no more searches of its own: it is spare from now on.
    pub fn end_searching(&self) {
        let mut state = self.lock();
        state.searching = state.searching.saturating_sub(1).max(1);
        state.spare += 1;
        self.changed.notify_all();
    }

    /// Waits for a spare thread and takes it; `false` when the search is over. `helpers`: those that the search has.
    pub(super) fn take(&self, helpers: usize, over: &AtomicBool) -> bool {
        let mut state = self.lock();
        loop {
            if over.load(Ordering::SeqCst) {
                return false;
            }
            if state.spare > 0 && helpers + 1 < self.threads.div_ceil(state.searching) {
                state.spare -= 1;
                return true;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A helper is spare again.
    pub(super) fn give_back(&self) {
        self.lock().spare += 1;
        self.changed.notify_all();
    }

    /// Wakes those that wait for a thread: a search is over.
    pub(super) fn wake(&self) {
        let _state = self.lock();
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, SpareState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_shared_evenly_and_the_last_search_gets_all() {
        let (threads, over) = (SpareThreads::new(7, 3), AtomicBool::new(false));
        let spare = || threads.lock().spare;
        assert_eq!(spare(), 4);
        assert!(threads.take(0, &over) && threads.take(1, &over), "three of seven threads");
        assert_eq!(spare(), 2);
        over.store(true, Ordering::SeqCst);
        assert!(!threads.take(0, &over));
        over.store(false, Ordering::SeqCst);
        threads.end_searching();
        threads.end_searching();
        for helpers in 2..6 {
            assert!(threads.take(helpers, &over));
        }
        assert_eq!(spare(), 0);
        threads.give_back();
        assert_eq!(spare(), 1);
    }

    #[test]
    fn who_waits_for_a_thread_gets_it_or_the_end_of_the_search() {
        let (threads, over) = (SpareThreads::new(2, 2), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| (threads.take(0, &over), threads.take(1, &over)));
            threads.end_searching();
            while threads.lock().spare > 0 {
                std::thread::yield_now();
            }
            over.store(true, Ordering::SeqCst);
            threads.wake();
            assert_eq!(waiting.join().unwrap(), (true, false));
        });
    }
}
