//! `nullwindow strength`: what option `Strength` is worth. `calibrate` plays each level against full strength
//! ([`calibrate`], [`level_games`]) with a record that resumes ([`record`]) and a table of it ([`summary`]);
//! `agreement` counts how often each level plays what people played ([`agreement`], [`wthor`]).

mod agreement;
mod calibrate;
mod level_games;
mod record;
mod summary;
mod wthor;

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};

use crate::engine::setup::Setup;
use crate::engine::strength::STRENGTH_MAX;

/// Arguments of `strength`.
#[derive(clap::Args, Debug)]
pub struct StrengthArgs {
    #[command(subcommand)]
    command: StrengthCommand,
}

#[derive(clap::Subcommand, Debug)]
enum StrengthCommand {
    /// Play levels of option Strength against full strength, or against each other, and compare what they lose
    Calibrate(calibrate::CalibrateArgs),
    /// Count how often each level plays the moves of people's games
    Agreement(agreement::AgreementArgs),
}

/// Runs the subcommand.
pub fn run(args: &StrengthArgs, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let options = setup.options()?;
    let start = setup.board(None)?;
    ensure!(start.discs().is_some(), "{}: option Strength is for boards of discs", start.name());
    ensure!(options.strength().is_none(), "--levels says the strength, not an option");
    match &args.command {
        StrengthCommand::Calibrate(args) => calibrate::run(args, &options, &start, out),
        StrengthCommand::Agreement(args) => agreement::run(args, &options, &start, out),
    }
}

/// The levels of `--levels`, the default.
const LEVELS: &str = "3,6,9,12,15,18,21,24,27,30";

/// A level on the command line, 1 to [`STRENGTH_MAX`].
fn level(text: &str) -> Result<u32> {
    let level = text.trim().parse().context("expected a whole number")?;
    ensure!((1..=STRENGTH_MAX).contains(&level), "expected 1 to {STRENGTH_MAX}");
    Ok(level)
}
