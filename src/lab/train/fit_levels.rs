//! `nullwindow train levels`: measures how often a search at each selectivity level returns the value of a full-width
//! search. With `--fit`, it fits the thresholds in sigmas so that each level reaches its percentage ([`Thresholds`]).
//!
//! Positions ([`super::depth_values`]) are searched as `go depth N` does: before the end of the game to several depths
//! at every level and at full width, and near the end of the game to the end. Searches before the end are fitted first,
//! then those to the end, whose shallow searches are of the first kind ([`SearchKind`]). The first round measures a
//! grid of thresholds, the next rounds the thresholds proposed by a logistic regression.

use std::io::Write;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};

use super::depth_values::{HASH, play_to};
use super::fit_prob_cut::write_checksum;
use super::logistic;
use super::search_kind::SearchKind;
use crate::engine::setup::positive;
use crate::game::Game;
use crate::game::rng::Rng;
use crate::game::score::{Score, Window};
use crate::games::reversi::eval::ReversiEvaluator;
use crate::games::reversi::kernel::Kernels;
use crate::games::reversi::policy::cuts::BuiltInCuts;
use crate::games::reversi::policy::{ReversiPolicy, cuts};
use crate::games::reversi::{Reversi, Shape};
use crate::logging::progress::ProgressLine;
use crate::platform::files;
use crate::search::context::Context;
use crate::search::isa::{IsaChoice, with_isa};
use crate::search::levels::{LEVELS, SELECTIVE, Thresholds};
use crate::search::policy::Policy;
use crate::search::prob_cut::{ProbCut, Regression, read_rows};
use crate::search::production::{Mtdf, Production};
use crate::search::schedule::Objective;
use crate::search::stop::SearchControl;
use crate::search::table::{Draft, Table};

#[derive(clap::Args, Debug)]
pub struct LevelsArgs {
    /// Number of midgame positions, and of endgame positions
    #[arg(long, value_name = "N", default_value_t = 1500, value_parser = positive::<usize>)]
    positions: usize,

    /// Search depths of midgame positions
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_values_t = [8u8, 9, 10, 11, 12],
        value_parser = clap::value_parser!(u8).range(4..=14))]
    depths: Vec<u8>,

    /// Random seed of the games
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Fit the levels and print them instead of measuring the current ones
    #[arg(long)]
    fit: bool,

    /// Odd-even correction written by train odd-even (default: built-in; 8x8 Othello)
    #[arg(long, value_name = "FILE")]
    pub odd_even: Option<PathBuf>,

    /// ProbCut model written by train prob-cut (default: built-in)
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,

    /// Measure the levels written by train levels --fit (default: built-in)
    #[arg(long, value_name = "FILE", conflicts_with = "fit")]
    levels: Option<PathBuf>,
}

/// The thresholds of the first round.
const GRID: [f64; SELECTIVE] = [0.4, 0.8, 1.2, 1.7, 2.4, 3.4];
/// Rounds of the fit, including the grid.
const ROUNDS: usize = 2;

/// A position, its search depth, and its full-width value.
struct LevelProblem<S: Shape> {
    position: Reversi<S>,
    depth: u8,
    value: Score,
    nodes: u64,
}

/// The value and the nodes of a search at a level.
type LevelResult = (Score, u64);

/// The results of a level on a set of positions.
#[derive(Clone, Copy, Default, Debug)]
struct Agreement {
    /// The number of positions with the value of the full-width search.
    same: usize,
    /// The number of positions.
    count: usize,
    /// Nodes divided by those of the full-width searches.
    nodes: f64,
}

impl Agreement {
    /// The results on the problems of the given depths.
    fn of<S: Shape>(problems: &[LevelProblem<S>], results: &[LevelResult], wanted: impl Fn(u8) -> bool) -> Agreement {
        let (mut agreement, mut nodes, mut full_nodes) = (Agreement::default(), 0, 0);
        for (problem, result) in problems.iter().zip(results).filter(|(problem, _)| wanted(problem.depth)) {
            agreement.same += usize::from(result.0 == problem.value);
            agreement.count += 1;
            (nodes, full_nodes) = (nodes + result.1, full_nodes + problem.nodes);
        }
        Agreement { nodes: nodes as f64 / full_nodes.max(1) as f64, ..agreement }
    }

    fn share(self) -> f64 {
        self.same as f64 / self.count.max(1) as f64
    }

    /// The standard error of the share.
    fn error(self) -> f64 {
        (self.share() * (1.0 - self.share()) / self.count.max(1) as f64).sqrt()
    }
}

