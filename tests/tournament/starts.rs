//! A failed start writes nothing, two runners cannot use one folder, no engine runs longer than its
//! runner, and memory does not depend on the number of rounds.

use std::fs;
use std::process::{Command, Stdio};

use nullwindow::platform::command_line::join;

use super::{
    MARK, Scratch, assert_no_process_left, command_of, engine, has_shell, run, runner, text,
};
use crate::common::{signal_when, skip, wait_until};

/// The arguments of a long match between two engines of one script.
fn long_match(scratch: &Scratch, script: &str) -> Vec<String> {
    let mut arguments = [
        engine(script, "A", "depth=1"),
        engine(script, "B", "depth=1"),
    ]
    .concat();
    arguments.extend(
        "--game tictactoe --openings random plies=2 --seed 3 --rounds 5000 --out"
            .split(' ')
            .map(String::from),
    );
    arguments.push(scratch.0.display().to_string());
    arguments
}

#[test]
fn an_engine_that_cannot_start_is_explained_and_leaves_no_folder() {
    let scratch = Scratch::new("failed-start");
    let files = Scratch::new("failed-start-files");
    fs::create_dir_all(files.0.join("my engines")).unwrap();
    let place = |name: &str| files.0.join(name).display().to_string();
    fs::write(place("text"), "no program\n").unwrap();
    fs::write(place("my engines/engine"), "").unwrap();
    let quoted = |path: &str| join(&[path]);
    let mut cases = vec![
        (
            "cmd=nullwindow-nowhere".to_owned(),
            "",
            "program \"nullwindow-nowhere\" not found in PATH",
        ),
        (
            format!("cmd={}", quoted(&place("nowhere"))),
            "",
            "nowhere\" does not exist",
        ),
        (
            format!("cmd={}", quoted(&place("my engines"))),
            "",
            "is a folder, not a program",
        ),
        (
            format!("cmd={}", place("my engines/engine")),
            "",
            "my engines/engine\" ",
        ),
        (
            format!("cmd={}", command_of("good")),
            "dir=/nonexistent",
            "its folder \"/nonexistent\" does not exist",
        ),
        (
            format!("cmd={}", command_of("no-ugiok")),
            "",
            "no handshake",
        ),
        (
            format!("cmd={}", command_of("speaks-uci")),
            "",
            "it replies to uci: set proto=uci",
        ),
        (
            format!("cmd={}", command_of("exit-at-first-isready")),
            "",
            "its process exited (exit status: 0)",
        ),
        (
            format!("cmd={}", command_of("good")),
            "proto=nboard",
            "the NBoard client supports othello only, not tictactoe",
        ),
    ];
    if cfg!(unix) {
        cases.push((
            format!("cmd={}", quoted(&place("text"))),
            "",
            "is not executable",
        ));
    }
    for (command, settings, expected) in cases {
        let mut arguments = vec![
            "--engine".into(),
            command.clone(),
            "name=culprit".into(),
            "depth=1".into(),
        ];
        arguments.extend(settings.split_whitespace().map(String::from));
        arguments.extend(engine("good", "good", "depth=1"));
        arguments
            .extend(["--stall-timeout", "3", "--game", "tictactoe", "--out"].map(String::from));
        arguments.push(scratch.0.display().to_string());
        let output = run(&scratch, &arguments);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command}: {errors}");
        assert!(
            errors.contains("engine \"culprit\" cannot start") && errors.contains(expected),
            "{command}: {errors}"
        );
        assert!(!scratch.0.exists(), "{command}: the folder is there");
    }
    // The corrected command runs.
    let mut arguments = [
        engine("good", "A", "depth=1"),
        engine("good", "B", "depth=1"),
    ]
    .concat();
    arguments.extend(["--game", "tictactoe", "--out"].map(String::from));
    arguments.push(scratch.0.display().to_string());
    assert_eq!(run(&scratch, &arguments).status.code(), Some(0));
    // An engine that no longer exists at --resume: no event is recorded.
    let path = scratch.0.join("tournament.json");
    let plan = fs::read_to_string(&path)
        .unwrap()
        .replace("\"rounds\": 1", "\"rounds\": 2");
    fs::write(&path, plan.replace("script=good", "script=no-ugiok")).unwrap();
    let history = fs::read_to_string(scratch.0.join("history.jsonl")).unwrap();
    let output = run(
        &scratch,
        &["--resume".into(), scratch.0.display().to_string()],
    );
    let errors = text(&output.stderr);
    assert!(
        output.status.code() == Some(2) && errors.contains("tournament.json"),
        "{errors}"
    );
    assert_eq!(
        fs::read_to_string(scratch.0.join("history.jsonl")).unwrap(),
        history
    );
}

