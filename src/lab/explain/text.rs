//! Draws a recorded search as a text tree.
//!
//! One line per visit: the move, the side to move (`max` is the root player), the window, the result (exact: `=`,
//! bound: `>=` or `<=`) and the reason why the node returned. Scores are from the root player's point of view. A move
//! that was cut off has the number of nodes that minimax would visit below it.

use std::io::{self, Write};

use super::sizes::{FullTree, SizeCounter};
use super::subject::Recordable;
use super::tree_recorder::{RecordedIteration, TreeRecorder, Visit, VisitKind};
use super::wording::window_text;

/// A record to draw.
pub struct Drawing<'a, G> {
    pub root: G,
    pub record: &'a TreeRecorder,
    /// Whether to print a heading for each iteration.
    pub headings: bool,
    /// Counts the nodes saved by cuts.
    pub sizes: &'a mut SizeCounter<G>,
}

impl<G: Recordable> Drawing<'_, G> {
    /// Prints the record, with a blank line between searches.
    pub fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let (record, position) = (self.record, self.root);
        let mut first = true;
        for (number, iteration) in record.iterations.iter().enumerate() {
            if self.headings {
                writeln!(out, "{}{}", if first { "" } else { "\n" }, self.heading(number, iteration))?;
            }
            for root in record.roots(number) {
                if !first || self.headings {
                    writeln!(out)?;
                }
                first = false;
                writeln!(out, "{}", describe(&record.visits[root], &position))?;
                self.branches(out, root, &position, "")?;
            }
        }
        Ok(())
    }

    fn heading(&self, number: usize, iteration: &RecordedIteration) -> String {
        let RecordedIteration { depth, selectivity, guess, counters, value, pv, .. } = iteration;
        let mut text = format!("iteration {}: depth {depth}", number + 1);
        match guess {
            Some(guess) => text += &format!(", selectivity {selectivity} %, first guess {guess}"),
            None => text += ", endgame solver",
        }
        let pv: Vec<String> = pv.iter().map(|&m| self.root.move_word(m)).collect();
        text + &format!(": value {value}, {} nodes, pv {}", counters.nodes, pv.join(" "))
    }

    fn branches(&mut self, out: &mut dyn Write, index: usize, position: &G, indent: &str) -> io::Result<()> {
        let record = self.record;
        let visit = &record.visits[index];
        let skipped = record.skipped(visit);
        let mut left = record.children(index).count() + skipped.len();
        let mut edges = || {
            left -= 1;
            if left == 0 { ("└─ ", "   ") } else { ("├─ ", "│  ") }
        };
        for child in record.children(index) {
            let (here, below) = edges();
            let visit = &record.visits[child];
            let (name, next) = match visit.kind {
                VisitKind::Verification => (format!("verification, depth {}", visit.depth), *position),
                _ => (self.root.move_word(visit.m), position.play(visit.m)),
            };
            writeln!(out, "{indent}{here}{name}  {}", describe(visit, &next))?;
            self.branches(out, child, &next, &format!("{indent}{below}"))?;
        }
        for &m in skipped {
            let (here, _) = edges();
            let saved = self.sizes.count(&position.play(m), visit.depth - G::cost(m));
            writeln!(out, "{indent}{here}{}  not searched{}", self.root.move_word(m), saved_text(saved))?;
        }
        Ok(())
    }
}

/// The description of a visit after its move.
fn describe(visit: &Visit, position: &impl Recordable) -> String {
    let (result, why) = (visit.result_text(), visit.reason_text());
    let why = if why.is_empty() { why } else { format!("  {why}") };
    let again = if visit.kind == VisitKind::ReSearch { "  re-search" } else { "" };
    if visit.is_leaf() {
        return format!("{result}{why}{again}");
    }
    let side = if visit.max { "max" } else { "min" };
    let pass = if position.moves().first().is_some_and(|m| m.is_pass()) { " must pass" } else { "" };
    format!("{side}{pass} {} {result}{why}{again}", window_text(visit.root_window()))
}

fn saved_text(saved: Option<FullTree>) -> String {
    match saved {
        None => String::new(),
        Some(FullTree { nodes: 1, .. }) => ", 1 leaf saved".into(),
        Some(FullTree { nodes, leaves }) => {
            format!(", {leaves} {} saved, {nodes} nodes", if leaves == 1 { "leaf" } else { "leaves" })
        }
    }
}
