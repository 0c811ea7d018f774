//! Commands sent without waiting for replies: random sequences in all four dialects, and sequences
//! in which a command must apply to the right search.

use std::fmt::Write;
use std::time::{Duration, Instant};

use crate::common::{Engine, converse};
use nullwindow::game::rng::Rng;
use nullwindow::protocol::Protocol;

/// Random sequences in one process, and processes that end by the end of input and by `quit`, for
/// each dialect.
const IN_ONE_PROCESS: u64 = 1_000;
const TO_THE_END_OF_INPUT: u64 = 40;
const TO_QUIT: u64 = 20;
/// The largest number of commands in a sequence.
const LONGEST: u64 = 12;
/// A timeout longer than any answer takes here, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A line that must come, in this order.
struct Answer {
    beginning: String,
    /// It may be missing: a later `ping` may cancel it.
    optional: bool,
}

/// Commands and the answers they must have.
struct Sequence {
    protocol: Protocol,
    /// One line for each command.
    text: String,
    /// In their order, `readyok` aside, which may come earlier.
    answers: Vec<Answer>,
    ready: usize,
    /// The number of searches that may need a `stop`.
    open_ended: usize,
    /// GTP's number of the last command.
    number: usize,
}

impl Sequence {
    fn empty(protocol: Protocol) -> Sequence {
        Sequence {
            protocol,
            text: String::new(),
            answers: Vec::new(),
            ready: 0,
            open_ended: 0,
            number: 0,
        }
    }

    /// A random sequence.
    fn random(protocol: Protocol, rng: &mut Rng) -> Sequence {
        let mut sequence = Sequence::empty(protocol);
        let tictactoe = match protocol {
            Protocol::Ugi | Protocol::Uci => sequence.choose_game(rng),
            Protocol::Gtp | Protocol::NBoard => false,
        };
        for _ in 0..=rng.below(LONGEST) {
            match protocol {
                Protocol::Ugi | Protocol::Uci => sequence.add_of_ugi(rng, tictactoe),
                Protocol::Gtp => sequence.add_of_gtp(rng),
                Protocol::NBoard => sequence.add_of_nboard(rng),
            }
        }
        sequence
    }

    /// Appends a command with the beginnings of its answers.
    fn add(&mut self, line: &str, answers: &[&str]) {
        writeln!(self.text, "{line}").unwrap();
        self.answers.extend(answers.iter().map(|beginning| Answer {
            beginning: String::from(*beginning),
            optional: false,
        }));
    }

    /// `true`: tic-tac-toe, which is searched to its end at once.
    fn choose_game(&mut self, rng: &mut Rng) -> bool {
        let game = *rng
            .choose(&["tictactoe", "othello4", "othello6", "othello"])
            .unwrap();
        self.add(&format!("setoption name Game value {game}"), &[]);
        game == "tictactoe"
    }

    fn add_of_ugi(&mut self, rng: &mut Rng, tictactoe: bool) {
        const ERROR: &str = "info string error: ";
        let go = |limits: &[&str], rng: &mut Rng| format!("go {}", rng.choose(limits).unwrap());
        match rng.below(20) {
            0..4 => self.add(
                &go(
                    &["depth 1", "depth 3", "nodes 500", "movetime 2", "depth 0"],
                    rng,
                ),
                &["bestmove "],
            ),
            4 if tictactoe => self.add(&go(&["exact", "wld", "depth 9"], rng), &["bestmove "]),
            4 => self.add("go depth 2 and more", &[ERROR, "bestmove "]),
            5..8 => {
                let limits = [
                    "infinite",
                    "",
                    "infinite depth 0",
                    "infinite nodes 1",
                    "ponder",
                    "ponder depth 2",
                ];
                self.add(&go(&limits, rng), &["bestmove "]);
                self.open_ended += 1;
            }
            8..11 => self.add("stop", &[]),
            11 => self.add("ponderhit", &[]),
            12 | 13 => {
                self.add("isready", &[]);
                self.ready += 1;
            }
            14 | 15 => self.prepare(rng),
            16 if tictactoe && rng.below(2) == 0 => {
                self.add("position startpos moves a1 b1 a2 b2 a3", &[])
            }
            16 if rng.below(2) == 0 => self.add("position startpos moves nonsense", &[ERROR]),
            16 => self.add("position startpos", &[]),
            17 => self.add("query gameover", &["response "]),
            18 if rng.below(2) == 0 => self.add("moves depth lots", &[ERROR, "moves "]),
            18 => self.add("moves depth 2", &["moves "]),
            _ => match rng.below(4) {
                0 => self.add("go perft 2", &["info string perft 2 "]),
                1 => self.add("bogus", &[ERROR]),
                2 => self.add("go perft lots", &[ERROR, "info string perft 1 "]),
                _ => self.add("# nothing", &[]),
            },
        }
    }

