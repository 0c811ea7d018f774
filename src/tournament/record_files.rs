//! The files of a tournament: `games.jsonl` (one record per line), the same games in PGN (`games.pgn`) and, for
//! Othello, in GGF (`games.ggf`), and a log for each abnormal game.
//!
//! All are appended to and flushed game by game (single plies: [`super::ply_journal`]). `games.jsonl` is authoritative:
//! on resuming, the other files are rewritten from it.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::export;
use super::game_record::GameRecord;

/// The name of the file that holds the records.
pub const GAMES: &str = "games.jsonl";
/// The folder of the logs of abnormal games.
pub const ABNORMAL: &str = "abnormal";

/// The open files of a running tournament.
pub struct RecordFiles {
    folder: PathBuf,
    games: File,
    pgn: File,
    ggf: Option<File>,
}

impl RecordFiles {
    /// Opens the files of a folder, returns the games already in it, and rewrites the PGN and GGF files.
    ///
    /// # Errors
    /// If a file cannot be read or written, or a record before the last line is damaged.
    pub fn open(folder: &Path, variant: &str) -> Result<(RecordFiles, Vec<GameRecord>)> {
        fs::create_dir_all(folder).with_context(|| format!("folder {}", folder.display()))?;
        let games = load(folder)?;
        // A last line truncated by a crash is dropped: its game is played again.
        replace_file(&folder.join(GAMES), games.iter().map(json_line))?;
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
        Ok((RecordFiles { folder: folder.into(), games: append(GAMES)?, pgn: append("games.pgn")?, ggf }, games))
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
        self.games.write_all(json_line(record).as_bytes())?;
        self.pgn.write_all(export::pgn(record).as_bytes())?;
        if let (Some(file), Some(text)) = (&mut self.ggf, export::ggf(record)) {
            file.write_all(text.as_bytes())?;
        }
        Ok(())
    }
}

fn json_line(record: &GameRecord) -> String {
    serde_json::to_string(record).map(|text| text + "\n").unwrap_or_default()
}

/// The games of a folder, in the order in which they ended; empty if there are none. A truncated last line is ignored.
///
/// # Errors
/// If the file cannot be read, or a line before the last is not a valid record.
pub fn load(folder: &Path) -> Result<Vec<GameRecord>> {
    let path = folder.join(GAMES);
    let file = match File::open(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        file => file.with_context(|| format!("file {}", path.display()))?,
    };
    let mut games: Vec<GameRecord> = Vec::new();
    let (mut numbers, mut damaged) = (HashSet::new(), None);
    for (number, line) in BufReader::new(file).split(b'\n').enumerate() {
        let line = line.with_context(|| format!("file {}", path.display()))?;
        if let Some(error) = damaged.take() {
            return Err(error);
        }
        match serde_json::from_slice::<GameRecord>(&line) {
            Ok(game) => {
                ensure!(
                    numbers.insert(game.game),
                    "{}, line {}: game {} is recorded twice",
                    path.display(),
                    number + 1,
                    game.game
                );
                games.push(game);
            }
            Err(error) => {
                damaged = Some(anyhow::Error::new(error).context(format!("{}, line {}", path.display(), number + 1)));
            }
        }
    }
    Ok(games)
}

/// Replaces a file atomically: writes a temporary file and renames it.
pub fn replace_file(path: &Path, parts: impl Iterator<Item = String>) -> Result<()> {
    let new = path.with_extension("new");
    let write = || -> std::io::Result<()> {
        let mut file = BufWriter::new(File::create(&new)?);
        for part in parts {
            file.write_all(part.as_bytes())?;
        }
        file.into_inner().map_err(|error| error.into_error())?.sync_all()?;
        fs::rename(&new, path)
    };
    write().with_context(|| format!("file {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::super::game_record::tests::sample_record;
    use super::*;

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