#[test]
fn an_opening_that_gtp_cannot_set_up_is_an_error_before_the_first_game() {
    let scratch = Scratch::new("gtp-position");
    let file = Scratch::new("gtp-position-openings");
    fs::create_dir_all(&file.0).unwrap();
    let file = file.0.join("mixed.txt");
    fs::write(&file, "f5 d6\n8/8/8/3ox3/3xxx2/8/8/8 o\n").unwrap();
    let program = env!("CARGO_BIN_EXE_nullwindow");
    let line = format!(
        "--engine name=a cmd={} proto=gtp --engine name=b cmd={} --each depth=1 --rounds 2 --openings",
        join(&[program, "--protocol", "gtp", "--option", "Depth=1"]).replace(' ', "~"),
        join(&[program])
    );
    let mut words: Vec<String> = line.split(' ').map(|word| word.replace('~', " ")).collect();
    words.extend([
        format!("file={}", file.display()),
        "--out".into(),
        scratch.0.display().to_string(),
    ]);
    let output = run(&scratch, &words);
    let errors = text(&output.stderr);
    assert!(
        output.status.code() == Some(2) && errors.contains("GTP cannot set up a position"),
        "{errors}"
    );
    assert!(!scratch.0.exists());
}

#[test]
fn a_resumed_match_checks_the_options_again() {
    let scratch = Scratch::new("resumed-options");
    let files = Scratch::new("resumed-options-style");
    fs::create_dir_all(&files.0).unwrap();
    let style = files.0.join("style");
    fs::write(&style, "").unwrap();
    let script = format!("styled:{}", style.display());
    for (lenient, status) in [("", 2), ("--lenient", 0)] {
        let mut words = engine(&script, "A", "depth=1 option.Style=risky");
        words.extend(engine("slow", "B", "depth=1"));
        let more = format!("--game tictactoe --rounds 20 --openings startpos {lenient} --out");
        words.extend(more.split_whitespace().map(String::from));
        words.push(scratch.0.display().to_string());
        let mut child = runner(&scratch, &words)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_until("a game", || scratch.games_now() > 0);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_no_process_left(&scratch);
        fs::remove_file(&style).unwrap();
        let resume = ["--resume".into(), scratch.0.display().to_string()];
        let output = run(&scratch, &resume);
        let printed = text(&output.stdout) + &text(&output.stderr);
        assert!(
            output.status.code() == Some(status) && printed.contains("unknown option \"Style\""),
            "{lenient}: {printed}"
        );
        fs::write(&style, "").unwrap();
        fs::remove_dir_all(&scratch.0).unwrap();
    }
}

#[test]
fn two_runners_do_not_share_a_folder() {
    let scratch = Scratch::new("two-runners");
    let arguments = long_match(&scratch, "slow");
    let folder = scratch.0.display().to_string();
    let mut first = runner(&scratch, &arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("no game", || scratch.games_now() > 1);
    let expected = format!("is being written by process {} ", first.id());
    for second in [&arguments[..], &["--resume".into(), folder.clone()]] {
        let history = fs::read_to_string(scratch.0.join("history.jsonl")).unwrap();
        let games = fs::read_to_string(scratch.0.join("games.jsonl")).unwrap();
        let output = runner(&scratch, second).output().unwrap();
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(&expected), "{errors}");
        assert_eq!(
            fs::read_to_string(scratch.0.join("history.jsonl")).unwrap(),
            history
        );
        assert!(
            fs::read_to_string(scratch.0.join("games.jsonl"))
                .unwrap()
                .starts_with(&games)
        );
    }
    // Readers work at the same time.
    let output = runner(&scratch, &["--report".into(), folder.clone()])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(first.try_wait().unwrap().is_none());
    first.kill().unwrap(); // SIGKILL
    first.wait().unwrap();
    let games = scratch.games_now();
    let mut next = runner(&scratch, &["--resume".into(), folder])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("no game is added", || scratch.games_now() > games);
    next.kill().unwrap();
    next.wait().unwrap();
}

