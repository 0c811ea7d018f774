//! Resumable measurements: [`JobRecord`] is a file of JSON lines: the conditions of the run, then
//! one line per finished job. [`run_jobs`] runs the missing jobs.

use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::Hash;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::commands::jobs::JobRunner;
use crate::logging::progress::ProgressLine;
use crate::platform::interrupt;
use crate::storage::json_lines::JsonLines;

/// An open record.
pub struct JobRecord<L, K> {
    file: JsonLines<L>,
    /// The results in the order of the file.
    pub lines: Vec<L>,
    /// The jobs with a result when the record was opened.
    done: HashSet<K>,
}

impl<L: Serialize + DeserializeOwned, K: Eq + Hash + Debug> JobRecord<L, K> {
    /// Opens or creates a record of these conditions; `key` identifies the job of a result.
    ///
    /// # Errors
    /// As [`JsonLines::open_with`].
    pub fn open<C>(path: &Path, conditions: &C, key: impl Fn(&L) -> K) -> Result<JobRecord<L, K>>
    where
        C: Serialize + DeserializeOwned,
    {
        let (mut lines, mut done) = (Vec::new(), HashSet::new());
        let file = JsonLines::open_with(path, conditions, |line: L| {
            if !done.insert(key(&line)) {
                return Err(format!("duplicate result of {:?}", key(&line)));
            }
            lines.push(line);
            Ok(())
        })?;
        Ok(JobRecord { file, lines, done })
    }

    /// Whether the job had no result when the record was opened.
    pub fn lacks(&self, key: &K) -> bool {
        !self.done.contains(key)
    }

    /// The jobs without a result.
    pub fn missing(&self, wanted: impl IntoIterator<Item = K>) -> Vec<K> {
        wanted.into_iter().filter(|key| self.lacks(key)).collect()
    }
}

/// Runs jobs on several threads, one worker each, and records the results in order of arrival.
/// Prints progress to standard error. Returns `false` if interrupted.
pub fn run_jobs<J: Send, L, K, W>(
    jobs: Vec<J>,
    threads: u16,
    record: &mut JobRecord<L, K>,
    worker: impl Fn() -> W + Sync,
) -> Result<bool>
where
    L: Serialize + DeserializeOwned + Send,
    W: FnMut(J) -> Result<L>,
{
    let interrupt = interrupt::channel()?;
    let mut left = jobs.len();
    let bar = ProgressLine::bar(left as u64, "jobs");
    let runner = JobRunner {
        threads: threads.into(),
        in_order: false,
        interrupt: &interrupt,
    };
    runner.run(
        jobs.into_iter(),
        |_| worker(),
        || (),
        |result| {
            if let Some(result) = result {
                let result = result?;
                record.file.append(&result)?;
                record.lines.push(result);
                bar.inc();
                left -= 1;
            }
            Ok(())
        },
    )?;
    Ok(left == 0)
}
