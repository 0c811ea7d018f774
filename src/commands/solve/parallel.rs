//! Solves problems in parallel: each thread takes the next problem, and results are reported in the order of the
//! problems. A thread that finds no problem left helps with the running ones ([`SpareThreads`]).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use crossbeam_channel::{Receiver, never, select};

use super::problem_file::{ParsedProblem, ProblemLine};
use crate::engine::options::Options;
use crate::game::Move;
use crate::game::score::{Score, Window};
use crate::games::dispatch;
use crate::platform::cpu_time::thread_time;
use crate::search::parallel::STACK;
use crate::search::parallel::spare::SpareThreads;
use crate::search::stop::SearchControl;
use crate::search::table::Table;
use crate::search::{Answer, Limits, Observer, Settings};

/// The parameters of a run.
pub struct SolveJob {
    /// The engine options (kernel and algorithm are used).
    pub options: Options,
    /// Threads.
    pub threads: usize,
    /// MiB of all tables together.
    pub hash: usize,
    /// Win, loss or draw only.
    pub wld: bool,
    /// Scores of all moves.
    pub all_moves: bool,
    /// The limit of CPU time per position.
    pub limit: Option<Duration>,
    /// Disconnected to interrupt the run.
    pub interrupt: Receiver<()>,
}

/// A problem and the result of its search.
pub struct SolvedProblem {
    /// The problem.
    pub problem: ParsedProblem,
    /// The answer of the search, with all moves if they were asked for.
    pub answer: Answer,
    /// Wall time.
    pub seconds: Duration,
    /// User and system time of its threads.
    pub cpu: Duration,
    /// Nodes visited, also if the search was stopped.
    pub nodes: u64,
    /// Why the problem was not solved, if it was not.
    pub unsolved: Option<Unsolved>,
}

/// Why a problem was not solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsolved {
    /// It exceeded the limit of CPU time.
    TimedOut,
    /// The run was interrupted.
    Interrupted,
}

/// What a run reports.
pub enum SolveEvent {
    /// A problem was solved or exceeded its limit.
    Done(ProblemLine, Box<SolvedProblem>),
    /// The line with this number is not a valid problem.
    Unreadable(usize, anyhow::Error),
    /// The search of a problem was interrupted.
    Interrupted(Box<SolvedProblem>),
    /// The run goes on; it has visited so many nodes.
    Running(u64),
}

/// How often [`SolveEvent::Running`] is reported at most.
const TICK: Duration = Duration::from_millis(500);

/// The running searches: their nodes, and their controls, to stop them all.
struct RunningSearches {
    controls: Mutex<Controls>,
}

struct Controls {
    /// One per thread.
    current: Vec<Arc<SearchControl>>,
    /// The nodes of those that are no longer current.
    nodes_before: u64,
    /// Whether the run is over.
    stopped: bool,
}

