//! `--compliance`: checks that an engine complies with UGI or UCI, and prints one line per check, with latencies.
//!
//! Every check starts a new process, so that one failure does not hide another. The checks are in [`checks`]; this file
//! has their session.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use crossbeam_channel::{Receiver, TryRecvError};

use super::engine_spec::EngineSpec;
use super::play::fault::Abort;
use super::play::option_check;
use super::play::process::EngineProcess;
use super::play::watchdog::Timeouts;
use crate::arena::client::{
    Client, ClientError, GameHistory, GoLimits, Identity, Link, LinkError, PassNotation, ReceivedLine, SearchInfo,
    UciClient, UgiClient,
};
use crate::game::{Move, Player, quoted};
use crate::games::any::by_name;
use crate::protocol::Protocol;

mod checks;

/// The time after which a reply counts as missing.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum latency.
const MAX_LATENCY: Duration = Duration::from_secs(1);

/// The result of a check: details to print, or the failure.
type CheckResult = Result<String, String>;

/// Runs all checks and writes a line for each; `true` if all pass, `None` if `stop` is disconnected before.
///
/// # Errors
/// If there are no checks for the protocol, the engine does not start, or `out` cannot be written to.
pub fn check(spec: &EngineSpec, game: &str, stop: &Receiver<()>, out: &mut dyn Write) -> Result<Option<bool>> {
    if !matches!(spec.protocol, Protocol::Ugi | Protocol::Uci) {
        bail!("--compliance supports ugi and uci, not {}", spec.protocol.name());
    }
    by_name(game).with_context(|| format!("no such game: {game}"))?;
    // An engine that does not start is an error, not a failed check.
    match option_check::start(spec, Timeouts { reply: 3 * TIMEOUT, silence: TIMEOUT }, stop) {
        Ok(session) => session.quit(),
        Err(Abort::Interrupted) => return Ok(None),
        Err(Abort::CannotStart(error)) => return Err(error.into()),
        Err(Abort::CannotRecord(error)) => bail!(error),
    }
    writeln!(out, "{} ({}), {game}", spec.command_line(), spec.protocol.name())?;
    let (mut passed, mut failed) = (0, 0);
    for check in checks::all(spec.protocol) {
        let result = ComplianceSession::start(spec, game, stop)
            .and_then(|mut session| (check.run)(&mut session).map_err(|error| session.with_exit(error)));
        if stop.try_recv() == Err(TryRecvError::Disconnected) {
            return Ok(None);
        }
        match result {
            Ok(details) => {
                passed += 1;
                let details = if details.is_empty() { details } else { format!(" ({details})") };
                writeln!(out, "ok    {}{details}", check.name)?;
            }
            Err(error) => {
                failed += 1;
                writeln!(out, "FAIL  {}: {error}", check.name)?;
            }
        }
        out.flush()?;
    }
    writeln!(out, "{passed} passed, {failed} failed")?;
    Ok(Some(failed == 0))
}

/// The client of one of the two protocols; the trait [`Client`] does not include their `position` commands.
enum ProtocolClient {
    Ugi(UgiClient),
    Uci(UciClient),
}

/// An engine under test.
struct ComplianceSession {
    process: EngineProcess,
    client: ProtocolClient,
    game: String,
    /// The value of the option `Threads` on the command line.
    threads: Option<u64>,
    identity: Identity,
    /// The raw lines of the handshake.
    handshake: Vec<String>,
    start_time: Duration,
}

/// The output of one search.
struct SearchOutput {
    infos: Vec<(String, SearchInfo)>,
    /// The words after `bestmove`.
    best: Vec<String>,
    latency: Duration,
}

