//! A running engine: its process, its protocol client, and the diagnosis of its faults; the result of a search; and a
//! worker's slot, which starts the engine on demand and keeps it between games.

use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

use super::fault::{Abort, ExchangeError, Fault, StartError, Termination, explain};
use super::process::{EngineLog, EngineProcess};
use super::search_check::{ReportChecker, ReportWarning};
use super::watchdog::{SearchWatchdog, Timeouts, WatchdogAction};
use crate::arena::client::{
    Client, ClientError, EngineReply, GameHistory, GoLimits, Identity, Link, LinkError, ReportedScore, SearchInfo,
};
use crate::arena::engine_spec::EngineSpec;
use crate::game::{Move, Outcome, Player};

/// A running engine and its protocol client.
pub struct EngineSession {
    client: Box<dyn Client>,
    process: EngineProcess,
    identity: Identity,
    timeouts: Timeouts,
    pondering: Option<Pondering>,
    /// The search report warnings since they were last taken.
    warnings: Vec<ReportWarning>,
}

/// A search on the opponent's time.
struct Pondering {
    /// The number of plies up to the expected move, and this move.
    expected: (usize, Move),
    checker: ReportChecker,
}

impl EngineSession {
    /// Starts an engine and waits until it is ready.
    ///
    /// # Errors
    /// If it does not start, or is not ready in time.
    pub fn start(
        spec: &EngineSpec,
        cores: Option<&[usize]>,
        timeouts: Timeouts,
        stop: Receiver<()>,
    ) -> Result<EngineSession, Abort> {
        let mut session = Self::greet(spec, cores, timeouts, stop)?;
        session.set_up(spec)?;
        Ok(session)
    }

    /// Starts an engine, returns its identity and quits it.
    ///
    /// # Errors
    /// If it does not start, or does not reply in time.
    pub fn identify(spec: &EngineSpec, timeouts: Timeouts, stop: Receiver<()>) -> Result<Identity, Abort> {
        let session = Self::greet(spec, None, timeouts, stop)?;
        let identity = session.identity.clone();
        session.quit();
        Ok(identity)
    }

    /// Starts an engine and performs the handshake; call [`EngineSession::set_up`] next.
    ///
    /// # Errors
    /// If it does not start, or does not reply in time.
    pub fn greet(
        spec: &EngineSpec,
        cores: Option<&[usize]>,
        timeouts: Timeouts,
        stop: Receiver<()>,
    ) -> Result<EngineSession, Abort> {
        let process = EngineProcess::spawn(&spec.command, spec.directory.as_deref(), cores, stop).map_err(|error| {
            let what = explain(&spec.command, spec.directory.as_deref(), &error);
            Abort::CannotStart(StartError::new(spec, what, String::new()))
        })?;
        let (client, identity) = (spec.client(), Identity::default());
        let warnings = Vec::new();
        let mut session = EngineSession { client, process, identity, timeouts, pondering: None, warnings };
        let deadline = session.deadline();
        match session.client.greet(&mut session.process, deadline) {
            Ok(identity) => session.identity = identity,
            Err(error) => return Err(session.cannot_start(spec, error)),
        }
        Ok(session)
    }

    /// Sets the options of an engine and waits until it is ready.
    ///
    /// # Errors
    /// If it is not ready in time, or exits.
    pub fn set_up(&mut self, spec: &EngineSpec) -> Result<(), Abort> {
        self.send_settings(spec).map_err(|error| self.cannot_start(spec, error))
    }

    /// The result of the handshake.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The error of a fault before the first game.
    fn cannot_start(&mut self, spec: &EngineSpec, error: ClientError) -> Abort {
        match self.diagnose(error) {
            ExchangeError::Interrupted => Abort::Interrupted,
            ExchangeError::Fault(Fault { reason, mut detail, .. }) => {
                if reason == Termination::Stall {
                    detail = format!("{detail}; --stall-timeout is {} s", self.timeouts.reply.as_secs_f64());
                }
                Abort::CannotStart(StartError::new(spec, detail, self.log().stderr()))
            }
        }
    }

