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

/// The report of an interrupted run that the same command resumes.
const INTERRUPTED: &str = "interrupted: run the same command to resume";

fn interrupted(out: &mut dyn Write) -> anyhow::Result<bool> {
    writeln!(out, "{INTERRUPTED}")?;
    Ok(false)
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
