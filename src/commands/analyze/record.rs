//! The record of a run: its conditions, then a line for each analyzed move, in order of arrival. A
//! game whose lines are incomplete is analyzed again.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::plan::LimitArgs;
use super::result::MoveAnalysis;
use super::source::{AnalysisJob, SourceGame};
use crate::game::{Move, counted};
use crate::games::any::AnyPosition;
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

/// An open record. Several threads append to it.
pub struct AnalysisRecord(Mutex<JsonLines<RecordLine>>);

impl AnalysisRecord {
    /// Opens or creates a record. Returns it and the games with the moves that it has of them. The
    /// lines of an unfinished game are removed, and it begins anew: its first searches decide what
    /// later ones find in the table.
    ///
    /// # Errors
    /// As [`JsonLines::open_with`], or if a recorded position or move is not in its game.
    pub fn open(
        path: &Path,
        conditions: &AnalysisConditions,
        games: Vec<SourceGame>,
    ) -> Result<(AnalysisRecord, Vec<AnalysisJob>)> {
        let mut recorded: HashMap<(String, usize), RecordedMoves> = HashMap::new();
        let mut lines = JsonLines::open_with(path, conditions, |line: RecordLine| {
            let (number, ply) = (line.number, line.analysis.ply);
            let game = recorded.entry((line.file, number)).or_default();
            match game.insert(ply, line.analysis) {
                Some(_) => Err(format!("duplicate result of game {number}, ply {ply}")),
                None => Ok(()),
            }
        })?;
        let (mut jobs, mut unfinished) = (Vec::new(), HashSet::new());
        for source in games {
            let name = (source.file.clone(), source.number);
            let moves = recorded.remove(&name).unwrap_or_default();
            check(&moves, &source).with_context(|| path.display().to_string())?;
            let has_all = moves.len() == source.entry.game.history().len();
            if !has_all && !moves.is_empty() {
                unfinished.insert(name);
            }
            let known = has_all.then(|| moves.into_values().collect());
            jobs.push(AnalysisJob { source, known });
        }
        if !unfinished.is_empty() {
            lines.retain(|line| !unfinished.contains(&(line.file.clone(), line.number)))?;
        }
        Ok((AnalysisRecord(Mutex::new(lines)), jobs))
    }

    /// Appends a move of a game.
    ///
    /// # Errors
    /// If the record cannot be written.
    pub fn add(&self, file: &str, number: usize, analysis: &MoveAnalysis) -> Result<()> {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.append(&RecordLine {
            file: file.into(),
            number,
            analysis: analysis.clone(),
        })
    }
}

/// The recorded moves of a game by ply.
type RecordedMoves = BTreeMap<usize, MoveAnalysis>;

/// Checks that the recorded moves are those of a game.
fn check(recorded: &RecordedMoves, source: &SourceGame) -> Result<()> {
    let plies: Vec<(AnyPosition, Move)> = source.entry.game.plies().collect();
    for (
        ply,
        MoveAnalysis {
            position, played, ..
        },
    ) in recorded
    {
        let known = format!("{played} in {position}");
        let own = match ply.checked_sub(1).and_then(|index| plies.get(index)) {
            Some((position, m)) => {
                format!(
                    "{} in {}",
                    position.write_move(*m),
                    position.write_position()
                )
            }
            None => counted(plies.len(), "ply", "plies"),
        };
        let SourceGame { file, number, .. } = source;
        ensure!(
            known == own,
            "{file}, game {number}, ply {ply}: the record has {known}, the game has {own}"
        );
    }
    Ok(())
}
