//! Rules of the source code: dependencies between folders, dependency cycles between files, places
//! of `unsafe` code, lengths of headers and lines, unique type names, and forbidden words.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What each folder may use besides itself: dependencies run downwards.
const MAY_USE: [(&str, &str); 16] = [
    ("platform", ""),
    ("logging", "game"),
    ("storage", "game platform logging"),
    ("game", ""),
    ("search", "game platform logging"),
    ("games", "search game platform logging"),
    ("book", "storage games search game platform logging"),
    ("engine", "book games search game platform logging"),
    ("protocol", "engine book games search game platform logging"),
    (
        "setup",
        "storage engine book games search game platform logging",
    ),
    ("html", "games game"),
    (
        "arena",
        "storage html setup protocol engine book games search game platform logging",
    ),
    (
        "commands",
        "arena storage html setup protocol engine book games search game platform logging",
    ),
    (
        "lab",
        "commands arena storage html setup protocol engine book games search game platform logging",
    ),
    (
        "cli",
        "lab commands arena storage html setup protocol engine book games search game platform logging",
    ),
    ("main", "cli logging"),
];

/// The folders of `arena`, lowest first: each uses only folders before it. Files beside them are above
/// all folders.
const ARENA: [&str; 8] = [
    "client",
    "elo",
    "rules",
    "config",
    "results",
    "play",
    "report",
    "compliance",
];

/// The rules and notations of the games: of this crate they use only `game` and each other.
const RULES: [&str; 13] = [
    "games/notation.rs",
    "games/reversi/bitboard.rs",
    "games/reversi/discs.rs",
    "games/reversi/flipello.rs",
    "games/reversi/ggf.rs",
    "games/reversi/lines.rs",
    "games/reversi/mod.rs",
    "games/reversi/notation.rs",
    "games/reversi/obf.rs",
    "games/score_four/lines.rs",
    "games/score_four/mod.rs",
    "games/score_four/notation.rs",
    "games/tictactoe.rs",
];

/// Files that use each other in a circle, and why.
const CIRCLES: [(&str, &[&str]); 1] = [(
    "the generic loop, the copies per instruction set through which it recurses, its context, its policy trait, and \
     the split points whose moves the loop searches",
    &[
        "search/core/context.rs",
        "search/core/isa.rs",
        "search/core/nega_scout.rs",
        "search/core/parallel/mod.rs",
        "search/core/policy.rs",
    ],
)];

/// The longest header comment and line.
const HEADER_LINES: usize = 15;
const COLUMNS: usize = 120;

/// The source files by their path below `src`, with their texts.
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
    let name = |path: &Path| {
        path.strip_prefix(&root)
            .unwrap()
            .to_string_lossy()
            .replace('\\', "/")
    };
    found
        .iter()
        .map(|path| (name(path), fs::read_to_string(path).unwrap()))
        .collect()
}

/// The code of a file: without its unit tests (the last thing in it) and without comments.
fn code(text: &str) -> String {
    let tests = [
        "#[cfg(test)]\nmod ",
        "#[cfg(test)]\npub mod ",
        "#[cfg(test)]\npub(crate) mod ",
    ];
    let end = tests
        .iter()
        .filter_map(|tests| text.find(tests))
        .min()
        .unwrap_or(text.len());
    without_comments(&text[..end])
}

fn without_comments(text: &str) -> String {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The paths of a `use` declaration's tree, each written out.
fn paths_of(tree: &str) -> Vec<String> {
    let Some((prefix, group)) = tree.split_once('{') else {
        return vec![tree.trim().into()];
    };
    let group = group.trim_end().trim_end_matches('}');
    let (mut parts, mut depth, mut part) = (Vec::new(), 0, String::new());
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(std::mem::take(&mut part));
                continue;
            }
            _ => {}
        }
        part.push(c);
    }
    parts.push(part);
    let whole = |part: &str| format!("{}{}", prefix.trim(), part.trim());
    parts
        .iter()
        .filter(|part| !part.trim().is_empty())
        .flat_map(|part| paths_of(&whole(part)))
        .collect()
}

