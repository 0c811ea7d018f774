//! The command line of the binary: usage errors, help, completion scripts, manual pages, and the
//! colored board.

use std::process::{Command, Stdio};

use std::io::Read;

use clap::ValueEnum as _;
use nullwindow::arena::rules::warning::ReportFault;

use crate::common::{Folder, PATIENCE, command, commands, nullwindow, skip, subcommands};

/// Exit status, standard output and standard error.
fn run(line: &str) -> (Option<i32>, String, String) {
    let output = nullwindow(&line.split_whitespace().collect::<Vec<_>>(), "");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn options_without_effect_are_refused_and_named() {
    for (line, error) in [
        (
            "reproduce --game othello",
            "--game has no effect on reproduce",
        ),
        (
            "--game othello bench endgame",
            "--game has no effect on bench endgame",
        ),
        (
            "perft 3 --option Hash=1",
            "option Hash has no effect on perft",
        ),
        (
            "explain --depth 1 --game othello6 --option EvalFile=src/games/score_four/eval/plain.txt",
            "EvalFile has weights for scorefour, not othello6",
        ),
        (
            "solve --start --game tictactoe --option EvalFile=src/games/reversi/eval/weights.bin",
            "EvalFile has weights for othello, not tictactoe",
        ),
        (
            "solve --start --option MultiPV=3",
            "option MultiPV has no effect on solve",
        ),
        (
            "--protocol uci perft 3",
            "--protocol has no effect on perft",
        ),
        ("bench --check endgame", "--check"),
        ("solve --only 3", "<FILE>"),
        ("solve FILE --start", "cannot be used with"),
        ("solve --report FILE --game othello", "cannot be used with"),
        ("solve --option Hash=1 --report FILE", "cannot be used with"),
        ("solve --svg FILE", "--report"),
        // clap drops a requirement that conflicts with a given argument.
        ("solve FILE --svg FILE", "cannot be used with"),
        ("solve --position d3 --svg FILE", "cannot be used with"),
        ("solve --start --sample 3", "cannot be used with"),
        ("solve --position d3 --seed 3", "cannot be used with"),
        (
            "explain --game tictactoe --depth 2 --text --against mtdf",
            "cannot be used with",
        ),
        (
            "explain --depth 2 --json --against-option Hash=2",
            "cannot be used with",
        ),
        (
            "tournament --openings builtin file=FILE",
            "\"file=FILE\": source is given twice",
        ),
        (
            "tournament --openings plies=8 --openings plies=9",
            "\"plies=9\": plies is given twice",
        ),
    ] {
        let (code, out, err) = run(line);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{line}: {err}");
        assert!(err.contains(error), "{line}: {err}");
    }
}

#[test]
fn help_lists_each_command_on_one_line_in_order() {
    let listed = |line: &str| -> Vec<String> {
        let help = run(line).1;
        let commands = help.split("Commands:\n").nth(1).unwrap();
        let lines = commands.lines().take_while(|line| !line.is_empty());
        lines
            .map(|line| line.split_whitespace().next().unwrap_or("?").to_owned())
            .collect()
    };
    let expected = "tournament analyze solve prove convert openings problems explain compare \
                    reproduce play perft bench book lab completions man help";
    assert_eq!(listed("--help").join(" "), expected);
    let expected = "selfplay train ablation regret calibrate strength estimate shard help";
    assert_eq!(listed("lab --help").join(" "), expected);
}

#[test]
fn a_file_without_a_command_suggests_analyze() {
    let (code, out, err) = run("Cargo.toml");
    assert_eq!((code, out.as_str()), (Some(2), ""));
    let expected = "error: Cargo.toml is a file, not a command; to analyze its games: nullwindow analyze Cargo.toml\n";
    assert!(err.starts_with(expected), "{err}");
}

#[test]
fn long_options_with_one_dash_get_a_hint() {
    let (code, _, err) = run("solve -threads 4 FILE");
    assert_eq!(code, Some(2));
    assert!(err.contains("did you mean --threads?"), "{err}");
    let (_, _, err) = run("lab train eval -epochs 4 FILE");
    assert!(err.contains("did you mean --epochs?"), "{err}");
}

#[test]
fn a_board_may_begin_with_empty_squares() {
    let board = format!("--{}XO- X", "X".repeat(59));
    for words in [
        &["solve"][..],
        &["compare", "--depth", "1"],
        &["perft", "1"],
        &["explain", "--depth", "1"],
    ] {
        let output = nullwindow(&[words, &["--position", &board]].concat(), "");
        assert!(output.status.success(), "{words:?}: {output:?}");
    }
}

#[test]
fn every_benchmark_has_its_own_help() {
    let (code, help, _) = run("bench endgame --help");
    assert_eq!(code, Some(0));
    assert!(
        help.contains("Usage: nullwindow bench endgame") && !help.contains("--check"),
        "{help}"
    );
    let (_, help, _) = run("bench --help");
    for name in ["search", "endgame", "board", "multipv"] {
        assert!(
            help.lines().any(|line| line.trim_start().starts_with(name)),
            "{help}"
        );
    }
    assert_eq!(
        run("bench --positions").1,
        run("bench search --positions").1
    );
    assert_eq!(run("bench multipv --class nothing").0, Some(2));
}

#[test]
fn completion_scripts_are_written_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (code, script, err) = run(&format!("completions {shell}"));
        assert_eq!((code, err.as_str()), (Some(0), ""), "{shell}");
        for name in commands().concat() {
            assert!(script.contains(&name), "{shell} does not complete {name}");
        }
    }
    let bash = run("completions bash").1;
    assert!(
        bash.contains("othello6 othello4") && bash.contains("negascout mtdf"),
        "{bash}"
    );
    assert_eq!(run("completions csh").0, Some(2));
    let checked = Command::new("bash")
        .arg("-n")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = checked else {
        return skip("no bash");
    };
    let script = run("completions bash").1;
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), script.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn manual_pages_name_every_command_and_option() {
    let (code, page, _) = run("man");
    assert_eq!(code, Some(0));
    assert!(page.contains(".TH nullwindow 1"), "{page}");
    let names = subcommands();
    assert!(names.len() > 8, "{names:?}");
    for name in &names {
        assert!(
            page.contains(&format!("nullwindow\\-{name}(1)")),
            "no {name} in {page}"
        );
    }
    for words in commands() {
        let (code, page, _) = run(&format!("man {}", words.join(" ")));
        assert_eq!(code, Some(0), "{words:?}");
        let name = ["nullwindow".to_owned()]
            .into_iter()
            .chain(words)
            .collect::<Vec<_>>();
        assert!(
            page.contains(&format!(".TH {} 1", name.join("-"))),
            "{page}"
        );
        let version = concat!("\"nullwindow ", env!("CARGO_PKG_VERSION"), "\"");
        assert!(page.contains(version), "{name:?}: {page}");
    }
    assert!(run("man solve").1.contains("limit\\-seconds"));
    assert_eq!(run("man nothing").0, Some(2));
}

