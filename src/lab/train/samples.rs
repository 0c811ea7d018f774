//! Samples for the statistical fits: positions of games, and their full-width values by depth.
//!
//! Games of Reversi have random openings and are then played by the [`GameStyle`], those of Score
//! Four by shallow searches and occasional random moves. Each game gives one position. The samples
//! depend on the arguments and the evaluation alone.

use super::selfplay::{search, static_value};
use super::training_game::TrainingGame;
use crate::game::Game;
use crate::game::rng::Rng;
use crate::game::score::Score;
use crate::games::reversi::eval::ReversiEvaluator;
use crate::games::reversi::kernel::Kernels;
use crate::games::reversi::policy::{ENDGAME_PHASE, ReversiPolicy};
use crate::games::reversi::{Reversi, Shape};
use crate::games::score_four::ScoreFour;
use crate::games::score_four::eval::ScoreFourEvaluator;
use crate::games::score_four::policy::ScoreFourPolicy;
use crate::logging::progress::ProgressLine;
use crate::search::core::isa::{IsaChoice, with_isa};
use crate::search::core::policy::Policy;
use crate::search::levels;
use crate::search::schedule::Iteration;
use crate::search::table::Table;

/// Random plies at the start of a game of Score Four.
const SCORE_FOUR_OPENING_PLIES: i32 = 6;
/// After the opening, one move in this many is random in games with mistakes.
const RANDOM_ONE_IN: u64 = 12;
/// The search of games with mistakes.
const SHALLOW: Iteration = Iteration::full(3);
/// The minimum number of empties of a solved position.
pub const MIN_SOLVED_EMPTIES: u8 = 12;
/// The size of the table in MiB.
pub const HASH: usize = 32;
/// Score Four's phases with positions; later positions are mostly decided and use the last phase.
const SCORE_FOUR_PHASES: usize = 6;
/// The minimum number of stones of a position.
const MIN_STONES: u64 = 2;

/// The values of a position by search depth.
pub struct DepthValues {
    /// The phase of the game.
    pub phase: usize,
    /// The number of plies left, in Othello of empties.
    pub empties: u8,
    /// The value by depth, before the end of the game; `None` if decided.
    pub values: Vec<Option<f64>>,
    /// The exact value; `None` if not solved.
    pub exact: Option<f64>,
}

/// How the games of Reversi before the samples are played.
#[derive(Debug)]
pub struct GameStyle {
    /// Random plies at the start.
    opening_plies: u8,
    /// After the opening, one move in this many is random.
    random_one_in: Option<u64>,
    /// The searches for a move, each for the ordering of the next one.
    iterations: &'static [Iteration],
}

impl GameStyle {
    /// Fast games with mistakes, for positions of all kinds.
    pub const WITH_MISTAKES: GameStyle = GameStyle {
        opening_plies: 10,
        random_one_in: Some(RANDOM_ONE_IN),
        iterations: &[SHALLOW],
    };
    /// Games like those of engines, whose endgames are harder: measurements.md#better-games.
    pub const STRONG: GameStyle = GameStyle {
        opening_plies: 8,
        random_one_in: None,
        iterations: &[
            Iteration::full(4),
            Iteration::full(6),
            Iteration {
                depth: 8,
                selectivity: levels::DEFAULT.number,
            },
        ],
    };
}

impl DepthValues {
    /// The value at a depth.
    pub fn at(&self, depth: u8) -> Option<f64> {
        self.values.get(usize::from(depth)).copied().flatten()
    }

    /// Searches a position of a phase to each depth before the end of the game.
    fn of<P: Policy>(
        phase: usize,
        policy: &P,
        table: &Table,
        position: P::Game,
        deepest: u8,
        solve: bool,
    ) -> DepthValues {
        let empties = position.plies_left();
        let heuristic = |score: Score| (!score.is_decided()).then(|| f64::from(score.0));
        let score =
            |depth, guess| search(policy, table, position, [Iteration::full(depth)], guess).score;
        let mut values = vec![heuristic(static_value(policy, &position))];
        let mut guesses = [Score::ZERO; 2];
        for depth in 1..empties.min(deepest + 1) {
            let guess = &mut guesses[usize::from(depth % 2)];
            *guess = score(depth, *guess);
            values.push(heuristic(*guess));
        }
        DepthValues {
            phase,
            empties,
            values,
            exact: solve.then(|| f64::from(score(empties, guesses[0]).0)),
        }
    }
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
    /// Whether the last move before each position is random, so that no score selects the
    /// positions.
    pub random_last_move: bool,
    /// The seed of the games.
    pub seed: u64,
}

