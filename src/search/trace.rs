//! Records the search tree: search functions report the nodes they enter, the results and the moves cut off to the
//! [`Trace`] of their context, if there is one. `explain` draws the tree. A recorded search visits the same nodes as an
//! unrecorded one. Without a trace, the cost is one test of a pointer, so one compiled copy is enough.

use crate::game::Move;
use crate::game::score::{Score, Window};

use super::schedule::Iteration;
use super::stats::Counters;

/// The reason why a node returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReturnReason {
    /// All moves were searched.
    Searched,
    /// Beta cutoff.
    Cut,
    /// Table cutoff.
    Table,
    /// Enhanced transposition cutoff, by the table entry of a child.
    ChildTable,
    /// Depth 0: static evaluation.
    Static,
    /// The game was over.
    Finished,
    /// The policy proved a bound without a search (stable discs).
    ProvenBound,
    /// The policy predicted that the value lies outside the window (ProbCut).
    StatisticalCut,
    /// The leaf kernel solved the subtree.
    SolvedLeaf,
}

/// A recorder of the search tree.
pub trait Trace {
    /// An iteration begins. Each root that follows is one of its null windows, or its only search.
    fn iteration(&mut self, iteration: Iteration, guess: Score, counters: &Counters);

    /// The iteration is finished. Until the next one begins, the search reconstructs the PV.
    fn variation(&mut self, counters: &Counters);

    /// The move that leads to the next entered node, and whether that is a re-search. A node entered without a move is
    /// the root, or its parent again in a shallow verification search.
    fn next(&mut self, m: Move, re_search: bool);

    /// A node is entered with this window and depth. `nodes` is the node count, this node included.
    fn enter(&mut self, window: Window, depth: u8, nodes: u64);

    /// A cutoff at the current node leaves this move unsearched.
    fn skip(&mut self, m: Move);

    /// The current node returns. `nodes` is the node count.
    fn leave(&mut self, score: Score, reason: ReturnReason, nodes: u64);
}

/// An optional [`Trace`].
#[derive(Default)]
pub struct Tracer<'t>(Option<&'t mut dyn Trace>);

impl<'t> Tracer<'t> {
    /// Records to `trace`.
    pub fn on(trace: &'t mut dyn Trace) -> Self {
        Tracer(Some(trace))
    }

    /// See [`Trace::iteration`].
    pub fn iteration(&mut self, iteration: Iteration, guess: Score, counters: &Counters) {
        if let Some(trace) = &mut self.0 {
            trace.iteration(iteration, guess, counters);
        }
    }

    /// See [`Trace::variation`].
    pub fn variation(&mut self, counters: &Counters) {
        if let Some(trace) = &mut self.0 {
            trace.variation(counters);
        }
    }

    /// See [`Trace::next`].
    #[inline(always)]
    pub fn next(&mut self, m: Move, re_search: bool) {
        if let Some(trace) = &mut self.0 {
            trace.next(m, re_search);
        }
    }

    /// See [`Trace::enter`].
    #[inline(always)]
    pub fn enter(&mut self, window: Window, depth: u8, nodes: u64) {
        if let Some(trace) = &mut self.0 {
            trace.enter(window, depth, nodes);
        }
    }

    /// See [`Trace::skip`].
    #[inline(always)]
    pub fn skip(&mut self, moves: impl IntoIterator<Item = Move>) {
        if let Some(trace) = &mut self.0 {
            moves.into_iter().for_each(|m| trace.skip(m));
        }
    }

    /// See [`Trace::leave`].
    #[inline(always)]
    pub fn leave(&mut self, score: Score, reason: ReturnReason, nodes: u64) {
        if let Some(trace) = &mut self.0 {
            trace.leave(score, reason, nodes);
        }
    }
}
