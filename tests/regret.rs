//! `nullwindow lab regret`: scores and losses compared with an oracle, resumed runs, wrong files. Also,
//! in every game: limits that a node budget makes irrelevant do not reduce the depth.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::common::{nullwindow, oracle};
use nullwindow::game::Game;
use nullwindow::game::rng::Rng;
use nullwindow::game::score::Window;
use nullwindow::games::any::{AnyGame, NAMES, by_name};
use nullwindow::games::dispatch::{AnyEvaluator, think};
use nullwindow::search::stop::SearchControl;
use nullwindow::search::table::{Draft, Table};
use nullwindow::search::textbook::{TextbookContext, fail_soft};
use nullwindow::search::{Answer, Certainty, Clock, Goal, Limits, Observer, Settings};
use serde_json::Value;

/// The files of a test: the solved positions and the record.
struct Files {
    solved: PathBuf,
    out: PathBuf,
}

impl Files {
    fn new(name: &str) -> Files {
        let file = |kind| {
            let name = format!("regret-{}-{name}-{kind}", std::process::id());
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
        };
        Files {
            solved: file("solved"),
            out: file("out"),
        }
    }

    /// Exit status, standard output and standard error.
    fn run(&self, words: &str) -> (Option<i32>, String, String) {
        let [solved, out] = [&self.solved, &self.out].map(|file| file.display().to_string());
        let words: Vec<&str> = words.split_whitespace().collect();
        let output = nullwindow(
            &[
                &["lab", "regret", "--solved", &solved, "--out", &out],
                &words[..],
            ]
            .concat(),
            "",
        );
        let [text, errors] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (output.status.code(), text, errors)
    }

    /// The table. Its checks may fail: the engine is not what is tested.
    fn table(&self, words: &str) -> String {
        let (status, text, errors) = self.run(words);
        assert!(
            matches!(status, Some(0 | 1)) && !text.contains("interrupted"),
            "{text}{errors}"
        );
        assert_eq!(
            status == Some(1),
            text.contains("worse\n") || text.contains("\"worse\":true"),
            "{text}"
        );
        text
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.solved);
        let _ = fs::remove_file(&self.out);
    }
}