impl SamplePlan {
    /// Samples of Reversi with this evaluation.
    pub fn reversi<S: Shape, E: ReversiEvaluator<S>>(self, evaluator: E) -> Vec<DepthValues> {
        with_isa!(IsaChoice::Auto, isa => {
            let policy = ReversiPolicy::<S, _, _>::new(evaluator, isa, None);
            let mut table = Table::new(HASH);
            let phases = usize::from(Reversi::<S>::start().plies_left()).div_ceil(6).min(ENDGAME_PHASE);
            self.collect(phases, |phase, rng| {
                let empties = (phase * 6) as u8 + rng.below(6) as u8;
                let mut position = play_to(
                    &policy,
                    &mut table,
                    rng,
                    GameStyle::WITH_MISTAKES,
                    empties + u8::from(self.random_last_move),
                )?;
                if self.random_last_move {
                    position = position.play(*rng.choose(&position.moves())?);
                    if !can_move(&position) {
                        return None;
                    }
                }
                table.clear();
                let solve = (MIN_SOLVED_EMPTIES..=self.solved).contains(&position.plies_left());
                Some(DepthValues::of(phase, &policy, &table, position, self.depth, solve))
            })
        })
    }

    /// Samples of Score Four with this evaluation.
    pub fn score_four(self, evaluator: ScoreFourEvaluator, isa: IsaChoice) -> Vec<DepthValues> {
        with_isa!(isa, isa => {
            let policy = ScoreFourPolicy::new(evaluator, isa, None);
            let mut table = Table::with_bytes(ScoreFour::TABLE_BYTES);
            self.collect(SCORE_FOUR_PHASES, |phase, rng| {
                let stones = ((phase * 8) as u64 + rng.below(8)).max(MIN_STONES) as i32;
                table.clear();
                let mut position = ScoreFour::start();
                while position.stones() < stones {
                    let random = position.stones() < SCORE_FOUR_OPENING_PLIES || rng.below(RANDOM_ONE_IN) == 0;
                    position = if random {
                        position.random_child(rng)?
                    } else {
                        let found = search(&policy, &table, position, [SHALLOW], Score::ZERO);
                        Some(position.play(found.best)).filter(|_| !found.score.is_decided())?
                    };
                }
                Some(DepthValues::of(phase, &policy, &table, position, self.depth, false))
            })
        })
    }

    /// Collects one sample per game, from a random phase that still needs positions.
    fn collect(
        self,
        phases: usize,
        mut sample: impl FnMut(usize, &mut Rng) -> Option<DepthValues>,
    ) -> Vec<DepthValues> {
        let mut wanted = vec![self.positions; phases];
        let bar = ProgressLine::bar(self.positions.saturating_mul(phases) as u64, "positions");
        let mut samples = Vec::new();
        for game in 0.. {
            let mut rng = Rng::for_stream(self.seed, game);
            let incomplete: Vec<usize> = (0..phases).filter(|&phase| wanted[phase] > 0).collect();
            let Some(&phase) = rng.choose(&incomplete) else {
                break;
            };
            let Some(found) = sample(phase, &mut rng) else {
                continue;
            };
            wanted[phase] -= 1;
            samples.push(found);
            bar.inc();
        }
        samples
    }
}

/// Plays a game to a position with this many empties; `None` if it ends before or its mover has to
/// pass there.
pub fn play_to<S: Shape, E: ReversiEvaluator<S>, K: Kernels>(
    policy: &ReversiPolicy<S, E, K>,
    table: &mut Table,
    rng: &mut Rng,
    style: GameStyle,
    empties: u8,
) -> Option<Reversi<S>> {
    let mut position = Reversi::<S>::start();
    let opening = position.plies_left() - style.opening_plies;
    while position.plies_left() > empties {
        let moves = position.moves();
        let random = position.plies_left() > opening
            || style
                .random_one_in
                .is_some_and(|one_in| rng.below(one_in) == 0);
        let m = match rng.choose(&moves) {
            None => break,
            Some(&m) if random || moves.len() == 1 => m,
            Some(_) => {
                table.clear();
                let iterations = style.iterations.iter().copied();
                search(policy, table, position, iterations, Score::ZERO).best
            }
        };
        position = position.play(m);
    }
    (position.plies_left() == empties && can_move(&position)).then_some(position)
}

/// Whether the side to move has a move other than a pass.
fn can_move<S: Shape>(position: &Reversi<S>) -> bool {
    position.moves().first().is_some_and(|m| !m.is_pass())
}
