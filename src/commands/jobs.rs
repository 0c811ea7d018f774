//! Runs jobs on several threads, for `solve`, self-play and recorded measurements. The calling
//! thread hands out the jobs and takes the results, so that it alone writes files. An interrupt
//! ends the run after the jobs in progress. Threads without a job can help the searches of others
//! ([`run_searches`]).

use std::collections::BTreeMap;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use crossbeam_channel::{Receiver, bounded, never, select};

use crate::engine::options::Options;
use crate::logging::progress::{ProgressLine, print_line};
use crate::search::Settings;
use crate::search::core::parallel::STACK;
use crate::search::core::parallel::thread_budget::ThreadBudget;
use crate::search::stop::SearchControl;
use crate::search::table::Table;

/// The maximum number of jobs handed out from the first one without a result; bounds the results in
/// memory.
const AHEAD: usize = 1 << 16;
/// The time without a result after which `take` is called without one.
const TICK: Duration = Duration::from_millis(500);

/// How to run jobs.
pub struct JobRunner<'a> {
    pub threads: usize,
    /// Whether results are taken in the order of the jobs, not in order of arrival.
    pub in_order: bool,
    /// Interrupts the run when disconnected.
    pub interrupt: &'a Receiver<()>,
}

impl JobRunner<'_> {
    /// Runs the jobs with one worker per thread. Calls `take` with each result, and with `None`
    /// after [`TICK`] without one. Calls `stop` when the run is interrupted or `take` fails; the
    /// jobs in progress still return results, which an interrupted run takes. Returns whether the
    /// run was interrupted.
    ///
    /// # Errors
    /// The first error of `take`, or if a thread cannot be started.
    pub fn run<J: Send, R: Send, W: FnMut(J) -> R>(
        &self,
        mut jobs: impl Iterator<Item = J>,
        worker: impl Fn(usize) -> W + Sync,
        stop: impl Fn(),
        mut take: impl FnMut(Option<R>) -> Result<()>,
    ) -> Result<bool> {
        let (to_workers, queue) = bounded::<(usize, J)>(self.threads);
        let (to_caller, results) = bounded(self.threads);
        let worker = &worker;
        // The channels are moved into the scope, so that the workers end after an error.
        thread::scope(move |scope| {
            for number in 0..self.threads {
                let (queue, to_caller) = (queue.clone(), to_caller.clone());
                let work = move || {
                    let mut work = worker(number);
                    for (index, job) in queue {
                        if to_caller.send((index, work(job))).is_err() {
                            return;
                        }
                    }
                };
                let started = thread::Builder::new()
                    .stack_size(STACK)
                    .spawn_scoped(scope, work);
                started.context("cannot start a thread")?;
            }
            drop(to_caller);
            let mut to_workers = Some(to_workers);
            let mut interrupt = self.interrupt.clone();
            let (mut waiting, mut sent, mut taken) = (BTreeMap::new(), 0, 0);
            let (mut outcome, mut interrupted) = (Ok(()), false);
            loop {
                while let Some(sender) = to_workers.as_ref().filter(|sender| !sender.is_full())
                    && sent - taken < AHEAD
                {
                    match jobs.next() {
                        // Only this thread sends, so the queue still has room.
                        Some(job) => {
                            let _ = sender.send((sent, job));
                            sent += 1;
                        }
                        None => to_workers = None,
                    }
                }
                let mut is_over = false;
                select! {
                    recv(results) -> result => match result {
                        Ok((index, result)) => drop(waiting.insert(index, result)),
                        Err(_) => break, // every thread has ended
                    },
                    recv(interrupt) -> _ => {
                        (interrupt, interrupted, is_over) = (never(), true, true);
                    }
                    default(TICK) => {
                        if outcome.is_ok() {
                            outcome = take(None);
                            is_over = outcome.is_err();
                        }
                    }
                }
                while let Some(first) = waiting
                    .first_entry()
                    .filter(|first| !self.in_order || *first.key() == taken)
                {
                    let result = first.remove();
                    taken += 1;
                    if outcome.is_ok() {
                        outcome = take(Some(result));
                        is_over |= outcome.is_err();
                    }
                }
                if is_over {
                    to_workers = None;
                    queue.try_iter().for_each(drop);
                    stop();
                }
            }
            outcome.map(|()| interrupted)
        })
    }
}

