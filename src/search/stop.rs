//! Stop conditions: a request, a node limit or a time limit. The production search, the textbook
//! searches and the exact solvers test them every [`CHECK_EVERY`] nodes by [`StopCheck`].

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::game::Move;
use crate::platform::clock::{Instant, is_stop_requested};
use crate::platform::cpu_time::thread_time;

use super::core::parallel::split_point::SplitRef;

/// Nodes between tests of the stop flag and the clock.
const CHECK_EVERY: u64 = 1_000;

/// The reason why a search returns no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)] // the size of a score, so that `Result<Score, Stopped>` fits two registers
pub enum Stopped {
    /// The search was stopped: a request, a node limit or a time limit.
    Limit,
    /// Another thread found a cutoff at a split point above, so the result is not needed.
    SiblingCutoff,
}

/// The state that a search shares with its controlling thread: stop flag, node count, ponder state.
#[derive(Debug)]
pub struct SearchControl {
    stop: AtomicBool,
    /// See [`SearchControl::after_first_iteration`].
    may_defer: bool,
    /// Whether the stop flag and time limits have no effect yet.
    defers_stops: AtomicBool,
    nodes: AtomicU64,
    /// Node count of the helpers.
    helper_nodes: AtomicU64,
    /// The node limit, for helpers: it counts the nodes of all threads.
    node_limit: AtomicU64,
    /// CPU time of helpers, in nanoseconds.
    helper_time: AtomicU64,
    /// Microseconds from the start of the search to `ponderhit`; [`PONDERING`] before that.
    pondered: AtomicU64,
    /// The root move that was started last, by any thread.
    root_move: Mutex<Option<RootMoveNumber>>,
}

/// A root move in the order of search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RootMoveNumber {
    /// Depth of the iteration.
    pub depth: u8,
    /// The move.
    pub m: Move,
    /// Its number, from 1.
    pub number: usize,
}

impl Default for SearchControl {
    fn default() -> Self {
        SearchControl {
            stop: AtomicBool::new(false),
            may_defer: false,
            defers_stops: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            helper_nodes: AtomicU64::new(0),
            node_limit: AtomicU64::new(u64::MAX),
            helper_time: AtomicU64::new(0),
            pondered: AtomicU64::new(0),
            root_move: Mutex::default(),
        }
    }
}

/// The search is pondering: its clock is not running.
const PONDERING: u64 = u64::MAX;

impl SearchControl {
    /// Sets the stop flag; the search stops within about a thousand nodes. The flag stays set: the
    /// next search needs a new control.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether the stop flag is set.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || is_stop_requested()
    }

    /// A control whose stop flag and time limits take effect only after a shallow first iteration, so
    /// that a move is always searched.
    pub(crate) fn after_first_iteration() -> SearchControl {
        SearchControl {
            may_defer: true,
            ..SearchControl::default()
        }
    }

    /// `is_first`: it is a shallow first iteration.
    pub(super) fn begin_iteration(&self, is_first: bool) {
        self.defers_stops
            .store(self.may_defer && is_first, Ordering::Relaxed);
    }

    /// Starts pondering: time limits do not apply until [`SearchControl::ponder_hit`].
    #[doc(hidden)]
    pub fn ponder(&self) {
        self.pondered.store(PONDERING, Ordering::Relaxed);
    }

    /// Starts the clock, `pondered` after the start of the search.
    #[doc(hidden)]
    pub fn ponder_hit(&self, pondered: Duration) {
        let micros = u64::try_from(pondered.as_micros())
            .unwrap_or(PONDERING - 1)
            .min(PONDERING - 1);
        self.pondered.store(micros, Ordering::Relaxed);
    }

    /// The time spent pondering; `None` while pondering.
    #[doc(hidden)]
    pub fn ponder_time(&self) -> Option<Duration> {
        match self.pondered.load(Ordering::Relaxed) {
            PONDERING => None,
            micros => Some(Duration::from_micros(micros)),
        }
    }

    /// Publishes the root move that a thread starts.
    #[doc(hidden)]
    pub fn begin_root_move(&self, depth: u8, m: Move, index: usize) {
        let number = index + 1;
        *self.lock_root_move() = Some(RootMoveNumber { depth, m, number });
    }

    /// The root move that was started last, by any thread.
    #[doc(hidden)]
    pub fn root_move(&self) -> Option<RootMoveNumber> {
        *self.lock_root_move()
    }

    fn lock_root_move(&self) -> MutexGuard<'_, Option<RootMoveNumber>> {
        self.root_move
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes the node count of the main search thread.
    #[doc(hidden)]
    pub fn count(&self, nodes: u64) {
        self.nodes.store(nodes, Ordering::Relaxed);
    }

    /// The last published node count of all threads.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed) + self.helper_nodes()
    }

    /// The last published node count of the helpers; complete while no split point is open.
    #[doc(hidden)]
    pub fn helper_nodes(&self) -> u64 {
        self.helper_nodes.load(Ordering::Relaxed)
    }

    /// The last published CPU time of the helpers; complete when the search is over.
    #[doc(hidden)]
    pub fn helper_time(&self) -> Duration {
        Duration::from_nanos(self.helper_time.load(Ordering::Relaxed))
    }
}

