//! Fits the evaluation of Score Four: logistic regression with L2 regularization by Newton's
//! method, each step by conjugate gradients with a Jacobi preconditioner. Deterministic, without a
//! learning rate.
//!
//! A sample is a quiet position: a position of the records after its forced replies. Its target is
//! the expected score from 0 to 1 by TD(lambda) ([`super::training_set`]).

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;

use crate::game::{Game, Player};
use crate::games::score_four::ScoreFour;
use crate::games::score_four::bitboard::Bitboards;
use crate::games::score_four::eval::weights::{LARGEST, ScoreFourWeights, TERMS, TITLE, shared};
use crate::games::score_four::eval::{Tactics, UNIT, tactics, terms};
use crate::search::fitted;

use super::game_file::PositionRecord;
use super::least_squares::dot;
use super::training_game::TrainingGame;
use super::training_set::{read_targets, sizes};

/// The number of weights: each term on the empty and on the full board, and the side to move by
/// number of stones.
const SIZE: usize = 2 * TERMS + 65;
/// Flag of a term that counts for the second player.
const AGAINST: u16 = 1 << 15;

/// Conjugate gradient iterations per Newton step.
const CG_ITERATIONS: usize = 15;

/// Positions with their terms, concatenated in one list.
#[derive(Default)]
struct TermSamples {
    terms: Vec<u16>,
    /// The end of each sample's terms.
    ends: Vec<u32>,
    stones: Vec<u8>,
    /// The first player's expected score, 0 to 1.
    targets: Vec<f32>,
}

