//! MTD(f) against NegaScout with aspiration: nodes and CPU time to equal depth on fifty Othello positions of our own. The
//! table in `othello::midgame` comes from here:
//!
//! `cargo test --release --test drivers -- --ignored --nocapture`

#![allow(clippy::print_stdout, reason = "the table is the point")]

use nullwindow::game::Game;
use nullwindow::games::othello::Othello;
use nullwindow::othello::eval::Learnt;
use nullwindow::othello::kernel::Kernels;
use nullwindow::othello::midgame::Midgame;
use nullwindow::rng::Rng;
use nullwindow::score::{Score, Window};
use nullwindow::search::context::{Context, Watch, thread_time};
use nullwindow::search::deepening::Pace;
use nullwindow::search::isa::{IsaChoice, Portable, with_isa};
use nullwindow::search::policy::Policy;
use nullwindow::search::production::{Driver, Mtdf, NegaScout, Production};
use nullwindow::search::table::{Draft, Table};

const POSITIONS: usize = 50;

/// Positions of 14 to 36 plies: ten random ones, then play by a search of three plies.
fn positions<K: Kernels>(kernel: K) -> Vec<Othello> {
    let mut rng = Rng::new(9);
    let table = Table::new(1);
    let mut all = Vec::new();
    while all.len() < POSITIONS {
        let plies = 14 + rng.below(23);
        let mut position = Othello::start();
        for ply in 0..plies {
            let moves = position.moves();
            let Some(&m) = rng.choose(&moves) else { break };
            let m = if ply < 10 { m } else { search::<Mtdf, K>(kernel, position, 3, None, &table).1 };
            position = position.play(m);
        }
        if position.moves().len() > 1 {
            all.push(position);
        }
    }
    all
}

/// Nodes and best move of a search by the schedule.
fn search<D: Driver, K: Kernels>(
    kernel: K,
    position: Othello,
    depth: u8,
    selectivity: Option<u8>,
    table: &Table,
) -> (u64, nullwindow::game::Move, Score) {
    table.new_search();
    let policy = Midgame::new(Learnt::default(), kernel, selectivity);
    let watch = Watch::default();
    let moves = position.moves();
    let mut search = Production::<D, _>::new(position, Context::new(&policy, Some(table), &watch));
    let mut found = (Score::ZERO, moves[0]);
    for stage in policy.schedule(&position, depth, Pace::ByTwos) {
        found = search.value(stage, found.0, Window::FULL, &moves, &mut |_, _, _, _| ()).unwrap();
    }
    (search.cx.counters.nodes, found.1, found.0)
}

struct Compare;

impl Compare {
    fn run<K: Kernels>(self, kernel: K) {
        let positions = positions(kernel);
        println!("{:<12}{:<24}{:>14}{:>10}", "depth", "driver", "nodes", "CPU s");
        for (depth, selectivity, label) in [
            (8, Some(Draft::FULL), "8"),
            (10, Some(Draft::FULL), "10"),
            (12, None, "12 at 73 %"),
            (14, None, "14 at 73 %"),
        ] {
            let row = |name: &str, search: fn(K, Othello, u8, Option<u8>, &Table) -> u64| {
                let mut table = Table::new(32);
                let started = thread_time();
                let nodes: u64 = positions
                    .iter()
                    .map(|&position| {
                        table.forget();
                        search(kernel, position, depth, selectivity, &table)
                    })
                    .sum();
                println!("{label:<12}{name:<24}{nodes:>14}{:>10.2}", (thread_time() - started).as_secs_f64());
            };
            row("MTD(f)", |kernel, position, depth, selectivity, table| {
                search::<Mtdf, K>(kernel, position, depth, selectivity, table).0
            });
            row("NegaScout", |kernel, position, depth, selectivity, table| {
                search::<NegaScout, K>(kernel, position, depth, selectivity, table).0
            });
        }
    }
}

#[test]
#[ignore = "a measurement, not a check: minutes of search"]
fn drivers() {
    with_isa!(IsaChoice::Auto, isa => Compare.run(isa));
}

struct Agree;

impl Agree {
    fn run<K: Kernels>(self, kernel: K) {
        for position in positions(kernel).into_iter().take(6) {
            let value = |selectivity, depth| {
                let (one, two) = (Table::new(4), Table::new(4));
                let (_, _, first) = search::<Mtdf, K>(kernel, position, depth, selectivity, &one);
                let (_, _, second) = search::<NegaScout, K>(kernel, position, depth, selectivity, &two);
                (first, second)
            };
            // At full width to a small depth, both are minimax but for transpositions of other depths.
            let (first, second) = value(Some(Draft::FULL), 4);
            assert_eq!(first, second, "{position:?}");
        }
    }
}

#[test]
fn both_drivers_agree_at_full_width() {
    Agree.run(Portable::token());
}
