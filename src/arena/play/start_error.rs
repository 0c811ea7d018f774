//! Engines that do not start, with an explanation of what to change.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use thiserror::Error;

use crate::arena::config::engine_spec::EngineSpec;
use crate::game::counted;
use crate::platform::command_line;

/// An engine does not start or does not support the game.
#[derive(Clone, Debug, Default, Error)]
#[error(
    "engine \"{name}\" cannot start: {what}\n  command: {command}\n  stderr: {}",
    if stderr.is_empty() { "(empty)" } else { stderr }
)]
pub struct StartError {
    name: String,
    command: String,
    /// What went wrong.
    pub what: String,
    /// The end of its output on standard error.
    stderr: String,
}

impl StartError {
    /// The error with the last lines of `stderr`, the engine's standard error.
    pub fn new(spec: &EngineSpec, what: String, stderr: &str) -> StartError {
        StartError {
            name: spec.name.clone(),
            command: spec.command_line(),
            what,
            stderr: last_lines(stderr),
        }
    }
}

/// The error codes of a file that is not a program: `ENOEXEC` and `ERROR_BAD_EXE_FORMAT`.
const NO_PROGRAM: [i32; 2] = [8, 193];
/// The maximum length of a script's first line.
const FIRST_LINE: u64 = 1024;

/// Explains why `words` (program and arguments) could not be started in a folder.
pub fn explain(words: &[String], directory: Option<&Path>, error: &io::Error) -> String {
    let here = directory.unwrap_or(Path::new(""));
    if let Some(folder) = directory
        && !folder.is_dir()
    {
        let what = if folder.exists() {
            "is not a folder"
        } else {
            "does not exist"
        };
        return format!(
            "its folder \"{}\" {what}: set dir= to an existing folder",
            folder.display()
        );
    }
    let Some(program) = words.first() else {
        return error.to_string();
    };
    let what = program_failure(program, here, error);
    match spaces_hint(words, here) {
        Some(hint) if error.kind() == io::ErrorKind::NotFound => format!("{what}; {hint}"),
        _ => what,
    }
}

fn program_failure(program: &str, here: &Path, error: &io::Error) -> String {
    if Path::new(program).components().count() == 1 && !program.starts_with('.') {
        return match error.kind() {
            io::ErrorKind::NotFound if here.join(program).is_file() => {
                format!(
                    "program \"{program}\" not found in PATH; to run the file in this folder, use \"./{program}\""
                )
            }
            io::ErrorKind::NotFound => format!("program \"{program}\" not found in PATH"),
            _ => format!("program \"{program}\": {error}"),
        };
    }
    let path = here.join(program);
    let name = path.display();
    match error.kind() {
        _ if path.is_dir() => format!("\"{name}\" is a folder, not a program"),
        io::ErrorKind::NotFound if !path.exists() => {
            let elsewhere = Path::new(program).is_file();
            let hint = if elsewhere {
                " (relative paths start at the engine's folder, dir=)"
            } else {
                ""
            };
            format!("program \"{name}\" does not exist{hint}")
        }
        io::ErrorKind::NotFound => match interpreter(&path) {
            Some(interpreter) => {
                format!("the interpreter of \"{name}\", \"{interpreter}\", does not exist")
            }
            None => {
                format!("\"{name}\" was built for another system: its program loader is missing")
            }
        },
        io::ErrorKind::PermissionDenied => {
            format!(
                "\"{name}\" is not executable, or this user may not run it (to make it executable: chmod +x)"
            )
        }
        _ if error
            .raw_os_error()
            .is_some_and(|code| NO_PROGRAM.contains(&code)) =>
        {
            format!(
                "\"{name}\" is neither a program for this system nor a script that begins with #! and an interpreter"
            )
        }
        _ => format!("\"{name}\": {error}"),
    }
}

/// The interpreter named in the first line of a script.
fn interpreter(path: &Path) -> Option<String> {
    let mut line = Vec::new();
    BufReader::new(File::open(path).ok()?.take(FIRST_LINE))
        .read_until(b'\n', &mut line)
        .ok()?;
    let line = String::from_utf8_lossy(&line);
    Some(
        line.strip_prefix("#!")?
            .split_ascii_whitespace()
            .next()?
            .into(),
    )
}

/// Advice to quote a path with spaces, if the words may be parts of one.
fn spaces_hint(words: &[String], here: &Path) -> Option<String> {
    let joined = |count: usize| words[..count].join(" ");
    let whole = (2..=words.len())
        .rev()
        .find(|&count| here.join(joined(count)).is_file());
    match whole {
        Some(count) => {
            let quoted = [&[joined(count)][..], &words[count..]].concat();
            Some(format!("a path with spaces must be quoted: {}", command_line::join(&quoted)))
        }
        None if words.len() > 1 => Some(
            "if its path contains spaces, quote it within the command: cmd='\"MY ENGINES/engine\" ARGUMENTS'".into(),
        ),
        None => None,
    }
}

/// The last lines of an engine's standard error.
fn last_lines(stderr: &str) -> String {
    const LINES: usize = 10;
    let lines: Vec<&str> = stderr.lines().collect();
    let omitted = lines.len().saturating_sub(LINES);
    let shown = lines[omitted..].join("\n");
    if omitted > 0 {
        format!("({} omitted)\n{shown}", counted(omitted, "line", "lines"))
    } else {
        shown
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn every_failure_names_its_cause() {
        let folder = std::env::temp_dir().join(format!("nullwindow-start-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("my engines")).unwrap();
        fs::write(folder.join("my engines").join("one"), "x").unwrap();
        fs::write(folder.join("script"), "#!/no/such/shell -e\n").unwrap();
        let missing = io::Error::from(io::ErrorKind::NotFound);
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        let other = io::Error::from_raw_os_error(NO_PROGRAM[0]);
        let cases: [(&[&str], &io::Error, &[&str]); 9] = [
            (
                &["nowhere"],
                &missing,
                &["program \"nowhere\" not found in PATH"],
            ),
            (
                &["script"],
                &missing,
                &["not found in PATH; to run the file in this folder, use \"./script\""],
            ),
            (
                &["./nowhere"],
                &missing,
                &["program \"", "nowhere\" does not exist"],
            ),
            (
                &["./my", "engines/one", "--x"],
                &missing,
                &["does not exist", "must be quoted: ", "./my engines/one"],
            ),
            (
                &["./nowhere", "5"],
                &missing,
                &["does not exist", "contains spaces"],
            ),
            (&["./my engines"], &denied, &["is a folder, not a program"]),
            (&["./script"], &denied, &["is not executable"]),
            (
                &["./script"],
                &missing,
                &["\"/no/such/shell\", does not exist"],
            ),
            (&["./script"], &other, &["is neither a program"]),
        ];
        for (words, error, expected) in cases {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            let explained = explain(&words, Some(&folder), error);
            for part in expected {
                assert!(explained.contains(part), "{words:?}: {explained}");
            }
        }
        let explained = explain(&["x".into()], Some(&folder.join("none")), &missing);
        assert!(
            explained.contains("its folder \"") && explained.contains("does not exist"),
            "{explained}"
        );
        let explained = explain(&["x".into()], Some(&folder.join("script")), &missing);
        assert!(explained.contains("is not a folder"), "{explained}");
        assert_eq!(last_lines("one\ntwo"), "one\ntwo");
        assert!(last_lines(&"line\n".repeat(30)).starts_with("(20 lines omitted)\nline"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
