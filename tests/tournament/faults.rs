//! Engine faults with their termination reasons, and engines that behave unusually but correctly.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use nullwindow::book::builder::Builder;
use nullwindow::games::any::by_name;
use nullwindow::platform::command_line::join;

use super::scripted_engine::SCRIPT;
use super::{Scratch, engine, has_shell, play_othello, play_pair, run, runner, text};
use crate::common::at_once;

/// Asserts that the scripted engine loses every game for this reason, with a log of both sides.
#[track_caller]
fn expect_fault(script: &str, limits: &str, more: &str, reason: &str) {
    let scratch = Scratch::new(&format!(
        "{script}-{}",
        limits.replace(['=', ' ', '.', '+'], "")
    ));
    let games = play_pair(&scratch, script, limits, more);
    assert_eq!(games.len(), 2, "{script} {limits}");
    for game in &games {
        let bad = if game["p1"] == "bad" { "p1" } else { "p2" };
        let won = if bad == "p1" { "p2win" } else { "p1win" };
        assert_eq!(
            (
                game["reason"].as_str(),
                game["fault_by"].as_str(),
                game["result"].as_str()
            ),
            (Some(reason), Some(bad), Some(won)),
            "{script} under {limits}: {game}"
        );
        let log = fs::read_to_string(scratch.0.join(game["log"].as_str().unwrap())).unwrap();
        assert!(
            log.contains(" p1 < ") && log.contains(" p2 < ") && log.contains(" > "),
            "{log}"
        );
        if script == "crash" {
            assert!(log.contains("! about to crash"), "{log}");
        }
    }
}

const LIMITS: [&str; 4] = ["tc=20+0.1", "st=5", "depth=3", "nodes=100"];

#[test]
fn crashes_exits_and_illegal_moves_lose_under_every_limit() {
    at_once(LIMITS, |limits| {
        expect_fault("crash", limits, "", "crash");
        expect_fault("exit-3", limits, "", "crash");
        expect_fault("exit-0", limits, "", "early-exit");
        expect_fault("illegal", limits, "", "illegal-move");
        expect_fault("empty-bestmove", limits, "", "missing-bestmove");
        expect_fault("wrong-p1turn", limits, "", "wrong-query");
    });
    expect_fault("none", "depth=1", "", "illegal-move");
    expect_fault("garbage", "depth=1", "", "illegal-move");
    expect_fault("crash-after", "depth=1", "", "crash");
}

#[test]
fn stalls_and_missing_moves_lose_under_every_limit() {
    // Short clocks and timeouts keep the test short.
    at_once(["tc=0.2", "st=0.2", "depth=3", "nodes=100"], |limits| {
        expect_fault(
            "stall",
            limits,
            "--stall-timeout 2 --concurrency 2",
            "stall",
        );
        let patience = "--stall-timeout 2 --think-timeout 0.2 --concurrency 2";
        expect_fault("no-bestmove", limits, patience, "missing-bestmove");
    });
    expect_fault("unready", "depth=1", "--stall-timeout 2", "stall");
}

/// Lines are read more slowly than they arrive.
#[test]
fn an_engine_that_writes_without_end_is_a_stall() {
    let patience = "--move-timeout 0.5 --concurrency 2";
    expect_fault("endless", "tc=0.2", patience, "stall");
}

#[test]
fn late_moves_lose_on_time() {
    expect_fault("late", "st=0.1 timemargin=50", "", "time-forfeit");
    expect_fault("late", "tc=0.1", "", "time-forfeit");
    expect_fault("late", "tc=10/0.2", "", "time-forfeit");
    let scratch = Scratch::new("late-within");
    let games = play_pair(&scratch, "late", "st=0.1 timemargin=60000", "");
    assert!(games.iter().all(|game| game["reason"] == "normal"));
    let late = games
        .iter()
        .flat_map(|game| game["moves"].as_array().unwrap())
        .filter(|played| played["late"] == true);
    assert!(late.count() > 4);
}

#[test]
fn wrong_replies_to_queries_lose() {
    for script in ["wrong-gameover", "invalid-gameover", "unanswered"] {
        expect_fault(script, "depth=1", "", "wrong-query");
    }
}

