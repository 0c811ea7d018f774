//! What a tournament prints while and after it runs: progress, and the runner's overhead.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::elo::Sprt;
use super::standings::Standings;
use super::standings_text::summary_line;

/// A progress bar on a terminal; otherwise a line on standard error after each twentieth of the games.
pub struct ProgressDisplay {
    bar: ProgressBar,
    total: u64,
    terminal: bool,
}

impl ProgressDisplay {
    /// A display for `total` games, of which `done` are played.
    pub fn new(total: u64, done: u64) -> ProgressDisplay {
        let terminal = io::stderr().is_terminal();
        let bar = if terminal { ProgressBar::new(total) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{pos}/{len} [{elapsed_precise}, {eta} left] {msg}") {
            bar.set_style(style);
        }
        bar.set_position(done);
        bar.reset_eta();
        ProgressDisplay { bar, total, terminal }
    }

    /// Shows the standings after a game.
    pub fn show(&self, standings: &Standings, sprt: Option<&Sprt>) {
        let games = standings.games();
        if self.terminal {
            self.bar.set_message(summary_line(standings, sprt));
            self.bar.set_position(games);
        } else if games.is_multiple_of((self.total / 20).max(1)) {
            // A closed standard error does not stop the tournament.
            let _ = writeln!(io::stderr(), "{games}/{} {}", self.total, summary_line(standings, sprt));
        }
    }

    /// Removes the progress bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// The runner's overhead and lateness (see [`FinishedGame`](super::match_game::FinishedGame)), in microseconds.
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

    /// Writes median, 99th percentile and maximum.
    pub fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        for (name, times) in [
            ("runner overhead per move", &mut self.overheads),
            ("delay until an answer is processed", &mut self.lateness),
        ] {
            times.sort_unstable();
            let Some(&maximum) = times.last() else { continue };
            let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize] as f64 / 1e3;
            writeln!(
                out,
                "{name}: median {:.3} ms, 99 % below {:.3} ms, maximum {:.3} ms ({} moves)",
                at(0.5),
                at(0.99),
                maximum as f64 / 1e3,
                times.len()
            )?;
        }
        Ok(())
    }
}
