//! The engine: handles requests and emits events, without text and standard streams.
//!
//! [`Engine`] owns the board and the options; a search thread ([`worker`]) runs long jobs. The
//! driver calls [`Engine::handle`] for each request, passes on the reports of the search thread as
//! they arrive ([`Engine::reports`], [`Engine::report`]) and calls [`Engine::heartbeat`]
//! periodically while the engine is busy.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::Receiver;

pub mod active_search;
pub mod bench_positions;
pub mod board;
pub mod clock;
pub mod event;
pub mod game_engine;
pub mod limits;
pub mod options;
pub mod proven;
pub mod request;
pub mod strength;
pub mod worker;

use crate::book;
pub use crate::game::quoted;
use crate::game::{Move, Player};
use crate::games::any::{self, AnyGame, with_position};
use crate::games::dispatch::{self, Accuracy};
use crate::games::perft::{Count, divide_until};
use crate::logging::{SEARCH, logger};
use crate::platform::clock::Instant;
use crate::search::stats::Counters;
use crate::search::stop::SearchControl;
use crate::search::table::Table;
use crate::search::{Algorithm, Goal, Limits, Observer, Progress, RootMove};

use active_search::{ActiveSearch, Purpose};
use board::{Board, DialectRules};
use clock::Clocks;
use event::{Event, EventSink, Info, Response};
use limits::GoContext;
use options::{Effect, OptionError, Options};
use proven::ProvenLine;
use request::{Go, Query, Request};
use strength::{Allowance, LossRecord};
use worker::{Report, SearchThread, Worker, panic_if_requested};

/// The node count of a result without a search.
const UNSEARCHED_NODES: u64 = 1;
/// Shorter searches do not update the node rate.
const MIN_MEASURED_TIME: Duration = Duration::from_millis(5);
/// Size in MiB of a search's own table.
const OWN_TABLE: usize = 16;

/// The current job of the search thread.
enum State {
    Idle,
    /// A job on the transposition table, or `isready`, which waits for it.
    Preparing,
    Searching(Box<ActiveSearch>),
    /// A perft or the bench.
    Counting {
        control: Arc<SearchControl>,
        /// The depth of a perft, and when the command arrived.
        perft: Option<(u32, Instant)>,
    },
}

impl State {
    /// The stop signal of the job, if it can be stopped.
    fn control(&self) -> Option<&SearchControl> {
        match self {
            State::Idle | State::Preparing => None,
            State::Searching(search) => Some(&search.control),
            State::Counting { control, .. } => Some(control),
        }
    }

    /// Signals the search thread to stop, if its job can be stopped.
    fn stop(&self) {
        if let Some(control) = self.control() {
            control.stop();
        }
    }
}

/// The activity of the engine, which decides which request is handled next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activity {
    /// None: any request.
    Idle,
    /// A job on the table: no request.
    Preparing,
    /// A job that ends by itself, or was stopped: urgent requests.
    Working,
    /// A search that only `stop` ends: urgent requests.
    AwaitingStop,
    /// A search that `stop` ends, or possibly `ponderhit`: urgent requests.
    AwaitingPonderHit,
}

/// A request for a move of a given player.
#[derive(Clone, Copy, Debug)]
struct MoveRequest {
    player: Player,
    /// Whether the move is played on the board.
    play: bool,
    arrived: Instant,
}

/// The engine.
pub struct Engine {
    board: Board,
    options: Options,
    rules: DialectRules,
    /// The clocks in protocols that leave them to the engine.
    clocks: Clocks,
    /// The request for a move of a given player that the current search answers.
    move_request: Option<MoveRequest>,
    /// The limits of the running analysis.
    analysis: Option<Go>,
    worker: Worker,
    state: State,
    /// When the engine became idle: the start time of a request that had to wait.
    idle_since: Instant,
    /// The last proven result.
    proven: Option<ProvenLine>,
    /// The cost of the moves played, for option `Strength`.
    losses: LossRecord,
    /// The last reason why there is no accuracy note; it is printed only once.
    no_accuracy: Option<&'static str>,
    /// Nodes per second of the last search that was long enough to measure.
    node_rate: Option<f64>,
    /// The largest time seen on the players' clocks in this game: their main time.
    main_time: [Duration; 2],
    /// The input has ended, so no `stop` will arrive.
    input_ended: bool,
    /// The engine is about to exit: searches end after one ply.
    is_exiting: bool,
    /// The exit has interrupted a running job.
    is_cut_short: bool,
}

