//! Othello's search policy compared with slow reference implementations, on every instruction set
//! of this CPU.

use nullwindow::game::rng::Rng;
use nullwindow::game::score::{Score, Window};
use nullwindow::game::{Game, Move};
use nullwindow::games::any::AnyPosition;
use nullwindow::games::dispatch::think;
use nullwindow::games::reversi::Othello;
use nullwindow::games::reversi::eval::OthelloEvaluator;
use nullwindow::games::reversi::kernel::Kernels;
use nullwindow::games::reversi::policy::ReversiPolicy;
use nullwindow::games::reversi::policy::leaves::{LEAVES, LeafTable, Leaves};
use nullwindow::search::core::context::Context;
use nullwindow::search::core::isa::{IsaChoice, Portable};
use nullwindow::search::core::policy::{Evaluate, Policy};
use nullwindow::search::levels::{self, level};
use nullwindow::search::production::{Driver, Mtdf, NegaScout, Production};
use nullwindow::search::schedule::{Iteration, Objective};
use nullwindow::search::stats::Counters;
use nullwindow::search::stop::SearchControl;
use nullwindow::search::table::{Draft, Table};
use nullwindow::search::trace::{ReturnReason, Trace};
use nullwindow::search::{Certainty, Goal, Limits, Observer, Progress, Settings};

use crate::common::with_isa::with_isa;
use crate::common::{instruction_sets, oracle};

/// A position with `empties` empties after random moves, whose side to move has a move.
fn random_position(rng: &mut Rng, empties: u8) -> Othello {
    loop {
        let mut position = Othello::start();
        while position.plies_left() > empties {
            let Some(&m) = rng.choose(&position.moves()) else {
                break;
            };
            position = position.play(m);
        }
        if position.plies_left() == empties && position.legal() != 0 {
            return position;
        }
    }
}

/// Negamax by the rules alone; the end of the game is detected at inner nodes, at depth 0 only a
/// wipe-out.
fn plain(evaluator: &OthelloEvaluator, position: &Othello, depth: u8) -> Score {
    if position.player == 0 {
        return position.count();
    }
    if depth == 0 {
        return evaluator.evaluate(position);
    }
    let values = |moves: &[Move]| {
        moves
            .iter()
            .map(|&m| -plain(evaluator, &position.play(m), depth - Othello::cost(m)))
            .max()
    };
    values(&position.moves()).unwrap_or_else(|| position.count())
}

/// The value and nodes of the leaf search on one set.
struct LeafSearch<'e> {
    evaluator: &'e OthelloEvaluator,
    table: &'e mut LeafTable,
    position: Othello,
    window: Window,
    depth: u8,
}

impl LeafSearch<'_> {
    fn run<K: Kernels>(self, kernel: K) -> (Score, Counters) {
        let LeafSearch {
            evaluator,
            table,
            position,
            window,
            depth,
        } = self;
        let mut counters = Counters::default();
        let data = evaluator.fresh(&position);
        let (data, moves) = (&data, kernel.legal(position.player, position.opponent));
        let leaves = Leaves {
            kernel,
            evaluator,
            counters: &mut counters,
            table,
            position,
            data,
            moves,
            window,
            depth,
        };
        (leaves.search(), counters)
    }

    fn on(self, choice: IsaChoice) -> (Score, Counters) {
        with_isa!(choice, isa => self.run(isa))
    }
}

