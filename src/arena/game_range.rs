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

/// The tournament of a command line.
pub struct GameRange {
    /// Its configuration and openings.
    pub saved: SavedConfig,
}

impl GameRange {
    /// The tournament that `nullwindow tournament` would play with these arguments; `None` if interrupted.
    ///
    /// # Errors
    /// As [`prepare`]; if the arguments are invalid, or the games depend on each other (`--sprt`).
    pub fn new(words: &[String], setup: &Setup, seed: u64, interrupt: &Receiver<()>) -> Result<Option<GameRange>> {
        let line = TournamentArgs::augment_args(Command::new("tournament").no_binary_name(true));
        let matches = line.try_get_matches_from(words).map_err(|error| anyhow::anyhow!("{}", error.render()))?;
        let mut config = command::config(&TournamentArgs::from_arg_matches(&matches)?, setup)?;
        ensure!(
            config.sprt.is_none(),
            "--sprt cannot be used in a shard: the test needs the games of the whole tournament"
        );
        config.seed = seed;
        Ok(prepare(config, interrupt)?.map(|saved| GameRange { saved }))
    }

    /// The number of games of the whole tournament.
    pub fn games(&self) -> u64 {
        self.saved.config.schedule().games().unwrap_or(u64::MAX)
    }

    /// Plays the games in order and passes each to `take`. Returns whether it was interrupted.
    ///
    /// # Errors
    /// If an engine cannot start, or `take` fails.
    pub fn play(
        &self,
        games: GameQueue,
        interrupt: &Receiver<()>,
        take: &mut dyn FnMut(FinishedGame) -> Result<()>,
    ) -> Result<bool> {
        let (openings, left) = (self.saved.round_openings()?, games.left());
        let journal = PlyJournal::discarding();
        play_games(&self.saved.config, &openings, &journal, games, interrupt, vec![None], |inbox| {
            let mut played = 0;
            for game in inbox {
                take(game?)?;
                played += 1;
            }
            Ok(left.is_none_or(|left| played < left))
        })
    }
}
