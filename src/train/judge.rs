//! `nullwindow train judge`: how good an evaluation is on positions with exact scores, in discs: how far its values are from the
//! scores, and what its moves lose.
//!
//! Less error is not always better play, so both are shown; the last word has a match. The evaluation is the one that option
//! `EvalFile` names.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, ensure};

use crate::engine::options::Options;
use crate::engine::setup::Setup;
use crate::game::Game;
use crate::games::any::AnyPosition;
use crate::games::registry;
use crate::games::reversi::eval::Learnt;
use crate::games::reversi::obf::Problem;
use crate::search::context::Watch;
use crate::search::table::Table;
use crate::search::{Limits, Observer};

use super::data::{position_of, read_problems};

/// Arguments of `train judge`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Positions with their scores, or with those of all moves (OBF, as `nullwindow problems` writes it)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Depths whose moves are judged where every move has a score
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_values_t = [1u8, 6])]
    depths: Vec<u8>,
}

/// Judges on each file and writes a line about it.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let options = setup.options()?;
    let evaluation = Learnt::chosen(options.settings.weights.as_ref());
    for path in &args.files {
        let problems = read_problems(path)?;
        let Errors { count, mean, root } = Errors::of(&evaluation, &problems);
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

/// How far static values are from scores, in discs.
pub struct Errors {
    /// Positions with a score.
    pub count: usize,
    /// The mean of the absolute errors.
    pub mean: f64,
    /// The root of the mean of their squares.
    pub root: f64,
}

impl Errors {
    /// The errors of an evaluation.
    pub fn of(evaluation: &Learnt, problems: &[Problem]) -> Errors {
        let error = |problem: &Problem| {
            problem.value.map(|value| evaluation.discs(&position_of(problem)) - f64::from(value.0) / 100.0)
        };
        let errors: Vec<f64> = problems.iter().filter_map(error).collect();
        let mean = |of: fn(f64) -> f64| errors.iter().map(|&error| of(error)).sum::<f64>() / errors.len().max(1) as f64;
        Errors { count: errors.len(), mean: mean(f64::abs), root: mean(|error| error * error).sqrt() }
    }

    /// The errors on the positions of a file.
    pub fn on(evaluation: &Learnt, path: &Path) -> Result<Errors> {
        let errors = Errors::of(evaluation, &read_problems(path)?);
        ensure!(errors.count > 0, "{}: no position with a score", path.display());
        Ok(errors)
    }
}

/// What the moves of a search this deep lose against the best, in discs on average, over the problems that know all moves.
fn mean_loss(problems: &[Problem], depth: u8, options: &Options) -> Option<f64> {
    let (mut losses, mut count) = (0, 0);
    let mut table = Table::new(1);
    for problem in problems {
        let position = position_of(problem);
        let known = |m| problem.moves.iter().find(|&&(other, _)| other == m).map(|&(_, score)| score);
        let Some(best) = problem.moves.iter().map(|&(_, score)| score).max() else { continue };
        if position.moves().iter().any(|&m| known(m).is_none()) {
            continue;
        }
        table.clear();
        let mut observer = Observer { watch: Arc::<Watch>::default(), report: &mut |_| () };
        let root = AnyPosition::Othello(position);
        let limits = Limits::to_depth(depth);
        let answer = registry::think(root, &options.settings, options.kernel, &table, &limits, &mut observer);
        losses += best.0 - answer.best_move().and_then(known)?.0;
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
    fn losses_are_counted_from_the_best_move() {
        // The evaluation cannot tell the four first moves apart, and takes the first one.
        let lines = ["d3:+2; C4:+2; f5:+2; e6:+2;", "d3:-4; C4:+2; f5:+2; e6:+2;", "d3:+2; C4:+8;"];
        let board = "---------------------------OX------XO--------------------------- X;";
        let problems: Vec<Problem> = lines
            .iter()
            .map(|line| obf::read_line(Othello::GRID, &format!("{board} {line}")).unwrap().unwrap())
            .collect();
        assert_eq!(mean_loss(&problems, 1, &Options::default()), Some(3.0));
        assert_eq!(mean_loss(&problems[2..], 1, &Options::default()), None);
        assert_eq!(Errors::of(&Learnt::default(), &problems).count, 3);
    }
}
