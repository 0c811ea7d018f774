//! Handles the reports of the search thread, and ends searches.

use std::time::{Duration, Instant};

use super::Engine;
use super::event::{Event, EventSink};
use super::purpose::Purpose;
use super::state::{ActivePerft, State};
use super::worker::Report;

/// Shorter searches do not update the node rate.
const MIN_MEASURED_TIME: Duration = Duration::from_millis(5);

impl Engine {
    /// Handles a report of the search thread.
    pub fn report(&mut self, report: Report, out: EventSink<'_>) {
        // A canceled analysis sends nothing more.
        let analyzes = matches!(&self.state, State::Searching(search) if search.is_analysis() && !search.is_silent());
        let done = match (&mut self.state, report) {
            (State::Searching(search), Report::Progress(progress)) => {
                search.progress(&progress, out);
                if self.input_ended && search.is_open_ended() && search.has_found() {
                    self.stop(out);
                }
                false
            }
            (State::Searching(search), Report::Answer(answer)) => {
                if answer.elapsed >= MIN_MEASURED_TIME {
                    self.node_rate = Some(answer.counters.nodes as f64 / answer.elapsed.as_secs_f64());
                }
                self.proven = search.proven_line(&answer).or(self.proven.take());
                search.record_losses(&answer, &mut self.losses);
                let found = search.played(&answer).map(|root| search.write_move(root.m));
                let needs_depth = search.purpose == Purpose::Rank { is_hint: false };
                let is_cut = self.is_cut_short && answer.stopped && needs_depth;
                if is_cut {
                    out(Event::unfinished("moves"));
                }
                let done = is_cut || search.answer(answer, self.input_ended, out);
                if done {
                    self.play_generated(found);
                }
                if done && !self.analysis.is_empty() {
                    return self.analyze_next(Instant::now(), out);
                }
                if done && analyzes {
                    out(Event::Done);
                }
                done
            }
            (State::Perft(ActivePerft { root, .. }), Report::PerftMove(m, count)) => {
                out(Event::PerftMove { word: self.settings.write_move(root, m), count });
                false
            }
            (State::Perft(ActivePerft { depth, .. }), Report::Perft(count)) => {
                out(match count {
                    None if self.is_cut_short => Event::unfinished(&format!("go perft {depth}")),
                    count => Event::Perft { depth: *depth, count },
                });
                true
            }
            (_, Report::BenchLine(line)) => {
                if !self.is_cut_short {
                    out(Event::Text(line));
                }
                false
            }
            (State::Preparing(done), Report::Done) => {
                out(done.clone());
                true
            }
            (_, Report::BenchEnd) => {
                out(if self.is_cut_short { Event::unfinished("bench") } else { Event::Done });
                true
            }
            // Unreachable: the search thread reports on its last job only.
            (_, Report::Progress(_) | Report::Answer(_) | Report::PerftMove(..) | Report::Perft(_) | Report::Done) => {
                false
            }
        };
        if done {
            self.become_idle();
        }
    }

    pub(super) fn become_idle(&mut self) {
        self.state = State::Idle;
        self.idle_since = Instant::now();
    }

    /// Stops the current job; its result follows with the next reports, or at once if it was deferred.
    pub fn stop(&mut self, out: EventSink<'_>) {
        self.analysis.clear();
        self.state.stop();
        if let State::Searching(search) = &mut self.state
            && search.release(out)
        {
            self.become_idle();
        }
    }

    /// Stops the current job without an answer.
    pub(super) fn cancel(&mut self) {
        self.analysis.clear();
        self.move_request = None;
        self.state.stop();
        if let State::Searching(search) = &mut self.state
            && search.silence()
        {
            self.become_idle();
        }
    }

    /// Prepares to exit after the queued requests: ends the current job, and limits later searches to their first
    /// iteration. Jobs without a partial result end with an error.
    pub fn prepare_exit(&mut self, out: EventSink<'_>) {
        self.is_exiting = true;
        self.is_cut_short = self.state.can_stop();
        self.state.stop();
        if let State::Searching(search) = &mut self.state
            && search.release(out)
        {
            self.become_idle();
        }
    }

    /// Handles the end of input: searches with a limit run to their end; those that wait for `stop` or `ponderhit`, now
    /// or later, are stopped as soon as they have a move.
    pub fn end_input(&mut self, out: EventSink<'_>) {
        self.input_ended = true;
        if matches!(&self.state, State::Searching(search) if search.is_open_ended() && search.has_found()) {
            self.stop(out);
        }
    }

    /// Time since the last line of the current search, if there is a search.
    pub fn silent_for(&self) -> Option<Duration> {
        match &self.state {
            State::Searching(search) => Some(search.since_last_line()),
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
            State::Searching(search) => search.heartbeat(self.options.settings.weights.as_ref(), out),
            State::Perft(ActivePerft { depth, started, .. }) => {
                out(Event::PerftRunning { depth: *depth, elapsed: started.elapsed() });
            }
            State::Idle | State::Preparing(_) | State::Bench { .. } => {}
        }
    }
}
