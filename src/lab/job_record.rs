//! Resumable measurements: [`JobRecord`] is a file of JSON lines: the conditions of the run, then
//! one line per finished job. [`JobRecord::run`] runs the missing jobs.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::commands::jobs::JobRunner;
use crate::commands::threads;
use crate::logging::progress::ProgressLine;
use crate::platform::interrupt;
use crate::storage::json_lines::JsonLines;

/// The arguments of a measurement with one record.
#[derive(clap::Args, Debug)]
pub struct RecordArgs {
    /// Record to create or resume
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads())]
    pub threads: u16,
}

/// An open record: the results of jobs by their keys.
pub struct JobRecord<K, L> {
    file: JsonLines<L>,
    key: fn(&L) -> K,
    pub results: BTreeMap<K, L>,
}

impl<K: Ord + Debug, L: Serialize + DeserializeOwned + Send> JobRecord<K, L> {
    /// Opens or creates a record of these conditions; `key` identifies the job of a result.
    ///
    /// # Errors
    /// As [`JsonLines::open_with`].
    pub fn open<C>(path: &Path, conditions: &C, key: fn(&L) -> K) -> Result<JobRecord<K, L>>
    where
        C: Serialize + DeserializeOwned,
    {
        let mut results = BTreeMap::new();
        let file = JsonLines::open_with(path, conditions, |result: L| {
            match results.insert(key(&result), result) {
                Some(first) => Err(format!("duplicate result of {:?}", key(&first))),
                None => Ok(()),
            }
        })?;
        Ok(JobRecord { file, key, results })
    }

    /// Whether the job has no result.
    pub fn lacks(&self, key: &K) -> bool {
        !self.results.contains_key(key)
    }

    /// The jobs without a result.
    pub fn missing(&self, wanted: impl IntoIterator<Item = K>) -> Vec<K> {
        wanted.into_iter().filter(|key| self.lacks(key)).collect()
    }

    /// Runs jobs on several threads, one worker each, and records the results in order of arrival.
    /// Prints progress to standard error. Returns `false` if interrupted.
    pub fn run<J: Send, W: FnMut(J) -> Result<L>>(
        &mut self,
        jobs: Vec<J>,
        threads: u16,
        worker: impl Fn() -> W + Sync,
    ) -> Result<bool> {
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
                    self.file.append(&result)?;
                    self.results.insert((self.key)(&result), result);
                    bar.inc();
                    left -= 1;
                }
                Ok(())
            },
        )?;
        Ok(left == 0)
    }
}
