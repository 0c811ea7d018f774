//! The principal variation of a proven score reaches it: every variation of a proven result is
//! played to the end of the game, for every way in which limits, stops and the table end a search.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::common::Engine;
use nullwindow::game::Move;
use nullwindow::game::rng::Rng;
use nullwindow::game::score::Score;
use nullwindow::games::any::{AnyGame, NAMES, by_name};
use nullwindow::games::dispatch::think;
use nullwindow::search::stop::SearchControl;
use nullwindow::search::table::Table;
use nullwindow::search::{
    Algorithm, Answer, Certainty, Goal, Limits, Observer, Progress, Settings, Stops,
};

/// A random position in which between 1 and `most` plies are left, or in Score Four, whose games
/// end early, a third of the board.
fn late_position(name: &str, most: u8, rng: &mut Rng) -> AnyGame {
    let most = if name == "scorefour" { 24 } else { most };
    loop {
        let mut game = by_name(name).unwrap();
        let left = 1 + rng.below(u64::from(most)) as u8;
        while game.outcome().is_none() && game.plies_left() > left {
            let m = *rng.choose(&game.moves()).unwrap();
            game.play(m).unwrap();
        }
        if game.outcome().is_none() {
            return game;
        }
    }
}

/// The score with which this variation ends the game, seen from the root; `None`: it does not end
/// it.
fn end_of_line(root: &AnyGame, line: &[Move]) -> Option<Score> {
    let mut game = root.clone();
    for &m in line {
        assert!(
            game.outcome().is_none() && game.moves().contains(&m),
            "not a line of {}",
            root.write_position()
        );
        game.play(m).unwrap();
    }
    let score = game.final_score()?;
    Some(if line.len().is_multiple_of(2) {
        score
    } else {
        -score
    })
}

/// Fails unless the variation leads to the score as far as that is claimed.
#[track_caller]
fn check(root: &AnyGame, claim: Certainty, score: Score, line: &[Move], how: &str) {
    let end = || end_of_line(root, line);
    let shows = match claim {
        Certainty::Heuristic => true,
        Certainty::Exact => end() == Some(score),
        Certainty::WinLossDraw => end().is_some_and(|end| end.0.signum() == score.0.signum()),
    };
    let words: Vec<_> = line.iter().map(|&m| root.write_move(m)).collect();
    assert!(
        shows,
        "{} {}: {how}: {claim:?} {score} by {words:?}",
        root.name(),
        root.write_position()
    );
}

/// A search with its reports checked, and its answer.
fn checked(
    root: &AnyGame,
    settings: &Settings,
    table: &Table,
    limits: &Limits,
    stop: Option<Duration>,
) -> Answer {
    let how = format!("{settings:?} {limits:?} {stop:?}");
    let control = Arc::<SearchControl>::default();
    let answer = thread::scope(|scope| {
        if let Some(after) = stop {
            let control = control.clone();
            scope.spawn(move || {
                thread::sleep(after);
                control.stop();
            });
        }
        let report = &mut |progress: &Progress| {
            check(root, progress.certainty, progress.score, &progress.pv, &how);
            assert!(
                progress.depth == 0 || usize::from(progress.seldepth) >= progress.pv.len(),
                "{}: {how}: {progress:?}",
                root.write_position()
            );
        };
        let mut observer = Observer {
            control,
            report: Some(report),
            trace: None,
        };
        think(root.position(), settings, table, limits, &mut observer)
    });
    for scored in answer.best.iter().chain(&answer.extra) {
        check(root, scored.certainty, scored.score, &scored.pv, &how);
        assert!(
            answer.certainty == Certainty::Heuristic
                || answer.best[0].certainty == answer.certainty,
            "{how}"
        );
    }
    answer
}

fn plies(game: &AnyGame, algorithm: Algorithm) -> Option<u8> {
    // The textbook algorithms have no solver.
    (game.name() == "scorefour" && algorithm != Algorithm::Auto).then_some(3)
}

#[test]
fn a_search_to_the_end_has_a_line_to_its_score() {
    let mut rng = Rng::new(44);
    for name in NAMES {
        for algorithm in Algorithm::ALL {
            for number in 0..6 {
                let root = late_position(
                    name,
                    if algorithm == Algorithm::Auto { 12 } else { 6 },
                    &mut rng,
                );
                // Tiny tables: most entries of the line are overwritten.
                let table = Table::with_bytes([64, 1 << 10, 1 << 20][number % 3]);
                let depth = plies(&root, algorithm).or(Some(u8::MAX));
                for (lines, threads, goal) in [
                    (1, 1, Goal::Exact),
                    (3, 1, Goal::Exact),
                    (1, 3, Goal::Exact),
                    (1, 1, Goal::WinLossDraw),
                ] {
                    let stops = Stops {
                        depth,
                        ..Stops::default()
                    };
                    let settings = Settings {
                        algorithm,
                        threads,
                        deepening: number % 2 == 0,
                        ..Settings::default()
                    };
                    let limits = Limits {
                        multi_pv: lines,
                        ..Limits::new(goal, stops)
                    };
                    let answer = checked(&root, &settings, &table, &limits, None);
                    let expected = if goal == Goal::WinLossDraw {
                        Certainty::WinLossDraw
                    } else {
                        Certainty::Exact
                    };
                    let reaches_end = depth == Some(u8::MAX) || root.plies_left() <= answer.depth;
                    assert!(
                        !reaches_end || answer.certainty == expected,
                        "{name} {}: {settings:?} {limits:?}: {:?}",
                        root.write_position(),
                        answer.best
                    );
                }
            }
        }
    }
}

