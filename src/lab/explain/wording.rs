//! The names of reasons, windows, bounds and scores in the text, the JSON and the page.

use crate::game::score::{Bound, Score, Window};
use crate::search::trace::ReturnReason;

use super::tree_recorder::Visit;

/// The reasons: the name in JSON and on the page, and the text after a result.
const REASONS: [(ReturnReason, &str, &str); 9] = [
    (ReturnReason::Searched, "searched", ""),
    (ReturnReason::Cut, "cut", "cut"),
    (ReturnReason::Table, "table", "table"),
    (ReturnReason::ChildTable, "child", "child table entry"),
    (ReturnReason::Static, "static", "static"),
    (ReturnReason::Finished, "finished", "finished"),
    (ReturnReason::ProvenBound, "proven", "proven bound"),
    (ReturnReason::StatisticalCut, "statistical", "statistical cut"),
    (ReturnReason::SolvedLeaf, "kernel", "leaf kernel"),
];

/// The name of a reason in JSON and on the page.
pub fn reason_name(why: ReturnReason) -> &'static str {
    REASONS.iter().find(|(other, ..)| *other == why).map_or("", |&(_, name, _)| name)
}

pub fn reason_by_name(name: &str) -> Option<ReturnReason> {
    REASONS.iter().find(|(_, other, _)| *other == name).map(|&(why, ..)| why)
}

pub fn reason_names() -> impl Iterator<Item = &'static str> {
    REASONS.iter().map(|&(_, name, _)| name)
}

/// The text of a reason after a result.
pub fn reason_text(visit: &Visit) -> String {
    match visit.why {
        ReturnReason::SolvedLeaf => {
            format!("leaf kernel, {} {}", visit.nodes, if visit.nodes == 1 { "node" } else { "nodes" })
        }
        why => REASONS.iter().find(|(other, ..)| *other == why).map_or("", |&(.., words)| words).into(),
    }
}

/// The text of a window bound.
fn end(score: Score) -> String {
    match score.0 {
        ..=-32_000 => "-inf".into(),
        32_000.. => "+inf".into(),
        other => other.to_string(),
    }
}

pub fn window_text(Window { alpha, beta }: Window) -> String {
    format!("({}, {})", end(alpha), end(beta))
}

/// The window of a visit from the root player's point of view. `max`: that player is to move.
pub fn root_window(visit: &Visit, max: bool) -> Window {
    if max { visit.window } else { visit.window.flipped() }
}

/// The result of a visit from the root player's point of view: `= 18`, `>= 22`.
pub fn result_text(visit: &Visit, max: bool) -> String {
    let bound = match (visit.bound(), max) {
        (Bound::Exact, _) => "=",
        (Bound::Lower, true) | (Bound::Upper, false) => ">=",
        (Bound::Upper, true) | (Bound::Lower, false) => "<=",
    };
    format!("{bound} {}", root_score(visit, max))
}

/// The score of a visit from the root player's point of view.
pub fn root_score(visit: &Visit, max: bool) -> Score {
    if max { visit.score } else { -visit.score }
}
