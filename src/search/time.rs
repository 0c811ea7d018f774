//! Time management: from a clock to the time of one move.
//!
//! The remaining time, minus a reserve for solving, is divided by the number of own moves until the
//! game is expected to be solved; later moves take almost no time. This point is derived from the
//! node counts of the solver and the measured node rate ([`Clock::node_rate`]). A move takes less
//! than its share if the best move is stable, more if it changes.

use std::time::Duration;

use super::limits::{Clock, Stops};
use super::stop::Budget;
use crate::logging::TIME;
use crate::platform::clock::Instant;
use crate::platform::cpu_time::thread_time;

/// Nodes per second before any measurement.
const NODE_RATE: f64 = 5e6;
/// The game is solved now if that is expected to take at most this share of the remaining time.
// this constant and the following ones tuned: see measurements.md#time
const SOLVING_SHARE: f64 = 1.0;
/// The share of the remaining time that solving may use. A harder position is solved at the next
/// move, which takes a fifth of the work.
const LARGEST_SOLVING_SHARE: f64 = 0.8;
/// The solving point is the first position whose solution is expected to take at most this share of
/// the remaining time.
const RESERVED_SHARE: f64 = 0.3;
/// The share of the main time that is never used.
const KEPT_SHARE: f64 = 0.04;
/// The share of the increment that a move may use.
const INCREMENT_SHARE: f64 = 0.9;
/// The hard limit of a move, as a multiple of its target.
const STRETCH: f64 = 3.0;
/// The hard limit of a move, as a share of the remaining time.
const LARGEST_SHARE: f64 = 0.5;
/// Duration of an iteration relative to the one two plies shallower.
const GROWTH: f64 = 2.4;
/// The share of the target for a stable best move, and the share that each change of the best move
/// adds.
const STABLE: f64 = 0.75;
const CHANGED: f64 = 0.5;

impl Budget {
    /// The budget of a move with these limits, at most `plies_left` plies before the end of the
    /// game. `nodes_to_solve` is the mean number of nodes for solving a position with this many
    /// plies left; `None`: such positions are not solved.
    pub fn new(
        stops: &Stops,
        plies_left: u8,
        nodes_to_solve: &dyn Fn(u8) -> Option<f64>,
    ) -> Budget {
        let Stops {
            nodes, line_nodes, ..
        } = *stops;
        let thread_time = stops
            .cpu_time
            .map(|time| thread_time().saturating_add(time));
        let mut budget = Budget {
            nodes,
            line_nodes,
            thread_time,
            ..Budget::default()
        };
        let mut reason = match stops.time {
            Some(_) => "movetime".into(),
            None => "no time limit".into(),
        };
        if let Some(clock) = &stops.clock {
            let plan = plan_move(clock, plies_left, nodes_to_solve);
            let target = plan.target.map(Duration::try_from_secs_f64);
            budget.target = target.and_then(Result::ok);
            budget.deadline = after(stops.started, plan.longest);
            reason = plan.reason;
        }
        if let Some(time) = stops.time {
            let end = after(stops.started, time.as_secs_f64());
            budget.deadline = [budget.deadline, end].into_iter().flatten().min();
        }
        budget.log(stops, &reason);
        budget
    }

    /// Logs the plan in milliseconds, and its reason.
    fn log(&self, stops: &Stops, reason: &str) {
        if !log::log_enabled!(target: TIME, log::Level::Debug) {
            return;
        }
        let ms = |time: Option<Duration>| {
            time.map_or("none".into(), |time| time.as_millis().to_string())
        };
        let hard = self
            .deadline
            .map(|deadline| deadline.duration_since(stops.started));
        let clock = stops.clock.map(|clock| clock.remaining);
        log::debug!(
            target: TIME,
            "soft {}, hard {}, clock {}: {reason}",
            ms(self.target),
            ms(hard),
            ms(clock),
        );
    }

