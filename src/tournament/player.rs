//! A running engine: its process and the client that speaks to it, and what a failure to answer means.

use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;
use thiserror::Error;

use super::fault::{Break, Fault, Reason};
use super::process::{Log, Process};
use super::spec::EngineSpec;
use super::watch::{Step, Watch};
use crate::game::{Outcome, Player as Side};
use crate::protocol::client::{Client, ClientError, Course, GoLimits, Heard, Identity, Info, Link, LinkError};

/// How long engines are waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// From the start of the process to its readiness.
    pub start: Duration,
    /// For an answer that is due: to a question, or to `stop` after the flag fell.
    pub answer: Duration,
    /// For a search that no clock limits and that tells nothing of itself.
    pub silence: Duration,
}

impl Patience {
    /// So long for an answer and for a silent search; half a minute for a start.
    pub fn new(answer: Duration, silence: Duration) -> Patience {
        Patience { start: Duration::from_secs(30).max(answer), answer, silence }
    }
}

/// An engine that cannot take part.
#[derive(Clone, Debug, Error)]
#[error("engine \"{name}\" cannot start: {what}\n  command: {command}\n  stderr: {}", if stderr.is_empty() { "(nothing)" } else { stderr })]
pub struct StartError {
    /// Its name.
    pub name: String,
    /// Its command line.
    pub command: String,
    /// What went wrong.
    pub what: String,
    /// What it said on standard error.
    pub stderr: String,
}

/// Why there is no player, or no more game.
#[derive(Clone, Debug)]
pub enum Abort {
    /// An engine cannot start.
    CannotStart(StartError),
    /// The tournament stops.
    Interrupted,
}

/// A running engine.
pub struct Player {
    client: Box<dyn Client>,
    process: Process,
    identity: Identity,
    patience: Patience,
}

/// A move as an engine gave it.
#[derive(Clone, Debug)]
pub struct Thought {
    /// The word, or nothing if the engine gave up.
    pub word: Option<String>,
    /// The line that it stood in.
    pub line: String,
    /// From just before `go` was sent to the arrival of the answer.
    pub elapsed: Duration,
    /// From the arrival of the answer to its being looked at.
    pub lateness: Duration,
    /// Whether it came only after the runner said stop.
    pub stopped: bool,
    /// What it said of its search.
    pub info: Info,
}

impl Player {
    /// Starts an engine and waits until it is ready.
    ///
    /// # Errors
    /// If it does not start, or is not ready in time.
    pub fn start(
        spec: &EngineSpec,
        cores: Option<&[usize]>,
        patience: Patience,
        stop: Receiver<()>,
    ) -> Result<Player, Abort> {
        let failed = |what: String, stderr: String| {
            Abort::CannotStart(StartError { name: spec.name.clone(), command: spec.command_line(), what, stderr })
        };
        let process = Process::spawn(&spec.command, spec.directory.as_deref(), cores, stop)
            .map_err(|error| failed(error.to_string(), String::new()))?;
        let mut player = Player { client: spec.client(), process, identity: Identity::default(), patience };
        player.set_up(spec).map_err(|error| match player.blame(error) {
            Break::Interrupted => Abort::Interrupted,
            Break::Fault(fault) => failed(fault.detail, player.log().stderr()),
        })?;
        Ok(player)
    }

    fn set_up(&mut self, spec: &EngineSpec) -> Result<(), ClientError> {
        let deadline = Instant::now() + self.patience.start;
        let link: &mut Process = &mut self.process;
        self.identity = self.client.greet(link, deadline)?;
        for line in &spec.initial {
            link.send(line).map_err(|error| ClientError::Link { awaited: format!("it to take \"{line}\""), error })?;
        }
        for (name, value) in &spec.options {
            if !self.identity.options.is_empty() && self.identity.option(name).is_none() {
                log::warn!("engine {} declares no option \"{name}\"", spec.name);
            }
            self.client.set_option(link, name, value.as_deref())?;
        }
        self.client.synchronise(link, deadline)
    }

    /// What the engine says of itself.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Whether its protocol can be given any position.
    pub fn takes_positions(&self) -> bool {
        self.client.takes_positions()
    }

    /// What was said.
    pub fn log(&self) -> &Log {
        self.process.log()
    }

    /// The time spent waiting for the engine since the last call.
    pub fn take_waited(&mut self) -> Duration {
        self.process.take_waited()
    }

    /// Begins a game.
    ///
    /// # Errors
    /// [`Abort::CannotStart`] if the engine cannot play such a game at all; else what it did wrong.
    pub fn new_game(
        &mut self,
        spec: &EngineSpec,
        course: &Course,
        side: Side,
        limits: &GoLimits,
    ) -> Result<Result<(), Fault>, Abort> {
        let deadline = self.deadline();
        match self.client.new_game(&mut self.process, course, side, limits, deadline) {
            Ok(()) => Ok(Ok(())),
            Err(ClientError::Unable(what)) => Err(Abort::CannotStart(StartError {
                name: spec.name.clone(),
                command: spec.command_line(),
                what,
                stderr: self.log().stderr(),
            })),
            Err(error) => match self.blame(error) {
                Break::Interrupted => Err(Abort::Interrupted),
                Break::Fault(fault) => Ok(Err(fault)),
            },
        }
    }

    /// Tells the position and has it confirmed.
    ///
    /// # Errors
    /// What the engine did wrong.
    pub fn prepare(&mut self, course: &Course) -> Result<(), Break> {
        let deadline = self.deadline();
        self.client.prepare(&mut self.process, course, deadline).map_err(|error| self.blame(error))
    }

