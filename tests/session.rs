//! Sessions with the binary: the order of replies, stopping and exiting, slow and closed outputs.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::{
    Engine, PATIENCE, at_once, command, converse, normalized, skip, wait, without_keep_alive,
};
use nullwindow::games::any::NAMES;

/// The word after a key in an info line.
fn value<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    let mut words = line.split(' ').skip_while(|word| *word != key);
    words.next()?;
    words.next()
}

#[test]
fn nothing_is_printed_before_the_first_command() {
    let mut engine = Engine::start(&[]);
    assert_eq!(engine.line_within(Duration::from_millis(300)), None);
    assert_eq!(engine.ask("isready", "readyok"), "readyok");
}

#[test]
fn stop_ends_an_infinite_search_a_hundred_times_in_a_row() {
    let mut engine = Engine::start(&[]);
    let mut slowest = Duration::ZERO;
    for round in 0..100 {
        engine.send("go infinite");
        if round % 2 == 0 {
            engine.until("info depth"); // else: stopped before its first line
        }
        let asked = Instant::now();
        let best = engine.best_move("stop");
        slowest = slowest.max(asked.elapsed());
        assert!(["d3", "c4", "f5", "e6"].contains(&best.as_str()), "{best}");
    }
    assert!(slowest < PATIENCE, "{slowest:?}");
    println!("slowest of 100 answers to stop: {slowest:?}");
    // A stop while idle prints nothing and does not affect later searches.
    engine.send("stop");
    engine.send("go depth 3");
    let lines = engine.until("bestmove");
    assert!(
        lines.iter().any(|line| line.starts_with("info depth 3 ")),
        "{lines:?}"
    );
    assert_eq!(engine.ask("isready", ""), "readyok");
}

#[test]
fn isready_is_answered_during_a_search_and_other_commands_wait() {
    let mut engine = Engine::start(&[]);
    engine.send("go infinite");
    engine.until("info depth 2 ");
    engine.send("query p1turn");
    engine.send("position startpos moves f5");
    engine.send("query p1turn");
    for _ in 0..20 {
        let lines = {
            engine.send("isready");
            engine.until("readyok")
        };
        assert!(
            lines
                .iter()
                .all(|line| line == "readyok" || line.starts_with("info ")),
            "{lines:?}"
        );
    }
    engine.send("stop");
    engine.until("bestmove");
    assert_eq!(engine.line(), "response true");
    assert_eq!(engine.line(), "response false");
}

#[test]
fn an_infinite_search_of_a_solved_game_prints_keep_alive_lines_until_stop() {
    let mut engine = Engine::start(&["--game", "tictactoe"]);
    engine.send("go infinite");
    engine.until("info depth 9 ");
    let (mut last, mut seen) = (0, 0);
    let end = Instant::now() + Duration::from_millis(3_500);
    while Instant::now() < end {
        if let Some(line) = engine.line_within(Duration::from_millis(100)) {
            assert!(line.starts_with("info "), "{line}");
            let time: u64 = value(&line, "time").unwrap().parse().unwrap();
            assert!(time >= last, "{line}");
            last = time;
            seen += 1;
        }
    }
    assert!(seen >= 3, "{seen} lines in three and a half seconds");
    engine.send("stop");
    let lines = engine.until("bestmove");
    assert_eq!(lines[lines.len() - 2], "info string exact");
}

#[test]
fn depth_nodes_and_time_never_fall_and_the_last_line_names_the_best_move() {
    let searches = [(1, "othello"), (4, "othello"), (4, "scorefour")];
    at_once(searches, |(threads, game)| {
        let mut engine = Engine::start(&["--game", game]);
        engine.send(&format!("setoption name Threads value {threads}"));
        engine.send("go movetime 3000");
        let lines = engine.until("bestmove");
        let (mut last, mut pv, mut root_moves) = ([0u64; 4], String::new(), 0);
        for line in lines.iter().filter(|line| line.starts_with("info depth")) {
            if let Some(m) = value(line, "currmove") {
                let [depth, number]: [u64; 2] = ["depth", "currmovenumber"]
                    .map(|key| value(line, key).unwrap().parse().unwrap());
                assert!(
                    depth >= last[0] && (1..=16).contains(&number) && m.len() == 2,
                    "{line} after {last:?}"
                );
                root_moves += 1;
                continue;
            }
            let now = ["depth", "seldepth", "nodes", "time"]
                .map(|key| value(line, key).unwrap().parse().unwrap());
            assert!(
                now.iter().zip(last).all(|(&now, last)| now >= last),
                "{threads}: {line} after {last:?}"
            );
            last = now;
            pv = value(line, "pv").unwrap().into();
            let score: i32 = value(line, "cp").unwrap().parse().unwrap();
            assert!(score.abs() <= 6_400, "{line}");
            let hashfull: u32 = value(line, "hashfull").unwrap().parse().unwrap();
            assert!(hashfull <= 1_000, "{line}");
        }
        assert_eq!(lines.last().unwrap(), &format!("bestmove {pv}"));
        assert!(
            (1..=11).contains(&root_moves),
            "{threads}: {root_moves} root moves named in two seconds"
        );
    });
}

