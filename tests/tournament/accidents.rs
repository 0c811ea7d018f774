//! Failures that no engine caused decide no game: a suspended runner, a full disk, a damaged file.
//! Processes that engines leave end with the runner.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Scratch, assert_no_process_left, engine, has_shell, marked, run, runner, text};
use crate::common::{signal, skip, wait_until};

/// The arguments of a match of tic-tac-toe between two engines with the same script.
fn pair(scratch: &Scratch, script: &str, settings: &str, more: &str) -> Vec<String> {
    let mut words = [engine(script, "A", settings), engine(script, "B", settings)].concat();
    let common = "--game tictactoe --openings startpos --seed 1 --out";
    words.extend(common.split(' ').map(String::from));
    words.push(scratch.0.display().to_string());
    words.extend(more.split_whitespace().map(String::from));
    words
}

fn plies(scratch: &Scratch) -> Vec<Value> {
    let text = fs::read_to_string(scratch.0.join("plies.jsonl")).unwrap_or_default();
    let lines = text
        .lines()
        .map_while(|line| serde_json::from_str(line).ok());
    lines.collect()
}

/// Starts a match, waits for a ply, and suspends the runner for some seconds.
fn suspended(scratch: &Scratch, words: &[String], seconds: u64) -> (Option<i32>, String) {
    let mut command = runner(scratch, words);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null());
    let child = child.spawn().unwrap();
    wait_until("no ply", || !plies(scratch).is_empty());
    sleep(Duration::from_millis(100)); // in the next move
    signal(&child, "STOP");
    sleep(Duration::from_secs(seconds));
    signal(&child, "CONT");
    let output = child.wait_with_output().unwrap();
    assert_no_process_left(scratch);
    (output.status.code(), text(&output.stdout))
}

#[test]
fn a_game_lost_on_time_while_the_runner_was_suspended_is_played_again() {
    if !has_shell() {
        return;
    }
    let scratch = Scratch::new("suspended");
    let words = pair(&scratch, "thoughtful", "tc=3+0.5", "--strict");
    let plan_rule = serde_json::json!({"gap_ms": 1000, "cpu_wait": true, "replays": 2});
    let (status, printed) = suspended(&scratch, &words, 5);
    assert_eq!(status, Some(1), "a warning fails --strict: {printed}");
    let plan = fs::read_to_string(scratch.0.join("tournament.json")).unwrap();
    let plan: Value = serde_json::from_str(&plan).unwrap();
    assert_eq!(plan["config"]["annulment"], plan_rule);
    let games = scratch.games();
    assert_eq!(games.len(), 2);
    assert!(
        games.iter().all(|game| game["reason"] == "normal"),
        "{games:?}"
    );
    let again = games
        .iter()
        .find(|game| !game["attempt"].is_null())
        .unwrap();
    let warning = &again["warnings"][0];
    assert_eq!(warning["fault"], "annulled-forfeit");
    let detail = warning["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("attempt 1: its move took ")
            && detail.contains("annulled: the runner was suspended for "),
        "{detail}"
    );
    assert!(
        printed.contains("forfeits on time annulled, and the game played again: 1"),
        "{printed}"
    );
    // The annulled attempt, whose last move was not played.
    let of_game = |ply: &&Value| ply["game"] == again["game"];
    let (first, second): (Vec<Value>, Vec<Value>) = plies(&scratch)
        .iter()
        .filter(of_game)
        .cloned()
        .partition(|ply| ply["attempt"] == 1);
    let late = first.last().unwrap();
    assert!(
        late["annulled"]["detail"] == detail["attempt 1: ".len()..],
        "{late}"
    );
    assert!(late["lateness"]["runner_gap_ms"].as_f64().unwrap() >= 1000.0);
    assert_eq!(second.len(), again["moves"].as_array().unwrap().len());
    // A resumption accepts the record.
    let resume = ["--resume".into(), scratch.0.display().to_string()];
    assert_eq!(run(&scratch, &resume).status.code(), Some(0));
}

#[test]
fn a_suspended_runner_reads_replies_before_it_reports_a_stall() {
    if !has_shell() {
        return;
    }
    let scratch = Scratch::new("suspended-stall");
    let more = "--strict --stall-timeout 1 --think-timeout 1";
    let words = pair(&scratch, "thoughtful", "depth=1", more);
    let (status, printed) = suspended(&scratch, &words, 3);
    assert_eq!(status, Some(0), "{printed}");
    assert!(
        scratch
            .games()
            .iter()
            .all(|game| game["reason"] == "normal")
    );
}

