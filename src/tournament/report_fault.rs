//! The kinds of warnings about an engine's search reports: their names in the record, and what they mean, for `--help`
//! and the report.

use serde::{Deserialize, Serialize};

/// What is wrong with a search report. The names are those of the record.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReportFault {
    /// A principal variation is not legal to its end.
    IllegalPv,
    /// The move played is not the first one of the last principal variation.
    MoveNotInPv,
    /// The depth fell during a search.
    DepthFell,
    /// The number of nodes fell during a search.
    NodesFell,
    /// A result that was reported as proven was not kept.
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

    /// What it means, for `--help` and the report.
    pub fn explanation(self) -> &'static str {
        match self {
            ReportFault::IllegalPv => "a move of a principal variation is illegal or cannot be read",
            ReportFault::MoveNotInPv => {
                "the move played is the first move neither of the last principal variation nor of the last one that is \
                 no bound"
            }
            ReportFault::DepthFell => {
                "the depth fell during a search, in a line that does not repeat the last finished one"
            }
            ReportFault::NodesFell => "the node count fell during a search",
            ReportFault::ProofLost => {
                "the engine reported a result as proven (info string exact, info string wld, score mate), and a later \
                 proof of it or the game's result was worse, though it had not knowingly played a weaker move (as \
                 engines with a reduced strength do)"
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
