//! The files of a tournament: `plies.jsonl` (one line per ply), `games.jsonl` (one record per
//! line), the same games in PGN (`games.pgn`) and, for Othello, in GGF (`games.ggf`), and a log for
//! each game with a fault.
//!
//! Plies are appended as soon as they are played, so that a kill loses none; games are appended to
//! all files as they end. `games.jsonl` is authoritative: the other files of games are rewritten
//! from it when the tournament is resumed. A game with plies and without a record was interrupted;
//! it is played again from its start, as the next attempt.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Error, Result};
use serde::{Deserialize, Serialize};

use super::export::{self, ExportFile};
use super::record::{AtPly, GameRecord};
use super::record_check;
use crate::arena::config::SavedConfig;
use crate::arena::config::pairings::NumberSet;
use crate::arena::config::pgn::{MatchTags, PgnStyle};
use crate::arena::rules::warning::{ReportFault, ReportWarning};
use crate::game::Player;
use crate::games::record::MoveRecord;
use crate::storage::json_lines::{self, JsonLines};
use crate::storage::whole_file::replace_file_by;

/// The name of the file that holds the records.
pub const GAMES: &str = "games.jsonl";
/// The folder of the logs of games with faults.
pub const ABNORMAL: &str = "abnormal";

/// The open files of a running tournament.
pub struct RecordFiles {
    /// Their folder.
    pub folder: PathBuf,
    /// The numbers of the recorded games.
    pub done: NumberSet,
    games: JsonLines<GameRecord>,
    /// The files in other formats, and that of `--pgnout`.
    pub exports: Vec<ExportFile>,
}

/// The text of a game in another format, if the format has the game.
pub type Export = fn(&GameRecord, &MatchTags) -> Option<String>;
/// The files in other formats; GGF is the last.
pub const EXPORTS: [(&str, Export); 2] = [
    ("games.pgn", |game, tags| {
        export::pgn(game, tags, &PgnStyle::default())
    }),
    ("games.ggf", export::ggf),
];

impl RecordFiles {
    /// Opens the files of a folder, passes the games already in it to `take`, and rewrites the PGN
    /// and GGF files. While they are open, no other process can run the tournament. One game is in
    /// memory at a time.
    ///
    /// # Errors
    /// As [`JsonLines::open`], or if a game is recorded twice or `take` rejects it.
    pub fn open(
        folder: &Path,
        variant: &str,
        tags: &MatchTags,
        take: impl FnMut(GameRecord) -> Result<(), String>,
    ) -> Result<RecordFiles> {
        fs::create_dir_all(folder).with_context(|| format!("folder {}", folder.display()))?;
        let record = folder.join(GAMES);
        let mut done = NumberSet::default();
        let games = JsonLines::open(&record, distinct(&mut done, take))?;
        let mut exports = Vec::new();
        for &(name, export) in &EXPORTS[..1 + usize::from(export::has_ggf(variant))] {
            let path = folder.join(name);
            let name = format!("file {}", path.display());
            replace_file_by(&path, |file| {
                for game in recorded(&record)? {
                    let text = export(&game?, tags).unwrap_or_default();
                    let written = file.write_all(text.as_bytes());
                    written.with_context(|| name.clone())?;
                }
                Ok(())
            })?;
            let file = OpenOptions::new().append(true).open(&path);
            let tags = tags.clone();
            exports.push(ExportFile {
                file: file.with_context(|| name.clone())?,
                name,
                text: Box::new(move |game| export(game, &tags)),
                _lock: None,
            });
        }
        Ok(RecordFiles {
            folder: folder.into(),
            done,
            games,
            exports,
        })
    }

    /// Appends a game to all files; writes the log first.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&mut self, record: &mut GameRecord, log: Option<&str>) -> Result<()> {
        if let Some(log) = log {
            let name = format!("{ABNORMAL}/game-{:06}.log", record.own.game);
            fs::create_dir_all(self.folder.join(ABNORMAL))?;
            let path = self.folder.join(&name);
            fs::write(&path, log).with_context(|| format!("file {}", path.display()))?;
            record.own.log = Some(name);
        }
        // The authoritative file comes first.
        self.games.append(record)?;
        self.done.insert(record.own.game);
        let mut exports = self.exports.iter_mut();
        exports.try_for_each(|file| file.write(record))
    }
}

