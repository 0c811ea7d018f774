//! Analyzes games side by side ([`JobRunner`]); results are reported in the order of the games.
//! When no game is left, idle threads help with the running searches ([`ThreadBudget`]).

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use crossbeam_channel::Receiver;

use super::plan::SearchPlan;
use super::record::AnalysisRecord;
use super::result::GameAnalysis;
use super::search::GameAnalyzer;
use super::source::AnalysisJob;
use crate::commands::jobs::{BecomesHelper, JobRunner, SearchControls};
use crate::engine::options::Options;
use crate::search::core::parallel::thread_budget::ThreadBudget;
use crate::search::table::Table;

/// Analyzes the games with the threads and the hash size of the options, and appends each move to
/// the record. Calls `report` for each game in order, and periodically without one, with the number
/// of moves analyzed by this run. Returns whether the run was interrupted, by disconnecting
/// `interrupt`.
///
/// # Errors
/// If the record cannot be written, or `report` fails.
pub fn analyze(
    games: Vec<AnalysisJob>,
    options: &Options,
    plan: &SearchPlan,
    record: Option<&AnalysisRecord>,
    interrupt: &Receiver<()>,
    mut report: impl FnMut(Option<GameAnalysis>, usize) -> Result<()>,
) -> Result<bool> {
    let threads = options.settings.threads;
    let searching = threads.min(games.len()).max(1);
    let budget = Arc::new(ThreadBudget::new(threads, searching));
    let searches = Mutex::new(SearchControls::new(searching));
    let searches = || searches.lock().unwrap_or_else(PoisonError::into_inner);
    let done = &AtomicUsize::new(0);
    let worker = |thread: usize| {
        let mut options = options.clone();
        options.settings.shared_threads = Some(budget.clone());
        let mut analyzer = GameAnalyzer {
            table: Table::new((options.hash as usize / searching).max(1)),
            options,
            plan: plan.clone(),
        };
        let helper = BecomesHelper(budget.clone());
        move |AnalysisJob { source, known }: AnalysisJob| -> Result<Option<GameAnalysis>> {
            let _dropped_with_the_worker = &helper;
            if let Some(moves) = known {
                return Ok(Some(source.analysis(moves)));
            }
            let moves = analyzer.analyze(
                source.game(),
                || searches().next(thread),
                |analysis| {
                    done.fetch_add(1, Ordering::Relaxed);
                    match record {
                        Some(record) => record.add(&source.file, source.number, analysis),
                        None => Ok(()),
                    }
                },
            )?;
            Ok(moves.map(|moves| source.analysis(moves))) // `None`: the run is over
        }
    };
    let runner = JobRunner {
        threads: searching,
        in_order: true,
        interrupt,
    };
    runner.run(
        games.into_iter(),
        worker,
        || searches().stop(),
        |result| {
            let analysis = result.transpose()?.flatten();
            report(analysis, done.load(Ordering::Relaxed))
        },
    )
}
