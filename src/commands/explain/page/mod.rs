//! The HTML page of `explain`: a self-contained file that shows one search, or two side by side.
//!
//! [`visit_rows`] stores the record as rows of numbers. The scripts build and draw the tree:
//! `tree.js` (model), `words.js` (descriptions of nodes), `view.js` (drawing), `details.js` (side
//! panel), `summary.js` (page header), `app.js` (replay, keys, controls). Large trees are reduced
//! to their largest subtrees ([`summary`]).

use anyhow::Result;
use serde_json::{Value, json};

use crate::games::any::AnyPosition;
use crate::html::board::board_shape;
use crate::html::{BASE_STYLE, BOARD_SCRIPT, embedded_json, escape, fill_page};

mod summary;
mod visit_rows;

use super::diff::{first_difference, sentence};
use super::subject::{Recordable, RecordedSearch};
use super::tree_recorder::RecordedIteration;
use super::wording::REASONS;
use summary::ShownVisits;
use visit_rows::VisitRows;

/// The scripts, in dependency order.
const SCRIPTS: [&str; 7] = [
    BOARD_SCRIPT,
    include_str!("tree.js"),
    include_str!("words.js"),
    include_str!("view.js"),
    include_str!("details.js"),
    include_str!("summary.js"),
    include_str!("app.js"),
];

/// The maximum number of visits shown per search.
const MOST_SHOWN: usize = 100_000;

/// Returns the HTML text of one search, or of the two of a comparison, of the position `title`.
///
/// # Errors
/// If the data cannot be serialized.
pub fn write<G: Recordable>(title: &str, searches: &[RecordedSearch<G>]) -> Result<String> {
    let names: Vec<&str> = searches.iter().map(|search| search.name.as_str()).collect();
    let title = format!(
        "{}, depth {}: {title}",
        names.join(" – "),
        searches[0].depth
    );
    let shown: Vec<ShownVisits> = searches
        .iter()
        .map(|search| ShownVisits::of(&search.record, MOST_SHOWN / searches.len()))
        .collect();
    let RecordedSearch { root, depth, .. } = &searches[0];
    let mut rows = VisitRows::new(*root);
    let data: Vec<Value> = searches
        .iter()
        .zip(&shown)
        .map(|(search, shown)| search_data(search, shown, &mut rows))
        .collect();
    let board = root.board();
    let data = json!({
        "title": title,
        // The score units per point: 100 in games played with discs.
        "unit": if board.and_then(AnyPosition::discs).is_some() { 100 } else { 1 },
        "board": board.map(|board| board_shape(board.name())).transpose()?,
        "start": board.map(|board| String::from_iter(board.cells())),
        "reasons": REASONS.map(|(_, name, _)| name),
        "minimax": rows.sizes.count(root, *depth).map(|full| [full.leaves, full.nodes]),
        "searches": data,
        "words": rows.words.texts(),
        "changes": rows.changes.texts(),
        "difference": difference_data(searches, &shown),
    });
    let parts = vec![("title", escape(&title)), ("data", embedded_json(&data)?)];
    let style = [BASE_STYLE, include_str!("style.css")];
    Ok(fill_page(
        include_str!("page.html"),
        [&style, &SCRIPTS],
        parts,
    ))
}

/// The JSON of a search for the scripts.
fn search_data<G: Recordable>(
    search: &RecordedSearch<G>,
    shown: &ShownVisits,
    rows: &mut VisitRows<G>,
) -> Value {
    let RecordedSearch {
        root,
        name,
        depth,
        record,
        ..
    } = search;
    let iteration = |iteration: &RecordedIteration| {
        let pv = root.move_words(&iteration.pv);
        json!({
            "depth": iteration.depth,
            "selectivity": iteration.selectivity,
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
        "counters": record.counters(),
        "leftOut": shown.left_out,
        "largestLeftOut": shown.largest_left_out,
        "iterations": record.iterations.iter().map(iteration).collect::<Vec<_>>(),
        "tree": rows.of(record, shown),
    })
}

/// The first difference: its description, and the iteration or node of each search.
fn difference_data<G: Recordable>(
    searches: &[RecordedSearch<G>],
    shown: &[ShownVisits],
) -> Option<Value> {
    let [one, other] = searches else {
        return None; // nothing to compare
    };
    let found = first_difference([&one.record, &other.record])?;
    let node = |which: usize| Some(shown[which].nearest(found.at[which]?, &searches[which].record));
    let at = if found.is_iteration {
        found.at
    } else {
        [0, 1].map(node)
    };
    Some(json!({
        "isIteration": found.is_iteration,
        "at": at,
        "text": sentence([one, other], found),
    }))
}
