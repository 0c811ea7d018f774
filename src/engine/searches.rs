//! Starts searches: turns a request into a job of the search thread, or answers it at once if no search is needed.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Engine;
use super::accuracy::AccuracyNote;
use super::active_search::ActiveSearch;
use super::event::{Bound, Certainty, Event, EventSink, Info};
use super::limits::{self, GoSearch};
use super::purpose::Purpose;
use super::request::{Go, Rank};
use super::root_score::seen_from;
use super::state::{MoveRequest, State};
use super::strength::Allowance;
use super::worker::Job;
use crate::game::{Move, quoted};
use crate::games::any::AnyGame;
use crate::logging::SEARCH;
use crate::search::stats::Counters;
use crate::search::stop::SearchControl;
use crate::search::{Algorithm, Answer, Clock, Limits, Progress, RootMove};

/// The node count of a result without a search.
const PROVEN_NODES: u64 = 1;

impl Engine {
    /// Handles `go` for this root position.
    pub(super) fn go(&mut self, root: AnyGame, go: &Go, arrived: Instant, out: EventSink<'_>) {
        if let Some(score) = self.board.final_score() {
            let score = seen_from(score, &root);
            out(Event::Info(Info::of_finished_game(score, root.to_move(), arrived.elapsed())));
            return out(Event::no_move());
        }
        let moves = root_moves(&root, &go.moves).unwrap_or_else(|error| {
            out(Event::error("go", error));
            go.moves.iter().filter_map(|word| root.parse_move(word).ok()).collect()
        });
        let overhead = Duration::from_millis(self.options.move_overhead.into());
        let lines = self.options.multi_pv as usize;
        let GoSearch { limits, infinite } = limits::go_search(go, root.to_move(), overhead, arrived, moves, lines);
        let limits = Limits { node_rate: self.node_rate, clock: self.with_main_time(limits.clock, &root), ..limits };
        let limits = if self.options.exact_nodes { limits::by_nodes_alone(limits) } else { limits };
        let is_analysis = infinite || go.is_hint || limits.mate.is_some() || limits.win_loss_draw;
        let (limits, infinite, ponders) = match self.is_exiting {
            true => (limits::of_first_iteration(limits), false, false),
            false => (limits, infinite, go.ponder),
        };
        let wants_move = (limits.clock.is_some() || limits.movetime.is_some()) && !infinite && !ponders;
        let allowance = if is_analysis { None } else { self.allowance(&root, out) };
        let follows_line = wants_move && allowance.is_none();
        if let Some(best) = self.proven_best(&root, &limits).filter(|_| follows_line) {
            log::debug!(target: SEARCH, "move taken from the proven line of an earlier search");
            return self.answer_proven(root, &limits, best, out);
        }
        self.search(root, limits, Purpose::Play { infinite }, ponders, allowance);
    }

    /// The allowed cost of the move; `None`: full strength.
    fn allowance(&self, root: &AnyGame, out: EventSink<'_>) -> Option<Allowance> {
        let strength = self.options.strength()?;
        if root.discs().is_none() {
            let text =
                format!("info string Strength applies to disc games only: {} is played at full strength", root.name());
            out(Event::Text(text));
            return None;
        }
        Some(self.losses.allowance(root, strength)).filter(|allowance| allowance.most() > 0)
    }

    /// The accuracy note of a search. Restricted searches and those below full strength were not measured.
    fn accuracy_note(&mut self, root: &AnyGame, limits: &Limits, allowance: Option<Allowance>) -> AccuracyNote {
        let is_usual = limits.moves.is_empty() && !limits.win_loss_draw && allowance.is_none();
        if !self.options.show_accuracy || !is_usual {
            return AccuracyNote::Nothing;
        }
        let note = AccuracyNote::of(root, self.options.settings.weights.as_ref());
        let is_known = self.accuracy.replace(note) == Some(note);
        if is_known && matches!(note, AccuracyNote::Reason(_)) { AccuracyNote::Nothing } else { note }
    }

    /// The best move of the root from the last proven line, if a search under these limits would have the same result.
    fn proven_best(&self, root: &AnyGame, limits: &Limits) -> Option<RootMove> {
        let Limits { depth, nodes, mate, multi_pv, ref moves, .. } = *limits;
        // With its own node count as the limit, such a search can be repeated.
        let any_nodes = nodes.is_none_or(|nodes| self.options.exact_nodes && nodes == PROVEN_NODES);
        let unrestricted = depth.is_none() && any_nodes && mate.is_none() && multi_pv == 1 && moves.is_empty();
        let automatic = self.options.settings.algorithm == Algorithm::Auto;
        self.proven.as_ref().filter(|_| unrestricted && automatic)?.best_at(root)
    }

