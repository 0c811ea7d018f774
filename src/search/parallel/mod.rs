//! Parallel search: young brothers wait (R. Feldmann, "Game tree search on massively parallel systems", 1993).
//!
//! A null-window node of sufficient depth whose first move did not cut off becomes a split point ([`SplitPoint`]): the
//! other moves may be searched by idle threads of the [`Team`] too, and idle threads join the deepest one. Every search
//! of MTD(f) is a null window, so the first score of at least beta ends a split. An owner that has to wait for its
//! helpers joins split points below its own. Tried and measured: measurements.md#parallel-search.
//!
//! Threads share the transposition table; counters and the policy's caches are per thread. The list of split points is
//! behind a lock that is taken once per split and helper, never at a node.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use log::warn;

use crate::game::score::{Score, Window};
use crate::game::{Game, Move};
use crate::logging::SEARCH;

use super::context::Context;
use super::isa::Isa;
use super::nega_scout::NonPvNode;
use super::policy::{Mode, Policy};
use super::stats::Counters;
use super::stop::{SearchControl, Stopped};
use super::table::Table;

pub mod split_point;
mod sync;

use split_point::{SplitPoint, SplitRef};

/// A waiting owner looks at the clock and the stop flag so often.
const POLL: Duration = Duration::from_millis(1);

/// Looks at the list of split points before a thread sleeps. Tuned: measurements.md#parallel-search
const SPINS: usize = 5_000;

/// A split point with what its searches need.
struct Split<P: Policy> {
    point: SplitRef,
    /// The moves in order, with their children.
    moves: Vec<(Move, P::Node)>,
    window: Window,
    mode: Mode,
    step: i32,
}

/// The threads of one search.
pub struct Team<P: Policy> {
    /// The split points with owners at work, in no order.
    open: Mutex<Vec<Arc<Split<P>>>>,
    /// A split point was opened, a helper left one, or the search is over.
    changed: Condvar,
    /// Threads that wait for that.
    waiting: AtomicUsize,
    /// How many split points were opened.
    opened: AtomicUsize,
    over: AtomicBool,
    /// What the helpers have counted up to the last time they left a split point.
    counted: Mutex<Counted>,
}

/// The counters of the helpers.
#[derive(Clone, Copy, Default)]
struct Counted {
    counters: Counters,
    deepest: u8,
}

/// Locks, also if a thread panicked meanwhile: the data are consistent at every point.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `search` with a context that `threads - 1` helpers belong to.
pub fn with_helpers<P: Policy, T>(
    threads: usize,
    policy: &P,
    table: Option<&Table>,
    control: &SearchControl,
    search: impl FnOnce(Context<'_, P>) -> T,
) -> T {
    let cx = Context::new(policy, table, control);
    if threads <= 1 {
        return search(cx);
    }
    let team = Team::new();
    thread::scope(|scope| {
        let _end = EndOfSearch(&team);
        for number in 1..threads {
            let help = || team.help(&mut Context::helper(policy, table, control, &team));
            if let Err(error) = thread::Builder::new().name(format!("search {number}")).spawn_scoped(scope, help) {
                warn!(target: SEARCH, "{number} threads instead of {threads}: {error}");
                break;
            }
        }
        search(Context::with_team(cx, &team))
    })
}

/// Ends the helpers' work, also if the search panics.
struct EndOfSearch<'t, P: Policy>(&'t Team<P>);

impl<P: Policy> Drop for EndOfSearch<'_, P> {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::SeqCst);
        let _open = lock(&self.0.open);
        self.0.changed.notify_all();
    }
}

/// Searches the remaining moves of a null-window node, in order, together with idle threads: the best score, at least
/// `first`, and its move, [`Move::NONE`] for the move searched before.
///
/// # Errors
/// If the search is stopped, or a split point above has become needless.
#[inline(never)]
pub fn search_rest<P: Policy>(
    cx: &mut Context<'_, P>,
    team: &Team<P>,
    moves: Vec<(Move, P::Node)>,
    first: Score,
    window: Window,
    mode: Mode,
) -> Result<(Score, Move), Stopped> {
    let point = SplitRef::new(SplitPoint::new(cx.split_point(), moves.len(), first, window.beta));
    let split = Arc::new(Split { point, moves, window, mode, step: cx.step });
    team.open(split.clone());
    let searched = search_moves(cx, &split);
    let waited = team.close(cx, &split, searched);
    let (best, index) = split.point.best();
    if best < window.beta {
        waited?;
    }
    Ok((best, index.map_or(Move::NONE, |index| split.moves[index].0)))
}

