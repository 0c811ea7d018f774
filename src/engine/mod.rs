//! The engine: handles requests and emits events, without text and standard streams.
//!
//! [`Engine`] owns the board and the options; a search thread ([`worker`]) runs long jobs. The driver calls
//! [`Engine::handle`] for each request, passes on the reports of the search thread as they arrive ([`Engine::reports`],
//! [`Engine::report`]) and calls [`Engine::heartbeat`] periodically while the engine is busy. The methods that start
//! searches are in `searches.rs`, those that handle reports and end searches in `reports.rs`.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

pub mod accuracy;
pub mod active_search;
pub mod bench_positions;
pub mod board;
pub mod breakdown;
pub mod clock;
pub mod event;
pub mod limits;
pub mod lines;
pub mod options;
pub mod proven;
pub mod purpose;
mod reports;
pub mod request;
pub mod root_score;
mod searches;
pub mod session;
#[cfg(feature = "cli")]
pub mod setup;
pub mod state;
pub mod strength;
pub mod worker;

use crate::game::Player;
pub use crate::game::quoted;
use crate::games::any::{self, AnyGame};
use crate::games::dispatch;
use crate::logging;
use crate::search::stop::SearchControl;

use accuracy::AccuracyNote;
use board::Board;
use breakdown::EvalBreakdown;
use clock::Clocks;
use event::{Event, EventSink, Response};
use options::{OptionError, OptionId, Options};
use proven::ProvenLine;
use request::{Go, Query, Reply, Request};
use root_score::seen_from;
use session::{DialectRules, SessionSettings};
use state::{ActivePerft, Activity, MoveRequest, State};
use strength::LossRecord;
use worker::{Job, Report, Worker};

/// The engine.
pub struct Engine {
    board: Board,
    options: Options,
    rules: DialectRules,
    /// Derived from the dialect's rules and the options.
    settings: SessionSettings,
    /// The clocks in protocols that leave them to the engine.
    clocks: Clocks,
    /// The request for a move of a given player that the current search answers.
    move_request: Option<MoveRequest>,
    /// The positions still to analyze, each with its ply.
    analysis: VecDeque<(usize, AnyGame)>,
    analysis_limits: Go,
    worker: Worker,
    state: State,
    /// When the engine became idle: the start time of a request that had to wait.
    idle_since: Instant,
    /// The last proven result.
    proven: Option<ProvenLine>,
    /// The cost of the moves played, for option `Strength`.
    losses: LossRecord,
    /// The last accuracy note; a reason is printed only once.
    accuracy: Option<AccuracyNote>,
    /// Nodes per second of the last search that was long enough to measure.
    node_rate: Option<f64>,
    /// The largest time seen on the players' clocks in this game: their main time.
    main_time: [Duration; 2],
    /// The input has ended, so no `stop` will arrive.
    input_ended: bool,
    /// The engine is about to exit: searches end after their first iteration.
    is_exiting: bool,
    /// The exit has interrupted a running job.
    is_cut_short: bool,
}

impl Engine {
    /// An engine with these options and the starting position of their game.
    pub fn new(options: Options) -> Engine {
        let rules = DialectRules::default();
        Engine {
            board: Board::new(options.game),
            settings: rules.settings(&options),
            worker: Worker::start(options.hash),
            options,
            rules,
            clocks: Clocks::default(),
            move_request: None,
            analysis: VecDeque::new(),
            analysis_limits: Go::default(),
            state: State::Idle,
            idle_since: Instant::now(),
            proven: None,
            losses: LossRecord::default(),
            accuracy: None,
            node_rate: None,
            main_time: [Duration::ZERO; 2],
            input_ended: false,
            is_exiting: false,
            is_cut_short: false,
        }
    }

    /// Whether a job is running that will send reports.
    pub fn is_busy(&self) -> bool {
        !matches!(self.state, State::Idle)
    }

    /// The current activity, which decides which request can be handled next.
    pub fn activity(&self) -> Activity {
        self.state.activity()
    }

    /// The channel of the search thread's reports.
    pub fn reports(&self) -> Receiver<Report> {
        self.worker.reports().clone()
    }