#[test]
fn a_fault_after_the_last_move_leaves_the_result_of_the_moves() {
    // The first player wins both games (both sides play the first empty square), so the answer
    // p2win is wrong in both.
    let scratch = Scratch::new("wrong-result");
    let games = play_pair(&scratch, "wrong-result", "depth=1", "");
    assert_eq!(games.len(), 2);
    for game in games {
        let bad = if game["p1"] == "bad" { "p1" } else { "p2" };
        assert_eq!(
            [&game["reason"], &game["fault_by"], &game["result"]],
            ["wrong-query", bad, "p1win"],
            "{game}"
        );
    }
    // The record and its exports agree with the moves.
    let folder = scratch.0.display();
    for line in [
        format!("tournament --resume {folder}"),
        format!("tournament --report {folder}"),
        format!("convert {folder}/games.pgn --game tictactoe --to jsonl"),
        format!("convert {folder}/games.jsonl --game tictactoe --to pgn"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_nullwindow"))
            .args(line.split(' '))
            .output()
            .unwrap();
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    }
}

#[test]
fn an_early_exit_during_a_game_is_named() {
    // isready is sent at the start, for the new game, and before each move: the fourth is in the
    // middle of a game.
    expect_fault("exit-at-isready", "depth=1", "", "early-exit");
}

#[test]
fn a_closed_output_is_distinguished_from_an_exit() {
    if !has_shell() {
        return;
    }
    let scratch = Scratch::new("closed");
    let script = "while read -r line; do case $line in \
        ugi) echo ugiok;; isready) echo readyok;; \
        'query p1turn') case $p in *moves*) echo response false;; *) echo response true;; esac;; \
        'query gameover') echo response false;; position*) p=$line;; go*) exec >&-; sleep 600;; esac; done";
    let mut arguments = vec![
        "--engine".into(),
        format!("cmd={}", join(&["sh", "-c", script])),
    ];
    arguments.extend(["name=bad", "depth=1"].map(String::from));
    arguments.extend(engine("good", "good", "depth=1"));
    arguments.extend(["--game", "tictactoe", "--openings", "startpos", "--out"].map(String::from));
    arguments.push(scratch.0.display().to_string());
    let output = run(&scratch, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let games = scratch.games();
    assert_eq!(games.len(), 2);
    for game in games {
        assert_eq!(game["reason"], "closed-output", "{game}");
    }
}

#[test]
fn the_clock_does_not_pay_for_the_wait_for_the_exit_of_an_engine_that_closed_its_output() {
    if !has_shell() {
        return;
    }
    let scratch = Scratch::new("closed-once");
    fs::create_dir_all(&scratch.0).unwrap();
    let script = "while read -r line; do case $line in \
        uci) echo uciok;; isready) echo readyok;; position*) p=$line;; quit) exit;; \
        go*) if mkdir \"$NULLWINDOW_ONCE\" 2>/dev/null; then exec >&-; sleep 600; fi; \
        for move in a1 b1 c1 a2 b2 c2 a3 b3 c3; do case $p in *$move*) ;; \
        *) echo \"bestmove $move\"; break;; esac; done;; esac; done";
    let mut arguments = vec![
        "--engine".into(),
        format!("cmd={}", join(&["sh", "-c", script])),
    ];
    // The runner waits two seconds for the exit.
    arguments.extend(["name=bad", "proto=uci", "tc=1.9"].map(String::from));
    arguments.extend(engine("good", "good", "depth=1"));
    let more = "--recover --game tictactoe --openings startpos --out";
    arguments.extend(more.split(' ').map(String::from));
    arguments.push(scratch.0.display().to_string());
    let output = run(&scratch, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let games = scratch.games();
    assert_eq!(games[0]["recovered"][0]["reason"], "closed-output");
    assert!(
        games.len() == 2 && games.iter().all(|game| game["reason"] == "normal"),
        "{games:?}"
    );
}

#[test]
fn unexpected_output_is_not_a_fault() {
    for script in ["megabytes", "stderr", "twice", "ignore-quit", "good"] {
        let scratch = Scratch::new(script);
        let games = play_pair(&scratch, script, "depth=1", "--stall-timeout 60");
        assert!(
            games
                .iter()
                .all(|game| game["reason"] == "normal" && game.get("log").is_none()),
            "{script}: {games:?}"
        );
    }
}

#[test]
fn engines_that_cannot_start_end_the_run() {
    let exit = if cfg!(windows) {
        "exit code: 0"
    } else {
        "exit status: 0"
    };
    for (script, expected) in [
        ("no-ugiok", "no handshake"),
        ("exit-at-first-isready", exit),
    ] {
        let scratch = Scratch::new(script);
        let mut arguments = engine("good", "good", "depth=1");
        arguments.extend(engine(script, "bad", "depth=1"));
        arguments.extend(["--game", "tictactoe", "--out"].map(String::from));
        arguments.push(scratch.0.display().to_string());
        let output = run(&scratch, &arguments);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(
            errors.contains("\"bad\" cannot start") && errors.contains(expected),
            "{errors}"
        );
        assert!(
            errors.contains(&format!("{SCRIPT}{script}")),
            "the command line is not shown: {errors}"
        );
        assert!(scratch.games().is_empty());
    }
    let scratch = Scratch::new("nowhere");
    let mut arguments = engine("good", "good", "depth=1");
    arguments.extend(["--engine", "cmd=/nonexistent/engine", "depth=1", "--out"].map(String::from));
    arguments.push(scratch.0.display().to_string());
    let output = run(&scratch, &arguments);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("/nonexistent/engine"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn a_silent_process_fails_to_start_after_the_stall_timeout() {
    if !has_shell() {
        return;
    }
    let scratch = Scratch::new("silent");
    let mut arguments = ["--engine", "cmd=sleep 600", "name=mute", "depth=1"]
        .map(String::from)
        .to_vec();
    arguments.extend(engine("good", "good", "depth=1"));
    arguments.extend(["--stall-timeout", "0.5", "--game", "tictactoe", "--out"].map(String::from));
    arguments.push(scratch.0.display().to_string());
    let began = Instant::now();
    let output = run(&scratch, &arguments);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(
        errors.contains(
            "\"mute\" cannot start: no answer in time (waiting for ugiok); the start timeout is 0.5 s"
        ),
        "{errors}"
    );
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn settings_that_an_engine_refuses_end_the_run() {
    let scratch = Scratch::new("refused");
    let program = nullwindow::platform::command_line::join(&[env!("CARGO_BIN_EXE_nullwindow")]);
    let out = scratch.0.display().to_string();
    let play = |settings: &str, more: &str| {
        let mut words = vec!["--engine".to_owned(), format!("cmd={program}")];
        let settings = format!("name=A {settings} --engine");
        words.extend(settings.split(' ').map(String::from));
        words.extend([format!("cmd={program}"), "name=B".into()]);
        let more = format!("--each depth=1 --rounds 1 {more} --out");
        words.extend(more.split_whitespace().map(String::from));
        words.push(out.clone());
        let output = run(&scratch, &words);
        (output.status.code(), text(&output.stderr))
    };
    let missing = "info string error: setoption: EvalFile: \"no_file\"";
    for (settings, refusal) in [
        ("option.EvalFile=no_file proto=ugi", missing),
        ("option.EvalFile=no_file proto=uci", missing),
        (
            "option.Nonsense=1 proto=gtp",
            "? unknown command \"Nonsense\"",
        ),
        ("option.depth=x proto=nboard", "status error: "),
    ] {
        let (status, errors) = play(settings, "");
        assert_eq!(status, Some(2), "{errors}");
        let expected = format!("error: engine \"A\" cannot start: it refuses a setting: {refusal}");
        assert!(errors.starts_with(&expected), "{errors}");
        assert!(!scratch.0.exists());
    }
    let lenient = "--lenient --maxmoves 4 --game tictactoe";
    let (status, errors) = play("option.EvalFile=no_file", lenient);
    assert_eq!(status, Some(0), "{errors}");
    assert!(
        errors.contains("warning: engine \"A\": refuses a setting"),
        "{errors}"
    );
}

#[test]
fn an_option_of_another_game_is_an_error() {
    for (settings, other) in [
        ("option.Game=scorefour", Some("scorefour")),
        ("option.UCI_Variant=Othello6", Some("othello6")),
        ("proto=uci option.UCI_Variant=flipello4", Some("othello4")),
        ("proto=uci option.UCI_Variant=FLIPELLO", Some("othello")),
        ("option.game=TicTacToe", None),
    ] {
        let scratch = Scratch::new("option-game");
        let mut words = engine("good", "A", &format!("depth=1 {settings}"));
        words.extend(engine("good", "B", "depth=1"));
        words.extend(["--game", "tictactoe", "--out"].map(String::from));
        words.push(scratch.0.display().to_string());
        let output = run(&scratch, &words);
        let (status, errors) = (output.status.code(), text(&output.stderr));
        let Some(other) = other else {
            assert_eq!(status, Some(0), "{errors}");
            continue;
        };
        assert_eq!(status, Some(2), "{settings}: {errors}");
        let expected = format!(", but the match plays tictactoe: use --game {other}\n");
        assert!(errors.contains(&expected), "{errors}");
        assert!(!scratch.0.exists());
    }
}

#[test]
fn an_option_of_another_game_is_an_error_for_referees_and_checked_engines() {
    let scratch = Scratch::new("option-game-referee");
    let program = env!("CARGO_BIN_EXE_nullwindow");
    let mut words = [
        engine("good", "A", "depth=1"),
        engine("good", "B", "depth=1"),
    ]
    .concat();
    words.extend(
        [
            "--referee",
            &format!("cmd=\"{program}\""),
            "option.Game=othello6",
        ]
        .map(String::from),
    );
    let check = ["--compliance", program, "option.Game=othello6"].map(String::from);
    let file = scratch.0.with_extension("book");
    let _ = fs::remove_file(&file);
    let mut book = Builder::open(&file, by_name("othello6").as_ref()).unwrap();
    book.save().unwrap();
    drop(book);
    let mut with_book = check.clone();
    with_book[2] = format!("book={}", file.display());
    let mut all_with_book = words[..words.len() - 3].to_vec();
    all_with_book.extend(["--option".into(), format!("Book File={}", file.display())]);
    let mut with_weights = check.clone();
    let weights = "/src/games/score_four/eval/plain.txt";
    with_weights[2] = format!("option.evalfile={}{weights}", env!("CARGO_MANIFEST_DIR"));
    for (words, game) in [
        (words, "othello6"),
        (check.into(), "othello6"),
        (with_book.into(), "othello6"),
        (all_with_book, "othello6"),
        (with_weights.into(), "scorefour"),
    ] {
        let output = run(&scratch, &words);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        let expected = format!("but the match plays othello: use --game {game}");
        assert!(errors.contains(&expected), "{errors}");
    }
    fs::remove_file(&file).unwrap();
}

#[test]
fn unknown_engine_options_end_the_run() {
    let scratch = Scratch::new("options");
    let mut arguments = engine("good", "A", "depth=1 option.Gme=othello");
    arguments.extend(engine("good", "B", "depth=1 proto=uci option.Game=go"));
    arguments.extend(engine("optionless", "C", "depth=1"));
    arguments.extend(["--each", "option.Hash=1", "--game", "tictactoe", "--out"].map(String::from));
    arguments.push(scratch.0.display().to_string());
    let expected = [
        "engine \"A\": unknown option \"Hash\"; its options are Game",
        "engine \"A\": unknown option \"Gme\"; did you mean \"Game\"?",
        "engine \"B\": unknown option \"Hash\"; its options are Game",
        "engine \"B\": option \"Game\": invalid value \"go\", expected one of tictactoe",
    ];
    let output = run(&scratch, &arguments);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert_eq!(
        errors,
        format!(
            "error: {}\n(use --lenient to turn this into a warning)\n",
            expected.join("\n")
        )
    );
    assert!(
        !scratch.0.exists(),
        "the folder is there before the first game"
    );
    // With --lenient the match is played; the same lines are on standard error, after the results
    // and in the report.
    arguments.retain(|word| word != "option.Game=go" && word != "option.Gme=othello");
    arguments.push("--lenient".into());
    let output = run(&scratch, &arguments);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    let mut report = runner(
        &scratch,
        &["--report".into(), scratch.0.display().to_string()],
    );
    assert!(report.output().unwrap().status.success());
    let html = fs::read_to_string(scratch.0.join("report.html")).unwrap();
    for line in [expected[0], expected[2]] {
        let warning = format!("warning: {line}\n");
        assert!(
            errors.contains(&warning) && text(&output.stdout).contains(&warning),
            "{errors}"
        );
        assert!(
            html.contains(&warning.trim().replace('"', "&quot;")),
            "{html}"
        );
    }
    assert!(!errors.contains("\"C\""), "{errors}");
}

#[test]
fn recover_continues_the_game() {
    // It crashes in one search only; with --recover that game is played to its end.
    let scratch = Scratch::new("recover");
    fs::create_dir_all(&scratch.0).unwrap();
    let games = play_pair(&scratch, "crash-once", "depth=1", "--recover");
    assert_eq!(games.len(), 2);
    assert!(
        games.iter().all(|game| game["reason"] == "normal"),
        "{games:?}"
    );
    let recovered: Vec<_> = games
        .iter()
        .filter_map(|game| game["recovered"].as_array())
        .flatten()
        .collect();
    assert_eq!(recovered.len(), 1);
    assert_eq!(recovered[0]["reason"], "crash");
    let abnormal = games.iter().find(|game| game.get("log").is_some()).unwrap();
    let log = fs::read_to_string(scratch.0.join(abnormal["log"].as_str().unwrap())).unwrap();
    // The log has both processes of the engine: the crashed one and its replacement.
    assert!(
        log.contains("recovered at ply") && log.matches(" < ugi\n").count() >= 3,
        "{log}"
    );
    // An engine that crashes again loses.
    expect_fault("crash", "nodes=7", "--recover", "crash");
}

#[test]
fn uci_and_nboard_engines_play_whole_games() {
    let scratch = Scratch::new("uci");
    let games = play_pair(&scratch, "good", "depth=1 proto=uci", "");
    assert!(games.iter().all(|game| game["reason"] == "normal"));
    for script in ["nboard", "edax"] {
        let scratch = Scratch::new(script);
        let games = play_othello(&scratch, script, "proto=nboard").1;
        assert!(
            games
                .iter()
                .all(|game| game["reason"] == "normal" && game["discs"].is_i64()),
            "{games:?}"
        );
        let ggf = fs::read_to_string(scratch.0.join("games.ggf")).unwrap();
        assert!(ggf.lines().all(|line| line.contains("/1.50/")), "{ggf}");
    }
}

#[test]
fn an_illegal_move_is_logged_with_the_engine_s_line() {
    let scratch = Scratch::new("edax-illegal");
    for game in play_othello(&scratch, "edax-illegal", "proto=nboard").1 {
        assert_eq!(game["reason"], "illegal-move", "{game}");
        let log = fs::read_to_string(scratch.0.join(game["log"].as_str().unwrap())).unwrap();
        let fault = log
            .lines()
            .find(|line| line.starts_with("fault of "))
            .unwrap();
        assert!(
            fault.ends_with("from the line \"=== A1 0.00 0.0\""),
            "{fault}"
        );
        assert!(
            log.lines().any(|line| line.ends_with(" > === A1 0.00 0.0")),
            "{log}"
        );
    }
}

#[test]
fn limits_a_protocol_cannot_express_are_noted() {
    let scratch = Scratch::new("unsupported-limits");
    let note = "note: edax (nboard) does not receive these limits: clock 5+0.5, nodes 10\n";
    let printed = play_othello(&scratch, "edax", "proto=nboard tc=5+0.5 nodes=10 depth=3").0;
    assert_eq!(
        printed.matches(note).count(),
        2,
        "before the first game and with the results: {printed}"
    );
    assert!(!printed.contains("note: good"), "{printed}");
    let mut report = runner(
        &scratch,
        &["--report".into(), scratch.0.display().to_string()],
    );
    assert!(report.output().unwrap().status.success());
    let html = fs::read_to_string(scratch.0.join("report.html")).unwrap();
    assert!(html.contains(note.trim()), "{html}");
    // The lowest clock of the engine that has one.
    let clock = printed
        .lines()
        .find(|line| line.starts_with("edax: lowest clock: "))
        .unwrap();
    assert!(
        clock.ends_with(" % of the main time") && html.contains(clock),
        "{printed}"
    );
}