impl ComplianceSession {
    /// Starts the engine and performs the handshake.
    fn start(spec: &EngineSpec, game: &str, stop: &Receiver<()>) -> Result<ComplianceSession, String> {
        let began = Instant::now();
        let process = EngineProcess::spawn(&spec.command, spec.directory.as_deref(), None, stop.clone())
            .map_err(|error| format!("it cannot start: {error}"))?;
        let pass = PassNotation::Word(spec.pass.clone().unwrap_or_else(|| "pass".into()));
        let client = match spec.protocol {
            Protocol::Uci => ProtocolClient::Uci(UciClient::new(pass)),
            _ => ProtocolClient::Ugi(UgiClient::new(pass)),
        };
        let mut session = ComplianceSession {
            process,
            client,
            game: game.into(),
            threads: spec.option("Threads").and_then(|threads| threads.parse().ok()),
            identity: Identity::default(),
            handshake: Vec::new(),
            start_time: Duration::ZERO,
        };
        session.greet().map_err(|error| session.with_exit(error.to_string()))?;
        session.start_time = began.elapsed();
        session.process.find_threads();
        session.process.begin_waits();
        for (name, value) in &spec.options {
            session.with_client(|client, link| client.set_option(link, name, value.as_deref()))?;
        }
        Ok(session)
    }

    fn greet(&mut self) -> Result<(), ClientError> {
        let deadline = Instant::now() + 3 * TIMEOUT;
        let mut link = RecordingLink { link: &mut self.process, received: Vec::new() };
        let identity = match &mut self.client {
            ProtocolClient::Ugi(client) => client.greet(&mut link, deadline),
            ProtocolClient::Uci(client) => client.greet(&mut link, deadline),
        };
        self.handshake = link.received;
        self.identity = identity?;
        Ok(())
    }

    /// Calls a method of the protocol's client.
    fn with_client<T>(
        &mut self,
        act: impl FnOnce(&mut dyn Client, &mut dyn Link) -> Result<T, ClientError>,
    ) -> Result<T, String> {
        let client: &mut dyn Client = match &mut self.client {
            ProtocolClient::Ugi(client) => client,
            ProtocolClient::Uci(client) => client,
        };
        act(client, &mut self.process).map_err(|error| error.to_string())
    }

    fn is_ugi(&self) -> bool {
        matches!(self.client, ProtocolClient::Ugi(_))
    }

    fn send(&mut self, line: &str) -> Result<(), String> {
        self.process.send(line).map_err(|error| format!("it did not accept \"{}\": {error}", quoted(line)))
    }

