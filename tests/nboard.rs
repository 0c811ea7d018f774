//! The NBoard dialect as its GUI uses it: pipelined commands with pings in between, games in GGF.

use std::time::{Duration, Instant};

use crate::common::{Engine, PATIENCE, converse};
use nullwindow::game::Move;
use nullwindow::game::rng::Rng;
use nullwindow::games::any::{AnyGame, by_name};
use nullwindow::games::reversi::ggf::GgfGame;

const START: &str = "BO[8 ---------------------------O*------*O--------------------------- *]";

/// A game in GGF as the GUI sends it.
fn game(board: &str, moves: &str) -> String {
    format!(
        "set game (;GM[Othello]PC[NBoard]DT[2026-11-21]PB[a]PW[b]RE[?]TI[5:00]TY[8]{board}{moves};)"
    )
}

fn fresh() -> Engine {
    let mut engine = Engine::start(&[]);
    assert_eq!(engine.ask("nboard 2", ""), "set myname nullwindow");
    engine
}

/// A line of `search`: variation, evaluation, depth.
fn found(line: &str) -> (String, f64, String) {
    let words: Vec<_> = line.split(' ').collect();
    assert_eq!(
        (words.len(), words[0], words[3]),
        (5, "search", "0"),
        "{line}"
    );
    assert!(words[4].starts_with(|c: char| c.is_ascii_digit()), "{line}");
    let eval: f64 = words[2].parse().unwrap();
    assert!(eval.is_finite(), "{line}");
    (words[1].into(), eval, words[4].into())
}

/// The plies of a depth, which may include the selectivity: `4@73%`.
fn plies(depth: &str) -> &str {
    depth.split('@').next().unwrap()
}

/// The lines of a hint, up to the `status` that ends it.
fn hint(engine: &mut Engine, count: usize) -> Vec<(String, f64, String)> {
    engine.send(&format!("hint {count}"));
    let mut lines = Vec::new();
    loop {
        let line = engine.line();
        match line.split(' ').next() {
            Some("search") => lines.push(found(&line)),
            Some("status") if line == "status" => return lines,
            Some("status" | "nodestats") => {}
            _ => panic!("{line}"),
        }
    }
}

/// A random game to its end, and all of its record.
fn random_game(seed: u64) -> AnyGame {
    let mut rng = Rng::new(seed);
    let mut game = by_name("othello").unwrap();
    while let Some(&m) = rng.choose(&game.moves()) {
        game.play(m).unwrap();
    }
    game
}

/// The moves of a game from `from` on as GGF.
fn ggf(game: &AnyGame, plies: usize) -> String {
    let mut replayed = by_name("othello").unwrap();
    let mut text = String::new();
    for &m in &game.history()[..plies] {
        let color = if replayed.to_move() == nullwindow::game::Player::First {
            'B'
        } else {
            'W'
        };
        let word = if m.is_pass() {
            "PA".into()
        } else {
            replayed.write_move(m).to_uppercase()
        };
        text += &format!("{color}[{word}/0.5/1.25]");
        replayed.play(m).unwrap();
    }
    text
}

#[test]
fn commands_sent_at_once_are_answered_in_order() {
    let mut engine = Engine::start(&[]);
    engine.send(&format!(
        "nboard 2\n{}\nset depth 4\nping 1\nhint 4",
        game(START, "B[F5//2.449]W[D6/0.00]")
    ));
    assert_eq!(
        [engine.line(), engine.line()],
        ["set myname nullwindow", "pong 1"]
    );
    let lines = engine.until("nodestats");
    let searched: Vec<_> = lines
        .iter()
        .filter(|line| line.starts_with("search"))
        .map(|line| found(line))
        .collect();
    let of_depth_4: Vec<_> = searched
        .into_iter()
        .filter(|(.., depth)| plies(depth) == "4")
        .collect();
    assert_eq!(of_depth_4.len(), 4, "{lines:?}");
    let first: Vec<_> = of_depth_4
        .iter()
        .map(|(pv, ..)| pv[..2].to_string())
        .collect();
    assert!(
        first
            .iter()
            .all(|m| ["C3", "C4", "C5", "C6", "C7", "D3", "E6", "F4", "G4"].contains(&m.as_str())),
        "{first:?}"
    );
    assert_eq!(engine.line(), "status");
    // go does not change the position; a move follows, with or without evaluation and time.
    for (line, ping) in [
        ("move C4/0.80/0.01", 4),
        ("move D3", 5),
        ("move C3//3.1", 6),
    ] {
        engine.send(&format!("{line}\nping {ping}\ngo"));
        assert_eq!(engine.line(), format!("pong {ping}"));
        let move_line = engine.until("===").pop().unwrap();
        let fields: Vec<_> = move_line["=== ".len()..].split('/').collect();
        assert!(fields.len() == 3 && fields[0].len() == 2, "{move_line}");
        assert!(
            fields[1].parse::<f64>().is_ok() && fields[2].parse::<f64>().is_ok(),
            "{move_line}"
        );
        assert_eq!(
            engine.ask("go", "===").split('/').next(),
            move_line.split('/').next()
        );
    }
    engine.send("quit");
    assert!(engine.wait().success());
}

