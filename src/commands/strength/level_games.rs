//! Games between two levels of strength at a fixed number of nodes per move, and the openings they begin with. A game
//! depends on its levels and its opening alone.

use std::sync::Arc;

use anyhow::{Context, Result, bail};

use super::record::LevelGame;
use crate::commands::openings::random_line;
use crate::engine::options::Options;
use crate::engine::strength::{LossRecord, Strength, search};
use crate::game::Player;
use crate::game::rng::Rng;
use crate::games::any::AnyGame;
use crate::games::dispatch;
use crate::search::stop::SearchControl;
use crate::search::table::Table;
use crate::search::{Answer, Limits, Observer, RootMove};

/// The size of a player's table in MiB: ample for the nodes of a game.
const TABLE_MIB: usize = 8;
/// The nodes of the search that judges an opening, and the largest score of a balanced one.
const OPENING_NODES: u64 = 20_000;
const BALANCED: i32 = 300;
/// Random lines tried for one opening.
const TRIES: u64 = 10_000;

/// A player of one level.
pub(super) struct LevelPlayer<'a> {
    options: &'a Options,
    strength: Option<Strength>,
    nodes: u64,
    table: Table,
    losses: LossRecord,
}

impl<'a> LevelPlayer<'a> {
    /// A player who loses `level` discs per game (0: none) and searches so many nodes per move.
    pub fn new(options: &'a Options, level: u32, nodes: u64) -> LevelPlayer<'a> {
        let strength = Strength::by_discs(level.into());
        LevelPlayer { options, strength, nodes, table: Table::new(TABLE_MIB), losses: LossRecord::default() }
    }

    /// Forgets what it has played and searched.
    pub fn begin_game(&mut self) {
        self.table.clear();
        self.losses = LossRecord::default();
    }

    /// The move it plays, and its score and the best one's by the same search; `None` if the game is over.
    pub fn choose(&mut self, game: &AnyGame) -> Option<(RootMove, RootMove)> {
        let limits = Limits { nodes: Some(self.nodes), ..Limits::default() };
        let mut observer = Observer { control: Arc::new(SearchControl::default()), report: &mut |_| {} };
        let (position, settings, kernel) = (game.position(), &self.options.settings, self.options.kernel);
        let Some(strength) = self.strength else {
            let answer = dispatch::think(position, settings, kernel, &self.table, &limits, &mut observer);
            let best = answer.best.first()?.clone();
            return Some((best.clone(), best));
        };
        let allowance = self.losses.allowance(game, strength);
        let answer: Answer = search::think(position, settings, kernel, &self.table, &limits, &allowance, &mut observer);
        self.losses.add(game, &answer);
        Some((allowance.played(&answer)?.clone(), answer.best.first()?.clone()))
    }
}

/// Plays a game from `opening` in which `level` moves for `side`.
pub(super) fn play<'a>(
    opening: &AnyGame,
    side: Player,
    level: &mut LevelPlayer<'a>,
    other: &mut LevelPlayer<'a>,
) -> Result<LevelGame> {
    let mut game = opening.clone();
    level.begin_game();
    other.begin_game();
    let mut played = LevelGame { discs: 0, mistakes: 0, cost: 0, dearest: 0 };
    loop {
        if let Some(score) = game.final_score() {
            played.discs = if game.to_move() == side { score.0 } else { -score.0 } / 100;
            return Ok(played);
        }
        let is_level = game.to_move() == side;
        let player = if is_level { &mut *level } else { &mut *other };
        let (chosen, best) = player.choose(&game).context("a position without a move")?;
        if is_level && chosen.m != best.m {
            let cost = (best.score.0 - chosen.score.0).max(0);
            played.mistakes += 1;
            played.cost += cost;
            played.dearest = played.dearest.max(cost);
        }
        game.play(chosen.m)?;
    }
}

/// The opening of a pair: random moves that leave the game balanced.
pub(super) fn opening(start: &AnyGame, plies: usize, seed: u64, pair: u32, options: &Options) -> Result<AnyGame> {
    let mut player = LevelPlayer::new(options, 0, OPENING_NODES);
    let mut rng = Rng::for_stream(seed, pair.into());
    for _ in 0..TRIES {
        let Some(game) = random_line(start, plies, &mut rng)? else { continue };
        player.begin_game();
        if player.choose(&game).is_some_and(|(best, _)| best.score.0.abs() <= BALANCED) {
            return Ok(game);
        }
    }
    bail!("no balanced opening of {plies} plies")
}
