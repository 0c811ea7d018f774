//! Plays some games of a tournament without a folder, for `nullwindow shard`.

use anyhow::{Result, ensure};
use clap::{Args, Command, FromArgMatches};
use crossbeam_channel::Receiver;

use super::arguments::TournamentArgs;
use super::command;
use super::config::SavedConfig;
use super::pairings::GameQueue;
use super::play::game::FinishedGame;
use super::results::files::PlyJournal;
use super::runner::{play_games, prepare};
use crate::engine::setup::Setup;

/// The tournament that `nullwindow tournament` would play with these arguments.
///
/// # Errors
/// As [`prepare`]; if the arguments are invalid, or the games depend on each other (`--sprt`).
pub fn tournament(words: &[String], setup: &Setup, seed: u64, interrupt: &Receiver<()>) -> Result<SavedConfig> {
    let line = TournamentArgs::augment_args(Command::new("tournament").no_binary_name(true));
    let matches = line.try_get_matches_from(words).map_err(|error| anyhow::anyhow!("{}", error.render()))?;
    let mut config = command::config(&TournamentArgs::from_arg_matches(&matches)?, setup)?;
    ensure!(
        config.sprt.is_none(),
        "--sprt cannot be used in a shard: the test needs the games of the whole tournament"
    );
    config.seed = seed;
    prepare(config, interrupt)
}

/// Plays games of a tournament in order and passes each to `take`. Returns whether it was interrupted.
///
/// # Errors
/// If an engine cannot start, or `take` fails.
pub fn play(
    saved: &SavedConfig,
    games: GameQueue,
    interrupt: &Receiver<()>,
    mut take: impl FnMut(FinishedGame) -> Result<()>,
) -> Result<bool> {
    let (openings, left) = (saved.round_openings()?, games.left());
    let journal = PlyJournal::discarding();
    play_games(&saved.config, &openings, &journal, games, interrupt, vec![None], |inbox| {
        let mut played = 0;
        for game in inbox {
            take(game?)?;
            played += 1;
        }
        Ok(left.is_none_or(|left| played < left))
    })
}
