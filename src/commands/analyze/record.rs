//! The record of a run: its conditions, then a line for each analyzed move, in order of arrival. A
//! game whose lines are incomplete is analyzed again.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use super::plan::LimitArgs;
use super::result::MoveAnalysis;
use super::source::SourceGame;
use crate::storage::json_lines::JsonLines;

/// What determines the results: the first line.
#[derive(Debug, Serialize, Deserialize)]
pub struct AnalysisConditions {
    /// The version of the engine.
    pub analyze: String,
    pub game: String,
    pub options: Vec<(String, String)>,
    pub limits: LimitArgs,
}

/// A line for a move.
#[derive(Serialize, Deserialize)]
struct RecordLine {
    file: String,
    number: usize,
    #[serde(flatten)]
    analysis: MoveAnalysis,
}

/// An open record.
pub struct AnalysisRecord {
    /// Several threads append to it.
    lines: Mutex<JsonLines<RecordLine>>,
    /// The recorded moves by file, number of the game, and ply.
    known: HashMap<(String, usize, usize), MoveAnalysis>,
    /// The games of which [`AnalysisRecord::take`] found a part, by file and number.
    unfinished: HashSet<(String, usize)>,
}

impl AnalysisRecord {
    /// Opens or creates a record.
    ///
    /// # Errors
    /// As [`JsonLines::open_with`].
    pub fn open(path: &Path, conditions: &AnalysisConditions) -> Result<AnalysisRecord> {
        let mut known = HashMap::new();
        let lines = JsonLines::open_with(path, conditions, |line: RecordLine| {
            let (number, ply) = (line.number, line.analysis.ply);
            match known.insert((line.file, number, ply), line.analysis) {
                Some(_) => Err(format!("duplicate result of game {number}, ply {ply}")),
                None => Ok(()),
            }
        })?;
        Ok(AnalysisRecord {
            lines: Mutex::new(lines),
            known,
            unfinished: HashSet::new(),
        })
    }

    /// Takes the moves of a game out of the record. An unfinished game, which has no results here,
    /// begins anew: its first searches decide what later ones find in the table.
    ///
    /// # Errors
    /// If a recorded position or move is not that of the game.
    pub fn take(&mut self, source: &SourceGame) -> Result<Option<Vec<MoveAnalysis>>> {
        let (file, number) = (&source.file, source.number);
        let (mut moves, mut has_all) = (Vec::new(), true);
        for (index, (position, m)) in source.game().plies().enumerate() {
            let ply = index + 1;
            let Some(analysis) = self.known.remove(&(file.clone(), number, ply)) else {
                has_all = false;
                continue;
            };
            let own = (position.write_position(), position.write_move(m));
            ensure!(
                (&analysis.position, &analysis.played) == (&own.0, &own.1),
                "{file}, game {number}, ply {ply}: the record has {} in {}, the game has {} in {}",
                analysis.played,
                analysis.position,
                own.1,
                own.0
            );
            moves.push(analysis);
        }
        if !has_all && !moves.is_empty() {
            self.unfinished.insert((file.clone(), number));
        }
        Ok(has_all.then_some(moves))
    }

    /// Removes the lines of the unfinished games that were taken.
    ///
    /// # Errors
    /// If the record cannot be read or written.
    pub fn remove_unfinished(&mut self) -> Result<()> {
        let unfinished = std::mem::take(&mut self.unfinished);
        if unfinished.is_empty() {
            return Ok(());
        }
        let lines = self.lines.get_mut().unwrap_or_else(PoisonError::into_inner);
        lines.retain(|line| !unfinished.contains(&(line.file.clone(), line.number)))
    }

    /// Appends a move of a game.
    ///
    /// # Errors
    /// If the record cannot be written.
    pub fn add(&self, file: &str, number: usize, analysis: &MoveAnalysis) -> Result<()> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.append(&RecordLine {
            file: file.into(),
            number,
            analysis: analysis.clone(),
        })
    }
}
