//! What the engine needs of a game besides its rules: how it is listed, evaluated and
//! searched.
//!
//! Each game implements [`GameSpec`] in its folder and is listed once, in [`super::any`].

use crate::game::{Game, Move, Notation};
use crate::games::notation::piece;
use crate::games::reversi::discs::Discs;
use crate::games::reversi::flipello;
use crate::games::reversi::kernel::Kernels;
use crate::logging::SEARCH;
use crate::search::core::context::Context;
use crate::search::core::isa::Portable;
use crate::search::core::parallel::thread_budget::ThreadBudget;
use crate::search::core::parallel::with_helpers;
use crate::search::core::policy::{Evaluate, Policy};
use crate::search::deepening;
use crate::search::production::{Mtdf, Production};
use crate::search::searcher::{ProofSearch, Searcher};
use crate::search::stop::SearchControl;
use crate::search::table::{Draft, Table};
use crate::search::{Answer, AnyWeights, Goal, Limits, Observer, Settings};

/// How a game is listed.
#[derive(Clone, Copy, Debug)]
pub struct GameEntry {
    /// [`Game::NAME`].
    pub name: &'static str,
    /// One line for listings.
    pub about: &'static str,
    /// Its name as a value of `UCI_Variant`, under which moves and positions are written as UCI
    /// clients write them.
    pub uci: Option<&'static str>,
    /// Balanced openings from `nullwindow openings`, one per line.
    pub openings: Option<&'static str>,
    /// The names of openings ([`super::opening_names`]).
    pub opening_names: Option<&'static str>,
    /// Positions of the bench: the number of random plies that lead to each, and its search depth.
    pub bench: &'static [(usize, u8)],
}

impl GameEntry {
    /// A game without UCI name, openings and bench positions.
    pub const fn new(name: &'static str, about: &'static str) -> GameEntry {
        GameEntry {
            name,
            about,
            uci: None,
            openings: None,
            opening_names: None,
            bench: &[],
        }
    }
}

/// A game of the engine.
pub trait GameSpec: Game + Notation {
    /// How it is listed.
    const ENTRY: GameEntry;

    /// The static evaluation.
    type Evaluator: Evaluate<Self> + Default;
    /// The production policy on an instruction set.
    type Policy<I: Kernels>: Policy<Game = Self, Isa = I>;

    /// The evaluation that a user chose, or the built-in one.
    fn evaluator(chosen: Option<&AnyWeights>) -> Self::Evaluator {
        chosen
            .and_then(|weights| weights.downcast_ref().cloned())
            .unwrap_or_default()
    }

    /// The production policy with this evaluation. `selectivity`: see [`Settings::selectivity`].
    fn policy<I: Kernels>(
        evaluator: Self::Evaluator,
        isa: I,
        selectivity: Option<u8>,
    ) -> Self::Policy<I>;

    /// The mean number of nodes for solving a position with this many plies left, if there is an
    /// estimate.
    fn nodes_to_solve(plies_left: u8) -> Option<f64> {
        <Self::Policy<Portable> as Policy>::SOLVING_COST.map(|cost| cost.at(plies_left))
    }

    /// Runs a production search. By default it has only a portable copy: games that are solved at
    /// once are not worth the compile time of more.
    fn run<J: SearchJob>(self, job: J) -> J::Output {
        job.run(self, Portable::token())
    }

