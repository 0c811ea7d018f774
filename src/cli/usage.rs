//! Parses the command line with clap and checks what clap cannot: shared options that a command
//! does not use, and long options with a single dash. After `tournament`, those are flags of
//! fastchess and cutechess-cli, which [`translate`] turns into options.
//!
//! [`uses`](crate::setup::uses) declares the engine options that a command uses. Its help
//! omits the others, and [`check`] rejects them, also before the name of the command.
//!
//! Also `nullwindow completions` and `nullwindow man`, generated from the same clap definition.

use std::collections::HashSet;
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::num::ParseIntError;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, CommandFactory, FromArgMatches};
use clap_complete::Shell;
use clap_mangen::Man;

use super::{Cli, Command};
use crate::arena::translation::{Translation, translate};
use crate::engine::options::OptionSpec;
use crate::game::quoted;
use crate::games::any::NAMES;
use crate::platform::command_line;
use crate::setup::uses;

/// Parses a command line, which begins with the name of the program; returns it with the name of
/// its command. Flags of other match runners after `tournament` are translated.
///
/// # Errors
/// If clap rejects it, or if it has a shared option that the command does not use.
pub fn parse(words: &[OsString]) -> Result<(Cli, String), clap::Error> {
    let usage_error = |kind, message: String| chosen(words).error(kind, message);
    let (words, translation) = translate_flags(words)
        .map_err(|error| usage_error(ErrorKind::UnknownArgument, format!("{error:#}")))?;
    let matches = command().try_get_matches_from(&words).map_err(|error| {
        let unknown = text_of(&error, ContextKind::InvalidSubcommand);
        if let Some(file) = unknown.and_then(file_of_games) {
            return usage_error(ErrorKind::InvalidSubcommand, file);
        }
        let mut error = with_range(translation.restore_usage(error), &words);
        if is_useless_tip(&error, &words) {
            error.remove(ContextKind::Suggested);
        }
        if error.kind() == ErrorKind::UnknownArgument
            && let Some(hint) = hint(&words)
        {
            error.insert(
                ContextKind::Suggested,
                ContextValue::StyledStrs(vec![hint.into()]),
            );
        }
        error
    })?;
    let cli = Cli::from_arg_matches(&matches).map_err(|error| translation.restore_usage(error));
    let (mut cli, name) = (cli?, path_of(&matches));
    check(&cli, &name)
        .map_err(|error| usage_error(ErrorKind::ArgumentConflict, format!("{error:#}")))?;
    if let Some(Command::Tournament(args)) = &mut cli.command {
        args.translation = translation;
    }
    Ok((cli, name))
}

/// The command line, in which a negative number is a value, so that its error names the range of
/// the argument.
fn command() -> clap::Command {
    fn with_negative_numbers(command: clap::Command) -> clap::Command {
        let allowed = |arg: Arg| match arg.get_action().takes_values() {
            true => arg.allow_negative_numbers(true),
            false => arg,
        };
        command
            .mut_args(allowed)
            .mut_subcommands(with_negative_numbers)
    }
    with_negative_numbers(Cli::command())
}

/// The text of an error about one word.
fn text_of(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text),
        _ => None,
    }
}

/// Replaces the error about a value that is not an integer, or is beyond every integer type, by one
/// with the range of its argument.
fn with_range(error: clap::Error, words: &[OsString]) -> clap::Error {
    let is_integer = error
        .source()
        .is_some_and(|source| source.is::<ParseIntError>());
    let about = |kind| text_of(&error, kind).filter(|_| is_integer);
    let (Some(arg), Some(value)) = (
        about(ContextKind::InvalidArg),
        about(ContextKind::InvalidValue),
    ) else {
        return error;
    };
    // The parser states its range to an integer beyond it.
    let beyond = |word: &OsString| match word.to_str().and_then(|word| word.strip_suffix(value)) {
        Some(name) if name.is_empty() || name.ends_with('=') => {
            format!("{name}{}", i64::MAX).into()
        }
        _ => word.clone(),
    };
    let stated = command().try_get_matches_from(words.iter().map(beyond));
    let range = stated.err().and_then(|error| {
        let text = error.source()?.to_string();
        let (_, range) = text.split_once(" is not in ")?;
        Some(format!(" in {range}"))
    });
    let range = range.unwrap_or_default();
    let message = format!("invalid value '{value}' for '{arg}': expected a whole number{range}");
    chosen(words).error(ErrorKind::ValueValidation, message)
}

