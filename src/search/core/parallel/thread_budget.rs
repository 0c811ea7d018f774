//! The thread budget that simultaneous searches share: spare threads help the running searches.
//!
//! A search takes spare threads, at most its share of all threads, when it starts and whenever a
//! thread becomes spare. It gives them back at its end. The last running searches share all
//! threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The thread budget of one or several simultaneous searches.
#[derive(Debug)]
pub struct ThreadBudget {
    /// Number of all threads.
    threads: usize,
    state: Mutex<ThreadCounts>,
    /// A thread became spare, a share grew, or a search is over.
    changed: Condvar,
}

#[derive(Debug)]
struct ThreadCounts {
    /// Threads without work.
    spare: usize,
    /// Threads that own a search.
    searching: usize,
}

impl ThreadBudget {
    /// A budget of `threads` threads, of which `searching` (at least one) own a search.
    pub fn new(threads: usize, searching: usize) -> ThreadBudget {
        let searching = searching.max(1);
        let state = ThreadCounts {
            spare: threads.saturating_sub(searching),
            searching,
        };
        ThreadBudget {
            threads,
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// Whether no search can ever get a helper.
    pub const fn is_one(&self) -> bool {
        self.threads <= 1
    }

    /// Marks a thread that owned a search as spare.
    pub fn end_searching(&self) {
        let mut state = self.lock();
        state.searching = state.searching.saturating_sub(1).max(1);
        state.spare += 1;
        self.changed.notify_all();
    }

    /// Waits for a spare thread and takes it. Returns `false` if the search is over. `helpers`: its
    /// number of helpers.
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
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Marks a helper as spare.
    pub(super) fn give_back(&self) {
        self.lock().spare += 1;
        self.changed.notify_all();
    }

    /// Wakes the threads that wait in [`ThreadBudget::take`], because a search is over.
    pub(super) fn wake(&self) {
        let _state = self.lock();
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, ThreadCounts> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_shared_evenly_and_the_last_search_gets_all() {
        let (threads, over) = (ThreadBudget::new(7, 3), AtomicBool::new(false));
        let spare = || threads.lock().spare;
        assert_eq!(spare(), 4);
        assert!(
            threads.take(0, &over) && threads.take(1, &over),
            "three of seven threads"
        );
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
    fn take_waits_for_a_spare_thread_or_the_end_of_the_search() {
        let (threads, over) = (ThreadBudget::new(2, 2), AtomicBool::new(false));
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
