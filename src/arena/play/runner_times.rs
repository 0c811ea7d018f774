//! The runner's own times and the latencies of engines: of one game, and their distributions over a
//! tournament, in memory that does not grow with the number of games.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

/// The times of a game, or of all games of a run.
#[derive(Default)]
pub struct RunTimes {
    /// The overhead per move: from one engine's reply to the other engine's `go`, without the waits
    /// for engines.
    pub overhead: TimeHistogram,
    /// The overhead per move without the waits for a CPU; empty where these are unknown.
    pub own_overhead: TimeHistogram,
    /// The delay from the arrival of a reply to its processing.
    pub delay: TimeHistogram,
    /// The latencies of each engine: of replies, from sending the position until the engine is
    /// ready; and the excesses of moves, from `go` to `bestmove`, beyond the time that the engine
    /// reported last.
    pub engines: Vec<[TimeHistogram; 2]>,
}

impl RunTimes {
    /// The times of no game of this number of engines.
    pub fn new(engines: usize) -> RunTimes {
        RunTimes {
            engines: (0..engines).map(|_| Default::default()).collect(),
            ..RunTimes::default()
        }
    }

    /// Adds a game of two engines, by number.
    pub fn add(&mut self, game: &RunTimes, players: [Option<usize>; 2]) {
        self.overhead.merge(&game.overhead);
        self.own_overhead.merge(&game.own_overhead);
        self.delay.merge(&game.delay);
        for (player, times) in players.into_iter().zip(&game.engines) {
            if let Some(engine) = player.and_then(|player| self.engines.get_mut(player)) {
                let own = engine.iter_mut().zip(times);
                own.for_each(|(histogram, times)| histogram.merge(times));
            }
        }
    }

    /// A line for each distribution; `names` are those of the engines.
    pub fn lines(&self, names: &[String]) -> Vec<String> {
        let own = [
            ("runner overhead per move", &self.overhead),
            ("without CPU waits", &self.own_overhead),
            ("delay from reply to processing", &self.delay),
        ];
        let own = own.map(|(what, times)| (what.to_owned(), times));
        let of_engines = names
            .iter()
            .zip(&self.engines)
            .flat_map(|(name, [reply, excess])| {
                [
                    (format!("{name}: round trip of a reply"), reply),
                    (format!("{name}: excess of a move"), excess),
                ]
            });
        own.into_iter()
            .chain(of_engines)
            .filter_map(|(what, times)| Some(format!("{what}: {}", times.spread()?.text())))
            .collect()
    }
}

/// A distribution of times in microseconds: exact up to 63, then in 32 classes per power of two.
#[derive(Default)]
pub struct TimeHistogram {
    /// The number of times in each class, by its largest time.
    counts: BTreeMap<u64, u64>,
    maximum: u64,
}

/// The bits of a time that distinguish the classes within a power of two.
const CLASS_BITS: u32 = 5;

impl TimeHistogram {
    /// Adds a time.
    pub fn add(&mut self, time: Duration) {
        let time = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        *self.counts.entry(largest_in_class(time)).or_default() += 1;
        self.maximum = self.maximum.max(time);
    }

    fn merge(&mut self, other: &TimeHistogram) {
        for (&class, count) in &other.counts {
            *self.counts.entry(class).or_default() += count;
        }
        self.maximum = self.maximum.max(other.maximum);
    }

    /// The median, the 99th percentile and the maximum; `None` without a time.
    pub fn spread(&self) -> Option<TimeSpread> {
        let moves: u64 = self.counts.values().sum();
        let at = |share: f64| {
            let rank = (moves.checked_sub(1)? as f64 * share) as u64;
            let mut seen = 0;
            let (&largest, _) = self.counts.iter().find(|&(_, count)| {
                seen += count;
                seen > rank
            })?;
            Some(largest.min(self.maximum))
        };
        Some(TimeSpread {
            median: at(0.5)?,
            p99: at(0.99)?,
            maximum: self.maximum,
            moves,
        })
    }
}

/// The largest time in the class of a time.
fn largest_in_class(time: u64) -> u64 {
    let width = time.max(1).ilog2().saturating_sub(CLASS_BITS);
    time | ((1 << width) - 1)
}

/// The spread of times in microseconds; beyond 63, median and 99th percentile are up to 3 % too
/// large.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct TimeSpread {
    /// The median.
    pub median: u64,
    /// The 99th percentile.
    pub p99: u64,
    /// The maximum.
    pub maximum: u64,
    /// The number of moves.
    pub moves: u64,
}

impl TimeSpread {
    fn text(self) -> String {
        let [median, p99, maximum] =
            [self.median, self.p99, self.maximum].map(|us| us as f64 / 1e3);
        format!(
            "median {median:.3} ms, 99th percentile {p99:.3} ms, maximum {maximum:.3} ms ({} moves)",
            self.moves
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_narrow_and_in_order() {
        let mut last = 0;
        for time in (0..5_000).chain([1 << 20, (1 << 20) + 40_000, u64::MAX - 1, u64::MAX]) {
            let largest = largest_in_class(time);
            assert!(
                largest >= time && largest - time <= time / 32 && largest >= last,
                "{time}: {largest}"
            );
            assert_eq!(largest_in_class(largest), largest);
            last = largest;
        }
    }

    #[test]
    fn a_run_has_the_spread_of_its_times() {
        let mut run = RunTimes::new(2);
        assert_eq!(run.overhead.spread(), None);
        assert!(run.lines(&["A".into(), "B".into()]).is_empty());
        let mut game = RunTimes::new(2);
        for time in (1..=100).chain([5_000]) {
            game.overhead.add(Duration::from_micros(time));
        }
        game.engines[0][0].add(Duration::from_micros(7));
        run.add(&game, [Some(1), Some(0)]);
        let spread = run.overhead.spread().unwrap();
        assert_eq!(
            (spread.median, spread.maximum, spread.moves),
            (51, 5_000, 101)
        );
        assert!((100..104).contains(&spread.p99), "{spread:?}");
        let lines = run.lines(&["A".into(), "B".into()]);
        assert!(
            lines.len() == 2 && lines[1].starts_with("B: round trip of a reply: median 0.007 ms"),
            "{lines:?}"
        );
    }
}
