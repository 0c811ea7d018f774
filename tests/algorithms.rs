//! Positions from all games on which every algorithm, with and without table and deepening, must
//! return the value of minimax.

use nullwindow::commands::explain::drawn_tree::DrawnTree;
use nullwindow::game::rng::Rng;
use nullwindow::game::score::{Bound, Score, Window};
use nullwindow::game::{Game, Move};
use nullwindow::games::any::{self, AnyGame, NAMES};
use nullwindow::games::dispatch::{evaluate, think};
use nullwindow::search::core::isa::IsaChoice;
use nullwindow::search::core::policy::Zero;
use nullwindow::search::stop::SearchControl;
use nullwindow::search::table::Table;
use nullwindow::search::textbook::alpha_beta::alpha_beta;
use nullwindow::search::textbook::mtdf::{mtd_f, variation};
use nullwindow::search::textbook::{TextbookContext, fail_soft, minimax, nega_scout};
use nullwindow::search::{Algorithm, Answer, Certainty, Limits, Observer, Progress, Settings};

/// A position of the game after `plies` random moves, not finished.
fn random_position(game: &str, plies: usize, rng: &mut Rng) -> AnyGame {
    loop {
        let mut board = any::by_name(game).unwrap();
        for _ in 0..plies {
            let moves = board.moves();
            if moves.is_empty() {
                break;
            }
            board
                .play(moves[rng.below(moves.len() as u64) as usize])
                .unwrap();
        }
        if board.final_score().is_none() {
            return board;
        }
    }
}

/// Numbers of random plies and depths that leave minimax about ten thousand lines.
fn cases(game: &str) -> &'static [(usize, u8)] {
    match game {
        "othello" => &[(0, 4), (10, 3), (25, 3), (40, 4), (52, 9), (55, 6)],
        "othello6" => &[(0, 4), (12, 4), (24, 9), (27, 6)],
        "othello4" => &[(0, 6), (3, 10), (6, 7)],
        "diamond" | "diamond2" => &[(0, 5), (8, 5), (12, 9), (15, 6)],
        "tictactoe" => &[(0, 4), (1, 9), (3, 6), (5, 3)],
        "scorefour" => &[(0, 3), (8, 3), (24, 3), (48, 4), (56, 9)],
        _ => &[(0, 3), (2, 3), (3, 4)], // a game without an entry
    }
}

struct Run {
    answer: Answer,
    told: Vec<Progress>,
}

fn run_with(
    board: &AnyGame,
    settings: &Settings,
    kernel: IsaChoice,
    limits: &Limits,
    table: &Table,
) -> Run {
    let settings = Settings {
        isa: kernel,
        ..settings.clone()
    };
    let mut told = Vec::new();
    let mut report = |progress: &Progress| told.push(progress.clone());
    let mut observer = Observer {
        report: Some(&mut report),
        ..Observer::default()
    };
    let answer = think(board.position(), &settings, table, limits, &mut observer);
    Run { answer, told }
}

fn run(board: &AnyGame, settings: &Settings, limits: &Limits) -> Run {
    run_with(
        board,
        settings,
        IsaChoice::Auto,
        limits,
        &Table::with_bytes(1 << 18),
    )
}

fn named(algorithm: Algorithm) -> Settings {
    Settings {
        algorithm,
        ..Settings::default()
    }
}

/// The value that a line leads to, for the side to move at its start.
fn value_of_line(board: &AnyGame, line: &[Move]) -> Score {
    let mut board = board.clone();
    let mover = board.to_move();
    for &m in line {
        board
            .play(m)
            .unwrap_or_else(|illegal| panic!("{illegal} in the line {line:?}"));
    }
    let score = evaluate(board.position(), None);
    if board.to_move() == mover {
        score
    } else {
        -score
    }
}

fn costed(line: &[Move]) -> u8 {
    line.iter().filter(|m| !m.is_pass()).count() as u8
}