/// The lines of a JSON file except its conditions.
fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .skip(1)
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn objects(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What each legal move of a position loses in discs, by the oracle.
fn losses(game: &str, position: &str) -> BTreeMap<String, i32> {
    let mut board = by_name(game).unwrap();
    board.set_position(position).unwrap();
    let score = |m| {
        let mut next = board.clone();
        next.play(m).unwrap();
        let value = oracle::value(&next).0 / 100;
        if next.to_move() == board.to_move() {
            value
        } else {
            -value
        }
    };
    let scores: Vec<(String, i32)> = board
        .moves()
        .iter()
        .map(|&m| (board.write_move(m), score(m)))
        .collect();
    let best = scores.iter().map(|&(_, score)| score).max().unwrap();
    scores
        .into_iter()
        .map(|(word, score)| (word, best - score))
        .collect()
}

#[test]
fn scores_and_losses_are_those_of_an_oracle() {
    for (game, empties, count) in [
        ("othello", "6-8", 12),
        ("diamond", "7-8", 10),
        ("othello6", "8", 8),
    ] {
        let files = Files::new(game);
        let text = files.table(&format!(
            "--game {game} --empties {empties} --positions {count} --nodes 20,60,200,20000 --seed 7 --threads 2 --json"
        ));
        let solved = lines(&files.solved);
        let mut seen = HashSet::new();
        for line in &solved {
            let position = line["position"].as_str().unwrap();
            let losses = losses(game, position);
            assert!(losses.len() > 1, "{position}");
            let scores = line["scores"].as_object().unwrap();
            let best = scores
                .values()
                .map(|score| score.as_i64().unwrap())
                .max()
                .unwrap();
            let found = scores
                .iter()
                .map(|(word, score)| (word.clone(), (best - score.as_i64().unwrap()) as i32));
            assert_eq!(found.collect::<BTreeMap<_, _>>(), losses, "{position}");
            let mut board = by_name(game).unwrap();
            board.set_position(position).unwrap();
            assert_eq!(i64::from(oracle::value(&board).0 / 100), best, "{position}");
            assert_eq!(line["empties"], board.plies_left());
            assert!(
                seen.insert(board.position().canonical().packed()),
                "{position} twice"
            );
        }
        let by_position: BTreeMap<&str, u64> = solved
            .iter()
            .map(|line| {
                (
                    line["position"].as_str().unwrap(),
                    line["empties"].as_u64().unwrap(),
                )
            })
            .collect();
        let numbers: HashSet<u64> = by_position.values().copied().collect();
        assert_eq!(solved.len(), count * numbers.len());

        // The mean losses of each cell, and those of all positions.
        let mut cells: BTreeMap<(Option<u64>, u64), Vec<[f64; 2]>> = BTreeMap::new();
        for line in lines(&files.out) {
            let position = line["position"].as_str().unwrap();
            let losses = losses(game, position);
            let pair = ["engine", "plain"]
                .map(|side| f64::from(losses[line[side]["move"].as_str().unwrap()]));
            let nodes = line["nodes"].as_u64().unwrap();
            for empties in [Some(by_position[position]), None] {
                cells.entry((empties, nodes)).or_default().push(pair);
            }
        }
        let rows = objects(&text);
        assert_eq!(rows.len(), cells.len() + 1);
        let mut sums = [0.0; 2];
        for (&(empties, nodes), losses) in &cells {
            let same = |row: &&Value| {
                row["empties"].as_u64() == empties && row["nodes"].as_u64() == Some(nodes)
            };
            let row = rows.iter().find(same).unwrap();
            for (side, name) in ["loss", "plain"].into_iter().enumerate() {
                let mean = losses.iter().map(|pair| pair[side]).sum::<f64>() / losses.len() as f64;
                assert!(
                    (row[name].as_f64().unwrap() - mean).abs() < 1e-9,
                    "{row}: {mean}"
                );
                // 20,000 nodes solve these positions.
                assert!(nodes < 20_000 || mean == 0.0, "{row}");
                sums[side] += if empties.is_none() { mean / 4.0 } else { 0.0 };
            }
            assert_eq!(row["positions"], losses.len());
        }
        assert!(sums[1] > 0.0, "plain deepening loses nothing with 20 nodes");
        let all = rows.last().unwrap();
        assert_eq!(
            (&all["empties"], &all["nodes"], &all["worse"]),
            (&Value::Null, &Value::Null, &Value::Null)
        );
        for (side, name) in ["loss", "plain"].into_iter().enumerate() {
            assert!(
                (all[name].as_f64().unwrap() - sums[side]).abs() < 1e-9,
                "{all}: {sums:?}"
            );
        }
    }
}

#[test]
fn a_run_resumes_and_its_table_does_not_depend_on_that() {
    let (whole, parts) = (Files::new("whole"), Files::new("parts"));
    let words = "--empties 9-10 --nodes 100,1000 --seed 3";
    let at_once = whole.table(&format!("{words} --positions 4 --threads 2"));
    assert_eq!(at_once.lines().count(), 1 + 4 + 2 + 1, "{at_once}");

    let first = parts.table("--empties 9 --nodes 1000 --seed 3 --positions 2");
    assert!(
        first
            .lines()
            .nth(1)
            .unwrap()
            .starts_with("      9     1000         2 "),
        "{first}"
    );
    let mut begun = Vec::new();
    for file in [&parts.solved, &parts.out] {
        let text = fs::read_to_string(file).unwrap();
        // as a crash leaves it
        fs::write(file, text.clone() + &text.lines().last().unwrap()[..20]).unwrap();
        begun.push(text);
    }
    assert_eq!(parts.table(&format!("{words} --positions 4")), at_once);
    for (file, text) in [&parts.solved, &parts.out].into_iter().zip(begun) {
        assert!(fs::read_to_string(file).unwrap().starts_with(&text));
    }
    let sorted = |file: &Path| {
        let mut lines: Vec<String> = lines(file).iter().map(Value::to_string).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&whole.out).len(), 2 * 2 * 4);
    assert_eq!(
        parts.table(&format!("{words} --positions 4 --threads 2")),
        at_once,
        "all is there"
    );

    for (words, error) in [
        (
            "--empties 9 --seed 4",
            "the record has the conditions seed 3 (expected 4):",
        ),
        (
            "--empties 9 --seed 3 --with depth",
            "the record has the conditions with default (expected [\"depth\"])",
        ),
        (
            "--empties 9 --seed 3 --option Selectivity=100",
            "the record has the conditions option Selectivity default (expected 100)",
        ),
        (
            "--empties 9 --seed 3 --game othello6",
            "the record has the conditions game othello (expected othello6)",
        ),
    ] {
        let solved = fs::metadata(&whole.solved).unwrap().len();
        let (status, _, errors) = whole.run(words);
        assert_eq!(status, Some(2), "{words}: {errors}");
        assert!(errors.contains(error), "{words}: {errors}");
        assert_eq!(
            fs::metadata(&whole.solved).unwrap().len(),
            solved,
            "{words}: before the work"
        );
    }
}

