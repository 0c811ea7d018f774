//! The commands under `nullwindow lab`: self-play and training, measurements of the engine, and
//! parts of cluster jobs. They have the signature of `src/commands`.

pub mod ablation;
pub mod calibrate;
pub mod estimate;
mod job_record;
pub mod regret;
pub mod shard;
pub mod strength;
pub mod train;

use std::io::Write;
use std::process::ExitCode;

use crate::setup::{Setup, exit_code, uses};

#[derive(clap::Subcommand, Debug)]
pub enum Command {
    /// Generate training data by self-play at a fixed depth
    Selfplay(train::selfplay::Args),
    /// Fit evaluations and ProbCut models
    #[command(subcommand, args = uses(&[]))]
    Train(train::Command),
    /// Measure what each search technique contributes: nodes, time and Elo without it
    Ablation(ablation::Args),
    /// Measure the loss per move under node budgets
    Regret(regret::Args),
    /// Measure the error of search scores for option Show Accuracy
    Calibrate(calibrate::Args),
    /// Measure option Strength: discs lost per game, agreement with human moves
    #[command(subcommand, args = uses(&[]))]
    Strength(strength::Command),
    /// Estimate the cost of proving claims about positions, such as those of solved Othello
    Estimate(estimate::Args),
    /// Run one part of a cluster job and append its results to a file
    Shard(shard::Args),
}

pub fn run(command: &Command, setup: &Setup, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let is_ok = match command {
        Command::Selfplay(args) => train::selfplay::run(args, setup, out),
        Command::Train(command) => train::run(command, setup, out),
        Command::Ablation(args) => ablation::run(args, setup, out),
        Command::Regret(args) => regret::run(args, setup, out),
        Command::Calibrate(args) => calibrate::run(args, setup, out),
        Command::Strength(command) => strength::run(command, setup, out),
        Command::Estimate(args) => estimate::run(args, setup, out),
        Command::Shard(args) => return shard::run(args, out),
    }?;
    Ok(exit_code(is_ok))
}

/// The mean of a sample and its standard error with this many degrees of freedom.
fn mean_and_error(values: &[f64], freedom: usize) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / freedom.max(1) as f64 / count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_a_share_is_binomial() {
        let (share, error) = mean_and_error(&[[1.0; 75].as_slice(), &[0.0; 25]].concat(), 100);
        assert!((share - 0.75).abs() < 1e-12 && (error - 0.0433).abs() < 1e-4);
    }
}
