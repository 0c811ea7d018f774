//! A running engine: its process, its protocol client, and the diagnosis of its faults; the result
//! of a search; and a worker's slot, which starts the engine on demand and keeps it between games.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use crossbeam_channel::Receiver;

use super::match_log::MatchLog;
use super::process::{EngineLog, EngineProcess};
use super::search_check::ReportChecker;
use super::start_error::{StartError, explain};
use super::watchdog::{SearchWatchdog, WatchdogAction};
use crate::arena::client;
use crate::arena::client::{
    Client, ClientError, EngineReply, Exchange, GameHistory, GoLimits, Identity, Link, LinkError,
    SearchInfo,
};
use crate::arena::config::engine_spec::{BOOK_FILE, EngineSpec};
use crate::arena::config::{Timeouts, TournamentConfig};
use crate::arena::rules::fault::{Fault, Interrupted, Termination};
use crate::arena::rules::warning::ReportWarning;
use crate::game::Player;
use crate::games::any::AnyGame;
use crate::games::record::ReportedScore;
use crate::platform::files::append_regular;

/// A running engine and its protocol client.
pub struct EngineSession {
    /// Its settings.
    pub spec: EngineSpec,
    client: Box<dyn Client>,
    /// Its process.
    pub process: EngineProcess,
    /// The result of the handshake.
    pub identity: Identity,
    /// How long it may take to reply.
    pub timeouts: Timeouts,
    pondering: Option<Pondering>,
    /// The lines with which it refused settings, and whether it may.
    pub refusals: Vec<String>,
    lenient: bool,
    /// The search report warnings since they were last taken.
    pub warnings: Vec<ReportWarning>,
}

/// A search on the opponent's time.
struct Pondering {
    /// The game after the expected move.
    expected: AnyGame,
    checker: ReportChecker,
}

impl EngineSession {
    /// Sets the options of the engine and waits until it is ready.
    ///
    /// # Errors
    /// If it is not ready in time, exits, or refuses a setting; the last not if the run is lenient.
    pub fn set_up(mut self) -> Result<EngineSession> {
        if let Err(error) = self.send_settings() {
            return Err(self.cannot_start(error));
        }
        match self.refusals.first() {
            Some(line) if !self.lenient => {
                let what = format!("it refuses a setting: {line} (--lenient plays without it)");
                Err(self.start_error(what))
            }
            _ => Ok(self),
        }
    }

    fn send_settings(&mut self) -> client::Result {
        let mut exchange = Exchange::new(&mut self.process, self.timeouts.start);
        exchange.note_refusals(self.client.refusal());
        for line in &self.spec.initial {
            exchange.send(line)?;
        }
        for (name, value) in &self.spec.options {
            let declared = self.identity.option(name);
            let is_button = declared.is_some_and(|option| option.kind == "button");
            match value.as_deref() {
                // As in fastchess, `true` presses a button.
                Some("false") if is_button => {}
                Some("true") if is_button => self.client.set_option(&mut exchange, name, None)?,
                value => self.client.set_option(&mut exchange, name, value)?,
            }
        }
        if self.spec.ponder && self.identity.option("Ponder").is_some() {
            self.client
                .set_option(&mut exchange, "Ponder", Some("true"))?;
        }
        self.client.synchronize(&mut exchange)?;
        self.refusals = exchange.refusals();
        Ok(())
    }

    /// The error of a fault before the first game.
    fn cannot_start(&mut self, error: ClientError) -> anyhow::Error {
        match self.diagnose(error).downcast::<Fault>() {
            Err(abort) => abort,
            Ok(Fault { reason, mut detail }) => {
                if reason == Termination::Stall {
                    detail += &format!(
                        "; the start timeout is {} s",
                        self.timeouts.start.as_secs_f64()
                    );
                }
                self.start_error(detail)
            }
        }
    }

    fn start_error(&self, what: String) -> anyhow::Error {
        StartError::new(&self.spec, what, &self.process.stderr()).into()
    }

    /// Calls the protocol's client, which waits at most for the reply timeout.
    ///
    /// # Errors
    /// Those of the client.
    pub fn call<T>(
        &mut self,
        act: impl FnOnce(&mut dyn Client, &mut Exchange) -> client::Result<T>,
    ) -> client::Result<T> {
        let mut exchange = Exchange::new(&mut self.process, self.timeouts.reply);
        act(&mut *self.client, &mut exchange)
    }

    /// As [`EngineSession::call`]; an error is diagnosed.
    fn command<T>(
        &mut self,
        act: impl FnOnce(&mut dyn Client, &mut Exchange) -> client::Result<T>,
    ) -> Result<T> {
        self.call(act).map_err(|error| self.diagnose(error))
    }

