//! The limits of a search, made once from the arguments of `go` and from what the engine adds.

use std::time::Duration;

use super::options::Options;
use super::request::Go;
use crate::game::{Move, Player};
use crate::platform::clock::Instant;
use crate::search::{Clock, Goal, Limits, Stops};

/// A year in milliseconds: the clamp of time limits, so that adding them to an `Instant` cannot
/// overflow.
const MAX_TIME: i64 = 1_000 * 60 * 60 * 24 * 365;

/// A time limit in milliseconds, clamped to at least one.
pub fn time(ms: i64) -> Duration {
    Duration::from_millis(ms.clamp(1, MAX_TIME) as u64)
}

/// What the engine adds to a `go`.
pub struct GoContext<'a> {
    /// The options MultiPV, Move Overhead and Exact Nodes.
    pub options: &'a Options,
    /// The side to move.
    pub mover: Player,
    /// When the command arrived.
    pub started: Instant,
    /// The most time that the mover's clock has shown during the game.
    pub main_time: Duration,
    /// Measured nodes per second.
    pub node_rate: Option<f64>,
    /// Whether the search ends after one ply.
    pub is_exiting: bool,
}

impl GoContext<'_> {
    /// The limits of a `go` that searches these root moves (empty: all). Without a usable limit,
    /// one ply is searched, unless the `go` is infinite.
    pub fn limits(&self, go: &Go, moves: Vec<Move>) -> Limits {
        let nodes_alone = self.options.exact_nodes && go.nodes.is_some();
        // Time limits that do not apply are without end: deepening depends on their presence.
        let usable = |ms: i64| {
            if nodes_alone {
                time(MAX_TIME)
            } else {
                time(ms.clamp(1, MAX_TIME) - i64::from(self.options.move_overhead))
            }
        };
        let clock = go.time[self.mover as usize].map(|left| Clock {
            remaining: usable(left),
            main: match go.movestogo {
                _ if nodes_alone => time(MAX_TIME),
                Some(_) => time(left),
                None => self.main_time,
            },
            increment: Duration::from_millis(
                go.increment[self.mover as usize]
                    .unwrap_or(0)
                    .clamp(0, MAX_TIME) as u64,
            ),
            moves_to_go: go
                .movestogo
                .map(|moves| moves.clamp(1, u32::MAX.into()) as u32),
            node_rate: self.node_rate.filter(|_| !nodes_alone),
        });
        let is_limited = go.goal != Goal::BestMove
            || go.depth.is_some()
            || go.nodes.is_some()
            || go.movetime.is_some()
            || clock.is_some();
        let stops = Stops {
            depth: match is_limited || go.infinite {
                true if self.is_exiting => Some(go.depth.unwrap_or(1).min(1)),
                true => go.depth,
                false => Some(1),
            },
            nodes: go.nodes,
            line_nodes: if nodes_alone {
                0
            } else {
                Stops::default().line_nodes
            },
            time: go.movetime.map(usable),
            clock,
            started: self.started,
            ..Stops::default()
        };
        Limits {
            moves,
            multi_pv: go.lines.unwrap_or(self.options.multi_pv as usize).max(1),
            ..Limits::new(go.goal, stops)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn context(options: &Options, mover: Player) -> GoContext<'_> {
        GoContext {
            options,
            mover,
            started: Instant::now(),
            main_time: MS(5_000),
            node_rate: Some(1e6),
            is_exiting: false,
        }
    }

    fn stops(go: &Go, mover: Player) -> Stops {
        context(&Options::default(), mover)
            .limits(go, Vec::new())
            .stops
    }

    #[test]
    fn without_a_usable_limit_one_ply_is_searched() {
        for (go, depth) in [
            (Go::default(), Some(1)),
            (
                Go {
                    time: [None, Some(1_000)],
                    increment: [Some(100); 2],
                    ..Go::default()
                },
                Some(1),
            ),
            (
                Go {
                    infinite: true,
                    ..Go::default()
                },
                None,
            ),
            (
                Go {
                    goal: Goal::Mate(3),
                    ..Go::default()
                },
                None,
            ),
        ] {
            assert_eq!(stops(&go, Player::First).depth, depth, "{go:?}");
        }
    }

    #[test]
    fn the_clock_is_that_of_the_mover_without_the_overhead() {
        let go = Go {
            time: [Some(1_000), Some(-5)],
            increment: [Some(-1), Some(7)],
            movetime: Some(100),
            ..Go::default()
        };
        for (mover, remaining, increment) in [(Player::First, 990, 0), (Player::Second, 1, 7)] {
            let Stops { clock, time, .. } = stops(&go, mover);
            let clock = clock.unwrap();
            assert_eq!(
                (clock.remaining, clock.increment, clock.main, time),
                (MS(remaining), MS(increment), MS(5_000), Some(MS(90)))
            );
        }
        let to_control = Go {
            movestogo: Some(1),
            ..go
        };
        let clock = stops(&to_control, Player::First).clock.unwrap();
        assert_eq!((clock.main, clock.moves_to_go), (MS(1_000), Some(1)));
    }

    #[test]
    fn exact_nodes_put_time_limits_out_of_reach() {
        let timed = Go {
            movetime: Some(50),
            time: [Some(1_000); 2],
            ..Go::default()
        };
        let by_nodes = Go {
            nodes: Some(1_000),
            ..timed.clone()
        };
        let options = Options {
            exact_nodes: true,
            ..Options::default()
        };
        let exact = context(&options, Player::First);
        let forever = time(MAX_TIME);
        for (go, is_reached) in [(&timed, true), (&by_nodes, false)] {
            let stops = exact.limits(go, Vec::new()).stops;
            let clock = stops.clock.unwrap();
            assert_eq!(stops.time != Some(forever), is_reached);
            assert_eq!(clock.remaining != forever, is_reached);
            assert_eq!(clock.node_rate.is_some(), is_reached);
            assert_eq!(stops.line_nodes > 0, is_reached);
        }
        assert_eq!(stops(&by_nodes, Player::First).time, Some(MS(40)));
    }

    #[test]
    fn on_exit_only_the_first_iteration_is_searched() {
        let options = Options::default();
        let exiting = GoContext {
            is_exiting: true,
            ..context(&options, Player::First)
        };
        for (depth, searched) in [(None, 1), (Some(0), 0), (Some(12), 1)] {
            let go = Go {
                depth,
                nodes: Some(7),
                ..Go::default()
            };
            let stops = exiting.limits(&go, Vec::new()).stops;
            assert_eq!((stops.depth, stops.nodes), (Some(searched), Some(7)));
        }
    }

    #[test]
    fn huge_numbers_are_clamped() {
        let go = Go {
            movetime: Some(i64::MAX),
            time: [Some(i64::MAX); 2],
            increment: [Some(i64::MAX); 2],
            movestogo: Some(i64::MAX),
            ..Go::default()
        };
        let stops = stops(&go, Player::First);
        assert_eq!(stops.time, Some(time(MAX_TIME - 10)));
        assert_eq!(stops.clock.unwrap().increment, time(MAX_TIME));
    }
}
