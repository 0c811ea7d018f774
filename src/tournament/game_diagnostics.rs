//! Measurements and warnings of a game: the runner's delays, late moves, faults in search reports.

use std::time::Duration;

use super::late_move::LateMove;
use super::search_check::{ProofTracker, ProvenResult, RecordedWarning, ReportWarning};
use crate::game::Player;

/// Measurements and warnings of one game.
#[derive(Clone, Default, Debug)]
pub struct GameDiagnostics {
    /// The runner's overhead per move: from one engine's reply to the other engine's `go`.
    pub overheads: Vec<Duration>,
    /// The delay from the arrival of each reply to its processing.
    pub delays: Vec<Duration>,
    /// The warnings about search reports.
    pub warnings: Vec<RecordedWarning>,
    /// The move that lost the game on time.
    pub forfeit: Option<LateMove>,
    proofs: ProofTracker,
}

impl GameDiagnostics {
    /// Adds the warnings about a side's search at a ply.
    pub fn warn(&mut self, ply: usize, by: Player, warnings: impl IntoIterator<Item = ReportWarning>) {
        let recorded = warnings.into_iter().map(|ReportWarning { fault, detail }| RecordedWarning {
            ply,
            by: by.into(),
            fault,
            detail,
        });
        self.warnings.extend(recorded);
    }

    /// Compares a proven result, or the result of the game, with the side's earlier proof; `declined` is the result of a
    /// better move that the side deliberately did not play.
    pub fn prove(&mut self, ply: usize, by: Player, result: ProvenResult, declined: Option<ProvenResult>) {
        let lost = self.proofs.add(by, result, declined);
        self.warn(ply, by, lost);
    }

    /// Drops the side's proof after an unproven move, which may give the proven result away.
    pub fn forget_proof(&mut self, by: Player) {
        self.proofs.forget(by);
    }

    /// The overhead in microseconds: median and maximum.
    pub fn overhead_us(&self) -> Option<[u64; 2]> {
        let mut all: Vec<u64> = self.overheads.iter().map(|time| time.as_micros() as u64).collect();
        all.sort_unstable();
        all.last().map(|&maximum| [all[all.len() / 2], maximum])
    }
}