    /// Starts a new game.
    ///
    /// # Errors
    /// A fault of the engine, an interrupt, or a [`StartError`] if the engine does not support the
    /// game.
    pub fn new_game(&mut self, game: &GameHistory, side: Player, limits: &GoLimits) -> Result<()> {
        let mut exchange = Exchange::new(&mut self.process, self.timeouts.new_game);
        let begun = self.client.new_game(&mut exchange, game, side, limits);
        begun.map_err(|error| self.diagnose(error))
    }

    /// Sets the `Book Seed` of an engine with a book to the number of the game, so that games from one
    /// opening differ, unless it is set for all games. Returns whether it did.
    ///
    /// # Errors
    /// A fault of the engine, or an interrupt.
    pub fn seed_book(&mut self, game: u64) -> Result<bool> {
        const SEED: &str = "Book Seed";
        let has_book = self.spec.option(BOOK_FILE).is_some();
        let is_due = has_book && self.spec.option(SEED).is_none();
        let is_due = is_due && self.identity.option(SEED).is_some();
        if is_due {
            let seed = game.to_string();
            self.command(|client, exchange| client.set_option(exchange, SEED, Some(&seed)))?;
        }
        Ok(is_due)
    }

    /// Sends the position and checks the engine's view of it, unless the engine is pondering on it.
    /// Stops pondering on another position. Returns the time from sending it to the last reply.
    ///
    /// # Errors
    /// A fault of the engine, or an interrupt.
    pub fn prepare(&mut self, game: &GameHistory) -> Result<Option<Duration>> {
        if self
            .pondering
            .as_ref()
            .zip(game.rules().ok())
            .is_some_and(|(pondering, game)| pondering.expected.history() == game.history())
        {
            return Ok(None);
        }
        self.end_pondering()?;
        let began = Instant::now();
        self.command(|client, exchange| client.prepare(exchange, game))?;
        let arrived = self.process.last_arrival;
        Ok(arrived.and_then(|arrived| arrived.checked_duration_since(began)))
    }

    /// Sends the position and a query about it, and returns the answer, or `nothing`.
    ///
    /// # Errors
    /// A fault of the engine, or an interrupt.
    pub fn ask(&mut self, game: &GameHistory, query: &str) -> Result<String> {
        self.command(|client, exchange| client.ask(exchange, game, query))
    }

    /// Starts pondering on the last move of `expected`, the expected reply.
    ///
    /// # Errors
    /// A fault of the engine, or an interrupt.
    pub fn start_pondering(&mut self, expected: AnyGame, limits: &GoLimits) -> Result<()> {
        let history = expected.clone().into();
        self.command(|client, exchange| client.ponder(exchange, &history, limits))?;
        self.pondering = Some(Pondering {
            expected,
            checker: ReportChecker::new(&history),
        });
        Ok(())
    }

    /// Stops pondering and discards the move.
    ///
    /// # Errors
    /// A fault of the engine, or an interrupt.
    pub fn end_pondering(&mut self) -> Result<()> {
        let Some(Pondering { mut checker, .. }) = self.pondering.take() else {
            return Ok(());
        };
        let word = self.command(|client, exchange| {
            client.stop(exchange)?;
            exchange.wait_for("the end of its pondering", |line| {
                match client.parse_reply(line) {
                    EngineReply::Info(info) => {
                        checker.line(&info, line);
                        None
                    }
                    EngineReply::Move { word, .. } => Some(word),
                    EngineReply::Resign => Some(None),
                    _ => None,
                }
            })
        })?;
        self.warnings.extend(checker.finish(word.as_deref()));
        Ok(())
    }