/// The error about a file in the place of the command.
fn file_of_games(name: &str) -> Option<String> {
    let words = ["nullwindow", "analyze", name].map(String::from);
    Path::new(name).is_file().then(|| {
        format!(
            "{} is a file, not a command; to analyze its games: {}",
            quoted(name),
            command_line::join(&words)
        )
    })
}

/// Whether the tip to put `--` before an unknown option leads to another error.
fn is_useless_tip(error: &clap::Error, words: &[OsString]) -> bool {
    let unknown = text_of(error, ContextKind::InvalidArg);
    let Some(at) = words.iter().position(|word| word.to_str() == unknown) else {
        return false;
    };
    let mut words = words.to_vec();
    words.insert(at, "--".into());
    error.kind() == ErrorKind::UnknownArgument && command().try_get_matches_from(words).is_err()
}

/// Translates the flags after `tournament`.
fn translate_flags(words: &[OsString]) -> Result<(Vec<OsString>, Translation)> {
    let Some(at) = words.iter().position(|word| word == "tournament") else {
        return Ok((words.to_vec(), Translation::default()));
    };
    let own = Cli::command();
    let own = own.find_subcommand("tournament");
    let longs = own.into_iter().flat_map(clap::Command::get_arguments);
    let mut options: Vec<&str> = longs.filter_map(Arg::get_long).collect();
    options.extend(["game", "option"]);
    let (before, after) = words.split_at(at + 1);
    let translation = translate(before, after, &options)?;
    Ok((translation.words.clone(), translation))
}

/// Returns the name of the selected command, such as `lab train eval`.
fn path_of(mut matches: &clap::ArgMatches) -> String {
    let mut words = Vec::new();
    while let Some((name, inner)) = matches.subcommand() {
        words.push(name);
        matches = inner;
    }
    words.join(" ")
}

/// The command that the words of a command line choose, with the shared options.
fn chosen(words: &[OsString]) -> clap::Command {
    let mut command = Cli::command();
    command.build();
    let inner = |command, word| clap::Command::find_subcommand(command, word).unwrap_or(command);
    words.iter().skip(1).fold(&command, inner).clone()
}

/// Returns a hint if the words of a command line contain long options with a single dash.
fn hint(words: &[OsString]) -> Option<String> {
    let chosen = chosen(words);
    // Longer than one letter; no word with two dashes is one.
    let is_long = |name: &&str| {
        let mut arguments = chosen.get_arguments();
        name.len() > 1 && arguments.any(|arg| arg.get_long() == Some(name))
    };
    let mut seen = HashSet::new();
    let meant: Vec<String> = words
        .iter()
        .filter_map(|word| word.to_str()?.strip_prefix('-')?.split('=').next())
        .filter(|name| is_long(name) && seen.insert(*name))
        .map(|name| format!("--{name}"))
        .collect();
    (!meant.is_empty()).then(|| {
        format!(
            "did you mean {}? long options take two dashes",
            meant.join(", ")
        )
    })
}

/// The engine options that a command uses, by [`uses`]; `None`: all.
pub fn used_options(name: &str) -> Option<Vec<String>> {
    let all = Cli::command();
    let mut path = name.split(' ');
    let command = path.try_fold(&all, |command, word| command.find_subcommand(word))?;
    let options = command
        .get_arguments()
        .find(|arg| arg.get_id() == "options")?;
    let values = options.get_possible_values();
    Some(values.iter().map(|value| value.get_name().into()).collect())
}

