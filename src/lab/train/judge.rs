//! `nullwindow lab train judge`: measures an evaluation (option `EvalFile`) on solved positions: the
//! error of its static values, and the errors of the moves and scores of searches.
//!
//! A smaller error does not imply better play; the final test is a match.

use std::fmt;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;

use super::training_set::read_problems;
use crate::commands::{depth, mean};
use crate::engine::options::Options;
use crate::game::Game;
use crate::games::any::AnyPosition;
use crate::games::reversi::Othello;
use crate::games::reversi::accuracy::{CLOSE, WITHIN};
use crate::games::reversi::eval::OthelloEvaluator;
use crate::games::reversi::obf::Problem;
use crate::games::spec::GameSpec;
use crate::lab::mean_and_error;
use crate::search::Limits;
use crate::search::table::Table;
use crate::setup::{EVAL, SEARCH, Setup, positive, uses};

#[derive(clap::Args, Debug)]
#[command(args = uses(&[SEARCH, &["Hash"], EVAL]))]
pub struct Args {
    /// Solved positions in OBF, as nullwindow problems or nullwindow solve --obf prints them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Depths of the searches
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_values_t = [1u8, 6],
        value_parser = depth())]
    depths: Vec<u8>,

    /// Node limits of further searches
    #[arg(long, value_name = "N,..", value_delimiter = ',',
        value_parser = positive::<u64>)]
    nodes: Vec<u64>,
}

/// Prints the error of the evaluation for each file and a line for each search.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let options = setup.options()?;
    let evaluation = Othello::evaluator(options.settings.weights.as_ref());
    let by_depth = args
        .depths
        .iter()
        .map(|&depth| (format!("depth {depth}"), Limits::to_depth(depth)));
    let by_nodes = args
        .nodes
        .iter()
        .map(|&n| (format!("{n} nodes"), Limits::to_nodes(n)));
    let searches: Vec<(String, Limits)> = by_depth.chain(by_nodes).collect();
    for path in &args.files {
        let problems = read_problems(path)?;
        writeln!(
            out,
            "{}: {}",
            path.display(),
            eval_errors(&evaluation, &problems)
        )?;
        for (name, limits) in &searches {
            writeln!(
                out,
                "  {name}: {}",
                SearchErrors::of(&problems, limits, &options)
            )?;
            out.flush()?;
        }
    }
    Ok(true)
}

/// The number of positions with a score, and the errors of the evaluation on them in words.
pub fn eval_errors(evaluation: &OthelloEvaluator, problems: &[Problem]) -> String {
    let error = |problem: &Problem| {
        Some(evaluation.discs(&Othello::of(&problem.discs)) - discs(problem.value?.0))
    };
    let errors: Vec<f64> = problems.iter().filter_map(error).collect();
    let mean = |of: fn(f64) -> f64| mean(errors.iter().copied().map(of));
    let (count, absolute, root) = (
        errors.len(),
        mean(f64::abs),
        mean(|error| error * error).sqrt(),
    );
    format!(
        "{count} positions, mean absolute error {absolute:.2}, root mean square error {root:.2} discs"
    )
}

/// The errors of the moves and scores of a search.
#[derive(Default, Debug)]
struct SearchErrors {
    /// Positions searched.
    count: usize,
    /// Nodes of all searches.
    nodes: u64,
    /// Whether each move is a best one (1 or 0), on positions with scores of moves.
    best: Vec<f64>,
    /// The loss of each move in discs, on positions where every move has a score.
    losses: Vec<f64>,
    /// Whether each score is close to the exact one (1 or 0).
    close: Vec<f64>,
    /// The absolute errors of the scores in discs.
    errors: Vec<f64>,
}

impl SearchErrors {
    /// The errors of a search with these limits, each position searched with an empty table.
    fn of(problems: &[Problem], limits: &Limits, options: &Options) -> SearchErrors {
        let mut result = SearchErrors {
            count: problems.len(),
            ..SearchErrors::default()
        };
        let mut table = Table::new(options.hash as usize);
        for problem in problems {
            let position = Othello::of(&problem.discs);
            table.clear();
            let answer = options.search(AnyPosition::Othello(position), &table, limits);
            result.nodes += answer.counters.nodes;
            let score_of = |m| {
                problem
                    .moves
                    .iter()
                    .find(|&&(other, _)| other == m)
                    .map(|&(_, score)| score)
            };
            let highest = problem.moves.iter().map(|&(_, score)| score).max();
            if let (Some(m), Some(highest)) = (answer.best_move(), highest) {
                result
                    .best
                    .push(f64::from(u8::from(score_of(m) == Some(highest))));
                let all_scored = position.moves().iter().all(|&m| score_of(m).is_some());
                result.losses.extend(
                    score_of(m)
                        .filter(|_| all_scored)
                        .map(|score| discs(highest.0 - score.0)),
                );
            }
            if let (Some(score), Some(value)) = (answer.score(), problem.value) {
                let error = discs((score.0 - value.0).abs());
                result
                    .close
                    .push(f64::from(u8::from(error <= f64::from(WITHIN[CLOSE]))));
                result.errors.push(error);
            }
        }
        result
    }
}

