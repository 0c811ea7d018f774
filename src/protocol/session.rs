//! A session with the engine: lines in, lines out.

#![deny(clippy::indexing_slicing)]

use std::cell::RefCell;
use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::Protocol;
use super::dialect::{Dialect, Tag};
use super::line::LineError;
use super::queue::CommandQueue;
use super::writer::Output;
use crate::engine::Engine;
use crate::engine::event::EventSink;
use crate::engine::options::Options;
use crate::engine::request::Request;
use crate::engine::worker::{Report, SearchThread};
use crate::games::reversi::eval::OthelloEvaluator;
use crate::logging::{LINE_IN, PROTOCOL};
use crate::platform::clock::{HAS_THREADS, Instant};

/// The interval of keep-alive lines (protocol.md guarantees a second).
const HEARTBEAT: Duration = Duration::from_millis(900);
/// How often the engine is polled for the current root move.
const ROOT_MOVE_EVERY: Duration = Duration::from_millis(200);

/// A session with the engine that ships with this crate, in any of its protocols (UGI, UCI,
/// GTP, NBoard; protocol.md defines their lines). The first line selects the protocol.
///
/// The engine searches on its own thread; [`send`](Session::send) returns at once, and
/// [`wait`](Session::wait) passes on the lines of the search. Without threads (WebAssembly), `send`
/// returns when the search is over, and its lines come in the meantime. Dropping a session stops its
/// search. A session is not [`Send`]: use it on the thread that created it.
///
/// ```
/// use std::time::Duration;
/// use nullwindow::Session;
///
/// let (sender, lines) = std::sync::mpsc::channel();
/// let mut session = Session::new(move |line| drop(sender.send(line.to_owned())));
/// session.send("position startpos moves f5");
/// session.send("go depth 8");
/// while !session.wait(Duration::from_secs(1)) {}
/// assert!(lines.try_iter().last().is_some_and(|line| line.starts_with("bestmove d6")));
/// ```
pub struct Session {
    engine: Engine,
    dialect: Box<dyn Dialect>,
    color: bool,
    /// Whether the dialect is selected; else the first line selects it.
    has_protocol: bool,
    queue: CommandQueue,
    /// The tag of the command whose job is running.
    running: Tag,
    /// Whether the input has ended.
    has_ended: bool,
    /// Whether `quit` is in the queue; later lines are ignored.
    is_quitting: bool,
    is_over: bool,
    /// When text was last written.
    last_output: Instant,
    /// When the root move of the search was last looked at.
    last_root_move: Instant,
    write: Box<dyn FnMut(Output)>,
    /// Runs the searches if there are no threads.
    search: Option<SearchThread>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

impl Session {
    /// A session with the default options; `write` receives each line of the output, without its
    /// end. Needs feature `weights`, which puts the weights into the program.
    ///
    /// # Panics
    /// If the search thread cannot be started.
    #[cfg(feature = "weights")]
    #[allow(clippy::panic, reason = "as `std::thread::spawn` does")]
    pub fn new(write: impl FnMut(&str) + 'static) -> Session {
        let session = Session::with_default_options(write);
        session.unwrap_or_else(|error| panic!("{error}"))
    }

    /// The same with the weights from the bytes of their file, `src/games/reversi/eval/weights.bin`.
    ///
    /// # Errors
    /// If the bytes are not the weight file of this version, or the search thread cannot be started.
    pub fn with_weights(
        bytes: &[u8],
        write: impl FnMut(&str) + 'static,
    ) -> Result<Session, Box<dyn Error + Send + Sync>> {
        OthelloEvaluator::load(bytes)?;
        Ok(Session::with_default_options(write)?)
    }

    fn with_default_options(mut write: impl FnMut(&str) + 'static) -> io::Result<Session> {
        // The empty line that ends a response of GTP is one, too.
        let lines = move |output: Output| output.text.split('\n').for_each(&mut write);
        Session::start(Options::default(), false, Box::new(lines))
    }

