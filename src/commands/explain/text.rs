//! Draws a recorded search as a text tree.
//!
//! One line per visit: the move, the side to move (`max` is the root player), the window, the
//! result (exact: `=`, bound: `>=` or `<=`) and the reason why the node returned. Scores are from
//! the root player's point of view. A move that was cut off has the number of nodes that minimax
//! would visit below it.

use std::io::{self, Write};

use crate::game::counted;
use crate::search::Algorithm;
use crate::search::stats::Counters;

use super::sizes::{FullTree, SizeCounter};
use super::subject::{Recordable, RecordedSearch};
use super::tree_recorder::{RecordedIteration, Visit, VisitKind};
use super::wording::window_text;

/// A recorded search to draw.
pub struct Drawing<'a, G> {
    search: &'a RecordedSearch<G>,
    /// Counts the nodes saved by cuts.
    sizes: SizeCounter<G>,
}

impl<'a, G: Recordable> Drawing<'a, G> {
    pub fn new(search: &'a RecordedSearch<G>) -> Self {
        Drawing {
            search,
            sizes: SizeCounter::default(),
        }
    }

    /// Prints the tree, with a blank line between searches.
    pub fn write_tree(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let RecordedSearch {
            root: position,
            name,
            algorithm,
            depth,
            record,
        } = self.search;
        writeln!(
            out,
            "{name}, depth {depth}: windows and values from the root player's (max) point of view\n"
        )?;
        let headings = record.iterations.len() > 1 || *algorithm == Algorithm::Auto;
        let mut gap = "";
        for (number, iteration) in record.iterations.iter().enumerate() {
            if headings {
                writeln!(out, "{gap}{}", self.heading(number, iteration))?;
                gap = "\n";
            }
            for root in record.roots(number) {
                writeln!(out, "{gap}{}", describe(&record.visits[root], position))?;
                gap = "\n";
                self.branches(out, root, position, "")?;
            }
        }
        writeln!(out)
    }

    /// Prints the node counts of the search and of minimax.
    pub fn write_counts(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let Counters {
            nodes,
            leaves,
            null_windows,
            re_searches,
            table_hits,
        } = self.search.record.counters();
        writeln!(
            out,
            "{}: {}, {}",
            self.search.name,
            counted(leaves, "leaf", "leaves"),
            counted(nodes, "node", "nodes")
        )?;
        if null_windows > 0 {
            writeln!(
                out,
                "null-window searches: {null_windows}, re-searches: {re_searches}"
            )?;
        }
        if table_hits > 0 {
            writeln!(out, "table hits: {table_hits}")?;
        }
        match self.sizes.count(&self.search.root, self.search.depth) {
            _ if self.search.algorithm == Algorithm::Minimax => Ok(()),
            Some(FullTree { leaves, nodes }) => writeln!(
                out,
                "minimax: {}, {}",
                counted(leaves, "leaf", "leaves"),
                counted(nodes, "node", "nodes")
            ),
            None => writeln!(out, "minimax: too many nodes to count"),
        }
    }

    fn heading(&self, number: usize, iteration: &RecordedIteration) -> String {
        let RecordedIteration {
            depth,
            selectivity,
            guess,
            counters,
            value,
            pv,
            ..
        } = iteration;
        let mut text = format!("iteration {}: depth {depth}", number + 1);
        match guess {
            Some(guess) => text += &format!(", selectivity {selectivity} %, first guess {guess}"),
            None => text += ", endgame solver",
        }
        text + &format!(
            ": value {value}, {} nodes, pv {}",
            counters.nodes,
            self.search.root.move_words(pv).join(" ")
        )
    }

    fn branches(
        &mut self,
        out: &mut dyn Write,
        index: usize,
        position: &G,
        indent: &str,
    ) -> io::Result<()> {
        let RecordedSearch { root, record, .. } = self.search;
        let visit = &record.visits[index];
        let skipped = record.skipped(visit);
        let mut left = record.children(index).count() + skipped.len();
        let mut edges = || {
            left -= 1;
            if left == 0 {
                ("└─ ", "   ")
            } else {
                ("├─ ", "│  ")
            }
        };
        for child in record.children(index) {
            let (here, below) = edges();
            let visit = &record.visits[child];
            let (name, next) = match visit.kind {
                VisitKind::Verification => {
                    (format!("verification, depth {}", visit.depth), *position)
                }
                _ => (root.move_word(visit.m), position.play(visit.m)),
            };
            writeln!(out, "{indent}{here}{name}  {}", describe(visit, &next))?;
            self.branches(out, child, &next, &format!("{indent}{below}"))?;
        }
        for &m in skipped {
            let (here, _) = edges();
            let saved = self
                .sizes
                .count(&position.play(m), visit.depth - G::cost(m));
            writeln!(
                out,
                "{indent}{here}{}  not searched{}",
                root.move_word(m),
                saved_text(saved)
            )?;
        }
        Ok(())
    }
}

/// The description of a visit after its move.
fn describe(visit: &Visit, position: &impl Recordable) -> String {
    let (result, why) = (visit.result_text(), visit.reason_text());
    let why = if why.is_empty() {
        why
    } else {
        format!("  {why}")
    };
    let again = if visit.kind == VisitKind::ReSearch {
        "  re-search"
    } else {
        ""
    };
    if visit.is_leaf() {
        return format!("{result}{why}{again}");
    }
    let side = if visit.max { "max" } else { "min" };
    let pass = if position.moves().first().is_some_and(|m| m.is_pass()) {
        " must pass"
    } else {
        ""
    };
    format!(
        "{side}{pass} {} {result}{why}{again}",
        window_text(visit.root_window())
    )
}

fn saved_text(saved: Option<FullTree>) -> String {
    match saved {
        None => String::new(),
        Some(FullTree { nodes: 1, .. }) => ", 1 leaf saved".into(),
        Some(FullTree { nodes, leaves }) => {
            let leaves = counted(leaves, "leaf", "leaves");
            format!(", {leaves} saved, {nodes} nodes")
        }
    }
}