#[test]
fn a_proven_score_repeated_after_a_bound_has_its_depth() {
    let mut engine = Engine::start(&["--game", "scorefour"]);
    let moves = "d3a2d4c1a2d3a4d1a1d3a4a1d1b2c3b2b2c3d4a3a3a2a3c3d2d3b1c1";
    engine.send(&format!("position fen {moves}\ngo depth 40 nodes 600000"));
    let lines = engine.until("bestmove");
    let of_line = |line: &String| value(line, "depth").unwrap().parse::<u8>().unwrap();
    let bound = lines.iter().rfind(|line| line.contains("lowerbound"));
    let last = lines.iter().rfind(|line| line.starts_with("info depth"));
    assert!(lines.contains(&"info string wld".into()), "{lines:?}");
    assert!(
        of_line(last.unwrap()) >= of_line(bound.unwrap()),
        "{lines:?}"
    );
}

#[test]
fn a_search_without_a_completed_iteration_prints_no_bounds() {
    let mut engine = Engine::start(&[]);
    let moves = "e6d6c7d7c3b8d8e7f6f5b6c6f4g6c8b2b7g5c4f8a8e3g4d3f3h4e8g2c5a7\
                 h5h6e2f2f1f7h3d2b4b5a4g3g8d1a6";
    engine.send("setoption name Algorithm value mtdf\nsetoption name Deepening value false");
    engine.send(&format!("position startpos moves {moves}"));
    engine.send("go nodes 470000 searchmoves h2 a5");
    let lines = engine.until("bestmove");
    let infos = lines.iter().filter(|line| line.starts_with("info depth"));
    let depths: Vec<&str> = infos.filter_map(|line| value(line, "depth")).collect();
    assert!(!depths.is_empty(), "{lines:?}");
    assert!(depths.iter().all(|&depth| depth == "0"), "{lines:?}");
}

#[test]
fn quit_answers_earlier_commands_and_exits() {
    let mut engine = Engine::start(&[]);
    engine.send("go infinite");
    engine.until("info depth 2 ");
    engine.send("go depth 4\nquit\nisready");
    let asked = Instant::now();
    let lines = engine.rest();
    assert!(engine.wait().success());
    let taken = asked.elapsed();
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.starts_with("bestmove"))
            .count(),
        2,
        "{lines:?}"
    );
    assert!(!lines.contains(&"readyok".into()));
    assert!(taken < PATIENCE, "{taken:?}");
    println!("quit took {taken:?}");
}

#[test]
fn the_end_of_input_lets_limited_searches_run_and_stops_infinite_ones() {
    let input =
        b"go depth 5\nposition startpos moves f5\ngo nodes 20000\ngo infinite\nquery p1turn";
    let (lines, status) = converse(&[], input);
    assert!(status.success());
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.starts_with("bestmove"))
            .count(),
        3,
        "{lines:?}"
    );
    assert!(lines.iter().any(|line| line.starts_with("info depth 5 ")));
    assert_eq!(lines.last().unwrap(), "response false");
    // It has searched at least one ply, although the input ended at once.
    for input in [&b"go\n"[..], b"go depth 1\ngo infinite"] {
        let (lines, _) = converse(&[], input);
        assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:?}");
        let last_score = lines.iter().rfind(|line| line.contains(" score ")).unwrap();
        assert!(!last_score.starts_with("info depth 0 "), "{lines:?}");
    }
}

