//! The search thread: owns the transposition table, runs one job at a time and sends reports.

use std::io;
use std::thread::Builder;

use crossbeam_channel::{Receiver, Sender, unbounded};

use super::event::Event;
use crate::platform::clock::start_thread;
use crate::search::core::parallel::STACK;
use crate::search::table::Table;
use crate::search::{Answer, Progress};

/// See [`Worker::submit`].
type Job = Box<dyn FnOnce(&mut Table, &dyn Fn(Report)) + Send>;

/// A report of the search thread.
#[derive(Debug)]
pub enum Report {
    /// Progress of the search.
    Progress(Progress),
    /// The search is over.
    Answer(Answer),
    /// An event of any other job.
    Event(Event),
    /// Any other job is over.
    End {
        /// Its last event.
        event: Event,
        /// Whether the job was stopped.
        stopped: bool,
    },
}

/// The handle of the search thread.
pub struct Worker {
    jobs: Sender<Job>,
    reports: Receiver<Report>,
}

impl Worker {
    /// A worker, and its end of the channels, which runs its jobs with a table of this many MiB.
    pub fn new(hash: u32) -> (Worker, SearchThread) {
        let (jobs, inbox) = unbounded();
        let (outbox, reports) = unbounded();
        let search = SearchThread {
            inbox,
            outbox,
            hash,
            table: None,
        };
        (Worker { jobs, reports }, search)
    }

    /// Submits a job, which is called with the transposition table and a function that sends
    /// reports. It ends with one final report: `Answer` or `End`.
    pub fn submit(&self, job: impl FnOnce(&mut Table, &dyn Fn(Report)) + Send + 'static) {
        // Fails only if the thread has panicked: then its reports are disconnected, too.
        let _ = self.jobs.send(Box::new(job));
    }

    /// The channel of reports.
    pub fn reports(&self) -> &Receiver<Report> {
        &self.reports
    }
}

/// What the search thread does; without threads, the caller of the engine.
pub struct SearchThread {
    inbox: Receiver<Job>,
    outbox: Sender<Report>,
    hash: u32,
    /// Allocated by the thread that uses it.
    table: Option<Table>,
}

impl SearchThread {
    /// Runs all jobs on a new thread, until the engine is dropped.
    ///
    /// # Errors
    /// If its thread cannot be started.
    pub fn start(mut self) -> io::Result<()> {
        start_thread(Builder::new().stack_size(STACK), move || {
            self.table();
            let inbox = self.inbox.clone();
            for job in inbox {
                let outbox = self.outbox.clone();
                job(self.table(), &|report| {
                    let _ = outbox.send(report); // fails only after the engine is dropped
                });
            }
        })
    }

    /// Runs the next submitted job, if any, on this thread; `send` receives the reports. Returns
    /// whether there was one.
    pub fn run(&mut self, send: &dyn Fn(Report)) -> bool {
        let job = self.inbox.try_recv();
        job.is_ok_and(|job| {
            job(self.table(), send);
            true
        })
    }

    fn table(&mut self) -> &mut Table {
        self.table
            .get_or_insert_with(|| Table::new(self.hash as usize))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds without optimization, such as those of programs that use the library, need it.
    #[test]
    fn the_search_thread_has_the_stack_of_a_helper() {
        let (worker, search) = Worker::new(1);
        search.start().unwrap();
        worker.submit(|_, send| {
            std::hint::black_box([1_u8; STACK / 4]);
            send(Report::End {
                event: Event::Done,
                stopped: false,
            });
        });
        assert!(matches!(worker.reports().recv(), Ok(Report::End { .. })));
    }
}
