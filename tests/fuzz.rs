//! Fuzzing of the protocols: mutated lines go through the line reader, each dialect's parser, the
//! engine and the formatter, in one process.
//!
//! The corpus is the lines of protocol.md's transcripts, the usage of every command and the values
//! of every option. Checked for each line: nothing panics; it has one class of answer (none, an
//! answer, or an error; `go` may have both); an error leaves the position unchanged.
//! `NULLWINDOW_FUZZ` multiplies the number of lines, `NULLWINDOW_FUZZ_SEED` selects others:
//!
//! `NULLWINDOW_FUZZ=1000 NULLWINDOW_FUZZ_SEED=7 cargo test --release fuzz::`

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

use nullwindow::engine::Engine;
use nullwindow::engine::event::{Event, Response};
use nullwindow::engine::options::{Kind, OPTIONS, Options};
use nullwindow::engine::request::{Go, Query, Request};
use nullwindow::game::rng::Rng;
use nullwindow::games::any::NAMES;
use nullwindow::protocol::command::Command;
use nullwindow::protocol::dialect::{Dialect, Tag};
use nullwindow::protocol::line::read_line;
use nullwindow::protocol::ugi::Ugi;
use nullwindow::protocol::writer::Output;
use nullwindow::protocol::{Protocol, gtp, nboard, ugi};

/// Lines per protocol with `NULLWINDOW_FUZZ=1`.
const LINES: u64 = 6_000;

/// Words that parsers treat specially.
const WORDS: &[&str] = &[
    "0",
    "-1",
    "1",
    "+1",
    "1.5",
    "1e300",
    "nan",
    "99999999999999999999",
    "-99999999999999999999",
    "moves",
    "value",
    "name",
    "fen",
    "startpos",
    "pass",
    "PA",
    "0000",
    "depth",
    "infinite",
    "ponder",
    "searchmoves",
    "mate",
    "perft",
    "#",
    "\"",
    "\\",
    "(;GM[Othello]PC[x]BO[8 ---------------------------O*------*O--------------------------- *]B[F5//2.4]W[D6];)",
    "f5/1/2",
    "[Event \"x\"] [FEN \"8/8/8/3ox3/3xo3/8/8/8 x\"] 1. f5 {book} (e6) d6! 1-0",
    "{\"variant\":\"othello\",\"moves\":[{\"move\":\"f5\"}]}",
    "---------------------------0*------*0---------------------------* f5:+2; +18; % note",
    "-------- -------- -------- ---OX--- ---XO--- -------- -------- -------- X",
    "37-27",
    "{",
    "[FEN \"",
    "(",
    "8/8/8/3ox3/3xo3/8/8/8 x",
    "P@e3",
    "e3e3",
    "a1",
    "f5",
    "d6",
    "é",
    "\u{feff}",
    "\u{202e}",
    "𝔘",
    "\t",
    "\0",
    "\u{7f}",
    ";",
];

/// A fuzzed dialect with its engine.
struct Session {
    protocol: Protocol,
    dialect: Box<dyn Dialect>,
    engine: Engine,
}

/// What must not change on an error: position and outcome.
#[derive(PartialEq, Debug)]
struct Snapshot(Vec<Response>);

impl Session {
    fn new(protocol: Protocol) -> Session {
        let dialect = protocol.dialect(false);
        let mut engine = Engine::new(Options {
            hash: 1,
            depth: 1,
            ..Options::default()
        })
        .unwrap();
        engine.set_dialect_rules(protocol.rules());
        Session {
            protocol,
            dialect,
            engine,
        }
    }

    /// Handles a request to its end and returns all events.
    fn handle(&mut self, request: Request) -> Vec<Event> {
        let mut events = Vec::new();
        self.engine
            .handle(request, Instant::now(), &mut |event| events.push(event));
        let reports = self.engine.reports();
        while self.engine.is_busy() {
            let report = reports.recv().expect("the search thread lives");
            self.engine.report(report, &mut |event| events.push(event));
        }
        events
    }

    fn snapshot(&mut self) -> Snapshot {
        let mut response = |query| match self.handle(Request::Query(query)).pop() {
            Some(Event::Response(response)) => response,
            other => panic!("a query was answered by {other:?}"),
        };
        Snapshot(
            [Query::Fen, Query::Result, Query::LegalMoves, Query::P1Turn]
                .map(&mut response)
                .into(),
        )
    }

