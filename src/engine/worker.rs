//! The search thread: owns the transposition table, runs one job at a time and sends reports.

use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::game::Move;
use crate::games::dispatch;
use crate::games::perft::Count;
use crate::search::table::Table;
use crate::search::{Answer, Progress};

/// See [`Worker::submit`].
type Job = Box<dyn FnOnce(&mut Table, &dyn Fn(Report)) + Send>;

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

    /// Submits a job, which is called with the transposition table and a function that sends
    /// reports. It ends with one final report: `Done`, `Answer`, `Perft` or `BenchEnd`.
    pub fn submit(&self, job: impl FnOnce(&mut Table, &dyn Fn(Report)) + Send + 'static) {
        // Cannot fail: the thread ends only with this handle, and a panic in it aborts the process.
        let _ = self.jobs.send(Box::new(job));
    }

    /// The channel of reports.
    pub fn reports(&self) -> &Receiver<Report> {
        &self.reports
    }
}

fn work(inbox: &Receiver<Job>, outbox: &Sender<Report>, hash: u32) {
    let mut table = Table::new(hash as usize);
    dispatch::preload_weights(); // before the clock of the first move runs
    for job in inbox {
        job(&mut table, &|report| {
            let _ = outbox.send(report); // fails only after the engine is dropped
        });
    }
}

/// Panics in debug builds if `NULLWINDOW_FAULT` requests it: a test checks that the process then
/// aborts.
#[allow(clippy::panic, reason = "its purpose")]
pub fn panic_if_requested() {
    if cfg!(debug_assertions)
        && std::env::var_os("NULLWINDOW_FAULT").is_some_and(|fault| fault == "search")
    {
        panic!("requested by NULLWINDOW_FAULT");
    }
}
