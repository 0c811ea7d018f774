//! `nullwindow lab train levels`: measures how often a search at each selectivity level returns the
//! value of a full-width search. With `--fit`, it fits the thresholds in sigmas so that each level
//! reaches its percentage ([`Thresholds`]).
//!
//! Positions of strong games ([`super::samples`]) are searched as `go depth N` does: before the end
//! of the game to several depths at every level and at full width, and near the end of the game to
//! the end, where each level follows the lower ones of the schedule. Searches before the end are
//! fitted first, then those to the end, whose shallow searches are of the first kind
//! ([`SearchKind`]). The first round measures a grid of thresholds, the next rounds the thresholds
//! proposed by a logistic regression.

use std::io::Write;
use std::marker::PhantomData;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{Result, bail};

use super::fit_odd_even::corrected;
use super::least_squares::{dot, log_odds, logistic_fit};
use super::samples::{GameStyle, HASH, play_to};
use super::selfplay::{Found, search};
use super::{load, only_for};
use crate::game::Game;
use crate::game::rng::Rng;
use crate::game::score::Score;
use crate::games::reversi::endgame::middle::MIDDLE;
use crate::games::reversi::eval::ReversiEvaluator;
use crate::games::reversi::eval::mobility::Mobility;
use crate::games::reversi::kernel::Kernels;
use crate::games::reversi::policy::cuts::BuiltInCuts;
use crate::games::reversi::policy::{
    ENDGAME_PHASE, ENDGAME_PHASES, ReversiPolicy, cuts, endgame_phase,
};
use crate::games::reversi::{Eight, Othello, Othello6, Reversi, Shape, Six};
use crate::lab::mean_and_error;
use crate::logging::progress::ProgressLine;
use crate::search::core::isa::{IsaChoice, with_isa};
use crate::search::core::policy::Policy;
use crate::search::fitted::{self, WEIGHTS};
use crate::search::levels::{self, LEVELS, SELECTIVE, TITLE, Thresholds};
use crate::search::prob_cut::{ProbCut, Regression, read_rows};
use crate::search::schedule::Objective;
use crate::search::table::{Draft, Table};
use crate::setup::{GAME, Setup, positive, uses};

#[derive(clap::Args, Debug)]
#[command(args = uses(&[GAME, &["EvalFile", "Debug Log File"]]), after_help = "Games: othello and othello6.")]
pub struct Args {
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

    /// Odd-even correction written by lab train odd-even (default: built-in; 8x8 Othello)
    #[arg(long, value_name = "FILE")]
    odd_even: Option<PathBuf>,

    /// ProbCut model written by lab train prob-cut (default: built-in)
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,

    /// Measure the levels written by lab train levels --fit (default: built-in)
    #[arg(long, value_name = "FILE", conflicts_with = "fit")]
    levels: Option<PathBuf>,
}

/// The minimum and maximum proposed threshold.
const RANGE: RangeInclusive<f64> = 0.05..=5.0;

/// The kind of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SearchKind {
    /// A midgame search.
    Midgame,
    /// A search to the end of the game.
    Endgame,
}

impl SearchKind {
    /// The first phase with separate thresholds for a search of this depth.
    fn phase(self, depth: u8) -> u8 {
        match self {
            SearchKind::Midgame => 0,
            SearchKind::Endgame => endgame_phase(depth) as u8,
        }
    }

    /// The phases to fit, each with the mean depth of its searches if relevant.
    fn phases(self) -> Vec<(u8, f64)> {
        match self {
            SearchKind::Midgame => vec![(0, 0.0)],
            SearchKind::Endgame => {
                // Two depths a phase: 11 and 12, 13 and 14, and so on (`endgame_phase`).
                (0..ENDGAME_PHASES)
                    .map(|index| ((ENDGAME_PHASE + index) as u8, 11.5 + 2.0 * index as f64))
                    .collect()
            }
        }
    }