#[test]
fn two_runners_that_begin_at_the_same_time_give_one_tournament() {
    let scratch = Scratch::new("same-time");
    let mut arguments = [
        engine("good", "A", "depth=1"),
        engine("good", "B", "depth=1"),
    ]
    .concat();
    arguments.extend(
        "--game tictactoe --openings random plies=2 --seed 3 --rounds 20 --out"
            .split(' ')
            .map(String::from),
    );
    arguments.push(scratch.0.display().to_string());
    let begin = || {
        runner(&scratch, &arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let runners = [begin(), begin(), begin()].map(|child| child.wait_with_output().unwrap());
    let won = runners
        .iter()
        .filter(|output| output.status.code() == Some(0))
        .count();
    let errors: Vec<String> = runners.iter().map(|output| text(&output.stderr)).collect();
    assert_eq!(won, 1, "{errors:?}");
    assert_eq!(
        runners
            .iter()
            .filter(|output| output.status.code() == Some(2))
            .count(),
        2,
        "{errors:?}"
    );
    assert_eq!(scratch.games().len(), 40);
}

#[test]
fn damaged_files_are_reported_and_not_changed() {
    let scratch = Scratch::new("damaged-folder");
    let mut arguments = [
        engine("good", "A", "depth=1"),
        engine("good", "B", "depth=1"),
    ]
    .concat();
    arguments.extend(
        "--game tictactoe --rounds 2 --out"
            .split(' ')
            .map(String::from),
    );
    arguments.push(scratch.0.display().to_string());
    assert_eq!(run(&scratch, &arguments).status.code(), Some(0));
    let resume = ["--resume".to_owned(), scratch.0.display().to_string()];
    for file in ["games.jsonl", "plies.jsonl", "history.jsonl"] {
        let path = scratch.0.join(file);
        let whole = fs::read(&path).unwrap();
        for damage in [&b"garbage\n"[..], &[0; 64], b"\xff\xfe\n", b"\n"] {
            let damaged = [&whole[..], damage].concat();
            fs::write(&path, &damaged).unwrap();
            let output = run(&scratch, &resume);
            let errors = text(&output.stderr);
            let line = whole.iter().filter(|&&byte| byte == b'\n').count() + 1;
            let place = format!("{}, line {line}: ", path.display());
            // The plies of a complete match are not needed.
            let is_needed = file != "plies.jsonl";
            let status = if is_needed { 2 } else { 0 };
            assert_eq!(output.status.code(), Some(status), "{errors}");
            assert!(
                !is_needed || errors.contains(&place) && errors.contains("restore the file"),
                "{errors}"
            );
            assert!(fs::read(&path).unwrap() == damaged);
        }
        fs::write(&path, &whole).unwrap();
    }
    // The remedy of a damaged game that the history counts is complete.
    let path = scratch.0.join("games.jsonl");
    let games = fs::read_to_string(&path).unwrap();
    let (first, others) = games.split_once('\n').unwrap();
    fs::write(&path, format!("x{first}\n{others}")).unwrap();
    let errors = text(&run(&scratch, &resume).stderr);
    assert!(
        errors.contains(", line 1: ")
            && errors.contains("or delete this line")
            && errors.contains("also delete history.jsonl"),
        "{errors}"
    );
    let history = scratch.0.join("history.jsonl");
    let events = fs::read(&history).unwrap();
    fs::write(&path, others).unwrap();
    fs::remove_file(&history).unwrap();
    let output = run(&scratch, &resume);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(scratch.games().len(), 4);
    // Lost games are an error.
    fs::write(&history, events).unwrap();
    fs::write(scratch.0.join("games.jsonl"), "").unwrap();
    let output = run(&scratch, &resume);
    let errors = text(&output.stderr);
    assert!(
        output.status.code() == Some(2) && errors.contains("has 0 games, but history.jsonl"),
        "{errors}"
    );
}

#[test]
fn engines_that_ignore_the_end_of_input_end_with_a_killed_runner() {
    let scratch = Scratch::new("runner-killed");
    let mut first = runner(&scratch, &long_match(&scratch, "deaf-to-eof"));
    let mut first = first
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("no game", || scratch.games_now() > 1);
    first.kill().unwrap(); // SIGKILL
    first.wait().unwrap();
    if cfg!(any(target_os = "linux", windows)) {
        assert_no_process_left(&scratch);
    } else {
        skip("the system has no parent-death signal");
    }
}

#[test]
fn an_interrupt_ends_compliance_checks_and_their_engine() {
    if cfg!(not(unix)) {
        return skip("this system has no signals");
    }
    for name in ["INT", "TERM"] {
        let scratch = Scratch::new(&format!("compliance-{name}"));
        let searches = scratch.0.with_extension("searches");
        let mut check = Command::new(env!("CARGO_BIN_EXE_nullwindow"));
        check
            .args([
                "tournament",
                "--game",
                "tictactoe",
                "--compliance",
                &command_of(&format!("stall:{}", searches.display())),
            ])
            .env(MARK, &scratch.0);
        let mut check = check
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // During the first search, which does not end.
        signal_when(&mut check, name, "no search", || searches.exists());
        assert_eq!(check.wait().unwrap().code(), Some(130));
        assert_no_process_left(&scratch);
    }
}

#[test]
fn many_rounds_use_little_memory_and_do_not_overflow() {
    let limits_memory = cfg!(target_os = "linux") && has_shell();
    for (rounds, more) in [
        ("1000000000", ""),
        ("4000000000000000000", ""),
        ("", "--sprt elo0=0 elo1=5"),
    ] {
        let scratch = Scratch::new(&format!("rounds-{rounds}"));
        let mut arguments = [
            engine("good", "A", "depth=1"),
            engine("good", "B", "depth=1"),
        ]
        .concat();
        let line = format!("--game othello --openings random plies=8 --seed 3 {more} --out");
        arguments.extend(line.split_whitespace().map(String::from));
        arguments.push(scratch.0.display().to_string());
        if !rounds.is_empty() {
            arguments.extend(["--rounds".into(), rounds.into()]);
        }
        // The limit applies to the runner; its engines are this test binary, which is small.
        let mut command = runner(&scratch, &arguments);
        if limits_memory {
            let words: Vec<_> = command.get_args().map(|word| word.to_owned()).collect();
            let mut limited = Command::new("sh");
            limited
                .args([
                    "-c",
                    "ulimit -v 2000000; exec \"$@\"",
                    "sh",
                    env!("CARGO_BIN_EXE_nullwindow"),
                ])
                .args(words);
            limited.env(MARK, &scratch.0).stdin(Stdio::null());
            command = limited;
        }
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_until("no game", || {
            scratch.games_now() > 1 || child.try_wait().unwrap().is_some()
        });
        assert!(
            child.try_wait().unwrap().is_none(),
            "--rounds {rounds}: it has ended"
        );
        child.kill().unwrap();
        child.wait().unwrap();
        let plan = fs::metadata(scratch.0.join("tournament.json"))
            .unwrap()
            .len();
        assert!(plan < 20_000, "--rounds {rounds}: a plan of {plan} bytes");
        assert_no_process_left(&scratch);
    }
    let scratch = Scratch::new("rounds-overflow");
    for rounds in ["9223372036854775808", "18446744073709551615"] {
        let mut arguments = [
            engine("good", "A", "depth=1"),
            engine("good", "B", "depth=1"),
        ]
        .concat();
        arguments.extend(["--game", "tictactoe", "--rounds", rounds, "--out"].map(String::from));
        arguments.push(scratch.0.display().to_string());
        let output = run(&scratch, &arguments);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert!(
            text(&output.stderr).contains("more games than can be numbered"),
            "{}",
            text(&output.stderr)
        );
        assert!(!scratch.0.exists());
    }
}
