//! The engine: requests in, events out; no text and no standard streams.
//!
//! [`Engine`] holds the board and the options; a search thread ([`worker`]) does what takes time. A driver calls
//! [`Engine::handle`] with one request after the other while the engine is idle, hands over the worker's reports as they
//! arrive ([`Engine::reports`], [`Engine::report`]), and calls [`Engine::heartbeat`] now and then while it is busy.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

pub mod bench;
pub mod board;
pub mod event;
pub mod limits;
pub mod options;
pub mod request;
pub mod roster;
pub mod task;
pub mod worker;

use crate::game::Player;
pub use crate::game::quoted;
use crate::games::any::AnyGame;
use crate::search::Limits;
use crate::search::context::Watch;

use board::{Board, Manners, OnIllegal, Spelling};
use event::{Certainty, Event, Info, Response};
use limits::Plan;
use options::{OptionError, OptionId, Options};
use request::{Go, Query, Request, Saying};
use task::{Counting, Purpose, Task, Thinking};
use worker::{Job, Report, Worker};

/// Where events go.
pub type Sink<'s> = &'s mut dyn FnMut(Event);

/// How many lines `moves` may rank: as many as a game can have moves.
const ALL_LINES: usize = 64;

/// The engine.
pub struct Engine {
    board: Board,
    options: Options,
    manners: Manners,
    worker: Worker,
    task: Task,
    /// Since when the engine is idle: a command that had to wait is timed from here.
    idle_since: Instant,
    /// No more input will come, so nobody can say `stop`.
    input_ended: bool,
}

impl Engine {
    /// An engine with these options, the game's start on its board.
    pub fn new(options: Options) -> Engine {
        let manners = Manners { pass_move: options.pass_move, ..Manners::default() };
        let (board, worker) = (Board::new(options.game), Worker::start(options.hash));
        let (task, idle_since) = (Task::Idle, Instant::now());
        Engine { board, options, manners, worker, task, idle_since, input_ended: false }
    }

    /// Whether something is under way that will report.
    pub fn is_busy(&self) -> bool {
        !matches!(self.task, Task::Idle)
    }

    /// Whether a request may be carried out now. While the engine is busy only urgent ones may, and of those only
    /// `quit` while the table is being prepared: `stop` is meant for a search that waits behind that.
    pub fn takes(&self, request: &Request) -> bool {
        match self.task {
            Task::Idle => true,
            Task::Preparing => *request == Request::Quit,
            Task::Thinking(_) | Task::Counting(_) | Task::Benching { .. } => request.is_urgent(),
        }
    }

    /// Where the worker's reports arrive.
    pub fn reports(&self) -> Receiver<Report> {
        self.worker.reports().clone()
    }

