//! Score Four: the solver compared with plain alpha-beta, `solve --game scorefour`, and the
//! experiment of document 003 on a small sample.

use std::process::Output;
use std::time::Duration;

use crate::common::{Folder, nullwindow};
use nullwindow::game::rng::Rng;
use nullwindow::game::score::{Score, Window};
use nullwindow::game::{Game, Move, Notation};
use nullwindow::games::score_four::ScoreFour;
use nullwindow::games::score_four::bitboard::{Bitboards, Side, contains_line};
use nullwindow::games::score_four::eval::ScoreFourEvaluator;
use nullwindow::games::score_four::policy::ScoreFourPolicy;
use nullwindow::games::score_four::solver::claimeven::{Claimeven, claimeven_proves};
use nullwindow::games::score_four::solver::limits::SolverLimits;
use nullwindow::games::score_four::solver::{Solution, SolverGoal, solve};
use nullwindow::search::core::context::Context;
use nullwindow::search::core::isa::{Isa, Portable};
use nullwindow::search::core::parallel::thread_budget::ThreadBudget;
use nullwindow::search::production::{Driver, Mtdf, NegaScout, Production};
use nullwindow::search::schedule::Iteration;
use nullwindow::search::stop::{Budget, SearchControl, Stopped};
use nullwindow::search::table::Table;

/// The value of a position and the plies to its end, by plain alpha-beta over the rules: no table,
/// no move ordering.
fn plain(position: &ScoreFour, alpha: i32, beta: i32) -> i32 {
    if let Some(score) = position.final_score() {
        return score.0;
    }
    let mut best = alpha;
    for m in position.moves() {
        best = best.max(-plain(&position.play(m), -beta, -best));
        if best >= beta {
            break;
        }
    }
    best
}

/// A random position with `stones` stones that is not over, or nothing if the random game ended
/// before.
fn random_position(rng: &mut Rng, stones: usize) -> Option<ScoreFour> {
    let mut position = ScoreFour::start();
    for _ in 0..stones {
        let moves = position.moves();
        // Half the time a move that does not lose at once, so that games last.
        let board = Bitboards::of(&position);
        let safe = board.non_losing(board.playable());
        let quiet: Vec<Move> = moves
            .iter()
            .copied()
            .filter(|m| safe >> position.landing(m.square()) & 1 != 0)
            .collect();
        position = position.play(*rng.choose(&quiet).or(moves.first())?);
        position.final_score().is_none().then_some(())?;
    }
    Some(position)
}

fn solved(isa: impl Isa, position: &ScoreFour, goal: SolverGoal) -> (i32, Option<u8>, Vec<Move>) {
    let solution = solved_by(1, isa, position, goal);
    (solution.value, solution.plies, solution.line)
}

fn solved_by(threads: usize, isa: impl Isa, position: &ScoreFour, goal: SolverGoal) -> Solution {
    let control = SearchControl::default();
    let limits = SolverLimits::new(&control, Budget::default(), 0);
    let solution = solve(
        isa,
        position,
        goal,
        1,
        &ThreadBudget::new(threads, 1),
        limits,
    )
    .unwrap();
    assert!(
        position.final_score().is_none() || solution.nodes == 0,
        "a finished position has no nodes"
    );
    solution
}

#[test]
fn the_solver_agrees_with_plain_alpha_beta_on_late_positions() {
    let mut rng = Rng::new(41);
    let mut checked = [0; 3];
    while checked.iter().sum::<usize>() < 2_000 {
        let stones = 52 + rng.below(11) as usize;
        let Some(position) = random_position(&mut rng, stones) else {
            continue;
        };
        let truth = plain(&position, -20_000, 20_000);
        let (value, plies, line) = solved(Portable::token(), &position, SolverGoal::Distance);
        assert_eq!(value, truth.signum(), "{}", position.write_position());
        let expected = (truth != 0).then(|| (10_000 - truth.abs() - position.stones()) as u8);
        assert_eq!(plies, expected, "{}", position.write_position());
        assert!(position.moves().contains(&line[0]));
        if let Some(plies) = plies {
            assert_eq!(
                line.len(),
                usize::from(plies),
                "{}",
                position.write_position()
            );
            let end = line.iter().fold(position, |position, &m| position.play(m));
            assert!(end.final_score().is_some_and(|score| score.0 < 0));
        } else {
            assert_eq!(plain(&position.play(line[0]), -1, 1), 0, "a draw is kept");
        }
        checked[(value + 1) as usize] += 1;
    }
    assert!(checked.iter().all(|&count| count > 100), "{checked:?}");
}

