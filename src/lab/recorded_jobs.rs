//! Resumable measurements. [`JobRecord`] is a file of JSON lines: the conditions of the run, then one line per finished
//! job. [`run_jobs`] runs the missing jobs on several threads.

use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::Hash;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::lab::jobs::JobRunner;
use crate::logging::progress::ProgressLine;
use crate::platform::interrupt;
use crate::storage::json_lines::JsonLines;

/// The result of a job.
pub(super) trait JobResult: Serialize + DeserializeOwned + Send {
    /// Identifies a job.
    type Key: Eq + Hash + Debug;

    /// The job of this result.
    fn key(&self) -> Self::Key;
}

/// An open record.
pub(super) struct JobRecord<L: JobResult> {
    file: JsonLines<L>,
    /// The results in the order of the file.
    pub lines: Vec<L>,
}

impl<L: JobResult> JobRecord<L> {
    /// Opens or creates a record of these conditions.
    ///
    /// # Errors
    /// As [`JsonLines::open_with`].
    pub fn open<C>(path: &Path, conditions: &C) -> Result<JobRecord<L>>
    where
        C: Serialize + DeserializeOwned + PartialEq + Debug,
    {
        let (mut lines, mut done) = (Vec::new(), HashSet::new());
        let file = JsonLines::open_with(path, conditions, |line: L| {
            if !done.insert(line.key()) {
                return Err(format!("duplicate result of {:?}", line.key()));
            }
            lines.push(line);
            Ok(())
        })?;
        Ok(JobRecord { file, lines })
    }

    /// The jobs without a result.
    pub fn missing(&self, wanted: impl IntoIterator<Item = L::Key>) -> Vec<L::Key> {
        let done: HashSet<L::Key> = self.lines.iter().map(L::key).collect();
        wanted.into_iter().filter(|key| !done.contains(key)).collect()
    }

    /// Appends a result.
    fn add(&mut self, result: L) -> Result<()> {
        self.file.append(&result)?;
        self.lines.push(result);
        Ok(())
    }
}

/// Runs jobs on several threads, one worker each, and records the results in order of arrival. Prints progress
/// to standard error. Returns `false` if interrupted.
pub(super) fn run_jobs<J: Send, L, W>(
    jobs: Vec<J>,
    threads: u16,
    record: &mut JobRecord<L>,
    worker: impl Fn() -> W + Sync,
) -> Result<bool>
where
    L: JobResult,
    W: FnMut(J) -> Result<L>,
{
    let interrupt = interrupt::channel()?;
    let mut left = jobs.len();
    let bar = ProgressLine::bar(left as u64, "jobs");
    let runner = JobRunner { threads: threads.into(), in_order: false, interrupt: &interrupt };
    runner.run(
        jobs.into_iter(),
        |_| worker(),
        || (),
        |result| {
            if let Some(result) = result {
                record.add(result?)?;
                bar.inc();
                left -= 1;
            }
            Ok(())
        },
    )?;
    Ok(left == 0)
}
