//! Exact searches through the engine's public entry point against a plain solver, on every game and
//! instruction set.

use std::sync::Arc;

use crate::common::oracle::{alpha_beta, random_position, value, value_from_start};
use crate::common::{instruction_sets, skip};
use nullwindow::game::rng::Rng;
use nullwindow::game::score::Score;
use nullwindow::game::{Game, Notation};
use nullwindow::games::any::{AnyGame, AnyPosition, NAMES, by_name};
use nullwindow::games::dispatch::think;
use nullwindow::games::record;
use nullwindow::games::reversi::Othello;
use nullwindow::games::reversi::obf;
use nullwindow::games::reversi::{Diamond, Diamond2, Othello4};
use nullwindow::games::tictactoe::TicTacToe;
use nullwindow::search::core::isa::IsaChoice;
use nullwindow::search::stop::SearchControl;
use nullwindow::search::table::Table;
use nullwindow::search::{Answer, Certainty, Goal, Limits, Observer, Settings, Stops};

/// A search under these limits that is not stopped.
fn search(position: AnyPosition, kernel: IsaChoice, limits: &Limits, table: &Table) -> Answer {
    let mut observer = Observer::default();
    think(
        position,
        &Settings {
            isa: kernel,
            ..Settings::default()
        },
        table,
        limits,
        &mut observer,
    )
}

/// The limits of `go exact`.
fn exact() -> Limits {
    Limits::to_find(Goal::Exact)
}

/// The limits of `go wld`.
fn win_loss_draw() -> Limits {
    Limits::to_find(Goal::WinLossDraw)
}

/// The score at the end of a proven answer's line, for the side to move at its root; the game must
/// be over there.
fn played_out(game: &AnyGame, answer: &Answer) -> Score {
    let (mut game, mover) = (game.clone(), game.to_move());
    for &m in &answer.best[0].pv {
        game.play(m)
            .unwrap_or_else(|illegal| panic!("{}: {illegal} in {answer:?}", game.write_position()));
    }
    let score = game.final_score();
    let score = score
        .unwrap_or_else(|| panic!("{}: the line ends early: {answer:?}", game.write_position()));
    if game.to_move() == mover {
        score
    } else {
        -score
    }
}

/// Numbers of plies left and of positions that the plain solver can do, and how many positions
/// there are at least.
fn cases(game: &str) -> (Vec<(u8, u32)>, u32) {
    let up_to = |plies: u8, count: u32| (1..=plies).map(move |left| (left, count));
    let cases = match game {
        "othello" => up_to(8, 150)
            .chain([(9, 80), (10, 50), (11, 25), (12, 12), (13, 4)])
            .collect(),
        "scorefour" => up_to(12, 10).chain([(14, 10), (16, 5)]).collect(),
        "tictactoe" => up_to(8, 20).chain([(9, 1)]).collect(),
        "othello6" | "othello4" | "diamond" | "diamond2" => {
            up_to(9, 60).chain([(10, 20), (11, 10), (12, 10)]).collect()
        }
        _ => return (up_to(8, 20).collect(), 0), // few games last that long
    };
    (cases, 61)
}

#[test]
fn exact_searches_equal_the_plain_solver_on_every_instruction_set() {
    let mut rng = Rng::new(10);
    let kernels = instruction_sets();
    let mut table = Table::new(1);
    for game in NAMES {
        let mut checked = 0;
        let (cases, least) = cases(game);
        for (plies_left, count) in cases {
            for _ in 0..count {
                let Some(root) = random_position(game, plies_left, &mut rng) else {
                    continue;
                };
                let value = value(&root);
                let mut nodes = None;
                for &kernel in &kernels {
                    let told = format!("{game} {} {}", root.write_position(), kernel.name());
                    table.clear();
                    let answer = search(root.position(), kernel, &exact(), &table);
                    assert_eq!(
                        (answer.score(), answer.certainty),
                        (Some(value), Certainty::Exact),
                        "{told}"
                    );
                    assert_eq!(played_out(&root, &answer), value, "{told}");
                    table.clear();
                    let sign = search(root.position(), kernel, &win_loss_draw(), &table);
                    let found = sign.score().map(|score| score.cmp(&Score::ZERO));
                    assert_eq!(found, Some(value.cmp(&Score::ZERO)), "{told} win/loss/draw");
                    assert_ne!(sign.certainty, Certainty::Heuristic, "{told} win/loss/draw");
                    if game == "scorefour" {
                        let end = played_out(&root, &sign).cmp(&Score::ZERO);
                        assert_eq!(end, value.cmp(&Score::ZERO), "{told} win/loss/draw");
                    }
                    let visited = (answer.counters.nodes, sign.counters.nodes);
                    assert_eq!(*nodes.get_or_insert(visited), visited, "{told}: nodes");
                }
                checked += 1;
            }
        }
        assert!(checked >= least, "{game}: only {checked} positions");
    }
}

/// The games that are small enough for the plain solver, from their starts. Document 000 has the
/// values of the diamond and of the 4x4 board.
#[test]
fn small_games_from_their_starts_have_their_known_values() {
    let table = Table::new(16);
    let values = [
        (Othello4::NAME, value_from_start::<Othello4>(), -800),
        (Diamond::NAME, value_from_start::<Diamond>(), 0),
        (Diamond2::NAME, value_from_start::<Diamond2>(), 1_000),
        (TicTacToe::NAME, value_from_start::<TicTacToe>(), 0),
    ];
    for (name, value, known) in values {
        assert_eq!(value, Score(known), "{name}");
        let game = by_name(name).unwrap();
        let answer = search(game.position(), IsaChoice::Auto, &exact(), &table);
        assert_eq!(
            (answer.score(), answer.certainty),
            (Some(value), Certainty::Exact),
            "{name}"
        );
        assert_eq!(played_out(&game, &answer), value, "{name}");
    }
}

