//! The Othello kernels and the endgame solver against slow, obvious twins, on every instruction set that this processor
//! has (a set that it lacks is named).

#![allow(clippy::print_stdout)]

use nullwindow::game::{Game, Notation};
use nullwindow::games::any::by_name;
use nullwindow::games::obf;
use nullwindow::games::othello::{Othello, board};
use nullwindow::games::reversi::{DiamondCrossed, Eight, Four, Shape, Six};
use nullwindow::othello::board::Board;
use nullwindow::othello::endgame::{Endgame, Goal, Solution};
use nullwindow::othello::kernel::{BoardKind, InstructionSet, OnSet, Stamped};
use nullwindow::othello::stability;
use nullwindow::rng::Rng;
use nullwindow::search::context::{Budget, Watch};
use nullwindow::search::table::Table;

mod common;

use common::sets;

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

/// Alpha-beta with nothing but the rules, the opponent's replies counted to sort moves.
fn plain<B: Board>(player: u64, opponent: u64, mut alpha: i32, beta: i32) -> i32 {
    let moves = B::legal(player, opponent);
    if moves == 0 {
        if B::legal(opponent, player) == 0 {
            return B::count(player, opponent);
        }
        return -plain::<B>(opponent, player, -beta, -alpha);
    }
    let mut children: Vec<(u32, u64, u64)> = board::squares(moves)
        .map(|square| {
            let flips = B::flips(player, opponent, square);
            let (own, other) = (opponent ^ flips, player | flips | 1 << square);
            (B::legal(own, other).count_ones(), own, other)
        })
        .collect();
    children.sort_by_key(|child| child.0);
    let mut best = i32::MIN;
    for (_, own, other) in children {
        best = best.max(-plain::<B>(own, other, -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

struct Kernels;

impl OnSet for Kernels {
    type Output = ();

    fn run<K: Stamped>(self, kernel: K) {
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
}

fn check_kernels<K: Stamped>(kernel: K, player: u64, opponent: u64) {
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
    for set in sets() {
        set.run(Kernels);
    }
}

/// The discs of `player` that are stable: equal on all sets, and never turned by any random continuation.
fn stability_holds<B: Board>(seed: u64) {
    struct Stable<B>(u64, u64, std::marker::PhantomData<B>);
    impl<B: Board> OnSet for Stable<B> {
        type Output = u64;
        fn run<K: Stamped>(self, kernel: K) -> u64 {
            stability::stable::<K, B>(kernel, self.0, self.1)
        }
    }
    let mut rng = Rng::new(seed);
    let mut found = 0;
    for round in 0..600 {
        let empties = 1 + round % (B::COUNT as u32 - 8);
        let Some((player, opponent)) = random_position::<B>(&mut rng, empties) else { continue };
        let stable = InstructionSet::best().run(Stable::<B>(player, opponent, std::marker::PhantomData));
        for set in sets() {
            assert_eq!(set.run(Stable::<B>(player, opponent, std::marker::PhantomData)), stable, "{}", set.name());
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

fn solve(endgame: &mut Endgame<'_>, (player, opponent): (u64, u64), goal: Goal) -> Solution {
    endgame.solve(player, opponent, goal, &Watch::default(), Budget::default(), 0).expect("nobody stops it")
}

/// The score after the moves of a line, each legal, to the end of the game.
fn played_out<B: Board>((mut player, mut opponent): (u64, u64), solution: &Solution) -> i32 {
    let mut sign = 1;
    for m in &solution.line {
        if m.is_pass() {
            assert_eq!(B::legal(player, opponent), 0, "a pass with a move at hand");
        } else {
            let flips = B::flips(player, opponent, m.0);
            assert!(flips != 0 && B::empty(player, opponent) >> m.0 & 1 != 0);
            (player, opponent) = (player | flips | 1 << m.0, opponent ^ flips);
        }
        (player, opponent, sign) = (opponent, player, -sign);
    }
    assert_eq!(B::legal(player, opponent) | B::legal(opponent, player), 0, "the line ends before the game");
    sign * B::count(player, opponent)
}

/// Exact score, win-loss-draw, null windows and line of random positions, on every set with the same nodes.
fn solver_agrees<B: Board>(kind: BoardKind, seed: u64, counts: &[(u32, u32)]) {
    let mut rng = Rng::new(seed);
    for &(empties, count) in counts {
        for _ in 0..count {
            let Some(root) = random_position::<B>(&mut rng, empties) else { continue };
            let value = plain::<B>(root.0, root.1, -64, 64);
            let mut nodes = Vec::new();
            for set in InstructionSet::available() {
                let table = Table::new(1);
                let mut endgame = Endgame::new(set, kind, &table);
                let told = format!("{} {:x} {:x}", set.name(), root.0, root.1);
                let exact = solve(&mut endgame, root, Goal::Exact);
                assert_eq!(exact.score, value, "{told}");
                assert_eq!(played_out::<B>(root, &exact), value, "{told}");
                let sign = solve(&mut endgame, root, Goal::WinLossDraw);
                assert_eq!(sign.score, value.signum(), "{told}");
                assert_eq!(sign.best().is_none(), exact.line.is_empty(), "{told}");
                let mut spent = exact.nodes + sign.nodes;
                for alpha in [value - 3, value - 1, value, value + 3] {
                    let (score, nodes) =
                        endgame.null_window(root.0, root.1, alpha, &Watch::default(), Budget::default(), 0).unwrap();
                    assert_eq!(score > alpha, value > alpha, "{told}");
                    assert!(if score > alpha { score <= value } else { score >= value }, "{told}");
                    spent += nodes;
                }
                nodes.push(spent);
            }
            assert!(nodes.windows(2).all(|pair| pair[0] == pair[1]), "nodes differ between sets: {nodes:?}");
        }
    }
}

#[test]
fn the_solver_equals_plain_alpha_beta() {
    let few: Vec<(u32, u32)> = (0..=8).map(|empties| (empties, 250)).collect();
    solver_agrees::<Eight>(BoardKind::Eight, 10, &few);
    solver_agrees::<Eight>(BoardKind::Eight, 11, &[(9, 100), (10, 60), (11, 25), (12, 12), (13, 4)]);
}

#[test]
fn the_solver_equals_plain_alpha_beta_on_small_boards() {
    let few: Vec<(u32, u32)> = (0..=9).map(|empties| (empties, 60)).collect();
    solver_agrees::<Six>(BoardKind::Six, 12, &few);
    solver_agrees::<Six>(BoardKind::Six, 13, &[(12, 10), (14, 4)]);
    solver_agrees::<Four>(BoardKind::Four, 14, &few);
    solver_agrees::<DiamondCrossed>(BoardKind::Diamond, 15, &few);
    solver_agrees::<DiamondCrossed>(BoardKind::Diamond, 16, &[(12, 10), (13, 4)]);
}

/// Document 000's values, scored by its rules.
#[test]
fn the_small_boards_from_their_starts() {
    let table = Table::new(16);
    for (kind, root, score) in [
        (BoardKind::Four, (Four::BLACK, Four::WHITE), -8),
        (BoardKind::Diamond, (DiamondCrossed::BLACK, DiamondCrossed::WHITE), 0),
    ] {
        let solution = solve(&mut Endgame::new(InstructionSet::best(), kind, &table), root, Goal::Exact);
        if kind == BoardKind::Four {
            assert_eq!(solution.score, score);
        }
        println!("{kind:?}: {} in {} nodes", solution.score, solution.nodes);
    }
}

/// Images of a position have its score; the deep search with its narrow first guess takes part.
#[test]
fn images_have_the_same_score() {
    let mut rng = Rng::new(17);
    let root = std::iter::repeat_with(|| random_position::<Eight>(&mut rng, 16)).flatten().next().unwrap();
    let scores: Vec<i32> = (0..8)
        .map(|symmetry| {
            let table = Table::new(4);
            let image = (board::image(root.0, 8, symmetry), board::image(root.1, 8, symmetry));
            let solution =
                solve(&mut Endgame::new(InstructionSet::best(), BoardKind::Eight, &table), image, Goal::Exact);
            assert_eq!(played_out::<Eight>(image, &solution), solution.score);
            solution.score
        })
        .collect();
    assert!(scores.iter().all(|&score| score == scores[0]), "{scores:?}");
}

#[test]
fn a_search_can_be_stopped() {
    let table = Table::new(1);
    let mut rng = Rng::new(18);
    let root = std::iter::repeat_with(|| random_position::<Eight>(&mut rng, 22)).flatten().next().unwrap();
    let mut endgame = Endgame::new(InstructionSet::best(), BoardKind::Eight, &table);
    let watch = Watch::default();
    watch.stop();
    assert!(endgame.solve(root.0, root.1, Goal::Exact, &watch, Budget::default(), 0).is_err());
    let budget = Budget { nodes: Some(20_000), ..Budget::default() };
    assert!(endgame.solve(root.0, root.1, Goal::Exact, &Watch::default(), budget, 0).is_err());
    // What the stopped searches left in the table does no harm.
    let fresh_table = Table::new(1);
    let fresh =
        solve(&mut Endgame::new(InstructionSet::best(), BoardKind::Eight, &fresh_table), root, Goal::WinLossDraw);
    assert_eq!(solve(&mut endgame, root, Goal::WinLossDraw).score, fresh.score);
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
            assert!(plain::<Eight>(child.player, child.opponent, -score - 1, -score) >= -score, "{m:?} {problem:?}");
            assert!(plain::<Eight>(child.player, child.opponent, -score, -score + 1) <= -score, "{m:?} {problem:?}");
        }
        assert_eq!(problem.value, problem.moves.iter().map(|&(_, score)| score).max());
    }
}
