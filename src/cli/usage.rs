//! Parses the command line with clap and checks what clap cannot: shared options that a command does not use, and long
//! options with a single dash (the syntax of fastchess and cutechess).
//!
//! The table [`shared_use`] lists the shared options that each command uses. The help of a command omits the others,
//! and the parser rejects them.

use anyhow::{Result, bail, ensure};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, CommandFactory, FromArgMatches};

use super::Cli;
use crate::engine::options::{OPTIONS, OptionSpec};

/// The shared options that a command uses.
#[derive(Clone, Copy, PartialEq, Debug)]
struct SharedUse {
    /// `--game` and the engine options that select the game.
    game: bool,
    options: EngineOptions,
}

/// The engine options that a command uses.
#[derive(Clone, Copy, PartialEq, Debug)]
enum EngineOptions {
    All,
    /// These; if empty, the command has no `--option`.
    Only(&'static [&'static str]),
}

/// Returns the shared options of a command such as `train eval`, or `None` if there is no such command.
fn shared_use(command: &str) -> Option<SharedUse> {
    use EngineOptions::{All, Only};
    let (game, options) = match command {
        // No command (the protocol), or a command whose subcommands use different options.
        "" | "tournament" | "train" | "strength" => (true, All),
        "completions" | "man" | "frontier" | "reproduce" | "shard" | "bench board" | "train mobility" => {
            (false, Only(&[]))
        }
        "perft" => (true, Only(&["Game", "UCI_Variant"])),
        "bench" | "bench search" | "bench multipv" => (
            false,
            Only(&[
                "Algorithm",
                "Table",
                "Deepening",
                "Threads",
                "Selectivity",
                "Kernel",
                "EvalFile",
                "Debug Log File",
            ]),
        ),
        "bench endgame" => {
            (false, Only(&["Algorithm", "Table", "Hash", "Threads", "Kernel", "EvalFile", "Debug Log File"]))
        }
        "ablation" => (true, Only(&["Hash", "Selectivity", "Kernel", "EvalFile", "Debug Log File"])),
        "compare" => (true, Only(&["Hash", "Threads", "Selectivity", "Kernel", "EvalFile", "Debug Log File"])),
        "explain" => (
            true,
            Only(&["Algorithm", "Table", "Deepening", "Hash", "Selectivity", "Kernel", "EvalFile", "Debug Log File"]),
        ),
        "openings" | "strength calibrate" | "strength agreement" => (
            true,
            Only(&[
                "Algorithm",
                "Table",
                "Deepening",
                "Threads",
                "Selectivity",
                "Kernel",
                "EvalFile",
                "Debug Log File",
            ]),
        ),
        "problems" | "regret" => (
            true,
            Only(&[
                "Algorithm",
                "Table",
                "Deepening",
                "Hash",
                "Threads",
                "Selectivity",
                "Kernel",
                "EvalFile",
                "Debug Log File",
            ]),
        ),
        "solve" => (true, Only(&["Algorithm", "Table", "Hash", "Threads", "Kernel", "EvalFile", "Debug Log File"])),
        "selfplay" | "train prob-cut" => (true, Only(&["Kernel", "EvalFile", "Debug Log File"])),
        "train eval" => (true, Only(&["Kernel", "Debug Log File"])),
        "train levels" => (true, Only(&["EvalFile", "Debug Log File"])),
        "train judge" => (
            false,
            Only(&[
                "Algorithm",
                "Table",
                "Deepening",
                "Hash",
                "Threads",
                "Selectivity",
                "Kernel",
                "EvalFile",
                "Debug Log File",
            ]),
        ),
        "train odd-even" => (false, Only(&["EvalFile", "Debug Log File"])),
        "calibrate" => (false, Only(&["Kernel", "EvalFile", "Debug Log File"])),
        _ => return None,
    };
    Some(SharedUse { game, options })
}

impl SharedUse {
    fn takes(&self, option: &str) -> bool {
        match self.options {
            EngineOptions::All => true,
            EngineOptions::Only([]) => false,
            EngineOptions::Only(_) if matches!(option, "Game" | "UCI_Variant") => self.game,
            EngineOptions::Only(used) => used.contains(&option),
        }
    }

    fn option_names(&self) -> Vec<&'static str> {
        OPTIONS.iter().filter(|option| self.takes(option.name)).map(|option| option.name).collect()
    }
}

/// Returns the derived command, with the help of each subcommand reduced to the shared options that it uses.
pub fn command() -> clap::Command {
    let command = Cli::command();
    let shared = ["game", "options"].map(|id| command.get_arguments().find(|arg| arg.get_id() == id).cloned());
    let [Some(game), Some(options)] = shared else { return command };
    list_shared_options(command, "", &game, &options)
}

/// Hides the shared options that a command does not use and lists the engine options that it uses, recursively. clap
/// adds the remaining shared options when it builds the command.
fn list_shared_options(mut command: clap::Command, path: &str, game: &Arg, options: &Arg) -> clap::Command {
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    for name in &names {
        let path = format!("{path} {name}");
        command = command.mut_subcommand(name, |sub| list_shared_options(sub, path.trim(), game, options));
    }
    let Some(shared) = shared_use(path) else { return command };
    if !shared.game {
        command = command.arg(game.clone().hide(true));
    }
    match shared.options {
        EngineOptions::All => command,
        EngineOptions::Only([]) => command.arg(options.clone().hide(true)),
        EngineOptions::Only(_) => {
            let help = format!("Set an engine option; may be repeated: {}", shared.option_names().join(", "));
            command.arg(options.clone().help(help))
        }
    }
}

