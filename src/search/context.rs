//! The context of the production search: one thread's policy, its state, and what every search carries ([`SearchCore`]).

use std::ops::{Deref, DerefMut};

use super::policy::Policy;
use super::search_core::SearchCore;
use super::table::Table;

pub use super::stats::Counters;
pub use super::stop::{Budget, Stopped, Watch, thread_time};

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
