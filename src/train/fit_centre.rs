//! `nullwindow train centre`: measures how far the scores of odd depths are above those of even ones, and writes the
//! correction of the evaluation ([`Centre`]).
//!
//! Positions of all phases ([`super::depth_values`]) are searched full width to every depth up to a limit. Half the gap
//! between the score of a depth and the mean of its two neighbours is a mean of the corrections of three plies of
//! leaves, the middle one counting twice. The corrections are the least-squares solution, with a penalty on differences
//! between neighbouring plies. Depths that the games were played by are left out: their scores decided which positions
//! came up, and are too high for the side that chose them.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::depth_values::{DepthValues, GAME_DEPTH, SamplePlan};
use super::least_squares::NormalEquations;
use crate::games::reversi::Eight;
use crate::games::reversi::eval::OthelloEvaluator;
use crate::games::reversi::eval::centre::Centre;
use crate::games::reversi::eval::scale::{DISC, UNIT};
use crate::games::reversi::eval::weights::PLIES;

/// Arguments of `train centre`.
#[derive(clap::Args, Debug)]
pub struct CentreArgs {
    /// Positions per phase of six empties
    #[arg(long, value_name = "N", default_value_t = 300)]
    positions: usize,

    /// Maximum search depth
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u8).range(6..=12))]
    depth: u8,

    /// The seed of the games
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

/// The penalty on a difference between neighbouring plies, in samples: a gap of one sample is uncertain by some 1.5
/// discs, and the corrections change by some 0.3 discs a ply.
const SMOOTHNESS: f64 = 25.0;
/// The lowest depth whose gap is measured: the next lower one is not that of a reply in the games.
const FIRST_DEPTH: usize = GAME_DEPTH as usize + 1;

/// Measures the centre of this evaluation and writes it.
pub fn run(args: &CentreArgs, evaluator: &OthelloEvaluator, out: &mut dyn Write) -> Result<ExitCode> {
    let CentreArgs { positions, depth, seed } = *args;
    let plan = SamplePlan { positions, depth, solved: 0, seed };
    let samples = plan.samples::<Eight, _>(evaluator.with_centre([0; PLIES]));
    let centre = Centre {
        weights: evaluator.id(),
        biases: corrections(&samples).map(|discs| (discs * f64::from(UNIT)).round() as i16),
    };
    writeln!(out, "# The centre of the evaluation: the checksum of its weights; ply and correction in discs.")?;
    writeln!(out, "# Made by `nullwindow train centre --positions {positions} --depth {depth} --seed {seed}`.")?;
    write!(out, "{centre}")?;
    Ok(ExitCode::SUCCESS)
}

/// The evaluation with the centre of a file, if one is given.
pub fn centred(evaluator: OthelloEvaluator, file: Option<&Path>) -> Result<OthelloEvaluator> {
    let Some(path) = file else { return Ok(evaluator) };
    let read = || -> Result<Centre> { Ok(std::fs::read_to_string(path)?.parse()?) };
    let centre = read().with_context(|| path.display().to_string())?;
    anyhow::ensure!(
        centre.weights == evaluator.id(),
        "{}: made for the weights {:016x}, not for {:016x}",
        path.display(),
        centre.weights,
        evaluator.id()
    );
    Ok(evaluator.with_centre(centre.biases))
}

/// The correction of each ply, in discs.
fn corrections(samples: &[DepthValues]) -> [f64; PLIES] {
    let mut equations = NormalEquations::<PLIES>::default();
    for DepthValues { empties, values, .. } in samples {
        for depth in FIRST_DEPTH..values.len().saturating_sub(1) {
            let [Some(before), Some(value), Some(after)] = [values[depth - 1], values[depth], values[depth + 1]] else {
                break;
            };
            let above = (2.0 * value - before - after) / 4.0 / f64::from(DISC);
            let ply = PLIES - 1 - usize::from(*empties) + depth;
            equations.add(
                &terms([(ply - 1, 0.25), (ply, 0.5), (ply + 1, 0.25)]),
                if depth % 2 == 1 { above } else { -above },
            );
        }
    }
    for ply in 1..PLIES {
        equations.add(&terms([(ply - 1, -SMOOTHNESS.sqrt()), (ply, SMOOTHNESS.sqrt())]), 0.0);
    }
    equations.solve()
}

/// The terms of an equation: zero but for these plies.
fn terms<const N: usize>(factors: [(usize, f64); N]) -> [f64; PLIES] {
    let mut terms = [0.0; PLIES];
    factors.into_iter().for_each(|(ply, factor)| terms[ply] = factor);
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions of all phases whose scores rise by a tenth of a disc with each ply, but for leaves that are too low
    /// for their side to move: by two discs up to ply 40, then by less and less, from ply 45 on too high.
    #[test]
    fn the_corrections_are_found_whatever_the_trend() {
        let low = |ply: usize| if ply <= 40 { 2.0 } else { 2.0 - 0.5 * (ply - 40) as f64 };
        let sample = |empties: u8| {
            let score = |depth: usize| {
                let low = low(PLIES - 1 - usize::from(empties) + depth);
                3.0 + 0.1 * depth as f64 + if depth.is_multiple_of(2) { -low } else { low }
            };
            let depths = 0..8.min(usize::from(empties));
            DepthValues { empties, values: depths.map(|depth| Some(100.0 * score(depth))).collect(), exact: None }
        };
        let samples: Vec<DepthValues> = (0..1000).flat_map(|_| (10..40).map(sample)).collect();
        let found = corrections(&samples);
        let is_found = |ply: usize| (found[ply] - low(ply)).abs() < 0.15;
        assert!((30..52).all(is_found), "{found:?}");
        assert!(found[0].is_finite() && found[PLIES - 1].is_finite());
    }

    #[test]
    fn a_centre_for_other_weights_is_refused() {
        let path = std::env::temp_dir().join(format!("nullwindow-centre-{}.txt", std::process::id()));
        let centre = Centre { weights: 5, biases: [0; PLIES] };
        std::fs::write(&path, centre.to_string()).unwrap();
        let error = centred(OthelloEvaluator::default(), Some(&path)).unwrap_err().to_string();
        std::fs::remove_file(&path).unwrap();
        assert!(error.contains("made for the weights 0000000000000005"), "{error}");
    }
}
