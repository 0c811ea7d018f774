//! The match runner against scripted engines: each fault has exactly one name, under every kind of limit, and leaves no
//! process behind.
//!
//! The scripted engine is this test binary itself: `scripted_engine` below turns into one when the environment names a
//! script, so nothing but the Rust toolchain is needed.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, Write, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio, exit};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nullwindow::game::{Outcome, Player};
use nullwindow::games::any::{AnyGame, AnyPosition, by_name};
use nullwindow::games::transcript::play_all;
use nullwindow::score::Window;
use nullwindow::search::context::{Context, Watch};
use nullwindow::search::policy::Zero;
use nullwindow::search::textbook::fail_soft;
use serde_json::Value;

// ---------------------------------------------------------------------------------------------- the scripted engine

/// The environment variable that names the script.
const SCRIPT: &str = "NULLWINDOW_SCRIPT";
/// The environment variable that marks the processes of one run.
const MARK: &str = "NULLWINDOW_MARK";

/// No test but an engine, if the environment says so: UGI or UCI or NBoard, playing the first legal move until its script
/// makes it misbehave.
#[test]
fn scripted_engine() {
    let Ok(script) = std::env::var(SCRIPT) else { return };
    let mut engine = Scripted { script, game: by_name("tictactoe").unwrap(), searches: 0, readies: 0, games: 0 };
    for line in stdin().lock().lines() {
        engine.obey(line.unwrap().trim());
    }
    exit(0);
}

struct Scripted {
    script: String,
    game: Box<dyn AnyGame>,
    searches: u32,
    readies: u32,
    games: u32,
}