    /// A command that takes a while to prepare the table.
    fn prepare(&mut self, rng: &mut Rng) {
        let lines = [
            "uginewgame",
            "ucinewgame",
            "setoption name Clear Hash",
            "setoption name Hash value 1",
            "setoption name Hash value 2",
            "setoption name Hash value 16",
        ];
        self.add(rng.choose(&lines).unwrap(), &[]);
    }

    fn add_of_gtp(&mut self, rng: &mut Rng) {
        const LINES: [&str; 24] = [
            "genmove b",
            "genmove w",
            "genmove black",
            "reg_genmove white",
            "nullwindow-hint",
            "nullwindow-hint 2 depth 2",
            "nullwindow-hint 1 depth 3 d3",
            "play b d3",
            "play w c3",
            "play w pass",
            "undo",
            "clear_board",
            "boardsize 4",
            "boardsize 6",
            "boardsize 19",
            "nullwindow-option Hash=1",
            "nullwindow-option Hash=8",
            "nullwindow-option Clear Hash",
            "nullwindow-option MultiPV=lots",
            "time_left b 0 1",
            "name",
            "showboard",
            "final_score",
            "bogus",
        ];
        let mut line = rng.choose(&LINES).unwrap().to_string();
        if line == "nullwindow-hint" {
            line += " 3 depth 1";
        }
        self.add_numbered(&line);
    }

    /// Appends a GTP command with a number.
    fn add_numbered(&mut self, command: &str) {
        self.number += 1;
        writeln!(self.text, "{} {command}", self.number).unwrap();
        self.answers.push(Answer {
            beginning: self.number.to_string(),
            optional: false,
        });
    }

    fn add_of_nboard(&mut self, rng: &mut Rng) {
        const GAME: &str = "(;GM[Othello]TY[8]BO[8 --O----- -------- -------- -------- -------- \
                        -------- O*------ -------* *]B[PA];)";
        match rng.below(16) {
            0..3 => self.add("go", &["==="]),
            3..5 => self.add(["hint 1", "hint 4"][rng.below(2) as usize], &["status"]),
            5 => self.add("analyze", &["status"]),
            6..8 => {
                for answer in &mut self.answers {
                    answer.optional |= ["===", "status"].contains(&answer.beginning.as_str());
                }
                let number = rng.below(1_000_000);
                self.add(&format!("ping {number}"), &[&format!("pong {number}")]);
            }
            8 => self.add("learn", &["learned"]),
            9 => self.add(&format!("set depth {}", 1 + rng.below(4)), &[]),
            10 => self.add("set depth lots", &["status error: "]),
            11 => self.add("set option Clear Hash", &[]),
            12 => self.add(
                &format!("set option Hash={}", [1, 2, 16][rng.below(3) as usize]),
                &[],
            ),
            13 => self.add(&format!("set game {GAME}"), &[]),
            14 => self.add("move nonsense", &["status error: "]),
            _ => self.add("bogus", &[]),
        }
    }

    /// Appends a command with a unique answer, which comes last; returns the beginning of that
    /// answer.
    fn add_marker(&mut self, number: u64) -> String {
        match self.protocol {
            Protocol::Ugi | Protocol::Uci => {
                for _ in 0..self.open_ended {
                    self.add("stop", &[]);
                }
                let answer = format!("info string error: unknown command \"marker{number}\"");
                self.add(&format!("marker{number}"), &[&answer]);
                answer
            }
            Protocol::Gtp => {
                self.add_numbered(&format!("marker{number}"));
                format!("?{} unknown command \"marker{number}\"", self.number)
            }
            Protocol::NBoard => {
                let answer = "status error: set option: unknown option".to_string();
                let line = format!("set option marker{number}=1");
                self.add(&line, &[&answer]);
                answer
            }
        }
    }