/// The limits of a search that a thread tests while it searches; of a move, made by [`Budget::new`]
/// (`time.rs`).
#[derive(Clone, Copy, Default, Debug)]
pub struct Budget {
    /// Stop after this many nodes; each thread visits at most a thousand more.
    pub nodes: Option<u64>,
    /// Stop at this time.
    pub deadline: Option<Instant>,
    /// The time the move should take; `None`: up to the deadline. A search that has pondered for
    /// longer stops at `ponderhit`.
    pub target: Option<Duration>,
    /// Stop when the thread (since its start) and the helpers have used this much CPU time.
    pub thread_time: Option<Duration>,
    /// Extra nodes, granted once, for the PV of a proven result ([`StopCheck::begin_line`]).
    pub line_nodes: u64,
}

impl Budget {
    /// Whether a search with this node count has to stop.
    #[inline]
    pub fn is_spent(&self, control: &SearchControl, nodes: u64) -> bool {
        self.nodes.is_some_and(|limit| nodes > limit)
            || !control.defers_stops.load(Ordering::Relaxed)
                && (control.stopped() || self.is_late(control))
    }

    /// Whether a time limit is reached. Ponder time counts as time of the move.
    #[inline]
    pub fn is_late(&self, control: &SearchControl) -> bool {
        let late = |deadline: Instant| {
            control.ponder_time().is_some_and(|pondered| {
                Instant::now() >= deadline
                    || (!pondered.is_zero() && self.target.is_some_and(|target| pondered >= target))
            })
        };
        self.deadline.is_some_and(late)
            || self
                .thread_time
                .is_some_and(|limit| thread_time() + control.helper_time() >= limit)
    }
}

/// Tests the stop conditions of one thread, which counts its own nodes.
#[derive(Clone, Debug)]
pub struct StopCheck<'a> {
    /// The state shared with the controlling thread.
    pub control: &'a SearchControl,
    budget: Budget,
    /// The node count of the next test.
    next_check: u64,
    /// The node count at which the node limit is reached if no other thread visits nodes. At least
    /// `next_check - 1`, so that a kernel interrupted there is tested and stopped.
    last_node: u64,
    /// Whether no other thread has taken part in the search.
    is_alone: bool,
    /// Once a single-threaded search had to stop: its node count before that.
    ended_at: u64,
    /// The split point that this thread works on.
    pub split: Option<SplitRef>,
    /// For a helper: the counts already published.
    published: Option<HelperCounts>,
    /// Whether the search reconstructs the PV of a proven result.
    in_line: bool,
    /// Whether a limit was reached in the current PV, which then gets [`Budget::line_nodes`] more.
    is_extended: bool,
}

/// The counts that a helper has published.
#[derive(Clone, Copy, Default, Debug)]
struct HelperCounts {
    nodes: u64,
    time: Duration,
    /// Calls since the CPU time was published.
    calls: u32,
}

/// A helper publishes its CPU time once per this many publications of its nodes, since that takes a
/// system call.
const TIME_EVERY: u32 = 32;

impl<'a> StopCheck<'a> {
    /// The first call of [`StopCheck::check`] tests.
    pub const fn new(control: &'a SearchControl, budget: Budget) -> Self {
        StopCheck {
            control,
            budget,
            next_check: 0,
            last_node: u64::MAX,
            is_alone: true,
            ended_at: u64::MAX,
            split: None,
            published: None,
            in_line: false,
            is_extended: false,
        }
    }

