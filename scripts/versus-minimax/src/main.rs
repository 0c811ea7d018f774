//! Compares nullwindow's generic search with the `minimax` crate (0.6): same games, same
//! evaluation, time to the same depth.
//!
//! Runs are interleaved, on one thread of the same default build, each with empty tables. For each
//! position, the crate uses the best of several sets of options, and nullwindow its generic policy;
//! both use the best size of the table. Times are medians of CPU time (the crate shuffles the root
//! moves). Exit status 1 if a value differs or a row is less than twice as fast.

use std::marker::PhantomData;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use cpu_time::ThreadTime;
use minimax::{IterativeOptions, IterativeSearch, Strategy};
use nullwindow::commands::reproduce::statcut::line_counts::LineCounts;
use nullwindow::game::Game;
use nullwindow::game::rng::Rng;
use nullwindow::game::score::Score;
use nullwindow::games::reversi::Othello;
use nullwindow::games::reversi::eval::mobility::Mobility;
use nullwindow::games::score_four::ScoreFour;
use nullwindow::games::tictactoe::TicTacToe;
use nullwindow::search::core::context::Context;
use nullwindow::search::core::isa::{Detected, Isa, IsaChoice};
use nullwindow::search::core::policy::{Evaluate, Zero};
use nullwindow::search::deepening::think;
use nullwindow::search::generic_policy::GenericPolicy;
use nullwindow::search::production::{Mtdf, Production};
use nullwindow::search::stop::SearchControl;
use nullwindow::search::table::Table;
use nullwindow::search::{Limits, Observer};

mod adapter;

use adapter::Evaluator;

/// The required speedup in every game.
const WANTED: f64 = 2.0;

/// Sets of options of the crate, by name.
fn option_sets() -> Vec<(String, IterativeOptions)> {
    let base = IterativeOptions::new;
    let mut sets = Vec::new();
    for kibibytes in TABLES {
        for (name, options) in [
            (
                "mtdf history double",
                base()
                    .with_mtdf()
                    .with_countermove_history()
                    .with_double_step_increment(),
            ),
            ("mtdf counter history double", {
                base()
                    .with_mtdf()
                    .with_countermoves()
                    .with_countermove_history()
                    .with_double_step_increment()
            }),
            (
                "mtdf history",
                base().with_mtdf().with_countermove_history(),
            ),
            (
                "history double",
                base()
                    .with_countermove_history()
                    .with_double_step_increment(),
            ),
        ] {
            sets.push((
                format!("{name}, {kibibytes} KiB"),
                options.with_table_byte_size(kibibytes << 10),
            ));
        }
    }
    sets
}

/// Searches with the crate and an empty table: value and time.
fn theirs<G: Game, E: Evaluate<G> + Default>(
    position: &G,
    depth: u8,
    unit: i32,
    options: IterativeOptions,
) -> (i32, Duration) {
    let started = ThreadTime::now();
    let evaluator = Evaluator {
        evaluator: E::default(),
        unit,
        game: PhantomData,
    };
    let mut search = IterativeSearch::new(evaluator, options);
    search.set_max_depth(depth);
    search.choose_move(position);
    (i32::from(search.root_value()), started.elapsed())
}

/// Searches with nullwindow and an empty table, as `auto` does for games without kernels: value,
/// time and nodes.
struct Ours<'p, G, E> {
    position: &'p G,
    depth: u8,
    kibibytes: usize,
    evaluator: PhantomData<E>,
}

impl<G: Game, E: Evaluate<G> + Default> Ours<'_, G, E> {
    fn run<I: Isa>(self, isa: I) -> (i32, Duration, u64) {
        let started = ThreadTime::now();
        let table = Table::with_bytes(self.kibibytes << 10);
        let policy = GenericPolicy::new(E::default(), isa);
        let mut observer = Observer {
            control: Arc::new(SearchControl::default()),
            ..Observer::default()
        };
        let control = observer.control.clone();
        let cx = Context::new(&policy, Some(&table), &control);
        let mut search = Production::<Mtdf, _>::new(*self.position, cx);
        let answer = think(
            &mut search,
            &Limits::to_depth(self.depth),
            true,
            &mut observer,
        );
        let value = answer.score().map_or(0, |score| score.0);
        (value, started.elapsed(), answer.counters.nodes)
    }
}

/// Sizes of the table in KiB; each side uses its best size for each position.
const TABLES: [usize; 4] = [64, 256, 1024, 4096];

/// Converts a value to the crate's units, with one value for all wins.
fn in_their_terms(value: i32, unit: i32) -> i32 {
    if Score(value).is_decided() {
        value.signum() * i32::from(i16::MAX)
    } else {
        value / unit
    }
}