#[test]
fn plain_deepening_plays_a_best_move_of_its_last_full_width_search() {
    let files = Files::new("plain");
    files.table("--empties 15-16 --positions 8 --nodes 10,100,400,1500");
    let (evaluator, control) = (AnyEvaluator::default(), SearchControl::default());
    let mut cx = TextbookContext::new(&evaluator, None, &control);
    let mut depths = BTreeMap::new();
    for line in lines(&files.out) {
        let text = line["position"].as_str().unwrap();
        let mut board = by_name("othello").unwrap();
        board.set_position(text).unwrap();
        let (position, plain) = (board.position(), &line["plain"]);
        let depth = plain["depth"].as_u64().unwrap() as u8;
        depths
            .entry(line["nodes"].as_u64().unwrap())
            .or_insert_with(Vec::new)
            .push(depth);
        if depth > 0 {
            let mut score =
                |m| -fail_soft(&mut cx, &position.play(m), depth - 1, 1, Window::FULL).unwrap();
            let chosen = score(board.parse_move(plain["move"].as_str().unwrap()).unwrap());
            let best = board.moves().iter().map(|&m| score(m)).max().unwrap();
            assert_eq!(chosen, best, "{line}");
        }
    }
    let sums: Vec<u32> = depths
        .values()
        .map(|depths| depths.iter().map(|&depth| u32::from(depth)).sum())
        .collect();
    assert!(sums.windows(2).all(|pair| pair[0] < pair[1]), "{depths:?}");
}

#[test]
fn the_engine_is_measured_with_its_options_and_further_limits() {
    let files = Files::new("options");
    let words = "--empties 12 --positions 10 --nodes 2000";
    let moves = |words: &str| {
        fs::remove_file(&files.out).ok();
        files.table(words);
        let mut found: Vec<String> = lines(&files.out)
            .iter()
            .map(|line| line["engine"].to_string())
            .collect();
        found.sort();
        found
    };
    let default = moves(words);
    assert_eq!(default.len(), 10);
    assert_eq!(moves(words), default);
    assert_ne!(
        moves(&format!("{words} --option Algorithm=alphabeta")),
        default
    );
    let exact = moves(&format!("{words} --with exact,clock --option Hash=1"));
    assert_eq!(exact.len(), 10);
}

#[test]
fn a_small_board_has_fewer_positions() {
    let files = Files::new("small");
    // One first move up to symmetry, and three replies.
    let text = files.table("--game othello4 --empties 10-11 --positions 500 --nodes 300");
    let counts: Vec<&str> = text
        .lines()
        .skip(1)
        .map(|row| row.split_whitespace().nth(2).unwrap())
        .collect();
    assert_eq!(counts, ["3", "1", "4", "4"], "{text}");
}

#[test]
fn arguments_that_cannot_be_measured_are_refused() {
    let files = Files::new("refused");
    for (words, error) in [
        ("--game scorefour", "regret does not support scorefour"),
        ("--option Threads=2", "use --threads"),
        (
            "--option Strength=3",
            "option Strength has no effect on lab regret",
        ),
        ("--empties 7-6", "1 <= A <= B"),
        ("--empties x", "expected a number or a range"),
        (
            "--game diamond --empties 6-20",
            "expected fewer than 20 for diamond",
        ),
        ("--nodes 0", "expected a whole number of 1 or more"),
        ("--nodes 300 --with infinite", "invalid value 'infinite'"),
        ("--positions 0", "expected a whole number of 1 or more"),
    ] {
        let (status, _, errors) = files.run(words);
        assert_eq!(status, Some(2), "{words}: {errors}");
        assert!(errors.contains(error), "{words}: {errors}");
        assert!(!files.solved.exists() && !files.out.exists(), "{words}");
    }
    files.table("--empties 6 --positions 2 --nodes 300");
    let text = fs::read_to_string(&files.solved).unwrap();
    let last = text.lines().last().unwrap();
    for (damaged, error) in [
        (
            text.clone() + &last.replace("\"empties\":6", "\"empties\":7") + "\n",
            "7 empties, number",
        ),
        (
            text.replace("\"scores\":{", "\"scores\":{\"a0\":3,"),
            "the scored moves are not the legal moves",
        ),
        (text.clone() + last + "\n", "duplicate result of"),
        (
            text.replace(" x\"", " y\"").replace(" o\"", " y\""),
            "6 empties, number",
        ),
    ] {
        fs::write(&files.solved, &damaged).unwrap();
        let (status, _, errors) = files.run("--empties 6-7 --positions 2 --nodes 300");
        assert_eq!(status, Some(2), "{errors}");
        assert!(
            errors.contains(error) && errors.contains(&files.solved.display().to_string()),
            "{errors}"
        );
    }
}

