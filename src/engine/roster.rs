//! The only place where games, evaluators, policies and instruction sets meet: from a position whose game is known at run
//! time to the monomorphic search that plays it.

use crate::game::{Game, Notation};
use crate::games::any::AnyPosition;
use crate::games::reversi::{DiamondCrossed, Eight, Four, Othello, Reversi, Six};
use crate::games::score_four::ScoreFour;
use crate::games::tictactoe::TicTacToe;
use crate::othello::eval::Learnt;
use crate::othello::eval::mobility::Mobility;
use crate::othello::eval::reasons::Reasons;
use crate::othello::kernel::Stamped;
use crate::othello::midgame::Midgame;
use crate::score::Score;
use crate::scorefour;
use crate::scorefour::player::Player;
use crate::search::context::{Context, Watch};
use crate::search::deepening::{Searcher, think as deepen};
use crate::search::finishing::Finishing;
#[cfg(target_arch = "x86_64")]
use crate::search::isa::{Avx2, Avx512};
use crate::search::isa::{Isa, Portable};
use crate::search::policy::{Evaluate, Policy, Zero};
use crate::search::production::{Mtdf, Production};
use crate::search::sorted::Sorted;
use crate::search::table::{Draft, Table};
use crate::search::textbook::{Textbook, TextbookSearch};
use crate::search::{Answer, Limits, Observer, Settings, Weights};

/// A game with what the engine plays it with.
pub trait Entrant: Game + Notation {
    /// Its static evaluation.
    type Evaluator: Evaluate<Self> + Default;
    /// The production policy on an instruction set.
    type Policy<I: Stamped>: Policy<Game = Self, Isa = I>;

    /// Its evaluation with the weights that a user chose, or its own.
    fn evaluator(_weights: Option<&Weights>) -> Self::Evaluator {
        Self::Evaluator::default()
    }

    /// The production policy with this evaluation, to come to this level of selectivity ([`Settings::selectivity`]).
    fn policy<I: Stamped>(evaluator: Self::Evaluator, isa: I, selectivity: Option<u8>) -> Self::Policy<I>;

    /// Calls the job with an instruction set that this game's loop is stamped for: by default the portable one, since boards
    /// that are solved at once are not worth the time that another copy takes to compile.
    fn on_kernel<J: IsaJob>(_kernel: Kernel, job: J) -> J::Output {
        job.run(Portable::token())
    }

    /// The production searcher with whoever solves the game's last positions behind it; by default nobody.
    fn finished<'a, S: Searcher + 'a>(self, searcher: S, _solver: Solver<'a>) -> Box<dyn Searcher + 'a> {
        Box::new(searcher)
    }
}

/// What a solver of last positions works with.
#[derive(Clone, Copy)]
pub struct Solver<'a> {
    kernel: Kernel,
    table: &'a Table,
    watch: &'a Watch,
}

impl Entrant for TicTacToe {
    type Evaluator = Zero;
    type Policy<I: Stamped> = Sorted<Self, Zero, I>;

    fn policy<I: Stamped>(evaluator: Zero, isa: I, _selectivity: Option<u8>) -> Self::Policy<I> {
        Sorted::new(evaluator, isa)
    }
}

/// Enters the boards of Reversi: by a learnt or a hand-made evaluation.
macro_rules! reversi {
    ($($shape:ty: $evaluator:ty, $weights:ident => $chosen:expr $(, stamped by $kernels:ident)?;)*) => {
        $(impl Entrant for Reversi<$shape> {
            type Evaluator = $evaluator;
            type Policy<I: Stamped> = Midgame<$shape, $evaluator, I>;

            fn evaluator($weights: Option<&Weights>) -> $evaluator {
                $chosen
            }

            fn policy<I: Stamped>(evaluator: $evaluator, isa: I, selectivity: Option<u8>) -> Self::Policy<I> {
                Midgame::new(evaluator, isa, selectivity)
            }

            $(fn on_kernel<J: IsaJob>(kernel: $kernels, job: J) -> J::Output {
                kernel.run(job)
            })?
        })*
    };
}

