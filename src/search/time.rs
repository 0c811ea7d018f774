//! From a clock to deadlines: a soft one, after which no new iteration begins, and a hard one, at which the search stops.

use std::time::{Duration, Instant};

use super::Limits;

/// The two deadlines of a search; `None` where no time limit was set.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Deadlines {
    /// No iteration begins after this.
    pub soft: Option<Instant>,
    /// The search stops here.
    pub hard: Option<Instant>,
}

/// A search that took this share of the soft time will hardly finish another iteration.
const SOFT_SHARE: f64 = 0.6;
/// An iteration under way may take this many times a move's share of the clock.
const STRETCH: f64 = 3.0;
/// But never more than this share of all that is left.
const LARGEST_SHARE: f64 = 0.4;

impl Deadlines {
    /// The deadlines of `limits` when the side to move has at most `moves_left` moves to make in the rest of the game.
    pub fn new(limits: &Limits, moves_left: u32) -> Deadlines {
        let usable = |time: Duration| time.saturating_sub(limits.overhead).max(Duration::from_millis(1));
        let mut deadlines = Deadlines::default();
        if let Some(clock) = limits.clock {
            let remaining = usable(clock.remaining).as_secs_f64();
            let moves = f64::from(clock.moves_to_go.unwrap_or(u32::MAX).min(moves_left).max(1));
            let share = remaining / moves + 0.8 * clock.increment.as_secs_f64();
            // The last move before the time control, or of the game, may use all; every other leaves something.
            let most = if moves <= 1.0 { remaining } else { remaining * LARGEST_SHARE.max(1.0 / moves) };
            deadlines.soft = after(limits.started, (share * SOFT_SHARE).min(most));
            deadlines.hard = after(limits.started, (share * STRETCH).min(most));
        }
        if let Some(time) = limits.movetime {
            let end = after(limits.started, usable(time).as_secs_f64());
            deadlines.hard = [deadlines.hard, end].into_iter().flatten().min();
        }
        deadlines
    }
}

fn after(start: Instant, seconds: f64) -> Option<Instant> {
    start.checked_add(Duration::try_from_secs_f64(seconds).ok()?)
}

#[cfg(test)]
mod tests {
    use super::super::Clock;
    use super::*;

    fn clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> Limits {
        let ms = Duration::from_millis;
        let clock = Clock { remaining: ms(remaining), increment: ms(increment), moves_to_go };
        Limits { clock: Some(clock), overhead: ms(10), ..Limits::default() }
    }

    #[test]
    fn a_clock_is_never_spent_whole_while_moves_are_left() {
        for remaining in [1, 5, 11, 50, 1_000, 60_000, 10_000_000] {
            for increment in [0, 10, 5_000] {
                for moves_left in [2, 10, 30] {
                    let limits = clock(remaining, increment, None);
                    let deadlines = Deadlines::new(&limits, moves_left);
                    let hard = deadlines.hard.unwrap() - limits.started;
                    assert!(deadlines.soft <= deadlines.hard);
                    let usable = Duration::from_millis(remaining.saturating_sub(10).max(1));
                    assert!(hard <= usable.mul_f64(0.51), "{remaining} + {increment}, {moves_left} moves: {hard:?}");
                }
            }
        }
    }

    #[test]
    fn movetime_is_used_up_to_the_overhead() {
        let limits = Limits {
            movetime: Some(Duration::from_millis(100)),
            overhead: Duration::from_millis(10),
            ..Limits::default()
        };
        let deadlines = Deadlines::new(&limits, 30);
        assert_eq!(deadlines.soft, None);
        assert_eq!(deadlines.hard.unwrap() - limits.started, Duration::from_millis(90));
        assert_eq!(Deadlines::new(&Limits::to_depth(5), 30), Deadlines::default());
    }
}
