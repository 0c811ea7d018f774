//! Plays some games of a tournament without a folder, for `nullwindow shard`.

use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, ensure};
use clap::{Args, Command, FromArgMatches};
use crossbeam_channel::{Receiver, unbounded};

use super::arguments::TournamentArgs;
use super::command;
use super::config::SavedConfig;
use super::pairings::GameQueue;
use super::play::game::FinishedGame;
use super::play::worker::GameWorker;
use super::results::files::PlyJournal;
use super::runner::prepare;
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
        let (config, openings) = (&self.saved.config, self.saved.round_openings()?);
        let left = games.left();
        let (rules, schedule, queue) = (config.rules(), config.schedule(), Mutex::new(games));
        let journal = PlyJournal::discarding();
        let (messages, inbox) = unbounded();
        let stop = interrupt.clone();
        thread::scope(|scope| {
            let (rules, schedule, openings, journal, queue) = (&rules, &schedule, &openings, &journal, &queue);
            let worker = GameWorker { rules, schedule, openings, journal, queue, stop, messages };
            thread::Builder::new()
                .name("worker".into())
                .spawn_scoped(scope, move || worker.run(&config.engines, None))
                .context("cannot start a worker thread")?;
            let mut played = 0;
            for message in inbox {
                take(message?)?;
                played += 1;
            }
            Ok(left.is_none_or(|left| played < left))
        })
    }
}
