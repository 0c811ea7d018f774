//! Records: one writer at a time, even after a SIGKILL; damaged and foreign files are reported and
//! left unchanged; a failed write leaves a record that can be resumed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

#[cfg(unix)]
use nullwindow::storage::record_lock::RecordLock;

use crate::common::{Folder, PATIENCE, command, nullwindow, skip};

/// The commands that write a record; all run for minutes.
const WRITERS: [(&str, &str); 5] = [
    ("solve", "solve --game othello6 --resume OUT"),
    (
        "selfplay",
        "lab selfplay --mobility --depth 1 --games 100000000 --out OUT",
    ),
    ("shard", "lab shard SHARD --out OUT"),
    ("calibrate", "lab calibrate --games 4000000000 --out OUT"),
    (
        "strength",
        "lab strength calibrate --games 4000000000 --nodes 100000 --out OUT",
    ),
];

/// The words of a command in a folder.
fn words(folder: &Folder, line: &str) -> Vec<String> {
    let (out, shard) = (folder.0.join("record"), folder.0.join("shard.json"));
    if line.contains("SHARD") && !shard.exists() {
        let mut shown: serde_json::Value =
            serde_json::from_slice(&nullwindow(&["lab", "shard", "--identity"], "").stdout)
                .unwrap();
        shown["job"] = serde_json::json!({
            "selfplay": {"first": 0, "count": 1_000_000_000, "depth": 1, "mobility": true}
        });
        fs::write(&shard, shown.to_string()).unwrap();
    }
    let of = |word: &str| match word {
        "OUT" => out.display().to_string(),
        "SHARD" => shard.display().to_string(),
        word => word.to_owned(),
    };
    line.split(' ').map(of).collect()
}