    fn send_settings(&mut self, spec: &EngineSpec) -> Result<(), ClientError> {
        let deadline = self.deadline();
        let link: &mut EngineProcess = &mut self.process;
        for line in &spec.initial {
            link.send(line)
                .map_err(|error| ClientError::Link { awaited: format!("it to accept \"{line}\""), error })?;
        }
        for (name, value) in &spec.options {
            self.client.set_option(link, name, value.as_deref())?;
        }
        if spec.ponder && self.identity.option("Ponder").is_some() {
            self.client.set_option(link, "Ponder", Some("true"))?;
        }
        self.client.synchronize(link, deadline)
    }

    /// The log.
    pub fn log(&self) -> &EngineLog {
        self.process.log()
    }

    /// The search report warnings since the last call.
    pub fn take_warnings(&mut self) -> Vec<ReportWarning> {
        std::mem::take(&mut self.warnings)
    }

    /// The CPU waits of the engine, and of the thread that reads its output, since the last search began.
    pub fn waits(&mut self) -> [Option<Duration>; 2] {
        self.process.waits()
    }

    /// The time spent waiting for the engine since the last call.
    pub fn take_wait_time(&mut self) -> Duration {
        self.process.take_wait_time()
    }

    /// Starts a new game.
    ///
    /// # Errors
    /// [`Abort::CannotStart`] if the engine does not support the game; a fault of the engine is the inner error.
    pub fn new_game(
        &mut self,
        spec: &EngineSpec,
        history: &GameHistory,
        side: Player,
        limits: &GoLimits,
    ) -> Result<Result<(), Fault>, Abort> {
        let deadline = self.deadline();
        match self.client.new_game(&mut self.process, history, side, limits, deadline) {
            Ok(()) => {
                self.process.find_threads();
                Ok(Ok(()))
            }
            Err(ClientError::Unable(what)) => Err(Abort::CannotStart(StartError::new(spec, what, self.log().stderr()))),
            Err(error) => match self.diagnose(error) {
                ExchangeError::Interrupted => Err(Abort::Interrupted),
                ExchangeError::Fault(fault) => Ok(Err(fault)),
            },
        }
    }

    /// Sends the position and checks the engine's view of it, unless the engine is pondering on it. Stops pondering on
    /// another position.
    ///
    /// # Errors
    /// A fault of the engine, or an interrupt.
    pub fn prepare(&mut self, history: &GameHistory) -> Result<(), ExchangeError> {
        if self.pondering.as_ref().is_some_and(|pondering| Some(pondering.expected) == last_ply(history)) {
            return Ok(());
        }
        self.end_pondering()?;
        let deadline = self.deadline();
        self.client.prepare(&mut self.process, history, deadline).map_err(|error| self.diagnose(error))
    }

    /// Starts pondering on the last move of `history`, the expected reply.
    ///
    /// # Errors
    /// A fault of the engine, or an interrupt.
    pub fn start_pondering(&mut self, history: &GameHistory, limits: &GoLimits) -> Result<(), ExchangeError> {
        let ponders = self.client.ponder(&mut self.process, history, limits).map_err(|error| self.diagnose(error))?;
        let expected = last_ply(history).filter(|_| ponders);
        self.pondering = expected.map(|expected| Pondering { expected, checker: ReportChecker::new(history.game()) });
        Ok(())
    }

    /// Stops pondering and discards the move.
    ///
    /// # Errors
    /// A fault of the engine, or an interrupt.
    pub fn end_pondering(&mut self) -> Result<(), ExchangeError> {
        let Some(Pondering { mut checker, .. }) = self.pondering.take() else { return Ok(()) };
        self.client.stop(&mut self.process).map_err(|error| self.diagnose(error))?;
        let deadline = self.deadline();
        loop {
            let line = self.process.receive(deadline).map_err(|error| {
                self.diagnose(ClientError::Link { awaited: "the end of its pondering".into(), error })
            })?;
            match self.client.parse_reply(&line.text) {
                EngineReply::Info(info) => checker.line(&info, &line.text),
                EngineReply::Move { word, .. } => {
                    self.end_of_search(checker, word.as_deref());
                    return Ok(());
                }
                EngineReply::Resign => return Ok(()),
                EngineReply::Ignored | EngineReply::Ready | EngineReply::Error(_) => {}
            }
        }
    }

