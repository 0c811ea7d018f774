//! Shared by all subcommands: the flags `--game` and `--option`, and the exit status.

use std::ffi::OsStr;
use std::num::{IntErrorKind, ParseIntError};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command};

use crate::engine::options::{HASH, OPTIONS, OptionError, Options};
use crate::game::is_unprintable;
use crate::games::any::{self, AnyGame};
use crate::games::record;
use crate::platform::files::{FileIdentity, folder_of, open_regular};
use crate::storage::checksum;

/// The exit status of a failed check.
pub const FAILED: u8 = 1;
/// The exit status of a usage or file error.
pub const UNUSABLE: u8 = 2;

/// The exit status by whether the checks passed.
pub fn exit_code(is_ok: bool) -> ExitCode {
    if is_ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FAILED)
    }
}

/// The flags of every subcommand, before or after its name.
#[derive(clap::Args, Clone, Default, Debug)]
pub struct Setup {
    /// The game
    #[arg(help = help_of_game(), long, global = true, value_name = "GAME", hide_possible_values = true)]
    #[arg(display_order = LAST)]
    #[arg(value_parser = Suggested(any::NAMES.to_vec(), game_name))]
    pub game: Option<String>,

    /// Set an option of the engine, as `setoption` does; may be repeated
    #[arg(long = "option", global = true, value_name = "NAME=VALUE", value_parser = name_and_value)]
    #[arg(display_order = LAST)]
    pub options: Vec<(String, String)>,

    /// The default of `Hash`, in MiB, where memory is short.
    #[arg(skip)]
    pub hash: Option<u32>,
}

/// The place of the shared flags in the help: after the own flags of a command, before `--help`.
const LAST: usize = 998;

/// Engine options that many commands use, for [`uses`].
pub const GAME: &[&str] = &["Game", "UCI_Variant"];
pub const SEARCH: &[&str] = &["Algorithm", "Table", "Deepening", "Threads", "Selectivity"];
pub const EVAL: &[&str] = &["Kernel", "EvalFile", "Debug Log File"];
const LOG: &[&str] = &["Debug Log File"];

/// Whether a list of engine options has this one.
pub fn has_option(names: &[&str], option: &str) -> bool {
    names.iter().any(|name| name.eq_ignore_ascii_case(option))
}

/// Whether an option selects the game.
pub fn is_game(option: &str) -> bool {
    has_option(GAME, option)
}

/// The flags of [`Setup`] for a command that uses only these engine options, for the attribute
/// `#[command(args = uses(...))]`: the help lists the options and omits flags without effect. A
/// command without the attribute uses all options.
pub fn uses(options: &[&[&str]]) -> Vec<Arg> {
    let used = options.concat();
    let names: Vec<&str> = OPTIONS
        .iter()
        .map(|option| option.name)
        .filter(|name| used.contains(name))
        .collect();
    assert_eq!(names.len(), used.len(), "an option is unknown");
    let help = format!(
        "Set an engine option; may be repeated: {}",
        names.join(", ")
    );
    let shared = Setup::augment_args(Command::new(""))
        .mut_arg("game", |arg| arg.hide(!names.contains(&"Game")))
        .mut_arg("options", |arg| {
            arg.help(help)
                .hide(names.is_empty())
                .hide_possible_values(true)
                .value_parser(Suggested(names, name_and_value))
        });
    shared.get_arguments().cloned().collect()
}

/// The flags of [`Setup`] for a command that sets the options of several engines, of which some may
/// be other programs.
pub fn sets_all_engines() -> Vec<Arg> {
    let parse = |text: &str| {
        name_and_value(text).map_err(|error| match error.downcast_ref::<OptionError>() {
            Some(_) => {
                anyhow!("{error}; set those of other programs by --each option.NAME=VALUE")
            }
            None => error,
        })
    };
    let help = "Set an option of all engines, as --each option.NAME=VALUE does; may be repeated";
    let names = OPTIONS.iter().map(|option| option.name).collect();
    let shared = Setup::augment_args(Command::new("")).mut_arg("options", |arg| {
        arg.help(help)
            .hide_possible_values(true)
            .value_parser(Suggested(names, parse))
    });
    shared.get_arguments().cloned().collect()
}

