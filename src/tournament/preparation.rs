//! Checks of a tournament before anything is written: validates the configuration, loads the openings and starts each
//! engine once, so that a mistake leaves no folder behind.

use std::io::{self, Write};

use anyhow::{Result, bail};
use crossbeam_channel::Receiver;

use super::abort::Abort;
use super::config::{SavedConfig, TournamentConfig};
use super::opening_list::Opening;
use super::option_check::check_engines;
use super::plan::hash_files;

/// Validates a configuration, loads its openings and starts each engine once; `None` if interrupted. Writes nothing.
///
/// # Errors
/// If the configuration is inconsistent, an engine cannot start or rejects an option, or the openings
/// cannot be read.
pub fn prepare(mut config: TournamentConfig, interrupt: &Receiver<()>) -> Result<Option<SavedConfig>> {
    config.check()?;
    let openings = config.openings.load(&config.game, config.seed, config.rounds)?;
    let first = openings.rounds(&config.openings, &config.game, config.seed)?.of_round(1)?;
    let Some(problems) = start_engines(&config, &first, interrupt)? else { return Ok(None) };
    if config.lenient {
        config.option_warnings = problems.iter().map(|problem| format!("warning: {problem}")).collect();
        // A closed standard error does not stop the tournament.
        config.option_warnings.iter().for_each(|warning| drop(writeln!(io::stderr(), "{warning}")));
    } else if !problems.is_empty() {
        bail!("{}\n(use --lenient to turn this into a warning)", problems.join("\n"));
    }
    let files = hash_files(&config);
    Ok(Some(SavedConfig { config, openings, files }))
}

/// Starts each engine once and returns the problems of its options; `None` if interrupted.
///
/// # Errors
/// If an engine cannot start, or play the game.
pub fn start_engines(
    config: &TournamentConfig,
    opening: &Opening,
    interrupt: &Receiver<()>,
) -> Result<Option<Vec<String>>> {
    let history = opening.history(&config.game)?;
    match check_engines(&config.engines, &history, config.lenient, config.timeouts(), interrupt) {
        Ok(problems) => Ok(Some(problems)),
        Err(Abort::Interrupted) => Ok(None),
        Err(Abort::CannotStart(error)) => Err(error.into()),
        Err(Abort::CannotRecord(error)) => bail!(error),
    }
}