#[test]
fn no_line_of_a_canceled_search_follows_pong() {
    let mut engine = fresh();
    engine.send("set depth 60");
    for round in 0..30 {
        engine.send(["hint 8", "go", "analyze"][round % 3]);
        if round % 2 == 0 {
            std::thread::sleep(Duration::from_millis(10));
        }
        // `ping` cancels the running search and the queued `hint`; the other queued commands are
        // executed.
        engine.send(&format!("set contempt 0\nlearn\nhint 3\nping {round}"));
        let asked = Instant::now();
        let lines = engine.until("pong");
        assert!(asked.elapsed() < PATIENCE, "{:?}", asked.elapsed());
        assert_eq!(lines.last().unwrap(), &format!("pong {round}"));
        assert!(lines.iter().any(|line| line == "learned"), "{lines:?}");
        assert!(
            !lines.iter().any(|line| line.starts_with("===")),
            "{lines:?}"
        );
        assert_eq!(engine.line_within(Duration::from_millis(20)), None);
    }
    engine.send("set depth 3");
    assert!(
        hint(&mut engine, 1)
            .iter()
            .any(|(.., depth)| plies(depth) == "3")
    );
}

#[test]
fn hint_and_analyze_cover_every_position_of_a_game() {
    for depth in 1..=4 {
        let played = random_game(depth);
        let plies = played.history().len();
        let mut engine = fresh();
        engine.send(&format!("set depth {depth}"));
        for ply in (0..=plies).rev().step_by(7) {
            engine.send(&game(START, &ggf(&played, ply)));
            let lines = hint(&mut engine, 3);
            let mut replayed = by_name("othello").unwrap();
            for &m in &played.history()[..ply] {
                replayed.play(m).unwrap();
            }
            let legal = replayed.moves();
            assert_eq!(lines.is_empty(), legal.is_empty());
            for (pv, ..) in lines {
                let m = replayed.parse_move(&pv[..2]).unwrap();
                assert!(legal.contains(&m), "{pv}");
            }
        }
        engine.send(&game(START, &ggf(&played, plies)));
        assert!(engine.ask("go", "===") == "=== PA");
        engine.send("analyze");
        let lines = engine.until_line("status");
        let analyzed: Vec<_> = lines
            .iter()
            .filter_map(|line| line.strip_prefix("analysis "))
            .collect();
        assert_eq!(analyzed.len(), plies + 1);
        for (ply, line) in analyzed.iter().enumerate() {
            let (number, eval) = line.split_once(' ').unwrap();
            assert_eq!(number, ply.to_string());
            assert!(eval.parse::<f64>().unwrap().is_finite());
        }
        // The finished game counts as it is, for the side that would move.
        let last: f64 = analyzed[plies].split_once(' ').unwrap().1.parse().unwrap();
        assert_eq!(last, f64::from(played.final_score().unwrap().0) / 100.0);
    }
}

#[test]
fn games_may_end_with_a_pass_and_passes_may_be_left_out() {
    // Black has only the pass; then White plays c7.
    let board = "BO[8 --O----- -------- -------- -------- -------- -------- O*------ -------* *]";
    let mut engine = fresh();
    engine.send("set depth 3");
    for (moves, expected) in [
        ("", "=== PA"),
        ("B[PA]", "=== C7"),
        ("B[PA//0.1]", "=== C7"),
    ] {
        engine.send(&game(board, moves));
        let answer = engine.ask("go", "===");
        assert_eq!(answer.split('/').next(), Some(expected), "{moves}");
        assert_eq!(hint(&mut engine, 2)[0].0[..2], expected[4..]);
    }
    // The pass sent, or left out.
    for moves in ["move PA/-64\nmove C7", "move C7//1"] {
        engine.send(&game(board, ""));
        engine.send(moves);
        engine.send("ping 9");
        assert_eq!(engine.line(), "pong 9");
        assert_eq!(engine.ask("go", "==="), "=== PA");
    }
    // When neither side has a legal move, passes are not moves, and a search finds none.
    let dead = "BO[8 *------- -------- -------- -------- -------- -------- -------- -------O *]";
    for moves in ["", "B[PA]", "B[PA]W[PA]"] {
        engine.send(&game(dead, moves));
        assert_eq!(engine.ask("go", "==="), "=== PA");
        assert!(hint(&mut engine, 4).is_empty());
        engine.send("move PA");
        engine.send("analyze");
        engine.until_line("status");
    }
}

