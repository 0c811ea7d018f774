//! The JSON form of a recorded search, for programs.

use serde::Serialize;

use crate::game::Move;

use super::subject::{Recordable, RecordedSearch};
use super::tree_recorder::{RecordedIteration, Visit};

/// A recorded search. Scores are from the point of view of the side to move.
#[derive(Serialize)]
pub struct SearchJson<'a> {
    /// The algorithm and its optional parts.
    name: &'a str,
    iterations: Vec<IterationJson<'a>>,
    visits: Vec<VisitJson<'a>>,
}

#[derive(Serialize)]
struct IterationJson<'a> {
    #[serde(flatten)]
    recorded: &'a RecordedIteration,
    pv: Vec<String>,
}

#[derive(Serialize)]
struct VisitJson<'a> {
    /// `None` at a root and in a verification search.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    word: Option<String>,
    #[serde(flatten)]
    visit: &'a Visit,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<String>,
}

impl<'a> SearchJson<'a> {
    /// The JSON form of a record.
    pub fn new<G: Recordable>(search: &'a RecordedSearch<G>) -> Self {
        let RecordedSearch {
            root, name, record, ..
        } = search;
        let iteration = |recorded: &'a RecordedIteration| IterationJson {
            recorded,
            pv: root.move_words(&recorded.pv),
        };
        let visit = |visit: &'a Visit| VisitJson {
            word: (visit.m != Move::NONE).then(|| root.move_word(visit.m)),
            visit,
            skipped: root.move_words(record.skipped(visit)),
        };
        SearchJson {
            name,
            iterations: record.iterations.iter().map(iteration).collect(),
            visits: record.visits.iter().map(visit).collect(),
        }
    }
}
