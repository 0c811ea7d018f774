//! Turns the arguments of `go` into the limits of a search.

use std::time::{Duration, Instant};

use super::request::{Go, ToEnd};
use crate::game::{Move, Player};
use crate::search::{Clock, Limits};

/// A year in milliseconds: the clamp of time limits, so that adding them to an `Instant` cannot
/// overflow.
const MAX_TIME: i64 = 1_000 * 60 * 60 * 24 * 365;

/// A time limit in milliseconds, clamped to at least one.
fn time(ms: i64) -> Duration {
    Duration::from_millis(ms.clamp(1, MAX_TIME) as u64)
}

/// The limits of a `go` that arrived at `started` with `mover` to move, and whether `bestmove`
/// waits for `stop` regardless of them (and of pondering); `moves` are the root moves to search
/// (empty: all), `lines` the default of MultiPV.
///
/// A `go` without arguments is infinite. If it has arguments but no usable limit, one ply is
/// searched.
pub fn of_go(
    go: &Go,
    mover: Player,
    overhead: Duration,
    started: Instant,
    moves: Vec<Move>,
    lines: usize,
) -> (Limits, bool) {
    let side = mover as usize;
    let small = |number: Option<i64>, least| {
        number
            .filter(|&number| number >= least)
            .map(|number| number.min(u8::MAX.into()) as u8)
    };
    let clock = go.time[side].map(|left| Clock {
        remaining: time(left),
        main: time(left),
        increment: Duration::from_millis(go.increment[side].unwrap_or(0).clamp(0, MAX_TIME) as u64),
        moves_to_go: go
            .movestogo
            .map(|moves| moves.clamp(1, u32::MAX.into()) as u32),
    });
    let mut limits = Limits {
        depth: if go.to_end.is_some() {
            Some(u8::MAX)
        } else {
            small(go.depth, 0)
        }, // deeper than any game
        nodes: go.nodes.and_then(|nodes| nodes.try_into().ok()),
        movetime: go.movetime.map(time),
        clock,
        overhead,
        started,
        moves,
        multi_pv: go.lines.unwrap_or(lines).max(1),
        win_loss_draw: go.to_end == Some(ToEnd::WinLossDraw),
        proven: go.to_end.is_some(),
        mate: small(go.mate, 1),
        ..Limits::default()
    };
    let is_limited = limits.depth.is_some()
        || limits.nodes.is_some()
        || limits.movetime.is_some()
        || limits.mate.is_some()
        || clock.is_some();
    let is_bare = !go.has_unread
        && *go
            == Go {
                moves: go.moves.clone(),
                ponder: go.ponder,
                ..Go::default()
            };
    let is_infinite = go.infinite || is_bare;
    if !is_limited && !is_infinite {
        limits.depth = Some(1);
    }
    (limits, is_infinite)
}

/// Makes the node limit, if there is one, the only limit. The clock remains, without end: the
/// deepening schedule depends on its presence.
pub fn by_nodes_alone(limits: Limits) -> Limits {
    if limits.nodes.is_none() {
        return limits;
    }
    let forever = Duration::from_millis(MAX_TIME as u64);
    let clock = limits.clock.map(|clock| Clock {
        remaining: forever,
        main: forever,
        ..clock
    });
    let movetime = limits.movetime.map(|_| forever);
    Limits {
        by_nodes_alone: true,
        line_nodes: 0,
        movetime,
        clock,
        node_rate: None,
        ..limits
    }
}

/// The maximum time of the first iteration when the engine exits; it usually takes much less.
const FIRST_ITERATION: Duration = Duration::from_millis(50);

/// The limits of a search that ends after its first iteration.
pub fn of_first_iteration(limits: Limits) -> Limits {
    Limits {
        depth: Some(limits.depth.unwrap_or(1).min(1)),
        movetime: Some(FIRST_ITERATION),
        overhead: Duration::ZERO,
        clock: None,
        by_nodes_alone: false,
        ..limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requested(go: Go, mover: Player) -> (Limits, bool) {
        of_go(
            &go,
            mover,
            Duration::from_millis(10),
            Instant::now(),
            Vec::new(),
            1,
        )
    }

    #[test]
    fn a_bare_go_is_infinite_and_one_without_usable_limit_searches_one_ply() {
        assert!(requested(Go::default(), Player::First).1);
        assert!(
            requested(
                Go {
                    moves: vec!["e6".into()],
                    ..Go::default()
                },
                Player::First
            )
            .1
        );
        assert!(
            requested(
                Go {
                    ponder: true,
                    ..Go::default()
                },
                Player::First
            )
            .1
        );
        assert!(
            !requested(
                Go {
                    ponder: true,
                    depth: Some(5),
                    ..Go::default()
                },
                Player::First
            )
            .1
        );
        for go in [
            Go {
                has_unread: true,
                ..Go::default()
            },
            Go {
                depth: Some(-3),
                ..Go::default()
            },
            Go {
                time: [None, Some(1_000)],
                ..Go::default()
            },
            Go {
                increment: [Some(100), Some(100)],
                ..Go::default()
            },
            Go {
                mate: Some(0),
                ..Go::default()
            },
        ] {
            let (limits, infinite) = requested(go.clone(), Player::First);
            assert!(!infinite && limits.depth == Some(1), "{go:?}");
        }
        let (limits, infinite) = requested(
            Go {
                infinite: true,
                depth: Some(5),
                ..Go::default()
            },
            Player::First,
        );
        assert!(infinite && limits.depth == Some(5));
        let (limits, infinite) = requested(
            Go {
                mate: Some(3),
                ..Go::default()
            },
            Player::First,
        );
        assert!(!infinite && limits.mate == Some(3) && limits.depth.is_none());
    }

    #[test]
    fn the_clock_is_that_of_the_mover() {
        let go = Go {
            time: [Some(1_000), Some(-5)],
            increment: [Some(-1), Some(7)],
            ..Go::default()
        };
        let first = requested(go.clone(), Player::First).0.clock.unwrap();
        assert_eq!(
            (first.remaining.as_millis(), first.increment.as_millis()),
            (1_000, 0)
        );
        let second = requested(go, Player::Second).0.clock.unwrap();
        assert_eq!(
            (second.remaining.as_millis(), second.increment.as_millis()),
            (1, 7)
        );
    }

    #[test]
    fn a_search_that_ends_by_nodes_alone_is_not_timed() {
        let timed = Go {
            movetime: Some(50),
            time: [Some(1_000); 2],
            ..Go::default()
        };
        let by_nodes = Go {
            nodes: Some(1_000),
            ..timed.clone()
        };
        for (go, is_timed) in [(&timed, true), (&by_nodes, false)] {
            let limits = by_nodes_alone(requested(go.clone(), Player::First).0);
            assert_eq!(limits.is_timed(), is_timed, "{go:?}");
            assert!(limits.clock.is_some() && limits.movetime.is_some());
        }
        assert!(requested(by_nodes, Player::First).0.is_timed());
    }

    #[test]
    fn huge_numbers_are_clamped() {
        let go = Go {
            depth: Some(i64::MAX),
            nodes: Some(i64::MAX),
            movetime: Some(i64::MAX),
            time: [Some(i64::MAX); 2],
            increment: [Some(i64::MAX); 2],
            movestogo: Some(i64::MAX),
            ..Go::default()
        };
        let limits = requested(go, Player::First).0;
        assert_eq!(limits.depth, Some(u8::MAX));
        assert_eq!(
            limits.movetime,
            Some(Duration::from_millis(MAX_TIME as u64))
        );
    }
}
