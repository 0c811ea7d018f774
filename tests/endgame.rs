//! The Reversi kernels and exact endgame searches against slow, obvious oracles, on every instruction set that this processor
//! has (a set that it lacks is named).

#![allow(clippy::print_stdout)]

use std::sync::Arc;

use nullwindow::engine::roster;
use nullwindow::game::{Game, Move, Notation, Player};
use nullwindow::games::any::{AnyPosition, by_name};
use nullwindow::games::obf;
use nullwindow::games::othello::{Othello, board};
use nullwindow::games::reversi::{
    Diamond, Diamond2, DiamondCrossed, Eight, Four, Othello4, Othello6, Reversi, Shape, Six,
};
use nullwindow::othello::board::Board;
use nullwindow::othello::kernel::Kernels;
use nullwindow::othello::stability;
use nullwindow::rng::Rng;
use nullwindow::score::Score;
use nullwindow::search::context::Watch;
use nullwindow::search::isa::{IsaChoice, with_isa};
use nullwindow::search::table::Table;
use nullwindow::search::{Answer, Certainty, Limits, Observer, Progress, Settings};

mod common;

use common::alpha_beta::exact_score;
use common::instruction_sets;

/// Plays random moves from the start until so many squares are empty; `None` if the game ends before.
fn random_position<B: Board>(rng: &mut Rng, empties: u32) -> Option<(u64, u64)> {
    let (mut player, mut opponent) = (B::BLACK, B::WHITE);
    while B::empty(player, opponent).count_ones() > empties {
        let moves = B::legal(player, opponent);
        if moves == 0 {
            if B::legal(opponent, player) == 0 {
                return None;
            }
        } else {
            let squares: Vec<u8> = board::squares(moves).collect();
            let square = squares[rng.below(squares.len() as u64) as usize];
            let flips = B::flips(player, opponent, square);
            (player, opponent) = (player | flips | 1 << square, opponent ^ flips);
        }
        (player, opponent) = (opponent, player);
    }
    Some((player, opponent))
}

fn kernels_equal_the_rules_on<K: Kernels>(kernel: K) {
    let mut rng = Rng::new(6);
    for _ in 0..20_000 {
        // Random words of random density, then positions of games.
        let (a, b, c) = (rng.next_u64(), rng.next_u64(), rng.next_u64());
        let filled = match c % 4 {
            0 => a | b,
            1 => a & b,
            2 => a,
            _ => a | b | rng.next_u64() | rng.next_u64(),
        };
        check_kernels(kernel, filled & c, filled & !c);
    }
    for empties in 0..60 {
        for _ in 0..20 {
            if let Some((player, opponent)) = random_position::<Eight>(&mut rng, empties) {
                check_kernels(kernel, player, opponent);
            }
        }
    }
    // Every content of a row, a file and both diagonals through every square of them: all small cases.
    let lines = [0xff, 0xff << 24, 0x0101_0101_0101_0101, 0x8040_2010_0804_0201, 0x0102_0408_1020_4080];
    for line in lines {
        let squares: Vec<u8> = board::squares(line).collect();
        for code in 0..3u32.pow(8) {
            let (mut player, mut opponent) = (0, 0);
            for (digit, &square) in squares.iter().enumerate() {
                match code / 3u32.pow(digit as u32) % 3 {
                    1 => player |= 1 << square,
                    2 => opponent |= 1 << square,
                    _ => {}
                }
            }
            check_kernels(kernel, player, opponent);
        }
    }
}

fn check_kernels<K: Kernels>(kernel: K, player: u64, opponent: u64) {
    assert_eq!(kernel.legal(player, opponent), board::legal(player, opponent), "legal {player:x} {opponent:x}");
    for square in board::squares(!(player | opponent)) {
        let flips = board::flips(player, opponent, square);
        let at = u32::from(square);
        assert_eq!(kernel.flips(player, opponent, at), flips, "flips {player:x} {opponent:x} {square}");
        let full = !player & !(1 << square);
        let last = 2 * board::flips(player, full, square).count_ones() as i32;
        assert_eq!(kernel.last_flips(player, at), last, "last flip {player:x} {square}");
    }
}

#[test]
fn kernels_equal_the_rules() {
    for choice in instruction_sets() {
        with_isa!(choice, isa => kernels_equal_the_rules_on(isa));
    }
}

