//! Learning from our own games: the fit of the statistical cut.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use crate::eval::mobility::Mobility;

pub mod prob_cut;

/// Arguments of `train`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Fits the model of the statistical cut to our own searches and writes its rows
    ProbCut(prob_cut::Args),
}

/// Trains what the arguments name.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<ExitCode> {
    match &args.what {
        What::ProbCut(args) => prob_cut::run(args, Mobility, out),
    }
}