/// The games of a record that is open for writing, so that its lines are valid, one at a time.
///
/// # Errors
/// If it cannot be read.
pub fn recorded(path: &Path) -> Result<impl Iterator<Item = Result<GameRecord>> + use<>> {
    let context = format!("cannot read {}", path.display());
    let file = File::open(path).with_context(|| context.clone())?;
    Ok(BufReader::new(file).split(b'\n').map(move |line| {
        let game = line.map_err(Error::from);
        let game = game.and_then(|line| Ok(serde_json::from_slice(&line)?));
        game.with_context(|| context.clone())
    }))
}

/// Takes games in the order of their ends and adds their numbers; a repeated number is an error.
fn distinct(
    numbers: &mut NumberSet,
    mut take: impl FnMut(GameRecord) -> Result<(), String>,
) -> impl FnMut(GameRecord) -> Result<(), String> {
    move |game| {
        if !numbers.insert(game.own.game) {
            return Err(format!("game {} is recorded twice", game.own.game));
        }
        take(game)
    }
}

/// The games of a folder in the order of their ends; empty if there are none. The tournament may be
/// running.
///
/// # Errors
/// If the file cannot be read, or is damaged, or a game is not as scheduled.
pub fn load(folder: &Path, saved: &SavedConfig) -> Result<Vec<GameRecord>> {
    let openings = saved.round_openings()?;
    load_checked(folder, |game| {
        record_check::check(game, &saved.config, &openings)
    })
}

fn load_checked(
    folder: &Path,
    check: impl Fn(&GameRecord) -> Result<(), String>,
) -> Result<Vec<GameRecord>> {
    let path = folder.join(GAMES);
    let mut games = Vec::new();
    if path.exists() {
        let take = |game| {
            check(&game)?;
            games.push(game);
            Ok(())
        };
        json_lines::read(&path, distinct(&mut NumberSet::default(), take))?;
    }
    Ok(games)
}

/// The name of the file.
pub const PLIES: &str = "plies.jsonl";

/// One ply of a game.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PlyRecord {
    /// The number of the game.
    pub game: u64,
    /// The attempt, from 1; each interruption and each annulment of the game adds one.
    pub attempt: u32,
    /// The ply, from 1, including the opening.
    pub ply: usize,
    /// The move.
    #[serde(flatten)]
    pub played: MoveRecord,
    /// The last principal variation of the search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pv: Option<String>,
    /// Whether the engine's process was replaced since its last move (`--recover`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub restarted: bool,
    /// If this is the late move of an attempt that was annulled: the side that made it, and why.
    /// The move was not played; it is empty if the engine sent none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annulled: Option<Annulled>,
}

/// An annulled forfeit on time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Annulled {
    /// The side whose move was too late.
    pub by: Player,
    /// Details for the user.
    pub detail: String,
}

impl PlyRecord {
    /// The warning about the attempt that ended with this ply, if it was annulled.
    fn annulment(&self) -> Option<AtPly<ReportWarning>> {
        let Annulled { by, detail } = self.annulled.as_ref()?;
        Some(AtPly {
            ply: self.ply,
            by: *by,
            what: ReportWarning {
                fault: ReportFault::AnnulledForfeit,
                detail: format!("attempt {}: {detail}", self.attempt),
            },
        })
    }
}

/// The attempts at a game without a result.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EarlierAttempts {
    /// The number of the last one.
    pub last: u32,
    /// The plies played in it.
    pub plies: usize,
    /// The warnings about those that were annulled.
    pub annulled: Vec<AtPly<ReportWarning>>,
}

/// The ply file of a running tournament, shared by its workers.
pub struct PlyJournal {
    /// `None`: plies are discarded.
    file: Option<Mutex<JsonLines<PlyRecord>>>,
    /// The games with plies and without a result when the file was opened.
    pub earlier: BTreeMap<u64, EarlierAttempts>,
}