    /// Prints a proven best move without a search.
    fn answer_proven(&mut self, root: AnyGame, limits: &Limits, best: RootMove, out: EventSink<'_>) {
        let (depth, found) = (root.plies_left(), best.m);
        let counters = Counters { nodes: PROVEN_NODES, ..Counters::default() };
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
            certainty: Certainty::Exact,
        };
        let answer = Answer {
            best: vec![best],
            extra: Vec::new(),
            depth,
            selectivity: 100,
            certainty: Certainty::Exact,
            counters,
            elapsed: progress.elapsed,
            mate_found: false,
            stopped: false,
        };
        let purpose = Purpose::Play { infinite: false };
        let mut search = ActiveSearch::new(root, self.settings, purpose, limits, Arc::default());
        search.progress(&progress, out);
        search.answer(answer, self.input_ended, out);
        self.play_generated(Some(search.write_move(found)));
    }

    /// The clock with the mover's main time, the largest time seen on it in this game. A clock with moves to go is
    /// unchanged.
    fn with_main_time(&mut self, clock: Option<Clock>, root: &AnyGame) -> Option<Clock> {
        let clock = clock?;
        if clock.moves_to_go.is_some() {
            return Some(clock);
        }
        let main = &mut self.main_time[root.to_move() as usize];
        *main = clock.remaining.max(*main);
        Some(Clock { main: *main, ..clock })
    }

    /// Searches a move of the given player, regardless of the side to move on the board.
    pub(super) fn generate(&mut self, request: MoveRequest, go: &Go, out: EventSink<'_>) {
        let root = self.board.with_mover(request.player);
        if root.outcome().is_none() {
            self.move_request = Some(request);
        }
        self.go(root, go, request.arrived, out);
    }

    /// Finishes the pending request for a move: charges the player's clock and plays the move if requested.
    pub(super) fn play_generated(&mut self, found: Option<String>) {
        let Some(MoveRequest { player, play, arrived }) = self.move_request.take() else { return };
        self.clocks.charge(player, arrived.elapsed());
        if let Some(word) = found.filter(|_| play) {
            // Cannot fail: the search returns a legal move.
            let _ = self.board.play_for(player, &word);
        }
    }

    /// Searches all positions of the game, from its start on.
    pub(super) fn analyze(&mut self, go: Go, arrived: Instant, out: EventSink<'_>) {
        let mut game = self.board.game().clone();
        let mut positions = VecDeque::from([(game.history().len(), game.clone())]);
        while game.undo() {
            positions.push_front((game.history().len(), game.clone()));
        }
        (self.analysis, self.analysis_limits) = (positions, go);
        self.analyze_next(arrived, out);
    }

    /// Searches the next position of the analysis; finished games need no search.
    pub(super) fn analyze_next(&mut self, arrived: Instant, out: EventSink<'_>) {
        while let Some((ply, root)) = self.analysis.pop_front() {
            if let Some(score) = root.final_score() {
                let score = seen_from(score, &root);
                out(Event::Analysis { ply, info: Info::of_finished_game(score, root.to_move(), arrived.elapsed()) });
                continue;
            }
            let overhead = Duration::from_millis(self.options.move_overhead.into());
            let go = &self.analysis_limits;
            let GoSearch { limits, .. } = limits::go_search(go, root.to_move(), overhead, arrived, Vec::new(), 1);
            let limits = if self.is_exiting { limits::of_first_iteration(limits) } else { limits };
            return self.search(root, limits, Purpose::Analyze { ply }, false, None);
        }
        self.become_idle();
        out(Event::Done);
    }

    /// Scores the legal moves, or some of them.
    pub(super) fn rank(&mut self, rank: &Rank, arrived: Instant, out: EventSink<'_>) {
        let root = self.board.shown(self.settings);
        if self.board.moves(self.settings).is_empty() {
            return out(Event::Ranked { moves: Vec::new(), depth: 0, selectivity: 100 });
        }
        let Ok(moves) = root_moves(&root, &rank.moves).map_err(|error| out(Event::error("moves", error))) else {
            return;
        };
        let multi_pv = rank.lines.unwrap_or(self.options.multi_pv as usize);
        let limits = Limits { started: arrived, multi_pv, moves, ..Limits::to_depth(rank.depth) };
        let limits = match (self.is_exiting, rank.is_hint) {
            (true, false) => return out(Event::unfinished("moves")),
            (true, true) => limits::of_first_iteration(limits),
            (false, _) => limits,
        };
        self.search(root, limits, Purpose::Rank { is_hint: rank.is_hint }, false, None);
    }

    /// Submits a search to the search thread.
    fn search(&mut self, root: AnyGame, limits: Limits, purpose: Purpose, ponders: bool, allowance: Option<Allowance>) {
        let control = Arc::<SearchControl>::default();
        if self.is_exiting && !self.options.settings.deepening {
            control.stop(); // the first iteration would be the whole search
        }
        let is_play = matches!(purpose, Purpose::Play { .. });
        let accuracy = if is_play { self.accuracy_note(&root, &limits, allowance) } else { AccuracyNote::Nothing };
        let search = ActiveSearch::new(root, self.settings, purpose, &limits, control.clone()).pondering(ponders);
        let search = search.with_accuracy(accuracy);
        let search = search.below_full_strength(allowance);
        let position = search.position();
        let (mut settings, kernel) = (self.options.settings.clone(), self.options.kernel);
        if self.is_exiting {
            settings.threads = 1; // starting helpers would take longer than the first iteration
        }
        // Scores at depth N must not depend on earlier, deeper searches.
        let has_own_table = matches!(purpose, Purpose::Rank { .. });
        self.state = State::Searching(Box::new(search));
        let limits = Box::new(limits);
        self.worker.submit(Job::Search { position, settings, kernel, limits, control, has_own_table, allowance });
    }
}

/// The legal root moves among `words`; an error names the others.
fn root_moves(root: &AnyGame, words: &[String]) -> Result<Vec<Move>, String> {
    let legal = root.moves();
    let (mut moves, mut illegal) = (Vec::new(), Vec::new());
    for word in words {
        match root.parse_move(word) {
            Ok(m) if legal.contains(&m) => moves.push(m),
            _ => illegal.push(format!("\"{}\"", quoted(word))),
        }
    }
    if illegal.is_empty() { Ok(moves) } else { Err(format!("searchmoves: illegal move {}", illegal.join(", "))) }
}
