//! The watchdog of one search: decides when to probe a silent engine (`isready`), stop it, or give
//! up. It computes deadlines only; [`crate::arena::play::session`] sends the commands.
//!
//! With a clock, the engine is stopped when its flag falls; it then has the move timeout to send a
//! (late) move or to reply to a probe. Without a clock, a silent engine is probed once per reply
//! timeout. If it replies but sends no search information for the silence timeout, it is stopped
//! and its move is accepted.

use std::time::{Duration, Instant};

use crate::arena::config::Timeouts;

/// The factor of the silence timeout if the protocol has no `stop`.
const SILENCE_FACTOR_WITHOUT_STOP: u32 = 10;
/// The maximum length of a search that sends information, in silence timeouts.
const TOTAL_FACTOR: u32 = 60;

/// The action to take after a deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WatchdogAction {
    /// Wait for the next deadline.
    Wait,
    /// Send a probe.
    Probe,
    /// Send `stop` and a probe, if the protocol has them.
    Stop,
    /// Stop waiting for a move.
    GiveUp,
}

/// The state of the wait for one move.
#[derive(Clone, Debug)]
pub struct SearchWatchdog {
    timeouts: Timeouts,
    began: Instant,
    flag: Option<Instant>,
    /// Whether the protocol has probes and `stop`.
    can_stop: bool,
    /// When the search started or last sent information.
    last_info: Instant,
    /// When the next probe is sent, or the reply to the pending one is due.
    probe_at: Option<Instant>,
    /// Whether a probe is unanswered; protocols without probes never answer one.
    pub probe_pending: bool,
    /// The deadline of the move after `stop`.
    move_due: Option<Instant>,
}

impl SearchWatchdog {
    /// A search that begins now; with a clock, its flag falls at `flag`.
    pub fn new(
        began: Instant,
        flag: Option<Instant>,
        can_stop: bool,
        timeouts: Timeouts,
    ) -> SearchWatchdog {
        SearchWatchdog {
            timeouts,
            began,
            flag,
            can_stop,
            last_info: began,
            probe_at: (flag.is_none() && can_stop).then(|| began + timeouts.reply),
            probe_pending: false,
            move_due: None,
        }
    }

    /// The deadline for the next line.
    pub fn deadline(&self) -> Instant {
        let stop = self.stop_at();
        self.move_due
            .unwrap_or_else(|| self.probe_at.map_or(stop, |probe_at| stop.min(probe_at)))
    }

    /// When to stop the engine.
    fn stop_at(&self) -> Instant {
        self.flag.unwrap_or_else(|| self.silence_limit().0)
    }

    /// The end of a search without a clock, and its distance from the last search information or
    /// from the start, in silence timeouts.
    fn silence_limit(&self) -> (Instant, u32) {
        let factor = if self.can_stop {
            1
        } else {
            SILENCE_FACTOR_WITHOUT_STOP
        };
        let silent = (self.last_info + self.timeouts.silence * factor, factor);
        let total = self.began + self.timeouts.silence * TOTAL_FACTOR;
        silent.min((total, TOTAL_FACTOR))
    }

    /// The action to take after the deadline.
    pub fn next_action(&mut self, now: Instant) -> WatchdogAction {
        if let Some(move_due) = self.move_due {
            return if now >= move_due {
                WatchdogAction::GiveUp
            } else {
                WatchdogAction::Wait
            };
        }
        if now >= self.stop_at() {
            self.probe_pending = true;
            if !self.can_stop && self.flag.is_none() {
                return WatchdogAction::GiveUp;
            }
            self.move_due = Some(now + self.timeouts.late_move);
            return WatchdogAction::Stop;
        }
        match self.probe_at {
            Some(probe_at) if now >= probe_at && self.probe_pending => WatchdogAction::GiveUp,
            Some(probe_at) if now >= probe_at => {
                self.probe_pending = true;
                self.probe_at = Some(now + self.timeouts.reply);
                WatchdogAction::Probe
            }
            _ => WatchdogAction::Wait,
        }
    }

    /// Records that the engine sent search information.
    pub fn info_received(&mut self, at: Instant) {
        // it may have arrived while the engine was pondering
        self.last_info = self.last_info.max(at);
        self.probe_at = self
            .probe_at
            .map(|at| at.max(self.last_info + self.timeouts.reply));
    }

