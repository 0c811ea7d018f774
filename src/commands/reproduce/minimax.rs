//! Document 004: the tree of its figure searched by minimax and by alpha-beta, and a game that ends
//! early.

use std::io;

use crate::commands::explain;
use crate::commands::explain::drawn_tree::DrawnTree;
use crate::commands::explain::tree_recorder::TreeRecorder;
use crate::game::score::{Score, Window};
use crate::game::{Game, Notation};
use crate::games::any::AnyPosition;
use crate::games::dispatch::AnyEvaluator;
use crate::games::reversi::Othello;
use crate::search::Algorithm;
use crate::search::stop::SearchControl;
use crate::search::textbook::{TextbookContext, fail_soft};

use super::report::FigureReport;
use super::tree;

/// The tree of the document. It gives only the maximum of three leaves, -11; -20 and -30 are our
/// choice.
pub const TREE: &str = include_str!("minimax.tree");

/// Othello's shortest game: Black's ninth move is a wipe-out.
const SHORTEST_GAME: &str = "e6f4e3f6g5d6e7f5c5";

/// Searches a tree. Returns the value, the number of evaluated leaves, and the values of the other
/// leaves.
fn search(root: DrawnTree, algorithm: Algorithm) -> (Score, u64, Vec<i32>) {
    let Ok(record) = explain::record_tree(root, algorithm) else {
        unreachable!("the tree is small")
    };
    let mut skipped = Vec::new();
    collect_unvisited(&record, 0, &root, &mut skipped);
    (
        record.iterations[0].value,
        record.counters().leaves,
        skipped,
    )
}

/// Collects the first player's values of the leaves below a visit that were cut off.
fn collect_unvisited(
    record: &TreeRecorder,
    visit: usize,
    position: &DrawnTree,
    values: &mut Vec<i32>,
) {
    for child in record.children(visit) {
        collect_unvisited(
            record,
            child,
            &position.play(record.visits[child].m),
            values,
        );
    }
    record
        .skipped(&record.visits[visit])
        .iter()
        .for_each(|&m| position.play(m).leaf_values(values));
}

/// All rows of the document.
pub fn report(report: &mut FigureReport<'_>) -> io::Result<()> {
    report.open(
        "004",
        "Minimax and alpha-beta: the drawn tree, values for the first player",
    )?;
    let root = tree(TREE);
    let (value, leaves, _) = search(root, Algorithm::Minimax);
    report.must("minimax, value", 18, value)?;
    report.must("minimax, leaves", 14, leaves)?;
    let (value, leaves, skipped) = search(root, Algorithm::AlphaBeta);
    report.must("alpha-beta, value", 18, value)?;
    report.must("alpha-beta, leaves", 9, leaves)?;
    let values: Vec<String> = skipped.iter().map(i32::to_string).collect();
    report.must("alpha-beta, leaves never looked at", "9 33 and three", {
        let three = skipped.len() == 5 && skipped[2..].iter().max() == Some(&-11);
        if three {
            format!("{} {} and three", values[0], values[1])
        } else {
            values.join(" ")
        }
    })?;
    wipe_out(report)
}

/// The document's last remark: a game can end before the board is full.
fn wipe_out(report: &mut FigureReport<'_>) -> io::Result<()> {
    let mut position = Othello::start();
    let mut rest = SHORTEST_GAME;
    while let Ok((m, more)) = Othello::parse_glued(rest)
        && !more.is_empty()
    {
        position = position.play(m);
        rest = more;
    }
    let depths = 1..=6;
    let seen = depths.clone().filter(|&depth| {
        let control = SearchControl::default();
        let evaluator = AnyEvaluator::default();
        let mut cx = TextbookContext::new(&evaluator, None, &control);
        fail_soft(
            &mut cx,
            &AnyPosition::from(position),
            depth,
            0,
            Window::FULL,
        ) == Ok(Score(6_400))
    });
    report.must(
        "Othello, wipe-out one move ahead: depths 1-6 that see +64",
        depths.clone().count(),
        seen.count(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_agrees() {
        let mut out = Vec::new();
        let mut rows = FigureReport::new(&mut out, false);
        report(&mut rows).unwrap();
        assert!(
            rows.rows().len() == 6 && rows.all_ok(),
            "{:#?}",
            rows.rows()
        );
    }
}
