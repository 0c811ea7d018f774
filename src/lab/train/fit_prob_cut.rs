//! `nullwindow lab train prob-cut`: fits the ProbCut model (M. Buro, 1995 and 1997) to full-width
//! searches.
//!
//! Positions ([`super::samples`]) are searched to every depth up to a limit and, near the end of
//! the game, solved. Each pair of depths is fitted by linear regression ([`Relation::fit`]). For
//! deeper pairs, and for those with few samples, sigma is that of
//! `ln sigma = p + q shallow + r depth`; slope and offset of deeper pairs are those of the deepest
//! measured pair with the same parities.
//!
//! The margin of exact searches is the standard deviation of the shallow value from the static
//! value. In the midgame it is 0: a cut requires that both values reach the threshold.

use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{Result, bail, ensure};

use super::fit_odd_even::corrected;
use super::least_squares::{NormalEquations, dot};
use super::only_for;
use super::samples::{DepthValues, MIN_SOLVED_EMPTIES, SamplePlan};
use crate::game::Game;
use crate::games::reversi::eval::mobility::Mobility;
use crate::games::reversi::policy::{self, ENDGAME_PHASE};
use crate::games::reversi::{Eight, Othello, Othello6, Six};
use crate::games::score_four::{ScoreFour, policy as score_four};
use crate::games::spec::GameSpec;
use crate::search::fitted::{self, WEIGHTS};
use crate::search::prob_cut::{Regression, Relation, TITLE, read_rows};
use crate::setup::{EVAL, GAME, Setup, positive, uses};

#[derive(clap::Args, Debug)]
#[command(args = uses(&[GAME, EVAL]), after_help = "Games: othello, othello6 and scorefour.")]
pub struct Args {
    /// Number of positions per phase of the game
    #[arg(long, value_name = "N", default_value_t = 150, value_parser = positive::<usize>)]
    positions: usize,

    /// Maximum search depth
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u8).range(6..=16))]
    depth: u8,

    /// Othello: also solve positions with at most N empties [default: 17]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(14..=24))]
    empties: Option<u8>,

    /// Random seed of the games
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Odd-even correction written by lab train odd-even (default: built-in; 8x8 Othello)
    #[arg(long, value_name = "FILE")]
    odd_even: Option<PathBuf>,
}

impl Args {
    /// The maximum number of empties of solved positions.
    fn solved(&self) -> u8 {
        self.empties.unwrap_or(17)
    }
}

/// Midgame rows are written up to this depth.
const MAX_MIDGAME_DEPTH: u8 = 24;
const MAX_SCORE_FOUR_DEPTH: u8 = 20;
/// Endgame rows are written up to this number of empties.
const MAX_ENDGAME_EMPTIES: u8 = 40;

/// The minimum number of samples to use the sigma of a pair of depths; below it, the less accurate
/// model of all pairs is used: measurements.md#prob-cut.
const MIN_PAIRS: usize = 50;

/// The depth of the shallow search for a midgame cut at `depth`: about half of it, with the same
/// parity.
fn shallow_of(depth: u8) -> u8 {
    match depth / 4 * 2 + depth % 2 {
        shallow if shallow + 2 > depth => depth - 2,
        0 => depth - 2,
        shallow => shallow,
    }
}

/// The depth of the shallow search for a cut of an exact search with this many empties.
fn shallow_of_endgame(empties: u8) -> u8 {
    (empties / 6 * 2).max(2)
}

