//! From a position whose game is known only at run time to the monomorphic search that plays it.

use crate::game::score::Score;
use crate::game::{Game, Move};
use crate::games::any::{AnyPosition, Othello, with_position};
use crate::games::reversi::accuracy::AccuracyTable;
use crate::games::spec::{GameSpec, MoveJob, ProofJob};
use crate::logging::SEARCH;
use crate::search::core::policy::Evaluate;
use crate::search::deepening;
use crate::search::searcher::{self, ProofSearch};
use crate::search::stop::SearchControl;
use crate::search::table::Table;
use crate::search::textbook::{TextbookContext, TextbookSearch};
use crate::search::{Algorithm, Answer, AnyWeights, Limits, Observer, RootMove, Settings};

/// Searches a position. `table` is used if the settings enable it; the caller resizes and clears
/// it.
pub fn think(
    position: AnyPosition,
    settings: &Settings,
    table: &Table,
    limits: &Limits,
    observer: &mut Observer<'_>,
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
    if settings.algorithm == Algorithm::Auto {
        let job = MoveJob {
            settings,
            table,
            limits,
            observer,
        };
        return with_position!(position, position => GameSpec::run(position, job));
    }
    let evaluator = AnyEvaluator(settings.weights.clone());
    let control = observer.control.clone();
    let mut cx = TextbookContext::new(&evaluator, table, &control);
    cx.record(observer.trace.take());
    deepening::think(
        &mut TextbookSearch::new(settings.algorithm, position, cx),
        limits,
        settings.deepening,
        observer,
    )
}

/// Calls `prove` with a search for the moves of a proof, from this root. It runs on one thread, with
/// a table that other threads may use at the same time. Setting `control` stops it.
pub fn prove(
    root: AnyPosition,
    settings: &Settings,
    table: &Table,
    control: &SearchControl,
    prove: &mut dyn FnMut(&mut dyn ProofSearch),
) {
    let job = ProofJob {
        settings,
        table,
        control,
        prove,
    };
    with_position!(root, root => GameSpec::run(root, job));
}

/// The static value of a position for the side to move; the final score if the game is over. The
/// first call for a game loads its weights.
pub fn evaluate(position: AnyPosition, weights: Option<&AnyWeights>) -> Score {
    with_position!(position, position, G => {
        position.final_score().unwrap_or_else(|| G::evaluator(weights).evaluate(&position))
    })
}

/// The answer without a search among these moves of an unfinished position.
pub fn static_answer(
    position: AnyPosition,
    moves: &[Move],
    weights: Option<&AnyWeights>,
) -> RootMove {
    searcher::static_answer(&position, moves, |position| evaluate(*position, weights))
}

/// The evaluator of [`AnyPosition`], for the textbook algorithms, which are compiled for it alone.
#[derive(Clone, Debug, Default)]
pub struct AnyEvaluator(Option<AnyWeights>);

impl Evaluate<AnyPosition> for AnyEvaluator {
    type Data = ();
    const GRAIN: i32 = 1;

    fn grain(&self, position: &AnyPosition) -> i32 {
        with_position!(*position, _, G => <<G as GameSpec>::Evaluator as Evaluate<G>>::GRAIN)
    }

    fn fresh(&self, _position: &AnyPosition) {}

    fn score(&self, position: &AnyPosition, _data: ()) -> Score {
        evaluate(*position, self.0.as_ref())
    }
}

/// The mean number of nodes for solving a position with as many plies left as this one, if there is
/// an estimate.
pub fn nodes_to_solve(position: AnyPosition) -> Option<f64> {
    with_position!(position, position, G => G::nodes_to_solve(position.plies_left()))
}

/// The terms of the static value of an unfinished position, if its evaluator can list them.
pub fn eval_terms(position: AnyPosition, weights: Option<&AnyWeights>) -> Option<String> {
    with_position!(position, position, G => G::evaluator(weights).describe(&position))
}

/// [`GameSpec::is_selective`] of this position's game.
pub fn is_selective(position: AnyPosition, weights: Option<&AnyWeights>) -> bool {
    with_position!(position, _, G => G::is_selective(&G::evaluator(weights)))
}

/// The accuracy table of searches of this position's game (option `Show Accuracy`), or the reason
/// why there is none.
pub type Accuracy = Result<&'static AccuracyTable, &'static str>;

/// See [`Accuracy`].
///
/// # Errors
/// The reason.
pub fn accuracy(position: AnyPosition, weights: Option<&AnyWeights>) -> Accuracy {
    let AnyPosition::Othello(_) = position else {
        return Err("Show Accuracy supports othello only");
    };
    AccuracyTable::of(&Othello::evaluator(weights))
        .ok_or("Show Accuracy: not measured for these weights")
}
