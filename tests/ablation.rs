//! `nullwindow lab ablation` from outside: properties of its table that do not depend on the
//! tuning of the engine.

use crate::common::nullwindow;
use serde_json::Value;

/// The rows of a measurement of two positions.
fn rows(words: &[&str]) -> Vec<Value> {
    let output = nullwindow(
        &[&["lab", "ablation", "--json", "--count", "2"], words].concat(),
        "",
    );
    assert!(output.status.success(), "{words:?}: {output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["positions"], 2);
    report["rows"].as_array().unwrap().clone()
}

fn nodes(row: &Value) -> u64 {
    row["nodes"].as_u64().unwrap()
}

fn row<'r>(rows: &'r [Value], name: &str) -> &'r Value {
    rows.iter()
        .find(|row| row["variant"] == name)
        .unwrap_or_else(|| panic!("no row {name}: {rows:?}"))
}

/// All variants but the one with statistical cuts search full width, so their values are those of
/// the same depth.
#[test]
fn full_width_variants_have_equal_values_and_the_table_saves_nodes() {
    for (game, depth) in [("othello", "9"), ("scorefour", "7")] {
        let rows = rows(&[
            "--game",
            game,
            "--depth",
            depth,
            "--option",
            "Selectivity=100",
        ]);
        assert!(
            rows.iter().all(|row| row["other_values"] == 0),
            "{game}: {rows:?}"
        );
        let base = row(&rows, "production search");
        assert_eq!(
            (base["nodes_ratio"].as_f64(), base["match"].is_null()),
            (Some(1.0), true)
        );
        assert!(
            nodes(row(&rows, "no transposition table")) > nodes(base),
            "{game}: {rows:?}"
        );
        assert!(
            nodes(row(&rows, "statistical cuts at 73 %")) < nodes(base),
            "{game}: {rows:?}"
        );
        let windows = |name: &str| row(&rows, name)["windows"].as_f64();
        assert!(
            windows("production search") >= Some(2.0)
                && windows("NegaScout instead of MTD(f)").is_none()
        );
    }
}

#[test]
fn the_cuts_are_left_out_where_the_engine_has_them() {
    let rows = rows(&["--depth", "8"]);
    let full_width = row(&rows, "no statistical cuts (full width)");
    assert!(
        nodes(full_width) > nodes(row(&rows, "production search")),
        "{rows:?}"
    );
}

#[test]
fn matches_are_pairs_of_games_at_equal_nodes() {
    let words = [
        "--game",
        "scorefour",
        "--depth",
        "2",
        "--pairs",
        "2",
        "--nodes",
        "100",
    ];
    let rows = rows(&words);
    let count = |row: &Value, name: &str| row["match"][name].as_u64().unwrap();
    let played: Vec<&Value> = rows.iter().filter(|row| !row["match"].is_null()).collect();
    assert_eq!(played.len(), 5, "{rows:?}");
    for row in played {
        assert_eq!(
            ["wins", "losses", "draws"]
                .map(|name| count(row, name))
                .iter()
                .sum::<u64>(),
            4
        );
        assert_eq!(
            ["ll", "ld", "wl", "dd", "wd", "ww"]
                .map(|name| count(row, name))
                .iter()
                .sum::<u64>(),
            2
        );
    }
    let output = nullwindow(
        &[&["lab", "ablation", "--count", "1"][..], &words].concat(),
        "",
    );
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success() && text.starts_with("scorefour, 1 position, depth 2"),
        "{text}"
    );
    assert!(
        text.contains("\nMatches against the production search, 100 nodes per move\n"),
        "{text}"
    );
}
