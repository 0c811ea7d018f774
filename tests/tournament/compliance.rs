//! `--compliance` on this engine and on scripted engines.

use std::process::{Command, Stdio};

use crate::{command_of, text};

/// The exit status and output of a compliance check.
fn compliance(command: &str, game: &str) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_nullwindow"))
        .args(["tournament", "--game", game, "--compliance", command])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn this_engine_passes_in_every_game() {
    // The checks mostly wait, so all games run concurrently.
    std::thread::scope(|scope| {
        for game in nullwindow::games::any::NAMES {
            scope.spawn(move || {
                let (code, printed) = compliance(concat!(env!("CARGO_BIN_EXE_nullwindow"), " --option Hash=1"), game);
                assert_eq!(code, Some(0), "{printed}");
                assert!(printed.contains("0 failed") && !printed.contains("FAIL"), "{printed}");
            });
        }
    });
}

#[test]
fn engines_that_violate_the_protocol_fail() {
    // This one does not wait for stop and ignores limits.
    let (code, printed) = compliance(&command_of("good"), "tictactoe");
    assert_eq!(code, Some(1), "{printed}");
    for line in [
        "FAIL  no bestmove before stop in go infinite",
        "FAIL  go depth is obeyed",
        "FAIL  a finished game",
        "ok    queries agree with the rules",
        "ok    a side that must pass (this game has none)",
        "ok    end of input when idle",
    ] {
        assert!(printed.contains(line), "{line} is not in\n{printed}");
    }
    let crash = if cfg!(windows) { "exit code: " } else { "signal: 6" };
    let crash = format!("FAIL  new game, start position, a move: its output ended ({crash}");
    for (script, line) in [
        ("wrong-p1turn", "FAIL  queries agree with the rules: query p1turn answered \"false\", expected true"),
        ("illegal", "FAIL  a whole game against itself: bestmove \"a1\" is illegal"),
        ("crash", &crash),
        ("ignore-quit", "FAIL  quit while searching"),
    ] {
        let (code, printed) = compliance(&command_of(script), "tictactoe");
        assert_eq!(code, Some(1), "{printed}");
        assert!(printed.contains(line), "{line} is not in\n{printed}");
    }
    // What does not start is one error, not many failed checks.
    for (command, expected) in [
        ("/nonexistent/engine", "there is no program"),
        (&command_of("no-ugiok"), "it ended with exit"),
        (&command_of("speaks-uci"), "set proto=uci"),
    ] {
        let (code, printed) = compliance(command, "tictactoe");
        assert_eq!(code, Some(2), "{printed}");
        assert!(printed.contains(expected) && !printed.contains("FAIL"), "{printed}");
    }
}
