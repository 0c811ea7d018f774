//! Parses the command line with clap and checks what clap cannot: shared options that a command
//! does not use, and long options with a single dash. After `tournament`, those are flags of
//! fastchess and cutechess-cli, which [`translate`] turns into options.
//!
//! The table [`shared_use`] lists the shared options that each command uses. The help of a command
//! omits the others, and the parser rejects them.
//!
//! Also `nullwindow completions` and `nullwindow man`, generated from the same clap definition.

use std::ffi::OsString;
use std::io::Write;

use anyhow::{Context, Result, ensure};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, CommandFactory, FromArgMatches};
use clap_complete::Shell;
use clap_mangen::Man;

use super::{Cli, Command};
use crate::arena::translation::{Translation, translate};
use crate::engine::options::{OPTIONS, OptionSpec};
use crate::game::quoted;

type Words = &'static [&'static str];
const GAME: Words = &["Game", "UCI_Variant"];
const SEARCH: Words = &["Algorithm", "Table", "Deepening", "Threads", "Selectivity"];
const EVAL: Words = &["Kernel", "EvalFile", "Debug Log File"];

/// Returns the engine options that a command such as `train eval` uses, or `None` if there is no
/// such command. A command that uses [`GAME`] has `--game` too; one that uses no option has no
/// `--option`.
fn shared_use(command: &str) -> Option<Vec<&'static str>> {
    let used: &[Words] = match command {
        // No command (the protocol), or a command whose subcommands use different options.
        "" | "tournament" | "train" | "strength" => {
            return Some(OPTIONS.iter().map(|option| option.name).collect());
        }
        "completions" | "man" | "frontier" | "reproduce" | "shard" | "bench board"
        | "train mobility" => &[],
        "perft" | "convert" => &[GAME],
        "bench" | "bench search" | "bench multipv" => &[SEARCH, EVAL],
        "bench endgame" => &[&["Algorithm", "Table", "Hash", "Threads"], EVAL],
        "ablation" => &[GAME, &["Hash", "Selectivity"], EVAL],
        "compare" => &[GAME, &["Hash", "Threads", "Selectivity"], EVAL],
        "explain" => &[
            GAME,
            &["Algorithm", "Table", "Deepening", "Hash", "Selectivity"],
            EVAL,
        ],
        "openings" | "strength calibrate" | "strength agreement" => &[GAME, SEARCH, EVAL],
        "analyze" | "problems" | "regret" => &[GAME, SEARCH, &["Hash"], EVAL],
        "solve" => &[GAME, &["Algorithm", "Table", "Hash", "Threads"], EVAL],
        "prove" => &[GAME, &["Hash", "Threads"], EVAL],
        "estimate" => &[GAME, &["Hash"], EVAL],
        "selfplay" | "train prob-cut" => &[GAME, EVAL],
        "train eval" => &[GAME, &["Kernel", "Debug Log File"]],
        "train levels" => &[GAME, &["EvalFile", "Debug Log File"]],
        "train judge" => &[SEARCH, &["Hash"], EVAL],
        "train odd-even" => &[&["EvalFile", "Debug Log File"]],
        "calibrate" => &[EVAL],
        _ => return None,
    };
    Some(used.concat())
}

