//! The record of a resumable run: a JSON line for each finished position, appended and flushed as it is finished.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::row::Row;

/// A line of the record.
#[derive(Serialize, Deserialize)]
struct Line {
    /// What was solved and what was asked of it.
    task: String,
    row: Row,
}

/// The rows of a record with their tasks, in the order in which they were finished; what is no row is left out.
pub fn read(path: &Path) -> Result<Vec<(String, Row)>> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    Ok(rows(&bytes).map(|Line { task, row }| (task, row)).collect())
}

fn rows(bytes: &[u8]) -> impl Iterator<Item = Line> {
    bytes.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok())
}

/// An open record.
pub struct Record {
    file: File,
    rows: HashMap<(usize, String), Row>,
}

impl Record {
    /// Opens or creates a record. A last line that was cut off in the middle is not counted and stays as it is.
    pub fn open(path: &Path) -> Result<Record> {
        let context = || path.display().to_string();
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).with_context(context)?;
        let bytes = std::fs::read(path).with_context(context)?;
        let rows = rows(&bytes).map(|Line { task, row }| ((row.n, task), row)).collect();
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            file.write_all(b"\n").with_context(context)?;
        }
        Ok(Record { file, rows })
    }

    /// The row of a task, if it was finished before: solved, or given up after as much time as it may have now.
    pub fn find(&self, number: usize, task: &str, limit: Option<Duration>) -> Option<Row> {
        let row = self.rows.get(&(number, task.into()))?;
        let given = |seconds| limit.is_some_and(|limit| seconds >= limit.as_secs_f64());
        (row.score.is_some() || row.limit.is_some_and(given)).then(|| row.clone())
    }

    /// Adds a finished position.
    pub fn add(&mut self, task: &str, row: &Row) -> Result<()> {
        let line = serde_json::to_string(&Line { task: task.into(), row: row.clone() })?;
        writeln!(self.file, "{line}")?;
        self.file.flush().context("the record")
    }
}