impl TermSamples {
    fn add(&mut self, position: &ScoreFour, target: f32, canonical: &[u16]) {
        let mut board = Bitboards::of(position);
        loop {
            match tactics(&board, board.stones() as i32) {
                Tactics::Decided(_) => return,
                Tactics::Forced(cell) => board = board.play(cell),
                Tactics::Quiet => break,
            }
        }
        terms(&board, |term, sign| {
            self.terms
                .push(canonical[term] | if sign < 0 { AGAINST } else { 0 })
        });
        self.ends.push(self.terms.len() as u32);
        self.stones.push(board.stones() as u8);
        self.targets.push(if position.to_move() == Player::First {
            target
        } else {
            1.0 - target
        });
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    /// Calls `with` for each sample with its index, its terms and its number of stones.
    #[inline(always)]
    fn for_each(&self, mut with: impl FnMut(usize, &[u16], usize)) {
        let mut begin = 0;
        for (number, (&end, &stones)) in self.ends.iter().zip(&self.stones).enumerate() {
            let end = end as usize;
            with(number, &self.terms[begin..end], usize::from(stones));
            begin = end;
        }
    }
}

/// The terms with their signs.
#[inline(always)]
fn signed(terms: &[u16]) -> impl Iterator<Item = (usize, f32)> {
    terms.iter().map(|&word| {
        (
            usize::from(word & !AGAINST),
            if word & AGAINST == 0 { 1.0 } else { -1.0 },
        )
    })
}

/// The first player's log odds of a sample.
#[inline(always)]
fn value(weights: &[f32], terms: &[u16], stones: usize) -> f32 {
    let (mut early, mut late) = (0.0, 0.0);
    for (term, sign) in signed(terms) {
        early += sign * weights[term];
        late += sign * weights[TERMS + term];
    }
    let share = stones as f32 / 64.0;
    early * (1.0 - share) + late * share + turn(stones) * weights[2 * TERMS + stones]
}

/// The derivatives of a sample's value with respect to its weights.
#[inline(always)]
fn derivatives(terms: &[u16], stones: usize) -> impl Iterator<Item = (usize, f32)> {
    let share = stones as f32 / 64.0;
    signed(terms)
        .flat_map(move |(term, sign)| [(term, sign * (1.0 - share)), (TERMS + term, sign * share)])
        .chain([(2 * TERMS + stones, turn(stones))])
}

/// Adds a derivative with respect to the value to the gradient of a sample's weights.
#[inline(always)]
fn add_gradient(sums: &mut [f64], number: f32, terms: &[u16], stones: usize) {
    derivatives(terms, stones)
        .for_each(|(index, derivative)| sums[index] += f64::from(number * derivative));
}

/// 1 if the first player is to move, else -1.
fn turn(stones: usize) -> f32 {
    if stones.is_multiple_of(2) { 1.0 } else { -1.0 }
}

/// The expected score for a value in log odds.
fn sigmoid(value: f32) -> f32 {
    1.0 / (1.0 + (-value).exp())
}

/// Loads the games, fits the weights and prints the losses; returns the weight file. `ridge` is the
/// L2 regularization, `steps` the number of Newton steps; for lambda see [`super::training_set`].
pub fn fit(
    records: &[PathBuf],
    lambda: f32,
    ridge: f64,
    steps: usize,
    out: &mut dyn Write,
) -> Result<String> {
    let canonical: Vec<u16> = (0..TERMS).map(|term| shared(term) as u16).collect();
    let expected = |score: i16| 2.0 * sigmoid(f32::from(score) / UNIT) - 1.0;
    let add = |samples: &mut TermSamples, record: &PositionRecord, target| {
        samples.add(&record.position(), (target + 1.0) / 2.0, &canonical);
    };
    let [train, held_out] = read_targets(records, ScoreFour::NUMBER, lambda, expected, add)?;
    writeln!(out, "{}", sizes(train.len(), held_out.len()))?;
    writeln!(
        out,
        "step  loss in nats: training, held out (all weights zero: {})",
        loss(&held_out, &[0.0; SIZE])
    )?;
    let mut weights = vec![0.0; SIZE];
    for step in 1..=steps {
        newton(&train, &mut weights, ridge);
        let quantized: Vec<f32> = (0..SIZE)
            .map(|index| f32::from(quantize(index, weights[index])) / UNIT)
            .collect();
        writeln!(
            out,
            "{step:4}  {}  {}",
            loss(&train, &weights),
            loss(&held_out, &quantized)
        )?;
        out.flush()?;
    }
    let made_by = format!(
        "nullwindow lab train eval --game scorefour, from {} positions of self-play",
        train.len()
    );
    Ok(fitted::write(
        TITLE,
        &made_by,
        &[],
        "see weights.rs",
        quantized(&weights).rows(),
    ))
}

/// The mean cross-entropy loss in words.
fn loss(samples: &TermSamples, weights: &[f32]) -> String {
    if samples.len() == 0 {
        return "-".into();
    }
    let mut sum = 0.0;
    samples.for_each(|number, terms, stones| {
        let (value, target) = (value(weights, terms, stones), samples.targets[number]);
        // ln(1 + e^v) - y v without overflow.
        sum += f64::from(value.max(0.0) + (-value.abs()).exp().ln_1p() - target * value);
    });
    format!("{:.4}", sum / samples.len() as f64)
}

/// One Newton step: conjugate gradients on the quadratic model at `weights`.
fn newton(samples: &TermSamples, weights: &mut [f32], ridge: f64) {
    let mut residual = vec![0.0; SIZE];
    // Not 0 for terms that no sample has: their weights stay 0.
    let mut scale = vec![ridge.max(f64::MIN_POSITIVE); SIZE];
    let mut curvature = vec![0.0f32; samples.len()];
    samples.for_each(|number, terms, stones| {
        let expected = sigmoid(value(weights, terms, stones));
        curvature[number] = expected * (1.0 - expected);
        add_gradient(
            &mut residual,
            samples.targets[number] - expected,
            terms,
            stones,
        );
        derivatives(terms, stones).for_each(|(index, derivative)| {
            scale[index] += f64::from(curvature[number] * derivative * derivative);
        });
    });
    for (residual, &weight) in residual.iter_mut().zip(&*weights) {
        *residual -= ridge * f64::from(weight);
    }
    let mut step = vec![0.0f64; SIZE];
    let mut direction: Vec<f64> = residual.iter().zip(&scale).map(|(r, s)| r / s).collect();
    let mut energy = dot(&residual, &direction);
    for _ in 0..CG_ITERATIONS {
        let narrow: Vec<f32> = direction.iter().map(|&d| d as f32).collect();
        let mut image: Vec<f64> = direction.iter().map(|d| ridge * d).collect();
        samples.for_each(|number, terms, stones| {
            let along = curvature[number] * value(&narrow, terms, stones);
            add_gradient(&mut image, along, terms, stones);
        });
        let length = energy / dot(&direction, &image).max(f64::MIN_POSITIVE);
        for (i, residual) in residual.iter_mut().enumerate() {
            step[i] += length * direction[i];
            *residual -= length * image[i];
        }
        let next: f64 = residual.iter().zip(&scale).map(|(r, s)| r * r / s).sum();
        let share = next / energy.max(f64::MIN_POSITIVE);
        energy = next;
        for (i, direction) in direction.iter_mut().enumerate() {
            *direction = residual[i] / scale[i] + share * *direction;
        }
    }
    weights
        .iter_mut()
        .zip(step)
        .for_each(|(weight, step)| *weight += step as f32);
}

/// A weight as in the file.
fn quantize(index: usize, weight: f32) -> i16 {
    let largest = f32::from(if index < 2 * TERMS { LARGEST } else { i16::MAX });
    (UNIT * weight).round().clamp(-largest, largest) as i16
}

fn quantized(weights: &[f32]) -> ScoreFourWeights {
    let weight = |index: usize| quantize(index, weights[index]);
    ScoreFourWeights {
        terms: (0..TERMS)
            .map(shared)
            .map(|term| [weight(term), weight(TERMS + term)])
            .collect(),
        moves: std::array::from_fn(|stones| weight(2 * TERMS + stones)),
    }
}
