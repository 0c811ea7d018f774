//! Iterative deepening: from limits to a result.
//!
//! [`think`] follows a schedule of (depth, selectivity) pairs ([`super::schedule`]). Each iteration
//! provides the first guess of the next and, through the root move list and the table, its move
//! ordering.
//!
//! Values oscillate between odd and even depths (odd-even effect), so schedules advance by two
//! plies.
//!
//! Limits of depth, nodes and time truncate the schedule. An interrupted iteration still counts if
//! it has proven a root move better than the best move of the previous iteration.

use std::time::Duration;

use crate::game::Move;
use crate::game::score::{Bound, Score, Window};
use crate::logging::SEARCH;
use crate::platform::clock::Instant;

use super::answer::{Answer, Certainty, RootMove};
use super::iteration_log::IterationLog;
use super::levels::percent;
use super::limits::{Goal, Limits};
use super::progress::{Observer, Progress};
use super::stats::SearchStats;
use super::stop::{Budget, Stopped};
use super::table::Draft;

use super::schedule::{FirstGuess, Iteration, Objective};
use super::searcher::{BOUND_REPORT_NODES, Root, RootBound, Searcher};

/// The maximum depth of a first iteration during which stops can be deferred. Without deepening it
/// may be deeper.
const FIRST_DEPTH: u8 = 4;

/// Searches within the limits, reports progress to the observer and returns the result. Without
/// `deepening`, a searcher that allows it runs the last iteration alone.
pub fn think(
    searcher: &mut dyn Searcher,
    limits: &Limits,
    deepening: bool,
    observer: &mut Observer<'_>,
) -> Answer {
    let root = searcher.root();
    let plies_left = root.plies_left;
    let moves = limits.root_moves(&root.moves);
    let budget = Budget::new(&limits.stops, plies_left, &|plies_left| {
        searcher.nodes_to_solve(plies_left)
    });
    // The window of a bound also speeds up the iterations before the end: only their bounds matter
    // (measurements.md#bounds). Games won by a line have iterations that end early with a decided
    // score, which a window would hide.
    let is_by_points = root.grain > 1;
    let decisive = match limits.goal {
        Goal::Bound(window) if is_by_points => Some((0, window)),
        Goal::Bound(window) => Some((plies_left, window)),
        Goal::WinLossDraw => {
            let (alpha, beta) = (Score(-root.grain), Score(root.grain));
            Some((plies_left, Window { alpha, beta }))
        }
        Goal::BestMove | Goal::Exact | Goal::Mate(_) => None,
    };
    let lines = limits.multi_pv.clamp(1, moves.len().max(1));
    let mut extra_moves = limits.extra_moves.clone();
    extra_moves.retain(|m| moves.contains(m));
    let mut running = RunningSearch {
        searcher,
        observer,
        limits,
        budget,
        decisive,
        root,
        changes: 0.0,
        stopped: false,
        lines,
        best: Vec::new(),
        extra_moves,
        moves,
        extra: Vec::new(),
        iteration: Iteration::full(0),
        better: None,
        last: Duration::ZERO,
    };

    if let Some(score) = running.root.final_score {
        log::debug!(target: SEARCH, "the game is over");
        running.report(0, &RootMove::game_over(score));
        return running.answer(Certainty::Exact);
    }
    running.searcher.set_budget(budget);
    let objective = match (deepening, limits.goal.is_proof()) {
        (false, _) => Objective::LastIteration,
        (true, true) => Objective::Proof,
        (true, false) => Objective::BestMove,
    };
    let most = match limits.goal {
        Goal::Mate(moves) => plies_to_mate(moves).min(plies_left),
        _ => plies_left,
    };
    let depth = limits.stops.depth.map_or(most, |depth| depth.min(most));
    let iterations = running.searcher.schedule(depth, objective);
    running.iterate(&iterations);
    running.conclude()
}

/// The most plies of a win within this many moves.
fn plies_to_mate(moves: u8) -> u8 {
    moves.saturating_mul(2).saturating_sub(1)
}