impl PlyJournal {
    /// Opens the file of a folder for appending. `is_done` returns whether a game has a result:
    /// damaged lines of such games are ignored.
    ///
    /// # Errors
    /// As [`JsonLines::open`].
    pub fn open(folder: &Path, is_done: impl Fn(u64) -> bool) -> Result<PlyJournal> {
        #[derive(Deserialize)]
        struct OfGame {
            game: u64,
        }
        let is_unneeded = |line: &[u8]| {
            let of_game = serde_json::from_str(&String::from_utf8_lossy(line));
            of_game.is_ok_and(|OfGame { game }| is_done(game))
        };
        let mut earlier: BTreeMap<u64, EarlierAttempts> = BTreeMap::new();
        let file = JsonLines::open_despite(&folder.join(PLIES), &is_unneeded, |ply: PlyRecord| {
            if !is_done(ply.game) {
                let attempts = earlier.entry(ply.game).or_default();
                (attempts.last, attempts.plies) = (ply.attempt, ply.ply);
                attempts.annulled.extend(ply.annulment());
            }
            Ok(())
        })?;
        Ok(PlyJournal {
            file: Some(Mutex::new(file)),
            earlier,
        })
    }

    /// A journal that discards everything, for games without a folder and for a match that is over.
    pub fn discarding() -> PlyJournal {
        PlyJournal {
            file: None,
            earlier: BTreeMap::new(),
        }
    }

    /// The attempts at a game before this run.
    pub fn attempts(&self, game: u64) -> EarlierAttempts {
        self.earlier.get(&game).cloned().unwrap_or_default()
    }

    /// Appends a ply. Returns the warning about an annulled attempt that it ends.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&self, ply: &PlyRecord) -> Result<Option<AtPly<ReportWarning>>> {
        if let Some(file) = &self.file {
            let line = json_lines::encode(ply)?;
            file.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .write(&line)?;
        }
        Ok(ply.annulment())
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

    use super::*;
    use crate::arena::results::record::tests::sample_record;
    use crate::games::record::MoveOrigin;

    fn json_line(record: &GameRecord) -> String {
        serde_json::to_string(record).unwrap() + "\n"
    }

