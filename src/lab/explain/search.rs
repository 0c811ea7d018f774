//! Runs the searches that `explain` records: the production search and the textbook algorithms, on a game (exactly as
//! the engine does) or on a tree from a file.

use std::sync::Arc;

use anyhow::{Result, bail};

use crate::engine::options::Options;
use crate::game::score::Bound;
use crate::games::any::AnyPosition;
use crate::games::dispatch::think_recorded;
use crate::games::drawn_tree::DrawnTree;
use crate::search::context::Context;
use crate::search::deepening::think;
use crate::search::generic_policy::GenericPolicy;
use crate::search::isa::Portable;
use crate::search::levels::level;
use crate::search::policy::Zero;
use crate::search::production::{Mtdf, Production};
use crate::search::schedule::Iteration;
use crate::search::searcher::Searcher;
use crate::search::stats::Counters;
use crate::search::stop::SearchControl;
use crate::search::table::{Draft, Table};
use crate::search::textbook::{TextbookContext, TextbookSearch};
use crate::search::{Algorithm, Answer, Limits, Observer, Progress, Settings};

use super::subject::Shown;
use super::tree_recorder::{RecordedIteration, TreeRecorder};

#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The engine options.
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
        let mut name = String::from(algorithm.name());
        if algorithm != Algorithm::Auto {
            name.push_str(if table { " +table" } else { "" });
            name.push_str(if deepening { " +deepening" } else { "" });
        }
        name
    }

    /// The settings of a recorded search, with one thread.
    fn settings(&self) -> Settings {
        Settings { threads: 1, ..self.options.settings.clone() }
    }

    fn limits(&self) -> Limits {
        Limits { nodes: Some(self.limit), ..Limits::to_depth(self.depth) }
    }
}

/// A position whose search can be recorded.
pub trait Recordable: Shown {
    /// Searches it.
    fn think(
        self,
        request: &SearchRequest,
        table: &Table,
        observer: &mut Observer<'_>,
        trace: &mut TreeRecorder,
    ) -> Answer;
}

impl Recordable for AnyPosition {
    fn think(
        self,
        request: &SearchRequest,
        table: &Table,
        observer: &mut Observer<'_>,
        trace: &mut TreeRecorder,
    ) -> Answer {
        let (settings, limits) = (request.settings(), request.limits());
        think_recorded(self, &settings, request.options.kernel, table, &limits, observer, Some(trace))
    }
}

impl Recordable for DrawnTree {
    fn think(
        self,
        request: &SearchRequest,
        table: &Table,
        observer: &mut Observer<'_>,
        trace: &mut TreeRecorder,
    ) -> Answer {
        let (settings, limits) = (request.settings(), request.limits());
        let (control, table) = (observer.control.clone(), settings.table.then_some(table));
        let mut deepen = |searcher: &mut dyn Searcher| think(searcher, &limits, settings.deepening, observer);
        match settings.algorithm {
            Algorithm::Auto => {
                let policy = GenericPolicy::new(Zero, Portable::token());
                let mut cx = Context::new(&policy, table, &control);
                cx.record(trace);
                deepen(&mut Production::<Mtdf, _>::new(self, cx))
            }
            algorithm => {
                let mut cx = TextbookContext::new(&Zero, table, &control);
                cx.record(trace);
                deepen(&mut TextbookSearch::new(algorithm, self, cx))
            }
        }
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
    let mut observer = Observer { control: Arc::new(SearchControl::default()), report: &mut report };
    let mut record = TreeRecorder::default();
    let answer = position.think(request, &table, &mut observer, &mut record);
    if answer.stopped {
        bail!("the search exceeds {} nodes: use a smaller --depth or a larger --limit", request.limit);
    }
    let mut before = Counters::default();
    for (number, progress) in finished.into_iter().enumerate() {
        // The endgame solver is not recorded: add an iteration with its node count.
        if number == record.iterations.len() {
            let selectivity = level(progress.selectivity).unwrap_or(Draft::FULL);
            record.iterations.push(RecordedIteration {
                iteration: Iteration { depth: progress.depth, selectivity },
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

/// The total counts of all iterations.
pub fn counted(record: &TreeRecorder) -> Counters {
    let mut all = Counters::default();
    record.iterations.iter().for_each(|iteration| all += iteration.counters);
    all
}