    /// The compared part of a line: none of the info lines of searches.
    fn answer(&self, line: &str) -> Option<String> {
        let among = |beginnings: &[&str]| {
            beginnings
                .iter()
                .any(|beginning| line.starts_with(beginning))
        };
        let is_answer = match self.protocol {
            Protocol::Ugi | Protocol::Uci => {
                !line.contains("counting")
                    && among(&[
                        "bestmove ",
                        "response ",
                        "moves ",
                        "info string error: ",
                        "info string perft ",
                    ])
            }
            Protocol::Gtp => return line.strip_prefix(['=', '?']).map(String::from),
            Protocol::NBoard => {
                line == "status" || among(&["===", "pong ", "learned", "status error: "])
            }
        };
        is_answer.then(|| line.into())
    }

    /// Fails unless these lines are the answers; `whole`: all of them. A job that `quit` has
    /// interrupted has an error in place of its answer.
    #[track_caller]
    fn check(&self, lines: &[String], whole: bool) {
        let complain = |what: &str| {
            panic!(
                "{what}\n--- sent\n{}--- heard\n{}",
                self.text,
                lines.join("\n")
            )
        };
        let mut expected = self.answers.iter();
        for line in lines.iter().filter_map(|line| self.answer(line)) {
            let fits = |answer: &&Answer| match self.protocol {
                Protocol::Gtp => line.split(' ').next() == Some(&answer.beginning),
                _ if line.ends_with(": not finished before quit") => {
                    ["moves ", "info string perft 1 ", "info string perft 2 "]
                        .contains(&answer.beginning.as_str())
                }
                _ => {
                    line.starts_with(&answer.beginning)
                        && (answer.beginning != "status" || line == "status")
                }
            };
            match expected.find(|answer| fits(answer) || !answer.optional) {
                Some(answer) if fits(&answer) => {}
                Some(answer) => {
                    complain(&format!("\"{line}\" instead of \"{}\"", answer.beginning))
                }
                None => complain(&format!("\"{line}\" answers nothing")),
            }
        }
        let ready = lines.iter().filter(|line| *line == "readyok").count();
        if ready > self.ready || whole && ready < self.ready {
            complain(&format!("{ready} of {} readyok", self.ready));
        }
        if let Some(missing) = expected.find(|answer| whole && !answer.optional) {
            complain(&format!("\"{}\" is missing", missing.beginning));
        }
    }
}

/// A small table, so that processes start fast.
const SMALL: [&str; 2] = ["--option", "Hash=1"];

/// The lines that begin a session: a greeting, and little to search for each move.
fn beginning(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Ugi => "ugi\n",
        Protocol::Uci => "uci\n",
        Protocol::Gtp => "name\ntime_settings 0 0.03 1000\n",
        Protocol::NBoard => "nboard 2\nset depth 2\n",
    }
}

/// Whether a line answers one of `beginning` in GTP.
fn is_of_beginning(line: &str) -> bool {
    ["=", "= nullwindow"].contains(&line)
}

fn many_in_one_process(protocol: Protocol) {
    let mut rng = Rng::for_stream(2_026, protocol as u64);
    let mut engine = Engine::start(&SMALL);
    engine.send_bytes(beginning(protocol).as_bytes());
    for number in 0..IN_ONE_PROCESS {
        let mut sequence = Sequence::random(protocol, &mut rng);
        let marker = sequence.add_marker(number);
        if number % 4 == 0 {
            // The same rules hold for lines that come while the engine is busy with those before.
            for line in sequence.text.split_inclusive('\n') {
                engine.send_bytes(line.as_bytes());
                if rng.below(2) == 0 {
                    std::thread::sleep(Duration::from_micros(rng.below(2_000)));
                }
            }
        } else {
            engine.send_bytes(sequence.text.as_bytes());
        }
        let mut lines: Vec<String> = Vec::new();
        let end = Instant::now() + PATIENCE; // keep-alive lines may continue forever
        while !lines.last().is_some_and(|line| line.starts_with(&marker)) {
            match engine.line_within(end.saturating_duration_since(Instant::now())) {
                Some(line) if !is_of_beginning(&line) => lines.push(line),
                Some(_) => {}
                None => panic!(
                    "no end\n--- sent\n{}--- heard\n{}",
                    sequence.text,
                    lines.join("\n")
                ),
            }
        }
        sequence.check(&lines, true);
    }
    engine.end_input();
    assert_eq!(engine.rest().iter().find(|line| !line.is_empty()), None);
    assert!(engine.wait().success());
}