    /// The searcher with the game's exact solver behind it, if it has one; `mebibytes`: the size of
    /// its tables.
    fn with_endgame_solver<'a, I: Kernels>(
        self,
        searcher: Box<dyn Searcher + 'a>,
        _isa: I,
        _mebibytes: usize,
        _control: &'a SearchControl,
        _threads: &'a ThreadBudget,
    ) -> Box<dyn Searcher + 'a> {
        searcher
    }

    /// Whether option `Selectivity` has an effect in games of discs.
    fn is_selective(_evaluator: &Self::Evaluator) -> bool {
        false
    }

    /// The discs by color, in a game of discs.
    fn discs(&self) -> Option<Discs> {
        None
    }

    /// The position with these discs, in a game of discs; `None` if it is impossible.
    fn of_discs(_discs: &Discs) -> Option<Self> {
        None
    }

    /// The numbers of layers, rows and columns of the board.
    const BOARD: [u8; 3];

    /// The square of a cell. Cells are numbered by layer, row and column in the order of
    /// [`Notation::write_position`].
    fn square_of(cell: u8) -> u8;

    /// The content of each cell: `x`, `o`, `.` if it is empty, `*` if the board does not have it.
    fn cells(&self) -> Vec<char> {
        let cells = 0..Self::BOARD.into_iter().product();
        let piece_on = |square: u8| match self.discs() {
            Some(discs) => discs.piece(square / 8, square % 8),
            None => piece(self, square),
        };
        cells.map(|cell| piece_on(Self::square_of(cell))).collect()
    }

    /// The squares of a full line of the player who has won by it.
    fn winning_line(&self) -> Option<u64> {
        None
    }

    /// A legal move as UCI clients write it: `P@e3` and `e3e3` in games of discs ([`flipello`]).
    fn write_uci_move(&self, m: Move) -> String {
        self.discs().map_or_else(
            || Self::write_move(m),
            |discs| flipello::write_move(&discs, m),
        )
    }

    /// The position as UCI clients write it after a game with this many passes, if they know the game;
    /// otherwise in the game's own notation.
    fn write_uci_position(&self, passes: usize) -> String {
        self.discs().map_or_else(
            || self.write_position(),
            |discs| flipello::write_fen(&discs, passes),
        )
    }
}

/// The name of an instruction set, for the log.
fn isa_name<I: Kernels>() -> String {
    let path = std::any::type_name::<I>();
    path.rsplit("::")
        .next()
        .unwrap_or(path)
        .to_ascii_lowercase()
}

/// A production search: all but the position and the instruction set.
pub trait SearchJob {
    /// What it returns.
    type Output;

    /// The settings of the search.
    fn settings(&self) -> &Settings;

    /// Runs it by the game's policy on this instruction set.
    fn run<G: GameSpec, I: Kernels>(self, position: G, isa: I) -> Self::Output;
}

/// A search for the best moves.
pub struct MoveJob<'a, 'o> {
    pub settings: &'a Settings,
    pub table: Option<&'a Table>,
    pub limits: &'a Limits,
    pub observer: &'a mut Observer<'o>,
}

impl SearchJob for MoveJob<'_, '_> {
    type Output = Answer;

    fn settings(&self) -> &Settings {
        self.settings
    }

    /// The game's endgame solver is behind the search.
    fn run<G: GameSpec, I: Kernels>(self, position: G, isa: I) -> Answer {
        let MoveJob {
            settings,
            table,
            limits,
            observer,
        } = self;
        log::debug!(target: SEARCH, "instruction set {}", isa_name::<I>());
        let selectivity = match limits.goal {
            Goal::BestMove | Goal::Bound(_) => settings.selectivity,
            Goal::Exact | Goal::WinLossDraw => None,
            Goal::Mate(_) => Some(Draft::FULL),
        };
        let policy = G::policy(G::evaluator(settings.weights.as_ref()), isa, selectivity);
        let control = observer.control.clone();
        let own_threads = ThreadBudget::new(settings.threads, 1);
        let threads = settings.shared_threads.as_deref().unwrap_or(&own_threads);
        let trace = observer.trace.take();
        with_helpers(threads, &policy, table, &control, trace, |cx| {
            let mut search: Box<dyn Searcher + '_> =
                Box::new(Production::<Mtdf, _>::new(position, cx));
            if let Some(table) = table {
                search =
                    position.with_endgame_solver(search, isa, table.mebibytes(), &control, threads);
            }
            deepening::think(&mut *search, limits, settings.deepening, observer)
        })
    }
}

/// A search for the moves of a proof, on one thread.
pub struct ProofJob<'a> {
    pub settings: &'a Settings,
    pub table: &'a Table,
    /// Stops the search.
    pub control: &'a SearchControl,
    /// Uses the search.
    pub prove: &'a mut dyn FnMut(&mut dyn ProofSearch),
}

impl SearchJob for ProofJob<'_> {
    type Output = ();

    fn settings(&self) -> &Settings {
        self.settings
    }

    fn run<G: GameSpec, I: Kernels>(self, position: G, isa: I) {
        let evaluator = G::evaluator(self.settings.weights.as_ref());
        let policy = G::policy(evaluator, isa, None);
        let cx = Context::new(&policy, Some(self.table), self.control);
        (self.prove)(&mut Production::<Mtdf, _>::new(position, cx));
    }
}
