//! The clocks of GTP, which the engine keeps: main time, then periods in which a number of moves
//! must be made (Canadian byo-yomi). A clock that was never set does not run.

use std::time::Duration;

use super::request::{Go, MoveTime, Player, TimeSettings};

/// Both players' clocks.
#[derive(Clone, Default, Debug)]
pub struct Clocks {
    settings: Option<TimeSettings>,
    left: [Option<MoveTime>; 2],
}

impl Clocks {
    /// Sets both clocks.
    pub fn configure(&mut self, settings: TimeSettings) {
        self.settings = Some(settings);
        self.reset();
    }

    /// Resets both clocks to their full time. A period in which no moves must be made never ends:
    /// there is no limit.
    pub fn reset(&mut self) {
        let limited = self
            .settings
            .filter(|settings| settings.period.time.is_zero() || settings.period.stones > 0);
        let full = |TimeSettings { main, period }| match main {
            Duration::ZERO => period,
            time => MoveTime { time, stones: 0 },
        };
        self.left = [limited.map(full); 2];
    }

    /// Sets the time left on a clock. When the main time is used up, the first period begins, if
    /// there is one.
    pub fn set(&mut self, player: Player, left: MoveTime) {
        let period = self
            .period()
            .filter(|_| left.time.is_zero() && left.stones == 0);
        self.left[player as usize] = Some(period.unwrap_or(left));
    }

    /// A full period, if there are periods.
    fn period(&self) -> Option<MoveTime> {
        Some(self.settings?.period).filter(|period| period.stones > 0)
    }

    /// Subtracts the time of a move from its player's clock, if it runs. A move that exceeds the
    /// main time is the first of a period, which is charged for the excess. An exceeded period
    /// still ends when its moves are made.
    pub fn charge(&mut self, player: Player, mut time: Duration) {
        let period = self.period();
        let Some(left) = &mut self.left[player as usize] else {
            return;
        };
        if left.stones == 0 {
            let over = time.checked_sub(left.time);
            left.time = left.time.saturating_sub(time);
            let (Some(over), Some(period)) = (over, period) else {
                return;
            };
            *left = period;
            if over.is_zero() {
                return;
            }
            time = over;
        }
        left.time = left.time.saturating_sub(time);
        left.stones -= 1;
        if left.stones == 0 {
            *left = period.unwrap_or(*left);
        }
    }

