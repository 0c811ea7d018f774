//! The log of the binary: `RUST_LOG` with its four targets on stderr, and the file of option
//! `Debug Log File` in every dialect.

use std::fs;
use std::path::PathBuf;
use std::process::{Output, Stdio};

use crate::common::{Engine, Folder, command, is_emulated, nullwindow, skip, wait};
use clap::ValueEnum;
use nullwindow::logging::{LINE_IN, LINE_OUT, PROTOCOL, SEARCH, TABLE, TIME};
use nullwindow::protocol::Protocol;

/// A file of that name which does not exist yet.
fn fresh(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("{}-{name}.txt", std::process::id()));
    let _ = fs::remove_file(&path);
    path
}

/// A session with this `RUST_LOG`.
fn logged(filter: &str, input: &str) -> (String, String) {
    logged_with(&[], filter, input)
}

/// The same with these words on the command line.
fn logged_with(words: &[&str], filter: &str, input: &str) -> (String, String) {
    let mut child = command()
        .args(words)
        .env("RUST_LOG", filter)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
    let Output { stdout, stderr, .. } = child.wait_with_output().unwrap();
    (
        String::from_utf8(stdout).unwrap(),
        String::from_utf8(stderr).unwrap(),
    )
}

/// A record of the log file without its time and process, which must be well-formed.
fn record(line: &str) -> &str {
    let (time, rest) = line.split_once(' ').expect("a time");
    let shape: String = time
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    assert_eq!(shape, "0000-00-00T00:00:00.000Z", "{line}");
    let (process, rest) = rest.split_once(' ').expect("a process");
    assert!(process.parse::<u32>().is_ok(), "{line}");
    rest
}

/// The messages of a target in a log file.
fn messages(text: &str, target: &str) -> Vec<String> {
    let head = format!("DEBUG {target} ");
    text.lines()
        .filter_map(|line| record(line).strip_prefix(&head))
        .map(String::from)
        .collect()
}

#[test]
fn rust_log_prints_records_of_every_target() {
    let input = "isready\nsetoption name Game value othello\ngo depth 6\ngo p1time 60000 p2time 60000 p1inc 100\n\
                 go movetime 20\ngo nodes 3000\nposition startpos moves zz\ngo depth 1\n";
    let (_, log) = logged("debug", input);
    for (target, messages) in [
        (
            PROTOCOL,
            &[
                "protocol ugi",
                ">> go depth 6",
                "<< bestmove ",
                "end of input",
            ][..],
        ),
        (TABLE, &["table of 64 MiB, 1048576 buckets"]),
        (
            TIME,
            &[
                "soft none, hard none, clock none: no time limit",
                ", clock 59990: one of ",
                "soft none, hard 10, clock none: movetime",
            ],
        ),
        (
            SEARCH,
            &[
                "weights of Othello: ",
                "othello: algorithm auto, table 64 MiB, weights built in, lines 1",
                "instruction set ",
                "iteration 1 of 3",
                "depth 2 at 100 %, line 1: first guess 0, within [-inf, +inf]",
                "depth 6 at 73 %, line 1: score ",
                "ended: schedule completed",
                "ended: not enough time for another iteration",
                "stopped: time limit",
                "stopped: node limit",
            ],
        ),
    ] {
        for message in messages {
            let found = log
                .lines()
                .any(|line| line.contains(&format!("DEBUG {target}] ")) && line.contains(message));
            assert!(found, "no record of {target} with \"{message}\" in:\n{log}");
        }
    }
    // The bounds and the number of null windows at the end of an iteration.
    let ends = log
        .lines()
        .filter(|line| line.contains(": score ") && line.contains(" null windows, "))
        .collect::<Vec<_>>();
    assert!(!ends.is_empty(), "{log}");
    for line in ends {
        let score = line
            .split_once(": score ")
            .unwrap()
            .1
            .split(',')
            .next()
            .unwrap();
        assert!(
            line.contains(&format!(", bounds [{score}, {score}], ")),
            "{line}"
        );
    }
}

