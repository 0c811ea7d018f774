//! Training from self-play: the games ([`selfplay`]) and their files ([`game_file`]), the fit of the evaluations
//! ([`fit_eval`]), their errors ([`judge`]), the odd-even correction ([`fit_odd_even`]), the ProbCut model
//! ([`fit_prob_cut`]) and its selectivity levels ([`fit_levels`]).

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
pub mod fit_eval;
pub mod fit_levels;
pub mod fit_mobility;
pub mod fit_network;
pub mod fit_odd_even;
pub mod fit_prob_cut;
pub mod fit_score_four;
pub mod fit_score_four_prob_cut;
pub mod game_file;
pub mod judge;
pub mod least_squares;
pub mod logistic;
pub mod othello_selfplay;
pub mod score_four_selfplay;
pub mod search_kind;
pub mod self_player;
pub mod selfplay;
pub mod training_set;

#[derive(clap::Args, Debug)]
pub struct TrainArgs {
    #[command(subcommand)]
    command: TrainCommand,
}

#[derive(clap::Subcommand, Debug)]
enum TrainCommand {
    /// Fit the evaluation of Othello or Score Four to self-play games
    Eval(fit_eval::FitEvalArgs),
    /// Measure the errors of the evaluation and of searches on solved positions
    Judge(judge::JudgeArgs),
    /// Fit the ProbCut model to full-width searches and print it
    ProbCut(fit_prob_cut::ProbCutArgs),
    /// Measure the odd-even effect of the Othello evaluation and print the correction
    OddEven(fit_odd_even::OddEvenArgs),
    /// Measure or fit the selectivity levels of ProbCut
    Levels(fit_levels::LevelsArgs),
    /// Fit the mobility evaluation of the smaller boards to Othello self-play games
    Mobility(fit_mobility::FitMobilityArgs),
}

pub fn run(args: &TrainArgs, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    match &args.command {
        TrainCommand::Eval(args) => fit_eval::run(args, setup, out),
        TrainCommand::Judge(args) => judge::run(args, setup, out),
        TrainCommand::Mobility(args) => fit_mobility::run(args, out),
        TrainCommand::ProbCut(args) => {
            let options = setup.options()?;
            let (is_othello, is_score_four) = (options.game == Othello::NAME, options.game == ScoreFour::NAME);
            ensure!(is_othello || args.odd_even.is_none(), "--odd-even applies to {} only", Othello::NAME);
            ensure!(!is_score_four || args.empties.is_none(), "--empties does not apply to {}", ScoreFour::NAME);
            let weights = options.settings.weights.as_ref();
            match options.game {
                Othello::NAME => {
                    let evaluator =
                        fit_odd_even::corrected(OthelloEvaluator::chosen(weights), args.odd_even.as_deref())?;
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
                    bail!("{other} has no ProbCut model: expected {one}, {two} or {three}")
                }
            }
        }
        TrainCommand::OddEven(args) => {
            let options = setup.options()?;
            ensure!(
                options.game == Othello::NAME,
                "{} has no odd-even correction: expected {}",
                options.game,
                Othello::NAME
            );
            fit_odd_even::run(args, &OthelloEvaluator::chosen(options.settings.weights.as_ref()), out)
        }
        TrainCommand::Levels(args) => {
            let options = setup.options()?;
            let is_othello = options.game == Othello::NAME;
            ensure!(is_othello || args.odd_even.is_none(), "--odd-even applies to {} only", Othello::NAME);
            match options.game {
                Othello::NAME => {
                    let evaluator = OthelloEvaluator::chosen(options.settings.weights.as_ref());
                    let evaluator = fit_odd_even::corrected(evaluator, args.odd_even.as_deref())?;
                    let id = Some(evaluator.id());
                    fit_levels::run::<Eight, _>(args, evaluator, id, cuts::EIGHT, out)
                }
                Othello6::NAME => fit_levels::run::<Six, _>(args, Mobility, None, cuts::SIX, out),
                other => bail!("{other} has no fitted levels: expected {} or {}", Othello::NAME, Othello6::NAME),
            }
        }
    }
}