    /// Sends a line and checks its effects.
    fn check(&mut self, bytes: &[u8]) {
        let Ok(Some(line)) = read_line(&mut &*bytes) else {
            return;
        };
        let (tag, requests) = match &line {
            Ok(line) => self.dialect.parse(line),
            Err(error) => (Tag::default(), vec![Request::Error(error.to_string())]),
        };
        let (mut answers, mut errors, mut is_go, mut errors_come_first) = (0, 0, false, true);
        // GoGui's `# interrupt` is a comment, not a command.
        let command_count = requests
            .iter()
            .filter(|request| **request != Request::Stop)
            .count();
        for request in requests {
            let Some(request) = bounded(request) else {
                return;
            };
            is_go |= matches!(
                request,
                Request::Go(_) | Request::Generate { .. } | Request::Analyze(_)
            );
            is_go |= matches!(request, Request::Rank(_));
            let has_own_error = matches!(request, Request::Error(_));
            let before = self.snapshot();
            let events = self.handle(request);
            let error_of = |event: &Event| match event {
                Event::Error(text) | Event::Failed(text) => Some(text.clone()),
                _ => None,
            };
            let error = events.iter().find_map(error_of);
            // UGI: an illegal move ends the game for its player, as protocol.md specifies.
            if error.is_some_and(|text| !text.ends_with("lost by its player")) {
                assert_eq!(self.snapshot(), before, "an error changed the position");
            }
            assert!(!has_own_error || events.len() == 1);
            for event in &events {
                let outputs = self.dialect.format(&tag, event);
                if outputs.is_empty() {
                    continue;
                }
                for output in outputs {
                    assert!(output.text.len() < 100_000, "{:?}", output.text);
                }
                match error_of(event) {
                    Some(text) => {
                        let is_plain = !text.is_empty() && !text.chars().any(char::is_control);
                        assert!(is_plain, "an error is one line of plain text: {text:?}");
                        errors += 1;
                        errors_come_first &= answers == 0;
                    }
                    None => answers += 1,
                }
            }
        }
        match self.protocol {
            Protocol::Gtp => assert_eq!(
                answers + errors,
                command_count,
                "one answer to each command"
            ),
            _ if is_go => assert!(errors <= 2, "{errors} errors"),
            // A command whose reply a client waits for is executed despite superfluous words.
            _ if errors_come_first && errors == 1 => {
                assert!(answers <= 1, "{answers} answers behind an error")
            }
            _ => assert!(errors == 0, "{errors} errors, {answers} answers"),
        }
    }
}

/// The request with small limits, so that thousands of them are quick; `None` for those that end
/// the engine, take long by nature, undo the limits or write files.
fn bounded(request: Request) -> Option<Request> {
    let perft = |go: &Go| go.perft.map(|depth| depth.min(2));
    let shallow = |go: Go| Go {
        depth: Some(1),
        perft: perft(&go),
        moves: go.moves,
        lines: go.lines,
        ..Go::default()
    };
    Some(match request {
        Request::Quit | Request::Bench => return None,
        Request::SetOption { name, .. }
            if ["hash", "depth", "debug log file"]
                .contains(&name.to_ascii_lowercase().as_str()) =>
        {
            return None;
        }
        Request::Go(go) => Request::Go(shallow(go)),
        Request::Generate { player, play, go } => Request::Generate {
            player,
            play,
            go: shallow(go),
        },
        Request::Analyze(go) => Request::Analyze(shallow(go)),
        Request::Rank(go) => Request::Rank(Go {
            depth: Some(1),
            ..go
        }),
        other => other,
    })
}

/// The lines that mutations start from.
fn corpus(protocol: Protocol) -> Vec<String> {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/protocol.md")).unwrap();
    let mut lines: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("> "))
        .map(|line| line.to_string())
        .collect();
    assert!(lines.len() > 20, "protocol.md has transcripts");
    match protocol {
        Protocol::Gtp => lines.extend(gtp::COMMANDS.iter().map(Command::syntax)),
        Protocol::NBoard => lines.extend(nboard::COMMANDS.iter().map(Command::syntax)),
        _ => lines.extend(ugi::COMMANDS.iter().map(Command::syntax)),
    }
    for option in OPTIONS.iter() {
        let values = match &option.kind {
            Kind::Combo(words, _) => words.clone(),
            Kind::Check(..) => vec!["true", "false"],
            _ => vec!["1"],
        };
        for value in values {
            lines.push(match protocol {
                Protocol::Gtp => format!("nullwindow-option {}={value}", option.name),
                Protocol::NBoard => format!("set option {}={value}", option.name),
                _ => format!("setoption name {} value {value}", option.name),
            });
        }
    }
    lines.extend(NAMES.map(|game| format!("set_game {game}")));
    lines
}