/// The paths into this crate that a file's code names, as segments from the crate's root. `module`
/// is the file's own.
fn used(code: &str, module: &[String]) -> Vec<Vec<String>> {
    let mut named = Vec::new();
    let mut rest = String::new();
    for (index, part) in code.split("use ").enumerate() {
        let is_use =
            index > 0 && part.contains(';') && !part.split(';').next().unwrap().contains(" = ");
        match part.split_once(';') {
            Some((tree, after)) if is_use => {
                named.extend(paths_of(tree));
                rest.push_str(after);
            }
            _ => rest.push_str(part),
        }
    }
    for root in ["crate::", "super::", "self::"] {
        for (at, _) in rest.match_indices(root) {
            let path = rest[at..]
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_' || *c == ':');
            named.push(path.collect());
        }
    }
    let absolute = |path: String| {
        let mut segments = path
            .split("::")
            .map(|segment| segment.split(' ').next().unwrap().to_owned())
            .peekable();
        let mut base = match segments.peek().map(String::as_str) {
            Some("crate") => Vec::new(),
            Some("self" | "super") => module.to_vec(),
            // A child module of this file.
            Some(_) => module.to_vec(),
            None => return None,
        };
        while let Some(segment) = segments.peek() {
            match segment.as_str() {
                "crate" | "self" => {}
                "super" => drop(base.pop()),
                _ => break,
            }
            segments.next();
        }
        base.extend(segments);
        Some(base)
    };
    named.into_iter().filter_map(absolute).collect()
}

/// The module path of a file.
fn module_of(file: &str) -> Vec<String> {
    let path = file.trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').map(str::to_owned).collect()
}

/// For each file the files that its code uses.
fn graph() -> BTreeMap<String, BTreeSet<String>> {
    let files = files();
    let modules: BTreeMap<Vec<String>, String> = files
        .iter()
        .map(|(file, _)| (module_of(file), file.clone()))
        .collect();
    let target = |mut path: Vec<String>| {
        while !path.is_empty() {
            if let Some(file) = modules.get(&path) {
                return Some(file.clone());
            }
            path.pop();
        }
        None
    };
    let edges = |file: &str, text: &str| {
        let used = used(&code(text), &module_of(file));
        used.into_iter()
            .filter_map(target)
            .filter(|other| other != file)
            .collect()
    };
    files
        .iter()
        .map(|(file, text)| (file.clone(), edges(file, text)))
        .collect()
}

#[test]
fn dependencies_run_downwards() {
    let folder = |file: &str| {
        file.split('/')
            .next()
            .unwrap()
            .trim_end_matches(".rs")
            .to_owned()
    };
    for (file, uses) in graph() {
        if file == "lib.rs" {
            continue;
        }
        let own = folder(&file);
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == own) else {
            panic!("src/{file}: add {own} to MAY_USE in tests/tidy.rs");
        };
        for other in uses {
            let other_folder = folder(&other);
            let allowed =
                other_folder == own || allowed.split(' ').any(|name| name == other_folder);
            assert!(allowed, "src/{file} may not use src/{other}");
            let rules = !RULES.contains(&file.as_str())
                || other_folder == "game"
                || RULES.contains(&other.as_str());
            assert!(
                rules,
                "src/{file}: rules and notations may not use src/{other}"
            );
        }
    }
}

#[test]
fn no_import_in_arena_runs_up() {
    let rank = |file: &str| {
        let path = file.strip_prefix("arena/")?;
        Some(match path.split_once('/') {
            Some((folder, _)) => {
                let rank = ARENA.iter().position(|known| *known == folder);
                rank.unwrap_or_else(|| panic!("src/{file}: add {folder} to ARENA in tests/tidy.rs"))
            }
            None => ARENA.len(),
        })
    };
    let mut seen = BTreeSet::new();
    for (file, uses) in graph() {
        let Some(own) = rank(&file) else { continue };
        seen.insert(own);
        for (other, used) in uses.iter().filter_map(|other| Some((other, rank(other)?))) {
            assert!(used <= own, "src/{file} may not use src/{other}");
            // `mod.rs` is above the files of its folder.
            let parent = other.strip_suffix("/mod.rs").filter(|_| used == own);
            let is_up = parent.is_some_and(|folder| file.starts_with(&format!("{folder}/")));
            assert!(
                !is_up,
                "src/{file} may not use src/{other}, which is above it"
            );
        }
    }
    assert_eq!(seen.len(), ARENA.len() + 1, "folders without a file");
}

#[test]
fn import_cycles_of_files_are_the_listed_ones() {
    let graph = graph();
    let reachable = |from: &String| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(file) = open.pop() {
            open.extend(
                graph[file]
                    .iter()
                    .filter(|other| seen.insert((*other).clone())),
            );
        }
        seen
    };
    let reachable: BTreeMap<&String, BTreeSet<String>> =
        graph.keys().map(|file| (file, reachable(file))).collect();
    let mut found = BTreeSet::new();
    for file in graph.keys().filter(|file| reachable[file].contains(*file)) {
        let circle: Vec<String> = reachable[file]
            .iter()
            .filter(|other| reachable[other].contains(file))
            .cloned()
            .collect();
        found.insert(circle);
    }
    let named: BTreeSet<Vec<String>> = CIRCLES
        .iter()
        .map(|(_, files)| files.iter().map(|&file| file.to_owned()).collect())
        .collect();
    assert!(CIRCLES.len() <= 3 && CIRCLES.iter().all(|(reason, _)| !reason.is_empty()));
    assert_eq!(
        found, named,
        "circles found, and circles named in tests/tidy.rs"
    );
}

