//! Option `Show Accuracy` and `nullwindow lab calibrate`: the built-in table is complete, plausible and
//! made with the built-in weights; accuracy lines quote its rows; a calibration resumes and is
//! reproducible.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::common::{Engine, converse, nullwindow};
use nullwindow::games::reversi::accuracy::{AccuracyRow, AccuracyTable, Reference, fits_id};
use nullwindow::games::reversi::eval::OthelloEvaluator;

fn table() -> &'static AccuracyTable {
    AccuracyTable::measured().expect("src/games/reversi/accuracy/table.txt can be read")
}

#[test]
fn the_accuracy_table_is_of_the_built_in_weights_and_fits() {
    let (weights, again) = (
        OthelloEvaluator::default().id(),
        "make the table again (src/games/reversi/accuracy/measurements.md)",
    );
    assert_eq!(table().weights, weights, "new weights: {again}");
    assert_eq!(
        table().fits,
        fits_id(),
        "other cuts, levels or odd-even correction: {again}; now {:016x}",
        fits_id()
    );
}

#[test]
fn the_accuracy_table_has_a_row_for_every_depth_from_5_to_52_empties() {
    for empties in 5..=52_u8 {
        let described = |depth, selectivity| {
            let row = table().row(empties, depth, selectivity);
            row.unwrap_or_else(|| panic!("{empties} empties, depth {depth}, {selectivity} %"))
        };
        for depth in 1..=10.min(empties - 1) {
            let level = if depth < 4 { 100 } else { 73 };
            let row = described(depth, level);
            assert!(row.errors.positions >= 100, "{row}");
            let bound = depth.min(row.empties.0 - 1);
            let measured = row
                .depth
                .expect("a search that ends before the end of the game");
            assert!(
                measured <= bound && measured + 1 >= bound,
                "{empties} empties, depth {depth}: {row}"
            );
        }
        if (13..=24).contains(&empties) {
            assert_eq!(described(empties, 73).depth, None);
        }
        let reference = if empties <= 24 {
            Reference::Solved
        } else {
            Reference::Played
        };
        assert_eq!(described(10, 73).reference, reference, "{empties}");
    }
    for empties in [1, 4, 53, 60] {
        assert_eq!(table().row(empties, 10, 73), None);
    }
}

#[test]
fn errors_are_consistent_and_fall_with_depth() {
    for row in &table().rows {
        let errors = row.errors;
        assert!(errors.within.is_sorted(), "{row}");
        assert!(
            errors
                .within
                .iter()
                .all(|share| (0.0..=100.0).contains(share)),
            "{row}"
        );
        assert!(
            errors.mean >= errors.bias.abs() && errors.mean < 20.0,
            "{row}"
        );
    }
    // Deeper searches are better than all shallower ones, those to the end than all of at most their
    // selectivity; odd and even depths and small samples leave some noise.
    for (number, deeper) in table().rows.iter().enumerate() {
        let shallower = table().rows[..number]
            .iter()
            .filter(|row| row.empties == deeper.empties)
            .filter(|row| deeper.depth.is_some() || row.selectivity <= deeper.selectivity);
        for row in shallower {
            assert!(
                deeper.errors.mean < row.errors.mean + 0.4,
                "{row}\n{deeper}"
            );
        }
    }
    let mean = |empties, depth| table().row(empties, depth, 73).unwrap().errors.mean;
    assert!(
        mean(20, 10) < mean(20, 4) && mean(20, 20) < mean(20, 10) && mean(30, 10) < mean(50, 10)
    );
}

#[test]
fn a_table_is_read_as_it_is_written_and_a_bad_one_is_refused() {
    let text = table().to_string();
    assert_eq!(text.parse().as_ref(), Ok(table()));
    assert_eq!(
        text,
        include_str!("../src/games/reversi/accuracy/table.txt").replace('\r', "")
    );
    let line_of = |text: &str| text.parse::<AccuracyTable>().unwrap_err().line;
    assert_eq!(line_of("made by: me\n"), 1);
    for bad in [
        "5-8 solved 1 100 10 0.1 0.1 1 2 3",
        "5-8 guessed 1 100 10 0.1 0.1 1 2 3 4",
        "5-8",
    ] {
        assert_eq!(
            line_of(&format!(
                "title: accuracy table\nweights: 1\nfits: 2\nmade by: me\n{bad}\n"
            )),
            5,
            "{bad}"
        );
    }
}

const MIDGAME: &str = "position startpos moves f5 d6 c3 d3 c4 f4 c5 b3 c2 e3 d2 c6\n";

/// The lines of a session about accuracy, each with the line after it.
fn accuracy_lines(input: &str) -> Vec<[String; 2]> {
    let (lines, status) = converse(&[], input.as_bytes());
    assert!(status.success());
    let pairs = lines
        .windows(2)
        .filter(|pair| pair[0].to_lowercase().contains("accuracy"));
    pairs
        .map(|pair| [pair[0].clone(), pair[1].clone()])
        .filter(|pair| !pair[0].starts_with("option"))
        .collect()
}

/// The words of a row.
fn words(row: &AccuracyRow) -> String {
    let (least, most) = row.empties;
    format!(
        "in {:.0} % of {} positions, mean error {:.2} (depth {}, selectivity {} %, {least} to {most} empties)",
        row.errors.within[1],
        row.errors.positions,
        row.errors.mean,
        row.depth.unwrap(),
        row.selectivity
    )
}

