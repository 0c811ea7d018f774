//! Searches with several threads return the values of one thread, and stopped searches leave no
//! wrong table entries.
//!
//! Positions small enough for the plain solver are searched by [`SplitsEarly`], which splits almost
//! every node; the engine's own searches are larger and fewer. `NULLWINDOW_ROUNDS=N` searches N
//! times as many.

use std::process::abort;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use crate::common::oracle::{alpha_beta, random_position, value_of};
use nullwindow::game::rng::Rng;
use nullwindow::game::score::{Bound, Score, Window};
use nullwindow::game::{Game, Move};
use nullwindow::games::any::AnyPosition;
use nullwindow::games::dispatch::think;
use nullwindow::games::reversi::{Diamond, Othello, Othello6};
use nullwindow::games::score_four::ScoreFour;
use nullwindow::games::tictactoe::TicTacToe;
use nullwindow::search::core::context::Context;
use nullwindow::search::core::isa::Portable;
use nullwindow::search::core::parallel::split_point::{SplitPoint, SplitRef};
use nullwindow::search::core::parallel::thread_budget::ThreadBudget;
use nullwindow::search::core::parallel::{Team, TeamMember, with_helpers};
use nullwindow::search::core::policy::{Candidates, Policy, SearchParams};
use nullwindow::search::production::{Mtdf, Production};
use nullwindow::search::schedule::Iteration;
use nullwindow::search::searcher::{RootBound, Searcher};
use nullwindow::search::stats::{Counters, SearchStats};
use nullwindow::search::stop::{Budget, SearchControl, Stopped};
use nullwindow::search::table::{Draft, Key, Table};
use nullwindow::search::{Answer, Certainty, Goal, Limits, Observer, Settings};

const THREADS: [usize; 5] = [1, 2, 3, 8, 32];

/// The number of rounds (`NULLWINDOW_ROUNDS`, default 1).
fn rounds() -> usize {
    std::env::var("NULLWINDOW_ROUNDS").map_or(1, |text| {
        text.parse().expect("NULLWINDOW_ROUNDS is a number")
    })
}

/// Aborts the test program if a test has not ended in time: a search never returns without its
/// helpers.
struct Watchdog(#[allow(dead_code, reason = "its end is the signal")] Sender<()>);

impl Watchdog {
    #[allow(clippy::print_stderr, reason = "printed before the abort")]
    fn new(test: &'static str) -> Watchdog {
        let (sender, ended) = channel::<()>();
        let patience = crate::common::PATIENCE * 10 * rounds() as u32;
        thread::spawn(move || {
            if ended.recv_timeout(patience) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                eprintln!("{test}: threads wait for each other");
                abort();
            }
        });
        Watchdog(sender)
    }
}

/// A policy that has only the rules, without kernels, and splits every node with two plies
/// left. Its searches can be stopped from inside, at an exact moment on an arbitrary thread.
struct SplitsEarly<'c, G> {
    control: &'c SearchControl,
    /// Interior nodes until the search is stopped.
    fuse: AtomicU64,
    game: std::marker::PhantomData<fn() -> G>,
}

impl<'c, G> SplitsEarly<'c, G> {
    fn new(control: &'c SearchControl, fuse: u64) -> Self {
        SplitsEarly {
            control,
            fuse: AtomicU64::new(fuse),
            game: std::marker::PhantomData,
        }
    }
}

