//! README.md and protocol.md are true: their tables come from the code, their sessions are run again and compared.
//!
//! Two kinds of fenced blocks are run. `console`: each line `$ COMMAND` that uses `nullwindow` (or `cargo run --release --quiet`,
//! which stands for it) goes to a shell, what follows is its output. `transcript`: `> ` is sent, `< ` must come back (a mere `<` is an empty line).
//! Times and nodes per second are not compared; a line `...` stands for any number of lines, a word `...` for the rest of its line.
//! `UPDATE_DOCS=1 cargo test --test docs` writes the output of `console` blocks anew.

mod common;

use std::path::{Path, PathBuf};
use std::time::Instant;

use common::{Engine, PATIENCE, command, normalised};
use nullwindow::engine::options::{OPTIONS, OptionKind};
use nullwindow::protocol::ugi::COMMANDS;
use nullwindow::protocol::{gtp, nboard};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap()
}

/// The blocks of that kind: the line numbers (from 0) of their first and behind their last line.
fn blocks(lines: &[&str], kind: &str) -> Vec<std::ops::Range<usize>> {
    let opening = format!("```{kind}");
    let starts = lines.iter().enumerate().filter(|(_, line)| **line == opening).map(|(number, _)| number + 1);
    let end = |start: usize| start + lines[start..].iter().position(|line| *line == "```").expect("a block ends");
    starts.map(|start| start..end(start)).collect()
}

/// A sign of life of a slow search or count is no part of any transcript.
fn is_heartbeat(line: &str) -> bool {
    let counting = line.starts_with("info string perft ") && line.contains(" counting, time ");
    // Before anything is finished.
    line.starts_with("info depth 0 seldepth 0 score ") || counting
}

fn matches(expected: &str, actual: &str) -> bool {
    let (expected, actual) = (normalised(expected), normalised(actual));
    match expected.strip_suffix("...") {
        Some(beginning) => actual.starts_with(beginning),
        None => expected == actual,
    }
}

/// Whether the lines are as expected; `...` stands for any number of lines.
fn all_match(expected: &[&str], actual: &[&str]) -> bool {
    match expected {
        [] => actual.is_empty(),
        ["...", rest @ ..] => (0..=actual.len()).any(|skipped| all_match(rest, &actual[skipped..])),
        [first, rest @ ..] => {
            actual.split_first().is_some_and(|(line, behind)| matches(first, line) && all_match(rest, behind))
        }
    }
}

#[test]
fn transcripts_of_the_protocol_are_what_the_engine_says() {
    let text = read("protocol.md");
    let lines: Vec<_> = text.lines().collect();
    let blocks = blocks(&lines, "transcript");
    assert!(blocks.len() >= 4);
    for block in blocks {
        let mut engine = Engine::start(&[]);
        let mut skipping = false;
        for line in &lines[block] {
            if let Some(sent) = line.strip_prefix("> ") {
                engine.send(sent);
            } else if *line == "< ..." {
                skipping = true;
            } else {
                let expected = line.strip_prefix("< ").or(line.strip_prefix('<')).expect("a line begins with > or <");
                let end = Instant::now() + PATIENCE; // signs of life may go on for ever
                loop {
                    let said = engine.line_within(end.saturating_duration_since(Instant::now()));
                    let said = said.unwrap_or_else(|| panic!("never heard: {expected}"));
                    if matches(expected, &said) {
                        break;
                    }
                    assert!(skipping || is_heartbeat(&said), "expected {expected}\nbut heard {said}");
                }
                skipping = false;
            }
        }
        engine.end_input();
        assert_eq!(engine.rest(), Vec::<String>::new());
    }
}

/// What a shell says to the command, the engine being on its path.
fn shell(line: &str) -> Vec<String> {
    let engine = PathBuf::from(command().get_program());
    let folder = engine.parent().unwrap().display().to_string();
    let search_path = format!("{folder}:{}", std::env::var("PATH").unwrap());
    let line = line
        .replace("cargo run --release --quiet --", "nullwindow")
        .replace("cargo run --release --quiet", "nullwindow");
    let output =
        std::process::Command::new("sh").args(["-c", &line]).env("PATH", search_path).current_dir(path("")).output();
    let output = output.unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line}");
    String::from_utf8(output.stdout).unwrap().lines().filter(|line| !is_heartbeat(line)).map(String::from).collect()
}

