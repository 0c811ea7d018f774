//! The node counter of a solver and when its searches stop.

use crate::search::stop::{Budget, SearchControl, StopCheck};

/// Counts nodes and stops the present search: at the limits of the whole solver, or after the nodes
/// allowed to this search.
#[derive(Clone)]
pub struct SolverLimits<'a> {
    /// Node count of this thread: positions played, including forced replies.
    pub nodes: u64,
    /// The state shared with the controlling thread.
    pub control: &'a SearchControl,
    /// Of the whole solver.
    budget: Budget,
    /// Stops the present search.
    pub stop: StopCheck<'a>,
}

impl<'a> SolverLimits<'a> {
    /// The limits of a solver, with the nodes that this thread has counted before.
    pub const fn new(control: &'a SearchControl, budget: Budget, nodes: u64) -> SolverLimits<'a> {
        SolverLimits {
            nodes,
            control,
            budget,
            stop: StopCheck::new(control, budget),
        }
    }

    /// The limits of a helper; its owner tests those of the whole solver.
    pub fn of_helper(control: &'a SearchControl) -> SolverLimits<'a> {
        let mut limits = SolverLimits::new(control, Budget::default(), 0);
        limits.stop.count_as_helper();
        limits
    }

    /// Node count of all threads.
    pub fn all_nodes(&self) -> u64 {
        self.nodes + self.control.helper_nodes()
    }

    /// Sets the node limit of the next search.
    pub fn allow(&mut self, nodes: u64) {
        let limit = self.all_nodes().saturating_add(nodes);
        let limit = self.budget.nodes.map_or(limit, |all| all.min(limit));
        self.stop.set_budget(Budget {
            nodes: Some(limit),
            ..self.budget
        });
    }

    /// Whether the whole solver has to stop, not only the present search.
    pub fn is_spent(&self) -> bool {
        self.budget.is_spent(self.control, self.all_nodes())
    }
}