    /// The thresholds of a level for searches of these depths, increasing: one, or the first and
    /// the last.
    fn sigmas(self, thresholds: &Thresholds, level: usize, depths: &[u8]) -> String {
        let of_depth = |depth| thresholds.of_phase(self.phase(depth))[level];
        let [first, last] = [depths[0], depths[depths.len() - 1]].map(of_depth);
        if first == last {
            format!("{first:.2}")
        } else {
            format!("{first:.2} to {last:.2}")
        }
    }

    /// The terms of the odds that a search with these thresholds returns the full-width value.
    /// Midgame searches reduce late moves at low levels; in searches to the end the number of plies
    /// with cuts matters: measurements.md#levels.
    fn terms(self, sigmas: f64, level: usize, depth: f64) -> [f64; 4] {
        match self {
            SearchKind::Midgame => [
                1.0,
                sigmas,
                sigmas * sigmas,
                f64::from(LEVELS[level].number <= levels::DEFAULT.number),
            ],
            SearchKind::Endgame => [1.0, sigmas, (depth - f64::from(MIDDLE)).max(1.0).ln(), 0.0],
        }
    }

    /// The thresholds of the levels at this depth, with these weights of the terms.
    fn thresholds(self, weights: &[f64; 4], depth: f64) -> [f64; SELECTIVE] {
        rising(std::array::from_fn(|level| {
            let wanted = log_odds(f64::from(LEVELS[level].percent) / 100.0);
            let (mut low, mut high) = RANGE.into_inner();
            while high - low > 1e-6 {
                let middle = f64::midpoint(low, high);
                let found = dot(weights, &self.terms(middle, level, depth));
                *if found < wanted { &mut low } else { &mut high } = middle;
            }
            high
        }))
    }

    /// The range of empties of its positions on a board with this many squares.
    const fn empties(self, squares: u32) -> RangeInclusive<u8> {
        match (self, squares) {
            (SearchKind::Midgame, 64) => 20..=44,
            (SearchKind::Midgame, _) => 15..=26,
            (SearchKind::Endgame, _) => 14..=24,
        }
    }
}

/// Raises the numbers so that each exceeds the previous one by at least 0.01.
fn rising(sigmas: [f64; SELECTIVE]) -> [f64; SELECTIVE] {
    let mut least = 0.0;
    sigmas.map(|sigmas| {
        least = sigmas.max(least + 0.01);
        least
    })
}

/// The thresholds of the first round.
const GRID: [f64; SELECTIVE] = [0.4, 0.8, 1.2, 1.7, 2.4, 3.4];
/// Rounds of the fit, including the grid.
const ROUNDS: usize = 2;

/// A position, its search depth, and the result of its full-width search.
struct LevelProblem<S: Shape> {
    position: Reversi<S>,
    depth: u8,
    full: Found,
}

/// Measures or fits the levels of the selected board.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let options = setup.options()?;
    only_for(
        Othello::NAME,
        options.game,
        &[("--odd-even", args.odd_even.is_some())],
    )?;
    match options.game {
        Othello::NAME => {
            let evaluator = corrected(&options, args.odd_even.as_deref())?;
            let weights = Some(evaluator.id());
            run_board::<Eight, _>(args, evaluator, weights, cuts::EIGHT, out)
        }
        Othello6::NAME => run_board::<Six, _>(args, Mobility, None, cuts::SIX, out),
        other => bail!(
            "{other} has no fitted levels: expected {} or {}",
            Othello::NAME,
            Othello6::NAME
        ),
    }
}

