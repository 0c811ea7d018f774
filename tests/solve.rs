//! `nullwindow problems` and `nullwindow solve`: output and exit status of the binary.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Output, Stdio};

use crate::common::{Folder, command, nullwindow, signal};

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn rows(output: &Output) -> Vec<serde_json::Value> {
    stdout(output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn problems(game: &str, empties: &str, count: &str) -> String {
    let made = nullwindow(
        &[
            "problems",
            "--game",
            game,
            "--empties",
            empties,
            "--count",
            count,
            "--seed",
            "5",
        ],
        "",
    );
    assert!(made.status.success(), "{made:?}");
    stdout(&made)
}

#[test]
fn problems_are_deterministic_and_their_scores_are_confirmed_by_fail_soft() {
    for (game, empties) in [
        ("othello", "8"),
        ("othello6", "9"),
        ("othello4", "6"),
        ("diamond", "9"),
    ] {
        let made = problems(game, empties, "6");
        assert_eq!(made.lines().count(), 6);
        assert_eq!(made, problems(game, empties, "6"));
        for algorithm in ["Algorithm=auto", "Algorithm=failsoft"] {
            let words = [
                "solve",
                "-",
                "--json",
                "--all-moves",
                "--game",
                game,
                "--option",
                algorithm,
            ];
            let solved = nullwindow(&words, &made);
            let rows = rows(&solved);
            assert!(solved.status.success(), "{game} {algorithm}: {solved:?}");
            assert_eq!(rows.len(), 7);
            for (row, n) in rows[..6].iter().zip(1..) {
                assert_eq!(
                    (row["n"].as_u64(), row["ok"].as_bool()),
                    (Some(n), Some(true)),
                    "{row}"
                );
                assert_eq!(row["empties"].to_string(), empties);
                assert_eq!(row["selectivity"], 100);
                assert!(
                    row["pv"]
                        .as_str()
                        .unwrap()
                        .starts_with(row["best"].as_str().unwrap())
                );
            }
            assert_eq!((&rows[6]["positions"], rows[6].get("n")), (&6.into(), None));
        }
    }
}

#[test]
fn unique_best_moves_are_better_than_the_second() {
    let words = [
        "problems",
        "--empties",
        "7",
        "--count",
        "8",
        "--seed",
        "2",
        "--unique-best",
    ];
    for line in stdout(&nullwindow(&words, "")).lines() {
        let scores: Vec<i32> = line
            .split(';')
            .filter_map(|part| part.split_once(':'))
            .map(|(_, score)| score.parse().unwrap())
            .collect();
        assert!(scores[0] > scores[1], "{line}");
    }
}

#[test]
fn the_best_moves_are_those_of_a_search_of_all_moves() {
    let made = problems("othello", "12", "20");
    let lines = |words: &[&str]| -> Vec<String> {
        let solved = nullwindow(&[&["solve", "-", "--obf"], words].concat(), &made);
        assert!(solved.status.success(), "{solved:?}");
        stdout(&solved).lines().map(str::to_owned).collect()
    };
    let (all, best) = (
        lines(&["--all-moves"]),
        lines(&["--best-moves", "--threads", "2"]),
    );
    assert_eq!(
        all[..20],
        *made.lines().collect::<Vec<_>>(),
        "the problems were made with the scores of all moves"
    );
    assert!(
        best[20].starts_with("% total: 20 positions, 0 wrong, 0 invalid; "),
        "{}",
        best[20]
    );
    let mut several = 0;
    for (all, best) in all[..20].iter().zip(&best) {
        let fields: Vec<&str> = all
            .split("; ")
            .map(|field| field.trim_end_matches(';'))
            .collect();
        let score = |field: &str| field.split(':').nth(1).unwrap().parse::<i32>().unwrap();
        let expected: Vec<&str> = fields[1..]
            .iter()
            .copied()
            .filter(|m| score(m) == score(fields[1]))
            .collect();
        let mut found: Vec<&str> = best
            .split("; ")
            .map(|field| field.trim_end_matches(';'))
            .skip(1)
            .collect();
        found.sort_unstable_by_key(|m| expected.iter().position(|other| other == m));
        assert_eq!(found, expected, "{all}");
        several += usize::from(found.len() > 1);
    }
    assert!(
        several > 0,
        "a position with several best moves is among them"
    );
    for wrong in [
        &["--best-moves", "--all-moves"][..],
        &["--best-moves", "--wld"],
        &["--obf", "--wld"],
        &["--obf", "--json"],
    ] {
        assert_eq!(
            nullwindow(&[&["solve", "-"], wrong].concat(), &made)
                .status
                .code(),
            Some(2),
            "{wrong:?}"
        );
    }
    // In a finished game there is none.
    let over = format!("{} X;", "X".repeat(64));
    let solved = nullwindow(&["solve", "-", "--obf", "--best-moves"], &over);
    assert!(
        stdout(&solved).starts_with(&format!("{over} score:+64;\n% total: 1 position")),
        "{solved:?}"
    );
    for flag in ["--best-moves", "--obf"] {
        let refused = nullwindow(&["solve", "--game", "scorefour", "-", flag], "");
        assert!(
            String::from_utf8_lossy(&refused.stderr).contains("applies to Reversi only"),
            "{refused:?}"
        );
    }
}

#[test]
fn a_selective_solve_reports_its_level_and_a_score_near_the_exact_one() {
    let made = problems("othello", "16", "40");
    let exact = rows(&nullwindow(&["solve", "-", "--json"], &made));
    let folder = Folder::new("selective");
    let file = &folder.path("record.jsonl");
    let words = [
        "solve",
        "-",
        "--json",
        "--best-moves",
        "--selectivity",
        "73",
        "--resume",
        file,
    ];
    let selective = rows(&nullwindow(&words, &made));
    assert!(
        selective[..40]
            .iter()
            .all(|row| row["selectivity"] == 73 && row["moves"].as_array().is_some())
    );
    let nodes = |rows: &[serde_json::Value]| {
        rows[..40]
            .iter()
            .map(|row| row["nodes"].as_u64().unwrap())
            .sum::<u64>()
    };
    assert!(nodes(&selective) < nodes(&exact));
    let equal = exact[..40]
        .iter()
        .zip(&selective)
        .filter(|(exact, found)| exact["score"] == found["score"])
        .count();
    assert!((20..40).contains(&equal), "{equal} of 40 at 73 %");
    // The journal distinguishes levels from each other and from exact results.
    let again = rows(&nullwindow(&words, &made));
    let text = stdout(&nullwindow(
        &["solve", "-", "--obf", "--selectivity", "73", "--only", "1"],
        &made,
    ));
    assert!(
        text.contains("% total: 1 position at selectivity 73 %, "),
        "an OBF file says that it is not exact: {text}"
    );
    let exactly = rows(&nullwindow(
        &[
            "solve",
            "-",
            "--json",
            "--best-moves",
            "--only",
            "1",
            "--resume",
            file,
        ],
        &made,
    ));
    std::fs::remove_file(file).unwrap();
    assert_eq!(again[..40], selective[..40]);
    assert_eq!(exactly[0]["selectivity"], 100);
    for (words, error) in [
        (
            &["--selectivity", "100"][..],
            "expected one of 50, 73, 87, 95, 98, 99",
        ),
        (&["--selectivity", "95", "--wld"], "cannot be used with"),
        (
            &["--selectivity", "95", "--game", "scorefour"],
            "--selectivity applies to othello and othello6 only",
        ),
        (
            &["--selectivity", "95", "--game", "othello4"],
            "--selectivity applies to othello and othello6 only",
        ),
        (
            &["--selectivity", "95", "--option", "Algorithm=mtdf"],
            "--selectivity has no effect with option Algorithm=mtdf",
        ),
    ] {
        let refused = nullwindow(&[&["solve", "-"], words].concat(), "");
        assert_eq!(refused.status.code(), Some(2), "{words:?}");
        assert!(
            String::from_utf8_lossy(&refused.stderr).contains(error),
            "{refused:?}"
        );
    }
}

#[test]
fn win_loss_draw_agrees_with_the_exact_score() {
    let made = problems("othello", "9", "10");
    let exact = rows(&nullwindow(&["solve", "-", "--json"], &made));
    let wld = rows(&nullwindow(&["solve", "-", "--json", "--wld"], &made));
    for (exact, wld) in exact[..10].iter().zip(&wld) {
        assert_eq!(
            exact["score"].as_i64().unwrap().signum(),
            wld["score"].as_i64().unwrap()
        );
        assert_eq!((&wld["wld"], &wld["ok"]), (&true.into(), &true.into()));
    }
    let both = nullwindow(&["solve", "-", "--wld", "--all-moves"], &made);
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn wrong_scores_and_invalid_lines_are_reported_and_the_others_are_solved() {
    let made = problems("othello", "6", "3");
    let lines: Vec<&str> = made.lines().collect();
    let board = lines[1].split(';').next().unwrap();
    let input = format!(
        "# a comment\n\n{}\nrubbish\n{board}; score:+63;\n{}\n",
        lines[0], lines[2]
    );
    let solved = nullwindow(&["solve", "-"], &input);
    let (text, errors) = (
        stdout(&solved),
        String::from_utf8_lossy(&solved.stderr).into_owned(),
    );
    assert_eq!(solved.status.code(), Some(1));
    assert!(
        errors.contains("line 4: cannot read \"rubbish\" as a position or a game"),
        "{errors}"
    );
    assert!(text.contains("WRONG: expected +63\n"), "{text}");
    assert!(
        text.contains("total: 3 positions, 1 wrong, 1 invalid"),
        "{text}"
    );
    // `--only` takes line numbers of the file.
    let only = rows(&nullwindow(
        &["solve", "-", "--json", "--only", "5-6"],
        &input,
    ));
    assert_eq!(
        only.iter()
            .filter_map(|row| row["n"].as_u64())
            .collect::<Vec<_>>(),
        [5, 6]
    );
    assert_eq!(only[1]["ok"], true);
}

#[test]
fn any_number_of_threads_finds_the_same_scores() {
    let made = problems("othello", "13", "5");
    let rows_of = |threads: &str, more: &[&str], input: &str| {
        let solved = nullwindow(
            &[
                &["solve", "-", "--json", "--hash", "16", "--threads", threads],
                more,
            ]
            .concat(),
            input,
        );
        assert!(solved.status.success(), "{threads}: {solved:?}");
        rows(&solved)
    };
    let nodes = |rows: &[serde_json::Value]| -> Vec<u64> {
        rows.iter()
            .map(|row| row["nodes"].as_u64().unwrap())
            .collect()
    };
    let alone = rows_of("1", &[], &made);
    assert_eq!(
        nodes(&alone),
        nodes(&rows_of("1", &[], &made)),
        "one thread visits the same nodes every time"
    );
    let first = made.lines().next().unwrap();
    for threads in ["2", "8"] {
        for (more, input) in [
            (&[][..], &made[..]),
            (&["--all-moves"], &made),
            (&[], first),
            (&["--wld"], first),
        ] {
            let together = rows_of(threads, more, input);
            assert_eq!(together.len(), input.lines().count() + 1);
            let total = together.last().unwrap();
            for (row, alone) in together[..together.len() - 1].iter().zip(&alone) {
                assert_eq!(
                    (&row["n"], &row["ok"]),
                    (&alone["n"], &true.into()),
                    "{threads}: {row}"
                );
                let fields = |row: &serde_json::Value| {
                    row.as_object().unwrap().keys().cloned().collect::<Vec<_>>()
                };
                assert!(!more.is_empty() || fields(row) == fields(alone), "{row}");
            }
            let sum: u64 = nodes(&together[..together.len() - 1]).iter().sum();
            assert_eq!(total["nodes"].as_u64(), Some(sum));
        }
    }
    // The option is the default, and counts helpers, too.
    let by_option = nullwindow(&["solve", "-", "--json", "--option", "Threads=8"], first);
    assert_eq!(rows(&by_option)[0]["score"], alone[0]["score"]);
}

#[test]
fn cpu_time_and_its_limit_are_those_of_all_threads() {
    // Far too hard for the limit.
    let words = [
        "solve",
        "--game",
        "othello6",
        "--json",
        "--threads",
        "4",
        "--limit-seconds",
        "0.4",
    ];
    let row = &rows(&nullwindow(&words, ""))[0];
    let cpu = row["cpu"].as_f64().unwrap();
    assert_eq!(
        (&row["score"], &row["limit"]),
        (&serde_json::Value::Null, &0.4.into())
    );
    assert!((0.4..3.0).contains(&cpu), "{row}");
    assert!(row["nodes"].as_u64().unwrap() > 10_000, "{row}");
}

#[test]
fn recorded_positions_are_not_solved_again() {
    let made = problems("othello", "7", "4");
    let folder = Folder::new("solve");
    let record = &folder.path("record.jsonl");
    let first = rows(&nullwindow(
        &["solve", "-", "--json", "--only", "1-2", "--resume", record],
        &made,
    ));
    // A truncated line, as after a kill, is ignored.
    std::fs::OpenOptions::new()
        .append(true)
        .open(record)
        .unwrap()
        .write_all(b"{\"task\":\"oth")
        .unwrap();
    let all = rows(&nullwindow(
        &["solve", "-", "--json", "--resume", record],
        &made,
    ));
    let again = rows(&nullwindow(
        &["solve", "-", "--json", "--resume", record],
        &made,
    ));
    assert_eq!(
        first[..2],
        all[..2],
        "times, too: they were not solved again"
    );
    assert_eq!(all[..4], again[..4]);
    assert_eq!(again[4]["positions"], 4);
}

/// Other options of the engine can change the score of a selective search.
#[test]
fn a_record_keeps_selective_results_of_other_options_apart() {
    let made = problems("othello", "12", "2");
    let folder = crate::common::Folder::new("solve-options");
    let record = folder.path("record");
    let solve = |more: &[&str]| {
        let words = ["solve", "-", "--json", "--resume", &record];
        nullwindow(&[&words[..], more].concat(), &made)
    };
    let lines = || std::fs::read_to_string(&record).unwrap().lines().count();
    let selective = ["--selectivity", "50"];
    for (options, expected) in [
        (&[][..], 2),
        (&["--option", "Table=false"], 4),
        (&["--option", "Table=false"], 4),
        (&["--option", "Threads=2"], 4),
    ] {
        let output = solve(&[&selective[..], options].concat());
        assert_eq!(lines(), expected, "{options:?} {output:?}");
    }
    let report = nullwindow(&["solve", "--report", &record], "");
    let error = String::from_utf8_lossy(&report.stderr);
    assert!(
        error.contains("several questions or files: position 1 has two"),
        "{error}"
    );
}

/// A refuted claim proves the opposite bound.
#[test]
fn the_report_counts_only_what_claims_decide() {
    let made = problems("othello", "7", "8");
    let folder = crate::common::Folder::new("solve-claims");
    let report = |question: &[&str]| {
        let record = folder.path("record");
        let _ = std::fs::remove_file(&record);
        let words = ["solve", "-", "--json", "--resume", &record];
        nullwindow(&[&words[..], question].concat(), &made);
        let output = nullwindow(&["solve", "--report", &record, "--json"], "");
        let row: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        ["wins", "draws", "losses"].map(|count| row[count].as_u64().unwrap())
    };
    let exact = report(&[]);
    assert!(exact[0] > 0 && exact[2] > 0, "{exact:?}");
    assert_eq!(report(&["--at-least", "1"]), [exact[0], 0, 0]);
    assert_eq!(report(&["--at-most", "-1"]), [0, 0, exact[2]]);
}

#[test]
fn an_unsolved_claim_is_printed_as_unknown() {
    let words = [
        "problems",
        "--empties",
        "26",
        "--count",
        "1",
        "--seed",
        "5",
        "--unsolved",
    ];
    let made = stdout(&nullwindow(&words, ""));
    let words = ["solve", "-", "--at-least", "2", "--limit-seconds", "0.01"];
    let text = stdout(&nullwindow(&words, &made));
    assert!(
        text.contains(">= 2 unknown  unsolved after 0.01 s"),
        "{text}"
    );
}

#[test]
fn a_problem_has_two_moves_or_more() {
    for (game, option, number, range) in [
        ("othello", "--empties", "1", "2 to 59"),
        ("othello", "--empties", "61", "2 to 59"),
        ("othello4", "--empties", "1", "2 to 11"),
        ("tictactoe", "--stones", "8", "0 to 7"),
        ("scorefour", "--stones", "64", "0 to 62"),
    ] {
        let output = nullwindow(&["problems", "--game", game, option, number], "");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(2)
                && error.contains(&format!("expected {range} for {game}")),
            "{error}"
        );
    }
}

#[test]
fn a_problem_without_stones_is_the_start() {
    let words = [
        "problems",
        "--game",
        "tictactoe",
        "--stones",
        "0",
        "--count",
        "1",
    ];
    for unsolved in [None, Some("--unsolved")] {
        let words: Vec<&str> = words.into_iter().chain(unsolved).collect();
        let made = stdout(&nullwindow(&words, ""));
        assert!(made.starts_with("startpos"), "{made}");
        let solved = rows(&nullwindow(
            &["solve", "-", "--json", "--game", "tictactoe"],
            &made,
        ));
        assert_eq!(
            (&solved[0]["score"], &solved[0]["stones"]),
            (&0.into(), &0.into())
        );
    }
}

#[test]
fn positions_may_be_lists_of_moves() {
    let best = |row: &serde_json::Value| (row["score"].clone(), row["empties"].clone());
    let start = rows(&nullwindow(
        &["solve", "--json", "--game", "othello4", "--start"],
        "",
    ));
    let of = |text: &str| {
        let output = nullwindow(
            &["solve", "--json", "--game", "othello4", "--position", text],
            "",
        );
        assert!(output.status.success(), "{text}: {output:?}");
        best(&rows(&output)[0])
    };
    assert_eq!(of("startpos"), best(&start[0]));
    let after = of("startpos moves b1 a1");
    assert_eq!(after.1, 10);
    for text in [
        "b1a1",
        "moves b1 a1",
        "position startpos moves b1a1",
        "1. b1 a1",
    ] {
        assert_eq!(of(text), after, "{text}");
    }
    // Also in a file, followed by scores.
    let file = format!("b1a1 ; score:{}\nstartpos moves b1 a1\n", after.0);
    let from_file = rows(&nullwindow(
        &["solve", "-", "--json", "--game", "othello4"],
        &file,
    ));
    assert_eq!(
        (best(&from_file[0]), &from_file[0]["ok"]),
        (after.clone(), &true.into())
    );
    assert_eq!(
        (best(&from_file[1]), &from_file[1]["ok"]),
        (after, &serde_json::Value::Null)
    );
    let wrong = nullwindow(&["solve", "--game", "othello4", "--position", "b1 b1"], "");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&wrong.stderr).contains("illegal move \"b1\" at ply 2"),
        "{wrong:?}"
    );
}