    /// Carries out a request that `arrived` at that moment and that the engine [takes](Engine::takes) now.
    pub fn handle(&mut self, request: Request, arrived: Instant, out: Sink<'_>) {
        debug_assert!(self.takes(&request));
        let arrived = arrived.max(self.idle_since);
        match request {
            Request::Identify => out(Event::Identity),
            Request::Ready => out(Event::Ready),
            Request::NewGame => {
                self.board = Board::new(self.options.game);
                self.prepare(Job::Clear);
            }
            Request::SetOption { name, value } => {
                if let Err(error) = self.set_option(&name, value.as_deref()) {
                    out(complaint("setoption", error));
                }
            }
            Request::Position { text, before, moves } => {
                if let Err(error) = self.board.set(&text, &moves, self.manners) {
                    out(complaint("position", error.in_line(before)));
                }
            }
            Request::Play(moves) => {
                if let Err(error) = self.board.play(&moves, self.manners) {
                    out(complaint("moves", error));
                }
            }
            Request::Undo => {
                if let Err(error) = self.board.undo(self.manners) {
                    out(complaint("undo", error));
                }
            }
            Request::Go(go) => self.go(&go, arrived, out),
            Request::Rank(depth) => self.rank(depth, arrived, out),
            Request::Perft(depth) => {
                let (root, watch) = (self.board.shown(self.manners), Arc::<Watch>::default());
                self.worker.submit(Job::Perft { position: root.position(), depth, watch: watch.clone() });
                self.task = Task::Counting(Counting { root, depth, started: arrived, watch });
            }
            Request::Bench => {
                let watch = Arc::<Watch>::default();
                self.worker.submit(Job::Bench { options: self.options.clone(), watch: watch.clone() });
                self.task = Task::Benching { watch };
            }
            Request::Query(query) => out(Event::Response(self.answer(query))),
            Request::Show => out(Event::Board(self.board.view(self.manners))),
            Request::Evaluate => {
                let root = self.board.shown(self.manners);
                let weights = self.options.settings.weights.as_ref();
                let forfeit = self.board.forfeit_score();
                let score = forfeit.unwrap_or_else(|| roster::evaluate(root.position(), weights));
                let reasons = roster::reasons(root.position(), weights).filter(|_| forfeit.is_none());
                let score = task::seen_from(score, &*root);
                out(Event::Evaluation { score, diagram: root.diagram(), reasons: reasons.map(Box::new) });
            }
            Request::Say(Saying::Help(text)) => out(Event::Text(text)),
            Request::Say(Saying::Error(text)) => out(Event::Error(text)),
            Request::Stop | Request::Quit => self.stop(out),
            Request::PonderHit => {}
        }
    }

