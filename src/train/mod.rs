//! Learning from self-play: the games ([`selfplay`]) and their files ([`game_file`]), fitting the evaluations to them
//! ([`fit_eval`]), measuring an evaluation ([`judge`]), removing its odd-even effect ([`fit_centre`]), fitting the
//! model of ProbCut ([`fit_prob_cut`]) and its levels ([`fit_levels`]).

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Result, bail, ensure};

use crate::engine::setup::Setup;
use crate::game::Game;
use crate::games::reversi::eval::OthelloEvaluator;
use crate::games::reversi::eval::mobility::Mobility;
use crate::games::reversi::policy::cuts;
use crate::games::reversi::{Eight, Othello, Othello6, Six};
use crate::games::score_four as scorefour;
use crate::games::score_four::ScoreFour;
use crate::search::isa::with_isa;

pub mod depth_values;
pub mod fit_centre;
pub mod fit_eval;
pub mod fit_levels;
pub mod fit_linear;
pub mod fit_mobility;
pub mod fit_network;
pub mod fit_prob_cut;
pub mod fit_score_four;
pub mod fit_score_four_prob_cut;
pub mod game_file;
pub mod judge;
pub mod least_squares;
pub mod logistic;
pub mod othello_selfplay;
pub mod plot;
pub mod score_four_selfplay;
pub mod search_kind;
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
    /// Measure the errors of the evaluation, and of searches with it, on positions with exact scores
    Judge(judge::JudgeArgs),
    /// Fit the model of ProbCut to searches by this engine and write it
    ProbCut(fit_prob_cut::ProbCutArgs),
    /// Measure the odd-even effect of the evaluation of Othello and write its correction
    Centre(fit_centre::CentreArgs),
    /// Measure how often each selectivity level has the value of a full-width search, or fit the levels and write them
    Levels(fit_levels::LevelsArgs),
    /// Fit the hand-made evaluation of the smaller boards to records of Othello self-play, and print it
    Mobility(fit_mobility::FitMobilityArgs),
}

/// Runs the subcommand.
pub fn run(args: &TrainArgs, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    match &args.command {
        TrainCommand::Eval(args) => fit_eval::run(args, setup, out),
        TrainCommand::Judge(args) => judge::run(args, setup, out),
        TrainCommand::Mobility(args) => fit_mobility::run(args, out),
        TrainCommand::ProbCut(args) => {
            let options = setup.options()?;
            let (is_othello, is_score_four) = (options.game == Othello::NAME, options.game == ScoreFour::NAME);
            ensure!(is_othello || args.centre.is_none(), "--centre has an effect on {} alone", Othello::NAME);
            ensure!(!is_score_four || args.empties.is_none(), "--empties has no effect on {}", ScoreFour::NAME);
            let weights = options.settings.weights.as_ref();
            match options.game {
                Othello::NAME => {
                    let evaluator = fit_centre::centred(OthelloEvaluator::chosen(weights), args.centre.as_deref())?;
                    let id = Some(evaluator.id());
                    fit_prob_cut::run::<Eight, _>(args, evaluator, id, out)
                }
                Othello6::NAME => fit_prob_cut::run::<Six, _>(args, Mobility, None, out),
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
        TrainCommand::Centre(args) => {
            let options = setup.options()?;
            ensure!(options.game == Othello::NAME, "{}: only {} has a learnt centre", options.game, Othello::NAME);
            fit_centre::run(args, &OthelloEvaluator::chosen(options.settings.weights.as_ref()), out)
        }
        TrainCommand::Levels(args) => {
            let options = setup.options()?;
            let is_othello = options.game == Othello::NAME;
            ensure!(is_othello || args.centre.is_none(), "--centre has an effect on {} alone", Othello::NAME);
            match options.game {
                Othello::NAME => {
                    let evaluator = OthelloEvaluator::chosen(options.settings.weights.as_ref());
                    let evaluator = fit_centre::centred(evaluator, args.centre.as_deref())?;
                    let id = Some(evaluator.id());
                    fit_levels::run::<Eight, _>(args, evaluator, id, cuts::EIGHT, out)
                }
                Othello6::NAME => fit_levels::run::<Six, _>(args, Mobility, None, cuts::SIX, out),
                other => bail!("{other}: only {} and {} have fitted levels", Othello::NAME, Othello6::NAME),
            }
        }
    }
}
