//! Time controls (`tc=1+0.01`, `tc=1:30`, `tc=40/60:20/30`, `st=0.1`), the clock of one side in a
//! game, and late moves with the CPU waits that the operating system's scheduler reports: did the
//! engine think too long or wait for a CPU?

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::arena::client::{ClockView, seconds};
use crate::games::record::LateMove;

/// A time control.
///
/// Its text is `[MOVES/][MINUTES:]SECONDS[+INCREMENT]`, as in fastchess and cutechess, or stages in
/// PGN's notation, `MOVES/SECONDS[+INCREMENT]` joined by colons, where the last stage may lack
/// `MOVES/`. `A:B` is in minutes and seconds if `A` is a whole number and `B` is below 60, so that
/// `40/60:30` is one stage; `40/60+0:30` is two.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum TimeControl {
    /// No clock: the depth or node limit, or the engine itself, ends a search.
    #[default]
    Unlimited,
    /// A clock with at least one stage. Only the last may be without a number of moves.
    Clock(Vec<Stage>),
    /// A fixed time for each move, in milliseconds.
    PerMove(u64),
}

/// A stage of a clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stage {
    /// The time added at its start, in milliseconds.
    pub base_ms: u64,
    /// The increment per move in milliseconds.
    pub increment_ms: u64,
    /// The number of its moves, after which the next stage begins, or the last one again; `None`:
    /// all remaining moves.
    pub moves: Option<u32>,
}

impl Stage {
    /// Parses `[MOVES/]SECONDS[+INCREMENT]` and adds minutes to its time.
    fn parse(text: &str, minutes: u64) -> Option<Stage> {
        let (moves, time) = match text.split_once('/') {
            Some((moves, time)) => (Some(moves.parse().ok()?), time),
            None => (None, text),
        };
        let (base, increment) = time.split_once('+').unwrap_or((time, "0"));
        let base_ms = minutes
            .checked_mul(60_000)?
            .checked_add(milliseconds(base)?)?;
        Some(Stage {
            base_ms,
            increment_ms: milliseconds(increment)?,
            moves,
        })
    }

    /// Parses `[MOVES/]MINUTES:SECONDS[+INCREMENT]`.
    fn parse_minutes(text: &str) -> Option<Stage> {
        let (before, seconds) = text
            .split_once(':')
            .filter(|(_, rest)| !rest.contains('/'))?;
        let (moves, minutes) = before.split_at(before.find('/').map_or(0, |at| at + 1));
        let minutes: u64 = minutes.parse().ok()?;
        let stage = Stage::parse(&format!("{moves}{seconds}"), minutes)?;
        (stage.base_ms - minutes * 60_000 < 60_000).then_some(stage)
    }

    /// Rejects a stage that obeys the syntax and cannot be played.
    fn check(&self) -> Result<()> {
        ensure!(
            self.moves != Some(0),
            "a stage of 0 moves, expected at least 1"
        );
        ensure!(
            self.base_ms.max(self.increment_ms) < MOST_MS,
            "a time of 1000000000 s or more"
        );
        ensure!(
            self.base_ms > 0,
            "the time before the increment is 0, expected at least 0.001 s for the first move"
        );
        Ok(())
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.moves.map_or(Ok(()), |moves| write!(f, "{moves}/"))?;
        write!(f, "{}", seconds(self.base_ms))?;
        if self.increment_ms > 0 {
            write!(f, "+{}", seconds(self.increment_ms))?;
        }
        Ok(())
    }
}

impl FromStr for TimeControl {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        TimeControl::parse(text).with_context(|| format!("invalid time control \"{text}\""))
    }
}

/// Times are shorter, in milliseconds.
const MOST_MS: u64 = 1_000_000_000_000;

/// Parses seconds with a fraction; returns milliseconds.
pub fn milliseconds(seconds: &str) -> Option<u64> {
    let seconds: f64 = seconds.parse().ok()?;
    let ms = (seconds * 1000.0).round();
    (seconds >= 0.0 && ms < MOST_MS as f64).then_some(ms as u64)
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeControl::Unlimited => f.write_str("inf"),
            TimeControl::PerMove(ms) => write!(f, "{}/move", seconds(*ms)),
            TimeControl::Clock(stages) => {
                for (index, stage) in stages.iter().enumerate() {
                    write!(f, "{stage}")?;
                    // The increment prevents that the last two stages are read as minutes and
                    // seconds.
                    match stages.get(index + 1) {
                        Some(Stage { moves: None, .. }) if stage.increment_ms == 0 => {
                            f.write_str("+0:")?
                        }
                        Some(_) => f.write_str(":")?,
                        None => {}
                    }
                }
                Ok(())
            }
        }
    }
}

