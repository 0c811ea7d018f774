//! The record of a resumable run: a JSON line for each finished position, appended and flushed as it is finished.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

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
        let mut rows = HashMap::new();
        let mut whole = true;
        let mut reader = BufReader::new(&file);
        let mut bytes = Vec::new();
        while reader.read_until(b'\n', &mut bytes).with_context(context)? > 0 {
            whole = bytes.ends_with(b"\n");
            if let Ok(Line { task, row }) = serde_json::from_slice(&bytes) {
                rows.insert((row.n, task), row);
            }
            bytes.clear();
        }
        if !whole {
            file.write_all(b"\n").with_context(context)?;
        }
        Ok(Record { file, rows })
    }

    /// The row of a task, if it was finished before.
    pub fn find(&self, number: usize, task: &str) -> Option<Row> {
        self.rows.get(&(number, task.into())).cloned()
    }

    /// Adds a finished position.
    pub fn add(&mut self, task: &str, row: &Row) -> Result<()> {
        let line = serde_json::to_string(&Line { task: task.into(), row: row.clone() })?;
        writeln!(self.file, "{line}")?;
        self.file.flush().context("the record")
    }
}