/// Runs jobs that search, in order, with the threads and the hash size of the options. The worker of
/// a thread gets the settings and the table of its searches. `controls` has a control for each
/// thread that searches. A thread without a job helps the other searches.
///
/// # Errors
/// See [`JobRunner::run`].
pub fn run_searches<J: Send, R: Send, W: FnMut(J) -> R>(
    jobs: Vec<J>,
    options: &Options,
    controls: &SearchControls,
    interrupt: &Receiver<()>,
    worker: impl Fn(usize, Settings, Table) -> W + Sync,
    take: impl FnMut(Option<R>) -> Result<()>,
) -> Result<bool> {
    let threads = options.settings.threads;
    let searching = threads.min(jobs.len()).max(1);
    let budget = Arc::new(ThreadBudget::new(threads, searching));
    let runner = JobRunner {
        threads: searching,
        in_order: true,
        interrupt,
    };
    let searcher = |thread| {
        let settings = Settings {
            shared_threads: Some(budget.clone()),
            ..options.settings.clone()
        };
        let table = Table::new((options.hash as usize / searching).max(1));
        let mut work = worker(thread, settings, table);
        let helper = BecomesHelper(budget.clone());
        move |job| {
            let _dropped_with_the_worker = &helper;
            work(job)
        }
    };
    runner.run(jobs.into_iter(), searcher, || controls.stop(), take)
}

/// The thread of a worker helps the other searches when no job is left.
struct BecomesHelper(Arc<ThreadBudget>);

impl Drop for BecomesHelper {
    fn drop(&mut self) {
        self.0.end_searching();
    }
}

/// The controls of the searches of a run, one for each thread.
pub struct SearchControls(Mutex<ControlState>);

struct ControlState {
    controls: Vec<Arc<SearchControl>>,
    /// The nodes of the finished searches.
    nodes_before: u64,
    /// Whether the run is over.
    stopped: bool,
}

impl SearchControls {
    pub fn new(threads: usize) -> SearchControls {
        SearchControls(Mutex::new(ControlState {
            controls: vec![Arc::default(); threads],
            nodes_before: 0,
            stopped: false,
        }))
    }

    fn state(&self) -> MutexGuard<'_, ControlState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A control for the next search of a thread; `None` when the run is over.
    pub fn next(&self, thread: usize) -> Option<Arc<SearchControl>> {
        let mut state = self.state();
        if state.stopped {
            return None;
        }
        state.nodes_before += mem::take(&mut state.controls[thread]).nodes();
        Some(state.controls[thread].clone())
    }

    /// The nodes of all searches.
    pub fn all_nodes(&self) -> u64 {
        let state = self.state();
        let running = state.controls.iter().map(|control| control.nodes());
        state.nodes_before + running.sum::<u64>()
    }

    /// Ends the run: stops all searches.
    pub fn stop(&self) {
        let mut state = self.state();
        state.stopped = true;
        state.controls.iter().for_each(|control| control.stop());
    }
}

/// The time before the first output without a terminal.
const QUIET: Duration = Duration::from_secs(2);

/// The progress of a run on standard error. On a terminal: an announcement and a progress bar.
/// Otherwise a run shorter than [`QUIET`] prints nothing; a longer one prints the announcement, and
/// its progress each time its duration has doubled.
pub struct RunProgress {
    /// Counts the units.
    pub bar: ProgressLine,
    /// The unit of the bar, such as `positions`.
    unit: &'static str,
    /// The announcement, until it is printed.
    announcement: Option<String>,
    /// The time of the next line without a terminal.
    due: Duration,
}

impl RunProgress {
    /// Starts a run over `count` units.
    pub fn begin(announcement: String, count: usize, unit: &'static str) -> RunProgress {
        let bar = ProgressLine::bar(count as u64, unit);
        let announcement = if bar.is_hidden() {
            Some(announcement)
        } else {
            print_line(announcement);
            None
        };
        RunProgress {
            bar,
            unit,
            announcement,
            due: QUIET,
        }
    }

    /// Shows the state of the running searches.
    pub fn show(&mut self, text: &str) {
        let elapsed = self.bar.elapsed();
        if !self.bar.is_hidden() {
            self.bar.set_message(text);
        } else if elapsed >= self.due {
            self.due = 2 * elapsed;
            if let Some(line) = self.announcement.take() {
                print_line(line);
            }
            let (done, count) = (self.bar.position(), self.bar.length().unwrap_or_default());
            let unit = self.unit;
            print_line(format!(
                "{done} of {count} {unit} done after {} s, {text}",
                elapsed.as_secs()
            ));
        }
    }
}
