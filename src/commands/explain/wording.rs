//! The names of reasons and windows in the text, the JSON and the page.

use serde::Serializer;

use crate::game::score::{Score, Window};
use crate::search::trace::ReturnReason;

/// The reasons, in the order of the enum: the name in JSON and on the page, and the text after a
/// result.
pub const REASONS: [(ReturnReason, &str, &str); 9] = [
    (ReturnReason::Searched, "searched", ""),
    (ReturnReason::Cut, "cut", "cut"),
    (ReturnReason::Table, "table", "table"),
    (ReturnReason::ChildTable, "child", "child table entry"),
    (ReturnReason::Static, "static", "static"),
    (ReturnReason::Finished, "finished", "finished"),
    (ReturnReason::ProvenBound, "proven", "proven bound"),
    (
        ReturnReason::StatisticalCut,
        "statistical",
        "statistical cut",
    ),
    (ReturnReason::SolvedLeaf, "kernel", "leaf kernel"),
];

/// The name of a reason in JSON and on the page.
pub fn reason_name(why: ReturnReason) -> &'static str {
    REASONS[why as usize].1
}

/// Serializes a reason as its name.
pub fn write_reason<S: Serializer>(why: &ReturnReason, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(reason_name(*why))
}

/// The text of a reason after a result.
pub fn reason_words(why: ReturnReason) -> &'static str {
    REASONS[why as usize].2
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_in_the_order_of_the_enum() {
        assert!(
            REASONS
                .iter()
                .enumerate()
                .all(|(index, (why, ..))| *why as usize == index)
        );
    }
}