impl Engine {
    /// An engine with these options and the starting position of their game, which searches on its
    /// own thread.
    ///
    /// # Errors
    /// If its thread cannot be started.
    pub fn new(options: Options) -> io::Result<Engine> {
        let (engine, search) = Engine::without_thread(options);
        search.start()?;
        Ok(engine)
    }

    /// As [`Engine::new`], without the thread: the caller runs the searches.
    pub fn without_thread(options: Options) -> (Engine, SearchThread) {
        let rules = DialectRules::default();
        let board = Board::new(options.game, rules.settings(&options));
        let (worker, search) = Worker::new(options.hash);
        let engine = Engine {
            board,
            worker,
            options,
            rules,
            clocks: Clocks::default(),
            move_request: None,
            analysis: None,
            state: State::Idle,
            idle_since: Instant::now(),
            proven: None,
            losses: LossRecord::default(),
            no_accuracy: None,
            node_rate: None,
            main_time: [Duration::ZERO; 2],
            input_ended: false,
            is_exiting: false,
            is_cut_short: false,
        };
        (engine, search)
    }

    /// Whether a job is running that will send reports.
    pub fn is_busy(&self) -> bool {
        !matches!(self.state, State::Idle)
    }

    /// The current activity, which decides which request can be handled next.
    pub fn activity(&self) -> Activity {
        match &self.state {
            State::Idle => Activity::Idle,
            State::Preparing => Activity::Preparing,
            State::Searching(search) if search.is_open_ended() && !search.control.stopped() => {
                if search.ponders {
                    Activity::AwaitingPonderHit
                } else {
                    Activity::AwaitingStop
                }
            }
            State::Searching(_) | State::Counting { .. } => Activity::Working,
        }
    }

    /// The channel of the search thread's reports.
    pub fn reports(&self) -> Receiver<Report> {
        self.worker.reports().clone()
    }

    /// Handles a request that arrived at `arrived`. While the engine is busy the request must be
    /// urgent.
    pub fn handle(&mut self, request: Request, arrived: Instant, out: EventSink<'_>) {
        debug_assert!(!self.is_busy() || request.is_urgent());
        let arrived = arrived.max(self.idle_since);
        match request {
            Request::Identify => out(Event::Identity),
            Request::Ready if self.is_busy() => out(Event::Ready),
            Request::Ready => self.prepare_game(Event::Ready, |_| {}),
            Request::NewGame => {
                self.restart();
                if self.is_exiting {
                    return out(Event::Done); // first iterations need no empty table
                }
                self.prepare_game(Event::Done, Table::clear);
            }
            Request::Restart => {
                self.restart();
                out(Event::Done);
            }
            Request::SetOption { name, value } => match self.set_option(&name, value.as_deref()) {
                Ok(()) if self.is_busy() => {} // the event follows when the table is ready
                result => out(Event::outcome_of(result)),
            },
            Request::Position {
                text,
                before,
                moves,
            } => {
                let result = self.board.set(&text, &moves);
                out(Event::outcome_of(
                    result.map_err(|error| error.in_line(before)),
                ));
            }
            Request::Play(moves) => out(Event::outcome_of(self.board.play(&moves))),
            Request::PlayFor { player, word } => {
                out(Event::outcome_of(self.board.play_for(player, &word)));
            }
            Request::Generate { player, play, go } => {
                let request = MoveRequest {
                    player,
                    play,
                    arrived,
                };
                self.generate(request, &self.limits_of(player, go), out);
            }
            Request::BoardSize(size) => match self.game_of_size(size) {
                Some(game) => {
                    let _ = self.set_option("Game", Some(game)); // cannot fail
                }
                None => out(Event::Failed("unacceptable size".into())),
            },
            Request::SetClocks(settings) => {
                self.clocks.configure(settings);
                out(Event::Done);
            }
            Request::SetClock { player, left } => {
                self.clocks.set(player, left);
                out(Event::Done);
            }
            Request::Undo => out(Event::outcome_of(self.board.undo())),
            Request::Go(Go {
                perft: Some(depth), ..
            }) => self.perft(depth, arrived, out),
            Request::Go(go) => self.go(self.board.shown(), &go, arrived, out),
            Request::Learn => {
                if let Err(error) = self.learn() {
                    out(Event::Failed(error));
                }
                out(Event::Text("learned".into()));
            }
            Request::Analyze(go) => {
                self.analysis = Some(go);
                self.analyze(0, arrived, out);
            }
            Request::Rank(go) => self.rank(&go, arrived, out),
            Request::Bench => self.bench(out),
            Request::Query(query) => out(Event::Response(self.answer_query(query))),
            Request::Show => out(Event::Board(self.board.view())),
            Request::Evaluate => out(self.evaluate()),
            Request::Text(text) => out(Event::Text(text)),
            Request::Error(text) => out(Event::Error(text)),
            Request::Stop => self.stop(out),
            Request::Cancel => self.cancel(),
            Request::Quit => out(Event::Done),
            Request::PonderHit => self.end_search_if(|search| search.ponder_hit(out)),
        }
    }

