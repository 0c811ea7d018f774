//! What is reported while a tournament runs: a line per game, standings at intervals, the log, files
//! of standard error; timeouts and CPU cores of engines.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use nullwindow::platform::child_process::available_cores;
use serde_json::Value;

use super::scripted_engine::FLOOD;
use super::{Scratch, engine, run, runner, text};
use crate::common::skip;

/// Arguments of a match of two scripted engines at tic-tac-toe, with further arguments.
fn tictactoe(scratch: &Scratch, engines: [Vec<String>; 2], more: &str) -> Vec<String> {
    let mut arguments = engines.concat();
    arguments.extend(["--game", "tictactoe", "--openings", "startpos", "--out"].map(String::from));
    arguments.push(scratch.0.display().to_string());
    arguments.extend(more.split_whitespace().map(String::from));
    arguments
}

/// A file beside the folder of a tournament.
fn beside(scratch: &Scratch, name: &str) -> String {
    scratch.0.with_extension(name).display().to_string()
}

#[test]
fn a_game_is_reported_before_the_next_ones_end() {
    let scratch = Scratch::new("reported-at-once");
    let engines = [
        engine("good", "a", "depth=1"),
        engine("good", "b", "depth=1"),
    ];
    let arguments = tictactoe(&scratch, engines, "--rounds 20");
    let mut child = runner(&scratch, &arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut lines = lines.map(Result::unwrap);
    assert!(lines.any(|line| line.starts_with("game 1/40: ")));
    let record = fs::read_to_string(scratch.0.join("games.jsonl")).unwrap();
    let recorded = record.matches('\n').count();
    assert!((1..40).contains(&recorded), "{recorded}");
    assert_eq!(lines.filter(|line| line.starts_with("game ")).count(), 39);
    assert!(child.wait().unwrap().success());
}

#[test]
fn games_standings_and_traffic_are_reported_as_they_happen() {
    let scratch = Scratch::new("reported");
    let [log, stderr] = ["log", "stderr"].map(|name| beside(&scratch, name));
    let engines = [
        engine("crash", "bad", &format!("depth=1 stderr={stderr}")),
        engine("good", "good one", "depth=1 timemargin=5"),
    ];
    let more = format!("--rounds 2 --ratinginterval 2 --show-latency --log file={log}");
    let arguments = tictactoe(&scratch, engines, &more);
    let output = run(&scratch, &arguments);
    let printed = text(&output.stdout);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{printed}{}",
        text(&output.stderr)
    );
    let folder = scratch.0.display();
    for (game, players) in [(1, "bad vs good one"), (2, "good one vs bad")] {
        let line =
            format!("\ngame {game}/4: {players}: good one wins, crash of bad (its process exited");
        assert!(printed.contains(&line), "{line}: {printed}");
        let path = format!("), log {folder}/abnormal/game-00000{game}.log\n");
        assert!(printed.contains(&path), "{path}: {printed}");
    }
    // After two and after four games, and at the end.
    assert_eq!(printed.matches("\nrank  engine").count(), 3, "{printed}");
    assert!(
        printed.contains("  good one (ugi, depth 1, timemargin=5): "),
        "{printed}"
    );
    assert!(
        printed.contains("\ngood one: round trip of a reply: median "),
        "{printed}"
    );

    let logged = fs::read_to_string(&log).unwrap();
    // Lines before the first game, of both directions and of standard error, and the runner's own.
    for part in [
        "Z game 0 good one < ugi\n",
        "Z game 0 bad > readyok\n",
        "Z game 1 begins: bad vs good one\n",
        "Z game 1 bad < go depth 1\n",
        "Z game 1 bad ! about to crash\n",
        "Z game 1/4: bad vs good one: good one wins, crash of bad (",
        "Z game 2 good one > bestmove a1\n",
        "Z game 4 begins: good one vs bad\n",
    ] {
        assert!(logged.contains(part), "{part}: {logged}");
    }
    let is_stamped = |line: &str| {
        let bytes = line.as_bytes();
        line.len() > 28 && bytes[10] == b'T' && bytes[19] == b'.' && bytes[26] == b'Z'
    };
    assert!(logged.lines().all(is_stamped), "{logged}");
    assert_eq!(
        fs::read_to_string(&stderr).unwrap(),
        "about to crash\n".repeat(4)
    );

    // Appended to, by the runner's own lines of level warn alone.
    let before = logged.len();
    let again = Scratch::new("reported-again");
    let engines = [
        engine("crash", "bad", "depth=1"),
        engine("good", "good", "depth=1"),
    ];
    let more = format!("--json --log file={log} level=warn engine=off");
    let output = run(&again, &tictactoe(&again, engines, &more));
    let printed = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    let added = fs::read_to_string(&log).unwrap().split_off(before);
    assert!(
        added.lines().count() == 2 && added.contains("Z game 2/2: good vs bad: "),
        "{added}"
    );
    // With --json, the lines are on standard error.
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        printed.contains("\ngame 2/2: good vs bad: good wins, crash of bad ("),
        "{printed}"
    );
    assert_eq!(
        summary["engines"][0]["differing_settings"],
        serde_json::json!({})
    );
    assert!(
        summary["engines"][1]["latency"]["reply_us"]["median"].is_u64(),
        "{summary}"
    );

    let output = run(
        &scratch,
        &["--report".into(), scratch.0.display().to_string()],
    );
    let page = fs::read_to_string(text(&output.stdout).trim()).unwrap();
    assert!(page.contains("settings that differ</th>") && page.contains(">timemargin=5</td>"));
}

