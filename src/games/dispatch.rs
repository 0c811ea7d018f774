//! The only place where games, evaluators, policies and instruction sets meet: from a position whose game is known at
//! run time to the monomorphic search that plays it.

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

/// A game with what the engine plays it with.
pub trait GameSpec: Game + Notation {
    /// Its static evaluation.
    type Evaluator: Evaluate<Self> + Default;
    /// The production policy on an instruction set.
    type Policy<I: Kernels>: Policy<Game = Self, Isa = I>;

    /// Its evaluation with the weights that a user chose, or its own.
    fn evaluator(_weights: Option<&AnyWeights>) -> Self::Evaluator {
        Self::Evaluator::default()
    }

    /// The production policy with this evaluation, to come to this level of selectivity ([`Settings::selectivity`]).
    fn policy<I: Kernels>(evaluator: Self::Evaluator, isa: I, selectivity: Option<u8>) -> Self::Policy<I>;

    /// The mean number of nodes for solving a position with so many plies left, if they can be estimated.
    fn nodes_to_solve(plies_left: u8) -> Option<f64> {
        <Self::Policy<Portable> as Policy>::SOLVING_COST.map(|cost| cost.at(plies_left))
    }

    /// Runs the production search on the chosen instruction set; by default its portable copy, since games that are
    /// solved at once are not worth the time that another copy takes to compile.
    fn search(job: AutoJob<'_, '_, Self>) -> Answer {
        job.run(Portable::token())
    }

    /// The production searcher with the game's exact solver behind it, if it has one.
    fn with_endgame_solver<'a, S: Searcher + 'a>(
        self,
        searcher: S,
        _solver: SolverContext<'a>,
    ) -> Box<dyn Searcher + 'a> {
        Box::new(searcher)
    }
}

/// What a solver of last positions works with.
#[derive(Clone, Copy)]
pub struct SolverContext<'a> {
    isa: IsaChoice,
    table: &'a Table,
    control: &'a SearchControl,
    threads: &'a ThreadBudget,
}

/// A game whose moves are sorted by an evaluation: by default full width, iterative deepening, the portable copy.
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

/// A board of Reversi: its shape, its evaluation, how that takes a user's weights, and how its instruction set is
/// chosen.
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

/// A game with an `impl GameSpec` of its own.
macro_rules! own {
    ($game:ty,) => {};
}

/// A game whose positions are another's.
macro_rules! same_as {
    ($game:ty, $other:ty, $converted:ident) => {};
}

/// What plays each game, as its row of the registry says.
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

/// A position as the game that searches it has it.
macro_rules! searched {
    (same_as($other:ty, $converted:ident) $position:ident) => {
        $position.$converted()
    };
    ($engine:ident $parts:tt $position:ident) => {
        $position
    };
}

/// A computation that is generic over a game with its evaluator and policy, to be called for a game known only at run
/// time.
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

/// Unpacks the weights that the binary carries, which the first search would else have to do.
pub fn preload_weights() {
    OthelloEvaluator::default();
}

/// Frees the memory that solvers keep from one search to the next.
pub fn free_solver_memory() {
    scorefour::solver::table::free_memory();
}

/// Thinks about a position. `table` is used if the settings allow it; the caller owns its size and its clearing.
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

/// [`think`], with its tree recorded in `trace`. A recorded search visits the same nodes; helpers are not recorded, so
/// that it should have one thread.
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
            let trace = trace.map(|trace| trace as &mut dyn Trace); // for as long as the job lives
            GameSpec::search(AutoJob { position, settings, isa, table, limits, observer, trace })
        }),
    }
}

/// The static value of a position for the side to move; a finished game has its score.
pub fn evaluate(position: AnyPosition, weights: Option<&AnyWeights>) -> Score {
    fn value<G: GameSpec>(position: G, weights: Option<&AnyWeights>) -> Score {
        position.final_score().unwrap_or_else(|| G::evaluator(weights).evaluate(&position))
    }
    with_game_spec!(position, position => value(position, weights))
}

/// Every game's evaluator as one: the textbook algorithms are compiled for it and [`AnyPosition`] alone.
#[derive(Clone, Debug, Default)]
pub struct AnyEvaluator {
    weights: Option<AnyWeights>,
}

impl AnyEvaluator {
    /// The evaluators with these weights, or with their own.
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

/// The mean number of nodes for solving a position with as many plies left as this one, if they can be estimated.
pub fn nodes_to_solve(position: AnyPosition) -> Option<f64> {
    fn nodes<G: GameSpec>(position: G) -> Option<f64> {
        G::nodes_to_solve(position.plies_left())
    }
    with_game_spec!(position, position => nodes(position))
}

/// How the static value of a position comes about, where its evaluator can say.
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

/// The production engine: the game's policy on one instruction set, and the endgame solver behind it.
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