    /// As [`Engine::prepare`]; the job also loads the weights of the game, by a first evaluation:
    /// before the clock of the first move runs, but not before a game is chosen.
    fn prepare_game(&mut self, done: Event, job: impl FnOnce(&mut Table) + Send + 'static) {
        let position = self.board.game().position();
        let weights = self.options.settings.weights.clone();
        self.prepare(done, move |table| {
            dispatch::evaluate(position, weights.as_ref());
            job(table);
        });
    }

    /// The limits of a move by clock, or by the level of the rules.
    fn limits_of(&self, player: Player, go: Go) -> Go {
        match self.options.depth {
            0 => self.clocks.limits(player, go),
            depth => Go {
                depth: Some(depth as u8), // at most 60
                lines: go.lines,
                ..Go::default()
            },
        }
    }

    fn bench(&mut self, out: EventSink<'_>) {
        if self.is_exiting {
            return out(Event::unfinished());
        }
        let control = Arc::<SearchControl>::default();
        let options = self.options.clone();
        self.state = State::Counting {
            control: control.clone(),
            perft: None,
        };
        self.worker.submit(move |_, send| {
            let mut report = |line| send(Report::Event(Event::Text(line)));
            let total = bench_positions::run(&options, &control, &mut report);
            send(Report::End {
                stopped: total.is_none(),
                event: total.map_or_else(
                    || Event::Note("bench stopped".into()),
                    |total| Event::Text(total.to_string()),
                ),
            });
        });
    }

    /// Sets the starting position of the selected game and forgets the previous game.
    fn set_start(&mut self) {
        self.board = Board::new(self.options.game, self.rules.settings(&self.options));
        self.main_time = [Duration::ZERO; 2];
        self.proven = None;
        self.losses = LossRecord::default();
    }

    /// Starts a new game: starting position, full clocks.
    fn restart(&mut self) {
        self.set_start();
        self.clocks.reset();
    }