    /// The next line, or `None` after the timeout.
    fn line(&mut self, timeout: Duration) -> Result<Option<ReceivedLine>, String> {
        match self.process.receive(Instant::now() + timeout) {
            Ok(line) => Ok(Some(line)),
            Err(LinkError::Timeout) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Waits for a line that `accept` accepts; returns it with its latency.
    fn wait(&mut self, awaited: &str, accept: impl Fn(&str) -> bool) -> Result<(String, Duration), String> {
        let began = Instant::now();
        while let Some(line) = self.line(TIMEOUT.saturating_sub(began.elapsed()))? {
            if accept(&line.text) {
                return Ok((line.text, line.at.saturating_duration_since(began)));
            }
        }
        Err(format!("no {awaited} within {} s", TIMEOUT.as_secs()))
    }

    /// Sends `isready` and returns the latency of the reply, which must be exactly `readyok`.
    fn ready(&mut self) -> Result<Duration, String> {
        self.send("isready")?;
        self.wait("readyok", |line| line == "readyok").map(|(_, latency)| latency)
    }

    /// The history of a new game.
    fn new_history(&self) -> Result<GameHistory, String> {
        by_name(&self.game).map(GameHistory::from_start).ok_or_else(|| "no such game".into())
    }

    /// Starts a new game and sends its position.
    fn new_game(&mut self, history: &GameHistory) -> Result<(), String> {
        let deadline = Instant::now() + TIMEOUT;
        self.with_client(|client, link| client.new_game(link, history, Player::First, &GoLimits::default(), deadline))?;
        self.position(history)
    }

    /// Sends a position.
    fn position(&mut self, history: &GameHistory) -> Result<(), String> {
        let line = match &self.client {
            ProtocolClient::Ugi(client) => client.position_command(history),
            ProtocolClient::Uci(client) => client.position_command(history),
        };
        self.send(&line)
    }

    /// A `go` command; `arguments` use UGI's names for the clocks.
    fn go_command(&self, arguments: &str) -> String {
        let line = format!("go {arguments}");
        if self.is_ugi() {
            return line;
        }
        line.replace("p1time", "wtime").replace("p2time", "btime").replace("p1inc", "winc").replace("p2inc", "binc")
    }

    /// Sends `go` and waits for the end of the search.
    fn search(&mut self, arguments: &str) -> Result<SearchOutput, String> {
        let line = self.go_command(arguments);
        self.send(&line)?;
        self.read_search(&line)
    }

    /// Reads the output of a search up to its bestmove; errors name `command`.
    fn read_search(&mut self, command: &str) -> Result<SearchOutput, String> {
        let began = Instant::now();
        let mut infos = Vec::new();
        while let Some(line) = self.line(TIMEOUT.saturating_sub(began.elapsed()))? {
            let (word, rest) = line.text.split_once(' ').unwrap_or((&line.text, ""));
            match word {
                "info" if !rest.starts_with("string") => infos.push((line.text.clone(), SearchInfo::parse(rest))),
                "bestmove" => {
                    let best = rest.split(' ').map(String::from).collect();
                    return Ok(SearchOutput { infos, best, latency: line.at.saturating_duration_since(began) });
                }
                _ => {}
            }
        }
        Err(format!("no bestmove after \"{command}\" within {} s", TIMEOUT.as_secs()))
    }

    /// Sends `stop` and reads the rest of the search.
    fn stop(&mut self) -> Result<SearchOutput, String> {
        self.send("stop")?;
        self.read_search("stop")
    }

    /// Checks a latency: an error if it is too large, after subtracting CPU waits since the handshake.
    fn check_latency(&mut self, name: &str, latency: Duration) -> CheckResult {
        let details = format!("{name} {:.2} ms", latency.as_secs_f64() * 1e3);
        if latency <= MAX_LATENCY {
            return Ok(details);
        }
        let waited: Duration = self.process.waits().into_iter().flatten().sum();
        let details = format!("{details}, {:.2} ms of it waiting for a CPU", waited.as_secs_f64() * 1e3);
        if latency.saturating_sub(waited) > MAX_LATENCY { Err(details) } else { Ok(details) }
    }

    /// Appends the exit status and the last line of standard error to an error, if the engine has exited.
    fn with_exit(&mut self, error: String) -> String {
        // The output ends shortly before the process exits.
        match self.process.wait_for_exit_within(Duration::from_millis(200)) {
            Some(status) => {
                self.process.wait_for_stderr();
                let stderr = self.process.log().stderr();
                let last = stderr.lines().last().map_or(String::new(), |line| format!(", stderr: {}", quoted(line)));
                format!("{error} ({status}{last})")
            }
            None => error,
        }
    }
}

/// The history of a game after `plies` random plies; `None` if it ends earlier.
fn random_history(game: &str, plies: usize, rng: &mut crate::game::rng::Rng) -> Option<GameHistory> {
    let mut history = by_name(game).map(GameHistory::from_start)?;
    for _ in 0..plies {
        let moves: Vec<Move> = history.game().moves().to_vec();
        history.play(*rng.choose(&moves)?);
    }
    Some(history)
}

/// A link that records the received lines.
struct RecordingLink<'a> {
    link: &'a mut dyn Link,
    received: Vec<String>,
}

impl Link for RecordingLink<'_> {
    fn send(&mut self, line: &str) -> Result<(), LinkError> {
        self.link.send(line)
    }

    fn receive(&mut self, deadline: Instant) -> Result<ReceivedLine, LinkError> {
        let line = self.link.receive(deadline)?;
        self.received.push(line.text.clone());
        Ok(line)
    }
}
