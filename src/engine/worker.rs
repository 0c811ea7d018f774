//! The search thread: owns the transposition table, runs one job at a time and sends reports.

use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};

use super::bench_positions as bench;
use super::options::Options;
use super::strength::{self, Allowance};
use crate::game::{Game, Move};
use crate::games::any::{AnyPosition, with_position};
use crate::games::dispatch;
use crate::games::perft::{Count, perft_until};
use crate::search::core::isa::IsaChoice;
use crate::search::stop::SearchControl;
use crate::search::table::Table;
use crate::search::{Answer, Limits, Observer, Progress, Settings};

/// A job of the search thread. Each ends with one final report: `Done`, `Answer`, `Perft` or `BenchEnd`.
pub enum Job {
    /// Allocate a table of this size in MiB and free the memory of solvers.
    Resize(u32),
    /// Clear the table.
    Clear,
    /// Report when the thread has started and all earlier jobs are done.
    Ready,
    /// Search a position.
    Search {
        /// The root.
        position: AnyPosition,
        /// The search settings.
        settings: Settings,
        /// The instruction set.
        kernel: IsaChoice,
        /// The limits.
        limits: Box<Limits>,
        /// Its stop signal.
        control: Arc<SearchControl>,
        /// Whether it uses a new table, so that its scores do not depend on earlier searches.
        has_own_table: bool,
        /// The allowed cost of the move; `None`: full strength.
        allowance: Option<Allowance>,
    },
    /// Count leaf nodes.
    Perft {
        /// The root.
        position: AnyPosition,
        /// The depth in plies.
        depth: u32,
        /// Its stop signal.
        control: Arc<SearchControl>,
    },
    /// Run the bench.
    Bench {
        /// The options of its searches.
        options: Options,
        /// Its stop signal.
        control: Arc<SearchControl>,
    },
}

/// Size in MiB of a search's own table.
const OWN_TABLE: usize = 16;

/// A report of the search thread.
#[derive(Debug)]
pub enum Report {
    /// The table is ready.
    Done,
    /// Progress of the search.
    Progress(Progress),
    /// The search is over.
    Answer(Answer),
    /// Leaf nodes of a root move.
    PerftMove(Move, Count),
    /// The perft is over; `None`: it was stopped.
    Perft(Option<Count>),
    /// An output line of the bench.
    BenchLine(String),
    /// The bench is over.
    BenchEnd,
}

/// The handle of the search thread.
pub struct Worker {
    jobs: Sender<Job>,
    reports: Receiver<Report>,
}

impl Worker {
    /// Starts the thread, with a table of this size in MiB.
    pub fn start(hash: u32) -> Worker {
        let (jobs, inbox) = unbounded();
        let (outbox, reports) = unbounded();
        thread::spawn(move || work(&inbox, &outbox, hash));
        Worker { jobs, reports }
    }

    /// Submits a job.
    pub fn submit(&self, job: Job) {
        // Cannot fail: the thread ends only with this handle, and a panic in it aborts the process.
        let _ = self.jobs.send(job);
    }

    /// The channel of reports.
    pub fn reports(&self) -> &Receiver<Report> {
        &self.reports
    }
}

fn work(inbox: &Receiver<Job>, outbox: &Sender<Report>, hash: u32) {
    let mut table = Table::new(hash as usize);
    dispatch::preload_weights(); // before the clock of the first move runs
    let send = |report| {
        let _ = outbox.send(report); // fails only after the engine is dropped
    };
    for job in inbox {
        match job {
            Job::Resize(mebibytes) => {
                drop(std::mem::replace(&mut table, Table::new(0))); // free the old memory before allocating
                dispatch::free_solver_memory();
                table = Table::new(mebibytes as usize);
                send(Report::Done);
            }
            Job::Clear => {
                table.clear();
                send(Report::Done);
            }
            Job::Ready => send(Report::Done),
            Job::Search { position, settings, kernel, limits, control, has_own_table, allowance } => {
                panic_if_requested();
                let own = has_own_table.then(|| Table::new(OWN_TABLE));
                let table = own.as_ref().unwrap_or(&table);
                let mut report = |progress: &Progress| send(Report::Progress(progress.clone()));
                let mut observer = Observer { control, report: &mut report };
                send(Report::Answer(match allowance {
                    None => dispatch::think(position, &settings, kernel, table, &limits, &mut observer),
                    Some(allowance) => {
                        strength::search::think(position, &settings, kernel, table, &limits, &allowance, &mut observer)
                    }
                }));
            }
            Job::Perft { position, depth, control } => {
                let report = &mut |m, count| send(Report::PerftMove(m, count));
                let count = with_position!(position, position => divide_until(&position, depth, &control, report));
                send(Report::Perft(count));
            }
            Job::Bench { options, control } => {
                bench::run(&options, &control, &mut |line| send(Report::BenchLine(line)));
                send(Report::BenchEnd);
            }
        }
    }
}

/// Perft that reports the count of each root move; `None` if it was stopped.
fn divide_until<G: Game>(
    position: &G,
    depth: u32,
    control: &SearchControl,
    report: &mut dyn FnMut(Move, Count),
) -> Option<Count> {
    if depth == 0 {
        return Some(Count { leaves: 1, ended: 0 });
    }
    let moves = position.moves();
    let mut total = Count { leaves: 0, ended: u64::from(moves.is_empty()) };
    for m in moves {
        let count = perft_until(&position.play(m), depth - 1, &|| control.stopped())?;
        report(m, count);
        total += count;
    }
    Some(total)
}

/// Panics in debug builds if `NULLWINDOW_FAULT` requests it: a test checks that the process then aborts.
#[allow(clippy::panic, reason = "its purpose")]
fn panic_if_requested() {
    if cfg!(debug_assertions) && std::env::var_os("NULLWINDOW_FAULT").is_some_and(|fault| fault == "search") {
        panic!("requested by NULLWINDOW_FAULT");
    }
}
