//! `nullwindow lab shard`: the results of all jobs compared with those of the other commands, repeated
//! runs, and shards made for other engine versions.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::common::{Folder, command, nullwindow};
use serde_json::{Value, json};

/// A shard for this engine.
fn shard(game: &str, job: Value) -> Value {
    let mut shard: Value =
        serde_json::from_slice(&nullwindow(&["lab", "shard", "--identity"], "").stdout).unwrap();
    shard["game"] = game.into();
    shard["seed"] = 5.into();
    shard["job"] = job;
    shard
}

/// Runs a shard: its exit status, its lines and standard error.
fn run(folder: &Path, shard: &Value) -> (Option<i32>, Vec<Value>, String) {
    let (file, out) = (folder.join("shard.json"), folder.join("lines.jsonl"));
    fs::write(&file, shard.to_string()).unwrap();
    let output = nullwindow(
        &[
            "lab",
            "shard",
            file.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
        ],
        "",
    );
    let text = fs::read_to_string(&out).unwrap_or_default();
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    (
        output.status.code(),
        lines,
        String::from_utf8(output.stderr).unwrap(),
    )
}

fn problems(game: &str, empties: &str) -> Vec<String> {
    let made = nullwindow(
        &[
            "problems",
            "--game",
            game,
            "--empties",
            empties,
            "--count",
            "5",
            "--seed",
            "5",
        ],
        "",
    );
    String::from_utf8(made.stdout)
        .unwrap()
        .lines()
        .map(String::from)
        .collect()
}

#[test]
fn solved_lines_are_those_of_solve_and_a_second_run_adds_none() {
    let (folder, problems) = (&Folder::new("shard-solve").0, problems("othello", "9"));
    let mut numbered: Vec<Value> = (1..)
        .zip(&problems)
        .map(|(n, text)| json!({"n": n, "text": text}))
        .collect();
    numbered.push(json!({"n": 6, "text": "hello"}));
    let shard = shard("othello", json!({"solve": {"problems": numbered}}));
    let (status, lines, _) = run(folder, &shard);
    assert_eq!((status, lines.len()), (Some(0), 6));
    let solved = nullwindow(&["solve", "-", "--json"], &problems.join("\n"));
    let rows: Vec<Value> = solved
        .stdout
        .split(|&b| b == b'\n')
        .flat_map(serde_json::from_slice)
        .collect();
    for row in &rows[..5] {
        let line = lines.iter().find(|line| line["n"] == row["n"]).unwrap();
        for (name, value) in row.as_object().unwrap() {
            assert!(
                line[name] == *value || ["seconds", "cpu"].contains(&name.as_str()),
                "{name}: {line} {row}"
            );
        }
        assert!(
            line["key"]
                .as_str()
                .unwrap()
                .contains(line["position"].as_str().unwrap()),
            "{line}"
        );
    }
    assert!(
        lines
            .iter()
            .any(|line| line["n"] == 6 && line["error"].is_string()),
        "{lines:?}"
    );
    // An incomplete line is dropped and written again; the others do not change.
    let out = folder.join("lines.jsonl");
    let text = fs::read_to_string(&out).unwrap();
    fs::write(&out, &text[..text.len() - 9]).unwrap();
    assert_eq!(run(folder, &shard).1.len(), 6);
    let whole = fs::read_to_string(&out).unwrap();
    assert!(whole.starts_with(&text[..text[..text.len() - 1].rfind('\n').unwrap()]));
    run(folder, &shard);
    assert_eq!(fs::read_to_string(&out).unwrap(), whole);
}

