//! Rules for the source files: dependencies between folders, where `unsafe` is allowed, forbidden words.

use std::fs;
use std::path::{Path, PathBuf};

/// What each room may use (left may use right, never back); the first segment of the path under `src` names the room.
/// `protocol/client` is a room of its own: it is handed the rules by those who hold them.
const MAY_USE: [(&str, &str); 24] = [
    ("score", ""),
    ("rng", ""),
    ("interrupt", ""),
    ("plot", ""),
    ("game", "score"),
    ("games", "game score rng"),
    ("perft", "games game"),
    ("search", "game score"),
    ("eval", "search games game score"),
    ("othello", "search eval perft games game score rng"),
    ("scorefour", "search games game score rng"),
    ("engine", "scorefour othello eval search games game score perft rng"),
    ("setup", "engine games"),
    ("protocol", "engine"),
    ("protocol/client", "protocol games game"),
    ("tournament", "interrupt protocol engine search games game score rng setup"),
    ("train", "interrupt plot engine othello scorefour search eval games game score rng setup"),
    ("bench", "engine solve othello search games game setup"),
    ("compare", "interrupt engine othello eval search games game score setup rng"),
    ("explain", "interrupt engine othello eval search games game score setup rng"),
    ("reproduce", "interrupt explain plot engine othello eval search games game score setup rng perft"),
    ("solve", "interrupt plot engine othello eval search games game score setup rng"),
    ("openings", "engine search games game rng setup"),
    ("problems", "interrupt engine othello scorefour eval search games game score setup rng"),
];

fn files() -> Vec<(String, String)> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    collect(&root, &mut found);
    found.sort();
    let name = |path: &Path| path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
    found.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

/// The room of a file, or `None` for those who may use everything.
fn room(file: &str) -> Option<&str> {
    if ["main.rs", "lib.rs", "cli.rs"].contains(&file) {
        return None;
    }
    if file.starts_with("protocol/client") {
        return Some("protocol/client");
    }
    Some(file.split('/').next()?.trim_end_matches(".rs"))
}

/// The code of a file: without its unit tests (the last thing in it) and without comments.
fn code(text: &str) -> String {
    let production = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines = production.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The rooms that `crate::` paths name.
fn used(code: &str) -> Vec<String> {
    let mut rooms = Vec::new();
    for path in code.split("crate::").skip(1) {
        let name = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        match path.strip_prefix('{') {
            Some(group) => {
                let group = group.split(';').next().unwrap_or_default();
                rooms.extend(group.split(',').map(|part| name(part.trim())));
            }
            None => rooms.push(name(path)),
        }
    }
    rooms
}

#[test]
fn left_may_use_right_and_never_back() {
    for (file, text) in files() {
        let Some(room) = room(&file) else { continue };
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == room) else {
            panic!("src/{file}: add the room {room} to MAY_USE in tests/tidy.rs");
        };
        for name in used(&code(&text)) {
            let own = room.split('/').next() == Some(&name);
            assert!(own || allowed.split(' ').any(|other| other == name), "src/{file}: {room} may not use {name}");
        }
    }
}

#[test]
fn the_rule_sees_what_it_forbids() {
    let text = "use crate::{engine::bench, game};\n// crate::cli\nfn f() { crate::perft::perft() }\n\n\
                #[cfg(test)]\nmod tests { use crate::rng; }";
    assert_eq!(used(&code(text)), ["engine", "game", "perft"]);
}

#[test]
fn every_file_opens_with_what_it_is() {
    for (file, text) in files() {
        assert!(text.starts_with("//! "), "src/{file} opens without a `//!` comment");
    }
}

#[test]
fn no_streaming_parser_and_no_printing() {
    for (file, text) in files() {
        let code = code(&text);
        // `finish` panics on an Incomplete, which only streaming leaves return.
        assert!(!(code.contains("nom") && code.contains("streaming")), "src/{file} uses a streaming parser");
        // They panic on a closed pipe.
        for word in ["println!(", "print!(", "eprint!(", "dbg!("] {
            assert!(!code.contains(word), "src/{file} uses {word}..)");
        }
    }
}

#[test]
fn unsafe_stands_where_it_may() {
    for (file, text) in files() {
        let allowed =
            file == "search/isa.rs" || file == "search/table/buckets.rs" || file.starts_with("othello/kernel");
        let has = code(&text).split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "unsafe");
        assert!(allowed || !has, "src/{file} has unsafe code");
        assert!(!has || text.contains("// SAFETY:"), "src/{file} has unsafe code without a `// SAFETY:` comment");
    }
}

#[test]
fn the_top_level_is_what_it_is() {
    let expected = [
        "Cargo.lock",
        "Cargo.toml",
        "LICENSE",
        "README.md",
        "protocol.md",
        "scripts",
        "src",
        "target",
        "tests",
        "data",
    ];
    for entry in fs::read_dir(env!("CARGO_MANIFEST_DIR")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(name.starts_with('.') || name.ends_with(".log") || expected.contains(&name.as_str()), "{name}");
    }
}
