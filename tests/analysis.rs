//! The output during a search: infinite analysis deepens and prints at least one line per second;
//! `go mate`; pondering; the table of the first search.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::{Engine, at_once, converse, is_emulated, skip, without_keep_alive};
use nullwindow::games::any::{self, AnyGame};
use nullwindow::games::dispatch;
use nullwindow::search::stop::SearchControl;
use nullwindow::search::table::Table;
use nullwindow::search::{Limits, Observer, Progress, Settings};

/// The word after a key in a line.
fn value<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    line.split(' ').skip_while(|word| *word != key).nth(1)
}

/// The deepest finished iteration of each selectivity level (in percent), when the search is
/// stopped after `nodes`.
fn depths_by_level(game: &AnyGame, limits: &Limits, nodes: u64) -> [u8; 101] {
    let mut depths = [0; 101];
    let control = Arc::<SearchControl>::default();
    let stop = control.clone();
    let mut report = |progress: &Progress| {
        let finished = progress.bound == nullwindow::game::score::Bound::Exact;
        if progress.counters.nodes > nodes {
            stop.stop();
        } else if finished {
            let deepest = &mut depths[usize::from(progress.selectivity)];
            *deepest = progress.depth.max(*deepest);
        }
    };
    let mut observer = Observer {
        control,
        report: Some(&mut report),
        trace: None,
    };
    let table = Table::new(16);
    dispatch::think(
        game.position(),
        &Settings::default(),
        &table,
        limits,
        &mut observer,
    );
    depths
}

#[test]
fn unlimited_analysis_finishes_the_depths_that_limited_analysis_does() {
    const NODES: u64 = 150_000;
    for name in any::NAMES {
        for (plies, multi_pv) in [(0, 1), (0, 3), (12, 1), (12, 3)] {
            let mut game = any::by_name(name).unwrap();
            for ply in 0..plies {
                let moves = game.moves();
                if let Some(&m) = moves.get(ply % moves.len().max(1)) {
                    game.play(m).unwrap();
                }
            }
            if game.moves().is_empty() {
                continue;
            }
            let limits = Limits {
                multi_pv,
                ..Limits::default()
            };
            let limited = depths_by_level(
                &game,
                &Limits {
                    multi_pv,
                    ..Limits::to_nodes(NODES)
                },
                NODES,
            );
            let unlimited = depths_by_level(&game, &limits, NODES);
            assert!(limited.iter().any(|&depth| depth > 0));
            for (level, (limited, unlimited)) in limited.iter().zip(unlimited).enumerate() {
                let note = format!("{name} after {plies}, MultiPV {multi_pv}, level {level}");
                assert!(
                    unlimited + 2 >= *limited,
                    "{note}: {unlimited}, limited {limited}"
                );
            }
        }
    }
}

#[test]
fn every_info_line_has_a_score_and_a_pv_and_comes_in_time() {
    // Searches with a long iteration: endgames, and the solvers of the small boards and of Score
    // Four.
    let searches = [
        ("othello6", "position startpos", "go exact"),
        ("scorefour", "position startpos", "go exact"),
        (
            "othello",
            "position startpos moves f5d6c3d3c4f4c5b3c2e6c6b4",
            "moves depth 24",
        ),
        (
            "othello",
            "position startpos moves f5d6c3d3c4f4c5b3c2e6c6b4",
            "go exact",
        ),
        ("othello", "position startpos", "go infinite"),
    ];
    let cases = [("ugi", &searches[..]), ("uci", &searches[3..])];
    let cases = cases
        .into_iter()
        .flat_map(|(protocol, searches)| searches.iter().map(move |search| (protocol, search)));
    at_once(cases, |(protocol, &(game, position, go))| {
        let mut engine = Engine::start(&["--protocol", protocol, "--game", game]);
        engine.send(position);
        engine.ask("isready", "readyok");
        engine.send(go);
        let begun = Instant::now();
        let mut lines = 0;
        while begun.elapsed() < Duration::from_millis(2_200) {
            // `isready` must not delay the line.
            engine.send("isready");
            let waited = Instant::now();
            loop {
                // The interval is one second; the test tolerates more on a loaded machine.
                let line =
                    engine.line_within(Duration::from_secs(5).saturating_sub(waited.elapsed()));
                let line = line.unwrap_or_else(|| panic!("{protocol} {game} {go}: silent"));
                let root_move = value(&line, "currmove").is_some();
                if line.starts_with("info depth ") && !root_move {
                    for key in ["seldepth", "score", "nodes", "hashfull", "time", "pv"] {
                        assert!(
                            value(&line, key).is_some(),
                            "{protocol} {game} {go}: no {key} in {line}"
                        );
                    }
                    lines += 1;
                    break;
                }
                assert!(
                    root_move || line.starts_with("info string depth ") || line == "readyok",
                    "{line}"
                );
            }
        }
        assert!(lines >= 2, "{protocol} {game} {go}: {lines} lines");
        engine.send("stop");
        engine.until(if go.starts_with("go") {
            "bestmove"
        } else {
            "moves "
        });
    });
}

