//! `nullwindow solve --report` at small scale: quiet Score Four positions from self-play, solved within a
//! limit and recorded.

use std::path::PathBuf;

use crate::common::{Folder, nullwindow};
use nullwindow::game::{Game, Notation};
use nullwindow::games::score_four::ScoreFour;

fn stdout(words: &[&str]) -> String {
    let output = nullwindow(words, "");
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A file in a temporary folder.
struct File(
    PathBuf,
    #[allow(dead_code, reason = "removed on drop")] Folder,
);

impl File {
    fn new(name: &str, text: &str) -> File {
        let folder = Folder::new(&format!("report-{name}"));
        File(folder.file(name, text).into(), folder)
    }

    fn name(&self) -> &str {
        self.0.to_str().unwrap()
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.0).unwrap()
    }
}

fn quiet_positions(stones: &str, count: &str) -> String {
    let words = [
        "problems",
        "--game",
        "scorefour",
        "--stones",
        stones,
        "--count",
        count,
        "--quiet",
        "--unsolved",
    ];
    stdout(&words)
}

fn position(line: &str) -> ScoreFour {
    let moves = line
        .as_bytes()
        .chunks(2)
        .map(|word| std::str::from_utf8(word).unwrap());
    moves.fold(ScoreFour::start(), |position, word| {
        position.play(ScoreFour::parse_move(word).unwrap())
    })
}

/// Whether the side to move can complete a line.
fn can_win_at_once(position: &ScoreFour) -> bool {
    position.moves().into_iter().any(|m| {
        position
            .play(m)
            .final_score()
            .is_some_and(|score| score.0 < 0)
    })
}

#[test]
fn quiet_positions_have_no_immediate_win_and_no_forced_reply() {
    let made = quiet_positions("40", "30");
    assert_eq!(made.lines().count(), 30);
    assert_eq!(made, quiet_positions("40", "30"));
    for line in made.lines() {
        let position = position(line);
        assert_eq!(position.stones(), 40);
        assert!(!can_win_at_once(&position), "{line}");
        let not_losing = position
            .moves()
            .into_iter()
            .filter(|&m| !can_win_at_once(&position.play(m)));
        assert!(not_losing.count() > 1, "{line}");
    }
    // Solved positions are written with their value, which `solve` confirms.
    let solved = stdout(&[
        "problems",
        "--game",
        "scorefour",
        "--stones",
        "46",
        "--count",
        "5",
    ]);
    let file = File::new("solved.txt", &solved);
    let text = stdout(&["solve", "--game", "scorefour", file.name(), "--json"]);
    assert_eq!(
        text.matches("\"ok\":true").count(),
        6,
        "five rows and the total: {text}"
    );
}

#[test]
fn arguments_that_do_not_fit_the_game_are_errors() {
    for words in [
        &["problems", "--game", "scorefour", "--empties", "20"][..],
        &["problems", "--stones", "20"],
        &["problems", "--empties", "20", "--quiet"],
        &["problems", "--game", "scorefour"],
        &[
            "problems",
            "--game",
            "scorefour",
            "--stones",
            "40",
            "--unique-best",
        ],
        &["problems", "--game", "tictactoe", "--stones", "9"],
        &[
            "problems",
            "--game",
            "tictactoe",
            "--stones",
            "7",
            "--count",
            "99999",
        ],
        &["solve", "--limit-seconds", "0"],
        &["solve", "--report", "/nowhere.jsonl"],
    ] {
        let output = nullwindow(words, "");
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(!output.stderr.is_empty(), "{words:?}");
    }
}