#[test]
fn any_number_of_threads_finds_the_same_value() {
    let mut rng = Rng::new(53);
    let mut helped = 0;
    for _ in 0..40 {
        let Some(position) = random_position(&mut rng, 34) else {
            continue;
        };
        for goal in [SolverGoal::Distance, SolverGoal::WinLossDraw] {
            let alone = solved_by(1, Portable::token(), &position, goal);
            assert_eq!(
                alone,
                solved_by(1, Portable::token(), &position, goal),
                "one thread visits the same nodes"
            );
            for threads in [2, 8] {
                let together = solved_by(threads, Portable::token(), &position, goal);
                assert_eq!(
                    (together.value, together.plies),
                    (alone.value, alone.plies),
                    "{threads}: {position:?}"
                );
                assert!(position.moves().contains(&together.line[0]));
                helped += i32::from(together.nodes != alone.nodes);
            }
        }
    }
    assert!(helped > 0, "no position was large enough for helpers");
}

#[test]
fn a_stopped_solver_with_helpers_ends_at_once() {
    let position = ScoreFour::start();
    for round in 0..20 {
        let control = SearchControl::default();
        let budget = match round % 2 {
            0 => Budget {
                nodes: Some(50_000),
                ..Budget::default()
            },
            _ => Budget::default(),
        };
        let threads = ThreadBudget::new(8, 1);
        std::thread::scope(|scope| {
            let limits = SolverLimits::new(&control, budget, 0);
            let search = || {
                solve(
                    Portable::token(),
                    &position,
                    SolverGoal::WinLossDraw,
                    8,
                    &threads,
                    limits,
                )
            };
            let searching = scope.spawn(search);
            if round % 2 == 1 {
                std::thread::sleep(Duration::from_millis(round * 3));
                control.stop();
            }
            assert_eq!(searching.join().unwrap(), Err(Stopped::Limit));
        });
        assert!(
            round % 2 == 1 || (50_000..80_000).contains(&control.nodes()),
            "{}",
            control.nodes()
        );
    }
}

#[test]
fn symmetric_positions_and_successors_have_consistent_values() {
    let mut rng = Rng::new(43);
    let mut seen = 0;
    while seen < 60 {
        let Some(position) = random_position(&mut rng, 46) else {
            continue;
        };
        seen += 1;
        let (value, plies, _) = solved(Portable::token(), &position, SolverGoal::Distance);
        let image = position.image(1 + rng.below(7) as usize);
        assert_eq!((value, plies), {
            let (v, p, _) = solved(Portable::token(), &image, SolverGoal::Distance);
            (v, p)
        });
        let moves = position.moves();
        let best = moves.iter().map(|&m| {
            let child = position.play(m);
            child.final_score().map_or_else(
                || -solved(Portable::token(), &child, SolverGoal::WinLossDraw).0,
                |score| -score.0.signum(),
            )
        });
        assert_eq!(best.max(), Some(value), "{}", position.write_position());
    }
}

/// The value by the player's search to a depth.
fn searched<D: Driver>(position: ScoreFour, depth: u8) -> Score {
    let policy = ScoreFourPolicy::new(ScoreFourEvaluator::default(), Portable::token(), None);
    let (table, control) = (Table::with_bytes(1 << 16), SearchControl::default());
    let mut search =
        Production::<D, _>::new(position, Context::new(&policy, Some(&table), &control));
    let moves = position.moves();
    search
        .value(
            Iteration::full(depth),
            Score::ZERO,
            Window::FULL,
            &moves,
            &mut |_, _| (),
        )
        .unwrap()
        .0
}

