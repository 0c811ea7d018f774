//! The note that option `Show Accuracy` prints about the score of a search.

use super::table::{AccuracyRow, AccuracyTable, CLOSE, Reference, WITHIN};
use crate::games::reversi::eval::OthelloEvaluator;
use crate::games::spec::AccuracyText;
use crate::search::{Answer, Certainty};

/// The note about searches with this evaluation.
///
/// # Errors
/// The reason why there is none.
pub fn of(evaluator: &OthelloEvaluator) -> Result<AccuracyText, &'static str> {
    match AccuracyTable::of(evaluator) {
        Some(_) => Ok(text),
        None => Err("Show Accuracy: not measured for these weights"),
    }
}

/// The text about a result in a position with this number of empties; none for a proven score.
fn text(answer: &Answer, empties: u8) -> Option<String> {
    let Answer {
        depth,
        selectivity,
        certainty,
        ..
    } = *answer;
    let table = AccuracyTable::measured().filter(|_| certainty == Certainty::Heuristic)?;
    Some(match table.row(empties, depth, selectivity) {
        Some(row) => figure(row),
        None => format!(
            "accuracy: not measured (depth {depth}, selectivity {selectivity} %, {empties} empties)"
        ),
    })
}

/// A row in words, with the conditions of its measurement.
fn figure(row: &AccuracyRow) -> String {
    let AccuracyRow {
        empties: (least, most),
        reference,
        depth,
        selectivity,
        errors,
    } = row;
    let reference = match reference {
        Reference::Solved => "exact",
        Reference::Played => "game result",
    };
    let depth = depth.map_or("to the end".into(), |depth| format!("depth {depth}"));
    format!(
        "accuracy: within {} discs of the {reference} in {:.0} % of {} positions, mean error {:.2} ({depth}, \
         selectivity {selectivity} %, {least} to {most} empties)",
        WITHIN[CLOSE], errors.within[CLOSE], errors.positions, errors.mean
    )
}
