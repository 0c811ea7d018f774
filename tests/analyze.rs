//! `nullwindow analyze`: scores and losses compared with an oracle and with independent searches,
//! in every game; summaries, resumed and interrupted runs, wrong files and options.

use std::fs;
use std::path::PathBuf;
use std::process::{Output, Stdio};

use crate::common::{nullwindow, oracle, signal_when};
use nullwindow::game::rng::Rng;
use nullwindow::game::{Game, Move, Outcome, Player};
use nullwindow::games::any::{AnyGame, NAMES, by_name};
use serde_json::Value;

/// A complete game of random moves that do not end it if others exist, so that it is long.
fn random_game(game: &str, seed: u64) -> AnyGame {
    let (mut board, mut rng) = (by_name(game).unwrap(), Rng::for_stream(seed, 1));
    while board.outcome().is_none() {
        let (moves, position) = (board.moves(), board.position());
        let goes_on = |m: &&Move| position.play(**m).final_score().is_none();
        let long: Vec<Move> = moves.iter().filter(goes_on).copied().collect();
        let m = rng.choose(&long).or(moves.first()).copied().unwrap();
        board.play(m).unwrap();
    }
    board
}

/// The moves of a game as a transcript.
fn transcript(board: &AnyGame) -> String {
    let words: Vec<String> = board
        .plies()
        .map(|(position, m)| position.write_move(m))
        .collect();
    words.join(" ")
}

/// Runs `analyze` with these words and this standard input.
fn analyze(words: &str, input: &str) -> Output {
    let words: Vec<&str> = ["analyze"]
        .into_iter()
        .chain(words.split_whitespace())
        .collect();
    nullwindow(&words, input)
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The objects of `--json`: the games, and the totals.
fn objects(output: &Output) -> (Vec<Value>, Value) {
    let text = text_of(&output.stdout);
    let mut objects: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let totals = objects.pop().unwrap_or_else(|| panic!("{output:?}"));
    (objects, totals)
}

/// The first line and the objects of JSON lines, without the times of searches.
fn without_times(lines: &str) -> (&str, Vec<Value>) {
    fn clear(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.remove("seconds");
                fields.values_mut().for_each(clear);
            }
            Value::Array(items) => items.iter_mut().for_each(clear),
            _ => (),
        }
    }
    let objects = lines.lines().map(|line| {
        let mut object = serde_json::from_str(line).unwrap();
        clear(&mut object);
        object
    });
    (lines.lines().next().unwrap(), objects.collect())
}

/// The objects of a successful run.
fn analyzed(words: &str, input: &str) -> (Vec<Value>, Value) {
    let output = analyze(&format!("- --json {words}"), input);
    assert_eq!(output.status.code(), Some(0), "{}", text_of(&output.stderr));
    objects(&output)
}

fn moves(game: &Value) -> &[Value] {
    game["moves"].as_array().unwrap()
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("{value}"))
}

/// A file that is removed at the end of the test, with its lock.
struct TestFile(PathBuf);

impl TestFile {
    fn new(name: &str, text: &str) -> TestFile {
        let file = TestFile::unwritten(name);
        fs::write(&file.0, text).unwrap();
        file
    }

    fn unwritten(name: &str) -> TestFile {
        let name = format!("analyze-{}-{name}", std::process::id());
        TestFile(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name))
    }

    fn name(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for TestFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
        let _ = fs::remove_file(format!("{}.lock", self.name()));
    }
}

#[test]
fn exact_losses_are_those_of_an_oracle_in_every_game() {
    for name in NAMES {
        let played = random_game(name, 5);
        let (games, _) = analyzed(
            &format!("--game {name} --depth 2 --exact 8"),
            &transcript(&played),
        );
        assert_eq!(games.len(), 1);
        let all = moves(&games[0]);
        assert_eq!(all.len(), played.history().len(), "{name}");
        let (mut proven, mut lost) = (0, 0);
        for (found, (position, m)) in all.iter().zip(played.plies()) {
            assert_eq!(found["move"], position.write_move(m), "{found}");
            assert_eq!(found["position"], position.write_position(), "{found}");
            if position.plies_left() > 8 {
                continue;
            }
            assert_eq!(found["proven"], true, "{name}: {found}");
            let best = oracle::value_of(&position);
            let next = position.play(m);
            let score = match next.to_move() == position.to_move() {
                true => oracle::value_of(&next),
                false => -oracle::value_of(&next),
            };
            proven += 1;
            lost += i64::from(best != score);
            if position.discs().is_some() {
                let own = (i64::from(best.0), i64::from(score.0));
                assert_eq!(
                    (number(&found["best_score"]), number(&found["score"])),
                    own,
                    "{name}: {found}"
                );
                assert_eq!(number(&found["loss"]), own.0 - own.1, "{name}: {found}");
            } else {
                // Wins and losses by their result; see the unit of the loss.
                let result = |score: i32| i64::from(score.signum()) * 10_000;
                assert_eq!(
                    number(&found["loss"]),
                    result(best.0) - result(score.0),
                    "{name}: {found}"
                );
                assert_eq!(
                    number(&found["score"]).signum(),
                    i64::from(score.0.signum()),
                    "{name}: {found}"
                );
            }
        }
        assert!(
            proven >= 4 && lost > 0 || name == "tictactoe",
            "{name}: {proven}"
        );
    }
}