    /// Lets the engine find a move. Past `allowance` it is told to stop; a move that comes within the patience for an
    /// answer is still returned, and its time tells that it is late.
    ///
    /// # Errors
    /// What the engine did wrong, and how long it took.
    pub fn think(
        &mut self,
        course: &Course,
        limits: &GoLimits,
        allowance: Option<Duration>,
    ) -> Result<Thought, (Break, Duration)> {
        let began = Instant::now();
        let flag = allowance.map(|allowance| began + allowance);
        let result = self.search(course, limits, began, flag);
        result.map_err(|error| (error, began.elapsed()))
    }

    fn search(
        &mut self,
        course: &Course,
        limits: &GoLimits,
        began: Instant,
        flag: Option<Instant>,
    ) -> Result<Thought, Break> {
        self.client.go(&mut self.process, course, limits).map_err(|error| self.blame(error))?;
        let mut info = Info::default();
        let mut watch = Watch::new(began, flag, self.patience);
        loop {
            let line = match self.process.receive(watch.deadline()) {
                Ok(line) => line,
                Err(LinkError::Timeout) => {
                    match watch.next(Instant::now()) {
                        Step::Wait => {}
                        Step::Probe => {
                            let can_answer = self.client.probe(&mut self.process).map_err(|error| self.blame(error))?;
                            watch.probed(can_answer);
                        }
                        Step::Stop => {
                            let can_stop = self.client.stop(&mut self.process).map_err(|error| self.blame(error))?;
                            if can_stop {
                                self.client.probe(&mut self.process).map_err(|error| self.blame(error))?;
                            }
                            watch.stopped(can_stop, Instant::now());
                        }
                        Step::GiveUp => return Err(self.no_move(&watch)),
                    }
                    continue;
                }
                Err(error) => return Err(self.blame(ClientError::Link { awaited: "its move".into(), error })),
            };
            let word = match self.client.hear(&line.text) {
                Heard::Noise => continue,
                Heard::Info(said) => {
                    info.merge(said);
                    watch.searches(line.at);
                    continue;
                }
                Heard::Ready => {
                    watch.lives();
                    continue;
                }
                Heard::Resigns => None,
                Heard::Move { word: Some(word), info: said } => {
                    info.merge(said);
                    Some(word)
                }
                Heard::Move { word: None, .. } => {
                    return Err(Fault::new(Reason::MissingBestmove, "its answer holds no move").into());
                }
                Heard::Failed(text) => {
                    let detail = format!("asked for a move it answered \"{text}\"");
                    return Err(Fault::new(Reason::ProtocolError, detail).into());
                }
            };
            return Ok(Thought {
                word,
                elapsed: line.at.saturating_duration_since(began),
                lateness: line.at.elapsed(),
                stopped: watch.has_stopped(),
                info,
                line: line.text,
            });
        }
    }

    /// No move came: the process may be gone, or dumb, or awake and without a move.
    fn no_move(&mut self, watch: &Watch) -> Break {
        if watch.is_alive() {
            return Fault::new(Reason::MissingBestmove, "it answers isready, but its search gave no bestmove").into();
        }
        let awaited =
            if watch.has_stopped() { "its move, after it was told to stop" } else { "a sign of life while it thinks" };
        self.blame(ClientError::Link { awaited: awaited.into(), error: LinkError::Timeout })
    }

    /// Tells the engine how the game ended and has it confirmed.
    ///
    /// # Errors
    /// What the engine did wrong.
    pub fn game_over(&mut self, course: &Course, outcome: Outcome) -> Result<(), Break> {
        let deadline = self.deadline();
        self.client.game_over(&mut self.process, course, outcome, deadline).map_err(|error| self.blame(error))
    }

    /// Tells the engine to quit and waits a moment before it is killed.
    pub fn quit(mut self) {
        self.client.quit(&mut self.process);
        self.process.end();
    }

    fn deadline(&self) -> Instant {
        Instant::now() + self.patience.answer
    }

    /// What an error says about the engine, its process looked at.
    fn blame(&mut self, error: ClientError) -> Break {
        let text = error.to_string();
        let reason = match error {
            ClientError::WrongAnswer { .. } => Reason::WrongQuery,
            ClientError::Refused { .. } | ClientError::Unable(_) => Reason::ProtocolError,
            ClientError::Link { error: LinkError::Interrupted, .. } => return Break::Interrupted,
            ClientError::Link { error: LinkError::Blocked, .. } => Reason::Stall,
            ClientError::Link { error: LinkError::Closed, awaited } => {
                return match self.process.wait_for_exit() {
                    Some(status) => self.died(status, &awaited).into(),
                    None => Fault::new(Reason::ClosedOutput, text).into(),
                };
            }
            ClientError::Link { error: LinkError::Timeout, awaited } => {
                return match self.process.exit_status() {
                    Some(status) => self.died(status, &awaited).into(),
                    None => Fault::new(Reason::Stall, text).into(),
                };
            }
        };
        Fault::new(reason, text).into()
    }

    fn died(&self, status: std::process::ExitStatus, awaited: &str) -> Fault {
        self.process.wait_for_last_words();
        let reason = if status.success() { Reason::EarlyExit } else { Reason::Crash };
        Fault::new(reason, format!("it ended with {status} (waiting for {awaited})"))
    }
}