#[test]
fn limits_and_stops_print_no_unproven_line_as_exact() {
    let mut rng = Rng::new(45);
    let (mut shown, mut withheld) = (0, 0);
    for round in 0..2_400 {
        let name = NAMES[round % NAMES.len()];
        let algorithm = *rng.choose(&Algorithm::ALL).unwrap();
        let root = late_position(
            name,
            if algorithm == Algorithm::Auto { 14 } else { 7 },
            &mut rng,
        );
        let table = Table::with_bytes(1 << (6 + 4 * rng.below(5)));
        let settings = Settings {
            algorithm,
            threads: [1, 1, 1, 3][rng.below(4) as usize],
            deepening: rng.below(4) > 0,
            table: rng.below(8) > 0,
            ..Settings::default()
        };
        let nodes = match rng.below(4) {
            0 => Some(1 + rng.below(40)),
            1 | 2 => Some(rng.below(3_000)),
            _ => None,
        };
        let stop =
            (nodes.is_none() || rng.below(4) == 0).then(|| Duration::from_micros(rng.below(1_500)));
        let stops = Stops {
            nodes,
            depth: plies(&root, algorithm).or((rng.below(3) == 0).then_some(u8::MAX)),
            line_nodes: [0, Stops::default().line_nodes][rng.below(2) as usize],
            ..Stops::default()
        };
        let goals = [Goal::BestMove, Goal::Exact, Goal::WinLossDraw];
        let limits = Limits {
            multi_pv: [1, 1, 2, 3, 64][rng.below(5) as usize],
            ..Limits::new(*rng.choose(&goals).unwrap(), stops)
        };
        for _ in 0..2 {
            let answer = checked(&root, &settings, &table, &limits, stop);
            let is_full = answer.selectivity == 100 && answer.depth >= root.plies_left();
            shown += usize::from(is_full && answer.certainty != Certainty::Heuristic);
            withheld += usize::from(is_full && answer.certainty == Certainty::Heuristic);
        }
    }
    println!("{shown} proven results shown, {withheld} withheld");
    assert!(
        shown > 1_000 && withheld > 0,
        "{shown} shown, {withheld} withheld"
    );
}

#[test]
fn a_line_is_completed_by_at_most_a_thousand_nodes_and_repeats() {
    let mut rng = Rng::new(46);
    let mut extended = 0;
    for round in 0..3_000 {
        let root = late_position(
            ["othello4", "othello6", "othello", "diamond"][round % 4],
            10,
            &mut rng,
        );
        let nodes = 1 + rng.below(40);
        let algorithm = Algorithm::ALL[round % Algorithm::ALL.len()];
        let settings = Settings {
            algorithm,
            ..Settings::default()
        };
        let limits = Limits::to_nodes(nodes);
        let table = Table::with_bytes(1 << 16);
        let answer = checked(&root, &settings, &table, &limits, None);
        let visited = answer.counters.nodes;
        assert!(visited <= nodes + 1_000, "{visited} of {nodes}");
        extended += usize::from(visited > nodes);
        let mut again = Limits::to_nodes(visited);
        again.stops.line_nodes = 0;
        let table = Table::with_bytes(1 << 16);
        let repeated = checked(&root, &settings, &table, &again, None);
        let result = |answer: &Answer| {
            let best: Vec<_> = answer
                .best
                .iter()
                .map(|root| (root.m, root.score, root.pv.clone()))
                .collect();
            (answer.counters.nodes, answer.depth, answer.certainty, best)
        };
        assert_eq!(
            result(&repeated),
            result(&answer),
            "{} {settings:?} {nodes}",
            root.write_position()
        );
    }
    assert!(extended > 5, "{extended} searches went beyond their limit");
}

/// The words of a line after `pv`.
fn line_of(line: &str) -> Option<Vec<&str>> {
    line.split_once(" pv ")
        .map(|(_, pv)| pv.split(' ').collect())
}

/// Fails unless these words lead to this score.
#[track_caller]
fn check_words(root: &AnyGame, words: &[&str], centipoints: i32, said: &str) {
    let mut game = root.clone();
    let mut line = Vec::new();
    for word in words {
        let m = game
            .parse_move(word)
            .unwrap_or_else(|error| panic!("{error}: {said}"));
        line.push(m);
        game.play(m)
            .unwrap_or_else(|error| panic!("{error}: {said}: {}", root.write_position()));
    }
    let end = end_of_line(root, &line).map(|score| score.seen_from(root.stones()).0);
    assert_eq!(
        end,
        Some(centipoints),
        "{} {}: {said}",
        root.name(),
        root.write_position()
    );
}

