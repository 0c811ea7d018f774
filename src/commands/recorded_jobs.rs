//! Long measurements that resume: a record of JSON lines, first the conditions of the run, then a line for each job,
//! appended as it ends ([`JobRecord`]); and the threads that do the jobs which a record lacks ([`run_jobs`]).

use std::fmt::Debug;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, ensure};
use crossbeam_channel::{Receiver, TryRecvError, bounded};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::logging::progress::ProgressLine;
use crate::platform::interrupt;

/// An open record.
pub(super) struct JobRecord<L> {
    file: File,
    path: PathBuf,
    /// The results in the order of the file.
    pub lines: Vec<L>,
}

impl<L: Serialize + DeserializeOwned> JobRecord<L> {
    /// Opens or creates a record of these conditions. A truncated last line is done again.
    ///
    /// # Errors
    /// The file cannot be used, or was made under other conditions.
    pub fn open<C>(path: &Path, conditions: &C) -> Result<JobRecord<L>>
    where
        C: Serialize + DeserializeOwned + PartialEq + Debug,
    {
        let context = || path.display().to_string();
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).with_context(context)?;
        let text = std::fs::read_to_string(path).with_context(context)?;
        let mut lines = text.lines();
        match lines.next() {
            None => writeln!(file, "{}", serde_json::to_string(conditions)?).with_context(context)?,
            Some(first) => {
                let found: C =
                    serde_json::from_str(first).context("no record of this command").with_context(context)?;
                ensure!(found == *conditions, "{}: made with {found:?}, not with {conditions:?}", path.display());
            }
        }
        if !text.is_empty() && !text.ends_with('\n') {
            writeln!(file).with_context(context)?;
        }
        let lines = lines.filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok(JobRecord { file, path: path.into(), lines })
    }

    /// Appends a result.
    fn add(&mut self, result: L) -> Result<()> {
        let line = serde_json::to_string(&result)? + "\n";
        self.file.write_all(line.as_bytes()).with_context(|| self.path.display().to_string())?;
        self.lines.push(result);
        Ok(())
    }
}

/// Does jobs on several threads, each with a worker of its own, and records the results as they come; progress goes to
/// standard error. `false`: interrupted, and the record resumes.
pub(super) fn run_jobs<J, L, W>(
    jobs: &[J],
    threads: u16,
    record: &mut JobRecord<L>,
    worker: impl Fn() -> W + Sync,
) -> Result<bool>
where
    J: Sync,
    L: Serialize + DeserializeOwned + Send,
    W: FnMut(&J) -> Result<L>,
{
    let interrupted = interrupt::channel()?;
    let next = AtomicUsize::new(0);
    let (sender, results) = bounded(usize::from(threads));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next, worker) = (sender.clone(), &next, &worker);
            scope.spawn(move || {
                let mut work = worker();
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if sender.send(work(job)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        collect(results, record, jobs.len(), &interrupted)
    })
}

/// Records the results as they come; `false`: interrupted.
fn collect<L: Serialize + DeserializeOwned>(
    results: Receiver<Result<L>>,
    record: &mut JobRecord<L>,
    count: usize,
    interrupted: &Receiver<()>,
) -> Result<bool> {
    let bar = ProgressLine::bar(count as u64, "jobs");
    let mut left = count;
    for result in &results {
        record.add(result?)?;
        bar.inc();
        left -= 1;
        if interrupted.try_recv() == Err(TryRecvError::Disconnected) {
            break;
        }
    }
    drop(bar);
    ensure!(left == 0 || interrupted.try_recv() == Err(TryRecvError::Disconnected), "a thread has ended");
    Ok(left == 0)
}
