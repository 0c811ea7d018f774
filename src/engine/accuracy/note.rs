//! The note that option `Show Accuracy` prints about the score of a search.

use super::table::{AccuracyRow, AccuracyTable, CLOSE, Reference, WITHIN, fits_id};
use crate::games::any::{AnyGame, AnyPosition};
use crate::games::reversi::Othello;
use crate::games::spec::GameSpec;
use crate::search::{Answer, AnyWeights, Certainty};

/// A note about the accuracy of a score.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum AccuracyNote {
    /// No note.
    Nothing,
    /// The reason why there is no figure.
    Reason(&'static str),
    /// A figure from this table.
    Figure(&'static AccuracyTable),
}

impl AccuracyNote {
    /// For searches of this position with these weights: a figure, or the reason why there is none.
    pub fn of(root: &AnyGame, weights: Option<&AnyWeights>) -> AccuracyNote {
        let AnyPosition::Othello(_) = root.position() else {
            return AccuracyNote::Reason("Show Accuracy supports othello only");
        };
        let known = |table: &&AccuracyTable| {
            table.weights == Othello::evaluator(weights).id() && table.fits == fits_id()
        };
        match AccuracyTable::measured().filter(known) {
            Some(table) => AccuracyNote::Figure(table),
            None => AccuracyNote::Reason("Show Accuracy: not measured for these weights"),
        }
    }

    /// The text about a result in a position with this number of empties; none for a proven score.
    pub fn text(self, answer: &Answer, empties: u8) -> Option<String> {
        match self {
            AccuracyNote::Nothing => None,
            AccuracyNote::Reason(reason) => Some(reason.into()),
            AccuracyNote::Figure(_) if answer.certainty != Certainty::Heuristic => None,
            AccuracyNote::Figure(table) => {
                let Answer {
                    depth, selectivity, ..
                } = *answer;
                Some(match table.row(empties, depth, selectivity) {
                    Some(row) => figure(row),
                    None => format!(
                        "accuracy: not measured (depth {depth}, selectivity {selectivity} %, {empties} empties)"
                    ),
                })
            }
        }
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
