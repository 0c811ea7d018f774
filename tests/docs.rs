//! README.md, protocol.md and the other documents compared with the code: tables are generated,
//! sessions and examples are run.
//!
//! Two kinds of fenced blocks are run. `console`: each line `$ COMMAND` with `nullwindow` (or
//! `cargo run --release --quiet`) is run by a shell, and the lines after it are its expected
//! output. `transcript`: `> ` is sent, `< ` is expected (a bare `<` is an empty line), `#` begins a
//! comment. Times and nodes per second are not compared, and the lines of slow searches
//! ([`KeepAlive`]) may be added; a line `...` matches any number of lines, a word `...` the rest of
//! its line. `UPDATE_DOCS=1 cargo test docs::` rewrites the output of `console` blocks.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::common::{Engine, Folder, KeepAlive, PATIENCE, command, normalized, skip};
use nullwindow::engine::options::{EMPTY, Kind, OPTIONS};
use nullwindow::games::any::GAMES;
use nullwindow::games::any::{NAMES, by_name};
use nullwindow::games::dispatch::think;
use nullwindow::games::reversi::policy::schedule::iterations;
use nullwindow::protocol::command::Command;
use nullwindow::protocol::ugi::COMMANDS;
use nullwindow::protocol::{gtp, nboard};
use nullwindow::search::levels::{DEFAULT, level as numbered, percent};
use nullwindow::search::schedule::Objective;
use nullwindow::search::table::Table;
use nullwindow::search::{Limits, Observer, Progress, Settings};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap()
}

/// The line ranges (from 0) of the fenced blocks of a kind, without their fences.
fn blocks(lines: &[&str], kind: &str) -> Vec<std::ops::Range<usize>> {
    let opening = format!("```{kind}");
    let starts = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| **line == opening)
        .map(|(number, _)| number + 1);
    let end = |start: usize| {
        start
            + lines[start..]
                .iter()
                .position(|line| *line == "```")
                .expect("a block ends")
    };
    starts.map(|start| start..end(start)).collect()
}

fn matches(expected: &str, actual: &str) -> bool {
    let (expected, actual) = (normalized(expected), normalized(actual));
    match expected.strip_suffix("...") {
        Some(beginning) => actual.starts_with(beginning),
        None => expected == actual,
    }
}

/// A line of the engine, and whether it may be missing ([`KeepAlive`]).
type Said = (String, bool);

/// Whether the lines match; `...` matches any number of lines.
fn all_match(expected: &[&str], actual: &[Said]) -> bool {
    match (expected, actual) {
        ([], _) => actual.iter().all(|(_, is_keep_alive)| *is_keep_alive),
        (["...", rest @ ..], _) => {
            (0..=actual.len()).any(|skipped| all_match(rest, &actual[skipped..]))
        }
        (_, []) => false,
        ([first, rest @ ..], [(line, is_keep_alive), behind @ ..]) => {
            matches(first, line) && all_match(rest, behind)
                || *is_keep_alive && all_match(expected, behind)
        }
    }
}

#[test]
fn transcripts_of_the_protocol_match_the_engine() {
    let text = read("protocol.md");
    let lines: Vec<_> = text.lines().collect();
    let blocks = blocks(&lines, "transcript");
    assert!(blocks.len() >= 4);
    for block in blocks {
        let mut engine = Engine::start(&[]);
        let mut keep_alive = KeepAlive::default();
        let mut skipping = false;
        for line in lines[block].iter().filter(|line| !line.starts_with('#')) {
            if let Some(sent) = line.strip_prefix("> ") {
                keep_alive = KeepAlive::after(sent);
                engine.send(sent);
            } else if *line == "< ..." {
                skipping = true;
            } else {
                let expected = line
                    .strip_prefix("< ")
                    .or(line.strip_prefix('<'))
                    .expect("a line begins with > or <");
                let end = Instant::now() + PATIENCE; // keep-alive lines may continue forever
                loop {
                    let said = engine.line_within(end.saturating_duration_since(Instant::now()));
                    let said = said.unwrap_or_else(|| panic!("missing line: {expected}"));
                    let is_keep_alive = keep_alive.is(&said);
                    if matches(expected, &said) {
                        break;
                    }
                    assert!(
                        skipping || is_keep_alive,
                        "expected {expected}\nbut got {said}"
                    );
                }
                skipping = false;
            }
        }
        engine.end_input();
        assert_eq!(engine.rest(), Vec::<String>::new());
    }
}

