//! The search thread: it lives as long as the engine, owns the transposition table, takes one job at a time and reports.

use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};

use super::bench;
use super::options::Options;
use super::roster::{self, Kernel};
use crate::game::{Move, Notation};
use crate::games::any::{AnyPosition, Visitor};
use crate::perft::{Count, perft_until};
use crate::search::context::Watch;
use crate::search::table::Table;
use crate::search::{Answer, Limits, Observer, Progress, Settings};

/// Work for the search thread. Each ends with one last report: `Done`, `Answer`, `Perft` or `BenchEnd`.
pub enum Job {
    /// Make the table so many MiB large.
    Resize(u32),
    /// Forget what the table holds.
    Clear,
    /// Wait until the table is ready.
    Ready,
    /// Think about a position.
    Think {
        /// The root.
        position: AnyPosition,
        /// How to search.
        settings: Settings,
        /// On which instruction set.
        kernel: Kernel,
        /// For how long.
        limits: Limits,
        /// Who may stop it.
        watch: Arc<Watch>,
        /// Whether it has an empty table of its own, so that nothing searched before has a part in its scores.
        afresh: bool,
    },
    /// Count lines of play.
    Perft {
        /// Where they begin.
        position: AnyPosition,
        /// Their length.
        depth: u32,
        /// Who may stop it.
        watch: Arc<Watch>,
    },
    /// Search the fixed set of positions.
    Bench {
        /// With these options.
        options: Options,
        /// Who may stop it.
        watch: Arc<Watch>,
    },
}

/// Size in MiB of the table of a search that starts afresh.
const OWN_TABLE: usize = 16;

/// What the search thread says.
#[derive(Debug)]
pub enum Report {
    /// The table is ready.
    Done,
    /// How the search goes.
    Progress(Progress),
    /// The search is over.
    Answer(Answer),
    /// Lines of play behind a first move.
    PerftMove(Move, Count),
    /// The count is over; `None`: it was stopped.
    Perft(Option<Count>),
    /// A line about the bench.
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
    /// Starts the thread, which begins to prepare the table at once.
    pub fn start(hash: u32) -> Worker {
        let (jobs, inbox) = unbounded();
        let (outbox, reports) = unbounded();
        thread::spawn(move || work(&inbox, &outbox, hash));
        Worker { jobs, reports }
    }

    /// Hands over a job.
    pub fn submit(&self, job: Job) {
        // The thread ends only with this handle; a panic in it ends the process.
        let _ = self.jobs.send(job);
    }

    /// Where the reports arrive.
    pub fn reports(&self) -> &Receiver<Report> {
        &self.reports
    }
}

fn work(inbox: &Receiver<Job>, outbox: &Sender<Report>, hash: u32) {
    let mut table = Table::in_background(hash as usize);
    roster::make_ready(); // while the first commands come in: no move's clock pays for it
    let say = |report| {
        let _ = outbox.send(report); // nobody listens any more when the engine is gone
    };
    for job in inbox {
        match job {
            Job::Resize(mebibytes) => {
                drop(std::mem::replace(&mut table, Table::new(0))); // the old memory is free before the new one is taken
                table = Table::in_background(mebibytes as usize);
                log::debug!("table of {} MiB", table.mebibytes());
                say(Report::Done);
            }
            Job::Clear => {
                table.clear();
                say(Report::Done);
            }
            Job::Ready => {
                table.wait_until_whole(&Watch::default());
                say(Report::Done);
            }
            Job::Think { position, settings, kernel, limits, watch, afresh } => {
                fail_on_demand();
                let own = afresh.then(|| Table::new(OWN_TABLE));
                let table = own.as_ref().unwrap_or(&table);
                let mut report = |progress: &Progress| say(Report::Progress(progress.clone()));
                let mut observer = Observer { watch, report: &mut report };
                say(Report::Answer(roster::think(position, &settings, kernel, table, &limits, &mut observer)));
            }
            Job::Perft { position, depth, watch } => {
                let tell = &mut |m, count| say(Report::PerftMove(m, count));
                let count = position.visit(Perft { depth, watch: &watch, tell });
                say(Report::Perft(count));
            }
            Job::Bench { options, watch } => {
                bench::run(&options, &watch, &mut |line| say(Report::BenchLine(line)));
                say(Report::BenchEnd);
            }
        }
    }
}

/// Counts lines of play, each first move by itself.
struct Perft<'w> {
    depth: u32,
    watch: &'w Watch,
    tell: &'w mut dyn FnMut(Move, Count),
}

impl Visitor for Perft<'_> {
    type Output = Option<Count>;

    fn visit<G: Notation>(self, position: &G) -> Option<Count> {
        if self.depth == 0 {
            return Some(Count { lines: 1, ended: 0 });
        }
        let moves = position.moves();
        let mut total = Count { lines: 0, ended: u64::from(moves.is_empty()) };
        for m in moves {
            let count = perft_until(&position.play(m), self.depth - 1, &|| self.watch.stopped())?;
            (self.tell)(m, count);
            total += count;
        }
        Some(total)
    }
}

/// Debug builds can be told to lose their search thread, so that a test can see the process end with it.
#[allow(clippy::panic, reason = "this is what it is for")]
fn fail_on_demand() {
    if cfg!(debug_assertions) && std::env::var_os("NULLWINDOW_FAULT").is_some_and(|fault| fault == "search") {
        panic!("a fault was asked for");
    }
}
