//! Late moves and CPU waits, as measured by the operating system's scheduler: did the engine think too long, or did it
//! wait for a CPU?

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A move that exceeded its time.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct LateMove {
    /// Milliseconds beyond the time, not reduced by the margin.
    pub late_ms: f64,
    /// Milliseconds that the engine's threads waited for a CPU during the search, summed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_waited_ms: Option<f64>,
    /// Milliseconds lost by the runner: sending the command, and CPU waits of the thread that receives the move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_waited_ms: Option<f64>,
}

impl LateMove {
    /// A late move with the CPU waits of the engine and of the thread that reads its output, if available.
    pub fn new(late: Duration, sending: Duration, [engine, reader]: [Option<Duration>; 2]) -> LateMove {
        let ms = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e3;
        LateMove {
            late_ms: ms(late),
            engine_waited_ms: engine.map(ms),
            runner_waited_ms: reader.map(|reader| ms(reader + sending)),
        }
    }

    /// Whether the waits are at least as long as the move was late, so that it would have been in time on an idle
    /// machine; `None` if unavailable.
    pub fn is_explained(&self) -> Option<bool> {
        Some(self.engine_waited_ms? + self.runner_waited_ms? >= self.late_ms)
    }
}

impl fmt::Display for LateMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.engine_waited_ms, self.runner_waited_ms) {
            (Some(engine), Some(runner)) => {
                write!(f, "CPU wait: engine {engine:.1} ms, runner {runner:.1} ms")
            }
            _ => write!(f, "CPU waits are not available on this system"),
        }
    }
}

/// The numbers of late moves, including losses on time, by their explanation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct LateMoveCounts {
    /// The CPU waits were at least as long as the move was late.
    pub explained: u64,
    /// The CPU waits were shorter.
    pub unexplained: u64,
    /// The CPU waits are not available.
    pub unknown: u64,
}

impl LateMoveCounts {
    /// Counts a late move.
    pub fn add(&mut self, late: &LateMove) {
        match late.is_explained() {
            Some(true) => self.explained += 1,
            Some(false) => self.unexplained += 1,
            None => self.unknown += 1,
        }
    }

    /// The total.
    pub fn all(&self) -> u64 {
        self.explained + self.unexplained + self.unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_move_is_explained_by_longer_waits() {
        let ms = Duration::from_millis;
        let late = |engine, reader| LateMove::new(ms(7), ms(1), [engine, reader]);
        assert_eq!(late(Some(ms(5)), Some(ms(1))).is_explained(), Some(true));
        assert_eq!(late(Some(ms(5)), Some(ms(0))).is_explained(), Some(false));
        assert_eq!(late(None, Some(ms(9))).is_explained(), None);
        let text = late(Some(ms(5)), Some(ms(1))).to_string();
        assert_eq!(text, "CPU wait: engine 5.0 ms, runner 2.0 ms");
        let value = serde_json::to_value(late(None, None)).unwrap();
        assert_eq!(value, serde_json::json!({"late_ms": 7.0}));
    }
}