/// The discs of `player` that are stable: equal on all sets, and never turned by any random continuation.
fn stability_holds<B: Board>(seed: u64) {
    let stable_on = |choice: IsaChoice, player: u64, opponent: u64| with_isa!(choice, isa => stability::stable::<_, B>(isa, player, opponent));
    let mut rng = Rng::new(seed);
    let mut found = 0;
    for round in 0..600 {
        let empties = 1 + round % (B::COUNT as u32 - 8);
        let Some((player, opponent)) = random_position::<B>(&mut rng, empties) else { continue };
        let stable = stable_on(IsaChoice::Portable, player, opponent);
        for choice in IsaChoice::available() {
            assert_eq!(stable_on(choice, player, opponent), stable, "{}", choice.name());
        }
        assert_eq!(stable & !player, 0);
        found += stable.count_ones();
        for _ in 0..20 {
            let (mut own, mut other, mut swapped) = (player, opponent, false);
            loop {
                assert_eq!(stable & !(if swapped { other } else { own }), 0, "{player:x} {opponent:x}");
                let moves = B::legal(own, other);
                if moves == 0 && B::legal(other, own) == 0 {
                    break;
                }
                if moves != 0 {
                    let squares: Vec<u8> = board::squares(moves).collect();
                    let square = squares[rng.below(squares.len() as u64) as usize];
                    let flips = B::flips(own, other, square);
                    (own, other) = (own | flips | 1 << square, other ^ flips);
                }
                (own, other, swapped) = (other, own, !swapped);
            }
        }
    }
    assert!(found > 500, "only {found} stable discs were seen");
}

#[test]
fn stable_discs_stay() {
    stability_holds::<Eight>(1);
    stability_holds::<Six>(2);
    stability_holds::<Four>(3);
    stability_holds::<DiamondCrossed>(4);
}

/// A search by the engine's registry, with a table of its own.
fn search<S: Shape>(position: Reversi<S>, kernel: IsaChoice, limits: Limits, table: &Table) -> Answer
where
    AnyPosition: From<Reversi<S>>,
{
    let mut observer = Observer { watch: Arc::new(Watch::default()), report: &mut |_: &Progress| {} };
    roster::think(position.into(), &Settings::default(), kernel, table, &limits, &mut observer)
}

/// The limits of an exact search, or of one for the winner.
fn proof(win_loss_draw: bool) -> Limits {
    Limits { proven: true, win_loss_draw, ..Limits::default() }
}

/// The final score after the moves of a line, each legal, for the side to move at its start.
fn played_out<S: Shape>(root: Reversi<S>, line: &[Move]) -> Score {
    let mut position = root;
    for m in line {
        assert!(position.moves().contains(m), "{m:?} is not legal in {position:?}");
        position = position.play(*m);
    }
    let score = position.final_score().expect("the line ends with the game");
    if position.to_move() == root.to_move() { score } else { -score }
}

/// Exact score and line, and the winner, of random positions: on every instruction set with the same nodes.
fn searches_agree<S: Shape>(seed: u64, counts: &[(u32, u32)])
where
    AnyPosition: From<Reversi<S>>,
{
    let mut rng = Rng::new(seed);
    for &(empties, count) in counts {
        for _ in 0..count {
            let Some((player, opponent)) = random_position::<S>(&mut rng, empties) else { continue };
            let root = Reversi::<S>::new(player, opponent, Player::First);
            if root.final_score().is_some() {
                continue;
            }
            let value = Score(100 * exact_score::<S>(player, opponent, -64, 64));
            let mut nodes = Vec::new();
            for kernel in instruction_sets() {
                let told = format!("{} {root:x?}", kernel.name());
                let table = Table::new(1);
                let exact = search(root, kernel, proof(false), &table);
                assert_eq!((exact.score(), exact.certainty), (Some(value), Certainty::Exact), "{told}");
                assert_eq!(played_out(root, &exact.best[0].pv), value, "{told}");
                let winner = search(root, kernel, proof(true), &table);
                assert_eq!(winner.score().map(|score| score.0.signum()), Some(value.0.signum()), "{told}");
                let m = winner.best_move().expect("a move that keeps the result");
                let child = root.play(m);
                let kept = -exact_score::<S>(child.player, child.opponent, -64, 64);
                assert_eq!(kept.signum(), value.0.signum(), "{told} {m:?}");
                nodes.push(exact.counters.nodes + winner.counters.nodes);
            }
            assert!(nodes.windows(2).all(|pair| pair[0] == pair[1]), "nodes differ between sets: {nodes:?}");
        }
    }
}

