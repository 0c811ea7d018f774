//! `--compliance` on this engine and on scripted engines.

use std::fs;
use std::process::{Command, Stdio};

use super::{Scratch, command_of, text};
use crate::common::at_once;

/// The exit status and output of a compliance check; `settings` are those of `--engine`.
fn compliance_with(command: &str, game: &str, settings: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_nullwindow"))
        .args(["tournament", "--game", game, "--compliance", command])
        .args(settings)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (
        output.status.code(),
        text(&output.stdout) + &text(&output.stderr),
    )
}

fn compliance(command: &str, game: &str) -> (Option<i32>, String) {
    compliance_with(command, game, &[])
}

#[test]
fn this_engine_passes_in_every_game() {
    let with_options: [(&str, &[&str]); 6] = [
        ("othello", &["proto=uci"]),
        ("scorefour", &["proto=uci", "option.Threads=2"]),
        ("othello", &["proto=uci", "option.Strength=10"]),
        ("scorefour", &["proto=uci", "option.MultiPV=3"]),
        ("othello", &["proto=ugi", "option.Strength=10"]),
        (
            "othello",
            &["proto=ugi", "option.Threads=2", "option.MultiPV=3"],
        ),
    ];
    let plain = nullwindow::games::any::NAMES
        .into_iter()
        .map(|game| (game, &[][..]));
    at_once(plain.chain(with_options), |(game, settings)| {
        let engine = concat!(env!("CARGO_BIN_EXE_nullwindow"), " --option Hash=1");
        let (code, printed) = compliance_with(engine, game, settings);
        assert_eq!(code, Some(0), "{settings:?}: {printed}");
        assert!(
            printed.contains("0 failed") && !printed.contains("FAIL"),
            "{printed}"
        );
    });
}

#[test]
fn an_engine_with_reduced_strength_gives_no_warning() {
    let engine = concat!("cmd=", env!("CARGO_BIN_EXE_nullwindow"));
    let scratch = Scratch::new("weakened");
    for settings in [
        &[
            "proto=uci",
            "option.UCI_LimitStrength=true",
            "option.UCI_Elo=2000",
        ][..],
        &["option.Strength=20"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_nullwindow"))
            .args([
                "tournament",
                "--game",
                "othello4",
                "--engine",
                engine,
                "name=weak",
                "option.Hash=1",
                "nodes=3000",
            ])
            .args(settings)
            .args([
                "--engine",
                engine,
                "name=full",
                "option.Hash=1",
                "nodes=3000",
                "--rounds",
                "6",
                "--seed",
                "5",
            ])
            .args(["--strict", "--out"])
            .arg(&scratch.0)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let printed = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{settings:?}: {printed}");
        fs::remove_dir_all(&scratch.0).unwrap();
    }
}

#[test]
fn a_setting_that_a_match_would_refuse_is_refused() {
    let program = env!("CARGO_BIN_EXE_nullwindow");
    for (settings, expected) in [
        (&["option.Nope=5"][..], "unknown option \"Nope\""),
        (&["option.Hash=abc"], "Hash"),
        (&["option.Threads=1", "depth=3"], "no effect"),
        (&["tc=1"], "no effect"),
        (
            &["initstr=setoption name Nope value 1"],
            "refuses a setting",
        ),
    ] {
        let (status, printed) = compliance_with(program, "tictactoe", settings);
        assert!(
            status == Some(2) && printed.contains(expected),
            "{settings:?}: {printed}"
        );
    }
}

#[test]
fn options_of_all_engines_neither_replace_own_ones_nor_select_the_game() {
    let own = "option.Hash=0";
    for shared in ["Hash=1", "Game=tictactoe"] {
        let settings = [own, "--option", shared];
        let (status, printed) = compliance_with(&command_of("hash-only"), "tictactoe", &settings);
        assert_eq!(status, Some(2), "{printed}");
        let expected = "error: option \"Hash\": invalid value \"0\", expected at least 1\n";
        assert_eq!(printed, expected, "{shared}");
    }
}

#[test]
fn engines_that_violate_the_protocol_fail() {
    let crash = if cfg!(windows) {
        "exit code: "
    } else {
        "signal: 6"
    };
    let crash = format!("FAIL  legal move in a new game: its output ended ({crash}");
    // The first one does not wait for stop and ignores limits.
    let cases = [
        (
            "good",
            &[
                "FAIL  go infinite sends bestmove only after stop",
                "FAIL  go depth is obeyed",
                "FAIL  finished game",
                "ok    queries agree with the rules",
                "ok    forced pass (this game has no passes)",
                "ok    end of input while idle",
            ][..],
        ),
        (
            "wrong-p1turn",
            &["FAIL  queries agree with the rules: query p1turn answered \"false\", expected true"],
        ),
        (
            "illegal",
            &["FAIL  complete game against itself: bestmove \"a1\" is illegal"],
        ),
        ("crash", &[&crash]),
        ("ignore-quit", &["FAIL  quit while searching"]),
    ];
    at_once(cases, |(script, lines)| {
        let (code, printed) = compliance(&command_of(script), "tictactoe");
        assert_eq!(code, Some(1), "{printed}");
        for line in lines {
            assert!(printed.contains(line), "{line} is not in\n{printed}");
        }
    });
    // An engine that does not start is one error, not many failed checks.
    for (command, expected) in [
        ("/nonexistent/engine", "does not exist"),
        (&command_of("no-ugiok"), "its process exited (exit"),
        (&command_of("speaks-uci"), "set proto=uci"),
    ] {
        let (code, printed) = compliance(command, "tictactoe");
        assert_eq!(code, Some(2), "{printed}");
        assert!(
            printed.contains(expected) && !printed.contains("FAIL"),
            "{printed}"
        );
    }
}