#[test]
fn every_move_has_a_loss_at_one_depth_and_a_line_that_can_be_played() {
    for name in NAMES {
        let played = random_game(name, 9);
        let depth = 4;
        let (games, totals) = analyzed(
            &format!("--game {name} --depth {depth} --exact 0"),
            &transcript(&played),
        );
        let game = &games[0];
        let unit = if played.discs().is_some() {
            100.0
        } else {
            10_000.0
        };
        let mut sums = [(0, 0, 0.0), (0, 0, 0.0)];
        for (index, (found, (position, _))) in moves(game).iter().zip(played.plies()).enumerate() {
            assert_eq!(number(&found["ply"]), index as i64 + 1);
            let (score, best, loss) = (
                number(&found["score"]),
                number(&found["best_score"]),
                number(&found["loss"]),
            );
            assert!(loss >= 0 && score <= best, "{name}: {found}");
            let tied = found["best"].as_array().unwrap().contains(&found["move"]);
            assert_eq!(tied, loss == 0, "{name}: {found}");
            let forced = position.moves().len() == 1;
            assert_eq!(found["forced"], forced, "{name}: {found}");
            if !forced {
                let decided = best.abs() >= 9_936 && unit > 1_000.0;
                let depth = depth.min(i64::from(position.plies_left()));
                assert!(
                    number(&found["depth"]) == depth || decided,
                    "{name}: {found}"
                );
                let (moves, tied, lost) = &mut sums[usize::from(found["player"] == "p2")];
                *moves += 1;
                *tied += i64::from(loss == 0);
                *lost += loss as f64 / unit;
            }
            for line in found["lines"].as_array().unwrap() {
                let mut board = AnyGame::from(position);
                for word in line["pv"].as_array().unwrap() {
                    let word = word.as_str().unwrap();
                    assert!(board.play_legal(word).is_some(), "{name}: {found}");
                }
            }
            let first = &found["lines"][0];
            assert_eq!(number(&first["score"]), best, "{name}: {found}");
            assert!(
                found["best"].as_array().unwrap().contains(&first["pv"][0]),
                "{name}: {found}"
            );
        }
        for (summary, (moves, best, lost)) in game["summary"].as_array().unwrap().iter().zip(sums) {
            let all = &summary["all"];
            assert_eq!((number(&all["moves"]), number(&all["best"])), (moves, best));
            assert!(
                (all["lost"].as_f64().unwrap() - lost).abs() < 1e-6,
                "{name}: {summary}"
            );
            let phases = summary["phases"].as_array().unwrap();
            let of = |field: &str| {
                phases
                    .iter()
                    .map(|phase| number(&phase[field]))
                    .sum::<i64>()
            };
            assert_eq!((of("moves"), of("best")), (moves, best), "{name}");
            let worst: Vec<i64> = summary["worst"]
                .as_array()
                .unwrap()
                .iter()
                .map(|ply| number(&self::moves(game)[number(ply) as usize - 1]["loss"]))
                .collect();
            assert!(worst.len() <= 5 && worst.is_sorted_by(|one, other| one >= other));
            assert!(worst.iter().all(|&loss| loss > 0));
        }
        assert_eq!(totals["games"], 1);
        let result = played.final_score().unwrap();
        let (first, _) = played.to_move().ordered(result.0, -result.0);
        let points = match played.discs() {
            Some(_) => first / 100,
            None => first.signum(),
        };
        assert_eq!(number(&game["result"]), i64::from(points), "{name}");
    }
}