/// A running search.
struct RunningSearch<'s, 'o> {
    searcher: &'s mut dyn Searcher,
    observer: &'s mut Observer<'o>,
    limits: &'s Limits,
    budget: Budget,
    /// Of a win/loss/draw search or a search with a window: the depth from which the window
    /// applies, and the window.
    decisive: Option<(u8, Window)>,
    root: Root,
    stopped: bool,
    /// Number of changes of the best move, halved in every iteration.
    changes: f64,
    /// The root moves to search.
    moves: Vec<Move>,
    /// The number of lines (MultiPV).
    lines: usize,
    /// The lines of the last finished iteration.
    best: Vec<RootMove>,
    /// The moves of [`Limits::extra_moves`].
    extra_moves: Vec<Move>,
    /// The lines of these moves in the last finished iteration.
    extra: Vec<RootMove>,
    iteration: Iteration,
    /// An unfinished iteration, a move that it has proven better than the best move of the previous
    /// one, and a lower bound of its score. `None` once an iteration is finished.
    better: Option<(Iteration, Move, Score)>,
    /// Duration of the last iteration.
    last: Duration,
}

impl RunningSearch<'_, '_> {
    /// Searches the iterations until the goal is reached, or a limit.
    fn iterate(&mut self, iterations: &[Iteration]) {
        let mut guesses = FirstGuess::new(vec![Score::ZERO; self.lines + self.extra_moves.len()]);
        for (number, &iteration) in (1..).zip(iterations) {
            log::debug!(target: SEARCH, "iteration {number} of {}", iterations.len());
            let is_first = number == 1 && iteration.depth <= FIRST_DEPTH;
            self.observer.control.begin_iteration(is_first);
            let Ok(scores) = self.search_iteration(iteration, guesses.of(iteration)) else {
                self.stopped = true;
                log::debug!(target: SEARCH, "stopped: {}", self.interruption());
                return;
            };
            guesses.record(iteration, scores);
            if number == iterations.len() {
                log::debug!(target: SEARCH, "ended: schedule completed");
            } else if self.has_reached_goal() {
                log::debug!(target: SEARCH, "ended: the goal is reached");
                return;
            } else if let Some(reason) = self.end_reason() {
                self.stopped = self.limits.stops.depth.is_none();
                log::debug!(target: SEARCH, "ended: {reason}");
                return;
            }
        }
    }

    /// The answer after the last iteration.
    fn conclude(mut self) -> Answer {
        if self.best.is_empty() {
            // No iteration was finished.
            let root = self.searcher.evaluate(&self.moves);
            self.report(0, &root);
            self.best = vec![root];
        }
        if let Some((iteration, m, lower)) = self.better {
            self.replace_best(iteration, m, lower);
            return self.answer(Certainty::Heuristic);
        }
        // The result is proven only if all lines of the iteration are.
        let mut scored = self.best.iter().chain(&self.extra);
        let is_proven = scored.all(|root| root.certainty == self.claim(self.iteration, root.score));
        let certainty = match is_proven {
            true => self.best[0].certainty,
            false => Certainty::Heuristic,
        };
        self.answer(certainty)
    }

    /// Searches one iteration: the best move, then the best of the remaining moves, and so on
    /// (MultiPV). `guesses`: the first guesses of the lines, then of the extra moves. Returns their
    /// scores.
    fn search_iteration(
        &mut self,
        iteration: Iteration,
        guesses: &[Score],
    ) -> Result<Vec<Score>, Stopped> {
        let begun = Instant::now();
        let mut left = self.moves.clone();
        let mut found: Vec<RootMove> = Vec::new();
        // If every move gets a line, search each alone from its own first guess: fewer nodes than
        // repeated searches for the best remaining move.
        let every = self.lines == left.len();
        for (line, &guess) in guesses.iter().take(self.lines).enumerate() {
            let among = if every {
                vec![self.moves[line]]
            } else {
                left.clone()
            };
            let root = self.search_line(iteration, line, guess, &among)?;
            left.retain(|&m| m != root.m);
            found.push(root);
        }
        let mut extra = Vec::new();
        for (line, m) in (self.lines..).zip(self.extra_moves.clone()) {
            extra.push(match found.iter().find(|root| root.m == m) {
                Some(root) => root.clone(),
                None => self.search_line(iteration, line, guesses[line], &[m])?,
            });
        }
        let scores = found.iter().chain(&extra).map(|root| root.score).collect();
        self.extra = extra;
        // stable: of equals, the first found stays first
        found.sort_by_key(|root| std::cmp::Reverse(root.score));
        let changed = self.best.first().is_some_and(|best| best.m != found[0].m);
        self.changes = self.changes / 2.0 + f64::from(u8::from(changed));
        self.iteration = iteration;
        for (line, root) in found.iter().enumerate() {
            self.report(line, root);
        }
        self.best = found;
        self.better = None;
        self.last = begun.elapsed();
        Ok(scores)
    }