#[test]
fn the_leaf_search_equals_negamax_on_every_instruction_set() {
    let evaluator = OthelloEvaluator::default();
    let mut rng = Rng::new(3);
    // Kept for all positions, depths and windows.
    let mut kept = LeafTable::default();
    for round in 0..120 {
        let position = random_position(&mut rng, 1 + round % 54);
        for depth in 1..=LEAVES {
            let value = plain(&evaluator, &position, depth);
            let mut counted = None;
            for choice in instruction_sets() {
                let run = |table: &mut LeafTable, window| {
                    LeafSearch {
                        evaluator: &evaluator,
                        table,
                        position,
                        window,
                        depth,
                    }
                    .on(choice)
                };
                let (score, counters) = run(&mut LeafTable::default(), Window::FULL);
                assert_eq!(
                    score,
                    value,
                    "{} depth {depth}: {position:?}",
                    choice.name()
                );
                assert_eq!(
                    *counted.get_or_insert(counters),
                    counters,
                    "{}",
                    choice.name()
                );
                // Null windows give bounds on the right side.
                assert!(run(&mut kept, Window::null(value, 100)).0 >= value);
                assert!(run(&mut kept, Window::null(value + 100, 100)).0 <= value);
                assert_eq!(run(&mut kept, Window::FULL).0, value);
            }
        }
    }
}

/// The value and nodes of a search to the end of the game.
struct ToTheEnd<D>(Othello, std::marker::PhantomData<D>);

impl<D: Driver> ToTheEnd<D> {
    fn run<K: Kernels>(self, kernel: K) -> (Score, u64) {
        let policy = ReversiPolicy::new(OthelloEvaluator::default(), kernel, None);
        let (table, control) = (Table::new(4), SearchControl::default());
        let mut search =
            Production::<D, _>::new(self.0, Context::new(&policy, Some(&table), &control));
        let moves = self.0.moves();
        let empties = self.0.plies_left();
        let mut value = Score::ZERO;
        for iteration in [
            Iteration {
                depth: empties,
                selectivity: 1,
            },
            Iteration::full(empties),
        ] {
            value = search
                .value(iteration, value, Window::FULL, &moves, &mut |_, _| ())
                .unwrap()
                .0;
        }
        (value, search.cx.counters.nodes)
    }
}

#[test]
fn searches_to_the_end_are_exact_on_every_instruction_set() {
    let mut rng = Rng::new(4);
    for round in 0..24 {
        let position = random_position(&mut rng, 6 + round % 7);
        let solved = oracle::value_of(&position);
        let mut nodes = None;
        for choice in instruction_sets() {
            let found = with_isa!(choice, isa => ToTheEnd::<Mtdf>(position, std::marker::PhantomData).run(isa));
            assert_eq!(found.0, solved, "{}: {position:?}", choice.name());
            assert_eq!(
                *nodes.get_or_insert(found.1),
                found.1,
                "{}: {position:?}",
                choice.name()
            );
        }
        let (value, _) =
            ToTheEnd::<NegaScout>(position, std::marker::PhantomData).run(Portable::token());
        assert_eq!(value, solved, "{position:?}");
    }
}

/// The value of a full-width search by the midgame schedule.
fn scheduled_value<D: Driver>(position: Othello, depth: u8) -> Score {
    let policy = ReversiPolicy::new(
        OthelloEvaluator::default(),
        Portable::token(),
        Some(Draft::FULL),
    );
    let (table, control) = (Table::new(4), SearchControl::default());
    let mut search =
        Production::<D, _>::new(position, Context::new(&policy, Some(&table), &control));
    let moves = position.moves();
    let mut value = Score::ZERO;
    for iteration in policy.schedule(&position, depth, Objective::Proof) {
        value = search
            .value(iteration, value, Window::FULL, &moves, &mut |_, _| ())
            .unwrap()
            .0;
    }
    value
}

#[test]
fn mtdf_and_nega_scout_agree_at_full_width() {
    let mut rng = Rng::new(9);
    for round in 0..12 {
        let position = random_position(&mut rng, 24 + round * 2);
        // To a small depth both are minimax, except for table entries of other depths.
        assert_eq!(
            scheduled_value::<Mtdf>(position, 4),
            scheduled_value::<NegaScout>(position, 4),
            "{position:?}"
        );
    }
}

/// Counts the children searched at a reduced depth, and their re-searches.
#[derive(Default)]
struct Reductions {
    depths: Vec<u8>,
    next: Option<bool>,
    reduced: u32,
    repeated: u32,
}

