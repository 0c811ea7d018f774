//! The weights that order moves far from the end where no learnt evaluation does (`othello::endgame::order`): fitted to the results of
//! our own games, and judged by the nodes that solving takes.
//!
//! ```sh
//! nullwindow selfplay --out games.rec --games 20000 --depth 4
//! NULLWINDOW_RECORDS=games.rec cargo test --release --test order_weights -- --ignored --nocapture
//! ```

#![allow(clippy::print_stdout, reason = "the numbers are the point")]

use std::path::PathBuf;

use nullwindow::game::Game;
use nullwindow::games::othello::Othello;
use nullwindow::othello::endgame::{Endgame, Goal};
use nullwindow::othello::kernel::{BoardKind, InstructionSet};
use nullwindow::othello::stability::edge_balance;
use nullwindow::rng::Rng;
use nullwindow::search::context::{Budget, Watch};
use nullwindow::search::table::Table;
use nullwindow::train::least_squares::Sums;
use nullwindow::train::record;

/// What is counted, for the side to move, in the order of the weights' names.
const TERMS: [&str; 9] = [
    "moves.0",
    "moves.1",
    "corner_moves.0",
    "corner_moves.1",
    "frontier.0",
    "frontier.1",
    "stable",
    "corner",
    "(to move)",
];
const CORNERS: u64 = 0x8100_0000_0000_0081;

/// The terms square by square, as the names say: `order` counts them by kernels and a table.
fn terms(position: &Othello) -> [f64; 9] {
    let set = |position: &Othello| position.moves().iter().filter(|m| !m.is_pass()).fold(0u64, |set, m| set | 1 << m.0);
    let (moves, replies) = (set(position), set(&position.passed()));
    let (player, opponent) = (position.player, position.opponent);
    let beside_empty = |square: &u32| {
        let (row, column) = (*square as i32 / 8, *square as i32 % 8);
        let near = |other: &u32| (*other as i32 / 8 - row).abs() <= 1 && (*other as i32 % 8 - column).abs() <= 1;
        (0..64).filter(near).any(|other| position.empty() >> other & 1 != 0)
    };
    let frontier = |discs: u64| (0..64).filter(|square| discs >> square & 1 != 0).filter(beside_empty).count();
    let edge =
        |discs: u64, squares: [u32; 8]| (0..8).fold(0, |byte, at| byte | ((discs >> squares[at] & 1) as usize) << at);
    let edges: [[u32; 8]; 4] = [|at: usize| at, |at| 56 + at, |at| 8 * at, |at| 8 * at + 7]
        .map(|square| std::array::from_fn(|at| square(at) as u32));
    let (mut stable, mut corners) = (0, 0);
    for squares in edges {
        let (more, held) = edge_balance(edge(player, squares), edge(opponent, squares));
        stable += more;
        corners += held;
    }
    [
        f64::from(moves.count_ones()),
        -f64::from(replies.count_ones()),
        f64::from((moves & CORNERS).count_ones()),
        -f64::from((replies & CORNERS).count_ones()),
        -(frontier(player) as f64),
        frontier(opponent) as f64,
        f64::from(stable),
        f64::from(corners),
        1.0,
    ]
}

/// Least squares of results in tenths of a disc, over positions of 12 to 17 empty squares, one of each game: with all terms, and
/// without the stable discs of edges, which only the 8x8 board has a table of.
#[test]
#[ignore = "prints weights: wants NULLWINDOW_RECORDS, a file of self-play"]
fn fit() {
    let Some(path) = std::env::var_os("NULLWINDOW_RECORDS") else { panic!("NULLWINDOW_RECORDS is not set") };
    let mut rng = Rng::new(1);
    let mut wanted = 12;
    let mut all = Sums::<9>::default();
    let (mut count, mut squares) = (0, 0.0);
    record::read::<Othello>(&PathBuf::from(path), |record| {
        if record.first {
            wanted = 12 + rng.below(6) as u32;
        }
        if record.position.empty().count_ones() != wanted {
            return;
        }
        let target = 10.0 * f64::from(record.result);
        all.add(&terms(&record.position), target);
        (count, squares) = (count + 1, squares + target * target);
    })
    .unwrap();
    let mut without_edges = all;
    without_edges.terms.iter_mut().for_each(|row| row[6] = 0.0);
    (without_edges.terms[6], without_edges.target[6]) = ([0.0; 9], 0.0);
    for sums in [all, without_edges] {
        let weights = sums.weights();
        let explained: f64 = weights.iter().zip(&sums.target).map(|(weight, moment)| weight * moment).sum();
        println!("{count} positions, error {:.1} discs", ((squares - explained) / f64::from(count)).sqrt() / 10.0);
        TERMS.iter().zip(&weights).for_each(|(name, weight)| println!("  {name:15} {weight:7.1}"));
    }
}

/// Nodes of solving positions of our own, twenty empty squares each, without any learnt evaluation.
#[test]
#[ignore = "prints nodes"]
fn nodes() {
    let mut rng = Rng::new(3);
    let table = Table::new(256);
    let mut total = 0;
    for _ in 0..40 {
        let position = loop {
            // Well played enough: of the moves, one that leaves the fewest replies.
            let mut position = Othello::start();
            while position.plies_left() > 20 && !position.moves().is_empty() {
                let mut moves = position.moves().to_vec();
                rng.shuffle(&mut moves);
                let few = |m: &&nullwindow::game::Move| position.play(**m).moves().len();
                let m = if position.plies_left() > 50 { moves[0] } else { *moves.iter().min_by_key(few).unwrap() };
                position = position.play(m);
            }
            if position.plies_left() == 20 && !position.moves().is_empty() {
                break position;
            }
        };
        let mut endgame = Endgame::new(InstructionSet::best(), BoardKind::Eight, &table);
        let watch = Watch::default();
        let (player, opponent) = (position.player, position.opponent);
        total += endgame.solve(player, opponent, Goal::Exact, &watch, Budget::default(), 0).unwrap().nodes;
    }
    println!("40 positions of 20 empty squares: {:.1} M nodes", total as f64 / 1e6);
}
