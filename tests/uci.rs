//! The UCI dialect as its clients use it: variantfishtest, which ends games by the last info line
//! of a search, python-chess and cutechess.

use std::time::{Duration, Instant};

use crate::common::{Engine, converse};
use nullwindow::game::rng::Rng;
use nullwindow::game::{Outcome, Player};
use nullwindow::games::any::by_name;

/// The word after a key in an info line.
fn value<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    line.split(' ').skip_while(|word| *word != key).nth(1)
}

/// Starts an engine as variantfishtest does, line by line.
fn fresh(variant: &str) -> Engine {
    let mut engine = Engine::start(&[]);
    let listing = {
        engine.send("uci");
        engine.until("uciok")
    };
    assert!(
        listing.iter().all(|line| line.trim() == line),
        "{listing:?}"
    );
    let variants = listing
        .iter()
        .find(|line| line.starts_with("option name UCI_Variant type combo default othello var "));
    assert!(variants.unwrap().split(" var ").any(|name| name == variant));
    engine.send(&format!("setoption name UCI_Variant value {variant}"));
    for line in ["isready", "isready"] {
        assert_eq!(engine.ask(line, ""), "readyok");
    }
    engine.send("ucinewgame");
    assert_eq!(engine.ask("isready", ""), "readyok");
    engine.send("setoption name clear hash value true");
    engine.send(&format!("setoption name UCI_Variant value {variant}"));
    assert_eq!(engine.ask("isready", ""), "readyok");
    engine
}

/// How variantfishtest interprets a search: the move, or the result for the side to move.
enum Verdict {
    Move(String),
    Won,
    Drawn,
    Lost,
}

fn judged(lines: &[String]) -> Verdict {
    let (best, infos) = lines.split_last().unwrap();
    let last = infos
        .iter()
        .rfind(|line| line.starts_with("info "))
        .expect("an info line");
    let score = (
        value(last, "score").expect("the last line has a score"),
        value(last, "cp").or(value(last, "mate")).unwrap(),
    );
    assert!(value(last, "time").unwrap().parse::<u64>().is_ok());
    let line_of_play: Vec<_> = last
        .split(' ')
        .skip_while(|word| *word != "pv")
        .skip(1)
        .collect();
    let word = value(best, "bestmove").unwrap();
    assert!(
        word == "(none)" || line_of_play.first() == Some(&word),
        "{last}, {best}"
    );
    match (score, word, line_of_play.len()) {
        (("mate", "1"), ..) => Verdict::Won,
        (("mate", "0"), "(none)", 0) => Verdict::Lost,
        (("cp", "0"), "(none)", 0) | (("cp", "0"), _, 1) => Verdict::Drawn,
        _ => Verdict::Move(word.into()),
    }
}

/// Whole games with the commands of variantfishtest; each ends with the result of the rules.
fn variantfishtest(variant: &str, game: &str, games: u64, go: &str) -> [u32; 3] {
    let mut results = [0; 3];
    let mut engines = [fresh(variant), fresh(variant)];
    for seed in 0..games {
        engines
            .iter_mut()
            .for_each(|engine| engine.send("ucinewgame"));
        let mut rng = Rng::new(seed);
        let mut judge = by_name(game).unwrap();
        let mut moves = String::new();
        let outcome = loop {
            let mover = judge.to_move();
            if judge.history().len() < 4 {
                // A varied opening; the runner reads it from a file.
                let &m = rng.choose(&judge.moves()).unwrap();
                moves += &format!(" {}", judge.write_uci_move(m));
                judge.play(m).unwrap();
                continue;
            }
            let engine = &mut engines[judge.history().len() % 2];
            engine.send(&format!("position startpos moves{moves} "));
            engine.send(go);
            let lines = engine.until("bestmove");
            let won = |winner: Player| {
                if winner == Player::First {
                    Outcome::FirstWins
                } else {
                    Outcome::SecondWins
                }
            };
            match judged(&lines) {
                Verdict::Move(word) => {
                    let m = judge
                        .moves()
                        .into_iter()
                        .find(|&m| judge.write_uci_move(m) == word);
                    judge
                        .play(m.unwrap_or_else(|| panic!("illegal {word} after{moves}")))
                        .unwrap();
                    moves += &format!(" {word}");
                }
                Verdict::Won => break won(mover),
                Verdict::Lost => break won(mover.other()),
                Verdict::Drawn => break Outcome::Draw,
            }
            if judge.outcome().is_some() {
                continue; // the search of the other side reports the result
            }
        };
        if judge.outcome().is_none() {
            // The runner adjudicates before it passes on the move that ends the game.
            let word = judge.moves().into_iter().find(|&m| {
                let mut next = judge.clone();
                next.play(m).unwrap();
                next.outcome() == Some(outcome)
            });
            assert!(
                word.is_some(),
                "no move ends the game with {outcome:?} after{moves}"
            );
        } else {
            assert_eq!(judge.outcome(), Some(outcome), "{moves}");
        }
        results[match outcome {
            Outcome::FirstWins => 0,
            Outcome::SecondWins => 1,
            Outcome::Draw => 2,
        }] += 1;
    }
    results
}

