//! The record of a calibration: JSON lines, first the conditions of the games, then a line for each pair of games,
//! appended as it ends. A run with the same conditions resumes it.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

/// What all games of a record share.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Conditions {
    pub version: String,
    pub game: String,
    /// Nodes per move.
    pub nodes: u64,
    /// Random plies of the openings, and their seed.
    pub plies: usize,
    pub seed: u64,
}

/// What is played in a pair of games: two levels (0: full strength) from one opening, each once as the first player.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(super) struct PairKey {
    pub level: u32,
    pub against: u32,
    pub pair: u32,
}

/// A game of a pair as the lower level had it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct LevelGame {
    /// What the level won by, in discs.
    pub discs: i32,
    /// Moves that were not the best by its own search, what they cost by it, and the dearest, in hundredths of a disc.
    pub mistakes: u32,
    pub cost: i32,
    pub dearest: i32,
}

/// A line of the record.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct PlayedPair {
    #[serde(flatten)]
    pub key: PairKey,
    pub games: [LevelGame; 2],
}

/// An open record.
pub(super) struct PairRecord {
    file: File,
    path: PathBuf,
    pub pairs: Vec<PlayedPair>,
}

impl PairRecord {
    /// Opens or creates a record. A truncated last line is played again.
    ///
    /// # Errors
    /// The file cannot be used, or its games were played under other conditions.
    pub fn open(path: &Path, conditions: &Conditions) -> Result<PairRecord> {
        let context = || path.display().to_string();
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).with_context(context)?;
        let text = std::fs::read_to_string(path).with_context(context)?;
        let mut lines = text.lines();
        match lines.next() {
            None => writeln!(file, "{}", serde_json::to_string(conditions)?).with_context(context)?,
            Some(first) => {
                let found: Conditions =
                    serde_json::from_str(first).context("no record of strength").with_context(context)?;
                ensure!(found == *conditions, "{}: played with {found:?}, not with {conditions:?}", path.display());
            }
        }
        if !text.is_empty() && !text.ends_with('\n') {
            writeln!(file).with_context(context)?;
        }
        let pairs = lines.filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok(PairRecord { file, path: path.into(), pairs })
    }

    /// The keys of the pairs played.
    pub fn keys(&self) -> BTreeSet<PairKey> {
        self.pairs.iter().map(|pair| pair.key).collect()
    }

    /// Appends a pair.
    pub fn add(&mut self, pair: PlayedPair) -> Result<()> {
        let line = serde_json::to_string(&pair)? + "\n";
        self.file.write_all(line.as_bytes()).with_context(|| self.path.display().to_string())?;
        self.pairs.push(pair);
        Ok(())
    }
}