    /// The limits of `player`'s next move; `otherwise` if no clock runs.
    pub fn limits(&self, player: Player, otherwise: Go) -> Go {
        let Some(left) = self.left[player as usize] else {
            return otherwise;
        };
        let milliseconds = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        let mut go = Go {
            moves: otherwise.moves,
            lines: otherwise.lines,
            ..Go::default()
        };
        go.time[player as usize] = Some(milliseconds(left.time));
        if left.stones > 0 {
            go.movestogo = Some(left.stones.into());
        } else if let Some(period) = self.period() {
            // After the main time every move still has its share of a period.
            go.increment[player as usize] = Some(milliseconds(period.time / period.stones));
        }
        go
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clocks(main: u64, period: u64, stones: u32) -> Clocks {
        let mut clocks = Clocks::default();
        let seconds = Duration::from_secs;
        clocks.configure(TimeSettings {
            main: seconds(main),
            period: MoveTime {
                time: seconds(period),
                stones,
            },
        });
        clocks
    }

    fn limits(clocks: &Clocks) -> (Option<i64>, Option<i64>, Option<i64>) {
        let go = clocks.limits(
            Player::Second,
            Go {
                movetime: Some(1_000),
                ..Go::default()
            },
        );
        assert!(go.movetime.is_none() || go.time[1].is_none());
        (go.time[1], go.increment[1], go.movestogo)
    }

    #[test]
    fn main_time_runs_down_and_a_new_game_restores_it() {
        let mut clocks = clocks(60, 0, 0);
        assert_eq!(limits(&clocks), (Some(60_000), None, None));
        clocks.charge(Player::Second, Duration::from_millis(1_500));
        clocks.charge(Player::First, Duration::from_secs(7));
        assert_eq!(limits(&clocks), (Some(58_500), None, None));
        clocks.charge(Player::Second, Duration::from_secs(100));
        assert_eq!(limits(&clocks), (Some(0), None, None));
        clocks.reset();
        assert_eq!(limits(&clocks), (Some(60_000), None, None));
        clocks.set(
            Player::Second,
            MoveTime {
                time: Duration::from_secs(12),
                stones: 3,
            },
        );
        assert_eq!(limits(&clocks), (Some(12_000), None, Some(3)));
    }

    #[test]
    fn periods_follow_the_main_time_and_each_other() {
        let mut clocks = clocks(10, 30, 3);
        assert_eq!(limits(&clocks), (Some(10_000), Some(10_000), None));
        clocks.charge(Player::Second, Duration::from_secs(14));
        assert_eq!(limits(&clocks), (Some(26_000), None, Some(2)));
        clocks.charge(Player::Second, Duration::from_secs(1));
        assert_eq!(limits(&clocks), (Some(25_000), None, Some(1)));
        clocks.charge(Player::Second, Duration::from_secs(1));
        assert_eq!(limits(&clocks), (Some(30_000), None, Some(3)));
    }

    #[test]
    fn a_period_begins_when_the_main_time_is_over() {
        // One move per period: each has the full period, also the one after the move in which the
        // main time ended.
        let mut one = clocks(2, 1, 1);
        assert_eq!(limits(&one), (Some(2_000), Some(1_000), None));
        one.charge(Player::Second, Duration::from_millis(2_500));
        assert_eq!(limits(&one), (Some(1_000), None, Some(1)));
        one.charge(Player::Second, Duration::from_millis(900));
        assert_eq!(limits(&one), (Some(1_000), None, Some(1)));
        // slightly late: the next period is full again
        one.charge(Player::Second, Duration::from_millis(1_100));
        assert_eq!(limits(&one), (Some(1_000), None, Some(1)));
        // Main time used up exactly by a move: that move belongs to no period.
        let mut exact = clocks(10, 30, 3);
        exact.charge(Player::Second, Duration::from_secs(10));
        assert_eq!(limits(&exact), (Some(30_000), None, Some(3)));
        exact.charge(Player::Second, Duration::from_secs(30));
        assert_eq!(limits(&exact), (Some(0), None, Some(2)));
        // A referee reports it as zero time without stones.
        for (main, period, stones, expected) in [
            (2, 1, 1, (Some(1_000), None, Some(1))),
            (0, 30, 5, (Some(30_000), None, Some(5))),
            (2, 0, 0, (Some(0), None, None)),
            (2, 1, 0, (Some(0), None, None)),
        ] {
            let mut clocks = clocks(main, period, stones);
            clocks.set(
                Player::Second,
                MoveTime {
                    time: Duration::ZERO,
                    stones: 0,
                },
            );
            assert_eq!(limits(&clocks), expected, "{main} {period} {stones}");
        }
        let mut told = clocks(2, 30, 5);
        told.set(
            Player::Second,
            MoveTime {
                time: Duration::ZERO,
                stones: 2,
            },
        );
        assert_eq!(limits(&told), (Some(0), None, Some(2)));
    }

    #[test]
    fn without_a_limit_there_is_no_clock() {
        let mut endless = clocks(0, 1, 0);
        assert_eq!(limits(&endless), (None, None, None));
        endless.charge(Player::Second, Duration::from_secs(1));
        endless.reset();
        assert_eq!(limits(&endless), (None, None, None));
        assert_eq!(limits(&clocks(0, 0, 0)), (Some(0), None, None));
        assert_eq!(limits(&Clocks::default()), (None, None, None));
    }
}
