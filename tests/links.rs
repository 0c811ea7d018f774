//! References between the files of the repository: the files and headings that a text names exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files of the repository with texts in which other files are named.
fn files() -> Vec<PathBuf> {
    fn gather(path: PathBuf, found: &mut Vec<PathBuf>) {
        if path.is_dir() {
            let skipped = ["target", "node_modules", "links.rs"];
            let entries = fs::read_dir(path)
                .unwrap()
                .map(|entry| entry.unwrap().path());
            entries
                .filter(|path| !skipped.iter().any(|name| path.ends_with(name)))
                .for_each(|path| gather(path, found));
        } else if path.extension().is_some_and(|kind| {
            ["md", "rs", "sh", "py", "txt"]
                .iter()
                .any(|known| kind == *known)
        }) {
            found.push(path);
        }
    }
    let mut found = Vec::new();
    [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "protocol.md",
        "src",
        "tests",
        "scripts",
    ]
    .iter()
    .for_each(|name| gather(root().join(name), &mut found));
    found
}

/// The anchor of a heading, as GitHub makes it: lower case, spaces are dashes, other signs are left
/// out.
fn anchor(heading: &str) -> String {
    let kept = heading
        .trim()
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| {
        if c == ' ' {
            '-'
        } else {
            c.to_ascii_lowercase()
        }
    })
    .collect()
}

/// The anchors of the headings of a file.
fn anchors(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).unwrap();
    text.lines()
        .filter_map(|line| line.strip_prefix('#'))
        .map(|line| anchor(line.trim_start_matches('#')))
        .collect()
}

/// The file that `name` means in `file`: relative to one of the folders around it, or to `src`.
fn resolved(file: &Path, name: &str) -> Option<PathBuf> {
    let around = file
        .ancestors()
        .skip(1)
        .take_while(|folder| folder.starts_with(root()))
        .map(Path::to_owned);
    around
        .chain([root().join("src")])
        .map(|folder| folder.join(name))
        .find(|path| path.exists())
}

/// Every path with this ending in a text, with the anchor that follows it.
fn named<'t>(text: &'t str, ending: &str) -> Vec<(&'t str, Option<&'t str>)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-/.".contains(c);
    let found = text.match_indices(ending).filter_map(|(at, _)| {
        let begin = text[..at]
            .rfind(|c| !is_part(c))
            .map_or(0, |before| before + 1);
        let (name, rest) = (&text[begin..at + ending.len()], &text[at + ending.len()..]);
        let is_whole =
            !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') && begin < at;
        let anchor = rest.strip_prefix('#').map(|rest| {
            let end = rest
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '-')
                .unwrap_or(rest.len());
            &rest[..end]
        });
        is_whole.then_some((name, anchor))
    });
    found.collect()
}

#[test]
fn named_measurements_exist() {
    let (mut count, mut missing) = (0, Vec::new());
    for file in files() {
        let text = fs::read_to_string(&file).unwrap();
        for (name, anchor) in named(&text, "measurements.md") {
            count += 1;
            let target = resolved(&file, name);
            if !target
                .is_some_and(|target| anchor.is_none_or(|anchor| anchors(&target).contains(anchor)))
            {
                missing.push(format!(
                    "{}: {name}#{}",
                    file.display(),
                    anchor.unwrap_or_default()
                ));
            }
        }
    }
    assert!(
        count > 25 && missing.is_empty(),
        "{count} found, missing {missing:#?}"
    );
}

#[test]
fn files_that_the_guides_name_exist() {
    let (mut count, mut missing) = (0, Vec::new());
    for guide in ["README.md", "CONTRIBUTING.md", "src/lib.rs"] {
        let file = root().join(guide);
        let text = fs::read_to_string(&file).unwrap();
        for (name, _) in [".rs", ".sh", ".py"]
            .iter()
            .flat_map(|ending| named(&text, ending))
        {
            // A bare name is relative to the path that precedes it.
            count += 1;
            if name.contains('/') && resolved(&file, name).is_none() {
                missing.push(format!("{guide}: {name}"));
            }
        }
    }
    assert!(
        count > 30 && missing.is_empty(),
        "{count} found, missing {missing:#?}"
    );
}

#[test]
fn links_of_documents_have_a_target() {
    let (mut count, mut missing) = (0, Vec::new());
    for file in files()
        .into_iter()
        .filter(|file| file.extension().is_some_and(|kind| kind == "md"))
    {
        let text = fs::read_to_string(&file).unwrap();
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split_once(')'))
            .map(|(link, _)| link)
        {
            if link.contains("://") || link.contains(' ') {
                continue;
            }
            count += 1;
            let (name, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if name.is_empty() {
                file.clone()
            } else {
                file.parent().unwrap().join(name)
            };
            if !target.exists() || !(anchor.is_empty() || anchors(&target).contains(anchor)) {
                missing.push(format!("{}: {link}", file.display()));
            }
        }
    }
    assert!(
        count > 20 && missing.is_empty(),
        "{count} found, missing {missing:#?}"
    );
}

#[test]
fn anchors_of_headings_are_those_of_github() {
    assert_eq!(
        anchor(" The solver's table: 18 stones, `go exact`"),
        "the-solvers-table-18-stones-go-exact"
    );
    assert_eq!(
        named("see x/measurements.md#a-b, amd", "measurements.md"),
        [("x/measurements.md", Some("a-b"))]
    );
}
