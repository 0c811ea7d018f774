//! Learning from our own games: self-play ([`selfplay`]), its records ([`record`]), the fitting of the evaluation to them
//! ([`eval`]), a judgement of it ([`judge`]), and the fit of the statistical cut ([`prob_cut`]).

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::engine::setup::Setup;
use crate::game::Game;
use crate::games::reversi::eval::Learnt;
use crate::games::reversi::eval::mobility::Mobility;
use crate::games::reversi::{Eight, Othello, Othello6, Six};
use crate::games::score_four as scorefour;
use crate::games::score_four::ScoreFour;
use crate::search::isa::with_isa;

pub mod data;
pub mod eval;
pub mod judge;
pub mod least_squares;
pub mod linear;
pub mod network;
pub mod ordering;
pub mod play;
pub mod plot;
pub mod prob_cut;
pub mod record;
pub mod score_four;
pub mod selfplay;

/// Arguments of `train`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Fit the evaluation of Othello or Score Four to records of self-play
    Eval(eval::Args),
    /// Say how good the evaluation is on positions with exact scores
    Judge(judge::Args),
    /// Fit the model of the statistical cut to our own searches and write its rows
    ProbCut(prob_cut::Args),
    /// Fit the hand-made weights that order moves in the endgame of the small boards to records of Othello self-play
    Ordering(ordering::Args),
}

/// Fits what the arguments name.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    match &args.what {
        What::Eval(args) => eval::run(args, setup, out),
        What::Judge(args) => judge::run(args, setup, out),
        What::Ordering(args) => ordering::run(args, out),
        What::ProbCut(args) => {
            let options = setup.options()?;
            let weights = options.settings.weights.as_ref();
            match options.game {
                Othello::NAME => prob_cut::run::<Eight, _>(args, Learnt::chosen(weights), out),
                Othello6::NAME => prob_cut::run::<Six, _>(args, Mobility, out),
                ScoreFour::NAME => {
                    let evaluator = scorefour::eval::Learnt::chosen(weights);
                    with_isa!(options.kernel, isa => score_four::prob_cut::Fit { args, evaluator, out }.run(isa))
                }
                other => {
                    let [one, two, three] = [Othello::NAME, Othello6::NAME, ScoreFour::NAME];
                    bail!("{other}: only {one}, {two} and {three} have an evaluation to cut by")
                }
            }
        }
    }
}