#[test]
fn the_import_graph_has_paths_of_use_trees_and_of_code() {
    let text = "use crate::{engine::options, game::{rng::Rng, Move}};\n// crate::cli\n\
                fn f() { crate::games::perft::x() }\nuse super::Shape;\nuse child::Thing;\n\n\
                #[cfg(test)]\nmod tests { use crate::game::rng; }";
    let module = ["games".to_owned(), "reversi".to_owned()];
    let paths: Vec<String> = used(&code(text), &module)
        .iter()
        .map(|path| path.join("::"))
        .collect();
    let expected = [
        "engine::options",
        "game::rng::Rng",
        "game::Move",
        "games::Shape",
        "games::reversi::child::Thing",
        "games::perft::x",
    ];
    assert_eq!(paths, expected);
}

/// The types (structs, enums, unions, traits and aliases) that code declares at module level.
fn declared_types(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in code.lines().filter(|line| !line.starts_with(' ')) {
        let mut words = line
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty());
        while let Some(word) = words.next() {
            match word {
                "pub" | "crate" | "super" | "unsafe" => {}
                "struct" | "enum" | "union" | "trait" | "type" => found.extend(words.next()),
                _ => break,
            }
        }
    }
    found
}

#[test]
fn a_type_name_is_declared_once_in_a_folder() {
    let text = "pub(super) struct A<T>(T);\nimpl A {\n    type B = u8;\n}\nunsafe trait C {}\n\
                pub type D = u8;\nenum E {\n}";
    assert_eq!(declared_types(text), ["A", "C", "D", "E"]);
    // `commands` and `lab` consist of folders that have little to do with each other.
    let folder = |file: &str| {
        let is_of_commands = file.starts_with("commands/") || file.starts_with("lab/");
        file.split('/')
            .take(if is_of_commands { 2 } else { 1 })
            .collect::<String>()
    };
    let mut declared: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for (file, text) in files() {
        for name in declared_types(&code(&text)) {
            declared
                .entry((folder(&file), name.to_owned()))
                .or_default()
                .push(file.clone());
        }
    }
    assert!(declared.len() > 200, "only {} types found", declared.len());
    // Each command calls its own arguments `Args`.
    declared.retain(|(_, name), files| files.len() > 1 && name != "Args");
    assert!(
        declared.is_empty(),
        "one name, several types: {declared:#?}"
    );
}

#[test]
fn every_file_begins_with_a_module_comment() {
    for (file, text) in files() {
        assert!(
            text.starts_with("//! "),
            "src/{file} opens without a `//!` comment"
        );
    }
}

#[test]
fn no_call_that_panics_on_input_or_a_closed_pipe() {
    for (file, text) in files() {
        let code = code(&text);
        // `finish` panics on an Incomplete, which only streaming leaves return.
        assert!(
            !(code.contains("nom") && code.contains("streaming")),
            "src/{file} uses a streaming parser"
        );
        // They panic on a closed pipe, the last one on words that are not Unicode.
        for word in ["println!(", "print!(", "eprint!(", "dbg!(", "env::args("] {
            assert!(!code.contains(word), "src/{file} uses {word}..)");
        }
    }
}

#[test]
fn every_log_call_names_a_target() {
    let mut records = 0;
    for (file, text) in files() {
        let code = code(&text);
        for name in ["error", "warn", "info", "debug", "trace", "log_enabled"] {
            for (at, call) in code.match_indices(&format!("log::{name}!(")) {
                let target = code[at + call.len()..]
                    .trim_start()
                    .strip_prefix("target: ");
                let target = target.map(|rest| {
                    rest.trim_start_matches("logging::")
                        .split(',')
                        .next()
                        .unwrap()
                });
                let known = target.is_some_and(|target| {
                    ["PROTOCOL", "SEARCH", "TIME", "TABLE"].contains(&target)
                });
                assert!(
                    known,
                    "src/{file}: {call} without a target of src/logging/mod.rs"
                );
                records += 1;
            }
        }
    }
    assert!(records > 10, "{records} records found");
}

