//! The command line of the real binary: usage errors, help, completion scripts, manual pages, and the coloured board.

use std::process::{Command, Stdio};

mod common;

use common::{command, nullwindow, skip, subcommands};

/// Exit status, standard output and standard error.
fn run(line: &str) -> (Option<i32>, String, String) {
    let output = nullwindow(&line.split_whitespace().collect::<Vec<_>>(), "");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn options_without_use_are_refused_and_named() {
    for (line, error) in [
        ("reproduce --game othello", "reproduce has no use for --game"),
        ("--game othello bench endgame", "bench has no use for --game"),
        ("perft 3 --option Hash=1", "perft has no use for --option Hash"),
        ("--protocol uci perft 3", "perft speaks no protocol"),
        ("bench --check endgame", "--check"),
        ("solve --only 3", "<FILE>"),
        ("solve FILE --start", "cannot be used with"),
    ] {
        let (code, out, err) = run(line);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{line}: {err}");
        assert!(err.contains(error), "{line}: {err}");
    }
}

#[test]
fn long_options_with_one_dash_get_a_hint() {
    let (code, _, err) = run("tournament -engine cmd=a name=x -engine cmd=b -each tc=1+0.01 -rounds 2");
    assert_eq!(code, Some(2));
    assert!(err.contains("did you mean --engine, --each, --rounds?"), "{err}");
    let (code, _, err) = run("solve -threads 4 FILE");
    assert_eq!(code, Some(2));
    assert!(err.contains("did you mean --threads?"), "{err}");
}

#[test]
fn a_board_may_begin_with_empty_squares() {
    let board = format!("--{}XO- X", "X".repeat(59));
    for words in [&["solve"][..], &["compare", "--depth", "1"], &["perft", "1"], &["explain", "--depth", "1"]] {
        let output = nullwindow(&[words, &["--position", &board]].concat(), "");
        assert!(output.status.success(), "{words:?}: {output:?}");
    }
}

#[test]
fn a_measurement_of_bench_has_its_own_help() {
    let (code, help, _) = run("bench endgame --help");
    assert_eq!(code, Some(0));
    assert!(help.contains("Usage: nullwindow bench endgame") && !help.contains("--check"), "{help}");
    let (_, help, _) = run("bench --help");
    for name in ["search", "endgame", "board", "multipv"] {
        assert!(help.lines().any(|line| line.trim_start().starts_with(name)), "{help}");
    }
    assert_eq!(run("bench --positions").1, run("bench search --positions").1);
    assert_eq!(run("bench multipv --class nothing").0, Some(2));
}

#[test]
fn completion_scripts_are_written_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (code, script, err) = run(&format!("completions {shell}"));
        assert_eq!((code, err.as_str()), (Some(0), ""), "{shell}");
        for name in subcommands() {
            assert!(script.contains(&name), "{shell} does not complete {name}");
        }
    }
    assert_eq!(run("completions csh").0, Some(2));
    let checked = Command::new("bash").arg("-n").stdin(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut child) = checked else { return skip("no bash") };
    let script = run("completions bash").1;
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), script.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn manual_pages_name_every_command_and_option() {
    let (code, page, _) = run("man");
    assert_eq!(code, Some(0));
    assert!(page.contains(".TH nullwindow 1"), "{page}");
    let names = subcommands();
    assert!(names.len() > 8, "{names:?}");
    for name in &names {
        assert!(page.contains(&format!("nullwindow\\-{name}(1)")), "no {name} in {page}");
        let (code, page, _) = run(&format!("man {name}"));
        assert_eq!(code, Some(0), "{name}");
        assert!(page.contains(&format!(".TH nullwindow-{name} 1")), "{page}");
    }
    assert!(run("man solve").1.contains("limit\\-seconds"));
    assert_eq!(run("man nothing").0, Some(2));
}

/// What the engine writes on a terminal after these commands, with this environment; `None` where there is no
/// `script` to make one.
fn on_a_terminal(commands: &str, environment: &[(&str, &str)]) -> Option<String> {
    let engine = command().get_program().to_string_lossy().into_owned();
    let mut script = Command::new("script");
    script.args(["-qec", &format!("printf '{commands}' | '{engine}'"), "/dev/null"]);
    script.env_remove("NO_COLOR").env("TERM", "xterm").envs(environment.iter().copied());
    let output = script.stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn the_board_is_coloured_on_a_terminal_alone() {
    let commands = "ugi\\nmoves f5\\nd\\n";
    let plain = String::from_utf8(nullwindow(&[], "ugi\nmoves f5\nd\n").stdout).unwrap();
    assert!(plain.contains("5 . . . x x x . .") && !plain.contains('\x1b'), "{plain}");
    if !cfg!(target_os = "linux") {
        return skip("script has other options on this system");
    }
    let Some(coloured) = on_a_terminal(commands, &[]) else { return skip("no script to make a terminal") };
    assert!(coloured.contains("\x1b[7m") && coloured.contains("\x1b[32m+"), "{coloured}");
    for environment in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let text = on_a_terminal(commands, &[environment]).unwrap();
        assert!(text.contains("5 . . . x x x . .") && !text.contains('\x1b'), "{environment:?}: {text}");
    }
    assert_eq!(on_a_terminal(commands, &[("NO_COLOR", "")]).unwrap(), coloured, "empty: not set");
}