#[test]
fn forced_replies_without_depth_cost_change_no_decided_value() {
    let mut rng = Rng::new(77);
    let mut seen = [0; 3];
    while seen.iter().sum::<i32>() < 400 {
        let stones = 52 + rng.below(9) as usize;
        let Some(position) = random_position(&mut rng, stones) else {
            continue;
        };
        let truth = plain(&position, -20_000, 20_000);
        seen[(truth.signum() + 1) as usize] += 1;
        for depth in 1..=position.plies_left() {
            let score = searched::<Mtdf>(position, depth);
            let plies = Score::DECIDED.0 - score.seen_from(position.stones()).0.abs();
            if depth == position.plies_left() || score.is_decided() && plies <= i32::from(depth) {
                assert_eq!(score.0, truth, "{position:?} to depth {depth}");
            } else if score.is_decided() {
                assert_eq!(
                    score.0.signum(),
                    truth.signum(),
                    "{position:?} to depth {depth}"
                );
            }
        }
        assert_eq!(
            searched::<NegaScout>(position, position.plies_left()).0,
            truth,
            "{position:?}"
        );
    }
    assert!(seen.iter().all(|&count| count >= 20), "{seen:?}");
}

#[test]
fn claimeven_proves_nothing_wrong() {
    let mut rng = Rng::new(53);
    let mut proven = [[0; 2]; 2];
    for _ in 0..10_000 {
        let stones = 50 + rng.below(8) as usize;
        let Some(position) = random_position(&mut rng, stones) else {
            continue;
        };
        let board = Bitboards::of(&position);
        if (board.own_threats | board.other_threats) & board.playable() != 0 {
            continue;
        }
        // The side to move wins if its value is at least 1, the other one if it is at most -1.
        let at_least = |value: i32| plain(&position, value - 1, value) >= value;
        let (own, other) = (board.own, board.other);
        for (follower_moves, leader, follower, threats) in [
            (false, own, other, board.other_threats),
            (true, other, own, board.own_threats),
        ] {
            let follower = Side {
                stones: follower,
                threats,
            };
            let proves = |goal| claimeven_proves(goal, leader, follower, follower_moves);
            for (index, goal) in [Claimeven::Holds, Claimeven::Wins].into_iter().enumerate() {
                if !proves(goal) {
                    continue;
                }
                let true_value = match (goal, follower_moves) {
                    (Claimeven::Wins, false) => !at_least(0),
                    (Claimeven::Wins, true) => at_least(1),
                    (_, false) => !at_least(1),
                    (_, true) => at_least(0),
                };
                assert!(true_value, "{goal:?}, {}", position.write_position());
                proven[usize::from(follower_moves)][index] += 1;
            }
        }
    }
    assert!(proven.as_flattened().iter().all(|&n| n > 100), "{proven:?}");
}

#[test]
fn incremental_threats_equal_threats_from_scratch() {
    let mut rng = Rng::new(47);
    for _ in 0..300 {
        let (mut position, mut board) = (ScoreFour::start(), Bitboards::new(0, 0));
        while position.final_score().is_none() {
            let fresh = Bitboards::of(&position);
            assert_eq!(board, fresh);
            assert_eq!(board.playable(), position.playable());
            let m = position.moves()[rng.below(position.moves().len() as u64) as usize];
            let cell = u32::from(position.landing(m.square()));
            let wins = board.own_threats >> cell & 1 != 0;
            position = position.play(m);
            assert_eq!(
                wins,
                position.final_score().is_some_and(|score| score.0 < 0)
            );
            assert_eq!(wins, contains_line(position.other));
            board = board.play(cell);
        }
    }
}

