//! Watching a search from inside: a recorder that the compiler removes when it is off.
//!
//! Search functions tell the trace where they enter, how they leave, and what they never looked at. [`Silent`] ignores
//! all of it at no cost; `explain` draws a tree from it.

use crate::game::Move;
use crate::score::{Score, Window};

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
    /// Whether anything is recorded: `false` lets the compiler drop the calls and what they would be told.
    const ON: bool;

    /// The move by which the next entered node is reached, and whether that is a re-search of it.
    #[inline(always)]
    fn next(&mut self, _m: Move, _re_search: bool) {}

    /// A node is entered with this window and depth.
    #[inline(always)]
    fn enter(&mut self, _window: Window, _depth: u8) {}

    /// A cut-off at the present node leaves this move unsearched.
    #[inline(always)]
    fn skip(&mut self, _m: Move) {}

    /// The present node returns.
    #[inline(always)]
    fn leave(&mut self, _score: Score, _why: Why) {}
}

/// Records nothing.
#[derive(Clone, Copy, Default, Debug)]
pub struct Silent;

impl Trace for Silent {
    const ON: bool = false;
}
