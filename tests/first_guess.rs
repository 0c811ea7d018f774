//! Which earlier iteration should give MTD(f) its first guess, and by how many plies should deepening step? The tables in
//! `search::deepening` come from here:
//!
//! `cargo test --release --test first_guess -- --ignored --nocapture`

#![allow(clippy::print_stdout, reason = "the table is the point")]

use std::sync::Arc;

use nullwindow::eval::lines::Lines;
use nullwindow::game::Game;
use nullwindow::games::othello::Othello;
use nullwindow::games::reversi::Othello6;
use nullwindow::games::score_four::ScoreFour;
use nullwindow::othello::eval::mobility::Mobility;
use nullwindow::rng::Rng;
use nullwindow::score::{Score, Window};
use nullwindow::search::context::{Context, Watch};
use nullwindow::search::deepening::Stage;
use nullwindow::search::isa::Portable;
use nullwindow::search::policy::Evaluate;
use nullwindow::search::production::{Mtdf, Production};
use nullwindow::search::sorted::Sorted;
use nullwindow::search::table::Table;

/// A way to deepen: the depths, and from how many finished iterations back the guess comes (`None`: always zero).
type Way = (&'static str, usize, Option<usize>);

const WAYS: [Way; 5] = [
    ("every depth, guess 0", 1, None),
    ("every depth, the last value", 1, Some(1)),
    ("every depth, the value two plies back", 1, Some(2)),
    ("every other depth, the last value", 2, Some(1)),
    ("the depth at once, guess 0", usize::MAX, None),
];

fn nodes<G: Game, E: Evaluate<G>>(evaluator: &E, position: G, depth: u8, (_, stride, back): Way) -> (u64, Score) {
    let table = Table::new(16);
    let watch = Arc::new(Watch::default());
    let policy = Sorted::new(evaluator.clone(), Portable::token());
    let mut search = Production::<Mtdf, _>::new(position, Context::new(&policy, Some(&table), &watch));
    let moves = position.moves();
    let mut values = Vec::new();
    let mut depths: Vec<u8> = (1..=depth).rev().step_by(stride.min(100)).collect();
    depths.reverse();
    for depth in depths {
        let guess = back.map_or(Score::ZERO, |back| {
            let index = values.len().checked_sub(back).or(values.len().checked_sub(1));
            index.map_or(Score::ZERO, |index| values[index])
        });
        values.push(search.value(Stage::full(depth), guess, Window::FULL, &moves, &mut |_, _, _, _| ()).unwrap().0);
    }
    (search.cx.counters.nodes, values[values.len() - 1])
}

fn compare<G: Game, E: Evaluate<G>>(evaluator: E, plies: u32, depth: u8) {
    let mut rng = Rng::new(5);
    let mut totals = [0; WAYS.len()];
    let mut positions = 0;
    while positions < 20 {
        let mut position = G::start();
        for _ in 0..plies {
            if let Some(&m) = rng.choose(&position.moves()) {
                position = position.play(m);
            }
        }
        if position.final_score().is_some() {
            continue;
        }
        positions += 1;
        let mut value = None;
        for (total, way) in totals.iter_mut().zip(WAYS) {
            let (nodes, score) = nodes(&evaluator, position, depth, way);
            *total += nodes;
            assert_eq!(*value.get_or_insert(score), score, "{}: {position:?} by {}", G::NAME, way.0);
        }
    }
    for ((name, ..), total) in WAYS.iter().zip(totals) {
        println!("{:10} depth {depth:2}  {name:40} {:12} nodes", G::NAME, total);
    }
}

#[test]
#[ignore = "a measurement, not a check: minutes of search"]
fn first_guess() {
    for depth in [7, 8, 9] {
        compare::<ScoreFour, _>(Lines, 6, depth);
        compare::<Othello, _>(Mobility, 12, depth);
        compare::<Othello6, _>(Mobility, 6, depth + 1);
    }
}