fn to_the_end(protocol: Protocol) {
    let mut rng = Rng::for_stream(2_027, protocol as u64);
    for number in 0..TO_THE_END_OF_INPUT + TO_QUIT {
        let mut sequence = Sequence::random(protocol, &mut rng);
        let mut behind = "";
        if number >= TO_THE_END_OF_INPUT {
            match protocol {
                Protocol::Gtp => sequence.add_numbered("quit"),
                _ => sequence.add("quit", &[]),
            }
            behind = "isready\ngo depth 1\nname\n";
        }
        let input = format!("{}{}{behind}", beginning(protocol), sequence.text);
        let (mut lines, status) = converse(&SMALL, input.as_bytes());
        assert!(status.success(), "{input}");
        lines.retain(|line| !is_of_beginning(line));
        sequence.check(&lines, true);
    }
}

macro_rules! generated {
    ($($dialect:ident: $protocol:expr;)*) => { $(
        mod $dialect {
            use super::*;

            #[test]
            fn every_random_sequence_is_answered() {
                many_in_one_process($protocol);
            }

            #[test]
            fn the_end_of_input_and_quit_end_the_process() {
                to_the_end($protocol);
            }
        }
    )* };
}

generated! {
    ugi: Protocol::Ugi;
    uci: Protocol::Uci;
    gtp: Protocol::Gtp;
    nboard: Protocol::NBoard;
}

/// An engine in this protocol. Of lines sent at once, all but the first arrive while its thread
/// prepares the table.
fn greeted(greeting: &str) -> Engine {
    let mut engine = Engine::start(&[]);
    engine.send(greeting);
    engine.ask("isready", "readyok");
    engine
}

/// The lines that came between a command and a search while the table was prepared.
const BETWEEN: [&str; 6] = [
    "bogus",
    "position startpos",
    "query p1turn",
    "setoption name Hash value 64",
    "setoption name Clear Hash",
    "isready",
];

#[test]
fn urgent_commands_overtake_others_while_the_table_is_prepared() {
    for greeting in ["ugi", "uci"] {
        let mut engine = greeted(greeting);
        for between in BETWEEN {
            let begin = |go: &str| format!("uginewgame\nposition startpos\n{go}\n{between}\n");
            engine.send(&(begin("go infinite") + "stop"));
            engine.until("bestmove");
            engine.send(&(begin("go infinite") + "isready"));
            let lines = engine.until("readyok");
            assert!(
                !lines.iter().any(|line| line.starts_with("bestmove")),
                "{lines:?}"
            );
            engine.best_move_and_reply("stop");
            if greeting == "uci" {
                engine.send(&(begin("go ponder depth 1") + "ponderhit"));
                engine.until("bestmove");
            }
        }
    }
}

#[test]
fn each_stop_ends_one_search() {
    for table in ["", "uginewgame\n"] {
        let mut engine = greeted("ugi");
        engine.send(&format!(
            "{table}go infinite\nquery p1turn\ngo infinite\nstop\nquery gameover\nstop"
        ));
        for answer in ["bestmove", "response true", "bestmove", "response false"] {
            engine.until(answer);
        }
        engine.send(&format!(
            "{table}go infinite\ngo infinite\ngo infinite\nstop\nstop\nstop\nmarker"
        ));
        let lines = engine.until("info string error: unknown command \"marker\"");
        assert_eq!(
            lines
                .iter()
                .filter(|line| line.starts_with("bestmove"))
                .count(),
            3,
            "{lines:?}"
        );
    }
}

