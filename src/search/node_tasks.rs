//! What the root of the production search calls in multiversioned code ([`super::isa`]): children, the static
//! evaluation, the move ordering. The nodes below the root are searched inside such code and need no calls.

use crate::game::Move;
use crate::game::score::Score;

use super::context::Context;
use super::isa::Task;
use super::policy::{Candidates, Mode, Policy};
use super::stop::Stopped;

/// Makes a child in multiversioned code: out here, every instruction of its kernels would be a function call.
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

/// The static evaluation of a node, in the same way.
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

/// The move ordering of a node, in the same way.
pub(super) struct Order<'n, 'a, P: Policy> {
    pub cx: &'n mut Context<'a, P>,
    pub node: &'n P::Node,
    pub candidates: &'n mut Candidates<P::Node>,
    pub mode: Mode,
}

impl<P: Policy> Task for Order<'_, '_, P> {
    type Output = Result<(), Stopped>;

    #[inline(always)]
    fn run(self) -> Result<(), Stopped> {
        P::order(self.cx, self.node, self.candidates, self.mode)
    }
}