#[test]
fn a_changed_text_has_results_of_its_own() {
    let solve = |folder: &Path, text: &str| {
        let job = json!({"solve": {"problems": [{"n": 1, "text": text}]}});
        let (status, lines, error) = run(folder, &shard("othello4", job));
        assert_eq!(status, Some(0), "{text}: {error}");
        lines.last().unwrap().clone()
    };
    let folder = &Folder::new("shard-changed").0;
    // Other scores to check, and a position with the same canonical image.
    for (number, (text, ok)) in [
        ("startpos moves a2; +5", json!(false)),
        ("startpos moves a2", Value::Null),
        ("startpos moves a2; +8", json!(true)),
        ("startpos moves d3; +8", json!(true)),
    ]
    .into_iter()
    .enumerate()
    {
        let line = solve(folder, text);
        assert_eq!((&line["text"], &line["ok"]), (&json!(text), &ok), "{line}");
        let lines = fs::read_to_string(folder.join("lines.jsonl")).unwrap();
        assert_eq!(lines.lines().count(), number + 1, "{lines}");
    }
    let expand = |text: &str| {
        let job = json!({"expand": {"problems": [{"n": 1, "text": text}], "plies": 1}});
        let (_, lines, _) = run(folder, &shard("othello4", job));
        let given = lines.iter().rfind(|line| line["n"] == 1).unwrap();
        let moves = given["moves"].as_array().unwrap().iter();
        let mut moves: Vec<Value> = moves.map(|step| step[0].clone()).collect();
        moves.sort_unstable_by_key(Value::to_string);
        moves
    };
    assert_eq!(expand("startpos moves a2"), ["a1", "a3", "c1"]);
    assert_eq!(expand("startpos moves d3"), ["b4", "d2", "d4"]);
}

#[test]
fn analyzed_lines_are_those_of_analyze_and_a_second_run_adds_none() {
    let folder = &Folder::new("shard-analyze").0;
    let games = ["f5d6c3d3c4f4", "f5a1", "f5f6e6f4"];
    let numbered: Vec<Value> = (1..)
        .zip(games)
        .map(|(n, text)| json!({"n": n, "text": text}))
        .collect();
    let limits = json!({"depth": 4, "exact": 6, "multipv": 2});
    let job = json!({"analyze": {"file": "standard input", "games": numbered, "limits": limits}});
    let shard = shard("othello", job);
    let (status, lines, _) = run(folder, &shard);
    assert_eq!((status, lines.len()), (Some(0), 3));
    let words = "analyze - --json --depth 4 --exact 6 --multipv 2";
    let words: Vec<&str> = words.split(' ').collect();
    let own = nullwindow(&words, &games.join("\n"));
    let timeless = |text: &Value| {
        let mut game = text.clone();
        for found in game["moves"].as_array_mut().unwrap() {
            found["seconds"] = json!(0);
        }
        game
    };
    let rows = own.stdout.split(|&b| b == b'\n');
    let rows: Vec<Value> = rows.flat_map(serde_json::from_slice).collect();
    for row in &rows[..2] {
        let line = lines
            .iter()
            .find(|line| line["n"] == row["number"])
            .unwrap();
        let (line, row) = (timeless(line), timeless(row));
        for (name, value) in row.as_object().unwrap() {
            assert_eq!(line[name], *value, "{name}");
        }
    }
    assert!(
        lines
            .iter()
            .any(|line| line["n"] == 2 && line["error"].is_string()),
        "{lines:?}"
    );
    let whole = fs::read_to_string(folder.join("lines.jsonl")).unwrap();
    run(folder, &shard);
    assert_eq!(
        fs::read_to_string(folder.join("lines.jsonl")).unwrap(),
        whole
    );
}

