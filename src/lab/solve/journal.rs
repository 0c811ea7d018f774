//! The journal of a resumable run (`--resume`): a line for each finished position.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::solved_row::SolvedRow;
use crate::storage::json_lines::{self, JsonLines};

/// A line of the journal.
#[derive(Serialize, Deserialize)]
struct JournalLine {
    /// The key of the problem.
    task: String,
    row: SolvedRow,
}

/// The last row of each problem by number and key; a problem may have rows of earlier runs with a smaller limit.
type JournalRows = HashMap<(usize, String), SolvedRow>;

fn collect(rows: &mut JournalRows) -> impl FnMut(JournalLine) -> Result<(), String> {
    |JournalLine { task, row }| {
        rows.insert((row.n, task), row);
        Ok(())
    }
}

/// Reads the rows of a journal that another process may be writing.
///
/// # Errors
/// If it cannot be read or is corrupt.
pub fn read(path: &Path) -> Result<JournalRows> {
    let mut rows = JournalRows::new();
    json_lines::read(path, collect(&mut rows))?;
    Ok(rows)
}

/// An open journal.
pub struct Journal {
    lines: JsonLines<JournalLine>,
    rows: JournalRows,
}

impl Journal {
    /// Opens or creates a journal.
    ///
    /// # Errors
    /// As [`JsonLines::open`].
    pub fn open(path: &Path) -> Result<Journal> {
        let mut rows = JournalRows::new();
        let lines = JsonLines::open(path, collect(&mut rows))?;
        Ok(Journal { lines, rows })
    }

    /// The row of a problem that was solved, or stopped by at least the current time limit.
    pub fn find(&self, number: usize, task: &str, limit: Option<Duration>) -> Option<SolvedRow> {
        let row = self.rows.get(&(number, task.into()))?;
        let had_enough = |seconds| limit.is_some_and(|limit| seconds >= limit.as_secs_f64());
        (row.score.is_some() || row.limit.is_some_and(had_enough)).then(|| row.clone())
    }

    /// Adds a finished position.
    pub fn add(&mut self, task: &str, row: &SolvedRow) -> Result<()> {
        self.lines.append(&JournalLine { task: task.into(), row: row.clone() })
    }
}