/// A goal and stops besides a node budget that are out of its reach.
#[derive(Clone, Default)]
struct FurtherLimits {
    names: Vec<&'static str>,
    limits: Limits,
}

fn further_limits() -> Vec<FurtherLimits> {
    const HOUR: Duration = Duration::from_secs(3_600);
    let mut found: Vec<FurtherLimits> = [
        ("", Goal::BestMove),
        ("exact", Goal::Exact),
        ("wld", Goal::WinLossDraw),
        ("mate 60", Goal::Mate(60)),
    ]
    .map(|(name, goal)| FurtherLimits {
        names: vec![name],
        limits: Limits::to_find(goal),
    })
    .into();
    for name in ["depth 60", "movetime", "clock"] {
        for mut further in found.clone() {
            further.names.push(name);
            let stops = &mut further.limits.stops;
            match name {
                "depth 60" => stops.depth = Some(60),
                "movetime" => stops.time = Some(HOUR),
                _ => stops.clock = Some(Clock::of(HOUR)),
            }
            found.push(further);
        }
    }
    found
}

/// The searches that the node budget ended, and those among them whose last iteration is more than
/// two plies below that of a search with the budget alone. `exact` and `wld` have other iterations
/// before the end of the game, after which the last one may cost more, so they are compared with
/// three quarters of the budget. `mate` searches at full width, so it is compared with a full-width
/// search.
fn depths_lost(board: &AnyGame, nodes: u64, most_limits: usize) -> (usize, Vec<String>) {
    let search = |limits: &Limits, selectivity: Option<u8>, nodes: u64| -> Answer {
        let mut limits = limits.clone();
        limits.stops.nodes = Some(nodes);
        let settings = Settings {
            selectivity,
            ..Settings::default()
        };
        let mut observer = Observer::default();
        think(
            board.position(),
            &settings,
            &Table::with_bytes(1 << 21),
            &limits,
            &mut observer,
        )
    };
    // The depths of the budget alone and of three quarters of it, by default and at full width.
    let depths = [nodes, nodes * 3 / 4].map(|nodes| {
        [None, Some(Draft::FULL)]
            .map(|selectivity| search(&Limits::default(), selectivity, nodes).depth)
    });
    let (mut searches, mut lost) = (0, Vec::new());
    for FurtherLimits { names, limits } in further_limits() {
        if names.len() > most_limits {
            continue;
        }
        let Answer {
            depth,
            stopped,
            certainty,
            best,
            ..
        } = search(&limits, None, nodes);
        // With a clock a search ends with a decided score, not with the budget.
        let is_decided = best.first().is_some_and(|best| best.score.is_decided());
        if !stopped || certainty != Certainty::Heuristic || is_decided {
            continue;
        }
        searches += 1;
        let is_full_width = matches!(limits.goal, Goal::Mate(_));
        let expected = depths[usize::from(limits.goal.is_proof())][usize::from(is_full_width)];
        if depth + 2 < expected {
            let (game, position, names) = (board.name(), board.write_position(), names.join(" "));
            lost.push(format!(
                "{game} {position}: nodes {nodes} {names}: depth {depth}, without {expected}"
            ));
        }
    }
    (searches, lost)
}

#[test]
fn limits_out_of_reach_of_the_node_budget_cost_no_depth() {
    let mut rng = Rng::new(45);
    let (mut searches, mut lost) = (0, Vec::new());
    let mut add = |(more, depths): (usize, Vec<String>)| {
        searches += more;
        lost.extend(depths);
    };
    for game in NAMES {
        for plies_left in [4, 7, 10, 13, 17, 22, 30, 44] {
            let Some(board) = oracle::random_position(game, plies_left, &mut rng) else {
                continue;
            };
            [500, 8_000]
                .into_iter()
                .for_each(|nodes| add(depths_lost(&board, nodes, usize::MAX)));
        }
        // Close to the last iterations, which reach the end of the game.
        for plies_left in [16, 17, 19] {
            let Some(board) = oracle::random_position(game, plies_left, &mut rng) else {
                continue;
            };
            [20_000, 60_000]
                .into_iter()
                .for_each(|nodes| add(depths_lost(&board, nodes, 2)));
        }
    }
    assert!(searches > 500, "{searches} searches ended by nodes");
    assert!(
        lost.is_empty(),
        "{} of {searches}:\n{}",
        lost.len(),
        lost.join("\n")
    );
}