    /// A session with these options; with `color`, boards are drawn in color.
    ///
    /// # Errors
    /// If its thread cannot be started.
    pub(crate) fn start(
        options: Options,
        color: bool,
        write: Box<dyn FnMut(Output)>,
    ) -> io::Result<Session> {
        let mut session = Session::without_thread(options, color, write);
        if HAS_THREADS && let Some(search) = session.search.take() {
            search.start()?;
        }
        Ok(session)
    }

    /// A session that runs its searches in the caller.
    fn without_thread(options: Options, color: bool, write: Box<dyn FnMut(Output)>) -> Session {
        let (engine, search) = Engine::without_thread(options);
        Session {
            engine,
            dialect: Protocol::default().dialect(color),
            color,
            has_protocol: false,
            queue: CommandQueue::default(),
            running: Tag::default(),
            has_ended: false,
            is_quitting: false,
            is_over: false,
            last_output: Instant::now(),
            last_root_move: Instant::now(),
            write,
            search: Some(search),
        }
    }

    /// Handles a line, without its end. Commands after a search wait until it is over, except
    /// `stop`, `isready` and the like, as protocol.md defines.
    pub fn send(&mut self, line: &str) {
        self.receive(Instant::now(), Ok(line.to_owned()));
    }

    /// Passes on the lines of the running search until all commands are answered or this time has
    /// passed. Returns whether all are answered; `go infinite` needs `stop`.
    ///
    /// # Panics
    /// If the search has panicked.
    #[allow(clippy::panic, reason = "it passes on the panic of the search")]
    pub fn wait(&mut self, time: Duration) -> bool {
        if self.search.is_some() {
            return !self.is_busy(); // its searches are over
        }
        let begun = Instant::now();
        let reports = self.reports();
        while self.is_busy() {
            let left = time.saturating_sub(begun.elapsed());
            match reports.recv_timeout(left.min(self.time_to_tick())) {
                Ok(report) => self.report(report),
                Err(RecvTimeoutError::Disconnected) => panic!("the search has panicked"),
                Err(RecvTimeoutError::Timeout) => {
                    self.tick();
                    if left.is_zero() {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Whether a command is not answered yet.
    pub fn is_busy(&self) -> bool {
        !self.is_over && !self.is_waiting()
    }

    /// Whether `quit` was handled.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Whether `quit` arrived; later lines are ignored.
    pub(crate) fn is_quitting(&self) -> bool {
        self.is_quitting
    }

    /// The channel of the engine's reports, for [`report`](Session::report).
    pub(crate) fn reports(&self) -> Receiver<Report> {
        self.engine.reports()
    }

    /// Selects the protocol, instead of the first line.
    pub(crate) fn select_protocol(&mut self, protocol: Protocol) {
        log::debug!(target: PROTOCOL, "protocol {}", protocol.name());
        self.engine.set_dialect_rules(protocol.rules());
        self.dialect = protocol.dialect(self.color);
        self.has_protocol = true;
    }

    /// Handles a line that arrived at this time.
    pub(crate) fn receive(&mut self, arrived: Instant, line: Result<String, LineError>) {
        if !self.is_quitting {
            self.enqueue(arrived, line);
            self.advance();
        }
    }

    /// Handles a report of the engine.
    pub(crate) fn report(&mut self, report: Report) {
        self.pass_on(report);
        self.advance();
    }

    /// Handles the end of input.
    pub(crate) fn end_input(&mut self) {
        log::debug!(target: PROTOCOL, "end of input");
        self.has_ended = true;
        if self.dialect.stops_at_end_of_input() {
            self.prepare_quit();
        } else {
            self.emit_running(Engine::end_input);
        }
        self.advance();
    }

    /// The time until [`tick`](Session::tick) is due.
    pub(crate) fn time_to_tick(&self) -> Duration {
        if self.engine.is_busy() {
            self.time_to_heartbeat().min(ROOT_MOVE_EVERY)
        } else {
            Duration::MAX
        }
    }

    /// Sends what is due during a long search. Returns whether a keep-alive line was.
    pub(crate) fn tick(&mut self) -> bool {
        let is_due = self.time_to_heartbeat().is_zero();
        if self.last_root_move.elapsed() >= ROOT_MOVE_EVERY {
            self.last_root_move = Instant::now();
            self.emit_running(Engine::root_move);
        }
        if is_due {
            // even if the dialect suppresses the heartbeat
            self.last_output = Instant::now();
            self.emit_running(Engine::heartbeat);
        }
        is_due
    }

    fn time_to_heartbeat(&self) -> Duration {
        // Other output does not delay the heartbeat of a search, and lines that the dialect
        // suppresses do not count.
        let silence = self
            .last_output
            .elapsed()
            .max(self.engine.silent_for().unwrap_or_default());
        HEARTBEAT.saturating_sub(silence)
    }

    /// Handles the commands that can be handled now; without threads, also runs their searches.
    fn advance(&mut self) {
        loop {
            while !self.is_over
                && let Some((tag, request, arrived)) = self.queue.next(self.engine.activity())
            {
                self.is_over = request == Request::Quit;
                self.handle(tag, request, arrived);
            }
            self.is_over |= self.has_ended && self.is_waiting();
            let Some(mut search) = self.search.take() else {
                return;
            };
            let session = RefCell::new(&mut *self);
            let has_run = search.run(&|report| session.borrow_mut().pass_on(report));
            self.search = Some(search);
            if !has_run {
                return;
            }
        }
    }

    /// Whether nothing is left to do before the next line.
    fn is_waiting(&self) -> bool {
        !self.engine.is_busy() && self.queue.is_empty()
    }

    /// Parses a line and queues its commands.
    fn enqueue(&mut self, arrived: Instant, line: Result<String, LineError>) {
        match &line {
            Ok(line) => log::debug!(target: PROTOCOL, "{LINE_IN} {line}"),
            Err(error) => log::debug!(target: PROTOCOL, "{LINE_IN} invalid line: {error}"),
        }
        if !self.has_protocol {
            let first = line.as_ref().map_or("", |line| line.trim());
            if line.is_ok() && (first.is_empty() || first.starts_with('#')) {
                return;
            }
            self.select_protocol(Protocol::detect(first));
        }
        let (tag, requests) = match line {
            Ok(line) => self.dialect.parse(&line),
            Err(error) => (Tag::default(), vec![Request::Error(error.to_string())]),
        };
        for request in requests {
            if request == Request::Cancel {
                self.queue.drop_searches();
                self.handle(tag.clone(), request, arrived);
                continue;
            }
            let is_quit = request == Request::Quit;
            self.queue.push(tag.clone(), request, arrived);
            if is_quit {
                self.prepare_quit();
            }
        }
    }

    /// Cuts all queued work short; it is still answered before the process exits.
    fn prepare_quit(&mut self) {
        self.is_quitting = true;
        self.emit_running(Engine::prepare_exit);
    }

    fn handle(&mut self, tag: Tag, request: Request, arrived: Instant) {
        let was_busy = self.engine.is_busy();
        // The result that `stop` or `ponderhit` releases belongs to the command that started the
        // search.
        let releases = matches!(request, Request::Stop | Request::PonderHit);
        let tag = if was_busy && releases {
            self.running.clone()
        } else {
            tag
        };
        self.emit(&tag, |engine, out| engine.handle(request, arrived, out));
        if !was_busy && self.engine.is_busy() {
            self.running = tag;
            self.last_output = Instant::now();
        }
    }

    fn pass_on(&mut self, report: Report) {
        self.emit_running(|engine, out| engine.report(report, out));
    }

    /// [`emit`](Session::emit) for the running job.
    fn emit_running(&mut self, act: impl FnOnce(&mut Engine, EventSink<'_>)) {
        self.emit(&self.running.clone(), act);
    }

    /// Calls the engine and writes its events, formatted by the dialect.
    fn emit(&mut self, tag: &Tag, act: impl FnOnce(&mut Engine, EventSink<'_>)) {
        let (dialect, write, last_output) =
            (&mut self.dialect, &mut self.write, &mut self.last_output);
        act(&mut self.engine, &mut |event| {
            for output in dialect.format(tag, &event) {
                write(output);
                *last_output = Instant::now();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    /// The output of a session for these lines, without times.
    fn lines_of(has_thread: bool, input: &[&str]) -> Vec<String> {
        let lines = Rc::<RefCell<Vec<String>>>::default();
        let written = lines.clone();
        let write = Box::new(move |output: Output| {
            let words: Vec<&str> = output.text.split(' ').collect();
            let times = ["nps", "time"];
            let is_time = |at: usize| {
                let before = at.checked_sub(1).and_then(|at| words.get(at));
                [words.get(at), before]
                    .into_iter()
                    .flatten()
                    .any(|word| times.contains(word))
            };
            let kept = (0..words.len()).filter(|&at| !is_time(at));
            let kept: Vec<&str> = kept.filter_map(|at| words.get(at).copied()).collect();
            written.borrow_mut().push(kept.join(" "));
        });
        let mut session = if has_thread {
            Session::start(Options::default(), false, write).unwrap()
        } else {
            Session::without_thread(Options::default(), false, write)
        };
        for line in input {
            session.send(line);
            while has_thread && !session.wait(Duration::from_secs(10)) {}
        }
        assert!(!session.is_busy());
        lines.take()
    }

    #[test]
    fn a_dropped_session_stops_its_search() {
        let mut session = Session::start(Options::default(), false, Box::new(drop)).unwrap();
        session.send("go infinite");
        let reports = session.reports();
        drop(session);
        let dropped = Instant::now();
        // The thread owns the other end of the channel.
        while !matches!(
            reports.recv_timeout(HEARTBEAT),
            Err(RecvTimeoutError::Disconnected)
        ) {
            assert!(dropped.elapsed() < Duration::from_secs(10));
        }
    }

    #[test]
    fn a_session_polled_without_a_timeout_gets_keep_alive_lines() {
        let lines = Rc::<RefCell<Vec<String>>>::default();
        let written = lines.clone();
        let write = Box::new(move |output: Output| written.borrow_mut().push(output.text));
        let mut session = Session::start(Options::default(), false, write).unwrap();
        session.send("setoption name Game value tictactoe");
        session.send("go infinite");
        let is_last = |line: &String| line.starts_with("info depth 9 ");
        let begun = Instant::now();
        // The line of the last iteration, and its repetition a second later.
        while lines.borrow().iter().filter(|line| is_last(line)).count() < 2 {
            assert!(begun.elapsed() < Duration::from_secs(20));
            assert!(!session.wait(Duration::ZERO));
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    #[should_panic(expected = "the search has panicked")]
    fn a_panic_of_the_search_is_passed_on() {
        let mut session = Session::without_thread(Options::default(), false, Box::new(drop));
        session.search = None; // what a panic of the search thread drops
        session.send("go depth 1");
        session.wait(Duration::MAX);
    }

    #[test]
    fn without_a_thread_the_output_is_the_same() {
        let input = [
            "setoption name Hash value 1",
            "isready",
            "setoption name Game value tictactoe",
            "position startpos moves a1",
            "go depth 5",
            "go perft 3",
            "moves depth 2",
            "go depth 1 depth",
            "ucinewgame",
            "go exact",
            "query gameover",
            "quit",
            "isready",
        ];
        let expected = lines_of(true, &input);
        let best = expected.iter().filter(|line| line.starts_with("bestmove"));
        assert!(best.count() >= 2, "{expected:#?}");
        assert_eq!(lines_of(false, &input), expected);
    }

    #[test]
    fn without_a_thread_a_deferred_result_waits_for_stop() {
        let lines = Rc::<RefCell<Vec<String>>>::default();
        let written = lines.clone();
        let write = Box::new(move |output: Output| {
            let texts = output.text.lines().map(String::from);
            written.borrow_mut().extend(texts);
        });
        let mut session = Session::without_thread(Options::default(), false, write);
        session.send("setoption name Game value tictactoe");
        session.send("go infinite"); // solved long before `stop`
        session.send("go depth 1");
        let is_best = |line: &String| line.starts_with("bestmove");
        assert!(session.is_busy() && !session.wait(Duration::ZERO));
        assert!(!lines.borrow().iter().any(is_best));
        session.send("stop");
        assert!(session.wait(Duration::ZERO));
        assert_eq!(
            lines.borrow().iter().filter(|line| is_best(line)).count(),
            2
        );
    }
}
