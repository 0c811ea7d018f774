//! Recording the search tree: search functions report entered nodes, their results and the moves cut off to the
//! [`Trace`] of their context, if there is one. `explain` draws the tree. A search without a trace pays one test of a
//! pointer, so that one compiled copy serves both.

use crate::game::Move;
use crate::game::score::{Score, Window};

/// Why a node returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// All moves were searched.
    Searched,
    /// Beta cutoff.
    Cut,
    /// Table cutoff.
    Table,
    /// Depth 0: static evaluation.
    Static,
    /// The game was over.
    Finished,
    /// The policy pruned the node (stability, statistical cut).
    Pruned,
    /// The leaf kernel solved the subtree.
    SolvedLeaf,
}

/// A recorder of the search tree.
pub trait Trace {
    /// The move that leads to the next entered node, and whether that is a re-search.
    fn next(&mut self, m: Move, re_search: bool);

    /// A node is entered with this window and depth.
    fn enter(&mut self, window: Window, depth: u8);

    /// A cutoff at the current node leaves this move unsearched.
    fn skip(&mut self, m: Move);

    /// The current node returns.
    fn leave(&mut self, score: Score, why: Why);
}

/// The trace of a search, or none.
#[derive(Default)]
pub struct Tracer<'t>(Option<&'t mut dyn Trace>);

impl<'t> Tracer<'t> {
    /// A search recorded by `trace`.
    pub fn on(trace: &'t mut dyn Trace) -> Self {
        Tracer(Some(trace))
    }

    /// Whether the search is recorded: then leaf kernels leave their subtrees to the recorded search.
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        self.0.is_some()
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
    pub fn enter(&mut self, window: Window, depth: u8) {
        if let Some(trace) = &mut self.0 {
            trace.enter(window, depth);
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
    pub fn leave(&mut self, score: Score, why: Why) {
        if let Some(trace) = &mut self.0 {
            trace.leave(score, why);
        }
    }
}