#[test]
fn games_of_variantfishtest_end_with_the_result_of_the_rules() {
    let small = variantfishtest("flipello4", "othello4", 40, "go depth 2");
    let middle = variantfishtest("flipello6", "othello6", 8, "go depth 3");
    let large = variantfishtest(
        "flipello",
        "othello",
        2,
        "go wtime 300 btime 300 winc 5 binc 5",
    );
    let crosses = variantfishtest("tictactoe", "tictactoe", 20, "go depth 9");
    println!("p1 wins, p2 wins, draws: {small:?} {middle:?} {large:?} {crosses:?}");
    assert!(
        small
            .iter()
            .chain(&crosses)
            .filter(|count| **count > 0)
            .count()
            >= 4,
        "{small:?} {crosses:?}"
    );
}

#[test]
fn a_finished_game_prints_its_result_and_passes_change_the_side() {
    let mut engine = Engine::start(&["--protocol", "uci"]);
    engine.send("setoption name UCI_Variant value flipello");
    // Black has two discs, White one, and neither side has a legal move: in flipello the game ends
    // after two passes.
    let fen = "p7/8/8/8/8/8/8/6PP[PPPP] w - - 0 1";
    for (moves, score) in [
        ("", "mate 1"),
        (" moves g1g1", "mate 0"),
        (" moves g1g1 a8a8", "mate 1"),
    ] {
        engine.send(&format!("position fen {fen}{moves}"));
        engine.send("go infinite");
        let lines = engine.until("bestmove");
        assert!(
            lines[0].starts_with(&format!("info depth 0 seldepth 0 score {score} ")),
            "{moves}: {lines:?}"
        );
        assert_eq!(lines[1..], ["bestmove (none)"]);
    }
    // A pass is illegal where there is a move.
    engine.send("position startpos moves d4d4");
    assert!(
        engine
            .line()
            .starts_with("info string error: position: illegal move \"d4d4\" at ply 1")
    );
}

#[test]
fn the_last_of_game_and_uci_variant_sets_the_game_and_its_notation() {
    let mut engine = Engine::start(&["--protocol", "uci", "--game", "othello6"]);
    let mut first = |options: &[&str], fen: &str| {
        for option in options {
            engine.send(&format!("setoption name {option}"));
        }
        assert_eq!(
            engine.ask("query fen", "response"),
            format!("response {fen}")
        );
        engine.best_move_and_reply("go depth 2")
    };
    let start = "8/8/8/3ox3/3xo3/8/8/8 x";
    let hand = |n| format!("[{}{}]", "P".repeat(n), "p".repeat(n));
    assert_eq!(first(&[], "6/6/2ox2/2xo2/6/6 x").len(), 2);
    assert!(
        first(
            &["UCI_Variant value flipello"],
            &format!("8/8/8/3pP3/3Pp3/8/8/8{} w - - 0 1", hand(60))
        )
        .starts_with("P@")
    );
    assert_eq!(first(&["Game value othello"], start).len(), 2);
    assert!(
        first(
            &["Game value othello", "UCI_Variant value flipello4"],
            &format!("4/1pP1/1Pp1/4{} w - - 0 1", hand(12))
        )
        .starts_with("P@")
    );
    assert_eq!(first(&["UCI_Variant value othello"], start).len(), 2);
    assert!(
        first(
            &["UCI_Variant value tictactoe"],
            "3/3/3[PPPPPpppp] w - - 0 1"
        )
        .starts_with("P@")
    );
    assert_eq!(
        first(
            &["UCI_Variant value diamond"],
            "**2**/*4*/2ox2/2xo2/*4*/**2** x"
        )
        .len(),
        2
    );
    // tic-tac-toe reads both spellings.
    engine.send("setoption name UCI_Variant value tictactoe");
    engine.send("position fen 3/3/3[PPPPPpppp] w - - 0 1 moves P@a1 b2");
    assert_eq!(
        engine.ask("query fen", "response"),
        "response 3/1p1/P2[PPPPppp] w - - 0 2"
    );
    // UGI accepts the option too, but the notation of moves does not change.
    let mut ugi = Engine::start(&[]);
    ugi.send("setoption name UCI_Variant value flipello6");
    assert_eq!(ugi.best_move("go depth 2").len(), 2);
}

