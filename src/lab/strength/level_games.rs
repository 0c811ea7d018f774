//! Games between two strength levels at a fixed number of nodes per move, and their openings. A
//! game depends on its levels and its opening alone.

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::commands::openings::random_line;
use crate::engine::game_engine::GameEngine;
use crate::engine::options::Options;
use crate::game::Player;
use crate::game::rng::Rng;
use crate::games::any::AnyGame;
use crate::search::{Limits, Observer, RootMove};

/// The size of a player's table in MiB.
const TABLE_MIB: u32 = 8;
/// The nodes of the search that scores an opening, and the maximum score of a balanced one.
const OPENING_NODES: u64 = 20_000;
const BALANCED: i32 = 300;
/// Random lines tried for one opening.
const TRIES: u64 = 10_000;

/// A game from the lower level's point of view.
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
pub(super) struct LevelGame {
    /// The final score of the level, in discs.
    pub discs: i32,
    /// The number of moves below the best score of the level's own search, their total cost and the
    /// largest cost, in hundredths of a disc.
    pub mistakes: u32,
    pub cost: i32,
    #[serde(rename = "dearest")]
    pub max_cost: i32,
}

/// A player at one strength level.
pub(super) struct LevelPlayer {
    pub engine: GameEngine,
    nodes: u64,
}

impl LevelPlayer {
    /// A player that loses `level` discs per game (0: full strength) and searches `nodes` nodes per
    /// move.
    pub fn new(options: &Options, level: u32, nodes: u64) -> LevelPlayer {
        let engine = GameEngine::with_options(Options {
            strength: level,
            hash: TABLE_MIB,
            ..options.clone()
        });
        LevelPlayer { engine, nodes }
    }

    /// Returns the chosen move and the best move with their scores; `None` if the game is over.
    pub fn choose(&mut self, game: &AnyGame) -> Option<(RootMove, RootMove)> {
        let limits = Limits::to_nodes(self.nodes);
        let answer = self.engine.search(game, &limits, &mut Observer::default());
        let chosen = answer.best.first()?.clone();
        let best = answer.best.into_iter().max_by_key(|root| root.score)?;
        Some((chosen, best))
    }
}

/// Plays a game from `opening`; `level` moves for `side`.
pub(super) fn play(
    opening: &AnyGame,
    side: Player,
    level: &mut LevelPlayer,
    other: &mut LevelPlayer,
) -> Result<LevelGame> {
    let mut game = opening.clone();
    level.engine.new_game();
    other.engine.new_game();
    let mut played = LevelGame::default();
    loop {
        if let Some(score) = game.final_score() {
            played.discs = if game.to_move() == side {
                score.0
            } else {
                -score.0
            } / 100;
            return Ok(played);
        }
        let is_level = game.to_move() == side;
        let player = if is_level { &mut *level } else { &mut *other };
        let (chosen, best) = player
            .choose(&game)
            .context("the position has no legal move")?;
        let cost = best.score.0 - chosen.score.0;
        if is_level && cost > 0 {
            played.mistakes += 1;
            played.cost += cost;
            played.max_cost = played.max_cost.max(cost);
        }
        game.play(chosen.m)?;
    }
}

/// The opening of a pair: random moves to a balanced position.
pub(super) fn opening(
    start: &AnyGame,
    plies: usize,
    seed: u64,
    pair: u32,
    options: &Options,
) -> Result<AnyGame> {
    let mut player = LevelPlayer::new(options, 0, OPENING_NODES);
    let mut rng = Rng::for_stream(seed, pair.into());
    for _ in 0..TRIES {
        let Some(game) = random_line(start, plies, &mut rng)? else {
            continue;
        };
        player.engine.new_game();
        if player
            .choose(&game)
            .is_some_and(|(best, _)| best.score.0.abs() <= BALANCED)
        {
            return Ok(game);
        }
    }
    bail!("no balanced opening of {plies} plies found: choose another --plies or --seed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mistake_has_a_cost() {
        let options = Options::default();
        let (mut level, mut full) = (
            LevelPlayer::new(&options, 3, 500),
            LevelPlayer::new(&options, 0, 500),
        );
        // In pair 2 the level plays one of two moves with the best score.
        let mut mistakes = 0;
        for pair in 0..8 {
            let opening = opening(&AnyGame::default(), 6, 1, pair, &options).unwrap();
            for side in [Player::First, Player::Second] {
                let played = play(&opening, side, &mut level, &mut full).unwrap();
                assert_eq!(played.mistakes > 0, played.cost > 0, "{pair}: {played:?}");
                mistakes += played.mistakes;
            }
        }
        assert!(mistakes > 0);
    }
}