impl TimeControl {
    fn parse(text: &str) -> Result<TimeControl> {
        const SYNTAX: &str = "expected [MOVES/][MINUTES:]SECONDS[+INCREMENT], stages MOVES/SECONDS[+INCREMENT]:..., \
            or inf";
        if matches!(text, "inf" | "infinite") {
            return Ok(TimeControl::Unlimited);
        }
        if let Some(seconds) = text.strip_suffix("/move") {
            let ms = milliseconds(seconds).context(SYNTAX)?;
            ensure!(ms > 0, "0 s per move, expected at least 0.001 s");
            return Ok(TimeControl::PerMove(ms));
        }
        let stages = match Stage::parse_minutes(text) {
            Some(stage) => Some(vec![stage]),
            None => text.split(':').map(|part| Stage::parse(part, 0)).collect(),
        };
        let stages: Vec<Stage> = stages.context(SYNTAX)?;
        stages.iter().try_for_each(Stage::check)?;
        let mut earlier = stages.iter().rev().skip(1);
        ensure!(
            earlier.all(|stage| stage.moves.is_some()),
            "only the last stage may lack MOVES/"
        );
        Ok(TimeControl::Clock(stages))
    }

    /// The stages of a clock; none without one.
    pub fn stages(&self) -> &[Stage] {
        match self {
            TimeControl::Clock(stages) => stages,
            _ => &[],
        }
    }

    /// The value of PGN's tag `TimeControl`: `40/60`, `60+0.5`, `40/60:20/30`, `1/0.1` (0.1 s per
    /// move), `-` for none.
    pub fn pgn(&self) -> String {
        match self {
            TimeControl::Unlimited => "-".into(),
            TimeControl::PerMove(ms) => format!("1/{}", seconds(*ms)),
            TimeControl::Clock(_) => self.to_string().replace("+0:", ":"),
        }
    }

    /// The value of GGF's tags `TI`, `TB` and `TW`: main time and increment per move,
    /// `05:00/00:02`; `None` without a clock. GGF cannot express that time is added after a number
    /// of moves: of several stages it has the first.
    pub fn ggf(&self) -> Option<String> {
        let &Stage {
            base_ms,
            increment_ms,
            ..
        } = self.stages().first()?;
        let time = |ms: u64| {
            let time = format!("{:02}:{:06.3}", ms / 60_000, seconds(ms % 60_000));
            time.trim_end_matches('0').trim_end_matches('.').to_owned()
        };
        let increment = match increment_ms {
            0 => String::new(),
            ms => format!("/{}", time(ms)),
        };
        Some(time(base_ms) + &increment)
    }
}

impl TryFrom<String> for TimeControl {
    type Error = anyhow::Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<TimeControl> for String {
    fn from(control: TimeControl) -> String {
        control.to_string()
    }
}

/// One side's clock in one game.
#[derive(Clone, Debug)]
pub struct GameClock {
    control: TimeControl,
    margin: Duration,
    /// The time for the next move; `None` without a limit.
    left: Option<Duration>,
    /// The index of the current stage, and the moves made in it.
    stage: usize,
    moves: u32,
}

impl GameClock {
    /// A clock at the start of a game; a move may be late by `margin`.
    pub fn new(control: TimeControl, margin: Duration) -> GameClock {
        let left_ms = match &control {
            TimeControl::Clock(stages) => stages.first().map(|stage| stage.base_ms),
            TimeControl::PerMove(ms) => Some(*ms),
            TimeControl::Unlimited => None,
        };
        GameClock {
            control,
            margin,
            left: left_ms.map(Duration::from_millis),
            stage: 0,
            moves: 0,
        }
    }

    /// How long the next move may take, including the margin.
    pub fn allowance(&self) -> Option<Duration> {
        Some(self.left? + self.margin)
    }

