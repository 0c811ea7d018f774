//! `nullwindow lab strength`: measures option `Strength`. `calibrate` plays each strength level against
//! full strength ([`calibrate`], [`level_games`]). `agreement` counts how often each level plays
//! the human move ([`agreement`]).

mod agreement;
mod calibrate;
mod level_games;

use std::io::Write;

use anyhow::Result;

use crate::engine::strength::STRENGTH_MAX;
use crate::setup::{Setup, positive};

#[derive(clap::Subcommand, Debug)]
pub enum Command {
    /// Measure the discs lost per game at each level of option Strength
    Calibrate(calibrate::Args),
    /// Measure how often each level plays the move of human games
    Agreement(agreement::Args),
}

pub fn run(command: &Command, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let options = setup.options()?;
    let start = setup.board_with_discs("option Strength")?;
    match command {
        Command::Calibrate(args) => calibrate::run(args, setup, &options, &start, out),
        Command::Agreement(args) => agreement::run(args, &options, &start, out),
    }
}

/// The players.
#[derive(clap::Args, Debug)]
struct LevelArgs {
    /// Levels of option Strength, 1 to 30
    #[arg(long, value_name = "LEVELS", value_delimiter = ',', default_value = "3,6,9,12,15,18,21,24,27,30",
        value_parser = clap::value_parser!(u32).range(1..=STRENGTH_MAX.into()))]
    levels: Vec<u32>,

    /// Nodes per move
    #[arg(long, value_name = "N", default_value_t = 4_000, value_parser = positive::<u64>)]
    nodes: u64,
}
