//! Recording the search tree: search functions report entered nodes, their results and the moves cut off to the
//! [`Trace`] of their context, if there is one. `explain` draws the tree. A search without a trace pays one test of a
//! pointer, so that one compiled copy serves both, and a recorded search visits the same nodes as any other.

use crate::game::Move;
use crate::game::score::{Score, Window};

use super::schedule::Iteration;
use super::stats::Counters;

/// Why a node returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// All moves were searched.
    Searched,
    /// Beta cutoff.
    Cut,
    /// Table cutoff.
    Table,
    /// Enhanced transposition cutoff: the table's entry of a child.
    ChildTable,
    /// Depth 0: static evaluation.
    Static,
    /// The game was over.
    Finished,
    /// The policy proved a bound without a search (stable discs).
    ProvenBound,
    /// The policy predicted that the value misses the window (ProbCut).
    StatisticalCut,
    /// The leaf kernel solved the subtree.
    SolvedLeaf,
}

/// A recorder of the search tree.
pub trait Trace {
    /// An iteration begins: the following roots are its null windows, or its one search. `counters` are those so far.
    fn iteration(&mut self, iteration: Iteration, guess: Score, counters: &Counters);

    /// The iteration is finished. Until the next one begins, the search only reads the principal variation back.
    fn variation(&mut self, counters: &Counters);

    /// The move that leads to the next entered node, and whether that is a re-search. A node that is entered without
    /// one is the root, or its parent again in a shallow verification search.
    fn next(&mut self, m: Move, re_search: bool);

    /// A node is entered with this window and depth; `nodes` have been visited so far, this one included.
    fn enter(&mut self, window: Window, depth: u8, nodes: u64);

    /// A cutoff at the current node leaves this move unsearched.
    fn skip(&mut self, m: Move);

    /// The current node returns; `nodes` have been visited so far.
    fn leave(&mut self, score: Score, why: Why, nodes: u64);
}

/// The trace of a search, or none.
#[derive(Default)]
pub struct Tracer<'t>(Option<&'t mut dyn Trace>);

impl<'t> Tracer<'t> {
    /// A search recorded by `trace`.
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
    pub fn leave(&mut self, score: Score, why: Why, nodes: u64) {
        if let Some(trace) = &mut self.0 {
            trace.leave(score, why, nodes);
        }
    }
}