/// Measures or fits the levels of a board with this evaluation; `weights` is the checksum of its
/// weights.
fn run_board<S: Shape, E: ReversiEvaluator<S>>(
    args: &Args,
    evaluator: E,
    weights: Option<u64>,
    built_in: BuiltInCuts,
    out: &mut dyn Write,
) -> Result<bool> {
    let rows = load(args.model.as_deref(), built_in.model, read_rows)?;
    let levels = load(args.levels.as_deref(), built_in.levels, Thresholds::read)?;
    with_isa!(IsaChoice::Auto, isa => {
        let searches = LevelSearches { args, evaluator, rows, kernel: isa, shape: PhantomData::<S> };
        if args.fit {
            write_levels(args, Reversi::<S>::NAME, weights, &searches.fit(), out)
        } else {
            searches.report(&levels, out)
        }
    })?;
    Ok(true)
}

/// Writes the file of fitted levels.
fn write_levels(
    args: &Args,
    game: &str,
    weights: Option<u64>,
    levels: &Thresholds,
    out: &mut dyn Write,
) -> Result<()> {
    let Args {
        positions,
        depths,
        seed,
        ..
    } = args;
    let depths = depths
        .iter()
        .map(u8::to_string)
        .collect::<Vec<_>>()
        .join(",");
    let made_by = format!(
        "nullwindow lab train levels --game {game} --fit --positions {positions} --depths {depths} --seed {seed}"
    );
    let (title, columns) = (
        format!("{TITLE} of {game}"),
        "from this phase on, percent, sigmas",
    );
    let text = fitted::write(
        &title,
        &made_by,
        &[(WEIGHTS, weights)],
        columns,
        levels.rows(),
    );
    Ok(out.write_all(text.as_bytes())?)
}

/// The searches with one instruction set.
struct LevelSearches<'a, S, E, K> {
    args: &'a Args,
    evaluator: E,
    rows: Vec<Regression>,
    kernel: K,
    shape: PhantomData<S>,
}

