//! The match runner with scripted engines that crash, stall or cheat: each fault has one
//! termination reason under every kind of limit, and no process is left.
//!
//! The scripted engine is this test binary itself ([`scripted_engine`]), so the tests need only the
//! Rust toolchain.

mod accidents;
mod checks;
mod clocks;
mod compliance;
mod faults;
mod files;
mod flag_table;
mod flags;
mod other_games;
mod ponder;
mod processes;
mod records;
mod report;
mod reporting;
mod schedule;
mod scripted_engine;
mod starts;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{Folder, skip};
use nullwindow::platform::command_line::join;
use scripted_engine::SCRIPT;
use serde_json::Value;

/// The environment variable that marks the processes of a run.
pub const MARK: &str = "NULLWINDOW_MARK";

/// The folder of a tournament's record, which does not exist yet, and the temporary folder around
/// it, which is removed on drop with the files beside the record.
pub struct Scratch(
    pub PathBuf,
    #[allow(dead_code, reason = "removed on drop")] Folder,
);

impl Scratch {
    /// The name of the temporary folder contains `name`.
    pub fn new(name: &str) -> Scratch {
        let around = Folder::new(&format!("tournament-{name}"));
        Scratch(around.0.join("match"), around)
    }

    /// The records of the games.
    pub fn games(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.0.join("games.jsonl")).unwrap_or_default();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The number of recorded games, while the tournament runs.
    pub fn games_now(&self) -> usize {
        fs::read_to_string(self.0.join("games.jsonl"))
            .unwrap_or_default()
            .lines()
            .count()
    }
}

/// The command of a scripted engine.
pub fn command_of(script: &str) -> String {
    let program = std::env::current_exe().unwrap();
    let script = format!("{SCRIPT}{script}");
    join(&[
        program.to_str().unwrap(),
        "tournament::scripted_engine::scripted_engine",
        &script,
        "--exact",
        "--nocapture",
    ])
}

/// Whether there is a POSIX shell; a test without it is recorded as skipped.
pub fn has_shell() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    let found = *FOUND.get_or_init(|| {
        let run = Command::new("sh").args(["-c", "exit 7"]).status();
        run.is_ok_and(|status| status.code() == Some(7))
    });
    if !found {
        skip("no POSIX shell");
    }
    found
}

/// The arguments for a scripted engine with a name.
pub fn engine(script: &str, name: &str, settings: &str) -> Vec<String> {
    let mut words = vec![
        "--engine".into(),
        format!("cmd={}", command_of(script)),
        format!("name={name}"),
    ];
    words.extend(settings.split_whitespace().map(String::from));
    words
}

/// The command of a tournament.
pub fn runner(scratch: &Scratch, arguments: &[String]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nullwindow"));
    command
        .arg("tournament")
        .args(arguments)
        .env(MARK, &scratch.0)
        .env("NULLWINDOW_ONCE", scratch.0.join("once"));
    command.stdin(Stdio::null());
    command
}

/// Runs a tournament to its end and asserts that no process is left.
#[track_caller]
pub fn run(scratch: &Scratch, arguments: &[String]) -> Output {
    let output = runner(scratch, arguments).output().unwrap();
    assert_no_process_left(scratch);
    output
}

/// The processes with this run's mark in their environment.
fn marked(scratch: &Scratch) -> BTreeSet<String> {
    let mark = format!("{MARK}={}", scratch.0.display()).into_bytes();
    let Ok(all) = fs::read_dir("/proc") else {
        skip("no /proc to look for processes left behind");
        return BTreeSet::new();
    };
    all.flatten()
        .filter(|entry| {
            fs::read(entry.path().join("environ"))
                .is_ok_and(|text| text.split(|&b| b == 0).any(|part| part == mark))
        })
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

/// Asserts that no process of a run is left.
#[track_caller]
pub fn assert_no_process_left(scratch: &Scratch) {
    // Killed processes may take a moment to disappear.
    let deadline = Instant::now() + Duration::from_secs(20);
    while !marked(scratch).is_empty() {
        assert!(
            Instant::now() < deadline,
            "left running: {:?}",
            marked(scratch)
        );
        sleep(Duration::from_millis(5));
    }
}

/// The output of a process as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Plays a pair of games between a scripted engine and a correct one; returns the records. The run
/// must succeed.
#[track_caller]
pub fn play_pair(scratch: &Scratch, script: &str, limits: &str, more: &str) -> Vec<Value> {
    let mut arguments = engine(script, "bad", limits);
    arguments.extend(engine("good", "good", "depth=1 tc=inf"));
    arguments.extend(["--game", "tictactoe", "--openings", "startpos", "--out"].map(String::from));
    arguments.push(scratch.0.display().to_string());
    arguments.extend(more.split_whitespace().map(String::from));
    let output = run(scratch, &arguments);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{script} {limits}\n{}\n{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    scratch.games()
}

/// Plays four games of Othello between a scripted engine and a correct one; returns the output and
/// the records.
#[track_caller]
pub fn play_othello(scratch: &Scratch, script: &str, settings: &str) -> (String, Vec<Value>) {
    let mut arguments = engine(script, script, settings);
    arguments.extend(engine("good", "good", "depth=1"));
    arguments
        .extend(["--openings", "random", "plies=6", "--rounds", "2", "--out"].map(String::from));
    arguments.push(scratch.0.display().to_string());
    let output = run(scratch, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let games = scratch.games();
    assert_eq!(games.len(), 4);
    (text(&output.stdout), games)
}
