//! Fitting the evaluation of Score Four: logistic regression with a ridge, by Newton's method, each step by conjugate gradients
//! with Jacobi's preconditioner. Deterministic, and no learning rate.
//!
//! A sample is a position in which nothing is forced: those of the records at the end of their forced replies. Its target is
//! the share of a win that the game's result and the searches on the way to it promise (TD(lambda), [`super::super::data`]).

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::game::{Game, Player};
use crate::games::score_four::ScoreFour;
use crate::games::score_four::bitboard::Board;
use crate::games::score_four::eval::weights::{LARGEST, TERMS, TITLE, Weights, shared};
use crate::games::score_four::eval::{Settled, UNIT, settled, terms};
use crate::train::data::{HELD_ONE_IN, targets};
use crate::train::record::{self, Record};

/// Numbers of the evaluation: each term on the empty board and on the full one, and the move by stones.
const SIZE: usize = 2 * TERMS + 65;
/// Of the word that stands for a term: it counts for the second player.
const AGAINST: u16 = 1 << 15;

/// How to fit.
#[derive(Clone, Debug)]
pub struct Settings {
    /// See [`targets`].
    pub lambda: f32,
    /// What a squared weight costs.
    pub ridge: f32,
    /// Newton's steps.
    pub epochs: usize,
}

/// Conjugate gradients of a step.
const INNER: usize = 15;

/// Positions with their terms, all in one list.
#[derive(Default)]
struct Samples {
    terms: Vec<u16>,
    /// Where the terms of each sample end.
    ends: Vec<u32>,
    stones: Vec<u8>,
    /// The share of a win for the first player.
    targets: Vec<f32>,
}