#[test]
fn a_game_loads_its_own_weights_alone() {
    for (game, expected) in [
        ("othello", &["Othello"][..]),
        ("othello6", &[]),
        ("scorefour", &["Score Four"]),
        ("tictactoe", &[]),
    ] {
        let named: [&str; 2] = ["--game", game];
        let selected = format!("setoption name Game value {game}\n");
        for (arguments, selection) in [(&named[..], ""), (&[], &selected)] {
            for next in ["isready\n", "uginewgame\n", "go depth 2\n"] {
                let input = format!("{selection}{next}");
                let (_, log) = logged_with(arguments, "nullwindow::search=debug", &input);
                let loaded = log
                    .lines()
                    .filter_map(|line| line.split_once("weights of "));
                let loaded: Vec<&str> = loaded
                    .filter_map(|(_, rest)| Some(rest.split_once(':')?.0))
                    .collect();
                assert_eq!(loaded, expected, "{game}, {input:?}: {log}");
            }
        }
    }
}

#[test]
fn a_filter_selects_targets_and_without_one_nothing_is_logged() {
    let (said, log) = logged("nullwindow::time=debug", "go depth 2\n");
    assert!(said.contains("bestmove"), "{said}");
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(log.contains("DEBUG nullwindow::time] soft none"), "{log}");
    assert_eq!(nullwindow(&[], "go depth 2\n").stderr, b"");
}

#[test]
fn an_interrupted_iteration_logs_its_stop_reason_and_bounds() {
    let path = fresh("interrupted");
    let mut engine = Engine::start(&["--option", &format!("Debug Log File={}", path.display())]);
    engine.send("go infinite");
    engine.until("info depth 8 ");
    engine.send("stop");
    engine.until("bestmove");
    let text = fs::read_to_string(&path).unwrap();
    let search = messages(&text, SEARCH);
    assert!(
        search
            .iter()
            .any(|message| message == "stopped: stop requested"),
        "{text}"
    );
    assert!(
        search
            .iter()
            .any(|message| message.contains("interrupted, bounds [")),
        "{text}"
    );
    fs::remove_file(path).unwrap();
}

/// The line of a dialect that sets the option, a query, and the beginning of its reply.
fn words(protocol: Protocol, value: &str) -> (String, &'static str, &'static str) {
    match protocol {
        Protocol::Ugi | Protocol::Uci => (
            format!("setoption name Debug Log File value {value}"),
            "isready",
            "readyok",
        ),
        Protocol::Gtp => (
            format!("nullwindow-option Debug Log File={value}"),
            "7 name",
            "=7 nullwindow",
        ),
        Protocol::NBoard => (
            format!("set option Debug Log File={value}"),
            "ping 7",
            "pong 7",
        ),
    }
}

