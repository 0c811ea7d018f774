//! The model of Score Four's statistical cut: as [`super::super::prob_cut`] fits Othello's, of positions by phases of the
//! number of stones. Values that say who wins are left out: they are no evaluations.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use indicatif::ProgressBar;

use super::play::{Player, stumble};
use crate::game::Game;
use crate::game::rng::Rng;
use crate::game::score::Score;
use crate::games::score_four::ScoreFour;
use crate::games::score_four::eval::Learnt;
use crate::games::score_four::policy::{CUT_DEPTH, phase};
use crate::search::isa::Isa;
use crate::search::policy::Evaluate;
use crate::train::prob_cut::{Args, Sample, midgame_rows};

/// Phases that positions are taken from; later ones are mostly decided, and go by the last.
const PHASES: usize = 6;
/// The fewest stones of a position.
const FEWEST: u64 = 2;
/// Random plies at the start of a game.
const OPENING: i32 = 6;
/// One move in so many is random after that.
const RANDOM_ONE_IN: u64 = 12;
/// The depth of the search that plays.
const PLAY: u8 = 3;
/// Rows are written up to this depth.
const DEEPEST: u8 = 20;

/// Fits the model with an evaluation and writes it.
pub struct Fit<'a, 'o> {
    /// How many positions, how deep; squares do not matter here.
    pub args: &'a Args,
    /// What is searched with.
    pub evaluator: Learnt,
    /// Where the rows go.
    pub out: &'a mut (dyn Write + 'o),
}

impl Fit<'_, '_> {
    /// Fits it on this instruction set.
    pub fn run<I: Isa>(self, isa: I) -> Result<ExitCode> {
        let Fit { args, evaluator, out } = self;
        let mut by_phase: [Vec<Sample>; PHASES] = Default::default();
        let mut player = Player::new(evaluator.clone(), isa, PLAY);
        let bar = ProgressBar::new((args.positions * PHASES) as u64);
        for game in 0.. {
            let mut rng = Rng::for_stream(args.seed, game);
            // One position of each game, of a phase that still needs some.
            let open: Vec<usize> = (0..PHASES).filter(|&phase| by_phase[phase].len() < args.positions).collect();
            let Some(&goal) = rng.choose(&open) else { break };
            let stones = ((goal * 8) as u64 + rng.below(8)).max(FEWEST) as i32;
            player.begin();
            let Some(position) = reached(&mut player, &mut rng, stones) else { continue };
            by_phase[phase(stones)].push(sample(&mut player, &evaluator, position, args.depth));
            bar.inc(1);
        }
        bar.finish_and_clear();
        writeln!(
            out,
            "# Score Four's model of the statistical cut: phase, depth, shallow, slope, offset, sigma, doubt."
        )?;
        writeln!(
            out,
            "# Phases are eights of stones. Made by `nullwindow train prob-cut --game scorefour --positions {} --depth {} --seed {}`.",
            args.positions, args.depth, args.seed
        )?;
        for (phase, samples) in by_phase.iter().enumerate() {
            let samples: Vec<&Sample> = samples.iter().collect();
            for row in midgame_rows(phase, &samples, args.depth, CUT_DEPTH..=DEEPEST) {
                writeln!(out, "{row}")?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A position with so many stones of a game in which nobody wins before.
fn reached<I: Isa>(player: &mut Player<I>, rng: &mut Rng, stones: i32) -> Option<ScoreFour> {
    let mut position = ScoreFour::start();
    while position.stones() < stones {
        position = if position.stones() < OPENING || rng.below(RANDOM_ONE_IN) == 0 {
            stumble(&position, rng)?
        } else {
            let (score, best, _) = player.search(position, [PLAY].into_iter(), Score::ZERO);
            Some(position.play(best)).filter(|_| !score.is_decided())?
        };
    }
    Some(position)
}

/// The values of a position by depth, as far as they are evaluations.
fn sample<I: Isa>(player: &mut Player<I>, evaluator: &Learnt, position: ScoreFour, deepest: u8) -> Sample {
    let heuristic = |score: Score| (!score.is_decided()).then(|| f64::from(score.0));
    let mut values = vec![heuristic(evaluator.evaluate(&position))];
    let mut guesses = [Score::ZERO; 2];
    for depth in 1..=deepest {
        let guess = &mut guesses[usize::from(depth % 2)];
        *guess = player.search(position, [depth].into_iter(), *guess).0;
        values.push(heuristic(*guess));
    }
    Sample { empties: position.plies_left(), values, exact: None }
}
