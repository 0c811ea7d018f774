//! When a search stops: on request, at a node limit or at a time limit. [`StopCheck`] tests all three every
//! [`CHECK_EVERY`] nodes; the production loop, the textbook searches and exact solvers stop by it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::game::Move;
use crate::platform::cpu_time::thread_time;

use super::parallel::split_point::SplitRef;

/// Nodes between two tests of the stop flag and the clock.
const CHECK_EVERY: u64 = 1_000;

/// Why a search has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)] // as large as a score, so that a result of either is returned in two registers
pub enum Stopped {
    /// It was stopped: on request, at a node limit or at a time limit.
    Limit,
    /// Another thread proved that the result is not needed: a cutoff at a split point above.
    SiblingCutoff,
}

/// What a search shares with the thread that controls it: the stop flag, the node count, and whether it ponders.
#[derive(Debug)]
pub struct SearchControl {
    stop: AtomicBool,
    nodes: AtomicU64,
    /// Nodes of helpers.
    helper_nodes: AtomicU64,
    /// The node limit, for helpers: it counts the nodes of all threads.
    node_limit: AtomicU64,
    /// CPU time of helpers, in nanoseconds.
    helper_time: AtomicU64,
    /// Microseconds from the start of the search to `ponderhit`; [`PONDERING`] before that.
    held: AtomicU64,
    /// The root move that some thread began last ([`RootMoveNumber::pack`]).
    root_move: AtomicU64,
}

/// A root move in the order of search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RootMoveNumber {
    /// Depth of the iteration.
    pub depth: u8,
    /// The move.
    pub m: Move,
    /// Its number, from 1.
    pub number: u8,
}

impl RootMoveNumber {
    /// Packed; never 0.
    fn pack(self) -> u64 {
        u64::from(self.m.bits()) << 16 | u64::from(self.depth) << 8 | u64::from(self.number)
    }

    fn unpack(bits: u64) -> Option<RootMoveNumber> {
        let m = Move::from_bits((bits >> 16) as u16);
        (bits != 0).then_some(RootMoveNumber { depth: (bits >> 8) as u8, m, number: bits as u8 })
    }
}

impl Default for SearchControl {
    fn default() -> Self {
        SearchControl {
            stop: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            helper_nodes: AtomicU64::new(0),
            node_limit: AtomicU64::new(u64::MAX),
            helper_time: AtomicU64::new(0),
            held: AtomicU64::new(0),
            root_move: AtomicU64::new(0),
        }
    }
}

/// The search ponders: its clock does not run yet.
const PONDERING: u64 = u64::MAX;

impl SearchControl {
    /// Sets the stop flag; the search stops within about a thousand nodes.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether the search was asked to stop.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Starts to ponder: no time limit counts until [`SearchControl::ponder_hit`].
    pub fn ponder(&self) {
        self.held.store(PONDERING, Ordering::Relaxed);
    }

    /// Starts the clock, `held` after the start of the search.
    pub fn ponder_hit(&self, held: Duration) {
        let micros = u64::try_from(held.as_micros()).unwrap_or(PONDERING - 1).min(PONDERING - 1);
        self.held.store(micros, Ordering::Relaxed);
    }

    /// How long the search pondered; `None` while it still does.
    pub fn held(&self) -> Option<Duration> {
        match self.held.load(Ordering::Relaxed) {
            PONDERING => None,
            micros => Some(Duration::from_micros(micros)),
        }
    }

    /// Publishes the root move that a thread begins.
    pub fn begin_root_move(&self, depth: u8, m: Move, index: usize) {
        let number = u8::try_from(index + 1).unwrap_or(u8::MAX);
        self.root_move.store(RootMoveNumber { depth, m, number }.pack(), Ordering::Relaxed);
    }

    /// The root move that some thread began last.
    pub fn root_move(&self) -> Option<RootMoveNumber> {
        RootMoveNumber::unpack(self.root_move.load(Ordering::Relaxed))
    }

    /// Publishes the nodes visited so far by the search's own thread.
    pub fn count(&self, nodes: u64) {
        self.nodes.store(nodes, Ordering::Relaxed);
    }

    /// The nodes published last, over all threads.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed) + self.helper_nodes()
    }

    /// The nodes of helpers published last; all of them while no split point is open.
    pub fn helper_nodes(&self) -> u64 {
        self.helper_nodes.load(Ordering::Relaxed)
    }

    /// The CPU time of helpers published last; all of it when the search is over.
    pub fn helper_time(&self) -> Duration {
        Duration::from_nanos(self.helper_time.load(Ordering::Relaxed))
    }
}

/// The limits of a search.
#[derive(Clone, Copy, Default, Debug)]
pub struct Budget {
    /// Stop after this many nodes; each thread visits at most a thousand more.
    pub nodes: Option<u64>,
    /// Stop at this time.
    pub deadline: Option<Instant>,
    /// Stop at `ponderhit` if the search pondered for longer than this.
    pub target: Option<Duration>,
    /// Stop when this thread since it began, and the helpers, have used so much CPU time.
    pub thread_time: Option<Duration>,
    /// Nodes beyond all limits, once, for the principal variation of a proven result ([`StopCheck::begin_line`]).
    pub line_nodes: u64,
}

impl Budget {
    /// Whether a search that has visited `nodes` nodes has to stop.
    #[inline]
    pub fn is_spent(&self, control: &SearchControl, nodes: u64) -> bool {
        control.stopped() || self.nodes.is_some_and(|limit| nodes > limit) || self.is_late(control)
    }

