//! Options whose values are `key=value` words, such as `--sprt elo0=0 elo1=5`.

use std::ops::Deref;

use anyhow::{Result, anyhow};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Parser};
use serde::{Deserialize, Serialize};

/// The value of an option whose keys are the options of a parser.
pub trait Keys: Parser {
    /// The option, with its dashes.
    const OPTION: &'static str;
    /// Its help.
    const HELP: &'static str;

    /// Checks what the values of several keys or their meaning require.
    ///
    /// # Errors
    /// The requirement.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Parses the words of the option.
    ///
    /// # Errors
    /// If a key is unknown or missing, or a value is invalid.
    fn of_words(words: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self> {
        let words = words.into_iter().map(|word| format!("--{}", word.as_ref()));
        let words = [Self::OPTION.to_owned()].into_iter().chain(words);
        let value = Self::try_parse_from(words).map_err(|error| {
            let text = error.to_string().replace("--", "");
            let text = text.trim_start_matches("error: ");
            let (what, _) = text.split_once("\n\n").unwrap_or((text, ""));
            anyhow!("{}", what.replace('\n', " "))
        })?;
        value.check()?;
        Ok(value)
    }
}

/// Such an option on the command line and in the record; `None` if it is not given.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeyValues<T>(pub Option<T>);

impl<T> Default for KeyValues<T> {
    fn default() -> Self {
        KeyValues(None)
    }
}

impl<T> Deref for KeyValues<T> {
    type Target = Option<T>;

    fn deref(&self) -> &Option<T> {
        &self.0
    }
}

impl<T: Keys> FromArgMatches for KeyValues<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let words = words_of(matches, T::OPTION);
        let value =
            words.map(|words| T::of_words(words).map_err(|error| invalid(T::OPTION, &error)));
        Ok(KeyValues(value.transpose()?))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<T: Keys> Args for KeyValues<T> {
    fn augment_args(command: Command) -> Command {
        command.arg(words_arg(T::OPTION).help(T::HELP))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// An option that takes words.
pub fn words_arg(option: &'static str) -> Arg {
    let name = option.trim_start_matches('-');
    Arg::new(name)
        .long(name)
        .num_args(1..)
        .action(ArgAction::Append)
        .value_name("KEY=VALUE")
}

/// The words of an option, if it is given.
pub fn words_of<'m>(
    matches: &'m ArgMatches,
    option: &str,
) -> Option<impl Iterator<Item = &'m String>> {
    matches.get_many(option.trim_start_matches('-'))
}

/// The error of clap for invalid words of an option. Its context has the option and the reason.
pub fn invalid(option: &str, error: &anyhow::Error) -> clap::Error {
    let message = format!("{error:#}");
    let mut error = clap::Error::raw(ErrorKind::ValueValidation, format!("{option}: {message}\n"));
    error.insert(ContextKind::InvalidArg, ContextValue::String(option.into()));
    error.insert(ContextKind::Custom, ContextValue::String(message));
    error
}