    /// The current stage, if there is a clock.
    fn stage(&self) -> Option<Stage> {
        self.control.stages().get(self.stage).copied()
    }

    /// The time left, if there is a clock.
    pub fn left(&self) -> Option<Duration> {
        self.stage().and(self.left)
    }

    /// The clock as sent to engines, if there is one.
    pub fn view(&self) -> Option<ClockView> {
        let stage = self.stage()?;
        Some(ClockView {
            left_ms: (self.left?.as_millis() as u64).max(1),
            increment_ms: stage.increment_ms,
            moves_to_go: stage.moves.map(|moves| moves - self.moves),
        })
    }

    /// The fixed time per move, if that is the time control.
    pub fn move_time_ms(&self) -> Option<u64> {
        match self.control {
            TimeControl::PerMove(ms) => Some(ms),
            _ => None,
        }
    }

    /// Charges a move, adds the increment and begins the next stage after the last move of one,
    /// unless the move was too late. Returns the time by which it exceeded the clock, ignoring the
    /// margin.
    pub fn charge(&mut self, elapsed: Duration) -> Option<Duration> {
        let left = self.left.as_mut()?;
        let late = elapsed.checked_sub(*left).filter(|late| !late.is_zero());
        *left = left.saturating_sub(elapsed);
        match &self.control {
            _ if late.is_some_and(|late| late > self.margin) => {}
            TimeControl::Clock(stages) => {
                let stage = stages[self.stage];
                self.moves += 1;
                *left += Duration::from_millis(stage.increment_ms);
                if stage.moves == Some(self.moves) {
                    self.stage = (self.stage + 1).min(stages.len() - 1);
                    self.moves = 0;
                    *left += Duration::from_millis(stages[self.stage].base_ms);
                }
            }
            TimeControl::PerMove(ms) => *left = Duration::from_millis(*ms),
            TimeControl::Unlimited => {}
        }
        late
    }

    /// The part of a lateness beyond the margin; such a move loses the game.
    pub fn beyond_margin(&self, late: Duration) -> Option<Duration> {
        late.checked_sub(self.margin).filter(|over| !over.is_zero())
    }

    /// Charges time without a move, after a crash during a search; the clock may reach zero.
    pub fn charge_without_move(&mut self, elapsed: Duration) {
        if let (Some(_), Some(left)) = (self.stage(), &mut self.left) {
            *left = left.saturating_sub(elapsed);
        }
    }
}

/// A heartbeat that is late by this much means that the runner was suspended.
pub const LONG_GAP: Duration = Duration::from_secs(1);

/// Which forfeits on time are annulled: those that the machine caused. The rule is part of the plan
/// of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AnnulmentRule {
    /// The gap of the runner's heartbeat during the move, in milliseconds, from which a forfeit is
    /// annulled.
    pub gap_ms: u64,
    /// Whether a forfeit is annulled if the CPU wait of the engine exceeds the time by which its
    /// move was too late.
    pub cpu_wait: bool,
    /// How often a game is played again; the next forfeit counts.
    pub replays: usize,
}

impl Default for AnnulmentRule {
    fn default() -> Self {
        AnnulmentRule {
            gap_ms: 1000,
            cpu_wait: true,
            replays: 2,
        }
    }
}

impl AnnulmentRule {
    /// Why the forfeit of a move that was `over` too late, beyond its margin, is annulled; `None` if
    /// it counts.
    pub fn cause(&self, late: &LateMove, over: Duration) -> Option<String> {
        let over_ms = over.as_secs_f64() * 1e3;
        if let Some(gap) = late.runner_gap_ms.filter(|&gap| gap >= self.gap_ms as f64) {
            return Some(format!("the runner was suspended for {gap:.0} ms"));
        }
        let waited = late
            .engine_waited_ms
            .filter(|&waited| self.cpu_wait && waited > over_ms)?;
        Some(format!(
            "the engine waited {waited:.1} ms for a CPU, longer than its move was too late"
        ))
    }
}