#[test]
fn an_invalid_position_command_changes_nothing() {
    let mut engine = Engine::start(&["--protocol", "uci"]);
    engine.send("position startpos moves f5 d6");
    let before = engine.ask("query fen", "response");
    for line in [
        "position startpos moves f5 f5",
        "position startpos moves zz",
        "position fen rubbish",
        "hello there",
    ] {
        engine.send(line);
        assert!(engine.line().starts_with("info string error: "), "{line}");
        assert_eq!(engine.ask("query fen", "response"), before);
    }
    assert_eq!(engine.ask("query gameover", ""), "response false");
}

#[test]
fn solved_searches_wait_for_stop_or_ponderhit_and_late_stops_do_nothing() {
    let mut engine = Engine::start(&["--protocol", "uci", "--game", "tictactoe"]);
    // The game is solved at once; `bestmove` still waits for `ponderhit` or `stop`.
    for (go, word) in [
        ("go infinite", "stop"),
        ("go searchmoves b2 a1", "stop"),
        ("go ponder depth 9", "ponderhit"),
        ("go ponder wtime 10 btime 10", "stop"),
    ] {
        engine.send(go);
        let waited = Instant::now();
        while let Some(line) =
            engine.line_within(Duration::from_millis(1_200).saturating_sub(waited.elapsed()))
        {
            assert!(
                line.starts_with("info ") && line.contains(" score "),
                "{line}"
            );
        }
        assert!(engine.best_move_and_reply(word).len() == 2);
    }
    for line in ["stop", "ponderhit", "stop"] {
        engine.send(line);
    }
    engine.send("go depth 3");
    assert!(
        engine
            .until("bestmove")
            .iter()
            .any(|line| line.starts_with("info depth 3 "))
    );
    // After `ponderhit`, an infinite search still waits for `stop`.
    engine.send("go infinite ponder");
    let mut line = String::new();
    while !line.starts_with("info depth 9 ") {
        line = engine.line();
    }
    engine.send("ponderhit\nisready\nstop");
    let lines = engine.until("bestmove");
    assert!(lines.iter().any(|line| line == "readyok"), "{lines:?}");
    // After a ponderhit during the search, it continues to its limit.
    engine.send("ucinewgame\ngo ponder depth 5\nponderhit");
    assert!(
        engine
            .until("bestmove")
            .iter()
            .any(|line| line.starts_with("info depth 5 "))
    );
}

#[test]
fn multipv_lists_every_legal_move_in_order_of_score() {
    let mut engine = Engine::start(&["--protocol", "uci"]);
    engine.send("setoption name multipv value 64");
    engine.send("position startpos moves f5 f6");
    engine.send("go depth 6");
    let lines = engine.until("bestmove");
    let of_depth_6: Vec<_> = lines
        .iter()
        .filter(|line| line.starts_with("info depth 6 ") && line.contains(" pv "))
        .collect();
    let numbers: Vec<usize> = of_depth_6
        .iter()
        .filter_map(|line| value(line, "multipv")?.parse().ok())
        .collect();
    let count = engine.ask("query legalmoves", "").split(' ').count() - 1;
    assert_eq!(numbers[..count], (1..=count).collect::<Vec<_>>());
    let scores: Vec<i32> = of_depth_6
        .iter()
        .take(count)
        .filter_map(|line| value(line, "cp")?.parse().ok())
        .collect();
    assert!(
        scores.windows(2).all(|pair| pair[0] >= pair[1]),
        "{scores:?}"
    );
    let best = value(of_depth_6[0], "pv").unwrap();
    assert_eq!(value(lines.last().unwrap(), "bestmove"), Some(best));
    // The same score as when that move is searched alone.
    let expected = of_depth_6[2];
    let third = value(expected, "pv").unwrap();
    engine.send("ucinewgame\nposition startpos moves f5 f6\nsetoption name MultiPV value 1");
    engine.send(&format!("go depth 6 searchmoves {third}"));
    let alone = engine.until("bestmove");
    assert_eq!(value(alone.last().unwrap(), "bestmove"), Some(third));
    let last = alone.iter().rfind(|line| line.contains(" pv ")).unwrap();
    assert_eq!(
        value(last, "cp"),
        value(expected, "cp"),
        "{last} / {expected}"
    );
}

#[test]
fn the_selectivity_precedes_the_line_of_its_iteration_and_follows_it_in_ugi() {
    for (dialect, is_before) in [("uci", true), ("ugi", false)] {
        let (lines, _) = converse(
            &[],
            format!("{dialect}\nsetoption name MultiPV value 2\ngo depth 6\n").as_bytes(),
        );
        let depth_4 = lines.iter().filter(|line| {
            line.starts_with("info string depth 4 ") || line.starts_with("info depth 4 ")
        });
        let are_notes: Vec<bool> = depth_4.map(|line| line.contains(" selectivity ")).collect();
        let expected = [is_before, !is_before, is_before, !is_before];
        assert_eq!(are_notes, expected, "{lines:?}");
    }
}