    fn folder(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("nullwindow-record-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn games_are_written_read_and_continued() {
        let folder = folder("continued");
        let open = || {
            let mut games = Vec::new();
            let files = RecordFiles::open(&folder, "othello", &MatchTags::default(), |game| {
                games.push(game);
                Ok(())
            });
            files.map(|files| (files, games))
        };
        let (mut recorder, games) = open().unwrap();
        assert!(games.is_empty());
        recorder
            .write(&mut sample_record(2), Some("the log\n"))
            .unwrap();
        recorder.write(&mut sample_record(1), None).unwrap();
        drop(recorder);
        assert_eq!(
            fs::read_to_string(folder.join("abnormal/game-000002.log")).unwrap(),
            "the log\n"
        );
        // A crash in the middle of a line loses that game only, and the other files are rewritten
        // to match.
        let text = fs::read_to_string(folder.join(GAMES)).unwrap();
        fs::write(
            folder.join(GAMES),
            format!("{text}{}", &json_line(&sample_record(3))[..70]),
        )
        .unwrap();
        fs::write(folder.join("games.pgn"), "half").unwrap();
        let (mut recorder, games) = open().unwrap();
        assert!(open().is_err(), "another writer");
        assert_eq!(
            games.iter().map(|game| game.own.game).collect::<Vec<_>>(),
            [2, 1]
        );
        assert_eq!(
            games[0].own.log.as_deref(),
            Some("abnormal/game-000002.log")
        );
        assert_eq!(
            (recorder.done.count(), recorder.done.contains(3)),
            (2, false)
        );
        recorder.write(&mut sample_record(3), None).unwrap();
        assert_eq!(
            (recorder.done.count(), recorder.done.contains(3)),
            (3, true)
        );
        // A file that cannot be written is named.
        recorder.exports[1].file = File::open(folder.join("games.ggf")).unwrap();
        let error = recorder.exports[1].write(&sample_record(4)).unwrap_err();
        let error = format!("{error:#}");
        assert!(
            error.contains("games.ggf") && !error.contains("games.pgn"),
            "{error}"
        );
        assert_eq!(load_checked(&folder, |_| Ok(())).unwrap().len(), 3);
        let pgn = fs::read_to_string(folder.join("games.pgn")).unwrap();
        assert_eq!(pgn.matches("[Result \"1-0\"]").count(), 3);
        assert_eq!(
            fs::read_to_string(folder.join("games.ggf"))
                .unwrap()
                .lines()
                .count(),
            3
        );
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_damaged_line_before_the_last_is_an_error() {
        let folder = folder("damaged");
        fs::create_dir_all(&folder).unwrap();
        fs::write(
            folder.join(GAMES),
            format!("{{\"game\":\n{}", json_line(&sample_record(2))),
        )
        .unwrap();
        let error = format!("{:#}", load_checked(&folder, |_| Ok(())).unwrap_err());
        assert!(error.contains("line 1"), "{error}");
        fs::write(folder.join(GAMES), json_line(&sample_record(2)).repeat(2)).unwrap();
        assert!(format!("{:#}", load_checked(&folder, |_| Ok(())).unwrap_err()).contains("twice"));
        fs::remove_dir_all(&folder).unwrap();
    }

    fn played(word: &str) -> MoveRecord {
        MoveRecord {
            word: word.into(),
            nodes: Some(7),
            ..MoveRecord::default()
        }
    }

    #[test]
    fn every_ply_is_a_line_and_a_broken_off_game_is_another_attempt() {
        let folder = std::env::temp_dir().join(format!("nullwindow-plies-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let open = |done: u64| PlyJournal::open(&folder, |game| game == done);
        let journal = open(0).unwrap();
        let first = |game, attempt, played| PlyRecord {
            game,
            attempt,
            ply: 1,
            played,
            pv: None,
            restarted: false,
            annulled: None,
        };
        let opening = MoveRecord {
            origin: MoveOrigin::Opening,
            ..played("f5")
        };
        journal.add(&first(1, 1, opening.clone())).unwrap();
        journal.add(&first(2, 1, opening)).unwrap();
        journal
            .add(&PlyRecord {
                ply: 2,
                pv: Some("d6 c3".into()),
                ..first(1, 1, played("d6"))
            })
            .unwrap();
        // Killed within a line.
        drop(journal);
        let path = folder.join(PLIES);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 3);
        fs::write(&path, format!("{text}{}", &text[..30])).unwrap();
        let journal = open(2).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert!(open(0).is_err(), "another writer");
        assert_eq!(journal.earlier.len(), 1);
        assert_eq!(
            journal.earlier[&1],
            EarlierAttempts {
                last: 1,
                plies: 2,
                annulled: Vec::new()
            }
        );
        assert_eq!((journal.attempts(1).last, journal.attempts(3).last), (1, 0));
        assert_eq!(
            plies_of(&folder, 1).unwrap()[1].pv.as_deref(),
            Some("d6 c3")
        );
        journal
            .add(&PlyRecord {
                restarted: true,
                ..first(1, 2, played("f5"))
            })
            .unwrap();
        let plies = plies_of(&folder, 1).unwrap();
        assert_eq!(
            (plies.len(), plies[0].attempt, plies[0].restarted),
            (1, 2, true)
        );
        assert_eq!(plies[0].played, played("f5"));
        assert_eq!(plies_of(&folder, 9).unwrap(), []);
        // The late move of an annulled attempt.
        let annulled = Some(Annulled {
            by: Player::Second,
            detail: "late".into(),
        });
        let late = PlyRecord {
            annulled,
            ..first(3, 1, played(""))
        };
        let warning = journal.add(&late).unwrap().unwrap();
        assert_eq!(warning.what.detail, "attempt 1: late");
        drop(journal);
        assert_eq!(open(2).unwrap().attempts(3).annulled, [warning]);
        // Damaged lines of games that are done are ignored and kept.
        let intact = fs::read(&path).unwrap();
        let damaged = [&b"{\"game\":2,\"move\":\"\xff\"}\n"[..], &intact].concat();
        fs::write(&path, &damaged).unwrap();
        assert!(open(1).is_err() && open(2).is_ok());
        fs::write(&path, b"\xff\xfe\n").unwrap();
        assert!(open(2).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"\xff\xfe\n");
        // A damaged line before the last is an error.
        fs::write(&path, format!("{{\"game\"\n{text}")).unwrap();
        assert!(format!("{:#}", plies_of(&folder, 1).unwrap_err()).contains("line 1"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