    /// Whether to start another iteration, `elapsed` after the start. The last iteration took
    /// `last`; `changes` is the number of changes of the best move, halved in every iteration.
    pub fn allows_another(
        &self,
        stops: &Stops,
        elapsed: Duration,
        last: Duration,
        changes: f64,
    ) -> bool {
        let hopeless = self
            .deadline
            .is_some_and(|deadline| stops.started + elapsed + last > deadline);
        let Some(target) = self.target else {
            return !hopeless || stops.clock.is_none();
        };
        let target = target.mul_f64(STABLE + CHANGED * changes);
        // On average, the next iteration ends as long after the target as the last one ended before
        // it.
        !hopeless && elapsed + last.mul_f64(GROWTH / 2.0) < target
    }
}

/// The time of one move by a clock, in seconds.
struct MovePlan {
    /// `None`: up to `longest`.
    target: Option<f64>,
    longest: f64,
    /// For the log.
    reason: String,
}

fn plan_move(
    clock: &Clock,
    plies_left: u8,
    nodes_to_solve: &dyn Fn(u8) -> Option<f64>,
) -> MovePlan {
    let kept = clock.main.mul_f64(KEPT_SHARE).min(clock.remaining / 2);
    let remaining = (clock.remaining - kept).as_secs_f64();
    let of_game = u32::from(plies_left).div_ceil(2).max(1);
    let to_go = clock.moves_to_go.unwrap_or(u32::MAX).clamp(1, of_game);
    if to_go == 1 {
        return MovePlan {
            target: None,
            longest: remaining,
            reason: "last move before the time control".into(), // or of the game
        };
    }
    let rate = clock.node_rate.unwrap_or(NODE_RATE);
    let solving_time =
        |plies: u8| nodes_to_solve(plies).map_or(f64::INFINITY, |nodes| nodes / rate);
    if solving_time(plies_left) <= SOLVING_SHARE * remaining {
        return MovePlan {
            target: None,
            longest: remaining * LARGEST_SOLVING_SHARE,
            reason: "solving now".into(),
        };
    }
    let point = (1..plies_left)
        .rev()
        .find(|&plies| solving_time(plies) <= RESERVED_SHARE * remaining);
    let before = point.map(|point| (f64::from(plies_left - point) / 2.0).ceil());
    // The moves that share the time, and the seconds reserved for solving.
    let (moves, reserve) = match point.zip(before) {
        Some((point, moves)) if moves < f64::from(to_go) => {
            (moves, solving_time(point) / SOLVING_SHARE)
        }
        _ => (f64::from(to_go), 0.0),
    };
    let free = (remaining - reserve).max(0.0);
    let share = free / moves + INCREMENT_SHARE * clock.increment.as_secs_f64();
    let most = remaining * LARGEST_SHARE;
    MovePlan {
        target: Some(share.min(most)),
        longest: (share * STRETCH).min(most.max(free / moves)),
        reason: format!(
            "one of {moves} moves, {:.0} reserved for solving",
            1_000.0 * reserve
        ),
    }
}

