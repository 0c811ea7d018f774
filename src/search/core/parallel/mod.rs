//! Parallel search: young brothers wait (R. Feldmann, "Game tree search on massively parallel
//! systems", 1993).
//!
//! A non-PV node of sufficient depth becomes a split point ([`SplitPoint`]) if its first move does
//! not cause a cutoff: idle threads of the [`Team`] help to search the other moves. A node where a
//! shallower search failed low is most likely an all-node, so it becomes a split point before its
//! first move. Idle threads join the split point of the greatest remaining depth. MTD(f) searches
//! null windows only, so the first score of at least beta closes a split point. An owner that waits
//! for its helpers joins split points below its own. Experiments:
//! measurements.md#split-points-of-predicted-all-nodes, measurements.md#parallel-search.
//!
//! Threads share the transposition table; counters and caches of the policy are per thread. The
//! list of split points is protected by a lock, which is taken once per split point and helper,
//! never per node.

use std::hint::spin_loop;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};
use std::time::Duration;

use crate::game::score::{Score, Window};
use crate::game::{Game, Move};
use crate::logging::SEARCH;

use super::context::Context;
use super::nega_scout::null_window;
use super::policy::{Policy, SearchParams};
use crate::search::stats::Counters;
use crate::search::stop::{SearchControl, Stopped};
use crate::search::table::Table;
use crate::search::trace::Trace;

pub mod split_point;
mod sync;
pub mod thread_budget;

use split_point::{SplitPoint, SplitRef};
use thread_budget::ThreadBudget;

/// The interval at which a waiting owner tests the clock and the stop flag.
const POLL: Duration = Duration::from_millis(1);

/// The stack size of a search thread, in bytes. It is large because a waiting owner searches below
/// its own split point.
pub const STACK: usize = 16 << 20;

/// Polls of the split point counter before a thread sleeps. Tuned: see
/// measurements.md#parallel-search
const SPINS: usize = 5_000;

/// A thread of a team.
pub trait TeamMember {
    /// A split point of its search with the data that is needed to search its moves.
    type Split: Deref<Target = SplitPoint> + Send + Sync;

    /// Searches moves of a split point until none is left; called by its owner and its helpers.
    fn search_moves(&mut self, split: &Self::Split) -> Result<(), Stopped>;

    /// Tests whether the search has to stop.
    fn check(&mut self) -> Result<(), Stopped>;

    /// Publishes and returns what a helper has counted since the last call.
    fn take_counters(&mut self) -> (Counters, u8);
}

/// A split point of the production search.
pub struct Split<P: Policy> {
    point: SplitRef,
    /// The moves in order, with their children.
    moves: Vec<(Move, P::Node)>,
    /// Number of moves searched before the split.
    searched: usize,
    window: Window,
    params: SearchParams,
    step: i32,
}

impl<P: Policy> Deref for Split<P> {
    type Target = SplitPoint;

    fn deref(&self) -> &SplitPoint {
        &self.point
    }
}

/// The threads of one search.
pub struct Team<S> {
    /// The open split points, in no order.
    open: Mutex<Vec<Arc<S>>>,
    /// A split point was opened, a helper left one, or the search is over.
    changed: Condvar,
    /// Number of threads that wait for `changed`.
    waiting: AtomicUsize,
    /// Number of split points opened since the start.
    opened: AtomicUsize,
    over: AtomicBool,
    /// The counters and the deepest ply of the helpers, up to the last split point that each has
    /// left.
    counted: Mutex<(Counters, u8)>,
}

/// Locks even if another thread panicked while it held the lock: the data are always consistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `search` with a context whose helpers are the spare threads of the budget. `trace` records
/// the nodes of this thread only.
pub fn with_helpers<P: Policy, T>(
    threads: &ThreadBudget,
    policy: &P,
    table: Option<&Table>,
    control: &SearchControl,
    trace: Option<&mut dyn Trace>,
    search: impl FnOnce(Context<'_, P>) -> T,
) -> T {
    let mut cx = Context::new(policy, table, control);
    cx.record(trace);
    if threads.is_one() {
        return search(cx);
    }
    let team = Team::default();
    let help = || {
        let mut cx = Context {
            team: Some(&team),
            ..Context::new(policy, table, control)
        };
        cx.stop.count_as_helper();
        team.help(&mut cx);
    };
    team.run(threads, &help, || {
        search(Context {
            team: Some(&team),
            ..cx
        })
    })
}

/// Ends the work of the helpers, even if the search panics.
struct EndOfSearch<'t, S> {
    team: &'t Team<S>,
    threads: &'t ThreadBudget,
}

