//! Policy hooks as [`Task`]s, for the root, which is not multiversioned ([`super::isa`]). Nodes below the root are
//! searched inside multiversioned code and call the hooks directly.

use crate::game::Move;
use crate::game::score::Score;

use super::context::Context;
use super::isa::Task;
use super::policy::{Candidates, Policy, SearchParams};
use super::stop::Stopped;

/// Makes a child. Outside of multiversioned code, every intrinsic of its kernels would be a function call.
pub(super) struct Child<'n, P: Policy> {
    pub policy: &'n P,
    pub node: &'n P::Node,
    pub m: Move,
}

impl<P: Policy> Task for Child<'_, P> {
    type Output = P::Node;

    #[inline(always)]
    fn run(self) -> P::Node {
        self.policy.child(self.node, self.m)
    }
}

/// Evaluates a node statically.
pub(super) struct Static<'n, P: Policy> {
    pub policy: &'n P,
    pub node: &'n P::Node,
}

impl<P: Policy> Task for Static<'_, P> {
    type Output = Score;

    #[inline(always)]
    fn run(self) -> Score {
        self.policy.evaluate(self.node)
    }
}

/// Ranks the moves of a node.
pub(super) struct Order<'n, 'a, P: Policy> {
    pub cx: &'n mut Context<'a, P>,
    pub node: &'n P::Node,
    pub candidates: &'n mut Candidates<P::Node>,
    pub params: SearchParams,
}

impl<P: Policy> Task for Order<'_, '_, P> {
    type Output = Result<(), Stopped>;

    #[inline(always)]
    fn run(self) -> Result<(), Stopped> {
        P::order(self.cx, self.node, self.candidates, self.params)
    }
}
