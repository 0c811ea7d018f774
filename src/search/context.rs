//! The context of the production search: the policy, its per-thread state, and the state of every search
//! ([`SearchCore`]).

use std::ops::{Deref, DerefMut};

use super::policy::Policy;
use super::search_core::SearchCore;
use super::stop::SearchControl;
use super::table::Table;

/// The context of the production search, one per thread.
pub struct Context<'a, P: Policy> {
    /// The game's policy.
    pub policy: &'a P,
    /// The policy's per-thread state, such as the caches of its kernels.
    pub state: P::State,
    core: SearchCore<'a>,
}

impl<'a, P: Policy> Context<'a, P> {
    /// A context without trace and limits: only the stop flag ends the search.
    pub fn new(policy: &'a P, table: Option<&'a Table>, control: &'a SearchControl) -> Self {
        Context { policy, state: P::State::default(), core: SearchCore::new(table, control) }
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
