//! Training from self-play: the games ([`selfplay`]) and their files ([`game_file`]), the fit of
//! the evaluations ([`fit_eval`]), their errors ([`judge`]), the odd-even correction
//! ([`fit_odd_even`]), the ProbCut model ([`fit_prob_cut`]) and its selectivity levels
//! ([`fit_levels`]).

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::platform::files;
use crate::search::fitted::FittedError;
use crate::setup::Setup;

mod fit_eval;
mod fit_levels;
mod fit_mobility;
mod fit_network;
mod fit_odd_even;
mod fit_prob_cut;
mod fit_score_four;
pub mod game_file;
mod judge;
mod least_squares;
mod samples;
pub mod selfplay;
mod training_game;
mod training_set;

#[derive(clap::Subcommand, Debug)]
pub enum Command {
    /// Fit the evaluation of Othello or Score Four to self-play games
    Eval(fit_eval::Args),
    /// Measure the errors of the evaluation and of searches on solved positions
    Judge(judge::Args),
    /// Fit the ProbCut model to full-width searches and print it
    ProbCut(fit_prob_cut::Args),
    /// Measure the odd-even effect of the Othello evaluation and print the correction
    OddEven(fit_odd_even::Args),
    /// Measure or fit the selectivity levels of ProbCut
    Levels(fit_levels::Args),
    /// Fit the mobility evaluation of the smaller boards to Othello self-play games
    Mobility(fit_mobility::Args),
}

pub fn run(command: &Command, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    match command {
        Command::Eval(args) => fit_eval::run(args, setup, out),
        Command::Judge(args) => judge::run(args, setup, out),
        Command::ProbCut(args) => fit_prob_cut::run(args, setup, out),
        Command::OddEven(args) => fit_odd_even::run(args, setup, out),
        Command::Levels(args) => fit_levels::run(args, setup, out),
        Command::Mobility(args) => fit_mobility::run(args, out),
    }
}

/// Rejects options that have no effect on the selected game: each with whether it is given.
fn only_for(game: &str, selected: &str, options: &[(&str, bool)]) -> Result<()> {
    for (option, is_given) in options {
        ensure!(
            selected == game || !is_given,
            "{option} applies to {game} only"
        );
    }
    Ok(())
}

/// Reads fitted numbers from a file, if given, or from the built-in text.
fn load<T>(
    file: Option<&Path>,
    built_in: &str,
    read: impl Fn(&str) -> Result<T, FittedError>,
) -> Result<T> {
    match file {
        Some(path) => {
            let name = || path.display().to_string();
            read(&files::read_text(path).with_context(name)?).with_context(name)
        }
        None => read(built_in).context("built-in"),
    }
}