impl<G: Game> Policy for SplitsEarly<'_, G> {
    type Game = G;
    type Isa = Portable;
    type Node = G;
    type State = ();
    const ETC_DEPTH: u8 = 3;
    const SPLIT_DEPTH: u8 = 2;
    const SPLIT_PLIES_LEFT: u8 = 2;

    fn isa(&self) -> Portable {
        Portable::token()
    }

    fn root(&self, position: &G) -> G {
        *position
    }

    fn position<'n>(&self, node: &'n G) -> &'n G {
        node
    }

    fn child(&self, node: &G, m: Move) -> G {
        node.play(m)
    }

    fn key(&self, node: &G, _depth: u8) -> Key {
        Key::of(node.packed())
    }

    fn step(&self, position: &G, _depth: u8) -> i32 {
        position.grain()
    }

    fn evaluate(&self, _node: &G) -> Score {
        Score::ZERO
    }

    fn order(
        cx: &mut Context<'_, Self>,
        _node: &G,
        candidates: &mut Candidates<G>,
        _window: Window,
        _params: SearchParams,
    ) -> Result<(), Stopped> {
        if cx.policy.control.stopped() {
            // Helpers take moves of a line that is completed after a stop.
            thread::sleep(Duration::from_micros(200));
        }
        if cx.policy.fuse.fetch_sub(1, Ordering::Relaxed) == 1 {
            cx.policy.control.stop();
        }
        for candidate in candidates
            .iter_mut()
            .filter(|candidate| candidate.rank == 0)
        {
            candidate.rank = -(candidate.node.moves().len() as i32);
        }
        Ok(())
    }
}

/// The end of a search to the end of the game.
struct Search {
    /// The value; `None` if it was stopped.
    value: Option<Score>,
    nodes: u64,
    helper_nodes: u64,
}

/// Searches a position to the end of the game within `bounds`.
fn search<G: Game>(
    position: &G,
    threads: usize,
    table: &Table,
    bounds: Window,
    fuse: u64,
    nodes: Option<u64>,
) -> Search {
    let control = SearchControl::default();
    let policy = SplitsEarly::<G>::new(&control, fuse);
    table.new_search();
    with_helpers(
        &ThreadBudget::new(threads, 1),
        &policy,
        Some(table),
        &control,
        None,
        |cx| {
            if threads > 1 {
                // until the helpers have started: some searches are short
                std::thread::sleep(Duration::from_millis(2));
            }
            let mut production = Production::<Mtdf, _>::new(*position, cx);
            production.set_budget(Budget {
                nodes,
                ..Budget::default()
            });
            let iteration = Iteration::full(position.plies_left());
            let found = production.value(
                iteration,
                Score::ZERO,
                bounds,
                &position.moves(),
                &mut |_, _| {},
            );
            // Every node is counted: those of this thread and of the helpers, each both by the
            // control and by the search.
            let (all, own) = (
                production.stats().counters.nodes,
                production.cx.counters.nodes,
            );
            // A thread alone does not count the node at which it had to stop.
            let uncounted = own + control.helper_nodes() - all;
            assert!(
                uncounted <= u64::from(found.is_err()),
                "{threads} threads: {uncounted} nodes lost"
            );
            assert!(
                control.nodes() <= all && all <= control.nodes() + 1_000,
                "{all} {}",
                control.nodes()
            );
            Search {
                value: found.ok().map(|(score, _)| score),
                nodes: all,
                helper_nodes: control.helper_nodes(),
            }
        },
    )
}

/// Searches random positions with every number of threads and tables of several sizes, and counts
/// the searches that had help.
fn check_values<G: Game>(cases: &[(u8, usize)], rng: &mut Rng) {
    let _watchdog = Watchdog::new("values");
    // The smallest has few buckets: threads overwrite each other's entries all the time.
    let tables = [
        Table::with_bytes(1 << 10),
        Table::new(1),
        Table::new(16),
        Table::new(256),
    ];
    let (mut searches, mut helped) = (0, 0);
    for &(plies_left, count) in cases {
        for number in 0..count * rounds() {
            let Some(position) = random::<G>(plies_left, rng) else {
                continue;
            };
            let value = value_of(&position);
            for (at, threads) in THREADS.into_iter().enumerate() {
                let table = &tables[(number + at) % tables.len()];
                let exact = search(&position, threads, table, Window::FULL, u64::MAX, None);
                assert_eq!(
                    exact.value,
                    Some(value),
                    "{} {position:?} {threads} threads",
                    G::NAME
                );
                // A separate table: the exact value in it would end the search at once.
                let grain = Score(position.grain());
                let sides = Window {
                    alpha: -grain,
                    beta: grain,
                };
                let decided = search(&position, threads, &Table::new(1), sides, u64::MAX, None);
                let sign = decided.value.map(|score| score.cmp(&Score::ZERO));
                assert_eq!(
                    sign,
                    Some(value.cmp(&Score::ZERO)),
                    "{} {position:?} {threads} threads",
                    G::NAME
                );
                if threads > 1 {
                    searches += 2;
                    helped +=
                        u32::from(exact.helper_nodes > 0) + u32::from(decided.helper_nodes > 0);
                }
            }
        }
    }
    // On a loaded machine most of these searches end before a helper has begun.
    assert!(
        helped > 0,
        "{}: {helped} of {searches} searches had help",
        G::NAME
    );
}