#[test]
fn a_log_or_file_that_cannot_be_opened_is_an_error_before_the_first_game() {
    let scratch = Scratch::new("unopened");
    let missing = scratch.0.with_extension("none").join("file");
    let missing = missing.display();
    for (settings, more, expected) in [
        ("", format!("--log file={missing}"), "--log: cannot open "),
        (
            "",
            "--log level=info".into(),
            "--log: the following required arguments",
        ),
        (
            "",
            "--log file=x level=loud".into(),
            "--log: invalid value 'loud'",
        ),
        (
            &*format!(" stderr={missing}"),
            String::new(),
            "cannot start: stderr=",
        ),
        (
            "",
            "--affinity 0-".into(),
            "expected on, off or a list of CPU cores",
        ),
        (
            "",
            "--use-affinity 1023".into(),
            "CPU core 1023 is not available",
        ),
    ] {
        let engines = ["a", "b"].map(|name| engine("good", name, &format!("depth=1{settings}")));
        let output = run(&scratch, &tictactoe(&scratch, engines, &more));
        let printed = text(&output.stderr);
        if more.contains("affinity 1023") && available_cores().is_none() {
            skip("this system cannot bind processes to cores");
            continue;
        }
        assert!(
            output.status.code() == Some(2) && printed.contains(expected),
            "{more}: {printed}"
        );
        assert!(!scratch.0.exists(), "{more}");
    }
}

#[test]
fn no_line_of_a_flood_is_lost() {
    let scratch = Scratch::new("flood");
    let log = beside(&scratch, "log");
    let engines = [
        engine("flood", "flood", "depth=1"),
        engine("flood", "other", "depth=1"),
    ];
    let more = format!("--concurrency 2 --affinity off --log file={log}");
    let output = run(&scratch, &tictactoe(&scratch, engines, &more));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let games = scratch.games();
    let searches: usize = games
        .iter()
        .map(|game| game["moves"].as_array().unwrap().len())
        .sum();
    assert!(games.iter().all(|game| game["reason"] == "normal") && searches > 10);
    let logged = fs::read_to_string(&log).unwrap();
    let noise = logged
        .lines()
        .filter(|line| line.contains("> info string flood "));
    assert_eq!(noise.count(), searches * FLOOD);
    // The lines of one engine are in order.
    let first = "game 1 flood > info string flood 0\n".to_string();
    let last = format!("game 1 flood > info string flood {}\n", FLOOD - 1);
    assert!(logged.find(&first).unwrap() < logged.find(&last).unwrap());
}

