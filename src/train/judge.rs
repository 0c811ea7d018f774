//! `nullwindow train judge`: the error of an evaluation (option `EvalFile`) on positions with exact scores, and the
//! loss of the moves that a search with it plays, both in discs.
//!
//! A smaller error does not imply better play, so both are printed; the final test is a match.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, ensure};

use crate::engine::options::Options;
use crate::engine::setup::Setup;
use crate::game::Game;
use crate::games::any::AnyPosition;
use crate::games::dispatch;
use crate::games::reversi::eval::OthelloEvaluator;
use crate::games::reversi::obf::Problem;
use crate::search::stop::SearchControl;
use crate::search::table::Table;
use crate::search::{Limits, Observer};

use super::training_set::{position_of, read_problems};

/// Arguments of `train judge`.
#[derive(clap::Args, Debug)]
pub struct JudgeArgs {
    /// Positions with their scores, or with those of all moves (OBF, as `nullwindow problems` writes it)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Search depths for the loss, on positions where every move has a score
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_values_t = [1u8, 6])]
    depths: Vec<u8>,
}

/// Prints a line for each file.
pub fn run(args: &JudgeArgs, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let options = setup.options()?;
    let evaluation = OthelloEvaluator::chosen(options.settings.weights.as_ref());
    for path in &args.files {
        let problems = read_problems(path)?;
        let EvalErrors { count, mean, root } = EvalErrors::of(&evaluation, &problems);
        write!(out, "{}: {count} positions, mean error {mean:.2}, root of mean square {root:.2}", path.display())?;
        for &depth in &args.depths {
            if let Some(loss) = mean_loss(&problems, depth, &options) {
                write!(out, ", depth {depth} loses {loss:.3}")?;
            }
        }
        writeln!(out)?;
        out.flush()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The errors of static values, in discs.
pub struct EvalErrors {
    /// Positions with a score.
    pub count: usize,
    /// The mean absolute error.
    pub mean: f64,
    /// The root mean square error.
    pub root: f64,
}

impl EvalErrors {
    /// The errors of an evaluation.
    pub fn of(evaluation: &OthelloEvaluator, problems: &[Problem]) -> EvalErrors {
        let error = |problem: &Problem| {
            problem.value.map(|value| evaluation.discs(&position_of(problem)) - f64::from(value.0) / 100.0)
        };
        let errors: Vec<f64> = problems.iter().filter_map(error).collect();
        let mean = |of: fn(f64) -> f64| errors.iter().map(|&error| of(error)).sum::<f64>() / errors.len().max(1) as f64;
        EvalErrors { count: errors.len(), mean: mean(f64::abs), root: mean(|error| error * error).sqrt() }
    }

    /// The errors on the positions of a file.
    pub fn of_file(evaluation: &OthelloEvaluator, path: &Path) -> Result<EvalErrors> {
        let errors = EvalErrors::of(evaluation, &read_problems(path)?);
        ensure!(errors.count > 0, "{}: no position with a score", path.display());
        Ok(errors)
    }
}

/// The mean loss in discs of the moves of a search to this depth, over the problems with a score for every move.
fn mean_loss(problems: &[Problem], depth: u8, options: &Options) -> Option<f64> {
    let (mut losses, mut count) = (0, 0);
    let mut table = Table::new(1);
    for problem in problems {
        let position = position_of(problem);
        let score_of = |m| problem.moves.iter().find(|&&(other, _)| other == m).map(|&(_, score)| score);
        let Some(best) = problem.moves.iter().map(|&(_, score)| score).max() else { continue };
        if position.moves().iter().any(|&m| score_of(m).is_none()) {
            continue;
        }
        table.clear();
        let mut observer = Observer { control: Arc::<SearchControl>::default(), report: &mut |_| () };
        let root = AnyPosition::Othello(position);
        let limits = Limits::to_depth(depth);
        let answer = dispatch::think(root, &options.settings, options.kernel, &table, &limits, &mut observer);
        losses += best.0 - answer.best_move().and_then(score_of)?.0;
        count += 1;
    }
    (count > 0).then(|| f64::from(losses) / 100.0 / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::reversi::Othello;
    use crate::games::reversi::discs::DiscGame;
    use crate::games::reversi::obf;

    #[test]
    fn the_loss_is_relative_to_the_best_move() {
        // The four first moves have equal values, so the search plays the first one.
        let lines = ["d3:+2; C4:+2; f5:+2; e6:+2;", "d3:-4; C4:+2; f5:+2; e6:+2;", "d3:+2; C4:+8;"];
        let board = "---------------------------OX------XO--------------------------- X;";
        let problems: Vec<Problem> = lines
            .iter()
            .map(|line| obf::read_line(Othello::GRID, &format!("{board} {line}")).unwrap().unwrap())
            .collect();
        assert_eq!(mean_loss(&problems, 1, &Options::default()), Some(3.0));
        assert_eq!(mean_loss(&problems[2..], 1, &Options::default()), None);
        assert_eq!(EvalErrors::of(&OthelloEvaluator::default(), &problems).count, 3);
    }
}