impl Samples {
    fn take(&mut self, position: &ScoreFour, target: f32, shares: &[u16]) {
        let mut board = Board::of(position);
        loop {
            match settled(&board, board.stones() as i32) {
                Settled::Score(_) => return,
                Settled::Forced(cell) => board = board.play(cell),
                Settled::Quiet => break,
            }
        }
        terms(&board, |term, sign| self.terms.push(shares[term] | if sign < 0 { AGAINST } else { 0 }));
        self.ends.push(self.terms.len() as u32);
        self.stones.push(board.stones() as u8);
        self.targets.push(if position.to_move() == Player::First { target } else { 1.0 - target });
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    /// Calls `with` for each sample: its number, its terms, its stones.
    #[inline(always)]
    fn each(&self, mut with: impl FnMut(usize, &[u16], usize)) {
        let mut begin = 0;
        for (number, (&end, &stones)) in self.ends.iter().zip(&self.stones).enumerate() {
            let end = end as usize;
            with(number, &self.terms[begin..end], usize::from(stones));
            begin = end;
        }
    }
}

/// What the weights say of a sample, in logarithmic chances of the first player.
#[inline(always)]
fn value(weights: &[f32], terms: &[u16], stones: usize) -> f32 {
    let (mut early, mut late) = (0.0, 0.0);
    for &word in terms {
        let (term, sign) = (usize::from(word & !AGAINST), if word & AGAINST == 0 { 1.0 } else { -1.0 });
        early += sign * weights[term];
        late += sign * weights[TERMS + term];
    }
    let share = stones as f32 / 64.0;
    early * (1.0 - share) + late * share + turn(stones) * weights[2 * TERMS + stones]
}

/// Sends a number back to the weights of a sample.
#[inline(always)]
fn send(sums: &mut [f64], number: f32, terms: &[u16], stones: usize) {
    let share = stones as f32 / 64.0;
    let (early, late) = (f64::from(number * (1.0 - share)), f64::from(number * share));
    for &word in terms {
        let (term, sign) = (usize::from(word & !AGAINST), if word & AGAINST == 0 { 1.0 } else { -1.0 });
        sums[term] += sign * early;
        sums[TERMS + term] += sign * late;
    }
    sums[2 * TERMS + stones] += f64::from(turn(stones) * number);
}

/// 1 if the first player has the move, else -1.
fn turn(stones: usize) -> f32 {
    if stones.is_multiple_of(2) { 1.0 } else { -1.0 }
}

fn chance(value: f32) -> f32 {
    1.0 / (1.0 + (-value).exp())
}

/// Reads the records, fits, tells how it goes, and writes the weight file.
pub fn run(records: &[PathBuf], file: &Path, settings: &Settings, out: &mut dyn Write) -> Result<()> {
    let [train, held] = load(records, settings.lambda)?;
    ensure!(train.len() > 0, "no games in {} files", records.len());
    writeln!(out, "{} positions to learn from, {} held out", train.len(), held.len())?;
    writeln!(out, "step  loss (nats), learnt from and held out; nothing learnt: {:.4}", loss(&held, &[0.0; SIZE]))?;
    let mut weights = vec![0.0; SIZE];
    for step in 1..=settings.epochs {
        newton(&train, &mut weights, settings.ridge);
        let rounded: Vec<f32> = (0..SIZE).map(|number| f32::from(round(number, weights[number])) / UNIT).collect();
        writeln!(out, "{step:4}  {:.4}  {:.4}", loss(&train, &weights), loss(&held, &rounded))?;
        out.flush()?;
    }
    let text = format!(
        "{TITLE}: the learnt evaluation, by `nullwindow train eval --game scorefour` from {} positions of self-play.\n\
         # Rows: see weights.rs.\n{}",
        train.len(),
        rounded(&weights).write()
    );
    std::fs::write(file, &text).with_context(|| file.display().to_string())?;
    writeln!(out, "{}: {} bytes", file.display(), text.len())?;
    Ok(())
}

/// The samples of some files: to learn from, and held out.
fn load(paths: &[PathBuf], lambda: f32) -> Result<[Samples; 2]> {
    let shares: Vec<u16> = (0..TERMS).map(|term| shared(term) as u16).collect();
    let mut samples = [Samples::default(), Samples::default()];
    let mut take = |game: &[Record<ScoreFour>]| {
        let Some(first) = game.first() else { return };
        let held = usize::from(first.position.hash().is_multiple_of(HELD_ONE_IN));
        let expected = |score: i16| 2.0 * chance(f32::from(score) / UNIT) - 1.0;
        for (record, target) in targets(game, lambda, expected) {
            samples[held].take(&record.position, (target + 1.0) / 2.0, &shares);
        }
    };
    for path in paths {
        let mut game = Vec::new();
        record::read(path, |record| {
            if record.first {
                take(&game);
                game.clear();
            }
            game.push(record);
        })?;
        take(&game);
    }
    Ok(samples)
}

/// The mean of the logarithmic loss.
fn loss(samples: &Samples, weights: &[f32]) -> f64 {
    let mut sum = 0.0;
    samples.each(|number, terms, stones| {
        let (value, target) = (value(weights, terms, stones), samples.targets[number]);
        // ln(1 + e^v) - y v, without an overflow.
        sum += f64::from(value.max(0.0) + (-value.abs()).exp().ln_1p() - target * value);
    });
    sum / samples.len().max(1) as f64
}

/// One step: conjugate gradients on the quadratic model at `weights`.
fn newton(samples: &Samples, weights: &mut [f32], ridge: f32) {
    let ridge = f64::from(ridge);
    let mut residual = vec![0.0; SIZE];
    let mut scale = vec![ridge; SIZE];
    let mut curvature = vec![0.0f32; samples.len()];
    samples.each(|number, terms, stones| {
        let chance = chance(value(weights, terms, stones));
        curvature[number] = chance * (1.0 - chance);
        send(&mut residual, samples.targets[number] - chance, terms, stones);
        let share = stones as f32 / 64.0;
        for &word in terms {
            let term = usize::from(word & !AGAINST);
            scale[term] += f64::from(curvature[number] * (1.0 - share) * (1.0 - share));
            scale[TERMS + term] += f64::from(curvature[number] * share * share);
        }
        scale[2 * TERMS + stones] += f64::from(curvature[number]);
    });
    for (residual, &weight) in residual.iter_mut().zip(&*weights) {
        *residual -= ridge * f64::from(weight);
    }
    let mut step = vec![0.0f64; SIZE];
    let mut direction: Vec<f64> = residual.iter().zip(&scale).map(|(r, s)| r / s).collect();
    let mut energy = dot(&residual, &direction);
    for _ in 0..INNER {
        let narrow: Vec<f32> = direction.iter().map(|&d| d as f32).collect();
        let mut image: Vec<f64> = direction.iter().map(|d| ridge * d).collect();
        samples.each(|number, terms, stones| {
            let along = curvature[number] * value(&narrow, terms, stones);
            send(&mut image, along, terms, stones);
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
    weights.iter_mut().zip(step).for_each(|(weight, step)| *weight += step as f32);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A weight as the file holds it.
fn round(number: usize, weight: f32) -> i16 {
    let largest = f32::from(if number < 2 * TERMS { LARGEST } else { i16::MAX });
    (UNIT * weight).round().clamp(-largest, largest) as i16
}

fn rounded(weights: &[f32]) -> Weights {
    let number = |number: usize| round(number, weights[number]);
    Weights {
        terms: (0..TERMS).map(shared).map(|term| [number(term), number(TERMS + term)]).collect(),
        moves: std::array::from_fn(|stones| number(2 * TERMS + stones)),
    }
}