    /// Handles a request that arrived at `arrived`. While the engine is busy the request must be urgent.
    pub fn handle(&mut self, request: Request, arrived: Instant, out: EventSink<'_>) {
        debug_assert!(!self.is_busy() || request.is_urgent());
        let arrived = arrived.max(self.idle_since);
        match request {
            Request::Identify => out(Event::Identity),
            Request::Ready if self.is_busy() => out(Event::Ready),
            Request::Ready => self.prepare(Job::Ready, Event::Ready),
            Request::NewGame => {
                self.restart();
                if self.is_exiting {
                    return out(Event::Done); // first iterations need no empty table
                }
                self.prepare(Job::Clear, Event::Done);
            }
            Request::Restart => {
                self.restart();
                out(Event::Done);
            }
            Request::SetOption { name, value } => match self.set_option(&name, value.as_deref()) {
                Ok(()) if self.is_busy() => {} // the event follows when the table is ready
                result => out(Event::outcome_of("setoption", result)),
            },
            Request::Position { text, before, moves } => {
                let result = self.board.set(&text, &moves, self.settings);
                out(Event::outcome_of("position", result.map_err(|error| error.in_line(before))));
            }
            Request::Play(moves) => out(Event::outcome_of("moves", self.board.play(&moves, self.settings))),
            Request::PlayFor { player, word } => match self.board.play_for(player, &word) {
                Ok(()) => out(Event::Done),
                Err(error) => out(Event::Error(error.to_string())),
            },
            Request::Generate { player, play, go } => {
                let go = match self.options.depth {
                    0 => self.clocks.limits(player, &go),
                    depth => Go { depth: Some(depth.into()), lines: go.lines, ..Go::default() },
                };
                self.generate(MoveRequest { player, play, arrived }, &go, out);
            }
            Request::BoardSize(size) => match self.game_of_size(size) {
                Some(game) => {
                    (self.options.game, self.options.drops) = (game, false);
                    self.set_start();
                    self.prepare(Job::Clear, Event::Done);
                }
                None => out(Event::Error("unacceptable size".into())),
            },
            Request::SetClocks(settings) => {
                self.clocks.configure(settings);
                out(Event::Done);
            }
            Request::SetClock { player, left, stones } => {
                self.clocks.set(player, left, stones);
                out(Event::Done);
            }
            Request::Undo => out(Event::outcome_of("undo", self.board.undo(self.settings))),
            Request::Go(go) => self.go(self.board.shown(self.settings), &go, arrived, out),
            Request::Analyze(go) => self.analyze(go, arrived, out),
            Request::Rank(rank) => self.rank(&rank, arrived, out),
            Request::Perft(depth) if self.is_exiting => out(Event::unfinished(&format!("go perft {depth}"))),
            Request::Perft(depth) => {
                let (root, control) = (self.board.shown(self.settings), Arc::<SearchControl>::default());
                self.worker.submit(Job::Perft { position: root.position(), depth, control: control.clone() });
                self.state = State::Perft(ActivePerft { root, depth, started: arrived, control });
            }
            Request::Bench if self.is_exiting => out(Event::unfinished("bench")),
            Request::Bench => {
                let control = Arc::<SearchControl>::default();
                self.worker.submit(Job::Bench { options: self.options.clone(), control: control.clone() });
                self.state = State::Bench { control };
            }
            Request::Query(query) => out(Event::Response(self.answer_query(query))),
            Request::Show => out(Event::Board(self.board.view(self.settings))),
            Request::Evaluate => out(self.evaluate()),
            Request::Reply(Reply::Text(text)) => out(Event::Text(text)),
            Request::Reply(Reply::Error(text)) => out(Event::Error(text)),
            Request::Stop => self.stop(out),
            Request::Cancel => self.cancel(),
            Request::Quit => out(Event::Bye),
            Request::PonderHit => {
                if let State::Searching(search) = &mut self.state
                    && search.ponder_hit(out)
                {
                    self.become_idle();
                }
            }
        }
    }

    /// Sets the starting position of the selected game and forgets the previous game.
    fn set_start(&mut self) {
        self.board = Board::new(self.options.game);
        self.main_time = [Duration::ZERO; 2];
        self.proven = None;
        self.losses = LossRecord::default();
    }

    /// Starts a new game: starting position, full clocks.
    fn restart(&mut self) {
        self.set_start();
        self.clocks.reset();
    }

