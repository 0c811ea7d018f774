//! The note that option `Show Accuracy` prints about the score of a search.

use super::table::{AccuracyRow, AccuracyTable, CLOSE, Reference, WITHIN};
use crate::search::{Answer, Certainty};

impl AccuracyTable {
    /// The text about a result in a position with this number of empties; none for a proven score.
    pub fn note(&self, answer: &Answer, empties: u8) -> Option<String> {
        let Answer {
            depth,
            selectivity,
            certainty,
            ..
        } = *answer;
        if certainty != Certainty::Heuristic {
            return None;
        }
        Some(match self.row(empties, depth, selectivity) {
            Some(row) => figure(row),
            None => format!(
                "accuracy: not measured (depth {depth}, selectivity {selectivity} %, {empties} empties)"
            ),
        })
    }
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