/// A random position of a game that is not finished, with `plies_left` plies left.
fn random<G: Game>(plies_left: u8, rng: &mut Rng) -> Option<G> {
    (0..200).find_map(|_| {
        let mut position = G::start();
        while position.plies_left() > plies_left && position.final_score().is_none() {
            position = position.play(*rng.choose(&position.moves())?);
        }
        (position.plies_left() == plies_left && position.final_score().is_none())
            .then_some(position)
    })
}

#[test]
fn othello_has_the_values_of_the_plain_solver() {
    check_values::<Othello>(
        &[(4, 40), (6, 60), (8, 60), (9, 20), (10, 6)],
        &mut Rng::new(1),
    );
}

#[test]
fn small_boards_have_the_values_of_the_plain_solver() {
    check_values::<Othello6>(&[(7, 20), (9, 10)], &mut Rng::new(2));
    check_values::<Diamond>(&[(8, 20), (10, 6)], &mut Rng::new(3));
}

#[test]
fn games_of_stones_have_the_values_of_the_plain_solver() {
    check_values::<ScoreFour>(&[(8, 20), (10, 10)], &mut Rng::new(4));
    check_values::<TicTacToe>(&[(9, 4), (8, 10), (6, 10)], &mut Rng::new(5));
}

/// Every bound that the table has of positions on random lines below the root is true.
fn check_table<G: Game>(root: &G, table: &Table, rng: &mut Rng) -> u32 {
    let mut checked = 0;
    for _ in 0..4 {
        let mut position = *root;
        while position.final_score().is_none() && position.plies_left() > 2 {
            if let Some(entry) = table
                .probe(&Key::of(position.packed()))
                .filter(|_| position.plies_left() < 8)
            {
                assert_eq!(entry.draft, Draft::full(position.plies_left()));
                let one = position.grain();
                let at_least = entry.lower <= -Score::INFINITE
                    || alpha_beta(&position, entry.lower - one, entry.lower) >= entry.lower;
                let at_most = entry.upper >= Score::INFINITE
                    || alpha_beta(&position, entry.upper, entry.upper + one) <= entry.upper;
                assert!(
                    at_least && at_most,
                    "{} {position:?}: {entry:?} of {:?}",
                    G::NAME,
                    value_of(&position)
                );
                checked += 1;
            }
            let moves = position.moves();
            position = position.play(*rng.choose(&moves).unwrap());
        }
    }
    checked
}