/// What the engine writes on a terminal after these commands, with this environment; `None` where
/// there is no `script` to make one.
fn on_a_terminal(commands: &str, environment: &[(&str, &str)]) -> Option<String> {
    let engine = command().get_program().to_string_lossy().into_owned();
    let mut script = Command::new("script");
    script.args([
        "-qec",
        &format!("printf '{commands}' | '{engine}'"),
        "/dev/null",
    ]);
    script
        .env_remove("NO_COLOR")
        .env("TERM", "xterm")
        .envs(environment.iter().copied());
    let output = script.stdin(Stdio::null()).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn the_board_is_colored_only_on_a_terminal() {
    let commands = "ugi\\nmoves f5\\nd\\n";
    let plain = String::from_utf8(nullwindow(&[], "ugi\nmoves f5\nd\n").stdout).unwrap();
    assert!(
        plain.contains("5 . . . x x x . .") && !plain.contains('\x1b'),
        "{plain}"
    );
    if !cfg!(target_os = "linux") {
        return skip("script has other options on this system");
    }
    let Some(colored) = on_a_terminal(commands, &[]) else {
        return skip("no script to make a terminal");
    };
    assert!(
        colored.contains("\x1b[7m") && colored.contains("\x1b[32m+"),
        "{colored}"
    );
    for environment in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let text = on_a_terminal(commands, &[environment]).unwrap();
        assert!(
            text.contains("5 . . . x x x . .") && !text.contains('\x1b'),
            "{environment:?}: {text}"
        );
    }
    assert_eq!(
        on_a_terminal(commands, &[("NO_COLOR", "")]).unwrap(),
        colored,
        "empty: not set"
    );
}