/// Measures or fits the levels of a board with this evaluation; `weights` is the checksum of its weights.
pub fn run<S: Shape, E: ReversiEvaluator<S>>(
    args: &LevelsArgs,
    evaluator: E,
    weights: Option<u64>,
    built_in: BuiltInCuts,
    out: &mut dyn Write,
) -> Result<ExitCode> {
    let text = |file: &Option<PathBuf>, built_in: &str| match file {
        Some(path) => files::read_text(path).with_context(|| path.display().to_string()),
        None => Ok(built_in.into()),
    };
    let named = |file: &Option<PathBuf>| file.as_ref().map_or("built-in".into(), |path| path.display().to_string());
    let rows = read_rows(&text(&args.model, built_in.model)?).with_context(|| named(&args.model))?;
    let levels = Thresholds::read(&text(&args.levels, built_in.levels)?).with_context(|| named(&args.levels))?;
    with_isa!(IsaChoice::Auto, isa => {
        let searches = LevelSearches { args, evaluator, rows, weights, kernel: isa, shape: PhantomData::<S> };
        if args.fit { searches.fit(out) } else { searches.report(&levels, out) }
    })
}

/// The searches with one instruction set.
struct LevelSearches<'a, S, E, K> {
    args: &'a LevelsArgs,
    evaluator: E,
    rows: Vec<Regression>,
    weights: Option<u64>,
    kernel: K,
    shape: PhantomData<S>,
}