reversi! {
    Eight: Learnt, weights => Learnt::chosen(weights), stamped by Kernel;
    Six: Mobility, _weights => Mobility, stamped by Kernel;
    Four: Mobility, _weights => Mobility;
    DiamondCrossed: Mobility, _weights => Mobility;
}

impl Entrant for ScoreFour {
    type Evaluator = scorefour::eval::Learnt;
    type Policy<I: Stamped> = Player<I>;

    fn evaluator(weights: Option<&Weights>) -> Self::Evaluator {
        scorefour::eval::Learnt::chosen(weights)
    }

    fn policy<I: Stamped>(evaluator: Self::Evaluator, isa: I, selectivity: Option<u8>) -> Self::Policy<I> {
        Player::new(evaluator, isa, selectivity)
    }

    fn on_kernel<J: IsaJob>(kernel: Kernel, job: J) -> J::Output {
        kernel.run(job)
    }

    fn finished<'a, S: Searcher + 'a>(self, searcher: S, solver: Solver<'a>) -> Box<dyn Searcher + 'a> {
        solver.kernel.run(ScoreFourSolver { position: self, searcher: Box::new(searcher), solver })
    }
}

/// Puts Score Four's solver behind a searcher.
struct ScoreFourSolver<'a> {
    position: ScoreFour,
    searcher: Box<dyn Searcher + 'a>,
    solver: Solver<'a>,
}

impl<'a> IsaJob for ScoreFourSolver<'a> {
    type Output = Box<dyn Searcher + 'a>;

    fn run<I: Stamped>(self, isa: I) -> Self::Output {
        let ScoreFourSolver { position, searcher, solver } = self;
        let finisher = scorefour::finishing::Finisher { isa, mebibytes: solver.table.mebibytes() };
        Box::new(Finishing::new(searcher, position, finisher, solver.watch))
    }
}

/// Which instruction set searches run on (option `Kernel`); all of them visit the same nodes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Kernel {
    /// The best that the processor has.
    #[default]
    Auto,
    /// Portable arithmetic.
    Portable,
    /// AVX2 and bit manipulation.
    Avx2,
    /// AVX-512.
    Avx512,
}

impl Kernel {
    /// All of them, in the order of the listing.
    pub const ALL: [Kernel; 4] = [Kernel::Auto, Kernel::Portable, Kernel::Avx2, Kernel::Avx512];

    /// The name that option `Kernel` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Kernel::Auto => "auto",
            Kernel::Portable => "portable",
            Kernel::Avx2 => "avx2",
            Kernel::Avx512 => "avx512",
        }
    }

    /// The kernel of that name, in any case.
    pub fn by_name(name: &str) -> Option<Kernel> {
        Self::ALL.into_iter().find(|kernel| kernel.name().eq_ignore_ascii_case(name))
    }

    /// Whether this processor can run it.
    pub fn available(self) -> bool {
        match self {
            Kernel::Auto | Kernel::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => Avx2::detect().is_some(),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => Avx512::detect().is_some(),
            #[cfg(not(target_arch = "x86_64"))]
            Kernel::Avx2 | Kernel::Avx512 => false,
        }
    }

    /// Calls `job` with the token of this set: of the best one for `auto`, of the next lower one where the processor
    /// lacks the set (options refuse such a choice beforehand). A loop without kernels of its own gains nothing from
    /// AVX-512, so AVX2 is the highest set that it is stamped for.
    pub fn run<J: IsaJob>(self, job: J) -> J::Output {
        #[cfg(target_arch = "x86_64")]
        if let (Kernel::Auto | Kernel::Avx2 | Kernel::Avx512, Some(isa)) = (self, Avx2::detect()) {
            return job.run(isa);
        }
        job.run(Portable::token())
    }
}

/// A computation that is generic over the instruction set.
pub trait IsaJob {
    /// What it computes.
    type Output;
    /// Computes it on a set.
    fn run<I: Stamped>(self, isa: I) -> Self::Output;
}

/// Calls the expression with `$position` bound to the typed position.
macro_rules! with_entrant {
    ($any:expr, $position:ident => $body:expr) => {
        match $any {
            AnyPosition::Othello($position) => $body,
            AnyPosition::Othello6($position) => $body,
            AnyPosition::Othello4($position) => $body,
            AnyPosition::Diamond($position) => $body,
            // Another start of the same game: what searches the one searches the other.
            AnyPosition::Diamond2(position) => {
                let $position = position.crossed();
                $body
            }
            AnyPosition::TicTacToe($position) => $body,
            AnyPosition::ScoreFour($position) => $body,
        }
    };
}

