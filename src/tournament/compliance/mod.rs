//! `--compliance`: does an engine keep its protocol? A line for each step, named, with latencies; UGI and UCI.
//!
//! Every step has a process of its own, so that one failure does not hide the next. The steps are in `steps.rs`; here is
//! the conversation they share.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::process::Process;
use super::spec::EngineSpec;
use crate::game::{Move, Player, quoted};
use crate::games::any::by_name;
use crate::protocol::Protocol;
use crate::protocol::client::{
    Client, ClientError, Course, GoLimits, Identity, Info, Line, Link, LinkError, PassStyle, Uci, Ugi,
};

mod steps;

/// How long anything may take before it counts as missing.
const PATIENCE: Duration = Duration::from_secs(10);
/// Latencies above this fail a step; those below are only shown.
const SLOW: Duration = Duration::from_secs(1);

/// What a step says: what it found worth showing, or what is wrong.
type Finding = Result<String, String>;

/// Runs all steps and writes a line for each; `true` if all pass.
///
/// # Errors
/// If the protocol has no steps here, or `out` cannot be written to.
pub fn check(spec: &EngineSpec, game: &str, out: &mut dyn Write) -> Result<bool> {
    if !matches!(spec.protocol, Protocol::Ugi | Protocol::Uci) {
        bail!("--compliance knows ugi and uci, not {}", spec.protocol.name());
    }
    by_name(game).with_context(|| format!("no such game: {game}"))?;
    writeln!(out, "{} ({}), {game}", spec.command_line(), spec.protocol.name())?;
    let (mut passed, mut failed) = (0, 0);
    for step in steps::all(spec.protocol) {
        let finding = Session::start(spec, game).and_then(|mut session| {
            let finding = (step.run)(&mut session);
            finding.map_err(|what| session.with_exit(what))
        });
        match finding {
            Ok(shown) => {
                passed += 1;
                writeln!(out, "ok    {}{}", step.name, if shown.is_empty() { shown } else { format!(" ({shown})") })?;
            }
            Err(what) => {
                failed += 1;
                writeln!(out, "FAIL  {}: {what}", step.name)?;
            }
        }
        out.flush()?;
    }
    writeln!(out, "{passed} passed, {failed} failed")?;
    Ok(failed == 0)
}

/// One protocol's client, with the position line that the trait does not show.
enum Front {
    Ugi(Ugi),
    Uci(Uci),
}

/// A process and what has been said.
struct Session {
    process: Process,
    front: Front,
    game: String,
    identity: Identity,
    /// The raw lines of the greeting's answer.
    greeting: Vec<String>,
    started: Duration,
}

/// The lines of one search.
struct Search {
    infos: Vec<(String, Info)>,
    /// The words behind `bestmove`.
    best: Vec<String>,
    took: Duration,
}

impl Session {
    /// Starts the engine and greets it.
    fn start(spec: &EngineSpec, game: &str) -> Result<Session, String> {
        let began = Instant::now();
        let process = Process::spawn(&spec.command, spec.directory.as_deref(), None, crossbeam_channel::never())
            .map_err(|error| format!("it cannot start: {error}"))?;
        let pass = PassStyle::Word(spec.pass.clone().unwrap_or_else(|| "pass".into()));
        let front = match spec.protocol {
            Protocol::Uci => Front::Uci(Uci::new(pass)),
            _ => Front::Ugi(Ugi::new(pass)),
        };
        let mut session = Session {
            process,
            front,
            game: game.into(),
            identity: Identity::default(),
            greeting: Vec::new(),
            started: Duration::ZERO,
        };
        session.greet().map_err(|error| session.with_exit(error.to_string()))?;
        session.started = began.elapsed();
        for (name, value) in &spec.options {
            session.talk(|client, link| client.set_option(link, name, value.as_deref()))?;
        }
        Ok(session)
    }

    fn greet(&mut self) -> Result<(), ClientError> {
        let deadline = Instant::now() + 3 * PATIENCE;
        let mut tap = Tap { link: &mut self.process, heard: Vec::new() };
        let greeted = match &mut self.front {
            Front::Ugi(client) => client.greet(&mut tap, deadline),
            Front::Uci(client) => client.greet(&mut tap, deadline),
        };
        self.greeting = tap.heard;
        self.identity = greeted?;
        Ok(())
    }

    /// Lets the protocol's client say something.
    fn talk<T>(
        &mut self,
        act: impl FnOnce(&mut dyn Client, &mut dyn Link) -> Result<T, ClientError>,
    ) -> Result<T, String> {
        let client: &mut dyn Client = match &mut self.front {
            Front::Ugi(client) => client,
            Front::Uci(client) => client,
        };
        act(client, &mut self.process).map_err(|error| error.to_string())
    }

    fn is_ugi(&self) -> bool {
        matches!(self.front, Front::Ugi(_))
    }

    fn send(&mut self, line: &str) -> Result<(), String> {
        self.process.send(line).map_err(|error| format!("it does not take \"{}\": {error}", quoted(line)))
    }

