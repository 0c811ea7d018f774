//! Warnings about engines, which do not change the result of a game.

use std::fmt;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde::{Deserialize, Serialize};

/// A warning about the reports of one search, or about an annulled attempt at a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReportWarning {
    /// The kind of fault.
    pub fault: ReportFault,
    /// Details for the user.
    pub detail: String,
}

/// What a warning is about: a search report, or an annulled forfeit. The names are those of the
/// record; the meanings are also for `--help` and the report.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum ReportFault {
    /// a principal variation contains an illegal or invalid move
    IllegalPv,
    /// the move played is not the first move of the last principal variation, nor of the last one
    /// with an exact score
    MoveNotInPv,
    /// the depth decreased during a search, other than by repeating the last finished line
    DepthFell,
    /// the node count decreased during a search
    NodesFell,
    /// the engine reported an error during a search (info string error), such as a damaged book
    EngineError,
    /// the engine reported a proven result (info string exact, info string wld, score mate), but a
    /// later proof or the result of the game was worse, although the engine did not report a better
    /// move than it played (as engines with reduced strength do)
    ProofLost,
    /// a forfeit on time was annulled and the game played again, because the runner was suspended
    /// for a second or more during the move, or the engine waited for a CPU for longer than its move
    /// was late
    AnnulledForfeit,
}

impl ReportFault {
    /// The meaning.
    pub fn explanation(self) -> String {
        let value = self.to_possible_value();
        let help = value.as_ref().and_then(PossibleValue::get_help);
        help.map(ToString::to_string).unwrap_or_default()
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
    fn every_kind_of_warning_has_an_explanation_and_the_name_of_the_record() {
        for fault in ReportFault::value_variants() {
            assert!(!fault.explanation().is_empty());
            let value = fault.to_possible_value().unwrap();
            assert_eq!(value.get_name(), fault.to_string());
        }
    }
}
