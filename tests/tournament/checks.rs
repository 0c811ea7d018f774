//! Checks of the runner besides the rules: info lines, the number of searches, `--strict` and
//! `--json`.

use serde_json::Value;

use super::{Scratch, engine, play_pair, run, text};

/// The names of a game's warnings about an engine.
fn warnings(game: &Value, name: &str) -> Vec<String> {
    let side = if game["p1"] == name { "p1" } else { "p2" };
    let all = game["warnings"].as_array().cloned().unwrap_or_default();
    let own = all.iter().filter(|warning| warning["by"] == side);
    own.map(|warning| warning["fault"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn faults_in_search_reports_are_counted_and_do_not_end_the_game() {
    for (script, limits, fault) in [
        ("pv-illegal", "depth=1", "illegal-pv"),
        ("pv-other", "depth=1", "move-not-in-pv"),
        ("depth-falls", "depth=1", "depth-fell"),
        ("nodes-fall", "proto=uci depth=1", "nodes-fell"),
        ("reports-error", "proto=uci depth=1", "engine-error"),
        (
            "ponders-badly",
            "proto=uci ponder=on depth=1 tc=inf",
            "illegal-pv",
        ),
    ] {
        let scratch = Scratch::new(script);
        for game in play_pair(&scratch, script, limits, "") {
            assert_eq!(
                (&game["reason"], &game["fault_by"]),
                (&"normal".into(), &Value::Null),
                "{game}"
            );
            let found = warnings(&game, "bad");
            assert!(
                !found.is_empty() && found.iter().all(|name| name == fault),
                "{script}: {game}"
            );
            assert_eq!(warnings(&game, "good"), [""; 0], "{game}");
        }
    }
}

#[test]
fn a_lost_proof_is_a_warning() {
    let scratch = Scratch::new("proof");
    // Both play the first legal move, so that the first player wins.
    let games = play_pair(&scratch, "proves-wins", "depth=1", "");
    assert_eq!(games.len(), 2);
    for game in games {
        let expected = if game["p1"] == "bad" {
            vec![]
        } else {
            vec!["proof-lost"]
        };
        assert_eq!(warnings(&game, "bad"), expected, "{game}");
    }
}

/// The arguments of a match of two scripted engines.
fn pair(scratch: &Scratch, script: &str, more: &str) -> Vec<String> {
    let mut arguments = engine(script, "one", "depth=1");
    arguments.extend(engine("good", "two", "depth=1"));
    arguments.extend(
        "--game tictactoe --openings startpos --out"
            .split(' ')
            .map(String::from),
    );
    arguments.push(scratch.0.display().to_string());
    arguments.extend(more.split_whitespace().map(String::from));
    arguments
}

#[test]
fn strict_fails_only_on_faults_and_warnings() {
    for (script, more, expected) in [
        ("good", "", 0),
        ("pv-other", "", 1),
        ("illegal", "", 1),
        ("good", "--concurrency 5000", 0), // more parallel games than any machine has cores, no clock
        ("good", "--concurrency 5000 --each tc=60", 1),
    ] {
        for (strict, expected) in [("--strict", expected), ("", 0)] {
            let scratch = Scratch::new(&format!("strict-{script}-{}-{expected}", more.len()));
            let output = run(
                &scratch,
                &pair(&scratch, script, &format!("{more} {strict}")),
            );
            let printed = text(&output.stdout);
            assert_eq!(
                output.status.code(),
                Some(expected),
                "{script} {more} {strict}\n{printed}"
            );
            assert_eq!(
                printed.contains("warning: 5000 search threads on"),
                more.contains("tc=")
            );
            assert_eq!(
                printed.contains("one: search report warnings: move-not-in-pv"),
                script == "pv-other"
            );
        }
    }
}

#[test]
fn the_last_scheduled_game_can_decide_the_sprt() {
    let scratch = Scratch::new("last-game");
    let words = "--json --rounds 1 --sprt elo0=0 elo1=300 alpha=0.2 beta=0.2";
    let output = run(&scratch, &pair(&scratch, "illegal", words));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let error = text(&output.stderr);
    let found = (&value["ending"], &value["sprt"]["verdict"]);
    assert_eq!(found, (&"decided".into(), &"h0".into()), "{error}");
    assert!(error.contains("SPRT decided after 2 games"), "{error}");
}

#[test]
fn json_is_one_object_with_the_results() {
    let scratch = Scratch::new("json");
    let output = run(
        &scratch,
        &pair(
            &scratch,
            "pv-other",
            "--json --rounds 3 --sprt elo0=0 elo1=5",
        ),
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        text(&output.stderr).contains("rank"),
        "the tables are on standard error"
    );
    assert_eq!(
        (&value["ending"], &value["games"], &value["of"]),
        (&"complete".into(), &6.into(), &6.into())
    );
    assert_eq!(
        (&value["clean"], &value["sprt"]["verdict"]),
        (&false.into(), &"continue".into())
    );
    let [one, two] = [&value["engines"][0], &value["engines"][1]];
    assert_eq!((&one["name"], &two["name"]), (&"one".into(), &"two".into()));
    // The first player wins each game of first legal moves.
    assert_eq!(
        (&one["wins"], &one["losses"], &one["pairs"]["wl"]),
        (&3.into(), &3.into(), &3.into())
    );
    assert!(
        one["warnings"]["move-not-in-pv"].as_u64().unwrap() >= 6,
        "{one}"
    );
    assert_eq!(two["warnings"], serde_json::json!({}));
    assert!(
        value["overhead_us"]["median"].as_u64().unwrap() > 0,
        "{value}"
    );
    assert_eq!(value["plan"]["ended_as_planned"], true);
}