/// The arguments with which each command starts its work if no shared option is given.
fn arguments(command: &str) -> &'static [&'static str] {
    match command {
        "perft" => &["1"],
        "compare" | "explain" | "lab ablation" => &["--depth", "1"],
        "problems" => &["--empties", "6", "--count", "1"],
        "lab selfplay" | "lab calibrate" | "lab strength calibrate" => {
            &["--out", "no/such/folder/file"]
        }
        "lab regret" => &["--solved", "no/such/folder/file"],
        "lab train eval" => &["no/such/file", "--out", "file"],
        "lab train judge" | "lab train mobility" | "lab strength agreement" => &["no/such/file"],
        "lab shard" | "prove" => &["no/such/file", "--out", "file"],
        "lab estimate" => &[
            "no/such/file",
            "--out",
            "no/such/folder/file",
            "--sample",
            "1",
        ],
        "convert" => &["no/such/file", "--to", "pgn"],
        "solve" | "analyze" => &["no/such/file"],
        "lab train levels" => &["--model", "no/such/file"],
        "lab train prob-cut" => &["--odd-even", "no/such/file"],
        "tournament" => &["--rounds", "0"],
        "completions" => &["bash"],
        "openings" => &["--plies", "1", "--count", "1", "--depth", "1"],
        "bench" | "bench search" => &["--positions"],
        "bench multipv" => &["--class", "nothing"],
        "reproduce" => &["nothing"],
        "book add" | "book import" => &["no/such/folder/file", "no/such/file"],
        "book extend" => &["no/such/file", "--depth", "1"],
        "book show" | "book check" | "book export" => &["no/such/file"],
        _ => &[],
    }
}

#[test]
fn commands_that_reject_a_game_list_their_games_in_the_help() {
    for (words, game) in [
        ("prove --out FILE", "scorefour"),
        ("lab ablation", "tictactoe"),
        ("lab estimate - --out FILE", "scorefour"),
        ("lab regret --solved FILE", "scorefour"),
        ("lab selfplay --out FILE", "tictactoe"),
        ("lab strength calibrate --out FILE", "tictactoe"),
        ("lab strength agreement FILE", "tictactoe"),
        ("lab train prob-cut", "tictactoe"),
        ("lab train levels", "scorefour"),
    ] {
        let line = format!("{words} --game {game}");
        let line = line.replace("FILE", "no-such-folder/file");
        let refused = nullwindow(&line.split(' ').collect::<Vec<_>>(), "");
        let error = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{line}: {error}");
        assert!(error.contains(game), "{line}: {error}");
        let help: Vec<&str> = line
            .split(' ')
            .take_while(|word| !word.starts_with('-') && !word.contains('/'))
            .chain(["--help"])
            .collect();
        let help = String::from_utf8(nullwindow(&help, "").stdout).unwrap();
        assert!(help.contains("\nGames: "), "{line}: {help}");
    }
}

