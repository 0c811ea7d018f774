//! Options whose values are `key=value` words, such as `--sprt elo0=0 elo1=5`.

use std::ops::Deref;

use anyhow::{Error, Result, anyhow};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Parser};
use serde::{Deserialize, Serialize};

/// The value of an option that takes words.
pub trait OfWords: Sized {
    /// The option, with its dashes.
    const OPTION: &'static str;
    /// Its help.
    const HELP: &'static str;

    /// Parses the words of each occurrence of the option.
    ///
    /// # Errors
    /// If a word is unknown, missing or invalid.
    fn of_words(occurrences: &[Vec<String>]) -> Result<Self>;
}

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
}

/// `None` if the option is not given.
impl<T: Keys> OfWords for Option<T> {
    const OPTION: &'static str = T::OPTION;
    const HELP: &'static str = T::HELP;

    fn of_words(occurrences: &[Vec<String>]) -> Result<Self> {
        if occurrences.is_empty() {
            return Ok(None);
        }
        let words = occurrences.iter().flatten().map(|word| format!("--{word}"));
        let words = [T::OPTION.to_owned()].into_iter().chain(words);
        let parser = T::command().disable_help_flag(true);
        let matches = parser.try_get_matches_from(words);
        let value = matches.and_then(|matches| T::from_arg_matches(&matches));
        let value = value.map_err(|error| {
            let text = error.to_string().replace("--", "");
            let text = text.trim_start_matches("error: ");
            let (what, _) = text.split_once("\n\n").unwrap_or((text, ""));
            let command = T::command();
            let keys: Vec<&str> = command.get_arguments().filter_map(Arg::get_long).collect();
            let mut what = what.replace('\n', " ");
            for (text, ours) in [
                ("cannot parse float from empty string", "not a number"),
                ("invalid float literal", "not a number"),
                (
                    "cannot parse integer from empty string",
                    "not a whole number",
                ),
                ("invalid digit found in string", "not a whole number"),
                ("number too large to fit in target type", "too large"),
            ] {
                what = what.replace(text, ours);
            }
            anyhow!(
                "{}; expected KEY=VALUE with the keys {}",
                what.trim_end(),
                keys.join(", ")
            )
        })?;
        value.check()?;
        Ok(Some(value))
    }
}

/// Such an option on the command line and in the record.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Words<T>(pub T);

impl<T> Deref for Words<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: OfWords> FromArgMatches for Words<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let occurrences = matches.get_occurrences(T::OPTION).into_iter().flatten();
        let occurrences: Vec<Vec<String>> =
            occurrences.map(|words| words.cloned().collect()).collect();
        let value = T::of_words(&occurrences).map_err(|error| invalid(T::OPTION, &error))?;
        Ok(Words(value))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<T: OfWords> Args for Words<T> {
    fn augment_args(command: Command) -> Command {
        command.arg(
            Arg::new(T::OPTION)
                .long(T::OPTION.trim_start_matches('-'))
                .num_args(1..)
                .action(ArgAction::Append)
                .value_name("KEY=VALUE")
                .help(T::HELP),
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The error of clap for invalid words of an option. Its context has the message.
fn invalid(option: &str, error: &Error) -> clap::Error {
    let message = format!("{option}: {error:#}\n");
    let mut error = clap::Error::raw(ErrorKind::ValueValidation, &message);
    error.insert(ContextKind::Custom, ContextValue::String(message));
    error
}