#[test]
fn a_proven_draw_has_the_score_of_contempt() {
    // Games near their end whose value is a draw, found by solving.
    let mut engine = fresh();
    engine.send("set depth 30");
    let mut drawn = 0;
    for seed in 0..400 {
        let mut played = random_game(seed);
        for _ in 0..5 {
            played.undo();
        }
        if played.outcome().is_some() || played.moves().contains(&Move::PASS) {
            continue;
        }
        engine.send(&format!(
            "set contempt 0\n{}",
            GgfGame::new(played.discs().unwrap())
                .write()
                .replacen("(;", "set game (;", 1)
        ));
        let (_, eval, depth) = hint(&mut engine, 1).pop().unwrap();
        assert_eq!(depth, "100%");
        if eval == 0.0 {
            drawn += 1;
            engine.send("set contempt 100");
            let sign = if played.to_move() == nullwindow::game::Player::First {
                1.0
            } else {
                -1.0
            };
            assert_eq!(hint(&mut engine, 1).pop().unwrap().1, 100.0 * sign);
            engine.send("set contempt -100");
            assert_eq!(hint(&mut engine, 1).pop().unwrap().1, -100.0 * sign);
        }
    }
    assert!(drawn >= 2, "{drawn} draws");
}

#[test]
fn set_option_and_set_searchmoves_apply_to_searches() {
    let mut engine = fresh();
    engine.send("set depth 2\nset searchmoves f5\nset option Hash=8\nping 1");
    assert_eq!(engine.line(), "pong 1");
    assert!(engine.ask("go", "===").starts_with("=== F5/"));
    assert!(
        hint(&mut engine, 4)
            .iter()
            .all(|(pv, ..)| pv.starts_with("F5"))
    );
    engine.send("set searchmoves\nset option MultiPV=2");
    assert_eq!(
        hint(&mut engine, 4)
            .iter()
            .filter(|(.., depth)| plies(depth) == "2")
            .count(),
        4
    );
}

#[test]
fn unknown_words_are_ignored_and_errors_are_printed_as_statuses() {
    let mut engine = fresh();
    engine.send(&game(START, "B[F5]"));
    for line in [
        "hello",
        "set",
        "set draw 3",
        "isready",
        "# ping 1",
        "",
        "pingx 3",
        "uci",
    ] {
        engine.send(line);
    }
    engine.send("ping 1");
    assert_eq!(engine.line(), "pong 1");
    for (line, error) in [
        ("move a1", "move: "),
        ("move", "expected move MOVE"),
        ("set depth x", "expected set depth N"),
        ("set game (;GM[Othello]", "set game: "),
        ("set game nothing", "set game: "),
        ("set option Hash=0", "set option: Hash: "),
    ] {
        let answer = engine.ask(line, "");
        assert!(
            answer.starts_with(&format!("status error: {error}")),
            "{line}: {answer}"
        );
    }
    // Nothing of that has changed the game.
    engine.send("set depth 1");
    let answer = engine.ask("go", "===");
    assert!(["F4", "F6", "D6"].contains(&&answer[4..6]), "{answer}");
}

#[test]
fn the_end_of_input_stops_every_search() {
    let asked = Instant::now();
    let (lines, status) = converse(
        &[],
        format!(
            "nboard 2\n{}\nset depth 60\nping 1\nhint 8\n",
            game(START, "")
        )
        .as_bytes(),
    );
    assert!(status.success());
    assert_eq!(lines[..2], ["set myname nullwindow", "pong 1"]);
    assert!(
        asked.elapsed() < Duration::from_secs(5),
        "{:?}",
        asked.elapsed()
    );
    println!("the end of input took {:?}", asked.elapsed());
}