#[test]
#[cfg(unix)]
fn sessions_are_what_a_shell_shows() {
    let mut run = 0;
    for file in ["README.md", "protocol.md"] {
        let text = read(file);
        let lines: Vec<_> = text.lines().collect();
        let mut renewed: Vec<String> = Vec::new();
        let mut done = 0;
        for block in blocks(&lines, "console") {
            renewed.extend(lines[done..block.start].iter().map(|line| line.to_string()));
            done = block.end;
            let mut block = &lines[block];
            while let [first, behind @ ..] = block {
                let length = behind.iter().position(|line| line.starts_with("$ ")).unwrap_or(behind.len());
                let (expected, next) = behind.split_at(length);
                block = next;
                renewed.push(first.to_string());
                let line = first.strip_prefix("$ ").expect("a console block begins with a command");
                if !line.contains("nullwindow") && !line.contains("cargo run") || line.starts_with("git clone") {
                    renewed.extend(expected.iter().map(|line| line.to_string()));
                    continue;
                }
                run += 1;
                let said = shell(line);
                let said: Vec<_> = said.iter().map(String::as_str).collect();
                let same = all_match(expected, &said);
                if std::env::var_os("UPDATE_DOCS").is_none() {
                    assert!(same, "{file}: $ {line}\nexpected:\n{}\nsaid:\n{}", expected.join("\n"), said.join("\n"));
                }
                let lines = if same { expected } else { &said };
                renewed.extend(lines.iter().map(|line| line.to_string()));
            }
        }
        renewed.extend(lines[done..].iter().map(|line| line.to_string()));
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(path(file), renewed.join("\n") + "\n").unwrap();
        }
    }
    assert!(run >= 4, "README shows sessions");
}

#[test]
fn the_tables_of_the_protocol_come_from_the_code() {
    let mut options = String::from("| option | kind | default | values | what for |\n|---|---|---|---|---|\n");
    for option in OPTIONS {
        let (kind, default, values) = match option.kind {
            OptionKind::Check { default } => ("check", format!("`{default}`"), "`true`, `false`".into()),
            OptionKind::Spin { default, min, max } => ("spin", format!("`{default}`"), format!("{min} to {max}")),
            OptionKind::Combo(words) => {
                let values: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
                ("combo", format!("`{}`", words[0]), values.join(", "))
            }
            OptionKind::File(default) => ("string", format!("`{default}`"), "a file".into()),
            OptionKind::Button => ("button", String::new(), String::new()),
        };
        options += &format!("| `{}` | {kind} | {default} | {values} | {} |\n", option.name, option.help);
    }
    let mut commands = String::from("| command | what it does |\n|---|---|\n");
    for command in COMMANDS {
        let usage = format!("{} {}", command.word, command.usage.replace('|', "\\|"));
        commands += &format!("| `{}` | {} |\n", usage.trim(), command.help);
    }
    let mut of_gtp = String::from("| command | what it answers or does |\n|---|---|\n");
    for command in &gtp::COMMANDS {
        of_gtp += &format!("| `{}` | {} |\n", format!("{} {}", command.word, command.usage).trim(), command.help);
    }
    let mut of_nboard = String::from("| command | what it does |\n|---|---|\n");
    for command in &nboard::COMMANDS {
        of_nboard += &format!("| `{}` | {} |\n", format!("{} {}", command.words, command.usage).trim(), command.help);
    }
    let text = read("protocol.md");
    for table in [options, commands, of_gtp, of_nboard] {
        assert!(text.contains(&table), "protocol.md needs this table:\n{table}");
    }
}

#[test]
fn the_readme_names_every_command() {
    let help = shell("nullwindow --help");
    let commands = help.iter().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names: Vec<_> =
        commands.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect();
    assert!(names.len() >= 4, "{help:?}");
    let text = read("README.md");
    for name in names {
        assert!(text.contains(&format!("| `{name}` |")), "README.md has no row for the command {name}");
    }
}
