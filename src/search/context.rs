//! What a running search carries: its counters, the reasons to stop, the table, the trace, and the policy's state.
//!
//! A search function starts with [`SearchCore::enter`], which counts the node and leaves by `Err(Stopped)` when a limit is
//! reached; `?` carries the stop to the root, and no half-searched value is stored on the way.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::score::Score;

use super::deepening::Reading;
use super::policy::Policy;
use super::table::Table;
use super::trace::{Trace, Tracer};

/// How many nodes pass between two looks at the stop flag and the clock.
const CHECK_EVERY: u64 = 1_000;

/// The search was stopped: by its user, the clock or the node limit. Whatever it was about to return is not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

/// What a search shares with those who watch it: a flag to stop it, how far it has come, and whether it ponders.
#[derive(Debug, Default)]
pub struct Watch {
    stop: AtomicBool,
    nodes: AtomicU64,
    /// Microseconds from the start of the search during which its clock did not run; [`PONDERING`]: it does not run yet.
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

/// What a search counts. A node is one entry into a search function: root, leaf, pass, finished position, and each
/// re-search again. A leaf evaluation is every call of an evaluation and every finished game whose score is taken.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counters {
    /// Entries into search functions.
    pub nodes: u64,
    /// Evaluations called and finished games scored.
    pub leaves: u64,
    /// Null-window searches started at the root, or from a node with a wider window.
    pub null_windows: u64,
    /// Null-window answers that had to be searched again with a wider window.
    pub re_searches: u64,
    /// Nodes that a table entry finished.
    pub table_hits: u64,
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
    /// Whether the time is up. Time spent pondering counts as time of the move: who has pondered for longer than the move
    /// should take answers at once.
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

/// What every running search carries, textbook or production: counters, table, trace, and the reasons to stop.
pub struct SearchCore<'a> {
    /// The transposition table, if one is used.
    pub table: Option<&'a Table>,
    /// What has been counted so far.
    pub counters: Counters,
    /// The largest distance from the root reached, in plies.
    pub deepest: u8,
    /// The null-window step: two different scores of this search differ by at least so much.
    pub step: i32,
    /// What records the tree, if anything does.
    pub trace: Tracer<'a>,
    watch: &'a Watch,
    budget: Budget,
    next_check: u64,
}

impl<'a> SearchCore<'a> {
    /// A search that records nothing and ends only by the watch's stop flag.
    pub fn new(table: Option<&'a Table>, watch: &'a Watch) -> Self {
        SearchCore {
            table,
            counters: Counters::default(),
            deepest: 0,
            step: 1,
            trace: Tracer::default(),
            watch,
            budget: Budget::default(),
            next_check: 0,
        }
    }

    /// Records the tree that it searches.
    pub fn record(&mut self, trace: &'a mut dyn Trace) {
        self.trace = Tracer::on(trace);
    }

    /// Sets when the search ends by itself.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
        self.next_check = 0;
    }

    /// Counts a node `ply` plies from the root; fails when the search has to stop.
    #[inline(always)]
    pub fn enter(&mut self, ply: u8) -> Result<(), Stopped> {
        self.deepest = self.deepest.max(ply);
        self.enter_many(1)
    }

    /// Counts `nodes` positions that a kernel visited by itself; fails when the search has to stop.
    #[inline(always)]
    pub fn enter_many(&mut self, nodes: u64) -> Result<(), Stopped> {
        self.counters.nodes += nodes;
        if self.counters.nodes >= self.next_check { self.check() } else { Ok(()) }
    }

    /// How many more nodes the budget allows; all there are if it does not limit them.
    #[inline(always)]
    pub fn nodes_left(&self) -> u64 {
        self.budget.nodes.map_or(u64::MAX, |limit| limit.saturating_sub(self.counters.nodes))
    }

    /// What stands on the instruments.
    pub fn reading(&self) -> Reading {
        let hashfull = self.table.map_or(0, Table::hashfull);
        Reading { counters: self.counters, deepest: self.deepest, hashfull }
    }

    /// Counts a leaf evaluation and hands the score through.
    #[inline(always)]
    pub fn leaf(&mut self, score: Score) -> Score {
        self.counters.leaves += 1;
        score
    }

    /// Looks at the stop flag, the node limit and the clock, and says when to look again.
    #[cold]
    #[inline(never)]
    pub fn check(&mut self) -> Result<(), Stopped> {
        let nodes = self.counters.nodes;
        self.watch.count(nodes);
        let out_of_nodes = self.budget.nodes.is_some_and(|limit| nodes > limit);
        if self.watch.stopped() || out_of_nodes || self.budget.is_late(self.watch) {
            self.next_check = 0; // every later node stops too
            return Err(Stopped);
        }
        let limit = self.budget.nodes.map_or(u64::MAX, |limit| limit + 1);
        self.next_check = (nodes + CHECK_EVERY).min(limit);
        Ok(())
    }
}

/// The context of the production search: one thread's.
pub struct Context<'a, P: Policy> {
    /// How it plays the game.
    pub policy: &'a P,
    /// What the policy keeps for this thread from node to node, such as the caches of its kernels.
    pub state: P::State,
    core: SearchCore<'a>,
}

impl<'a, P: Policy> Context<'a, P> {
    /// A context that records nothing and ends only by the watch's stop flag.
    pub fn new(policy: &'a P, table: Option<&'a Table>, watch: &'a Watch) -> Self {
        Context { policy, state: P::State::default(), core: SearchCore::new(table, watch) }
    }
}

impl<'a, P: Policy> Deref for Context<'a, P> {
    type Target = SearchCore<'a>;

    #[inline(always)]
    fn deref(&self) -> &SearchCore<'a> {
        &self.core
    }
}

impl<P: Policy> DerefMut for Context<'_, P> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.core
    }
}