#[test]
fn every_dialect_opens_and_closes_a_log_file() {
    for &protocol in Protocol::value_variants() {
        let path = fresh(protocol.name());
        let mut engine = Engine::start(&["--protocol", protocol.name()]);
        let (open, ask, answer) = words(protocol, &path.display().to_string());
        engine.ask(ask, answer);
        engine.send(&open);
        engine.ask(ask, answer);
        let closings = [words(protocol, "").0, words(protocol, "<empty>").0];
        for close in &closings {
            engine.send(close);
            engine.ask(ask, answer);
            engine.send(&open);
            engine.ask(ask, answer);
        }
        let text = fs::read_to_string(&path).unwrap();
        let lines = messages(&text, PROTOCOL);
        let version = format!("log of nullwindow {}", env!("CARGO_PKG_VERSION"));
        assert_eq!(
            lines.iter().filter(|line| **line == version).count(),
            3,
            "{text}"
        );
        // Lines before the file is opened and after it is closed are not in it.
        let asked = lines
            .iter()
            .filter(|line| **line == format!("{LINE_IN} {ask}"))
            .count();
        assert_eq!(asked, 3, "{text}");
        assert_eq!(
            lines
                .iter()
                .filter(|line| **line == format!("{LINE_OUT} {answer}"))
                .count(),
            3,
            "{text}"
        );
        for close in &closings {
            assert!(lines.contains(&format!("{LINE_IN} {}", close)), "{text}");
        }
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn an_output_line_is_in_the_file_of_its_command() {
    let [first, second] = ["first", "second"].map(fresh);
    let open = |path: &PathBuf| format!("setoption name Debug Log File value {}", path.display());
    let outputs = |path: &PathBuf| -> Vec<String> {
        let text = fs::read_to_string(path).unwrap();
        fs::remove_file(path).unwrap();
        let lines = messages(&text, PROTOCOL).into_iter();
        lines
            .filter(|line| line.starts_with(LINE_OUT) && !line.contains(" info "))
            .map(|line| line[..line.len().min(11)].to_owned())
            .collect()
    };
    // The many answers keep the writer busy while the option changes.
    let queries = "query p1turn\n".repeat(200);
    let answer = |name: &str| format!("{LINE_OUT} {name}");
    let input = format!(
        "{queries}{}\ngo depth 3\n{}\n{queries}setoption name Debug Log File value\nquery p1turn\n",
        open(&first),
        open(&second)
    );
    assert!(nullwindow(&[], &input).status.success());
    assert_eq!(outputs(&first), [answer("bestmove")]);
    assert_eq!(outputs(&second), vec![answer("response"); 200]);
}

#[test]
fn the_file_has_the_whole_log_of_a_search() {
    let path = fresh("search");
    let mut engine = Engine::start(&[]);
    engine.send(&format!(
        "setoption name debug log file value {}",
        path.display()
    ));
    engine.send("uginewgame");
    let best = engine.best_move("go depth 4");
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        messages(&text, PROTOCOL).contains(&format!("{LINE_OUT} bestmove {best}")),
        "{text}"
    );
    assert!(
        messages(&text, TIME)
            .iter()
            .any(|message| message.starts_with("soft ")),
        "{text}"
    );
    let search = messages(&text, SEARCH);
    assert!(
        search
            .iter()
            .any(|message| message.starts_with("depth 4 at 73 %, line 1: score ")),
        "{text}"
    );
    fs::remove_file(path).unwrap();
}

#[test]
fn a_file_that_cannot_be_opened_is_an_error_and_the_session_goes_on() {
    let folder = fresh("no-such-folder");
    let file = folder.join("log.txt").display().to_string();
    for &protocol in Protocol::value_variants() {
        let mut engine = Engine::start(&["--protocol", protocol.name()]);
        let (open, ask, answer) = words(protocol, &file);
        let error = match protocol {
            Protocol::Ugi | Protocol::Uci => "info string error: setoption: Debug Log File: ",
            Protocol::Gtp => "? Debug Log File: ",
            Protocol::NBoard => "status error: set option: Debug Log File: ",
        };
        engine.ask(&open, error);
        engine.ask(ask, answer);
    }
    let refused = nullwindow(&["--option", &format!("Debug Log File={file}")], "");
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&refused.stderr).contains("Debug Log File: "),
        "{refused:?}"
    );
    assert!(!folder.exists());
}

#[test]
fn a_file_that_cannot_be_opened_leaves_the_old_one_open() {
    let path = fresh("kept");
    let mut engine = Engine::start(&["--option", &format!("Debug Log File={}", path.display())]);
    engine.ask(
        "setoption name Debug Log File value /",
        "info string error: ",
    );
    engine.ask("isready", "readyok");
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        messages(&text, PROTOCOL).contains(&format!("{LINE_OUT} readyok")),
        "{text}"
    );
    fs::remove_file(path).unwrap();
}

#[test]
fn two_engines_append_whole_lines_to_one_file() {
    if cfg!(windows) && is_emulated() {
        return skip("wine does not append to a file of two processes atomically, as Windows does");
    }
    let path = fresh("shared");
    fs::write(
        &path,
        "2026-11-22T00:00:00.000Z 1 DEBUG nullwindow::protocol of an earlier run\n",
    )
    .unwrap();
    let option = format!("Debug Log File={}", path.display());
    let mut engines = [(); 2].map(|()| Engine::start(&["--option", &option]));
    for round in 0..200 {
        engines
            .iter_mut()
            .for_each(|engine| engine.send(&format!("query number {round} of some length")));
    }
    engines
        .iter_mut()
        .for_each(|engine| _ = engine.ask("isready", "readyok"));
    let text = fs::read_to_string(&path).unwrap();
    for line in text.lines() {
        record(line);
    }
    let lines = messages(&text, PROTOCOL);
    assert_eq!(lines[0], "of an earlier run");
    for round in 0..200 {
        let line = format!("{LINE_IN} query number {round} of some length");
        assert_eq!(
            lines.iter().filter(|other| **other == line).count(),
            2,
            "{line}"
        );
    }
    assert_eq!(
        lines
            .iter()
            .filter(|line| **line == format!("{LINE_OUT} response unknown"))
            .count(),
        400
    );
    fs::remove_file(path).unwrap();
}

