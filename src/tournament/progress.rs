//! The progress of a tournament, and the runner's overhead.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;

use super::standings::Standings;
use super::standings_text::summary_line;
use crate::logging::progress::ProgressLine;

/// The maximum number of games between two progress lines, without a terminal.
const PROGRESS_GAMES: u64 = 1_000;
/// The number of games between two progress lines if the total is unknown.
const UNLIMITED_STEP: u64 = 100;

/// A progress bar on a terminal; otherwise a line on standard error after each 5 % of the games, or each hundred.
pub struct ProgressDisplay {
    bar: ProgressLine,
    /// `None`: until the SPRT is decided.
    total: Option<u64>,
}

impl ProgressDisplay {
    /// A display for `total` games (`None`: without end), `done` of them played.
    pub fn new(total: Option<u64>, done: u64) -> ProgressDisplay {
        let bar = ProgressLine::bar(total, "games");
        bar.begin_at(done);
        ProgressDisplay { bar, total }
    }

    /// Shows the standings after a game.
    pub fn show(&self, standings: &Standings) {
        let games = standings.games();
        if !self.bar.is_hidden() {
            self.bar.set_message(summary_line(standings));
            self.bar.set_position(games);
        } else if games.is_multiple_of(self.total.map_or(UNLIMITED_STEP, |total| (total / 20).clamp(1, PROGRESS_GAMES)))
        {
            let of = self.total.map_or_else(String::new, |total| format!("/{total}"));
            // A closed standard error does not stop the tournament.
            let _ = writeln!(io::stderr(), "{games}{of} {}", summary_line(standings));
        }
    }
}

/// The distribution of times, in microseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct TimeSpread {
    /// The median.
    pub median: u64,
    /// The 99th percentile.
    pub p99: u64,
    /// The maximum.
    pub maximum: u64,
    /// The number of moves.
    pub moves: usize,
}

impl TimeSpread {
    fn of(times: &[u64]) -> Option<TimeSpread> {
        let mut times = times.to_vec();
        times.sort_unstable();
        let maximum = *times.last()?;
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        Some(TimeSpread { median: at(0.5), p99: at(0.99), maximum, moves: times.len() })
    }
}

/// The runner's overhead and delays (see [`GameDiagnostics`](super::game_diagnostics::GameDiagnostics)), in
/// microseconds.
#[derive(Default)]
pub struct RunnerTimes {
    overheads: Vec<u64>,
    lateness: Vec<u64>,
}

impl RunnerTimes {
    /// Adds the times of a game.
    pub fn add(&mut self, overheads: &[Duration], lateness: &[Duration]) {
        self.overheads.extend(overheads.iter().map(|time| time.as_micros() as u64));
        self.lateness.extend(lateness.iter().map(|time| time.as_micros() as u64));
    }

    /// The distributions of the overhead and the delays, if any.
    pub fn spreads(&self) -> [Option<TimeSpread>; 2] {
        [&self.overheads, &self.lateness].map(|times| TimeSpread::of(times))
    }

    /// Writes median, 99th percentile and maximum.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let names = ["runner overhead per move", "delay from reply to processing"];
        for (name, spread) in names.into_iter().zip(self.spreads()) {
            let Some(TimeSpread { median, p99, maximum, moves }) = spread else { continue };
            let [median, p99, maximum] = [median, p99, maximum].map(|us| us as f64 / 1e3);
            writeln!(
                out,
                "{name}: median {median:.3} ms, 99th percentile {p99:.3} ms, maximum {maximum:.3} ms ({moves} moves)"
            )?;
        }
        Ok(())
    }
}