impl<S: Shape, E: ReversiEvaluator<S>, K: Kernels> LevelSearches<'_, S, E, K> {
    /// Fits the levels and prints them.
    fn fit(self, out: &mut dyn Write) -> Result<ExitCode> {
        let LevelsArgs { positions, depths, seed, .. } = self.args;
        let mut fitted: Vec<(u8, [f64; SELECTIVE])> = Vec::new();
        for kind in [SearchKind::Midgame, SearchKind::Endgame] {
            let problems = self.problems(kind)?;
            let mut samples = Vec::new();
            let mut rows: Vec<(u8, [f64; SELECTIVE])> = vec![(kind.phases()[0].0, GRID)];
            for _ in 0..ROUNDS {
                let thresholds = Thresholds::new(fitted.iter().chain(&rows).copied());
                let results = self.results(&problems, &thresholds);
                for (level, results) in results.iter().enumerate() {
                    samples.extend(problems.iter().zip(results).map(|(problem, result)| {
                        let sigmas = thresholds.of_phase(kind.phase(problem.depth))[level];
                        let terms = kind.terms(sigmas, level, f64::from(problem.depth));
                        (terms, result.0 == problem.value)
                    }));
                }
                let weights = logistic::fit(&samples);
                rows = kind.phases().iter().map(|&(phase, depth)| (phase, kind.thresholds(&weights, depth))).collect();
            }
            fitted.extend(rows);
        }
        let name = Reversi::<S>::NAME;
        let depths = depths.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
        writeln!(out, "# The selectivity levels of {name}: from this phase on, percent, sigmas.")?;
        writeln!(
            out,
            "# Made by `nullwindow train levels --game {name} --fit --positions {positions} --depths {depths} --seed \
             {seed}`."
        )?;
        write_checksum(self.weights, out)?;
        write!(out, "{}", Thresholds::new(fitted))?;
        Ok(ExitCode::SUCCESS)
    }

    /// Prints the share of full-width values of each level, in total and by depth.
    fn report(self, thresholds: &Thresholds, out: &mut dyn Write) -> Result<ExitCode> {
        for kind in [SearchKind::Midgame, SearchKind::Endgame] {
            let problems = self.problems(kind)?;
            let mut depths: Vec<u8> = problems.iter().map(|problem| problem.depth).collect();
            depths.sort_unstable();
            depths.dedup();
            let results = self.results(&problems, thresholds);
            let what = if kind == SearchKind::Midgame { "midgame, by depth" } else { "endgame, by empties" };
            let head: Vec<String> = depths.iter().map(|depth| format!(" {depth} |")).collect();
            writeln!(out, "| {what} | sigmas | same value | nodes |{}", head.concat())?;
            writeln!(out, "|---|---|---|---|{}", "---|".repeat(depths.len()))?;
            for (level, results) in results.iter().enumerate() {
                let agreement = Agreement::of(&problems, results, |_| true);
                write!(
                    out,
                    "| {} % | {} | {:.1} +- {:.1} % of {} | {:.2} |",
                    LEVELS[level].percent,
                    kind.sigmas(thresholds, level, &depths),
                    100.0 * agreement.share(),
                    100.0 * agreement.error(),
                    agreement.count,
                    agreement.nodes
                )?;
                for &depth in &depths {
                    let column = Agreement::of(&problems, results, |found| found == depth);
                    write!(out, " {:.1} |", 100.0 * column.share())?;
                }
                writeln!(out)?;
            }
            writeln!(out)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Positions of this kind with their values at full width.
    fn problems(&self, kind: SearchKind) -> Result<Vec<LevelProblem<S>>> {
        let policy = ReversiPolicy::<S, _, _>::new(self.evaluator.clone(), self.kernel, None);
        let full = ReversiPolicy::<S, _, _>::new(self.evaluator.clone(), self.kernel, Some(Draft::FULL));
        let mut table = Table::new(HASH);
        let bar = ProgressLine::bar(self.args.positions as u64, "positions");
        let (first, last) = kind.empties(S::COUNT as u32).into_inner();
        let mut problems = Vec::new();
        for game in 0.. {
            if problems.len() >= self.args.positions {
                break;
            }
            let mut rng = Rng::for_stream(self.args.seed, game);
            let empties = first + rng.below(u64::from(last - first) + 1) as u8;
            let depth = match kind {
                SearchKind::Midgame => rng.choose(&self.args.depths).copied().context("--depths is empty")?,
                SearchKind::Endgame => empties,
            };
            let Some(position) = play_to(&policy, &mut table, &mut rng, empties) else { continue };
            // To the end of the game the default schedule, which ends at full width.
            let (value, nodes) = searched(if depth < empties { &full } else { &policy }, &mut table, position, depth);
            problems.push(LevelProblem { position, depth, value, nodes });
            bar.inc();
        }
        drop(bar);
        Ok(problems)
    }

    /// The searches of the problems at each level with these thresholds.
    fn results(&self, problems: &[LevelProblem<S>], thresholds: &Thresholds) -> [Vec<LevelResult>; SELECTIVE] {
        // Leaked: the model of a policy must be static.
        let model: &'static ProbCut = Box::leak(Box::new(cuts::model(self.rows.iter().copied(), thresholds)));
        let mut table = Table::new(HASH);
        let bar = ProgressLine::bar(SELECTIVE as u64, "levels");
        let results = std::array::from_fn(|index| {
            let level = Some(LEVELS[index].number);
            let policy = ReversiPolicy::<S, _, _>::new(self.evaluator.clone(), self.kernel, level).with_model(model);
            let search = |problem: &LevelProblem<S>| searched(&policy, &mut table, problem.position, problem.depth);
            let results = problems.iter().map(search).collect();
            bar.inc();
            results
        });
        drop(bar);
        results
    }
}

/// The value of a position and the nodes of its search, deepening from an empty table as `go depth N` does.
fn searched<S: Shape, E: ReversiEvaluator<S>, K: Kernels>(
    policy: &ReversiPolicy<S, E, K>,
    table: &mut Table,
    position: Reversi<S>,
    depth: u8,
) -> LevelResult {
    table.clear();
    let control = SearchControl::default();
    let mut search = Production::<Mtdf, _>::new(position, Context::new(policy, Some(table), &control));
    let moves = position.moves();
    let mut guess = Score::ZERO;
    for iteration in policy.schedule(&position, depth, Objective::Proof) {
        let value = search.value(iteration, guess, Window::FULL, &moves, &mut |_, _| ());
        guess = value.map_or(guess, |(score, _)| score); // the search is never stopped
    }
    (guess, search.cx.counters.nodes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::reversi::Six;
    use crate::games::reversi::eval::mobility::Mobility;
    use crate::games::reversi::policy::endgame_phase;

    fn arguments(fit: bool) -> LevelsArgs {
        let (depths, seed) = (vec![4, 5], 3);
        LevelsArgs { positions: 4, depths, seed, fit, odd_even: None, model: None, levels: None }
    }

    fn output(args: &LevelsArgs, built_in: BuiltInCuts) -> Result<String> {
        let mut out = Vec::new();
        run::<Six, _>(args, Mobility, Some(0xab), built_in, &mut out)?;
        Ok(String::from_utf8(out)?)
    }

    #[test]
    fn a_fit_can_be_read_and_is_the_same_each_time() {
        let text = output(&arguments(true), cuts::SIX).unwrap();
        assert!(text.contains("# weights 00000000000000ab"), "{text}");
        let fitted = Thresholds::read(&text).unwrap();
        assert_ne!(fitted.of_phase(0), fitted.of_phase(endgame_phase(20) as u8));
        assert_eq!(output(&arguments(true), cuts::SIX).unwrap(), text);
    }

    #[test]
    fn a_report_has_a_row_for_each_level_and_broken_files_are_refused() {
        let text = output(&arguments(false), cuts::SIX).unwrap();
        assert_eq!(text.lines().filter(|line| line.contains("% of 4 |")).count(), 2 * SELECTIVE, "{text}");
        // With thresholds that nothing passes every level is full width.
        let high = Thresholds::new([(0, [91.0, 92.0, 93.0, 94.0, 95.0, 96.0])]).to_string();
        let text = output(&arguments(false), BuiltInCuts { levels: high.leak(), ..cuts::SIX }).unwrap();
        assert_eq!(text.lines().filter(|line| line.contains("100.0 +- 0.0 % of 4")).count(), 2 * SELECTIVE, "{text}");
        for built_in in [BuiltInCuts { levels: "0 73", ..cuts::SIX }, BuiltInCuts { model: "1 2 3", ..cuts::SIX }] {
            let error = format!("{:#}", output(&arguments(false), built_in).unwrap_err());
            assert!(error.starts_with("built-in: invalid row \""), "{error}");
        }
    }

    #[test]
    fn the_error_of_a_share_is_binomial() {
        let agreement = Agreement { same: 75, count: 100, nodes: 0.5 };
        assert!((agreement.share() - 0.75).abs() < 1e-12 && (agreement.error() - 0.0433).abs() < 1e-4);
    }
}