#[test]
fn symmetry_images_have_the_same_score() {
    let root = random_position(Othello::NAME, 16, &mut Rng::new(17)).unwrap();
    let AnyPosition::Othello(root) = root.position() else {
        panic!("another game")
    };
    let score = |symmetry| {
        let image = AnyPosition::Othello(root.image(symmetry));
        search(image, IsaChoice::Auto, &exact(), &Table::new(4)).score()
    };
    for symmetry in 1..Othello::SYMMETRIES {
        assert_eq!(score(symmetry), score(0), "image {symmetry}");
    }
}

/// The endgame kernel begins with 13 empties below a root of 24, with 12 below one of 23.
#[test]
fn a_score_with_24_empties_is_the_best_one_of_its_moves() {
    let board = "-OOOOOO---OXXO--OOOOOXX-OOXOXXX-OOOXOXX--OOXXXX---OX-------X---- X;";
    let Ok(root) = Othello::parse_position(board) else {
        panic!("unreadable")
    };
    assert_eq!(root.empty().count_ones(), 24);
    let score = |position| {
        search(
            AnyPosition::Othello(position),
            IsaChoice::Auto,
            &exact(),
            &Table::new(16),
        )
        .score()
    };
    let best = root
        .moves()
        .iter()
        .map(|&m| -score(root.play(m)).unwrap())
        .max();
    assert_eq!(score(root), best);
}

#[test]
fn stopped_searches_store_only_true_bounds() {
    let mut rng = Rng::new(18);
    for game in NAMES {
        let plies_left = match game {
            "othello" | "othello6" => 18,
            "scorefour" => 20,
            "tictactoe" => 9,
            _ => 12,
        };
        let Some(root) = random_position(game, plies_left, &mut rng) else {
            skip(&format!(
                "{game}: no unfinished position with {plies_left} plies left"
            ));
            continue;
        };
        let table = Table::new(1);
        let control = Arc::new(SearchControl::default());
        control.stop();
        let mut observer = Observer {
            control,
            ..Observer::default()
        };
        let answer = think(
            root.position(),
            &Settings::default(),
            &table,
            &exact(),
            &mut observer,
        );
        assert!(
            root.moves().contains(&answer.best_move().unwrap()),
            "{game}: a stopped search has a legal move"
        );
        assert!(
            answer.stopped && answer.certainty == Certainty::Heuristic,
            "{game}: {answer:?}"
        );
        for nodes in [100, 1_000, 5_000, 20_000] {
            search(
                root.position(),
                IsaChoice::Auto,
                &Limits::new(
                    Goal::Exact,
                    Stops {
                        nodes: Some(nodes),
                        ..Stops::default()
                    },
                ),
                &table,
            );
        }
        let after = search(root.position(), IsaChoice::Auto, &exact(), &table);
        let fresh = search(root.position(), IsaChoice::Auto, &exact(), &Table::new(1));
        assert_eq!(
            (after.score(), after.certainty),
            (fresh.score(), Certainty::Exact),
            "{game}"
        );
    }
}

/// The listed scores of the project's own problems, by the plain solver.
#[test]
fn the_listed_scores_of_own_problems_are_exact() {
    let text = include_str!("data/endgames-12.obf");
    let start = by_name("othello").unwrap();
    let reader = record::RecordReader::new(text.as_bytes(), "endgames-12.obf", &start);
    let problems: Vec<_> = reader
        .map(|record| record.unwrap().entry.unwrap().problem().unwrap())
        .collect();
    assert_eq!(problems.len(), 20);
    for problem in &problems {
        let Ok(position) = Othello::parse_position(&obf::write_line(problem)) else {
            panic!("{problem:?}")
        };
        assert_eq!(position.moves().len(), problem.moves.len());
        for &(m, score) in &problem.moves {
            let child = position.play(m);
            // Two null windows, one on either side of the score.
            assert!(
                alpha_beta(&child, -score - 1, -score) >= -score,
                "{m:?} {problem:?}"
            );
            assert!(
                alpha_beta(&child, -score, -score + 1) <= -score,
                "{m:?} {problem:?}"
            );
        }
        assert_eq!(
            problem.value,
            problem.moves.iter().map(|&(_, score)| score).max()
        );
    }
}

#[test]
fn a_search_for_a_bound_decides_it_in_every_game() {
    let mut rng = Rng::new(52);
    let mut table = Table::new(1);
    for game in NAMES {
        let (mut yes, mut no) = (0, 0);
        for plies_left in [1, 4, 6, 8] {
            for _ in 0..10 {
                let Some(root) = random_position(game, plies_left, &mut rng) else {
                    continue;
                };
                let (value, grain) = (value(&root), root.position().grain());
                let near = |by: i32| {
                    if root.discs().is_some() {
                        value.0 + by
                    } else {
                        0
                    }
                };
                let scores = [near(-200), near(-100), near(0), near(1), near(100), 0, 1];
                for score in scores.map(Score) {
                    table.clear();
                    let limits = Limits::to_reach(score, grain);
                    let answer = search(root.position(), IsaChoice::Auto, &limits, &table);
                    let context = format!("{game} {} {score}", root.write_position());
                    assert!(!answer.stopped, "{context}");
                    assert_eq!(answer.score() >= Some(score), value >= score, "{context}");
                    *(if value >= score { &mut yes } else { &mut no }) += 1;
                }
            }
        }
        assert!(yes > 20 && no > 20, "{game}: {yes} {no}");
    }
}