    /// Searches for the best of the moves `among`, from a first guess. Reports the bounds of long
    /// searches, except with extra moves: the final line may be that of an extra move, from the last
    /// finished iteration.
    ///
    /// With a single line, `better` is set to a move that fails high. It is proven better than the
    /// previous best move: each null window searches that move, or the last one that failed high,
    /// first, and it has failed low.
    fn search_line(
        &mut self,
        iteration: Iteration,
        line: usize,
        guess: Score,
        among: &[Move],
    ) -> Result<RootMove, Stopped> {
        let decisive = self.decisive.filter(|&(depth, _)| iteration.depth >= depth);
        let window = decisive.map_or(Window::FULL, |(_, window)| window);
        let mut log = IterationLog::begin(iteration, line, guess, window, self.searcher);
        let lines = self.lines;
        let has_extra_moves = !self.extra_moves.is_empty();
        let best = self.best.first().map(|best| best.m);
        let RunningSearch {
            searcher,
            observer,
            limits,
            better,
            ..
        } = self;
        let mut take_bound = |found: RootBound, stats: &dyn Fn() -> SearchStats| {
            let RootBound { score, bound, .. } = found;
            if let Some(log) = &mut log {
                log.narrow(score, bound);
            }
            if lines == 1 && !has_extra_moves && bound == Bound::Lower {
                *better = (best != Some(found.m)).then_some((iteration, found.m, score));
            }
            if found.nodes >= BOUND_REPORT_NODES && !has_extra_moves {
                // The move that would be played if the search stopped now.
                let played = better.map(|(_, m, _)| m).or(best).unwrap_or(found.m);
                let root = RootMove::heuristic(played, score, vec![played]);
                let stats = stats();
                observer.report(&progress(
                    limits, lines, &stats, iteration, line, &root, bound,
                ));
            }
        };
        let searched = searcher.search(iteration, guess, window, among, &mut take_bound);
        if let Some(log) = log {
            log.end(searched.as_ref().ok().map(|root| root.score), self.searcher);
        }
        let mut root = searched?;
        root.score = root.score.clamp(window.alpha, window.beta);
        let claim = self.claim(iteration, root.score);
        // The score may be a bound, which has no PV.
        let is_confirmed =
            matches!(self.limits.goal, Goal::Bound(_)) || self.searcher.leads_to_end(&root, claim);
        root.certainty = if is_confirmed {
            claim
        } else {
            Certainty::Heuristic
        };
        Ok(root)
    }

    /// The certainty of a score of this iteration, provided that its PV confirms it.
    fn claim(&self, iteration: Iteration, score: Score) -> Certainty {
        let full_width = iteration.selectivity == Draft::FULL && iteration.depth > 0;
        let proven = full_width
            && (iteration.depth >= self.root.plies_left || self.sees_end(iteration, score));
        match (proven, self.limits.goal == Goal::WinLossDraw) {
            (true, false) => Certainty::Exact,
            (true, true) => Certainty::WinLossDraw,
            // Found beyond the nominal depth by extensions: there may be a shorter win.
            (false, _) if full_width && score.is_decided() => Certainty::WinLossDraw,
            (false, _) => Certainty::Heuristic,
        }
    }

    /// Replaces the best move by one that the interrupted iteration has proven better. Reports its
    /// bound.
    fn replace_best(&mut self, iteration: Iteration, m: Move, lower: Score) {
        log::debug!(target: SEARCH, "the interrupted iteration has proven a better move");
        let root = RootMove::heuristic(m, lower, vec![m]);
        let stats = self.searcher.stats();
        self.observer.report(&progress(
            self.limits,
            self.lines,
            &stats,
            iteration,
            0,
            &root,
            Bound::Lower,
        ));
        self.best = vec![root];
    }