impl RunningSearches {
    fn new(threads: usize) -> RunningSearches {
        let current = (0..threads).map(|_| Arc::default()).collect();
        RunningSearches { controls: Mutex::new(Controls { current, nodes_before: 0, stopped: false }) }
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

    /// The nodes of all searches so far.
    fn nodes(&self) -> u64 {
        let controls = self.lock();
        controls.nodes_before + controls.current.iter().map(|control| control.nodes()).sum::<u64>()
    }

    /// Ends the run.
    fn stop(&self) {
        let mut controls = self.lock();
        controls.stopped = true;
        controls.current.iter().for_each(|control| control.stop());
    }
}

/// Solves all problems and calls `report` for each in order, and from time to time between them. Returns whether the
/// run was interrupted.
pub fn solve(tasks: Vec<ProblemLine>, job: SolveJob, mut report: impl FnMut(SolveEvent) -> Result<()>) -> Result<bool> {
    let (sender, results) = crossbeam_channel::unbounded();
    let next = AtomicUsize::new(0);
    let searching = job.threads.min(tasks.len()).max(1);
    let threads = Arc::new(SpareThreads::new(job.threads, searching));
    let running = RunningSearches::new(searching);
    thread::scope(|scope| {
        for searcher in 0..searching {
            let (sender, next, tasks, job, running) = (sender.clone(), &next, &tasks, &job, &running);
            let threads = threads.clone();
            let work = move || {
                let mut table = Table::new((job.hash / searching).max(1));
                let settings = Settings {
                    deepening: false,
                    shared_threads: Some(threads.clone()),
                    ..job.options.settings.clone()
                };
                while let Some(control) = running.next(searcher) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(task) = tasks.get(index) else { break };
                    let solved = task
                        .parse()
                        .map(|problem| solve_one(problem, task.window, job, &settings, &mut table, control));
                    if sender.send((index, solved)).is_err() {
                        break;
                    }
                }
                threads.end_searching();
            };
            if let Err(error) = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work) {
                running.stop();
                return Err(error).context("cannot start a thread");
            }
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut reported = 0;
        let mut outcome = Ok(());
        let mut interrupt = job.interrupt.clone();
        let mut interrupted = false;
        loop {
            select! {
                recv(results) -> result => match result {
                    Ok((index, solved)) => drop(waiting.insert(index, solved)),
                    Err(_) => break, // every thread has ended
                },
                recv(interrupt) -> _ => {
                    running.stop();
                    interrupted = true;
                    interrupt = never();
                }
                default(TICK) => {
                    if outcome.is_ok() {
                        outcome = report(SolveEvent::Running(running.nodes()));
                    }
                }
            }
            while let Some(solved) = waiting.remove(&reported) {
                let task = &tasks[reported];
                reported += 1;
                let event = match solved {
                    Ok(solution) if solution.unsolved == Some(Unsolved::Interrupted) => {
                        SolveEvent::Interrupted(Box::new(solution))
                    }
                    Ok(solution) => SolveEvent::Done(task.clone(), Box::new(solution)),
                    Err(error) => SolveEvent::Unreadable(task.number, error),
                };
                if outcome.is_ok() {
                    outcome = report(event);
                    if outcome.is_err() {
                        running.stop();
                    }
                }
            }
        }
        outcome.map(|()| interrupted)
    })
}

fn solve_one(
    problem: ParsedProblem,
    window: Option<Window>,
    job: &SolveJob,
    settings: &Settings,
    table: &mut Table,
    control: Arc<SearchControl>,
) -> SolvedProblem {
    let before = thread_time();
    let started = Instant::now();
    table.forget(); // counts towards the position's time, as do the page faults of the table
    let limits = Limits {
        multi_pv: if job.all_moves { problem.game.moves().len().max(1) } else { 1 },
        win_loss_draw: job.wld,
        window,
        proven: true,
        processor: job.limit,
        started,
        ..Limits::default()
    };
    let mut observer = Observer { control: control.clone(), report: &mut |_| () };
    let position = problem.game.position();
    let answer = dispatch::think(position, settings, job.options.kernel, table, &limits, &mut observer);
    let nodes = if answer.stopped { control.nodes() } else { answer.counters.nodes };
    let unsolved = answer.stopped.then(|| if control.stopped() { Unsolved::Interrupted } else { Unsolved::TimedOut });
    let cpu = thread_time() - before + control.helper_time();
    SolvedProblem { problem, answer, seconds: started.elapsed(), cpu, nodes, unsolved }
}

impl Clone for ProblemLine {
    fn clone(&self) -> ProblemLine {
        ProblemLine { number: self.number, text: self.text.clone(), game: self.game.boxed_clone(), window: self.window }
    }
}

impl SolvedProblem {
    /// The score of a move, if it was searched.
    pub fn score_of(&self, m: Move) -> Option<Score> {
        self.answer.best.iter().find(|root| root.m == m).map(|root| root.score)
    }
}