#[test]
fn show_accuracy_prints_the_row_of_the_score_before_bestmove() {
    let on = "setoption name Show Accuracy value true\n";
    let row = words(table().row(48, 6, 73).unwrap());
    let line = format!("info string accuracy: within 3 discs of the game result {row}");
    let found = accuracy_lines(&format!("{on}{MIDGAME}go depth 6\n"));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0][0], line);
    assert!(found[0][1].starts_with("bestmove "), "{found:?}");
    // In UCI the last line before the move has a score.
    let found = accuracy_lines(&format!("uci\n{on}{MIDGAME}go depth 6\n"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0][0], line);
    assert!(found[0][1].starts_with("info depth 6 "), "{found:?}");
    assert_eq!(
        accuracy_lines(&format!("{MIDGAME}go depth 6\n")),
        [[""; 2]; 0],
        "off by default"
    );
}

#[test]
fn searches_without_a_row_print_nothing_or_the_reason() {
    let on = "setoption name Show Accuracy value true\n";
    let solved =
        "position fen xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxo1/xxxxxxo1 x\n";
    for search in [
        &format!("{solved}go depth 2\n"),
        &format!("{MIDGAME}go depth 6 searchmoves f3\n"),
        &format!("{MIDGAME}moves depth 4\n"),
        &format!("setoption name Strength value 30\n{MIDGAME}go depth 4\n"),
    ] {
        assert_eq!(
            accuracy_lines(&format!("{on}{search}")),
            [[""; 2]; 0],
            "{search}"
        );
    }
    // Moves that are left out restrict nothing.
    let all = accuracy_lines(&format!("{on}{MIDGAME}go depth 6\n"));
    for word in ["a1", "zz"] {
        let search = format!("{on}{MIDGAME}go depth 6 searchmoves {word}\n");
        assert_eq!(accuracy_lines(&search), all, "{word}");
    }
    let found = accuracy_lines(&format!("{on}go depth 4\n"));
    let expected = "info string accuracy: not measured (depth 4, selectivity 73 %, 60 empties)";
    assert_eq!(
        found.iter().map(|pair| &pair[0]).collect::<Vec<_>>(),
        [expected]
    );
    // Once each time that the option is set.
    let other = "setoption name Game value scorefour\ngo depth 3\ngo depth 3\n";
    let found = accuracy_lines(&format!("{on}{other}{on}go depth 3\n"));
    let reason = "info string Show Accuracy supports othello only";
    assert_eq!(
        found.iter().map(|pair| &pair[0]).collect::<Vec<_>>(),
        [reason, reason]
    );
}

#[test]
fn nboard_prints_the_accuracy_as_a_status() {
    let mut engine = Engine::start(&[]);
    let game = "set game (;GM[Othello]PC[x]TY[8]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- \
                -------- *];B[F5]W[D6]B[C3]W[D3]B[C4]W[F4]B[C5]W[B3]B[C2]W[E3]B[D2]W[C6])\n";
    engine.send(&format!(
        "nboard 2\nset depth 6\nset option Show Accuracy=true\n{game}go"
    ));
    let lines = engine.until("===");
    let row = words(table().row(48, 6, 73).unwrap());
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("status accuracy: ") && line.ends_with(&row)),
        "{lines:?}"
    );
}

fn calibrate(record: &Path, more: &[&str]) -> Output {
    let record = record.display().to_string();
    nullwindow(
        &[&["lab", "calibrate", "--out", &record], more].concat(),
        "",
    )
}

#[test]
fn a_calibration_resumes_and_its_table_does_not_depend_on_that() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let [whole, parts] = ["whole", "parts"]
        .map(|name| folder.join(format!("accuracy-{}-{name}", std::process::id())));
    let run = |record: &PathBuf, more: &[&str]| {
        let output = calibrate(record, more);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let at_once = run(&whole, &["--games", "3", "--threads", "2"]);
    let table: AccuracyTable = at_once.parse().unwrap();
    assert_eq!(table.weights, OthelloEvaluator::default().id());
    assert!(table.rows.iter().all(|row| row.errors.positions <= 3));
    assert!(
        table.row(50, 14, 73).is_some() && table.row(14, 14, 73).is_some(),
        "{at_once}"
    );
    run(&parts, &["--games", "1"]);
    let one = fs::read_to_string(&parts).unwrap();
    fs::write(&parts, one.clone() + "{\"game\":1,\"posi").unwrap(); // as a crash leaves it
    assert_eq!(run(&parts, &["--games", "3"]), at_once);
    assert!(fs::read_to_string(&parts).unwrap().starts_with(&one));
    let other = calibrate(&parts, &["--games", "3", "--seed", "5"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(
        String::from_utf8(other.stderr)
            .unwrap()
            .contains("has the conditions")
    );
    for file in [whole, parts] {
        fs::remove_file(file).unwrap();
    }
}

#[test]
fn a_calibration_of_something_else_is_refused() {
    let record = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("accuracy-refused");
    for (more, error) in [
        (
            &["--game", "othello6"][..],
            "--game has no effect on lab calibrate",
        ),
        (
            &["--option", "Strength=3"],
            "option Strength has no effect on lab calibrate",
        ),
        (
            &["--option", "Selectivity=100"],
            "option Selectivity has no effect on lab calibrate",
        ),
        (&["--games", "0"], "expected a whole number of 1 or more"),
    ] {
        let output = calibrate(&record, more);
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(error), "{text}");
        assert!(!record.exists());
    }
}