#[test]
fn every_algorithm_returns_minimaxs_value_at_every_setting() {
    let mut rng = Rng::new(17);
    for game in NAMES {
        for &(plies, depth) in cases(game) {
            for _ in 0..3 {
                let board = random_position(game, plies, &mut rng);
                let context = format!("{game} {} depth {depth}", board.write_position());
                let limits = Limits::to_depth(depth);
                let judge = run(&board, &named(Algorithm::Minimax), &limits).answer;
                for algorithm in Algorithm::ALL {
                    for (table, deepening) in
                        [(true, true), (true, false), (false, true), (false, false)]
                    {
                        let settings = Settings {
                            algorithm,
                            table,
                            deepening,
                            ..Settings::default()
                        };
                        let Run { answer, told } = run(&board, &settings, &limits);
                        let context = format!("{context} {settings:?}");
                        let exact = answer.certainty == Certainty::Exact;
                        if algorithm != Algorithm::Auto || exact {
                            assert_eq!(answer.score(), judge.score(), "{context}");
                        }
                        assert_eq!(exact, judge.certainty == Certainty::Exact, "{context}");
                        let last = told.last().unwrap();
                        assert_eq!(last.pv.first(), answer.best_move().as_ref(), "{context}");
                        assert_eq!(last.depth, judge.depth, "{context}");
                        if algorithm != Algorithm::Auto {
                            assert!(costed(&last.pv) <= last.depth, "{context}: {:?}", last.pv);
                            let short = value_of_line(&board, &last.pv);
                            if costed(&last.pv) == answer.depth {
                                assert_eq!(Some(short), judge.score(), "{context}: {:?}", last.pv);
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn lines_are_complete_to_the_depth_with_a_table_that_holds_them() {
    let mut rng = Rng::new(18);
    for game in NAMES {
        for &(plies, depth) in cases(game) {
            let board = random_position(game, plies, &mut rng);
            for algorithm in Algorithm::ALL {
                let Run { answer, told } = run(&board, &named(algorithm), &Limits::to_depth(depth));
                for progress in told {
                    let mut end = board.clone();
                    for &m in &progress.pv {
                        end.play(m).unwrap();
                    }
                    // Forced moves cost `auto` no depth in Score Four.
                    let complete = match algorithm {
                        Algorithm::Auto => costed(&progress.pv) >= progress.depth,
                        _ => costed(&progress.pv) == progress.depth,
                    };
                    let complete = complete || end.final_score().is_some();
                    assert!(
                        complete,
                        "{game} {} {algorithm:?}: {progress:?}",
                        board.write_position()
                    );
                }
                if answer.certainty == Certainty::Exact {
                    assert_eq!(
                        Some(value_of_line(&board, &answer.best[0].pv)),
                        answer.score()
                    );
                }
            }
        }
    }
}

#[test]
fn every_instruction_set_visits_the_same_nodes() {
    let mut rng = Rng::new(19);
    let kernels: Vec<IsaChoice> = crate::common::instruction_sets();
    for game in NAMES {
        let (plies, depth) = cases(game)[1];
        let board = random_position(game, plies, &mut rng);
        let nodes = |kernel| {
            let limits = Limits::to_depth(depth + 3);
            run_with(
                &board,
                &Settings::default(),
                kernel,
                &limits,
                &Table::with_bytes(1 << 18),
            )
            .answer
            .counters
        };
        let portable = nodes(IsaChoice::Portable);
        for &kernel in &kernels {
            assert_eq!(nodes(kernel), portable, "{game} {}", kernel.name());
        }
    }
}

#[test]
fn several_lines_have_the_scores_of_their_moves() {
    let mut rng = Rng::new(20);
    for game in NAMES {
        let (plies, depth) = cases(game)[0];
        let board = random_position(game, plies + 2, &mut rng);
        let all = board.moves();
        for algorithm in Algorithm::ALL {
            let limits = Limits {
                multi_pv: all.len(),
                ..Limits::to_depth(depth)
            };
            let answer = run(&board, &named(algorithm), &limits).answer;
            assert_eq!(answer.best.len(), all.len(), "{game} {algorithm:?}");
            assert!(answer.best.is_sorted_by(|a, b| a.score >= b.score));
            for root in &answer.best {
                assert_eq!(root.pv.first(), Some(&root.m));
                let only = Limits {
                    moves: vec![root.m],
                    ..Limits::to_depth(depth)
                };
                let alone = run(&board, &named(Algorithm::Minimax), &only).answer;
                if algorithm != Algorithm::Auto {
                    assert_eq!(
                        alone.score(),
                        Some(root.score),
                        "{game} {algorithm:?} {:?}",
                        root.m
                    );
                }
                assert_eq!(alone.best_move(), Some(root.m));
            }
        }
    }
}

#[test]
fn node_limits_are_kept_and_repeat_after_a_clear() {
    let mut table = Table::with_bytes(1 << 20);
    for game in NAMES {
        let board = any::by_name(game).unwrap();
        for algorithm in Algorithm::ALL {
            for limit in [1, 500, 20_000] {
                let limits = Limits::to_nodes(limit);
                table.clear();
                let first = run_with(&board, &named(algorithm), IsaChoice::Auto, &limits, &table);
                table.clear();
                let again = run_with(&board, &named(algorithm), IsaChoice::Auto, &limits, &table);
                let context = format!("{game} {algorithm:?} {limit}");
                assert!(
                    first.answer.counters.nodes <= limit + 1_000,
                    "{context}: {:?}",
                    first.answer.counters
                );
                assert_eq!(first.answer.counters, again.answer.counters, "{context}");
                assert_eq!(
                    first.answer.best_move(),
                    again.answer.best_move(),
                    "{context}"
                );
                let told = first
                    .told
                    .iter()
                    .filter(|p| p.bound == Bound::Exact && !p.pv.is_empty());
                assert!(told.count() > 0, "{context}");
            }
        }
    }
}

#[test]
fn depth_zero_and_finished_games_return_the_static_score() {
    for game in NAMES {
        let board = any::by_name(game).unwrap();
        for algorithm in Algorithm::ALL {
            let Run { answer, told } = run(&board, &named(algorithm), &Limits::to_depth(0));
            assert_eq!(
                (told.len(), told[0].depth, told[0].pv.len()),
                (1, 0, 1),
                "{game}"
            );
            assert_eq!(answer.score(), Some(evaluate(board.position(), None)));
            assert_eq!(answer.certainty, Certainty::Heuristic);
        }
        let mut rng = Rng::new(3);
        let mut board = any::by_name(game).unwrap();
        while board.final_score().is_none() {
            let moves = board.moves();
            board
                .play(moves[rng.below(moves.len() as u64) as usize])
                .unwrap();
        }
        let Run { answer, told } = run(&board, &Settings::default(), &Limits::default());
        assert_eq!(
            (answer.best_move(), answer.certainty),
            (None, Certainty::Exact)
        );
        assert_eq!((told.len(), Some(told[0].score)), (1, board.final_score()));
    }
}

/// A random tree of up to `plies` plies: one to four moves per node, leaves at any ply, values
/// from -10 to 10.
fn random_tree(rng: &mut Rng, plies: u64) -> String {
    if plies == 0 || rng.below(8) == 0 {
        return (rng.below(21) as i32 - 10).to_string();
    }
    let moves = 1 + rng.below(4);
    let branches: Vec<String> = (0..moves).map(|_| random_tree(rng, plies - 1)).collect();
    format!("({})", branches.join(" "))
}

/// Checks the value or bound of every algorithm against minimax.
fn check_tree(tree: &DrawnTree, depth: u8, table: Option<&Table>, window: Window, guess: Score) {
    let control = SearchControl::default();
    let mut cx = TextbookContext::new(&Zero, table, &control);
    let value = minimax(&mut cx, tree, depth, 0).unwrap();
    for search in [fail_soft, nega_scout] {
        let score = search(&mut cx, tree, depth, 0, window).unwrap();
        let agrees = match window.classify(score) {
            Bound::Exact => score == value,
            Bound::Lower => score <= value,
            Bound::Upper => score >= value,
        };
        assert!(agrees, "{score} for {value} in {window:?}: {tree:?}");
    }
    assert_eq!(
        alpha_beta(&mut cx, tree, depth, 0, window).unwrap(),
        value.clamp(window.alpha, window.beta)
    );
    if tree.final_score().is_some() || depth == 0 {
        return;
    }
    let mut moves = tree.moves();
    let (score, m) = mtd_f(
        &mut cx,
        tree,
        &mut moves,
        depth,
        guess,
        Window::FULL,
        &mut |_, _| {},
    )
    .unwrap();
    assert_eq!(score, value, "from {guess}: {tree:?}");
    assert_eq!(
        -minimax(&mut cx, &tree.play(m), depth - 1, 1).unwrap(),
        value
    );
    let pv = variation(&mut cx, tree, depth, m, score, Window::FULL);
    let end = pv.iter().fold(*tree, |position, &m| position.play(m));
    assert!(
        end.final_score().is_some() || pv.len() == usize::from(depth),
        "{pv:?}: {tree:?}"
    );
    let score = end.final_score().unwrap_or_default();
    assert_eq!(
        if pv.len().is_multiple_of(2) {
            score
        } else {
            -score
        },
        value,
        "{pv:?}: {tree:?}"
    );
}

#[test]
fn textbook_searches_agree_with_minimax_for_any_window_and_first_guess() {
    let mut rng = Rng::new(7);
    for _ in 0..400 {
        let tree = DrawnTree::parse(&random_tree(&mut rng, 5)).unwrap();
        let table = Table::with_bytes(1 << 12);
        for depth in 0..=tree.plies_left() {
            let alpha = Score(rng.below(24) as i32 - 12);
            let window = Window {
                alpha,
                beta: alpha + 1 + rng.below(6) as i32,
            };
            let guess = Score(rng.below(30) as i32 - 15);
            for window in [window, Window::FULL] {
                check_tree(&tree, depth, None, window, guess);
                check_tree(&tree, depth, Some(&table), window, guess);
            }
        }
    }
}
