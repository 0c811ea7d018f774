//! Draws a recorded search as an indented tree of text.
//!
//! One line per visit: the move, the side to move (`max` is the player at the root), the window, the result (exact:
//! `=`, a bound: `>=` or `<=`) and why the node returned. All scores are the root player's. A move that was cut off is
//! followed by the number of nodes that minimax would visit below it.

use std::io::{self, Write};

use crate::game::score::{Bound, Score, Window};
use crate::game::{Game, Move};
use crate::search::trace::Why;

use super::record::{TreeRecorder, Visit, VisitedMove};

/// The size of a full tree, as minimax visits it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Full {
    /// All nodes, root and leaves included.
    pub nodes: u64,
    /// Finished games and positions at depth 0.
    pub leaves: u64,
}

/// Counts the nodes that minimax visits `depth` plies deep; `None` if they are more than `limit`.
pub fn full_tree<G: Game>(position: &G, depth: u8, limit: u64) -> Option<Full> {
    let mut full = Full::default();
    count(position, depth, limit, &mut full).then_some(full)
}

fn count<G: Game>(position: &G, depth: u8, limit: u64, full: &mut Full) -> bool {
    full.nodes += 1;
    if full.nodes > limit {
        return false;
    }
    let moves = position.moves();
    if moves.is_empty() || depth == 0 {
        full.leaves += 1;
        return true;
    }
    moves.into_iter().all(|m| count(&position.play(m), depth - G::cost(m), limit, full))
}

/// A record to be drawn.
pub struct Drawing<'a, G: Game> {
    /// The root.
    pub position: G,
    /// The recorded search.
    pub record: &'a TreeRecorder,
    /// How moves are written.
    pub write_move: &'a dyn Fn(Move) -> String,
    /// The subtree of a skipped move is counted up to this many nodes.
    pub count_limit: u64,
}

impl<G: Game> Drawing<'_, G> {
    /// Writes the whole record, a blank line between searches.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for (number, &root) in self.record.roots.iter().enumerate() {
            if number > 0 {
                writeln!(out)?;
            }
            let visit = &self.record.visits[root];
            writeln!(out, "{}", self.describe(visit, &self.position, true))?;
            self.branches(out, visit, &self.position, true, "")?;
        }
        Ok(())
    }

    fn branches(&self, out: &mut dyn Write, visit: &Visit, position: &G, max: bool, indent: &str) -> io::Result<()> {
        for (index, branch) in visit.branches.iter().enumerate() {
            let last = index + 1 == visit.branches.len();
            let (here, below) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            match *branch {
                VisitedMove::Searched(child) => {
                    let child = &self.record.visits[child];
                    let next = position.play(child.m);
                    let name = (self.write_move)(child.m);
                    writeln!(out, "{indent}{here}{name}  {}", self.describe(child, &next, !max))?;
                    self.branches(out, child, &next, !max, &format!("{indent}{below}"))?;
                }
                VisitedMove::Skipped(m) => {
                    let saved = full_tree(&position.play(m), visit.depth - G::cost(m), self.count_limit);
                    let name = (self.write_move)(m);
                    writeln!(out, "{indent}{here}{name}  not searched, {}", saved_text(saved, self.count_limit))?;
                }
            }
        }
        Ok(())
    }

    /// The text of a visit behind its move.
    fn describe(&self, visit: &Visit, position: &G, max: bool) -> String {
        let score = if max { visit.score } else { -visit.score };
        let bound = match (visit.bound(), max) {
            (Bound::Exact, _) => "=",
            (Bound::Lower, true) | (Bound::Upper, false) => ">=",
            (Bound::Upper, true) | (Bound::Lower, false) => "<=",
        };
        let why = match visit.why {
            Why::Searched => "",
            Why::Cut => "  cut",
            Why::Table => "  table",
            Why::Static => "  static",
            Why::Finished => "  finished",
            Why::Pruned => "  pruned",
            Why::SolvedLeaf => "  solved by the leaf kernel",
        };
        let again = if visit.re_search { "  re-searched" } else { "" };
        if visit.is_leaf() {
            return format!("= {score}{why}{again}");
        }
        let side = if max { "max" } else { "min" };
        let pass = if position.moves().first().is_some_and(|m| m.is_pass()) { " must pass" } else { "" };
        let Window { alpha, beta } = if max { visit.window } else { visit.window.flipped() };
        format!("{side}{pass} ({}, {}) {bound} {score}{why}{again}", end(alpha), end(beta))
    }
}

/// A bound of a window.
fn end(score: Score) -> String {
    match score.0 {
        ..=-32_000 => "-inf".into(),
        32_000.. => "+inf".into(),
        other => other.to_string(),
    }
}

fn saved_text(saved: Option<Full>, limit: u64) -> String {
    match saved {
        None => format!("more than {limit} nodes saved"),
        Some(Full { nodes: 1, .. }) => "1 leaf saved".into(),
        Some(Full { nodes, leaves }) => {
            format!("{leaves} {} saved, {nodes} nodes", if leaves == 1 { "leaf" } else { "leaves" })
        }
    }
}