#[test]
fn a_search_for_a_bound_returns_the_bound_on_the_side_of_the_value() {
    for (game, empties, step) in [
        ("othello", "11", 2),
        ("othello6", "12", 2),
        ("othello4", "8", 1),
    ] {
        let folder = &Folder::new(&format!("shard-bound-{game}")).0;
        let problems = problems(game, empties);
        let solved = nullwindow(
            &["solve", "-", "--json", "--game", game],
            &problems.join("\n"),
        );
        let rows = solved
            .stdout
            .split(|&b| b == b'\n')
            .flat_map(serde_json::from_slice::<Value>);
        let values: Vec<i64> = rows.filter_map(|row| row["score"].as_i64()).collect();
        let mut questions = Vec::new();
        for (text, value) in problems.iter().zip(&values) {
            for apart in [-3, 0, 1, 4] {
                questions.push(json!({"n": questions.len() + 1, "text": text, "reaches": value + step * apart}));
            }
        }
        let (status, lines, _) = run(
            folder,
            &shard(game, json!({"solve": {"problems": questions}})),
        );
        assert_eq!((status, lines.len()), (Some(0), 20));
        for line in lines {
            let value = values[(line["n"].as_u64().unwrap() as usize - 1) / 4];
            let (score, reaches) = (
                line["score"].as_i64().unwrap(),
                line["reaches"].as_i64().unwrap(),
            );
            let answer = if value >= reaches {
                ("lower", reaches)
            } else {
                ("upper", reaches - step)
            };
            assert_eq!((line["bound"].as_str().unwrap(), score), answer, "{line}");
            assert_eq!(line["best"].is_null(), value < reaches, "{line}");
        }
    }
}

#[test]
fn a_tree_leads_from_its_root_to_its_leaves() {
    let folder = &Folder::new("shard-expand").0;
    let job = json!({"expand": {"problems": [{"n": 1, "text": "f5"}], "plies": 2, "guess": 500}});
    let (status, lines, _) = run(folder, &shard("othello", job));
    assert_eq!(status, Some(0));
    let find = |position: &Value| {
        lines
            .iter()
            .find(|line| line["position"] == *position)
            .unwrap()
    };
    let moves = |line: &Value| line["moves"].as_array().cloned().unwrap_or_default();
    assert_eq!(lines.iter().filter(|line| line["n"] == 1).count(), 1);
    let mut leaves = 0;
    for reply in moves(&lines[0]) {
        let reply = find(&reply[1]);
        assert_eq!(
            (&reply["left"], &reply["step"], &reply["wld"]),
            (&58.into(), &2.into(), &false.into())
        );
        for leaf in moves(reply) {
            assert!(find(&leaf[1])["guess"].is_i64() && moves(find(&leaf[1])).is_empty());
            leaves += 1;
        }
    }
    // Perft(3) of Othello is 56, from 4 symmetric first moves.
    assert_eq!((moves(&lines[0]).len(), leaves), (3, 14));
}

#[test]
fn games_are_numbered_and_an_interval_can_be_continued() {
    let folder = &Folder::new("shard-games").0;
    let numbers = |lines: &[Value]| {
        lines
            .iter()
            .filter_map(|line| line["game"].as_u64())
            .collect::<Vec<_>>()
    };
    let job = |count: u64| json!({"selfplay": {"first": 3, "count": count, "depth": 1}});
    assert_eq!(numbers(&run(folder, &shard("scorefour", job(2))).1), [3, 4]);
    let (_, lines, _) = run(folder, &shard("scorefour", job(3)));
    assert_eq!(numbers(&lines), [3, 4, 5]);
    assert_eq!(
        lines.iter().filter(|line| line["head"].is_string()).count(),
        1
    );
    fs::remove_file(folder.join("lines.jsonl")).unwrap();
    let player = format!("cmd={}", env!("CARGO_BIN_EXE_nullwindow"));
    let words = [
        "--engine", &player, "name=a", "depth=1", "--engine", &player, "name=b", "depth=1",
        "--rounds", "2",
    ];
    let job = |first| json!({"tournament": {"first": first, "count": 2, "arguments": words}});
    assert_eq!(numbers(&run(folder, &shard("tictactoe", job(2))).1), [2, 3]);
    let (status, lines, error) = run(folder, &shard("tictactoe", job(4)));
    assert_eq!((status, numbers(&lines)), (Some(2), vec![2, 3]));
    assert!(
        error.contains("expected games within 1 to 4 of the tournament"),
        "{error}"
    );
}

