//! Errors of usage that clap does not see: shared options that a subcommand has no use for, and long options with one
//! dash, as fastchess and cutechess take them.

use anyhow::{Result, ensure};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};

use super::{Cli, Command};

/// The command line, or the end of the process: status 2 on an error, 0 after help.
pub fn parse() -> Cli {
    Cli::try_parse().unwrap_or_else(|mut error| {
        let words: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into()).collect();
        if error.kind() == ErrorKind::UnknownArgument
            && let Some(hint) = hint(&words)
        {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
        }
        error.exit()
    })
}

/// What to say of long options with a single dash among the words of a command line, if there are any.
fn hint(words: &[String]) -> Option<String> {
    let mut command = Cli::command();
    command.build();
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
    (!meant.is_empty()).then(|| format!("did you mean {}? Long options have two dashes here", meant.join(", ")))
}

/// Refuses shared options that the subcommand has no use for. The log file is for all.
///
/// # Errors
/// Names the option and the subcommand.
pub fn check(cli: &Cli) -> Result<()> {
    let Some(command) = &cli.command else { return Ok(()) };
    let (name, game, options) = match command {
        Command::Perft(_) => ("perft", true, false),
        Command::Bench(_) => ("bench", false, true),
        Command::Compare(_) => ("compare", true, true),
        Command::Explain(_) => ("explain", true, true),
        Command::Reproduce(_) => ("reproduce", false, false),
        Command::Openings(_) => ("openings", true, true),
        Command::Tournament(_) => ("tournament", true, true),
        Command::Problems(_) => ("problems", true, true),
        Command::Selfplay(_) => ("selfplay", true, true),
        Command::Train(_) => ("train", true, true),
        Command::Solve(_) => ("solve", true, true),
        Command::Shard(_) => ("shard", false, false),
        Command::Frontier(_) => ("frontier", false, false),
        Command::Strength(_) => ("strength", true, true),
        Command::Regret(_) => ("regret", true, true),
        Command::Calibrate(_) => ("calibrate", true, true),
        Command::Completions(_) => ("completions", false, false),
        Command::Man(_) => ("man", false, false),
    };
    ensure!(cli.protocol.is_none(), "{name} speaks no protocol: --protocol goes without a command");
    ensure!(game || cli.setup.game.is_none(), "{name} has no use for --game");
    for (option, _) in &cli.setup.options {
        let used = match option.to_ascii_lowercase().as_str() {
            "debug log file" => true,
            "game" | "uci_variant" => game,
            _ => options,
        };
        ensure!(used, "{name} has no use for --option {option}");
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
        let hint = "did you mean --engine, --each, --rounds, --concurrency? Long options have two dashes here";
        assert_eq!(hint_of(fastchess).as_deref(), Some(hint));
        assert_eq!(hint_of("tournament --engine cmd=a -x -nonsense"), None);
        assert_eq!(hint_of("solve -engine"), None, "an option of another command");
    }

    #[test]
    fn options_without_use_are_refused() {
        let check = |line: &str| {
            let words = std::iter::once("nullwindow").chain(line.split('|'));
            check(&Cli::try_parse_from(words).unwrap()).map_err(|error| error.to_string())
        };
        for (line, error) in [
            ("reproduce|--game|othello", "reproduce has no use for --game"),
            ("--game|othello|frontier|FILE", "frontier has no use for --game"),
            ("bench|endgame|--game|othello6", "bench has no use for --game"),
            ("bench|--option|Game=othello6", "bench has no use for --option Game"),
            ("perft|3|--option|Hash=1", "perft has no use for --option Hash"),
            ("--protocol|uci|bench", "bench speaks no protocol: --protocol goes without a command"),
        ] {
            assert_eq!(check(line), Err(error.into()), "{line}");
        }
        for line in
            ["perft|3|--option|game=othello6", "reproduce|--option|Debug Log File=", "bench|--option|Hash=1", ""]
        {
            let line = if line.is_empty() { "--protocol|uci|--game|othello6" } else { line };
            assert_eq!(check(line), Ok(()), "{line}");
        }
    }
}