impl Trace for Reductions {
    fn iteration(&mut self, _: Iteration, _: Score, _: &Counters) {}
    fn variation(&mut self, _: &Counters) {}
    fn skip(&mut self, _: Move) {}

    fn next(&mut self, _: Move, re_search: bool) {
        self.next = Some(re_search);
    }

    fn enter(&mut self, _: Window, depth: u8, _: u64) {
        // Entered without a move: the root, or a verification search of the same node.
        if let (Some(re_search), Some(parent)) = (self.next.take(), self.depths.last()) {
            let is_reduced = depth + 1 < *parent;
            assert!(!(is_reduced && re_search), "a re-search has full depth");
            self.reduced += u32::from(is_reduced);
            self.repeated += u32::from(re_search);
        }
        self.depths.push(depth);
    }

    fn leave(&mut self, _: Score, _: ReturnReason, _: u64) {
        self.depths.pop();
    }
}

#[test]
fn late_moves_are_reduced_up_to_the_default_level() {
    let mut rng = Rng::new(12);
    let positions = [(); 4].map(|()| random_position(&mut rng, 40));
    let reductions = |position: Othello, selectivity| {
        let policy = ReversiPolicy::new(OthelloEvaluator::default(), Portable::token(), None);
        let (table, control) = (Table::new(4), SearchControl::default());
        let mut trace = Reductions::default();
        let mut context = Context::new(&policy, Some(&table), &control);
        context.record(Some(&mut trace));
        let mut search = Production::<Mtdf, _>::new(position, context);
        let moves = position.moves();
        search
            .value(
                Iteration {
                    depth: 12,
                    selectivity,
                },
                Score::ZERO,
                Window::FULL,
                &moves,
                &mut |_, _| (),
            )
            .unwrap();
        drop(search);
        (trace.reduced, trace.repeated)
    };
    let default = levels::DEFAULT.number;
    let (mut reduced, mut repeated) = (0, 0);
    for position in positions {
        let found = reductions(position, default);
        reduced += found.0;
        repeated += found.1;
        assert_eq!(reductions(position, default + 1), (0, 0));
    }
    // All windows of MTD(f) are null: only a reduced move that does not fail low is searched again.
    assert!(
        0 < repeated && repeated < reduced,
        "{repeated} of {reduced}"
    );
}

#[test]
fn selectivity_is_reported_and_proofs_have_none() {
    let position = random_position(&mut Rng::new(5), 13);
    let search = |selectivity, limits: Limits| {
        let settings = Settings {
            selectivity,
            ..Settings::default()
        };
        let mut told = Vec::new();
        let mut report = |progress: &Progress| told.push((progress.depth, progress.selectivity));
        let mut observer = Observer {
            report: Some(&mut report),
            ..Observer::default()
        };
        let table = Table::new(1);
        let answer = think(
            AnyPosition::Othello(position),
            &settings,
            &table,
            &limits,
            &mut observer,
        );
        (answer.certainty, told)
    };
    let (certainty, told) = search(level(73), Limits::to_depth(13));
    assert_eq!(
        (certainty, told.last()),
        (Certainty::Heuristic, Some(&(13, 73)))
    );
    assert!(
        told.iter()
            .all(|&(depth, percent)| percent == if depth < 4 { 100 } else { 73 }),
        "{told:?}"
    );
    let (certainty, told) = search(None, Limits::to_depth(13));
    assert_eq!(
        (certainty, told.last()),
        (Certainty::Exact, Some(&(13, 100)))
    );
    let (certainty, _) = search(
        level(73),
        Limits {
            goal: Goal::Exact,
            ..Limits::to_depth(13)
        },
    );
    assert_eq!(certainty, Certainty::Exact);
    let (certainty, told) = search(level(95), Limits::to_depth(6));
    assert_eq!(
        (certainty, told.last()),
        (Certainty::Heuristic, Some(&(6, 95)))
    );
}