#[test]
fn the_search_equals_plain_alpha_beta() {
    let few: Vec<(u32, u32)> = (1..=8).map(|empties| (empties, 120)).collect();
    searches_agree::<Eight>(10, &few);
    searches_agree::<Eight>(11, &[(9, 60), (10, 40), (11, 25), (12, 12), (13, 4)]);
}

#[test]
fn the_search_equals_plain_alpha_beta_on_small_boards() {
    let few: Vec<(u32, u32)> = (1..=9).map(|empties| (empties, 60)).collect();
    searches_agree::<Six>(12, &few);
    searches_agree::<Six>(13, &[(12, 10), (14, 4)]);
    searches_agree::<Four>(14, &few);
    searches_agree::<DiamondCrossed>(15, &few);
    searches_agree::<DiamondCrossed>(16, &[(12, 10), (13, 4)]);
}

/// Document 000's values, scored by its rules, and the 6x6 board from a position of its published best play.
#[test]
fn the_small_boards_from_their_starts() {
    let kernel = IsaChoice::default();
    let value = |answer: Answer| answer.score().map(|score| score.0 / 100);
    assert_eq!(value(search(Othello4::start(), kernel, proof(false), &Table::new(16))), Some(-8));
    assert_eq!(value(search(Diamond::start(), kernel, proof(false), &Table::new(16))), Some(0));
    assert_eq!(value(search(Diamond2::start().crossed(), kernel, proof(false), &Table::new(16))), Some(10));
    let line = "c2 b4 c5 d2 e4 e3 d1 c1 b1 d5 d6 f4".split_whitespace();
    let six = line.fold(Othello6::start(), |position, word| position.play(Othello6::parse_move(word).unwrap()));
    assert_eq!(value(search(six, kernel, proof(false), &Table::new(16))), Some(-4));
}

/// Images of a position have its score, by searches with a first guess from deepening.
#[test]
fn images_have_the_same_score() {
    let mut rng = Rng::new(17);
    let root = std::iter::repeat_with(|| random_position::<Eight>(&mut rng, 16)).flatten().next().unwrap();
    let root = Othello::new(root.0, root.1, Player::First);
    let scores: Vec<Option<Score>> = (0..8)
        .map(|symmetry| {
            let image = root.image(symmetry);
            let answer = search(image, IsaChoice::default(), proof(false), &Table::new(4));
            assert_eq!(Some(played_out(image, &answer.best[0].pv)), answer.score());
            answer.score()
        })
        .collect();
    assert!(scores.iter().all(|&score| score == scores[0]), "{scores:?}");
}

#[test]
fn a_search_can_be_stopped() {
    let table = Table::new(1);
    let mut rng = Rng::new(18);
    let root = std::iter::repeat_with(|| random_position::<Six>(&mut rng, 22)).flatten().next().unwrap();
    let root = Othello6::new(root.0, root.1, Player::First);
    let kernel = IsaChoice::default();
    let stopped = search(root, kernel, Limits { nodes: Some(20_000), ..proof(false) }, &table);
    assert!(stopped.stopped && stopped.certainty != Certainty::Exact);
    assert!(stopped.counters.nodes <= 21_000 && stopped.best_move().is_some());
    // What the stopped search left in the table does no harm.
    let fresh = search(root, kernel, proof(true), &Table::new(1));
    assert_eq!(search(root, kernel, proof(true), &table).score(), fresh.score());
}

/// Each listed score of the project's own problems, by plain alpha-beta.
#[test]
fn own_problems_are_true() {
    let text = include_str!("data/endgames-12.obf");
    let grid = by_name("othello").unwrap().discs().unwrap().grid;
    let problems: Vec<_> = text.lines().filter_map(|line| obf::read_line(grid, line).unwrap()).collect();
    assert_eq!(problems.len(), 20);
    for problem in &problems {
        let Ok(position) = Othello::parse_position(&obf::write_line(problem)) else { panic!("{problem:?}") };
        assert_eq!(position.moves().len(), problem.moves.len());
        for &(m, score) in &problem.moves {
            let child = position.play(m);
            // Both bounds by the slow oracle, in windows just beside the score.
            let score = score.0 / 100;
            assert!(
                exact_score::<Eight>(child.player, child.opponent, -score - 1, -score) >= -score,
                "{m:?} {problem:?}"
            );
            assert!(
                exact_score::<Eight>(child.player, child.opponent, -score, -score + 1) <= -score,
                "{m:?} {problem:?}"
            );
        }
        assert_eq!(problem.value, problem.moves.iter().map(|&(_, score)| score).max());
    }
}