#[test]
fn help_lists_the_shared_options_that_a_command_accepts_and_no_others() {
    let all = commands();
    assert!(all.len() > 25, "{all:?}");
    for words in all.iter().filter(|words| !words.is_empty()) {
        let name = words.join(" ");
        if ["book", "lab", "lab train", "lab strength"].contains(&name.as_str()) {
            continue; // their subcommands do the work
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let help =
            String::from_utf8(nullwindow(&[&words[..], &["--help"]].concat(), "").stdout).unwrap();
        let lists = |option: &str| {
            help.lines()
                .any(|line| line.trim_start().starts_with(&format!("{option} ")))
        };
        assert!(!lists("--protocol"), "{help}");
        let listed = help.split("-h, --help").next().unwrap().lines();
        let is_shared = |option: &str| option == "game" || option == "option";
        let mut from_the_first_shared = listed
            .filter_map(|line| line.trim_start().strip_prefix("--")?.split(' ').next())
            .skip_while(|option| !is_shared(option));
        assert!(from_the_first_shared.all(is_shared), "{help}");
        for (option, value) in [
            ("--game", "othello"),
            ("--option", "Kernel=portable"),
            ("--option", "Hash=1"),
            ("--option", "MultiPV=2"),
        ] {
            let is_listed = lists(option)
                && (name == "tournament" || option == "--game" || {
                    let text: String = help.split("--option").skip(1).collect();
                    text.split("--")
                        .next()
                        .unwrap()
                        .contains(value.split('=').next().unwrap())
                });
            // `train odd-even` and `bench endgame` would compute for minutes.
            if is_listed
                && ["lab train odd-even", "bench endgame", "lab calibrate"].contains(&name.as_str())
            {
                continue;
            }
            let line = [&words[..], arguments(&name), &[option, value]].concat();
            let output = nullwindow(&line, "");
            let error = String::from_utf8(output.stderr).unwrap();
            let refused = error.contains("no effect on");
            assert_eq!(refused, !is_listed, "{line:?}: {error}\n{help}");
            assert!(
                !refused || output.status.code() == Some(2),
                "{line:?}: {error}"
            );
        }
    }
}

#[test]
fn invalid_values_exit_with_status_2_name_the_option_and_leave_no_file() {
    let folder = &Folder::new("nonsense").0;
    std::fs::write(folder.join("four.txt"), "d3\nc4\nf5\ne6\n").unwrap();
    std::fs::write(folder.join("empty.txt"), "# nothing\n").unwrap();
    let record = |games: &str| {
        let words = [
            "lab",
            "selfplay",
            "--out",
            "three.rec",
            "--depth",
            "1",
            "--games",
            games,
        ];
        command().args(words).current_dir(folder).output().unwrap()
    };
    assert!(record("3").status.success());
    let before = std::fs::read(folder.join("three.rec")).unwrap();
    let files = || std::fs::read_dir(folder).unwrap().count();
    let count = files();
    let engine = command().get_program().to_string_lossy().into_owned();
    let engine = format!("--engine cmd={engine} depth=1");
    let engines = format!("tournament --out new --game tictactoe {engine} name=a {engine} name=b");
    for (line, named) in [
        ("perft -1", "-1"),
        ("perft 1000", "[DEPTH]"),
        ("perft 2 --limit 5", "--limit"),
        ("reproduce 005", "no part \"005\""),
        (
            "lab train eval --out new four.txt",
            "four.txt: not a self-play file",
        ),
        ("perft --check nofile.txt", "nofile.txt"),
        ("solve four.txt --only 9", "--only 9"),
        ("solve four.txt --only 3-9", "--only 3-9"),
        ("solve four.txt --only 3-2", "--only"),
        ("solve --start --game tictactoe --only 1", "--only"),
        ("solve empty.txt", "empty.txt"),
        ("solve nofile.txt", "nofile.txt"),
        ("solve f5d6c3", "pipe it to standard input"),
        ("analyze f5 d6", "pipe it to standard input"),
        ("solve four.txt --threads 0", "--threads"),
        ("solve four.txt --limit-seconds nan", "--limit-seconds"),
        ("solve four.txt --resume no/such/file", "no/such/file"),
        ("openings --plies 100", "--plies 100"),
        ("openings --plies 60", "--plies 60"),
        ("openings --game tictactoe --plies 9", "--plies 9"),
        ("openings --plies 0", "--plies"),
        ("openings --count 0", "--count"),
        ("openings --depth 65", "--depth"),
        (
            "openings --game tictactoe --plies 1 --within 0 --depth 0",
            "--depth",
        ),
        (
            "lab selfplay --out three.rec --depth 1 --games 2",
            "--games 2",
        ),
        ("lab selfplay --out new --games 0", "--games"),
        ("lab selfplay --out new --threads 257", "--threads"),
        ("lab selfplay --out no/such/file", "--out no/such/file"),
        ("lab selfplay --out .", "--out ."),
        (
            "analyze four.txt --movetime 4294967296",
            "expected at most 4294967295",
        ),
        (
            "analyze four.txt --nodes 18446744073709551616",
            "expected at most 18446744073709551615",
        ),
        ("analyze four.txt --multipv 256", "expected at most 255"),
        (
            "analyze four.txt --multipv 1.5",
            "expected a whole number of 1 or more",
        ),
        (
            "solve four.txt --limit-seconds 1e30",
            "expected at most 1.8",
        ),
        ("lab selfplay --out -", "--out -: "),
        ("lab calibrate --out -", "--out -: "),
        ("convert four.txt --to pgn --out -", "--out -: "),
        ("prove --game tictactoe --out -", "--out -: "),
        ("analyze four.txt --depth 1 --html -", "--html -: "),
        ("analyze four.txt --depth 1 --resume -", "--resume -: "),
        ("book add - four.txt", "FILE -: "),
        ("problems --empties 4 --count 0", "--count"),
        ("problems --empties 3 --quiet", "--quiet"),
        ("compare --depth 65", "--depth"),
        ("compare --depth 2 --limit 0", "--limit"),
        ("compare --depth 2 --positions empty.txt", "empty.txt"),
        ("lab ablation --depth 65", "--depth"),
        ("lab ablation --count 0", "--count"),
        ("lab ablation --pairs 501", "--pairs"),
        ("lab ablation --nodes 5", "--pairs"),
        ("lab ablation --game tictactoe", "tictactoe"),
        ("explain --depth 2 --limit 0", "--limit"),
        (
            "explain --depth 2 --html no/such/file",
            "--html no/such/file",
        ),
        (
            "solve --report four.txt --svg no/such/file",
            "--svg no/such/file",
        ),
        ("convert four.txt --to gif", "--to"),
        ("convert empty.txt --to pgn", "empty.txt"),
        ("convert four.txt --to pgn --empties 20", "--empties"),
        ("convert four.txt --to pgn --plies 5-2", "--plies"),
        (
            "convert four.txt --to pgn --out no/such/file",
            "--out no/such/file",
        ),
        ("convert four.txt --to pgn --out four.txt", "--out four.txt"),
        ("convert four.txt --to wthor", "--out"),
        ("convert four.txt --to ggf --game diamond", "diamond"),
        ("convert four.txt --to obf --game scorefour", "scorefour"),
        ("reproduce 000 --seed 5", "--seed"),
        (
            "reproduce statcut --seed 18446744073709551615",
            "is not in 0..=4294967295",
        ),
        ("reproduce 000 --svg new.svg", "--svg"),
        ("reproduce statcut --svg no/such/file", "--svg no/such/file"),
        ("reproduce nothing", "000"),
        (
            "lab train eval three.rec --out three.rec",
            "--out three.rec",
        ),
        (
            "lab train eval three.rec --out no/such/file",
            "--out no/such/file",
        ),
        (
            "lab train eval three.rec --out new --plot no/such/file",
            "--plot no/such/file",
        ),
        ("lab train eval three.rec --out new --epochs 0", "--epochs"),
        ("lab train eval three.rec --out new --rate nan", "--rate"),
        ("lab train eval three.rec --out new --lambda 2", "--lambda"),
        ("lab train eval three.rec --out new --ridge=-1", "--ridge"),
        (
            "lab train eval three.rec --out new --game scorefour --seed 2",
            "--seed",
        ),
        ("lab train eval three.rec --out new --ridge 8", "--ridge"),
        (
            "lab train eval three.rec --out new --check empty.txt",
            "empty.txt: no position with a score",
        ),
        ("lab train judge empty.txt", "empty.txt"),
        (
            "lab train judge four.txt",
            "four.txt: no position with a score",
        ),
        ("lab train judge four.txt --depths 0", "--depths"),
        ("lab train judge four.txt --nodes 0", "--nodes"),
        ("lab train prob-cut --positions 0", "--positions"),
        (
            "lab train prob-cut --game scorefour --positions 1 --depth 6",
            "--positions 1: too few positions for a usable model",
        ),
        ("lab train odd-even --positions 0", "--positions"),
        ("lab train levels --positions 0", "--positions"),
        ("lab strength calibrate --out new --nodes 0", "--nodes"),
        ("lab strength calibrate --out new --levels 31", "--levels"),
        ("lab strength calibrate --out new --games 3", "--games 3"),
        ("lab calibrate --out no/such/file", "--out no/such/file"),
        ("lab calibrate --out new --games 0", "--games"),
        ("lab shard --identity --out new", "--out"),
        ("lab shard nofile.json --out new", "nofile.json"),
        ("tournament --stats 1 2 3 --rounds 5", "--rounds"),
        ("tournament --stats 1 2 3 --game othello", "--game"),
        ("tournament --stats 1 2 3 --report new", "--report"),
        ("tournament --report new --strict", "--strict"),
        ("tournament --resume new --exact 10", "--exact"),
        ("tournament --compliance x --rounds 2", "--rounds"),
        (&format!("{engines} --rounds 0"), "--rounds"),
        (&format!("{engines} --concurrency 0"), "--concurrency"),
        (
            &format!("{engines} --concurrency 99999999"),
            "--concurrency",
        ),
        (&format!("{engines} --seeds 2"), "--seeds"),
        (
            &format!("{engines} --sprt elo0=a"),
            "not a number; expected KEY=VALUE with the keys elo0, elo1, alpha, beta, model",
        ),
        (
            &format!("{engines} --pgnout games.pgn"),
            "--pgnout: unexpected argument 'games.pgn' found; expected KEY=VALUE with the keys file",
        ),
        (&format!("{engines} --exact 5"), "--exact"),
        (&format!("{engines} --explain"), "--explain"),
        (&format!("{engines} --stall-timeout nan"), "--stall-timeout"),
        (&format!("{engines} --openings plies=100"), "plies"),
        (
            &format!("{engines} --openings startpos order=random"),
            "startpos",
        ),
        (
            &format!("{engines} --openings file=nofile.txt"),
            "nofile.txt",
        ),
        (
            &format!("{engines} --openings file=a1b1"),
            "pipe it to standard input",
        ),
        (&format!("{engines} --each depth=0"), "depth"),
        (&format!("{engines} --each depth=1000"), "depth"),
        (&format!("{engines} --each nodes=0"), "nodes"),
    ] {
        let output = command()
            .args(line.split(' '))
            .current_dir(folder)
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}: {error}");
        assert!(error.contains(named), "{line}: {error}");
        assert!(
            output.stdout.is_empty(),
            "{line}: {}",
            String::from_utf8_lossy(&output.stdout)
        );
        assert_eq!(files(), count, "{line} leaves a file");
    }
    assert_eq!(std::fs::read(folder.join("three.rec")).unwrap(), before);
}

