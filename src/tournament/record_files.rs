//! The files of a tournament: `games.jsonl` (one record per line), the same games in PGN (`games.pgn`) and, for
//! Othello, in GGF (`games.ggf`), and a log for each abnormal game.
//!
//! All are appended to and flushed game by game (single plies: [`super::ply_journal`]). `games.jsonl` is authoritative:
//! on resuming, the other files are rewritten from it.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::export;
use super::game_record::GameRecord;
use crate::storage::json_lines::{self, JsonLines};
use crate::storage::whole_file::replace_file;

/// The name of the file that holds the records.
pub const GAMES: &str = "games.jsonl";
/// The folder of the logs of abnormal games.
pub const ABNORMAL: &str = "abnormal";

/// The open files of a running tournament.
pub struct RecordFiles {
    folder: PathBuf,
    games: JsonLines<GameRecord>,
    pgn: File,
    ggf: Option<File>,
}

impl RecordFiles {
    /// Opens the files of a folder, returns the games already in it, and rewrites the PGN and GGF files. While they are
    /// open, no other process can run the tournament.
    ///
    /// # Errors
    /// As [`JsonLines::open`]; if a game is recorded twice.
    pub fn open(folder: &Path, variant: &str) -> Result<(RecordFiles, Vec<GameRecord>)> {
        fs::create_dir_all(folder).with_context(|| format!("folder {}", folder.display()))?;
        let mut collected = GameCollection::default();
        let lines = JsonLines::open(&folder.join(GAMES), |game| collected.add(game))?;
        let games = collected.games;
        replace_file(&folder.join("games.pgn"), games.iter().map(export::pgn))?;
        let in_ggf = export::has_ggf(variant);
        if in_ggf {
            replace_file(&folder.join("games.ggf"), games.iter().filter_map(export::ggf))?;
        }
        let append = |name: &str| {
            let path = folder.join(name);
            OpenOptions::new().append(true).open(&path).with_context(|| format!("file {}", path.display()))
        };
        let ggf = if in_ggf { Some(append("games.ggf")?) } else { None };
        Ok((RecordFiles { folder: folder.into(), games: lines, pgn: append("games.pgn")?, ggf }, games))
    }

    /// The folder of the files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Appends a game to all files; writes the log first.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&mut self, record: &mut GameRecord, log: Option<&str>) -> Result<()> {
        if let Some(log) = log {
            let name = format!("{ABNORMAL}/game-{:06}.log", record.game);
            fs::create_dir_all(self.folder.join(ABNORMAL))?;
            let path = self.folder.join(&name);
            fs::write(&path, log).with_context(|| format!("file {}", path.display()))?;
            record.log = Some(name);
        }
        // One write per file: a reader never sees half a game. The authoritative file comes first.
        self.games.append(record)?;
        self.pgn.write_all(export::pgn(record).as_bytes()).context("games.pgn")?;
        if let (Some(file), Some(text)) = (&mut self.ggf, export::ggf(record)) {
            file.write_all(text.as_bytes()).context("games.ggf")?;
        }
        Ok(())
    }
}

/// Games in the order in which they ended.
#[derive(Default)]
struct GameCollection {
    games: Vec<GameRecord>,
    numbers: HashSet<u64>,
}

impl GameCollection {
    fn add(&mut self, game: GameRecord) -> Result<(), String> {
        if !self.numbers.insert(game.game) {
            return Err(format!("game {} is recorded twice", game.game));
        }
        self.games.push(game);
        Ok(())
    }
}

/// The games of a folder, in the order in which they ended; empty if there are none. The tournament may be running.
///
/// # Errors
/// If the file cannot be read, or is damaged.
pub fn load(folder: &Path) -> Result<Vec<GameRecord>> {
    let path = folder.join(GAMES);
    let mut collected = GameCollection::default();
    if path.exists() {
        json_lines::read(&path, |game| collected.add(game))?;
    }
    Ok(collected.games)
}

#[cfg(test)]
mod tests {
    use super::super::game_record::tests::sample_record;
    use super::*;

    fn json_line(record: &GameRecord) -> String {
        serde_json::to_string(record).unwrap() + "\n"
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("nullwindow-record-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn games_are_written_read_and_continued() {
        let folder = folder("continued");
        let (mut recorder, games) = RecordFiles::open(&folder, "othello").unwrap();
        assert!(games.is_empty());
        recorder.write(&mut sample_record(2), Some("the log\n")).unwrap();
        recorder.write(&mut sample_record(1), None).unwrap();
        drop(recorder);
        assert_eq!(fs::read_to_string(folder.join("abnormal/game-000002.log")).unwrap(), "the log\n");
        // A crash in the middle of a line loses that game only, and the other files are rewritten to match.
        let text = fs::read_to_string(folder.join(GAMES)).unwrap();
        fs::write(folder.join(GAMES), format!("{text}{}", &json_line(&sample_record(3))[..70])).unwrap();
        fs::write(folder.join("games.pgn"), "half").unwrap();
        let (mut recorder, games) = RecordFiles::open(&folder, "othello").unwrap();
        assert!(RecordFiles::open(&folder, "othello").is_err(), "another writer");
        assert_eq!(games.iter().map(|game| game.game).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(games[0].log.as_deref(), Some("abnormal/game-000002.log"));
        recorder.write(&mut sample_record(3), None).unwrap();
        assert_eq!(load(&folder).unwrap().len(), 3);
        let pgn = fs::read_to_string(folder.join("games.pgn")).unwrap();
        assert_eq!(pgn.matches("[Result \"1-0\"]").count(), 3);
        assert_eq!(fs::read_to_string(folder.join("games.ggf")).unwrap().lines().count(), 3);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_damaged_line_before_the_last_is_an_error() {
        let folder = folder("damaged");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(GAMES), format!("{{\"game\":\n{}", json_line(&sample_record(2)))).unwrap();
        let error = format!("{:#}", load(&folder).unwrap_err());
        assert!(error.contains("line 1"), "{error}");
        fs::write(folder.join(GAMES), json_line(&sample_record(2)).repeat(2)).unwrap();
        assert!(format!("{:#}", load(&folder).unwrap_err()).contains("twice"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
