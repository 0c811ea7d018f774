//! What option `Show Accuracy` says of the score of a finished search.

use super::table::{AccuracyRow, AccuracyTable, CLOSE, Reference, WITHIN, fits_id};
use crate::games::any::{AnyGame, AnyPosition};
use crate::games::reversi::eval::OthelloEvaluator;
use crate::search::{Answer, AnyWeights, Certainty};

/// What will be said of a score.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ShownAccuracy {
    /// Nothing.
    Nothing,
    /// Why there is no figure.
    Reason(&'static str),
    /// The figure of this table.
    Figure(&'static AccuracyTable),
}

impl ShownAccuracy {
    /// For searches of this position with these weights: a figure, or the reason why there is none.
    pub fn of(root: &AnyGame, weights: Option<&AnyWeights>) -> ShownAccuracy {
        let AnyPosition::Othello(_) = root.position() else {
            return ShownAccuracy::Reason("Show Accuracy is for othello: nothing was measured for other games");
        };
        let known =
            |table: &&AccuracyTable| table.weights == OthelloEvaluator::chosen(weights).id() && table.fits == fits_id();
        match AccuracyTable::measured().filter(known) {
            Some(table) => ShownAccuracy::Figure(table),
            None => ShownAccuracy::Reason("Show Accuracy: nothing was measured for these weights"),
        }
    }

    /// The text about an answer in a position with so many empties. A proven score needs none.
    pub fn text(self, answer: &Answer, empties: u8) -> Option<String> {
        match self {
            ShownAccuracy::Nothing => None,
            ShownAccuracy::Reason(reason) => Some(reason.into()),
            ShownAccuracy::Figure(_) if answer.certainty != Certainty::Heuristic => None,
            ShownAccuracy::Figure(table) => {
                let Answer { depth, selectivity, .. } = *answer;
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

/// A row in words, with the conditions it was measured under.
fn figure(row: &AccuracyRow) -> String {
    let AccuracyRow { empties: (least, most), reference, depth, selectivity, errors } = row;
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