    /// Sets an option and does what follows from it.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        match self.options.set(name, value)? {
            OptionId::Game => self.board = Board::new(self.options.game),
            OptionId::Hash => self.prepare(Job::Resize(self.options.hash)),
            OptionId::ClearHash => self.prepare(Job::Clear),
            OptionId::PassMove => self.manners.pass_move = self.options.pass_move,
            OptionId::Algorithm
            | OptionId::Table
            | OptionId::Deepening
            | OptionId::Threads
            | OptionId::MoveOverhead
            | OptionId::EvalFile
            | OptionId::Kernel
            | OptionId::Selectivity => {}
        }
        Ok(())
    }

    /// How the dialect wants the board handled; `PassMove` stays what the option says.
    pub fn set_manners(&mut self, spelling: Spelling, on_illegal: OnIllegal) {
        self.manners = Manners { spelling, on_illegal, ..self.manners };
    }

    fn prepare(&mut self, job: Job) {
        self.worker.submit(job);
        self.task = Task::Preparing;
    }

    fn go(&mut self, go: &Go, arrived: Instant, out: Sink<'_>) {
        let root = self.board.shown(self.manners);
        let legal = self.board.moves(self.manners);
        let (mut moves, mut unusable) = (Vec::new(), Vec::new());
        for word in &go.moves {
            match root.parse_move(word) {
                Ok(m) if legal.contains(&m) => moves.push(m),
                _ => unusable.push(format!("\"{}\"", quoted(word))),
            }
        }
        if !unusable.is_empty() {
            out(complaint("go", format!("searchmoves: not legal here: {}", unusable.join(", "))));
        }
        if let Some(score) = self.board.forfeit_score().or_else(|| root.final_score()) {
            out(Event::Info(Info::finished(task::seen_from(score, &*root), arrived.elapsed())));
            return out(Event::nothing_to_play());
        }
        let overhead = Duration::from_millis(self.options.move_overhead.into());
        let Plan { limits, infinite } = limits::plan(go, root.to_move(), overhead, arrived, moves);
        self.think(root, limits, Purpose::Play { infinite });
    }

    fn rank(&mut self, depth: u8, arrived: Instant, out: Sink<'_>) {
        let root = self.board.shown(self.manners);
        if self.board.moves(self.manners).is_empty() {
            return out(Event::Ranked { moves: Vec::new(), depth: 0, certainty: Certainty::Exact });
        }
        let limits = Limits { started: arrived, multi_pv: ALL_LINES, ..Limits::to_depth(depth) };
        self.think(root, limits, Purpose::Rank);
    }

    fn think(&mut self, root: Box<dyn AnyGame>, limits: Limits, purpose: Purpose) {
        let watch = Arc::<Watch>::default();
        let thinking = Thinking::new(root, self.manners, purpose, limits.started, watch.clone());
        let position = thinking.position();
        let (settings, kernel) = (self.options.settings.clone(), self.options.kernel);
        let afresh = purpose == Purpose::Rank; // a score at depth N owes nothing to a deeper search before
        self.task = Task::Thinking(thinking);
        self.worker.submit(Job::Think { position, settings, kernel, limits, watch, afresh });
    }

    fn answer(&self, query: Query) -> Response {
        match query {
            Query::P1Turn => Response::Truth(self.board.shown(self.manners).to_move() == Player::First),
            Query::GameOver => Response::Truth(self.board.outcome().is_some()),
            Query::Result => Response::Result(self.board.outcome()),
            Query::Fen => Response::Text(self.board.write_position(self.manners)),
            Query::IsLegal(word) => Response::Truth(self.board.is_legal(&word, self.manners)),
            Query::LegalMoves => Response::Moves(self.board.view(self.manners).moves),
            Query::Unknown => Response::Unknown,
        }
    }

    /// Takes a report of the worker.
    pub fn report(&mut self, report: Report, out: Sink<'_>) {
        let done = match (&mut self.task, report) {
            (Task::Thinking(thinking), Report::Progress(progress)) => {
                thinking.progress(&progress, out);
                if self.input_ended && thinking.is_infinite() {
                    self.stop(out); // now that it has found something
                }
                false
            }
            (Task::Thinking(thinking), Report::Answer(answer)) => thinking.answer(answer, self.input_ended, out),
            (Task::Counting(Counting { root, .. }), Report::PerftMove(m, count)) => {
                out(Event::PerftMove { word: self.manners.word(&**root, m), count });
                false
            }
            (Task::Counting(Counting { depth, .. }), Report::Perft(count)) => {
                out(Event::Perft { depth: *depth, count });
                true
            }
            (_, Report::BenchLine(line)) => {
                out(Event::Text(line));
                false
            }
            (_, Report::Done | Report::BenchEnd) => true,
            // The worker reports only on the job that it was given last.
            (_, Report::Progress(_) | Report::Answer(_) | Report::PerftMove(..) | Report::Perft(_)) => false,
        };
        if done {
            self.become_idle();
        }
    }

    fn become_idle(&mut self) {
        self.task = Task::Idle;
        self.idle_since = Instant::now();
    }

    /// Stops whatever takes time; its answer comes with the next reports, or at once if it was only held back.
    pub fn stop(&mut self, out: Sink<'_>) {
        self.task.stop();
        if let Task::Thinking(thinking) = &mut self.task
            && thinking.release(out)
        {
            self.become_idle();
        }
    }

    /// No more input will come: searches with a limit run to their end; one that waits for `stop` is stopped as soon as it
    /// has found something, and so are later ones.
    pub fn end_input(&mut self, out: Sink<'_>) {
        self.input_ended = true;
        if matches!(&self.task, Task::Thinking(thinking) if thinking.is_infinite() && thinking.has_spoken()) {
            self.stop(out);
        }
    }

    /// A sign of life, to be sent when the engine has been busy for a while without a word.
    pub fn heartbeat(&mut self, out: Sink<'_>) {
        match &mut self.task {
            Task::Thinking(thinking) => out(thinking.heartbeat()),
            Task::Counting(Counting { depth, started, .. }) => {
                out(Event::Counting { depth: *depth, elapsed: started.elapsed() });
            }
            Task::Idle | Task::Preparing | Task::Benching { .. } => {}
        }
    }
}

/// What was wrong with a command.
fn complaint(command: &str, error: impl Display) -> Event {
    Event::Error(format!("{command}: {error}"))
}