#[test]
fn a_stop_after_a_queued_go_stops_that_search() {
    for table in ["", "uginewgame\n"] {
        let mut engine = greeted("ugi");
        engine.send(&format!(
            "{table}go movetime 500\nisready\ngo infinite\nstop\nisready"
        ));
        let asked = Instant::now();
        engine.until("readyok");
        let lines = engine.until("readyok");
        assert!(
            !lines.iter().any(|line| line.starts_with("bestmove")),
            "{lines:?}"
        );
        engine.until("bestmove");
        assert!(
            asked.elapsed() >= Duration::from_millis(450),
            "{:?}",
            asked.elapsed()
        );
        engine.until("bestmove");
    }
}

#[test]
fn every_pondering_search_ends_after_stop_or_ponderhit_or_the_end_of_input() {
    let mut engine = greeted("uci");
    for table in ["", "uginewgame\n"] {
        // Without limits it is infinite, before and after.
        engine.send(&format!("{table}go ponder\nponderhit\nisready"));
        engine.until("readyok");
        engine.until("info depth ");
        engine.best_move_and_reply("stop");
        // A ponderhit from after another search, then a stop from there.
        engine
            .send(&format!("{table}go ponder\ngo depth 1\nponderhit\nstop\ngo ponder depth 1\ngo depth 1\nponderhit"));
        for _ in 0..4 {
            engine.until("bestmove");
        }
    }
    for (go, answers) in [
        ("go ponder", 1),
        ("go ponder\nponderhit", 1),
        ("go ponder\nponderhit\ngo ponder", 2),
    ] {
        let (lines, status) = converse(&[], format!("uci\n{go}\n").as_bytes());
        assert!(status.success());
        assert_eq!(
            lines
                .iter()
                .filter(|line| line.starts_with("bestmove"))
                .count(),
            answers,
            "{lines:?}"
        );
    }
}

#[test]
fn the_end_of_input_releases_a_move_found_without_an_iteration() {
    // Its only iteration takes forever.
    let endless =
        "setoption name Algorithm value alphabeta\nsetoption name Deepening value false\ngo";
    for go in [
        "go infinite depth 0",
        "go infinite nodes 1",
        "go ponder nodes 1",
        &format!("{endless} infinite"),
        &format!("{endless} ponder movetime 1"),
        &format!("{endless} depth 1\ngo\ngo"),
    ] {
        let mut engine = Engine::start(&["--protocol", "uci"]);
        engine.send(go);
        engine.ask("isready", "readyok");
        std::thread::sleep(Duration::from_millis(100));
        engine.end_input();
        let lines = engine.rest();
        assert!(
            lines
                .last()
                .is_some_and(|line| line.starts_with("bestmove ")),
            "{go}: {lines:?}"
        );
        assert!(engine.wait().success());
    }
}

#[test]
fn the_end_of_input_lets_a_short_search_without_iterations_end() {
    let input = "setoption name Deepening value false\nsetoption name Algorithm value alphabeta\n\
                 setoption name Game value tictactoe\nposition startpos moves a1\ngo infinite\n";
    let (lines, status) = converse(&["--protocol", "ugi"], input.as_bytes());
    assert_eq!(lines.last().map(String::as_str), Some("bestmove b2"));
    assert!(status.success());
}

/// What must depend on the order of the input lines alone: the answers, none of the `info` lines of
/// searches. One kind for the answer of a job and for the error that it was not finished.
fn answers(lines: &[String]) -> Vec<String> {
    let kind = |line: &String| {
        let first = line.split(' ').next().unwrap_or_default();
        let is_job = line.ends_with("not finished before quit")
            || line.starts_with("info string perft ") && line.contains(" total ")
            || ["moves", "nodes"].contains(&first);
        match first {
            _ if is_job => Some("job".into()),
            "bestmove" | "===" => Some(first.into()),
            "status" if line != "status" && !line.starts_with("status error") => None,
            "response" | "status" | "pong" | "learned" | "eval" => Some(line.clone()),
            "analysis" => Some(line.rsplit_once(' ')?.0.into()),
            _ if line.starts_with("info string error: ") => Some(line.clone()),
            _ if line.starts_with(['=', '?']) => Some(first.into()),
            _ => None,
        }
    };
    lines.iter().filter_map(kind).collect()
}

