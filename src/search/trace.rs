//! Watching a search from inside: what a search tells of itself to the [`Trace`] of its context, if there is one.
//!
//! Search functions tell where they enter, how they leave, and what they never looked at; `explain` draws a tree from it.
//! Every other search has no trace and pays for the test of a pointer, so that one copy of a search serves both.

use crate::game::Move;
use crate::game::score::{Score, Window};

/// Why a node returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// All moves were searched.
    Searched,
    /// A move reached beta; the rest was cut.
    Cut,
    /// A table entry answered.
    Table,
    /// The depth was used up: static evaluation.
    Static,
    /// The game was over.
    Finished,
    /// A policy pruned the node (stability, statistical cut, a child's table entry).
    Pruned,
    /// A kernel finished the subtree.
    Settled,
}

/// A recorder of the tree.
pub trait Trace {
    /// The move by which the next entered node is reached, and whether that is a re-search of it.
    fn next(&mut self, m: Move, re_search: bool);

    /// A node is entered with this window and depth.
    fn enter(&mut self, window: Window, depth: u8);

    /// A cut-off at the present node leaves this move unsearched.
    fn skip(&mut self, m: Move);

    /// The present node returns.
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

    /// Whether the search is recorded: then kernels that would finish more than one node leave it to the search.
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
