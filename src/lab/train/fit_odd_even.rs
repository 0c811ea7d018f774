//! `nullwindow lab train odd-even`: measures the odd-even effect, the difference between scores of odd
//! and even depths, and prints the correction of the evaluation ([`OddEvenCorrection`]).
//!
//! Positions of all phases ([`super::samples`]) are searched full width to every depth up to a
//! limit and, near the end of the game, solved. Half the gap between the score of a depth and the
//! mean of its two neighbors is a weighted mean of the corrections of three plies of leaves
//! (weights 1, 2, 1). Corrections that alternate from ply to ply leave no gap; they appear in the
//! errors relative to exact scores, minus the mean error of the depth. The corrections are the
//! least-squares solution with a penalty on differences between neighboring plies. The last move
//! before a position is random: a score that selected a move is biased in favor of its side.
//!
//! Training games begin with random moves, and samples of the first plies would be alike. Their
//! correction is the mean difference between the score of a search and the static value.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;

use anyhow::{Result, ensure};

use super::least_squares::NormalEquations;
use super::load;
use super::samples::{DepthValues, HASH, MIN_SOLVED_EMPTIES, SamplePlan};
use super::selfplay::{search, static_value};
use super::training_game::TrainingGame;
use crate::engine::options::Options;
use crate::game::Game;
use crate::game::score::Score;
use crate::games::reversi::eval::OthelloEvaluator;
use crate::games::reversi::eval::odd_even::OddEvenCorrection;
use crate::games::reversi::eval::othello::ODD_EVEN_TEXT;
use crate::games::reversi::eval::scale::{DISC, UNIT};
use crate::games::reversi::eval::weights::PLIES;
use crate::games::reversi::policy::ReversiPolicy;
use crate::games::reversi::{Eight, Othello};
use crate::games::spec::GameSpec;
use crate::search::core::isa::{IsaChoice, with_isa};
use crate::search::schedule::Iteration;
use crate::search::table::Table;
use crate::setup::{Setup, positive, uses};

#[derive(clap::Args, Debug)]
#[command(args = uses(&[&["EvalFile", "Debug Log File"]]))]
pub struct Args {
    /// Number of positions per phase of six empties
    #[arg(long, value_name = "N", default_value_t = 1500, value_parser = positive::<usize>)]
    positions: usize,

    /// Maximum search depth
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u8).range(6..=MAX_DEPTH))]
    depth: u8,

    /// Also solve positions with 12 to N empties
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u8).range(MIN_SOLVED..=24))]
    empties: u8,

    /// Random seed of the games
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

/// The maximum value of `--depth`.
const MAX_DEPTH: i64 = 12;
/// The minimum number of empties of a solved position.
const MIN_SOLVED: i64 = MIN_SOLVED_EMPTIES as i64;
/// The penalty on a difference between neighboring plies, in samples. The gap of one sample has a
/// standard deviation of about 1.5 discs; alternating corrections change by about 0.7 discs per
/// ply.
const SMOOTHNESS: f64 = 5.0;
/// The weight of an error relative to the exact score, in samples. Its standard deviation is about
/// 3.5 discs, and the errors of one position are correlated.
const EXACT_WEIGHT: f64 = 0.1;
/// The correction of each ply and the mean error of each depth.
const UNKNOWNS: usize = PLIES + MAX_DEPTH as usize + 1;
/// The minimum depth whose gap is measured. Scores of smaller depths rise, because the random move
/// is often an error.
const FIRST_DEPTH: usize = 4;

/// Measures the correction of the evaluation and prints it.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let options = setup.options()?;
    let evaluator = Othello::evaluator(options.settings.weights.as_ref());
    let Args {
        positions,
        depth,
        empties,
        seed,
    } = *args;
    let plan = SamplePlan {
        positions,
        depth,
        solved: empties,
        random_last_move: true,
        seed,
    };
    let uncorrected = evaluator.with_correction([0; PLIES]);
    let samples = plan.reversi::<Eight, _>(uncorrected.clone());
    let mut biases = corrections(&samples).map(in_units);
    let corrected = evaluator.with_correction(biases);
    for (ply, discs) in errors_of_first_plies(uncorrected, corrected, depth)
        .into_iter()
        .enumerate()
    {
        biases[ply] = in_units(discs);
    }
    let correction = OddEvenCorrection {
        weights: evaluator.id(),
        biases,
    };
    let made_by = format!(
        "nullwindow lab train odd-even --positions {positions} --depth {depth} --empties {empties} --seed {seed}"
    );
    out.write_all(correction.write(&made_by).as_bytes())?;
    Ok(true)
}