/// Rejects shared options that the command does not use.
fn check(cli: &Cli, name: &str) -> Result<()> {
    if let Some(game) = &cli.setup.game {
        ensure!(
            name == "tournament" || cli.setup.known_game().is_some(),
            "--game {game}: unknown game, expected one of {}",
            NAMES.join(", ")
        );
    }
    if name.is_empty() {
        return Ok(());
    }
    ensure!(
        cli.protocol.is_none(),
        "--protocol has no effect on {name}: use it without a command"
    );
    let Some(used) = used_options(name) else {
        return Ok(());
    };
    let has = |option: &str| used.iter().any(|name| name == option);
    ensure!(
        cli.setup.game.is_none() || has("Game"),
        "--game has no effect on {name}"
    );
    for (option, _) in &cli.setup.options {
        ensure!(!used.is_empty(), "--option has no effect on {name}");
        ensure!(
            OptionSpec::by_name(option).is_some_and(|option| has(option.name)),
            "option {option} has no effect on {name}, which uses {}",
            used.join(", ")
        );
    }
    Ok(())
}

#[derive(clap::Args, Debug)]
#[command(args = uses(&[]))]
pub struct CompletionsArgs {
    /// Shell to generate the script for
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(clap::Args, Debug)]
#[command(args = uses(&[]))]
pub struct ManArgs {
    /// Print the page of this command, such as solve or lab train (default: the main page, which
    /// lists all commands)
    command: Vec<String>,
}

pub fn completions(args: &CompletionsArgs, out: &mut dyn Write) -> Result<bool> {
    let mut script = Vec::new(); // clap_complete panics on a write error
    clap_complete::generate(
        args.shell,
        &mut Cli::command(),
        env!("CARGO_PKG_NAME"),
        &mut script,
    );
    out.write_all(&script)?;
    Ok(true)
}