#[test]
fn the_log_file_of_a_crash_is_complete_and_has_the_reason() {
    if cfg!(not(debug_assertions)) {
        return skip("only builds with debug assertions crash on request");
    }
    let path = fresh("crash");
    let mut child = command()
        .args(["--option", &format!("Debug Log File={}", path.display())])
        .env("NULLWINDOW_FAULT", "search")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), b"go depth 3\n").unwrap();
    assert!(!wait(&mut child).success());
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        messages(&text, PROTOCOL).contains(&format!("{LINE_IN} go depth 3")),
        "{text}"
    );
    let reason = text.lines().any(|line| {
        record(line).starts_with("ERROR nullwindow::protocol ") && line.contains("panic")
    });
    assert!(reason, "{text}");
    fs::remove_file(path).unwrap();
}

#[test]
fn subcommands_write_the_log_too() {
    let path = fresh("solve");
    let option = format!("Debug Log File={}", path.display());
    let output = nullwindow(
        &[
            "compare",
            "--game",
            "tictactoe",
            "--depth",
            "2",
            "--option",
            &option,
        ],
        "",
    );
    assert!(output.status.success(), "{output:?}");
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        messages(&text, SEARCH)
            .iter()
            .any(|message| message.starts_with("iteration 1 of ")),
        "{text}"
    );
    fs::remove_file(path).unwrap();
}

#[test]
fn the_help_texts_name_rust_log_and_debug_log_file() {
    let help = String::from_utf8(nullwindow(&["--help"], "").stdout).unwrap();
    let typed = String::from_utf8(nullwindow(&[], "help\nhelp options\n").stdout).unwrap();
    for target in [PROTOCOL, SEARCH, TIME, TABLE] {
        assert!(help.contains(target), "{help}");
    }
    for text in [help, typed] {
        assert!(
            text.contains("RUST_LOG") && text.contains("Debug Log File"),
            "{text}"
        );
    }
}

#[test]
fn only_logs_are_appended_to() {
    let folder = Folder::new("log-other");
    let problems = "--XXXX-XX-OOX-XXXOOOXXXXXOXXOXOXXOOOXOOXXOXOOOOOXOOOOOOOXOOXXXX- X\n";
    let [input, record] = ["input.obf", "record"].map(|name| folder.file(name, problems));
    let words = ["solve", &input, "--resume", &folder.path("journal")];
    assert_eq!(nullwindow(&words, "").status.code(), Some(0));
    for file in [&input, &record, &folder.path("journal")] {
        let before = fs::read(file).unwrap();
        let option = format!("Debug Log File={file}");
        let output = nullwindow(&[&words[..], &["--option", &option]].concat(), "");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(
            error.contains("the file exists and is not a log"),
            "{error}"
        );
        assert!(fs::read(file).unwrap() == before);
    }
    // Twice, since a log is continued.
    let option = format!("Debug Log File={}", folder.file("log", ""));
    for _ in 0..2 {
        let output = nullwindow(&[&words[..], &["--option", &option]].concat(), "");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    let log = fs::read_to_string(folder.path("log")).unwrap();
    assert_eq!(log.matches(" log of nullwindow ").count(), 2, "{log}");
}

#[test]
fn an_invalid_command_line_creates_no_log_file() {
    let file = fresh("invalid-command-line");
    let log = format!("Debug Log File={}", file.display());
    for words in [
        "--option Hash=x",
        "--option Nothing=1",
        "--option Game=othello --game tictactoe",
        "--unknown",
        "bench --unknown",
        "perft --depth x",
        "solve --option MultiPV=2 --start",
    ] {
        let words: Vec<&str> = ["--option", &log]
            .into_iter()
            .chain(words.split(' '))
            .collect();
        assert_eq!(nullwindow(&words, "").status.code(), Some(2), "{words:?}");
        assert!(!file.exists(), "{words:?}");
    }
    let words = ["--option", &log, "--option", "Hash=1"];
    assert!(nullwindow(&words, "quit\n").status.success());
    assert!(file.exists());
    let _ = fs::remove_file(&file);
    // A file that cannot be opened is still an error of the command line.
    let output = nullwindow(&["--option", "Debug Log File=no/such/folder/log.txt"], "");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(
        error.starts_with("error: Debug Log File: \"no/such/folder/log.txt\": "),
        "{error}"
    );
}
