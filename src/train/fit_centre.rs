//! `nullwindow train centre`: measures how far the scores of odd depths are above those of even ones, and writes the
//! correction of the evaluation ([`Centre`]).
//!
//! Positions of all phases ([`super::depth_values`]) are searched full width to every depth up to a limit. At each
//! depth half the gap to the mean of both neighbours belongs to the ply of the leaves. Gaps are averaged by that ply
//! and smoothed over neighbouring plies. Depths that the games were played by are left out: their scores decided which
//! positions came up, and are too high for the side that chose them.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::depth_values::{DepthValues, GAME_DEPTH, SamplePlan};
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

/// Gaps are smoothed over so many plies to either side: near the end of the game they change within two plies.
const SMOOTHED: usize = 1;
/// The lowest depth whose gap is measured: the next lower one is not that of a reply in the games.
const FIRST_DEPTH: usize = GAME_DEPTH as usize + 1;

/// Measures the centre of this evaluation and writes it.
pub fn run(args: &CentreArgs, evaluator: &OthelloEvaluator, out: &mut dyn Write) -> Result<ExitCode> {
    let CentreArgs { positions, depth, seed } = *args;
    let plan = SamplePlan { positions, depth, solved: 0, seed };
    let samples = plan.samples::<Eight, _>(evaluator.with_centre([0; PLIES]));
    let centre = Centre {
        weights: evaluator.id(),
        biases: smoothed(&half_gaps(&samples)).map(|discs| (discs * f64::from(UNIT)).round() as i16),
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

/// Half the gap between odd and even depths in discs, and the number of its samples, by the ply of the leaves.
fn half_gaps(samples: &[DepthValues]) -> [(f64, f64); PLIES] {
    let mut sums = [(0.0, 0.0); PLIES];
    for DepthValues { empties, values, .. } in samples {
        for depth in FIRST_DEPTH..values.len().saturating_sub(1) {
            let [Some(before), Some(value), Some(after)] = [values[depth - 1], values[depth], values[depth + 1]] else {
                break;
            };
            let above = (2.0 * value - before - after) / 4.0 / f64::from(DISC);
            let (sum, count) = &mut sums[PLIES - 1 - usize::from(*empties) + depth];
            *sum += if depth % 2 == 1 { above } else { -above };
            *count += 1.0;
        }
    }
    sums.map(|(sum, count)| (if count > 0.0 { sum / count } else { 0.0 }, count))
}

/// The mean of each ply's gap and those of its neighbours, the nearer and the better known ones counting more.
fn smoothed(gaps: &[(f64, f64); PLIES]) -> [f64; PLIES] {
    std::array::from_fn(|ply| {
        let mut sums = (0.0, 0.0);
        for (other, (gap, count)) in gaps.iter().enumerate() {
            let weight = (SMOOTHED + 1).saturating_sub(other.abs_diff(ply)) as f64 * count;
            sums = (sums.0 + weight * gap, sums.1 + weight);
        }
        if sums.1 > 0.0 { sums.0 / sums.1 } else { 0.0 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scores that rise by a tenth of a disc with each ply, odd depths 1.5 discs above and even ones below: the leaves
    /// of odd depths are too low by this for their side to move, those of even depths as well.
    #[test]
    fn the_gap_is_found_whatever_the_trend() {
        let score = |depth: usize| Some(300.0 + 10.0 * depth as f64 + if depth % 2 == 1 { 150.0 } else { -150.0 });
        let searched = |empties: u8| (0..8).map(move |depth| score(depth).filter(|_| depth < usize::from(empties)));
        let sample = |empties| DepthValues { empties, values: searched(empties).collect(), exact: None };
        let gaps = half_gaps(&[sample(30), sample(31), sample(3)]);
        assert!((gaps[35].0 - 1.5).abs() < 1e-9 && gaps[35].1 == 2.0, "{gaps:?}");
        assert_eq!((gaps[32].1, gaps[33].1, gaps[36].1, gaps[37].1), (0.0, 1.0, 1.0, 0.0));
        let smooth = smoothed(&gaps);
        assert!((smooth[35] - 1.5).abs() < 1e-9 && (smooth[32] - 1.5).abs() < 1e-9 && smooth[31] == 0.0);
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