#[test]
fn the_answers_before_quit_depend_on_the_order_of_the_lines_alone() {
    const GAME: &str = "(;GM[Othello]TY[8]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- \
                        *]B[F5]W[D6]B[C3];)";
    let nboard =
        format!("nboard 2\nset game {GAME}\nanalyze\ngo\nhint 3\nanalyze\ngo now\nlearn\nquit\n");
    for (script, expected) in [
        ("go depth 3\nquit\n", "bestmove"),
        (
            "go depth 30\ngo infinite\ngo\nquery p1turn\ngo exact\nquit\n",
            "bestmove bestmove bestmove response true bestmove",
        ),
        (
            "go infinite\nstop\ngo infinite\nstop\nquit\nstop\ngo depth 1\n",
            "bestmove bestmove",
        ),
        (
            "uci\ngo ponder\nponderhit\ngo ponder wtime 1 btime 1\nquit\n",
            "bestmove bestmove",
        ),
        (
            "setoption name Hash value 4096\nisready\ngo depth 9\nquery p1turn\nquit\n",
            "bestmove response true",
        ),
        (
            "go perft 60\nmoves depth 60\nbench\ngo perft 3\nquery gameover\nquit\n",
            "job job job job response false",
        ),
        ("bench\nquit\n", "job"),
        (
            "setoption name Deepening value false\ngo depth 40\ngo exact\nmoves depth 40\nquit\n",
            "bestmove bestmove job",
        ),
        (
            "setoption name Game value scorefour\ngo exact\ngo movetime 9000\ngo mate 9\nquit\n",
            "bestmove bestmove bestmove",
        ),
        (
            "1 genmove b\n2 genmove w\n3 nullwindow-hint 64 depth 60\n4 bogus\n5 quit\n6 name\n",
            "=1 =2 =3 ?4 =5",
        ),
        (
            &nboard,
            "analysis 0 analysis 1 analysis 2 analysis 3 status === status \
             analysis 0 analysis 1 analysis 2 analysis 3 status status error: expected go === learned",
        ),
    ] {
        for at_once in [true, false] {
            for _ in 0..2 {
                let mut lines = Vec::new();
                if at_once {
                    let (said, status) = converse(&[], script.as_bytes());
                    assert!(status.success(), "{script}");
                    lines = said;
                } else {
                    // Line by line, each of them in the middle of what those before it began.
                    let mut engine = Engine::start(&[]);
                    for line in script
                        .split_inclusive('\n')
                        .take_while(|line| !line.contains("name\n"))
                    {
                        engine.send_bytes(line.as_bytes());
                        std::thread::sleep(Duration::from_millis(5));
                        if line.contains("quit") {
                            break;
                        }
                    }
                    lines.extend(engine.rest());
                    assert!(engine.wait().success(), "{script}");
                }
                assert_eq!(answers(&lines).join(" "), expected, "{script}: {lines:?}");
            }
        }
    }
}

#[test]
fn a_stop_takes_effect_after_the_first_iteration() {
    for (input, is_searched) in [
        ("go depth 12\nquit\n", true),
        ("go depth 12\nstop\nquit\n", true),
        ("go infinite\nstop\nquit\n", true),
        ("go movetime 1\nisready\nquit\n", true),
        ("go p1time 1 p2time 1\nisready\nquit\n", true),
        ("go exact\nstop\nquit\n", true),
        (
            "setoption name MultiPV value 64\ngo depth 12\nstop\nquit\n",
            true,
        ),
        (
            "setoption name Strength value 30\ngo depth 12\nstop\nquit\n",
            true,
        ),
        (
            "setoption name Algorithm value minimax\ngo depth 12\nstop\nquit\n",
            true,
        ),
        ("uci\ngo ponder\nstop\nquit\n", true),
        ("uci\ngo ponder wtime 1 btime 1\nponderhit\nquit\n", true),
        ("1 nullwindow-hint depth 12\n# interrupt\n2 quit\n", true),
        ("1 nullwindow-hint depth 12\n2 quit\n", true),
        ("nboard 2\nhint 1\nquit\n", true),
        // Limits of nodes and depth are exact.
        ("go nodes 1\nstop\nquit\n", false),
        ("go depth 0\nquit\n", false),
        // The first iteration is the whole search.
        (
            "setoption name Algorithm value minimax\nsetoption name Deepening value false\n\
             go depth 40\nstop\nquit\n",
            false,
        ),
    ] {
        let (lines, status) = converse(&[], input.as_bytes());
        assert!(status.success(), "{input}");
        // The depth of each dialect: `info depth 2`, `=1 D3 +1.00 8@73% D3`, `search D3 1 0 2`.
        let searched = lines.iter().any(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let depth = match words[0] {
                "info" if words[1] == "depth" => words[2],
                "=1" => words[3],
                "search" => words[4],
                _ => return false,
            };
            depth != "0"
        });
        assert_eq!(searched, is_searched, "{input}: {lines:?}");
    }
}