/// A computation that is generic over a game with its evaluator and policy, to be called for a game known only at run
/// time.
pub trait EntrantVisitor {
    /// What it computes.
    type Output;
    /// Computes it for a position of the game `G`.
    fn visit<G: Entrant>(self, position: G) -> Self::Output;
}

/// Calls the visitor with the typed position.
pub fn visit<V: EntrantVisitor>(position: AnyPosition, visitor: V) -> V::Output {
    with_entrant!(position, position => visitor.visit(position))
}

/// Unpacks the weights that the binary carries, which the first search would else have to do.
pub fn make_ready() {
    Learnt::default();
}

/// Thinks about a position. `table` is used if the settings allow it; the caller owns its size and its clearing.
pub fn think(
    position: AnyPosition,
    settings: &Settings,
    kernel: Kernel,
    table: &Table,
    limits: &Limits,
    observer: &mut Observer<'_>,
) -> Answer {
    let table = settings.table.then_some(table);
    if let Some(table) = table {
        table.new_search();
        if !limits.is_timed() {
            table.wait_until_whole(&observer.watch); // so that the same search visits the same nodes
        }
        table.grow();
    }
    with_entrant!(position, position => think_about(position, settings, kernel, table, limits, observer))
}

/// The static value of a position for the side to move; a finished game has its score.
pub fn evaluate(position: AnyPosition, weights: Option<&Weights>) -> Score {
    fn value<G: Entrant>(position: G, weights: Option<&Weights>) -> Score {
        position.final_score().unwrap_or_else(|| G::evaluator(weights).evaluate(&position))
    }
    with_entrant!(position, position => value(position, weights))
}

/// How the static value of a position comes about, where its evaluator can say.
pub fn reasons(position: AnyPosition, weights: Option<&Weights>) -> Option<Reasons> {
    match position {
        AnyPosition::Othello(position) if position.final_score().is_none() => {
            Some(Othello::evaluator(weights).reasons(&position))
        }
        _ => None,
    }
}

fn think_about<G: Entrant>(
    position: G,
    settings: &Settings,
    kernel: Kernel,
    table: Option<&Table>,
    limits: &Limits,
    observer: &mut Observer<'_>,
) -> Answer {
    if let Ok(textbook) = Textbook::try_from(settings.algorithm) {
        let watch = observer.watch.clone();
        let evaluator = G::evaluator(settings.weights.as_ref());
        let cx = Context::new(&evaluator, table.filter(|_| textbook != Textbook::Minimax), &watch);
        return deepen(&mut TextbookSearch::new(textbook, position, cx), limits, settings.deepening, observer);
    }
    G::on_kernel(kernel, AutoJob { position, settings, kernel, table, limits, observer })
}

/// The production engine: the game's policy on one instruction set, and the endgame solver behind it.
struct AutoJob<'a, 'o, G: Entrant> {
    position: G,
    settings: &'a Settings,
    kernel: Kernel,
    table: Option<&'a Table>,
    limits: &'a Limits,
    observer: &'a mut Observer<'o>,
}

impl<G: Entrant> IsaJob for AutoJob<'_, '_, G> {
    type Output = Answer;

    fn run<I: Stamped>(self, isa: I) -> Answer {
        let AutoJob { position, settings, kernel, table, limits, observer } = self;
        let chosen = settings.selectivity.filter(|_| !limits.proven);
        let selectivity = if limits.mate.is_some() { Some(Draft::FULL) } else { chosen };
        let policy = G::policy(G::evaluator(settings.weights.as_ref()), isa, selectivity);
        let watch = observer.watch.clone();
        let mut search = Production::<Mtdf, _>::new(position, Context::new(&policy, table, &watch));
        match table {
            Some(table) => {
                let mut search = position.finished(search, Solver { kernel, table, watch: &watch });
                deepen(&mut *search, limits, settings.deepening, observer)
            }
            None => deepen(&mut search, limits, settings.deepening, observer),
        }
    }
}
