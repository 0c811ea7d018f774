//! Preregistration: the plan of a match is written and hashed before its first game, and later
//! events are recorded, so that a report shows whether the match ended as planned and how many
//! interim looks it had.
//!
//! The plan is `tournament.json`: games, SPRT, seed, openings, engines with options, and the hashes
//! of their files. `history.jsonl` begins with the hash of the plan and has a line for every start,
//! resumption, report and end.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use super::files::GAMES;
use crate::arena::config::engine_spec::EngineSpec;
use crate::arena::config::{CONFIG, FileHash, TournamentConfig};
use crate::game::counted;
use crate::logging::date;
use crate::storage::checksum;
use crate::storage::json_lines::{append_once, read};

/// The name of the file of events.
pub const HISTORY: &str = "history.jsonl";

/// An event of a tournament.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    /// The plan was written.
    Planned,
    /// The tournament was resumed.
    Resumed,
    /// A report was written.
    Reported,
    /// All games were played.
    Complete,
    /// The SPRT was decided.
    Decided,
    /// The user interrupted the tournament.
    Interrupted,
}

impl EventKind {
    fn is_end(self) -> bool {
        matches!(self, EventKind::Complete | EventKind::Decided)
    }
}

/// A line of the history.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HistoryEvent {
    /// Its time (UTC).
    pub at: String,
    /// The event.
    pub event: EventKind,
    /// The number of games recorded by then.
    pub games: u64,
    /// The SHA-256 of the plan, when it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// The deviations from the plan from here on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
}

impl HistoryEvent {
    /// An event that occurs now.
    pub fn now(event: EventKind, games: u64) -> HistoryEvent {
        HistoryEvent {
            at: date::now(),
            event,
            games,
            plan: None,
            changes: Vec::new(),
        }
    }

    /// Appends it to the history of a folder.
    ///
    /// # Errors
    /// If the file cannot be written, or is damaged.
    pub fn note(&self, folder: &Path) -> Result<()> {
        append_once(&folder.join(HISTORY), self)
    }
}

/// The option that names the file to which an engine appends its log.
const LOG_OPTION: &str = "Debug Log File";

/// The hashes of the files that the engines read.
pub fn hash_files(config: &TournamentConfig) -> Vec<FileHash> {
    let mut hashes: Vec<FileHash> = Vec::new();
    for path in config
        .programs()
        .flat_map(|engine| inputs_of(engine, &config.directory))
    {
        if hashes.iter().all(|known| known.path != path)
            && let Ok(sha256) = checksum::of_file(&path)
        {
            hashes.push(FileHash { path, sha256 });
        }
    }
    hashes
}

/// The files of an engine without its log, which grows.
fn inputs_of(engine: &EngineSpec, directory: &Path) -> Vec<PathBuf> {
    let log = engine.option(LOG_OPTION);
    let log = log.map(|log| engine.folder(directory).join(log));
    let mut files = files_of(engine, directory);
    files.retain(|file| log.as_ref() != Some(file));
    files
}

/// The files named by an engine's command and by the values of its options.
pub fn files_of(engine: &EngineSpec, directory: &Path) -> Vec<PathBuf> {
    let own = engine.folder(directory);
    let program = engine
        .command
        .first()
        .map(|program| in_path(program).unwrap_or_else(|| own.join(program)));
    let values = engine
        .options
        .iter()
        .filter_map(|(_, value)| value.as_ref());
    let others = engine
        .command
        .iter()
        .skip(1)
        .chain(values)
        .map(|word| own.join(word));
    program
        .into_iter()
        .chain(others)
        .filter(|path| path.is_file())
        .collect()
}

/// The file of a program in `PATH`.
fn in_path(program: &str) -> Option<PathBuf> {
    if Path::new(program).components().count() != 1 {
        return None;
    }
    let folders = std::env::var_os("PATH")?;
    let names = [
        program.to_owned(),
        format!("{program}{}", std::env::consts::EXE_SUFFIX),
    ];
    let mut files = std::env::split_paths(&folders)
        .flat_map(|folder| names.clone().map(|name| folder.join(name)));
    files.find(|path| path.is_file())
}

/// A line for each file of a plan that has changed.
pub fn changed_files(planned: &[FileHash]) -> Vec<String> {
    let changed = planned
        .iter()
        .filter(|file| checksum::of_file(&file.path).ok().as_ref() != Some(&file.sha256));
    changed
        .map(|file| {
            format!(
                "{} has changed since the plan was written",
                file.path.display()
            )
        })
        .collect()
}

