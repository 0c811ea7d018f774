//! A calibration game: self-play from a random opening to the end. Once per stage of the game a
//! position is searched to increasing depths, starting with an empty table.
//!
//! Positions of the endgame stages are solved. For earlier positions the reference is the exact
//! score of the first solved position of the game. A slightly deeper search would share the errors
//! of the evaluation.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::commands::openings::random_line;
use crate::engine::options::Options;
use crate::game::Player;
use crate::game::rng::Rng;
use crate::game::score::{Bound, Score};
use crate::games::any::AnyGame;
use crate::games::dispatch;
use crate::games::reversi::accuracy::Reference;
use crate::search::table::Table;
use crate::search::{Limits, Observer, Progress};

/// Random plies of the openings.
const OPENING_PLIES: usize = 8;
/// Random lines tried for one opening.
const TRIES: u32 = 1_000;
/// Stages without exact scores are measured in one of this many games: those with a solved position
/// at 21 to 24 empties, which has the fewest self-play moves before it.
const PLAYED_ONE_IN: u32 = 4;
/// The search depth of the games.
const PLAY_DEPTH: u8 = 8;
/// The sizes of the tables in MiB: small because they are cleared before each use.
const TABLE_MIB: usize = 4;
const SOLVING_TABLE_MIB: usize = 32;

/// A stage of the game, in which one position is searched.
#[derive(Debug)]
pub(super) struct GameStage {
    /// The minimum and maximum number of empties.
    pub empties: (u8, u8),
    pub reference: Reference,
    /// A position is chosen in one of this many games.
    one_in: u32,
}

const fn solved(least: u8, most: u8, one_in: u32) -> GameStage {
    GameStage {
        empties: (least, most),
        reference: Reference::Solved,
        one_in,
    }
}

const fn played(least: u8, most: u8) -> GameStage {
    GameStage {
        empties: (least, most),
        reference: Reference::Played,
        one_in: 1,
    }
}

/// The stages, in the order of the table. Every game is solved at 17 to 20 empties.
pub(super) const STAGES: [GameStage; 9] = [
    solved(5, 8, 1),
    solved(9, 12, 1),
    solved(13, 16, 1),
    solved(17, 20, 1),
    solved(21, 24, 4),
    played(25, 32),
    played(33, 40),
    played(41, 48),
    played(49, 52),
];

impl GameStage {
    /// Whether the stage is measured in game `number`.
    pub fn is_measured_in(&self, number: u32) -> bool {
        let one_in = if self.reference == Reference::Played {
            PLAYED_ONE_IN
        } else {
            self.one_in
        };
        number.is_multiple_of(one_in)
    }
}

/// The depths to search, and N: each is searched in one of N games.
const DEPTHS: [(u8, u32); 9] = [
    (1, 1),
    (2, 1),
    (3, 1),
    (4, 1),
    (6, 1),
    (8, 1),
    (10, 1),
    (12, 4),
    (14, 8),
];

/// A score of a finished iteration.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SampledScore {
    /// In plies; equal to the number of empties for a search to the end of the game.
    pub depth: u8,
    /// In percent.
    pub selectivity: u8,
    /// For the side to move, in discs.
    pub score: i32,
}

/// A position and its scores.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SampledPosition {
    pub empties: u8,
    /// For the side to move, in discs.
    pub reference: i32,
    pub scores: Vec<SampledScore>,
}

/// A line of the record.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SampledGame {
    pub game: u32,
    pub positions: Vec<SampledPosition>,
}

/// Plays and searches games.
pub(super) struct GameSampler<'o> {
    options: &'o Options,
    seed: u64,
    /// The table of the game's own moves.
    game_table: Table,
    table: Table,
    solving_table: Table,
}