/// Fits the model of the selected game and prints it. Decided scores of Score Four are left out
/// because they are not evaluations.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let options = setup.options()?;
    let game = options.game;
    only_for(
        Othello::NAME,
        game,
        &[("--odd-even", args.odd_even.is_some())],
    )?;
    if game == ScoreFour::NAME && args.empties.is_some() {
        bail!("--empties does not apply to {game}");
    }
    let Args {
        positions,
        depth,
        seed,
        ..
    } = *args;
    let solved = args.solved();
    let plan = SamplePlan {
        positions,
        depth,
        solved,
        random_last_move: false,
        seed,
    };
    let mut weights = None;
    let samples = match game {
        Othello::NAME => {
            let evaluator = corrected(&options, args.odd_even.as_deref())?;
            weights = Some(evaluator.id());
            plan.reversi::<Eight, _>(evaluator)
        }
        Othello6::NAME => plan.reversi::<Six, _>(Mobility),
        ScoreFour::NAME => plan.score_four(
            ScoreFour::evaluator(options.settings.weights.as_ref()),
            options.settings.isa,
        ),
        other => {
            let [one, two, three] = [Othello::NAME, Othello6::NAME, ScoreFour::NAME];
            bail!("{other} has no ProbCut model: expected {one}, {two} or {three}")
        }
    };
    let (depths, empties) = if game == ScoreFour::NAME {
        (score_four::CUT_DEPTH..=MAX_SCORE_FOUR_DEPTH, String::new())
    } else {
        (
            policy::CUT_DEPTH..=MAX_MIDGAME_DEPTH,
            format!(" --empties {solved}"),
        )
    };
    let of_phase = |phase| {
        let samples: Vec<&DepthValues> = samples
            .iter()
            .filter(|sample| sample.phase == phase)
            .collect();
        midgame_rows(phase, &samples, depth, depths.clone())
    };
    let rows = (0..ENDGAME_PHASE)
        .flat_map(of_phase)
        .chain(endgame_rows(&samples, args));
    let made_by = format!(
        "nullwindow lab train prob-cut --game {game} --positions {positions} --depth {depth}{empties} --seed {seed}"
    );
    let columns = "phase, depth, shallow, slope, offset, sigma, margin";
    let text = fitted::write(
        &format!("{TITLE} of {game}"),
        &made_by,
        &[(WEIGHTS, weights)],
        columns,
        rows,
    );
    let is_usable = read_rows(&text).is_ok_and(|rows| !rows.is_empty());
    ensure!(
        is_usable,
        "--positions {positions}: too few positions for a usable model"
    );
    out.write_all(text.as_bytes())?;
    Ok(true)
}

/// The relation of the pairs of values that `of` selects.
fn relation<'s>(
    samples: impl IntoIterator<Item = &'s DepthValues>,
    of: impl Fn(&DepthValues) -> Option<(f64, f64)>,
) -> Option<Relation> {
    Relation::fit(&samples.into_iter().filter_map(of).collect::<Vec<_>>())
}

/// Fits the model `ln sigma = p + q shallow + r depth` to the relations of these pairs
/// `(depth, shallow)` that have one; returns sigma by depth and shallow depth.
fn sigma_model(
    pairs: impl Iterator<Item = (u8, u8)>,
    relation: impl Fn(u8, u8) -> Option<Relation>,
) -> impl Fn(u8, u8) -> f64 {
    let terms = |depth: u8, shallow: u8| [1.0, f64::from(shallow), f64::from(depth)];
    let mut sums = NormalEquations::default();
    for (depth, shallow) in pairs {
        if let Some(Relation { sigma, .. }) = relation(depth, shallow) {
            sums.add(&terms(depth, shallow), sigma.max(1.0).ln());
        }
    }
    let weights = sums.solve();
    move |depth, shallow| dot(&weights, &terms(depth, shallow)).exp()
}

