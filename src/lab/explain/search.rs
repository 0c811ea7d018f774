//! Runs and records a search.

use std::sync::Arc;

use anyhow::{Result, ensure};

use crate::engine::options::Options;
use crate::game::score::Bound;
use crate::lab::search_name;
use crate::search::stats::Counters;
use crate::search::table::Table;
use crate::search::{Algorithm, Limits, Observer, Progress, Settings};

use super::subject::Recordable;
use super::tree_recorder::{RecordedIteration, TreeRecorder};

#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The engine options, with one thread.
    pub options: Options,
    /// The search depth in plies.
    pub depth: u8,
    /// The node limit.
    pub limit: u64,
}

impl SearchRequest {
    /// The algorithm and its optional parts, such as `mtdf +table`.
    pub fn name(&self) -> String {
        let Settings { algorithm, table, deepening, .. } = self.options.settings;
        let is_textbook = algorithm != Algorithm::Auto;
        search_name(algorithm.name(), is_textbook && table, is_textbook && deepening)
    }

    pub fn limits(&self) -> Limits {
        Limits { nodes: Some(self.limit), ..Limits::to_depth(self.depth) }
    }
}

/// Searches an unfinished position and records it.
///
/// # Errors
/// If the search exceeds the node limit.
pub fn record<G: Recordable>(position: G, request: &SearchRequest) -> Result<TreeRecorder> {
    let table = Table::new(request.options.hash as usize);
    let mut finished: Vec<Progress> = Vec::new();
    let mut report = |progress: &Progress| {
        if progress.bound == Bound::Exact {
            finished.push(progress.clone());
        }
    };
    let mut observer = Observer { control: Arc::default(), report: &mut report };
    let mut record = TreeRecorder::default();
    let answer = position.think(request, &table, &mut observer, &mut record);
    ensure!(!answer.stopped, "the search exceeds {} nodes: use a smaller --depth or a larger --limit", request.limit);
    let mut before = Counters::default();
    for (number, progress) in finished.into_iter().enumerate() {
        // The endgame solver is not recorded: add an iteration with its node count.
        if number == record.iterations.len() {
            record.iterations.push(RecordedIteration {
                depth: progress.depth,
                selectivity: progress.selectivity,
                guess: None,
                first: record.visits.len() as u32,
                counters: progress.counters - before,
                value: progress.score,
                pv: Vec::new(),
            });
        }
        let iteration = &mut record.iterations[number];
        (iteration.value, iteration.pv) = (progress.score, progress.pv);
        before = progress.counters;
    }
    Ok(record)
}
