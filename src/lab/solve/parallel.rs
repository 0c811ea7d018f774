//! Solves problems in parallel ([`JobRunner`]); results are reported in problem order. When no problem is left, idle
//! threads help with the running ones ([`ThreadBudget`]).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use crossbeam_channel::Receiver;

use super::problem_file::ProblemLine;
use super::problem_solver::{ProblemSolver, SolveQuestion, SolvedProblem, Unsolved};
use super::progress::{RunState, SearchStatus};
use crate::engine::options::Options;
use crate::lab::jobs::JobRunner;
use crate::search::levels::level;
use crate::search::parallel::thread_budget::ThreadBudget;
use crate::search::stop::SearchControl;
use crate::search::table::Table;
use crate::search::{Progress, Settings};

/// The parameters of a run.
pub struct SolveJob {
    /// The engine options.
    pub options: Options,
    pub threads: usize,
    /// The total size of all tables in MiB.
    pub hash: usize,
    pub question: SolveQuestion,
    /// Interrupts the run when disconnected.
    pub interrupt: Receiver<()>,
}

/// An event of a run.
pub enum SolveEvent {
    /// A problem was solved or exceeded its limit.
    Done(ProblemLine, Box<SolvedProblem>),
    /// The line with this number is not a valid problem.
    Unreadable(usize, anyhow::Error),
    /// The search of a problem was interrupted.
    Interrupted(Box<SolvedProblem>),
    /// Periodic progress.
    Running(RunState),
}

/// The running searches: their node counts, and their controls to stop them.
struct RunningSearches {
    controls: Mutex<Controls>,
}

struct Controls {
    /// One per thread.
    current: Vec<Arc<SearchControl>>,
    /// The running search of each thread.
    searches: Vec<Option<SearchStatus>>,
    /// The nodes of the finished searches.
    nodes_before: u64,
    /// Whether the run is over.
    stopped: bool,
}

impl RunningSearches {
    fn new(threads: usize) -> RunningSearches {
        let current = (0..threads).map(|_| Arc::default()).collect();
        let searches = vec![None; threads];
        RunningSearches { controls: Mutex::new(Controls { current, searches, nodes_before: 0, stopped: false }) }
    }

    fn lock(&self) -> MutexGuard<'_, Controls> {
        self.controls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A control for the next search of a thread; `None` when the run is over.
    fn next(&self, thread: usize) -> Option<Arc<SearchControl>> {
        let mut controls = self.lock();
        if controls.stopped {
            return None;
        }
        let control = Arc::<SearchControl>::default();
        let before = std::mem::replace(&mut controls.current[thread], control.clone());
        controls.nodes_before += before.nodes();
        Some(control)
    }

    /// Sets the running search of a thread.
    fn set_search(&self, thread: usize, search: Option<SearchStatus>) {
        self.lock().searches[thread] = search;
    }

    /// The state of the run.
    fn state(&self) -> RunState {
        let controls = self.lock();
        let nodes = controls.nodes_before + controls.current.iter().map(|control| control.nodes()).sum::<u64>();
        let search = controls.searches.iter().flatten().min_by_key(|search| search.number).cloned();
        RunState { nodes, search }
    }

    fn stop(&self) {
        let mut controls = self.lock();
        controls.stopped = true;
        controls.current.iter().for_each(|control| control.stop());
    }
}

/// Solves all problems and calls `report` for each in order, and periodically with the progress. Returns whether the
/// run was interrupted.
pub fn solve(tasks: Vec<ProblemLine>, job: SolveJob, mut report: impl FnMut(SolveEvent) -> Result<()>) -> Result<bool> {
    let searching = job.threads.min(tasks.len()).max(1);
    let threads = Arc::new(ThreadBudget::new(job.threads, searching));
    let running = RunningSearches::new(searching);
    let worker = |searcher| {
        let mut solver = ProblemSolver {
            kernel: job.options.kernel,
            settings: Settings {
                deepening: false,
                shared_threads: Some(threads.clone()),
                selectivity: job.question.selectivity.and_then(level),
                ..job.options.settings.clone()
            },
            table: Table::new((job.hash / searching).max(1)),
            question: job.question,
        };
        let running = &running;
        let helper = BecomesHelper(threads.clone());
        move |task: ProblemLine| {
            let _dropped_with_the_worker = &helper;
            let solved = task.parse().map(|problem| {
                let game = &problem.game;
                let (plies_left, has_discs) = (game.plies_left(), game.discs().is_some());
                let search = SearchStatus { number: task.number, plies_left, has_discs, last: None };
                running.set_search(searcher, Some(search.clone()));
                let mut report = |last: &Progress| {
                    let last = Some(last.clone());
                    running.set_search(searcher, Some(SearchStatus { last, ..search.clone() }));
                };
                let mut controls = std::iter::from_fn(|| running.next(searcher));
                solver.solve(problem, task.window, &mut controls, &mut report)
            });
            running.set_search(searcher, None);
            (task, solved)
        }
    };
    let runner = JobRunner { threads: searching, in_order: true, interrupt: &job.interrupt };
    runner.run(
        tasks.into_iter(),
        worker,
        || running.stop(),
        |result| {
            report(match result {
                None => SolveEvent::Running(running.state()),
                Some((_, Ok(None))) => return Ok(()), // the run is over
                Some((_, Ok(Some(solution)))) if solution.unsolved == Some(Unsolved::Interrupted) => {
                    SolveEvent::Interrupted(Box::new(solution))
                }
                Some((task, Ok(Some(solution)))) => SolveEvent::Done(task, Box::new(solution)),
                Some((task, Err(error))) => SolveEvent::Unreadable(task.number + error.lines_before, error.into()),
            })
        },
    )
}

/// The thread of a worker helps the other searches when no problem is left.
struct BecomesHelper(Arc<ThreadBudget>);

impl Drop for BecomesHelper {
    fn drop(&mut self) {
        self.0.end_searching();
    }
}