#[test]
fn commands_are_executed_while_the_output_is_blocked() {
    let mut child = command()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // Fill the pipe (64 KiB) and far more with answers, and info lines, without reading any.
    let mut text = String::from("go infinite\n");
    for _ in 0..5_000 {
        text.push_str("isready\n");
    }
    text.push_str("stop\n");
    for _ in 0..300 {
        text.push_str("ugi\ngo depth 4\n");
    }
    input.write_all(text.as_bytes()).unwrap();
    drop(input);
    std::thread::sleep(Duration::from_millis(1_500));
    let mut output = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut output)
        .unwrap();
    assert!(wait(&mut child).success());
    let count = |word: &str| output.lines().filter(|line| line.starts_with(word)).count();
    assert_eq!(count("readyok"), 5_000);
    assert_eq!(count("ugiok"), 300);
    assert_eq!(count("bestmove"), 301);
    // Each bestmove is preceded by an info line with that move.
    let mut pv = None;
    for line in output.lines() {
        if let Some(best) = line.strip_prefix("bestmove ") {
            assert_eq!(pv.take(), Some(best));
        } else if let Some(first) = value(line, "pv") {
            pv = Some(first);
        }
    }
}

#[test]
fn quit_does_not_wait_for_a_reader_that_has_stopped_reading() {
    let mut child = command()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all("ugi\n".repeat(500).as_bytes()).unwrap(); // several hundred KiB of answers
    input.write_all(b"go infinite\n").unwrap();
    std::thread::sleep(Duration::from_millis(500));
    input.write_all(b"quit\n").unwrap();
    let asked = Instant::now();
    assert!(wait(&mut child).success());
    println!("quit with a blocked reader took {:?}", asked.elapsed());
}

#[test]
fn a_closed_output_ends_a_searching_process_without_an_error() {
    for commands in ["go infinite\n", "setoption name Game value tictactoe\ngo\n"] {
        let mut child = command()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap(); // stays open
        input.write_all(commands.as_bytes()).unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut String::new()).unwrap();
        drop(output);
        let status = wait(&mut child);
        assert!(status.success(), "{status:?}");
        let mut complaints = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut complaints)
            .unwrap();
        assert_eq!(complaints, "");
    }
}

#[test]
fn a_full_output_is_an_error() {
    let Ok(full) = std::fs::File::create("/dev/full") else {
        return skip("there is no /dev/full");
    };
    for arguments in [
        &[][..],
        &["--help"],
        &["help", "solve"],
        &["--version"],
        &["perft", "3"],
        &["convert", "--to", "obf", "-"],
    ] {
        let mut process = command()
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(full.try_clone().unwrap())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The help does not read it.
        let input: &[u8] = match arguments {
            [] => b"isready\n",
            _ => b"f5d6\n",
        };
        let _ = process.stdin.take().unwrap().write_all(input);
        let output = process.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.starts_with("error: standard output: "),
            "{arguments:?}: {said}"
        );
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
#[cfg(debug_assertions)]
fn a_panic_of_the_search_thread_aborts_the_process() {
    let mut child = command()
        .env("NULLWINDOW_FAULT", "search")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"isready\ngo depth 1\n").unwrap();
    let status = wait(&mut child); // the input is still open: only the abort can have ended it
    let aborted = if cfg!(unix) {
        status.to_string().contains("signal: 6")
    } else {
        !status.success()
    };
    assert!(aborted, "{status:?}");
    let mut complaints = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut complaints)
        .unwrap();
    assert!(
        complaints.contains("requested by NULLWINDOW_FAULT"),
        "{complaints}"
    );
}

