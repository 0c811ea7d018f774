//! `nullwindow train prob-cut`: fits the model of ProbCut (M. Buro, 1995 and 1997) to full-width searches.
//!
//! Positions come from games with random openings, shallow searches and occasional random moves. Each is searched to
//! every depth up to a limit and, near the end of the game, solved. Each pair of depths is fitted by linear regression
//! ([`Relation::fit`]). For deeper pairs sigma is extrapolated by `ln sigma = p + q shallow + r depth`, and slope and
//! offset are those of the deepest measured pair with the same parities.

use std::io::Write;
use std::marker::PhantomData;
use std::ops::RangeInclusive;
use std::process::ExitCode;

use anyhow::Result;
use indicatif::ProgressBar;

use super::least_squares::NormalEquations;
use crate::game::rng::Rng;
use crate::game::score::{Score, Window};
use crate::game::{Game, Move};
use crate::games::reversi::eval::ReversiEvaluator;
use crate::games::reversi::kernel::Kernels;
use crate::games::reversi::policy::{CUT_DEPTH, ENDGAME_PHASE, ReversiPolicy, phase};
use crate::games::reversi::{Reversi, Shape};
use crate::search::context::Context;
use crate::search::isa::{IsaChoice, with_isa};
use crate::search::prob_cut::{Regression, Relation};
use crate::search::production::{Mtdf, Production};
use crate::search::schedule::Iteration;
use crate::search::stop::SearchControl;
use crate::search::table::Table;

/// Arguments of `train prob-cut`.
#[derive(clap::Args, Debug)]
pub struct ProbCutArgs {
    /// Positions per phase of the game
    #[arg(long, value_name = "N", default_value_t = 150)]
    pub positions: usize,

    /// Maximum search depth
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u8).range(6..=16))]
    pub depth: u8,

    /// Othello: positions with at most N empties are solved
    #[arg(long, value_name = "N", default_value_t = 17, value_parser = clap::value_parser!(u8).range(14..=24))]
    empties: u8,

    /// The seed of the games
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}

/// Random plies at the start of a game.
const OPENING_PLIES: u64 = 10;
/// After the opening, one move in this many is random.
const RANDOM_ONE_IN: u64 = 12;
/// The search depth of the games.
const GAME_DEPTH: u8 = 3;
/// The minimum number of empties of a solved position.
const MIN_SOLVED_EMPTIES: u8 = 12;
/// ReversiPolicy rows are written up to this depth.
const MAX_MIDGAME_DEPTH: u8 = 24;
/// Endgame rows are written up to this number of empties.
const MAX_ENDGAME_EMPTIES: u8 = 40;
/// MiB of the table.
const HASH: usize = 32;

/// The depth of the shallow search for a midgame cut at `depth`: about half of it, with the same parity.
fn shallow_of(depth: u8) -> u8 {
    match depth / 4 * 2 + depth % 2 {
        shallow if shallow + 2 > depth => depth - 2,
        0 => depth - 2,
        shallow => shallow,
    }
}

/// The depth of the shallow search for a cut of an exact search with this many empties.
fn shallow_of_endgame(empties: u8) -> u8 {
    (empties / 6 * 2).max(2)
}

/// The values of a position by search depth.
pub struct DepthValues {
    /// The number of empties.
    pub empties: u8,
    /// The value by depth, if it was searched.
    pub values: Vec<Option<f64>>,
    /// The exact value, if it was solved.
    pub exact: Option<f64>,
}

