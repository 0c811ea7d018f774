//! What the runner notes about a game besides its moves: its own delays, late moves, faults in search reports.

use std::time::Duration;

use super::late_move::LateMove;
use super::search_check::{ProofKeeper, ProvenResult, RecordedWarning, ReportWarning};
use crate::game::Player;

/// The notes on one game.
#[derive(Clone, Default, Debug)]
pub struct GameDiagnostics {
    /// The runner's overhead per move: from one engine's answer to the other engine's `go`.
    pub overheads: Vec<Duration>,
    /// The delay from the arrival of each answer to its processing.
    pub delays: Vec<Duration>,
    /// What was wrong with search reports.
    pub warnings: Vec<RecordedWarning>,
    /// The move that lost the game on time.
    pub forfeit: Option<LateMove>,
    proofs: ProofKeeper,
}

impl GameDiagnostics {
    /// Adds what was wrong with the reports of a side's search at a ply.
    pub fn warn(&mut self, ply: usize, by: Player, warnings: impl IntoIterator<Item = ReportWarning>) {
        let recorded = warnings.into_iter().map(|ReportWarning { fault, detail }| RecordedWarning {
            ply,
            by: by.into(),
            fault,
            detail,
        });
        self.warnings.extend(recorded);
    }

    /// Compares a proven result, or that of the game, with what the side has proven before; `declined` is the result of
    /// a better move that the side knowingly did not play.
    pub fn prove(&mut self, ply: usize, by: Player, result: ProvenResult, declined: Option<ProvenResult>) {
        let lost = self.proofs.add(by, result, declined);
        self.warn(ply, by, lost);
    }

    /// The side has made a move that it has not proven: it may have given away what it had proven before.
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