#[test]
fn options_of_engines_are_described_where_they_have_an_effect() {
    let (_, help, _) = run("tournament --help");
    let words: Vec<&str> = help.split_whitespace().collect();
    let all = "Set an option of all engines, as --each option.NAME=VALUE does";
    assert!(words.join(" ").contains(all), "{help}");
    let (status, _, error) = run("tournament --option Level=3");
    assert_eq!(status, Some(2));
    let hint = "set those of other programs by --each option.NAME=VALUE";
    assert!(
        error.contains("unknown option \"Level\"") && error.contains(hint),
        "{error}"
    );
    for group in ["book", "lab", "lab train", "lab strength"] {
        let (_, help, _) = run(&format!("{group} --help"));
        assert!(
            !help.contains("--option") && !help.contains("--game"),
            "{help}"
        );
    }
}

#[test]
fn a_position_with_many_empties_prints_one_warning() {
    let folder = &Folder::new("years").0;
    let solved = |line: &str| {
        let mut child = command()
            .args(line.split(' '))
            .current_dir(folder)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut errors = child.stderr.take().unwrap();
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            let count = errors.read(&mut bytes).unwrap_or(0);
            String::from_utf8_lossy(&bytes[..count]).into_owned()
        });
        let begun = std::time::Instant::now();
        while !reader.is_finished() && begun.elapsed() < PATIENCE {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let _ = child.kill();
        let _ = child.wait();
        reader.join().unwrap()
    };
    let warning = solved("solve --position f5d6c3d3c4f4c5b3c2");
    assert!(
        warning.starts_with("warning: the position has 51 empties: solving 37 or more"),
        "{warning}"
    );
    std::fs::write(folder.join("late.txt"), "f5d6c3d3c4f4c5b3c2\nf5d6\n").unwrap();
    let warning = solved("solve late.txt");
    assert!(
        warning.starts_with("warning: line 1 has 51 empties"),
        "{warning}"
    );
    assert_eq!(warning.matches("warning").count(), 1, "{warning}");
    let warning = solved("prove --position f5d6 --at-least 64 --out proof");
    // `prove` has no option that limits the time.
    assert_eq!(
        warning.trim_end(),
        "warning: the position has 58 empties: solving 37 or more may take years"
    );
    // A finished position is not searched, in any game.
    for line in [
        "solve --game scorefour --position d4d3d4d3d4d3d4",
        "solve --position 8/8/8/3xx3/3xx3/8/8/8\u{a0}o",
    ] {
        let words: Vec<String> = line
            .split(' ')
            .map(|word| word.replace('\u{a0}', " "))
            .collect();
        let output = command().args(words).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{line}: {errors}");
        assert!(!errors.contains("years"), "{line}: {errors}");
    }
    // With a limit it ends in time and prints no warning.
    let limited = solved("solve late.txt --limit-seconds 0.01");
    assert!(!limited.contains("warning"), "{limited}");
}

