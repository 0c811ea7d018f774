//! What the search thread is busy with, as the engine sees it: from the worker's reports to events.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Sink;
use super::board::Manners;
use super::event::{Bound, Certainty, End, Event, Info, RankedMove};
use super::proven::ProvenLine;
use super::roster;
use crate::game::{Move, Notation, Player};
use crate::games::any::{AnyGame, AnyPosition, Visitor};
use crate::score::Score;
use crate::search::context::Watch;
use crate::search::{Answer, Limits, Progress, Weights};

/// What the search thread is busy with.
pub enum Task {
    /// Nothing.
    Idle,
    /// The table is being made, cleared or waited for; the event is said when it is ready.
    Preparing(Event),
    /// A search.
    Thinking(Box<Thinking>),
    /// A count of lines of play.
    Counting(Counting),
    /// The fixed set of positions.
    Benching {
        /// Stops it.
        watch: Arc<Watch>,
    },
}

impl Task {
    /// Asks the search thread to come to an end, if it does something that can be stopped.
    pub fn stop(&self) {
        match self {
            Task::Idle | Task::Preparing(_) => {}
            Task::Thinking(thinking) => thinking.watch.stop(),
            Task::Counting(Counting { watch, .. }) | Task::Benching { watch } => watch.stop(),
        }
    }

    /// What it means for the next request.
    pub fn activity(&self) -> Activity {
        match self {
            Task::Idle => Activity::Idle,
            Task::Preparing(_) => Activity::Preparing,
            Task::Thinking(thinking) => Activity::Searching(thinking.ends_by()),
            Task::Counting(_) | Task::Benching { .. } => Activity::Searching(EndsBy::Itself),
        }
    }
}

/// What is under way, as far as it decides which request may be carried out next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activity {
    /// Nothing: any request.
    Idle,
    /// The table is being made or cleared: none.
    Preparing,
    /// Something that `stop` ends: urgent requests.
    Searching(EndsBy),
}

/// How a search comes to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndsBy {
    /// By its limits, or because it has been told to stop.
    Itself,
    /// By `stop` alone.
    Stop,
    /// By `stop`, or perhaps by `ponderhit`.
    PonderHitOrStop,
}

/// A count of lines of play.
pub struct Counting {
    /// Where the lines begin.
    pub root: Box<dyn AnyGame>,
    /// Their length.
    pub depth: u32,
    /// When the command came.
    pub started: Instant,
    /// Stops it.
    pub watch: Arc<Watch>,
}

/// What a search is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To find a move, which is announced.
    Play {
        /// The answer waits for `stop`, unless it is the win that `go mate` asked for.
        infinite: bool,
    },
    /// To find the scores of moves.
    Rank,
    /// To find the value of a position of the game, so many plies from its beginning.
    Analyze {
        /// How many.
        ply: usize,
    },
}

/// A search.
pub struct Thinking {
    root: Box<dyn AnyGame>,
    manners: Manners,
    purpose: Purpose,
    started: Instant,
    /// Whether all legal moves are searched.
    searches_all: bool,
    watch: Arc<Watch>,
    /// The deepest finished iteration.
    depth: u8,
    /// The counters that were last said: they never fall.
    nodes: u64,
    elapsed: Duration,
    /// The answer of an infinite search that nobody has stopped yet.
    held: Option<Answer>,
    /// It waits for `ponderhit`.
    ponders: bool,
    /// The win that `go mate` asks for, in moves.
    mate: Option<u8>,
    /// Nobody wants to hear of it any more.
    silent: bool,
    /// The last line of a finished stage, the best move's.
    finished: Option<Info>,
    /// The last line: that one, or a bound of the running stage.
    last: Option<Info>,
    /// Whether a line of another move has been said since.
    stale: bool,
    /// When the last line was said.
    said: Instant,
}

impl Thinking {
    /// A search of `root` within these limits.
    pub fn new(
        root: Box<dyn AnyGame>,
        manners: Manners,
        purpose: Purpose,
        limits: &Limits,
        watch: Arc<Watch>,
    ) -> Thinking {
        Thinking {
            root,
            manners,
            purpose,
            started: limits.started,
            searches_all: limits.moves.is_empty(),
            watch,
            depth: 0,
            nodes: 0,
            elapsed: Duration::ZERO,
            held: None,
            ponders: false,
            mate: limits.mate,
            silent: false,
            finished: None,
            last: None,
            stale: false,
            said: Instant::now(),
        }
    }

    /// The same search, its clock held and its answer kept back until `ponderhit`.
    pub fn pondering(mut self, ponders: bool) -> Thinking {
        self.ponders = ponders;
        if ponders {
            self.watch.ponder();
        }
        self
    }

