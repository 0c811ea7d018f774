//! Records of tournaments: kills, resumption, the plan and its history, and replays node for node.

use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use nullwindow::game::rng::Rng;
use nullwindow::platform::command_line::join;
use serde_json::Value;

use super::{Scratch, engine, run, runner, text};

/// The JSON lines of a file, without an incomplete last line.
fn lines(scratch: &Scratch, file: &str) -> Vec<Value> {
    let text = fs::read_to_string(scratch.0.join(file)).unwrap_or_default();
    let complete = text.rfind('\n').map_or("", |end| &text[..end]);
    complete
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn number(value: &Value, field: &str) -> u64 {
    value[field]
        .as_u64()
        .unwrap_or_else(|| panic!("{field}: {value}"))
}

/// The arguments of a tournament with games of about 50 ms, two in parallel.
fn slow_games(scratch: &Scratch, rounds: u32) -> Vec<String> {
    let mut arguments = [
        engine("slow", "A", "depth=1"),
        engine("slow", "B", "depth=1"),
    ]
    .concat();
    let more =
        "--game tictactoe --openings random plies=2 --concurrency 2 --affinity off --seed 3 --out";
    arguments.extend(more.split(' ').map(String::from));
    arguments.extend([
        scratch.0.display().to_string(),
        "--rounds".into(),
        rounds.to_string(),
    ]);
    arguments
}

#[test]
fn a_killed_tournament_loses_no_ply_and_no_finished_game() {
    kill_at_random_moments(4, 30);
}

#[test]
#[ignore = "takes a minute: cargo test fifty -- --ignored"]
fn fifty_kills_lose_no_ply_and_no_finished_game() {
    kill_at_random_moments(50, 300);
}

/// Kills a tournament of `rounds` rounds `kills` times, resumes it each time, and lets it end after
/// the last.
fn kill_at_random_moments(kills: u32, rounds: u32) {
    let scratch = Scratch::new(&format!("killed-{kills}"));
    let resume = ["--resume".to_owned(), scratch.0.display().to_string()];
    let (mut rng, mut finished, mut plies) =
        (Rng::for_stream(24, kills.into()), Vec::new(), Vec::new());
    let mut said = 0;
    for kill in 0..kills {
        let arguments = if kill == 0 {
            slow_games(&scratch, rounds)
        } else {
            resume.to_vec()
        };
        let mut child = runner(&scratch, &arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The first time until a game has begun: before, there is nothing to resume.
        while kill == 0 && lines(&scratch, "plies.jsonl").is_empty() {
            sleep(Duration::from_millis(1));
        }
        sleep(Duration::from_millis(rng.below(700)));
        child.kill().unwrap(); // SIGKILL
        said += text(&child.wait_with_output().unwrap().stdout)
            .matches("was interrupted after")
            .count();
        let (games_now, plies_now) = (
            lines(&scratch, "games.jsonl"),
            lines(&scratch, "plies.jsonl"),
        );
        assert_eq!(
            games_now[..finished.len()],
            finished,
            "a finished game was lost or changed by kill {kill}"
        );
        assert_eq!(
            plies_now[..plies.len()],
            plies,
            "a ply was lost or changed by kill {kill}"
        );
        (finished, plies) = (games_now, plies_now);
    }
    let output = run(&scratch, &resume);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    said += text(&output.stdout)
        .matches("was interrupted after")
        .count();
    let games = lines(&scratch, "games.jsonl");
    let mut numbers: Vec<u64> = games.iter().map(|game| number(game, "game")).collect();
    numbers.sort_unstable();
    assert_eq!(
        numbers,
        (1..=2 * u64::from(rounds)).collect::<Vec<u64>>(),
        "a game was lost or repeated"
    );
    // The plies of each attempt, in order.
    let mut attempts: BTreeMap<(u64, u64), Vec<Value>> = BTreeMap::new();
    for ply in lines(&scratch, "plies.jsonl") {
        attempts
            .entry((number(&ply, "game"), number(&ply, "attempt")))
            .or_default()
            .push(ply);
    }
    let mut again = 0;
    for game in &games {
        let last = game["attempt"].as_u64().unwrap_or(1);
        again += last - 1;
        for attempt in 1..=last {
            // An attempt may be killed before its first ply.
            let Some(plies) = attempts.remove(&(number(game, "game"), attempt)) else {
                continue;
            };
            let moves = game["moves"].as_array().unwrap();
            assert!(attempt < last || plies.len() == moves.len(), "{game}");
            // The engines play the first legal move: the same opening and colors give the same
            // moves.
            for (index, (ply, played)) in plies.iter().zip(moves).enumerate() {
                assert_eq!(
                    (number(ply, "ply"), &ply["move"]),
                    (index as u64 + 1, &played["move"]),
                    "{game}"
                );
                assert_eq!(ply["origin"], played["origin"]);
            }
        }
    }
    assert!(attempts.is_empty(), "{attempts:?}");
    assert!(again > 0, "no kill hit a game");
    assert!(
        said as u64 >= again,
        "every game that was broken off is named when it is resumed"
    );
}

#[test]
fn the_plan_is_hashed_before_the_first_game_and_interim_looks_are_counted() {
    let scratch = Scratch::new("plan");
    let folder = scratch.0.display().to_string();
    let book = scratch.0.with_extension("book");
    fs::write(&book, "first").unwrap();
    let mut arguments = slow_games(&scratch, 10);
    arguments.extend([
        "--each".to_owned(),
        format!("args={}", join(&[book.to_str().unwrap()])),
    ]);
    let mut child = runner(&scratch, &arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while lines(&scratch, "games.jsonl").len() < 3 {
        sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let planned = lines(&scratch, "history.jsonl").remove(0);
    assert_eq!(
        (&planned["event"], number(&planned, "games")),
        (&"planned".into(), 0)
    );
    let plan = planned["plan"].as_str().unwrap().to_owned();
    let saved: Value =
        serde_json::from_str(&fs::read_to_string(scratch.0.join("tournament.json")).unwrap())
            .unwrap();
    let files: Vec<&str> = saved["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert!(
        files.contains(&book.to_str().unwrap()) && files.len() == 2,
        "{files:?}"
    );
    assert_eq!(
        run(&scratch, &["--report".into(), folder.clone()])
            .status
            .code(),
        Some(0)
    );
    fs::write(&book, "second").unwrap();
    let output = run(
        &scratch,
        &[
            "--resume".into(),
            folder.clone(),
            "--strict".into(),
            "--show-latency".into(),
        ],
    );
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    for expected in [
        &format!("plan: sha256 {plan}, written "),
        "warning: deviation from the plan: ",
        "has changed since the plan was written",
        "status: finished with deviations from the plan, all 20 games played",
        "interim looks: 2 (reports: 1, resumptions: 1)",
    ] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
    // The deviation stays in the history, although the file is as planned again.
    fs::write(&book, "first").unwrap();
    let status_and_clean = || {
        let output = run(
            &scratch,
            &["--resume", &folder, "--strict", "--json"].map(String::from),
        );
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), summary["clean"].clone())
    };
    assert_eq!(status_and_clean(), (Some(1), false.into()));
    // As does a plan that was changed.
    let [plan_file, history] =
        ["tournament.json", "history.jsonl"].map(|name| scratch.0.join(name));
    let [planned, events] = [&plan_file, &history].map(|path| fs::read_to_string(path).unwrap());
    let without_resumption: String = events
        .split_inclusive('\n')
        .filter(|event| !event.contains("\"resumed\""))
        .collect();
    fs::write(&history, without_resumption).unwrap();
    assert_eq!(status_and_clean(), (Some(0), true.into()));
    fs::write(&plan_file, planned.clone() + "\n").unwrap();
    assert_eq!(status_and_clean(), (Some(1), false.into()));
    fs::write(&plan_file, planned).unwrap();
    fs::write(&history, events).unwrap();
    // A report after the end is not an interim look.
    let output = run(&scratch, &["--report".into(), folder]);
    let page = fs::read_to_string(text(&output.stdout).trim()).unwrap();
    assert!(
        page.contains("interim looks: 2 ") && page.contains(&plan),
        "{page}"
    );
}

#[test]
fn a_move_of_a_timed_game_is_replayed_node_for_node() {
    let scratch = Scratch::new("replay");
    let folder = scratch.0.display().to_string();
    let command = format!("cmd={}", join(&[env!("CARGO_BIN_EXE_nullwindow")]));
    let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
    let mut arguments = vec![
        "--engine".into(),
        command.clone(),
        "name=ugi".into(),
        "--engine".into(),
        command,
    ];
    arguments.extend(words(
        "name=uci proto=uci --each tc=0.5+0.01 timemargin=10000 option.Hash=1",
    ));
    arguments.extend(words(
        "--game othello6 --openings random plies=4 --seed 5 --out",
    ));
    arguments.push(folder.clone());
    let output = run(&scratch, &arguments);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    let replay = |place: &str, more: &[&str]| {
        let mut arguments = vec!["--replay".into(), folder.clone(), place.to_owned()];
        arguments.extend(more.iter().map(|&word| word.to_owned()));
        let output = run(&scratch, &arguments);
        (
            output.status.code(),
            text(&output.stdout) + &text(&output.stderr),
        )
    };
    // Each engine once as the first player; early, in the middle, and the last search of its game.
    for game in [1, 2] {
        let plies = lines(&scratch, "plies.jsonl");
        let searched = |ply: &&Value| number(ply, "game") == game && ply["origin"].is_null();
        let last = plies
            .iter()
            .filter(searched)
            .map(|ply| number(ply, "ply"))
            .max()
            .unwrap();
        for ply in [5, 12, last] {
            let (status, printed) = replay(&format!("{game}:{ply}"), &[]);
            assert_eq!(status, Some(0), "{printed}");
            let line = |name: &str| {
                printed
                    .lines()
                    .find_map(|line| line.strip_prefix(name).map(String::from))
                    .unwrap()
            };
            assert_eq!(line("recorded: "), line("replayed: "));
            assert!(printed.contains("identical, as are the "), "{printed}");
        }
    }
    let (status, printed) = replay("1:6", &["--explain"]);
    assert!(
        status == Some(0) && printed.contains("auto, depth ") && printed.contains("├─ "),
        "{printed}"
    );
    for (place, expected) in [
        ("1:4", "is an opening move"),
        ("3:7", "no game 3; the last one is 2"),
        ("1:99", "no ply 99; the last recorded ply is"),
        ("1", "expected GAME:PLY"),
    ] {
        let (status, printed) = replay(place, &[]);
        assert!(
            status == Some(2) && printed.contains(expected),
            "{place}: {printed}"
        );
    }
    // A match on a cluster has no record of plies.
    let plies = scratch.0.join("plies.jsonl");
    fs::rename(&plies, scratch.0.join("hidden")).unwrap();
    let (status, printed) = replay("2:12", &[]);
    assert!(
        status == Some(0) && printed.contains("identical, as are the "),
        "{printed}"
    );
    fs::rename(scratch.0.join("hidden"), &plies).unwrap();
    // The record of a search at reduced strength would differ.
    let saved = scratch.0.join("tournament.json");
    let config = fs::read_to_string(&saved).unwrap();
    let mut weak: Value = serde_json::from_str(&config).unwrap();
    weak["config"]["engines"][0]["options"] = serde_json::json!([["Strength", "20"]]);
    fs::write(&saved, weak.to_string()).unwrap();
    let (status, printed) = replay("1:5", &[]);
    assert!(
        status == Some(2) && printed.contains("does not support reduced strength"),
        "{printed}"
    );
    fs::write(&saved, config).unwrap();
    // A falsified record.
    let path = scratch.0.join("plies.jsonl");
    let changed: Vec<String> = lines(&scratch, "plies.jsonl")
        .into_iter()
        .map(|mut ply| {
            if (number(&ply, "game"), number(&ply, "ply")) == (1, 7) {
                ply["nodes"] = (number(&ply, "nodes") + 1).into();
                ply["score"] = serde_json::json!({"cp": 6300});
            }
            ply.to_string() + "\n"
        })
        .collect();
    fs::write(path, changed.concat()).unwrap();
    let (status, printed) = replay("1:7", &[]);
    assert!(
        status == Some(1)
            && printed.contains("different; the 1 earlier search of this game is identical"),
        "{printed}"
    );
    let (status, printed) = replay("1:9", &[]);
    assert!(
        status == Some(1) && printed.contains("different from ply 7 on"),
        "{printed}"
    );
}