fn after(start: Instant, seconds: f64) -> Option<Instant> {
    start.checked_add(Duration::try_from_secs_f64(seconds).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    /// A clock with an overhead of 10 ms.
    fn clock(main: u64, increment: u64, moves_to_go: Option<u32>) -> Stops {
        timed(Clock {
            remaining: MS(main.saturating_sub(10).max(1)),
            increment: MS(increment),
            moves_to_go,
            ..Clock::of(MS(main))
        })
    }

    fn timed(clock: Clock) -> Stops {
        Stops {
            clock: Some(clock),
            ..Stops::default()
        }
    }

    fn plan(stops: &Stops, plies_left: u8, solvable: bool) -> Budget {
        let nodes = |plies: u8| solvable.then(|| 2f64.powi(i32::from(plies)));
        Budget::new(stops, plies_left, &nodes)
    }

    #[test]
    fn a_clock_is_never_spent_whole_while_moves_are_left() {
        for remaining in [1, 5, 11, 50, 1_000, 60_000, 10_000_000] {
            for increment in [0, 10, 5_000] {
                for plies_left in [3, 20, 21, 60] {
                    for solvable in [false, true] {
                        let stops = clock(remaining, increment, None);
                        let plan = plan(&stops, plies_left, solvable);
                        let longest = plan.deadline.unwrap() - stops.started;
                        assert!(plan.target.is_none_or(|target| target <= longest));
                        let usable = stops.clock.unwrap().remaining;
                        assert!(
                            longest <= usable.mul_f64(0.86),
                            "{remaining} + {increment}, {plies_left}: {longest:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn time_is_spread_up_to_the_solving_point() {
        let rated = |node_rate| {
            timed(Clock {
                node_rate: Some(node_rate),
                ..clock(1_010, 0, None).clock.unwrap()
            })
        };
        let stops = rated(1e6);
        // 959.6 ms are left without what is kept. At a million nodes a second 2^18 nodes take 0.3
        // of that: 18 plies are solved, after 21 moves.
        let target = |plies_left, solvable| {
            plan(&stops, plies_left, solvable)
                .target
                .unwrap()
                .as_micros()
        };
        assert_eq!(target(60, true), 33_212);
        assert_eq!(target(60, false), 31_986);
        assert_eq!(target(22, true), 348_728);
        assert_eq!(target(22, false), 87_236);
        let solving = plan(&stops, 19, true);
        assert_eq!(
            (solving.target, solving.deadline),
            (None, Some(stops.started + Duration::from_micros(767_680)))
        );
        // A faster machine solves earlier, and has fewer moves to spread its time over.
        assert!(plan(&rated(8e6), 60, true).target > plan(&stops, 60, true).target);
    }

    #[test]
    fn the_last_move_before_the_time_control_may_take_all_but_what_is_kept() {
        for (stops, plies_left) in [(clock(1_010, 0, Some(1)), 40), (clock(1_010, 0, None), 2)] {
            let plan = plan(&stops, plies_left, false);
            assert_eq!(
                (plan.target, plan.deadline),
                (None, Some(stops.started + Duration::from_micros(959_600)))
            );
        }
        let stops = clock(1_010, 0, Some(4));
        assert_eq!(
            plan(&stops, 40, false).target,
            Some(Duration::from_micros(239_900))
        );
    }

    #[test]
    fn a_stable_move_takes_less_and_a_changing_one_more() {
        let stops = clock(1_010, 0, Some(10));
        let plan = plan(&stops, 60, false);
        assert_eq!(plan.target, Some(Duration::from_micros(95_960)));
        let allows = |elapsed, changes| plan.allows_another(&stops, MS(elapsed), MS(10), changes);
        assert!(allows(50, 0.0) && !allows(80, 0.0));
        assert!(allows(100, 1.0) && !allows(130, 1.0));
        assert!(
            !plan.allows_another(&stops, MS(10), MS(400), 1.0),
            "it would not be finished"
        );
    }

    #[test]
    fn the_time_of_a_move_is_used() {
        let stops = Stops {
            time: Some(MS(90)),
            ..Stops::default()
        };
        let plan_of = |stops: &Stops| plan(stops, 60, true);
        assert_eq!(plan_of(&stops).target, None);
        assert_eq!(plan_of(&stops).deadline.unwrap() - stops.started, MS(90));
        assert!(plan_of(&stops).allows_another(&stops, MS(80), MS(50), 0.0));
        // Beside a clock the earlier limit ends the move.
        for (ms, longest) in [(90, 90_000), (2_000, 959_600)] {
            let both = Stops {
                time: Some(MS(ms)),
                ..clock(1_010, 0, Some(1))
            };
            let longest = Duration::from_micros(longest);
            assert_eq!(plan_of(&both).deadline.unwrap() - both.started, longest);
        }
        let untimed = plan_of(&Stops::default());
        assert_eq!((untimed.target, untimed.deadline), (None, None));
    }
}