#[test]
fn a_first_search_is_answered_before_quit_on_a_busy_machine_too() {
    let busy = std::sync::atomic::AtomicBool::new(true);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while busy.load(std::sync::atomic::Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        for round in 0..20 {
            let (lines, status) = converse(&[], b"go depth 3\nquit\n");
            let found = lines
                .last()
                .is_some_and(|line| line.starts_with("bestmove "));
            if !found || !status.success() {
                busy.store(false, std::sync::atomic::Ordering::Relaxed);
                panic!("round {round}: {lines:?}");
            }
        }
        busy.store(false, std::sync::atomic::Ordering::Relaxed);
    });
}

#[test]
fn quit_shortens_expensive_searches() {
    for (options, go) in [
        ("MultiPV value 64", "go exact"),
        ("Threads value 256", "go exact"),
        ("Algorithm value minimax", "go depth 40"),
        ("Strength value 30", "go movetime 100000"),
        ("Selectivity value 50", "go wld"),
    ] {
        for game in ["othello", "scorefour"] {
            for deepening in [true, false] {
                let setup = format!("setoption name Game value {game}\nsetoption name {options}\n");
                let input = format!(
                    "{setup}setoption name Deepening value {deepening}\n{}quit\n",
                    format!("{go}\n").repeat(20)
                );
                let asked = Instant::now();
                let (lines, status) = converse(&[], input.as_bytes());
                assert!(status.success());
                assert_eq!(
                    lines
                        .iter()
                        .filter(|line| line.starts_with("bestmove "))
                        .count(),
                    20,
                    "{input}"
                );
                assert!(
                    asked.elapsed() < Duration::from_secs(10),
                    "{input}: {:?}",
                    asked.elapsed()
                );
            }
        }
    }
}

#[test]
fn quit_waits_for_a_slow_reader_and_not_for_one_that_has_stopped() {
    use std::io::{Read, Write};
    // Far more output than the pipe holds.
    for reads in [true, false] {
        let mut child = crate::common::command()
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input
            .write_all(("ugi\n".repeat(40) + "quit\n").as_bytes())
            .unwrap();
        let mut output = child.stdout.take().unwrap();
        let mut text = Vec::new();
        if reads {
            // Slower than a page of the pipe in two seconds at first, and a long time in all.
            let mut bytes = [0; 700];
            for _ in 0..8 {
                std::thread::sleep(Duration::from_millis(500));
                let count = output.read(&mut bytes).unwrap();
                text.extend_from_slice(&bytes[..count]);
            }
            output.read_to_end(&mut text).unwrap();
            let ended = String::from_utf8(text)
                .unwrap()
                .lines()
                .filter(|line| *line == "ugiok")
                .count();
            assert_eq!(ended, 40);
        }
        assert!(crate::common::wait(&mut child).success());
    }
}

#[test]
fn quit_shortens_queued_rankings_of_gtp() {
    let input = "1 clear_board\n2 nullwindow-hint 64 depth 60\n3 nullwindow-hint 64 depth 60\n4 genmove b\n5 quit\n";
    let (lines, status) = converse(&[], input.as_bytes());
    assert!(status.success());
    let signs: Vec<_> = lines
        .iter()
        .filter(|line| line.starts_with(['=', '?']))
        .map(|line| &line[..2])
        .collect();
    assert_eq!(signs, ["=1", "=2", "=3", "=4", "=5"]);
}