fn start(words: &[String]) -> Child {
    let mut command = command();
    command
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Runs a command that is expected to end at once.
fn run(words: &[String]) -> (Option<i32>, String) {
    let Output { status, stderr, .. } =
        command().args(words).stdin(Stdio::null()).output().unwrap();
    (status.code(), String::from_utf8_lossy(&stderr).into_owned())
}

/// Waits until a process holds the lock of a record.
fn wait_for_lock(record: &Path, process: &mut Child) {
    let lock = PathBuf::from(format!("{}.lock", record.display()));
    let deadline = Instant::now() + PATIENCE;
    let holder = format!("process {} ", process.id());
    while !fs::read_to_string(&lock).is_ok_and(|text| text.starts_with(&holder)) {
        assert!(process.try_wait().unwrap().is_none(), "it has ended");
        assert!(Instant::now() < deadline, "it does not lock its record");
        sleep(Duration::from_millis(5));
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_a_new_record_has_the_lock_of_its_target() {
    let folder = Folder::new("records-link");
    let (link, target) = (folder.0.join("link"), folder.0.join("target"));
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let _lock = RecordLock::acquire(&link).unwrap();
    assert!(RecordLock::acquire(&target).is_err());
    fs::write(&link, "").unwrap(); // creates the target
    assert!(RecordLock::acquire(&link).is_err());
}

#[test]
fn a_second_writer_is_refused_and_a_killed_one_leaves_no_lock() {
    for (name, line) in WRITERS {
        let folder = Folder::new(&format!("records-{name}"));
        let (record, words) = (folder.0.join("record"), words(&folder, line));
        let mut first = start(&words);
        wait_for_lock(&record, &mut first);
        while !record.exists() {
            sleep(Duration::from_millis(5));
        }
        let before = fs::read(&record).unwrap();
        let (status, errors) = run(&words);
        let expected = format!("is being written by process {} ", first.id());
        assert_eq!(status, Some(2), "{name}: {errors}");
        assert!(
            errors.contains(&expected) && errors.contains(" since "),
            "{name}: {errors}"
        );
        assert!(
            fs::read(&record).unwrap().starts_with(&before),
            "{name}: the record was changed"
        );
        assert!(
            first.try_wait().unwrap().is_none(),
            "{name}: the first writer has ended"
        );
        // Through a link it is the same record.
        #[cfg(unix)]
        {
            let link = folder.0.join("link");
            std::os::unix::fs::symlink(&record, &link).unwrap();
            let replace = |word: &String| {
                if *word == record.display().to_string() {
                    link.display().to_string()
                } else {
                    word.clone()
                }
            };
            let (status, errors) = run(&words.iter().map(replace).collect::<Vec<_>>());
            assert!(
                status == Some(2) && errors.contains(&expected),
                "{name}: {errors}"
            );
        }
        first.kill().unwrap(); // SIGKILL
        first.wait().unwrap();
        let mut next = start(&words);
        wait_for_lock(&record, &mut next);
        next.kill().unwrap();
        next.wait().unwrap();
    }
}

#[test]
fn foreign_files_and_damage_are_named_and_left_alone() {
    let selfplay: Vec<u8> = {
        let folder = Folder::new("records-whole");
        let words = words(
            &folder,
            "lab selfplay --mobility --depth 1 --games 3 --out OUT",
        );
        assert_eq!(run(&words).0, Some(0));
        fs::read(folder.0.join("record")).unwrap()
    };
    let mut flags = selfplay.clone();
    let last = flags.len() - 1;
    flags[last] = 0x88;
    let text: &[u8] = b"my notes";
    for (name, line) in WRITERS {
        let folder = Folder::new(&format!("records-damaged-{name}"));
        let (record, words) = (folder.0.join("record"), words(&folder, line));
        let cases: Vec<(Vec<u8>, String)> = match name {
            "selfplay" => vec![
                (text.into(), "byte 0".into()),
                (b"NWGAMES1\x02".to_vec(), "byte 8".into()),
                ([text; 10].concat(), "not a self-play file".into()),
                (flags.clone(), format!("byte {}", flags.len() - 20)),
                (
                    [&selfplay[..], &[0; 40]].concat(),
                    format!("byte {}", selfplay.len()),
                ),
            ],
            _ => vec![
                (text.into(), "line 1".into()),
                (b"one\ntwo\n".to_vec(), "line 1".into()),
                (vec![0; 50], "line 1".into()),
                (b"{\"key\":\"\xff\"}\n".to_vec(), "line 1".into()),
            ],
        };
        let empty = (Vec::new(), "line 1: the file is empty".to_owned());
        let has_conditions = ["calibrate", "strength"].contains(&name);
        for (content, expected) in cases.into_iter().chain(has_conditions.then_some(empty)) {
            fs::write(&record, &content).unwrap();
            let (status, errors) = run(&words);
            assert_eq!(status, Some(2), "{name}: {errors}");
            let place = format!("{}", record.display());
            assert!(
                errors.contains(&place) && errors.contains(&expected),
                "{name}, {expected}: {errors}"
            );
            assert!(
                fs::read(&record).unwrap() == content,
                "{name}: the file was changed"
            );
            let files = fs::read_dir(&folder.0).unwrap().count();
            assert_eq!(
                files,
                if name == "shard" { 2 } else { 1 },
                "{name}: a file is left"
            );
        }
    }
}

#[test]
fn a_record_of_other_options_or_weights_is_not_resumed() {
    let folder = Folder::new("records-options");
    let dir = folder.0.display().to_string();
    fs::write(folder.0.join("game"), "d3c5").unwrap();
    fs::write(folder.0.join("cube"), "a1a1").unwrap();
    let weights = include_str!("../src/games/score_four/eval/plain.txt");
    fs::write(folder.0.join("weights"), weights).unwrap();
    for (line, further) in [
        (
            "lab strength calibrate --game othello4 --levels 9 --games 2 --nodes 10 --out OUT",
            "--option Selectivity=50",
        ),
        (
            "lab regret --game othello4 --solved DIR/solved --positions 1 --empties 4 --nodes 10 --out OUT",
            "--option Selectivity=50",
        ),
        (
            "analyze DIR/game --depth 1 --resume OUT",
            "--option Algorithm=mtdf",
        ),
        (
            "analyze --game scorefour DIR/cube --depth 1 --option EvalFile=DIR/weights --resume OUT",
            "",
        ),
    ] {
        let line = line.replace("DIR", &dir);
        let first = run(&words(&folder, &line));
        assert!(matches!(first.0, Some(0 | 1)), "{line}: {first:?}");
        if further.is_empty() {
            fs::write(folder.0.join("weights"), format!("{weights}\n")).unwrap();
        }
        let (status, errors) = run(&words(&folder, format!("{line} {further}").trim_end()));
        assert_eq!(status, Some(2), "{line}: {errors}");
        assert!(
            errors.contains("the record has the conditions option"),
            "{line}: {errors}"
        );
        fs::remove_file(folder.0.join("record")).unwrap();
    }
}

#[test]
fn self_play_resumes_after_a_cut_at_every_byte_of_its_beginning() {
    let folder = Folder::new("records-cut");
    let (record, words) = (
        folder.0.join("record"),
        words(
            &folder,
            "lab selfplay --mobility --depth 1 --games 2 --out OUT",
        ),
    );
    assert_eq!(run(&words).0, Some(0));
    let whole = fs::read(&record).unwrap();
    for cut in (0..60).chain(whole.len() - 30..whole.len()) {
        fs::write(&record, &whole[..cut]).unwrap();
        let (status, errors) = run(&words);
        assert_eq!(status, Some(0), "{cut}: {errors}");
        assert!(fs::read(&record).unwrap() == whole, "cut at {cut}");
    }
}

#[test]
fn a_full_disk_leaves_a_record_that_resumes() {
    if cfg!(not(unix)) {
        return skip("the size of files is limited by ulimit");
    }
    let limited = |words: &[String]| {
        let mut command = Command::new("sh");
        // Writes beyond the limit fail, as on a full disk.
        command.args([
            "-c",
            "trap '' XFSZ; ulimit -f 8; exec \"$@\"",
            "sh",
            env!("CARGO_BIN_EXE_nullwindow"),
        ]);
        command.args(words).stdin(Stdio::null()).output()
    };
    if !Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 8"])
        .status()
        .is_ok_and(|status| status.success())
    {
        return skip("the shell cannot limit the size of files");
    }
    let problems = nullwindow(&["problems", "--empties", "4", "--count", "30"], "").stdout;
    for (name, line) in [
        (
            "full-selfplay",
            "lab selfplay --mobility --depth 1 --games 20 --out OUT",
        ),
        ("full-solve", "solve PROBLEMS --hash 1 --resume OUT"),
    ] {
        let folder = Folder::new(&format!("records-{name}"));
        let file = folder.0.join("problems");
        fs::write(&file, &problems).unwrap();
        let line = line.replace("PROBLEMS", &file.display().to_string());
        let words = words(&folder, &line);
        let output = limited(&words).unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {errors}");
        assert!(
            errors.contains("cannot write ") && errors.contains("to resume"),
            "{name}: {errors}"
        );
        let before = fs::read(folder.0.join("record")).unwrap();
        assert!(before.len() <= 8 * 1024 && before.len() > 1000, "{name}");
        let (status, errors) = run(&words);
        assert_eq!(status, Some(0), "{name}: {errors}");
        let after = fs::read(folder.0.join("record")).unwrap();
        // The last game of self-play is played again.
        let kept = if name == "full-solve" {
            before.len()
        } else {
            before.len() - 20 * 64
        };
        assert!(
            after.starts_with(&before[..kept]) && after.len() > before.len(),
            "{name}"
        );
    }
}

#[test]
fn a_whole_file_is_not_destroyed_by_a_failed_write() {
    let folder = Folder::new("records-whole-files");
    let old = folder.0.join("page.html");
    fs::write(&old, "old").unwrap();
    let page = old.display().to_string();
    let words = [
        "explain",
        "--game",
        "tictactoe",
        "--depth",
        "3",
        "--html",
        &page,
    ];
    let output = nullwindow(&words, "");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(fs::read_to_string(&old).unwrap().contains("<html"));
    let nowhere = folder
        .0
        .join("nowhere")
        .join("page.html")
        .display()
        .to_string();
    let words = [
        "explain",
        "--game",
        "tictactoe",
        "--depth",
        "3",
        "--html",
        &nowhere,
    ];
    let output = nullwindow(&words, "");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains(&nowhere));
}

#[cfg(unix)]
#[test]
fn records_and_folders_that_are_other_files_are_named_as_such() {
    let folder = Folder::new("records-kinds");
    let [fifo, link] = ["fifo", "link"].map(|name| folder.0.join(name));
    if !Command::new("mkfifo")
        .arg(&fifo)
        .status()
        .is_ok_and(|status| status.success())
    {
        return skip("no mkfifo");
    }
    std::os::unix::fs::symlink("nowhere", &link).unwrap();
    let engine = concat!("cmd=", env!("CARGO_BIN_EXE_nullwindow"));
    let two = ["--engine", engine, "--engine", engine, "--each", "depth=1"];
    let tournament = [&["tournament"], &two[..], &["--out"]].concat();
    let proof = ["solve", "--game", "tictactoe", "--proof"];
    let [fifo, link] = [&fifo, &link].map(|path| path.to_str().unwrap());
    for (path, kind) in [
        (fifo, "a FIFO"),
        ("/dev/null", "a device"),
        (link, "a link without a target"),
    ] {
        for words in [&tournament[..], &proof] {
            let output = nullwindow(&[words, &[path]].concat(), "");
            let error = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{error}");
            let expected = format!("{path}: not a folder but {kind}\n");
            assert!(error.ends_with(&expected), "{error}");
        }
    }
    for (words, option) in [
        (&["solve", "--game", "tictactoe"][..], "--resume"),
        (&["analyze", "-"], "--resume"),
        (&["lab", "calibrate"], "--out"),
        (&["lab", "strength", "calibrate"], "--out"),
        (
            &["lab", "selfplay", "--depth", "1", "--games", "1"],
            "--out",
        ),
        (&["lab", "regret"], "--solved"),
    ] {
        for (path, kind) in [(fifo, "a FIFO"), ("/dev/full", "a device")] {
            let output = nullwindow(&[words, &[option, path]].concat(), "f5d6\n");
            let error = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
            let expected = format!("{option} {path}: not a regular file but {kind}\n");
            assert!(error.ends_with(&expected), "{words:?}: {error}");
        }
    }
    // A link to a new file is followed.
    let output = nullwindow(&["solve", "--game", "tictactoe", "--resume", link], "");
    assert!(output.status.success(), "{output:?}");
    assert!(folder.0.join("nowhere").is_file());
}
