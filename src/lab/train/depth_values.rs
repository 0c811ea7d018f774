//! Samples for the statistical fits: positions of games on a board of Reversi, and their full-width values by depth.
//!
//! The games have random openings, shallow searches and occasional random moves. Each game gives one position. The
//! samples depend on the arguments and the evaluation alone.

use std::marker::PhantomData;

use crate::game::rng::Rng;
use crate::game::score::{Score, Window};
use crate::game::{Game, Move};
use crate::games::reversi::eval::ReversiEvaluator;
use crate::games::reversi::kernel::Kernels;
use crate::games::reversi::policy::{ENDGAME_PHASE, ReversiPolicy};
use crate::games::reversi::{Reversi, Shape};
use crate::logging::progress::ProgressLine;
use crate::search::context::Context;
use crate::search::isa::{IsaChoice, with_isa};
use crate::search::production::{Mtdf, Production};
use crate::search::schedule::Iteration;
use crate::search::stop::SearchControl;
use crate::search::table::Table;

/// Random plies at the start of a game.
const OPENING_PLIES: u64 = 10;
/// After the opening, one move in this many is random.
const RANDOM_ONE_IN: u64 = 12;
/// The search depth of the games.
const GAME_DEPTH: u8 = 3;
/// The minimum number of empties of a solved position.
pub const MIN_SOLVED_EMPTIES: u8 = 12;
/// The size of the table in MiB.
pub const HASH: usize = 32;

/// The values of a position by search depth.
pub struct DepthValues {
    /// The number of empties.
    pub empties: u8,
    /// The value by depth; `None` if not searched.
    pub values: Vec<Option<f64>>,
    /// The exact value; `None` if not solved.
    pub exact: Option<f64>,
}

/// The parameters of the samples.
#[derive(Clone, Copy, Debug)]
pub struct SamplePlan {
    /// Positions per phase of the game.
    pub positions: usize,
    /// The maximum depth of their searches.
    pub depth: u8,
    /// Positions with [`MIN_SOLVED_EMPTIES`] to this many empties are solved.
    pub solved: u8,
    /// Whether the last move before each position is random, so that no score selects the positions.
    pub random_last_move: bool,
    /// The seed of the games.
    pub seed: u64,
}

impl SamplePlan {
    /// Plays the games and searches their positions with this evaluation.
    pub fn samples<S: Shape, E: ReversiEvaluator<S>>(self, evaluator: E) -> Vec<DepthValues> {
        let searches = SampleSearches { plan: self, evaluator, shape: PhantomData::<S> };
        with_isa!(IsaChoice::Auto, isa => searches.run(isa))
    }
}

/// The searches as a task for one instruction set.
struct SampleSearches<S, E> {
    plan: SamplePlan,
    evaluator: E,
    shape: PhantomData<S>,
}

impl<S: Shape, E: ReversiEvaluator<S>> SampleSearches<S, E> {
    /// Plays the games and searches their positions with these kernels.
    fn run<K: Kernels>(self, kernel: K) -> Vec<DepthValues> {
        let SamplePlan { positions, depth, solved, random_last_move, seed } = self.plan;
        let policy = ReversiPolicy::<S, _, _>::new(self.evaluator, kernel, None);
        let mut table = Table::new(HASH);
        let control = SearchControl::default();
        let phases = usize::from(Reversi::<S>::start().plies_left()).div_ceil(6).min(ENDGAME_PHASE);
        let mut wanted = vec![positions; phases];
        let bar = ProgressLine::bar((positions * phases) as u64, "positions");
        let mut samples = Vec::new();
        for game in 0.. {
            let mut rng = Rng::for_stream(seed, game);
            // One position per game, from a phase that still needs positions.
            let incomplete: Vec<usize> = (0..phases).filter(|&phase| wanted[phase] > 0).collect();
            let Some(&phase) = rng.choose(&incomplete) else { break };
            let target = (phase * 6) as u64 + rng.below(6);
            let played_to = target as u8 + u8::from(random_last_move);
            let mut position = play_to(&policy, &mut table, &mut rng, played_to);
            if random_last_move {
                position = position.and_then(|before| random_child(&before, &mut rng));
            }
            let Some(position) = position else { continue };
            wanted[phase] -= 1;
            table.clear();
            let empties = position.plies_left();
            let mut values = vec![Some(f64::from(policy.static_value(&position).0))];
            let mut guesses = [Score::ZERO; 2];
            for depth in 1..=depth {
                let score = (depth < empties).then(|| {
                    let guess = guesses[usize::from(depth % 2)];
                    let score = value(&policy, &table, &control, position, depth, guess).0;
                    guesses[usize::from(depth % 2)] = score;
                    f64::from(score.0)
                });
                values.push(score);
            }
            let exact = (MIN_SOLVED_EMPTIES..=solved)
                .contains(&empties)
                .then(|| f64::from(value(&policy, &table, &control, position, empties, guesses[0]).0.0));
            samples.push(DepthValues { empties, values, exact });
            bar.inc();
        }
        drop(bar);
        samples
    }
}

/// Plays a game to a position with this many empties; `None` if it ends before or its mover has to pass there.
pub fn play_to<S: Shape, E: ReversiEvaluator<S>, K: Kernels>(
    policy: &ReversiPolicy<S, E, K>,
    table: &mut Table,
    rng: &mut Rng,
    empties: u8,
) -> Option<Reversi<S>> {
    let control = SearchControl::default();
    let mut position = Reversi::<S>::start();
    let plies = position.plies_left();
    while position.plies_left() > empties {
        let moves = position.moves();
        let random = u64::from(plies - position.plies_left()) < OPENING_PLIES || rng.below(RANDOM_ONE_IN) == 0;
        let m = match rng.choose(&moves) {
            None => break,
            Some(&m) if random || moves.len() == 1 => m,
            Some(_) => {
                table.clear();
                value(policy, table, &control, position, GAME_DEPTH, Score::ZERO).1
            }
        };
        position = position.play(m);
    }
    (position.plies_left() == empties && can_move(&position)).then_some(position)
}

/// The position after a random move; `None` if its mover has to pass there.
fn random_child<S: Shape>(position: &Reversi<S>, rng: &mut Rng) -> Option<Reversi<S>> {
    let child = position.play(*rng.choose(&position.moves())?);
    can_move(&child).then_some(child)
}

/// Whether the side to move has a move other than a pass.
fn can_move<S: Shape>(position: &Reversi<S>) -> bool {
    position.final_score().is_none() && !position.moves()[0].is_pass()
}

/// The full-width value of a position and its best move.
fn value<S: Shape, E: ReversiEvaluator<S>, K: Kernels>(
    policy: &ReversiPolicy<S, E, K>,
    table: &Table,
    control: &SearchControl,
    position: Reversi<S>,
    depth: u8,
    guess: Score,
) -> (Score, Move) {
    let cx = Context::new(policy, Some(table), control);
    let mut search = Production::<Mtdf, _>::new(position, cx);
    let moves = position.moves();
    let value = search.value(Iteration::full(depth), guess, Window::FULL, &moves, &mut |_, _| ());
    value.unwrap_or((Score::ZERO, moves[0])) // the search is never stopped
}
