//! Warnings about engines, which do not change the result of a game.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A warning about the reports of one search, or about an annulled attempt at a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReportWarning {
    /// The kind of fault.
    pub fault: ReportFault,
    /// Details for the user.
    pub detail: String,
}

/// What a warning is about: a search report, or an annulled forfeit. The names are those of the record.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReportFault {
    /// A principal variation contains an illegal move.
    IllegalPv,
    /// The move played is not the first move of the last principal variation.
    MoveNotInPv,
    /// The depth decreased during a search.
    DepthFell,
    /// The node count decreased during a search.
    NodesFell,
    /// The engine reported an error during a search.
    EngineError,
    /// A later result is worse than a proven one.
    ProofLost,
    /// An earlier attempt at the game ended with a forfeit on time that was annulled.
    AnnulledForfeit,
}

impl ReportFault {
    /// All of them with their meaning, for `--help` and the report.
    pub const ALL: [(ReportFault, &'static str); 7] = [
        (
            ReportFault::IllegalPv,
            "a principal variation contains an illegal or invalid move",
        ),
        (
            ReportFault::MoveNotInPv,
            "the move played is not the first move of the last principal variation, nor of the last one with an exact \
             score",
        ),
        (
            ReportFault::DepthFell,
            "the depth decreased during a search, other than by repeating the last finished line",
        ),
        (
            ReportFault::NodesFell,
            "the node count decreased during a search",
        ),
        (
            ReportFault::EngineError,
            "the engine reported an error during a search (info string error), such as a damaged book",
        ),
        (
            ReportFault::ProofLost,
            "the engine reported a proven result (info string exact, info string wld, score mate), but a later proof \
             or the result of the game was worse, although the engine did not report a better move than it played (as \
             engines with reduced strength do)",
        ),
        (
            ReportFault::AnnulledForfeit,
            "a forfeit on time was annulled and the game played again, because the runner was suspended for a second \
             or more during the move, or the engine waited for a CPU for longer than its move was late",
        ),
    ];

    /// The meaning.
    pub fn explanation(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

impl fmt::Display for ReportFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f) // the name in the record
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_warning_is_in_the_list_with_an_explanation() {
        // The error names all variants.
        let unknown = serde_json::from_str::<ReportFault>("\"x\"")
            .unwrap_err()
            .to_string();
        let names: Vec<&str> = unknown.split('`').skip(3).step_by(2).collect();
        assert_eq!(names, ReportFault::ALL.map(|(fault, _)| fault.to_string()));
        for (fault, explanation) in ReportFault::ALL {
            assert_eq!(fault.explanation(), explanation);
            assert!(!explanation.is_empty());
        }
    }
}
