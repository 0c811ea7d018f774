//! What the search thread is busy with, as the engine sees it: from the worker's reports to events.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Sink;
use super::board::Manners;
use super::event::{Bound, Certainty, Event, Info, RankedMove};
use crate::game::Notation;
use crate::games::any::{AnyGame, AnyPosition, Visitor};
use crate::score::Score;
use crate::search::context::Watch;
use crate::search::{Answer, Progress};

/// What the search thread is busy with.
pub enum Task {
    /// Nothing.
    Idle,
    /// The table is being made or cleared.
    Preparing,
    /// A search.
    Thinking(Thinking),
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
            Task::Idle | Task::Preparing => {}
            Task::Thinking(Thinking { watch, .. })
            | Task::Counting(Counting { watch, .. })
            | Task::Benching { watch } => watch.stop(),
        }
    }
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
    /// To find a move, which is announced; `infinite`: not before somebody says `stop`.
    Play {
        /// Whether the answer waits.
        infinite: bool,
    },
    /// To find the score of every move.
    Rank,
}

/// A search.
pub struct Thinking {
    root: Box<dyn AnyGame>,
    manners: Manners,
    purpose: Purpose,
    started: Instant,
    watch: Arc<Watch>,
    /// What was last said: nothing of it ever falls.
    depth: u8,
    nodes: u64,
    elapsed: Duration,
    /// The answer of an infinite search that nobody has stopped yet.
    held: Option<Answer>,
}

impl Thinking {
    /// A search of `root` that began at `started`.
    pub fn new(
        root: Box<dyn AnyGame>,
        manners: Manners,
        purpose: Purpose,
        started: Instant,
        watch: Arc<Watch>,
    ) -> Thinking {
        Thinking { root, manners, purpose, started, watch, depth: 0, nodes: 0, elapsed: Duration::ZERO, held: None }
    }

    /// The position that is searched.
    pub fn position(&self) -> AnyPosition {
        self.root.position()
    }

    /// Whether it ends by `stop` alone.
    pub fn is_infinite(&self) -> bool {
        self.purpose == Purpose::Play { infinite: true }
    }

    /// Whether it has found anything yet.
    pub fn has_spoken(&self) -> bool {
        self.depth > 0
    }

    /// A line without news, so that the reader sees that the engine lives (and the engine, whether the reader does).
    pub fn heartbeat(&mut self) -> Event {
        let (nodes, elapsed) = (self.watch.nodes(), self.started.elapsed());
        Event::Info(self.news(nodes, elapsed))
    }

    /// The counters alone, risen from what was last said.
    fn news(&mut self, nodes: u64, elapsed: Duration) -> Info {
        self.nodes = self.nodes.max(nodes);
        self.elapsed = self.elapsed.max(elapsed);
        Info {
            depth: self.depth,
            seldepth: None,
            multi_pv: None,
            selectivity: 100,
            score: None,
            nodes: self.nodes,
            elapsed: self.elapsed,
            hashfull: None,
            pv: Vec::new(),
        }
    }

    /// Passes on how the search goes.
    pub fn progress(&mut self, progress: &Progress, out: Sink<'_>) {
        if self.purpose == Purpose::Rank {
            return; // its answer says all
        }
        self.depth = self.depth.max(progress.depth);
        let info = self.news(progress.counters.nodes, progress.elapsed);
        out(Event::Info(Info {
            seldepth: Some(progress.seldepth),
            multi_pv: (progress.multi_pv > 1).then_some(progress.multi_pv),
            selectivity: progress.selectivity,
            score: Some((seen_from(progress.score, &*self.root), progress.bound)),
            hashfull: Some(progress.hashfull),
            pv: self.manners.words(&*self.root, &progress.pv),
            ..info
        }));
    }

    /// Takes the answer; `true` once it has been said, `false` while it is held back until somebody says `stop`.
    pub fn answer(&mut self, answer: Answer, input_ended: bool, out: Sink<'_>) -> bool {
        if self.is_infinite() && !input_ended && !self.watch.stopped() {
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
                if answer.counters.nodes > self.nodes {
                    out(Event::Info(self.news(answer.counters.nodes, answer.elapsed)));
                }
                let word = answer.best_move().map(|m| self.manners.word(&*self.root, m));
                out(Event::Best { word, certainty });
            }
            Purpose::Rank => {
                let moves = answer.best.iter().map(|root| RankedMove {
                    score: seen_from(root.score, &*self.root),
                    pv: self.manners.words(&*self.root, &root.pv),
                });
                out(Event::Ranked { moves: moves.collect(), depth: answer.depth, certainty });
            }
        }
    }
}

impl Info {
    /// The line about a game that is over.
    pub fn finished(score: i32, elapsed: Duration) -> Info {
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
        }
    }
}

impl Event {
    /// The end of a `go` in a game that is over.
    pub fn nothing_to_play() -> Event {
        Event::Best { word: None, certainty: Certainty::Exact }
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
