//! The context of the production search: the policy, its per-thread state, and the state of every
//! search ([`SearchState`]).

use std::ops::{Deref, DerefMut};

use super::parallel::{Split, Team};
use super::policy::Policy;
use crate::search::state::SearchState;
use crate::search::stats::SearchStats;
use crate::search::stop::SearchControl;
use crate::search::table::Table;

/// The context of the production search, one per thread.
pub struct Context<'a, P: Policy> {
    /// The game's policy.
    pub policy: &'a P,
    /// The policy's per-thread state, such as the caches of its kernels.
    pub state: P::State,
    /// The threads of this search; `None` if it has but one.
    pub team: Option<&'a Team<Split<P>>>,
    pub(super) search: SearchState<'a>,
}

impl<'a, P: Policy> Context<'a, P> {
    /// A context without trace and limits: only the stop flag ends the search.
    pub fn new(policy: &'a P, table: Option<&'a Table>, control: &'a SearchControl) -> Self {
        Context::with_state(policy, P::State::default(), table, control)
    }

    /// The same with the state that an earlier search of this policy left.
    pub fn with_state(
        policy: &'a P,
        state: P::State,
        table: Option<&'a Table>,
        control: &'a SearchControl,
    ) -> Self {
        Context {
            policy,
            state,
            team: None,
            search: SearchState::new(table, control),
        }
    }

    /// The search state and the policy's state, borrowed together for a kernel.
    #[inline(always)]
    pub fn parts(&mut self) -> (&mut SearchState<'a>, &mut P::State) {
        (&mut self.search, &mut self.state)
    }

    /// The current statistics, including helpers; complete while no split point is open.
    pub fn stats(&self) -> SearchStats {
        let mut stats = self.search.stats();
        if let Some(team) = self.team {
            let (counters, deepest) = team.counted();
            stats.counters += counters;
            stats.deepest = stats.deepest.max(deepest);
        }
        stats
    }
}

impl<'a, P: Policy> Deref for Context<'a, P> {
    type Target = SearchState<'a>;

    #[inline(always)]
    fn deref(&self) -> &SearchState<'a> {
        &self.search
    }
}

impl<P: Policy> DerefMut for Context<'_, P> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.search
    }
}
