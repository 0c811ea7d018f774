//! The node counter of a solver and when its searches stop.

use crate::search::stop::{Budget, SearchControl, StopCheck, Stopped};

/// Counts nodes and stops the present search: at the limits of the whole solver, or after the nodes allowed to this
/// search.
#[derive(Clone)]
pub struct SolverLimits<'a> {
    /// Nodes so far: positions played, forced replies included.
    pub nodes: u64,
    control: &'a SearchControl,
    /// Of the whole solver.
    budget: Budget,
    /// Of the present search.
    stop: StopCheck<'a>,
}

impl<'a> SolverLimits<'a> {
    /// The limits of a solver, with the nodes that were counted before.
    pub const fn new(control: &'a SearchControl, budget: Budget, nodes: u64) -> SolverLimits<'a> {
        SolverLimits { nodes, control, budget, stop: StopCheck::new(control, budget) }
    }

    /// Allows the next search so many nodes.
    pub fn allow(&mut self, nodes: u64) {
        let limit = self.nodes.saturating_add(nodes);
        let limit = self.budget.nodes.map_or(limit, |all| all.min(limit));
        self.stop.set_budget(Budget { nodes: Some(limit), ..self.budget });
    }

    /// Whether the whole solver has to stop, not only the present search.
    pub fn is_spent(&self) -> bool {
        self.budget.is_spent(self.control, self.nodes)
    }

    /// Fails when the present search has to stop.
    #[inline(always)]
    pub fn check(&mut self) -> Result<(), Stopped> {
        self.stop.check(self.nodes)
    }
}
