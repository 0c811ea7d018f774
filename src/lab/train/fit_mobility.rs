//! `nullwindow lab train mobility`: least-squares fit of the mobility evaluation
//! ([`crate::games::reversi::eval::mobility`]) to the results of Othello self-play.
//!
//! The samples are one position per game with a random number of 12 to 17 empties (two if a side
//! passes there). The target is the result in tenths of a disc. Prints two sets of weights: with
//! the feature of stable edge discs, and without it for boards that have no edge table.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, ensure};

use crate::game::rng::Rng;
use crate::games::reversi::kernel::spread;
use crate::games::reversi::stability::edge_balance;
use crate::games::reversi::{Eight, Othello, Shape};
use crate::setup::uses;

use super::game_file;
use super::least_squares::{NormalEquations, dot};
use super::training_game::TrainingGame;

#[derive(clap::Args, Debug)]
#[command(args = uses(&[]))]
pub struct Args {
    /// Othello files written by nullwindow lab selfplay
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

const FEATURES: usize = 9;

/// The names of the features, from the point of view of the side to move; the last is the constant.
const FEATURE_NAMES: [&str; FEATURES] = [
    "own moves",
    "opponent's moves",
    "own corner moves",
    "opponent's corner moves",
    "own frontier",
    "opponent's frontier",
    "stable edge discs",
    "corners",
    "(side to move)",
];

/// The index of the feature of stable edge discs.
const STABLE_EDGES: usize = 6;

/// Positions have 12 to 17 empties.
const EMPTIES: std::ops::Range<u32> = 12..18;

/// Fits both sets of weights and prints them.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<bool> {
    let mut fit = MobilityFit::default();
    let mut rng = Rng::new(1);
    for file in &args.files {
        let mut wanted = EMPTIES.start;
        game_file::read(file, Othello::NUMBER, |record| {
            if record.first {
                wanted = EMPTIES.start + rng.below(EMPTIES.len() as u64) as u32;
            }
            let position: Othello = record.position();
            if position.empty().count_ones() == wanted {
                fit.add(&position, record.result);
            }
        })?;
    }
    ensure!(
        fit.count > 0,
        "no position with 12 to 17 empties in these files"
    );
    for (title, equations) in [
        ("all terms", fit.equations),
        ("without stable edge discs", fit.without_edges()),
    ] {
        let weights = equations.solve();
        writeln!(
            out,
            "{title}: {} positions, root mean square error {:.1} discs",
            fit.count,
            fit.error(&equations, &weights)
        )?;
        for (name, weight) in FEATURE_NAMES.iter().zip(weights) {
            writeln!(out, "  {name:24} {weight:7.1}")?;
        }
    }
    Ok(true)
}

/// The sums of the fit.
#[derive(Default)]
struct MobilityFit {
    equations: NormalEquations<FEATURES>,
    /// Sum of the squared targets.
    squares: f64,
    count: u32,
}

impl MobilityFit {
    /// Adds a position with its result in discs.
    fn add(&mut self, position: &Othello, result: i8) {
        let target = 10.0 * f64::from(result);
        self.equations.add(&features(position), target);
        self.squares += target * target;
        self.count += 1;
    }

    /// The normal equations with the feature of stable edge discs set to zero.
    fn without_edges(&self) -> NormalEquations<FEATURES> {
        let mut equations = self.equations;
        equations
            .terms
            .iter_mut()
            .for_each(|row| row[STABLE_EDGES] = 0.0);
        (
            equations.terms[STABLE_EDGES],
            equations.target[STABLE_EDGES],
        ) = ([0.0; FEATURES], 0.0);
        equations
    }

    /// The root mean square error in discs.
    fn error(&self, equations: &NormalEquations<FEATURES>, weights: &[f64; FEATURES]) -> f64 {
        let explained = dot(weights, &equations.target);
        ((self.squares - explained).max(0.0) / f64::from(self.count)).sqrt() / 10.0
    }
}

/// The features of a position.
fn features(position: &Othello) -> [f64; FEATURES] {
    let (player, opponent) = (position.player, position.opponent);
    let (moves, replies) = (position.legal(), position.passed().legal());
    let frontier = spread(position.empty());
    let mut edges = [0; 2];
    for (first, step) in [(0, 1), (56, 1), (0, 8), (7, 8)] {
        let edge = |discs: u64| {
            (0..8).fold(0, |edge, at| {
                edge | ((discs >> (first + step * at) & 1) as usize) << at
            })
        };
        let (stable, corners) = edge_balance(edge(player), edge(opponent));
        edges = [edges[0] + stable, edges[1] + corners];
    }
    let count = |squares: u64| f64::from(squares.count_ones());
    [
        count(moves),
        -count(replies),
        count(moves & Eight::CORNERS),
        -count(replies & Eight::CORNERS),
        -count(frontier & player),
        count(frontier & opponent),
        f64::from(edges[0]),
        f64::from(edges[1]),
        1.0,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;

    fn random_game(rng: &mut Rng, mut visit: impl FnMut(&Othello)) {
        let mut position = Othello::start();
        while let Some(&m) = rng.choose(&position.moves()) {
            visit(&position);
            position = position.play(m);
        }
    }

    #[test]
    fn features_are_antisymmetric_and_those_of_the_start_are_known() {
        assert_eq!(
            features(&Othello::start()),
            [4.0, -4.0, 0.0, 0.0, -2.0, 2.0, 0.0, 0.0, 1.0]
        );
        random_game(&mut Rng::new(4), |position| {
            let (own, other) = (features(position), features(&position.passed()));
            for (first, second) in [(0, 1), (2, 3), (4, 5)] {
                assert_eq!(
                    (own[first], own[second]),
                    (-other[second], -other[first]),
                    "{position:?}"
                );
            }
            assert_eq!(
                (own[STABLE_EDGES], own[7]),
                (-other[STABLE_EDGES], -other[7]),
                "{position:?}"
            );
        });
    }

    #[test]
    fn a_linear_target_is_recovered() {
        let weights = [3.0, 2.0, 10.0, 8.0, 1.0, 2.0, 0.0, 9.0, 4.0];
        let mut equations = NormalEquations::default();
        let mut rng = Rng::new(5);
        for _ in 0..20 {
            random_game(&mut rng, |position| {
                let features = features(position);
                let target = features
                    .iter()
                    .zip(&weights)
                    .map(|(feature, weight)| feature * weight)
                    .sum();
                equations.add(&features, target);
            });
        }
        let fit = MobilityFit {
            equations,
            ..MobilityFit::default()
        };
        for found in [fit.equations.solve(), fit.without_edges().solve()] {
            assert!(
                found
                    .iter()
                    .zip(&weights)
                    .all(|(found, known)| (found - known).abs() < 1e-3),
                "{found:?}"
            );
        }
    }
}