/// A limit of processes, `ulimit -u`, has no effect on a privileged user.
#[test]
#[cfg(target_os = "linux")]
fn a_thread_that_cannot_start_is_an_error() {
    let output = command()
        .env("RUST_MIN_STACK", (1_u64 << 50).to_string()) // more than there are addresses
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(
        errors.starts_with("error: cannot start a thread: "),
        "{errors}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn every_thread_keeps_a_raised_priority() {
    let mut child = std::process::Command::new("nice")
        .args(["-n", "-1", env!("CARGO_BIN_EXE_nullwindow")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null()) // the refusal to a user without privileges
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input
        .write_all(b"setoption name Threads value 2\ngo infinite\n")
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let is_searching = |line: std::io::Result<String>| line.unwrap().starts_with("info depth 8 ");
    assert!(output.any(is_searching));
    let mut priorities = Vec::new();
    let nice = |stat: String| {
        let (_, fields) = stat.rsplit_once(") ").unwrap();
        let nice = fields.split(' ').nth(16).unwrap();
        nice.parse::<i32>().unwrap()
    };
    for task in std::fs::read_dir(format!("/proc/{}/task", child.id())).unwrap() {
        // An error: a thread that has just ended.
        priorities.extend(std::fs::read_to_string(task.unwrap().path().join("stat")).map(nice));
    }
    input.write_all(b"quit\n").unwrap();
    drop(output);
    child.wait().unwrap();
    let own = nice(std::fs::read_to_string("/proc/self/stat").unwrap());
    if priorities.iter().all(|nice| *nice == own) {
        return crate::common::skip("no privilege to raise the priority");
    }
    // The main thread, those that read, write and search, and a helper.
    assert!(priorities.len() >= 5, "{priorities:?}");
    assert!(
        priorities.iter().all(|nice| *nice == priorities[0]),
        "{priorities:?}"
    );
}

#[test]
fn the_same_nodes_after_every_new_game() {
    for game in ["othello", "othello6", "diamond", "scorefour"] {
        let mut engine = Engine::start(&["--game", game]);
        let mut runs = Vec::new();
        for new_game in [
            "ucinewgame",
            "uginewgame",
            "uginewgame",
            "setoption name Clear Hash",
        ] {
            engine.send(new_game);
            engine.send("go nodes 100000");
            let lines = engine.until("bestmove");
            let nodes = lines
                .iter()
                .filter_map(|line| value(line, "nodes")?.parse::<u64>().ok())
                .max()
                .unwrap();
            assert!(nodes <= 101_000, "{game}: {nodes}");
            let lines: Vec<_> = without_keep_alive(lines)
                .iter()
                .map(|line| normalized(line))
                .collect();
            runs.push((nodes, lines));
        }
        assert!(
            runs.windows(2).all(|pair| pair[0] == pair[1]),
            "{game}: {runs:#?}"
        );
    }
}

#[test]
fn a_search_does_not_depend_on_an_earlier_game() {
    // The same bits are positions of 6x6 and of 4x4.
    let small = "position fen ooo1/1ox1/oxx1/x1x1 x";
    let mut fresh = Engine::start(&["--game", "othello4"]);
    let mut changed = Engine::start(&["--game", "othello6"]);
    changed.send("position fen ooo3/1ox3/oxx3/x1x3/6/6 x");
    changed.send("go depth 7");
    changed.until("bestmove");
    changed.send("setoption name Game value othello4");
    let last_lines = [&mut fresh, &mut changed].map(|engine| {
        engine.send(small);
        last_line(engine, "go exact").0
    });
    assert!(last_lines[0].contains("score cp -800"), "{last_lines:?}");
    assert_eq!(last_lines[0], last_lines[1]);
}

#[test]
fn a_search_does_not_depend_on_earlier_weights() {
    let plain = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/games/score_four/eval/plain.txt"
    );
    let mut fresh = Engine::start(&[
        "--game",
        "scorefour",
        "--option",
        &format!("EvalFile={plain}"),
    ]);
    let mut changed = Engine::start(&["--game", "scorefour"]);
    changed.send("go depth 6");
    changed.until("bestmove");
    changed.send(&format!("setoption name EvalFile value {plain}"));
    assert_eq!(
        last_line(&mut fresh, "go depth 5"),
        last_line(&mut changed, "go depth 5")
    );
}

/// The last line of a search without its times, and the nodes that it reports.
fn last_line(engine: &mut Engine, go: &str) -> (String, u64) {
    engine.send(go);
    let lines = engine.until("bestmove");
    let last = lines
        .iter()
        .rfind(|line| value(line, "nodes").is_some())
        .unwrap();
    (
        normalized(last),
        value(last, "nodes").unwrap().parse().unwrap(),
    )
}

#[test]
fn a_search_that_the_clock_ended_is_repeated_by_its_nodes() {
    // Thirteen empties, where the clock ends kernels, too.
    let late = "fen OXXXXXXXOXXXXOXXOXOOOXXXOOXOXXXX-OOOOXXXOOOOXXX----OOO-----O-O-- X";
    for (game, position) in [
        ("othello", "startpos"),
        ("othello", late),
        ("othello6", "startpos"),
        ("scorefour", "startpos"),
    ] {
        for limit in [
            "movetime 25",
            "p1time 600 p2time 600 p1inc 3 p2inc 3",
            "depth 40 movetime 15",
        ] {
            let arguments = ["--game", game, "--option", "Hash=1"];
            let (mut timed, mut exact) = (Engine::start(&arguments), Engine::start(&arguments));
            exact.send("setoption name Exact Nodes value true");
            for engine in [&mut timed, &mut exact] {
                assert_eq!(engine.ask("isready", "readyok"), "readyok");
                engine.send(&format!("position {position}"));
            }
            for _ in 0..2 {
                let (line, nodes) = last_line(&mut timed, &format!("go {limit}"));
                let repeated = last_line(&mut exact, &format!("go {limit} nodes {nodes}"));
                assert_eq!(repeated, (line, nodes), "{game} {position} {limit}");
            }
            // Both have left the same table.
            assert_eq!(
                last_line(&mut timed, "go depth 7"),
                last_line(&mut exact, "go depth 7"),
                "{game} {limit}"
            );
        }
    }
}

#[test]
fn a_search_that_ended_with_an_iteration_is_repeated_by_its_nodes() {
    for algorithm in ["alphabeta", "failsoft", "negascout", "mtdf"] {
        let option = format!("Algorithm={algorithm}");
        let start = || Engine::start(&["--option", &option, "--option", "Exact Nodes=true"]);
        let (mut ended, mut exact) = (start(), start());
        for engine in [&mut ended, &mut exact] {
            engine.send("position startpos moves f5 d6 c3 d3 c4 f4 f6");
        }
        let (line, nodes) = last_line(&mut ended, "go depth 6");
        let repeated = last_line(&mut exact, &format!("go nodes {nodes}"));
        assert_eq!(repeated, (line, nodes), "{algorithm}");
        // Both have left the same table, also where it would have grown at the next node.
        assert_eq!(
            last_line(&mut ended, "go depth 7"),
            last_line(&mut exact, "go depth 7"),
            "{algorithm}"
        );
    }
}

#[test]
fn exact_nodes_are_exact_and_no_clock_ends_them() {
    let games = ["othello", "othello6", "scorefour"];
    for (game, deepening) in games
        .iter()
        .flat_map(|game| [(game, "true"), (game, "false")])
    {
        let mut engine = Engine::start(&["--game", game, "--option", "Exact Nodes=true"]);
        engine.send(&format!("setoption name Deepening value {deepening}"));
        for nodes in [1, 2, 99, 1_000, 1_001, 12_345, 100_000] {
            engine.send("uginewgame");
            let (_, visited) = last_line(
                &mut engine,
                &format!("go nodes {nodes} movetime 1 p1time 1"),
            );
            assert_eq!(visited, nodes, "{game}, deepening {deepening}");
        }
    }
}

#[test]
fn hidden_passes_are_not_part_of_the_history() {
    let mut engine = Engine::start(&["--option", "PassMove=implicit"]);
    engine.send("position fen 8/8/8/8/8/8/xo6/8 o");
    assert_eq!(engine.ask("query history", ""), "response none");
    engine.send("moves c7");
    assert_eq!(engine.ask("query history", ""), "response c7");
    engine.send("undo");
    assert_eq!(engine.ask("query history", ""), "response none");
}

#[test]
fn undo_is_refused_if_only_hidden_passes_were_played() {
    let mut engine = Engine::start(&["--option", "PassMove=implicit"]);
    engine.send("position fen 2o5/8/8/8/8/8/ox6/7x x moves pass");
    let before = engine.ask("query history", "");
    let position = engine.ask("query fen", "");
    engine.send("undo");
    assert_eq!(engine.line(), "info string error: undo: no move to undo");
    assert_eq!(engine.ask("query history", ""), before);
    assert_eq!(engine.ask("query fen", ""), position);
}

#[test]
fn the_engine_plays_a_whole_game_of_each_kind_against_itself() {
    for game in NAMES {
        for pass in ["pass", "0000", "implicit"] {
            let mut engine =
                Engine::start(&["--game", game, "--option", &format!("PassMove={pass}")]);
            engine.send("uginewgame");
            let mut moves = String::new();
            let mut plies = 0;
            loop {
                engine.send(&format!("position startpos moves{moves}"));
                if engine.ask("query gameover", "") == "response true" {
                    break;
                }
                let legal = engine.ask("query legalmoves", "response ");
                let best =
                    engine.best_move(["go depth 2", "go nodes 300", "go movetime 1"][plies % 3]);
                assert!(
                    legal.split(' ').skip(1).any(|m| m == best),
                    "{game}: {best} of {legal}"
                );
                assert!(pass != "implicit" || best != "pass");
                assert_eq!(
                    engine.ask(&format!("query islegal {best}"), ""),
                    "response true"
                );
                moves = format!("{moves} {best}");
                plies += 1;
            }
            assert!(plies >= 5, "{game}: {moves}");
            let result = engine.ask("query result", "");
            assert!(
                ["response p1win", "response p2win", "response draw"].contains(&result.as_str()),
                "{result}"
            );
            assert_eq!(engine.ask("query legalmoves", ""), "response none");
            // In a finished game every go is answered at once, also an infinite one.
            for go in ["go infinite", "go depth 3", "go p1time 100 p2time 100"] {
                engine.send(go);
                let lines = engine.until("bestmove");
                assert!(
                    lines[0].starts_with("info depth 0 seldepth 0 score cp "),
                    "{lines:?}"
                );
                assert_eq!(lines[1..], ["info string exact", "bestmove 0000"]);
            }
        }
    }
}

#[test]
fn interactive_commands_are_accepted_and_keys_are_ignored() {
    let (lines, status) = converse(
        &["--game", "tictactoe"],
        b"moves a1\n\x1b[A\n\x1b[Dquery fen\nnew\x1bOB\nquery fen\n",
    );
    assert_eq!(lines, ["response 3/3/x2 o", "response 3/3/3 x"]);
    assert!(status.success());
    for protocol in ["ugi", "uci"] {
        let [d, board] =
            ["d\n", "board\n"].map(|line| converse(&["--protocol", protocol], line.as_bytes()).0);
        assert!(d.len() > 8 && d == board, "{protocol}: {board:?}");
    }
    for protocol in ["ugi", "uci", "gtp", "nboard"] {
        let (lines, _) = converse(&["--protocol", protocol], b"\x1b[A\x1b[B\n\x1b[1;5D\n");
        assert_eq!(lines, Vec::<String>::new(), "{protocol}");
    }
    let mut engine = Engine::start(&[]);
    engine.send("go infinite");
    engine.send("exit");
    assert!(engine.wait().success());
}

#[test]
fn command_lines_are_checked() {
    let run = |arguments: &[&str]| {
        let output = command()
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let (code, out, err) = run(&["--option", "Hash=abc"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(
        err.contains("Hash: invalid value \"abc\", expected a whole number from 1 to 65536"),
        "{err}"
    );
    assert_eq!(run(&["--game", "chess"]).0, Some(2));
    assert_eq!(run(&["--protocol", "xboard"]).0, Some(2));
    assert_eq!(run(&["perft"]).0, Some(2));
    assert_eq!(run(&["perft", "3", "--position", "nonsense"]).0, Some(2));
    assert_eq!(run(&[]), (Some(0), String::new(), String::new()));
    let (code, out, _) = run(&["perft", "--game", "othello4", "8"]);
    assert_eq!(
        (code, out.as_str()),
        (Some(0), "perft 8 total 9112 with ended games 9116\n")
    );
    let (code, out, _) = run(&["--option", "Game=tictactoe", "perft", "2", "--divide"]);
    assert_eq!(code, Some(0));
    assert_eq!(out.lines().count(), 10);
    assert_eq!(out.lines().last(), Some("perft 2 total 72"));
    let (code, _, err) = run(&[
        "--game",
        "othello",
        "--option",
        "Game=tictactoe",
        "perft",
        "2",
    ]);
    assert!(
        code == Some(2) && err.contains("--game othello and --option Game=tictactoe"),
        "{err}"
    );
}

#[test]
fn clear_hash_forgets_the_line_of_a_proven_result() {
    let search = "position startpos moves a1\ngo movetime 60000\n";
    let input = format!(
        "setoption name Game value tictactoe\n{search}{search}setoption name Clear Hash\n{search}"
    );
    let (lines, _) = converse(&[], input.as_bytes());
    let searches = lines.split(|line| line.starts_with("bestmove"));
    let nodes =
        searches.filter_map(|lines| lines.iter().rev().find_map(|line| value(line, "nodes")));
    let nodes: Vec<&str> = nodes.collect();
    assert!(
        nodes.len() == 3 && nodes[0] == nodes[2] && nodes[0] != nodes[1],
        "{lines:?}"
    );
}