    /// Searches for a move, after [`EngineSession::prepare`]. After `allowance` the engine is
    /// stopped; a move that arrives within the move timeout is still returned, with its full time.
    ///
    /// # Errors
    /// A fault of the engine, or an interrupt.
    pub fn search(
        &mut self,
        game: &GameHistory,
        limits: &GoLimits,
        allowance: Option<Duration>,
    ) -> Result<EngineMove> {
        // Only moves with a time limit can be late.
        if allowance.is_some() {
            self.process.begin_waits();
        }
        self.process.begin_heartbeat();
        let began = Instant::now();
        let pondering = self.pondering.take();
        let ponder_hit = pondering.is_some();
        self.command(|client, exchange| match ponder_hit {
            true => client.ponder_hit(exchange),
            false => client.go(exchange, game, limits),
        })?;
        let sending = began.elapsed();
        let mut checker =
            pondering.map_or_else(|| ReportChecker::new(game), |pondering| pondering.checker);
        let mut info = SearchInfo::default();
        let flag = allowance.map(|allowance| began + allowance);
        let mut watchdog =
            SearchWatchdog::new(began, flag, self.client.can_interrupt(), self.timeouts);
        loop {
            let line = match self.process.receive(watchdog.deadline()) {
                Ok(line) => line,
                Err(LinkError::Timeout) => {
                    self.obey(&mut watchdog)?;
                    continue;
                }
                Err(error) => {
                    return Err(self.diagnose(ClientError::Link {
                        awaited: "its move".into(),
                        error,
                    }));
                }
            };
            let (word, ponder) = match self.client.parse_reply(&line.text) {
                EngineReply::Ignored => continue,
                EngineReply::Info(latest) => {
                    checker.line(&latest, &line.text);
                    info.merge(latest);
                    watchdog.info_received(line.at);
                    continue;
                }
                EngineReply::Ready => {
                    watchdog.probe_pending = false;
                    continue;
                }
                EngineReply::Resign => (None, None),
                EngineReply::Move {
                    word,
                    ponder,
                    info: latest,
                } => {
                    info.merge(latest);
                    let what = "its reply contains no move";
                    let word = word.ok_or_else(|| Fault::new(Termination::MissingBestmove, what));
                    (Some(word?), ponder)
                }
                EngineReply::Error(text) => {
                    let detail = format!("it replied to the search with \"{text}\"");
                    return Err(Fault::new(Termination::ProtocolError, detail).into());
                }
            };
            let lateness = line.at.elapsed();
            let declined = checker.declined;
            self.warnings.extend(checker.finish(word.as_deref()));
            return Ok(EngineMove {
                word,
                began,
                cpu_wait: self.process.cpu_wait,
                elapsed: line.at.saturating_duration_since(began),
                lateness,
                sending,
                gap: self.process.longest_gap(),
                stopped: watchdog.has_stopped() && allowance.is_none(),
                ponder,
                ponder_hit,
                info,
                declined,
                line: line.text,
            });
        }
    }

    /// Does what the watchdog demands after its deadline.
    fn obey(&mut self, watchdog: &mut SearchWatchdog) -> Result<()> {
        match watchdog.next_action(Instant::now()) {
            WatchdogAction::Wait => {}
            WatchdogAction::Probe => self.command(|client, exchange| client.probe(exchange))?,
            WatchdogAction::Stop => self.command(|client, exchange| {
                client.stop(exchange)?;
                client.probe(exchange)
            })?,
            WatchdogAction::GiveUp => {
                let option = watchdog.expired_options();
                if !watchdog.probe_pending {
                    let detail = format!(
                        "it replies to isready, but its search returned no bestmove; {option}"
                    );
                    return Err(Fault::new(Termination::MissingBestmove, detail).into());
                }
                let awaited = if watchdog.has_stopped() {
                    "its move after stop"
                } else {
                    "a reply during its search"
                };
                return Err(self.diagnose(ClientError::Link {
                    awaited: format!("{awaited}; {option}"),
                    error: LinkError::Timeout,
                }));
            }
        }
        Ok(())
    }

    /// Sends `quit`, waits for the exit, and kills the engine if it does not exit.
    pub fn quit(mut self) {
        // A closed link means that the engine has already quit.
        let _ = self.call(|_, exchange| exchange.send("quit"));
        self.process.close_input();
        self.process.wait_for_exit();
    }

    /// The fault behind an error, from the state of the process.
    fn diagnose(&mut self, error: ClientError) -> anyhow::Error {
        let text = error.to_string();
        let reason = match error {
            ClientError::WrongAnswer(_) => Termination::WrongQuery,
            ClientError::Refused(_) => Termination::ProtocolError,
            ClientError::Unable(what) => return self.start_error(what),
            ClientError::Link { error, awaited } => {
                self.process.failed_at.get_or_insert_with(Instant::now);
                let (exit, reason) = match error {
                    LinkError::Interrupted => return Interrupted.into(),
                    LinkError::Blocked => (None, Termination::Stall),
                    LinkError::Closed => (self.process.wait_for_exit(), Termination::ClosedOutput),
                    LinkError::Timeout => (self.process.exit_status(), Termination::Stall),
                };
                if let Some(status) = exit {
                    self.process.wait_for_stderr();
                    let reason = if status.success() {
                        Termination::EarlyExit
                    } else {
                        Termination::Crash
                    };
                    let detail = format!(
                        "its process exited ({status}) while the runner waited for {awaited}"
                    );
                    return Fault::new(reason, detail).into();
                }
                reason
            }
        };
        Fault::new(reason, text).into()
    }
}