    /// Sets an option and applies its effects.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        let before = self.options.game;
        let effect = self.options.set(name, value)?;
        if self.rules.discs_only && !Engine::disc_games().any(|game| game == self.options.game) {
            let value = std::mem::replace(&mut self.options.game, before);
            return Err(OptionError::BadValue {
                name: "Game",
                value: value.into(),
                expected: "a game of discs".into(),
            });
        }
        if matches!(
            effect,
            Effect::NewGame | Effect::NewWeights | Effect::NewSpeed
        ) {
            self.node_rate = None;
        }
        match effect {
            Effect::NewGame => {
                self.set_start();
                // Positions of different games may have the same key, and Score Four's solver has
                // its own memory.
                self.resize_table();
            }
            Effect::Resize => self.resize_table(),
            Effect::Clear | Effect::NewWeights => {
                self.proven = None;
                self.prepare(Event::Done, Table::clear);
            }
            Effect::NewNote => self.no_accuracy = None,
            Effect::NewLog => logger::set_file(self.options.log_file.clone()),
            Effect::NewSpeed | Effect::Nothing => {}
        }
        self.board.settings = self.rules.settings(&self.options);
        Ok(())
    }

    /// Applies the rules of the dialect in use, and selects Othello if its games have discs and the
    /// current one has not. (With `--protocol` the command line has already rejected such a game.)
    pub fn set_dialect_rules(&mut self, rules: DialectRules) {
        self.rules = rules;
        if rules.discs_only && self.board.game().discs().is_none() {
            let _ = self.options.set("Game", Some("othello")); // cannot fail
            self.set_start();
        }
        self.board.settings = rules.settings(&self.options);
    }

    /// The disc game of that board size: the current one if it fits, else the first in the list of
    /// games.
    fn game_of_size(&self, size: u32) -> Option<&'static str> {
        let fits = |game: &AnyGame| {
            game.discs()
                .is_some_and(|discs| u32::from(discs.grid.size) == size)
        };
        if fits(self.board.game()) {
            return Some(self.options.game);
        }
        any::NAMES
            .into_iter()
            .find(|name| any::by_name(name).is_some_and(|game| fits(&game)))
    }

    /// The names of the disc games.
    pub fn disc_games() -> impl Iterator<Item = &'static str> {
        any::NAMES
            .into_iter()
            .filter(|name| any::by_name(name).is_some_and(|game| game.discs().is_some()))
    }

    /// Submits a job on the table that must end before the next request is handled; then `done` is
    /// sent.
    fn prepare(&mut self, done: Event, job: impl FnOnce(&mut Table) + Send + 'static) {
        self.worker.submit(|table, send| {
            job(table);
            send(Report::End {
                event: done,
                stopped: false,
            });
        });
        self.state = State::Preparing;
    }

    /// Allocates a new table and frees the memory of solvers.
    fn resize_table(&mut self) {
        let mebibytes = self.options.hash as usize;
        self.prepare(Event::Done, move |table| {
            *table = Table::new(0); // free the old memory before allocating
            any::free_solver_memory();
            *table = Table::new(mebibytes);
        });
    }

    fn answer_query(&self, query: Query) -> Response {
        match query {
            Query::P1Turn => Response::Truth(self.board.shown().to_move() == Player::First),
            Query::GameOver => Response::Truth(self.board.outcome().is_some()),
            Query::Result => Response::Result(self.board.outcome()),
            Query::Fen => Response::Text(self.board.write_position()),
            Query::IsLegal(word) => Response::Truth(self.board.is_legal(&word)),
            Query::LegalMoves => Response::Moves(self.board.view().moves),
            Query::Start => Response::Text(self.board.settings.write_position(&self.board.start())),
            Query::History => Response::Moves(self.board.history()),
            Query::Unknown => Response::Unknown,
        }
    }

    /// The static evaluation of the position on the board.
    fn evaluate(&self) -> Event {
        let root = self.board.shown();
        let weights = self.options.settings.weights.as_ref();
        let (score, terms) = match self.board.final_score() {
            Some(score) => (score, None),
            None => (
                dispatch::evaluate(root.position(), weights),
                dispatch::eval_terms(root.position(), weights),
            ),
        };
        Event::Evaluation {
            score: score.seen_from(root.stones()).0,
            diagram: self.board.diagram(),
            terms,
        }
    }

    /// Handles `go` for this root position.
    fn go(&mut self, root: AnyGame, go: &Go, arrived: Instant, out: EventSink<'_>) {
        if let Some(score) = self.board.final_score() {
            return self.answer_at_once(&root, RootMove::game_over(score), 0, arrived, out);
        }
        let (moves, error) = root_moves(&root, &go.moves);
        if let Some(error) = error {
            out(Event::Failed(format!("searchmoves: {error}")));
        }
        if go.lacks_time_of(root.to_move()) {
            let name = ["p1time", "p2time"][root.to_move() as usize];
            let error = format!("no {name}, the time of the player to move: the clock is ignored");
            out(Event::Failed(error));
        }
        let limits = self.limits(go, &root, moves, arrived);
        let infinite = go.infinite && !self.is_exiting;
        let ponders = go.ponder && !self.is_exiting;
        let is_for_play = matches!(limits.goal, Goal::BestMove | Goal::Exact);
        let allowance = if is_for_play && !go.infinite && !go.is_hint {
            self.allowance(&root, out)
        } else {
            None
        };
        let is_deferred = go.infinite || go.ponder || go.is_hint;
        if !is_deferred && let Some(best) = self.book_move(&root, &limits, out) {
            return self.answer_at_once(&root, best, 0, arrived, out);
        }
        let is_timed = limits.stops.clock.is_some() || limits.stops.time.is_some();
        let follows_line = is_timed && !infinite && !ponders && allowance.is_none();
        if let Some(best) = self.proven_best(&root, &limits).filter(|_| follows_line) {
            log::debug!(target: SEARCH, "move taken from the proven line of an earlier search");
            return self.answer_at_once(&root, best, root.plies_left(), arrived, out);
        }
        self.search(root, limits, Purpose::Play { infinite }, ponders, allowance);
    }

    /// The limits of a `go`. The largest time that was seen on a clock in this game is its main
    /// time.
    fn limits(&mut self, go: &Go, root: &AnyGame, moves: Vec<Move>, started: Instant) -> Limits {
        let mover = root.to_move();
        let main_time = &mut self.main_time[mover as usize];
        if let (Some(left), None) = (go.time[mover as usize], go.movestogo) {
            *main_time = limits::time(left).max(*main_time);
        }
        let context = GoContext {
            options: &self.options,
            mover,
            started,
            main_time: *main_time,
            node_rate: self.node_rate,
            is_exiting: self.is_exiting,
        };
        context.limits(go, moves)
    }

    /// The allowed cost of the move; `None`: full strength.
    fn allowance(&self, root: &AnyGame, out: EventSink<'_>) -> Option<Allowance> {
        let strength = self.options.strength()?;
        if root.discs().is_none() {
            let name = root.name();
            out(Event::Note(format!(
                "Strength applies to disc games only: {name} is played at full strength"
            )));
        }
        self.losses.allowance(root, strength)
    }

    /// The accuracy of a search, for its note. Restricted searches and those below full strength
    /// were not measured.
    fn accuracy(
        &mut self,
        root: &AnyGame,
        limits: &Limits,
        allowance: Option<Allowance>,
    ) -> Option<Accuracy> {
        let is_usual = limits.moves.is_empty() && limits.goal != Goal::WinLossDraw;
        if !self.options.show_accuracy || !is_usual || allowance.is_some() {
            return None;
        }
        let accuracy = dispatch::accuracy(root.position(), self.options.settings.weights.as_ref());
        let last = std::mem::replace(&mut self.no_accuracy, accuracy.err());
        Some(accuracy).filter(|accuracy| accuracy.is_ok() || accuracy.err() != last)
    }

    /// The best move of the root from the last proven line, if a search under these limits would
    /// have the same result.
    fn proven_best(&self, root: &AnyGame, limits: &Limits) -> Option<RootMove> {
        let Limits { goal, stops, .. } = limits;
        // With its own node count as the limit, such a search can be repeated.
        let any_nodes = stops
            .nodes
            .is_none_or(|nodes| self.options.exact_nodes && nodes == UNSEARCHED_NODES);
        let unrestricted = *goal == Goal::BestMove
            && stops.depth.is_none()
            && any_nodes
            && limits.multi_pv == 1
            && limits.moves.is_empty();
        let automatic = self.options.settings.algorithm == Algorithm::Auto;
        self.proven
            .as_ref()
            .filter(|_| unrestricted && automatic)?
            .best_at(root)
    }

    /// The move of the book, if it answers this search ([`Options::book_choice`]).
    fn book_move(&self, root: &AnyGame, limits: &Limits, out: EventSink<'_>) -> Option<RootMove> {
        let chosen = self.options.book_choice(root, limits);
        let chosen = chosen.unwrap_or_else(|note| {
            out(Event::Note(note));
            None
        })?;
        let level = book::level_name(chosen.level);
        out(Event::Note(format!(
            "book level {level} games {}",
            chosen.games
        )));
        Some(chosen.root)
    }

    /// Adds the game to the book, if there is one.
    #[cfg(feature = "cli")]
    fn learn(&mut self) -> Result<(), String> {
        if let Some(book) = &self.options.book {
            let learned = book::builder::learn(&book.path, self.board.game());
            let learned = learned.map_err(|error| format!("{error:#}"))?;
            self.options.book = Some(Arc::new(learned));
        }
        Ok(())
    }

    /// Without feature `cli`, books are only read.
    #[cfg(not(feature = "cli"))]
    fn learn(&mut self) -> Result<(), String> {
        Ok(())
    }

    /// The line of a result without a search.
    fn unsearched(&self, root: &AnyGame, best: &RootMove, depth: u8, arrived: Instant) -> Info {
        let counters = Counters {
            nodes: UNSEARCHED_NODES,
            ..Counters::default()
        };
        let report = Progress::of(best, depth, counters, arrived.elapsed());
        self.board.settings.info(root, report)
    }

    /// Prints a result without a search: a proven best move, one of the book, or that the game is
    /// over.
    fn answer_at_once(
        &mut self,
        root: &AnyGame,
        best: RootMove,
        depth: u8,
        arrived: Instant,
        out: EventSink<'_>,
    ) {
        let info = self.unsearched(root, &best, depth, arrived);
        let (word, reply) = (info.pv.first().cloned(), info.pv.get(1).cloned());
        out(Event::Info(info.clone()));
        out(Event::Best {
            word: word.clone(),
            reply,
            certainty: best.certainty,
            accuracy: None,
            last: word.is_some().then_some((info, false)),
        });
        self.play_generated(word);
    }

    /// Searches a move of the given player, regardless of the side to move on the board.
    fn generate(&mut self, request: MoveRequest, go: &Go, out: EventSink<'_>) {
        let root = self.board.with_mover(request.player);
        let is_over = root.outcome().is_some();
        self.move_request = (!is_over).then_some(request);
        self.go(root, go, request.arrived, out);
        if is_over && request.play {
            let _ = self.board.play_for(request.player, "pass"); // cannot fail
        }
    }

    /// Finishes the pending request for a move: charges the player's clock and plays the move if
    /// requested.
    fn play_generated(&mut self, found: Option<String>) {
        let Some(MoveRequest {
            player,
            play,
            arrived,
        }) = self.move_request.take()
        else {
            return;
        };
        self.clocks.charge(player, arrived.elapsed());
        if let Some(word) = found.filter(|_| play) {
            // Cannot fail: the search returns a legal move.
            let _ = self.board.play_for(player, &word);
        }
    }

    /// Analyzes the positions of the game from this ply on, unless the analysis was stopped:
    /// searches the first of them. A finished game, the last position, needs no search.
    fn analyze(&mut self, ply: usize, started: Instant, out: EventSink<'_>) {
        let mut root = self.board.game().clone();
        if let Some(go) = self.analysis.clone()
            && ply <= root.history().len()
        {
            while root.history().len() > ply {
                root.undo();
            }
            let Some(score) = root.final_score() else {
                let limits = self.limits(&go, &root, Vec::new(), started);
                return self.search(root, limits, Purpose::Analyze { ply }, false, None);
            };
            let info = self.unsearched(&root, &RootMove::game_over(score), 0, started);
            out(Event::Analysis { ply, info });
        }
        self.become_idle();
        out(Event::Done);
    }

    /// Scores the legal moves, or some of them.
    fn rank(&mut self, go: &Go, arrived: Instant, out: EventSink<'_>) {
        let root = self.board.shown();
        if self.board.moves().is_empty() {
            return out(Event::Ranked {
                moves: Vec::new(),
                depth: 0,
                selectivity: 100,
            });
        }
        let (moves, error) = root_moves(&root, &go.moves);
        if let Some(error) = error {
            return out(Event::Failed(error));
        }
        let is_hint = go.is_hint;
        if self.is_exiting && !is_hint {
            return out(Event::unfinished());
        }
        let limits = self.limits(go, &root, moves, arrived);
        self.search(root, limits, Purpose::Rank { is_hint }, false, None);
    }

    /// Counts leaf nodes.
    fn perft(&mut self, depth: u32, arrived: Instant, out: EventSink<'_>) {
        if self.is_exiting {
            return out(Event::unfinished());
        }
        let control = Arc::<SearchControl>::default();
        let (root, settings) = (self.board.shown(), self.board.settings);
        let is_over = self.board.outcome().is_some(); // also by a forfeit
        self.state = State::Counting {
            control: control.clone(),
            perft: Some((depth, arrived)),
        };
        self.worker.submit(move |_, send| {
            let report = |m, count| {
                let word = settings.write_move(&root, m);
                send(Report::Event(Event::Note(format!("{word} {count}"))));
            };
            let stopped = || control.stopped();
            let count = if is_over && depth > 0 {
                Some(Count { leaves: 0, ended: 1 })
            } else {
                with_position!(root.position(), position => divide_until(&position, depth, &stopped, report))
            };
            let total = count.map_or("stopped".into(), |count| format!("total {count}"));
            send(Report::End {
                event: Event::Note(format!("perft {depth} {total}")),
                stopped: count.is_none(),
            });
        });
    }

    /// Submits a search to the search thread.
    fn search(
        &mut self,
        root: AnyGame,
        limits: Limits,
        purpose: Purpose,
        ponders: bool,
        allowance: Option<Allowance>,
    ) {
        let control = Arc::new(SearchControl::after_first_iteration());
        let is_play = matches!(purpose, Purpose::Play { .. });
        let accuracy = if is_play {
            self.accuracy(&root, &limits, allowance)
        } else {
            None
        };
        if ponders {
            control.ponder(); // the clock is paused until `ponderhit`
        }
        let position = root.position();
        let mut search = ActiveSearch::new(
            root,
            self.board.settings,
            purpose,
            limits.clone(),
            control.clone(),
        );
        (search.ponders, search.allowance, search.accuracy) = (ponders, allowance, accuracy);
        let mut settings = self.options.settings.clone();
        if self.is_exiting {
            settings.threads = 1; // starting helpers would take longer than the first iteration
        }
        // Scores at depth N must not depend on earlier, deeper searches.
        let has_own_table = matches!(purpose, Purpose::Rank { .. });
        self.state = State::Searching(Box::new(search));
        self.worker.submit(move |table, send| {
            panic_if_requested();
            let own = has_own_table.then(|| Table::new(OWN_TABLE));
            let table = own.as_ref().unwrap_or(table);
            let mut report = |progress: &Progress| send(Report::Progress(progress.clone()));
            let mut observer = Observer {
                control,
                report: Some(&mut report),
                trace: None,
            };
            send(Report::Answer(strength::search::think(
                position,
                &settings,
                table,
                &limits,
                allowance,
                &mut observer,
            )));
        });
    }

    /// Handles a report of the search thread.
    pub fn report(&mut self, report: Report, out: EventSink<'_>) {
        let done = match (&mut self.state, report) {
            (State::Searching(search), Report::Progress(progress)) => {
                search.progress(progress, out);
                if self.input_ended && search.is_stopped_by_end_of_input() {
                    self.stop(out);
                }
                false
            }
            (State::Searching(search), Report::Answer(answer)) => {
                if answer.elapsed >= MIN_MEASURED_TIME {
                    self.node_rate =
                        Some(answer.counters.nodes as f64 / answer.elapsed.as_secs_f64());
                }
                self.proven = search.proven_line(&answer).or(self.proven.take());
                search.record_losses(&answer, &mut self.losses);
                let found = search.played(&answer).map(|root| search.write_move(root.m));
                let (purpose, is_silent) = (search.purpose, search.is_silent);
                let needs_depth = purpose == Purpose::Rank { is_hint: false };
                let is_cut = self.is_cut_short && answer.stopped && needs_depth;
                if is_cut {
                    out(Event::unfinished());
                }
                let done = is_cut || search.answer(answer, self.input_ended, out);
                if done {
                    self.play_generated(found);
                }
                // A canceled analysis sends nothing more.
                if let Purpose::Analyze { ply } = purpose
                    && done
                    && !is_silent
                {
                    return self.analyze(ply + 1, Instant::now(), out);
                }
                done
            }
            (_, Report::Event(event)) => {
                out(event);
                false
            }
            (_, Report::End { event, stopped }) => {
                let is_cut = stopped && self.is_cut_short;
                out(if is_cut { Event::unfinished() } else { event });
                true
            }
            // Unreachable: the search thread reports on its last job only.
            (_, Report::Progress(_) | Report::Answer(_)) => false,
        };
        if done {
            self.become_idle();
        }
    }

    /// Becomes idle if the current search is over.
    fn end_search_if(&mut self, is_over: impl FnOnce(&mut ActiveSearch) -> bool) {
        if let State::Searching(search) = &mut self.state
            && is_over(search)
        {
            self.become_idle();
        }
    }

    fn become_idle(&mut self) {
        self.state = State::Idle;
        self.idle_since = Instant::now();
    }

    /// Stops the current job; its result follows with the next reports, or at once if it was
    /// deferred.
    pub fn stop(&mut self, out: EventSink<'_>) {
        self.analysis = None;
        self.state.stop();
        self.end_search_if(|search| search.release(out));
    }

    /// Stops the current job without an answer.
    fn cancel(&mut self) {
        self.analysis = None;
        self.move_request = None;
        self.state.stop();
        self.end_search_if(ActiveSearch::silence);
    }

    /// Prepares to exit after the queued requests: ends the current job, and limits later searches
    /// to one ply. Jobs without a partial result end with an error.
    pub fn prepare_exit(&mut self, out: EventSink<'_>) {
        self.is_exiting = true;
        self.is_cut_short = self
            .state
            .control()
            .is_some_and(|control| !control.stopped());
        self.state.stop();
        self.end_search_if(|search| search.release(out));
    }

    /// Handles the end of input: searches with a limit run to their end; those that only `stop` or
    /// `ponderhit` could end, now or later, are stopped as soon as they have a move, or at the next
    /// keep-alive line.
    pub fn end_input(&mut self, out: EventSink<'_>) {
        self.input_ended = true;
        if matches!(&self.state, State::Searching(search) if search.is_stopped_by_end_of_input()) {
            self.stop(out);
        }
    }

    /// Time since the last line of the current search, if there is a search.
    pub fn silent_for(&self) -> Option<Duration> {
        match &self.state {
            State::Searching(search) => Some(search.last_sent.elapsed()),
            _ => None,
        }
    }

    /// Sends the current root move of a long search, if it has changed.
    pub fn root_move(&mut self, out: EventSink<'_>) {
        if let State::Searching(search) = &mut self.state {
            search.root_move(out);
        }
    }

    /// Sends a keep-alive line; due when the engine has been busy for a while without output.
    pub fn heartbeat(&mut self, out: EventSink<'_>) {
        match &mut self.state {
            State::Searching(search) => {
                search.heartbeat(self.options.settings.weights.as_ref(), out);
                // Without iterative deepening, the only iteration may take forever.
                if self.input_ended && search.is_endless() {
                    self.stop(out);
                }
            }
            State::Counting {
                perft: Some((depth, started)),
                ..
            } => out(Event::PerftRunning {
                depth: *depth,
                elapsed: started.elapsed(),
            }),
            _ => {}
        }
    }
}

impl Drop for Engine {
    /// Stops the job in progress; the search thread then ends.
    fn drop(&mut self) {
        self.state.stop();
    }
}

/// The most illegal moves that an error names.
const MOST_ILLEGAL: usize = 10;

/// The legal root moves among `words`, and an error that names the first others.
fn root_moves(root: &AnyGame, words: &[String]) -> (Vec<Move>, Option<String>) {
    let legal = root.moves();
    let (mut moves, mut illegal) = (Vec::new(), Vec::new());
    for word in words {
        match root.parse_move(word) {
            Ok(m) if legal.contains(&m) => moves.push(m),
            _ if illegal.len() < MOST_ILLEGAL => illegal.push(format!("\"{}\"", quoted(word))),
            _ => {}
        }
    }
    let error = (!illegal.is_empty()).then(|| format!("illegal move {}", illegal.join(", ")));
    (moves, error)
}