/// Filling a table would take longer than a short search.
#[test]
fn the_first_search_uses_little_memory_of_a_large_table() {
    if cfg!(not(target_os = "linux")) || is_emulated() {
        return skip("reads the resident memory of a process from /proc");
    }
    for greeting in [
        "",
        "isready\n",
        "uginewgame\n",
        "setoption name Hash value 2048\n",
    ] {
        let mut engine = Engine::start(&["--option", "Hash=1024"]);
        engine.send(&format!("{greeting}go depth 6"));
        engine.until("bestmove");
        let status = std::fs::read_to_string(format!("/proc/{}/status", engine.child.id()));
        let status = status.expect("the engine runs");
        let resident = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = resident.and_then(|text| text.split_whitespace().next()?.parse().ok());
        let kibibytes: u64 = kibibytes.expect("the peak of the resident memory");
        assert!(kibibytes < 400 << 10, "{greeting}: {kibibytes} KiB");
    }
}

#[test]
fn go_mate_prints_its_result_before_and_after_the_end_of_input() {
    // The first move of the win; without one, the depth that excludes it, or that of the position.
    for (game, position, mate, first, depth) in [
        ("tictactoe", "xx1/oo1/3 x", "1", Some("c3"), 1),
        ("tictactoe", "xx1/oo1/3 x", "9 depth 9", Some("c3"), 1),
        ("tictactoe", "x1o/3/2x o", "2", None, 3),
        ("tictactoe", "x2/1o1/3 x", "3", None, 5),
        ("tictactoe", "x2/1o1/3 x", "255", None, 7),
        ("tictactoe", "xxo/1ox/3 o", "1", Some("a1"), 1),
        // Lost in two plies.
        ("tictactoe", "x1x/1o1/o1x o", "4", None, 3),
        (
            "scorefour",
            "xxx1/ooo1/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x",
            "1",
            Some("d1"),
            1,
        ),
        (
            "scorefour",
            "4/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x",
            "2",
            None,
            3,
        ),
        ("othello4", "4/1ox1/1xo1/4 x", "2", None, 3),
        (
            "othello",
            "8/8/8/3ox3/3xo3/8/8/8 x",
            "3 movetime 60000",
            None,
            5,
        ),
    ] {
        let script = format!("position fen {position}\ngo mate {mate}");
        let mut engine = Engine::start(&["--game", game]);
        engine.send(&script);
        let open = engine.until("bestmove");
        let (ended, _) = converse(&["--game", game], script.as_bytes());
        for lines in [open, ended] {
            let what = format!("{game} {position}: {lines:?}");
            let line = lines.iter().rfind(|line| line.contains(" pv ")).unwrap();
            let reached = value(line, "depth").unwrap().parse::<u8>().unwrap();
            assert!(reached <= depth, "{what}");
            let end = &lines[lines.len() - 2..];
            match first {
                Some(first) => {
                    assert_eq!(end, ["info string exact", &format!("bestmove {first}")]);
                }
                None => assert!(end[1].starts_with("bestmove "), "{what}"),
            }
        }
    }
}

#[test]
fn a_search_with_a_limit_runs_to_it_after_the_end_of_input() {
    for (protocol, go) in [
        ("ugi", "go infinite depth 6"),
        ("ugi", "go mate 2 infinite"),
        ("ugi", "go exact infinite"),
        ("uci", "go ponder depth 6"),
        ("uci", "go ponder mate 2"),
    ] {
        let script = format!("setoption name Game value othello4\nposition startpos\n{go}");
        let (ended, _) = converse(&["--protocol", protocol], script.as_bytes());
        let mut engine = Engine::start(&["--protocol", protocol]);
        engine.send(&script);
        // The last line is repeated while the result waits for `stop`.
        let last = |lines: &[String]| {
            let line = lines.iter().rfind(|line| line.contains(" pv ")).unwrap();
            ["depth", "score", "nodes", "pv"].map(|name| value(line, name).map(String::from))
        };
        let mut lines = Vec::new();
        while lines.last() != Some(&last(&ended)) {
            let line = engine
                .line_within(crate::common::PATIENCE)
                .expect("the search reaches its limit");
            assert!(line.starts_with("info "), "{go}: {line}");
            if line.contains(" pv ") {
                lines.push(last(&[line]));
            }
        }
        engine.send("stop");
        let answer = engine.until("bestmove");
        assert_eq!(answer.last(), ended.last(), "{go}");
    }
}