#[test]
fn each_timeout_has_its_own_option() {
    let began = Instant::now();
    for (script, settings, more, expected) in [
        (
            "sleep",
            "depth=1",
            "--start-timeout 0.3",
            "; the start timeout is 0.3 s",
        ),
        (
            "new-game-unready",
            "depth=1",
            "--new-game-timeout 0.3",
            "waiting for ",
        ),
        (
            "stall",
            "st=0.1",
            "--move-timeout 0.3",
            "waiting for its move after stop",
        ),
    ] {
        let scratch = Scratch::new(&format!("timeout-{script}"));
        let engines = [
            engine(script, "bad", settings),
            engine("good", "good", "depth=1"),
        ];
        let more = format!("--stall-timeout 100 {more}");
        let output = run(&scratch, &tictactoe(&scratch, engines, &more));
        let printed = text(&output.stdout) + &text(&output.stderr);
        assert!(printed.contains(expected), "{script}: {printed}");
        if script == "sleep" {
            assert_eq!(output.status.code(), Some(2), "{printed}");
        } else {
            let games = scratch.games();
            assert!(
                games.iter().all(|game| game["reason"] == "stall"),
                "{printed}"
            );
            assert_eq!(games.len(), 2);
        }
    }
    assert!(
        began.elapsed() < Duration::from_secs(60),
        "the general timeout was used"
    );
}

#[test]
fn engines_run_on_the_cores_of_a_list() {
    let Some(cores) = available_cores() else {
        return skip("this system cannot bind processes to cores");
    };
    if !Path::new("/proc/self/status").exists() {
        return skip("no /proc/self/status to read the cores of a process from");
    }
    let scratch = Scratch::new("cores");
    let core = cores[cores.len() - 1];
    let log = beside(&scratch, "log");
    let engines = ["a", "b"].map(|name| engine("cores", name, "depth=1"));
    let more = format!("--each tc=60 --concurrency 2 --use-affinity {core} --log file={log}");
    let output = run(&scratch, &tictactoe(&scratch, engines, &more));
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        printed.contains("; all games share the list\n"),
        "{printed}"
    );
    assert!(
        printed.contains("warning: 2 search threads on 1 CPU core:"),
        "{printed}"
    );
    let logged = fs::read_to_string(&log).unwrap();
    let mut lines = logged
        .lines()
        .filter_map(|line| line.split_once(" info string cores "));
    assert!(lines.all(|(_, own)| own == core.to_string()), "{logged}");
    assert!(logged.contains(" info string cores "), "{logged}");
}

/// A pipe without a reader.
fn closed() -> std::io::PipeWriter {
    std::io::pipe().unwrap().1
}

#[test]
fn a_match_with_a_closed_output_is_completed() {
    for is_json in [false, true] {
        let scratch = Scratch::new("unread");
        let engines = [
            engine("crash", "bad", "depth=1"),
            engine("good", "good", "depth=1"),
        ];
        let more = if is_json {
            "--strict --json"
        } else {
            "--strict"
        };
        let mut command = runner(&scratch, &tictactoe(&scratch, engines, more));
        if is_json {
            command.stderr(closed());
        } else {
            command.stdout(closed());
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "json: {is_json}");
        assert_eq!(scratch.games().len(), 2);
        assert_eq!(is_json, output.stdout.starts_with(b"{"));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_folder_name_may_be_invalid_unicode() {
    use std::os::unix::ffi::OsStrExt;

    let scratch = Scratch::new("bytes");
    let mut words = [
        engine("good", "A", "depth=1"),
        engine("good", "B", "depth=1"),
    ]
    .concat();
    words.extend(["--game", "tictactoe", "--json"].map(String::from));
    let mut command = runner(&scratch, &words);
    fs::create_dir_all(&scratch.0).unwrap();
    let name = std::ffi::OsStr::from_bytes(b"match\xff");
    let output = command
        .current_dir(&scratch.0)
        .arg("--out")
        .arg(name)
        .output()
        .unwrap();
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["folder"], "match\u{fffd}");
    // The plan names the folder in which the match began.
    let inside = scratch.0.join(name);
    let output = command.current_dir(&inside).output().unwrap();
    let errors = text(&output.stderr);
    assert!(
        output.status.code() == Some(2) && errors.contains("error: folder "),
        "{errors}"
    );
    assert!(!inside.join(name).exists());
}