pub fn man(args: &ManArgs, out: &mut dyn Write) -> Result<bool> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    for name in &args.command {
        let found = command.find_subcommand(name);
        let unknown = || format!("no command \"{}\": see nullwindow --help", quoted(name));
        command = found.with_context(unknown)?.clone();
    }
    let version = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));
    Man::new(command).source(version).render(out)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        let words = format!("nullwindow {line}");
        words.split(' ').map(OsString::from).collect()
    }

    /// The error of a command line.
    fn error_of(line: &str) -> String {
        parse(&words(line)).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn an_error_for_a_number_names_the_range() {
        for (line, expected) in [
            ("perft -1", "-1 is not in 0..=128"),
            ("perft 129", "129 is not in 0..=128"),
            (
                "perft abc",
                "invalid value 'abc' for '[DEPTH]': expected a whole number in 0..=128",
            ),
            (
                "perft 99999999999999999999",
                "expected a whole number in 0..=128",
            ),
            (
                "solve --start --threads=x",
                "invalid value 'x' for '--threads <N>': expected a whole number in 1..=256",
            ),
            ("prove --at-least -65 --out x", "-65 is not in -64..=64"),
        ] {
            let error = error_of(line);
            assert!(error.contains(expected), "{line}: {error}");
        }
        for (line, command) in [
            ("--game othello perft abc", "perft"),
            ("lab train levels --depths 4,x", "lab train levels"),
            (
                "lab strength calibrate --out x --option Hash=1",
                "lab strength calibrate",
            ),
            ("--protocol gtp solve --start", "solve"),
        ] {
            let error = error_of(line);
            let usage = format!("Usage: nullwindow {command} ");
            assert!(error.contains(&usage), "{line}: {error}");
        }
        let error = error_of("perft --depth 3");
        assert!(
            error.contains("unexpected argument '--depth'") && !error.contains("tip:"),
            "{error}"
        );
    }

    #[test]
    fn every_number_of_threads_has_a_maximum() {
        fn walk(command: &clap::Command, path: &str) {
            if command.get_arguments().any(|arg| arg.get_id() == "threads") {
                let words = format!("nullwindow {path} --threads 257");
                let found = super::command().try_get_matches_from(words.split_whitespace());
                let error = found.unwrap_err().to_string();
                assert!(error.contains("257 is not in 1..=256"), "{path}: {error}");
            }
            command
                .get_subcommands()
                .for_each(|sub| walk(sub, &format!("{path} {}", sub.get_name())));
        }
        walk(&super::command(), "");
    }

    #[test]
    fn no_option_takes_a_negative_number_for_another_option() {
        fn walk(command: &clap::Command, path: &str) {
            for arg in command
                .get_arguments()
                .filter(|arg| arg.get_action().takes_values())
            {
                let Some(long) = arg.get_long() else { continue };
                let words = format!("nullwindow {path} --{long} -1");
                if let Err(error) = super::command().try_get_matches_from(words.split_whitespace())
                {
                    let error = error.to_string();
                    assert!(
                        !error.contains("unexpected argument '-1'"),
                        "{words}: {error}"
                    );
                }
            }
            command
                .get_subcommands()
                .for_each(|sub| walk(sub, &format!("{path} {}", sub.get_name())));
        }
        walk(&super::command(), "");
    }

    #[test]
    fn single_dashes_of_long_options_are_named() {
        let hint = "did you mean --depth, --game? long options take two dashes";
        let hint_of = |line: &str| super::hint(&words(line));
        let found = hint_of("compare FILE -depth 2 -game othello");
        assert_eq!(found.as_deref(), Some(hint));
        assert_eq!(hint_of("solve --threads 2 -x -nonsense"), None);
        assert_eq!(hint_of("solve -engine"), None, "of another command");
    }

    #[test]
    fn a_report_of_solve_refuses_every_option_of_solving() {
        let mut all = Cli::command();
        all.build();
        let solve = all.find_subcommand("solve").unwrap();
        let report = solve.get_arguments().find(|arg| arg.get_id() == "report");
        let refused = solve.get_arg_conflicts_with(report.unwrap());
        for arg in solve.get_arguments() {
            let id = arg.get_id().as_str();
            let is_used = ["report", "svg", "json", "help"].contains(&id);
            let is_refused = refused.iter().any(|other| other.get_id() == id);
            assert_ne!(is_refused, is_used, "{id}");
        }
    }

    #[test]
    fn every_command_lists_the_options_that_it_uses() {
        fn walk(command: &clap::Command, path: &str) {
            let mut arguments = command.get_arguments();
            let uses_all = path == "tournament" || command.has_subcommands();
            assert!(
                uses_all || arguments.any(|arg| arg.get_id() == "options"),
                "\"{path}\" has no attribute `uses`"
            );
            for sub in command.get_subcommands() {
                walk(sub, format!("{path} {}", sub.get_name()).trim());
            }
        }
        walk(&Cli::command(), "");
    }

    #[test]
    fn unused_options_are_rejected() {
        let check = |line: &str| {
            let words = std::iter::once("nullwindow")
                .chain(line.split('|').filter(|word| !word.is_empty()));
            let matches = Cli::command().try_get_matches_from(words).unwrap();
            let cli = Cli::from_arg_matches(&matches).unwrap();
            check(&cli, &path_of(&matches)).map_err(|error| error.to_string())
        };
        for (line, error) in [
            (
                "reproduce|--game|othello",
                "--game has no effect on reproduce",
            ),
            (
                "--game|othello|lab|calibrate|--out|FILE",
                "--game has no effect on lab calibrate",
            ),
            (
                "bench|endgame|--game|othello6",
                "--game has no effect on bench endgame",
            ),
            (
                "perft|3|--option|Hash=1",
                "option Hash has no effect on perft, which uses Game, UCI_Variant",
            ),
            (
                "lab|train|--option|Hash=1|mobility|FILE",
                "--option has no effect on lab train mobility",
            ),
            (
                "lab|train|levels|--option|PassMove=0000",
                "option PassMove has no effect on lab train levels, which uses Game, UCI_Variant, \
                 EvalFile, Debug Log File",
            ),
            (
                "--protocol|uci|bench",
                "--protocol has no effect on bench: use it without a command",
            ),
        ] {
            assert_eq!(check(line), Err(error.into()), "{line}");
        }
        for line in [
            "solve|FILE|--option|game=othello6",
            "bench|--option|Kernel=auto",
            "--protocol|uci|--game|othello6",
            "",
        ] {
            assert_eq!(check(line), Ok(()), "{line}");
        }
    }
}
