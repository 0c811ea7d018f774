//! `plies.jsonl`: a line for every ply as soon as it is played, so that a killed tournament loses none.
//!
//! A game is recorded in `games.jsonl` when it ends. One that has plies here and no record there was broken off; it is
//! replayed whole, as its next attempt. Lines are only ever appended.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::game_record::MoveRecord;
use crate::storage::json_lines::{self, JsonLines};

/// The name of the file.
pub const PLIES: &str = "plies.jsonl";

/// One ply of a game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlyRecord {
    /// The number of the game.
    pub game: u64,
    /// From 1; each time that the game was broken off adds one.
    pub attempt: u32,
    /// From 1; the plies of the opening count.
    pub ply: usize,
    /// The move.
    #[serde(flatten)]
    pub played: MoveRecord,
    /// The last principal variation of the search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pv: Option<String>,
    /// Whether the engine's process was replaced since its last move (`--recover`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub restarted: bool,
}

/// How far a game has come: its last attempt, and the plies of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LastAttempt {
    /// From 1.
    pub attempt: u32,
    /// Plies played.
    pub plies: usize,
}

/// The file of a running tournament, shared by its workers.
pub struct PlyJournal {
    /// `None`: plies are discarded.
    file: Option<Mutex<JsonLines<PlyRecord>>>,
    earlier: BTreeMap<u64, LastAttempt>,
}

impl PlyJournal {
    /// Opens the file of a folder, for new lines at its end.
    ///
    /// # Errors
    /// As [`JsonLines::open`].
    pub fn open(folder: &Path) -> Result<PlyJournal> {
        let mut earlier = BTreeMap::new();
        let file = JsonLines::open(&folder.join(PLIES), |ply: PlyRecord| {
            earlier.insert(ply.game, LastAttempt { attempt: ply.attempt, plies: ply.ply });
            Ok(())
        })?;
        Ok(PlyJournal { file: Some(Mutex::new(file)), earlier })
    }

    /// A journal that keeps nothing, for games without a folder.
    pub fn discarding() -> PlyJournal {
        PlyJournal { file: None, earlier: BTreeMap::new() }
    }

    /// The games with plies when the file was opened, finished or not.
    pub fn earlier(&self) -> &BTreeMap<u64, LastAttempt> {
        &self.earlier
    }

    /// Begins a game.
    pub fn begin(&self, game: u64) -> GamePlies<'_> {
        let attempt = self.earlier.get(&game).map_or(1, |last| last.attempt + 1);
        GamePlies { journal: self, game, attempt, ply: 0 }
    }
}

/// The plies of one attempt at a game.
pub struct GamePlies<'j> {
    journal: &'j PlyJournal,
    game: u64,
    attempt: u32,
    ply: usize,
}

impl GamePlies<'_> {
    /// The number of this attempt, from 1.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// Appends the next ply.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, played: &MoveRecord, pv: Option<String>, restarted: bool) -> Result<()> {
        let Some(file) = &self.journal.file else { return Ok(()) };
        self.ply += 1;
        let (game, attempt, ply) = (self.game, self.attempt, self.ply);
        let line = PlyRecord { game, attempt, ply, played: played.clone(), pv, restarted };
        file.lock().unwrap_or_else(PoisonError::into_inner).append(&line)
    }
}

/// The plies of the last attempt at a game; empty if there is none.
///
/// # Errors
/// If the file cannot be read, or is damaged.
pub fn plies_of(folder: &Path, game: u64) -> Result<Vec<PlyRecord>> {
    let path = folder.join(PLIES);
    let mut plies: Vec<PlyRecord> = Vec::new();
    if path.exists() {
        json_lines::read(&path, |ply: PlyRecord| {
            if ply.game == game {
                plies.retain(|earlier| earlier.attempt == ply.attempt);
                plies.push(ply);
            }
            Ok(())
        })?;
    }
    Ok(plies)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::game_record::MoveOrigin;
    use super::*;

    fn played(word: &str) -> MoveRecord {
        MoveRecord { word: word.into(), nodes: Some(7), ..MoveRecord::default() }
    }

    #[test]
    fn every_ply_is_a_line_and_a_broken_off_game_is_another_attempt() {
        let folder = std::env::temp_dir().join(format!("nullwindow-plies-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let journal = PlyJournal::open(&folder).unwrap();
        let (mut one, mut two) = (journal.begin(1), journal.begin(2));
        let opening = MoveRecord { origin: MoveOrigin::Opening, ..played("f5") };
        one.add(&opening, None, false).unwrap();
        two.add(&opening, None, false).unwrap();
        one.add(&played("d6"), Some("d6 c3".into()), false).unwrap();
        // Killed within a line.
        drop(journal);
        let path = folder.join(PLIES);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 3);
        fs::write(&path, format!("{text}{}", &text[..30])).unwrap();
        let journal = PlyJournal::open(&folder).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert!(PlyJournal::open(&folder).is_err(), "another writer");
        assert_eq!(journal.earlier()[&1], LastAttempt { attempt: 1, plies: 2 });
        let mut again = journal.begin(1);
        assert_eq!((again.attempt(), journal.begin(3).attempt()), (2, 1));
        assert_eq!(plies_of(&folder, 1).unwrap()[1].pv.as_deref(), Some("d6 c3"));
        again.add(&played("f5"), None, true).unwrap();
        let plies = plies_of(&folder, 1).unwrap();
        assert_eq!((plies.len(), plies[0].attempt, plies[0].restarted), (1, 2, true));
        assert_eq!(plies[0].played, played("f5"));
        assert_eq!(plies_of(&folder, 9).unwrap(), []);
        // A damaged line in between is no ply that can be left out.
        fs::write(&path, format!("{{\"game\"\n{text}")).unwrap();
        assert!(format!("{:#}", plies_of(&folder, 1).unwrap_err()).contains("line 1"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