/// The result of an engine's search.
#[derive(Clone, Debug)]
pub struct EngineMove {
    /// The move as the engine wrote it; `None` if it resigned.
    pub word: Option<String>,
    /// The whole line.
    pub line: String,
    /// Just before `go` was sent.
    pub began: Instant,
    /// From then to the arrival of the reply.
    pub elapsed: Duration,
    /// The CPU waits of the calling thread before the reply arrived, if known.
    pub cpu_wait: Option<Duration>,
    /// From the arrival of the reply to its processing.
    pub lateness: Duration,
    /// The time to send the search command.
    pub sending: Duration,
    /// The longest gap of the runner's heartbeat during the search.
    pub gap: Duration,
    /// Whether the runner stopped a search without a clock (`--think-timeout`).
    pub stopped: bool,
    /// The expected reply, as the engine wrote it.
    pub ponder: Option<String>,
    /// Whether it was a ponder hit.
    pub ponder_hit: bool,
    /// The search information that it sent.
    pub info: SearchInfo,
    /// The score of a better move that it reported and deliberately did not play.
    pub declined: Option<ReportedScore>,
}

/// What the engines of a run share.
#[derive(Clone)]
pub struct RunContext {
    /// How long the runner waits for them.
    pub timeouts: Timeouts,
    /// Disconnected when the run stops.
    pub stop: Receiver<()>,
    /// The log of the tournament (`--log`).
    pub log: Option<MatchLog>,
    /// Whether engines may refuse settings.
    pub lenient: bool,
}

impl RunContext {
    /// A run of a tournament without a log.
    pub fn of(config: &TournamentConfig, stop: &Receiver<()>) -> RunContext {
        RunContext {
            timeouts: config.timeouts(),
            stop: stop.clone(),
            log: None,
            lenient: config.lenient,
        }
    }
}

/// An engine that can be started.
pub struct EngineSlot {
    /// The engine.
    pub spec: EngineSpec,
    /// The running engine, if any.
    pub session: Option<EngineSession>,
    /// The cores that its process is pinned to.
    cores: Option<Vec<usize>>,
    /// The log of its processes in the current game.
    pub log: Arc<EngineLog>,
    context: RunContext,
}

impl EngineSlot {
    /// An engine that is not running and not pinned.
    pub fn new(spec: EngineSpec, context: RunContext) -> EngineSlot {
        EngineSlot {
            log: Arc::new(EngineLog::new(&spec.name, context.log.clone())),
            spec,
            session: None,
            cores: None,
            context,
        }
    }

    /// The running engine, started if necessary.
    pub fn start(&mut self) -> Result<&mut EngineSession> {
        let session = match self.session.take() {
            Some(session) => session,
            None => self.greet()?.set_up()?,
        };
        Ok(self.session.insert(session))
    }

    /// Starts a process and performs the handshake; call [`EngineSession::set_up`] next.
    ///
    /// # Errors
    /// If it does not start, or does not reply in time, or the file for its standard error cannot
    /// be opened.
    pub fn greet(&self) -> Result<EngineSession> {
        let (spec, timeouts) = (&self.spec, self.context.timeouts);
        let directory = spec.directory.as_deref();
        let open = |path: &PathBuf| {
            append_regular(path).map_err(|error| {
                StartError::new(spec, format!("stderr={}: {error}", path.display()), "")
            })
        };
        let process = EngineProcess::spawn(
            &spec.command,
            directory,
            self.cores.as_deref(),
            self.context.stop.clone(),
            self.log.clone(),
            spec.stderr.as_ref().map(open).transpose()?,
        );
        let mut session = EngineSession {
            spec: spec.clone(),
            client: spec.client(),
            process: process.map_err(|error| {
                StartError::new(spec, explain(&spec.command, directory, &error), "")
            })?,
            identity: Identity::default(),
            timeouts,
            pondering: None,
            warnings: Vec::new(),
            refusals: Vec::new(),
            lenient: self.context.lenient,
        };
        let mut exchange = Exchange::new(&mut session.process, timeouts.start);
        let identity = session.client.greet(&mut exchange);
        session.identity = identity.map_err(|error| session.cannot_start(error))?;
        Ok(session)
    }

    /// Pins the engine to cores; a process on other ones quits.
    pub fn pin(&mut self, cores: &[usize]) {
        if self.cores.as_deref() != Some(cores) {
            self.quit();
            self.cores = Some(cores.to_vec());
        }
    }

    /// Quits the engine, if it is running.
    pub fn quit(&mut self) {
        if let Some(session) = self.session.take() {
            session.quit();
        }
    }
}