    /// Lets it end in silence; `true` if it has ended already and only its answer was held back.
    pub fn silence(&mut self) -> bool {
        self.silent = true;
        self.held.take().is_some()
    }

    /// The expected move was played: its clock runs from now on, and it answers as soon as its limits end it, at once if they
    /// have. `true` if it is over.
    pub fn ponder_hit(&mut self, out: Sink<'_>) -> bool {
        if !self.ponders {
            return false;
        }
        self.ponders = false;
        self.watch.ponder_hit(self.started.elapsed());
        !self.is_open_ended() && self.release(out)
    }

    /// The position that is searched.
    pub fn position(&self) -> AnyPosition {
        self.root.position()
    }

    /// Whether its answer waits for `stop` (or `ponderhit`).
    pub fn is_open_ended(&self) -> bool {
        self.ponders || self.purpose == Purpose::Play { infinite: true }
    }

    /// How it comes to its end.
    pub fn ends_by(&self) -> EndsBy {
        match self.is_open_ended() && !self.watch.stopped() {
            true if self.ponders => EndsBy::PonderHitOrStop,
            true => EndsBy::Stop,
            false => EndsBy::Itself,
        }
    }

    /// Whether it belongs to the analysis of a game.
    pub fn is_analysis(&self) -> bool {
        matches!(self.purpose, Purpose::Analyze { .. })
    }

    /// The proven line of its position, if this answer has one.
    pub fn proven_line(&self, answer: &Answer) -> Option<ProvenLine> {
        let proven = answer.certainty == Certainty::Exact && self.searches_all;
        answer.best.first().filter(|_| proven).map(|best| ProvenLine::new(&*self.root, best))
    }

    /// Whether nothing more is said of it.
    pub fn is_silent(&self) -> bool {
        self.silent
    }

    /// A move of its position, written.
    pub fn word(&self, m: Move) -> String {
        self.manners.word(&*self.root, m)
    }

    /// Whether it has found what an infinite search goes on for once nobody can stop it any more: a move, or for `go mate` the
    /// proof that there is no such win.
    pub fn has_found(&self) -> bool {
        let depth = self.mate.map_or(1, |moves| (2 * u32::from(moves)).saturating_sub(1));
        u32::from(self.depth) >= depth || self.held.is_some()
    }

    /// How long nothing has been said of it.
    pub fn since_last_line(&self) -> Duration {
        self.said.elapsed()
    }

    /// The last line again with the counters of the moment, so that the reader sees that the engine lives (and the
    /// engine, whether the reader does). Before the first one: the static value and a legal move.
    pub fn heartbeat(&mut self, weights: Option<&Weights>, out: Sink<'_>) {
        let counters = self.counters(self.watch.nodes(), self.started.elapsed());
        let line = self.last.clone().unwrap_or_else(|| {
            let score = seen_from(roster::evaluate(self.root.position(), weights), &*self.root);
            let first: Vec<Move> = self.root.moves().into_iter().take(1).collect();
            Info { score: Some((score, Bound::Exact)), pv: self.manners.words(&*self.root, &first), ..counters.clone() }
        });
        let Info { nodes, elapsed, .. } = counters;
        self.said = Instant::now();
        if self.silent {
            return;
        }
        self.stale = false;
        out(Event::Info(Info { nodes, elapsed, is_repeat: true, ..line }));
    }

    /// A line with the counters alone, risen from what was last said.
    fn counters(&mut self, nodes: u64, elapsed: Duration) -> Info {
        self.nodes = self.nodes.max(nodes);
        self.elapsed = self.elapsed.max(elapsed);
        Info {
            depth: self.depth,
            seldepth: Some(0),
            multi_pv: None,
            selectivity: 100,
            score: None,
            nodes: self.nodes,
            elapsed: self.elapsed,
            hashfull: Some(0),
            pv: Vec::new(),
            mover: self.root.to_move(),
            is_repeat: false,
            exact: false,
            end: None,
        }
    }