/// Fits the model of a board of Othello with this evaluation and writes it.
pub fn run<S: Shape, E: ReversiEvaluator<S>>(
    args: &ProbCutArgs,
    evaluator: E,
    out: &mut dyn Write,
) -> Result<ExitCode> {
    let samples =
        with_isa!(IsaChoice::Auto, isa => SampleSearches { args, evaluator, shape: PhantomData::<S> }.run(isa));
    let name = Reversi::<S>::NAME;
    writeln!(out, "# The model of the statistical cut of {name}: phase, depth, shallow, slope, offset, sigma, doubt.")?;
    writeln!(
        out,
        "# Phases are sixes of empties, {ENDGAME_PHASE} the end of the game. Made by `nullwindow train prob-cut \
         --game {name} --positions {} --depth {} --empties {} --seed {}`.",
        args.positions, args.depth, args.empties, args.seed
    )?;
    for phase in 0..ENDGAME_PHASE {
        let of_phase: Vec<&DepthValues> =
            samples.iter().filter(|sample| self::phase(sample.empties) == phase).collect();
        for row in midgame_rows(phase, &of_phase, args.depth, CUT_DEPTH..=MAX_MIDGAME_DEPTH) {
            writeln!(out, "{row}")?;
        }
    }
    for row in endgame_rows(&samples, args) {
        writeln!(out, "{row}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The searches as a task for one instruction set.
struct SampleSearches<'a, S, E> {
    args: &'a ProbCutArgs,
    evaluator: E,
    shape: PhantomData<S>,
}

impl<S: Shape, E: ReversiEvaluator<S>> SampleSearches<'_, S, E> {
    /// Plays the games and searches their positions with these kernels.
    fn run<K: Kernels>(self, kernel: K) -> Vec<DepthValues> {
        let ProbCutArgs { positions, depth, empties: solved, seed } = *self.args;
        let policy = ReversiPolicy::<S, _, _>::new(self.evaluator, kernel, None);
        let mut table = Table::new(HASH);
        let control = SearchControl::default();
        let plies = Reversi::<S>::start().plies_left();
        let phases = usize::from(plies).div_ceil(6).min(ENDGAME_PHASE);
        let mut wanted = vec![positions; phases];
        let bar = ProgressBar::new((positions * phases) as u64);
        let mut samples = Vec::new();
        for game in 0.. {
            let mut rng = Rng::for_stream(seed, game);
            let mut position = Reversi::<S>::start();
            // One position per game, from a phase that still needs positions.
            let incomplete: Vec<usize> = (0..phases).filter(|&phase| wanted[phase] > 0).collect();
            let Some(&phase) = rng.choose(&incomplete) else { break };
            let target = (phase * 6) as u64 + rng.below(6);
            while u64::from(position.plies_left()) > target {
                let moves = position.moves();
                let random = u64::from(plies - position.plies_left()) < OPENING_PLIES || rng.below(RANDOM_ONE_IN) == 0;
                let m = match rng.choose(&moves) {
                    None => break,
                    Some(&m) if random || moves.len() == 1 => m,
                    Some(_) => {
                        table.forget();
                        value(&policy, &table, &control, position, GAME_DEPTH, Score::ZERO).1
                    }
                };
                position = position.play(m);
            }
            let empties = position.plies_left();
            if u64::from(empties) != target || position.final_score().is_some() || position.moves()[0].is_pass() {
                continue;
            }
            wanted[phase] -= 1;
            table.forget();
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
            bar.inc(1);
        }
        bar.finish_and_clear();
        samples
    }
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
    let value = search.value(Iteration::full(depth), guess, Window::FULL, &moves, &mut |_, _, _, _| ());
    value.unwrap_or((Score::ZERO, moves[0])) // the search is never stopped
}

fn value_pairs(samples: &[&DepthValues], of: impl Fn(&DepthValues) -> Option<(f64, f64)>) -> Vec<(f64, f64)> {
    samples.iter().filter_map(|sample| of(sample)).collect()
}

/// The model `ln sigma = p + q shallow + r depth`.
#[derive(Clone, Copy, Debug)]
struct SigmaModel([f64; 3]);

impl SigmaModel {
    fn fit(points: &[(u8, u8, f64)]) -> SigmaModel {
        let mut sums = NormalEquations::default();
        for &(depth, shallow, sigma) in points {
            sums.add(&[1.0, f64::from(shallow), f64::from(depth)], sigma.max(1.0).ln());
        }
        SigmaModel(sums.solve())
    }

    fn sigma(&self, depth: u8, shallow: u8) -> f64 {
        let [p, q, r] = self.0;
        (p + q * f64::from(shallow) + r * f64::from(depth)).exp()
    }
}

/// The midgame rows of a phase for these depths; searches were made up to depth `measured`.
pub fn midgame_rows(
    phase: usize,
    samples: &[&DepthValues],
    measured: u8,
    depths: RangeInclusive<u8>,
) -> Vec<Regression> {
    let relation = |depth: u8, shallow: u8| {
        Relation::fit(&value_pairs(samples, |sample| {
            Some((sample.values[usize::from(shallow)]?, sample.values[usize::from(depth)]?))
        }))
    };
    let mut points = Vec::new();
    for depth in 2..=measured {
        for shallow in (0..depth).filter(|shallow| (depth - shallow).is_multiple_of(2)) {
            points.extend(relation(depth, shallow).map(|relation| (depth, shallow, relation.sigma)));
        }
    }
    let sigma_model = SigmaModel::fit(&points);
    let mut rows: Vec<Regression> = Vec::new();
    for depth in depths {
        let shallow = shallow_of(depth);
        let direct = if depth <= measured { relation(depth, shallow) } else { None };
        let extrapolated = || rows.iter().rev().find(|row| row.depth % 2 == depth % 2).map(|row| row.relation);
        let Some(relation) = direct.or_else(extrapolated) else { continue };
        let sigma = sigma_model.sigma(depth, shallow);
        let doubt = sigma_model.sigma(shallow.min(measured), 0);
        rows.push(Regression { phase: phase as u8, depth, shallow, relation: Relation { sigma, ..relation }, doubt });
    }
    rows
}

/// The rows of exact searches.
fn endgame_rows(samples: &[DepthValues], args: &ProbCutArgs) -> Vec<Regression> {
    let at = |empties: u8| -> Vec<&DepthValues> { samples.iter().filter(|sample| sample.empties == empties).collect() };
    let relation = |empties: u8, shallow: u8| {
        let shallow = usize::from(shallow);
        Relation::fit(&value_pairs(&at(empties), |sample| Some((sample.values[shallow]?, sample.exact?))))
    };
    let mut points = Vec::new();
    for empties in MIN_SOLVED_EMPTIES..=args.empties {
        for shallow in (0..=args.depth).step_by(2) {
            points.extend(relation(empties, shallow).map(|relation| (empties, shallow, relation.sigma)));
        }
    }
    let sigma_model = SigmaModel::fit(&points);
    // The deviation of shallow searches from the static value.
    let all: Vec<&DepthValues> =
        samples.iter().filter(|sample| (MIN_SOLVED_EMPTIES..=args.empties + 6).contains(&sample.empties)).collect();
    let deviations: Vec<(u8, u8, f64)> = (2..=args.depth)
        .step_by(2)
        .filter_map(|depth| {
            let pairs = value_pairs(&all, |sample| Some((sample.values[0]?, sample.values[usize::from(depth)]?)));
            Some((depth, 0, Relation::fit(&pairs)?.sigma))
        })
        .collect();
    let doubt = SigmaModel::fit(&deviations);
    // Slope and offset hardly depend on the empties: one fit per shallow depth.
    let common = |shallow: u8| {
        let value = |sample: &DepthValues| Some((sample.values[usize::from(shallow)]?, sample.exact?));
        Relation::fit(&value_pairs(&all, value))
    };
    let deepest = args.depth / 2 * 2;
    (MIN_SOLVED_EMPTIES..=MAX_ENDGAME_EMPTIES)
        .filter_map(|empties| {
            let shallow = shallow_of_endgame(empties);
            // Not extrapolated beyond the solved positions: there is no evidence that sigma continues to fall.
            let sigma = sigma_model.sigma(empties.min(args.empties), shallow);
            let relation = Relation { sigma, ..common(shallow.min(deepest))? };
            Some(Regression {
                phase: ENDGAME_PHASE as u8,
                depth: empties,
                shallow,
                relation,
                doubt: doubt.sigma(shallow.min(deepest), 0),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sigma_model_recovers_its_parameters() {
        let sigma = |depth: u8, shallow: u8| (5.0 - 0.2 * f64::from(shallow) + 0.1 * f64::from(depth)).exp();
        let points: Vec<(u8, u8, f64)> =
            (4..9).flat_map(|depth| (0..depth).map(move |shallow| (depth, shallow, sigma(depth, shallow)))).collect();
        let model = SigmaModel::fit(&points);
        assert!((model.sigma(12, 6) - sigma(12, 6)).abs() < 0.01, "{model:?}");
    }

    #[test]
    fn shallow_depths_are_smaller_and_have_the_same_parity() {
        for depth in 4..40 {
            assert!(shallow_of(depth) < depth && (depth - shallow_of(depth)).is_multiple_of(2));
            assert!(shallow_of_endgame(depth) < depth);
        }
        assert_eq!([4, 5, 6, 7, 8, 12].map(shallow_of), [2, 3, 2, 3, 4, 6]);
    }
}
