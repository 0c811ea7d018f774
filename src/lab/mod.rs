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
mod recorded_jobs;
pub mod regret;
pub mod reproduce;
pub mod shard;
pub mod solve;
pub mod strength;
pub mod train;

use std::io::{self, Write};
use std::process::ExitCode;

use serde::Serialize;

use crate::logging::progress::suspend;

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