impl<S> Drop for EndOfSearch<'_, S> {
    fn drop(&mut self) {
        self.team.end();
        self.threads.wake();
    }
}

/// Starts a search thread. Returns `false` if the system cannot create one.
fn start<'s>(scope: &'s Scope<'s, '_>, work: impl FnOnce() + Send + 's) -> bool {
    let started = thread::Builder::new()
        .name("search".into())
        .stack_size(STACK)
        .spawn_scoped(scope, work);
    if let Err(error) = &started {
        log::warn!(target: SEARCH, "cannot start another search thread: {error}");
    }
    started.is_ok()
}

/// Searches the remaining moves of a non-PV node, in order, together with idle threads. `first` is
/// the score of the move already searched, if any. Returns the best score and its move,
/// [`Move::NONE`] for the move already searched.
///
/// # Errors
/// The search was stopped, or a split point above was closed.
#[inline(never)]
pub fn search_rest<P: Policy>(
    cx: &mut Context<'_, P>,
    team: &Team<Split<P>>,
    moves: Vec<(Move, P::Node)>,
    first: Option<Score>,
    window: Window,
    params: SearchParams,
) -> Result<(Score, Move), Stopped> {
    let point = SplitRef::new(SplitPoint::new(
        cx.stop.split.clone(),
        params.depth,
        moves.len(),
        first.unwrap_or(-Score::INFINITE),
        window.beta,
    ));
    let split = Arc::new(Split {
        point,
        moves,
        searched: usize::from(first.is_some()),
        window,
        params,
        step: cx.step,
    });
    let searched = team.search(cx, &split);
    let (best, index) = split.best();
    if best < window.beta {
        searched?;
    }
    Ok((best, index.map_or(Move::NONE, |index| split.moves[index].0)))
}

impl<P: Policy> TeamMember for Context<'_, P> {
    type Split = Split<P>;

    fn search_moves(&mut self, split: &Split<P>) -> Result<(), Stopped> {
        let Split {
            point,
            moves,
            searched,
            window,
            params,
            step,
        } = split;
        let outer = self.stop.set_split_point(Some(point.clone()));
        self.step = *step;
        let mut result = Ok(());
        while let Some(index) = point.take() {
            let (m, child) = &moves[index];
            let below = params.child(P::Game::cost(*m));
            let number = searched + index;
            let reduction = if params.ply == 0 {
                self.stop.control.begin_root_move(params.depth, *m, number);
                0
            } else {
                self.policy.reduction(child, below, number)
            };
            match null_window(self, *m, child, *window, below, reduction) {
                Ok(score) => point.report(index, score),
                Err(stopped) => {
                    result = Err(stopped);
                    break;
                }
            }
        }
        self.stop.set_split_point(outer);
        result
    }

    fn check(&mut self) -> Result<(), Stopped> {
        self.test()
    }

    fn take_counters(&mut self) -> (Counters, u8) {
        self.publish_counters()
    }
}

impl<S> Default for Team<S> {
    fn default() -> Self {
        Team {
            open: Mutex::default(),
            changed: Condvar::new(),
            waiting: AtomicUsize::new(0),
            opened: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            counted: Mutex::default(),
        }
    }
}

impl<S> Team<S> {
    /// Ends the work of the helpers.
    pub fn end(&self) {
        self.over.store(true, Ordering::SeqCst);
        let _open = lock(&self.open);
        self.changed.notify_all();
    }

    /// The counters of the helpers; complete while no split point is open.
    pub fn counted(&self) -> (Counters, u8) {
        *lock(&self.counted)
    }
}

impl<S: Deref<Target = SplitPoint> + Send + Sync> Team<S> {
    /// Runs `search`, and `help` on every thread that is or becomes spare, until the search is
    /// over.
    pub fn run<T>(
        &self,
        threads: &ThreadBudget,
        help: &(impl Fn() + Sync),
        search: impl FnOnce() -> T,
    ) -> T {
        thread::scope(|scope| {
            let _end = EndOfSearch {
                team: self,
                threads,
            };
            let helper = move || {
                help();
                threads.give_back();
            };
            let recruit = move || {
                let mut helpers = 0;
                while threads.take(helpers, &self.over) {
                    helpers += 1;
                    if !start(scope, helper) {
                        return threads.give_back();
                    }
                }
            };
            start(scope, recruit);
            search()
        })
    }

