//! Analyzes games side by side ([`run_searches`]); results are reported in the order of the games.
//! When no game is left, idle threads help with the running searches.

use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use crossbeam_channel::Receiver;

use super::plan::SearchPlan;
use super::record::AnalysisRecord;
use super::result::GameAnalysis;
use super::search::GameAnalyzer;
use super::source::AnalysisJob;
use crate::commands::jobs::{SearchControls, run_searches};
use crate::engine::options::Options;

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
    let controls = &SearchControls::new(options.settings.threads);
    let done = &AtomicUsize::new(0);
    let worker = |thread: usize, settings, table| {
        let mut analyzer = GameAnalyzer {
            options: Options {
                settings,
                ..options.clone()
            },
            plan: plan.clone(),
            table,
        };
        move |AnalysisJob { source, known }: AnalysisJob| -> Result<Option<GameAnalysis>> {
            if let Some(moves) = known {
                return Ok(Some(source.analysis(moves)));
            }
            let moves = analyzer.analyze(
                &source.entry.game,
                || controls.next(thread),
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
    run_searches(games, options, controls, interrupt, worker, |result| {
        let analysis = result.transpose()?.flatten();
        report(analysis, done.load(Ordering::Relaxed))
    })
}