    /// Replaces the budget, also of the helpers; the next call tests.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
        (self.next_check, self.ended_at) = (0, u64::MAX);
        self.control
            .node_limit
            .store(budget.nodes.unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Begins the reconstruction of the PV of a proven result. The first limit that it reaches is
    /// replaced by a limit of [`Budget::line_nodes`] more nodes, as if that limit had been set from
    /// the start.
    pub fn begin_line(&mut self) {
        self.in_line = true;
        self.next_check = 0;
    }

    /// Ends the reconstruction, at this node count. If its limit was replaced, the search visits no
    /// further node.
    pub fn end_line(&mut self, nodes: u64) {
        self.in_line = false;
        if std::mem::take(&mut self.is_extended) {
            let total = nodes + self.control.helper_nodes();
            let limit = self.budget.nodes.map_or(total, |limit| limit.min(total));
            self.budget = Budget {
                nodes: Some(limit),
                ..Budget::default()
            };
            self.next_check = 0;
        }
    }

    /// The number of nodes visited, for this node count. It excludes the node at which the search
    /// had to stop and those of an interrupted kernel, so that a single-threaded search limited to
    /// the result ends in the same state.
    pub fn visited(&self, nodes: u64) -> u64 {
        nodes.min(self.ended_at)
    }

    /// Nodes that a kernel may visit before the next [`StopCheck::check`], which then tests: the
    /// rest of the budget, or the nodes up to the next test if other threads visit nodes too.
    #[inline(always)]
    pub fn nodes_left(&self, nodes: u64) -> u64 {
        let last = if self.split.is_some() {
            self.next_check
        } else {
            self.last_node
        };
        last.saturating_sub(nodes)
    }

    /// Whether the node limit allows one more node after this count.
    pub fn allows_node(&self, nodes: u64) -> bool {
        let total = nodes + self.control.helper_nodes();
        self.budget.nodes.is_none_or(|limit| total < limit)
    }

    /// Whether a [`StopCheck::test`] is due at this node count.
    #[inline(always)]
    pub fn is_due(&self, nodes: u64) -> bool {
        nodes >= self.next_check
    }

    /// Returns an error if a search with this node count has to stop.
    #[inline(always)]
    pub fn check(&mut self, nodes: u64) -> Result<(), Stopped> {
        if self.is_due(nodes) {
            self.test(nodes)
        } else {
            Ok(())
        }
    }

    /// [`StopCheck::check`], due or not.
    #[cold]
    #[inline(never)]
    pub fn test(&mut self, nodes: u64) -> Result<(), Stopped> {
        self.publish(nodes);
        self.next_check = 0; // every later node stops, too
        let (total, limit) = match self.published {
            Some(_) => (
                self.control.nodes(),
                self.control.node_limit.load(Ordering::Relaxed),
            ),
            None => (
                nodes + self.control.helper_nodes(),
                self.budget.nodes.unwrap_or(u64::MAX),
            ),
        };
        let is_spent =
            total > limit || (!self.is_extended && self.budget.is_spent(self.control, total));
        if is_spent && self.in_line && self.budget.line_nodes > 0 {
            // The node at which it has to stop is not visited.
            let limit = total
                .saturating_sub(1)
                .min(limit)
                .saturating_add(self.budget.line_nodes);
            self.budget = Budget {
                nodes: Some(limit),
                ..Budget::default()
            };
            self.is_extended = true;
            return self.test(nodes);
        }
        if is_spent {
            if self.is_alone {
                self.ended_at = self.ended_at.min(nodes.saturating_sub(1)).min(limit);
                self.publish(nodes);
            }
            return Err(Stopped::Limit);
        }
        if self.split.as_ref().is_some_and(|split| split.is_closed()) {
            return Err(Stopped::SiblingCutoff);
        }
        let left = limit - total;
        self.last_node = nodes.saturating_add(left);
        self.next_check = nodes + left.saturating_add(1).min(CHECK_EVERY);
        Ok(())
    }

    /// Sets the split point that this thread works on. Returns the previous one.
    pub fn set_split_point(&mut self, split: Option<SplitRef>) -> Option<SplitRef> {
        self.is_alone &= split.is_none();
        std::mem::replace(&mut self.split, split)
    }

    /// Counts the nodes as a helper's. The thread must have started with this search.
    pub fn count_as_helper(&mut self) {
        self.published = Some(HelperCounts::default());
    }

    /// Publishes the counts of a helper. Its node count restarts at 0.
    pub fn end_of_split(&mut self, nodes: u64) {
        if let Some(published) = &mut self.published {
            published.calls = TIME_EVERY;
        }
        self.publish(nodes);
        if let Some(published) = &mut self.published {
            published.nodes = 0;
        }
        self.next_check = 0;
    }

    /// Publishes the node count and, at intervals, the CPU time of a helper.
    fn publish(&mut self, nodes: u64) {
        let Some(published) = &mut self.published else {
            return self.control.count(self.visited(nodes));
        };
        self.control
            .helper_nodes
            .fetch_add(nodes - published.nodes, Ordering::Relaxed);
        published.nodes = nodes;
        published.calls += 1;
        if published.calls > TIME_EVERY {
            let now = thread_time();
            let nanos = (now - published.time).as_nanos() as u64;
            self.control.helper_time.fetch_add(nanos, Ordering::Relaxed);
            (published.time, published.calls) = (now, 0);
        }
    }
}
