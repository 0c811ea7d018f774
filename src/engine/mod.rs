//! The engine: requests in, events out; no text and no standard streams.
//!
//! [`Engine`] holds the board and the options; a search thread ([`worker`]) does what takes time. A driver calls
//! [`Engine::handle`] with one request after the other while the engine is idle, hands over the worker's reports as they
//! arrive ([`Engine::reports`], [`Engine::report`]), and calls [`Engine::heartbeat`] now and then while it is busy.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::VecDeque;
use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

pub mod bench;
pub mod board;
pub mod clock;
pub mod event;
pub mod limits;
pub mod lines;
pub mod options;
pub mod proven;
pub mod request;
pub mod roster;
pub mod task;
pub mod worker;

pub use crate::game::quoted;
use crate::game::{Move, Player};
use crate::games::any::{self, AnyGame};
use crate::score::Bound;
use crate::search::context::{Counters, Watch};
use crate::search::{Algorithm, Answer, Clock, Limits, Progress, RootMove};

use board::{Board, Conduct, Manners};
use clock::Clocks;
use event::{Certainty, Event, Info, Response};
use limits::Plan;
use options::{OptionError, OptionId, Options};
use proven::ProvenLine;
use request::{Go, Query, Rank, Request, Saying};
use task::{Activity, Counting, Purpose, Task, Thinking};
use worker::{Job, Report, Worker};

/// Searches shorter than this do not tell how fast the machine is.
const RATE_MEASURED_FROM: Duration = Duration::from_millis(5);

/// Where events go.
pub type Sink<'s> = &'s mut dyn FnMut(Event);

/// The engine.
pub struct Engine {
    board: Board,
    options: Options,
    conduct: Conduct,
    manners: Manners,
    /// The clocks of protocols in which the engine keeps the time.
    clocks: Clocks,
    /// Whose move the present search looks for, and whether it is played.
    generating: Option<Generating>,
    /// The positions that are still to be analysed, each with its ply.
    analysis: VecDeque<(usize, Box<dyn AnyGame>)>,
    /// The limits of their searches.
    analysis_limits: Go,
    worker: Worker,
    task: Task,
    /// Since when the engine is idle: a command that had to wait is timed from here.
    idle_since: Instant,
    /// The last proven result.
    proven: Option<ProvenLine>,
    /// Nodes per second of the last search in this game that was long enough to measure.
    node_rate: Option<f64>,
    /// The most that has been on the clocks of the two players in this game.
    main_time: [Duration; 2],
    /// No more input will come, so nobody can say `stop`.
    input_ended: bool,
    /// The end is near: searches end after one ply.
    hurried: bool,
}

/// A move to be found for a player.
#[derive(Clone, Copy, Debug)]
struct Generating {
    player: Player,
    play: bool,
    arrived: Instant,
}

impl Engine {
    /// An engine with these options, the game's start on its board.
    pub fn new(options: Options) -> Engine {
        let conduct = Conduct::default();
        let manners = conduct.manners(&options);
        let (board, worker) = (Board::new(options.game), Worker::start(options.hash));
        let (task, idle_since) = (Task::Idle, Instant::now());
        Engine {
            board,
            options,
            conduct,
            manners,
            clocks: Clocks::default(),
            generating: None,
            analysis: VecDeque::new(),
            analysis_limits: Go::default(),
            worker,
            task,
            idle_since,
            proven: None,
            node_rate: None,
            main_time: [Duration::ZERO; 2],
            input_ended: false,
            hurried: false,
        }
    }

    /// Whether something is under way that will report.
    pub fn is_busy(&self) -> bool {
        !matches!(self.task, Task::Idle)
    }

    /// What is under way: which request may be carried out next depends on it.
    pub fn activity(&self) -> Activity {
        self.task.activity()
    }

    /// Where the worker's reports arrive.
    pub fn reports(&self) -> Receiver<Report> {
        self.worker.reports().clone()
    }