#[test]
fn proven_scores_equal_those_of_independent_searches() {
    let played = random_game("othello", 3);
    let (games, _) = analyzed("--depth 5 --exact 12", &transcript(&played));
    let mut compared = 0;
    for found in moves(&games[0]).iter().rev() {
        if found["proven"] != true || found["forced"] == true {
            continue;
        }
        let one = format!(
            "{} moves {}",
            found["position"].as_str().unwrap(),
            found["move"].as_str().unwrap()
        );
        let (alone, _) = analyzed("--depth 5 --exact 12", &one);
        let alone = &moves(&alone[0])[0];
        for field in ["score", "best_score", "loss", "proven"] {
            assert_eq!(found[field], alone[field], "{field}: {found} {alone}");
        }
        compared += 1;
    }
    assert!(compared >= 8, "{compared}");
}

/// A search to a small depth can prove the win of one move and guess the scores of the others.
#[test]
fn a_position_is_proven_only_if_all_its_scores_are() {
    let (mut proven, mut mixed) = (0, 0);
    for seed in 1..30 {
        let played = random_game("tictactoe", seed);
        let (games, _) = analyzed("--game tictactoe --depth 2", &transcript(&played));
        for found in moves(&games[0]) {
            let mut board = by_name("tictactoe").unwrap();
            board
                .set_position(found["position"].as_str().unwrap())
                .unwrap();
            let position = board.position();
            let scores = ["score", "best_score"].map(|field| number(&found[field]));
            let best = oracle::value_of(&position).0.signum();
            let own = board.legal_move(found["move"].as_str().unwrap()).unwrap();
            let own = -oracle::value_of(&position.play(own)).0.signum();
            let is_right = scores.map(|score| score.signum() as i32) == [own, best];
            assert!(found["proven"] != true || is_right, "{found}");
            proven += u32::from(found["proven"] == true);
            mixed += u32::from(found["proven"] == false && scores[1] > 9_000);
        }
    }
    assert!(proven > 30 && mixed > 5, "{proven} {mixed}");
    let words = [
        "analyze",
        "--game",
        "tictactoe",
        "--position",
        "a1 b1 a2 b2",
        "--depth",
        "1",
    ];
    let text = text_of(&nullwindow(&words, "").stdout);
    assert!(!text.contains("proven"), "{text}");
}

#[test]
fn a_komi_of_a_quarter_disc_decides_a_drawn_game() {
    let moves = "d3b4a1d1b1d2a4c1c4a3d4a2"; // ends at 8:8
    for komi in [0.25, -0.25, 0.0] {
        let game = format!("{{\"moves\":\"{moves}\",\"komi\":{komi}}}");
        let (_, totals) = analyzed("--game othello4 --depth 2", &game);
        let draws = &totals["players"][0]["draws"];
        assert_eq!(number(draws), i64::from(komi == 0.0), "{komi}: {totals}");
    }
    let komi = format!("{{\"moves\":\"{moves}\",\"komi\":3}}");
    let output = analyze("- --game othello4 --depth 2", &komi);
    let text = text_of(&output.stdout);
    assert!(text.contains("+0 discs, komi 3: white won"), "{text}");
    let drawn = r#"{"variant":"tictactoe","moves":"a1 b2 b1 c1 a3 a2 c2 b3 c3","komi":0.5}"#;
    let (_, totals) = analyzed("--game tictactoe --depth 2", drawn);
    assert_eq!(number(&totals["players"][0]["draws"]), 1, "{totals}");
}

#[test]
fn a_pass_is_forced_and_has_the_score_of_the_next_position() {
    let played = (1..200)
        .map(|seed| random_game("othello6", seed))
        .find(|board| {
            let passes = |(_, m): (_, Move)| m.is_pass();
            board.plies().take(28).any(passes)
        })
        .unwrap();
    let (games, _) = analyzed("--game othello6 --depth 3 --exact 4", &transcript(&played));
    let all = moves(&games[0]);
    let at = all
        .iter()
        .position(|found| found["move"] == "pass")
        .unwrap();
    let (pass, next) = (&all[at], &all[at + 1]);
    assert_eq!((&pass["forced"], number(&pass["nodes"])), (&true.into(), 0));
    assert_eq!(number(&pass["score"]), -number(&next["best_score"]));
    assert_eq!(pass["depth"], next["depth"]);
    assert_eq!(pass["lines"][0]["pv"][1], next["lines"][0]["pv"][0]);
}