    /// Searches a split point together with idle threads. Called by its owner.
    ///
    /// # Errors
    /// The split point is closed: a score was at least beta, or a stop has left a move unsearched.
    pub fn search<W: TeamMember<Split = S>>(
        &self,
        owner: &mut W,
        split: &Arc<S>,
    ) -> Result<(), Stopped> {
        self.open(split.clone());
        let result = owner.search_moves(split);
        self.close(owner, split, result)
    }

    /// Offers a split point to idle threads.
    fn open(&self, split: Arc<S>) {
        lock(&self.open).push(split);
        self.opened.fetch_add(1, Ordering::SeqCst);
        if self.waiting.load(Ordering::SeqCst) > 0 {
            self.changed.notify_all();
        }
    }

    /// Joins the split point of the greatest depth that has moves left, among those below `above`.
    fn join(open: &[Arc<S>], above: Option<&SplitPoint>) -> Option<Arc<S>> {
        let below = |split: &&Arc<S>| above.is_none_or(|above| split.is_below(above));
        let useful = open.iter().filter(|split| split.has_moves()).filter(below);
        let split = useful.max_by_key(|split| split.depth)?;
        split.join();
        Some(split.clone())
    }

    /// Spins until a split point is opened or `done` returns true, for a limited time: sleeping and
    /// waking take longer.
    fn spin(&self, done: impl Fn() -> bool) {
        let opened = self.opened.load(Ordering::Relaxed);
        for _ in 0..SPINS {
            if done()
                || self.opened.load(Ordering::Relaxed) != opened
                || self.over.load(Ordering::Relaxed)
            {
                return;
            }
            spin_loop();
        }
    }

    /// A helper's work: joins split points until the search is over.
    pub fn help<W: TeamMember<Split = S>>(&self, helper: &mut W) {
        loop {
            self.spin(|| false);
            let mut open = lock(&self.open);
            self.waiting.fetch_add(1, Ordering::SeqCst);
            let split = loop {
                if self.over.load(Ordering::SeqCst) {
                    helper.take_counters(); // publishes the CPU time, including that of waiting
                    return;
                }
                if let Some(split) = Self::join(&open, None) {
                    break split;
                }
                open = self
                    .changed
                    .wait(open)
                    .unwrap_or_else(PoisonError::into_inner);
            };
            self.waiting.fetch_sub(1, Ordering::SeqCst);
            drop(open);
            Self::assist(helper, &split);
            let (counters, deepest) = helper.take_counters();
            let mut counted = lock(&self.counted);
            counted.0 += counters;
            counted.1 = counted.1.max(deepest);
            drop(counted);
            self.leave(&split);
        }
    }

    /// Searches moves of a split point as a helper. A stop closes it, as its result is incomplete.
    fn assist<W: TeamMember<Split = S>>(helper: &mut W, split: &S) {
        if helper.search_moves(split).is_err() {
            split.close();
        }
    }

    fn leave(&self, split: &S) {
        split.leave();
        if self.waiting.load(Ordering::SeqCst) > 0 {
            let _open = lock(&self.open);
            self.changed.notify_all();
        }
    }

    /// Waits until no helper works on the split point of the owner. Meanwhile, joins split points
    /// below it.
    fn close<W: TeamMember<Split = S>>(
        &self,
        owner: &mut W,
        split: &Arc<S>,
        mut result: Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        loop {
            result = result.and_then(|()| owner.check());
            if result.is_err() {
                split.close();
            }
            self.spin(|| split.helpers() == 0);
            let mut open = lock(&self.open);
            self.waiting.fetch_add(1, Ordering::SeqCst);
            let below = loop {
                if split.helpers() == 0 {
                    self.waiting.fetch_sub(1, Ordering::SeqCst);
                    open.retain(|other| !Arc::ptr_eq(other, split));
                    return if split.is_closed() {
                        result.and(Err(Stopped::Limit))
                    } else {
                        result
                    };
                }
                if let Some(below) = Self::join(&open, Some(split)) {
                    break Some(below);
                }
                let (guard, waited) = self
                    .changed
                    .wait_timeout(open, POLL)
                    .unwrap_or_else(PoisonError::into_inner);
                open = guard;
                if waited.timed_out() {
                    break None;
                }
            };
            self.waiting.fetch_sub(1, Ordering::SeqCst);
            drop(open);
            if let Some(below) = below {
                Self::assist(owner, &below);
                self.leave(&below);
            }
        }
    }
}