/// The names of options, in the order of their table.
fn names(used: &[&str]) -> String {
    let used = OPTIONS.iter().filter(|option| used.contains(&option.name));
    used.map(|option| option.name)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns the derived command, with the help of each subcommand reduced to the shared options that
/// it uses.
pub fn command() -> clap::Command {
    let command = Cli::command();
    let shared = ["game", "options"].map(|id| {
        command
            .get_arguments()
            .find(|arg| arg.get_id() == id)
            .cloned()
    });
    let [Some(game), Some(options)] = shared else {
        return command;
    };
    list_shared_options(command, "", &game, &options)
}

/// Hides the shared options that a command does not use and lists the engine options that it uses,
/// recursively. clap adds the remaining shared options when it builds the command.
fn list_shared_options(
    mut command: clap::Command,
    path: &str,
    game: &Arg,
    options: &Arg,
) -> clap::Command {
    command = command.mut_subcommands(|sub| {
        let path = format!("{path} {}", sub.get_name());
        list_shared_options(sub, path.trim(), game, options)
    });
    let Some(used) = shared_use(path) else {
        return command;
    };
    if !used.contains(&"Game") {
        command = command.arg(game.clone().hide(true));
    }
    if used.is_empty() {
        command = command.arg(options.clone().hide(true));
    } else if used.len() < OPTIONS.len() {
        let help = format!("Set an engine option; may be repeated: {}", names(&used));
        command = command.arg(options.clone().help(help));
    }
    command
}

/// Parses a command line, which begins with the name of the program; returns it with the name of
/// its command. Flags of other match runners after `tournament` are translated.
///
/// # Errors
/// If clap rejects it, or if it has a shared option that the command does not use.
pub fn parse(words: &[OsString]) -> Result<(Cli, String), clap::Error> {
    let usage_error = |kind, message: String| command().error(kind, message);
    let (words, translation) = translate_flags(words)
        .map_err(|error| usage_error(ErrorKind::UnknownArgument, format!("{error:#}")))?;
    let matches = command()
        .try_get_matches_from(&words)
        .map_err(|mut error| {
            if error.kind() == ErrorKind::UnknownArgument
                && let Some(hint) = hint(&words)
            {
                error.insert(
                    ContextKind::Suggested,
                    ContextValue::StyledStrs(vec![hint.into()]),
                );
            }
            let restored: Vec<(ContextKind, ContextValue)> = error
                .context()
                .filter_map(|(kind, value)| {
                    let ContextValue::String(text) = value else {
                        return None;
                    };
                    Some((kind, ContextValue::String(translation.restore(text))))
                })
                .collect();
            for (kind, value) in restored {
                error.insert(kind, value);
            }
            error
        })?;
    let (mut cli, name) = (Cli::from_arg_matches(&matches)?, path_of(&matches));
    check(&cli, &name)
        .map_err(|error| usage_error(ErrorKind::ArgumentConflict, format!("{error:#}")))?;
    if let Some(Command::Tournament(args)) = &mut cli.command {
        args.translation = translation;
    }
    Ok((cli, name))
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
    let translation = translate(after, &options)?;
    let words = [before, &translation.words].concat();
    Ok((words, translation))
}

/// Returns the name of the selected command, such as `train eval`.
fn path_of(mut matches: &clap::ArgMatches) -> String {
    let mut words = Vec::new();
    while let Some((name, inner)) = matches.subcommand() {
        words.push(name);
        matches = inner;
    }
    words.join(" ")
}

/// Returns a hint if the words of a command line contain long options with a single dash.
fn hint(words: &[OsString]) -> Option<String> {
    let mut command = command();
    command.build(); // adds the shared options to the commands
    let words = &words[1..];
    let chosen = words
        .iter()
        .find_map(|word| command.find_subcommand(word))
        .unwrap_or(&command);
    let mut meant = Vec::new();
    for word in words {
        let Some(name) = word.to_str().and_then(|word| word.strip_prefix('-')) else {
            continue;
        };
        let name = name.split('=').next().unwrap_or(name);
        let long = format!("--{name}");
        // The name is longer than one letter, and no word with two dashes is one.
        if name.len() > 1
            && chosen
                .get_arguments()
                .any(|arg| arg.get_long() == Some(name))
            && !meant.contains(&long)
        {
            meant.push(long);
        }
    }
    (!meant.is_empty()).then(|| {
        format!(
            "did you mean {}? long options take two dashes",
            meant.join(", ")
        )
    })
}

/// Rejects shared options that the command does not use.
fn check(cli: &Cli, command: &str) -> Result<()> {
    let Some(used) = shared_use(command).filter(|_| !command.is_empty()) else {
        return Ok(());
    };
    ensure!(
        cli.protocol.is_none(),
        "--protocol has no effect on {command}: use it without a command"
    );
    ensure!(
        used.contains(&"Game") || cli.setup.game.is_none(),
        "--game has no effect on {command}"
    );
    for (name, _) in &cli.setup.options {
        ensure!(!used.is_empty(), "--option has no effect on {command}");
        ensure!(
            OptionSpec::by_name(name).is_some_and(|option| used.contains(&option.name)),
            "option {name} has no effect on {command}, which uses {}",
            names(&used)
        );
    }
    Ok(())
}

#[derive(clap::Args, Debug)]
pub struct CompletionsArgs {
    /// Shell to generate the script for
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(clap::Args, Debug)]
pub struct ManArgs {
    /// Print the page of this command (default: the main page, which lists all commands)
    command: Option<String>,
}

pub fn completions(args: &CompletionsArgs, out: &mut dyn Write) -> Result<bool> {
    let mut script = Vec::new(); // clap_complete panics on a write error
    clap_complete::generate(
        args.shell,
        &mut command(),
        env!("CARGO_PKG_NAME"),
        &mut script,
    );
    out.write_all(&script)?;
    Ok(true)
}

pub fn man(args: &ManArgs, out: &mut dyn Write) -> Result<bool> {
    let mut command = command().disable_help_subcommand(true);
    command.build();
    if let Some(name) = &args.command {
        let found = command.find_subcommand(name);
        command = found
            .with_context(|| format!("no command \"{}\": see nullwindow --help", quoted(name)))?
            .clone();
    }
    Man::new(command).render(out)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint_of(line: &str) -> Option<String> {
        hint(
            &format!("nullwindow {line}")
                .split(' ')
                .map(OsString::from)
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn single_dashes_of_long_options_are_named() {
        let hint = "did you mean --depth, --game? long options take two dashes";
        assert_eq!(
            hint_of("compare FILE -depth 2 -game othello").as_deref(),
            Some(hint)
        );
        assert_eq!(hint_of("solve --threads 2 -x -nonsense"), None);
        assert_eq!(
            hint_of("solve -engine"),
            None,
            "an option of another command"
        );
    }

    #[test]
    fn every_command_is_in_the_table() {
        fn walk(command: &clap::Command, path: &str) {
            let Some(used) = shared_use(path) else {
                panic!("\"{path}\" is not in the table of shared options")
            };
            let is_name = |name: &&str| OPTIONS.iter().any(|option| option.name == *name);
            assert!(used.iter().all(is_name), "{used:?}");
            for sub in command
                .get_subcommands()
                .filter(|sub| sub.get_name() != "help")
            {
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
            let matches = command().try_get_matches_from(words).unwrap();
            let cli = Cli::from_arg_matches(&matches).unwrap();
            check(&cli, &path_of(&matches)).map_err(|error| error.to_string())
        };
        for (line, error) in [
            (
                "reproduce|--game|othello",
                "--game has no effect on reproduce",
            ),
            (
                "--game|othello|frontier|FILE",
                "--game has no effect on frontier",
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
                "train|--option|Hash=1|mobility|FILE",
                "--option has no effect on train mobility",
            ),
            (
                "train|levels|--option|PassMove=0000",
                "option PassMove has no effect on train levels, which uses Game, UCI_Variant, EvalFile, Debug Log File",
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
