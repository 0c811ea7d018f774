//! Learning from self-play: the games ([`selfplay`]) and their files ([`game_file`]), fitting the evaluations to them
//! ([`fit_eval`]), measuring an evaluation ([`judge`]), and fitting the model of ProbCut ([`fit_prob_cut`]).

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::engine::setup::Setup;
use crate::game::Game;
use crate::games::reversi::eval::OthelloEvaluator;
use crate::games::reversi::eval::mobility::Mobility;
use crate::games::reversi::{Eight, Othello, Othello6, Six};
use crate::games::score_four as scorefour;
use crate::games::score_four::ScoreFour;
use crate::search::isa::with_isa;

pub mod fit_eval;
pub mod fit_linear;
pub mod fit_network;
pub mod fit_ordering;
pub mod fit_prob_cut;
pub mod fit_score_four;
pub mod fit_score_four_prob_cut;
pub mod game_file;
pub mod judge;
pub mod least_squares;
pub mod othello_selfplay;
pub mod plot;
pub mod score_four_selfplay;
pub mod self_player;
pub mod selfplay;
pub mod training_set;

/// Arguments of `train`.
#[derive(clap::Args, Debug)]
pub struct TrainArgs {
    #[command(subcommand)]
    command: TrainCommand,
}

#[derive(clap::Subcommand, Debug)]
enum TrainCommand {
    /// Fit the evaluation of Othello or Score Four to records of self-play
    Eval(fit_eval::FitEvalArgs),
    /// Measure the error of the evaluation on positions with exact scores
    Judge(judge::JudgeArgs),
    /// Fit the model of ProbCut to searches by this engine and write it
    ProbCut(fit_prob_cut::ProbCutArgs),
    /// Fit the hand-made move-ordering weights of the small boards' endgame search to records of Othello self-play
    Ordering(fit_ordering::OrderingArgs),
}

/// Runs the subcommand.
pub fn run(args: &TrainArgs, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    match &args.command {
        TrainCommand::Eval(args) => fit_eval::run(args, setup, out),
        TrainCommand::Judge(args) => judge::run(args, setup, out),
        TrainCommand::Ordering(args) => fit_ordering::run(args, out),
        TrainCommand::ProbCut(args) => {
            let options = setup.options()?;
            let weights = options.settings.weights.as_ref();
            match options.game {
                Othello::NAME => fit_prob_cut::run::<Eight, _>(args, OthelloEvaluator::chosen(weights), out),
                Othello6::NAME => fit_prob_cut::run::<Six, _>(args, Mobility, out),
                ScoreFour::NAME => {
                    let evaluator = scorefour::eval::ScoreFourEvaluator::chosen(weights);
                    let task = fit_score_four_prob_cut::FitScoreFourProbCut { args, evaluator, out };
                    with_isa!(options.kernel, isa => task.run(isa))
                }
                other => {
                    let [one, two, three] = [Othello::NAME, Othello6::NAME, ScoreFour::NAME];
                    bail!("{other}: only {one}, {two} and {three} have a ProbCut model")
                }
            }
        }
    }
}