    /// Carries out a request that `arrived` at that moment: while the engine is busy, an urgent one.
    pub fn handle(&mut self, request: Request, arrived: Instant, out: Sink<'_>) {
        debug_assert!(!self.is_busy() || request.is_urgent());
        let arrived = arrived.max(self.idle_since);
        match request {
            Request::Identify => out(Event::Identity),
            Request::Ready if self.is_busy() => out(Event::Ready),
            Request::Ready => self.prepare(Job::Ready, Event::Ready),
            Request::NewGame => {
                self.restart();
                self.prepare(Job::Clear, Event::Done);
            }
            Request::Restart => {
                self.restart();
                out(Event::Done);
            }
            Request::SetOption { name, value } => {
                match self.set_option(&name, value.as_deref()) {
                    Ok(()) if self.is_busy() => {} // done when the table is ready
                    done => tell("setoption", done, out),
                }
            }
            Request::Position { text, before, moves } => {
                let done = self.board.set(&text, &moves, self.manners);
                tell("position", done.map_err(|error| error.in_line(before)), out);
            }
            Request::Play(moves) => tell("moves", self.board.play(&moves, self.manners), out),
            Request::PlayFor { player, word } => match self.board.play_for(player, &word) {
                Ok(()) => out(Event::Done),
                Err(error) => out(Event::Error(error.to_string())),
            },
            Request::Generate { player, play, go } => {
                let go = match self.options.depth {
                    0 => self.clocks.limits(player, &go),
                    depth => Go { depth: Some(depth.into()), lines: go.lines, ..Go::default() },
                };
                self.generate(Generating { player, play, arrived }, &go, out);
            }
            Request::BoardSize(size) => match self.board_of_size(size) {
                Some(game) => {
                    (self.options.game, self.options.drops) = (game, false);
                    self.board = Board::new(game);
                    out(Event::Done);
                }
                None => out(Event::Error("unacceptable size".into())),
            },
            Request::SetClocks(settings) => {
                self.clocks.wind(settings);
                out(Event::Done);
            }
            Request::SetClock { player, left, stones } => {
                self.clocks.set(player, left, stones);
                out(Event::Done);
            }
            Request::Undo => tell("undo", self.board.undo(self.manners), out),
            Request::Go(go) => self.go(self.board.shown(self.manners), &go, arrived, out),
            Request::Analyze(go) => self.analyze(go, arrived, out),
            Request::Rank(rank) => self.rank(&rank, arrived, out),
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
                let finished = self.board.final_score();
                let score = finished.unwrap_or_else(|| roster::evaluate(root.position(), weights));
                let reasons = roster::reasons(root.position(), weights).filter(|_| finished.is_none());
                let score = task::seen_from(score, &*root);
                out(Event::Evaluation { score, diagram: root.diagram(), reasons: reasons.map(Box::new) });
            }
            Request::Say(Saying::Text(text)) => out(Event::Text(text)),
            Request::Say(Saying::Error(text)) => out(Event::Error(text)),
            Request::Stop => self.stop(out),
            Request::Cancel => self.cancel(),
            Request::Quit => {
                if let Task::Preparing(Event::Ready) = self.task {
                    out(Event::Ready); // nothing that it would have to be ready for will come
                    self.become_idle();
                }
                self.stop(out);
                out(Event::Bye);
            }
            Request::PonderHit => {
                if let Task::Thinking(thinking) = &mut self.task
                    && thinking.ponder_hit(out)
                {
                    self.become_idle();
                }
            }
        }
    }

    /// The start on the board, full clocks.
    fn restart(&mut self) {
        self.board = Board::new(self.options.game);
        self.clocks.restart();
        self.main_time = [Duration::ZERO; 2];
        self.proven = None;
    }

    /// Sets an option and does what follows from it.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        match self.options.set(name, value)? {
            OptionId::Game | OptionId::UciVariant => {
                self.board = Board::new(self.options.game);
                self.node_rate = None;
                self.main_time = [Duration::ZERO; 2];
            }
            OptionId::Hash => self.prepare(Job::Resize(self.options.hash), Event::Done),
            OptionId::ClearHash => self.prepare(Job::Clear, Event::Done),
            OptionId::PassMove
            | OptionId::MultiPv
            | OptionId::Algorithm
            | OptionId::Table
            | OptionId::Deepening
            | OptionId::Threads
            | OptionId::MoveOverhead
            | OptionId::Depth
            | OptionId::Ponder
            | OptionId::EvalFile
            | OptionId::Kernel
            | OptionId::Selectivity => {}
        }
        self.manners = self.conduct.manners(&self.options);
        Ok(())
    }

    /// What the dialect makes of the board.
    pub fn set_conduct(&mut self, conduct: Conduct) {
        self.conduct = conduct;
        self.manners = conduct.manners(&self.options);
    }

    /// Whether the game on the board is played with discs, so that every Othello protocol can tell of it.
    pub fn has_discs(&self) -> bool {
        self.board.game().discs().is_some()
    }

    /// The game to play on a disc board of that size: the present one if it fits.
    fn board_of_size(&self, size: u32) -> Option<&'static str> {
        let fits = |game: &dyn AnyGame| game.discs().is_some_and(|discs| u32::from(discs.grid.size) == size);
        if fits(self.board.game()) {
            return Some(self.options.game);
        }
        // The boards of that size come in the order of the list: Othello's before the others.
        any::NAMES.into_iter().find(|name| any::by_name(name).is_some_and(|game| fits(&*game)))
    }

    /// Lets the search thread see to the table; `done` is said afterwards.
    fn prepare(&mut self, job: Job, done: Event) {
        self.worker.submit(job);
        self.task = Task::Preparing(done);
    }

    fn go(&mut self, root: Box<dyn AnyGame>, go: &Go, arrived: Instant, out: Sink<'_>) {
        if let Some(score) = self.board.final_score() {
            out(Event::Info(Info::finished(task::seen_from(score, &*root), root.to_move(), arrived.elapsed())));
            return out(Event::nothing_to_play());
        }
        let moves = searched(&*root, &go.moves).unwrap_or_else(|error| {
            out(complaint("go", error));
            go.moves.iter().filter_map(|word| root.parse_move(word).ok()).collect()
        });
        let overhead = Duration::from_millis(self.options.move_overhead.into());
        let hurried = Go { depth: Some(1), moves: go.moves.clone(), ..Go::default() };
        let go = if self.hurried { &hurried } else { go };
        let lines = self.options.multi_pv as usize;
        let Plan { limits, infinite } = limits::plan(go, root.to_move(), overhead, arrived, moves, lines);
        let limits = Limits { node_rate: self.node_rate, clock: self.with_main_time(limits.clock, &*root), ..limits };
        let wants_move = (limits.clock.is_some() || limits.movetime.is_some()) && !infinite && !go.ponder;
        if let Some(best) = self.proven_best(&*root, &limits).filter(|_| wants_move) {
            return self.answer_proven(root, &limits, best, out);
        }
        self.think(root, limits, Purpose::Play { infinite }, go.ponder);
    }

    /// The best move of a position on the line of the last proven result, where a search would find the same.
    fn proven_best(&self, root: &dyn AnyGame, limits: &Limits) -> Option<RootMove> {
        let Limits { depth, nodes, mate, multi_pv, ref moves, .. } = *limits;
        let whole = depth.is_none() && nodes.is_none() && mate.is_none() && multi_pv == 1 && moves.is_empty();
        let automatic = self.options.settings.algorithm == Algorithm::Auto;
        self.proven.as_ref().filter(|_| whole && automatic)?.best_at(root)
    }

    /// Says a proven best move without a search.
    fn answer_proven(&mut self, root: Box<dyn AnyGame>, limits: &Limits, best: RootMove, out: Sink<'_>) {
        let (depth, found) = (root.plies_left(), best.m);
        let counters = Counters { nodes: 1, ..Counters::default() };
        let progress = Progress {
            depth,
            seldepth: depth,
            selectivity: 100,
            multi_pv: 1,
            lines: 1,
            score: best.score,
            bound: Bound::Exact,
            counters,
            elapsed: limits.started.elapsed(),
            hashfull: 0,
            pv: best.pv.clone(),
        };
        let answer = Answer {
            best: vec![best],
            depth,
            selectivity: 100,
            certainty: Certainty::Exact,
            counters,
            elapsed: progress.elapsed,
            mate_found: false,
            stopped: false,
        };
        let purpose = Purpose::Play { infinite: false };
        let mut thinking = Thinking::new(root, self.manners, purpose, limits, Arc::default());
        thinking.progress(&progress, out);
        thinking.answer(answer, self.input_ended, out);
        self.play_generated(Some(thinking.word(found)));
    }

    /// The clock, and the most that has been on it in this game. Time for a number of moves is not the game's.
    fn with_main_time(&mut self, clock: Option<Clock>, root: &dyn AnyGame) -> Option<Clock> {
        let clock = clock?;
        if clock.moves_to_go.is_some() {
            return Some(clock);
        }
        let main = &mut self.main_time[root.to_move() as usize];
        *main = clock.remaining.max(*main);
        Some(Clock { main: *main, ..clock })
    }

    /// Finds a move for a player, whoever's turn it is; the board stays as it is unless the move is played.
    fn generate(&mut self, generating: Generating, go: &Go, out: Sink<'_>) {
        let root = self.board.seen_by(generating.player);
        if root.outcome().is_some() {
            return self.go(root, go, generating.arrived, out);
        }
        self.generating = Some(generating);
        self.go(root, go, generating.arrived, out);
    }

    /// Plays the move that was found for a player, and stops his clock.
    fn play_generated(&mut self, found: Option<String>) {
        let Some(Generating { player, play, arrived }) = self.generating.take() else { return };
        self.clocks.spend(player, arrived.elapsed());
        if let Some(word) = found.filter(|_| play) {
            // The search answers with a legal move only.
            let _ = self.board.play_for(player, &word);
        }
    }

    /// Thinks about the positions of the game, from its beginning on.
    fn analyze(&mut self, go: Go, arrived: Instant, out: Sink<'_>) {
        let mut game = self.board.game().boxed_clone();
        let mut positions = VecDeque::from([(game.history().len(), game.boxed_clone())]);
        while game.undo() {
            positions.push_front((game.history().len(), game.boxed_clone()));
        }
        (self.analysis, self.analysis_limits) = (positions, go);
        self.analyze_next(arrived, out);
    }

    /// Goes on to the next position that takes a search; those of a finished game say their score.
    fn analyze_next(&mut self, arrived: Instant, out: Sink<'_>) {
        while let Some((ply, root)) = self.analysis.pop_front() {
            if let Some(score) = root.final_score() {
                let info = Info::finished(task::seen_from(score, &*root), root.to_move(), arrived.elapsed());
                out(Event::Analysis { ply, info });
                continue;
            }
            let overhead = Duration::from_millis(self.options.move_overhead.into());
            let Plan { limits, .. } =
                limits::plan(&self.analysis_limits, root.to_move(), overhead, arrived, Vec::new(), 1);
            return self.think(root, limits, Purpose::Analyze { ply }, false);
        }
        self.become_idle();
        out(Event::Done);
    }

    fn rank(&mut self, rank: &Rank, arrived: Instant, out: Sink<'_>) {
        let root = self.board.shown(self.manners);
        if self.board.moves(self.manners).is_empty() {
            return out(Event::Ranked { moves: Vec::new(), depth: 0, selectivity: 100, certainty: Certainty::Exact });
        }
        let Ok(moves) = searched(&*root, &rank.moves).map_err(|error| out(complaint("moves", error))) else { return };
        let multi_pv = rank.lines.unwrap_or(self.options.multi_pv as usize);
        let depth = if self.hurried { 1 } else { rank.depth };
        let limits = Limits { started: arrived, multi_pv, moves, ..Limits::to_depth(depth) };
        self.think(root, limits, Purpose::Rank, false);
    }

    fn think(&mut self, root: Box<dyn AnyGame>, limits: Limits, purpose: Purpose, ponders: bool) {
        let watch = Arc::<Watch>::default();
        let thinking = Thinking::new(root, self.manners, purpose, &limits, watch.clone()).pondering(ponders);
        let position = thinking.position();
        let (settings, kernel) = (self.options.settings.clone(), self.options.kernel);
        let afresh = purpose == Purpose::Rank; // a score at depth N owes nothing to a deeper search before
        self.task = Task::Thinking(Box::new(thinking));
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
        // A cancelled analysis ends in silence.
        let analyses =
            matches!(&self.task, Task::Thinking(thinking) if thinking.is_analysis() && !thinking.is_silent());
        let done = match (&mut self.task, report) {
            (Task::Thinking(thinking), Report::Progress(progress)) => {
                thinking.progress(&progress, out);
                if self.input_ended && thinking.is_open_ended() && thinking.has_found() {
                    self.stop(out); // now that it has found something
                }
                false
            }
            (Task::Thinking(thinking), Report::Answer(answer)) => {
                if answer.elapsed >= RATE_MEASURED_FROM {
                    self.node_rate = Some(answer.counters.nodes as f64 / answer.elapsed.as_secs_f64());
                }
                self.proven = thinking.proven_line(&answer).or(self.proven.take());
                let found = answer.best_move().map(|m| thinking.word(m));
                let done = thinking.answer(answer, self.input_ended, out);
                if done {
                    self.play_generated(found);
                }
                if done && !self.analysis.is_empty() {
                    return self.analyze_next(Instant::now(), out);
                }
                if done && analyses {
                    out(Event::Done);
                }
                done
            }
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
            (Task::Preparing(done), Report::Done) => {
                out(done.clone());
                true
            }
            (_, Report::BenchEnd) => {
                out(Event::Done);
                true
            }
            // The worker reports only on the job that it was given last.
            (_, Report::Progress(_) | Report::Answer(_) | Report::PerftMove(..) | Report::Perft(_) | Report::Done) => {
                false
            }
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
        self.analysis.clear();
        self.task.stop();
        if let Task::Thinking(thinking) = &mut self.task
            && thinking.release(out)
        {
            self.become_idle();
        }
    }

    /// Stops a search whose answer nobody wants any more.
    fn cancel(&mut self) {
        self.analysis.clear();
        self.generating = None;
        self.task.stop();
        if let Task::Thinking(thinking) = &mut self.task
            && thinking.silence()
        {
            self.become_idle();
        }
    }

    /// The end is near: the present search is stopped, later ones end after one ply.
    pub fn hurry(&mut self, out: Sink<'_>) {
        self.hurried = true;
        self.stop(out);
    }

    /// No more input will come: searches with a limit run to their end; one that waits for `stop` or `ponderhit` is
    /// stopped as soon as it has found something, and so are later ones.
    pub fn end_input(&mut self, out: Sink<'_>) {
        self.input_ended = true;
        if matches!(&self.task, Task::Thinking(thinking) if thinking.is_open_ended() && thinking.has_found()) {
            self.stop(out);
        }
    }

    /// How long nothing has been said of the present search.
    pub fn silent_for(&self) -> Option<Duration> {
        match &self.task {
            Task::Thinking(thinking) => Some(thinking.since_last_line()),
            _ => None,
        }
    }

    /// A sign of life, to be sent when the engine has been busy for a while without a word.
    pub fn heartbeat(&mut self, out: Sink<'_>) {
        match &mut self.task {
            Task::Thinking(thinking) => thinking.heartbeat(self.options.settings.weights.as_ref(), out),
            Task::Counting(Counting { depth, started, .. }) => {
                out(Event::Counting { depth: *depth, elapsed: started.elapsed() });
            }
            Task::Idle | Task::Preparing(_) | Task::Benching { .. } => {}
        }
    }
}

/// The moves that a search is confined to, or which of them are not legal.
fn searched(root: &dyn AnyGame, words: &[String]) -> Result<Vec<Move>, String> {
    let legal = root.moves();
    let (mut moves, mut unusable) = (Vec::new(), Vec::new());
    for word in words {
        match root.parse_move(word) {
            Ok(m) if legal.contains(&m) => moves.push(m),
            _ => unusable.push(format!("\"{}\"", quoted(word))),
        }
    }
    if unusable.is_empty() { Ok(moves) } else { Err(format!("searchmoves: not legal here: {}", unusable.join(", "))) }
}

/// Says that a command was carried out, or what was wrong with it.
fn tell(command: &str, done: Result<(), impl Display>, out: Sink<'_>) {
    out(match done {
        Ok(()) => Event::Done,
        Err(error) => complaint(command, error),
    });
}

/// What was wrong with a command.
fn complaint(command: &str, error: impl Display) -> Event {
    Event::Error(format!("{command}: {error}"))
}
