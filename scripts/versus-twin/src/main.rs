//! Measures the cost of the generic production loop: the loop with its sorting policy on 6x6
//! Othello, and a search written by hand for that game. Both visit the same nodes; `run.sh` counts
//! their instructions.
//!
//! Usage: `versus-twin generic|twin portable|avx2 [DEPTH [PLIES]]`: searches a few positions after
//! `PLIES` random moves with MTD(f), without deepening and with empty tables, and prints the sums
//! of values and nodes.

use std::process::ExitCode;

use nullwindow::game::Game;
use nullwindow::game::rng::Rng;
use nullwindow::game::score::{Score, Window};
use nullwindow::games::reversi::Othello6;
use nullwindow::games::reversi::eval::mobility::Mobility;
use nullwindow::search::core::context::Context;
#[cfg(target_arch = "x86_64")]
use nullwindow::search::core::isa::{Avx2, Isa, Portable};
use nullwindow::search::core::nega_scout::NonPvNode;
use nullwindow::search::core::policy::{Policy, SearchParams};
use nullwindow::search::generic_policy::GenericPolicy;
use nullwindow::search::mtdf::mtdf;
use nullwindow::search::schedule::Iteration;
use nullwindow::search::stop::SearchControl;
use nullwindow::search::table::Table;

mod twin;

/// Positions per run.
const POSITIONS: u64 = 4;
/// The size of the table in MiB, large enough for all entries.
const TABLE_BYTES: usize = 4 << 20;
/// The null-window step of searches that do not reach the end of the game: the common unit of final
/// scores and evaluations.
const STEP: i32 = 100;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |index: usize, default: u8| words.get(index).map_or(Ok(default), |word| word.parse());
    let (Ok(depth), Ok(plies)) = (number(2, 8), number(3, 8)) else {
        return usage("DEPTH and PLIES are numbers below 256");
    };
    let names: Vec<&str> = words.iter().take(2).map(String::as_str).collect();
    let search: fn(&Othello6, u8) -> (Score, u64) = match names[..] {
        ["generic", "portable"] => |position, depth| generic(Portable::token(), position, depth),
        ["twin", "portable"] => twin::portable,
        #[cfg(target_arch = "x86_64")]
        ["generic", "avx2"] if Avx2::detect().is_some() => |position, depth| match Avx2::detect() {
            Some(isa) => generic(isa, position, depth),
            None => unreachable!("detected above"),
        },
        #[cfg(target_arch = "x86_64")]
        ["twin", "avx2"] if Avx2::detect().is_some() => twin::avx2,
        _ => return usage("no such search, or not on this processor"),
    };
    let (mut sum, mut all_nodes) = (0, 0);
    for seed in 1..=POSITIONS {
        let position = random_position(seed, plies);
        let (value, nodes) = search(&position, depth.min(position.plies_left() - 1));
        sum += i64::from(value.0);
        all_nodes += nodes;
    }
    println!("values {sum} nodes {all_nodes}");
    ExitCode::SUCCESS
}

fn usage(problem: &str) -> ExitCode {
    eprintln!("{problem}\nusage: versus-twin generic|twin portable|avx2 [DEPTH [PLIES]]");
    ExitCode::from(2)
}

/// The position after `plies` random moves.
fn random_position(seed: u64, plies: u8) -> Othello6 {
    let mut rng = Rng::new(seed);
    let mut position = Othello6::start();
    for _ in 0..plies {
        let moves = position.moves();
        if let Some(&m) = rng.choose(&moves) {
            position = position.play(m);
        }
    }
    position
}

/// The production loop.
fn generic<I: Isa>(isa: I, position: &Othello6, depth: u8) -> (Score, u64) {
    let policy = GenericPolicy::new(Mobility, isa);
    let table = Table::with_bytes(TABLE_BYTES);
    let control = SearchControl::default();
    let mut cx = Context::new(&policy, Some(&table), &control);
    cx.step = STEP;
    let node = policy.root(position);
    let found = mtdf(Score::ZERO, STEP, Window::FULL, |window, _| {
        isa.search::<NonPvNode, GenericPolicy<Othello6, Mobility, I>>(
            &mut cx,
            &node,
            window.alpha,
            window.beta,
            SearchParams::root(Iteration::full(depth)),
        )
    });
    (found.unwrap_or(Score::ZERO), cx.counters.nodes)
}