/// Stops searches at random moments, by flag and by node limit: all threads end, every node is
/// counted, and the table has only true bounds.
#[test]
fn a_thousand_stopped_searches_store_only_true_bounds() {
    let _watchdog = Watchdog::new("stops");
    let mut rng = Rng::new(6);
    let (mut stopped, mut helped, mut bounds) = (0, 0, 0);
    // Helpers are rare where other programs keep the processors busy.
    while stopped < 1_000 * rounds() || helped <= 100 || bounds <= 100 {
        let Some(position) = random::<Othello>(8 + rng.below(3) as u8, &mut rng) else {
            continue;
        };
        let table = Table::with_bytes(1 << 20);
        let whole = search(&position, 1, &Table::new(1), Window::FULL, u64::MAX, None).nodes;
        for _ in 0..50 {
            let threads = [2, 3, 4, 8][rng.below(4) as usize];
            let moment = rng.below(whole) + 1;
            let (fuse, limit) = if rng.below(2) == 0 {
                (moment / 4, None)
            } else {
                (u64::MAX, Some(moment))
            };
            let found = search(&position, threads, &table, Window::FULL, fuse, limit);
            if let Some(limit) = limit {
                assert!(
                    found.nodes <= limit + 1_000 * threads as u64,
                    "{} of {limit} nodes",
                    found.nodes
                );
            }
            if found.value.is_some() {
                break; // the table answers now
            }
            stopped += 1;
            helped += usize::from(found.helper_nodes > 0);
            bounds += check_table(&position, &table, &mut rng);
        }
        let after = search(&position, 2, &table, Window::FULL, u64::MAX, None);
        assert_eq!(after.value, Some(value_of(&position)), "{position:?}");
    }
}

