//! Schedules, SPRT, interrupts and resumptions, adjudication, and arguments.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nullwindow::game::Player;
use nullwindow::game::score::Window;
use nullwindow::games::any::{AnyPosition, by_name};
use nullwindow::games::record::play_all;
use nullwindow::platform::command_line;
use nullwindow::search::core::policy::Zero;
use nullwindow::search::stop::SearchControl;
use nullwindow::search::textbook::{TextbookContext, fail_soft};
use serde_json::Value;

use super::{MARK, Scratch, assert_no_process_left, engine, run, runner, text};
use crate::common::{signal_when, skip};

/// The arguments of a tournament with many short games between correct engines.
fn many_games(scratch: &Scratch, rounds: u32) -> Vec<String> {
    let mut arguments = engine("good", "A", "depth=1");
    arguments.extend(engine("good", "B", "depth=1"));
    arguments.extend(
        [
            "--game",
            "tictactoe",
            "--openings",
            "random",
            "plies=2",
            "--concurrency",
            "2",
            "--rounds",
        ]
        .map(String::from),
    );
    arguments.push(rounds.to_string());
    arguments.extend(["--seed", "7", "--out"].map(String::from));
    arguments.push(scratch.0.display().to_string());
    arguments
}

#[test]
fn an_sprt_without_rounds_plays_until_it_is_decided() {
    let scratch = Scratch::new("until-decided");
    let folder = scratch.0.display().to_string();
    let mut arguments = [
        engine("good", "A", "depth=1"),
        engine("illegal", "B", "depth=1"),
    ]
    .concat();
    arguments.extend(
        [
            "--game",
            "tictactoe",
            "--openings",
            "startpos",
            "--sprt",
            "elo0=0",
            "elo1=250",
            "--json",
            "--out",
            &folder,
        ]
        .map(String::from),
    );
    let output = run(&scratch, &arguments);
    let (printed, value) = (
        text(&output.stderr),
        serde_json::from_slice::<Value>(&output.stdout).unwrap(),
    );
    assert_eq!(output.status.code(), Some(0), "{printed}");
    let games = value["games"].as_u64().unwrap();
    assert!((10..2000).contains(&games), "{value}");
    assert_eq!(
        (&value["ending"], &value["of"]),
        (&"decided".into(), &Value::Null)
    );
    assert_eq!(value["sprt"]["verdict"], "h1");
    assert!(
        value["sprt"]["llr"].as_f64().unwrap() >= value["sprt"]["upper"].as_f64().unwrap(),
        "{value}"
    );
    assert_eq!(value["plan"]["ended_as_planned"], true);
    // Deterministic engines play two distinct games; the others are not independent samples.
    assert_eq!(
        (&value["distinct_games"], &value["clean"]),
        (&2.into(), &false.into())
    );
    let warning = format!(
        "warning: {} of {games} games repeat an earlier game",
        games - 2
    );
    assert!(
        value["warnings"][0].as_str().unwrap().starts_with(&warning),
        "{value}"
    );
    for expected in [
        &warning,
        "tictactoe: games until the SPRT is decided, seed",
        "H1 accepted (Elo 250) after",
        "status: finished as planned, SPRT decided",
    ] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
    let plan: Value =
        serde_json::from_str(&fs::read_to_string(scratch.0.join("tournament.json")).unwrap())
            .unwrap();
    assert_eq!(plan["config"]["rounds"], Value::Null);
    // The decision is final: no game is left to play. The report has the same warning.
    let resumed = run(&scratch, &["--resume".into(), folder.clone()]);
    assert!(text(&resumed.stdout).contains(&warning) && scratch.games().len() as u64 == games);
    let report = run(&scratch, &["--report".into(), folder]);
    let page = fs::read_to_string(text(&report.stdout).trim()).unwrap();
    assert!(
        page.contains(&warning) && page.contains("H1 accepted (Elo 250) after"),
        "{page}"
    );
    assert!(!page.contains("NaN"));
}

