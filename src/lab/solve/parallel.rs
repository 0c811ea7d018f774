//! Solves problems in parallel ([`JobRunner`]); results are reported in problem order. When no problem is left, idle
//! threads help with the running ones ([`ThreadBudget`]).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use crossbeam_channel::Receiver;

use super::problem_file::Problem;
use super::progress::{node_text, search_text};
use super::solved_row::SolvedRow;
use super::solver::{ProblemSolver, SolveQuestion};
use crate::engine::options::Options;
use crate::lab::jobs::JobRunner;
use crate::search::levels::level;
use crate::search::parallel::thread_budget::ThreadBudget;
use crate::search::stop::SearchControl;
use crate::search::table::Table;
use crate::search::{Progress, Settings};

/// An event of a run.
pub enum SolveEvent {
    /// The search of a problem has ended.
    Done(Problem, SolvedRow),
    /// Periodic progress: the search of the first unfinished problem, and the nodes of all.
    Running(String),
}

/// The running searches.
struct RunningSearches {
    /// The control of each thread's search.
    controls: Vec<Arc<SearchControl>>,
    /// The problem number of each thread's search, and its text for the user.
    texts: Vec<Option<(usize, String)>>,
    /// The nodes of the finished searches.
    nodes_before: u64,
    /// Whether the run is over.
    stopped: bool,
}

impl RunningSearches {
    /// A control for the next search of a thread; `None` when the run is over.
    fn next(&mut self, thread: usize) -> Option<Arc<SearchControl>> {
        if self.stopped {
            return None;
        }
        self.nodes_before += self.controls[thread].nodes();
        self.controls[thread] = Arc::default();
        Some(self.controls[thread].clone())
    }

    /// The text of the search of the first unfinished problem, and the nodes of all.
    fn text(&self) -> String {
        let nodes = self.nodes_before + self.controls.iter().map(|control| control.nodes()).sum::<u64>();
        let search = self.texts.iter().flatten().min_by_key(|(number, _)| number);
        search.map_or_else(String::new, |(_, text)| format!("{text}, ")) + &node_text(nodes)
    }

    fn stop(&mut self) {
        self.stopped = true;
        self.controls.iter().for_each(|control| control.stop());
    }
}

/// Solves all problems, each within the limit of CPU time, with the threads and the hash size of the options. Calls `report` for each in order, and
/// periodically with the progress. Returns whether the run was interrupted, by disconnecting `interrupt`.
pub fn solve(
    problems: Vec<Problem>,
    options: &Options,
    question: SolveQuestion,
    limit: Option<Duration>,
    interrupt: &Receiver<()>,
    mut report: impl FnMut(SolveEvent) -> Result<()>,
) -> Result<bool> {
    let threads = options.settings.threads;
    let searching = threads.min(problems.len()).max(1);
    let budget = Arc::new(ThreadBudget::new(threads, searching));
    let (controls, texts) = (vec![Arc::default(); searching], vec![None; searching]);
    let running = Mutex::new(RunningSearches { controls, texts, nodes_before: 0, stopped: false });
    let running = || running.lock().unwrap_or_else(PoisonError::into_inner);
    let worker = |searcher: usize| {
        let mut solver = ProblemSolver {
            kernel: options.kernel,
            settings: Settings {
                deepening: false,
                shared_threads: Some(budget.clone()),
                selectivity: question.selectivity.and_then(level),
                ..options.settings.clone()
            },
            table: Table::new((options.hash as usize / searching).max(1)),
            question,
            limit,
        };
        let helper = BecomesHelper(budget.clone());
        move |problem: Problem| {
            let _dropped_with_the_worker = &helper;
            let show = |last: Option<&Progress>| {
                let text = search_text(problem.number, &problem.entry.game, last);
                running().texts[searcher] = Some((problem.number, text));
            };
            show(None);
            let mut controls = std::iter::from_fn(|| running().next(searcher));
            let row = solver.solve(&problem, &mut controls, &mut |last| show(Some(last)));
            running().texts[searcher] = None;
            row.map(|row| SolveEvent::Done(problem, row)) // `None`: the run is over
        }
    };
    let runner = JobRunner { threads: searching, in_order: true, interrupt };
    runner.run(
        problems.into_iter(),
        worker,
        || running().stop(),
        |result| result.unwrap_or_else(|| Some(SolveEvent::Running(running().text()))).map_or(Ok(()), &mut report),
    )
}

/// The thread of a worker helps the other searches when no problem is left.
struct BecomesHelper(Arc<ThreadBudget>);

impl Drop for BecomesHelper {
    fn drop(&mut self) {
        self.0.end_searching();
    }
}