/// The standard output of a shell command in a folder, with the engine on the path.
fn shell(line: &str, folder_of_files: &Path) -> Vec<Said> {
    let engine = PathBuf::from(command().get_program());
    let folder = engine.parent().unwrap().display().to_string();
    let search_path = format!("{folder}:{}", std::env::var("PATH").unwrap());
    let line = line.replace("cargo run --release", "nullwindow");
    let output = std::process::Command::new("sh")
        .args(["-c", &line])
        .env("PATH", search_path)
        .current_dir(folder_of_files)
        .stdin(std::process::Stdio::null())
        .output();
    let output = output.unwrap();
    assert!(output.status.success(), "{line}: {output:?}");
    let mut keep_alive = KeepAlive::default();
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| (line.to_owned(), keep_alive.is(line)))
        .collect()
}

#[test]
fn console_sessions_match_their_output() {
    if cfg!(not(unix)) {
        return skip("the sessions are those of a POSIX shell");
    }
    // The commands of README write files.
    let folder = &Folder::new("docs").0;
    let mut run = 0;
    for (file, folder) in [("README.md", folder), ("protocol.md", &path(""))] {
        let text = read(file);
        let lines: Vec<_> = text.lines().collect();
        let mut renewed: Vec<String> = Vec::new();
        let mut done = 0;
        for block in blocks(&lines, "console") {
            renewed.extend(lines[done..block.start].iter().map(|line| line.to_string()));
            done = block.end;
            let mut block = &lines[block];
            while let [first, behind @ ..] = block {
                let length = behind
                    .iter()
                    .position(|line| line.starts_with("$ "))
                    .unwrap_or(behind.len());
                let (expected, next) = behind.split_at(length);
                block = next;
                renewed.push(first.to_string());
                let line = first
                    .strip_prefix("$ ")
                    .expect("a console block begins with a command");
                if !line.contains("nullwindow") && !line.contains("cargo run")
                    || line.starts_with("git clone")
                {
                    renewed.extend(expected.iter().map(|line| line.to_string()));
                    continue;
                }
                run += 1;
                let said = shell(line, folder);
                let same = all_match(expected, &said);
                let said: Vec<&str> = said.iter().map(|(line, _)| line.as_str()).collect();
                if std::env::var_os("UPDATE_DOCS").is_none() {
                    assert!(
                        same,
                        "{file}: $ {line}\nexpected:\n{}\nactual:\n{}",
                        expected.join("\n"),
                        said.join("\n")
                    );
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
    let mut options =
        String::from("| option | default | values | description |\n|---|---|---|---|\n");
    for option in OPTIONS.iter() {
        let quoted = |word: &str| format!("`{word}`");
        let values = match &option.kind {
            Kind::Check(..) => "`true`, `false`".into(),
            Kind::Spin(_, range, _) => format!("{} to {}", range.start(), range.end()),
            Kind::Combo(words, _) => {
                // `UCI_Variant` begins with the values of `Game`.
                let added = words
                    .strip_prefix(&NAMES[..])
                    .filter(|added| !added.is_empty());
                let values: Vec<_> = added
                    .unwrap_or(words)
                    .iter()
                    .map(|word| quoted(word))
                    .collect();
                let prefix = if added.is_some() {
                    "those of `Game`, "
                } else {
                    ""
                };
                format!("{prefix}{}", values.join(", "))
            }
            Kind::File(EMPTY, _) => "a file, or nothing".into(),
            Kind::File(..) => "a file".into(),
            Kind::Button => String::new(),
        };
        let default = option
            .default()
            .filter(|default| default != EMPTY)
            .map(|default| quoted(&default));
        let default = default.unwrap_or_default();
        let row = format!(
            "| `{}` | {default} | {values} | {} |\n",
            option.name, option.help
        );
        options += &row.replace("|  |", "| |").replace("|  |", "| |");
    }
    fn table<D>(effect: &str, commands: &[Command<D>]) -> String {
        let row = |command: &Command<D>| {
            format!(
                "| `{}` | {} |\n",
                command.syntax().replace('|', "\\|"),
                command.help
            )
        };
        format!("| command | {effect} |\n|---|---|\n")
            + &commands.iter().map(row).collect::<String>()
    }
    let commands = table("effect", &COMMANDS);
    let of_gtp = table("response or effect", &gtp::COMMANDS);
    let of_nboard = table("effect", &nboard::COMMANDS);
    let text = read("protocol.md");
    for table in [options, commands, of_gtp, of_nboard] {
        assert!(
            text.contains(&table),
            "protocol.md needs this table:\n{table}"
        );
    }
}

#[test]
fn no_word_that_selects_gtp_is_a_command_of_ugi() {
    assert!(gtp::FIRST_WORDS.is_sorted());
    assert!(read("protocol.md").contains("(`FIRST_WORDS` in [this table](src/protocol/gtp.rs))"));
    for command in &COMMANDS {
        assert!(!gtp::recognizes(command.words), "{}", command.words);
        assert!(
            gtp::recognizes(&format!("1 {}", command.words)),
            "{}",
            command.words
        );
    }
    for command in &gtp::COMMANDS {
        let is_of_ugi = COMMANDS.iter().any(|other| other.words == command.words);
        assert_eq!(
            gtp::recognizes(command.words),
            !is_of_ugi,
            "{}",
            command.words
        );
    }
}

/// The percentages of the iterations at the end of the game in a position of Othello with
/// `empties` empties.
fn end_levels(empties: u8, objective: Objective) -> String {
    let iterations = iterations(empties, empties, objective, None, DEFAULT.number);
    let at_the_end = iterations
        .iter()
        .filter(|iteration| iteration.depth == empties);
    at_the_end
        .map(|iteration| percent(iteration.selectivity).to_string())
        .collect::<Vec<_>>()
        .join(", ")
        + " %"
}

/// The table of selectivity levels at the end of the game, as `schedule.rs` has them.
fn end_table() -> String {
    const EMPTIES: std::ops::RangeInclusive<u8> = 1..=60;
    let row = |empties| {
        [Objective::BestMove, Objective::Proof].map(|objective| end_levels(empties, objective))
    };
    let mut table = String::from(
        "| empties in `othello`, `othello6` | levels at the end of the game, for the best move | `go exact`, `go wld`, \
         `solve` |\n|---|---|---|\n",
    );
    // Runs of equal rows; the first one, full width at once, belongs to the other table.
    let rows: Vec<_> = EMPTIES.map(row).collect();
    let mut last = 0;
    for run in rows.chunk_by(|one, next| one == next) {
        let first = last + 1;
        last += run.len();
        match (first, last == rows.len()) {
            (1, _) => assert_eq!(run[0], ["100 %", "100 %"]),
            (_, false) => table += &format!("| {first} to {last} | {} |\n", run[0].join(" | ")),
            (_, true) => table += &format!("| {first} and more | {} |\n", run[0].join(" | ")),
        }
    }
    table
}

/// The selectivity in percent of each iteration of a game's search to this depth, with that value
/// of option `Selectivity`.
fn levels_reported(game: &str, selectivity: Option<u8>, depth: u8) -> Vec<(u8, u8)> {
    let mut reported = Vec::new();
    let mut report = |progress: &Progress| reported.push((progress.depth, progress.selectivity));
    let mut observer = Observer {
        report: Some(&mut report),
        ..Observer::default()
    };
    let settings = Settings {
        selectivity,
        ..Settings::default()
    };
    let root = by_name(game).unwrap().position();
    think(
        root,
        &settings,
        &Table::new(1),
        &Limits::to_depth(depth),
        &mut observer,
    );
    reported
}

#[test]
fn the_tables_of_selectivity_are_those_of_the_search() {
    let midgame = iterations(60, 20, Objective::BestMove, None, DEFAULT.number);
    let first = midgame
        .iter()
        .find(|iteration| percent(iteration.selectivity) < 100)
        .unwrap();
    let (from, level) = (first.depth, percent(first.selectivity));
    assert!(
        midgame
            .iter()
            .all(|iteration| percent(iteration.selectivity)
                == if iteration.depth < from { 100 } else { level })
    );
    let at_once = (1..=60)
        .take_while(|&empties| end_levels(empties, Objective::BestMove) == "100 %")
        .count();
    let text = words(&read("protocol.md"));
    let expected = format!(
        "`auto` is {level} % in `othello` from depth {from} on, and 100 % below and in all other games. In `othello` \
         from {} empties on,",
        at_once + 1
    );
    assert!(text.contains(&expected), "protocol.md needs: {expected}");
    let table = end_table();
    assert!(
        read("src/engine/measurements.md").contains(&table),
        "src/engine/measurements.md needs:\n{table}"
    );
    // The levels that the search reports: by default, and with a requested level.
    for game in NAMES {
        let by_default = levels_reported(game, None, 6);
        let asked = levels_reported(game, numbered(87), 6);
        let (default_from, asked_from) = match game {
            "othello" => (Some(from), Some(from)),
            "othello6" => (None, Some(from)),
            "scorefour" => (None, Some(3)),
            _ => (None, None),
        };
        for (reported, from, level) in [(by_default, default_from, 73), (asked, asked_from, 87)] {
            assert!(!reported.is_empty(), "{game}");
            let expected = |depth| {
                if from.is_some_and(|from| depth >= from) {
                    level
                } else {
                    100
                }
            };
            assert!(
                reported
                    .iter()
                    .all(|&(depth, percent)| percent == expected(depth)),
                "{game}: {reported:?}"
            );
        }
    }
    let asked = format!(
        "A percentage instead of `auto` applies in `othello` and `othello6` from depth {from} on, including the end of \
         the game, and in `scorefour` from depth 3 on."
    );
    assert!(text.contains(&asked), "protocol.md needs: {asked}");
}

/// The text with single blanks between its words.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The rows of the table of protocol.md with this header, as cells without their blanks.
fn table_rows(text: &str, header: &str) -> Vec<Vec<String>> {
    let table = text
        .split_once(header)
        .unwrap_or_else(|| panic!("protocol.md has no table {header}"))
        .1;
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let cells = |line: &str| {
        line.replace("\\|", "\0")
            .trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().replace('\0', "|"))
            .collect()
    };
    rows.map(cells).collect()
}

#[test]
fn the_tables_of_positions_and_scores_list_every_game() {
    let text = read("protocol.md");
    let positions = table_rows(
        &text,
        "| game | first player | squares | a position, for instance the start |",
    );
    let expected = NAMES.map(|name| {
        (
            format!("`{name}`"),
            format!("`{}`", by_name(name).unwrap().write_position()),
        )
    });
    assert_eq!(positions.len(), expected.len(), "{positions:?}");
    for (row, (name, start)) in positions.iter().zip(&expected) {
        assert_eq!(&row[0], name);
        assert!(
            row[3].starts_with(start.as_str()),
            "protocol.md needs {name} with {start}, and has {row:?}"
        );
    }
    let scores = table_rows(&text, "| game | unit | decided games |");
    let named: Vec<_> = scores.iter().flat_map(|row| row[0].split(", ")).collect();
    assert_eq!(named, expected.each_ref().map(|(name, _)| name.as_str()));
}

/// The files of a folder of the repository and its subfolders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

#[test]
fn the_table_of_environment_variables_is_complete() {
    let rows: String = read("CONTRIBUTING.md")
        .lines()
        .filter(|line| line.starts_with('|'))
        .collect();
    let mut named = std::collections::BTreeSet::new();
    for text in ["src", "tests", "scripts"]
        .iter()
        .flat_map(|folder| files(&path(folder)))
        .filter_map(|file| std::fs::read_to_string(file).ok())
    {
        for (at, prefix) in text.match_indices("NULLWINDOW_") {
            let rest = &text[at + prefix.len()..];
            let end = rest
                .find(|c: char| !c.is_ascii_uppercase() && c != '_')
                .unwrap_or(rest.len());
            named.extend((end > 0).then(|| format!("`{prefix}{}`", &rest[..end])));
        }
    }
    assert!(named.len() >= 6, "{named:?}");
    for name in named {
        assert!(
            rows.contains(&name),
            "CONTRIBUTING.md does not describe {name}"
        );
    }
}

/// A script that a document calls with arguments, or that names its interpreter, can be run as it is.
#[cfg(unix)]
#[test]
fn scripts_are_executable() {
    use std::os::unix::fs::PermissionsExt;
    let (mut scripts, mut calls) = (0, 0);
    let runs = |path: &Path| {
        path.metadata()
            .is_ok_and(|file| file.permissions().mode() & 0o100 != 0)
    };
    for file in files(&path("scripts")) {
        if std::fs::read(&file).unwrap().starts_with(b"#!") {
            assert!(runs(&file), "{} is not executable", file.display());
            scripts += 1;
        }
    }
    for document in ["src", "scripts"]
        .map(path)
        .iter()
        .flat_map(|folder| files(folder))
        .chain(["CONTRIBUTING.md", "README.md", "protocol.md"].map(path))
        .filter(|file| file.extension().is_some_and(|end| end == "md"))
    {
        let text = std::fs::read_to_string(&document).unwrap();
        let spans = text.split('`').flat_map(str::lines);
        for script in spans
            .filter_map(|span| span.trim_start_matches("$ ").trim_start().split_once(' '))
            .map(|(script, _)| script)
        {
            if script.starts_with("scripts/")
                && [".py", ".sh"].iter().any(|end| script.ends_with(end))
            {
                assert!(
                    runs(&path(script)),
                    "{}: {script} is not executable",
                    document.display()
                );
                calls += 1;
            }
        }
    }
    assert!(
        scripts > 30 && calls > 15,
        "{scripts} scripts, {calls} calls"
    );
}

#[test]
fn the_readme_is_short_and_its_picture_small() {
    let text = read("README.md");
    assert!(
        text.lines().count() <= 118,
        "README.md has {} lines, at most 118 are allowed",
        text.lines().count()
    );
    let picture = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .find(|link| link.ends_with(".png"));
    let bytes = std::fs::metadata(path(picture.expect("README.md shows a picture")))
        .unwrap()
        .len();
    assert!(
        bytes <= 150_000,
        "the picture of README.md has {bytes} bytes, at most 150000 are allowed"
    );
}

#[test]
fn the_changelog_begins_with_the_version_of_the_crate() {
    let text = read("CHANGELOG.md");
    let newest = text
        .lines()
        .find_map(|line| line.strip_prefix("## "))
        .unwrap();
    assert_eq!(newest.split(' ').next(), Some(env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_readme_lists_every_game() {
    let text = read("README.md");
    for game in GAMES {
        assert!(text.contains(&format!("`{}`", game.name)), "{}", game.name);
    }
    let help = crate::common::nullwindow(&[], "help games\nquit\n");
    let help = String::from_utf8(help.stdout).unwrap();
    for game in GAMES {
        assert!(
            help.lines()
                .any(|line| line.contains(game.name) && line.ends_with(game.about)),
            "{help}"
        );
    }
}

/// README, the help and the package begin with the same sentence about the program.
#[test]
fn one_sentence_describes_the_program() {
    let description = env!("CARGO_PKG_DESCRIPTION");
    let help = crate::common::nullwindow(&["-h"], "");
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(help.starts_with(&format!("{description}\n")), "{help}");
    let text = read("README.md");
    assert_eq!(text.lines().nth(2), Some(&*format!("{description}.")));
}

/// The words of a command line of the engine within a line of a shell, or none: without environment
/// variables, what pipes and redirections add, and comments.
fn engine_command(line: &str) -> Option<Vec<String>> {
    let line = line
        .trim()
        .trim_start_matches("$ ")
        .replace("cargo run --release --quiet --", "nullwindow");
    let words = shlex::split(
        &line
            .replace(" | ", " '|' ")
            .replace("; ", " '|' ")
            .replace(" && ", " '|' "),
    )?;
    let is_engine = |word: &String| {
        ["nullwindow", "./nullwindow", "target/release/nullwindow"].contains(&word.as_str())
    };
    let segment = words
        .split(|word| word == "|")
        .find(|segment| segment.first().is_some_and(is_engine))?;
    let end = segment
        .iter()
        .position(|word| word.starts_with(['>', '<', '#']))
        .unwrap_or(segment.len());
    Some(segment[..end].to_vec())
}

/// Every command line of the engine in the code blocks and code spans of a document, or in the help
/// of a command.
fn examples(text: &str, is_help: bool) -> Vec<Vec<String>> {
    let joined = text.replace("\\\n", " ");
    if is_help {
        let lines = joined
            .lines()
            .filter_map(|line| line.strip_prefix("Example: ").or(line.strip_prefix("  ")));
        return lines.filter_map(engine_command).collect();
    }
    let parts: Vec<&str> = joined.split("```").collect();
    let mut found: Vec<Vec<String>> = parts
        .iter()
        .skip(1)
        .step_by(2)
        .flat_map(|block| block.lines().filter_map(engine_command))
        .collect();
    for prose in parts.iter().step_by(2) {
        let spans = prose
            .split('`')
            .skip(1)
            .step_by(2)
            .map(|span| span.replace('\n', " "));
        let complete = spans.filter(|span| !span.contains("...") && !span.contains("COMMAND"));
        found.extend(complete.filter_map(|span| engine_command(&span)));
    }
    found
}

#[test]
fn every_example_is_a_command_line_that_the_engine_accepts() {
    let mut texts: Vec<(String, String)> = [
        "README.md",
        "protocol.md",
        "src/storage/formats.md",
        "scripts/cluster/README.md",
    ]
    .map(|file| (file.into(), read(file)))
    .into();
    for words in crate::common::commands() {
        let words: Vec<&str> = words.iter().map(String::as_str).chain(["--help"]).collect();
        let output = crate::common::nullwindow(&words, "");
        texts.push((words.join(" "), String::from_utf8(output.stdout).unwrap()));
    }
    let folder = &Folder::new("examples").0;
    let (mut accepted, mut run) = (0, 0);
    for (place, text) in &texts {
        for words in examples(text, place.ends_with("--help")) {
            // A command that is only named (`nullwindow lab train eval`) may lack its arguments.
            let names_a_command = words.iter().skip(1).all(|word| {
                word.bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            });
            let parsed =
                nullwindow::cli::usage::parse(&words.iter().map(Into::into).collect::<Vec<_>>());
            if let Err(error) = parsed.map_err(|error| error.to_string()) {
                let lacks = error.contains("required")
                    || error.contains("Usage:") && !error.contains("error:");
                assert!(
                    names_a_command && lacks,
                    "{place}: {}\n{error}",
                    words.join(" ")
                );
            }
            accepted += 1;
            if words.get(1).is_some_and(|command| {
                ["explain", "perft", "completions", "man"].contains(&command.as_str())
            }) {
                for file in words
                    .iter()
                    .filter(|word| word.contains('/') && path(word).is_file())
                {
                    std::fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
                    std::fs::copy(path(file), folder.join(file)).unwrap();
                }
                let output = command()
                    .args(&words[1..])
                    .current_dir(folder)
                    .output()
                    .unwrap();
                assert!(
                    output.status.success(),
                    "{place}: {}: {output:?}",
                    words.join(" ")
                );
                run += 1;
            }
        }
    }
    assert!(accepted > 20 && run > 3, "{accepted} examples, {run} run");
}

#[test]
fn the_examples_of_shards_are_done_by_this_engine() {
    let help = String::from_utf8(crate::common::nullwindow(&["lab", "shard", "--help"], "").stdout)
        .unwrap();
    let in_help = &help[help.find("  {\"engine\"").expect("an example")..];
    let text = read("src/storage/formats.md");
    let blocks: Vec<&str> = text
        .split("```json\n")
        .skip(1)
        .map(|block| block.split("```").next().unwrap())
        .collect();
    let shards = blocks
        .into_iter()
        .filter(|block| block.starts_with("{\"engine\""))
        .chain([in_help]);
    let folder = &Folder::new("shards").0;
    let mut done = 0;
    for (number, shard) in shards.enumerate() {
        let [file, results] =
            ["json", "jsonl"].map(|extension| folder.join(format!("{number}.{extension}")));
        std::fs::write(&file, shard).unwrap();
        let output = command()
            .args(["lab", "shard"])
            .arg(&file)
            .arg("--out")
            .arg(&results)
            .output()
            .unwrap();
        assert!(output.status.success(), "{shard}: {output:?}");
        let lines = std::fs::read_to_string(&results).unwrap();
        assert!(
            lines.lines().count() == 1 && lines.contains("\"ok\":true"),
            "{lines}"
        );
        done += 1;
    }
    assert!(done >= 2, "formats.md and the help show a shard");
}