    /// The options whose timeouts have passed when the runner gives up.
    pub fn expired_options(&self) -> String {
        let seconds = |time: Duration| time.as_secs_f64();
        let Timeouts {
            reply,
            late_move,
            silence,
            ..
        } = self.timeouts;
        let stopped_by = || match self.flag {
            Some(_) => "the end of its clock".into(),
            None => {
                let times = match self.silence_limit().1 {
                    1 => String::new(),
                    factor => format!("{factor} times "),
                };
                format!("{times}--think-timeout {} s", seconds(silence))
            }
        };
        if self.has_stopped() {
            let late_move = seconds(late_move);
            format!("stopped by {}, --move-timeout {late_move} s", stopped_by())
        } else if !self.can_stop {
            stopped_by()
        } else {
            format!("--stall-timeout {} s", seconds(reply))
        }
    }

    /// Whether the time for the search is over, and `stop` was sent if the protocol has it.
    pub fn has_stopped(&self) -> bool {
        self.move_due.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn timeouts() -> Timeouts {
        Timeouts {
            start: s(10),
            reply: s(10),
            new_game: s(10),
            late_move: s(10),
            silence: s(60),
        }
    }

    #[test]
    fn a_clock_stops_at_the_flag() {
        let began = Instant::now();
        let mut watchdog = SearchWatchdog::new(began, Some(began + s(1)), true, timeouts());
        assert_eq!(watchdog.deadline(), began + s(1));
        assert_eq!(watchdog.next_action(began + s(1)), WatchdogAction::Stop);
        watchdog.probe_pending = false;
        assert_eq!(watchdog.deadline(), began + s(11));
        assert_eq!(watchdog.next_action(began + s(11)), WatchdogAction::GiveUp);
        assert!(!watchdog.probe_pending && watchdog.has_stopped());
    }

    #[test]
    fn a_silent_search_without_a_clock_is_probed_then_stopped() {
        let began = Instant::now();
        let mut watchdog = SearchWatchdog::new(began, None, true, timeouts());
        for n in 1..6 {
            assert_eq!(watchdog.deadline(), began + s(10 * n));
            assert_eq!(
                watchdog.next_action(began + s(10 * n)),
                WatchdogAction::Probe
            );
            watchdog.probe_pending = false;
        }
        assert_eq!(watchdog.next_action(began + s(60)), WatchdogAction::Stop);
        // The runner gives up on an engine that does not reply to the probe.
        let mut watchdog = SearchWatchdog::new(began, None, true, timeouts());
        assert_eq!(watchdog.next_action(began + s(10)), WatchdogAction::Probe);
        assert_eq!(watchdog.next_action(began + s(20)), WatchdogAction::GiveUp);
        assert!(watchdog.probe_pending);
    }

    #[test]
    fn an_engine_is_probed_only_after_it_was_silent() {
        let began = Instant::now();
        let mut watchdog = SearchWatchdog::new(began, None, true, timeouts());
        for n in 1..=5 {
            watchdog.info_received(began + s(9 * n));
            let action = watchdog.next_action(began + s(9 * n + 9));
            assert_eq!(action, WatchdogAction::Wait);
        }
        assert_eq!(watchdog.next_action(began + s(55)), WatchdogAction::Probe);
        // Information counts, too, while a reply is due.
        watchdog.info_received(began + s(60));
        assert_eq!(watchdog.next_action(began + s(69)), WatchdogAction::Wait);
        assert_eq!(watchdog.next_action(began + s(70)), WatchdogAction::GiveUp);
    }

    #[test]
    fn a_search_that_sends_information_has_a_total_limit() {
        let began = Instant::now();
        let mut watchdog = SearchWatchdog::new(began, None, true, timeouts());
        let mut now = began;
        let ended = (0..1000).find(|_| {
            now += s(50);
            watchdog.info_received(now);
            watchdog.probe_pending = false;
            watchdog.next_action(now + s(5)) == WatchdogAction::Stop
        });
        assert!(
            ended.is_some() && now - began >= s(60 * 60) - s(60),
            "{:?}",
            now - began
        );
    }

    #[test]
    fn without_a_stop_command_the_silence_timeout_is_longer() {
        let began = Instant::now();
        let mut watchdog = SearchWatchdog::new(began, None, false, timeouts());
        assert_eq!(watchdog.next_action(began + s(60)), WatchdogAction::Wait);
        assert_eq!(watchdog.deadline(), began + s(600));
        assert_eq!(watchdog.next_action(began + s(600)), WatchdogAction::GiveUp);
        assert_eq!(watchdog.expired_options(), "10 times --think-timeout 60 s");
        watchdog.info_received(began + s(3500));
        assert_eq!(watchdog.deadline(), began + s(3600));
        assert_eq!(watchdog.expired_options(), "60 times --think-timeout 60 s");
    }
}
