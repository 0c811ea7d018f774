//! Maps a position whose game is known at run time to the monomorphic search of its game, with the game's evaluator and
//! policy and the chosen instruction set.

use crate::game::score::Score;
use crate::game::{Game, Notation};
use crate::games::any::AnyPosition;
use crate::games::registry::registry;
use crate::games::reversi::eval::OthelloEvaluator;
use crate::games::reversi::eval::mobility::Mobility;
use crate::games::reversi::eval::terms::EvalTerms;
use crate::games::reversi::kernel::Kernels;
use crate::games::reversi::policy::ReversiPolicy;
use crate::games::reversi::{Diamond, DiamondCrossed, Eight, Four, Othello, Othello4, Othello6, Six};
use crate::games::score_four as scorefour;
use crate::games::score_four::ScoreFour;
use crate::games::score_four::policy::ScoreFourPolicy;
use crate::games::tictactoe::TicTacToe;
use crate::logging::SEARCH;
use crate::search::deepening::think as deepen;
use crate::search::endgame_searcher::EndgameSearcher;
use crate::search::generic_policy::GenericPolicy;
use crate::search::isa::{IsaChoice, Portable, with_isa};
use crate::search::parallel::thread_budget::ThreadBudget;
use crate::search::parallel::with_helpers;
use crate::search::policy::{Evaluate, Policy, Zero};
use crate::search::production::{Mtdf, Production};
use crate::search::searcher::Searcher;
use crate::search::stop::SearchControl;
use crate::search::table::{Draft, Table};
use crate::search::textbook::{Textbook, TextbookContext, TextbookSearch};
use crate::search::trace::Trace;
use crate::search::{Answer, AnyWeights, Limits, Observer, Settings};

/// A game with its evaluator and production policy.
pub trait GameSpec: Game + Notation {
    /// Its static evaluation.
    type Evaluator: Evaluate<Self> + Default;
    /// The production policy on an instruction set.
    type Policy<I: Kernels>: Policy<Game = Self, Isa = I>;

    /// The evaluator with the user's weights, or with the built-in ones.
    fn evaluator(_weights: Option<&AnyWeights>) -> Self::Evaluator {
        Self::Evaluator::default()
    }

    /// The production policy with this evaluator and selectivity level ([`Settings::selectivity`]).
    fn policy<I: Kernels>(evaluator: Self::Evaluator, isa: I, selectivity: Option<u8>) -> Self::Policy<I>;

    /// The mean number of nodes for solving a position with `plies_left` plies left, if there is an estimate.
    fn nodes_to_solve(plies_left: u8) -> Option<f64> {
        <Self::Policy<Portable> as Policy>::SOLVING_COST.map(|cost| cost.at(plies_left))
    }

    /// Runs the production search on the chosen instruction set. The default is the portable one: more copies would
    /// only cost compile time in games that are solved immediately.
    fn search(job: AutoJob<'_, '_, Self>) -> Answer {
        job.run(Portable::token())
    }

    /// Adds the game's exact endgame solver to the production search, if it has one.
    fn with_endgame_solver<'a, S: Searcher + 'a>(
        self,
        searcher: S,
        _solver: SolverContext<'a>,
    ) -> Box<dyn Searcher + 'a> {
        Box::new(searcher)
    }
}

/// The context of an endgame solver.
#[derive(Clone, Copy)]
pub struct SolverContext<'a> {
    isa: IsaChoice,
    table: &'a Table,
    control: &'a SearchControl,
    threads: &'a ThreadBudget,
}

/// A game with [`GenericPolicy`]: move ordering by an evaluator, full width, portable copy.
macro_rules! sorted {
    ($game:ty, $evaluator:ty $(, $adapted:ident)?) => {
        impl GameSpec for $game {
            type Evaluator = $evaluator;
            type Policy<I: Kernels> = GenericPolicy<Self, $evaluator, I>;

            fn policy<I: Kernels>(evaluator: $evaluator, isa: I, _selectivity: Option<u8>) -> Self::Policy<I> {
                GenericPolicy::new(evaluator, isa)$(.$adapted())?
            }
        }
    };
}

/// A board of Reversi: its shape, its evaluator, the evaluator's constructor from user weights and the choice of the
/// instruction set.
macro_rules! reversi {
    ($game:ty, $shape:ty, $evaluator:ty $(, weights $chosen:ident)? $(, by $multiversioned:ident)?) => {
        impl GameSpec for $game {
            type Evaluator = $evaluator;
            type Policy<I: Kernels> = ReversiPolicy<$shape, $evaluator, I>;

            $(fn evaluator(weights: Option<&AnyWeights>) -> $evaluator {
                <$evaluator>::$chosen(weights)
            })?

            fn policy<I: Kernels>(evaluator: $evaluator, isa: I, selectivity: Option<u8>) -> Self::Policy<I> {
                ReversiPolicy::new(evaluator, isa, selectivity)
            }

            $(fn search(job: AutoJob<'_, '_, Self>) -> Answer {
                $multiversioned!(job.isa, isa => job.run(isa))
            })?
        }
    };
}