    /// The next line within a time, `None` if there is none.
    fn line(&mut self, within: Duration) -> Result<Option<Line>, String> {
        match self.process.receive(Instant::now() + within) {
            Ok(line) => Ok(Some(line)),
            Err(LinkError::Timeout) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Waits for a line that is wanted and says how long that took.
    fn wait(&mut self, awaited: &str, wanted: impl Fn(&str) -> bool) -> Result<(String, Duration), String> {
        let began = Instant::now();
        while let Some(line) = self.line(PATIENCE.saturating_sub(began.elapsed()))? {
            if wanted(&line.text) {
                return Ok((line.text, line.at.saturating_duration_since(began)));
            }
        }
        Err(format!("no {awaited} within {} s", PATIENCE.as_secs()))
    }

    /// `isready`, answered by exactly `readyok`.
    fn ready(&mut self) -> Result<Duration, String> {
        self.send("isready")?;
        self.wait("readyok", |line| line == "readyok").map(|(_, took)| took)
    }

    /// The course of a new game from the start.
    fn course(&self) -> Result<Course, String> {
        by_name(&self.game).map(Course::from_start).ok_or_else(|| "no such game".into())
    }

    /// Begins a game and puts a course on the board.
    fn set(&mut self, course: &Course) -> Result<(), String> {
        let deadline = Instant::now() + PATIENCE;
        self.talk(|client, link| client.new_game(link, course, Player::First, &GoLimits::default(), deadline))?;
        self.position(course)
    }

    /// Puts a course on the board.
    fn position(&mut self, course: &Course) -> Result<(), String> {
        let line = self.position_line(course);
        self.send(&line)
    }

    fn position_line(&self, course: &Course) -> String {
        match &self.front {
            Front::Ugi(client) => client.position(course),
            Front::Uci(client) => client.position(course),
        }
    }

    /// A `go` in this protocol's words: the players' clocks are written as UGI has them.
    fn go_line(&self, words: &str) -> String {
        let line = format!("go {words}");
        if self.is_ugi() {
            return line;
        }
        line.replace("p1time", "wtime").replace("p2time", "btime").replace("p1inc", "winc").replace("p2inc", "binc")
    }

    /// Searches to the end.
    fn search(&mut self, words: &str) -> Result<Search, String> {
        let line = self.go_line(words);
        self.send(&line)?;
        self.hear(&line)
    }

    /// Collects what a search says, up to its bestmove.
    fn hear(&mut self, asked: &str) -> Result<Search, String> {
        let began = Instant::now();
        let mut infos = Vec::new();
        while let Some(line) = self.line(PATIENCE.saturating_sub(began.elapsed()))? {
            let (word, rest) = line.text.split_once(' ').unwrap_or((&line.text, ""));
            match word {
                "info" if !rest.starts_with("string") => infos.push((line.text.clone(), Info::parse(rest))),
                "bestmove" => {
                    let best = rest.split(' ').map(String::from).collect();
                    return Ok(Search { infos, best, took: line.at.saturating_duration_since(began) });
                }
                _ => {}
            }
        }
        Err(format!("no bestmove after \"{asked}\" within {} s", PATIENCE.as_secs()))
    }

    /// `stop`, and what comes after it.
    fn stop(&mut self) -> Result<Search, String> {
        self.send("stop")?;
        self.hear("stop")
    }

    /// A complaint, with the exit status and last words of an engine that is gone.
    fn with_exit(&mut self, what: String) -> String {
        // An output that has ended comes a moment before the exit.
        match self.process.wait_for_exit_within(Duration::from_millis(200)) {
            Some(status) => {
                self.process.wait_for_last_words();
                let stderr = self.process.log().stderr();
                let last = stderr.lines().last().map_or(String::new(), |line| format!(", stderr: {}", quoted(line)));
                format!("{what} ({status}{last})")
            }
            None => what,
        }
    }
}

/// A course after some random legal plies.
fn random_course(game: &str, plies: usize, rng: &mut crate::rng::Rng) -> Option<Course> {
    let mut course = by_name(game).map(Course::from_start)?;
    for _ in 0..plies {
        let moves: Vec<Move> = course.game().moves().to_vec();
        course.play(*rng.choose(&moves)?);
    }
    Some(course)
}

/// Passes lines through and keeps those that came back.
struct Tap<'a> {
    link: &'a mut dyn Link,
    heard: Vec<String>,
}

impl Link for Tap<'_> {
    fn send(&mut self, line: &str) -> Result<(), LinkError> {
        self.link.send(line)
    }

    fn receive(&mut self, deadline: Instant) -> Result<Line, LinkError> {
        let line = self.link.receive(deadline)?;
        self.heard.push(line.text.clone());
        Ok(line)
    }
}

/// A latency, in milliseconds; too slow is an error.
fn latency(name: &str, took: Duration) -> Finding {
    let shown = format!("{name} {:.2} ms", took.as_secs_f64() * 1e3);
    if took > SLOW { Err(shown) } else { Ok(shown) }
}

/// Sends bytes that are no text.
fn send_raw(process: &mut Process, bytes: &[u8]) -> io::Result<()> {
    process.send_bytes(bytes).map_err(|error| io::Error::other(error.to_string()))
}
