//! Solving on threads: each takes the next task, and the results come back in the order of the tasks.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use crossbeam_channel::{Receiver, never, select};

use super::input::{Problem, Task};
use crate::engine::options::Options;
use crate::game::Move;
use crate::game::score::Score;
use crate::games::registry;
use crate::search::context::{Watch, thread_time};
use crate::search::table::Table;
use crate::search::{Answer, Limits, Observer, Settings};

/// How to solve.
pub struct Job {
    /// Kernel and algorithm.
    pub options: Options,
    /// Threads.
    pub threads: usize,
    /// MiB of all tables together.
    pub hash: usize,
    /// Only who wins.
    pub wld: bool,
    /// Every move's score.
    pub all_moves: bool,
    /// Processor time that a position may take.
    pub limit: Option<Duration>,
    /// Closes when the job shall end early.
    pub interrupt: Receiver<()>,
}

/// What became of a problem.
pub struct Solution {
    /// The problem.
    pub problem: Problem,
    /// What the search found; its best move first, all moves if they were asked for.
    pub answer: Answer,
    /// Wall time.
    pub seconds: Duration,
    /// User and system time of the thread.
    pub cpu: Duration,
    /// Nodes visited, by a solver that was stopped too.
    pub nodes: u64,
    /// Whether it was given up, and how: it was not solved.
    pub given_up: Option<GivenUp>,
}

/// Why a problem was not solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GivenUp {
    /// It took the time that a position may take.
    Late,
    /// The job was interrupted.
    Interrupted,
}

/// What happened to a task.
pub enum Event {
    /// It was solved, or took all the time that it may.
    Done(Task, Box<Solution>),
    /// Its line is no problem.
    Unreadable(usize, anyhow::Error),
}

/// Solves all tasks, or until the job is interrupted, and hands each result on in the order of the tasks. Says whether it
/// was interrupted.
pub fn solve(tasks: Vec<Task>, job: Job, mut each: impl FnMut(Event) -> Result<()>) -> Result<bool> {
    let (sender, results) = crossbeam_channel::unbounded();
    let next = AtomicUsize::new(0);
    let watches: Vec<Arc<Watch>> = (0..job.threads).map(|_| Arc::default()).collect();
    let stop = AtomicBool::new(false);
    let halt = || {
        stop.store(true, Ordering::Relaxed);
        watches.iter().for_each(|watch| watch.stop());
    };
    std::thread::scope(|scope| {
        for watch in &watches {
            let (sender, next, tasks, job, stop) = (sender.clone(), &next, &tasks, &job, &stop);
            scope.spawn(move || {
                let mut table = Table::new((job.hash / job.threads).max(1));
                while !stop.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(task) = tasks.get(index) else { break };
                    let solved = task.read().map(|problem| solve_one(problem, job, &mut table, watch));
                    if sender.send((index, solved)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut shown = 0;
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
                    halt();
                    interrupted = true;
                    interrupt = never();
                }
            }
            while let Some(solved) = waiting.remove(&shown) {
                let task = &tasks[shown];
                shown += 1;
                let event = match solved {
                    Ok(solution) if solution.given_up == Some(GivenUp::Interrupted) => continue,
                    Ok(solution) => Event::Done(task.again(), Box::new(solution)),
                    Err(error) => Event::Unreadable(task.number, error),
                };
                if outcome.is_ok() {
                    outcome = each(event);
                    if outcome.is_err() {
                        halt();
                    }
                }
            }
        }
        outcome.map(|()| interrupted)
    })
}

fn solve_one(problem: Problem, job: &Job, table: &mut Table, watch: &Arc<Watch>) -> Solution {
    let before = thread_time();
    let started = Instant::now();
    table.forget(); // a part of the position's time, as the pages of the table are that it touches first
    let limits = Limits {
        multi_pv: if job.all_moves { problem.game.moves().len().max(1) } else { 1 },
        win_loss_draw: job.wld,
        proven: true,
        processor: job.limit,
        started,
        ..Limits::default()
    };
    let mut observer = Observer { watch: watch.clone(), report: &mut |_| () };
    let position = problem.game.position();
    let settings = Settings { deepening: false, ..job.options.settings.clone() };
    let answer = registry::think(position, &settings, job.options.kernel, table, &limits, &mut observer);
    let nodes = if answer.stopped { watch.nodes() } else { answer.counters.nodes };
    let given_up = answer.stopped.then(|| if watch.stopped() { GivenUp::Interrupted } else { GivenUp::Late });
    Solution { problem, answer, seconds: started.elapsed(), cpu: thread_time() - before, nodes, given_up }
}

impl Task {
    fn again(&self) -> Task {
        Task { number: self.number, text: self.text.clone(), game: self.game.boxed_clone() }
    }
}

impl Solution {
    /// The score of a move, if the search found it.
    pub fn score_of(&self, m: Move) -> Option<Score> {
        self.answer.best.iter().find(|root| root.m == m).map(|root| root.score)
    }
}