fn rows(output: &Output) -> Vec<serde_json::Value> {
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A lost position of 38 stones, 16 plies before its end (confirmed by an independent plain
/// search).
const LOST: &str = "a1d2c1c1d1b1c2a4d4c3c2c2a4d1a1d4d2b3b3b3b4a1c3c3a1d1a4c1a4d4d4d2a3a3a3c3d1c1";

#[test]
fn files_of_moves_are_solved_and_checked() {
    let input = format!(
        "# a comment\n{LOST} ; loss ; 16 ; 38\n{LOST};draw\nx9;win\n{LOST};loss;20\na1-1 a1-2 a1z;;\n"
    );
    let words = [
        "solve",
        "-",
        "--game",
        "scorefour",
        "--json",
        "--only",
        "2-5",
    ];
    let output = nullwindow(&words, &input);
    let lines = rows(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("line 4: cannot read \"x9\""),
        "{output:?}"
    );
    let fields = |row: &serde_json::Value| {
        (
            row["n"].clone(),
            row["score"].clone(),
            row["ok"].clone(),
            row["stones"].clone(),
        )
    };
    assert_eq!(
        fields(&lines[0]),
        (2.into(), (-1).into(), true.into(), 38.into())
    );
    assert_eq!(
        (&lines[0]["wld"], lines[0].get("empties")),
        (&true.into(), None)
    );
    assert_eq!(
        fields(&lines[1]),
        (3.into(), (-1).into(), false.into(), 38.into())
    );
    assert_eq!(
        fields(&lines[2]),
        (5.into(), (-1).into(), true.into(), 38.into()),
        "the plies were not asked for"
    );
    let distance = rows(&nullwindow(&[&words[..], &["--distance"]].concat(), &input));
    assert_eq!(
        (&distance[0]["plies"], &distance[0]["ok"]),
        (&16.into(), &true.into())
    );
    assert_eq!(
        (&distance[2]["plies"], &distance[2]["ok"]),
        (&16.into(), &false.into())
    );
    let pv = distance[0]["pv"].as_str().unwrap();
    assert_eq!(
        (pv.split(' ').count(), pv.split(' ').next()),
        (16, distance[0]["best"].as_str())
    );
    assert_eq!(
        nullwindow(&["solve", "-", "--distance"], "").status.code(),
        Some(2),
        "Othello has no distance"
    );
}

#[test]
fn go_prints_exact_or_wld_for_solved_positions() {
    let moves: Vec<String> = LOST
        .as_bytes()
        .chunks(2)
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect();
    let input = format!(
        "position startpos moves {}\ngo exact\ngo wld\n",
        moves.join(" ")
    );
    let output = nullwindow(&["--game", "scorefour"], &input);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.contains("info string exact\nbestmove") && text.contains("info string wld\nbestmove"),
        "{text}"
    );
    assert!(text.contains("score cp -9984"), "{text}");
}

#[test]
fn solve_confirms_the_proven_positions() {
    let Some(text) = crate::common::shared_data("scorefour/positions.txt") else {
        return;
    };
    // The easiest ones; all of them need a release build.
    let easy: String = text
        .lines()
        .take(24)
        .map(|line| format!("{line}\n"))
        .collect();
    let output = nullwindow(&["solve", "-", "--game", "scorefour", "--json"], &easy);
    let lines = rows(&output);
    assert!(output.status.success() && lines.len() > 15, "{output:?}");
    assert!(
        lines[..lines.len() - 1].iter().all(|row| row["ok"] == true),
        "{lines:?}"
    );
}

#[test]
fn reproduce_statcut_has_plausible_and_repeatable_rows() {
    let words = [
        "reproduce",
        "statcut",
        "--positions",
        "6",
        "--depth",
        "4",
        "--json",
    ];
    let output = nullwindow(&words, "");
    assert!(output.status.success(), "{output:?}");
    let lines = rows(&output);
    let readings = ["all", "hard", "soft", "exact", "minimax", "games"];
    for reading in readings {
        assert!(
            lines.iter().any(|row| row["reading"] == reading),
            "{reading}"
        );
    }
    for row in &lines {
        assert!(row["ratio"].as_f64().unwrap() > 0.9, "{row}");
        assert!(
            row["hit_value"].as_f64().unwrap() >= row["hit_move"].as_f64().unwrap(),
            "{row}"
        );
    }
    assert_eq!(
        output.stdout,
        nullwindow(&words, "").stdout,
        "the same every time"
    );
    let folder = Folder::new("statcut");
    let file = folder.path("statcut.svg");
    let table = nullwindow(
        &[
            "reproduce",
            "003",
            "--positions",
            "6",
            "--depth",
            "4",
            "--svg",
            &file,
        ],
        "",
    );
    let text = String::from_utf8_lossy(&table.stdout).into_owned();
    let svg = std::fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("multi-ProbCut") && text.contains("MTD(f)") && text.contains("no cut"),
        "{text}"
    );
    assert!(
        svg.starts_with("<svg") && svg.contains("multi-ProbCut, MTD(f)") && !svg.contains("NaN"),
        "{svg}"
    );
}
