//! The kinds of warnings about an engine's search reports: names in the record, and explanations for `--help` and the
//! report.

use serde::{Deserialize, Serialize};

/// A fault in a search report. The names are those of the record.
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
    /// A later result is worse than a proven one.
    ProofLost,
}

impl ReportFault {
    /// All of them, in the order of `--help`.
    pub const ALL: [ReportFault; 5] = [
        ReportFault::IllegalPv,
        ReportFault::MoveNotInPv,
        ReportFault::DepthFell,
        ReportFault::NodesFell,
        ReportFault::ProofLost,
    ];

    /// The meaning, for `--help` and the report.
    pub fn explanation(self) -> &'static str {
        match self {
            ReportFault::IllegalPv => "a principal variation contains an illegal or invalid move",
            ReportFault::MoveNotInPv => {
                "the move played is not the first move of the last principal variation, nor of the last one with an \
                 exact score"
            }
            ReportFault::DepthFell => {
                "the depth decreased during a search, other than by repeating the last finished line"
            }
            ReportFault::NodesFell => "the node count decreased during a search",
            ReportFault::ProofLost => {
                "the engine reported a proven result (info string exact, info string wld, score mate), but a later \
                 proof or the result of the game was worse, although the engine did not report a better move than it \
                 played (as engines with reduced strength do)"
            }
        }
    }

    /// The name in the record.
    pub fn name(self) -> &'static str {
        match self {
            ReportFault::IllegalPv => "illegal-pv",
            ReportFault::MoveNotInPv => "move-not-in-pv",
            ReportFault::DepthFell => "depth-fell",
            ReportFault::NodesFell => "nodes-fell",
            ReportFault::ProofLost => "proof-lost",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_warning_is_in_the_list_with_an_explanation() {
        // The error names all variants.
        let unknown = serde_json::from_str::<ReportFault>("\"x\"").unwrap_err().to_string();
        let names: Vec<&str> = unknown.split('`').skip(3).step_by(2).collect();
        assert_eq!(names, ReportFault::ALL.map(ReportFault::name));
        for fault in ReportFault::ALL {
            assert_eq!(serde_json::to_string(&fault).unwrap(), format!("\"{}\"", fault.name()));
            assert!(!fault.explanation().is_empty());
        }
    }
}
