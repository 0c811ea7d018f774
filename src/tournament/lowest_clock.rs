//! The lowest clock of an engine: how close its time management comes to losing on time.

use super::game_clock::TimeControl;
use super::game_record::GameRecord;
use super::side_label::SideLabel;
use super::termination::Termination;
use crate::game::Player;

/// Statistics of an engine's lowest clock per game, as a fraction of the main time.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LowestClockStats {
    pub(super) games: u64,
    sum: f64,
    minimum: f64,
}

impl LowestClockStats {
    /// Adds the fraction of a game.
    pub fn add(&mut self, share: f64) {
        self.minimum = if self.games == 0 { share } else { self.minimum.min(share) };
        self.games += 1;
        self.sum += share;
    }

    /// Mean and minimum over its games; `None` if it had no clock.
    pub fn mean_and_minimum(&self) -> Option<(f64, f64)> {
        (self.games > 0).then(|| (self.sum / self.games as f64, self.minimum))
    }
}

/// A side's lowest clock before the increment, as a fraction of its main time; `None` without a clock or without a
/// move of that side.
pub fn lowest_clock(record: &GameRecord, side: Player, first_mover: Player) -> Option<f64> {
    let control = record.limits[side as usize].split(", ").next()?.parse().ok()?;
    let TimeControl::Clock { base_ms, .. } = control else { return None };
    let base = base_ms as f64;
    let flag_fell = record.reason == Termination::TimeForfeit && record.fault_by == Some(SideLabel::from(side));
    let (mut before, mut lowest) = (base, flag_fell.then_some(0.0));
    for played in record.moves.iter().skip(usize::from(side != first_mover)).step_by(2) {
        let (Some(ms), Some(after)) = (played.ms, played.clock_ms) else { continue };
        let remaining = (before - ms).max(0.0);
        lowest = Some(lowest.map_or(remaining, |lowest| remaining.min(lowest)));
        before = after as f64;
    }
    lowest.map(|ms| ms / base)
}