/// Takes moves of a split point until none is left; the same for its owner and its helpers.
fn search_moves<P: Policy>(cx: &mut Context<'_, P>, split: &Split<P>) -> Result<(), Stopped> {
    let Split { point, moves, window, mode, step } = split;
    let outer = cx.set_split_point(Some(point.clone()));
    cx.step = *step;
    let mut result = Ok(());
    while let Some(index) = point.take() {
        let (m, child) = &moves[index];
        let below = mode.child(P::Game::cost(*m));
        match cx.policy.isa().search::<NonPvNode, P>(cx, child, -window.beta, -window.alpha, below) {
            Ok(score) => point.report(index, -score),
            Err(stopped) => {
                result = Err(stopped);
                break;
            }
        }
    }
    cx.set_split_point(outer);
    result
}

impl<P: Policy> Team<P> {
    fn new() -> Team<P> {
        Team {
            open: Mutex::default(),
            changed: Condvar::new(),
            waiting: AtomicUsize::new(0),
            opened: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            counted: Mutex::default(),
        }
    }

    /// Offers a split point to idle threads.
    fn open(&self, split: Arc<Split<P>>) {
        lock(&self.open).push(split);
        self.opened.fetch_add(1, Ordering::SeqCst);
        if self.waiting.load(Ordering::SeqCst) > 0 {
            self.changed.notify_all();
        }
    }

    /// The deepest split point with moves left, among those below `above`; the caller has joined it.
    fn join(open: &[Arc<Split<P>>], above: Option<&SplitPoint>) -> Option<Arc<Split<P>>> {
        let below = |split: &&Arc<Split<P>>| above.is_none_or(|above| split.point.is_below(above));
        let useful = open.iter().filter(|split| split.point.has_moves()).filter(below);
        let split = useful.max_by_key(|split| split.mode.depth)?;
        split.point.join();
        Some(split.clone())
    }

    /// Waits a moment for a split point to be opened, or until `done`: sleeping and waking take longer.
    fn spin(&self, done: impl Fn() -> bool) {
        let opened = self.opened.load(Ordering::Relaxed);
        for _ in 0..SPINS {
            if done() || self.opened.load(Ordering::Relaxed) != opened || self.over.load(Ordering::Relaxed) {
                return;
            }
            spin_loop();
        }
    }

    /// A helper's work: joins split points until the search is over.
    fn help(&self, cx: &mut Context<'_, P>) {
        loop {
            self.spin(|| false);
            let mut open = lock(&self.open);
            self.waiting.fetch_add(1, Ordering::SeqCst);
            let split = loop {
                if self.over.load(Ordering::SeqCst) {
                    return;
                }
                if let Some(split) = Self::join(&open, None) {
                    break split;
                }
                open = self.changed.wait(open).unwrap_or_else(PoisonError::into_inner);
            };
            self.waiting.fetch_sub(1, Ordering::SeqCst);
            drop(open);
            let _ = search_moves(cx, &split); // the owner knows better why
            let (counters, deepest) = cx.take_counters();
            let mut counted = lock(&self.counted);
            counted.counters += counters;
            counted.deepest = counted.deepest.max(deepest);
            drop(counted);
            self.leave(&split);
        }
    }

    fn leave(&self, split: &Split<P>) {
        split.point.leave();
        if self.waiting.load(Ordering::SeqCst) > 0 {
            let _open = lock(&self.open);
            self.changed.notify_all();
        }
    }

    /// Waits until no helper is at work on the owner's split point, and meanwhile joins those below it.
    fn close(
        &self,
        cx: &mut Context<'_, P>,
        split: &Arc<Split<P>>,
        searched: Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        let mut result = searched;
        loop {
            result = result.and_then(|()| cx.check());
            if result.is_err() {
                split.point.close();
            }
            self.spin(|| split.point.helpers() == 0);
            let mut open = lock(&self.open);
            self.waiting.fetch_add(1, Ordering::SeqCst);
            let below = loop {
                if split.point.helpers() == 0 {
                    self.waiting.fetch_sub(1, Ordering::SeqCst);
                    open.retain(|other| !Arc::ptr_eq(other, split));
                    // A helper that was stopped left a move unsearched; the reason is visible since it has left.
                    return result.and_then(|()| cx.check());
                }
                if let Some(below) = Self::join(&open, Some(&split.point)) {
                    break Some(below);
                }
                let (guard, waited) = self.changed.wait_timeout(open, POLL).unwrap_or_else(PoisonError::into_inner);
                open = guard;
                if waited.timed_out() {
                    break None;
                }
            };
            self.waiting.fetch_sub(1, Ordering::SeqCst);
            drop(open);
            if let Some(below) = below {
                let _ = search_moves(cx, &below);
                self.leave(&below);
            }
        }
    }

    /// What the helpers have counted. Complete while no split point is open.
    pub fn counted(&self) -> (Counters, u8) {
        let counted = lock(&self.counted);
        (counted.counters, counted.deepest)
    }
}