/// What a command draws on a terminal, until `awaited` is there or it has ended; `None` where there
/// is no `script` to make a terminal.
fn drawn(line: &str, awaited: &str, folder: &std::path::Path) -> Option<String> {
    let engine = command().get_program().to_string_lossy().into_owned();
    let mut script = Command::new("script");
    // The terminal's end ends the command; the limit is for commands that ignore it.
    script
        .args([
            "-qfec",
            &format!("timeout 60 '{engine}' {line}"),
            "/dev/null",
        ])
        .current_dir(folder);
    let mut child = script
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut output = child.stdout.take().unwrap();
    let (mut text, mut bytes) = (String::new(), [0; 4096]);
    while let Ok(count) = output.read(&mut bytes)
        && count > 0
    {
        text += &String::from_utf8_lossy(&bytes[..count]);
        if text.contains(awaited) {
            break;
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    Some(text)
}

#[test]
fn every_command_shows_progress_on_a_terminal() {
    if !cfg!(target_os = "linux") {
        return skip("script has other options on this system");
    }
    let folder = &Folder::new("terminal").0;
    let engine = command().get_program().to_string_lossy().into_owned();
    let positions = nullwindow(
        &["problems", "--empties", "24", "--count", "1", "--unsolved"],
        "",
    );
    std::fs::write(folder.join("24.obf"), positions.stdout).unwrap();
    let shard = nullwindow(&["lab", "shard", "--identity"], "");
    let shard = String::from_utf8(shard.stdout)
        .unwrap()
        .trim()
        .trim_end_matches('}')
        .to_owned()
        + r#","job":{"selfplay":{"first":0,"count":100000,"depth":6}}}"#;
    std::fs::write(folder.join("shard.json"), shard).unwrap();
    let played = format!(
        "tournament --engine 'cmd={engine}' name=a --engine 'cmd={engine}' name=b --each st=20 --out match"
    );
    let clock = "00:00:0";
    for (line, awaited) in [
        ("perft 14", clock),
        ("compare --depth 20", clock),
        ("lab ablation --depth 20", clock),
        ("reproduce", clock),
        ("reproduce statcut", clock),
        ("explain --depth 20 --limit 1000000000 --json", clock),
        ("problems --empties 24 --count 9", clock),
        ("openings --plies 20 --depth 20", clock),
        ("lab selfplay --out games --games 1000000", clock),
        ("solve 24.obf", "depth 24, "),
        ("bench endgame", clock),
        ("bench board", clock),
        ("bench multipv", clock),
        ("lab train prob-cut", clock),
        ("lab train odd-even", clock),
        ("lab train levels", clock),
        ("lab strength calibrate --out strength", clock),
        ("lab calibrate --out calibrated", clock),
        ("lab shard shard.json --out shard.jsonl", clock),
        (&played, clock),
    ] {
        let Some(text) = drawn(line, awaited, folder) else {
            return skip("no script to make a terminal");
        };
        assert!(text.contains(awaited), "{line} drew {text:?}");
    }
    // What is written in between stays whole, and the line disappears at the end.
    let text = drawn("perft 3", "never", folder).unwrap();
    assert!(
        text.contains("perft 3 total 56") && !text.contains("00:00"),
        "{text:?}"
    );
    // Nothing is drawn elsewhere.
    let output = nullwindow(&["perft", "8"], "");
    assert_eq!(
        (output.stdout.as_slice(), output.stderr.as_slice()),
        (&b"perft 8 total 390216\n"[..], &b""[..])
    );
}

#[test]
fn the_help_of_the_match_runner_explains_every_warning() {
    let help = run("tournament --help").1;
    for fault in ReportFault::value_variants() {
        let listed = help
            .lines()
            .any(|line| line.trim_start().starts_with(&fault.to_string()));
        assert!(
            listed && help.contains(&fault.explanation()),
            "{fault}: {help}"
        );
    }
}

/// Whether a character could control a terminal: tabs and ends of lines are the program's own.
fn controls_terminals(c: char) -> bool {
    !matches!(c, '\n' | '\t') && nullwindow::game::is_unprintable(c)
}

#[test]
fn control_characters_of_files_and_arguments_are_escaped() {
    let folder = &Folder::new("hostile").0;
    let evil = "\u{1b}[31m\u{7}\u{7f}\u{9b}2J\u{202e}\u{2066}\u{200f}\u{61c}\r";
    let moves = ["a1", "b1", "a2", "b2"].map(|word| serde_json::json!({ "move": word }));
    let game = serde_json::json!({
        "game": 1, "variant": "tictactoe", "p1": evil, "p2": evil, "event": evil, "site": evil,
        "reason": evil, "result": "p1win",
        "moves": moves,
    });
    std::fs::write(folder.join("game.jsonl"), format!("{game}\n")).unwrap();
    std::fs::write(folder.join("evil.txt"), format!("{evil}\n")).unwrap();
    let name = "evil\u{1b}[31m\u{202e}\u{9b}.txt";
    std::fs::write(folder.join(name), format!("{evil}\n")).unwrap();
    let missing = "no\u{1b}]0;title\u{7}\u{2067}";
    let ttt = ["--game", "tictactoe"];
    let mut cases: Vec<Vec<&str>> = vec![
        vec!["analyze", "game.jsonl"],
        vec!["analyze", "game.jsonl", "--json"],
        vec!["convert", "game.jsonl", "--to", "jsonl"],
        vec!["convert", "game.jsonl", "--to", "pgn"],
        vec!["convert", "game.jsonl", "--to", "transcript"],
        vec!["solve", "--position", evil],
        vec!["tournament", "--engine", evil, "--engine", missing],
        vec!["openings", evil],
        vec![missing],
        vec!["--option", missing],
        vec!["--option", "EvalFile=no\u{1b}[31m\u{202e}"],
        vec!["solve", "game.jsonl", "--resume", missing, missing],
        vec!["perft", "--check", missing],
        vec!["solve", "--report", missing],
        vec!["lab", "shard", missing, "--out", "out"],
        vec!["prove", "--position", missing, "--out", missing],
        vec!["explain", "--position", missing],
    ];
    for file in ["evil.txt", name, missing] {
        cases.extend(
            [
                ["analyze", file, "--json"],
                ["convert", file, "--to=pgn"],
                ["solve", file, "--json"],
            ]
            .map(|words| words.to_vec()),
        );
        cases.push(vec!["solve", file]);
        cases.push(vec!["analyze", file]);
        cases.push(vec!["solve", "--report", file]);
        cases.push(vec!["compare", file]);
    }
    for words in cases {
        let mut run = command();
        run.current_dir(folder).args(&words).stdin(Stdio::null());
        if words.contains(&"game.jsonl") {
            run.args(ttt);
        }
        let output = run.env("RUST_LOG", "debug").output().unwrap();
        for stream in [&output.stdout, &output.stderr] {
            let text = String::from_utf8(stream.clone()).unwrap();
            assert!(!text.contains(controls_terminals), "{words:?}: {text:?}");
        }
        assert!(
            !(output.stdout.is_empty() && output.stderr.is_empty()),
            "{words:?}"
        );
    }
}

/// Notes and errors about lines are lost; the job is not.
#[test]
fn a_closed_standard_error_does_not_end_a_job() {
    for (line, result) in [
        ("solve - --game tictactoe", "total: 1 position"),
        ("convert - --game tictactoe --to transcript", "a1b2"),
        (
            "analyze - --game tictactoe --depth 2 --json",
            "{\"games\":1,\"errors\":1",
        ),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut child = command()
            .args(line.split(' '))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(writer)
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        // The process may be over.
        let _ = std::io::Write::write_all(&mut input, b"garbage\na1 b2\n");
        drop(input);
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let last = text.lines().last().unwrap_or_default();
        assert!(last.starts_with(result), "{line}: {text}");
        assert_eq!(output.status.code(), Some(1), "{line}: {text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_without_memory_ends_with_one_error() {
    let engine = command().get_program().to_string_lossy().into_owned();
    for (kibibytes, words, status) in [
        (60_000, "--option Hash=1", Some(2)),
        (60_000, "bench endgame --option Hash=1", Some(2)),
        (400_000, "solve --hash 2000 --position f5", Some(2)),
        (
            400_000,
            "prove --option Hash=2000 --position f5 --out p",
            Some(2),
        ),
        (250_000, "", None),
        (300_000, "", None),
        // The size of the table has no effect, or is that of the user.
        (250_000, "tournament --stats 50 40 5", Some(0)),
        (250_000, "perft 3", Some(0)),
        (250_000, "reproduce 004", Some(0)),
        (250_000, "solve --game tictactoe --hash 8", Some(0)),
    ] {
        let script = format!("ulimit -v {kibibytes}; exec '{engine}' {words}");
        let mut child = Command::new("sh")
            .args(["-c", &script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The process may be over.
        let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"go depth 1\n");
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        let count = errors.matches("error: ").count();
        match status {
            Some(0) => {
                assert_eq!(output.status.code(), status, "{script}: {errors}");
                assert_eq!(errors, "", "{script}");
            }
            Some(_) => {
                assert_eq!(output.status.code(), status, "{script}: {errors}");
                assert!(count == 1 && errors.contains(" MiB"), "{script}: {errors}");
            }
            // With the default size, a smaller table or an error: never an abort.
            None => assert!(
                matches!(output.status.code(), Some(0 | 2))
                    && count >= 1
                    && !errors.contains("--option"),
                "{script}: {errors}"
            ),
        }
    }
}