#[test]
fn searches_of_a_chess_compliance_check_print_a_bestmove() {
    let input = b"uci\nisready\nucinewgame\nposition startpos\nisready\n\
        position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\nisready\n\
        go wtime 100\ngo btime 100\n\
        position fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1\n\
        go wtime 100 winc 100 btime 100 binc 100\ngo btime 100 binc 100 wtime 100 winc 100\n\
        ucinewgame\nposition startpos moves e2e4 e7e5\ngo wtime 100\n";
    let (lines, status) = converse(&[], input);
    assert!(status.success());
    let moves: Vec<_> = lines
        .iter()
        .filter(|line| line.starts_with("bestmove "))
        .collect();
    assert_eq!(moves.len(), 5, "{lines:?}");
    for pair in lines
        .windows(2)
        .filter(|pair| pair[1].starts_with("bestmove"))
    {
        assert!(
            pair[0].starts_with("info ") && pair[0].contains(" score "),
            "{pair:?}"
        );
        for key in ["time", "nps", "nodes"] {
            assert!(
                value(&pair[0], key)
                    .unwrap()
                    .bytes()
                    .all(|byte| byte.is_ascii_digit()),
                "{pair:?}"
            );
        }
    }
}

#[test]
fn ponder_debug_and_register_are_accepted() {
    let input = b"uci\nsetoption name Ponder value true\nsetoption name ponder value false\ndebug on\ndebug\n\
        register later\nregister name Stefan MK code 4359874324\nsetoption name Ponder value 7\nisready\nquit\n";
    let (lines, status) = converse(&[], input);
    assert!(status.success());
    assert!(
        lines
            .iter()
            .any(|line| line == "option name Ponder type check default false"),
        "{lines:?}"
    );
    let behind: Vec<_> = lines
        .iter()
        .skip_while(|line| *line != "uciok")
        .skip(1)
        .collect();
    let refused =
        "info string error: setoption: Ponder: invalid value \"7\", expected true or false";
    assert_eq!(behind, [refused, "readyok"]);
    // UGI reads them too, and lists no option of UCI's.
    let (lines, _) = converse(
        &["--protocol", "ugi"],
        b"ugi\nsetoption name Ponder value true\ndebug on\nregister later\n",
    );
    assert!(
        lines
            .iter()
            .all(|line| !line.contains("Ponder") && !line.contains("error")),
        "{lines:?}"
    );
}

/// One check for each bug found in the trackers of other engines.
#[test]
fn bugs_reported_for_other_engines_do_not_occur() {
    let mut engine = Engine::start(&["--protocol", "uci"]);
    // Options, new games and searches sent during a search are queued and do not block.
    engine.send(
        "go infinite\nsetoption name Hash value 8\nsetoption name Hash value abc\nucinewgame\ngo depth 2\nisready",
    );
    let lines = engine.until("readyok");
    assert!(
        lines
            .iter()
            .all(|line| line == "readyok" || line.starts_with("info ")),
        "{lines:?}"
    );
    engine.send("stop");
    engine.until("bestmove");
    let rest = engine.until("bestmove");
    assert!(
        rest.iter()
            .any(|line| line.contains("Hash: invalid value \"abc\"")),
        "{rest:?}"
    );
    assert!(rest.iter().any(|line| line.starts_with("info depth 2 ")));
    // The engine does not play its own move on its board.
    engine.send("position startpos moves f5");
    let before = engine.ask("query fen", "response");
    engine.best_move_and_reply("go depth 3");
    assert_eq!(engine.ask("query fen", "response"), before);
    // Forced moves and solved positions have an info line too.
    for fen in ["2o5/8/8/8/8/8/ox6/7x x", "8/8/8/8/8/8/xo6/8 x"] {
        engine.send(&format!("position fen {fen}"));
        for go in [
            "go wtime 50 btime 50",
            "go depth 1",
            "go movetime 0",
            "go nodes 1",
            "go wtime -20 btime 0",
        ] {
            engine.send(go);
            let lines = engine.until("bestmove");
            let last = &lines[lines.len() - 2];
            assert!(
                last.starts_with("info depth ")
                    && last.contains(" score ")
                    && last.contains(" pv "),
                "{go}: {lines:?}"
            );
        }
    }
    // Every line is a word, `info` or an answer: no debug output, no blanks at its end.
    let (lines, status) = converse(
        &["--protocol", "uci"],
        b"uci\r\nsetoption name move overhead value 0\r\nisready\r\ngo depth 6\r\ngo infinite\r\n",
    );
    assert!(status.success());
    for line in &lines {
        let word = line.split(' ').next().unwrap();
        assert!(
            ["id", "option", "uciok", "readyok", "info", "bestmove"].contains(&word)
                && line.trim() == line,
            "{line:?}"
        );
    }
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.starts_with("bestmove"))
            .count(),
        2
    );
}