impl<'o> GameSampler<'o> {
    pub fn new(options: &'o Options, seed: u64) -> GameSampler<'o> {
        let [game_table, table] = [TABLE_MIB; 2].map(Table::new);
        GameSampler {
            options,
            seed,
            game_table,
            table,
            solving_table: Table::new(SOLVING_TABLE_MIB),
        }
    }

    /// Plays game `number`, which depends on the seed and its number alone.
    pub fn sample(&mut self, number: u32) -> Result<SampledGame> {
        let mut rng = Rng::for_stream(self.seed, number.into());
        let wanted = wanted(number, &mut rng);
        let mut game = opening(&mut rng)?;
        self.game_table.clear();
        let mut positions: Vec<SampledPosition> = Vec::new();
        // The sides to move of the last positions, which have no reference yet.
        let mut open: Vec<Player> = Vec::new();
        loop {
            let mut exact = game.final_score().map(discs);
            let can_move = game.moves().first().is_some_and(|m| !m.is_pass());
            let is_sampled = |(stage, empties): &(&GameStage, &Option<u8>)| {
                **empties == Some(game.plies_left()) && can_move && stage.is_measured_in(number)
            };
            if let Some((stage, _)) = STAGES.iter().zip(&wanted).find(is_sampled) {
                let mut scores = self.scores(&game, stage, number)?;
                if stage.reference == Reference::Solved {
                    exact = Some(self.solve(&game, &mut scores)?);
                }
                positions.push(SampledPosition {
                    empties: game.plies_left(),
                    reference: 0,
                    scores,
                });
                open.push(game.to_move());
            }
            if let Some(exact) = exact {
                for (position, mover) in positions.iter_mut().rev().zip(open.drain(..).rev()) {
                    position.reference = if mover == game.to_move() {
                        exact
                    } else {
                        -exact
                    };
                }
            }
            if game.final_score().is_some() {
                return Ok(SampledGame {
                    game: number,
                    positions,
                });
            }
            self.play_move(&mut game)?;
        }
    }

    /// Plays a move of a game.
    fn play_move(&self, game: &mut AnyGame) -> Result<()> {
        let answer = self.options.search(
            game.position(),
            &self.game_table,
            &Limits::to_depth(PLAY_DEPTH),
        );
        Ok(game.play(
            answer
                .best_move()
                .context("the position has no legal move")?,
        )?)
    }

    /// The scores of searches that end before the end of the game.
    fn scores(
        &mut self,
        game: &AnyGame,
        stage: &GameStage,
        number: u32,
    ) -> Result<Vec<SampledScore>> {
        self.table.clear();
        let depths = DEPTHS
            .iter()
            .filter(|(depth, one_in)| *depth < stage.empties.0 && number.is_multiple_of(*one_in));
        let score = |&(depth, _): &(u8, u32)| {
            let answer =
                self.options
                    .search(game.position(), &self.table, &Limits::to_depth(depth));
            let score = discs(answer.score().context("a search without a score")?);
            Ok(SampledScore {
                depth,
                selectivity: answer.selectivity,
                score,
            })
        };
        depths.map(score).collect()
    }

    /// The exact score; adds the scores of the selective iterations to the end to `scores`.
    fn solve(&mut self, game: &AnyGame, scores: &mut Vec<SampledScore>) -> Result<i32> {
        self.solving_table.clear();
        let depth = game.plies_left();
        let mut report = |progress: &Progress| {
            let selectivity = progress.selectivity;
            if progress.depth == depth && selectivity < 100 && progress.bound == Bound::Exact {
                scores.push(SampledScore {
                    depth,
                    selectivity,
                    score: discs(progress.score),
                });
            }
        };
        let mut observer = Observer {
            report: Some(&mut report),
            ..Observer::default()
        };
        let settings = &self.options.settings;
        let (table, limits) = (&self.solving_table, Limits::to_depth(depth));
        let answer = dispatch::think(game.position(), settings, table, &limits, &mut observer);
        answer
            .score()
            .map(discs)
            .context("a search without a score")
    }
}

fn discs(score: Score) -> i32 {
    score.0 / 100
}

/// The number of empties at which each stage's position of game `number` is searched; `None`: it
/// has none.
fn wanted(number: u32, rng: &mut Rng) -> [Option<u8>; STAGES.len()] {
    STAGES.each_ref().map(|stage| {
        let (least, most) = stage.empties;
        number
            .is_multiple_of(stage.one_in)
            .then(|| least + rng.below(u64::from(most - least + 1)) as u8)
    })
}

/// A random opening.
fn opening(rng: &mut Rng) -> Result<AnyGame> {
    let othello = AnyGame::default();
    let line = (0..TRIES).find_map(|_| random_line(&othello, OPENING_PLIES, rng).transpose());
    line.with_context(|| format!("no opening of {OPENING_PLIES} plies found"))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::games::any::AnyPosition;

    /// The exact score in discs, by plain minimax.
    fn value(position: &AnyPosition) -> i32 {
        match position.final_score() {
            Some(score) => discs(score),
            None => position
                .moves()
                .iter()
                .map(|&m| -value(&position.play(m)))
                .max()
                .unwrap(),
        }
    }

    #[test]
    fn references_are_exact_scores_or_the_result_of_the_game() {
        let options = Options::default();
        let mut sampler = GameSampler::new(&options, 1);
        for number in [1, 4] {
            let sampled = sampler.sample(number).unwrap();
            let at_most = |most| {
                sampled
                    .positions
                    .iter()
                    .filter(move |position| position.empties <= most)
            };
            let solved = at_most(24).next().unwrap().reference;
            let mut played = sampled
                .positions
                .iter()
                .filter(|position| position.empties > 24);
            let expected = if number == 4 { 4 } else { 0 };
            assert!(
                played.clone().count() == expected
                    && played.all(|position| position.reference.abs() == solved.abs())
            );

            let mut rng = Rng::for_stream(1, number.into());
            let empties = wanted(number, &mut rng)[0].unwrap();
            let mut game = opening(&mut rng).unwrap();
            sampler.game_table.clear();
            while game.plies_left() > empties || game.moves()[0].is_pass() {
                sampler.play_move(&mut game).unwrap();
            }
            assert_eq!(
                at_most(8).next().unwrap().reference,
                value(&game.position()),
                "{}",
                game.write_position()
            );
        }
    }
}
