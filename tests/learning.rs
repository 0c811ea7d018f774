//! The trained evaluations and their training: incremental pattern indices on every instruction
//! set, symmetry, weight files (option `EvalFile`), resumed self-play, and complete fits.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::with_isa::with_isa;
use crate::common::{Engine, command};
use nullwindow::game::Game;
use nullwindow::game::rng::Rng;
use nullwindow::games::reversi::Othello;
use nullwindow::games::reversi::eval::OthelloEvaluator;
use nullwindow::games::reversi::eval::indices::Indices;
use nullwindow::search::core::isa::Isa;
use nullwindow::search::core::policy::Evaluate;

/// An empty folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs a command of the binary, which must succeed; returns its output.
fn run(folder: &Path, line: &str) -> String {
    let output = command()
        .current_dir(folder)
        .args(line.split(' '))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{line}: {text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

/// A random game with incrementally updated pattern indices and values, compared with those from
/// scratch.
#[inline(always)]
fn random_game(learnt: &OthelloEvaluator, seed: u64) -> u32 {
    let mut rng = Rng::new(seed);
    let mut position = Othello::start();
    let mut data = learnt.fresh(&position);
    let mut plies = 0;
    while let Some(&m) = rng.choose(&position.moves()) {
        let next = position.play(m);
        data = learnt.update(&position, data, m, &next);
        position = next;
        assert_eq!(
            data.own,
            Indices::fresh(&position).own,
            "after {m:?}: {position:x?}"
        );
        assert_eq!(learnt.score(&position, data), learnt.evaluate(&position));
        plies += 1;
    }
    plies
}

#[test]
fn incremental_indices_equal_those_from_scratch_on_every_instruction_set() {
    for choice in crate::common::instruction_sets() {
        for seed in 0..30 {
            let learnt = OthelloEvaluator::default();
            let plies =
                with_isa!(choice, isa => isa.call(#[inline(always)] || random_game(&learnt, seed)));
            assert!(plies > 20);
        }
    }
}

#[test]
fn symmetric_positions_have_equal_values() {
    let learnt = OthelloEvaluator::default();
    let mut rng = Rng::new(9);
    for _ in 0..20 {
        let mut position = Othello::start();
        while let Some(&m) = rng.choose(&position.moves()) {
            for symmetry in 1..Othello::SYMMETRIES {
                assert_eq!(
                    learnt.discs(&position),
                    learnt.discs(&position.image(symmetry))
                );
            }
            position = position.play(m);
        }
    }
}

#[test]
fn othello_self_play_is_resumed_and_the_network_is_fitted() {
    let folder = folder("learning");
    run(
        &folder,
        "lab selfplay --mobility --out whole --games 40 --depth 1 --threads 3",
    );
    run(
        &folder,
        "lab selfplay --mobility --out parts --games 15 --depth 1",
    );
    // A partly written game, as after a crash.
    let mut truncated = fs::read(folder.join("parts")).unwrap();
    truncated.extend([0; 7]);
    fs::write(folder.join("parts"), truncated).unwrap();
    run(
        &folder,
        "lab selfplay --mobility --out parts --games 40 --depth 1",
    );
    assert!(fs::read(folder.join("whole")).unwrap() == fs::read(folder.join("parts")).unwrap());

    let line = "lab selfplay --mobility --out parts --games 50 --depth 2";
    let other = command()
        .current_dir(&folder)
        .args(line.split(' '))
        .output()
        .unwrap();
    assert_eq!(
        other.status.code(),
        Some(2),
        "a file of another depth is not resumed"
    );
    assert!(fs::read(folder.join("whole")).unwrap() == fs::read(folder.join("parts")).unwrap());

    let text = run(&folder, "lab train mobility whole parts");
    let count = text
        .strip_prefix("all terms: ")
        .and_then(|rest| rest.split(' ').next()?.parse::<u32>().ok());
    assert!(
        count.is_some_and(|count| (40..=160).contains(&count)),
        "{text}"
    );
    assert!(
        text.lines().count() == 20 && text.contains("\nwithout stable edge discs: "),
        "{text}"
    );

    let text = run(
        &folder,
        "lab train eval --epochs 2 --out weights --plot errors.svg whole",
    );
    assert!(text.contains(" held out; "), "{text}");
    assert!(
        fs::read_to_string(folder.join("errors.svg"))
            .unwrap()
            .contains("</svg>")
    );
    run(
        &folder,
        "lab selfplay --mobility --out few --games 2 --depth 1",
    );
    let text = run(&folder, "lab train eval --epochs 1 --out of-few few");
    assert!(
        text.contains(" training positions, none held out"),
        "{text}"
    );
    let epoch = text.lines().find(|line| line.starts_with("    1 "));
    assert!(
        epoch.is_some_and(|line| line[5..].chars().all(|c| " -".contains(c))),
        "{text}"
    );
    let position = "position startpos moves f5 d6 c3 d3 c4\neval\ngo depth 2\n";
    let file = folder.join("weights").display().to_string();
    let (lines, status) = crate::common::converse(
        &["--option", &format!("EvalFile={file}")],
        position.as_bytes(),
    );
    assert!(
        status.success() && lines.iter().any(|line| line.starts_with("bestmove")),
        "{lines:?}"
    );
    assert!(
        lines.iter().any(|line| line.starts_with("bias (ply 5)")),
        "{lines:?}"
    );
}

#[test]
fn a_fit_continues_from_given_weights() {
    let folder = folder("learning-start");
    run(
        &folder,
        "lab selfplay --mobility --out games --games 300 --depth 1",
    );
    run(&folder, "lab train eval --epochs 1 --out first games");
    // At rate 0 the weights do not change, unused rows included.
    run(
        &folder,
        "lab train eval --epochs 1 --rate 0 --start first --out same games",
    );
    assert!(fs::read(folder.join("first")).unwrap() == fs::read(folder.join("same")).unwrap());
    let size = |least: u32| {
        let line =
            format!("lab train eval --epochs 1 --min-occurrences {least} --out pruned games");
        run(&folder, &line);
        fs::metadata(folder.join("pruned")).unwrap().len()
    };
    let sizes = [1, 5, u32::MAX].map(size);
    assert!(sizes[0] > sizes[1] && sizes[1] > sizes[2], "{sizes:?}");
    assert_eq!(fs::metadata(folder.join("first")).unwrap().len(), sizes[0]);
    let error_after_one = |words: &str| {
        let text = run(
            &folder,
            &format!("lab train eval --epochs 1 --rate 0.0002 {words} --out next games"),
        );
        let line = text
            .lines()
            .find(|line| line.trim_start().starts_with("1 "))
            .unwrap();
        line.split_whitespace()
            .last()
            .unwrap()
            .parse::<f64>()
            .unwrap()
    };
    let (fresh, resumed) = (
        error_after_one("--seed 1"),
        error_after_one("--start first"),
    );
    assert!(resumed < fresh, "{resumed} going on, {fresh} from nothing");

    for (words, reason) in [
        ("--start games", "not an Othello weight file of nullwindow"),
        ("--start none", "--start none"),
        (
            "--game scorefour --start first",
            "--start applies to othello only",
        ),
    ] {
        let line = format!("lab train eval {words} --out bad games");
        let output = command()
            .current_dir(&folder)
            .args(line.split(' '))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains(reason),
            "{words}: {output:?}"
        );
        assert!(!folder.join("bad").exists());
    }
}

#[test]
fn score_four_self_play_is_resumed_and_the_evaluation_is_fitted() {
    let folder = folder("learning-scorefour");
    let plain = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/games/score_four/eval/plain.txt"
    );
    let play = |out: &str, games: u32| {
        run(
            &folder,
            &format!(
                "lab selfplay --game scorefour --out {out} --games {games} --depth 1 --option EvalFile={plain}"
            ),
        )
    };
    play("whole", 150);
    play("parts", 40);
    play("parts", 150);
    assert!(fs::read(folder.join("whole")).unwrap() == fs::read(folder.join("parts")).unwrap());
    let other = command()
        .current_dir(&folder)
        .args(["lab", "train", "eval", "--out", "none", "whole"])
        .output()
        .unwrap();
    assert!(
        !other.status.success() && String::from_utf8_lossy(&other.stderr).contains("not of game"),
        "{other:?}"
    );

    let text = run(
        &folder,
        "lab train eval --game scorefour --epochs 2 --ridge 20 --out learnt whole",
    );
    let losses = |line: &str| {
        line.split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect::<Vec<f64>>()
    };
    let last = text
        .lines()
        .rfind(|line| line.starts_with("   2"))
        .map(losses)
        .unwrap();
    assert!(last[1] < 0.65, "the loss decreases: {text}");
    let text = run(
        &folder,
        "lab train eval --game scorefour --epochs 2 --ridge 0 --out unregularized whole",
    );
    let weights = fs::read_to_string(folder.join("unregularized")).unwrap();
    assert!(
        !text.contains("NaN") && weights.contains("\nline "),
        "{text}"
    );

    let value = |file: &str| {
        let position = "position startpos moves b2 b2 c3 c3 b3\neval\n";
        let (lines, status) = crate::common::converse(
            &[
                "--game",
                "scorefour",
                "--option",
                &format!("EvalFile={file}"),
            ],
            position.as_bytes(),
        );
        assert!(status.success(), "{lines:?}");
        lines
            .into_iter()
            .find(|line| line.starts_with("eval score"))
            .unwrap()
    };
    let learnt = folder.join("learnt").display().to_string();
    assert!(value(plain) != value("built-in") && value(&learnt) != value("built-in"));
    let built_in = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/games/score_four/eval/weights.txt"
    );
    assert_eq!(value(built_in), value("built-in"));

    fs::write(
        folder.join("bad"),
        "title: Score Four weights\nline 1 2 3\n",
    )
    .unwrap();
    let mut engine = Engine::start(&["--game", "scorefour"]);
    let before = engine.ask("eval", "eval score");
    let error = engine.ask(
        &format!(
            "setoption name EvalFile value {}",
            folder.join("bad").display()
        ),
        "info string error",
    );
    assert!(
        error.contains("line 2: invalid row \"line 1 2 3\""),
        "{error}"
    );
    assert_eq!(engine.ask("eval", "eval score"), before);
}

#[test]
fn an_invalid_weight_file_is_rejected_and_the_old_weights_stay() {
    let folder = folder("eval-file");
    let good = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/games/reversi/eval/weights.bin"
    );
    let mut bytes = fs::read(good).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(folder.join("damaged"), &bytes).unwrap();
    fs::write(folder.join("short"), &bytes[..middle]).unwrap();
    fs::write(folder.join("foreign"), "not at all").unwrap();
    bytes[middle] ^= 1;
    bytes[10] = 1;
    fs::write(folder.join("other-kind"), &bytes).unwrap();

    let mut engine = Engine::start(&[]);
    engine.send("position startpos moves f5 d6");
    let before = engine.ask("eval", "eval score");
    for (name, expected) in [
        ("damaged", "corrupt file: checksum"),
        ("short", "bytes after the header"),
        ("other-kind", "unknown kind of weights"),
        ("foreign", "not an Othello weight file"),
        ("missing", "os error 2"),
    ] {
        let file = folder.join(name).display().to_string();
        let error = engine.ask(
            &format!("setoption name EvalFile value {file}"),
            "info string error",
        );
        assert!(
            error.contains("EvalFile") && error.contains(expected),
            "{error}"
        );
        assert_eq!(engine.ask("eval", "eval score"), before);
    }
    for value in [good, "built-in"] {
        engine.send(&format!("setoption name EvalFile value {value}"));
        assert_eq!(engine.ask("eval", "eval score"), before);
    }
}