/// A parser of values with names for the completion of command lines: others may be valid, too.
/// [`Arg::hide_possible_values`] keeps them out of the help.
#[derive(Clone)]
pub struct Suggested<P>(pub Vec<&'static str>, pub P);

impl<P: TypedValueParser> TypedValueParser for Suggested<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        self.1.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(PossibleValue::new)))
    }
}

fn help_of_game() -> String {
    format!(
        "The game: {} (default: {})",
        any::NAMES.join(", "),
        any::NAMES[0]
    )
}

/// Parses the name of a game, which may be unknown: see [`Setup::known_game`].
fn game_name(name: &str) -> Result<String> {
    ensure!(!name.trim().is_empty(), "expected the name of a game");
    Ok(any::by_name(name).map_or(name, |game| game.name()).into())
}

/// Parses `NAME=VALUE` of an engine option. A log file is only opened by [`Setup::options`], after
/// the whole command line is parsed.
///
/// # Errors
/// If the option is unknown or the value is invalid.
pub fn name_and_value(text: &str) -> Result<(String, String)> {
    ensure!(
        !text.contains(is_unprintable),
        "contains control characters"
    );
    let (name, value) = text.split_once('=').context("expected NAME=VALUE")?;
    let (name, value) = (name.trim(), value.trim());
    if !has_option(LOG, name) {
        Options::default().set(name, Some(value))?;
    }
    Ok((name.into(), value.into()))
}

/// Parses a whole number of 1 or more into an unsigned type.
///
/// # Errors
/// If it is invalid.
pub fn positive<T>(text: &str) -> Result<T>
where
    T: FromStr<Err = ParseIntError> + PartialOrd + From<u8>,
{
    match text.parse() {
        Ok(number) if number >= T::from(1) => Ok(number),
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => {
            bail!("expected at most {}", u64::MAX >> (64 - 8 * size_of::<T>()))
        }
        _ => bail!("expected a whole number of 1 or more"),
    }
}

/// Parses a positive number of seconds.
///
/// # Errors
/// If it is invalid.
pub fn seconds(text: &str) -> Result<Duration> {
    let seconds = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0);
    let seconds = seconds.context("expected a positive number of seconds")?;
    Duration::try_from_secs_f64(seconds)
        .with_context(|| format!("expected at most {:e} seconds", u64::MAX as f64))
}

/// Parses a whole number or a range `A-B`, from 1.
///
/// # Errors
/// If it is invalid.
pub fn parse_range(text: &str) -> Result<(usize, usize)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.trim().parse(), last.trim().parse()) {
        (Ok(first), Ok(last)) if (1..=last).contains(&first) => Ok((first, last)),
        _ => bail!("expected a number or a range A-B with 1 <= A <= B"),
    }
}

/// Parses a finite number of 0 or more.
///
/// # Errors
/// If it is invalid.
pub fn not_negative(text: &str) -> Result<f32> {
    let number = text
        .parse()
        .ok()
        .filter(|number: &f32| number.is_finite() && *number >= 0.0);
    number.context("expected a number of 0 or more")
}

/// Checks, before long work begins, that an output file is not a folder, is in an existing folder,
/// is not `-`, and is not also an input.
///
/// # Errors
/// If a check fails; the error names the option.
pub fn check_output<'a>(
    option: &str,
    file: &Path,
    inputs: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<()> {
    let name = file.display();
    ensure!(
        file.as_os_str() != "-",
        "{option} -: - is standard input only: use ./- for a file of this name"
    );
    ensure!(!file.is_dir(), "{option} {name}: not a file but a folder");
    let folder = folder_of(file);
    ensure!(
        folder.is_dir(),
        "{option} {name}: folder {} does not exist",
        folder.display()
    );
    let identity = FileIdentity::of(file);
    let same = |input: &PathBuf| identity.is_same(&FileIdentity::of(input));
    ensure!(
        !inputs.into_iter().any(same),
        "{option} {name}: this file is also an input"
    );
    Ok(())
}