#[test]
fn pondering_ignores_the_clock_until_ponderhit_or_stop() {
    let mut engine = Engine::start(&["--protocol", "uci"]);
    engine.ask("isready", "readyok");
    for word in ["ponderhit", "stop"] {
        engine.send("position startpos moves f5 d6");
        engine.send("go ponder wtime 200 btime 200");
        // Until it has searched for longer than its clock would allow, which may take long on a
        // loaded machine.
        let mut last = 0;
        while last <= 300 {
            let line = engine
                .line_within(crate::common::PATIENCE)
                .expect("a search that ponders goes on");
            assert!(line.starts_with("info "), "{line}");
            last = value(&line, "time").map_or(last, |time| time.parse().unwrap());
        }
        engine.best_move_and_reply(word);
    }
    // After `ponderhit` the clock is used as for any other move.
    engine.send("go ponder movetime 400");
    engine.best_move_and_reply("ponderhit");
}

#[test]
fn variations_are_complete_at_every_level() {
    let mut engine = Engine::start(&[]);
    let mut rng = nullwindow::game::rng::Rng::new(5);
    for _ in 0..40 {
        let mut game = any::by_name("othello").unwrap();
        let mut moves = String::new();
        for _ in 0..10 + rng.next_u64() % 24 {
            let Some(&m) = rng.choose(&game.moves()) else {
                break;
            };
            moves += &format!(" {}", game.write_move(m));
            game.play(m).unwrap();
        }
        engine.send(&format!("position startpos moves{moves}"));
        engine.send("go depth 13");
        for line in without_keep_alive(engine.until("bestmove"))
            .iter()
            .filter(|line| line.starts_with("info depth "))
        {
            if line.contains("bound ") {
                continue; // not of a completed iteration
            }
            let depth: usize = value(line, "depth").unwrap().parse().unwrap();
            let pv: Vec<&str> = line
                .split(' ')
                .skip_while(|word| *word != "pv")
                .skip(1)
                .collect();
            let mut end = game.clone();
            for word in &pv {
                let m = end.parse_move(word).unwrap();
                end.play(m).unwrap_or_else(|_| panic!("{moves}: {line}"));
            }
            let plies = pv.iter().filter(|word| **word != "pass").count();
            assert!(plies == depth || end.outcome().is_some(), "{moves}: {line}");
        }
    }
}

#[test]
fn a_proven_line_is_played_without_a_search() {
    for (game, moves) in [("tictactoe", "a1 b2"), ("othello4", "")] {
        let mut engine = Engine::start(&["--game", game]);
        engine.send(&format!("position startpos moves {moves}"));
        engine.send("go exact");
        let lines = engine.until("bestmove");
        let last = lines
            .iter()
            .rfind(|line| line.starts_with("info depth "))
            .unwrap();
        let pv: Vec<&str> = last
            .split(' ')
            .skip_while(|word| *word != "pv")
            .skip(1)
            .collect();
        assert_eq!(lines[lines.len() - 2], "info string exact");
        let score: i32 = value(last, "cp").unwrap().parse().unwrap();
        for (ply, best) in pv.iter().enumerate() {
            let played = pv[..ply].join(" ");
            engine.send(&format!("position startpos moves {moves} {played}"));
            engine.send("go p1time 60000 p2time 60000");
            let lines = engine.until("bestmove");
            assert_eq!(lines.len(), 3, "{lines:?}");
            assert_eq!(value(&lines[0], "nodes"), Some("1"), "{lines:?}");
            let sign = if ply % 2 == 0 { 1 } else { -1 };
            let now: i32 = value(&lines[0], "cp").unwrap().parse().unwrap();
            assert_eq!(now.signum(), (sign * score).signum(), "{lines:?}");
            assert_eq!(
                lines[1..],
                ["info string exact".to_string(), format!("bestmove {best}")]
            );
        }
        // Off the line, and with other limits, it searches.
        engine.send(&format!("position startpos moves {moves}"));
        engine.send("go depth 3");
        let lines = engine.until("bestmove");
        assert!(
            lines.iter().any(|line| value(line, "depth") == Some("3")),
            "{lines:?}"
        );
    }
}