    /// Selects Othello before the first search, for protocols with disc games only.
    pub fn select_othello(&mut self) {
        let _ = self.options.set("Game", Some("othello")); // cannot fail
        self.set_start();
        self.settings = self.rules.settings(&self.options);
    }

    /// Sets an option and applies its effects.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        match self.options.set(name, value)? {
            OptionId::Game | OptionId::UciVariant => {
                self.set_start();
                self.node_rate = None;
                // Positions of different games may have the same key, and Score Four's solver has its own memory.
                self.prepare(Job::Resize(self.options.hash), Event::Done);
            }
            OptionId::EvalFile => {
                self.node_rate = None;
                self.prepare(Job::Clear, Event::Done); // its scores come from the old weights
            }
            OptionId::Algorithm | OptionId::Kernel | OptionId::Threads => self.node_rate = None,
            OptionId::Hash => self.prepare(Job::Resize(self.options.hash), Event::Done),
            OptionId::ClearHash => self.prepare(Job::Clear, Event::Done),
            OptionId::PassMove
            | OptionId::MultiPv
            | OptionId::Table
            | OptionId::Deepening
            | OptionId::MoveOverhead
            | OptionId::Depth
            | OptionId::ExactNodes
            | OptionId::Strength
            | OptionId::LimitStrength
            | OptionId::Elo
            | OptionId::Ponder
            | OptionId::Selectivity => {}
            OptionId::ShowAccuracy => self.accuracy = None,
            OptionId::DebugLogFile => logging::set_file(self.options.log_file.clone()),
        }
        self.settings = self.rules.settings(&self.options);
        Ok(())
    }

    /// Applies the rules of the dialect in use.
    pub fn set_dialect_rules(&mut self, rules: DialectRules) {
        self.rules = rules;
        self.settings = rules.settings(&self.options);
    }

    /// Whether the game is a disc game, as GTP and NBoard require.
    pub fn has_discs(&self) -> bool {
        self.board.game().discs().is_some()
    }

    /// The disc game of that board size: the current one if it fits, else the first in the list of games.
    fn game_of_size(&self, size: u32) -> Option<&'static str> {
        let fits = |game: &AnyGame| game.discs().is_some_and(|discs| u32::from(discs.grid.size) == size);
        if fits(self.board.game()) {
            return Some(self.options.game);
        }
        any::NAMES.into_iter().find(|name| any::by_name(name).is_some_and(|game| fits(&game)))
    }

    /// The names of the disc games.
    pub fn disc_games() -> impl Iterator<Item = &'static str> {
        any::NAMES.into_iter().filter(|name| any::by_name(name).is_some_and(|game| game.discs().is_some()))
    }

    /// Submits a job that must end before the next request is handled; then `done` is sent.
    fn prepare(&mut self, job: Job, done: Event) {
        self.worker.submit(job);
        self.state = State::Preparing(done);
    }

    fn answer_query(&self, query: Query) -> Response {
        match query {
            Query::P1Turn => Response::Truth(self.board.shown(self.settings).to_move() == Player::First),
            Query::GameOver => Response::Truth(self.board.outcome().is_some()),
            Query::Result => Response::Result(self.board.outcome()),
            Query::Fen => Response::Text(self.board.write_position(self.settings)),
            Query::IsLegal(word) => Response::Truth(self.board.is_legal(&word, self.settings)),
            Query::LegalMoves => Response::Moves(self.board.view(self.settings).moves),
            Query::Start => Response::Text(self.settings.write_position(&self.board.start())),
            Query::History => Response::Moves(self.board.history(self.settings)),
            Query::Unknown => Response::Unknown,
        }
    }

    /// The static evaluation of the position on the board.
    fn evaluate(&self) -> Event {
        let root = self.board.shown(self.settings);
        let weights = self.options.settings.weights.as_ref();
        let final_score = self.board.final_score();
        let score = final_score.unwrap_or_else(|| dispatch::evaluate(root.position(), weights));
        let reasons = dispatch::eval_terms(root.position(), weights).filter(|_| final_score.is_none());
        let breakdown = reasons.map(|reasons| Box::new(EvalBreakdown::from(reasons)));
        Event::Evaluation { score: seen_from(score, &root), diagram: root.diagram(), breakdown }
    }
}
