//! A late move beside what the scheduler of the system says of that time: did the engine think for too long, or wait
//! for a processor?

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A move that took longer than there was time.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct LateMove {
    /// Milliseconds beyond the time, the margin not subtracted.
    pub late_ms: f64,
    /// Milliseconds that the engine's threads waited for a processor during the search, added up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_waited_ms: Option<f64>,
    /// Milliseconds that the runner lost: in sending the command, and in the thread that notes when the move arrives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_waited_ms: Option<f64>,
}

impl LateMove {
    /// A move with the waits of the engine and of the runner, where they are known.
    pub fn new(late: Duration, sending: Duration, [engine, reader]: [Option<Duration>; 2]) -> LateMove {
        let ms = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e3;
        LateMove {
            late_ms: ms(late),
            engine_waited_ms: engine.map(ms),
            runner_waited_ms: reader.map(|reader| ms(reader + sending)),
        }
    }

    /// Whether the waits are at least as long as the move was late: on an idle machine it would have been in time.
    /// `None` where they are not known.
    pub fn is_explained(&self) -> Option<bool> {
        Some(self.engine_waited_ms? + self.runner_waited_ms? >= self.late_ms)
    }
}

impl fmt::Display for LateMove {
    /// The waits in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.engine_waited_ms, self.runner_waited_ms) {
            (Some(engine), Some(runner)) => {
                write!(f, "the engine waited {engine:.1} ms for a processor, this runner {runner:.1} ms")
            }
            _ => write!(f, "waits for a processor are not known on this system"),
        }
    }
}

/// Late moves, those that lost on time included, by what the system's scheduler says of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct LateMoveCounts {
    /// Its waits for a processor were as long as the move was late.
    pub explained: u64,
    /// They were shorter.
    pub unexplained: u64,
    /// They are not known.
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

    /// All of them.
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
        assert_eq!(text, "the engine waited 5.0 ms for a processor, this runner 2.0 ms");
        let value = serde_json::to_value(late(None, None)).unwrap();
        assert_eq!(value, serde_json::json!({"late_ms": 7.0}));
    }
}
