//! `nullwindow train prob-cut --game scorefour`: fits the ProbCut model like [`super::fit_prob_cut`] for Othello, with
//! phases by number of stones. Decided scores are excluded because they are not evaluations.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;

use super::score_four_selfplay::{ScoreFourSelfPlayer, random_quiet_move};
use crate::game::Game;
use crate::game::rng::Rng;
use crate::game::score::Score;
use crate::games::score_four::ScoreFour;
use crate::games::score_four::eval::ScoreFourEvaluator;
use crate::games::score_four::policy::{CUT_DEPTH, phase};
use crate::lab::train::depth_values::DepthValues;
use crate::lab::train::fit_prob_cut::{ProbCutArgs, midgame_rows};
use crate::logging::progress::ProgressLine;
use crate::search::isa::Isa;
use crate::search::policy::Evaluate;

/// Phases with positions; later positions are mostly decided and use the last phase.
const PHASES: usize = 6;
/// The minimum number of stones of a position.
const MIN_STONES: u64 = 2;
/// Random plies at the start of a game.
const OPENING_PLIES: i32 = 6;
/// After the opening, one move in this many is random.
const RANDOM_ONE_IN: u64 = 12;
/// The search depth of the games.
const GAME_DEPTH: u8 = 3;
/// Rows are written up to this depth.
const MAX_DEPTH: u8 = 20;

/// Fits the model with an evaluation and prints it; a task for one instruction set.
pub struct FitScoreFourProbCut<'a, 'o> {
    /// The number of positions, the depth and the seed.
    pub args: &'a ProbCutArgs,
    /// The evaluation of the searches.
    pub evaluator: ScoreFourEvaluator,
    /// The output for the rows.
    pub out: &'a mut (dyn Write + 'o),
}

impl FitScoreFourProbCut<'_, '_> {
    /// Fits it on this instruction set.
    pub fn run<I: Isa>(self, isa: I) -> Result<ExitCode> {
        let FitScoreFourProbCut { args, evaluator, out } = self;
        let mut by_phase: [Vec<DepthValues>; PHASES] = Default::default();
        let mut player = ScoreFourSelfPlayer::new(evaluator.clone(), isa, GAME_DEPTH);
        let bar = ProgressLine::bar((args.positions * PHASES) as u64, "positions");
        for game in 0.. {
            let mut rng = Rng::for_stream(args.seed, game);
            // One position per game, from a phase that still needs positions.
            let incomplete: Vec<usize> = (0..PHASES).filter(|&phase| by_phase[phase].len() < args.positions).collect();
            let Some(&wanted) = rng.choose(&incomplete) else { break };
            let stones = ((wanted * 8) as u64 + rng.below(8)).max(MIN_STONES) as i32;
            player.new_game();
            let Some(position) = play_to(&mut player, &mut rng, stones) else { continue };
            by_phase[phase(stones)].push(sample(&mut player, &evaluator, position, args.depth));
            bar.inc();
        }
        drop(bar);
        writeln!(out, "# The ProbCut model of Score Four: phase, depth, shallow, slope, offset, sigma, margin.")?;
        writeln!(
            out,
            "# A phase has eight stones. Made by `nullwindow train prob-cut --game scorefour --positions {} \
             --depth {} --seed {}`.",
            args.positions, args.depth, args.seed
        )?;
        for (phase, samples) in by_phase.iter().enumerate() {
            let samples: Vec<&DepthValues> = samples.iter().collect();
            for row in midgame_rows(phase, &samples, args.depth, CUT_DEPTH..=MAX_DEPTH) {
                writeln!(out, "{row}")?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Plays a game to a position with this many stones; `None` if it is decided before.
fn play_to<I: Isa>(player: &mut ScoreFourSelfPlayer<I>, rng: &mut Rng, stones: i32) -> Option<ScoreFour> {
    let mut position = ScoreFour::start();
    while position.stones() < stones {
        position = if position.stones() < OPENING_PLIES || rng.below(RANDOM_ONE_IN) == 0 {
            random_quiet_move(&position, rng)?
        } else {
            let (score, best, _) = player.search(position, [GAME_DEPTH].into_iter(), Score::ZERO);
            Some(position.play(best)).filter(|_| !score.is_decided())?
        };
    }
    Some(position)
}

/// The values of a position by depth, except decided scores.
fn sample<I: Isa>(
    player: &mut ScoreFourSelfPlayer<I>,
    evaluator: &ScoreFourEvaluator,
    position: ScoreFour,
    deepest: u8,
) -> DepthValues {
    let heuristic = |score: Score| (!score.is_decided()).then(|| f64::from(score.0));
    let mut values = vec![heuristic(evaluator.evaluate(&position))];
    let mut guesses = [Score::ZERO; 2];
    for depth in 1..=deepest {
        let guess = &mut guesses[usize::from(depth % 2)];
        *guess = player.search(position, [depth].into_iter(), *guess).0;
        values.push(heuristic(*guess));
    }
    DepthValues { empties: position.plies_left(), values, exact: None }
}
