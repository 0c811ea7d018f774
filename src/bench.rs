//! `nullwindow bench`: the fixed set of positions on the command line; see [`crate::engine::bench`].

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};

use crate::engine::bench::{self, make_positions};
use crate::search::context::Watch;
use crate::setup::{FAILED, Setup};

/// The node total of the present commit stands in the README.
const README: &str = include_str!("../README.md");

/// Arguments of `bench`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Say whether the total is the one in the README, and fail if it is not
    #[arg(long)]
    check: bool,

    /// Print the positions, made anew by random play with a fixed seed, and search nothing
    #[arg(long)]
    positions: bool,
}

/// Runs the bench. Its last line is `nodes N nps M`.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    if args.positions {
        write!(out, "{}", make_positions())?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut written = Ok(());
    let total = bench::run(&setup.options()?, &Arc::<Watch>::default(), &mut |line| {
        if written.is_ok() {
            written = writeln!(out, "{line}").and_then(|()| out.flush());
        }
    });
    written?;
    if !args.check {
        return Ok(ExitCode::SUCCESS);
    }
    let promised = promised().context("README.md names no total of `bench`")?;
    if total.nodes == promised {
        writeln!(out, "as README.md says")?;
        Ok(ExitCode::SUCCESS)
    } else {
        writeln!(out, "README.md says nodes {promised}")?;
        Ok(ExitCode::from(FAILED))
    }
}

/// The total that the README names, in a line `nodes N nps M`.
fn promised() -> Option<u64> {
    let line = README.lines().find(|line| line.starts_with("nodes ") && line.contains(" nps "))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