/// The evaluation of Othello with the correction in a file, if given.
pub fn corrected(options: &Options, file: Option<&Path>) -> Result<OthelloEvaluator> {
    let evaluator = Othello::evaluator(options.settings.weights.as_ref());
    let Some(path) = file else {
        return Ok(evaluator);
    };
    let (OddEvenCorrection { weights, biases }, id) =
        (load(file, ODD_EVEN_TEXT, str::parse)?, evaluator.id());
    let name = path.display();
    ensure!(
        weights == id,
        "{name}: the correction is for weights {weights:016x}, expected {id:016x}"
    );
    Ok(evaluator.with_correction(biases))
}

/// Discs as a bias of [`OddEvenCorrection`].
fn in_units(discs: f64) -> i16 {
    (discs * f64::from(UNIT)).round() as i16
}

/// The correction of each ply, in discs.
fn corrections(samples: &[DepthValues]) -> [f64; PLIES] {
    let mut equations = NormalEquations::<UNKNOWNS>::default();
    for DepthValues {
        empties,
        values,
        exact,
        ..
    } in samples
    {
        let leaf = |depth: usize| PLIES - 1 - usize::from(*empties) + depth;
        let sign = |depth: usize| if depth % 2 == 1 { 1.0 } else { -1.0 };
        for depth in FIRST_DEPTH..values.len().saturating_sub(1) {
            let [Some(before), Some(value), Some(after)] =
                [values[depth - 1], values[depth], values[depth + 1]]
            else {
                break;
            };
            let above = sign(depth) * (2.0 * value - before - after) / 4.0 / f64::from(DISC);
            equations.add(
                &terms([
                    (leaf(depth - 1), 0.25),
                    (leaf(depth), 0.5),
                    (leaf(depth + 1), 0.25),
                ]),
                above,
            );
        }
        let Some(exact) = exact else { continue };
        for (depth, value) in values.iter().enumerate().skip(1) {
            let Some(value) = value else { break };
            let (above, weight) = (
                sign(depth) * (value - exact) / f64::from(DISC),
                EXACT_WEIGHT.sqrt(),
            );
            equations.add(
                &terms([(leaf(depth), weight), (PLIES + depth, sign(depth) * weight)]),
                above * weight,
            );
        }
    }
    let root = SMOOTHNESS.sqrt();
    for ply in 1..PLIES {
        equations.add(&terms([(ply - 1, -root), (ply, root)]), 0.0);
    }
    let solution = equations.solve();
    std::array::from_fn(|ply| solution[ply])
}

/// By how many discs the static value is too low at each ply before the first of a training game,
/// on average over all positions of the ply. Full-width searches with the corrections of later
/// plies are taken to be right.
fn errors_of_first_plies(
    uncorrected: OthelloEvaluator,
    corrected: OthelloEvaluator,
    depth: u8,
) -> Vec<f64> {
    with_isa!(IsaChoice::Auto, isa => {
        let [uncorrected, corrected] = [uncorrected, corrected]
            .map(|evaluator| ReversiPolicy::<Eight, _, _>::new(evaluator, isa, None));
        let mut table = Table::new(HASH);
        let mut error = |position: &Othello| {
            table.clear();
            let iteration = Iteration::full(depth);
            let found = search(&corrected, &table, *position, [iteration], Score::ZERO);
            f64::from(found.score.0 - static_value(&uncorrected, position).0) / f64::from(DISC)
        };
        let mut positions = vec![Othello::start()];
        let mut errors = Vec::new();
        for _ in 0..*Othello::OPENINGS[0].start() {
            errors.push(positions.iter().map(&mut error).sum::<f64>() / positions.len() as f64);
            let mut known = HashSet::new();
            positions = positions
                .iter()
                .flat_map(|position| position.moves().into_iter().map(|m| position.play(m)))
                .filter(|child| known.insert(*child))
                .collect();
        }
        errors
    })
}