/// The mean of all these numbers and its standard error; `None` without numbers.
fn mean_of_all(numbers: &[f64]) -> Option<(f64, f64)> {
    (!numbers.is_empty()).then(|| mean_and_error(numbers, numbers.len()))
}

/// Centidiscs in discs.
fn discs(score: i32) -> f64 {
    f64::from(score) / 100.0
}

impl fmt::Display for SearchErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent =
            |(mean, error): (f64, f64)| format!("{:.1} +- {:.1} %", 100.0 * mean, 100.0 * error);
        write!(
            f,
            "{} nodes per position",
            self.nodes / self.count.max(1) as u64
        )?;
        if let Some(best) = mean_of_all(&self.best) {
            write!(f, ", best move {}", percent(best))?;
        }
        if let Some((mean, error)) = mean_of_all(&self.losses) {
            write!(f, ", loss per move {mean:.3} +- {error:.3}")?;
            if self.losses.len() < self.count {
                write!(f, " ({} of {} positions)", self.losses.len(), self.count)?;
            }
        }
        if let Some(close) = mean_of_all(&self.close) {
            write!(
                f,
                ", score within {} discs {}",
                WITHIN[CLOSE],
                percent(close)
            )?;
        }
        if let Some((mean, error)) = mean_of_all(&self.errors) {
            write!(f, ", score error {mean:.2} +- {error:.2}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::by_name;
    use crate::games::record;

    /// The errors of searches of one ply on the start of the game with these scores of moves.
    fn errors(scores: &[&str]) -> SearchErrors {
        let board = "---------------------------OX------XO--------------------------- X;";
        let problem = |line: &&str| {
            record::parse(&by_name("othello").unwrap(), &format!("{board} {line}"))
                .unwrap()
                .problem()
                .unwrap()
        };
        let problems: Vec<Problem> = scores.iter().map(problem).collect();
        let count = format!("{} positions", scores.len());
        assert!(eval_errors(&OthelloEvaluator::default(), &problems).starts_with(&count));
        SearchErrors::of(&problems, &Limits::to_depth(3), &Options::default())
    }

    // The four first moves have equal values, so the search plays the first one, d3.

    #[test]
    fn the_loss_is_relative_to_the_best_move_where_every_move_has_a_score() {
        let every = ["d3:+2; C4:+2; f5:+2; e6:+2;", "d3:-4; C4:+2; f5:+2; e6:+2;"];
        assert_eq!(
            mean_of_all(&errors(&every).losses),
            Some((3.0, 3.0 / f64::sqrt(2.0)))
        );
        assert_eq!(mean_of_all(&errors(&["d3:+2; C4:+8;"]).losses), None);
        let some = errors(&[every[1], "d3:+2; C4:+8;"]).to_string();
        assert!(
            some.contains(", loss per move 6.000 +- 0.000 (1 of 2 positions)"),
            "{some}"
        );
    }

    #[test]
    fn a_move_is_best_if_the_file_lists_it_with_the_highest_score() {
        let best = errors(&["d3:+2; f5:+2;", "C4:+2;", "d3:0; C4:+2;", "d3:+2;"]).best;
        assert_eq!(mean_of_all(&best), Some((0.5, 0.25)));
        assert_eq!(mean_of_all(&errors(&["score:+2;"]).best), None);
    }

    #[test]
    fn scores_are_close_within_three_discs() {
        let near = errors(&["score:0;", "score:+40;"]);
        assert_eq!(mean_of_all(&near.close), Some((0.5, f64::sqrt(0.125))));
        assert!(
            mean_of_all(&near.errors).is_some_and(|(mean, _)| (17.0..23.0).contains(&mean)),
            "{near}"
        );
        assert!(
            near.to_string()
                .contains("score within 3 discs 50.0 +- 35.4 %, score error "),
            "{near}"
        );
    }
}
