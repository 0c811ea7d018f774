//! The texts of `help`: all commands, one command, the options, the games.

use super::spec::UgiCommand;
use crate::engine::options::{OPTIONS, OptionKind, games_with_descriptions};
use crate::engine::quoted;

/// The text on a topic (`None`: the list of commands), or an error if the topic is unknown.
pub fn text(commands: &[UgiCommand], topic: Option<&str>) -> Result<String, String> {
    match topic {
        None => Ok(list(commands)),
        Some("options") => Ok(options()),
        Some("games") => Ok(games()),
        Some(topic) => match commands.iter().find(|command| command.word == topic) {
            Some(command) => Ok(format!("{} {}\n  {}", command.word, command.usage, command.help)),
            None => Err(format!("help: unknown topic \"{}\", expected a command, options or games", quoted(topic))),
        },
    }
}

fn list(commands: &[UgiCommand]) -> String {
    let rows = commands.iter().map(|command| format!("{:<11} {}", command.word, command.help));
    let last = [
        "to search: position startpos moves f5, then go depth 12",
        "to log: setoption name Debug Log File value FILE, or start with RUST_LOG=debug",
    ];
    rows.chain(last.map(String::from)).collect::<Vec<_>>().join("\n")
}

fn options() -> String {
    let rows = OPTIONS.iter().map(|option| {
        let value = match option.kind {
            OptionKind::Check { default } => format!("true | false ({default})"),
            OptionKind::Spin { default, min, max } => format!("{min} to {max} ({default})"),
            OptionKind::Combo(words) => format!("{} ({})", words.join(" | "), words.first().unwrap_or(&"")),
            OptionKind::File("") => "a file, or nothing (nothing)".into(),
            OptionKind::File(default) => format!("a file ({default})"),
            OptionKind::Button => "no value".into(),
        };
        format!("{}: {value}\n  {}", option.name, option.help)
    });
    rows.collect::<Vec<_>>().join("\n")
}

fn games() -> String {
    let rows = games_with_descriptions().map(|(name, about)| format!("{name:<11} {about}"));
    let first = ["setoption name Game value NAME".into()];
    first.into_iter().chain(rows).collect::<Vec<_>>().join("\n")
}