#[test]
fn a_forced_move_is_one_ply_farther_from_the_end_than_the_next() {
    // The last two stones go on one peg, and only the last one completes a line.
    let last_peg = |seed| {
        let (mut board, mut rng) = (by_name("scorefour").unwrap(), Rng::for_stream(seed, 1));
        while board.position().stones() < 62 {
            let (moves, position) = (board.moves(), board.position());
            let [own, other] = position.packed();
            let has_two = (own | other) >> 16 & 1 != 0;
            let is_open = |m: &&Move| {
                let is_kept = has_two && m.square().is_multiple_of(16); // peg a1
                !is_kept && position.play(**m).final_score().is_none()
            };
            let open: Vec<Move> = moves.iter().filter(is_open).copied().collect();
            board.play(*rng.choose(&open)?).ok()?;
        }
        for is_over in [false, true] {
            board.play(*board.moves().first()?).ok()?;
            if board.outcome().is_some() != is_over {
                return None;
            }
        }
        (board.outcome() == Some(Outcome::SecondWins)).then_some(board)
    };
    let played = (1..100_000).find_map(last_peg).unwrap();
    let (games, _) = analyzed("--game scorefour --depth 1 --exact 2", &transcript(&played));
    let scores = |at: usize| number(&moves(&games[0])[at]["score"]);
    assert_eq!(moves(&games[0])[62]["forced"], true);
    assert_eq!((scores(62), scores(63)), (-9_998, 9_999));
}

#[test]
fn the_best_moves_are_listed_with_multipv() {
    // The four first moves of Othello are symmetric.
    let (games, _) = analyzed("--depth 6 --multipv 4", "f5");
    let found = &moves(&games[0])[0];
    assert_eq!(found["best"].as_array().unwrap().len(), 4, "{found}");
    let (games, _) = analyzed("--game othello6 --depth 4 --multipv 3", "d5 c5");
    let found = &moves(&games[0])[1];
    let lines = found["lines"].as_array().unwrap();
    let mut first: Vec<String> = lines.iter().map(|line| line["pv"][0].to_string()).collect();
    let scores: Vec<i64> = lines.iter().map(|line| number(&line["score"])).collect();
    first.sort();
    first.dedup();
    assert_eq!((first.len(), lines.len()), (3, 3), "{found}");
    assert!(scores.is_sorted_by(|one, other| one >= other), "{found}");
}

#[test]
fn a_time_or_node_limit_scores_both_moves_by_one_iteration() {
    for limit in ["--nodes 1", "--nodes 3000", "--movetime 5"] {
        let (games, _) = analyzed(limit, "f5 f6 e6 f4 g5");
        for found in moves(&games[0]) {
            let lines = found["lines"].as_array().unwrap();
            let line = |word: &Value| lines.iter().any(|line| line["pv"][0] == *word);
            assert!(
                number(&found["depth"]) >= 1 && line(&found["move"]) && number(&found["loss"]) >= 0,
                "{limit}: {found}"
            );
        }
    }
}

#[test]
fn json_has_the_site_the_round_and_the_game() {
    let tags = "[Site \"Paris\"]\n[Round \"2\"]\n[White \"A\"]";
    let (games, _) = analyzed(
        "--game tictactoe --depth 2",
        &format!("{tags}\n\n1. b2 a1 *\n"),
    );
    assert_eq!([&games[0]["site"], &games[0]["round"]], ["Paris", "2"]);
    let read = nullwindow(
        &["convert", "-", "--to", "pgn", "--game", "tictactoe"],
        &games[0].to_string(),
    );
    let pgn = text_of(&read.stdout);
    assert!(
        pgn.contains("[Site \"Paris\"]") && pgn.contains("[Round \"2\"]"),
        "{pgn}"
    );
    let output = analyze("--position b2 --game tictactoe --depth 2 --json", "");
    let position: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(position["variant"], "tictactoe");
}

#[test]
fn the_tables_fit_a_terminal_and_name_the_worst_moves() {
    for name in NAMES {
        let text = [3, 4]
            .map(|seed| transcript(&random_game(name, seed)))
            .join("\n");
        let output = analyze(&format!("- --game {name} --depth 3"), &text);
        assert_eq!(output.status.code(), Some(0), "{}", text_of(&output.stderr));
        let text = text_of(&output.stdout);
        for line in text.lines() {
            let width = line.chars().count();
            assert!(width <= 100 && !line.ends_with(' '), "{width}: {line:?}");
        }
        for words in [
            "game 1 of standard input",
            "game 2 of standard input",
            "worst moves of",
            "lost per game",
            "total: 2 games",
        ] {
            assert!(text.contains(words), "{name}: {words} not in\n{text}");
        }
    }
}