/// Large nodes, whose owner waits for helpers when the search is stopped: the table has no value of
/// one that a helper has left with a move unsearched.
#[test]
fn a_node_with_a_move_left_unsearched_is_not_stored() {
    let _watchdog = Watchdog::new("large nodes");
    let mut rng = Rng::new(11);
    let mut checked = 0;
    for _ in 0..2 * rounds() {
        let root = random::<Othello>(13, &mut rng).expect("a position with that many plies left");
        // The positions up to two moves below the root, with their values.
        let mut known = vec![root];
        for from in [0, 1] {
            let children: Vec<Othello> = known[from..]
                .iter()
                .flat_map(|position| position.moves().into_iter().map(|m| position.play(m)))
                .collect();
            known.extend(
                children
                    .into_iter()
                    .filter(|child| child.final_score().is_none()),
            );
        }
        let known: Vec<(Othello, Score)> = known
            .into_iter()
            .map(|position| (position, value_of(&position)))
            .collect();
        let whole = search(&root, 1, &Table::new(1), Window::FULL, u64::MAX, None).nodes;
        for _ in 0..400 {
            let table = Table::new(1);
            let threads = 2 + rng.below(3) as usize;
            search(
                &root,
                threads,
                &table,
                Window::FULL,
                rng.below(whole / 3) + 1,
                None,
            );
            for (position, value) in &known {
                let Some(entry) = table.probe(&Key::of(position.packed())) else {
                    continue;
                };
                assert!(
                    entry.lower <= *value && *value <= entry.upper,
                    "{position:?} {threads}: {entry:?}, not {value:?}"
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 1_000, "only {checked} entries");
}

/// A member of a team without a search: the helper is stopped in its first move.
struct StoppedHelper {
    is_owner: bool,
}

impl TeamMember for StoppedHelper {
    type Split = SplitRef;

    fn search_moves(&mut self, split: &SplitRef) -> Result<(), Stopped> {
        let taken = split.take();
        while self.is_owner && split.has_moves() {
            thread::yield_now();
        }
        match taken {
            Some(_) if !self.is_owner => Err(Stopped::Limit),
            _ => Ok(()),
        }
    }

    fn check(&mut self) -> Result<(), Stopped> {
        Ok(())
    }

    fn take_counters(&mut self) -> (Counters, u8) {
        Default::default()
    }
}

#[test]
fn a_split_point_that_a_stopped_helper_left_is_an_error() {
    let _watchdog = Watchdog::new("helper");
    let team = Team::default();
    let point = SplitPoint::new(None, 9, 2, Score(0), Score(10));
    let result = thread::scope(|scope| {
        scope.spawn(|| team.help(&mut StoppedHelper { is_owner: false }));
        let mut owner = StoppedHelper { is_owner: true };
        let result = team.search(&mut owner, &Arc::new(SplitRef::new(point)));
        team.end();
        result
    });
    assert!(result.is_err());
}

/// A stop while the line of a proven result is completed ends the helpers, but not their owner.
#[test]
fn a_line_completed_after_a_stop_keeps_the_value() {
    let _watchdog = Watchdog::new("lines");
    let mut rng = Rng::new(12);
    let (mut completed, mut helped) = (0, 0);
    for _ in 0..100 * rounds() {
        let position = random::<Othello>(10, &mut rng).expect("a position with 10 plies left");
        let value = value_of(&position);
        let control = SearchControl::default();
        let policy = SplitsEarly::new(&control, u64::MAX);
        let table = Table::with_bytes(1 << 10); // most entries of the line are overwritten
        let budget = ThreadBudget::new(3, 1);
        with_helpers(&budget, &policy, Some(&table), &control, None, |cx| {
            thread::sleep(Duration::from_millis(2));
            let mut production = Production::<Mtdf, _>::new(position, cx);
            production.set_budget(Budget {
                line_nodes: 1_000,
                ..Budget::default()
            });
            // From the value on, the last window fails low.
            let mut stop = |found: RootBound, _: &dyn Fn() -> SearchStats| {
                if found.bound == Bound::Upper {
                    control.stop();
                }
            };
            let (end, moves) = (Iteration::full(10), position.moves());
            let root = production
                .search(end, value, Window::FULL, &moves, &mut stop)
                .unwrap();
            let line = |last: Othello, m: &Move| last.play(*m);
            if root.pv.iter().fold(position, line).final_score().is_some() {
                assert!(
                    root.leads_to_end(&position, Certainty::Exact),
                    "{position:?}: {root:?}"
                );
                completed += 1;
            }
            helped += usize::from(control.helper_nodes() > 0);
        });
        check_table(&position, &table, &mut rng);
    }
    assert!(
        completed > 0 && helped > 0,
        "{completed} completed, {helped} helped"
    );
}

/// A search by the engine's own entry point; the control has the counters of the threads.
fn run(
    position: AnyPosition,
    settings: &Settings,
    limits: &Limits,
    table: &Table,
) -> (Answer, Arc<SearchControl>) {
    let control = Arc::new(SearchControl::default());
    let mut observer = Observer {
        control: control.clone(),
        ..Observer::default()
    };
    (
        think(position, settings, table, limits, &mut observer),
        control,
    )
}

fn with_threads(threads: usize) -> Settings {
    Settings {
        threads,
        ..Settings::default()
    }
}

/// The engine's own policies, at the end of the game.
#[test]
fn engine_searches_have_the_values_of_one_thread() {
    let _watchdog = Watchdog::new("engine");
    let mut rng = Rng::new(7);
    let exact = Limits::to_find(Goal::Exact);
    let win_loss_draw = Limits::to_find(Goal::WinLossDraw);
    let mut helped = 0;
    for (game, plies_left, count) in [("othello", 16, 8), ("othello6", 15, 4), ("diamond", 12, 2)] {
        for number in 0..count * rounds() {
            let root = random_position(game, plies_left, &mut rng)
                .expect("a position with that many plies left");
            for limits in [&exact, &win_loss_draw] {
                let one = run(root.position(), &with_threads(1), limits, &Table::new(16)).0;
                for threads in THREADS {
                    let table = Table::new([1, 16, 100][number % 3]);
                    let (answer, control) =
                        run(root.position(), &with_threads(threads), limits, &table);
                    let told = format!("{game} {} {threads} threads", root.write_position());
                    assert_eq!(
                        (answer.score(), answer.certainty),
                        (one.score(), one.certainty),
                        "{told}"
                    );
                    assert_ne!(answer.certainty, Certainty::Heuristic, "{told}");
                    helped += u32::from(control.helper_nodes() > 0);
                }
            }
        }
    }
    assert!(helped > 0, "no search had help");
}

/// Score Four's production loop at a fixed depth. Without a table, where the value depends on
/// nothing but the position: an entry of a deeper search may answer a shallower one, and which
/// entries there are differs from run to run.
#[test]
fn score_four_has_the_values_of_one_thread_at_a_fixed_depth() {
    let _watchdog = Watchdog::new("score four");
    let mut rng = Rng::new(8);
    let mut helped = 0;
    for _ in 0..4 * rounds() {
        let root = random_position("scorefour", 50, &mut rng)
            .expect("a position with that many plies left");
        let limits = Limits::to_depth(8);
        let value = |threads| {
            let settings = Settings {
                table: false,
                selectivity: Some(Draft::FULL),
                ..with_threads(threads)
            };
            let (answer, control) = run(root.position(), &settings, &limits, &Table::new(1));
            (answer.score(), control.helper_nodes())
        };
        let one = value(1).0;
        for threads in [2, 3, 8] {
            let (score, helper_nodes) = value(threads);
            assert_eq!(score, one, "{} {threads} threads", root.write_position());
            helped += u32::from(helper_nodes > 0);
        }
    }
    assert!(helped > 0, "no search had help");
}

/// A node limit is for all threads together, in the midgame and in endgame kernels.
#[test]
fn node_limits_hold_for_all_threads_together() {
    let _watchdog = Watchdog::new("node limits");
    let mut rng = Rng::new(9);
    let mut helped = 0;
    for (game, plies_left) in [("othello", 40), ("othello", 20), ("scorefour", 50)] {
        for _ in 0..3 * rounds() {
            let root = random_position(game, plies_left, &mut rng)
                .expect("a position with that many plies left");
            for threads in [2, 4, 8] {
                for nodes in [1_000, 10_000, 100_000, 300_000] {
                    let limits = Limits::to_nodes(nodes);
                    let (answer, control) = run(
                        root.position(),
                        &with_threads(threads),
                        &limits,
                        &Table::new(4),
                    );
                    let told = format!("{game} {} {threads} threads", root.write_position());
                    let most = nodes + 1_000 * threads as u64;
                    assert!(
                        answer.counters.nodes <= most,
                        "{told}: {} of {nodes} nodes",
                        answer.counters.nodes
                    );
                    assert!(control.nodes() <= answer.counters.nodes, "{told}");
                    helped += u32::from(control.helper_nodes() > 0);
                }
            }
        }
    }
    assert!(helped > 0, "no search had help");
}

/// A search that is stopped from another thread returns, in whatever state its helpers are.
#[test]
fn searches_are_stopped_from_another_thread() {
    let _watchdog = Watchdog::new("stop flag");
    let mut rng = Rng::new(10);
    for (game, plies_left) in [("othello", 40), ("othello", 22), ("scorefour", 50)] {
        let root = random_position(game, plies_left, &mut rng)
            .expect("a position with that many plies left");
        let table = Table::new(4);
        for threads in [2, 8] {
            for _ in 0..5 * rounds() {
                let delay = Duration::from_micros(rng.below(20_000));
                let control = Arc::new(SearchControl::default());
                let stop = {
                    let control = control.clone();
                    thread::spawn(move || {
                        thread::sleep(delay);
                        control.stop();
                    })
                };
                let mut observer = Observer {
                    control: control.clone(),
                    ..Observer::default()
                };
                let (settings, limits) = (with_threads(threads), Limits::default());
                let answer = think(root.position(), &settings, &table, &limits, &mut observer);
                stop.join().unwrap();
                assert!(
                    answer.stopped && root.moves().contains(&answer.best_move().unwrap()),
                    "{game}: {answer:?}"
                );
                assert!(
                    control.nodes() <= answer.counters.nodes,
                    "{game}: {} {answer:?}",
                    control.nodes()
                );
            }
        }
    }
}