/// Whether a tournament followed its plan, from its history.
#[derive(Clone, PartialEq, Debug)]
pub struct PlanReview {
    /// The SHA-256 of the plan before the first game; `None` if the history does not begin with it:
    /// it was deleted, or an earlier version of this program began the tournament.
    pub plan: Option<String>,
    /// When the plan was written.
    pub at: String,
    /// The end; `None` if the tournament is not finished.
    pub end: Option<HistoryEvent>,
    /// The number of reports before the end.
    pub reports: u64,
    /// The number of games recorded at the last event.
    pub games: u64,
    /// The number of resumptions; each may follow a look at the standings.
    pub resumptions: u64,
    /// The deviations from the plan.
    pub changes: Vec<String>,
    /// Whether there is an SPRT.
    pub has_test: bool,
}

impl PlanReview {
    /// Checks that no game of the history is missing among the recorded ones.
    ///
    /// # Errors
    /// If one is.
    pub fn check_games(&self, folder: &Path, games: u64) -> Result<()> {
        ensure!(
            games >= self.games,
            "{} has {games} games, but {HISTORY} counts {}: restore the file from a backup, or delete {HISTORY} to \
             play the lost games again",
            folder.join(GAMES).display(),
            self.games
        );
        Ok(())
    }

    /// Reads the history of the tournament in a folder, which may have an SPRT.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of(folder: &Path, has_test: bool) -> Result<PlanReview> {
        let path = folder.join(HISTORY);
        let mut events: Vec<HistoryEvent> = Vec::new();
        if path.exists() {
            read(&path, |event| {
                events.push(event);
                Ok(())
            })?;
        }
        let before: Vec<&HistoryEvent> = events
            .iter()
            .take_while(|event| !event.event.is_end())
            .collect();
        let count = |kind| before.iter().filter(|event| event.event == kind).count() as u64;
        let first = events
            .first()
            .filter(|event| event.event == EventKind::Planned);
        let plan = first.and_then(|event| event.plan.clone());
        let mut changes: Vec<String> = Vec::new();
        for change in before.iter().flat_map(|event| &event.changes) {
            if !changes.contains(change) {
                changes.push(change.clone());
            }
        }
        let now = checksum::of_file(&folder.join(CONFIG)).ok();
        if plan.is_some() && now != plan {
            changes.insert(0, format!("{CONFIG} was changed"));
        }
        Ok(PlanReview {
            plan,
            at: first.map_or_else(String::new, |event| event.at.clone()),
            end: events.iter().find(|event| event.event.is_end()).cloned(),
            reports: count(EventKind::Reported),
            games: events.last().map_or(0, |event| event.games),
            resumptions: count(EventKind::Resumed),
            changes,
            has_test,
        })
    }

    /// Records that a report of this many games is written, if the tournament has a plan and has not
    /// ended.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn note_report(&mut self, folder: &Path, games: u64) -> Result<()> {
        if self.plan.is_some() && self.end.is_none() {
            HistoryEvent::now(EventKind::Reported, games).note(folder)?;
            self.reports += 1;
        }
        Ok(())
    }

    /// Records how the tournament stopped after this many games, unless it had ended before.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn note_end(&mut self, folder: &Path, event: EventKind, games: u64) -> Result<()> {
        if self.end.is_none() {
            let event = HistoryEvent::now(event, games);
            event.note(folder)?;
            self.end = Some(event).filter(|event| event.event.is_end());
        }
        Ok(())
    }

    /// Whether the tournament ended as planned.
    pub fn ended_as_planned(&self) -> bool {
        self.plan.is_some() && self.end.is_some() && self.changes.is_empty()
    }

    /// The checksum of the plan and the number of interim looks, in lines of text.
    pub fn history(&self) -> Vec<String> {
        let (reports, resumptions) = (self.reports, self.resumptions);
        let plan = self.plan.iter().map(|plan| {
            format!(
                "plan: sha256 {plan}, written {} before the first game",
                self.at
            )
        });
        plan.chain([format!(
            "interim looks: {} (reports: {reports}, resumptions: {resumptions})",
            reports + resumptions
        )])
        .collect()
    }

    /// How the tournament ended and what deviated from the plan, in lines of text.
    pub fn verdict(&self) -> Vec<String> {
        let has_history = self.plan.is_some() || self.end.is_some() || self.resumptions > 0;
        if !has_history {
            return Vec::new();
        }
        let how = if self.plan.is_none() {
            "without a recorded plan"
        } else if self.changes.is_empty() {
            "as planned"
        } else {
            "with deviations from the plan"
        };
        let mut lines = vec![match &self.end {
            None => "status: not finished".into(),
            Some(end) if end.event == EventKind::Decided => {
                format!(
                    "status: finished {how}, SPRT decided after {}",
                    counted(end.games, "game", "games")
                )
            }
            Some(end) => {
                let undecided = if self.has_test {
                    ", SPRT not decided"
                } else {
                    ""
                };
                format!(
                    "status: finished {how}, all {} played{undecided}",
                    counted(end.games, "game", "games")
                )
            }
        }];
        lines.extend(
            self.changes
                .iter()
                .map(|change| format!("deviation from the plan: {change}")),
        );
        lines
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_history_has_the_end_and_the_interim_looks() {
        let folder = std::env::temp_dir().join(format!("nullwindow-plan-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(CONFIG), "abc").unwrap();
        let review = || PlanReview::of(&folder, false).unwrap();
        assert_eq!(
            (review().plan, review().verdict()),
            (None, Vec::<String>::new())
        );
        let note = |event, games| HistoryEvent::now(event, games).note(&folder).unwrap();
        note(EventKind::Resumed, 4);
        assert_eq!(review().verdict(), ["status: not finished"]);
        note(EventKind::Complete, 9);
        assert!(!review().ended_as_planned());
        assert_eq!(
            review().verdict(),
            ["status: finished without a recorded plan, all 9 games played"]
        );
        fs::remove_file(folder.join(HISTORY)).unwrap();
        let plan = checksum::of_file(&folder.join(CONFIG)).unwrap();
        assert_eq!(
            plan,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        ); // FIPS 180-2, B.1
        HistoryEvent {
            plan: Some(plan),
            ..HistoryEvent::now(EventKind::Planned, 0)
        }
        .note(&folder)
        .unwrap();
        note(EventKind::Reported, 3);
        note(EventKind::Interrupted, 4);
        note(EventKind::Resumed, 4);
        assert!(!review().ended_as_planned() && review().verdict() == ["status: not finished"]);
        note(EventKind::Decided, 9);
        note(EventKind::Reported, 9);
        assert!(review().ended_as_planned());
        assert_eq!(
            review().verdict(),
            ["status: finished as planned, SPRT decided after 9 games"]
        );
        assert_eq!(
            review().history()[1],
            "interim looks: 2 (reports: 1, resumptions: 1)"
        );
        fs::write(folder.join(CONFIG), "abd").unwrap();
        assert!(!review().ended_as_planned());
        assert_eq!(
            review().verdict()[1],
            "deviation from the plan: tournament.json was changed"
        );
        // Each deviation is listed once, however often the tournament is resumed with it.
        fs::remove_file(folder.join(HISTORY)).unwrap();
        let changes = ["a has changed", "b has changed"].map(String::from);
        for _ in 0..2 {
            let event = HistoryEvent {
                changes: changes.to_vec(),
                ..HistoryEvent::now(EventKind::Resumed, 4)
            };
            event.note(&folder).unwrap();
        }
        assert_eq!(review().changes, changes);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_files_of_an_engine_are_hashed_and_changes_found() {
        let folder = std::env::temp_dir().join(format!("nullwindow-files-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        for name in ["engine.py", "weights", "log"] {
            fs::write(folder.join(name), "abc").unwrap();
        }
        let words = [
            "cmd=./engine.py --book none",
            "option.EvalFile=weights",
            "option.Hash=16",
            "option.debug log file=log",
        ]
        .map(String::from);
        let engine = EngineSpec::parse(&[], &words).unwrap();
        let paths = inputs_of(&engine, &folder);
        assert_eq!(paths, [folder.join("./engine.py"), folder.join("weights")]);
        let planned: Vec<FileHash> = paths
            .into_iter()
            .map(|path| FileHash {
                sha256: checksum::of_file(&path).unwrap(),
                path,
            })
            .collect();
        assert_eq!(changed_files(&planned), [""; 0]);
        fs::write(folder.join("weights"), "abd").unwrap();
        fs::remove_file(folder.join("engine.py")).unwrap();
        assert_eq!(changed_files(&planned).len(), 2);
        fs::remove_dir_all(&folder).unwrap();
    }
}