/// One mutated line.
fn mutated(corpus: &[String], rng: &mut Rng) -> Vec<u8> {
    let pick = |rng: &mut Rng| rng.choose(corpus).cloned().unwrap_or_default();
    let mut line = pick(rng);
    // Words first: half of all lines stay as they are or nearly so, which keeps the sessions in
    // interesting states.
    for _ in 0..rng.below(4) {
        let mut words: Vec<String> = line.split(' ').map(String::from).collect();
        let at = rng.below(words.len() as u64) as usize;
        match rng.below(6) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, rng.choose(WORDS).unwrap_or(&"").to_string()),
            2 => words[at] = rng.choose(WORDS).unwrap_or(&"").to_string(),
            3 => words.insert(at, words[at].clone()),
            4 => {
                let other = rng.below(words.len() as u64) as usize;
                words.swap(at, other);
            }
            _ => {
                words.truncate(at);
                words.extend(pick(rng).split(' ').map(String::from));
            }
        }
        line = words.join(" ");
    }
    let mut bytes = line.into_bytes();
    if rng.below(3) == 0 {
        for _ in 0..=rng.below(3) {
            let at = rng.below(bytes.len() as u64 + 1) as usize;
            match rng.below(5) {
                0 => bytes.insert(at, rng.next_u64() as u8),
                1 if at < bytes.len() => drop(bytes.remove(at)),
                2 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
                3 => bytes.truncate(at),
                _ => bytes.extend(vec![b'x'; rng.below(200) as usize]),
            }
        }
    }
    bytes
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable)
        .ok()
        .map_or(default, |text| text.parse().expect(variable))
}

fn fuzz(protocol: Protocol) {
    let corpus = corpus(protocol);
    let mut rng = Rng::for_stream(number("NULLWINDOW_FUZZ_SEED", 1), protocol as u64);
    let mut session = Session::new(protocol);
    let mut recent: Vec<String> = Vec::new();
    for index in 0..LINES * number("NULLWINDOW_FUZZ", 1) {
        if index % 500 == 0 {
            session = Session::new(protocol);
            recent.clear();
        }
        let line = mutated(&corpus, &mut rng);
        recent.push(String::from_utf8_lossy(&line).into_owned());
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| session.check(&line))) {
            let last = &recent[recent.len().saturating_sub(10)..];
            eprintln!(
                "{} line {index}, the last lines:\n{}",
                protocol.name(),
                last.join("\n")
            );
            resume_unwind(panic);
        }
    }
}

#[test]
fn mutated_ugi_lines_have_a_valid_reply() {
    fuzz(Protocol::Ugi);
}

#[test]
fn mutated_uci_lines_have_a_valid_reply() {
    fuzz(Protocol::Uci);
}

#[test]
fn mutated_gtp_lines_have_a_valid_reply() {
    fuzz(Protocol::Gtp);
}

#[test]
fn mutated_nboard_lines_have_a_valid_reply() {
    fuzz(Protocol::NBoard);
}

/// UGI that answers every line with text and an error.
struct TwoAnswers(Ugi);

impl Dialect for TwoAnswers {
    fn parse(&mut self, _line: &str) -> (Tag, Vec<Request>) {
        (
            Tag::default(),
            vec![Request::Text("text".into()), Request::Error("error".into())],
        )
    }

    fn format(&mut self, tag: &Tag, event: &Event) -> Vec<Output> {
        self.0.format(tag, event)
    }
}

#[test]
#[should_panic(expected = "1 errors, 1 answers")]
fn the_fuzzer_rejects_a_second_reply() {
    let mut session = Session::new(Protocol::Ugi);
    session.dialect = Box::new(TwoAnswers(Ugi::default()));
    session.check(b"isready");
}