#[test]
fn an_interrupted_run_prints_its_progress_and_totals() {
    if cfg!(not(unix)) {
        return crate::common::skip("this system has no signals");
    }
    // No search solves Othello from its start in the time of a test.
    let words = [
        "solve",
        "--start",
        "--json",
        "--hash",
        "16",
        "--threads",
        "2",
    ];
    let mut child = command()
        .args(words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // After two seconds it prints its task and progress.
    let mut stderr = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut errors = String::new();
    while !errors.contains("\n0 of 1 positions done after ") {
        assert!(stderr.read_line(&mut errors).unwrap() > 0, "{errors}");
    }
    signal(&child, "INT");
    stderr.read_to_string(&mut errors).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let begins = "solving 1 position of othello for the exact score: 2 threads, 16 MiB hash\n";
    assert!(
        errors.contains(begins) && errors.ends_with(" nodes\ninterrupted\n"),
        "{errors}"
    );
    let total = &rows(&output)[0];
    assert!(
        total["nodes"].as_u64().unwrap() > 1_000 && total["positions"] == 0,
        "{total}"
    );
    assert!(total["ok"] == false && total["interrupted"] == 1, "{total}");
}

#[test]
fn the_progress_counts_the_results_of_valid_lines() {
    let start = "8/8/8/3ox3/3xo3/8/8/8 x";
    for (input, announced, progress) in [
        (
            format!("no position\n{start}\n{start}; >= 2; <= 4;\n"),
            "solving 2 positions of othello for the exact score and 2 claims: ",
            "\n0 of 3 results done after ",
        ),
        (
            format!("{start}; >= 2;\n"),
            "solving 1 position of othello for 1 claim: ",
            "\n0 of 1 claims done after ",
        ),
    ] {
        let mut child = command()
            .args(["solve", "-", "--hash", "1"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut stdin, input.as_bytes()).unwrap();
        drop(stdin);
        let mut stderr = std::io::BufReader::new(child.stderr.take().unwrap());
        let mut errors = String::new();
        while !errors.contains(" done after ") {
            assert!(stderr.read_line(&mut errors).unwrap() > 0, "{errors}");
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(
            errors.contains(announced) && errors.contains(progress),
            "{errors}"
        );
    }
}

#[test]
fn a_long_game_is_solved_from_its_start_only_on_request() {
    for game in ["othello", "scorefour"] {
        let refused = nullwindow(&["solve", "--game", game], "");
        assert_eq!(
            (refused.status.code(), stdout(&refused).as_str()),
            (Some(2), "")
        );
        let error = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(
            error.contains("give a FILE") && error.contains(game),
            "{error}"
        );
        let limited = nullwindow(
            &[
                "solve",
                "--game",
                game,
                "--start",
                "--limit-seconds",
                "0.01",
            ],
            "",
        );
        assert!(
            stdout(&limited).contains("unsolved after 0.01 s"),
            "{limited:?}"
        );
    }
}

#[test]
fn without_a_file_the_start_of_a_short_game_is_solved() {
    let row = &rows(&nullwindow(&["solve", "--game", "othello4", "--json"], ""))[0];
    assert_eq!((&row["score"], &row["empties"]), (&(-8).into(), &12.into()));
    let row = &rows(&nullwindow(&["solve", "--game", "tictactoe", "--json"], ""))[0];
    assert_eq!(row["score"], 0);
    for wrong in [
        &["solve", "/nowhere.obf"][..],
        &["solve", "--only", "0"],
        &["problems", "--empties", "60"],
    ] {
        assert_eq!(nullwindow(wrong, "").status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn several_positions_on_one_line_have_no_proof() {
    let folder = Folder::new("shared-proof");
    let discs = "-XXXXXX-XXXOOXX-XXOOXXXXXOXOXXXXXOXXOXXXXOOOXXXX--OOXXXX-OOOOOO-";
    let entry = |side| format!("{{\"position\":\"{discs} {side}\"}}");
    let array = |separator: &str| format!("[{}]\n", [entry('X'), entry('O')].join(separator));
    let proofs = folder.path("proofs");
    let words = ["solve", "-", "--proof", &proofs];
    let output = nullwindow(&words, &array(","));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(2) && errors.contains("line 1 has several positions"),
        "{errors}"
    );
    assert!(!std::path::Path::new(&proofs).exists());
    let output = nullwindow(&words, &array(",\n"));
    assert!(output.status.success(), "{output:?}");
    assert_eq!(std::fs::read_dir(&proofs).unwrap().count(), 2);
}

#[test]
fn what_the_file_states_wrongly_is_named() {
    let board = "--XXXX-XX-OOX-XXXOOOXXXXXOXXOXOXXOOOXOOXXOXOOOOOXOOOOOOOXOOXXXX- X";
    for (words, problem, wrong) in [
        (
            "--game tictactoe --distance",
            "b2 a1 a2 c3 ; win ; 3",
            "3 plies",
        ),
        (
            "--game tictactoe --distance",
            "b2 a1 a2 c3 ; loss ; 3",
            "-1",
        ),
        (
            "--all-moves",
            &format!("{board}; h8:+22; b2:-18;"),
            "b2 -18",
        ),
        (
            "--all-moves",
            &format!("{board}; h8:+20; b2:-18;"),
            "+20, h8 +20, b2 -18",
        ),
    ] {
        let words: Vec<&str> = ["solve", "-"].into_iter().chain(words.split(' ')).collect();
        let solved = nullwindow(&words, problem);
        assert_eq!(solved.status.code(), Some(1), "{problem}");
        let text = stdout(&solved);
        assert!(
            text.contains(&format!("WRONG: expected {wrong}")),
            "{wrong}: {text}"
        );
        let solved = nullwindow(&[&words[..], &["--json"]].concat(), problem);
        let row = &rows(&solved)[0];
        assert_eq!(row["ok"], false, "{row}");
        let named: Vec<&str> = row["wrong"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|text| text.as_str())
            .collect();
        assert!(named.join(", ").starts_with(wrong), "{row}");
    }
}

#[test]
fn statements_that_are_not_checked_are_noted() {
    let solve = |game: &str, text: &str, option: &str| {
        let mut words = vec!["solve", "--game", game, "-"];
        words.extend(Some(option).filter(|option| !option.is_empty()));
        let output = nullwindow(&words, text);
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    for (game, text, option, note) in [
        (
            "tictactoe",
            "b2 a2; win; 3\n",
            "--distance",
            "note: stated plies are checked with --distance only\n",
        ),
        (
            "othello4",
            "startpos moves b1 a1; a2:+1\n",
            "--all-moves",
            "note: stated scores of moves are checked with --all-moves only\n",
        ),
    ] {
        let (unchecked, checked) = (solve(game, text, ""), solve(game, text, option));
        assert!(unchecked.1.contains(note), "{unchecked:?}");
        assert!(
            checked.0 == Some(1) && !checked.1.contains("note: "),
            "{checked:?}"
        );
    }
    // Its problems state scores of moves, but it has no option to check them.
    let mut bench = command()
        .args(["bench", "endgame"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let errors = BufReader::new(bench.stderr.take().unwrap());
    let first = errors.lines().next().unwrap().unwrap();
    bench.kill().unwrap();
    bench.wait().unwrap();
    assert!(first.starts_with("solving 12 positions "), "{first}");
}