/// Checks the file of a record, which may exist, as [`check_output`] does, and that it is a regular
/// one.
///
/// # Errors
/// If a check fails; the error names the option.
pub fn check_record<'a>(
    option: &str,
    file: &Path,
    inputs: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<()> {
    check_output(option, file, inputs)?;
    if file.exists() {
        open_regular(file).with_context(|| format!("{option} {}", file.display()))?;
    }
    Ok(())
}

impl Setup {
    /// The game of the flag, if this crate has it.
    pub fn known_game(&self) -> Option<&str> {
        let game = self.game.as_deref();
        game.filter(|name| any::by_name(name).is_some())
    }

    /// Without a game that this crate lacks: only matches are played at such games.
    pub fn of_known_game(&self) -> Setup {
        Setup {
            game: self.known_game().map(Into::into),
            ..self.clone()
        }
    }

    /// Checks that the two flags do not name different games.
    ///
    /// # Errors
    /// If they do.
    pub fn check(&self) -> Result<()> {
        let last = self.options.iter().rev().find(|(name, _)| is_game(name));
        if let (Some(game), Some((name, other))) = (&self.game, last) {
            ensure!(
                game_name(other)? == *game,
                "--game {game} and --option {name}={other} are different games"
            );
        }
        Ok(())
    }

    /// The engine options, with those of the command line.
    ///
    /// # Errors
    /// An option or a game that does not exist, or an invalid value.
    pub fn options(&self) -> Result<Options, OptionError> {
        let mut options = Options::default();
        if let Some(hash) = self.hash {
            options.set(HASH, Some(&hash.to_string()))?;
        }
        if let Some(game) = &self.game {
            options.set("Game", Some(game))?;
        }
        for (name, value) in &self.options {
            options.set(name, Some(value))?;
        }
        Ok(options)
    }

    /// The options of the command line that determine the results of a run: all but `Debug Log
    /// File` and those in `others`. `EvalFile` has the checksum of the weights, which may be
    /// replaced before a run is resumed.
    pub fn determining_options(&self, others: &[&str]) -> Vec<(String, String)> {
        let is_free = |name: &str| has_option(others, name) || has_option(LOG, name);
        let options = self.options.iter().filter(|(name, _)| !is_free(name));
        let with_content = |(name, value): &(String, String)| {
            let value = if name.eq_ignore_ascii_case("EvalFile")
                && let Ok(checksum) = checksum::of_file(value.as_ref())
            {
                format!("{value} {checksum}")
            } else {
                value.clone()
            };
            (name.clone(), value)
        };
        options.map(with_content).collect()
    }

    /// The selected game at `position` (see [`record::parse`]), by default at its start.
    pub fn board(&self, position: Option<&str>) -> Result<AnyGame> {
        let name = self.options()?.game;
        let mut game = any::by_name(name).with_context(|| format!("unknown game: {name}"))?;
        if let Some(text) = position {
            game = record::parse(&game, text)
                .with_context(|| format!("position of {name}"))?
                .game;
        }
        Ok(game)
    }

    /// The start of the selected game for what supports only games played with discs.
    pub fn board_with_discs(&self, user: &str) -> Result<AnyGame> {
        let game = self.board(None)?;
        ensure!(
            game.discs().is_some(),
            "{user} does not support {}: choose a game played with discs",
            game.name()
        );
        Ok(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_begin_at_one() {
        assert_eq!(parse_range("3-7").unwrap(), (3, 7));
        assert_eq!(parse_range("4").unwrap(), (4, 4));
        for bad in ["", "0", "7-3", "a-b", "-3", "3-"] {
            assert!(parse_range(bad).is_err(), "{bad}");
        }
    }
}