/// The midgame rows of a phase for these depths; searches were made up to depth `measured`.
fn midgame_rows(
    phase: usize,
    samples: &[&DepthValues],
    measured: u8,
    depths: RangeInclusive<u8>,
) -> Vec<Regression> {
    let relation = |depth: u8, shallow: u8| {
        relation(samples.iter().copied(), |sample| {
            Some((sample.at(shallow)?, sample.at(depth)?))
        })
    };
    let of_parity = |depth| {
        (depth % 2..depth)
            .step_by(2)
            .map(move |shallow| (depth, shallow))
    };
    let sigma = sigma_model((2..=measured).flat_map(of_parity), relation);
    let mut rows: Vec<Regression> = Vec::new();
    for depth in depths {
        let shallow = shallow_of(depth);
        let direct = relation(depth, shallow);
        let extrapolated = || {
            rows.iter()
                .rev()
                .find(|row| row.depth % 2 == depth % 2)
                .map(|row| row.relation)
        };
        let Some(mut relation) = direct.or_else(extrapolated) else {
            continue;
        };
        let pairs = samples
            .iter()
            .filter(|sample| sample.at(depth).is_some())
            .count();
        if direct.is_none() || pairs < MIN_PAIRS {
            relation.sigma = sigma(depth, shallow);
        }
        rows.push(Regression {
            phase: phase as u8,
            depth,
            shallow,
            relation,
            margin: 0.0, // tuned: see measurements.md#static-values
        });
    }
    rows
}

/// The rows of exact searches.
fn endgame_rows(samples: &[DepthValues], args: &Args) -> Vec<Regression> {
    let solved = args.solved();
    let within = |empties: RangeInclusive<u8>| {
        samples
            .iter()
            .filter(move |sample| empties.contains(&sample.empties))
    };
    // The relation of exact values to those of a shallow depth, over these empties.
    let exact = |empties: RangeInclusive<u8>, shallow: u8| {
        relation(within(empties), |sample| {
            Some((sample.at(shallow)?, sample.exact?))
        })
    };
    let even = |empties| {
        (0..=args.depth)
            .step_by(2)
            .map(move |shallow| (empties, shallow))
    };
    let sigma = sigma_model(
        (MIN_SOLVED_EMPTIES..=solved).flat_map(even),
        |empties, shallow| exact(empties..=empties, shallow),
    );
    // The deviation of shallow searches from the static value.
    let all = MIN_SOLVED_EMPTIES..=solved + 6;
    let depths = (2..=args.depth).step_by(2).map(|depth| (depth, 0));
    let margin = sigma_model(depths, |depth, _| {
        relation(within(all.clone()), |sample| {
            Some((sample.at(0)?, sample.at(depth)?))
        })
    });
    let row = |depth| {
        let shallow = shallow_of_endgame(depth);
        let measured = shallow.min(args.depth / 2 * 2);
        // Slope and offset hardly depend on the empties: one fit per shallow depth. Sigma is not
        // extrapolated beyond the solved positions, since it may stop falling.
        let relation = Relation {
            sigma: sigma(depth.min(solved), shallow),
            ..exact(all.clone(), measured)?
        };
        Some(Regression {
            phase: ENDGAME_PHASE as u8,
            depth,
            shallow,
            relation,
            margin: margin(measured, 0),
        })
    };
    (MIN_SOLVED_EMPTIES..=MAX_ENDGAME_EMPTIES)
        .filter_map(row)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sigma_model_recovers_its_parameters() {
        let sigma = |depth: u8, shallow: u8| {
            (5.0 - 0.2 * f64::from(shallow) + 0.1 * f64::from(depth)).exp()
        };
        let pairs = (4..9).flat_map(|depth| (0..depth).map(move |shallow| (depth, shallow)));
        let relation = |depth, shallow| {
            Some(Relation {
                slope: 1.0,
                offset: 0.0,
                sigma: sigma(depth, shallow),
            })
        };
        let found = sigma_model(pairs, relation)(12, 6);
        assert!((found - sigma(12, 6)).abs() < 0.01, "{found}");
    }

    #[test]
    fn shallow_depths_are_smaller_and_have_the_same_parity() {
        for depth in 4..40 {
            assert!(shallow_of(depth) < depth && (depth - shallow_of(depth)).is_multiple_of(2));
            assert!(shallow_of_endgame(depth) < depth);
        }
        assert_eq!([4, 5, 6, 7, 8, 12].map(shallow_of), [2, 3, 2, 3, 4, 6]);
    }
}
