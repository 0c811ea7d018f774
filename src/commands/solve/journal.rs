//! The journal of a resumable run (`--resume`): a JSON line for each finished position, appended at once.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::solved_row::SolvedRow;

/// A line of the journal.
#[derive(Serialize, Deserialize)]
struct JournalLine {
    /// The key of the problem.
    task: String,
    row: SolvedRow,
}

/// The rows of a journal with their keys, in the order in which they were finished; invalid lines are skipped.
pub fn read(path: &Path) -> Result<Vec<(String, SolvedRow)>> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    Ok(rows(&bytes).map(|JournalLine { task, row }| (task, row)).collect())
}

fn rows(bytes: &[u8]) -> impl Iterator<Item = JournalLine> {
    bytes.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok())
}

/// An open journal.
pub struct Journal {
    file: File,
    path: PathBuf,
    rows: HashMap<(usize, String), SolvedRow>,
}

impl Journal {
    /// Opens or creates a journal. A truncated last line is ignored and kept.
    pub fn open(path: &Path) -> Result<Journal> {
        let context = || path.display().to_string();
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).with_context(context)?;
        let bytes = std::fs::read(path).with_context(context)?;
        let rows = rows(&bytes).map(|JournalLine { task, row }| ((row.n, task), row)).collect();
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            file.write_all(b"\n").with_context(context)?;
        }
        Ok(Journal { file, path: path.into(), rows })
    }

    /// The row of a problem, if it was solved, or given up after at least the present time limit.
    pub fn find(&self, number: usize, task: &str, limit: Option<Duration>) -> Option<SolvedRow> {
        let row = self.rows.get(&(number, task.into()))?;
        let had_enough = |seconds| limit.is_some_and(|limit| seconds >= limit.as_secs_f64());
        (row.score.is_some() || row.limit.is_some_and(had_enough)).then(|| row.clone())
    }

    /// Adds a finished position.
    pub fn add(&mut self, task: &str, row: &SolvedRow) -> Result<()> {
        let line = serde_json::to_string(&JournalLine { task: task.into(), row: row.clone() })?;
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.with_context(|| format!("{}: a solved position is not recorded", self.path.display()))
    }
}