#[test]
fn unsafe_code_only_in_listed_files() {
    for (file, text) in files() {
        let allowed = [
            "search/core/isa.rs",
            "search/table/buckets.rs",
            "games/reversi/kernel",
            "platform/",
        ]
        .iter()
        .any(|place| file.starts_with(place));
        let has = code(&text)
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .any(|word| word == "unsafe");
        assert!(allowed || !has, "src/{file} has unsafe code");
        assert!(
            !has || text.contains("// SAFETY:"),
            "src/{file} has unsafe code without a `// SAFETY:` comment"
        );
    }
}

#[test]
fn target_cfg_only_in_platform_and_kernels() {
    let of_system = [
        "unix",
        "windows",
        "target_os",
        "target_family",
        "target_env",
    ];
    let rules: [(&[&str], &[&str]); 3] = [
        (&of_system, &["platform/"]),
        (
            &[
                "libc",
                "rustix",
                "signal_hook",
                "windows_sys",
                "std::os",
                "\"/proc/",
                "\"/sys/",
            ],
            &["platform/"],
        ),
        (
            &["target_arch", "std::arch"],
            &[
                "search/core/isa.rs",
                "search/table/buckets.rs",
                "games/reversi/kernel",
            ],
        ),
    ];
    for (file, text) in files() {
        let code = without_comments(&text);
        for (names, places) in rules {
            let allowed = places.iter().any(|place| file.starts_with(place));
            // Names of systems count inside of `cfg` alone; they are words elsewhere.
            let is_cfg = names == of_system;
            let asks = |line: &&str| {
                names.iter().any(|name| line.contains(name)) && (!is_cfg || line.contains("cfg"))
            };
            if let Some(line) = code.lines().find(asks).filter(|_| !allowed) {
                panic!(
                    "src/{file} asks for the system or the processor: {}",
                    line.trim()
                );
            }
        }
    }
}

#[test]
fn the_top_level_has_only_listed_files() {
    let expected = [
        "CHANGELOG.md",
        "CONTRIBUTING.md",
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
        assert!(
            name.starts_with('.') || name.ends_with(".log") || expected.contains(&name.as_str()),
            "{name}"
        );
    }
}

#[test]
fn headers_and_lines_are_short() {
    let mut long = Vec::new();
    for (file, text) in files() {
        let header = text
            .lines()
            .take_while(|line| line.starts_with("//!"))
            .count();
        let columns = text
            .lines()
            .map(|line| line.chars().count())
            .max()
            .unwrap_or(0);
        // The crate's documentation is the map of the code.
        if columns > COLUMNS || (header > HEADER_LINES && file != "lib.rs") {
            long.push(format!(
                "src/{file}: header of {header} lines, {columns} columns"
            ));
        }
    }
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn output_goes_through_the_escaping_writers() {
    // The protocols quote foreign text themselves; the files of `platform` print none.
    let sinks = [
        "logging/progress.rs",
        "cli/mod.rs",
        "arena/command.rs",
        "protocol/driver.rs",
        "platform/streams.rs",
        "platform/files.rs",
        "platform/memory.rs",
    ];
    for (file, text) in files() {
        let code = code(&text);
        for word in ["stdout()", "stderr()", "print!(", "println!(", "dbg!("] {
            // A method of this name, such as that of a log, is not a standard stream.
            let mut uses = code
                .match_indices(word)
                .filter(|(at, _)| !code[..*at].ends_with(['.', '_']));
            assert!(
                sinks.contains(&file.as_str()) || uses.next().is_none(),
                "src/{file}: print by print_line or TerminalWriter, not by {word}"
            );
        }
    }
}

#[test]
fn pages_obey_their_content_security_policy() {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => collect(&path, found),
                false => found.push(path),
            }
        }
    }
    let (mut found, mut pages) = (Vec::new(), 0);
    collect(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut found,
    );
    for path in found {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        if extension != "html" {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        if text.starts_with("<!DOCTYPE") {
            pages += 1;
            let head = text.split("<style").next().unwrap();
            let policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"{{policy}}\">";
            assert!(head.contains(policy), "{}", path.display());
            let parts = [
                text.matches("<style>{{style}}</style>"),
                text.matches("<script>{{script}}</script>"),
            ];
            assert_eq!(parts.map(Iterator::count), [1, 1], "{}", path.display());
        }
        for attribute in [" style=", " onclick=", " onload=", "javascript:"] {
            assert!(!text.contains(attribute), "{}: {attribute}", path.display());
        }
    }
    assert_eq!(pages, 3);
}
