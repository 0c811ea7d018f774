//! Records the search tree: search functions report the nodes they enter, the results and the moves
//! cut off to the [`Trace`] of their state, if there is one. `explain` draws the tree. A recorded
//! search visits the same nodes as an unrecorded one. Without a trace, the cost is one test of a
//! pointer, so one compiled copy is enough.

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
    fn iteration(&mut self, _iteration: Iteration, _guess: Score, _counters: &Counters) {}

    /// The iteration is finished. Until the next one begins, the search reconstructs the PV.
    fn variation(&mut self, _counters: &Counters) {}

    /// The move that leads to the next entered node, and whether that is a re-search. A node
    /// entered without a move is the root, or its parent again in a shallow verification search.
    fn next(&mut self, m: Move, re_search: bool);

    /// A node is entered with this window and depth. `nodes` is the node count, this node included.
    fn enter(&mut self, window: Window, depth: u8, nodes: u64);

    /// A cutoff at the current node leaves this move unsearched.
    fn skip(&mut self, m: Move);

    /// The current node returns. `nodes` is the node count.
    fn leave(&mut self, score: Score, reason: ReturnReason, nodes: u64);
}