#[test]
fn an_exit_is_a_crash_also_while_a_child_holds_the_output_open() {
    for settings in ["depth=1", "tc=60", "tc=0.5"] {
        let scratch = Scratch::new("held-output");
        let words = pair(&scratch, "exit-3-behind-child", settings, "");
        let began = Instant::now();
        run(&scratch, &words);
        let games = scratch.games();
        assert!(
            games.iter().all(|game| game["reason"] == "crash"),
            "{games:?}"
        );
        assert!(
            began.elapsed() < Duration::from_secs(40),
            "waited for the clock"
        );
    }
}

#[test]
fn processes_in_sessions_of_their_own_end_with_the_runner() {
    if !cfg!(target_os = "linux") || Command::new("setsid").arg("true").status().is_err() {
        return skip("no setsid to start a session");
    }
    let scratch = Scratch::new("session");
    let words = pair(&scratch, "leaves-session", "depth=1", "");
    assert_eq!(run(&scratch, &words).status.code(), Some(0));
    assert_eq!(scratch.games().len(), 2);
    // Also after a kill.
    let scratch = Scratch::new("session-killed");
    let words = pair(&scratch, "leaves-session", "depth=1", "--rounds 1000");
    let mut child = runner(&scratch, &words);
    let child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = child.unwrap();
    wait_until("no ply", || !plies(&scratch).is_empty());
    assert!(!marked(&scratch).is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    assert_no_process_left(&scratch);
}

#[test]
fn the_file_size_limit_ends_a_match_as_a_full_disk_does() {
    if !has_shell() || cfg!(windows) {
        return;
    }
    let scratch = Scratch::new("file-size");
    let mut words = vec![
        "-c".to_owned(),
        "ulimit -f 16; exec \"$@\"".into(),
        "sh".into(),
    ];
    words.extend([env!("CARGO_BIN_EXE_nullwindow").into(), "tournament".into()]);
    words.extend(pair(&scratch, "good", "depth=1", "--rounds 40"));
    let output = Command::new("sh").args(words).output().unwrap();
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(
        errors
            .contains("the tournament cannot continue (finished games are recorded; resume with: "),
        "{errors}"
    );
    assert!(!errors.contains("run the command again"), "{errors}"); // it refuses this folder
    let before = scratch.games_now();
    assert!(before < 80);
    let resume = ["--resume".into(), scratch.0.display().to_string()];
    let output = run(&scratch, &resume);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(scratch.games().len(), 80);
}

#[test]
fn moves_stopped_by_the_think_timeout_name_it() {
    let scratch = Scratch::new("think-timeout");
    let words = pair(
        &scratch,
        "until-stop",
        "depth=1",
        "--think-timeout 0.1 --strict",
    );
    let output = run(&scratch, &words);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(printed.contains("stopped by --think-timeout"), "{printed}");
    assert!(!printed.contains("late within the margin"), "{printed}");
    let moves = scratch.games()[0]["moves"].clone();
    assert!(moves[0]["stopped"] == true && moves[0]["late"].is_null());
    let scratch = Scratch::new("think-timeout-fault");
    let more = "--think-timeout 0.1 --move-timeout 0.2";
    run(&scratch, &pair(&scratch, "no-bestmove", "depth=1", more));
    let detail = scratch.games()[0]["detail"].as_str().unwrap().to_owned();
    let expected = "stopped by --think-timeout 0.1 s, --move-timeout 0.2 s";
    assert!(detail.contains(expected), "{detail}");
}

#[test]
fn an_altered_record_is_neither_resumed_nor_reported() {
    let scratch = Scratch::new("altered");
    let folder = scratch.0.display().to_string();
    let words = [
        engine("good", "A", "depth=1"),
        engine("losing", "B", "depth=1"),
    ]
    .concat();
    let more = "--game othello --openings random plies=2 --seed 2 --rounds 4 --resign score=500 \
                movecount=3 --out";
    let more = more.split_whitespace().map(String::from);
    let words: Vec<String> = words.into_iter().chain(more).collect();
    run(&scratch, &[words, vec![folder.clone()]].concat());
    let path = scratch.0.join("games.jsonl");
    let original = scratch.games();
    let [resume, report] = ["--resume", "--report"].map(|option| [option.into(), folder.clone()]);
    for words in [&resume, &report] {
        let output = run(&scratch, words);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    type Change = fn(&mut Value);
    let changes: [(Change, &str); 10] = [
        (
            |game| game["result"] = "draw".into(),
            "its result is draw, but",
        ),
        (
            |game| game["reason"] = "normal".into(),
            "it is an adjudicated-resign",
        ),
        (
            |game| game["reason"] = "crash".into(),
            "it is an adjudicated-resign",
        ),
        (
            |game| game["moves"][3]["move"] = "z9".into(),
            "ply 4, \"z9\", is illegal in ",
        ),
        (
            |game| game["moves"][0]["move"] = "z9".into(),
            "ply 1, \"z9\", is not that of the opening",
        ),
        (
            |game| drop(game["moves"].as_array_mut().unwrap().pop()),
            "are not those of an",
        ),
        (
            |game| game["start"] = "4/1ox1/1xo1/4 x".into(),
            "its start position is not",
        ),
        (|game| game["p1"] = "C".into(), "but the schedule has"),
        (|game| game["round"] = 9.into(), "but the schedule has"),
        (
            |game| game["game"] = 99.into(),
            "the schedule has no game of this number",
        ),
    ];
    for (change, expected) in changes {
        let mut games = original.clone();
        change(&mut games[2]);
        let lines: Vec<String> = games.iter().map(|game| format!("{game}\n")).collect();
        fs::write(&path, lines.concat()).unwrap();
        for words in [&resume, &report] {
            let output = run(&scratch, words);
            let errors = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{expected}: {errors}");
            assert!(
                errors.contains("games.jsonl, line 3: game ") && errors.contains(expected),
                "{expected}: {errors}"
            );
        }
    }
    let lines: Vec<String> = original[1..]
        .iter()
        .map(|game| format!("{game}\n"))
        .collect();
    fs::write(&path, lines.concat()).unwrap();
    for words in [&resume, &report] {
        let output = run(&scratch, words);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(
            errors.contains("has 7 games, but history.jsonl counts 8"),
            "{errors}"
        );
    }
}

#[test]
fn damaged_plies_of_finished_games_do_not_block_a_resumption() {
    let scratch = Scratch::new("damaged-plies");
    run(&scratch, &pair(&scratch, "good", "depth=1", ""));
    let path = scratch.0.join("plies.jsonl");
    let mut bytes = fs::read(&path).unwrap();
    bytes[20] = 0xff;
    let resume = ["--resume".into(), scratch.0.display().to_string()];
    for damaged in [bytes, b"\xff\xfe{\0\n\0".to_vec()] {
        fs::write(&path, damaged).unwrap();
        let output = run(&scratch, &resume);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
}

#[test]
fn unusable_openings_and_settings_name_the_cause() {
    let scratch = Scratch::new("named-causes");
    fs::create_dir_all(&scratch.0).unwrap();
    let openings = scratch.0.join("openings.txt");
    fs::write(&openings, "b2 a1 c3\nxxx/oo1/3 o\n").unwrap();
    let file = format!("file={}", openings.display());
    for (words, expected) in [
        (
            vec!["--openings", &file],
            "line 2: the game is over in this position: no move can be played",
        ),
        (
            vec!["--openings", &file, "plies=2", "start=1"],
            "the game is over in this position",
        ),
        (
            vec!["--openings", "random", "plies=4", "--maxmoves", "2"],
            "--maxmoves 2: opening 1 has 4 plies, so that the engines play no move; expected at least 3",
        ),
        (
            vec!["--each", "option.P=a\nquit"],
            "engine setting \"option.P=a\\nquit\": contains control characters",
        ),
        (
            vec!["--each", "initstr=a\rb"],
            "initstr=a\\rb\": contains control characters",
        ),
        (
            vec!["--option", "Debug Log File=a\nquit"],
            "for '--option <NAME=VALUE>': contains control characters",
        ),
        (
            vec!["--each", "tc=0+1"],
            "the time before the increment is 0, expected at least",
        ),
        (
            vec!["--each", "tc=0/10"],
            "a stage of 0 moves, expected at least 1",
        ),
    ] {
        let engines = [
            engine("good", "A", "depth=1"),
            engine("good", "B", "depth=1"),
        ]
        .concat();
        let words = words.into_iter().map(String::from);
        let game = ["--game".to_owned(), "tictactoe".into()];
        let words: Vec<String> = engines.into_iter().chain(game).chain(words).collect();
        let output = runner(&scratch, &words).current_dir(&scratch.0).output();
        let output = output.unwrap();
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {errors}");
        assert!(errors.contains(expected), "{expected}: {errors}");
    }
    assert_eq!(
        fs::read_dir(&scratch.0).unwrap().count(),
        1,
        "something was written"
    );
}