/// A game with a separate `impl GameSpec`.
macro_rules! own {
    ($game:ty,) => {};
}

/// A game whose positions are converted to those of another game.
macro_rules! same_as {
    ($game:ty, $other:ty, $converted:ident) => {};
}

/// Implements [`GameSpec`] for each row of the registry.
macro_rules! game_specs {
    ([] $($game:ident { about: $about:literal, engine: $engine:ident($($parts:tt)*), $($rest:tt)* })*) => {
        $($engine! { $game, $($parts)* })*
    };
}

registry!(game_specs);

impl GameSpec for ScoreFour {
    type Evaluator = scorefour::eval::ScoreFourEvaluator;
    type Policy<I: Kernels> = ScoreFourPolicy<I>;

    fn evaluator(weights: Option<&AnyWeights>) -> Self::Evaluator {
        scorefour::eval::ScoreFourEvaluator::chosen(weights)
    }

    fn policy<I: Kernels>(evaluator: Self::Evaluator, isa: I, selectivity: Option<u8>) -> Self::Policy<I> {
        ScoreFourPolicy::new(evaluator, isa, selectivity)
    }

    fn nodes_to_solve(plies_left: u8) -> Option<f64> {
        Some(scorefour::endgame_adapter::nodes_to_solve(plies_left))
    }

    fn search(job: AutoJob<'_, '_, Self>) -> Answer {
        with_isa!(job.isa, isa => job.run(isa))
    }

    fn with_endgame_solver<'a, S: Searcher + 'a>(
        self,
        searcher: S,
        solver: SolverContext<'a>,
    ) -> Box<dyn Searcher + 'a> {
        let searcher = Box::new(searcher);
        let mebibytes = scorefour::solver::table::affordable(solver.table.mebibytes());
        with_isa!(solver.isa, isa => {
            let adapter = scorefour::endgame_adapter::EndgameAdapter { isa, mebibytes, threads: solver.threads };
            Box::new(EndgameSearcher::new(searcher, self, adapter, solver.control))
        })
    }
}

/// Calls the expression with `$position` bound to the typed position.
macro_rules! with_game_spec {
    ($any:expr, $position:ident => $body:expr) => { registry!(dispatch $any, $position => $body) };
}

macro_rules! dispatch {
    (
        [$any:expr, $position:ident => $body:expr]
        $($game:ident { about: $about:literal, engine: $engine:ident $parts:tt, $($rest:tt)* })*
    ) => {
        match $any {
            $(AnyPosition::$game(position) => {
                let $position = searched!($engine $parts position);
                $body
            })*
        }
    };
}

/// Converts a position to the game that searches it.
macro_rules! searched {
    (same_as($other:ty, $converted:ident) $position:ident) => {
        $position.$converted()
    };
    ($engine:ident $parts:tt $position:ident) => {
        $position
    };
}

/// A computation that is generic over [`GameSpec`], for a game known only at run time.
pub trait GameSpecVisitor {
    /// What it computes.
    type Output;
    /// Computes it for a position of the game `G`.
    fn visit<G: GameSpec>(self, position: G) -> Self::Output;
}

/// Calls the visitor with the typed position.
pub fn visit<V: GameSpecVisitor>(position: AnyPosition, visitor: V) -> V::Output {
    with_game_spec!(position, position => visitor.visit(position))
}

/// Unpacks the built-in weights, so that the first search does not have to.
pub fn preload_weights() {
    OthelloEvaluator::default();
}

/// Frees the memory that solvers reuse between searches.
pub fn free_solver_memory() {
    scorefour::solver::table::free_memory();
}

/// Searches a position. `table` is used if the settings enable it; the caller resizes and clears it.
pub fn think(
    position: AnyPosition,
    settings: &Settings,
    isa: IsaChoice,
    table: &Table,
    limits: &Limits,
    observer: &mut Observer<'_>,
) -> Answer {
    think_recorded(position, settings, isa, table, limits, observer, None)
}

