//! The files of a match: no two of them, and none with an input, may be one file.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use super::{Scratch, command_of, runner, text};

/// The words of a match of two scripted engines, whose relative paths refer to the current folder.
fn words(line: &str) -> Vec<String> {
    let cmd = || format!("cmd={}", command_of("good"));
    let mut words = vec!["--engine".into(), cmd(), "name=A".into()];
    let (own, rest) = line.split_once(" -- ").unwrap_or(("", line));
    words.extend(own.split_whitespace().map(String::from));
    words.extend(["--engine".into(), cmd(), "name=B".into()]);
    let common = "--each depth=1 --game tictactoe --seed 1";
    words.extend(common.split(' ').map(String::from));
    words.extend(rest.split_whitespace().map(String::from));
    words
}

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn files_that_coincide_are_rejected_before_anything_is_written() {
    let scratch = Scratch::new("one-file");
    let here = &scratch.0;
    fs::create_dir_all(here.join("sub")).unwrap();
    fs::write(here.join("book.txt"), "b2\n").unwrap();
    fs::write(here.join("old.pgn"), "").unwrap();
    fs::write(here.join("weights"), "").unwrap();
    fs::hard_link(here.join("old.pgn"), here.join("hard.pgn")).unwrap();
    let mut lines = vec![
        "--out o --log file=x --pgnout file=x",
        "--out o --log file=x --pgnout file=sub/../x",
        "--out o --log file=o/games.jsonl",
        "--out o --log file=./sub/../o/plies.jsonl",
        "--out o --pgnout file=o/games.pgn",
        "--out o --pgnout file=o/abnormal/x",
        "--out o --log file=o/tournament.json",
        "--out o --log file=o/history.jsonl.lock",
        "--out o --log file=o/report.html",
        "--out o --log file=x.pgn.lock --pgnout file=x.pgn",
        "stderr=x -- --out o --log file=x",
        "stderr=x -- --out o --pgnout file=x",
        "stderr=o/games.jsonl -- --out o",
        "args=weights -- --out o --log file=weights",
        "--out o --openings file=book.txt --log file=book.txt",
        "--out o --openings file=book.txt --pgnout file=book.txt",
        "stderr=book.txt -- --out o --openings file=sub/../book.txt",
        "--out o --log file=hard.pgn --pgnout file=old.pgn",
    ];
    if cfg!(unix) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink("new.pgn", here.join("link.pgn")).unwrap();
            symlink("sub", here.join("folder")).unwrap();
        }
        lines.extend([
            "--out o --log file=link.pgn --pgnout file=new.pgn",
            "--out folder/o --log file=sub/o/games.jsonl",
            "--out o --log file=/dev/stdout",
            "--out o --pgnout file=printed",
        ]);
    }
    let before = names(here);
    for line in lines {
        let mut command = runner(&scratch, &words(line));
        command.current_dir(here);
        let printed = fs::File::create(here.join("printed")).unwrap();
        let output = command.stdout(printed).stderr(Stdio::piped()).output();
        let output = output.unwrap();
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {errors}");
        assert!(
            errors.contains(" are one file, choose another")
                || errors.contains("this file is part of a record, choose another"),
            "{line}: {errors}"
        );
        fs::remove_file(here.join("printed")).unwrap();
        assert_eq!(names(here), before, "{line}");
    }
    // Several engines may append to one file.
    let line = "stderr=e -- --each stderr=e --out o --log file=log --pgnout file=x.pgn";
    let output = runner(&scratch, &words(line)).current_dir(here).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    // A resumption checks the files of the plan, and the new log.
    for (file, expected) in [("x.pgn", " are one file"), ("o/games.pgn", " are one file")] {
        let resume = ["--resume", "o", "--log", &format!("file={file}")].map(String::from);
        let output = runner(&scratch, &resume)
            .current_dir(here)
            .output()
            .unwrap();
        let errors = text(&output.stderr);
        assert!(
            output.status.code() == Some(2) && errors.contains(expected),
            "{errors}"
        );
    }
    // Another record is not overwritten either.
    let mut other = runner(&scratch, &words("--out p --pgnout file=o/games.pgn"));
    let errors = text(&other.current_dir(here).output().unwrap().stderr);
    assert!(errors.contains("this file is part of a record"), "{errors}");
}

#[test]
fn matches_that_start_in_the_same_second_have_folders_of_their_own() {
    let scratch = Scratch::new("same-second");
    fs::create_dir_all(&scratch.0).unwrap();
    let children: Vec<_> = (0..3)
        .map(|_| {
            let mut command = runner(&scratch, &words("--openings startpos"));
            let command = command.current_dir(&scratch.0).stdout(Stdio::null());
            command.stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    assert_eq!(names(&scratch.0).len(), 3);
}