    /// Passes on how the search goes.
    pub fn progress(&mut self, progress: &Progress, out: Sink<'_>) {
        let is_bound = progress.bound != Bound::Exact;
        if self.silent || (is_bound && progress.lines > 1) {
            return; // bounds of one of several lines say little
        }
        if !is_bound {
            self.depth = self.depth.max(progress.depth);
        }
        let info = self.counters(progress.counters.nodes, progress.elapsed);
        let to_the_end = progress.depth > 0 && progress.depth >= self.root.plies_left();
        let proven = progress.selectivity == 100 && (to_the_end || progress.score.is_decided());
        let info = Info {
            depth: progress.depth,
            seldepth: Some(progress.seldepth),
            multi_pv: (progress.lines > 1).then_some(progress.multi_pv),
            selectivity: progress.selectivity,
            score: Some((seen_from(progress.score, &*self.root), progress.bound)),
            hashfull: Some(progress.hashfull),
            pv: self.manners.words(&*self.root, &progress.pv),
            exact: proven && !is_bound,
            end: self.end(progress.score, progress.pv.first().copied()),
            ..info
        };
        let info = match &self.finished {
            // The move to be played if the search were stopped now.
            Some(finished) if is_bound => Info { pv: finished.pv.iter().take(1).cloned().collect(), ..info },
            _ => info,
        };
        let is_best = progress.multi_pv == 1 && !info.pv.is_empty();
        if is_best {
            self.last = Some(info.clone());
        }
        if is_best && !is_bound {
            self.finished = Some(info.clone());
        }
        // Of a game's analysis and of a ranking the answer says all.
        if matches!(self.purpose, Purpose::Play { .. }) {
            self.stale = !is_best;
            self.said = Instant::now();
            out(Event::Info(info));
        }
    }

    /// The end of the game, if a line with this score and first move leads there for certain.
    fn end(&self, score: Score, first: Option<Move>) -> Option<End> {
        if score.is_decided() {
            let plies = Score::DECIDED.0 - seen_from(score, &*self.root).abs();
            return Some(End { plies: plies.unsigned_abs(), result: score.cmp(&Score::ZERO) });
        }
        let mut game = self.root.boxed_clone();
        game.play(first?).ok()?;
        game.final_score().map(|score| End { plies: 1, result: Score::ZERO.cmp(&score) })
    }

    /// Takes the answer; `true` once it has been said, `false` while it is held back until somebody says `stop`.
    pub fn answer(&mut self, answer: Answer, input_ended: bool, out: Sink<'_>) -> bool {
        if self.silent {
            return true;
        }
        let waits = self.ponders || (self.is_open_ended() && !answer.mate_found);
        if waits && !input_ended && !self.watch.stopped() {
            self.held = Some(answer);
            return false;
        }
        self.conclude(&answer, out);
        true
    }

    /// Says the answer that was held back, if there is one.
    pub fn release(&mut self, out: Sink<'_>) -> bool {
        let held = self.held.take();
        if let Some(answer) = &held {
            self.conclude(answer, out);
        }
        held.is_some()
    }

    fn conclude(&mut self, answer: &Answer, out: Sink<'_>) {
        let certainty = answer.certainty;
        match self.purpose {
            Purpose::Play { .. } => {
                let Info { nodes, elapsed, .. } = self.counters(answer.counters.nodes, answer.elapsed);
                if let Some(last) = self.last.take().filter(|last| self.stale || nodes > last.nodes) {
                    out(Event::Info(Info { nodes, elapsed, is_repeat: true, ..last }));
                }
                let line = answer.best.first().map(|best| self.manners.words(&*self.root, &best.pv));
                let mut words = line.unwrap_or_default().into_iter();
                out(Event::Best { word: words.next(), reply: words.next(), certainty });
            }
            Purpose::Analyze { ply } => {
                if let Some(info) = self.finished.take() {
                    out(Event::Analysis { ply, info });
                }
            }
            Purpose::Rank => {
                let moves = answer.best.iter().map(|root| RankedMove {
                    score: seen_from(root.score, &*self.root),
                    pv: self.manners.words(&*self.root, &root.pv),
                });
                let (moves, depth, selectivity) = (moves.collect(), answer.depth, answer.selectivity);
                out(Event::Ranked { moves, depth, selectivity, certainty });
            }
        }
    }
}

impl Info {
    /// The line about a game that is over; `mover` would be the side to move.
    pub fn finished(score: i32, mover: Player, elapsed: Duration) -> Info {
        Info {
            depth: 0,
            seldepth: Some(0),
            multi_pv: None,
            selectivity: 100,
            score: Some((score, Bound::Exact)),
            nodes: 1,
            elapsed,
            hashfull: Some(0),
            pv: Vec::new(),
            mover,
            is_repeat: false,
            exact: true,
            end: Some(End { plies: 0, result: score.cmp(&0) }),
        }
    }
}

impl Event {
    /// The end of a `go` in a game that is over.
    pub fn nothing_to_play() -> Event {
        Event::Best { word: None, reply: None, certainty: Certainty::Exact }
    }
}

/// A score as it is said at this root, in centipoints.
pub fn seen_from(score: Score, root: &dyn AnyGame) -> i32 {
    score.seen_from(stones(root.position())).0
}

fn stones(position: AnyPosition) -> i32 {
    struct Stones;
    impl Visitor for Stones {
        type Output = i32;
        fn visit<G: Notation>(self, position: &G) -> i32 {
            position.stones()
        }
    }
    position.visit(Stones)
}