#[test]
fn shards_of_other_engines_and_bad_ones_are_refused() {
    let folder = &Folder::new("shard-refused").0;
    let good = shard(
        "othello",
        json!({"solve": {"problems": [{"n": 1, "text": "f5"}]}}),
    );
    for (name, value, error) in [
        ("bench", json!(7), "bench total 7; this engine is"),
        ("engine", json!("0.0.1"), "version 0.0.1 with"),
        ("game", json!("chess"), "chess"),
        ("options", json!({"Hesh": "1"}), "Hesh"),
        (
            "options",
            json!({"Strength": "9"}),
            "option Strength has no effect on the job solve",
        ),
        (
            "options",
            json!({"Selectivity": "50"}),
            "option Selectivity has no effect on the job solve",
        ),
        ("options", json!({"Game": "othello6"}), "different games"),
        ("job", json!({"sleep": {}}), "not a shard"),
        ("color", json!(1), "not a shard"),
        (
            "job",
            json!({"selfplay": {"first": 0, "count": 1, "depth": 0}}),
            "\"depth\" must be",
        ),
        (
            "job",
            json!({"solve": {"problems": [{"n": 0, "text": "f5"}]}}),
            "numbered from 1",
        ),
        (
            "job",
            json!({"tournament": {"first": 1, "count": 1, "arguments": [
                "--engine", "cmd=a", "--engine", "cmd=b", "--each", "depth=1", "--rounds", "1", "--seed", "3"]}}),
            "--seed has no effect in a shard",
        ),
        (
            "job",
            json!({"tournament": {"first": 1, "count": 1, "arguments": [
                "--engine", "cmd=a", "--engine", "cmd=b", "--each", "depth=1", "--rounds", "1", "--strict"]}}),
            "--strict has no effect in a shard",
        ),
    ] {
        let mut bad = good.clone();
        bad[name] = value;
        let (status, lines, said) = run(folder, &bad);
        assert_eq!((status, lines.len()), (Some(2), 0), "{bad}");
        assert!(said.contains(error), "{said}");
    }
    let mut bad = shard(
        "scorefour",
        json!({"solve": {"problems": [{"n": 1, "text": "a1", "reaches": 0}]}}),
    );
    assert!(run(folder, &bad).2.contains("scored by discs"));
    bad["job"] = json!({"selfplay": {"first": 0, "count": 1, "depth": 1}});
    fs::write(folder.join("lines.jsonl"), "not a line\nnor this\n").unwrap();
    let file = folder.join("shard.json");
    fs::write(&file, bad.to_string()).unwrap();
    let output = nullwindow(
        &[
            "lab",
            "shard",
            file.to_str().unwrap(),
            "--out",
            folder.join("lines.jsonl").to_str().unwrap(),
        ],
        "",
    );
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        fs::read_to_string(folder.join("lines.jsonl")).unwrap(),
        "not a line\nnor this\n"
    );
}

#[test]
fn replaced_weights_are_other_options() {
    let folder = &Folder::new("shard-weights").0;
    let weights = include_str!("../src/games/score_four/eval/plain.txt");
    let file = folder.join("weights");
    let mut solve = shard(
        "tictactoe",
        json!({"solve": {"problems": [{"n": 1, "text": "a1b1a2b2"}]}}),
    );
    solve["options"] = json!({"EvalFile": file});
    for (content, lines) in [
        (weights, 1),
        (weights, 1),
        (format!("{weights}\n").as_str(), 2),
    ] {
        fs::write(&file, content).unwrap();
        let (status, found, errors) = run(folder, &solve);
        assert_eq!((status, found.len()), (Some(0), lines), "{errors}");
    }
}

#[test]
fn a_shard_ends_with_its_standard_input() {
    let folder = &Folder::new("shard-eof").0;
    // The start of othello takes years.
    let endless = shard(
        "othello",
        json!({"solve": {"problems": [{"n": 1, "text": "f5"}]}}),
    );
    let file = folder.join("shard.json");
    fs::write(&file, endless.to_string()).unwrap();
    let out = folder.join("lines.jsonl");
    let mut child = command()
        .args([
            "lab",
            "shard",
            file.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
            "--until-eof",
        ])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
