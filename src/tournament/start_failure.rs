//! Why a program could not be started, in words that say what to change.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use crate::platform::command_line;

/// "Exec format error" of Unix, and Windows' error for a file that is not a program.
const NO_PROGRAM: [i32; 2] = [8, 193];
/// The longest first line of a script that is read.
const FIRST_LINE: u64 = 1024;

/// Explains the error of starting `words` (program and arguments) in a folder.
pub fn explain(words: &[String], directory: Option<&Path>, error: &io::Error) -> String {
    let here = directory.unwrap_or(Path::new(""));
    if let Some(folder) = directory
        && !folder.is_dir()
    {
        let what = if folder.exists() { "is not a folder" } else { "does not exist" };
        return format!("its folder \"{}\" {what}: give an existing one with dir=", folder.display());
    }
    let Some(program) = words.first() else { return error.to_string() };
    let what = program_failure(program, here, error);
    match blanks_hint(words, here) {
        Some(hint) if error.kind() == io::ErrorKind::NotFound => format!("{what}; {hint}"),
        _ => what,
    }
}

fn program_failure(program: &str, here: &Path, error: &io::Error) -> String {
    let missing = error.kind() == io::ErrorKind::NotFound;
    if Path::new(program).components().count() == 1 && !program.starts_with('.') {
        return match (missing, here.join(program).is_file()) {
            (true, true) => format!("no program \"{program}\" is in PATH; the file of this folder is \"./{program}\""),
            (true, false) => format!("no program \"{program}\" is in PATH"),
            _ => format!("the program \"{program}\": {error}"),
        };
    }
    let path = here.join(program);
    let name = path.display();
    if path.is_dir() {
        return format!("\"{name}\" is a folder, not a program");
    }
    if missing && !path.exists() {
        let elsewhere = Path::new(program).is_file();
        let hint = if elsewhere { " (a relative path starts from the engine's folder, dir=)" } else { "" };
        return format!("there is no program \"{name}\"{hint}");
    }
    if error.kind() == io::ErrorKind::PermissionDenied {
        return format!(
            "\"{name}\" is not an executable file, or this user may not run it (chmod +x makes it executable)"
        );
    }
    if missing {
        return match interpreter(&path) {
            Some(interpreter) => format!("\"{name}\" names the interpreter \"{interpreter}\", which does not exist"),
            None => {
                format!("\"{name}\" needs a program loader that this system does not have: it was built for another")
            }
        };
    }
    if error.raw_os_error().is_some_and(|code| NO_PROGRAM.contains(&code)) {
        return format!(
            "\"{name}\" is no program of this system, nor a script that begins with #! and its interpreter"
        );
    }
    format!("\"{name}\": {error}")
}

/// The interpreter that the first line of a script names.
fn interpreter(path: &Path) -> Option<String> {
    let mut line = Vec::new();
    BufReader::new(File::open(path).ok()?.take(FIRST_LINE)).read_until(b'\n', &mut line).ok()?;
    let line = String::from_utf8_lossy(&line);
    Some(line.strip_prefix("#!")?.split_ascii_whitespace().next()?.into())
}

/// The advice to quote a path with blanks, if the words may be parts of one.
fn blanks_hint(words: &[String], here: &Path) -> Option<String> {
    let joined = |count: usize| words[..count].join(" ");
    let whole = (2..=words.len()).rev().find(|&count| here.join(joined(count)).is_file());
    match whole {
        Some(count) => {
            let quoted = [&[joined(count)][..], &words[count..]].concat();
            Some(format!("a path that contains blanks must be quoted: {}", command_line::join(&quoted)))
        }
        None if words.len() > 1 => Some(
            "if its path contains blanks, quote it within the command: cmd='\"MY ENGINES/engine\" ARGUMENTS'".into(),
        ),
        None => None,
    }
}

/// The last lines of an engine's standard error.
pub fn last_lines(stderr: &str) -> String {
    const LINES: usize = 10;
    let lines: Vec<&str> = stderr.lines().collect();
    let left_out = lines.len().saturating_sub(LINES);
    let shown = lines[left_out..].join("\n");
    if left_out > 0 { format!("(... {left_out} lines)\n{shown}") } else { shown }
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
            (&["nowhere"], &missing, &["no program \"nowhere\" is in PATH"]),
            (&["script"], &missing, &["is in PATH; the file of this folder is \"./script\""]),
            (&["./nowhere"], &missing, &["there is no program \"", "nowhere\""]),
            (
                &["./my", "engines/one", "--x"],
                &missing,
                &["there is no program", "must be quoted: ", "./my engines/one"],
            ),
            (&["./nowhere", "5"], &missing, &["there is no program", "contains blanks"]),
            (&["./my engines"], &denied, &["is a folder, not a program"]),
            (&["./script"], &denied, &["is not an executable file"]),
            (&["./script"], &missing, &["names the interpreter \"/no/such/shell\""]),
            (&["./script"], &other, &["is no program of this system"]),
        ];
        for (words, error, expected) in cases {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            let explained = explain(&words, Some(&folder), error);
            for part in expected {
                assert!(explained.contains(part), "{words:?}: {explained}");
            }
        }
        let explained = explain(&["x".into()], Some(&folder.join("none")), &missing);
        assert!(explained.contains("its folder \"") && explained.contains("does not exist"), "{explained}");
        let explained = explain(&["x".into()], Some(&folder.join("script")), &missing);
        assert!(explained.contains("is not a folder"), "{explained}");
        assert_eq!(last_lines("one\ntwo"), "one\ntwo");
        assert!(last_lines(&"line\n".repeat(30)).starts_with("(... 20 lines)\nline"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