/// [`think`] that records the search tree in `trace`. Visits the same nodes as an unrecorded search. Helpers are not
/// recorded, so use one thread.
pub fn think_recorded(
    position: AnyPosition,
    settings: &Settings,
    isa: IsaChoice,
    table: &Table,
    limits: &Limits,
    observer: &mut Observer<'_>,
    trace: Option<&mut dyn Trace>,
) -> Answer {
    let table = settings.table.then_some(table);
    log::debug!(
        target: SEARCH,
        "{}: algorithm {}, table {} MiB, weights {}, lines {}",
        position.name(),
        settings.algorithm.name(),
        table.map_or(0, Table::mebibytes),
        if settings.weights.is_some() { "of EvalFile" } else { "built in" },
        limits.multi_pv,
    );
    if let Some(table) = table {
        table.new_search();
    }
    match Textbook::try_from(settings.algorithm) {
        Ok(textbook) => {
            let evaluator = AnyEvaluator::new(settings.weights.clone());
            let control = observer.control.clone();
            let mut cx = TextbookContext::new(&evaluator, table.filter(|_| textbook != Textbook::Minimax), &control);
            if let Some(trace) = trace {
                cx.record(trace);
            }
            deepen(&mut TextbookSearch::new(textbook, position, cx), limits, settings.deepening, observer)
        }
        Err(_) => with_game_spec!(position, position => {
            let trace = trace.map(|trace| trace as &mut dyn Trace); // shortens the lifetime to that of the job
            GameSpec::search(AutoJob { position, settings, isa, table, limits, observer, trace })
        }),
    }
}

/// The static value of a position for the side to move; the final score if the game is over.
pub fn evaluate(position: AnyPosition, weights: Option<&AnyWeights>) -> Score {
    fn value<G: GameSpec>(position: G, weights: Option<&AnyWeights>) -> Score {
        position.final_score().unwrap_or_else(|| G::evaluator(weights).evaluate(&position))
    }
    with_game_spec!(position, position => value(position, weights))
}

/// The evaluator of [`AnyPosition`], for the textbook algorithms, which are compiled for it alone.
#[derive(Clone, Debug, Default)]
pub struct AnyEvaluator {
    weights: Option<AnyWeights>,
}

impl AnyEvaluator {
    /// Evaluates with these weights, or with the built-in ones.
    pub fn new(weights: Option<AnyWeights>) -> Self {
        AnyEvaluator { weights }
    }
}

impl Evaluate<AnyPosition> for AnyEvaluator {
    type Data = ();
    const GRAIN: i32 = 1;

    fn grain(&self, position: &AnyPosition) -> i32 {
        fn grain<G: GameSpec>(_position: G) -> i32 {
            G::Evaluator::GRAIN
        }
        with_game_spec!(*position, position => grain(position))
    }

    fn fresh(&self, _position: &AnyPosition) {}

    fn score(&self, position: &AnyPosition, _data: ()) -> Score {
        evaluate(*position, self.weights.as_ref())
    }
}

/// The mean number of nodes for solving a position with as many plies left as this one, if there is an estimate.
pub fn nodes_to_solve(position: AnyPosition) -> Option<f64> {
    fn nodes<G: GameSpec>(position: G) -> Option<f64> {
        G::nodes_to_solve(position.plies_left())
    }
    with_game_spec!(position, position => nodes(position))
}

/// The terms of the static value of a position, if its evaluator can list them.
pub fn eval_terms(position: AnyPosition, weights: Option<&AnyWeights>) -> Option<EvalTerms> {
    match position {
        AnyPosition::Othello(position) if position.final_score().is_none() => {
            Some(Othello::evaluator(weights).terms(&position))
        }
        _ => None,
    }
}

/// The name of an instruction set, for the log.
fn isa_name<I: Kernels>() -> String {
    let path = std::any::type_name::<I>();
    path.rsplit("::").next().unwrap_or(path).to_ascii_lowercase()
}

/// A production search: the game's policy on one instruction set, followed by the endgame solver.
pub struct AutoJob<'a, 'o, G: GameSpec> {
    position: G,
    settings: &'a Settings,
    isa: IsaChoice,
    table: Option<&'a Table>,
    limits: &'a Limits,
    observer: &'a mut Observer<'o>,
    trace: Option<&'a mut dyn Trace>,
}

impl<G: GameSpec> AutoJob<'_, '_, G> {
    /// Runs it on this instruction set.
    fn run<I: Kernels>(self, token: I) -> Answer {
        let AutoJob { position, settings, isa, table, limits, observer, trace } = self;
        log::debug!(target: SEARCH, "instruction set {}", isa_name::<I>());
        let chosen = settings.selectivity.filter(|_| !limits.proven);
        let selectivity = if limits.mate.is_some() { Some(Draft::FULL) } else { chosen };
        let policy = G::policy(G::evaluator(settings.weights.as_ref()), token, selectivity);
        let control = observer.control.clone();
        let own_threads = ThreadBudget::new(settings.threads, 1);
        let threads = settings.shared_threads.as_deref().unwrap_or(&own_threads);
        with_helpers(threads, &policy, table, &control, trace, |cx| {
            let mut search = Production::<Mtdf, _>::new(position, cx);
            match table {
                Some(table) => {
                    let mut search =
                        position.with_endgame_solver(search, SolverContext { isa, table, control: &control, threads });
                    deepen(&mut *search, limits, settings.deepening, observer)
                }
                None => deepen(&mut search, limits, settings.deepening, observer),
            }
        })
    }
}
