//! The laboratory: solving, self-play and training, and everything that measures or explains
//! searches.
//!
//! Each subcommand has a struct of clap arguments and
//! `run(&args, &setup, out) -> anyhow::Result<bool>`, which returns whether it ended and its checks
//! passed.

pub mod ablation;
pub mod analyze;
pub mod bench;
pub mod calibrate;
pub mod claims;
pub mod compare;
pub mod convert;
pub mod drawn_tree;
pub mod estimate;
pub mod explain;
pub mod frontier;
mod jobs;
mod move_ordering;
mod multipv;
pub mod openings;
pub mod play;
pub mod problems;
pub mod prove;
pub mod regret;
pub mod reproduce;
pub mod shard;
pub mod solve;
pub mod strength;
pub mod train;

use std::io::{self, Write};

use serde::Serialize;

use crate::games::record::ResultOrder;
use crate::logging::progress::print_line;

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

/// Writes a report as indented JSON.
fn write_json(report: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, report)?;
    writeln!(out)
}

/// Prints this error if a check failed.
fn report_check(is_ok: bool, error: &str) -> anyhow::Result<bool> {
    if !is_ok {
        print_line(format!("error: {error}"))?;
    }
    Ok(is_ok)
}

/// How commands understand the stated results of games.
#[derive(clap::Args, Debug)]
struct ResultArgs {
    /// Whose result comes first in PGN and lists of Reversi games that do not say it: that of the
    /// player who moves first, or that of White. By default such results of unfinished games are
    /// unknown; finished games are decided by their moves
    #[arg(long, value_enum, value_name = "PLAYER")]
    result_order: Option<ResultOrder>,
}

/// Prints the numbers of games with unknown and with contradicted results, if there are any.
fn report_results(unknown: usize, contradictions: usize) -> anyhow::Result<()> {
    if unknown + contradictions > 0 {
        print_line(format!(
            "stated results: {unknown} unknown (of unfinished games; see --result-order), \
             {contradictions} contradicted by the moves"
        ))?;
    }
    Ok(())
}

/// The name of a search: the algorithm and its optional parts, such as `mtdf +table`.
fn search_name(algorithm: &str, table: bool, deepening: bool) -> String {
    let table = if table { " +table" } else { "" };
    let deepening = if deepening { " +deepening" } else { "" };
    format!("{algorithm}{table}{deepening}")
}

/// The parser of a search depth.
fn depth() -> clap::builder::RangedI64ValueParser<u8> {
    clap::value_parser!(u8).range(1..=64)
}

/// The median of ascending numbers; `None` if it is beyond the first `values.len()` of `count`
/// numbers.
fn median(values: &[f64], count: usize) -> Option<f64> {
    let high = values.get(count / 2)?;
    Some((values[(count - 1) / 2] + high) / 2.0)
}

/// The mean of some numbers.
fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (count, sum) = values
        .into_iter()
        .fold((0u64, 0.0), |(count, sum), value| (count + 1, sum + value));
    sum / count.max(1) as f64
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