    /// Whether the time is up. Time spent pondering counts as time of the move.
    #[inline]
    pub fn is_late(&self, control: &SearchControl) -> bool {
        let late = |deadline: Instant| {
            control.held().is_some_and(|held| {
                Instant::now() >= deadline || (!held.is_zero() && self.target.is_some_and(|target| held >= target))
            })
        };
        self.deadline.is_some_and(late)
            || self.thread_time.is_some_and(|limit| thread_time() + control.helper_time() >= limit)
    }
}

/// Tells a search when to stop; the search counts its nodes itself.
#[derive(Clone, Debug)]
pub struct StopCheck<'a> {
    control: &'a SearchControl,
    budget: Budget,
    /// The node count of the next test.
    next_check: u64,
    /// The node count at which the node limit is reached if no other thread visits nodes. At least `next_check - 1`:
    /// a kernel that was cut off there is tested, and stopped.
    last_node: u64,
    /// Whether no other thread has had a part in the search.
    is_alone: bool,
    /// After a search alone had to stop: the nodes that it visited before.
    ended_at: u64,
    /// The split point that this thread is at work on.
    split: Option<SplitRef>,
    /// Of a helper: what it has published.
    published: Option<HelperCounts>,
    /// Whether the principal variation of a proven result is searched.
    in_line: bool,
    /// Whether a limit was reached in the present variation, which then has [`Budget::line_nodes`] more.
    is_extended: bool,
}

/// What a helper has published of its work.
#[derive(Clone, Copy, Default, Debug)]
struct HelperCounts {
    nodes: u64,
    time: Duration,
    /// Calls since the CPU time was published.
    calls: u32,
}

/// A helper publishes its CPU time, which takes a system call, each time it has published its nodes so often.
const TIME_EVERY: u32 = 32;

impl<'a> StopCheck<'a> {
    /// A check with this budget; the first call tests.
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

    /// What the search shares with the thread that controls it.
    pub const fn control(&self) -> &'a SearchControl {
        self.control
    }

    /// Replaces the budget; the next call tests.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
        (self.next_check, self.ended_at) = (0, u64::MAX);
    }

    /// Begins the search for the principal variation of a proven result. The first limit that it reaches is replaced by
    /// a limit of [`Budget::line_nodes`] more nodes, so that the search goes on as if it had that limit from the start.
    pub fn begin_line(&mut self) {
        self.in_line = true;
        self.next_check = 0;
    }

    /// Ends it, after `nodes` nodes: a search whose limit was replaced visits no further node.
    pub fn end_line(&mut self, nodes: u64) {
        self.in_line = false;
        if std::mem::take(&mut self.is_extended) {
            let total = nodes + self.control.helper_nodes();
            let limit = self.budget.nodes.map_or(total, |limit| limit.min(total));
            self.budget = Budget { nodes: Some(limit), ..Budget::default() };
            self.next_check = 0;
        }
    }

    /// The nodes of a search that has counted so many. A search alone that is limited to them ends in the same state:
    /// the node at which it has to stop is not visited, nor are those of a kernel that it interrupts.
    pub fn visited(&self, nodes: u64) -> u64 {
        nodes.min(self.ended_at)
    }

    /// Gives the node limit to the helpers of this search too.
    pub fn limit_helpers(&self) {
        self.control.node_limit.store(self.budget.nodes.unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Nodes that a kernel may visit before the next [`StopCheck::check`], which then tests: those left in the budget,
    /// or those to the next test if other threads visit nodes too.
    #[inline(always)]
    pub fn nodes_left(&self, nodes: u64) -> u64 {
        let last = if self.split.is_some() { self.next_check } else { self.last_node };
        last.saturating_sub(nodes)
    }

    /// Whether a search that has visited `nodes` nodes is due for a [`StopCheck::test`].
    #[inline(always)]
    pub fn is_due(&self, nodes: u64) -> bool {
        nodes >= self.next_check
    }

    /// Fails when a search that has visited `nodes` nodes has to stop.
    #[inline(always)]
    pub fn check(&mut self, nodes: u64) -> Result<(), Stopped> {
        if self.is_due(nodes) { self.test(nodes) } else { Ok(()) }
    }

    /// [`StopCheck::check`] at once.
    #[cold]
    #[inline(never)]
    pub fn test(&mut self, nodes: u64) -> Result<(), Stopped> {
        self.publish(nodes);
        self.next_check = 0; // so that every later node stops too
        let (total, limit) = match self.published {
            Some(_) => (self.control.nodes(), self.control.node_limit.load(Ordering::Relaxed)),
            None => (nodes + self.control.helper_nodes(), self.budget.nodes.unwrap_or(u64::MAX)),
        };
        let is_spent = total > limit || (!self.is_extended && self.budget.is_spent(self.control, total));
        if is_spent && self.in_line && self.budget.line_nodes > 0 {
            // The node at which it has to stop is not visited yet.
            let limit = total.saturating_sub(1).min(limit).saturating_add(self.budget.line_nodes);
            self.budget = Budget { nodes: Some(limit), ..Budget::default() };
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

    /// The split point that this thread is at work on.
    pub fn split_point(&self) -> Option<SplitRef> {
        self.split.clone()
    }

    /// Sets the split point that this thread is at work on; returns the last one.
    pub fn set_split_point(&mut self, split: Option<SplitRef>) -> Option<SplitRef> {
        self.is_alone &= split.is_none();
        std::mem::replace(&mut self.split, split)
    }

    /// Counts nodes as those of a helper: its thread began with this search.
    pub fn count_as_helper(&mut self) {
        self.published = Some(HelperCounts::default());
    }

    /// Publishes what a helper has counted; its node count begins anew.
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

    /// Publishes the nodes visited so far, and from time to time a helper's CPU time.
    fn publish(&mut self, nodes: u64) {
        let Some(published) = &mut self.published else { return self.control.count(self.visited(nodes)) };
        self.control.helper_nodes.fetch_add(nodes - published.nodes, Ordering::Relaxed);
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