    /// Checks the move that ends a search and keeps the warnings about its reports.
    fn end_of_search(&mut self, mut checker: ReportChecker, word: Option<&str>) {
        if let Some(word) = word {
            checker.best_move(word);
        }
        self.warnings.extend(checker.into_warnings());
    }

    /// Searches for a move, after [`EngineSession::prepare`]. After `allowance` the engine is stopped; a move that
    /// arrives within the reply timeout is still returned, with its full time.
    ///
    /// # Errors
    /// A fault of the engine or an interrupt, with the elapsed time.
    pub fn search(
        &mut self,
        history: &GameHistory,
        limits: &GoLimits,
        allowance: Option<Duration>,
    ) -> Result<EngineMove, (ExchangeError, Duration)> {
        self.process.begin_waits();
        let began = Instant::now();
        let flag = allowance.map(|allowance| began + allowance);
        let result = self.go_and_wait(history, limits, began, flag);
        result.map_err(|error| (error, began.elapsed()))
    }

    fn go_and_wait(
        &mut self,
        history: &GameHistory,
        limits: &GoLimits,
        began: Instant,
        flag: Option<Instant>,
    ) -> Result<EngineMove, ExchangeError> {
        let pondering = self.pondering.take();
        let ponder_hit = pondering.is_some();
        let sent = match ponder_hit {
            true => self.client.ponder_hit(&mut self.process),
            false => self.client.go(&mut self.process, history, limits),
        };
        sent.map_err(|error| self.diagnose(error))?;
        let sending = began.elapsed();
        let mut checker = pondering.map_or_else(|| ReportChecker::new(history.game()), |pondering| pondering.checker);
        let mut info = SearchInfo::default();
        let mut watchdog = SearchWatchdog::new(began, flag, self.timeouts);
        loop {
            let line = match self.process.receive(watchdog.deadline()) {
                Ok(line) => line,
                Err(LinkError::Timeout) => {
                    match watchdog.next_action(Instant::now()) {
                        WatchdogAction::Wait => {}
                        WatchdogAction::Probe => {
                            let sent = self.client.probe(&mut self.process);
                            watchdog.probe_sent(sent.map_err(|error| self.diagnose(error))?);
                        }
                        WatchdogAction::Stop => {
                            let has_stop = self.client.stop(&mut self.process).map_err(|error| self.diagnose(error))?;
                            if has_stop {
                                self.client.probe(&mut self.process).map_err(|error| self.diagnose(error))?;
                            }
                            watchdog.stop_sent(has_stop, Instant::now());
                        }
                        WatchdogAction::GiveUp => return Err(self.no_move(&watchdog)),
                    }
                    continue;
                }
                Err(error) => return Err(self.diagnose(ClientError::Link { awaited: "its move".into(), error })),
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
                    watchdog.probe_answered();
                    continue;
                }
                EngineReply::Resign => (None, None),
                EngineReply::Move { word: Some(word), ponder, info: latest } => {
                    info.merge(latest);
                    (Some(word), ponder)
                }
                EngineReply::Move { word: None, .. } => {
                    return Err(Fault::new(Termination::MissingBestmove, "its reply contains no move").into());
                }
                EngineReply::Error(text) => {
                    let detail = format!("it replied to the search with \"{text}\"");
                    return Err(Fault::new(Termination::ProtocolError, detail).into());
                }
            };
            let lateness = line.at.elapsed();
            let declined = checker.declined();
            self.end_of_search(checker, word.as_deref());
            return Ok(EngineMove {
                word,
                elapsed: line.at.saturating_duration_since(began),
                lateness,
                sending,
                stopped: watchdog.has_stopped(),
                ponder,
                ponder_hit,
                info,
                declined,
                line: line.text,
            });
        }
    }

    /// The fault of an engine that sent no move: its process has exited or hangs, or it replies only to probes.
    fn no_move(&mut self, watchdog: &SearchWatchdog) -> ExchangeError {
        if watchdog.is_alive() {
            return Fault::new(
                Termination::MissingBestmove,
                "it replies to isready, but its search returned no bestmove",
            )
            .into();
        }
        let awaited = if watchdog.has_stopped() { "its move after stop" } else { "a reply during its search" };
        self.diagnose(ClientError::Link { awaited: awaited.into(), error: LinkError::Timeout })
    }

    /// Sends the final position and checks the engine's view of the result.
    ///
    /// # Errors
    /// A fault of the engine, or an interrupt.
    pub fn game_over(&mut self, history: &GameHistory, outcome: Outcome) -> Result<(), ExchangeError> {
        self.end_pondering()?;
        let deadline = self.deadline();
        self.client.game_over(&mut self.process, history, outcome, deadline).map_err(|error| self.diagnose(error))
    }

    /// Sends `quit`, waits for the exit, and kills the engine if it does not exit.
    pub fn quit(mut self) {
        self.client.quit(&mut self.process);
        self.process.shut_down();
    }

    fn deadline(&self) -> Instant {
        Instant::now() + self.timeouts.reply
    }

    /// The fault behind an error, from the state of the process.
    fn diagnose(&mut self, error: ClientError) -> ExchangeError {
        let text = error.to_string();
        let reason = match error {
            ClientError::WrongAnswer { .. } => Termination::WrongQuery,
            ClientError::Refused { .. } | ClientError::Unable(_) => Termination::ProtocolError,
            ClientError::Link { error: LinkError::Interrupted, .. } => return ExchangeError::Interrupted,
            ClientError::Link { error: LinkError::Blocked, .. } => Termination::Stall,
            ClientError::Link { error: LinkError::Closed, awaited } => {
                return match self.process.wait_for_exit() {
                    Some(status) => self.exit_fault(status, &awaited).into(),
                    None => Fault::new(Termination::ClosedOutput, text).into(),
                };
            }
            ClientError::Link { error: LinkError::Timeout, awaited } => {
                return match self.process.exit_status() {
                    Some(status) => self.exit_fault(status, &awaited).into(),
                    None => Fault::new(Termination::Stall, text).into(),
                };
            }
        };
        Fault::new(reason, text).into()
    }

    fn exit_fault(&self, status: std::process::ExitStatus, awaited: &str) -> Fault {
        self.process.wait_for_stderr();
        let reason = if status.success() { Termination::EarlyExit } else { Termination::Crash };
        Fault::new(reason, format!("its process exited ({status}) while the runner waited for {awaited}"))
    }
}

