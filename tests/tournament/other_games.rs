//! Matches at a game that this crate lacks: Ataxx, by the engine in `ataxx.py`, judged by queries and
//! checked here by plain rules.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::process::{Command, Output};
use std::sync::LazyLock;

use serde_json::Value;

use super::{Scratch, run, runner, text};
use crate::common::skip;

/// The engine with a fault (see `ataxx.py`); `None` without Python.
fn ataxx(fault: &str) -> Option<String> {
    let Some(python) = &*PYTHON else {
        assert!(std::env::var_os("CI").is_none(), "CI needs python3");
        skip("no python3");
        return None;
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tournament/ataxx.py");
    Some(format!("cmd='{python}' '{script}' {fault}"))
}

/// The program that `python3` starts, which may be a slow script that chooses a version.
static PYTHON: LazyLock<Option<String>> = LazyLock::new(|| {
    let words = ["-c", "import sys; print(sys.executable)"];
    let output = Command::new("python3").args(words).output().ok()?;
    let printed = || text(&output.stdout).trim_end().to_owned();
    output.status.success().then(printed)
});

/// The arguments of a match between engine A, with a fault, and engine B, which errs.
fn arguments(scratch: &Scratch, fault: &str, more: &str) -> Option<Vec<String>> {
    let mut words = vec!["--game".into(), "ataxx".into(), "--engine".into()];
    words.extend([
        ataxx(fault)?,
        "name=A".into(),
        "--engine".into(),
        ataxx("")?,
    ]);
    let rest = format!(
        "name=B option.Random=40 --each st=5 nodes=8 --rounds 1 --stall-timeout 2 --out {} {more}",
        scratch.0.display()
    );
    words.extend(rest.split_whitespace().map(String::from));
    Some(words)
}

#[track_caller]
fn assert_status(output: &Output, status: i32) {
    let shown = format!("{}\n{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(status), "{shown}");
}

/// Ataxx by plain rules, on rows from the bottom.
struct Plain {
    cells: [[char; 7]; 7],
    quiet: u32,
}

impl Plain {
    fn new() -> Plain {
        let mut cells = [['.'; 7]; 7];
        (cells[0][0], cells[6][6]) = ('o', 'o');
        (cells[0][6], cells[6][0]) = ('x', 'x');
        Plain { cells, quiet: 0 }
    }

    /// Whether a stone of a side is at this distance of a cell, and how many there are.
    fn has_stone(&self, side: char, [row, column]: [usize; 2], distance: usize) -> bool {
        (0..7).any(|r| {
            (0..7).any(|c| {
                self.cells[r][c] == side && r.abs_diff(row).max(c.abs_diff(column)) == distance
            })
        })
    }

    fn count(&self, side: char) -> usize {
        self.cells
            .iter()
            .flatten()
            .filter(|&&cell| cell == side)
            .count()
    }

    fn play(&mut self, side: char, word: &str) {
        self.quiet += 1;
        let cells: Vec<[usize; 2]> = word
            .as_bytes()
            .chunks(2)
            .map(|pair| {
                [
                    usize::from(pair[1].wrapping_sub(b'1')),
                    usize::from(pair[0].wrapping_sub(b'a')),
                ]
            })
            .collect();
        let to = match *cells.as_slice() {
            _ if word == "0000" => {
                for row in 0..7 {
                    for column in 0..7 {
                        let reached = (1..=2).any(|far| self.has_stone(side, [row, column], far));
                        assert!(
                            self.cells[row][column] != '.' || !reached,
                            "a pass with moves"
                        );
                    }
                }
                return;
            }
            [to] => {
                assert!(self.has_stone(side, to, 1), "{word} is not beside a stone");
                self.quiet = 0;
                to
            }
            [from, to] => {
                let far = from[0].abs_diff(to[0]).max(from[1].abs_diff(to[1]));
                assert_eq!((self.cells[from[0]][from[1]], far), (side, 2), "{word}");
                self.cells[from[0]][from[1]] = '.';
                to
            }
            _ => panic!("{word}"),
        };
        assert_eq!(self.cells[to[0]][to[1]], '.', "{word} is occupied");
        for (r, row) in self.cells.iter_mut().enumerate() {
            for (c, cell) in row.iter_mut().enumerate() {
                let far = r.abs_diff(to[0]).max(c.abs_diff(to[1]));
                if far == 0 || far == 1 && *cell != '.' {
                    *cell = side;
                }
            }
        }
    }

    fn result(&self) -> Option<&'static str> {
        let (first, second) = (self.count('x'), self.count('o'));
        if self.quiet >= 100 {
            return Some("draw");
        }
        (first == 0 || second == 0 || first + second == 49).then_some(match first.cmp(&second) {
            std::cmp::Ordering::Less => "p2win",
            std::cmp::Ordering::Equal => "draw",
            std::cmp::Ordering::Greater => "p1win",
        })
    }
}

/// Checks the moves, the sides, the end and the result of a game.
#[track_caller]
fn check(game: &Value) {
    let mut board = Plain::new();
    for (ply, played) in game["moves"].as_array().unwrap().iter().enumerate() {
        assert_eq!(board.result(), None, "{game}");
        assert_eq!(played["by"], ["p1", "p2"][ply % 2], "{game}");
        board.play(['x', 'o'][ply % 2], played["move"].as_str().unwrap());
    }
    assert_eq!(game["reason"], "normal", "{game}");
    assert_eq!(board.result(), game["result"].as_str(), "{game}");
}

#[test]
fn a_hundred_games_obey_the_plain_rules() {
    let scratch = Scratch::new("ataxx");
    let (pgn, openings) = (
        scratch.0.with_extension("pgn"),
        scratch.0.with_extension("txt"),
    );
    // Both forms of a line; the positions differ in the second move.
    let squares = ["f1", "g2", "e1", "e3", "b7"];
    let replies = ["f6", "f7", "g6", "e7", "e6", "e5", "f5", "g5", "b1", "b2"];
    let mut lines = "# two plies\n\n".to_owned();
    for (index, first) in squares.iter().enumerate() {
        for (number, second) in replies.iter().enumerate() {
            let from = |to: &str, near: &[&str], corner: &str| match near.contains(&to) {
                true => to.to_owned(),
                false => format!("{corner}{to}"),
            };
            let first = from(first, &["f1", "f2", "g2", "b7", "b6"], "g1");
            let second = from(second, &["f6", "f7", "g6", "b1", "b2"], "g7");
            let start = match (index + number) % 2 {
                0 => "startpos",
                _ => "fen x5o/7/7/7/7/7/o5x x 0 1",
            };
            writeln!(lines, "{start} moves {first} {second}").unwrap();
        }
    }
    std::fs::write(&openings, lines).unwrap();
    let more = format!(
        "--rounds 50 --concurrency 2 --strict --openings file={} --pgnout file={}",
        openings.display(),
        pgn.display()
    );
    let Some(mut words) = arguments(&scratch, "", &more) else {
        return;
    };
    let first = words.iter().position(|word| word == "--rounds").unwrap();
    words.drain(first..first + 2);
    let output = run(&scratch, &words);
    assert_status(&output, 0);
    let games = scratch.games();
    assert_eq!(games.len(), 100);
    let (mut points, mut scored) = (BTreeMap::new(), BTreeSet::new());
    for game in &games {
        check(game);
        assert_eq!(game["referee"], "players");
        for played in game["moves"].as_array().unwrap() {
            if played["score"]["cp"].is_i64() {
                scored.insert(game[played["by"].as_str().unwrap()].as_str().unwrap());
            }
        }
        let winner = match game["result"].as_str() {
            Some("p1win") => &game["p1"],
            Some("p2win") => &game["p2"],
            _ => continue,
        };
        *points.entry(winner.as_str().unwrap()).or_insert(0) += 1;
    }
    assert_eq!(scored, BTreeSet::from(["A", "B"]));
    assert!(points["A"] > 60, "the weaker setting is weaker: {points:?}");
    let written = std::fs::read_to_string(&pgn).unwrap();
    assert_eq!(
        written
            .matches("[Variant \"ataxx\"]\n[FirstPlayer \"White\"]")
            .count(),
        100
    );
    assert_eq!(written.matches("[SetUp \"1\"]\n[FEN \"x5o/7").count(), 50);
    let folder = scratch.0.to_str().unwrap();
    let mode = |words: &[&str]| run(&scratch, &words.map_strings());
    assert_status(&mode(&["--report", folder]), 0);
    let page = std::fs::read_to_string(scratch.0.join("report.html")).unwrap();
    assert!(page.contains("\"board\":null") && page.contains("g1e3") || page.contains("g1g3"));
    // The engine's moves depend on the game alone.
    for ply in ["3:3", "3:14"] {
        let replayed = mode(&["--replay", folder, ply]);
        assert!(
            text(&replayed.stdout).contains("identical"),
            "{}",
            text(&replayed.stderr)
        );
        assert_status(&replayed, 0);
    }
    let refused = mode(&["--replay", folder, "3:1"]);
    assert!(text(&refused.stderr).contains("opening move"));
    // A lost end of the record is played again, and the rest is checked.
    let file = scratch.0.join("games.jsonl");
    let lines = std::fs::read_to_string(&file).unwrap();
    let kept: Vec<&str> = lines.lines().take(197).collect();
    std::fs::write(&file, kept.join("\n") + "\n").unwrap();
    std::fs::remove_file(scratch.0.join("history.jsonl")).unwrap();
    assert_status(&mode(&["--resume", folder]), 0);
    let again = scratch.games();
    let result = |game: &Value| (game["game"].as_u64(), game["result"].to_string());
    let sorted = |games: &[Value]| {
        let mut all: Vec<_> = games.iter().map(result).collect();
        all.sort();
        all
    };
    assert_eq!(sorted(&again), sorted(&games));
    let forged = lines.replacen("\"by\":\"p1\",", "", 1);
    std::fs::write(&file, forged).unwrap();
    let refused = mode(&["--resume", folder]);
    assert_status(&refused, 2);
    assert!(text(&refused.stderr).contains("the side to move is missing"));
}

/// Owned copies of words.
trait MapStrings {
    fn map_strings(&self) -> Vec<String>;
}

impl MapStrings for [&str] {
    fn map_strings(&self) -> Vec<String> {
        self.iter().map(|&word| word.into()).collect()
    }
}

#[test]
fn players_that_judge_lose_by_faults_and_disagreements_have_no_result() {
    for (fault, reason, detail) in [
        (
            "lie-gameover",
            "disagreement",
            "query gameover: A answered \"true\", B answered \"false\", in startpos moves ",
        ),
        (
            "lie-p1turn",
            "disagreement",
            "query p1turn: A answered \"false\", B answered \"true\", in startpos moves ",
        ),
        ("lie-islegal", "disagreement", "query islegal "),
        ("lie-result", "disagreement", "query result: A answered \"p"),
        ("hang", "stall", "query gameover"),
        ("crash", "crash", "exit status: 3"),
        (
            "silent",
            "wrong-query",
            "query gameover answered \"nothing\", expected true or false, in startpos moves ",
        ),
        ("perhaps", "wrong-query", "answered \"perhaps\""),
        ("illegal", "illegal-move", "\"a1a1\" in startpos moves "),
        ("bell", "illegal-move", "\\u0007"),
    ] {
        let scratch = Scratch::new(&format!("ataxx-{fault}"));
        let Some(words) = arguments(&scratch, fault, "--json") else {
            return;
        };
        let output = run(&scratch, &words);
        assert_status(&output, 0);
        let games = scratch.games();
        assert_eq!(games.len(), 2, "{fault}");
        let is_lost = reason != "disagreement";
        for (game, side) in games.iter().zip(["p1", "p2"]) {
            assert_eq!(game["reason"], reason, "{game}");
            assert!(
                game["detail"].as_str().unwrap().contains(detail) || side == "p2",
                "{game}"
            );
            let loser = is_lost.then_some(side);
            assert_eq!(game["fault_by"].as_str(), loser, "{game}");
            let result = loser.map(|side| if side == "p1" { "p2win" } else { "p1win" });
            assert_eq!(game["result"].as_str(), result, "{game}");
            assert!(scratch.0.join(game["log"].as_str().unwrap()).exists());
        }
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        let engines = &summary["engines"];
        assert_eq!(engines[0]["faults"][reason], 2, "{summary}");
        assert_eq!(engines[1]["faults"][reason].is_null(), is_lost, "{summary}");
        assert_eq!(engines[1]["wins"], if is_lost { 2 } else { 0 }, "{summary}");
        assert_eq!(summary["clean"], false, "--strict fails");
        let folder = scratch.0.to_str().unwrap();
        assert_status(
            &run(&scratch, &["--resume", folder, "--strict"].map_strings()),
            1,
        );
        assert_status(&run(&scratch, &["--report", folder].map_strings()), 0);
    }
}

#[test]
fn a_player_that_fails_after_the_end_leaves_the_result_of_the_game() {
    for third in [false, true] {
        let results = |fault: &str| {
            let scratch = Scratch::new(&format!("ataxx-end-{fault}-{third}"));
            let mut words = arguments(&scratch, fault, "--seed 5")?;
            if third {
                words.extend(["--referee".into(), ataxx("")?, "name=judge".into()]);
            }
            assert_status(&run(&scratch, &words), 0);
            let folder = scratch.0.to_str().unwrap();
            assert_status(&run(&scratch, &["--report", folder].map_strings()), 0);
            let field = |game: &Value, name: &str| game[name].as_str().unwrap_or("-").to_owned();
            let mut games = scratch.games();
            let ends = games.clone().into_iter();
            // A search cannot fail after the end.
            let winner = games[0]["result"].as_str().unwrap().replace("win", "");
            games[0]["reason"] = "illegal-move".into();
            games[0]["fault_by"] = winner.into();
            let lines: Vec<String> = games.iter().map(Value::to_string).collect();
            fs::write(scratch.0.join("games.jsonl"), lines.join("\n") + "\n").unwrap();
            let forged = run(&scratch, &["--report", folder].map_strings());
            assert_status(&forged, 2);
            let error = text(&forged.stderr);
            assert!(error.contains("by its moves and its reason"), "{error}");
            let ends = ends.map(|game| ["reason", "fault_by", "result"].map(|n| field(&game, n)));
            Some(ends.collect::<Vec<_>>())
        };
        let (Some(right), Some(failed)) = (results(""), results("crash-result")) else {
            return;
        };
        assert_eq!((right.len(), failed.len()), (2, 2));
        for (number, (right, failed)) in right.iter().zip(&failed).enumerate() {
            assert_eq!(right[..2], ["normal", "-"]);
            assert_eq!(failed[..2], ["crash", ["p1", "p2"][number]]);
            assert_eq!(failed[2], right[2], "the moves decide");
        }
    }
}

#[test]
fn faults_of_a_third_referee_are_named_and_lose_no_game() {
    for (fault, detail) in [
        (
            "lie-gameover",
            "query gameover: A answered \"false\", B answered \"false\", judge answered \"true\", in",
        ),
        (
            "lie-p1turn",
            "query p1turn: A answered \"true\", B answered \"true\", judge answered \"false\", in",
        ),
        ("lie-islegal", "query islegal "),
        ("lie-result", "query result: A answered \"p"),
        ("hang", "judge: stall: "),
        ("crash", "judge: crash: its process exited (exit status: 3)"),
        (
            "silent",
            "judge: wrong-query: query gameover answered \"nothing\"",
        ),
        (
            "perhaps",
            "judge: wrong-query: query gameover answered \"perhaps\"",
        ),
    ] {
        let scratch = Scratch::new(&format!("ataxx-third-{fault}"));
        let Some(mut words) = arguments(&scratch, "", "--json --strict") else {
            return;
        };
        let Some(third) = ataxx(fault) else { return };
        words.extend(["--referee".into(), third, "name=judge".into()]);
        let output = run(&scratch, &words);
        assert_status(&output, 1);
        let games = scratch.games();
        assert_eq!(games.len(), 2, "{fault}");
        for game in &games {
            let shown = game["detail"].as_str().unwrap();
            assert!(shown.contains(detail) || game["game"] == 2, "{game}");
            assert_eq!(
                (&game["reason"], &game["referee"]),
                (&"referee-fault".into(), &"judge".into())
            );
            assert!(
                game["result"].is_null() && game["fault_by"].is_null(),
                "{game}"
            );
            let log = std::fs::read_to_string(scratch.0.join(game["log"].as_str().unwrap()));
            assert!(log.unwrap().contains(" referee < query "));
        }
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(summary["referee_faults"]["referee-fault"], 2, "{summary}");
        for engine in [0, 1] {
            let engine = &summary["engines"][engine];
            assert_eq!((&engine["wins"], &engine["losses"]), (&0.into(), &0.into()));
            assert_eq!(engine["faults"].as_object().unwrap().len(), 0, "{summary}");
        }
    }
}

#[test]
fn a_third_referee_judges_players_that_answer_wrongly_or_not_at_all() {
    for fault in [
        "silent",
        "perhaps",
        "lie-gameover",
        "lie-islegal",
        "lie-p1turn",
        "lie-result",
    ] {
        let scratch = Scratch::new(&format!("ataxx-abstains-{fault}"));
        let Some(mut words) = arguments(&scratch, fault, "--strict") else {
            return;
        };
        words.extend(["--referee".into(), ataxx("").unwrap()]);
        let output = run(&scratch, &words);
        assert_status(&output, 0);
        scratch.games().iter().for_each(check);
    }
}

#[test]
fn endless_games_are_drawn_and_crashed_engines_recovered() {
    let scratch = Scratch::new("ataxx-drawn");
    let Some(words) = arguments(&scratch, "once-crash", "--maxmoves 4 --recover") else {
        return;
    };
    assert_status(&run(&scratch, &words), 0);
    for game in scratch.games() {
        assert_eq!(
            (&game["result"], &game["moves"][7]["move"].is_string()),
            (&"draw".into(), &true)
        );
        assert_eq!(game["detail"], "after 4 moves");
    }
    assert_eq!(scratch.games()[0]["recovered"][0]["reason"], "crash");
    let resume = ["--resume", scratch.0.to_str().unwrap()].map_strings();
    assert_status(&run(&scratch, &resume), 0);
}

#[test]
fn reversi_games_with_a_referee_are_exported_like_those_without() {
    let exports = [false, true].map(|is_judged| {
        let scratch = Scratch::new("judged-reversi");
        let ours = format!("cmd={}", env!("CARGO_BIN_EXE_nullwindow"));
        let line =
            "--game othello4 --each depth=2 tc=inf --rounds 2 --seed 4 --openings startpos --out";
        let mut words: Vec<String> = line.split(' ').map(String::from).collect();
        words.push(scratch.0.display().to_string());
        for name in ["name=A", "name=B"] {
            words.extend(["--engine".into(), ours.clone(), name.into()]);
        }
        if is_judged {
            words.extend(["--referee".into(), ours]);
        }
        assert_status(&run(&scratch, &words), 0);
        let read = |name| std::fs::read_to_string(scratch.0.join(name)).unwrap();
        let pgn = read("games.pgn");
        let tags = pgn.lines().filter(|line| {
            ["[White ", "[Black ", "[FirstPlayer", "[Result"]
                .iter()
                .any(|start| line.starts_with(start))
        });
        let tags: Vec<String> = tags.map(String::from).collect();
        let ggf = read("games.ggf");
        assert!(ggf.lines().count() == 4 && tags.len() == 16, "{ggf}{pgn}");
        // Their moves and results; times differ.
        let moves = ggf.lines().map(|line| {
            let parts = line.split(['[', ']']);
            let words = parts.filter(|part| part.len() < 60 && !part.contains('T'));
            words
                .map(|word| word.split('/').next().unwrap().to_owned())
                .collect::<Vec<_>>()
        });
        (tags, moves.collect::<Vec<_>>())
    });
    assert_eq!(exports[0], exports[1]);
}

#[test]
fn a_third_engine_judges_a_game_of_this_crate() {
    let scratch = Scratch::new("third");
    let ours = format!("cmd={}", env!("CARGO_BIN_EXE_nullwindow"));
    let mut words = vec!["--game".into(), "tictactoe".into()];
    for name in ["name=A", "name=B"] {
        words.extend([
            "--engine".into(),
            ours.clone(),
            name.into(),
            "depth=3".into(),
        ]);
    }
    words.extend([
        "--referee".into(),
        ours,
        "--rounds".into(),
        "2".into(),
        "--strict".into(),
    ]);
    words.extend(["--out".into(), scratch.0.display().to_string()]);
    let openings = scratch.0.with_extension("txt");
    std::fs::write(&openings, "moves b2 a1\n2x/1o1/3 x\n").unwrap();
    let file = format!("file={}", openings.display());
    let with = |more: &[&str]| [words.clone(), more.map_strings()].concat();
    assert_status(&run(&scratch, &with(&["--openings", &file])), 0);
    for game in scratch.games() {
        assert_eq!(
            (&game["reason"], &game["referee"]),
            (&"normal".into(), &"referee".into())
        );
    }
    let refused = |more: &[&str], error: &str| {
        let mut words = with(more);
        let at = words.iter().position(|word| word == "--out").unwrap();
        words[at + 1] += "-refused";
        let output = runner(&scratch, &words).output().unwrap();
        assert_status(&output, 2);
        assert!(
            text(&output.stderr).contains(error),
            "{}",
            text(&output.stderr)
        );
    };
    refused(
        &["--openings", &file, "--exact", "4"],
        "--exact needs the rules of this program",
    );
    refused(
        &["--openings", "random"],
        "--openings random needs the rules of this program",
    );
    for ignored in ["plies=2", "order=sequential"] {
        refused(
            &["--openings", ignored],
            "--openings: order and plies have no effect: queries judge this game",
        );
    }
    refused(
        &["--openings", &file, "--each", "proto=uci"],
        "judged by UGI queries, which proto=uci lacks",
    );
    std::fs::write(&openings, "startpos moves b2 b2\n").unwrap();
    refused(
        &["--openings", &file],
        "opening 1: \"b2\" is illegal in startpos moves b2",
    );
    std::fs::write(&openings, "startpos moves a1 b1 a2 b2 a3\n").unwrap();
    refused(
        &["--openings", &file],
        "opening 1: the game is over in startpos moves a1 b1 a2 b2 a3",
    );
    std::fs::write(&openings, "# nothing\n{\"moves\":[]}\n").unwrap();
    refused(
        &["--openings", &file],
        "line 2: expected startpos or fen POSITION",
    );
}

#[test]
fn engines_that_cannot_judge_are_refused_before_the_first_game() {
    let scratch = Scratch::new("mute");
    let Some(words) = arguments(&scratch, "mute", "") else {
        return;
    };
    let output = run(&scratch, &words);
    assert_status(&output, 2);
    let error = text(&output.stderr);
    assert!(
        error.contains("judge \"A\" (--referee sets another): wrong-query: query islegal 0000"),
        "{error}"
    );
    assert!(!scratch.0.exists());
}

#[test]
fn an_engine_of_another_game_is_checked_for_compliance() {
    let scratch = Scratch::new("compliance-ataxx");
    let Some(command) = ataxx("") else { return };
    let words = [
        "--compliance",
        command.trim_start_matches("cmd="),
        "--game",
        "ataxx",
    ];
    let output = run(&scratch, &words.map_strings());
    let report = text(&output.stdout);
    for check in [
        "queries agree with the rules",
        "complete game against itself",
        "go nodes is obeyed",
    ] {
        assert!(report.contains(&format!("ok    {check}")), "{report}");
    }
    let Some(command) = ataxx("lie-islegal") else {
        return;
    };
    let words = [
        "--compliance",
        command.trim_start_matches("cmd="),
        "--game",
        "ataxx",
    ];
    let report = text(&run(&scratch, &words.map_strings()).stdout);
    assert!(
        report.contains("FAIL  queries agree with the rules"),
        "{report}"
    );
}

#[test]
fn other_commands_refuse_unknown_games() {
    for words in [
        &["--game", "ataxx"][..],
        &["perft", "3", "--game", "ataxx"],
        &["--game", "ataxx", "bench"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_nullwindow"))
            .args(words)
            .output()
            .unwrap();
        assert_status(&output, 2);
        assert!(
            text(&output.stderr).contains("unknown game, expected one of othello"),
            "{words:?}"
        );
    }
}