    /// The reason not to start another iteration, if there is one.
    fn end_reason(&self) -> Option<&'static str> {
        let Limits { goal, stops, .. } = self.limits;
        let late = self.is_timed()
            && !self
                .budget
                .allows_another(stops, stops.started.elapsed(), self.last, self.changes);
        let seeks_move = *goal == Goal::BestMove && stops.depth.is_none();
        let forced = self.moves.len() == 1 && stops.clock.is_some() && self.is_timed();
        let ended = [
            (late, "not enough time for another iteration"),
            (seeks_move && forced, "the move is forced"),
            (seeks_move && self.is_decided(), "the game is decided"),
        ];
        ended
            .into_iter()
            .find_map(|(holds, reason)| holds.then_some(reason))
    }

    /// Whether a time limit applies: there is one, and the search does not ponder.
    fn is_timed(&self) -> bool {
        self.budget.deadline.is_some() && self.observer.control.ponder_time().is_some()
    }

    /// Whether all lines win or lose; without a time limit, in a known number of plies.
    fn is_decided(&self) -> bool {
        let is_final = |root: &RootMove| match self.is_timed() {
            true => root.score.is_decided(),
            false => self.sees_end(self.iteration, root.score),
        };
        self.iteration.selectivity == Draft::FULL && self.best.iter().all(is_final)
    }

    /// Whether the goal is reached before the last iteration.
    fn has_reached_goal(&self) -> bool {
        let is_open = self.limits.stops.depth.is_none();
        let mut certainties = self
            .best
            .iter()
            .chain(&self.extra)
            .map(|root| root.certainty);
        match self.limits.goal {
            Goal::BestMove => false,
            Goal::Exact | Goal::Bound(_) => {
                is_open && certainties.all(|certainty| certainty == Certainty::Exact)
            }
            Goal::WinLossDraw => {
                is_open && certainties.all(|certainty| certainty != Certainty::Heuristic)
            }
            Goal::Mate(moves) => self.is_decided() || self.wins_within(plies_to_mate(moves)),
        }
    }

    /// What interrupted the search, for the log.
    fn interruption(&self) -> &'static str {
        let nodes = self.searcher.stats().counters.nodes;
        if self.observer.control.stopped() {
            "stop requested"
        } else if self.limits.stops.nodes.is_some_and(|limit| nodes >= limit) {
            "node limit"
        } else if self.budget.deadline.is_some() {
            "time limit"
        } else {
            "CPU time limit"
        }
    }

    /// Whether a win within this many plies is proven.
    fn wins_within(&self, plies: u8) -> bool {
        let score = self.best[0].score;
        let end = match score.is_decided() {
            true => Score::DECIDED.0 - score.seen_from(self.root.stones).0,
            false if self.iteration.depth >= self.root.plies_left => {
                i32::from(self.root.plies_left)
            }
            false => return false,
        };
        let is_won = self.iteration.selectivity == Draft::FULL && score > Score::ZERO;
        is_won && end <= i32::from(plies)
    }

    /// Whether a win or loss lies within the depth of the iteration, so that its distance is exact
    /// too.
    fn sees_end(&self, iteration: Iteration, score: Score) -> bool {
        score.is_decided()
            && Score::DECIDED.0 - score.seen_from(self.root.stones).0.abs()
                <= i32::from(iteration.depth)
    }

    fn report(&mut self, line: usize, root: &RootMove) {
        let stats = self.searcher.stats();
        self.observer.report(&progress(
            self.limits,
            self.lines,
            &stats,
            self.iteration,
            line,
            root,
            Bound::Exact,
        ));
    }

    fn answer(self, certainty: Certainty) -> Answer {
        Answer {
            depth: self.iteration.depth,
            selectivity: percent(self.iteration.selectivity),
            certainty,
            counters: self.searcher.stats().counters,
            elapsed: self.limits.stops.started.elapsed(),
            stopped: self.stopped,
            best: self.best,
            extra: self.extra,
        }
    }
}

fn progress(
    limits: &Limits,
    lines: usize,
    stats: &SearchStats,
    iteration: Iteration,
    line: usize,
    root: &RootMove,
    bound: Bound,
) -> Progress {
    Progress {
        seldepth: stats.deepest,
        selectivity: percent(iteration.selectivity),
        multi_pv: line + 1,
        lines,
        bound,
        hashfull: stats.hashfull,
        ..Progress::of(
            root,
            iteration.depth,
            stats.counters,
            limits.stops.started.elapsed(),
        )
    }
}