#[test]
fn a_resumed_record_equals_that_of_one_run_except_for_times() {
    let text = [1, 2, 3]
        .map(|seed| transcript(&random_game("othello6", seed)))
        .join("\n");
    let (file, record) = (TestFile::new("games", &text), TestFile::unwritten("record"));
    let words = format!(
        "{} --game othello6 --depth 4 --exact 6 --json --resume {}",
        file.name(),
        record.name()
    );
    let whole = analyze(&words, "");
    assert_eq!(whole.status.code(), Some(0), "{}", text_of(&whole.stderr));
    let lines = fs::read_to_string(&record.0).unwrap();
    let (games, _) = objects(&whole);
    let all: usize = games.iter().map(|game| moves(game).len()).sum();
    assert_eq!(lines.lines().count(), all + 1);
    // A complete record answers alone, times included.
    assert_eq!(analyze(&words, "").stdout, whole.stdout);
    assert_eq!(fs::read_to_string(&record.0).unwrap(), lines);
    // Threads change nothing about what is recorded.
    assert_eq!(
        analyze(&format!("{words} --threads 2"), "").stdout,
        whole.stdout
    );
    let (_, again) = without_times(&lines);
    // Wherever the run was killed, and from whatever game lines are missing.
    let cut = |lines: &str, end: usize| lines.lines().take(end).collect::<Vec<_>>().join("\n");
    for end in [2, 20, all / 2 + 1, all - 10, all] {
        let kept = cut(&lines, end);
        fs::write(&record.0, &kept[..kept.len() - 30]).unwrap();
        let resumed = analyze(&words, "");
        assert_eq!(
            resumed.status.code(),
            Some(0),
            "{}",
            text_of(&resumed.stderr)
        );
        let (_, resumed) = without_times(&text_of(&resumed.stdout));
        assert_eq!(
            resumed,
            without_times(&text_of(&whole.stdout)).1,
            "cut at {end}"
        );
        let found = fs::read_to_string(&record.0).unwrap();
        let (first, found) = without_times(&found);
        assert_eq!(first, lines.lines().next().unwrap());
        assert_eq!(found, again, "cut at {end}");
    }
    let again = fs::read_to_string(&record.0).unwrap();
    // Other conditions, and other games, are rejected.
    let refused = |words: &str, expected: &str| {
        let output = analyze(words, "");
        let error = text_of(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(expected), "{error}");
    };
    refused(
        &words.replace("--depth 4", "--depth 5"),
        "the record has the conditions depth 4 (expected 5): ",
    );
    refused(
        &words.replace("--depth 4 --exact 6", "--nodes 70 --option Selectivity=100"),
        "conditions depth 4 (expected default), exact 6 (expected default), nodes default (expected 70), \
         option Selectivity default (expected 100): ",
    );
    fs::write(&file.0, transcript(&random_game("othello6", 3))).unwrap();
    refused(&words, "game 1, ply 1: the record has ");
    let (first, _) = text.split_once('\n').unwrap();
    let (shorter, _) = first.rsplit_once(' ').unwrap();
    fs::write(&file.0, shorter).unwrap();
    let plies = moves(&games[0]).len();
    refused(&words, &format!("game 1, ply {plies}: the record has "));
    refused(&words, &format!("the game has {} plies", plies - 1));
    assert_eq!(fs::read_to_string(&record.0).unwrap(), again);
}

