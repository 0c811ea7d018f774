//! The training set: positions of self-play with their target values, and the held-out games.
//!
//! The target of a searched position is TD(lambda) (R. Sutton, "Learning to predict by the methods
//! of temporal differences", 1988): a mix of the scores of the later searches and the result of the
//! game, weighted by powers of `lambda`. The target of a solved position is its exact score.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use crate::commands::records;
use crate::game::{Player, counted, mix};
use crate::games::any::AnyGame;
use crate::games::reversi::Othello;
use crate::games::reversi::obf::Problem;
use crate::platform::files;

use super::game_file::{PositionRecord, read_games};
use super::training_game::TrainingGame;

/// One game in this many is held out: the games whose first position has a hash divisible by it.
const HELD_OUT_ONE_IN: u64 = 50;

/// A position and its target.
#[derive(Debug)]
pub struct TrainingSample {
    /// Discs of the side to move and of the opponent.
    stones: [u64; 2],
    /// The target value in discs, for the side to move.
    pub target: f32,
}

impl TrainingSample {
    /// The position.
    #[inline(always)]
    pub fn position(&self) -> Othello {
        Othello::new(self.stones[0], self.stones[1], Player::First)
    }
}

/// The training and the held-out samples of Othello.
pub fn othello_samples(paths: &[PathBuf], lambda: f32) -> Result<[Vec<TrainingSample>; 2]> {
    let add = |samples: &mut Vec<TrainingSample>, record: &PositionRecord, target| {
        samples.push(TrainingSample {
            stones: record.stones,
            target,
        });
    };
    read_targets(paths, Othello::NUMBER, lambda, discs, add)
}

/// The numbers of positions of both sets in words.
pub fn sizes(train: usize, held_out: usize) -> String {
    let train = counted(train, "training position", "training positions");
    match held_out {
        0 => format!("{train}, none held out (too few games): no errors"),
        _ => format!("{train}, {held_out} held out"),
    }
}

/// A search score in discs, the unit of results.
fn discs(score: i16) -> f32 {
    f32::from(score) / 100.0
}

/// Reads the games of some files into a training and a held-out set; no game is in both. Calls `add`
/// for each record with its set and its target; `value` converts search scores to the unit of
/// results.
///
/// # Errors
/// If a file cannot be read, or no game is in the training set.
pub fn read_targets<S: Default>(
    paths: &[PathBuf],
    game: u8,
    lambda: f32,
    value: impl Fn(i16) -> f32,
    add: impl Fn(&mut S, &PositionRecord, f32),
) -> Result<[S; 2]> {
    let mut sets = [S::default(), S::default()];
    let mut can_train = false;
    read_games(paths, game, |game| {
        let held_out = mix(game[0].stones).is_multiple_of(HELD_OUT_ONE_IN);
        can_train |= !held_out;
        let set = &mut sets[usize::from(held_out)];
        targets(game, lambda, &value).for_each(|(record, target)| add(set, record, target));
    })?;
    ensure!(
        can_train,
        "no games in {}",
        counted(paths.len(), "file", "files")
    );
    Ok(sets)
}

/// The records of a game in reverse order with their targets for the side to move.
fn targets(
    game: &[PositionRecord],
    lambda: f32,
    value: impl Fn(i16) -> f32,
) -> impl Iterator<Item = (&PositionRecord, f32)> {
    let mut later: Option<(f32, Player)> = None;
    game.iter().rev().map(move |record| {
        let next = match later {
            Some((target, side)) if !record.exact => {
                if side == record.side {
                    target
                } else {
                    -target
                }
            }
            _ => f32::from(record.result),
        };
        let share = if record.exact { 1.0 } else { lambda };
        let target = share * next + (1.0 - share) * value(record.score);
        // Moves after solved positions may be random, so earlier positions use the exact score.
        later = Some((target, record.side));
        (record, target)
    })
}

/// Reads the problems of a file ([`records`]).
///
/// # Errors
/// If the file or a problem cannot be read, or no problem has a score.
pub fn read_problems(path: &Path) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    for record in records(path, &AnyGame::default(), None)? {
        problems.extend(record?.entry?.problem());
    }
    ensure!(
        problems.iter().any(|problem| problem.value.is_some()),
        "{}: no position with a score",
        files::display_name(path)
    );
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(side: Player, score: i16, result: i8, exact: bool) -> PositionRecord {
        PositionRecord {
            stones: [1, 2],
            side,
            score,
            result,
            first: false,
            exact,
        }
    }

    #[test]
    fn targets_mix_later_scores_and_the_result() {
        let game = [
            record(Player::First, 100, 10, false),
            record(Player::Second, -300, -10, false),
            record(Player::Second, -500, -10, false), // after a pass
            record(Player::First, 1000, 10, true),
            record(Player::Second, -400, -4, true), // after a mistake
        ];
        let found: Vec<f32> = targets(&game, 0.5, discs)
            .map(|(_, target)| target)
            .collect();
        assert_eq!(found, [-4.0, 10.0, -7.5, -5.25, 3.125]);
        let found: Vec<f32> = targets(&game, 1.0, discs)
            .map(|(_, target)| target)
            .collect();
        assert_eq!(found, [-4.0, 10.0, -10.0, -10.0, 10.0]);
    }
}
