//! The running search: turns the reports of the search thread into events, and decides when
//! `bestmove` is due (an infinite or pondering search defers it).

use std::sync::Arc;
use std::time::Duration;

use super::board::SessionSettings;
use super::event::{Bound, Certainty, Event, EventSink, Info, RankedMove};
use super::proven::ProvenLine;
use super::strength::{Allowance, LossRecord};
use crate::game::Move;
use crate::games::any::AnyGame;
use crate::games::dispatch::{self, Accuracy};
use crate::platform::clock::Instant;
use crate::search::stats::Counters;
use crate::search::stop::{RootMoveNumber, SearchControl};
use crate::search::{Answer, AnyWeights, Goal, Limits, Progress, RootMove};

/// The purpose of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Find the best move.
    Play {
        /// Whether `bestmove` waits for `stop`.
        infinite: bool,
    },
    /// Score the legal moves.
    Rank {
        /// Whether scores of a smaller depth are a valid result when the engine exits.
        is_hint: bool,
    },
    /// Evaluate a position of the game history.
    Analyze {
        /// Its ply.
        ply: usize,
    },
}

/// A running search.
pub struct ActiveSearch {
    root: AnyGame,
    settings: SessionSettings,
    pub(super) purpose: Purpose,
    limits: Limits,
    /// Its stop signal.
    pub(super) control: Arc<SearchControl>,
    /// The last reported counters, which never decrease.
    nodes: u64,
    elapsed: Duration,
    /// The deferred result of an infinite or pondering search that has ended but was not stopped
    /// yet.
    deferred: Option<Answer>,
    /// Whether it waits for `ponderhit`.
    pub(super) ponders: bool,
    /// The allowed cost of the move; `None`: the best move is played.
    pub(super) allowance: Option<Allowance>,
    pub(super) accuracy: Option<Accuracy>,
    /// Whether it was canceled: no more events are sent.
    pub(super) is_silent: bool,
    /// The best move's line of the last completed iteration.
    completed: Option<Info>,
    /// The last line of the best move: that one, or a bound of the iteration in progress.
    last: Option<Info>,
    /// Whether another line was sent after it.
    is_stale: bool,
    pub(super) last_sent: Instant,
    /// The root move sent last.
    root_move: Option<RootMoveNumber>,
}

/// Shorter searches do not report the current root move.
const LONG_SEARCH: Duration = Duration::from_secs(1);

impl ActiveSearch {
    /// A search of `root` under these limits.
    pub fn new(
        root: AnyGame,
        settings: SessionSettings,
        purpose: Purpose,
        limits: Limits,
        control: Arc<SearchControl>,
    ) -> ActiveSearch {
        ActiveSearch {
            settings,
            purpose,
            limits,
            control,
            nodes: 0,
            elapsed: Duration::ZERO,
            deferred: None,
            ponders: false,
            allowance: None,
            accuracy: None,
            is_silent: false,
            completed: None,
            last: None,
            is_stale: false,
            last_sent: Instant::now(),
            root_move: None,
            root,
        }
    }