fn say(text: &str) {
    // One write; libtest's capture is off.
    let mut out = stdout().lock();
    out.write_all(format!("{text}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

fn for_ever() -> ! {
    loop {
        sleep(Duration::from_secs(1000));
    }
}

impl Scripted {
    fn is(&self, script: &str) -> bool {
        self.script == script
    }

    fn obey(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (word, rest) {
            ("ugi", _) if self.is("no-ugiok") => {
                eprintln!("I never will");
                exit(7);
            }
            ("ugi", _) => say(
                "id name Scripted\nid author test\noption name Game type combo default tictactoe var tictactoe var othello\nugiok",
            ),
            ("uci", _) => say("id name Scripted\noption name Game type combo default tictactoe var tictactoe\nuciok"),
            ("setoption", _) => {
                if let Some((_, name)) = rest.split_once("name Game value ") {
                    self.game = by_name(name).unwrap();
                }
            }
            ("isready", _) => {
                self.readies += 1;
                if self.is("exit-at-first-isready") || (self.is("exit-at-isready") && self.readies == 4) {
                    exit(0);
                }
                if self.is("unready") && self.readies == 4 {
                    for_ever();
                }
                say("readyok");
            }
            ("uginewgame" | "ucinewgame", _) => {
                self.games += 1;
                self.game.set_start();
            }
            ("position", _) => self.position(rest),
            ("query", what) => self.answer(what),
            ("go", _) => self.go(),
            ("nboard", _) => {
                self.game = by_name("othello").unwrap();
                say("set myname Scripted");
            }
            ("set", _) => {
                if let Some(game) = rest.strip_prefix("game ") {
                    self.game.set_position(game).unwrap();
                }
            }
            ("move", _) => {
                play_all(&mut *self.game, &rest.to_lowercase()).unwrap();
            }
            ("ping", _) => say(&format!("pong {rest}")),
            ("quit", _) if self.is("ignore-quit") => {}
            ("quit", _) => exit(0),
            _ => {}
        }
    }

    fn position(&mut self, text: &str) {
        let (place, moves) = text.split_once(" moves ").unwrap_or((text, ""));
        self.game.set_position(place.trim_start_matches("fen ")).unwrap();
        play_all(&mut *self.game, moves).unwrap();
    }

    fn answer(&self, what: &str) {
        let p1_turn = self.game.to_move() == Player::First;
        let over = self.game.outcome();
        let answer = match what {
            "p1turn" if self.is("wrong-p1turn") => (!p1_turn).to_string(),
            "p1turn" => p1_turn.to_string(),
            "gameover" if self.is("wrong-gameover") && self.game.history().len() > 2 => "true".into(),
            "gameover" if self.is("unsure") => "perhaps".into(),
            "gameover" if self.is("unanswered") => return,
            "gameover" => over.is_some().to_string(),
            "result" if self.is("wrong-result") => "p2win".into(),
            "result" => match over {
                Some(Outcome::FirstWins) => "p1win",
                Some(Outcome::SecondWins) => "p2win",
                Some(Outcome::Draw) => "draw",
                None => "none",
            }
            .into(),
            _ => "unknown".into(),
        };
        say(&format!("response {answer}"));
    }

    fn best(&self) -> String {
        self.game.write_move(self.game.moves()[0])
    }

    fn go(&mut self) {
        self.searches += 1;
        let best = self.best();
        let say_best = || say(&format!("info depth 3 score cp 10 nodes 99 time 1 pv {best}\nbestmove {best}"));
        match self.script.as_str() {
            "nboard" => say(&format!("status thinking\n=== {}/1.5/0.01", best.to_uppercase())),
            "edax" => say(&format!("=== {best} 1.50 0.0")),
            "edax-illegal" => say("=== A1 0.00 0.0"),
            "crash" => {
                eprintln!("about to crash");
                std::process::abort();
            }
            "crash-once"
                if self.games == 1
                    && std::env::var("NULLWINDOW_ONCE").is_ok_and(|file| fs::File::create_new(file).is_ok()) =>
            {
                std::process::abort();
            }
            "exit-3" => exit(3),
            "exit-0" => exit(0),
            "stall" => for_ever(),
            "no-bestmove" => say("info depth 1 score cp 0 nodes 1 time 1 pv a1"),
            "empty-bestmove" => say("bestmove"),
            "none" => say("bestmove (none)"),
            "illegal" if self.game.history().len() > 1 => say("bestmove a1"),
            "garbage" => say("bestmove \u{1}\u{ffff}a1"),
            // Both are late for 0.1 s; the second does not even hear stop before it is done.
            "late" => {
                sleep(Duration::from_millis(400));
                say_best();
            }
            "megabytes" => {
                let mut out = stdout().lock();
                let noise = vec![b'x'; 1 << 20];
                for _ in 0..4 {
                    out.write_all(&noise).unwrap();
                }
                for n in 0..50_000 {
                    writeln!(out, "\ninfo string noise {n}").unwrap();
                }
                drop(out);
                say_best();
            }
            "stderr" => {
                for n in 0..100_000 {
                    eprintln!("error message number {n}");
                }
                say_best();
            }
            "twice" => {
                say_best();
                say_best();
            }
            // Dies when the other side thinks.
            "crash-after" if self.searches == 2 => {
                say_best();
                std::process::abort();
            }
            _ => say_best(),
        }
    }
}

// --------------------------------------------------------------------------------------------------------- the runs

/// A folder of its own, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("nullwindow-tournament-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        Scratch(folder)
    }

    fn games(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.0.join("games.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn command_of(script: &str) -> String {
    let program = std::env::current_exe().unwrap();
    let words =
        ["env", &format!("{SCRIPT}={script}"), program.to_str().unwrap(), "scripted_engine", "--exact", "--nocapture"];
    shlex::try_join(words).unwrap()
}

/// The arguments of an engine that plays a script under a name.
fn engine(script: &str, name: &str, settings: &str) -> Vec<String> {
    let mut words = vec!["--engine".into(), format!("cmd={}", command_of(script)), format!("name={name}")];
    words.extend(settings.split_whitespace().map(String::from));
    words
}

fn runner(scratch: &Scratch, arguments: &[String]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nullwindow"));
    command.arg("tournament").args(arguments).env(MARK, &scratch.0).env("NULLWINDOW_ONCE", scratch.0.join("once"));
    command.stdin(Stdio::null());
    command
}

/// Runs to the end and makes sure that nothing that was started is left.
#[track_caller]
fn run(scratch: &Scratch, arguments: &[String]) -> Output {
    let output = runner(scratch, arguments).output().unwrap();
    assert_no_process_left(scratch);
    output
}

/// Processes that carry this run's mark in their environment.
fn marked(scratch: &Scratch) -> BTreeSet<String> {
    let mark = format!("{MARK}={}", scratch.0.display()).into_bytes();
    let Ok(all) = fs::read_dir("/proc") else { return BTreeSet::new() };
    all.flatten()
        .filter(|entry| {
            fs::read(entry.path().join("environ")).is_ok_and(|text| text.split(|&b| b == 0).any(|part| part == mark))
        })
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

#[track_caller]
fn assert_no_process_left(scratch: &Scratch) {
    // What was killed may take the kernel a moment to bury.
    let deadline = Instant::now() + Duration::from_secs(20);
    while !marked(scratch).is_empty() {
        assert!(Instant::now() < deadline, "left running: {:?}", marked(scratch));
        sleep(Duration::from_millis(5));
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Lets a scripted engine meet a good one in a pair of games and returns the record; the run itself must end well.
#[track_caller]
fn meet(scratch: &Scratch, script: &str, limits: &str, more: &str) -> Vec<Value> {
    let mut arguments = engine(script, "bad", limits);
    arguments.extend(engine("good", "good", "depth=1 tc=inf"));
    arguments.extend(["--game", "tictactoe", "--openings", "startpos", "--out"].map(String::from));
    arguments.push(scratch.0.display().to_string());
    arguments.extend(more.split_whitespace().map(String::from));
    let output = run(scratch, &arguments);
    assert_eq!(output.status.code(), Some(0), "{script} {limits}\n{}\n{}", text(&output.stdout), text(&output.stderr));
    scratch.games()
}

/// Every game must be lost by the bad engine for this reason, with a log that holds both sides.
#[track_caller]
fn expect_fault(script: &str, limits: &str, more: &str, reason: &str) {
    let scratch = Scratch::new(&format!("{script}-{}", limits.replace(['=', ' ', '.', '+'], "")));
    let games = meet(&scratch, script, limits, more);
    assert_eq!(games.len(), 2, "{script} {limits}");
    for game in &games {
        let bad = if game["p1"] == "bad" { "p1" } else { "p2" };
        let won = if bad == "p1" { "p2win" } else { "p1win" };
        assert_eq!(
            (game["reason"].as_str(), game["fault_by"].as_str(), game["result"].as_str()),
            (Some(reason), Some(bad), Some(won)),
            "{script} under {limits}: {game}"
        );
        let log = fs::read_to_string(scratch.0.join(game["log"].as_str().unwrap())).unwrap();
        assert!(log.contains(" p1 < ") && log.contains(" p2 < ") && log.contains(" > "), "{log}");
        if script == "crash" {
            assert!(log.contains("! about to crash"), "{log}");
        }
    }
}

const LIMITS: [&str; 4] = ["tc=20+0.1", "st=5", "depth=3", "nodes=100"];

#[test]
fn crashes_exits_and_illegal_moves_under_every_limit() {
    for limits in LIMITS {
        expect_fault("crash", limits, "", "crash");
        expect_fault("exit-3", limits, "", "crash");
        expect_fault("exit-0", limits, "", "early-exit");
        expect_fault("illegal", limits, "", "illegal-move");
        expect_fault("empty-bestmove", limits, "", "missing-bestmove");
        expect_fault("wrong-p1turn", limits, "", "wrong-query");
    }
    expect_fault("none", "depth=1", "", "illegal-move");
    expect_fault("garbage", "depth=1", "", "illegal-move");
    expect_fault("crash-after", "depth=1", "", "crash");
}

#[test]
fn stalls_and_missing_moves_under_every_limit() {
    // The clocks are short and the patience is not long, so that the test is neither.
    for limits in ["tc=0.2", "st=0.2", "depth=3", "nodes=100"] {
        expect_fault("stall", limits, "--stall-timeout 1.5 --concurrency 2", "stall");
        let patience = "--stall-timeout 1.5 --think-timeout 0.2 --concurrency 2";
        expect_fault("no-bestmove", limits, patience, "missing-bestmove");
    }
    expect_fault("unready", "depth=1", "--stall-timeout 1.5", "stall");
}

#[test]
fn late_moves_lose_on_time() {
    expect_fault("late", "st=0.1 timemargin=50", "", "time-forfeit");
    expect_fault("late", "tc=0.1", "", "time-forfeit");
    expect_fault("late", "tc=10/0.2", "", "time-forfeit");
    let scratch = Scratch::new("late-within");
    let games = meet(&scratch, "late", "st=0.1 timemargin=60000", "");
    assert!(games.iter().all(|game| game["reason"] == "normal"));
    let late = games.iter().flat_map(|game| game["moves"].as_array().unwrap()).filter(|played| played["late"] == true);
    assert!(late.count() > 4);
}

#[test]
fn wrong_answers_to_queries_lose() {
    for script in ["wrong-gameover", "unsure", "unanswered"] {
        expect_fault(script, "depth=1", "", "wrong-query");
    }
    // The first player wins both games (both sides play the first free square), and p2win is right in neither.
    expect_fault("wrong-result", "depth=1", "", "wrong-query");
}

#[test]
fn an_engine_that_leaves_between_games() {
    // Ready once at the start, once for the new game, then once a move: the fourth time is in the middle of a game.
    expect_fault("exit-at-isready", "depth=1", "", "early-exit");
}

#[test]
fn a_closed_output_is_told_from_an_exit() {
    let scratch = Scratch::new("closed");
    let script = "while read -r line; do case $line in \
        ugi) echo ugiok;; isready) echo readyok;; \
        'query p1turn') case $p in *moves*) echo response false;; *) echo response true;; esac;; \
        'query gameover') echo response false;; position*) p=$line;; go*) exec >&-; sleep 600;; esac; done";
    let mut arguments = vec!["--engine".into(), format!("cmd={}", shlex::try_join(["sh", "-c", script]).unwrap())];
    arguments.extend(["name=bad", "depth=1"].map(String::from));
    arguments.extend(engine("good", "good", "depth=1"));
    arguments.extend(["--game", "tictactoe", "--openings", "startpos", "--out"].map(String::from));
    arguments.push(scratch.0.display().to_string());
    let output = run(&scratch, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let games = scratch.games();
    assert_eq!(games.len(), 2);
    for game in games {
        assert_eq!(game["reason"], "closed-output", "{game}");
    }
}

#[test]
fn noise_is_no_fault() {
    for script in ["megabytes", "stderr", "twice", "ignore-quit", "good"] {
        let scratch = Scratch::new(script);
        let games = meet(&scratch, script, "depth=1", "");
        assert!(
            games.iter().all(|game| game["reason"] == "normal" && game.get("log").is_none()),
            "{script}: {games:?}"
        );
    }
}

#[test]
fn engines_that_cannot_start_end_the_run() {
    for (script, said) in [("no-ugiok", "I never will"), ("exit-at-first-isready", "exit status: 0")] {
        let scratch = Scratch::new(script);
        let mut arguments = engine("good", "good", "depth=1");
        arguments.extend(engine(script, "bad", "depth=1"));
        arguments.extend(["--game", "tictactoe", "--out"].map(String::from));
        arguments.push(scratch.0.display().to_string());
        let output = run(&scratch, &arguments);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains("\"bad\" cannot start") && errors.contains(said), "{errors}");
        assert!(errors.contains(&format!("{SCRIPT}={script}")), "the command line is not shown: {errors}");
        assert!(scratch.games().is_empty());
    }
    let scratch = Scratch::new("nowhere");
    let mut arguments = engine("good", "good", "depth=1");
    arguments.extend(["--engine", "cmd=/nonexistent/engine", "depth=1", "--out"].map(String::from));
    arguments.push(scratch.0.display().to_string());
    let output = run(&scratch, &arguments);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("/nonexistent/engine"), "{}", text(&output.stderr));
}

#[test]
fn recovering_goes_on_with_the_game() {
    // It crashes in one search only: with --recover that game goes on and is played to its end.
    let scratch = Scratch::new("recover");
    fs::create_dir_all(&scratch.0).unwrap();
    let games = meet(&scratch, "crash-once", "depth=1", "--recover");
    assert_eq!(games.len(), 2);
    assert!(games.iter().all(|game| game["reason"] == "normal"), "{games:?}");
    let incidents: Vec<_> = games.iter().filter_map(|game| game["recovered"].as_array()).flatten().collect();
    assert_eq!(incidents.len(), 1);
    assert_eq!(incidents[0]["reason"], "crash");
    let abnormal = games.iter().find(|game| game.get("log").is_some()).unwrap();
    let log = fs::read_to_string(scratch.0.join(abnormal["log"].as_str().unwrap())).unwrap();
    // Both processes of the engine are in the log: the one that died and the one that went on.
    assert!(log.contains("recovered at ply") && log.matches(" < ugi\n").count() >= 3, "{log}");
    // One that always crashes loses all the same.
    expect_fault("crash", "nodes=7", "--recover", "crash");
}

#[test]
fn other_protocols_play_whole_games() {
    let scratch = Scratch::new("uci");
    let games = meet(&scratch, "good", "depth=1 proto=uci", "");
    assert!(games.iter().all(|game| game["reason"] == "normal"));
    for script in ["nboard", "edax"] {
        let scratch = Scratch::new(script);
        let games = othello(&scratch, script, "proto=nboard").1;
        assert!(games.iter().all(|game| game["reason"] == "normal" && game["discs"].is_i64()), "{games:?}");
        let ggf = fs::read_to_string(scratch.0.join("games.ggf")).unwrap();
        assert!(ggf.lines().all(|line| line.contains("/1.50/")), "{ggf}");
    }
}

/// Lets a scripted engine play four games of Othello against a good one; returns what was printed, and the record.
#[track_caller]
fn othello(scratch: &Scratch, script: &str, settings: &str) -> (String, Vec<Value>) {
    let mut arguments = engine(script, script, settings);
    arguments.extend(engine("good", "good", "depth=1"));
    arguments.extend(["--openings", "random", "plies=6", "--rounds", "2", "--out"].map(String::from));
    arguments.push(scratch.0.display().to_string());
    let output = run(scratch, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let games = scratch.games();
    assert_eq!(games.len(), 4);
    (text(&output.stdout), games)
}

#[test]
fn an_illegal_move_is_logged_with_the_line_of_the_engine() {
    let scratch = Scratch::new("edax-illegal");
    for game in othello(&scratch, "edax-illegal", "proto=nboard").1 {
        assert_eq!(game["reason"], "illegal-move", "{game}");
        let log = fs::read_to_string(scratch.0.join(game["log"].as_str().unwrap())).unwrap();
        let fault = log.lines().find(|line| line.starts_with("fault of ")).unwrap();
        assert!(fault.ends_with("its line was \"=== A1 0.00 0.0\""), "{fault}");
        assert!(log.lines().any(|line| line.ends_with(" > === A1 0.00 0.0")), "{log}");
    }
}

#[test]
fn limits_that_a_protocol_cannot_tell_are_said() {
    let scratch = Scratch::new("not-told");
    let note = "note: edax (nboard) is not told these limits: clock 5+0.5, nodes 10\n";
    let printed = othello(&scratch, "edax", "proto=nboard tc=5+0.5 nodes=10 depth=3").0;
    assert_eq!(printed.matches(note).count(), 2, "before the first game and with the results: {printed}");
    assert!(!printed.contains("note: good"), "{printed}");
    let mut report = runner(&scratch, &["--report".into(), scratch.0.display().to_string()]);
    assert!(report.output().unwrap().status.success());
    let html = fs::read_to_string(scratch.0.join("report.html")).unwrap();
    assert!(html.contains(note.trim()), "{html}");
    // The one that has a clock: the lowest it fell to.
    let clock = printed.lines().find(|line| line.starts_with("edax: lowest clock ")).unwrap();
    assert!(clock.ends_with(" % at least") && html.contains(clock), "{printed}");
}

// ------------------------------------------------------------------------------------------- schedule, stop, resume

/// A tournament of many short games between good engines.
fn many(scratch: &Scratch, rounds: u32) -> Vec<String> {
    let mut arguments = engine("good", "A", "depth=1");
    arguments.extend(engine("good", "B", "depth=1"));
    arguments.extend(
        ["--game", "tictactoe", "--openings", "random", "plies=2", "--concurrency", "2", "--rounds"].map(String::from),
    );
    arguments.push(rounds.to_string());
    arguments.extend(["--seed", "7", "--out"].map(String::from));
    arguments.push(scratch.0.display().to_string());
    arguments
}

fn numbers(games: &[Value]) -> Vec<u64> {
    let mut numbers: Vec<u64> = games.iter().map(|game| game["game"].as_u64().unwrap()).collect();
    numbers.sort_unstable();
    numbers
}

#[test]
fn an_interrupted_tournament_is_resumed_without_a_lost_or_repeated_game() {
    let scratch = Scratch::new("resumed");
    let mut child =
        runner(&scratch, &many(&scratch, 300)).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while scratch.games_so_far() < 20 {
        assert!(Instant::now() < deadline && child.try_wait().unwrap().is_none());
        sleep(Duration::from_millis(2));
    }
    assert!(Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_no_process_left(&scratch);
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    let before = scratch.games();
    assert!(before.len() >= 20 && before.len() < 600, "{}", before.len());
    // The command is taken as it is printed.
    let command = told.lines().last().unwrap().trim();
    assert!(command.contains("tournament --resume"), "{told}");
    let resumed = Command::new("sh").args(["-c", command]).env(MARK, &scratch.0).stdin(Stdio::null()).output().unwrap();
    assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
    assert_no_process_left(&scratch);
    let games = scratch.games();
    assert_eq!(games[..before.len()], before[..], "the record was changed");
    assert_eq!(numbers(&games), (1..=600).collect::<Vec<u64>>());
    assert_eq!(fs::read_to_string(scratch.0.join("games.pgn")).unwrap().matches("[Event ").count(), 600);
    // The same games as in one go: openings and colours follow the seed alone.
    let whole = Scratch::new("resumed-whole");
    assert_eq!(run(&whole, &many(&whole, 300)).status.code(), Some(0));
    let key = |games: Vec<Value>| -> BTreeSet<String> {
        let words = |game: &Value| -> Vec<String> {
            game["moves"].as_array().unwrap().iter().map(|played| played["move"].as_str().unwrap().into()).collect()
        };
        games
            .iter()
            .map(|game| format!("{} {} {:?} {}", game["game"], game["p1"], words(game), game["result"]))
            .collect()
    };
    assert_eq!(key(games), key(whole.games()));
    // All played: nothing more is done, and the table is shown.
    let again = Command::new("sh").args(["-c", command]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(again.status.code(), Some(0));
    assert!(
        text(&again.stdout).contains("0 to play") && text(&again.stdout).contains("rank"),
        "{}",
        text(&again.stdout)
    );
}

impl Scratch {
    fn games_so_far(&self) -> usize {
        fs::read_to_string(self.0.join("games.jsonl")).unwrap_or_default().lines().count()
    }
}

#[test]
fn pairs_swap_colours_on_one_opening() {
    let scratch = Scratch::new("pairs");
    assert_eq!(run(&scratch, &many(&scratch, 8)).status.code(), Some(0));
    let games = scratch.games();
    assert_eq!(numbers(&games), (1..=16).collect::<Vec<u64>>());
    let mut openings = BTreeSet::new();
    for pair in 1..=8 {
        let both: Vec<&Value> = games.iter().filter(|game| game["pair"] == pair).collect();
        assert_eq!(both.len(), 2);
        assert_eq!((&both[0]["p1"], &both[0]["p2"]), (&both[1]["p2"], &both[1]["p1"]));
        let opening = |game: &Value| format!("{} {}", game["moves"][0], game["moves"][1]);
        assert_eq!(opening(both[0]), opening(both[1]));
        assert!(opening(both[0]).contains("opening"));
        openings.insert(opening(both[0]));
    }
    assert_eq!(openings.len(), 8);
}

#[test]
fn the_rest_of_an_othello_game_is_solved_not_played() {
    let scratch = Scratch::new("exact");
    let mut arguments = [engine("good", "one", "depth=1"), engine("good", "two", "depth=1")].concat();
    let more = "--game othello --openings startpos --exact 8 --out";
    arguments.extend(more.split_whitespace().map(String::from));
    arguments.push(scratch.0.display().to_string());
    assert_eq!(run(&scratch, &arguments).status.code(), Some(0));
    let games = scratch.games();
    assert_eq!(games.len(), 2);
    for record in games {
        assert_eq!(record["reason"], "adjudicated-exact");
        let words: Vec<&str> =
            record["moves"].as_array().unwrap().iter().map(|m| m["move"].as_str().unwrap()).collect();
        let mut game = by_name("othello").unwrap();
        play_all(&mut *game, &words.join(" ")).unwrap();
        assert!(game.plies_left() <= 8 && game.outcome().is_none(), "{}", game.diagram());
        // What plain fail-soft alpha-beta says of the rest.
        let AnyPosition::Othello(position) = game.position() else { unreachable!() };
        let watch = Watch::default();
        let mut cx = Context::new(&Zero, None, &watch);
        let score = fail_soft(&mut cx, &position, 8, 0, Window::FULL).unwrap();
        let first = if game.to_move() == Player::First { score } else { -score };
        assert_eq!(record["discs"], first.0 / 100);
        let result = ["p2win", "draw", "p1win"][(first.0.signum() + 1) as usize];
        assert_eq!(record["result"], result);
    }
}

#[test]
fn round_robins_and_gauntlets_of_three() {
    for (format, games) in [("round-robin", 12), ("gauntlet", 8)] {
        let scratch = Scratch::new(format);
        let mut arguments: Vec<String> = ["A", "B", "C"].iter().flat_map(|name| engine("good", name, "")).collect();
        arguments.extend(
            ["--each", "depth=2", "--game", "tictactoe", "--rounds", "2", "--format", format, "--out"]
                .map(String::from),
        );
        arguments.push(scratch.0.display().to_string());
        let output = run(&scratch, &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(scratch.games().len(), games);
        let table = text(&output.stdout);
        assert!(table.contains("vs3") && table.contains("no faults"), "{table}");
        assert!(table.contains("runner's own time per move: median"), "{table}");
        assert!(table.contains("seed "), "{table}");
    }
}

#[test]
fn a_decided_test_stops_the_games() {
    let scratch = Scratch::new("sprt");
    let mut arguments = engine("good", "good", "depth=1");
    arguments.extend(engine("exit-0", "bad", "depth=1"));
    arguments
        .extend(["--game", "tictactoe", "--rounds", "10000", "--sprt", "elo0=0", "elo1=50", "--out"].map(String::from));
    arguments.push(scratch.0.display().to_string());
    let output = run(&scratch, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(scratch.games().len() < 1000, "{}", scratch.games().len());
    assert!(text(&output.stdout).contains("H1 accepted"), "{}", text(&output.stdout));
}

#[test]
fn bad_arguments_are_refused_before_anything_is_written() {
    let good = |name: &str| engine("good", name, "depth=1");
    let scratch = Scratch::new("refused");
    for (more, expected) in [
        (vec![], "two engines at least"),
        ([good("A"), engine("good", "B", "")].concat(), "has no limit"),
        ([good("A"), good("A")].concat(), "two engines are called"),
        ([good("A"), good("B"), vec!["--rounds".into(), "0".into()]].concat(), "--rounds"),
        ([good("A"), good("B"), vec!["--sprt".into(), "elo0=5".into()]].concat(), "elo0 must be below"),
        ([good("A"), good("B"), good("C"), vec!["--sprt".into(), "elo1=5".into()]].concat(), "exactly two engines"),
        ([good("A"), good("B"), vec!["--openings".into(), "file=/nonexistent".into()]].concat(), "/nonexistent"),
        ([good("A"), good("B"), vec!["--game".into(), "chess".into()]].concat(), "chess"),
    ] {
        let mut arguments: Vec<String> = more;
        arguments.extend(["--out".into(), scratch.0.display().to_string()]);
        let output = run(&scratch, &arguments);
        assert_eq!(output.status.code(), Some(2), "{expected}");
        assert!(text(&output.stderr).contains(expected), "{expected}: {}", text(&output.stderr));
        assert!(!scratch.0.join("games.jsonl").exists(), "{expected}");
    }
    // A folder with a tournament in it is not overwritten.
    assert_eq!(run(&scratch, &many(&scratch, 1)).status.code(), Some(0));
    let output = run(&scratch, &many(&scratch, 1));
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--resume"), "{}", text(&output.stderr));
    assert_eq!(scratch.games().len(), 2);
    let output = run(&scratch, &["--resume".into(), "/nonexistent".into()]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn figures_from_counts() {
    let figures = |arguments: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_nullwindow"))
            .args(["tournament", "--stats"])
            .args(arguments.split_whitespace())
            .output()
            .unwrap();
        (output.status.code(), text(&output.stdout))
    };
    let (code, said) = figures("120 80 100");
    assert_eq!(code, Some(0));
    for part in ["Elo 46.60", "[14.66, 79.35]", "normalised Elo 57.51 +- 39.32", "LOS 99.79 %"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let (_, said) = figures("127 4883 10311 401 5150 104 --sprt elo0=-1.75 elo1=0.25");
    assert!(said.contains("LLR 3.01") && said.contains("H1 accepted"), "{said}");
    let (_, said) = figures("0 0 0 --sprt elo0=0 elo1=5");
    assert!(said.contains("not yet") && !said.to_lowercase().contains("nan"), "{said}");
    assert_eq!(figures("1 2 3 4").0, Some(2));
    assert!(Path::new(env!("CARGO_BIN_EXE_nullwindow")).exists());
}

// ------------------------------------------------------------------------------------------------------- compliance

/// The lines of a compliance check, and its exit status.
fn compliance(command: &str, game: &str) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_nullwindow"))
        .args(["tournament", "--game", game, "--compliance", command])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn our_engine_keeps_its_protocol_in_every_game() {
    // Mostly it waits, so the games wait together.
    std::thread::scope(|scope| {
        for game in nullwindow::games::any::NAMES {
            scope.spawn(move || {
                let (code, said) = compliance(concat!(env!("CARGO_BIN_EXE_nullwindow"), " --option Hash=1"), game);
                assert_eq!(code, Some(0), "{said}");
                assert!(said.contains("0 failed") && !said.contains("FAIL"), "{said}");
            });
        }
    });
}

#[test]
fn an_engine_that_does_not_is_found_out() {
    // A plain good player moves at once where it should wait for stop, and knows no limits.
    let (code, said) = compliance(&command_of("good"), "tictactoe");
    assert_eq!(code, Some(1), "{said}");
    for step in [
        "FAIL  no bestmove before stop in go infinite",
        "FAIL  go depth is obeyed",
        "FAIL  a finished game",
        "ok    queries agree with the rules",
        "ok    a side that must pass (this game has none)",
        "ok    end of input when idle",
    ] {
        assert!(said.contains(step), "{step} is not in\n{said}");
    }
    for (script, step) in [
        ("wrong-p1turn", "FAIL  queries agree with the rules: query p1turn answered \"false\", expected true"),
        ("illegal", "FAIL  a whole game against itself: bestmove \"a1\" is no legal move"),
        ("crash", "FAIL  new game, start position, a move: its output ended (signal: 6"),
        ("ignore-quit", "FAIL  quit while searching"),
    ] {
        let (code, said) = compliance(&command_of(script), "tictactoe");
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains(step), "{step} is not in\n{said}");
    }
    assert_eq!(compliance("/nonexistent/engine", "othello").0, Some(1));
}

// ------------------------------------------------------------------------------------------------------- the report

/// Whether a program is there; in CI those that are told to be there must be.
fn found(program: &str) -> bool {
    let there =
        Command::new("sh").args(["-c", &format!("command -v {program} >/dev/null")]).status().unwrap().success();
    assert!(
        there || std::env::var("NULLWINDOW_CLIENTS").as_deref() != Ok("required"),
        "{program} is not there (scripts/clients/run.sh installs it)"
    );
    if !there {
        eprintln!("skipped: {program} is not there");
    }
    there
}

#[test]
fn the_report_plays_its_games_in_a_browser() {
    let scratch = Scratch::new("report");
    let mut arguments = engine("good", "A", "depth=1");
    arguments.extend(engine("illegal", "B <i>\"x\"</i>", "depth=1"));
    arguments.extend(["--game", "tictactoe", "--openings", "startpos", "--out"].map(String::from));
    arguments.push(scratch.0.display().to_string());
    assert_eq!(run(&scratch, &arguments).status.code(), Some(0));
    let output = run(&scratch, &["--report".into(), scratch.0.display().to_string()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let page = fs::read_to_string(text(&output.stdout).trim()).unwrap();
    assert!(page.contains("illegal-move") && !page.contains("<i>") && !page.contains("http://localhost"), "{page}");
    if !found("chromium") {
        return;
    }
    // A copy of the page that presses its own buttons and writes down what it sees.
    let probe = "<script>window.onerror = (e) => { document.title = 'ERROR ' + e; };</script>";
    let presses = "<script>const seen = [];\
        const look = () => seen.push(document.querySelectorAll('#board path, #board circle[stroke-width]').length + ':' + document.querySelectorAll('#moves li.now').length);\
        const press = (what) => { document.querySelector(`[data-go=${what}]`).click(); look(); };\
        look(); press('first'); press('forward'); press('forward'); press('back'); press('last');\
        document.querySelector('[data-open=\"1\"]').click(); look();\
        $('filter').value = 'p1win'; $('filter').oninput();\
        document.title = 'SEEN ' + seen.join(' ') + ' rows ' + document.querySelectorAll('#games tbody tr').length + ' ' + document.querySelectorAll('details pre').length;</script>";
    let copy = scratch.0.join("probe.html");
    fs::write(
        &copy,
        page.replace("<head>", &format!("<head>{probe}")).replace("</body>", &format!("{presses}</body>")),
    )
    .unwrap();
    let output = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
        ])
        .args(["--disable-component-update", "--disable-sync", "--dump-dom"])
        .arg(format!("--user-data-dir={}", scratch.0.join("chromium").display()))
        .arg(format!("file://{}", copy.display()))
        .output()
        .unwrap();
    let dom = text(&output.stdout);
    let title = dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).unwrap_or("no title");
    // Game 1: a1 b1 and c1 (the good side's), then the illegal move; game 2: two moves before it.
    assert_eq!(title, "SEEN 3:1 0:0 1:1 2:1 1:1 3:1 2:1 rows 1 2", "{}", text(&output.stderr));
}
