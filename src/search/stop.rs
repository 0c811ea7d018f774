//! When a search stops: by its user, a node limit or the clock. [`StopCheck`] looks at all three every [`CHECK_EVERY`]
//! nodes; the production loop, the textbook searches ([`super::context::Context`]) and exact solvers stop by it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// Nodes between two looks at the stop flag and the clock.
const CHECK_EVERY: u64 = 1_000;

/// The search was stopped: by its user, the clock or the node limit. Whatever it was about to return is not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

/// What a search shares with those who watch it: a flag to stop it, how far it has come, and whether it ponders.
#[derive(Debug, Default)]
pub struct Watch {
    stop: AtomicBool,
    nodes: AtomicU64,
    /// Microseconds from the start of the search during which its clock did not run; [`PONDERING`]: it does not run
    /// yet.
    held: AtomicU64,
}

/// The clock of the search does not run yet.
const PONDERING: u64 = u64::MAX;

impl Watch {
    /// Asks the search to stop; it does so within about a thousand nodes.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Holds the clock: no time limit counts until [`Watch::ponder_hit`].
    pub fn ponder(&self) {
        self.held.store(PONDERING, Ordering::Relaxed);
    }

    /// Lets the clock run, `held` after the start of the search.
    pub fn ponder_hit(&self, held: Duration) {
        let micros = u64::try_from(held.as_micros()).unwrap_or(PONDERING - 1).min(PONDERING - 1);
        self.held.store(micros, Ordering::Relaxed);
    }

    /// How long the clock was held; `None` while it still is.
    pub fn held(&self) -> Option<Duration> {
        match self.held.load(Ordering::Relaxed) {
            PONDERING => None,
            micros => Some(Duration::from_micros(micros)),
        }
    }

    /// Says how many nodes were visited so far.
    pub fn count(&self, nodes: u64) {
        self.nodes.store(nodes, Ordering::Relaxed);
    }

    /// Nodes visited, up to the last look at the clock.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }
}

/// Reasons for which a search ends by itself.
#[derive(Clone, Copy, Default, Debug)]
pub struct Budget {
    /// Stop after this many nodes; at most a thousand more are visited.
    pub nodes: Option<u64>,
    /// Stop when this moment has passed.
    pub deadline: Option<Instant>,
    /// Stop as soon as the clock runs if it was held for longer than this.
    pub target: Option<Duration>,
    /// Stop when the thread has used so much processor time since it began.
    pub thread_time: Option<Duration>,
}

impl Budget {
    /// Whether a search that has visited `nodes` nodes has to stop.
    #[inline]
    pub fn is_spent(&self, watch: &Watch, nodes: u64) -> bool {
        watch.stopped() || self.nodes.is_some_and(|limit| nodes > limit) || self.is_late(watch)
    }

    /// Whether the time is up. Time spent pondering counts as time of the move: who has pondered for longer than the
    /// move should take answers at once.
    #[inline]
    pub fn is_late(&self, watch: &Watch) -> bool {
        let late = |deadline: Instant| {
            watch.held().is_some_and(|held| {
                Instant::now() >= deadline || (!held.is_zero() && self.target.is_some_and(|target| held >= target))
            })
        };
        self.deadline.is_some_and(late) || self.thread_time.is_some_and(|limit| thread_time() >= limit)
    }
}

/// The processor time that this thread has used since it began.
pub fn thread_time() -> Duration {
    let used = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(used.tv_sec.max(0) as u64, used.tv_nsec as u32)
}

/// Counts no nodes itself, but looks at the reasons to stop whenever enough of them have been visited.
#[derive(Clone, Debug)]
pub struct StopCheck<'a> {
    watch: &'a Watch,
    budget: Budget,
    /// The node count at which to look next.
    next_check: u64,
}

impl<'a> StopCheck<'a> {
    /// A check whose first call looks.
    pub const fn new(watch: &'a Watch, budget: Budget) -> Self {
        StopCheck { watch, budget, next_check: 0 }
    }

    /// Sets when the search ends by itself; the next call looks.
    pub const fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
        self.next_check = 0;
    }

    /// How many more nodes the budget allows; [`u64::MAX`] if it does not limit them.
    #[inline(always)]
    pub fn nodes_left(&self, nodes: u64) -> u64 {
        self.budget.nodes.map_or(u64::MAX, |limit| limit.saturating_sub(nodes))
    }

    /// Fails when a search that has visited `nodes` nodes has to stop.
    #[inline(always)]
    pub fn check(&mut self, nodes: u64) -> Result<(), Stopped> {
        if nodes >= self.next_check { self.look(nodes) } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    fn look(&mut self, nodes: u64) -> Result<(), Stopped> {
        self.watch.count(nodes);
        if self.budget.is_spent(self.watch, nodes) {
            self.next_check = 0; // every later node stops too
            return Err(Stopped);
        }
        let limit = self.budget.nodes.map_or(u64::MAX, |limit| limit.saturating_add(1));
        self.next_check = (nodes + CHECK_EVERY).min(limit);
        Ok(())
    }
}