    /// The root move to play.
    pub fn played<'a>(&self, answer: &'a Answer) -> Option<&'a RootMove> {
        self.allowance
            .map_or(answer.best.first(), |allowance| allowance.played(answer))
    }

    /// Records the costs of the scored moves for the rest of the game, below full strength.
    pub fn record_losses(&self, answer: &Answer, losses: &mut LossRecord) {
        if self.allowance.is_some() {
            losses.add(&self.root, answer);
        }
    }

    /// Suppresses all further events; `true` if the search has ended and only its result was
    /// deferred.
    pub fn silence(&mut self) -> bool {
        self.is_silent = true;
        self.deferred.take().is_some()
    }

    /// Handles `ponderhit`: the clock starts, and the result follows when a limit is reached, at
    /// once if it already was. `true` if the search is over.
    pub fn ponder_hit(&mut self, out: EventSink<'_>) -> bool {
        if !self.ponders {
            return false;
        }
        self.ponders = false;
        self.control.ponder_hit(self.limits.stops.started.elapsed());
        !self.is_open_ended() && self.release(out)
    }

    /// Whether its result waits for `stop` (or `ponderhit`).
    pub fn is_open_ended(&self) -> bool {
        self.ponders || self.purpose == Purpose::Play { infinite: true }
    }

    /// The proven line of the root position, if the result is proven.
    pub fn proven_line(&self, answer: &Answer) -> Option<ProvenLine> {
        let proven = answer.certainty == Certainty::Exact && self.limits.moves.is_empty();
        answer
            .best
            .first()
            .filter(|_| proven)
            .map(|best| ProvenLine::new(&self.root, best))
    }

    /// A root move as text.
    pub fn write_move(&self, m: Move) -> String {
        self.settings.write_move(&self.root, m)
    }

    /// Whether the end of input stops the search: only `stop` could end it, and it has a move, or
    /// its result is deferred.
    pub fn is_stopped_by_end_of_input(&self) -> bool {
        (self.is_endless() && self.completed.is_some()) || self.deferred.is_some()
    }

    /// Whether only `stop` or `ponderhit` could end the search.
    pub fn is_endless(&self) -> bool {
        let Limits { goal, stops, .. } = &self.limits;
        let is_timed = stops.time.is_some() || stops.clock.is_some();
        let has_limit = *goal != Goal::BestMove
            || stops.depth.is_some()
            || stops.nodes.is_some()
            || (is_timed && !self.ponders);
        self.is_open_ended() && !has_limit
    }

    /// Sends the current root move, if it has changed and the search is long.
    pub fn root_move(&mut self, out: EventSink<'_>) {
        let root_move = self.control.root_move();
        let is_played = matches!(self.purpose, Purpose::Play { .. })
            && !self.is_silent
            && self.deferred.is_none();
        if !is_played
            || self.root_move == root_move
            || self.limits.stops.started.elapsed() < LONG_SEARCH
        {
            return;
        }
        self.root_move = root_move;
        self.is_stale = true;
        if let Some(RootMoveNumber { depth, m, number }) = root_move {
            out(Event::RootMove {
                depth,
                word: self.settings.write_move(&self.root, m),
                number,
            });
        }
    }

    /// Repeats the last line with current counters, as a keep-alive line (a closed output makes it
    /// fail). Before the first line it has the static evaluation and a legal move.
    pub fn heartbeat(&mut self, weights: Option<&AnyWeights>, out: EventSink<'_>) {
        self.last_sent = Instant::now();
        self.count(self.control.nodes(), self.limits.stops.started.elapsed());
        if self.is_silent {
            return;
        }
        let line = self.last.clone().unwrap_or_else(|| {
            let root = dispatch::static_answer(
                self.root.position(),
                &self.limits.root_moves(&self.root.moves()),
                weights,
            );
            let report = Progress::of(&root, 0, Counters::default(), Duration::ZERO);
            self.settings.info(&self.root, report)
        });
        self.is_stale = false;
        out(Event::Info(self.repeat(line)));
    }

    /// Updates the counters, which never decrease.
    fn count(&mut self, nodes: u64, elapsed: Duration) {
        self.nodes = self.nodes.max(nodes);
        self.elapsed = self.elapsed.max(elapsed);
    }

    /// A line again, with the last reported counters.
    fn repeat(&self, mut line: Info) -> Info {
        (line.report.counters.nodes, line.report.elapsed) = (self.nodes, self.elapsed);
        Info {
            is_repeat: true,
            ..line
        }
    }

    /// Handles a progress report.
    pub fn progress(&mut self, mut report: Progress, out: EventSink<'_>) {
        let is_bound = report.bound != Bound::Exact;
        // Bounds of single lines are not useful with MultiPV. Before the first completed iteration, the
        // move of a bound may not be the one that is played.
        if self.is_silent || is_bound && (report.lines > 1 || self.completed.is_none()) {
            return;
        }
        self.count(report.counters.nodes, report.elapsed);
        (report.counters.nodes, report.elapsed) = (self.nodes, self.elapsed);
        let info = self.settings.info(&self.root, report);
        let is_best = info.report.multi_pv == 1 && !info.pv.is_empty();
        if is_best {
            self.last = Some(info.clone());
        }
        if is_best && !is_bound {
            self.completed = self.last.clone();
        }
        // An analysis or a ranking sends its result only.
        if matches!(self.purpose, Purpose::Play { .. }) {
            self.is_stale = !is_best;
            self.last_sent = Instant::now();
            out(Event::Info(info));
        }
    }

    /// Handles the result; `true` if it was sent, `false` if it is deferred until `stop`.
    pub fn answer(&mut self, answer: Answer, input_ended: bool, out: EventSink<'_>) -> bool {
        if self.is_silent {
            return true;
        }
        if self.is_open_ended() && !input_ended && !self.control.stopped() {
            self.deferred = Some(answer);
            return false;
        }
        self.conclude(&answer, out);
        true
    }

    /// Sends the deferred result, if there is one.
    pub fn release(&mut self, out: EventSink<'_>) -> bool {
        let deferred = self.deferred.take();
        if let Some(answer) = &deferred {
            self.conclude(answer, out);
        }
        deferred.is_some()
    }

    /// Sends the line of the move that is played instead of the best one.
    fn report_played(&mut self, played: &RootMove, answer: &Answer, out: EventSink<'_>) {
        let report = Progress::of(played, answer.depth, answer.counters, answer.elapsed);
        let mut report = Progress {
            selectivity: answer.selectivity,
            lines: answer.best.len(),
            ..report
        };
        if let Some(Info { report: best, .. }) = &self.completed {
            (report.seldepth, report.hashfull) = (best.seldepth, best.hashfull);
        }
        self.progress(report, out);
    }

    /// The last line of the best move with the final counters, and whether it has to be sent again
    /// before `bestmove`.
    fn last_line(&mut self, certainty: Certainty) -> Option<(Info, bool)> {
        let mut line = self.last.take()?;
        if certainty != Certainty::Heuristic && Some(&line) != self.completed.as_ref() {
            // A bound of a later iteration came after the line of the proven score.
            self.is_stale = true;
            let depth = line.report.depth;
            line = self.completed.take()?;
            line.report.depth = depth; // a proven score holds at any depth
        }
        let is_due = self.is_stale || self.nodes > line.report.counters.nodes;
        Some((self.repeat(line), is_due))
    }

    fn conclude(&mut self, answer: &Answer, out: EventSink<'_>) {
        match self.purpose {
            Purpose::Play { .. } => {
                let played = self.played(answer);
                let mut certainty = answer.certainty;
                if let (Some(played), Some(best)) = (played, answer.best.first())
                    && played.m != best.m
                {
                    self.report_played(played, answer, out);
                    certainty = played.certainty;
                }
                self.count(answer.counters.nodes, answer.elapsed);
                let line = played.map(|played| self.settings.write_line(&self.root, &played.pv));
                let mut words = line.unwrap_or_default().into_iter();
                let (word, reply) = (words.next(), words.next());
                let accuracy = self.accuracy.and_then(|measured| match measured {
                    Ok(table) => table.note(answer, self.root.plies_left()),
                    Err(reason) => Some(reason.into()),
                });
                let last = self.last_line(certainty);
                out(Event::Best {
                    word,
                    reply,
                    certainty,
                    accuracy,
                    last,
                });
            }
            Purpose::Analyze { ply } => {
                if let Some(info) = self.completed.take() {
                    out(Event::Analysis { ply, info });
                }
            }
            Purpose::Rank { .. } => {
                let moves = answer.best.iter().map(|root| RankedMove {
                    score: root.score.seen_from(self.root.stones()).0,
                    pv: self.settings.write_line(&self.root, &root.pv),
                    certainty: root.certainty,
                });
                let (moves, depth, selectivity) =
                    (moves.collect(), answer.depth, answer.selectivity);
                out(Event::Ranked {
                    moves,
                    depth,
                    selectivity,
                });
            }
        }
    }
}