#[test]
fn a_resumed_run_gives_the_same_rows() {
    let all: String = ["48", "46", "45", "44"]
        .map(|stones| quiet_positions(stones, "3"))
        .concat();
    let positions = File::new("positions.txt", &all);
    let run = |record: &File, more: &[&str]| {
        let words = [
            "solve",
            "--game",
            "scorefour",
            "--json",
            "--limit-seconds",
            "60",
            "--resume",
            record.name(),
        ];
        stdout(&[&words[..], more, &[positions.name()]].concat())
    };
    let (whole, parts) = (File::new("whole.jsonl", ""), File::new("parts.jsonl", ""));
    run(&whole, &[]);
    run(&parts, &["--only", "1-5"]);
    let before = parts.text();
    std::fs::write(&parts.0, before.clone() + "{\"task\":\"cut o").unwrap();
    let rows = run(&parts, &[]);
    assert!(parts.text().starts_with(&before), "earlier lines are kept");
    let solved = |rows: &str| rows.lines().take(12).map(String::from).collect::<Vec<_>>();
    assert_eq!(
        solved(&rows),
        solved(&run(&parts, &[])),
        "times, too: nothing is solved again"
    );
    // Except for the times, the rows equal those of an uninterrupted run.
    let facts = |text: &str| -> Vec<serde_json::Value> {
        let rows = text
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        rows.map(|mut row| {
            let row = row["row"].as_object_mut().unwrap();
            row.retain(|name, _| !["seconds", "cpu"].contains(&name.as_str()));
            row.clone().into()
        })
        .collect()
    };
    assert_eq!(facts(&whole.text()).len(), 12);
    assert_eq!(facts(&whole.text()), facts(&parts.text()));

    let svg = File::new("curve.svg", "");
    let table = stdout(&["solve", "--report", parts.name(), "--svg", svg.name()]);
    for stones in ["44", "45", "46", "48"] {
        let row = table
            .lines()
            .find(|line| line.trim_start().starts_with(stones))
            .unwrap();
        assert!(row.contains(" 3 of 3 "), "{table}");
    }
    assert!(
        svg.text().starts_with("<svg")
            && svg.text().contains("median")
            && !svg.text().contains("NaN")
    );
    let json = stdout(&["solve", "--report", parts.name(), "--json"]);
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&first["stones"], &first["solved"], &first["positions"]),
        (&44.into(), &3.into(), &3.into())
    );
    let values = ["wins", "draws", "losses"].map(|name| first[name].as_u64().unwrap());
    assert_eq!(values.iter().sum::<u64>(), 3);
}

#[test]
fn a_position_above_the_limit_is_tried_again_with_a_larger_limit() {
    // The first, with 22 stones, takes more than 0.01 s on any CPU, the second less.
    let hard = quiet_positions("22", "2")
        .lines()
        .last()
        .unwrap()
        .to_owned();
    let late = quiet_positions("50", "1");
    let positions = File::new("hard.txt", &format!("{hard}\n{late}"));
    let record = File::new("hard.jsonl", "");
    let run = |limit: &str, only: &str| {
        let words = [
            "solve",
            "--game",
            "scorefour",
            "--limit-seconds",
            limit,
            "--only",
            only,
        ];
        stdout(&[&words[..], &["--resume", record.name(), positions.name()]].concat())
    };
    let text = run("0.01", "1-2");
    assert!(
        text.contains("unsolved after 0.01 s") && text.contains("0 wrong, 1 unsolved, 0 invalid"),
        "{text}"
    );
    let rows: Vec<serde_json::Value> = record
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (&rows[0]["row"]["score"], &rows[0]["row"]["best"]),
        (&serde_json::Value::Null, &serde_json::Value::Null)
    );
    assert!(
        rows[0]["row"]["nodes"].as_u64().unwrap() > 1_000,
        "{}",
        rows[0]
    );
    assert_eq!(rows[0]["row"]["limit"], 0.01);
    assert!(rows[1]["row"]["score"].is_i64());
    run("0.01", "1-2");
    run("0.005", "1-2");
    assert_eq!(
        record.text().lines().count(),
        2,
        "it is not tried again with the same limit"
    );
    run("0.02", "1-2");
    assert_eq!(record.text().lines().count(), 3, "but with a larger one");
    let table = stdout(&["solve", "--report", record.name()]);
    let row = table
        .lines()
        .find(|line| line.trim_start().starts_with("22"))
        .unwrap();
    assert!(row.contains("0 of 1") && row.contains("> 0.02"), "{table}");
}