#[test]
fn an_undecided_sprt_is_reported() {
    let scratch = Scratch::new("undecided");
    let mut arguments = many_games(&scratch, 3);
    arguments.extend(["--sprt", "elo0=0", "elo1=5"].map(String::from));
    let printed = text(&run(&scratch, &arguments).stdout);
    assert!(printed.contains("], not yet decided\n"), "{printed}");
    assert!(
        printed.contains("all 6 games played, SPRT not decided"),
        "{printed}"
    );
}

fn numbers(games: &[Value]) -> Vec<u64> {
    let mut numbers: Vec<u64> = games
        .iter()
        .map(|game| game["game"].as_u64().unwrap())
        .collect();
    numbers.sort_unstable();
    numbers
}

#[test]
fn an_interrupted_tournament_is_resumed_without_a_lost_or_repeated_game() {
    if cfg!(not(unix)) {
        return skip("this system has no signals");
    }
    let scratch = Scratch::new("resumed");
    let log = scratch.0.with_extension("log");
    let playing = format!("--show-latency --log file={} engine=off", log.display());
    let mut arguments = many_games(&scratch, 300);
    arguments.extend(playing.split(' ').map(String::from));
    let mut child = runner(&scratch, &arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    signal_when(&mut child, "INT", "no 20 games", || {
        scratch.games_now() >= 20
    });
    let output = child.wait_with_output().unwrap();
    assert_no_process_left(&scratch);
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    let before = scratch.games();
    assert!(before.len() >= 20 && before.len() < 600, "{}", before.len());
    // Runs the printed command unchanged.
    let command = printed.lines().last().unwrap().trim();
    assert!(command.contains("tournament --resume"), "{printed}");
    let words = command_line::split(command).unwrap().join(" ");
    assert!(words.ends_with(&playing), "{printed}");
    let resumed = Command::new("sh")
        .args(["-c", command])
        .env(MARK, &scratch.0)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
    assert_no_process_left(&scratch);
    let games = scratch.games();
    assert_eq!(games[..before.len()], before[..], "the record was changed");
    assert_eq!(numbers(&games), (1..=600).collect::<Vec<u64>>());
    assert_eq!(
        fs::read_to_string(scratch.0.join("games.pgn"))
            .unwrap()
            .matches("[Event ")
            .count(),
        600
    );
    // An uninterrupted run plays the same games: openings and colors depend only on the seed.
    let whole = Scratch::new("resumed-whole");
    assert_eq!(run(&whole, &many_games(&whole, 300)).status.code(), Some(0));
    let key = |games: Vec<Value>| -> BTreeSet<String> {
        let words = |game: &Value| -> Vec<String> {
            game["moves"]
                .as_array()
                .unwrap()
                .iter()
                .map(|played| played["move"].as_str().unwrap().into())
                .collect()
        };
        games
            .iter()
            .map(|game| {
                format!(
                    "{} {} {:?} {}",
                    game["game"],
                    game["p1"],
                    words(game),
                    game["result"]
                )
            })
            .collect()
    };
    assert_eq!(key(games), key(whole.games()));
    // A complete tournament plays no more games and prints the standings.
    let again = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(again.status.code(), Some(0));
    assert!(
        text(&again.stdout).contains("0 to play") && text(&again.stdout).contains("rank"),
        "{}",
        text(&again.stdout)
    );
}

#[test]
fn the_games_of_a_pair_swap_colors_and_share_the_opening() {
    let scratch = Scratch::new("pairs");
    assert_eq!(
        run(&scratch, &many_games(&scratch, 8)).status.code(),
        Some(0)
    );
    let games = scratch.games();
    assert_eq!(numbers(&games), (1..=16).collect::<Vec<u64>>());
    let mut openings = BTreeSet::new();
    for pair in 1..=8 {
        let both: Vec<&Value> = games.iter().filter(|game| game["pair"] == pair).collect();
        assert_eq!(both.len(), 2);
        assert_eq!(
            (&both[0]["p1"], &both[0]["p2"]),
            (&both[1]["p2"], &both[1]["p1"])
        );
        let opening = |game: &Value| format!("{} {}", game["moves"][0], game["moves"][1]);
        assert_eq!(opening(both[0]), opening(both[1]));
        assert!(opening(both[0]).contains("opening"));
        openings.insert(opening(both[0]));
    }
    assert_eq!(openings.len(), 8);
}

#[test]
fn exact_adjudication_solves_the_end_of_an_othello_game() {
    let scratch = Scratch::new("exact");
    let mut arguments = [
        engine("good", "one", "depth=1"),
        engine("good", "two", "depth=1"),
    ]
    .concat();
    let more = "--game othello --openings startpos --exact 8 --out";
    arguments.extend(more.split_whitespace().map(String::from));
    arguments.push(scratch.0.display().to_string());
    assert_eq!(run(&scratch, &arguments).status.code(), Some(0));
    let games = scratch.games();
    assert_eq!(games.len(), 2);
    for record in games {
        assert_eq!(record["reason"], "adjudicated-exact");
        let words: Vec<&str> = record["moves"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| m["move"].as_str().unwrap())
            .collect();
        let mut game = by_name("othello").unwrap();
        play_all(&mut game, &words.join(" ")).unwrap();
        assert!(
            game.plies_left() <= 8 && game.outcome().is_none(),
            "{}",
            game.diagram()
        );
        // Compared with fail-soft alpha-beta.
        let AnyPosition::Othello(position) = game.position() else {
            unreachable!()
        };
        let control = SearchControl::default();
        let mut cx = TextbookContext::new(&Zero, None, &control);
        let score = fail_soft(&mut cx, &position, 8, 0, Window::FULL).unwrap();
        let first = if game.to_move() == Player::First {
            score
        } else {
            -score
        };
        assert_eq!(record["discs"], first.0 / 100);
        let result = ["p2win", "draw", "p1win"][(first.0.signum() + 1) as usize];
        assert_eq!(record["result"], result);
    }
}

#[test]
fn three_engines_play_a_round_robin_and_a_gauntlet() {
    for (format, games) in [("round-robin", 12), ("gauntlet", 8)] {
        let scratch = Scratch::new(format);
        let mut arguments: Vec<String> = ["A", "B", "C"]
            .iter()
            .flat_map(|name| engine("good", name, ""))
            .collect();
        arguments.extend(
            [
                "--each",
                "depth=2",
                "--game",
                "tictactoe",
                "--rounds",
                "2",
                "--format",
                format,
                "--out",
            ]
            .map(String::from),
        );
        arguments.push(scratch.0.display().to_string());
        let output = run(&scratch, &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(scratch.games().len(), games);
        let table = text(&output.stdout);
        assert!(
            table.contains("vs3") && table.contains("no faults"),
            "{table}"
        );
        for part in ["runner overhead", "plan: sha256", "interim looks"] {
            assert!(!table.contains(part), "{part}: {table}");
        }
        assert!(table.contains("seed "), "{table}");
    }
}

#[test]
fn a_decided_sprt_ends_the_tournament() {
    let scratch = Scratch::new("sprt");
    let mut arguments = engine("good", "good", "depth=1");
    arguments.extend(engine("exit-0", "bad", "depth=1"));
    arguments.extend(
        [
            "--game",
            "tictactoe",
            "--rounds",
            "10000",
            "--sprt",
            "elo0=0",
            "elo1=50",
            "--out",
        ]
        .map(String::from),
    );
    arguments.push(scratch.0.display().to_string());
    let output = run(&scratch, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(scratch.games().len() < 1000, "{}", scratch.games().len());
    assert!(
        text(&output.stdout).contains("H1 accepted"),
        "{}",
        text(&output.stdout)
    );
}

/// A slow recorder must not lag behind the workers: an SPRT would end many games late, and a kill
/// would lose the games that wait to be recorded.
#[test]
fn workers_wait_until_their_games_are_recorded() {
    let scratch = Scratch::new("recorded");
    let arguments = [
        many_games(&scratch, 5000),
        vec!["--ratinginterval".into(), "1".into()],
    ]
    .concat();
    // The standings are not read, so the runner blocks once the pipe is full.
    let mut process = runner(&scratch, &arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (mut before, started) = (0, Instant::now());
    while before == 0 || scratch.games_now() > before {
        assert!(started.elapsed() < Duration::from_secs(60));
        before = scratch.games_now();
        sleep(Duration::from_millis(500));
    }
    let plies = fs::read_to_string(scratch.0.join("plies.jsonl")).unwrap();
    process.kill().unwrap();
    process.wait().unwrap();
    let game = |line: &str| serde_json::from_str::<Value>(line).ok()?["game"].as_u64();
    let begun: BTreeSet<u64> = plies.lines().filter_map(game).collect();
    let recorded = scratch.games_now();
    // Not recorded: at most one game of each of the two workers, and the one at the recorder.
    assert!(
        begun.len() <= recorded + 3,
        "{} games begun, {recorded} recorded",
        begun.len()
    );
}

#[test]
fn invalid_arguments_are_rejected_before_anything_is_written() {
    let good = |name: &str| engine("good", name, "depth=1");
    let scratch = Scratch::new("refused");
    for (more, expected) in [
        (vec![], "at least two engines"),
        (
            [good("A"), engine("good", "B", "")].concat(),
            "has no search limit",
        ),
        ([good("A"), good("A")].concat(), "two engines are named"),
        (
            [good("A"), good("B"), vec!["--rounds".into(), "0".into()]].concat(),
            "--rounds",
        ),
        (
            [good("A"), good("B"), vec!["--sprt".into(), "elo0=5".into()]].concat(),
            "elo0 must be less than",
        ),
        (
            [
                good("A"),
                good("B"),
                good("C"),
                vec!["--sprt".into(), "elo1=5".into()],
            ]
            .concat(),
            "exactly two engines",
        ),
        (
            [
                good("A"),
                good("B"),
                vec!["--openings".into(), "file=/nonexistent".into()],
            ]
            .concat(),
            "/nonexistent",
        ),
        (
            [good("A"), good("B"), vec!["--game".into(), "chess".into()]].concat(),
            "chess",
        ),
    ] {
        let mut arguments: Vec<String> = more;
        arguments.extend(["--out".into(), scratch.0.display().to_string()]);
        let output = run(&scratch, &arguments);
        assert_eq!(output.status.code(), Some(2), "{expected}");
        assert!(
            text(&output.stderr).contains(expected),
            "{expected}: {}",
            text(&output.stderr)
        );
        assert!(!scratch.0.join("games.jsonl").exists(), "{expected}");
    }
    // A folder with a tournament is not overwritten.
    assert_eq!(
        run(&scratch, &many_games(&scratch, 1)).status.code(),
        Some(0)
    );
    let output = run(&scratch, &many_games(&scratch, 1));
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("--resume"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(scratch.games().len(), 2);
    let output = run(&scratch, &["--resume".into(), "/nonexistent".into()]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn stats_are_those_of_the_given_counts() {
    let statistics = |arguments: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_nullwindow"))
            .args(["tournament", "--stats"])
            .args(arguments.split_whitespace())
            .output()
            .unwrap();
        (output.status.code(), text(&output.stdout))
    };
    let (code, printed) = statistics("120 80 100");
    assert_eq!(code, Some(0));
    for part in [
        "Elo 46.60",
        "[14.66, 79.35]",
        "normalized Elo 57.51 +- 39.32",
        "LOS 99.79 %",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let (_, printed) = statistics("127 4883 10311 401 5150 104 --sprt elo0=-1.75 elo1=0.25");
    assert!(
        printed.contains("LLR 3.01") && printed.contains("H1 accepted"),
        "{printed}"
    );
    let (_, printed) = statistics("34 54 31 32 64 75 --sprt elo0=0 elo1=250");
    assert!(printed.contains("H0 accepted (Elo 0)"), "{printed}");
    let (_, printed) = statistics("0 0 0 --sprt elo0=0 elo1=5");
    assert!(printed.contains("not yet"), "{printed}");
    for extreme in ["0 0 0", "9 0 0", "0 0 0 0 0 9"] {
        let (code, printed) = statistics(&format!("{extreme} --sprt elo0=-1e300 elo1=1e300"));
        let words: Vec<&str> = printed
            .split(|c: char| !c.is_ascii_alphanumeric())
            .collect();
        let is_finite = !words.contains(&"NaN") && !words.contains(&"inf");
        assert!(code == Some(0) && is_finite, "{extreme}: {printed}");
    }
    assert_eq!(statistics("1 2 3 4").0, Some(2));
    assert_eq!(statistics("18446744073709551615 1 1").0, Some(2));
}