/// The terms of an equation: zero except these unknowns.
fn terms<const N: usize>(factors: [(usize, f64); N]) -> [f64; UNKNOWNS] {
    let mut terms = [0.0; UNKNOWNS];
    factors
        .into_iter()
        .for_each(|(unknown, factor)| terms[unknown] = factor);
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions of all phases whose scores rise by a tenth of a disc with each ply, except for leaves
    /// that are `low` discs too low for their side to move; those with fewer empties than
    /// `solved` have an exact score.
    fn samples(low: impl Fn(usize) -> f64, solved: u8) -> Vec<DepthValues> {
        let sample = |empties: u8| {
            let score = |depth: usize| {
                let low = low(PLIES - 1 - usize::from(empties) + depth);
                3.0 + 0.1 * depth as f64 + if depth.is_multiple_of(2) { -low } else { low }
            };
            let values = (0..8.min(usize::from(empties)))
                .map(|depth| Some(100.0 * score(depth)))
                .collect();
            DepthValues {
                phase: 0,
                empties,
                values,
                exact: (empties < solved).then_some(400.0),
            }
        };
        (0..1000).flat_map(|_| (10..40).map(sample)).collect()
    }

    #[test]
    fn the_corrections_are_found_whatever_the_trend() {
        // Two discs up to ply 40, then less and less, from ply 45 on negative.
        let low = |ply: usize| {
            if ply <= 40 {
                2.0
            } else {
                2.0 - 0.5 * (ply - 40) as f64
            }
        };
        let found = corrections(&samples(low, 0));
        let is_found = |ply: usize| (found[ply] - low(ply)).abs() < 0.15;
        assert!((30..52).all(is_found), "{found:?}");
        assert!(found[0].is_finite() && found[PLIES - 1].is_finite());
    }

    #[test]
    fn corrections_that_alternate_are_found_by_exact_scores() {
        let low = |ply: usize| if ply.is_multiple_of(2) { 1.5 } else { 0.5 };
        let gap = |found: [f64; PLIES]| {
            (36..48)
                .map(|ply| (found[ply] - found[ply + 1]).abs())
                .sum::<f64>()
                / 12.0
        };
        assert!(gap(corrections(&samples(low, 0))) < 0.1);
        assert!((gap(corrections(&samples(low, 25))) - 1.0).abs() < 0.1);
    }

    #[test]
    fn the_errors_of_the_first_plies_are_those_of_the_static_values() {
        let evaluator = OthelloEvaluator::default();
        let errors = |discs: [i16; 6]| {
            let mut biases = [0; PLIES];
            biases[..6].copy_from_slice(&discs.map(|discs| in_units(discs.into())));
            errors_of_first_plies(evaluator.with_correction(biases), evaluator.clone(), 6)
        };
        let raised = [3, -2, 0, 1, 5, -7];
        let (before, after) = (errors([0; 6]), errors(raised));
        assert_eq!(after.len(), 6);
        // Static values are rounded to whole discs.
        for (ply, discs) in raised.map(f64::from).into_iter().enumerate() {
            let fall = before[ply] - after[ply];
            assert!((fall - discs).abs() < 0.1, "ply {ply}: {fall}, not {discs}");
        }
    }

    #[test]
    fn a_correction_for_other_weights_is_rejected() {
        let path =
            std::env::temp_dir().join(format!("nullwindow-odd-even-{}.txt", std::process::id()));
        let correction = OddEvenCorrection {
            weights: 5,
            biases: [0; PLIES],
        };
        std::fs::write(&path, correction.write("a test")).unwrap();
        let error = corrected(&Options::default(), Some(&path))
            .unwrap_err()
            .to_string();
        std::fs::remove_file(&path).unwrap();
        assert!(
            error.contains("the correction is for weights 0000000000000005"),
            "{error}"
        );
    }
}