/// The number of plies and the last move.
fn last_ply(history: &GameHistory) -> Option<(usize, Move)> {
    history.plies().last().map(|ply| (history.plies().len(), ply.played))
}

/// The result of an engine's search.
#[derive(Clone, Debug)]
pub struct EngineMove {
    /// The move as the engine wrote it; `None` if it resigned.
    pub word: Option<String>,
    /// The whole line.
    pub line: String,
    /// From just before `go` was sent to the arrival of the reply.
    pub elapsed: Duration,
    /// From the arrival of the reply to its processing.
    pub lateness: Duration,
    /// The time to send the search command.
    pub sending: Duration,
    /// Whether the runner sent `stop`.
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

/// An engine of a worker, which may not be running.
pub struct EngineSlot {
    /// The engine.
    pub spec: EngineSpec,
    /// The running engine, if any.
    pub session: Option<EngineSession>,
    /// The cores that its process is pinned to.
    cores: Option<Vec<usize>>,
    stop: Receiver<()>,
}

impl EngineSlot {
    /// A slot without a process.
    pub fn new(spec: EngineSpec, cores: Option<Vec<usize>>, stop: Receiver<()>) -> EngineSlot {
        EngineSlot { spec, session: None, cores, stop }
    }

    /// The running engine, started if necessary.
    pub fn start(&mut self, timeouts: Timeouts) -> Result<&mut EngineSession, Abort> {
        match &mut self.session {
            Some(session) => Ok(session),
            empty => {
                let session = EngineSession::start(&self.spec, self.cores.as_deref(), timeouts, self.stop.clone())?;
                Ok(empty.insert(session))
            }
        }
    }

    /// Quits the engine, if it is running.
    pub fn quit(&mut self) {
        if let Some(session) = self.session.take() {
            session.quit();
        }
    }
}
