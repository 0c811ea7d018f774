//! The laboratory: solving, self-play and training, and everything that measures or explains searches.
//!
//! Each subcommand has a struct of clap arguments and `run(&args, &setup, out) -> anyhow::Result<ExitCode>`.

pub mod ablation;
pub mod bench;
pub mod calibrate;
pub mod compare;
pub mod explain;
pub mod frontier;
mod jobs;
mod move_ordering;
pub mod openings;
pub mod problems;
pub mod regret;
pub mod reproduce;
pub mod shard;
pub mod solve;
pub mod strength;
pub mod train;

use std::io::{self, Write};
use std::process::ExitCode;

use serde::Serialize;

use crate::engine::setup::FAILED;
use crate::logging::progress::suspend;

/// Reports an interrupted run that the same command resumes.
fn interrupted(out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    writeln!(out, "interrupted: run the same command to resume")?;
    Ok(ExitCode::from(FAILED))
}

/// The mean of a sample and its standard error with this many degrees of freedom.
fn mean_and_error(values: &[f64], freedom: usize) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / freedom.max(1) as f64 / count).sqrt())
}

/// Writes a report as indented JSON.
fn write_json(report: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, report)?;
    writeln!(out)
}

/// Exit status 1 with this error if a check failed.
fn exit_status(is_ok: bool, error: &str) -> io::Result<ExitCode> {
    if is_ok {
        return Ok(ExitCode::SUCCESS);
    }
    suspend(|| writeln!(io::stderr(), "error: {error}"))?;
    Ok(ExitCode::FAILURE)
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
