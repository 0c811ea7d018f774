//! What all subcommands share: the flags `--game` and `--option`, and the values of the exit status.

use anyhow::{Context, Result, anyhow};

use crate::engine::options::{OptionError, Options};
use crate::games::any::{self, AnyGame};

/// The exit status of a failed check.
pub const FAILED: u8 = 1;
/// The exit status of a usage or file error.
pub const UNUSABLE: u8 = 2;

/// The flags of every subcommand, before or after its name.
#[derive(clap::Args, Clone, Default, Debug)]
pub struct Setup {
    /// The game to play
    #[arg(help = help_of_game(), long, global = true, value_name = "GAME", value_parser = known_game)]
    pub game: Option<String>,

    /// An option of the engine, as `setoption` takes it; may be repeated
    #[arg(long = "option", global = true, value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub options: Vec<(String, String)>,
}

fn help_of_game() -> String {
    format!("The game to play: {} (default: {})", any::NAMES.join(", "), any::NAMES[0])
}

fn known_game(name: &str) -> Result<String> {
    let game = any::by_name(name).ok_or_else(|| anyhow!("no such game, expected one of {}", any::NAMES.join(", ")))?;
    Ok(game.name().into())
}

fn name_and_value(text: &str) -> Result<(String, String)> {
    let (name, value) = text.split_once('=').context("expected NAME=VALUE")?;
    let (name, value) = (name.trim(), value.trim());
    Options::default().set(name, Some(value))?;
    Ok((name.into(), value.into()))
}

impl Setup {
    /// The engine options with those of the command line set.
    pub fn options(&self) -> Result<Options, OptionError> {
        let mut options = Options::default();
        if let Some(game) = &self.game {
            options.set("Game", Some(game))?;
        }
        for (name, value) in &self.options {
            options.set(name, Some(value))?;
        }
        Ok(options)
    }

    /// The selected game at `position` (in any of its notations, or `startpos`), by default at its start.
    pub fn board(&self, position: Option<&str>) -> Result<Box<dyn AnyGame>> {
        let name = self.options()?.game;
        let mut game = any::by_name(name).with_context(|| format!("no such game: {name}"))?;
        if let Some(text) = position {
            game.set_position(text).with_context(|| format!("position of {name}"))?;
        }
        Ok(game)
    }
}