/// Parses the command line; returns it with the name of its command.
///
/// # Errors
/// If clap rejects it, or if it has a shared option that the command does not use.
pub fn parsed(words: &[String]) -> Result<(Cli, String), clap::Error> {
    from_matches(&command().try_get_matches_from(words)?)
}

fn from_matches(matches: &clap::ArgMatches) -> Result<(Cli, String), clap::Error> {
    let (cli, name) = (Cli::from_arg_matches(matches)?, path_of(matches));
    check(&cli, &name).map_err(|error| command().error(ErrorKind::ArgumentConflict, format!("{error:#}")))?;
    Ok((cli, name))
}

/// Parses the process arguments. Ends the process with status 2 on an error and 0 after help.
pub fn parse() -> (Cli, String) {
    let matches = command().try_get_matches();
    let result = matches.and_then(|matches| from_matches(&matches));
    result.unwrap_or_else(|mut error| {
        let words: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into()).collect();
        if error.kind() == ErrorKind::UnknownArgument
            && let Some(hint) = hint(&words)
        {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
        }
        error.exit()
    })
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

/// Returns a hint if the words contain long options with a single dash.
fn hint(words: &[String]) -> Option<String> {
    let mut command = command();
    command.build(); // adds the shared options to the commands
    let chosen = words.iter().find_map(|word| command.find_subcommand(word)).unwrap_or(&command);
    let mut meant: Vec<String> = Vec::new();
    for word in words {
        let name = word.strip_prefix('-').filter(|name| !name.starts_with('-') && name.len() > 1);
        let Some(name) = name.map(|name| name.split('=').next().unwrap_or(name)) else { continue };
        let long = format!("--{name}");
        if chosen.get_arguments().any(|arg| arg.get_long() == Some(name)) && !meant.contains(&long) {
            meant.push(long);
        }
    }
    (!meant.is_empty()).then(|| format!("did you mean {}? long options take two dashes", meant.join(", ")))
}

/// Rejects shared options that the command does not use.
fn check(cli: &Cli, command: &str) -> Result<()> {
    let Some(shared) = shared_use(command).filter(|_| !command.is_empty()) else { return Ok(()) };
    ensure!(cli.protocol.is_none(), "--protocol has no effect on {command}: use it without a command");
    ensure!(shared.game || cli.setup.game.is_none(), "--game has no effect on {command}");
    for (name, _) in &cli.setup.options {
        if OptionSpec::by_name(name).is_some_and(|option| shared.takes(option.name)) {
            continue;
        }
        match shared.option_names() {
            used if used.is_empty() => bail!("--option has no effect on {command}"),
            used => bail!("option {name} has no effect on {command}, which uses {}", used.join(", ")),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint_of(line: &str) -> Option<String> {
        hint(&line.split(' ').map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn single_dashes_of_long_options_are_named() {
        let fastchess = "tournament -engine cmd=a -engine cmd=b -each tc=1 -rounds 2 -repeat -concurrency 2";
        let hint = "did you mean --engine, --each, --rounds, --concurrency? long options take two dashes";
        assert_eq!(hint_of(fastchess).as_deref(), Some(hint));
        assert_eq!(hint_of("tournament --engine cmd=a -x -nonsense"), None);
        assert_eq!(hint_of("solve -engine"), None, "an option of another command");
    }

    #[test]
    fn every_command_is_in_the_table() {
        fn walk(command: &clap::Command, path: &str) {
            let shared = shared_use(path);
            assert!(shared.is_some(), "\"{path}\" is not in the table of shared options");
            if let Some(SharedUse { options: EngineOptions::Only(used), .. }) = shared {
                let is_name = |name: &&str| OPTIONS.iter().any(|option| option.name == *name);
                assert!(used.iter().all(is_name), "{used:?}");
            }
            for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
                walk(sub, format!("{path} {}", sub.get_name()).trim());
            }
        }
        walk(&Cli::command(), "");
    }

    #[test]
    fn unused_options_are_rejected() {
        let check = |line: &str| {
            let words = std::iter::once("nullwindow").chain(line.split('|').filter(|word| !word.is_empty()));
            let matches = command().try_get_matches_from(words).unwrap();
            let cli = Cli::from_arg_matches(&matches).unwrap();
            check(&cli, &path_of(&matches)).map_err(|error| error.to_string())
        };
        for (line, error) in [
            ("reproduce|--game|othello", "--game has no effect on reproduce"),
            ("--game|othello|frontier|FILE", "--game has no effect on frontier"),
            ("bench|endgame|--game|othello6", "--game has no effect on bench endgame"),
            ("perft|3|--option|Hash=1", "option Hash has no effect on perft, which uses Game, UCI_Variant"),
            ("train|--option|Hash=1|mobility|FILE", "--option has no effect on train mobility"),
            (
                "train|levels|--option|PassMove=0000",
                "option PassMove has no effect on train levels, which uses Game, UCI_Variant, EvalFile, Debug Log File",
            ),
            ("--protocol|uci|bench", "--protocol has no effect on bench: use it without a command"),
        ] {
            assert_eq!(check(line), Err(error.into()), "{line}");
        }
        for line in
            ["solve|FILE|--option|game=othello6", "bench|--option|Kernel=auto", "--protocol|uci|--game|othello6", ""]
        {
            assert_eq!(check(line), Ok(()), "{line}");
        }
    }
}