fn number_after(line: &str, word: &str) -> Option<i32> {
    line.split(' ')
        .skip_while(|found| *found != word)
        .nth(1)?
        .parse()
        .ok()
}

#[test]
fn every_line_printed_as_exact_leads_to_its_score() {
    let mut rng = Rng::new(47);
    let mut exact = 0;
    for name in NAMES {
        let mut engine = Engine::start(&["--game", name, "--option", "Hash=1"]);
        for round in 0..60 {
            let root = late_position(name, 12, &mut rng);
            let lines = 1 + rng.below(3);
            engine.send(&format!("setoption name MultiPV value {lines}"));
            engine.send(&format!(
                "setoption name Strength value {}",
                [0, 0, 20][rng.below(3) as usize]
            ));
            engine.send(&format!("position fen {}", root.write_position()));
            let last_word = match round % 6 {
                0 | 3 => {
                    engine.send(["go infinite", "go depth 60"][rng.below(2) as usize]);
                    thread::sleep(Duration::from_micros(rng.below(4_000)));
                    engine.send("stop");
                    "bestmove"
                }
                1 if root.plies_left() <= 6 => {
                    engine.send("moves depth 60");
                    "moves "
                }
                2 => {
                    engine.send("go exact");
                    "bestmove"
                }
                _ => {
                    engine.send(&format!("go nodes {}", 1 + rng.below(2_000)));
                    "bestmove"
                }
            };
            let said = engine.until(last_word);
            if !said.contains(&"info string exact".to_owned()) {
                continue;
            }
            exact += 1;
            let text = said.join("\n");
            if last_word == "moves " {
                let ranked = said.iter().filter(|line| line.starts_with("move "));
                ranked.for_each(|line| {
                    check_words(
                        &root,
                        &line_of(line).unwrap(),
                        number_after(line, "cp").unwrap(),
                        &text,
                    );
                });
                continue;
            }
            // The last line of the best move, and those of the other moves at that depth.
            let infos: Vec<_> = said.iter().filter(|line| line.contains(" pv ")).collect();
            let last = infos.last().unwrap();
            check_words(
                &root,
                &line_of(last).unwrap(),
                number_after(last, "cp").unwrap(),
                &text,
            );
        }
    }
    assert!(exact > 150, "{exact}");
}

#[test]
fn lines_of_a_hundred_percent_lead_to_their_scores_in_gtp_and_nboard() {
    let mut rng = Rng::new(48);
    let (mut gtp, mut nboard) = (
        Engine::start(&["--protocol", "gtp"]),
        Engine::start(&["--protocol", "nboard"]),
    );
    gtp.send("nullwindow-option Hash=1");
    nboard.send("set option Hash=1");
    let mut proven = [0; 2];
    for _ in 0..20 {
        let root = late_position("othello", 10, &mut rng);
        gtp.send("clear_board");
        let mut game = by_name("othello").unwrap();
        let mut ggf = String::from("(;GM[Othello]TY[8]BO[8 ");
        ggf += "-------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]";
        for played in root.history() {
            let (color, word) = (
                if game.to_move() as usize == 0 {
                    "B"
                } else {
                    "W"
                },
                game.write_move(*played),
            );
            gtp.send(&format!("play {color} {word}"));
            ggf += &format!("{color}[{}]", if word == "pass" { "PA" } else { &word });
            game.play(*played).unwrap();
        }
        gtp.send("nullwindow-hint 3 depth 60\n999 name");
        for line in gtp
            .until("=999")
            .iter()
            .filter(|line| line.contains(" 100% "))
        {
            let words: Vec<_> = line.trim_start_matches("= ").split(' ').collect();
            let score = (words[1].parse::<f64>().unwrap() * 100.0) as i32;
            check_words(&root, &words[3..], score, line);
            proven[0] += 1;
        }
        gtp.until("");
        nboard.send(&format!("set game {ggf};)\nset depth 60\nhint 3"));
        let mut said = Vec::new();
        while said.last().is_none_or(|line| line != "status") {
            said.push(nboard.line());
        }
        for line in said
            .iter()
            .filter(|line| line.starts_with("search ") && line.ends_with("100%"))
        {
            let words: Vec<_> = line.split(' ').collect();
            let moves: Vec<_> = words[1]
                .as_bytes()
                .chunks(2)
                .map(|word| std::str::from_utf8(word).unwrap())
                .collect();
            check_words(
                &root,
                &moves,
                (words[2].parse::<f64>().unwrap() * 100.0) as i32,
                line,
            );
            proven[1] += 1;
        }
    }
    assert!(proven[0] > 20 && proven[1] > 20, "{proven:?}");
}