impl<S: Shape, E: ReversiEvaluator<S>, K: Kernels> LevelSearches<'_, S, E, K> {
    /// Fits the levels.
    fn fit(&self) -> Thresholds {
        let mut fitted: Vec<(u8, [f64; SELECTIVE])> = Vec::new();
        for kind in [SearchKind::Midgame, SearchKind::Endgame] {
            let problems = self.problems(kind);
            let mut samples = Vec::new();
            let mut rows: Vec<(u8, [f64; SELECTIVE])> = vec![(kind.phases()[0].0, GRID)];
            for _ in 0..ROUNDS {
                let thresholds = Thresholds::new(fitted.iter().chain(&rows).copied());
                for (level, results) in self.results(&problems, &thresholds).iter().enumerate() {
                    samples.extend(problems.iter().zip(results).map(|(problem, result)| {
                        let sigmas = thresholds.of_phase(kind.phase(problem.depth))[level];
                        let terms = kind.terms(sigmas, level, f64::from(problem.depth));
                        (terms, result.score == problem.full.score)
                    }));
                }
                let weights = logistic_fit(&samples);
                rows = kind
                    .phases()
                    .iter()
                    .map(|&(phase, depth)| (phase, kind.thresholds(&weights, depth)))
                    .collect();
            }
            fitted.extend(rows);
        }
        Thresholds::new(fitted)
    }

    /// Prints the share of full-width values of each level, in total and by depth.
    fn report(&self, thresholds: &Thresholds, out: &mut dyn Write) -> Result<()> {
        for kind in [SearchKind::Midgame, SearchKind::Endgame] {
            let problems = self.problems(kind);
            let mut depths: Vec<u8> = problems.iter().map(|problem| problem.depth).collect();
            depths.sort_unstable();
            depths.dedup();
            let full_nodes: u64 = problems.iter().map(|problem| problem.full.nodes).sum();
            let what = if kind == SearchKind::Midgame {
                "midgame, by depth"
            } else {
                "endgame, by empties"
            };
            let head: Vec<String> = depths.iter().map(|depth| format!(" {depth} |")).collect();
            writeln!(
                out,
                "| {what} | sigmas | same value | nodes |{}",
                head.concat()
            )?;
            writeln!(out, "|---|---|---|---|{}", "---|".repeat(depths.len()))?;
            for (level, results) in self.results(&problems, thresholds).iter().enumerate() {
                // The share of positions with the value of the full-width search, and its standard
                // error.
                let agreement = |depths: &[u8]| {
                    let same: Vec<f64> = problems
                        .iter()
                        .zip(results)
                        .filter(|(problem, _)| depths.contains(&problem.depth))
                        .map(|(problem, found)| u8::from(found.score == problem.full.score).into())
                        .collect();
                    mean_and_error(&same, same.len())
                };
                let (share, error) = agreement(&depths);
                let nodes: u64 = results.iter().map(|found| found.nodes).sum();
                write!(
                    out,
                    "| {} % | {} | {:.1} +- {:.1} % of {} | {:.2} |",
                    LEVELS[level].percent,
                    kind.sigmas(thresholds, level, &depths),
                    100.0 * share,
                    100.0 * error,
                    problems.len(),
                    nodes as f64 / full_nodes.max(1) as f64
                )?;
                for depth in &depths {
                    write!(out, " {:.1} |", 100.0 * agreement(&[*depth]).0)?;
                }
                writeln!(out)?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// The policy at a selectivity level; by default that of the schedule.
    fn policy(&self, level: Option<u8>) -> ReversiPolicy<S, E, K> {
        ReversiPolicy::new(self.evaluator.clone(), self.kernel, level)
    }

    /// Positions of this kind with their values at full width.
    fn problems(&self, kind: SearchKind) -> Vec<LevelProblem<S>> {
        let (policy, full) = (self.policy(None), self.policy(Some(Draft::FULL)));
        let mut table = Table::new(HASH);
        let Args {
            positions,
            depths,
            seed,
            ..
        } = self.args;
        let bar = ProgressLine::bar(*positions as u64, "positions");
        let (first, last) = kind.empties(S::COUNT as u32).into_inner();
        let mut problems = Vec::new();
        for game in 0.. {
            if problems.len() >= *positions {
                break;
            }
            let mut rng = Rng::for_stream(*seed, game);
            let empties = first + rng.below(u64::from(last - first) + 1) as u8;
            let depth = match kind {
                SearchKind::Midgame => depths[rng.below(depths.len() as u64) as usize],
                SearchKind::Endgame => empties,
            };
            let Some(position) = play_to(&policy, &mut table, &mut rng, GameStyle::STRONG, empties)
            else {
                continue;
            };
            // To the end of the game the default schedule, which ends at full width.
            let full = searched(
                if depth < empties { &full } else { &policy },
                &mut table,
                position,
                depth,
                Objective::Proof,
            );
            problems.push(LevelProblem {
                position,
                depth,
                full,
            });
            bar.inc();
        }
        problems
    }

    /// The searches of the problems at each level with these thresholds.
    fn results(
        &self,
        problems: &[LevelProblem<S>],
        thresholds: &Thresholds,
    ) -> [Vec<Found>; SELECTIVE] {
        // Leaked: the model of a policy must be static.
        let model: &'static ProbCut =
            Box::leak(Box::new(cuts::model(self.rows.iter().copied(), thresholds)));
        let mut table = Table::new(HASH);
        let bar = ProgressLine::bar(SELECTIVE as u64, "levels");
        std::array::from_fn(|index| {
            let policy = self.policy(Some(LEVELS[index].number)).with_model(model);
            let search = |problem: &LevelProblem<S>| {
                searched(
                    &policy,
                    &mut table,
                    problem.position,
                    problem.depth,
                    Objective::BestMove,
                )
            };
            let results = problems.iter().map(search).collect();
            bar.inc();
            results
        })
    }
}

/// Searches a position from an empty table as `go depth N` does.
fn searched<P: Policy>(
    policy: &P,
    table: &mut Table,
    position: P::Game,
    depth: u8,
    objective: Objective,
) -> Found {
    table.clear();
    let schedule = policy.schedule(&position, depth, objective);
    search(policy, table, position, schedule, Score::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(fit: bool, built_in: BuiltInCuts) -> Result<String> {
        let (depths, seed) = (vec![4, 5], 3);
        let args = Args {
            positions: 4,
            depths,
            seed,
            fit,
            odd_even: None,
            model: None,
            levels: None,
        };
        let mut out = Vec::new();
        run_board::<Six, _>(&args, Mobility, Some(0xab), built_in, &mut out)?;
        Ok(String::from_utf8(out)?)
    }

    #[test]
    fn a_fit_can_be_read_and_is_the_same_each_time() {
        let text = output(true, cuts::SIX).unwrap();
        assert!(text.contains("\nweights: 00000000000000ab\n"), "{text}");
        let fitted = Thresholds::read(&text).unwrap();
        assert_ne!(fitted.of_phase(0), fitted.of_phase(endgame_phase(20) as u8));
        assert_eq!(output(true, cuts::SIX).unwrap(), text);
    }

    #[test]
    fn a_report_has_a_row_for_each_level_and_broken_files_are_refused() {
        let text = output(false, cuts::SIX).unwrap();
        assert_eq!(
            text.lines()
                .filter(|line| line.contains("% of 4 |"))
                .count(),
            2 * SELECTIVE,
            "{text}"
        );
        // With thresholds that nothing passes every level is full width.
        let high = Thresholds::new([(0, [91.0, 92.0, 93.0, 94.0, 95.0, 96.0])]);
        let high = fitted::write(TITLE, "a test", &[], "-", high.rows());
        let text = output(
            false,
            BuiltInCuts {
                levels: high.leak(),
                ..cuts::SIX
            },
        )
        .unwrap();
        assert_eq!(
            text.lines()
                .filter(|line| line.contains("100.0 +- 0.0 % of 4"))
                .count(),
            2 * SELECTIVE,
            "{text}"
        );
        for built_in in [
            BuiltInCuts {
                levels: "title: selectivity levels\n0 73",
                ..cuts::SIX
            },
            BuiltInCuts {
                model: "title: ProbCut model\n1 2 3",
                ..cuts::SIX
            },
        ] {
            let error = format!("{:#}", output(false, built_in).unwrap_err());
            assert!(
                error.starts_with("built-in: line 2: invalid row \""),
                "{error}"
            );
        }
    }

    #[test]
    fn endgame_phases_have_two_depths_each() {
        let phases = SearchKind::Endgame.phases();
        let of_depth = |depth: f64| SearchKind::Endgame.phase(depth as u8);
        assert!(
            phases.iter().all(
                |&(phase, mean)| of_depth(mean - 0.5) == phase && of_depth(mean + 0.5) == phase
            )
        );
        let last = phases[phases.len() - 1];
        assert_eq!(
            (SearchKind::Endgame.phase(4), SearchKind::Endgame.phase(60)),
            (phases[0].0, last.0)
        );
    }

    #[test]
    fn thresholds_solve_the_model() {
        let weights = [2.0, 1.8, -1.3, 0.0];
        for depth in [20.0, 30.0] {
            for (level, sigmas) in SearchKind::Endgame
                .thresholds(&weights, depth)
                .into_iter()
                .enumerate()
            {
                let terms = SearchKind::Endgame.terms(sigmas, level, depth);
                let share = 1.0 / (1.0 + (-dot(&weights, &terms)).exp());
                assert!(
                    (100.0 * share - f64::from(LEVELS[level].percent)).abs() < 0.01,
                    "{level} {share}"
                );
            }
        }
    }

    #[test]
    fn thresholds_rise() {
        let found = rising([0.5, 0.4, 1.0, 1.0, 2.0, 3.0]);
        assert!(
            found.is_sorted_by(|a, b| a < b) && found[0] == 0.5 && found[5] == 3.0,
            "{found:?}"
        );
    }
}