/// Milliseconds as they are recorded.
pub fn record_ms(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

impl LateMove {
    /// A late move with the CPU waits of the engine and of the thread that reads its output, if
    /// available.
    pub fn new(
        late: Duration,
        sending: Duration,
        [engine, reader]: [Option<Duration>; 2],
        gap: Duration,
    ) -> LateMove {
        LateMove {
            late_ms: record_ms(late),
            engine_waited_ms: engine.map(record_ms),
            runner_waited_ms: reader.map(|reader| record_ms(reader + sending)),
            runner_gap_ms: Some(record_ms(gap)).filter(|_| gap >= LONG_GAP),
        }
    }

    /// Whether the waits are at least as long as the move was late, so that it would have been in
    /// time on an idle machine, or the runner was suspended; `None` if unavailable.
    pub fn is_explained(&self) -> Option<bool> {
        if self.runner_gap_ms.is_some() {
            return Some(true);
        }
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

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn time_controls_are_parsed_and_written() {
        let read = |text: &str| text.parse::<TimeControl>().unwrap();
        let stage = |moves, base_ms, increment_ms| Stage {
            base_ms,
            increment_ms,
            moves,
        };
        for (text, stages) in [
            ("1+0.01", vec![stage(None, 1000, 10)]),
            ("0.1", vec![stage(None, 100, 0)]),
            ("1:30", vec![stage(None, 90_000, 0)]),
            ("0:0.5", vec![stage(None, 500, 0)]),
            ("40/1:30+0.5", vec![stage(Some(40), 90_000, 500)]),
            ("40/60:30", vec![stage(Some(40), 3_630_000, 0)]),
            (
                "40/60+0:30",
                vec![stage(Some(40), 60_000, 0), stage(None, 30_000, 0)],
            ),
            (
                "40/7200:3600",
                vec![stage(Some(40), 7_200_000, 0), stage(None, 3_600_000, 0)],
            ),
            (
                "40/60:20/30",
                vec![stage(Some(40), 60_000, 0), stage(Some(20), 30_000, 0)],
            ),
            (
                "40/60+1:20/30+0.5:10",
                vec![
                    stage(Some(40), 60_000, 1000),
                    stage(Some(20), 30_000, 500),
                    stage(None, 10_000, 0),
                ],
            ),
        ] {
            assert_eq!(read(text), TimeControl::Clock(stages), "{text}");
        }
        assert_eq!(read("inf"), TimeControl::Unlimited);
        for text in [
            "1+0.01",
            "40/90+0.5",
            "0.1",
            "inf",
            "0.25/move",
            "40/60:20/30",
            "40/60+0:30",
            "40/60:20/30+0:10",
            "40/60+1:30",
        ] {
            assert_eq!(read(text).to_string(), text);
        }
        assert_eq!(read("40/7200:3600").to_string(), "40/7200+0:3600");
        for text in [
            "",
            "x",
            "0",
            "-1",
            "1+",
            "0/10",
            "1e99",
            "nan",
            "1:x",
            "+1",
            "1:-1",
            "0/move",
            "99999999999999999:1",
            "20000000:00",
            "1+1000000000",
            "999999999.9999",
            "40/60:",
            ":30",
            "40/60:0/30",
            "40/60:20/30/10",
        ] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
        for text in [
            "0+1",
            "0",
            "0:00+5",
            "40/0+1",
            "0/10",
            "0/0",
            "0/1:30",
            "0.0001",
            "40/60:0/30",
            "0/move",
            "0.0004/move",
        ] {
            let error = format!("{:#}", text.parse::<TimeControl>().unwrap_err());
            assert!(error.contains(", expected at least "), "{error}");
        }
        for text in ["60:20/30", "1:90", "40/60:30:10", "1:2:3"] {
            let error = format!("{:#}", text.parse::<TimeControl>().unwrap_err());
            assert!(
                error.ends_with("only the last stage may lack MOVES/"),
                "{error}"
            );
        }
    }

    #[test]
    fn stages_follow_each_other_and_the_last_repeats() {
        let mut clock = GameClock::new("2/10+1:1/5:2/3+0.5".parse().unwrap(), ms(0));
        let mut seen = Vec::new();
        for _ in 0..7 {
            let view = clock.view().unwrap();
            seen.push((view.left_ms, view.increment_ms, view.moves_to_go));
            assert_eq!(clock.charge(ms(1000)), None);
        }
        let expected = [
            (10_000, 1000, Some(2)),
            (10_000, 1000, Some(1)),
            (15_000, 0, Some(1)),
            (17_000, 500, Some(2)),
            (16_500, 500, Some(1)),
            (19_000, 500, Some(2)),
            (18_500, 500, Some(1)),
        ];
        assert_eq!(seen, expected);
        let mut clock = GameClock::new("1/2+0:3+1".parse().unwrap(), ms(0));
        assert_eq!(clock.charge(ms(1500)), None);
        for _ in 0..3 {
            let view = clock.view().unwrap();
            assert_eq!((view.left_ms, view.moves_to_go), (3500, None));
            assert_eq!(clock.charge(ms(1000)), None);
        }
    }

    #[test]
    fn clocks_add_increments_and_allow_the_margin() {
        let mut clock = GameClock::new("2/1+0.01".parse().unwrap(), ms(50));
        assert_eq!(
            clock.view().unwrap(),
            ClockView {
                left_ms: 1000,
                increment_ms: 10,
                moves_to_go: Some(2)
            }
        );
        assert_eq!(clock.charge(ms(400)), None);
        assert_eq!(
            clock.view().unwrap(),
            ClockView {
                left_ms: 610,
                increment_ms: 10,
                moves_to_go: Some(1)
            }
        );
        assert_eq!(clock.allowance(), Some(ms(660)));
        assert_eq!(clock.charge(ms(640)), Some(ms(30)));
        assert_eq!(
            (clock.beyond_margin(ms(30)), clock.beyond_margin(ms(51))),
            (None, Some(ms(1)))
        );
        assert_eq!(
            clock.view().unwrap(),
            ClockView {
                left_ms: 1010,
                increment_ms: 10,
                moves_to_go: Some(2)
            }
        );
        assert_eq!(clock.charge(ms(1061)), Some(ms(51)));
        assert_eq!(clock.left(), Some(Duration::ZERO));
    }

    #[test]
    fn a_fixed_time_per_move_does_not_accumulate() {
        let mut clock = GameClock::new(TimeControl::PerMove(100), ms(5));
        for _ in 0..3 {
            assert_eq!(clock.charge(ms(101)), Some(ms(1)));
        }
        assert_eq!(clock.charge(ms(105)), Some(ms(5)));
        assert_eq!(clock.charge(ms(106)), Some(ms(6)));
        assert_eq!(clock.beyond_margin(ms(6)), Some(ms(1)));
        assert_eq!(
            (clock.view(), clock.move_time_ms(), clock.left()),
            (None, Some(100), None)
        );
        let mut clock = GameClock::new(TimeControl::Unlimited, ms(0));
        assert_eq!(
            (clock.allowance(), clock.charge(ms(1_000_000))),
            (None, None)
        );
    }

    #[test]
    fn a_late_move_is_explained_by_longer_waits() {
        let ms = Duration::from_millis;
        let late = |engine, reader| LateMove::new(ms(7), ms(1), [engine, reader], ms(999));
        assert_eq!(late(Some(ms(5)), Some(ms(1))).is_explained(), Some(true));
        assert_eq!(late(Some(ms(5)), Some(ms(0))).is_explained(), Some(false));
        assert_eq!(late(None, Some(ms(9))).is_explained(), None);
        let text = late(Some(ms(5)), Some(ms(1))).to_string();
        assert_eq!(text, "CPU wait: engine 5.0 ms, runner 2.0 ms");
        let value = serde_json::to_value(late(None, None)).unwrap();
        assert_eq!(value, serde_json::json!({"late_ms": 7.0}));
        // A forfeit is annulled by the wait of the engine alone, or by a suspended runner.
        let rule = AnnulmentRule::default();
        let is_annulled = |late: LateMove, over| rule.cause(&late, ms(over)).is_some();
        assert!(is_annulled(late(Some(ms(5)), None), 4));
        assert!(!is_annulled(late(Some(ms(5)), Some(ms(9))), 5));
        assert!(!is_annulled(late(None, None), 5));
        let suspended = LateMove::new(ms(7), ms(1), [None, None], ms(1000));
        assert!(is_annulled(suspended, 5000) && suspended.is_explained() == Some(true));
        let strict = AnnulmentRule {
            cpu_wait: false,
            ..rule
        };
        assert_eq!(strict.cause(&late(Some(ms(50)), None), ms(1)), None);
    }
}
