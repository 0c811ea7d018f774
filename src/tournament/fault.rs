//! How a game can end: by its rules, or by a fault, each with the name that stands in the record.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// By the rules of the game.
    Normal,
    /// An engine played a move that the rules do not allow, or a word that is no move.
    IllegalMove,
    /// An engine answered a query about the position wrongly, or not at all.
    WrongQuery,
    /// A move came too late for its clock or its fixed time.
    TimeForfeit,
    /// An engine's process died: by a signal, or with an exit status that is not zero.
    Crash,
    /// An engine left of its own accord, with exit status zero.
    EarlyExit,
    /// An engine closed its standard output and lives on.
    ClosedOutput,
    /// An engine lives but answers nothing, or no longer reads its input.
    Stall,
    /// An engine answers other questions, but its search gave no move.
    MissingBestmove,
    /// An engine refused a command of its protocol.
    ProtocolError,
    /// An engine gave up.
    Resign,
    /// The runner ended the game: one side was lost by the engines' own scores.
    AdjudicatedResign,
    /// The runner ended the game: drawn by the engines' own scores.
    AdjudicatedDraw,
    /// The runner ended the game: the rest was solved.
    AdjudicatedExact,
}

impl Reason {
    /// Whether something went wrong that leaves a log.
    pub fn is_abnormal(self) -> bool {
        use Reason::*;
        !matches!(self, Normal | Resign | AdjudicatedResign | AdjudicatedDraw | AdjudicatedExact)
    }

    /// Whether a new process could go on where the old one failed; a lost clock or a wrong move stays what it is.
    pub fn can_be_recovered(self) -> bool {
        use Reason::*;
        matches!(self, Crash | EarlyExit | ClosedOutput | Stall | MissingBestmove)
    }

    /// Whether the engine's process is of no more use.
    pub fn ends_process(self) -> bool {
        self.can_be_recovered() || self == Reason::ProtocolError
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The name in the record is the name everywhere.
        self.serialize(f)
    }
}

/// A fault of one engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Its kind.
    pub reason: Reason,
    /// What exactly happened.
    pub detail: String,
}

impl Fault {
    /// A fault with its detail.
    pub fn new(reason: Reason, detail: impl Into<String>) -> Fault {
        Fault { reason, detail: detail.into() }
    }
}

/// What ends an exchange with an engine before its answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Break {
    /// The engine is at fault.
    Fault(Fault),
    /// The whole tournament stops.
    Interrupted,
}

impl From<Fault> for Break {
    fn from(fault: Fault) -> Break {
        Break::Fault(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_records() {
        assert_eq!(Reason::IllegalMove.to_string(), "illegal-move");
        assert_eq!(serde_json::to_string(&Reason::TimeForfeit).unwrap(), "\"time-forfeit\"");
        assert!(!Reason::Normal.is_abnormal() && Reason::Stall.is_abnormal());
    }
}
