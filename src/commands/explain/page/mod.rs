//! The page of `explain`: one self-contained file that shows one search, or two side by side.
//!
//! The record becomes columns of numbers ([`columns`]); the scripts make the tree, draw it and explain its nodes:
//! `tree.js` (the model), `words.js` (what is said of a node), `view.js` (the drawing), `details.js` (the panel beside
//! it), `summary.js` (the top), `app.js` (replay, keys, controls).
//! Large trees are cut to their largest subtrees ([`summary`]).

use anyhow::Result;
use serde_json::{Value, json};

use crate::game::Game;
use crate::html::{BASE_STYLE, BOARD_SCRIPT, board::cells, embedded_json, escape, fill_template};
use crate::search::levels::percent;

mod columns;
mod summary;

use super::diff::{FirstDifference, SearchDiff, first_difference};
use super::record::{RecordedIteration, TreeRecorder};
use super::search::counted;
use super::sizes::SizeCounter;
use super::subject::{Shown, Subject};
use super::wording::reason_names;
use columns::Columns;
use summary::ShownVisits;

/// The scripts, in the order in which they need each other.
const SCRIPTS: [&str; 6] = [
    include_str!("tree.js"),
    include_str!("words.js"),
    include_str!("view.js"),
    include_str!("details.js"),
    include_str!("summary.js"),
    include_str!("app.js"),
];

/// Most visits of a search that are shown.
const MOST_SHOWN: usize = 100_000;

/// A search to be shown.
#[derive(Clone)]
pub struct ShownSearch<'a> {
    /// The algorithm with its parts.
    pub name: String,
    /// Its depth.
    pub depth: u8,
    /// Its record.
    pub record: &'a TreeRecorder,
}

/// A page to be written.
pub struct Page<'a, G: Game> {
    /// What is searched.
    pub subject: &'a Subject<G>,
    /// One search, or two that are compared.
    pub searches: &'a [ShownSearch<'a>],
    /// Their comparison.
    pub diff: Option<&'a SearchDiff<'a>>,
    /// Counts what the cuts have saved.
    pub sizes: &'a mut SizeCounter<G>,
}

impl<G: Shown> Page<'_, G> {
    /// The text of the page.
    ///
    /// # Errors
    /// If its data cannot be serialised.
    pub fn write(self) -> Result<String> {
        let Page { subject, searches, diff, sizes } = self;
        let names: Vec<&str> = searches.iter().map(|search| search.name.as_str()).collect();
        let title = format!("{}, depth {}: {}", names.join(" – "), searches[0].depth, subject.title);
        let shown: Vec<ShownVisits> =
            searches.iter().map(|search| ShownVisits::of(search.record, MOST_SHOWN / searches.len())).collect();
        let mut columns = Columns::new(subject, sizes);
        let data: Vec<Value> = searches
            .iter()
            .zip(&shown)
            .map(|(search, shown)| search_data(search, shown, subject, &mut columns))
            .collect();
        let data = json!({
            "title": title,
            "unit": subject.unit,
            "board": subject.shape,
            "start": subject.position.board_text().map(|text| cells(&text).into_iter().collect::<String>()),
            "reasons": reason_names().collect::<Vec<_>>(),
            "minimax": columns.count_root(searches[0].depth).map(|full| [full.leaves, full.nodes]),
            "searches": data,
            "words": columns.words.texts(),
            "changes": columns.changes.texts(),
            "difference": diff.and_then(|diff| difference_data(diff, &shown)),
        });
        let parts = [
            ("title", escape(&title)),
            ("style", [BASE_STYLE, include_str!("style.css")].concat()),
            ("data", embedded_json(&data)?),
            ("script", [BOARD_SCRIPT].iter().chain(&SCRIPTS).copied().collect::<String>()),
        ];
        Ok(fill_template(include_str!("page.html"), &parts))
    }
}

/// A search as the scripts read it.
fn search_data<G: Shown>(
    search: &ShownSearch<'_>,
    shown: &ShownVisits,
    subject: &Subject<G>,
    columns: &mut Columns<'_, G>,
) -> Value {
    let ShownSearch { name, depth, record } = search;
    let counters = counted(record);
    let iteration = |iteration: &RecordedIteration| {
        let pv: Vec<String> = iteration.pv.iter().map(|&m| subject.position.move_word(m)).collect();
        json!({
            "depth": iteration.iteration.depth,
            "selectivity": percent(iteration.iteration.selectivity),
            "guess": iteration.guess.map(|guess| guess.0),
            "first": shown.number_at(iteration.first as usize),
            "nodes": iteration.counters.nodes,
            "value": iteration.value.0,
            "pv": pv,
        })
    };
    json!({
        "name": name,
        "depth": depth,
        "visits": record.visits.len(),
        "nodes": counters.nodes,
        "leaves": counters.leaves,
        "nullWindows": counters.null_windows,
        "reSearches": counters.re_searches,
        "tableHits": counters.table_hits,
        "leftOut": shown.left_out,
        "largestLeftOut": shown.largest_left_out,
        "iterations": record.iterations.iter().map(iteration).collect::<Vec<_>>(),
        "columns": columns.of(record, shown),
    })
}

/// The first difference: its sentence, and for each search its node or its iteration.
fn difference_data(diff: &SearchDiff<'_>, shown: &[ShownVisits]) -> Option<Value> {
    let found = first_difference(diff.records[0], diff.records[1])?;
    let (mut nodes, mut iterations) = ([None; 2], [None; 2]);
    match found {
        FirstDifference::Iterations(numbers) => iterations = numbers,
        FirstDifference::Visits(indices) => {
            nodes = [0, 1].map(|which| indices[which].map(|at| shown[which].nearest(at, diff.records[which])));
        }
    }
    Some(json!({ "text": diff.sentence(found), "nodes": nodes, "iterations": iterations }))
}