#[test]
fn an_interrupted_run_prints_the_command_that_resumes_it() {
    if cfg!(not(unix)) {
        return crate::common::skip("this system has no signals");
    }
    let (file, record) = (
        TestFile::new("interrupted", &transcript(&random_game("othello", 8))),
        TestFile::unwritten("interrupted-record"),
    );
    let words = |time: &str| {
        [
            "analyze",
            file.name(),
            "--movetime",
            time,
            "--json",
            "--resume",
            record.name(),
        ]
        .map(String::from)
    };
    let mut child = crate::common::command()
        .args(words("200"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let recorded =
        || fs::read_to_string(&record.0).map_or(0, |text| text.lines().count().saturating_sub(1));
    signal_when(&mut child, "INT", "no two records", || recorded() >= 2);
    let output = child.wait_with_output().unwrap();
    let error = text_of(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    let command = error.lines().last().unwrap();
    assert!(command.starts_with("interrupted; resume with: "), "{error}");
    assert!(
        words("200")
            .iter()
            .skip(1)
            .all(|word| command.contains(word.as_str())),
        "{command}"
    );
    let done = recorded();
    assert!((2..60).contains(&done), "{done}");
    let (games, totals) = objects(&output);
    assert_eq!((games.len(), number(&totals["games"])), (0, 0));
}

#[test]
fn wrong_files_and_options_are_named() {
    let empty = TestFile::new("empty", "# nothing\n");
    let good = TestFile::new("good", "f5d6c3\n");
    let missing = TestFile::unwritten("missing");
    for (words, expected) in [
        (format!("{} --depth 2", missing.name()), missing.name()),
        (format!("{} --depth 2", empty.name()), "no game found"),
        (format!("{0} {0}", good.name()), "named twice"),
        (
            format!("{0} --resume {0}", good.name()),
            "this file is also an input",
        ),
        (
            format!("{} --depth 2 --nodes 5", good.name()),
            "cannot be used with",
        ),
        (format!("{} --depth 0", good.name()), "--depth"),
        (format!("{} --exact 65", good.name()), "--exact"),
        (format!("{} --multipv 0", good.name()), "--multipv"),
        (
            format!("{} --option Strength=3", good.name()),
            "option Strength has no effect",
        ),
        (
            format!("{} --game scorefour", good.name()),
            "no valid game of scorefour",
        ),
        (String::new(), "<FILE>"),
    ] {
        let output = analyze(&words, "");
        let error = text_of(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}: {error}");
        assert!(
            error.contains(expected) && output.stdout.is_empty(),
            "{words}: {error}"
        );
    }
    // An invalid game does not affect the others.
    let output = analyze("- --depth 2 --json", "f5d6\nf5a1\nf5f6\n");
    let error = text_of(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(
        error.contains("standard input") && error.contains("illegal move \"a1\" at ply 2"),
        "{error}"
    );
    let (games, totals) = objects(&output);
    let numbers: Vec<i64> = games.iter().map(|game| number(&game["number"])).collect();
    assert_eq!((numbers, number(&totals["errors"])), (vec![1, 3], 1));
}

#[test]
fn names_and_stated_results_are_those_of_the_record() {
    let (one, two) = (random_game("othello6", 11), random_game("othello6", 12));
    let white = |board: &AnyGame| match board.outcome().unwrap() {
        Outcome::SecondWins => "1-0",
        Outcome::FirstWins => "0-1",
        Outcome::Draw => "1/2-1/2",
    };
    let wrong = if white(&two) == "1-0" { "0-1" } else { "1-0" };
    let pgn = |board: &AnyGame, black: &str, white: &str, result: &str| {
        format!(
            "[Event \"Cup\"]\n[Date \"2026.11.20\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n\
             [FirstPlayer \"Black\"]\n[Result \"{result}\"]\n\n{} {result}\n\n",
            transcript(board)
        )
    };
    let text = pgn(&one, "Ann", "Bob", white(&one)) + &pgn(&two, "Bob", "Ann", wrong);
    let output = analyze("- --game othello6 --depth 2 --json", &text);
    let error = text_of(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(
        error.starts_with("standard input, game 2: the stated result is "),
        "{error}"
    );
    let (games, totals) = objects(&output);
    assert_eq!(games[0]["players"], serde_json::json!(["Ann", "Bob"]));
    assert_eq!(games[0]["stated"]["reason"], "normal");
    assert_eq!(
        (&games[0]["event"], &games[0]["date"]),
        (&"Cup".into(), &"2026-11-20".into())
    );
    assert!(games[0]["contradiction"].is_null() && games[1]["contradiction"].is_string());
    assert_eq!(
        (number(&totals["contradictions"]), number(&totals["errors"])),
        (1, 0)
    );
    let players = totals["players"].as_array().unwrap();
    let names: Vec<&str> = players
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Ann", "Bob"]);
    for player in players {
        let results = ["wins", "draws", "losses"].map(|field| number(&player[field]));
        assert_eq!(
            (number(&player["games"]), results.iter().sum::<i64>()),
            (2, 2),
            "{player}"
        );
        // The second game has the result of its moves.
        let name = player["name"].as_str().unwrap();
        let (of_one, of_two) = match name {
            "Ann" => (Player::First, Player::Second),
            _ => (Player::Second, Player::First),
        };
        let wins = [(&one, of_one), (&two, of_two)]
            .iter()
            .filter(|(board, side)| board.outcome().unwrap() == Outcome::win(*side))
            .count();
        assert_eq!(results[0], wins as i64, "{player}");
    }
}

#[test]
fn losses_of_opening_moves_are_shown_and_not_counted() {
    let game = random_game("othello6", 21);
    let plies: Vec<String> = game
        .plies()
        .map(|(position, m)| position.write_move(m))
        .collect();
    let (opening, words) = (6, "--game othello6 --depth 2 --exact 4");
    let moves_json = |opening: usize| {
        let moves: Vec<Value> = plies
            .iter()
            .enumerate()
            .map(|(index, word)| match index < opening {
                true => serde_json::json!({"move": word, "origin": "opening"}),
                false => serde_json::json!({"move": word}),
            })
            .collect();
        serde_json::json!({"game": 1, "variant": "othello6", "moves": moves}).to_string() + "\n"
    };
    let pgn: String = ["[Event \"Cup\"]\n[Variant \"othello6\"]\n\n".to_owned()]
        .into_iter()
        .chain(
            plies
                .iter()
                .enumerate()
                .map(|(index, word)| match index < opening {
                    true => format!("{word} {{book}} "),
                    false => format!("{word} "),
                }),
        )
        .chain(["*\n".to_owned()])
        .collect();
    let (plain, _) = analyzed(words, &moves_json(0));
    let lost_in_opening: i64 = moves(&plain[0])[..opening]
        .iter()
        .map(|found| number(&found["loss"]))
        .sum();
    assert!(lost_in_opening > 0, "the opening has errors");
    for text in [moves_json(opening), pgn] {
        let (games, totals) = analyzed(words, &text);
        for (index, (found, all)) in moves(&games[0]).iter().zip(moves(&plain[0])).enumerate() {
            let origin = found.get("origin").and_then(Value::as_str);
            assert_eq!(origin, (index < opening).then_some("opening"), "{found}");
            assert_eq!(found["loss"], all["loss"]);
        }
        for player in 0..2 {
            let counted: Vec<&Value> = moves(&games[0])
                .iter()
                .skip(opening)
                .filter(|found| found["player"] == ["p1", "p2"][player] && found["forced"] == false)
                .collect();
            let lost: i64 = counted.iter().map(|found| number(&found["loss"])).sum();
            let summary = &games[0]["summary"][player];
            assert_eq!(number(&summary["all"]["moves"]), counted.len() as i64);
            assert_eq!(summary["all"]["lost"].as_f64(), Some(lost as f64 / 100.0));
            let worst = summary["worst"].as_array().unwrap();
            assert!(worst.iter().all(|ply| number(ply) > opening as i64));
            let name = ["black", "white"][player];
            let total = totals["players"].as_array().unwrap();
            let total = total.iter().find(|total| total["name"] == name).unwrap();
            assert_eq!(total["all"], summary["all"]);
        }
        let output = text_of(&analyze(&format!("- {words}"), &text).stdout);
        let rows: Vec<&str> = output.lines().skip(2).take(plies.len()).collect();
        for (row, found) in rows.iter().zip(moves(&games[0])) {
            let loss = number(&found["loss"]) as f64 / 100.0;
            let is_shown = row.contains(&format!("({loss:.2})"));
            let is_opening_loss = found.get("origin").is_some() && loss > 0.0;
            assert_eq!(is_shown, is_opening_loss, "{row}");
            assert!(!(is_opening_loss && row.contains('?')), "{row}");
        }
    }
}

#[test]
fn all_legal_moves_of_a_position_are_scored_exactly() {
    for game in ["othello4", "tictactoe"] {
        let mut rng = Rng::for_stream(5, 1);
        let mut positions = (0..1_000).filter_map(|_| oracle::random_position(game, 6, &mut rng));
        let board = positions.find(|board| board.moves().len() >= 3).unwrap();
        let position = board.write_position();
        let words = [
            "analyze",
            "--game",
            game,
            "--position",
            &position,
            "--exact",
            "20",
            "--json",
        ];
        let output = nullwindow(&words, "");
        assert!(output.status.success(), "{output:?}");
        let analysis: Value = serde_json::from_str(&text_of(&output.stdout)).unwrap();
        assert_eq!(analysis["position"], position.as_str());
        assert_eq!(analysis["proven"], true);
        let lines = analysis["lines"].as_array().unwrap();
        assert_eq!(lines.len(), board.moves().len());
        let mut before = i64::MAX;
        for line in lines {
            let mut after = board.clone();
            after.play_legal(line["pv"][0].as_str().unwrap()).unwrap();
            let exact = -oracle::value(&after).0;
            let score = line["score"].as_i64().unwrap();
            match board.discs() {
                Some(_) => assert_eq!(score, i64::from(exact), "{game} {position} {line}"),
                None => assert_eq!(
                    score.signum(),
                    i64::from(exact.signum()),
                    "{position} {line}"
                ),
            }
            assert!(score <= before, "{game} {position}: not the best first");
            before = score;
        }
        let text = nullwindow(&words[..words.len() - 1], "");
        let text = text_of(&text.stdout);
        assert!(text.starts_with(&format!("{position}: proven, ")), "{text}");
        assert_eq!(text.lines().count(), 2 + lines.len(), "{text}");
    }
    for words in [
        &["analyze", "--position", "f5", "FILE"][..],
        &["analyze", "--position", "f5", "--multipv", "2"],
        &[
            "analyze",
            "--game",
            "tictactoe",
            "--position",
            "xxx/oo1/3 o",
        ],
        &["analyze"],
    ] {
        assert_eq!(nullwindow(words, "").status.code(), Some(2), "{words:?}");
    }
}

#[test]
fn analyses_are_read_as_games_and_positions() {
    let convert = |game: &str, format: &str, text: &str| {
        let words = ["convert", "-", "--game", game, "--to", format];
        let output = nullwindow(&words, text);
        assert_eq!(output.status.code(), Some(0), "{}", text_of(&output.stderr));
        text_of(&output.stdout)
    };
    for game in ["othello4", "diamond", "tictactoe", "scorefour"] {
        let board = random_game(game, 3);
        let words = format!("- --game {game} --depth 1 --json");
        let found = text_of(&analyze(&words, &transcript(&board)).stdout);
        let line = found.lines().next().unwrap();
        assert!(line.contains("\"result\":"), "{line}");
        let read = convert(game, "transcript", &found);
        let expected = convert(game, "transcript", &transcript(&board));
        assert_eq!(read, expected, "{line}");
        // Another number is not understood.
        let mut other: Value = serde_json::from_str(line).unwrap();
        other["result"] = 7.into();
        let words = ["convert", "-", "--game", game, "--to", "jsonl"];
        let error = text_of(&nullwindow(&words, &other.to_string()).stderr);
        assert!(error.contains("\"result\" is 7"), "{error}");
    }
    // A finished position, without moves.
    let full = format!("{} O;", "X".repeat(64));
    let found = text_of(&analyze("- --json", &full).stdout);
    let line = found.lines().next().unwrap();
    assert_eq!(
        convert("othello", "obf", line),
        convert("othello", "obf", &full)
    );
    let found = analyze("--position f5d6c3 --depth 1 --json", "");
    let read = convert("othello", "obf", &text_of(&found.stdout));
    assert_eq!(read, convert("othello", "obf", "f5d6c3"));
}

#[test]
fn analyses_are_read_with_names_results_and_scores() {
    let game = r#"{"p1":"Ann","p2":"Bob","began":"2026-11-30","event":"Cup","moves":["f5","d6"],
        "result":"p2win","reason":"resign"}"#;
    let found = text_of(&analyze("- --depth 2 --json", &format!("{game}\n{game}")).stdout);
    let words = ["convert", "-", "--to", "jsonl"];
    let read = text_of(&nullwindow(&words, &found).stdout);
    let [analysis, game]: [Value; 2] =
        [&found, &read].map(|text| serde_json::from_str(text.lines().next().unwrap()).unwrap());
    assert_eq!(read.lines().count(), 2, "{read}");
    for (field, value) in [
        ("p1", "Ann"),
        ("p2", "Bob"),
        ("began", "2026-11-30"),
        ("event", "Cup"),
        ("result", "p2win"),
        ("reason", "resign"),
    ] {
        assert_eq!(game[field], value, "{field}: {read}");
    }
    // Analyses in an array, whose totals are not its last item, and of a file whose name has moves.
    let array: Vec<&str> = found.lines().chain(found.lines()).collect();
    let array = format!("[{}]", array.join(",\n"));
    let renamed = found.replace("\"file\":\"standard input\"", "\"file\":\"f5d6\"");
    assert_ne!(renamed, found);
    for (text, count) in [(array, 4), (renamed, 2)] {
        let output = nullwindow(&words, &text);
        let (status, read) = (output.status.code(), text_of(&output.stdout));
        assert_eq!((status, read.lines().count()), (Some(0), count), "{read}");
    }
    // Similar fields of other programs.
    for text in [
        r#"{"games":1,"contradictions":0,"players":["A","B"],"moves":"f5d6"}"#,
        r#"{"players":[{"name":"A"},{"name":"B"}],"summary":"x","moves":["f5","d6"]}"#,
        r#"{"players":["A","B"],"summary":"x","date":7,"moves":["f5","d6"]}"#,
    ] {
        let output = nullwindow(&["convert", "-", "--to", "transcript"], text);
        assert_eq!(text_of(&output.stdout), "f5d6\n", "{text}");
    }
    for ply in 0..2 {
        let (played, analyzed) = (&game["moves"][ply], &analysis["moves"][ply]);
        assert_eq!(played["score"]["cp"], analyzed["score"], "{read}");
        assert_eq!(played["depth"], analyzed["depth"], "{read}");
    }
}
