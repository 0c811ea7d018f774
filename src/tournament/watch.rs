//! Waiting for a move: when to ask an engine for a sign of life, when to stop it, when to give it up. Times only; what is
//! sent is [`super::player`]'s.
//!
//! With a clock: at the fall of the flag the engine is told to stop, and has the patience for an answer to move (late) or
//! to show that it is awake. Without one: an engine that is silent is asked for a sign of life at each such interval;
//! one that lives but tells nothing of a search for long is told to stop, and its move then is as good as any.

use std::time::Instant;

use super::player::Patience;

/// How much longer a search may be silent whose protocol has no `stop`, and go on that tells something of itself.
const LONGER: u32 = 10;
const MUCH_LONGER: u32 = 60;

/// What to do when a deadline has passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Nothing: another deadline is set.
    Wait,
    /// Ask for a sign of life.
    Probe,
    /// Tell it to stop, and ask for a sign of life.
    Stop,
    /// It will not move.
    GiveUp,
}

/// The state of one wait for a move.
#[derive(Clone, Debug)]
pub struct Watch {
    patience: Patience,
    began: Instant,
    flag: Option<Instant>,
    /// When the engine last told something of its search, or began.
    told: Instant,
    /// When the next sign of life is asked for, or is due.
    life: Option<Instant>,
    asked: bool,
    alive: bool,
    /// Set by `stop`: until when a move may come.
    until: Option<Instant>,
    can_stop: bool,
}

impl Watch {
    /// A search that began just now; with a clock, its flag falls at `flag`.
    pub fn new(began: Instant, flag: Option<Instant>, patience: Patience) -> Watch {
        let life = flag.is_none().then(|| began + patience.answer);
        Watch { patience, began, flag, told: began, life, asked: false, alive: false, until: None, can_stop: true }
    }

    /// Until when to wait for the next line.
    pub fn deadline(&self) -> Instant {
        let stop = self.stop_at();
        self.until.unwrap_or_else(|| self.life.map_or(stop, |life| stop.min(life)))
    }

    /// When the engine is to be stopped.
    fn stop_at(&self) -> Instant {
        self.flag.unwrap_or_else(|| {
            let factor = if self.can_stop { 1 } else { LONGER };
            (self.told + self.patience.silence * factor).min(self.began + self.patience.silence * MUCH_LONGER)
        })
    }

    /// What to do now that the deadline has passed.
    pub fn next(&mut self, now: Instant) -> Step {
        if let Some(until) = self.until {
            return if now >= until { Step::GiveUp } else { Step::Wait };
        }
        if now >= self.stop_at() {
            self.alive = false;
            return if self.can_stop { Step::Stop } else { Step::GiveUp };
        }
        match self.life {
            Some(life) if now >= life && self.asked => Step::GiveUp,
            Some(life) if now >= life => {
                (self.asked, self.alive) = (true, false);
                self.life = Some(now + self.patience.answer);
                Step::Probe
            }
            _ => Step::Wait,
        }
    }

    /// A probe was sent, or the protocol has none.
    pub fn probed(&mut self, can_answer: bool) {
        if !can_answer {
            self.life = None;
        }
    }

    /// `stop` was sent, or the protocol has none.
    pub fn stopped(&mut self, can_stop: bool, now: Instant) {
        if can_stop || self.flag.is_some() {
            self.until = Some(now + self.patience.answer);
        } else {
            self.can_stop = false;
        }
    }

    /// The engine told something of its search.
    pub fn searches(&mut self, at: Instant) {
        self.told = at;
    }

    /// The engine answered a probe.
    pub fn lives(&mut self) {
        self.alive = true;
        self.asked = false;
    }

    /// Whether the last probe was answered.
    pub fn is_alive(&self) -> bool {
        self.alive
    }

    /// Whether the engine was told to stop.
    pub fn has_stopped(&self) -> bool {
        self.until.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn patience() -> Patience {
        Patience::new(s(10), s(60))
    }

    #[test]
    fn a_clock_stops_at_the_flag() {
        let began = Instant::now();
        let mut watch = Watch::new(began, Some(began + s(1)), patience());
        assert_eq!(watch.deadline(), began + s(1));
        assert_eq!(watch.next(began + s(1)), Step::Stop);
        watch.stopped(true, began + s(1));
        watch.lives();
        assert_eq!(watch.deadline(), began + s(11));
        assert_eq!(watch.next(began + s(11)), Step::GiveUp);
        assert!(watch.is_alive() && watch.has_stopped());
    }

    #[test]
    fn silence_without_a_clock_is_probed_then_stopped() {
        let began = Instant::now();
        let mut watch = Watch::new(began, None, patience());
        for n in 1..6 {
            assert_eq!(watch.deadline(), began + s(10 * n));
            assert_eq!(watch.next(began + s(10 * n)), Step::Probe);
            watch.probed(true);
            watch.lives();
        }
        assert_eq!(watch.next(began + s(60)), Step::Stop);
        // One that does not answer the probe is given up at once.
        let mut watch = Watch::new(began, None, patience());
        assert_eq!(watch.next(began + s(10)), Step::Probe);
        watch.probed(true);
        assert_eq!(watch.next(began + s(20)), Step::GiveUp);
        assert!(!watch.is_alive());
    }

    #[test]
    fn a_search_that_tells_of_itself_goes_on_but_not_for_ever() {
        let began = Instant::now();
        let mut watch = Watch::new(began, None, patience());
        watch.probed(false);
        let mut now = began;
        let ended = (0..1000).find(|_| {
            now += s(50);
            watch.searches(now);
            watch.next(now + s(5)) == Step::Stop
        });
        assert!(ended.is_some() && now - began >= s(60 * 60) - s(60), "{:?}", now - began);
    }

    #[test]
    fn without_stop_it_waits_longer() {
        let began = Instant::now();
        let mut watch = Watch::new(began, None, patience());
        watch.probed(false);
        assert_eq!(watch.next(began + s(60)), Step::Stop);
        watch.stopped(false, began + s(60));
        assert_eq!(watch.deadline(), began + s(600));
        assert_eq!(watch.next(began + s(600)), Step::GiveUp);
    }
}
