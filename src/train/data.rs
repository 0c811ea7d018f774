//! From records to samples: what each position's value should be, and which games are held out.
//!
//! The target of a searched position mixes what the searches of the same game found from there on with how it ended, each step
//! ahead counting `lambda` times the one before: TD(lambda) (R. Sutton, "Learning to predict by the methods of temporal
//! differences", 1988). Solved positions have their exact score.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::game::{Game, Player};
use crate::games::reversi::Othello;
use crate::games::reversi::discs::{DiscGame, Discs};
use crate::games::reversi::eval::ply;
use crate::games::reversi::obf::{self, Problem};

use super::record::{self, Record};

/// One game in so many is held out: those whose first positions have a hash divisible by it.
pub const HELD_ONE_IN: u64 = 50;

/// A position and its target.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Discs of the side to move.
    pub player: u64,
    /// Discs of the other side.
    pub opponent: u64,
    /// What its value should be, in discs for the side to move.
    pub target: f32,
    /// How many plies led to it.
    pub ply: u8,
}

impl Sample {
    fn new(position: &Othello, target: f32) -> Sample {
        Sample { player: position.player, opponent: position.opponent, target, ply: ply(position) as u8 }
    }

    /// The position.
    #[inline(always)]
    pub fn position(&self) -> Othello {
        Othello::new(self.player, self.opponent, Player::First)
    }
}

/// Samples to learn from and samples to be judged by; no game is in both.
#[derive(Default, Debug)]
pub struct Data {
    /// To learn from.
    pub train: Vec<Sample>,
    /// Held out.
    pub held: Vec<Sample>,
}

impl Data {
    /// Reads all games of some files.
    pub fn load(paths: &[PathBuf], lambda: f32) -> Result<Data> {
        let mut data = Data::default();
        for path in paths {
            let mut game = Vec::new();
            record::read(path, |record: Record<Othello>| {
                if record.first {
                    data.take(&game, lambda);
                    game.clear();
                }
                game.push(record);
            })?;
            data.take(&game, lambda);
        }
        ensure!(!data.train.is_empty(), "no games in {} files", paths.len());
        Ok(data)
    }

    fn take(&mut self, game: &[Record<Othello>], lambda: f32) {
        let Some(first) = game.first() else { return };
        let held = Game::hash(&first.position).is_multiple_of(HELD_ONE_IN);
        let samples = if held { &mut self.held } else { &mut self.train };
        samples.extend(targets(game, lambda, discs).map(|(record, target)| Sample::new(&record.position, target)));
    }
}

/// A searched score in discs, the unit of results.
fn discs(score: i16) -> f32 {
    f32::from(score) / 100.0
}

/// The records of a game, the last one first, with their targets for the side to move, in the unit of results; `value` gives
/// it for searched scores.
pub fn targets<G: Game>(
    game: &[Record<G>],
    lambda: f32,
    value: impl Fn(i16) -> f32,
) -> impl Iterator<Item = (&Record<G>, f32)> {
    let mut later: Option<(f32, Player)> = None;
    game.iter().rev().map(move |record| {
        let side = record.position.to_move();
        let ahead = match later {
            Some((target, player)) if !record.exact => {
                if player == side {
                    target
                } else {
                    -target
                }
            }
            _ => f32::from(record.result),
        };
        let share = if record.exact { 1.0 } else { lambda };
        let target = share * ahead + (1.0 - share) * value(record.score);
        // The game played on from the solved positions strays; what counts for those before is perfect play.
        later = Some((if record.exact { f32::from(record.result) } else { target }, side));
        (record, target)
    })
}

/// The problems of a file in OBF.
pub fn read_problems(path: &Path) -> Result<Vec<Problem>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let mut problems = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let place = || format!("{}:{}", path.display(), number + 1);
        problems.extend(obf::read_line(Othello::GRID, line).with_context(place)?);
    }
    Ok(problems)
}

/// The position of a problem.
pub fn position_of(problem: &Problem) -> Othello {
    let Discs { black, white, to_move, .. } = problem.discs;
    let (player, opponent) = if to_move == Player::First { (black, white) } else { (white, black) };
    Othello::new(player, opponent, to_move)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(side: Player, score: i16, result: i8, exact: bool) -> Record<Othello> {
        Record { position: Othello::new(1, 2, side), score, result, first: false, exact }
    }

    #[test]
    fn targets_mix_later_scores_and_the_result() {
        let game = [
            record(Player::First, 100, 10, false),
            record(Player::Second, -300, -10, false),
            record(Player::Second, -500, -10, false), // after a pass
            record(Player::First, 1000, 10, true),
            record(Player::Second, -400, -4, true), // strayed
        ];
        let found: Vec<f32> = targets(&game, 0.5, discs).map(|(_, target)| target).collect();
        assert_eq!(found, [-4.0, 10.0, -7.5, -5.25, 3.125]);
        let found: Vec<f32> = targets(&game, 1.0, discs).map(|(_, target)| target).collect();
        assert_eq!(found, [-4.0, 10.0, -10.0, -10.0, 10.0]);
    }
}