/// The lowest median time and the name of its setting.
fn best<'n>(settings: &'n [(String, Vec<Duration>)]) -> (Duration, &'n str) {
    let median = |times: &[Duration]| {
        let mut times = times.to_vec();
        times.sort();
        times[times.len() / 2]
    };
    settings
        .iter()
        .map(|(name, times)| (median(times), name.as_str()))
        .min()
        .expect("there are settings")
}

/// Prints the row of a position and depth. Returns whether the values are equal and the speedup is
/// reached.
fn row<G: Game, E: Evaluate<G> + Default>(
    name: &str,
    position: &G,
    depth: u8,
    unit: i32,
    runs: u32,
) -> bool {
    let sets = option_sets();
    let mut theirs_by_set: Vec<_> = sets
        .iter()
        .map(|(name, _)| (name.clone(), Vec::new()))
        .collect();
    let [mut ours_by_table, mut portable_by_table] =
        [(); 2].map(|()| TABLES.map(|kibibytes| (format!("{kibibytes} KiB"), Vec::new())));
    let mut values = (0, 0);
    let mut nodes = 0;
    for _ in 0..runs {
        for ((_, options), (_, times)) in sets.iter().zip(&mut theirs_by_set) {
            let (value, time) = theirs::<G, E>(position, depth, unit, *options);
            values.0 = value;
            times.push(time);
        }
        for (index, kibibytes) in TABLES.into_iter().enumerate() {
            let ours = |choice: IsaChoice| {
                let search = Ours::<G, E> {
                    position,
                    depth,
                    kibibytes,
                    evaluator: PhantomData,
                };
                match choice.detected() {
                    Detected::Portable(isa) => search.run(isa),
                    #[cfg(target_arch = "x86_64")]
                    Detected::Avx2(isa) => search.run(isa),
                    #[cfg(target_arch = "x86_64")]
                    Detected::Avx512(isa) => search.run(isa),
                }
            };
            let (value, time, visited) = ours(IsaChoice::Auto);
            (values.1, nodes) = (in_their_terms(value, unit), visited);
            ours_by_table[index].1.push(time);
            portable_by_table[index].1.push(ours(IsaChoice::Portable).1);
        }
    }
    let ((their_time, options), (our_time, _)) = (best(&theirs_by_set), best(&ours_by_table));
    let portable_time = best(&portable_by_table).0;
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let ratio = milliseconds(their_time) / milliseconds(our_time);
    let portable = milliseconds(their_time) / milliseconds(portable_time);
    let same = values.0 == values.1;
    let verdict = if same { "" } else { "  VALUES DIFFER" };
    println!(
        "{name:<32}{depth:>4}{:>11.3}{:>11.3}{ratio:>8.2}{portable:>10.2}{nodes:>11}  {}{verdict}  {options}",
        milliseconds(their_time),
        milliseconds(our_time),
        values.1,
    );
    same && ratio >= WANTED
}

/// A position of Score Four after four random plies.
fn after_four_plies(rng: &mut Rng) -> ScoreFour {
    (0..4).fold(ScoreFour::start(), |position, _| {
        position.play(
            *rng.choose(&position.moves())
                .expect("no game ends so early"),
        )
    })
}

fn main() -> ExitCode {
    let heads = [
        "",
        "ply",
        "minimax ms",
        "ours ms",
        "ratio",
        "portable",
        "our nodes",
    ];
    let [name, ply, theirs, ours, ratio, portable, nodes] = heads;
    println!(
        "{name:<32}{ply:>4}{theirs:>11}{ours:>11}{ratio:>8}{portable:>10}{nodes:>11}  value  minimax's options"
    );
    let mut fine = row::<_, Zero>("tictactoe, solved", &TicTacToe::start(), 9, 1, 101);
    fine &= row::<_, Mobility>("othello, start", &Othello::start(), 9, 100, 31);
    fine &= row::<_, Mobility>("othello, start", &Othello::start(), 11, 100, 11);
    fine &= row::<_, LineCounts>(
        "scorefour, empty board",
        &ScoreFour::start(),
        8,
        LINE_UNIT,
        7,
    );
    fine &= row::<_, LineCounts>(
        "scorefour, empty board",
        &ScoreFour::start(),
        10,
        LINE_UNIT,
        3,
    );
    let mut rng = Rng::new(4);
    for number in 1..=5 {
        let position = after_four_plies(&mut rng);
        fine &= row::<_, LineCounts>(
            &format!("scorefour, four random plies, {number}"),
            &position,
            8,
            LINE_UNIT,
            5,
        );
    }
    if fine {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The unit of Score Four's evaluation.
const LINE_UNIT: i32 = 4;
